"""Figures of two numbers at once: heat maps over two parameters, and the space of norms.

They take plain numbers, and know neither runs nor statistics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.draws import Array
from society.optional import require
from society.report.figures.alt_text import extremes, figure, paneled
from society.report.figures.style import (
    FAINT,
    PAPER,
    Picture,
    label,
    legend,
    legend_height,
    look,
    panelled,
    picture,
    same,
    thinned,
    wrapped,
)

_SIGNS_AN_INCH = 12  # of an axis' label
_ON_CELLS = ("#fdfdfd", "#111111")  # figures on dark and on light cells
_LONGEST_ROW = 42  # signs of a row's name in the width of a figure
_PRINTED = 160  # cells at most that have room for their figures
_TICKS = 16
_BESIDE = {"textcoords": "offset points", "fontsize": 8}


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
    height = lines * tall + 0.5
    every = np.concatenate([panel.values.ravel() for panel in panels])
    span = same(every) or (np.nanmin(every), np.nanmax(every))

    def draw(figure: Any) -> None:
        places = panelled(figure, len(panels), across, sharex=True, sharey=True)
        scale = require("matplotlib.colors").Normalize(*span)
        for (axes,), panel in zip(places, panels, strict=True):
            mesh = _heated(axes, panel, scale, across)
        figure.supylabel(wrapped(axes_named[0], int(height * _SIGNS_AN_INCH)), fontsize=9)
        figure.supxlabel(wrapped(axes_named[1], 60), fontsize=9)
        bar = figure.colorbar(mesh, ax=figure.axes, shrink=0.9, aspect=30, pad=0.02)
        bar.set_label(wrapped(unit, int(height * _SIGNS_AN_INCH), 4))
        bar.outline.set_visible(False)

    seen = paneled([(panel.title, extremes(_cells(panel, axes_named))) for panel in panels])
    return picture(name, title, words, seen, draw, height)


def _cells(panel: Heat, axes_named: tuple[str, str]) -> dict[str, float]:
    return {
        f"{axes_named[0]} = {row}, {axes_named[1]} = {column}": float(value)
        for row, values in zip(panel.rows, panel.values, strict=True)
        for column, value in zip(panel.columns, values, strict=True)
    }


def _heated(axes: Any, panel: Heat, scale: Any, across: int) -> Any:
    mesh = axes.pcolormesh(np.ma.masked_invalid(panel.values), cmap="viridis", norm=scale)
    axes.set_title(wrapped(panel.title, 60 // across))
    axes.grid(visible=False)
    longest = _LONGEST_ROW // across
    for side, names, most in ((axes.xaxis, panel.columns, 14), (axes.yaxis, panel.rows, longest)):
        places = thinned(range(len(names)), _TICKS)
        side.set_ticks([place + 0.5 for place in places], [label(names[at], most) for at in places])
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

    names = [wrapped(group) for group in groups]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        low = min(float(np.nanmin(group.similarity)) for group in groups.values())
        along = np.linspace(max(low - 0.05, -1), 1, 200)
        for number, count in enumerate(agents):
            inside = along[along >= -1 / max(count - 1, 1)]
            curve = np.sqrt((1 + (count - 1) * inside) / count)
            axes.plot(inside, curve, color=FAINT, linewidth=1, zorder=1)
            at = len(inside) * 3 // 4 - number * len(inside) // 8
            axes.annotate(f"N = {count}", (inside[at], curve[at]), (4, -9), **_BESIDE)
        handles = [_cluster(axes, number, group) for number, group in enumerate(groups.values())]
        axes.set_xlabel("norm_similarity: mean cosine over pairs of agents")
        axes.set_ylabel("norm_alignment: mean cosine with their mean")
        legend(figure, handles, names)

    seen = " ".join(_placed(group, norms) for group, norms in groups.items())
    return picture(name, title, words, seen, draw, 3.8 + legend_height(names))


def _placed(name: str, group: Norms) -> str:
    means = [figure(float(np.nanmean(values))) for values in group]
    return f"{name}: mean similarity {means[0]}, mean alignment {means[1]}."


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
