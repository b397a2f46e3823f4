"""The figure of a lineage: who lived on, and who descends from whom, from left to right.

The lives of a generation are stacked so that children stand below their parents, and nobody's line
crosses another's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.lineage import Life, Lineage

from .style import (
    FAINT,
    PAPER,
    SERIES,
    Figure,
    add_legend,
    legend_height,
    render_figure,
    thin_ticks,
)

_ROW, _LEAST, _TALLEST = 0.2, 1.6, 6.0  # inches: a life, all of them
_NAMED = 32  # lives in a generation at most that have room for their names
_HALF = 0.28  # of a generation: how far a life lies level at either side of its middle
_TICKS = 16
_SURVIVING, _BORN = 2.4, 0.9  # points, the width of a line


class _Strand(NamedTuple):
    """Lines of one colour, NaN between them: across and upwards, (K,) each."""

    across: list[float]
    upwards: list[float]

    def add(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        """Add a line from one place to another, level at either end."""
        along = np.linspace(0, 1, 13 if begin[1] != end[1] else 2)
        rise = along * along * (3 - 2 * along)
        self.across.extend([*(begin[0] + along * (end[0] - begin[0])), np.nan])
        self.upwards.extend([*(begin[1] + rise * (end[1] - begin[1])), np.nan])


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


def _founders(lineage: Lineage) -> dict[int, int]:
    """The founder of each life's line, by numbers."""
    found: dict[int, int] = {}
    for number in lineage.lives:  # elders before those after them
        elder = lineage.ancestor(number)
        found[number] = number if elder is None else found[elder.number]
    return found


def lineage_tree(name: str, title: str, caption: str, lineage: Lineage) -> Figure:
    """Draw all lives; the founders with most descendants in the last generation have a colour."""
    rows, founders = stack_lives(lineage), _founders(lineage)
    left = Counter(founders[life.number] for life in rows[-1])
    kept = [number for number, _ in left.most_common(len(SERIES))]
    names = [f"line of {lineage.lives[number].name}: {left[number]} at the end" for number in kept]
    colours = {number: SERIES[place].colour for place, number in enumerate(kept)}
    most = max(map(len, rows))

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        handles = _draw_lines(axes, lineage, rows, colours)
        if most <= _NAMED:
            _write_names(axes, rows)
        axes.set_xlim(0.2, len(rows) + 0.8)
        axes.set_ylim(most - 0.4, -0.6)
        axes.set_yticks([])
        axes.set_xticks(thin_ticks(range(1, len(rows) + 1), _TICKS))
        axes.set_xlabel("generation")
        axes.grid(visible=False)
        axes.spines["left"].set_visible(False)
        add_legend(figure, [handles[number] for number in kept], names)

    more = len(left) - len(kept)
    grey = f"{more} more with fewer of them, and " if more else ""
    caption += f" Colours: founders with descendants at the end; grey: {grey}lines that died out."
    ends = "; ".join([*names, *([f"{more} more"] if more else [])])
    count = len(set(founders.values()))
    alt = f"Of {count} founders these have descendants in the last generation: {ends}."
    tall = float(np.clip(_ROW * most, _LEAST, _TALLEST)) + 0.6
    return render_figure(name, title, caption, alt, draw, tall + legend_height(names))


def _draw_lines(
    axes: Any, lineage: Lineage, rows: Sequence[Sequence[Life]], colours: Mapping[int, str]
) -> dict[int, Any]:
    """Draw everybody; gives a handle for each founder."""
    slots = [{life.number: place for place, life in enumerate(row)} for row in rows]
    handles, founders = {}, _founders(lineage)
    # What is left at the end is drawn last, above those who have died out.
    for founder in sorted(set(founders.values()), key=lambda one: (one in colours, -one)):
        own = [lineage.lives[number] for number, first in founders.items() if first == founder]
        colour = colours.get(founder, FAINT)
        lived, born = _Strand([], []), _Strand([], [])
        for life in own:
            _add_life(life, slots, lived)
            if elder := lineage.ancestor(life.number):
                begin = (life.born - 1 + _HALF, slots[life.born - 2][elder.number])
                born.add(begin, (life.born - _HALF, slots[life.born - 1][life.number]))
        axes.plot(*born, color=colour, linewidth=_BORN)
        width = {"linewidth": _SURVIVING, "solid_capstyle": "round"}
        (handles[founder],) = axes.plot(*lived, color=colour, **width)
        begins = np.array([(life.born - _HALF, slots[life.born - 1][life.number]) for life in own])
        edge = {"markersize": 3.6, "markeredgecolor": PAPER, "markeredgewidth": 0.5}
        axes.plot(*begins.T, "o", color=colour, **edge)
    return handles


def _add_life(life: Life, slots: Sequence[Mapping[int, int]], strand: _Strand) -> None:
    """Add the line of a life through all its generations."""
    for generation in range(life.born, life.last + 1):
        here = float(slots[generation - 1][life.number])
        strand.add((generation - _HALF, here), (generation + _HALF, here))
        if generation < life.last:
            there = float(slots[generation][life.number])
            strand.add((generation + _HALF, here), (generation + 1 - _HALF, there))


def _write_names(axes: Any, rows: Sequence[Sequence[Life]]) -> None:
    """Name those who began, and those who are left."""
    ends = (rows[0], 1 - _HALF - 0.08, "right"), (rows[-1], len(rows) + _HALF + 0.08, "left")
    for row, at, side in ends:
        for place, life in enumerate(row):
            axes.text(at, place, life.name, fontsize=6.5, ha=side, va="center")
