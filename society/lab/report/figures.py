"""Figures that compare conditions: dots with intervals, heat maps, the space of norms.

They take plain numbers, and know neither runs nor statistics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.draws import Array
from society.lab.extra import needed

from .drawing import FAINT, PAPER, Picture, label, legend, look, panelled, picture, thinned

_ROW, _HEAD = 0.19, 0.95  # inches: a dot, and what stands above and below all dots
_ON_CELLS = ("#fdfdfd", "#111111")  # figures on dark and on light cells
_PRINTED = 160  # cells at most that have room for their figures
_TICKS = 16
_BESIDE = {"textcoords": "offset points", "fontsize": 8}
_NAMES_BESIDE = 16  # signs of the longest row's name with which panels may stand side by side


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


def dots(name: str, title: str, words: str, axis: str, panels: Sequence[Dots]) -> Picture:
    """Means with intervals, a row for each level of one factor, a series for each of another."""
    beside = 2 if max(len(row) for panel in panels for row in panel.rows) <= _NAMES_BESIDE else 1
    columns = min(len(panels), beside)
    lines = math.ceil(len(panels) / columns)
    tallest = max(len(panel.rows) * (len(panel.series) + 0.6) for panel in panels)

    def draw(figure: Any) -> None:
        places = panelled(figure, len(panels), columns, sharex=True)
        for (axes,), panel in zip(places, panels, strict=True):
            handles = _dotted(axes, panel)
        for (axes,), panel in list(zip(places, panels, strict=True))[::columns]:
            axes.set_ylabel(label(panel.factor))
        for (axes,) in places[-columns:]:
            axes.set_xlabel(label(axis, 70))
        legend(figure, handles, [label(series) for series in panels[0].series])

    return picture(name, title, words, draw, lines * (0.35 + tallest * _ROW) + _HEAD)


def _dotted(axes: Any, panel: Dots) -> list[Any]:
    """Draw one panel; the handles of its series."""
    rows, handles = np.arange(len(panel.rows)), []
    apart = 1 / (len(panel.series) + 0.6)
    for number, cells in enumerate(panel.series.values()):
        shift = (number - (len(panel.series) - 1) / 2) * apart
        there = [(row + shift, dot) for row, dot in zip(rows, cells, strict=True) if dot]
        handles.append(_series(axes, number, there, apart * 0.3))
    axes.set_yticks(rows, [label(row) for row in panel.rows])
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_title(label(panel.title, 60))
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


def _series(axes: Any, number: int, there: Sequence[tuple[float, Dot]], tall: float) -> Any:
    """Draw the dots of a series at their heights, with intervals and a faint line for each run."""
    own = look(number)
    runs = [run for height, dot in there for run in _strokes(dot.runs, height, tall)]
    axes.plot(*np.reshape(runs, (-1, 2)).T, color=own.colour, alpha=0.45, linewidth=0.7)
    for height, dot in there:
        if dot.low is not None and dot.high is not None:
            axes.plot([dot.low, dot.high], [height, height], color=own.colour, linewidth=2)
    heights, means = [height for height, _ in there], [dot.mean for _, dot in there]
    (handle,) = axes.plot(
        means, heights, own.marker, color=own.colour, markeredgecolor=PAPER, markersize=7
    )
    return handle


def _strokes(runs: Array, height: float, tall: float) -> list[tuple[float, float]]:
    """A short upright stroke for each value: one path, which is small in a file."""
    gap = (math.nan, math.nan)
    values = np.unique(runs[~np.isnan(runs)]).tolist()
    return [end for run in values for end in ((run, height - tall), (run, height + tall), gap)]


class Heat(NamedTuple):
    """One panel: values (rows, columns), NaN where there is none."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Array


