"""The time line: all rounds from the left to the right, with marks in lanes."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from rich.text import Text

from society.terminal.console import TerminalStyle

from .axis import TimeAxis
from .frame import Panel
from .glyphs import Glyphs
from .history import BORDER, ENDED, GONE, History
from .lanes import Lane, lane_look, lanes
from .view import View

_BETWEEN_BORDERS = 3  # cells, at least, between two borders


def timeline(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw the time line: one track with a legend, or with more room a row for each lane."""
    axis, glyphs = TimeAxis.of_frame(history, width), Glyphs(style)
    shown = {
        name: lane
        for name, lane in lanes(history, view.replicate).items()
        if view.lane in ("", name)
    }
    track = _track(history, view, axis, glyphs, shown)
    named = [lane for lane in shown.values() if lane.name != BORDER]
    if not named:
        return [track]
    if len(named) + 1 <= height:
        return [track, *(_row(history, style, axis, glyphs, lane) for lane in named)]
    legend = Text(" " * axis.labels)
    for lane in named:
        glyph, ink = lane_look(history, lane.name, glyphs)
        legend.append(glyph, ink).append(f" {style.cut(lane.name, 16)} ")
        legend.append(f"{int(lane.times.sum()):,}   ", "dim")
    return [track, legend]


def _track(
    history: History, view: View, axis: TimeAxis, glyphs: Glyphs, shown: dict[str, Lane]
) -> Text:
    cells = [(glyphs.line, "dim")] * axis.cells
    played = axis.end(history.last) if history.last < axis.rounds else axis.cells
    cells[played:] = [(" ", "")] * (axis.cells - played)
    # What is rare is drawn last, and so above what is common.
    common = sorted(shown.values(), key=lambda lane: -len(lane.marks))
    late = [name for name in (GONE, ENDED) if name in shown]
    borders = [BORDER] if _are_apart(shown.get(BORDER), axis) else []
    order = [*borders, *(lane.name for lane in common if lane.name not in (BORDER, *late)), *late]
    for name in order:
        if name in shown:
            lane = shown[name]
            for cell in np.flatnonzero(axis.sums(lane.rounds, lane.times)).tolist():
                cells[cell] = lane_look(history, name, glyphs)
    cells[axis.cell(view.round)] = (glyphs.here, "bold cyan")
    line = Text().append("time".ljust(axis.labels), "bold")
    for (glyph, ink), alike in groupby(cells):
        line.append(glyph * len(list(alike)), ink)
    return line.append(f" {axis.rounds:,}", "dim")


def _are_apart(borders: Lane | None, axis: TimeAxis) -> bool:
    """Check if there are few enough borders to tell rounds apart."""
    return borders is not None and len(borders.marks) * _BETWEEN_BORDERS <= axis.cells


def _row(
    history: History, style: TerminalStyle, axis: TimeAxis, glyphs: Glyphs, lane: Lane
) -> Text:
    glyph, ink = lane_look(history, lane.name, glyphs)
    bars = lane.times.max() > 1
    counts = axis.sums(lane.rounds, lane.times, wide=bars)
    if bars:
        drawn = style.sparkline(np.where(counts, counts, np.nan).tolist(), counts.max())
    else:
        drawn = "".join(glyph if count else " " for count in counts)
    line = axis.name(style, lane.name, ink).append(drawn, ink)
    return line.append(f" {int(lane.times.sum()):,}", "dim")
