"""Draw a view of a history as a frame: panels put together for a screen of any size."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping

from rich.text import Text

from society.terminal.console import TerminalStyle
from society.terminal.labels import RoundLabels

from .agent_rows import agent_rows
from .events import events
from .frame import Frame, Panel, Size, fit
from .gauge import gauge
from .glyphs import Glyphs
from .help import help_panel, key_line
from .history import History
from .keys import HELP
from .norms import norms
from .timeline import timeline
from .view import View

SMALLEST = Size(60, 16)
_TALL = 34  # lines from which on each lane of marks has its own row
_WIDE = 150  # cells from which on events stand beside the agents
_LEAST_EVENTS = 3

DrawPanel = Callable[[History, View, int, int, TerminalStyle], Panel]

# Screens that lie above the stage, by the name that `View.open` takes: each fills the room between
# the title and the line of keys.
SCREENS: Mapping[str, DrawPanel] = {HELP: help_panel}


def draw(history: History, view: View, size: Size, style: TerminalStyle) -> Frame:
    """Draw one frame; it depends on nothing but what is given."""
    if size.width < SMALLEST.width or size.height < SMALLEST.height:
        words = (
            f"The theatre needs {SMALLEST.width} x {SMALLEST.height} cells; "
            f"this terminal has {size.width} x {size.height}. Make it larger, or press q."
        )
        return fit(_folded(words, size), size)
    style = TerminalStyle(style.encoding, size.width)
    room = size.height - 2
    panel = SCREENS.get(view.screen, _stage)(history, view, size.width, room, style)
    lines = [title(history, view, size.width, style), *_filled(panel, room)]
    return fit([*lines, key_line(history, view, size.width, style)], size)


def title(history: History, view: View, width: int, style: TerminalStyle) -> Text:
    """Draw the top line: the run at the left; the round, and who is there, at the right."""
    manifest, glyphs = history.manifest, Glyphs(style)
    page = history.page(view.round)
    about = [f"seed {manifest.seed}"]
    if manifest.replicates > 1:
        about.append(f"replicate {view.replicate} of {manifest.replicates}")
    labels = RoundLabels(manifest)
    where = glyphs.dot.join(labels.reached(page.path, page.number))
    if page.number == 0:
        where = labels.title(page)
    count = int(page.present[view.replicate].sum())
    if not page.running[view.replicate]:
        where += f"{glyphs.dot}ended"
    elif manifest.level != "summary":
        where += f"{glyphs.dot}{count} of {manifest.agents} {manifest.stage.presence}"
    pace = f"{glyphs.playing} {view.speed:g}/s" if view.playing else glyphs.paused
    right = style.words(f"{where}{glyphs.dot}{pace} ")
    left = Text(" " + style.cut(manifest.scenario.replace("_", " "), width // 3), "bold cyan")
    rest = style.cut(glyphs.dot + glyphs.dot.join(about), width - left.cell_len - len(right) - 1)
    left.append(rest, "dim")
    left.append(" " * max(width - left.cell_len - Text(right).cell_len, 1))
    return left.append(right, "bold")


def _stage(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw the stage: time line, gauge, norms, agents, events."""
    lanes = 7 if height + 2 >= _TALL else 2
    measured = 5 if height + 2 >= _TALL else 2
    panel = [
        *timeline(history, view, width, lanes, style),
        *gauge(history, view, width, measured, style),
    ]
    banner = norms(history, view, width, 6 if height + 2 >= _TALL else 3, style)
    if banner:
        panel += [_rule("norm in force", width, style), *banner]
    left = height - len(panel)
    if width >= _WIDE:
        return [*panel, *_beside(history, view, width, left, style)]
    agents = min(history.manifest.agents + 1, left - 2 - _LEAST_EVENTS)
    rows = agent_rows(history, view, width, agents, style)
    panel += [_rule("agents", width, style), *rows]
    return [*panel, *_feed(history, view, width, height - len(panel), style)]


def _beside(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw agents at the left and events at the right."""
    right = width * 2 // 5
    left = width - right - 3
    narrow, wide = TerminalStyle(style.encoding, right), TerminalStyle(style.encoding, left)
    agents = [
        _rule("agents", left, style),
        *agent_rows(history, view, left, height - 1, wide),
    ]
    feed = _filled(_feed(history, view, right, height, narrow), height)
    lines = []
    for one, other in zip(_filled(agents, height), feed, strict=True):
        one.truncate(left, overflow="crop", pad=True)
        lines.append(one.append("   ").append_text(other))
    return lines


def _feed(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw the events of this round; where there is room below, marks of earlier rounds."""
    style = TerminalStyle(style.encoding, width - 2)
    found, room = events(history, view, style), height - 1
    if room < 1:
        return []
    noun = "event" if len(found) == 1 else "events"
    place = RoundLabels(history.manifest).label(history.page(view.round))
    panel = [_rule(f"{place}: {len(found)} {noun}", width, style)]
    chosen = min(view.event, max(len(found) - 1, 0)) if view.pane == "events" else -1
    start = min(max(chosen - room // 2, 0), max(len(found) - room, 0))
    shown = found[start : start + room]
    if start + room < len(found):
        shown = shown[:-1]
    glyphs = Glyphs(style)
    for number, event in enumerate(shown, start):
        here = number == chosen
        line = Text(f"{glyphs.chosen if here else ' '} ", "bold cyan").append_text(event.words)
        line.truncate(width, overflow="crop", pad=here)
        if here:
            line.stylize("reverse")
        panel.append(line)
    if start + len(shown) < len(found):
        panel.append(Text(f"  and {len(found) - start - len(shown)} more below", "dim"))
    return [*panel, *_before(history, view, width, room - len(shown), style)]


def _before(history: History, view: View, width: int, room: int, style: TerminalStyle) -> Panel:
    """List marks of earlier rounds, the latest first."""
    panel: Panel = []
    if room < 2:
        return panel
    for mark in reversed([mark for mark in view.marks(history) if mark.round < view.round]):
        if len(panel) == room:
            break
        words = mark.lane if mark.lane == mark.words else f"{mark.lane}: {mark.words}"
        panel.append(Text("  " + style.cut(f"{mark.round}  {words}", width - 2), "dim"))
    return panel


def _rule(words: str, width: int, style: TerminalStyle) -> Text:
    """Draw a line across that names what stands below it."""
    line = Text(style.words("── "), "dim").append(style.words(words), "bold").append(" ")
    return line.append(style.words("─") * max(width - line.cell_len, 0), "dim")


def _filled(panel: Panel, height: int) -> Panel:
    """Cut or fill a panel so that it has this many lines."""
    return [*panel[:height], *(Text() for _ in range(height - len(panel)))]


def _folded(words: str, size: Size) -> Panel:
    """Fold a message so that it can be read on the smallest terminal."""
    return [Text(line) for line in textwrap.wrap(words, max(size.width, 1))]