def heat_maps(
    name: str,
    title: str,
    words: str,
    axes_named: tuple[str, str],
    unit: str,
    panels: Sequence[Heat],
) -> Picture:
    """A value over two parameters, on one scale of colours; axes_named: rows, columns."""
    across = min(len(panels), 3 if max(len(panel.columns) for panel in panels) <= 6 else 2)
    if any(len(panel.columns) > 10 for panel in panels):
        across = 1
    lines = math.ceil(len(panels) / across)
    tall = max(0.24 * max(len(panel.rows) for panel in panels) + 0.7, 1.6)
    every = np.concatenate([panel.values.ravel() for panel in panels])

    def draw(figure: Any) -> None:
        places = panelled(figure, len(panels), across, sharex=True, sharey=True)
        scale = needed("matplotlib.colors").Normalize(np.nanmin(every), np.nanmax(every))
        for (axes,), panel in zip(places, panels, strict=True):
            mesh = _heated(axes, panel, scale)
        figure.supylabel(label(axes_named[0]), fontsize=9)
        figure.supxlabel(label(axes_named[1]), fontsize=9)
        bar = figure.colorbar(mesh, ax=figure.axes, shrink=0.9, aspect=30, pad=0.02)
        bar.set_label(label(unit, 60))
        bar.outline.set_visible(False)

    return picture(name, title, words, draw, lines * tall + 0.5)


def _heated(axes: Any, panel: Heat, scale: Any) -> Any:
    mesh = axes.pcolormesh(np.ma.masked_invalid(panel.values), cmap="viridis", norm=scale)
    axes.set_title(label(panel.title, 60))
    axes.grid(visible=False)
    for side, names in ((axes.xaxis, panel.columns), (axes.yaxis, panel.rows)):
        places = thinned(range(len(names)), _TICKS)
        side.set_ticks([place + 0.5 for place in places], [label(names[at], 14) for at in places])
        side.set_tick_params(length=0)
    if panel.values.size <= _PRINTED:
        _figures_on(axes, panel.values, scale)
    return mesh


def _figures_on(axes: Any, values: Array, scale: Any) -> None:
    """Print each value on its cell, in black or white, whichever is read better there."""
    largest = np.nanmax(np.abs(values))
    decimals = 0 if largest >= 10 else 1 if largest >= 1 else 2
    for (row, column), value in np.ndenumerate(values):
        if math.isnan(value):
            continue
        axes.text(
            column + 0.5,
            row + 0.5,
            f"{value:.{decimals}f}",
            ha="center",
            va="center",
            fontsize=7,
            color=_ON_CELLS[bool(scale(value) > 0.6)],
        )


class Norms(NamedTuple):
    """The norms of a condition: similarity and alignment of each run, (R,) each."""

    similarity: Array
    alignment: Array


def norm_space(
    name: str, title: str, words: str, agents: Sequence[int], groups: Mapping[str, Norms]
) -> Picture:
    """Alignment against similarity: runs, the mean of each condition, and the curve they lie on.

    alignment = sqrt((1 + (N - 1) similarity) / N) for N agents; a curve for each of `agents`.
    """

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        low = min(float(np.nanmin(group.similarity)) for group in groups.values())
        along = np.linspace(max(low - 0.05, -1), 1, 200)
        for count in agents:
            inside = along[along >= -1 / max(count - 1, 1)]
            curve = np.sqrt((1 + (count - 1) * inside) / count)
            axes.plot(inside, curve, color=FAINT, linewidth=1, zorder=1)
            axes.annotate(f"N = {count}", (inside[-60], curve[-60]), (4, -9), **_BESIDE)
        handles = [_cluster(axes, number, group) for number, group in enumerate(groups.values())]
        axes.set_xlabel("norm_similarity: mean cosine over pairs of agents")
        axes.set_ylabel("norm_alignment: mean cosine with their mean")
        legend(figure, handles, [label(group) for group in groups])

    return picture(name, title, words, draw, 3.6 + 0.15 * len(groups))


def _cluster(axes: Any, number: int, group: Norms) -> Any:
    own = look(number)
    axes.plot(
        group.similarity,
        group.alignment,
        own.marker,
        color=own.colour,
        alpha=0.3,
        markersize=3.5,
        markeredgewidth=0,
    )
    middle = np.nanmean(group.similarity), np.nanmean(group.alignment)
    (handle,) = axes.plot(
        *np.reshape(middle, (2, 1)),
        own.marker,
        color=own.colour,
        markeredgecolor=PAPER,
        markersize=8.5,
    )
    return handle
