"""The time line: all rounds from the left to the right, with marks in lanes."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from rich.text import Text

from society.terminal.console import TerminalStyle

from .axis import TimeAxis
from .frame import Panel
from .glyphs import Glyphs
from .history import BORDER, BORN, ENDED, GONE, History, Mark
from .view import View

LABELS = 10  # cells of the names at the left of rows over time


def axis_of(history: History, width: int) -> TimeAxis:
    """Return the time axis of a run in a frame of this width: what was played, and planned."""
    rounds = max(history.last, history.manifest.most)
    return TimeAxis.of(rounds, width - LABELS - len(f" {rounds}") - 1)


def timeline(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw the time line: one track with a legend, or with more room a row for each lane."""
    axis, glyphs = axis_of(history, width), Glyphs(style)
    lanes: dict[str, list[Mark]] = defaultdict(list)
    for mark in view.marks(history):
        lanes[mark.lane].append(mark)
    look = {lane: lane_look(history, lane, glyphs) for lane in lanes}
    track = _track(history, view, axis, glyphs, lanes, look)
    shown = [lane for lane in lanes if lane != BORDER]
    if not shown:
        return [track]
    if len(shown) + 1 <= height:
        return [track, *(_lane(style, axis, lane, lanes[lane], *look[lane]) for lane in shown)]
    legend = Text(" " * LABELS)
    for lane in shown:
        glyph, ink = look[lane]
        legend.append(glyph, ink).append(f" {style.cut(lane, 16)} ", "dim")
        legend.append(f"{sum(mark.times for mark in lanes[lane]):,}   ", "dim")
    return [track, legend]


def lane_look(history: History, lane: str, glyphs: Glyphs) -> tuple[str, str]:
    """Return the glyph and the colour of a lane."""
    usual = {GONE: (glyphs.gone, "red"), BORN: (glyphs.born, "green")}
    usual |= {ENDED: (glyphs.ended, "bold red"), BORDER: (glyphs.border, "dim")}
    if lane in usual:
        return usual[lane]
    if lane in history.manifest.stage.notes:
        return glyphs.note, "magenta"
    return glyphs.deed, "yellow"


def _track(
    history: History,
    view: View,
    axis: TimeAxis,
    glyphs: Glyphs,
    lanes: dict[str, list[Mark]],
    look: dict[str, tuple[str, str]],
) -> Text:
    cells = [(glyphs.line, "dim")] * axis.cells
    played = axis.cell(history.last) + max(axis.cells // axis.rounds, 1)
    cells[played:] = [(" ", "")] * (axis.cells - played)
    # What is rare is drawn last, and so above what is common.
    rare = [BORDER, *sorted((lane for lane in lanes), key=lambda lane: -len(lanes[lane]))]
    late = [lane for lane in (GONE, ENDED) if lane in lanes]
    for lane in [*(one for one in rare if one not in late), *late]:
        for mark in lanes.get(lane, ()):
            cells[axis.cell(mark.round)] = look[lane]
    cells[axis.cell(view.round)] = (glyphs.here, "bold cyan")
    line = Text("time".ljust(LABELS), "bold")
    for glyph, ink in cells:
        line.append(glyph, ink)
    return line.append(f" {axis.rounds:,}", "dim")


def _lane(
    style: TerminalStyle, axis: TimeAxis, lane: str, marks: list[Mark], glyph: str, ink: str
) -> Text:
    line = Text(style.cut(lane, LABELS - 1).ljust(LABELS), ink)
    counts = np.zeros(axis.cells)
    for mark in marks:
        counts[axis.cell(mark.round)] += mark.times
    if counts.max() > 1:
        bars = style.sparkline(counts.tolist(), counts.max())
        drawn = "".join(bar if count else " " for bar, count in zip(bars, counts, strict=True))
    else:
        drawn = "".join(glyph if count else " " for count in counts)
    return line.append(drawn, ink).append(f" {int(counts.sum()):,}", "dim")
