"""Means of conditions as dots with their intervals, and all runs behind them as strokes.

They take plain numbers, and know neither runs nor statistics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.draws import Array
from society.report.figures.alt_text import extremes, paneled
from society.report.figures.scales import LINEAR, Scale
from society.report.figures.style import (
    PAPER,
    Picture,
    legend,
    legend_height,
    look,
    panelled,
    picture,
    same,
    wrapped,
)

_ROWS, _TALL = (0.2, 0.34), 5.0  # inches: a dot, the lower the more of them, and all dots if few
_HEAD = 0.65  # inches, what stands below all dots
_RAISED, _GROUND, _ROOM = 0.2, 0.42, 0.48  # of a dot's row: the dot, and below it, the strokes
_NAMES_BESIDE = 16  # signs of the longest row's name with which panels may stand side by side
_AXIS = 72  # signs of a label in the width of a figure
_TITLE = 60  # signs of a title there
_PLACES = 240  # strokes that stand side by side
_LEAST = 0.15  # of the tallest stroke: the lowest one


class Dot(NamedTuple):
    """The mean of a condition, its interval if there is one, and the values of its runs (R,)."""

    mean: float
    low: float | None
    high: float | None
    runs: Array


class Dots(NamedTuple):
    """One panel: a dot for each row and series, None where no condition was played.

    factor: what rows are levels of, if anything. letters: what stands at the right of each row.
    """

    title: str
    rows: Sequence[str]
    series: Mapping[str, Sequence[Dot | None]]
    letters: Sequence[str] = ()
    factor: str = ""


def dots(
    name: str,
    title: str,
    words: str,
    axis: str,
    panels: Sequence[Dots],
    scale: Scale = LINEAR,
) -> Picture:
    """Means with intervals, a row for each level of one factor, a series for each of another."""
    beside = 2 if max(len(row) for panel in panels for row in panel.rows) <= _NAMES_BESIDE else 1
    columns = min(len(panels), beside)
    lines = math.ceil(len(panels) / columns)
    tallest = max(len(panel.rows) * (len(panel.series) + 0.6) for panel in panels)
    series = [wrapped(name) for name in panels[0].series]
    row = float(np.clip(_TALL / (lines * tallest), *_ROWS))
    every = [dot for panel in panels for row in panel.series.values() for dot in row if dot]
    piles = _Piles.of(every, scale)

    def draw(figure: Any) -> None:
        places = panelled(figure, len(panels), columns, sharex=True)
        for (axes,), panel in zip(places, panels, strict=True):
            handles = _dotted(axes, panel, piles)
        for (axes,), panel in list(zip(places, panels, strict=True))[::columns]:
            axes.set_ylabel(wrapped(panel.factor, 24))
        for (axes,) in places[-columns:]:
            axes.set_xlabel(wrapped(axis, _AXIS // columns, 3))
        _scaled(places[0][0], every, scale)
        legend(figure, handles, series)

    tall = lines * (0.35 + tallest * row) + _HEAD + legend_height(series)
    seen = paneled([(panel.title, extremes(_means(panel))) for panel in panels])
    return picture(name, title, f"{words} {piles.words}", seen, draw, tall)


def _means(panel: Dots) -> dict[str, float]:
    factor = f"{panel.factor} = " if panel.factor else ""
    return {
        ", ".join(filter(None, [f"{factor}{row}", series])): dot.mean
        for series, cells in panel.series.items()
        for row, dot in zip(panel.rows, cells, strict=True)
        if dot
    }


def _scaled(axes: Any, every: Sequence[Dot], scale: Scale) -> None:
    """Whole ticks for values that are whole; room where all are the same."""
    scale.lay(axes, "x")
    if not every or scale.logarithmic:
        return
    runs = np.concatenate([dot.runs[~np.isnan(dot.runs)] for dot in every])
    ends = [end for dot in every for end in (dot.low, dot.high) if end is not None]
    if (runs == np.round(runs)).all():
        axes.locator_params(axis="x", integer=True)
    if span := same(np.concatenate([runs, ends])):
        axes.set_xlim(span)


class _Piles(NamedTuple):
    """How runs lie on each other: those within a step share a stroke, at most `most` of them."""

    step: float
    most: int
    scale: Scale

    @classmethod
    def of(cls, every: Sequence[Dot], scale: Scale) -> _Piles:
        """For all dots of a figure."""
        if not every:
            return cls(0, 1, scale)
        runs = [scale.on(dot.runs) for dot in every]
        step = float(np.ptp([end(each) for end in (np.nanmin, np.nanmax) for each in runs]))
        step /= _PLACES
        return cls(step, max(int(pile(each, step)[1].max()) for each in runs), scale)

    @property
    def words(self) -> str:
        """What strokes are."""
        if self.most == 1:
            return "Strokes: single runs."
        return f"Strokes: runs, taller where more of them lie ({self.most} in the tallest)."

    def strokes(self, runs: Array, height: float, tall: float) -> list[tuple[float, float]]:
        """Strokes on a ground at this height: one path, which is small in a file."""
        gap = (math.nan, math.nan)
        places, counts = pile(self.scale.on(runs), self.step)
        # The root, since many runs share the last round, and would leave no height for the others.
        tops = height - tall * np.maximum(np.sqrt(counts / self.most), _LEAST)
        return [
            end
            for place, top in zip(self.scale.off(places).tolist(), tops.tolist(), strict=True)
            for end in ((place, height), (place, top), gap)
        ]


def pile(runs: Array, step: float) -> tuple[Array, Array]:
    """The places of runs, (n,), and how many lie there; NaN left out.

    Those within a step have one place, their mean, so that whole numbers stay where they are.
    """
    known = runs[~np.isnan(runs)]
    _, group = np.unique(np.floor(known / step) if step else known, return_inverse=True)
    counts = np.bincount(group)
    return np.bincount(group, known) / counts, counts


def _dotted(axes: Any, panel: Dots, piles: _Piles) -> list[Any]:
    """Draw one panel; the handles of its series."""
    rows, handles = np.arange(len(panel.rows)), []
    apart = 1 / (len(panel.series) + 0.6)
    for number, cells in enumerate(panel.series.values()):
        shift = (number - (len(panel.series) - 1) / 2) * apart
        there = [(row + shift, dot) for row, dot in zip(rows, cells, strict=True) if dot]
        strokes = [
            end
            for height, dot in there
            for end in piles.strokes(dot.runs, height + _GROUND * apart, _ROOM * apart)
        ]
        there = [(height - _RAISED * apart, dot) for height, dot in there]
        handles.append(_series(axes, number, there, strokes))
    axes.set_yticks(rows, [wrapped(row) for row in panel.rows])
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_title(wrapped(panel.title, _TITLE))
    for row, letters in zip(rows, panel.letters, strict=False):
        axes.annotate(
            letters,
            (1.01, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=8.5,
            fontweight="bold",
        )
    return handles


def _series(
    axes: Any,
    number: int,
    there: Sequence[tuple[float, Dot]],
    strokes: Sequence[tuple[float, float]],
) -> Any:
    """Draw the dots of a series at their heights, with intervals, above the strokes of runs."""
    own = look(number)
    axes.plot(*np.reshape(strokes, (-1, 2)).T, color=own.colour, alpha=0.6, linewidth=1.1)
    for height, dot in there:
        if dot.low is not None and dot.high is not None:
            axes.plot([dot.low, dot.high], [height, height], color=own.colour, linewidth=2)
    heights, means = [height for height, _ in there], [dot.mean for _, dot in there]
    (handle,) = axes.plot(
        means, heights, own.marker, color=own.colour, markeredgecolor=PAPER, markersize=7
    )
    return handle
