"""The common stock as a gauge with its history; without one, the measures of the run."""

from __future__ import annotations

import numpy as np
from rich.text import Text

from society.engine.fact_specs import UNSPECIFIED
from society.engine.rng import Array
from society.engine.scenario import COURSELESS
from society.terminal.console import TerminalStyle
from society.terminal.round_view import full_scale

from .frame import Panel
from .glyphs import Glyphs
from .history import History
from .timeline import LABELS, axis_of
from .view import View

_LONGEST_GAUGE = 40


def gauge(history: History, view: View, width: int, height: int, style: TerminalStyle) -> Panel:
    """Draw the stock and its history; then, while there is room, measures by round."""
    panel: Panel = []
    stage = history.manifest.stage
    named = stage.gauge[0] if stage.gauge else ""
    if stage.gauge and height > 0:
        panel += _stock(history, view, width, style, named)
    common = history.course(view.replicate).common
    for measure in history.manifest.measures:
        values = common.get(measure.name)
        if len(panel) >= height:
            break
        if (
            measure.name == named
            or measure.fold in COURSELESS
            or values is None
            or not np.isfinite(values).any()
        ):
            continue
        panel.append(_measure(history, view, style, measure.name, values))
    return panel[:height]


def _stock(history: History, view: View, width: int, style: TerminalStyle, name: str) -> Panel:
    values = history.course(view.replicate).common[name]
    full, glyphs = full_scale(history.manifest), Glyphs(style)
    known = values[: view.round + 1][np.isfinite(values[: view.round + 1])]
    level = float(known[-1]) if len(known) else float("nan")
    spec = history.manifest.specs.get(name, UNSPECIFIED)
    scale = full if np.isfinite(full) else float(np.nanmax(values, initial=0.0))
    line = Text(style.cut(name, LABELS - 1).ljust(LABELS), "bold")
    reading = f"{style.figure(level)} of {style.quantity(scale, spec)}"
    room = min(width - LABELS - len(reading) - 16, _LONGEST_GAUGE)
    share = level / scale if scale > 0 else float("nan")
    if room >= 8:
        line.append(style.gauge(share, room), health(share)).append("  ")
    line.append(style.words(reading), "bold")
    if len(known) > 1:
        change = float(known[-1] - known[-2])
        glyph = glyphs.more if change >= 0 else glyphs.less
        line.append(f"  {glyph} {style.figure(abs(change))}", "dim")
    axis = axis_of(history, width)
    course = Text(" " * LABELS).append_text(axis.bars(style, values, scale, view.round, "green"))
    return [line, course]


def _measure(history: History, view: View, style: TerminalStyle, name: str, values: Array) -> Text:
    axis = axis_of(history, style.width)
    known = values[np.isfinite(values)]
    line = Text(style.cut(name.replace("_", " "), LABELS - 1).ljust(LABELS), "dim")
    top = float(known.max())
    line.append_text(axis.bars(style, values, top if top > 0 else 1.0, view.round, "blue"))
    told = values[: view.round + 1][np.isfinite(values[: view.round + 1])]
    return line.append(f" {style.figure(told[-1] if len(told) else None)}", "dim")


def health(share: float) -> str:
    """Return the colour of a stock by its share of the full scale."""
    return "green" if share > 0.5 else "yellow" if share > 0.2 else "red"
