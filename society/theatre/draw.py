"""Draw a view of a history as a frame: panels put together for a screen of any size."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby, islice

import numpy as np
from rich.text import Text

from society.runs.match_names import MatchNames, has_matches
from society.terminal.console import TerminalStyle
from society.terminal.labels import RoundLabels, count_noun
from society.text import format_fact

from . import acts
from .agent_page import agent_page
from .agent_rows import agent_rows
from .events import Event, events, made_room, names_in
from .exchange_page import exchange_page
from .eyes_page import eyes_page
from .forking import FORK, fork_page
from .frame import Frame, Panel, Size, fit
from .gauge import gauge, measures
from .glyphs import Glyphs
from .help import bottom_lines, help_page
from .history import BORDER, BORN, ENDED, GONE, VACANT, History, Mark
from .inspection import AGENT, EXCHANGE, EYES
from .keys import HELP
from .lanes import lane_look, lanes, last_round
from .live_run import doing_panel, live_of
from .norms import norms
from .paragraphs import scrolled
from .search import FOUND, found_panel
from .timeline import timeline
from .view import View

SMALLEST = Size(60, 16)
_TALL = 34  # lines from which on each lane of marks has its own row
_WIDE = 150  # cells from which on events stand beside the agents
_AROUND = 2  # lines: the title, and the keys
_LEAST_EVENTS = 3
_DOING = 6  # lines about what a run is doing that is being written
_MARGIN = 2  # cells at the left of events and agents, for the mark of the chosen one
_BETWEEN = " │ "  # two runs side by side
_LONGEST_MEMORY = 100  # marks of earlier rounds that are looked through, of each lane

DrawPanel = Callable[[History, View, int, int, TerminalStyle], Panel]
YieldLines = Callable[[History, View, int, TerminalStyle], Iterator[Text]]

# Screens that lie above the stage, by the name that `View.open` takes: each fills the room between
# the title and the line of keys.
SCREENS: Mapping[str, DrawPanel] = {
    FOUND: found_panel,
    acts.GRAPH: acts.network_screen,
    acts.LINEAGE: acts.lineage_screen,
    acts.RANKING: acts.ranking_screen,
    acts.MATCHES: acts.matches_screen,
}
# Screens of as many lines as they take, of which one looks at those that fit.
PAGES: Mapping[str, YieldLines] = {
    HELP: help_page,
    FORK: fork_page,
    AGENT: agent_page,
    EXCHANGE: exchange_page,
    EYES: eyes_page,
}


def draw(history: History, view: View, size: Size, style: TerminalStyle) -> Frame:
    """Draw one frame; it depends on nothing but what is given."""
    if size.width < SMALLEST.width or size.height < SMALLEST.height:
        return _too_small(size)
    style = TerminalStyle(style.encoding, size.width)
    doing = _doing(history, view, size, style)
    lines = [*_screen(history, view, Size(size.width, size.height - len(doing)), style), *doing]
    return _above(bottom_lines(history, view, size.width, style), lines, size)


def _above(bottom: Panel, lines: Panel, size: Size) -> Frame:
    """Put lines above those at the bottom, which cover some of them if they are several."""
    return fit([*lines[: size.height - len(bottom)], *bottom], size)


def _doing(history: History, view: View, size: Size, style: TerminalStyle) -> Panel:
    """Say what the run is doing, if it is being written."""
    rows = min(size.height - _TALL, _DOING) if size.height > _TALL + 1 else 2
    return doing_panel(live_of(history, view.live), size.width, rows, style)


def draw_beside(
    first: History, second: History, view: View, size: Size, style: TerminalStyle
) -> Frame:
    """Draw two runs side by side; where there is no room, the one that keys are about."""
    if size.width < SMALLEST.width or size.height < SMALLEST.height:
        return _too_small(size)
    front = second if view.second else first
    style = TerminalStyle(style.encoding, size.width)
    bottom = bottom_lines(front, view, size.width, style)
    halves = _halves(size)
    differences = _differences(first, second)
    if halves.width < SMALLEST.width:
        about = f"c: the other run, {differences[int(view.second)]}"
        lines = _screen(front, view, size, style, about)
        return _above(bottom, lines, size)
    style, room = TerminalStyle(style.encoding, halves.width), size.height - 2
    views = [view if run is front else view.on_other_run(run) for run in (first, second)]
    shown = [*zip((first, second), views, differences, strict=True)]
    head = max(len(_over_time(run, one, halves.width, room, style)) for run, one, _ in shown)
    panels = [_screen(run, one, halves, style, about, head) for run, one, about in shown]
    lines = [
        _joined(one, style.words(_BETWEEN), other, halves.width)
        for one, other in zip(*panels, strict=True)
    ]
    return _above(bottom, lines, size)


def _halves(size: Size) -> Size:
    """Return the size of each of two runs side by side."""
    return Size((size.width - len(_BETWEEN)) // 2, size.height)


def scroll_within(history: History, view: View, size: Size, style: TerminalStyle) -> View:
    """Return the view with its page scrolled no further than to its last line.

    history: the run that keys are about. size: of the whole frame.
    """
    if not view.top or view.screen not in PAGES:
        return view
    if view.beside:
        width, height = max(_halves(size).width, 0), size.height
        width = width if width >= SMALLEST.width else size.width
    else:
        width, height = size.width, size.height - len(_doing(history, view, size, style))
    room = height - _AROUND
    lines = PAGES[view.screen](history, view, width, TerminalStyle(style.encoding, width))
    count = sum(1 for _ in islice(lines, view.top + room))
    return replace(view, top=min(view.top, max(count - room, 0)))


def _joined(one: Text, between: str, other: Text, width: int) -> Text:
    """Put two lines side by side; the first one takes `width` cells."""
    line = Text().append_text(one)
    line.truncate(width, overflow="crop", pad=True)
    return line.append(between, "dim").append_text(other)


def _screen(
    history: History,
    view: View,
    size: Size,
    style: TerminalStyle,
    about: str = "",
    head: int = 0,
) -> Panel:
    """Draw all but the line of keys."""
    room = size.height - _AROUND
    if view.screen in PAGES:
        lines = PAGES[view.screen](history, view, size.width, style)
        panel = scrolled(lines, view.top, room, style)
    elif view.screen in SCREENS:
        panel = SCREENS[view.screen](history, view, size.width, room, style)
    else:
        panel = _stage(history, view, size.width, room, style, head)
    return [title(history, view, size.width, style, about), *_filled(panel, room)]


def _differences(first: History, second: History) -> tuple[str, str]:
    """Describe in which parameters two runs differ, for each of them."""
    one, other = first.manifest.params, second.manifest.params
    names = [name for name in one if name in other and one[name] != other[name]]
    said = [
        ", ".join(f"{name}={format_fact(run.manifest.params[name])}" for name in names)
        for run in (first, second)
    ]
    return said[0] or first.run.path.stem, said[1] or second.run.path.stem


def _too_small(size: Size) -> Frame:
    words = (
        f"The theatre needs {SMALLEST.width} x {SMALLEST.height} cells; "
        f"this terminal has {size.width} x {size.height}. Make it larger, or press q."
    )
    return fit(_folded(words, size), size)


def title(history: History, view: View, width: int, style: TerminalStyle, about: str = "") -> Text:
    """Draw the top line: the run at the left; the round, and who is there, at the right.

    about: what sets this run apart from another one beside it.
    """
    manifest, glyphs = history.manifest, Glyphs(style)
    page = history.page(view.round)
    said = [about] if about else []
    said.append(f"seed {manifest.seed}")
    if view.screen in (acts.RANKING, acts.MATCHES):
        said.append("all matches")
    elif has_matches(manifest):
        said.append(MatchNames(manifest)[view.replicate].words())
    elif manifest.replicates > 1:
        said.append(f"replicate {view.replicate} of {manifest.replicates}")
    labels = RoundLabels(manifest)
    where = glyphs.dot.join(labels.reached(page.path, page.number))
    if page.number == 0:
        where = labels.title(page)
    elif len(where) > width // 2:
        where = labels.label(page)
    count = int(page.present[view.replicate].sum())
    if not page.running[view.replicate]:
        end = last_round(history, view.replicate)
        where += f"{glyphs.dot}ended" if end == view.round else f"{glyphs.dot}ended in {end}"
    elif manifest.level != "summary":
        where += f"{glyphs.dot}{count} of {manifest.agents} {manifest.stage.presence}"
    pace = f"{glyphs.playing} {view.speed:g}/s" if view.playing else glyphs.paused
    if (live := live_of(history, view.live)) is not None and not view.playing:
        pace = live.title(view.round, style)
    right = style.words(f"{where}{glyphs.dot}{pace} ")
    left = Text().append(
        " " + style.cut(manifest.scenario.replace("_", " "), width // 3), "bold cyan"
    )
    rest = style.cut(glyphs.dot + glyphs.dot.join(said), width - left.cell_len - len(right) - 1)
    left.append(rest, "dim")
    left.append(" " * max(width - left.cell_len - Text(right).cell_len, 1))
    return left.append(right, "bold")


def _stage(
    history: History, view: View, width: int, height: int, style: TerminalStyle, head: int = 0
) -> Panel:
    """Draw the stage: what there is over time, then agents and events.

    head: lines that the first part takes at least, so that two runs side by side are aligned.
    """
    tall = height + 2 >= _TALL
    panel = _over_time(history, view, width, height, style)
    view = _while_it_lived(history, view)
    panel = _filled(panel, max(head, len(panel)))
    left = height - len(panel)
    if history.manifest.level == "summary":
        return [*panel, *_summary(history, view, width, left, style)]
    if width >= _WIDE:
        return [*panel, *_beside(history, view, width, left, style)]
    found = events(history, view, TerminalStyle(style.encoding, width - _MARGIN))
    feed = 1 + max(_LEAST_EVENTS, min(len(found), left // 3))
    agents = min(history.manifest.agents + 1, left - feed - tall)
    if tall:
        panel.append(_rule("agents", width, style))
    panel += agent_rows(history, view, width, agents, style)
    return [*panel, *_feed(history, view, found, width, height - len(panel), style)]


def _over_time(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw the time line, the stock, measures, and the norms in force."""
    tall = height + 2 >= _TALL
    panel = timeline(history, view, width, 7 if tall else 2, style)
    view = _while_it_lived(history, view)
    stock = gauge(history, view, width, 2, style)
    panel += stock
    if history.manifest.level == "summary":
        return panel
    panel += measures(history, view, width, 4 if tall else 0 if stock else 2, style)
    banner = norms(history, view, width, 6 if tall else 2, style)
    return panel + ([_rule("norm in force", width, style), *banner] if tall and banner else banner)


