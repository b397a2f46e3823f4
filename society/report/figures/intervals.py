"""Means of conditions as dots with their intervals, and all runs behind them as strokes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.analysis.statistics.bands import UNBOUNDED, Bounds, mean_band
from society.engine.rng import Array

from .alt_text import describe_extremes
from .read_out import name_series
from .scales import LINEAR, AxisScale
from .style import (
    PAPER,
    Figure,
    SeriesStyle,
    constant_range,
    render_panels,
    series_style,
    wrap_label,
)

_ROW, _TALL = (0.17, 0.3), 4.4  # inches: a dot, the lower the more of them, and all dots if few
_RAISED, _GROUND, _ROOM = 0.2, 0.42, 0.48  # of a dot's row: the dot, and below it, the strokes
_MARGIN = 0.03  # of an axis, beyond what is possible
_NAMES_BESIDE = 16  # characters of the longest row's name with which panels may stand side by side
_PLACES = 240  # strokes that stand side by side
_LEAST = 0.15  # of the tallest stroke: the lowest one


class Dot(NamedTuple):
    """The mean of a condition, its interval if there is one, and the values of its runs (R,)."""

    mean: float
    low: float | None
    high: float | None
    runs: Array

    @classmethod
    def of(cls, values: Array, scale: AxisScale = LINEAR, bounds: Bounds = UNBOUNDED) -> Dot | None:
        """Average runs, (R,), with an interval inside of bounds; None without any value.

        There is no interval of fewer than five runs, nor of values without spread.
        """
        known = values[~np.isnan(values)]
        if not len(known):
            return None
        band = mean_band(
            scale.transform(known)[:, None], UNBOUNDED if scale.logarithmic else bounds
        )
        mean, low, high = (float(scale.invert(float(each[0]))) for each in band[1:])
        if np.isnan(low) or not np.ptp(known):
            return cls(mean, None, None, known)
        return cls(mean, low, high, known)


class DotPanel(NamedTuple):
    """A dot for each row and series, None where no condition was played.

    styles: of the series, in order; those of a set without order if none are given.
    factor: what rows are levels of, if anything. letters: what stands at the right of each row.
    """

    title: str
    rows: Sequence[str]
    series: Mapping[str, Sequence[Dot | None]]
    letters: Sequence[str] = ()
    factor: str = ""
    styles: Sequence[SeriesStyle] = ()

    def describe(self) -> str:
        factor = f"{self.factor} = " if self.factor else ""
        return describe_extremes(
            {
                ", ".join(filter(None, [f"{factor}{row}", series])): dot.mean
                for series, cells in self.series.items()
                for row, dot in zip(self.rows, cells, strict=True)
                if dot
            }
        )


def dot_plot(
    name: str,
    title: str,
    caption: str,
    axis: str,
    panels: Sequence[DotPanel],
    scale: AxisScale = LINEAR,
    bounds: Bounds = UNBOUNDED,
) -> Figure:
    """Draw means with intervals, a row for each level of one factor, a series for each of another.

    axis: the quantity. bounds: the ends of a linear axis, where both are known.
    """
    beside = 2 if max(len(row) for panel in panels for row in panel.rows) <= _NAMES_BESIDE else 1
    across = min(len(panels), beside)
    tallest = max(len(panel.rows) * (len(panel.series) + 0.6) for panel in panels)
    row = float(np.clip(_TALL / (math.ceil(len(panels) / across) * tallest), *_ROW))
    every = [dot for panel in panels for row in panel.series.values() for dot in row if dot]
    rug = Rug.of(every, scale)
    return render_panels(
        name,
        title,
        f"{caption} {rug.words}",
        panels,
        lambda own, panel: _draw_panel(own[0], panel, rug),
        across=across,
        heights=[tallest * row],
        labels=panels[0].series,
        xlabel=axis,
        ylabels=[panels[0].factor],
        finish=lambda figure, grid: _scale_axis(grid[0][0], every, scale, bounds),
        sharex=True,
    )


def _scale_axis(axes: Any, every: Sequence[Dot], scale: AxisScale, bounds: Bounds) -> None:
    """Set whole ticks for values that are whole; show all that is possible, if that is known.

    Else there is room where all values are the same.
    """
    scale.apply(axes, "x")
    if not every or scale.logarithmic:
        return
    runs = np.concatenate([dot.runs[~np.isnan(dot.runs)] for dot in every])
    ends = [end for dot in every for end in (dot.low, dot.high) if end is not None]
    if (runs == np.round(runs)).all():
        axes.locator_params(axis="x", integer=True)
    least, most = bounds
    if least is not None and most is not None:
        room = _MARGIN * (most - least)
        axes.set_xlim(least - room, most + room)
    elif span := constant_range(np.concatenate([runs, ends])):
        axes.set_xlim(span)


class Rug(NamedTuple):
    """Strokes for runs: those within a step share a stroke, at most `most` of them."""

    step: float
    most: int
    scale: AxisScale

    @classmethod
    def of(cls, every: Sequence[Dot], scale: AxisScale) -> Rug:
        """Choose the step for all dots of a figure."""
        if not every:
            return cls(0, 1, scale)
        runs = [scale.transform(dot.runs) for dot in every]
        step = float(np.ptp([end(each) for end in (np.nanmin, np.nanmax) for each in runs]))
        step /= _PLACES
        return cls(step, max(int(bin_runs(each, step)[1].max()) for each in runs), scale)

    @property
    def words(self) -> str:
        if self.most == 1:
            return "Strokes: single runs."
        return f"Strokes: runs, taller where there are more of them ({self.most} in the tallest)."

    def strokes(self, runs: Array, height: float, tall: float) -> list[tuple[float, float]]:
        """Strokes on a ground at this height: one path, which is small in a file."""
        gap = (math.nan, math.nan)
        places, counts = bin_runs(self.scale.transform(runs), self.step)
        # The root, since many runs share the last round, and would leave no height for the others.
        tops = height - tall * np.maximum(np.sqrt(counts / self.most), _LEAST)
        return [
            end
            for place, top in zip(self.scale.invert(places).tolist(), tops.tolist(), strict=True)
            for end in ((place, height), (place, top), gap)
        ]


def bin_runs(runs: Array, step: float) -> tuple[Array, Array]:
    """Group the values of runs into places, (n,), and count the runs at each; NaN left out.

    Those within a step have one place, their mean, so that whole numbers stay where they are.
    """
    known = runs[~np.isnan(runs)]
    _, group = np.unique(np.floor(known / step) if step else known, return_inverse=True)
    counts = np.bincount(group)
    return np.bincount(group, known) / counts, counts


def _draw_panel(axes: Any, panel: DotPanel, rug: Rug) -> dict[str, Any]:
    rows, handles = np.arange(len(panel.rows)), {}
    apart = 1 / (len(panel.series) + 0.6)
    styles = panel.styles or [*map(series_style, range(len(panel.series)))]
    series = zip(panel.series.items(), styles, strict=True)
    for number, ((name, cells), style) in enumerate(series):
        shift = (number - (len(panel.series) - 1) / 2) * apart
        there = [(row + shift, dot) for row, dot in zip(rows, cells, strict=True) if dot]
        strokes = [
            end
            for height, dot in there
            for end in rug.strokes(dot.runs, height + _GROUND * apart, _ROOM * apart)
        ]
        there = [(height - _RAISED * apart, dot) for height, dot in there]
        handles[name] = _draw_series(axes, name, style, there, strokes)
    axes.set_yticks(rows, [wrap_label(row) for row in panel.rows])
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    beside = {"xycoords": ("axes fraction", "data"), "fontsize": 7, "fontweight": "bold"}
    for row, letters in zip(rows, panel.letters, strict=False):
        axes.annotate(letters, (1.01, row), va="center", **beside)
    return handles


def _draw_series(
    axes: Any,
    name: str,
    style: SeriesStyle,
    there: Sequence[tuple[float, Dot]],
    strokes: Sequence[tuple[float, float]],
) -> Any:
    """Draw the dots of a series at their heights, with intervals, above the strokes of runs."""
    colour, marker, _ = style
    axes.plot(*np.reshape(strokes, (-1, 2)).T, color=colour, linewidth=0.8)
    for height, dot in there:
        if dot.low is not None and dot.high is not None:
            axes.plot([dot.low, dot.high], [height, height], color=colour, linewidth=1.6)
    heights, means = [height for height, _ in there], [dot.mean for _, dot in there]
    dots = {"color": colour, "markeredgecolor": PAPER, "markeredgewidth": 0.5, "markersize": 5.5}
    (handle,) = axes.plot(means, heights, marker, **dots)
    low, high = (
        (
            np.array([np.nan if end is None else end for end in ends], float)
            for ends in zip(*((dot.low, dot.high) for _, dot in there), strict=True)
        )
        if there
        else (None, None)
    )
    name_series(handle, name or "mean", values=np.array(means), low=low, high=high)
    return handle
