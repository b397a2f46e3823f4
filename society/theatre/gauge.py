"""The common stock as a gauge with its history, and measures by round."""

from __future__ import annotations

import numpy as np
from rich.text import Text

from society.engine.fact_specs import UNSPECIFIED
from society.engine.rng import Array
from society.engine.scenario import COURSELESS
from society.terminal.console import TerminalStyle, decimals_for
from society.terminal.round_view import full_scale, last_common_fact

from .axis import TimeAxis
from .frame import Panel
from .glyphs import Glyphs
from .history import History
from .view import View

_LONGEST_GAUGE = 40


def gauge(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw the stock and its history; nothing where a scenario has no stock."""
    stage = history.manifest.stage
    values = history.course(view.replicate).common.get(stage.gauge[0] if stage.gauge else "")
    if stage.gauge is None or values is None or not np.isfinite(values).any():
        return []
    name, full, glyphs = stage.gauge[0], full_scale(history.manifest), Glyphs(style)
    scale = full if np.isfinite(full) else float(np.nanmax(values))
    axis = TimeAxis.of_frame(history, width)
    spec = history.manifest.specs.get(name, UNSPECIFIED)
    decimals = 1 if scale >= 10 else 2 if scale >= 1 else 3
    level, change = _latest(values, view.round)
    line = axis.name(style, name, "bold")
    reading = style.words(f"{style.figure(level, decimals)} of {style.quantity(scale, spec)}")
    room = min(width - axis.labels - len(reading) - 16, _LONGEST_GAUGE)
    if room >= 8:
        share = level / scale if scale > 0 else float("nan")
        line.append_text(_bar(history, view, style, share, scale, room)).append("  ")
    line.append(reading, "bold")
    if np.isfinite(change):
        arrow = glyphs.more if change >= 0 else glyphs.less
        line.append(f"  {arrow} {style.figure(abs(change), decimals)}", "dim")
    for words, mark in references(history, view).items():
        said = f"  {glyphs.reference} {words} {style.figure(mark, min(decimals, 1))}"
        if line.cell_len + len(said) <= width:
            line.append(style.words(said), "dim")
    course = Text(" " * axis.labels)
    course.append_text(axis.bars(style, values, scale, view.round, "green"))
    return [line, course][:height]


def _bar(
    history: History, view: View, style: TerminalStyle, share: float, scale: float, cells: int
) -> Text:
    """Draw the stock as a bar, with a mark at each level of reference."""
    bar = style.gauge(share, cells)
    for level in references(history, view).values():
        place = int(level / scale * cells) if 0 <= level <= scale else -1
        if 0 <= place < cells:
            bar = bar[:place] + Glyphs(style).reference + bar[place + 1 :]
    return Text(bar, health(share))


def references(history: History, view: View) -> dict[str, float]:
    """Return the levels of reference of this round by their words."""
    levels = {}
    for words, level in history.manifest.stage.reference.items():
        if isinstance(level, str):
            told = last_common_fact(history.page(view.round), level)
            level = float("nan") if told is None else float(told[view.replicate, 0])
        if isinstance(level, int | float) and np.isfinite(level):
            levels[words] = float(level)
    return levels


def measures(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw measures by round with their value now: those that change first."""
    course, stage = history.course(view.replicate), history.manifest.stage
    courses = course.measures
    named = stage.gauge[0] if stage.gauge and stage.gauge[0] in course.common else ""
    axis, rows = TimeAxis.of_frame(history, width), list[tuple[bool, Text]]()
    for measure in history.manifest.measures:
        values = courses.get(measure.name)
        if measure.name == named or measure.fold in COURSELESS or values is None:
            continue
        known = values[np.isfinite(values)]
        if len(known):
            level, _ = _latest(values, view.round)
            line = axis.name(style, measure.name)
            top = float(known.max()) if known.max() > 0 else 1.0
            line.append_text(axis.bars(style, values, top, view.round, "blue"))
            line.append(f" {style.figure(level, min(decimals_for(known), 3))}", "dim")
            rows.append((bool(known.min() == known.max()), line))
    return [line for _, line in sorted(rows, key=lambda row: row[0])][:height]


def _latest(values: Array, number: int) -> tuple[float, float]:
    """Return the value that was told last, and how it has changed; NaN where there is none."""
    known = values[: number + 1]
    known = known[np.isfinite(known)]
    level = float(known[-1]) if len(known) else float("nan")
    return level, float(known[-1] - known[-2]) if len(known) > 1 else float("nan")


def health(share: float) -> str:
    """Return the colour of a stock by its share of the full scale."""
    return "green" if share > 0.5 else "yellow" if share > 0.2 else "red"