def _while_it_lived(history: History, view: View) -> View:
    """Return the view of the round in which a replicate ended, if that was before this one.

    What rounds hold of a replicate thereafter means nothing.
    """
    return replace(view, round=min(view.round, last_round(history, view.replicate)))


def _summary(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw measures alone, where details were not recorded, and say how to get more."""
    words = (
        "Details were not recorded (level summary): there are measures only. "
        "Run again with --record full, or write record: full into the file of an experiment, "
        "to see agents and events."
    )
    said = [style.text(line, "dim") for line in textwrap.wrap(words, width)]
    rows = measures(history, view, width, height - len(said) - 1, style)
    return [*rows, Text(), *said]


def _beside(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw agents at the left and events at the right."""
    right = width * 2 // 5
    left = width - right - 3
    narrow = TerminalStyle(style.encoding, right - _MARGIN)
    agents = [
        _rule("agents", left, style),
        *agent_rows(history, view, left, height - 1, style),
    ]
    found = events(history, view, narrow)
    feed = _filled(_feed(history, view, found, right, height, style), height)
    return [
        _joined(one, "   ", other, left)
        for one, other in zip(_filled(agents, height), feed, strict=True)
    ]


def _feed(
    history: History,
    view: View,
    found: Sequence[Event],
    width: int,
    height: int,
    style: TerminalStyle,
) -> Panel:
    """Draw the events of this round; where there is room below, marks of earlier rounds."""
    room = height - 1
    if room < 1:
        return []
    chosen = min(view.event, max(len(found) - 1, 0)) if view.pane == "events" else -1
    start = min(max(chosen - room // 2, 0), max(len(found) - room, 0))
    shown = found[start : start + room]
    heading = RoundLabels(history.manifest).title(history.page(view.round))
    heading += f": {count_noun(len(found), 'event')}"
    if len(shown) < len(found):
        heading += f", {start + 1} to {start + len(shown)} are shown"
    panel = [_rule(heading, width, style)]
    glyphs = Glyphs(style)
    for number, event in enumerate(shown, start):
        here = number == chosen
        line = Text().append(f"{glyphs.chosen if here else ' '} ", "bold cyan")
        line.append_text(event.words)
        line.truncate(width, overflow="crop")
        if here:
            line.stylize("bold")
        panel.append(line)
    return [*panel, *_before(history, view, width, room - len(shown), style)]


def _before(history: History, view: View, width: int, room: int, style: TerminalStyle) -> Panel:
    """List what stands out in earlier rounds, the latest first."""
    labels, glyphs = RoundLabels(history.manifest), Glyphs(style)
    found = list[tuple[int, str, list[Mark]]]()
    for lane in lanes(history, view.replicate).values():
        if lane.name == BORDER or view.lane not in ("", lane.name):
            continue
        earlier = lane.until(view.round - 1)[-_LONGEST_MEMORY:]
        by_round = groupby(reversed(earlier), key=lambda mark: mark.round)
        found += [(number, lane.name, list(marks)) for number, marks in by_round]
    found.sort(key=lambda one: -one[0])
    panel: Panel = []
    for number, name, marks in found[: room if room > 1 else 0]:
        when = labels.label(history.page(number))
        glyph, _ = lane_look(history, name, glyphs)
        words = _told(history, view, name, marks, style)
        panel.append(Text("  " + style.cut(f"{when} {glyph} {words}", width - 2), "dim"))
    return panel


def _told(history: History, view: View, lane: str, marks: list[Mark], style: TerminalStyle) -> str:
    """Describe the marks of a lane in one round."""
    first = marks[0]
    if lane == ENDED:
        return f"ended: {first.words}"
    if lane in (GONE, BORN, VACANT):
        there = first.round - made_room(history, first.round, first.words)
        names = names_in(history, view.replicate, there, style)
        listed = [names[mark.agent] for mark in reversed(marks)]
        return f"{first.words}: {', '.join(listed)}"
    if lane in history.manifest.stage.notes:
        value = history.course(view.replicate).common.get(lane, np.full(1, np.nan))
        told = value[first.round] if first.round < len(value) else np.nan
        return f"{lane} {style.figure(told) if np.isfinite(told) else first.words}"
    times = sum(mark.times for mark in marks)
    return f"{lane} {times} times" if times != 1 else f"{lane} once"


def _rule(words: str, width: int, style: TerminalStyle) -> Text:
    """Draw a line across that names what stands below it."""
    line = Text().append(style.words("── "), "dim").append(style.words(words), "bold").append(" ")
    return line.append(style.words("─") * max(width - line.cell_len, 0), "dim")


def _filled(panel: Panel, height: int) -> Panel:
    """Cut or fill a panel so that it has this many lines."""
    return [*panel[:height], *(Text() for _ in range(height - len(panel)))]


def _folded(words: str, size: Size) -> Panel:
    """Fold a message so that it can be read on the smallest terminal."""
    return [Text(line) for line in textwrap.wrap(words, max(size.width, 1))]
