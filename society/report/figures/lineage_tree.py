"""The figure of lives: what each agent did in every generation, and who descends from whom.

Time goes from left to right. A cell is an agent in a generation, in the colour of what it did;
children stand below their parents, so that no line crosses another, and a row of cells is at once a
row of the lineage. Thick lines lead to survivors, thin ones with a ring at their end to newborns.
Below, on the same axis, stands the selection in each generation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array
from society.lineage import Life, Lineage
from society.optional import require

from .alt_text import describe_curves
from .read_out import name_series
from .style import (
    INK,
    NARROW,
    PAPER,
    SERIES,
    SMALL,
    Figure,
    add_colour_bar,
    constant_range,
    render_figure,
    thin_ticks,
    wrap_label,
)

_ROW, _LEAST, _TALLEST = 0.15, 1.2, 6.0  # inches: a life, all of them
_STRIP, _FOOT = 0.5, 0.55  # inches: the bars below, and what stands around both
_NAMED = 32  # lives in a generation at most that have room for their names
_HALF = 0.28  # of a generation: how far a cell reaches at either side of its middle
_TICKS = 16
_SURVIVING, _BORN = 2.0, 0.7  # points, the width of a line


class LifeMap(NamedTuple):
    """One population: who lived when, and the selection of what they did, (G,).

    Selection is NaN where a generation is not over.
    """

    lineage: Lineage
    selection: Array

    @property
    def deeds(self) -> Array:
        """What each agent did, in the rows of the figure, (rows, generations); NaN: unknown."""
        rows = stack_lives(self.lineage)
        found = np.full((max(map(len, rows)), len(rows)), np.nan)
        for column, row in enumerate(rows):
            for place, life in enumerate(row):
                age = column + 1 - life.born
                if age < len(life.phenotype):
                    found[place, column] = life.phenotype[age]
        return found

    def describe(self) -> str:
        """Follow the mean of all agents, and selection."""
        deeds = self.deeds
        count = (~np.isnan(deeds)).sum(0)
        nothing = np.full(count.shape, np.nan)
        mean = np.divide(np.nansum(deeds, 0), count, out=nothing, where=count > 0)
        curves = (("mean", mean), ("selection", self.selection))
        return describe_curves(
            (name, np.arange(1, len(values) + 1), values) for name, values in curves
        )


def stack_lives(lineage: Lineage) -> list[list[Life]]:
    """Order the lives of each generation from top to bottom."""
    rows: list[list[Life]] = []
    for generation in range(1, lineage.generations + 1):
        row = [
            one
            for life in (rows[-1] if rows else [])
            for one in (life, *lineage.children(life.number))
            if (one.lived_in(generation) if one is life else one.born == generation)
        ]
        rows.append([*row, *(life for life in lineage.founders if life.born == generation)])
    return rows


def life_map(
    name: str, title: str, caption: str, unit: str, shown: LifeMap, limits: tuple[float, float]
) -> Figure:
    """Draw all lives and births, coloured by what agents did, with selection below.

    unit: of what they did. limits: the ends of the scale of colours.
    """
    rows = stack_lives(shown.lineage)
    most = max(map(len, rows))
    tall = float(np.clip(_ROW * most, _LEAST, _TALLEST))

    def draw(figure: Any) -> None:
        ratios = {"height_ratios": [tall, _STRIP]}
        above, below = figure.subplots(2, 1, sharex=True, **ratios)
        mesh = _draw_cells(above, rows, shown.deeds, unit, limits)
        _draw_descent(above, rows, shown.lineage)
        if most <= _NAMED:
            _write_names(above, rows)
        above.set_ylim(most - 0.4, -0.6)
        above.set_yticks([])
        above.tick_params(length=0, labelbottom=False)
        above.grid(visible=False)
        above.spines[:].set_visible(False)
        _draw_selection(below, shown.selection)
        below.set_xlim(0.4, len(rows) + 0.6)
        below.set_xticks(thin_ticks(range(1, len(rows) + 1), _TICKS))
        below.set_xlabel("generation")
        add_colour_bar(figure, mesh, wrap_label(unit, 40, 3), 0.7)

    return render_figure(name, title, caption, shown.describe(), draw, tall + _STRIP + _FOOT)


def colour_limits(maps: Sequence[LifeMap]) -> tuple[float, float]:
    """Choose the ends of one scale of colours for several populations."""
    every = np.concatenate([one.deeds.ravel() for one in maps])
    known = every[~np.isnan(every)]
    if not len(known):
        return 0.0, 1.0
    return constant_range(known) or (float(known.min()), float(known.max()))


def _draw_cells(
    axes: Any, rows: Sequence[Sequence[Life]], deeds: Array, unit: str, limits: tuple[float, float]
) -> Any:
    """Draw a cell for each agent and generation, with gaps for the lines between generations."""
    count, generations = deeds.shape
    edges = np.ravel([(when - _HALF, when + _HALF) for when in range(1, generations + 1)])
    values = np.full((count, 2 * generations - 1), np.nan)
    values[:, ::2] = deeds
    names = np.full(values.shape, "", object)
    for column, row in enumerate(rows):
        names[: len(row), 2 * column] = [life.name for life in row]
    norm = require("matplotlib.colors").Normalize(*limits)
    heights = np.arange(count + 1) - 0.5
    look = {"cmap": "viridis", "norm": norm, "edgecolors": PAPER, "linewidth": 0.8}
    mesh = axes.pcolormesh(edges, heights, np.ma.masked_invalid(values), **look)
    name_series(mesh, unit, values=values, names=names.ravel().tolist())
    return mesh


def _draw_descent(axes: Any, rows: Sequence[Sequence[Life]], lineage: Lineage) -> None:
    """Draw lines from everybody to the same agent a generation later, and to its children."""
    lived, born = _Strand([], []), _Strand([], [])
    rings = []
    for generation, (before, now) in enumerate(pairwise(rows), 1):
        places = {life.number: float(place) for place, life in enumerate(before)}
        for place, life in enumerate(now):
            end = generation + 1 - _HALF, float(place)
            if life.number in places:
                lived.add((generation + _HALF, places[life.number]), end)
                continue
            rings.append(end)
            if elder := lineage.ancestor(life.number):
                born.add((generation + _HALF, places[elder.number]), end)
    axes.plot(*born, color=INK, linewidth=_BORN)
    axes.plot(*lived, color=INK, linewidth=_SURVIVING, solid_capstyle="butt")
    ring = {"markersize": 3.2, "markeredgecolor": INK, "markeredgewidth": 0.8}
    axes.plot(*np.reshape(rings, (-1, 2)).T, "o", color=PAPER, zorder=3, **ring)


def _draw_selection(axes: Any, selection: Array) -> None:
    colours = [SERIES[0 if value >= 0 else 1].colour for value in selection]
    bars = axes.bar(np.arange(1, len(selection) + 1), selection, 2 * _HALF, color=colours)
    name_series(bars, "selection")
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.locator_params(axis="y", nbins=3)
    axes.set_ylabel("selection")


def _write_names(axes: Any, rows: Sequence[Sequence[Life]]) -> None:
    """Name those who began, and those who are left."""
    # The number of a life tells it from all others; a column has no room for more.
    whole = axes.get_figure().get_figwidth() > NARROW
    ends = (rows[0], 1 - _HALF - 0.08, "right"), (rows[-1], len(rows) + _HALF + 0.08, "left")
    for row, at, side in ends:
        for place, life in enumerate(row):
            words = life.name if whole else life.name.split()[-1]
            axes.text(at, place, words, fontsize=SMALL, ha=side, va="center")


class _Strand(NamedTuple):
    """Lines of one kind, NaN between them: across and upwards, (K,) each."""

    across: list[float]
    upwards: list[float]

    def add(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        """Add a line from one place to another, level at either end."""
        along = np.linspace(0, 1, 13 if begin[1] != end[1] else 2)
        rise = along * along * (3 - 2 * along)
        self.across.extend([*(begin[0] + along * (end[0] - begin[0])), np.nan])
        self.upwards.extend([*(begin[1] + rise * (end[1] - begin[1])), np.nan])
