"""Estimation plots: what each run gave, and beside it how much conditions differ.

Values of runs with the mean and interval of each level at the left, at the right the difference of
each level from the first one, with its interval and a line at no difference (Gardner and Altman
1986; Cumming 2012). Where runs are pairs, thin lines join them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .alt_text import describe_extremes, format_axis_number, prefix_title
from .intervals import Dot, Rug
from .read_out import name_quantity, name_series
from .scales import AxisScale
from .style import (
    FAINT,
    INK,
    PAPER,
    SAME,
    SMALL,
    WIDTH,
    Figure,
    SeriesStyle,
    letter_panel,
    render_figure,
    wrap_label,
)

_ROW = 0.32  # inches, a level
_HEAD, _FOOT = 0.3, 0.35  # inches, a panel's title, and an axis with its label
_RAISED, _GROUND, _TALL = 0.16, 0.4, 0.42  # of a row: the dot above its middle; foot, rug of runs
_NAME = 24  # characters
_TITLE, _NARROW_TITLE = 40, 28  # characters of a line

Limits = tuple[float, float]


class EstimatedDifference(NamedTuple):
    """How much a level differs from the first one; the interval if there is one."""

    value: float
    low: float | None
    high: float | None


class EstimationRow(NamedTuple):
    """A level: its runs with their mean, and its difference; None for the first one.

    letters: of a test of all pairs, "" if there is none.
    """

    name: str
    style: SeriesStyle
    dot: Dot | None
    difference: EstimatedDifference | None
    letters: str = ""


class EstimationPanel(NamedTuple):
    """Levels that are compared, from the top. pairs: values of joined runs, (R, rows)."""

    title: str
    rows: Sequence[EstimationRow]
    pairs: Array

    def describe(self) -> str:
        means = describe_extremes({row.name: row.dot.mean for row in self.rows if row.dot})
        said = [means]
        for row in self.rows:
            if row.difference is None:
                continue
            value, low, high = row.difference
            interval = (
                f" (95 % interval {format_axis_number(low)} to {format_axis_number(high)})"
                if low is not None and high is not None
                else ""
            )
            said.append(f"{row.name}: {format_axis_number(value)}{interval}.")
        return " ".join(said)


class EstimationAxes(NamedTuple):
    """Words and reach of both axes; values: limits of the left one, None for those of the data.

    neutral: no difference: 0, or 1 for a ratio.
    """

    value: str
    difference: str
    scale: AxisScale
    values: Limits | None
    neutral: float


def estimation_plot(
    name: str, title: str, caption: str, axes: EstimationAxes, panels: Sequence[EstimationPanel]
) -> Figure:
    """Draw values and differences of each panel; below each other where the figure is narrow."""
    rug = Rug.of([row.dot for panel in panels for row in panel.rows if row.dot], axes.scale)
    sizes = [len(panel.rows) * _ROW for panel in panels]

    def draw(figure: Any) -> None:
        wide = figure.get_figwidth() >= WIDTH
        ratios = [size for size in sizes for _ in range(1 if wide else 2)]
        shape = (len(panels), 2) if wide else (2 * len(panels), 1)
        columns = {"width_ratios": (3, 2)} if wide else {}
        grid = figure.subplots(*shape, squeeze=False, height_ratios=ratios, **columns)
        pairs = grid.reshape(-1, 2)
        for place, (panel, (left, right)) in enumerate(zip(panels, pairs, strict=True)):
            for one, first_one in zip((left, right), pairs[0], strict=True):
                if one is not first_one:  # before it is drawn, or its reach would not count
                    one.sharex(first_one)
            _draw_values(left, panel, rug, axes)
            _draw_differences(right, panel, axes, names=not wide)
            name_quantity(right, f"difference of {axes.value}", "x")
            room = _TITLE if wide else _NARROW_TITLE
            left.set_title(letter_panel(2 * place, wrap_label(panel.title, room)))
            first = f"against {panel.rows[0].name}"
            beside = wrap_label(first, _NARROW_TITLE)
            right.set_title(letter_panel(2 * place + 1, beside))
            if place == len(panels) - 1:
                if axes.neutral == 0 and _differ_by_rounding(panels):
                    right.set_xlim(-1, 1)
                left.set_xlabel(wrap_label(axes.value, 60 if wide else 44, 2))
                right.set_xlabel(wrap_label(axes.difference, 40 if wide else 44, 2))

    def height(width: float) -> float:
        deep = 1 if width >= WIDTH else 2
        return deep * (sum(sizes) + _HEAD * len(sizes)) + _FOOT

    alt = " ".join(prefix_title(panel.title, panel.describe()) for panel in panels)
    return render_figure(name, title, f"{caption} {rug.words}", alt, draw, height)


def _differ_by_rounding(panels: Sequence[EstimationPanel]) -> bool:
    """Tell whether all differences are errors of rounding, which an axis would magnify."""
    rows = [row for panel in panels for row in panel.rows]
    means = [abs(row.dot.mean) for row in rows if row.dot]
    ends = [end for row in rows for end in row.difference or () if end is not None]
    return bool(means) and all(abs(end) <= SAME * max(means) for end in ends)


def _draw_values(axes: Any, panel: EstimationPanel, rug: Rug, words: EstimationAxes) -> None:
    words.scale.apply(axes, "x")
    if words.values:
        axes.set_xlim(words.values)
    feet = np.arange(len(panel.rows)) + _GROUND
    for run in panel.pairs:
        axes.plot(run, feet - _TALL / 4, color=FAINT, linewidth=0.3, zorder=1)
    for place, row in enumerate(panel.rows):
        if row.dot is None:
            continue
        strokes = rug.strokes(row.dot.runs, place + _GROUND, _TALL)
        ends = np.reshape(strokes, (-1, 2)).T
        (runs,) = axes.plot(*ends, color=row.style.colour, linewidth=0.8)
        name_series(runs, row.name, silent=True)
        interval = row.dot.low, row.dot.high
        _draw_estimate(axes, row, place - _RAISED, row.dot.mean, interval)
        beside = {"xycoords": ("axes fraction", "data"), "fontsize": 7, "fontweight": "bold"}
        axes.annotate(row.letters, (1.01, place), va="center", **beside)
    _name_rows(axes, panel, names=True)


def _draw_differences(
    axes: Any, panel: EstimationPanel, words: EstimationAxes, *, names: bool
) -> None:
    words.scale.apply(axes, "x")
    axes.axvline(words.neutral, color=INK, linewidth=0.7)
    for place, row in enumerate(panel.rows):
        if row.difference is not None:
            value, *interval = row.difference
            _draw_estimate(axes, row, place, value, interval)
    _name_rows(axes, panel, names=names)


def _draw_estimate(
    axes: Any, row: EstimationRow, height: float, value: float, interval: Sequence[float | None]
) -> None:
    """Draw a dot, and its interval if it has one."""
    low, high = interval
    colour, marker, _ = row.style
    if low is not None and high is not None:
        axes.plot([low, high], [height, height], color=colour, linewidth=1.6)
    dot = {"color": colour, "markeredgecolor": PAPER, "markeredgewidth": 0.5, "markersize": 5.5}
    (point,) = axes.plot([value], [height], marker, **dot)
    ends = [None if end is None else np.array([end]) for end in (low, high)]
    name_series(point, row.name, values=np.array([value]), low=ends[0], high=ends[1])


def _name_rows(axes: Any, panel: EstimationPanel, *, names: bool) -> None:
    texts = [wrap_label(row.name, _NAME) if names else "" for row in panel.rows]
    axes.set_yticks(range(len(panel.rows)), texts)
    axes.set_ylim(len(panel.rows) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0, labelsize=SMALL)
    axes.grid(axis="y", visible=False)
