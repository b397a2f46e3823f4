"""A folder of runs as a table: conditions and measures, then the replicates of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from society.engine.scenario import Estimate
from society.terminal.console import TerminalStyle, decimals_for, flow_items, strip_end
from society.terminal.labels import count_noun

from .conditions_data import (
    ConditionRow,
    RunsFolder,
    RunSummary,
    half_width,
    knows_intervals,
    summarise,
)
from .frame import Frame, Panel, Size, fit
from .glyphs import Glyphs

_LONGEST_NAME, _LONGEST_MEASURE = 24, 22
_LEAST_PLOT = 12  # cells of an interval that is drawn
_STATES = {"finished": "green", "running": "cyan", "waiting": "dim", "failed": "bold red"}


@dataclass(frozen=True)
class FolderView:
    """What one looks at in a folder: a condition, and a replicate if its run is open.

    measure: the place of the measure that is drawn. replicate: -1 while conditions are listed.
    """

    row: int = 0
    measure: int = 0
    replicate: int = -1
    note: str = ""

    def pressed(self, folder: RunsFolder, key: str) -> FolderView:
        """Return the view after a key; one that means nothing here changes nothing but the note."""
        here = replace(self, note="")
        summary = summarise(folder.rows[self.row])
        steps = {"up": -1, "down": 1, "pageup": -10, "pagedown": 10, "home": -1_000_000,
                 "end": 1_000_000}  # fmt: skip
        if key in steps and self.replicate < 0:
            last = len(folder.rows) - 1
            return replace(here, row=min(max(self.row + steps[key], 0), last))
        if key in steps:
            last = max(summary.replicates - 1, 0)
            return replace(here, replicate=min(max(self.replicate + steps[key], 0), last))
        if key in ("left", "right"):
            count = max(len(measures_of(folder)), 1)
            return replace(here, measure=(self.measure + (1 if key == "right" else -1)) % count)
        if key in ("escape", "backspace"):
            return replace(here, replicate=-1)
        if key == "enter" and self.replicate < 0:
            if not summary.replicates:
                return replace(here, note=summary.trouble or "this run has not begun")
            return replace(here, replicate=0)
        return here


def measures_of(folder: RunsFolder) -> list[str]:
    """List the measures of the first run that can be read."""
    for row in folder.rows:
        if measures := summarise(row).measures:
            return list(measures)
    return []


def draw_folder(folder: RunsFolder, view: FolderView, size: Size, style: TerminalStyle) -> Frame:
    """Draw a folder of runs as a frame."""
    style = TerminalStyle(style.encoding, size.width)
    room = size.height - 2
    if view.replicate < 0:
        panel = conditions_panel(folder, view, size.width, room, style)
        keys = [("↑↓", "condition"), ("←→", "measure"), ("Enter", "replicates"), ("q", "quit")]
    else:
        panel = replicates_panel(folder, view, size.width, room, style)
        keys = [("↑↓", "replicate"), ("←→", "measure"), ("Enter", "rounds"), ("Esc", "back")]
        keys.append(("q", "quit"))
    title = _title(folder, view, size.width, style)
    filled = [*panel[:room], *(Text() for _ in range(room - len(panel)))]
    last = _key_line(keys, style)
    if view.note:
        last = Text(" " + style.cut(view.note, size.width - 1), "bold yellow")
    return fit([title, *filled, last], size)


def _key_line(keys: Sequence[tuple[str, str]], style: TerminalStyle) -> Text:
    line, spelt = Text(" "), {} if style.blocks else {"↑↓": "up/down", "←→": "left/right"}
    for label, word in keys:
        line.append(spelt.get(label, label), "bold cyan").append(f" {word}  ", "dim")
    return line


def folder_as_text(folder: RunsFolder, encoding: str, width: int) -> Panel:
    """Return the whole table of conditions, and why any failed."""
    style = TerminalStyle(encoding, width)
    view = FolderView(row=-1)
    panel = conditions_panel(folder, view, style.width, len(folder.rows) + 3, style)
    troubles = [(row.name, summarise(row).trouble) for row in folder.rows]
    panel += [style.text(f"{name}: {trouble}", "red") for name, trouble in troubles if trouble]
    return [_title(folder, view, style.width, style), *map(strip_end, panel)]


def _title(folder: RunsFolder, view: FolderView, width: int, style: TerminalStyle) -> Text:
    glyphs = Glyphs(style)
    if view.replicate >= 0:
        words = f" {folder.name}{glyphs.dot}{folder.rows[view.row].name}"
    else:
        states = [summarise(row).status for row in folder.rows]
        counts = [f"{states.count(state)} {state}" for state in dict.fromkeys(states)]
        noun = "condition" if folder.factors else "run"
        noun += "" if len(folder.rows) == 1 else "s"
        words = f" {folder.name}{glyphs.dot}{len(folder.rows)} {noun}: {', '.join(counts)}"
    return Text(style.cut(words, width), "bold cyan")


def conditions_panel(
    folder: RunsFolder, view: FolderView, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw conditions as rows: factors, state, and measures; the chosen one with its intervals."""
    room = max(height - 3, 1)
    first = min(max(view.row - room // 2, 0), max(len(folder.rows) - room, 0))
    rows = folder.rows[first : first + room]
    summaries = [summarise(row) for row in rows]
    lead = _lead(folder, rows, style)
    states = _aligned(["state", *map(_state, summaries)])
    names = measures_of(folder)
    chosen = names[view.measure % len(names)] if names else ""
    estimates = [summary.measures.get(chosen) for summary in summaries]
    heading, numbers = _numbers(chosen, estimates, style)
    taken = cell_len(lead[0]) + cell_len(states[0]) + cell_len(heading) + 6
    others = _others(names, chosen, summaries, width - taken - _LEAST_PLOT - 1, style)
    plot = width - taken - sum(cell_len(column[0]) + 2 for column in others) - 1
    plot = plot if plot >= _LEAST_PLOT else 0
    pictures = _intervals(estimates, plot - 1, style) if plot else [Text()] * len(rows)
    glyphs = Glyphs(style)
    top = Text().append(f"  {lead[0]}  {states[0]}  ", "dim").append(heading, "bold")
    top.append(" " * (plot + 1) if plot else "")
    for column in others:
        top.append("  " + column[0], "dim")
    panel: Panel = [top]
    for place, summary in enumerate(summaries):
        here = first + place == view.row
        line = Text().append(f"{glyphs.chosen if here else ' '} ", "bold cyan")
        line.append(lead[1 + place] + "  ", "bold" if here else "")
        line.append(states[1 + place], _STATES.get(summary.status, ""))
        line.append("  " + numbers[place], "bold" if here else "")
        if plot:
            line.append("  ").append_text(pictures[place])
        for column in others:
            line.append("  " + column[1 + place])
        panel.append(line)
    foot = _foot(chosen, summaries[view.row - first] if view.row >= 0 else None, estimates)
    trouble = summarise(folder.rows[view.row]).trouble if view.row >= 0 else ""
    panel += [Text(), Text(style.cut(trouble or foot, width), "red" if trouble else "dim")]
    return panel


def _foot(chosen: str, summary: RunSummary | None, estimates: Sequence[Estimate | None]) -> str:
    """Say what the drawn measure is, and in how many replicates it has not come to an end."""
    unit = next((one.unit for one in estimates if one is not None), "")
    if not chosen:
        return ""
    so_far = ""
    if summary is not None and summary.status != "finished" and summary.replicates:
        over = sum(map(bool, summary.ends))
        so_far = f" so far, {over} of {count_noun(summary.replicates, 'run')} over"
    shown = "mean over replicates; intervals need the extra lab (make lab)"
    if knows_intervals():
        shown = "mean and interval of 95 % over replicates"
    words = f"{chosen.replace('_', ' ')}{so_far}: {unit}; {shown}"
    own = None if summary is None else summary.measures.get(chosen)
    if own is not None and own.censored:
        words += f"; not over in {own.censored} of {own.n} here"
    return words


def _lead(folder: RunsFolder, rows: Sequence[ConditionRow], style: TerminalStyle) -> list[str]:
    """Lay out the factors, or the name, of each row, below a heading."""
    if folder.factors:
        columns = [[name, *(row.factors.get(name, "") for row in rows)] for name in folder.factors]
    else:
        columns = [["run", *(row.name for row in rows)]]
    cut = [_aligned([style.cut(cell, _LONGEST_NAME) for cell in column]) for column in columns]
    return ["  ".join(row) for row in zip(*cut, strict=True)]


def _aligned(cells: Sequence[str], *, right: bool = False) -> list[str]:
    """Fill cells to the same width; right: so that they end below each other."""
    width = max(map(cell_len, cells))
    blanks = [" " * (width - cell_len(cell)) for cell in cells]
    return [blank + cell if right else cell + blank
            for cell, blank in zip(cells, blanks, strict=True)]  # fmt: skip


def _state(summary: RunSummary) -> str:
    if summary.status == "finished" or not summary.rounds:
        return summary.status
    return f"{summary.status} {summary.rounds}/{summary.most}"


def _numbers(
    name: str, estimates: Sequence[Estimate | None], style: TerminalStyle
) -> tuple[str, list[str]]:
    """Lay out means with half of their intervals, and the heading of the column."""
    means = np.array([_mean(one) for one in estimates])
    halves = np.array([np.nan if one is None else half_width(one) for one in estimates])
    decimals = decimals_for(means) or (1 if np.isfinite(halves).any() else 0)
    plus = "±" if style.blocks else "+-"
    cells = []
    for mean, half in zip(means, halves, strict=True):
        figure = style.figure(mean, decimals)
        cells.append(figure + (f" {plus}{style.figure(half, decimals)}" if half == half else ""))
    heading = style.cut(name.replace("_", " "), _LONGEST_MEASURE)
    first, *rest = _aligned([heading, *cells], right=True)
    return first, rest


def _mean(estimate: Estimate | None) -> float:
    return np.nan if estimate is None or estimate.mean is None else estimate.mean


def _others(
    names: Sequence[str],
    chosen: str,
    summaries: Sequence[RunSummary],
    room: int,
    style: TerminalStyle,
) -> list[list[str]]:
    """Lay out the means of further measures, as many as there is room for."""
    columns: list[list[str]] = []
    for name in [name for name in names if name != chosen]:
        means = np.array([_mean(summary.measures.get(name)) for summary in summaries])
        decimals = decimals_for(means)
        heading = style.cut(name.replace("_", " "), 12)
        cells = [heading, *(style.figure(mean, decimals) for mean in means)]
        column = _aligned(cells, right=True)
        room -= cell_len(column[0]) + 2
        if room < 0:
            break
        columns.append(column)
    return columns


def _intervals(
    estimates: Sequence[Estimate | None], cells: int, style: TerminalStyle
) -> list[Text]:
    """Draw each mean with its interval on a common scale."""
    means = np.array([_mean(one) for one in estimates])
    halves = np.array([0.0 if one is None else half_width(one) for one in estimates])
    halves = np.nan_to_num(halves)
    known = np.isfinite(means)
    if not known.any():
        return [Text(" " * cells) for _ in estimates]
    low, high = float((means - halves)[known].min()), float((means + halves)[known].max())
    span = high - low or 1.0
    line, dot = ("─", "●") if style.blocks else ("-", "*")

    def cell(value: float) -> int:
        return min(max(round((value - low) / span * (cells - 1)), 0), cells - 1)

    drawn = []
    for mean, half in zip(means.tolist(), halves.tolist(), strict=True):
        marks = [" "] * cells
        if np.isfinite(mean):
            first, last = cell(mean - half), cell(mean + half)
            marks[first : last + 1] = line * (last + 1 - first)
            marks[cell(mean)] = dot
        drawn.append(Text("".join(marks), "cyan"))
    return drawn


def replicates_panel(
    folder: RunsFolder, view: FolderView, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw the replicates of a condition: how long each lasted, how it ended, its measures."""
    summary = summarise(folder.rows[view.row])
    names, glyphs = list(summary.measures), Glyphs(style)
    if not summary.replicates:
        return list(flow_items([Text(summary.trouble or summary.status, "red")], width))
    chosen = names[view.measure % len(names)] if names else ""
    if chosen:
        names = [chosen, *(name for name in names if name != chosen)]
    room = max(height - 2, 1)
    first = min(max(view.replicate - room // 2, 0), max(summary.replicates - room, 0))
    shown = range(first, min(first + room, summary.replicates))
    columns = [
        ["replicate", *map(str, shown)],
        ["rounds", *(f"{summary.lasted[r]}" for r in shown)],
    ]
    for name in names:
        values = summary.values[name][first : first + room]
        decimals = decimals_for(values)
        heading = style.cut(name.replace("_", " "), 14)
        columns.append([heading, *(style.figure(value, decimals) for value in values)])
    ends = [style.words(summary.ends[replicate]) for replicate in shown]
    widths = [max(map(cell_len, column)) for column in columns]
    spare = width - 2 - (max(map(cell_len, ends), default=0) + 2)
    count = int((np.cumsum(np.array(widths) + 2) <= max(spare, widths[0] + 2)).sum())
    panel: Panel = []
    for place, row in enumerate(zip(*columns[:count], strict=True)):
        here = place > 0 and shown[place - 1] == view.replicate
        cells = [
            "  " + " " * (width - cell_len(cell)) + cell
            for cell, width in zip(row, widths, strict=False)
        ]
        line = Text().append(glyphs.chosen if here else " ", "bold cyan")
        line.append("".join(cells), "dim" if not place else "bold" if here else "")
        if place:
            line.append("  " + ends[place - 1], "dim")
        panel.append(line)
    return panel
