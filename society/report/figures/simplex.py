"""Where three types lead: shares as points of a triangle, and the paths of replicator dynamics.

A corner is a population of one type; the nearer a point to a corner, the larger the share of its
type. Arrows point where a population of these shares would go; their lengths say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .read_out import name_series
from .style import FAINT, INK, PAPER, SMALL, Figure, render_panels, shorten_label
from .type_colours import TypeStyle

_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
_TALL = 1.9  # inches
_STEPS = 9  # arrows along a side
_STILL = 1e-9  # a change of shares, relative to the largest, that is none
_LONGEST = 18  # characters of a type's name


class SimplexPanel(NamedTuple):
    """The dynamics of three types under one mechanism.

    field: shares (P, 3) and their changes (P, 3). path: from equal shares, (T, 3). stable: which
    corners keep the two others out, (3,) of bool.
    """

    title: str
    types: Sequence[str]
    field: tuple[Array, Array]
    path: Array
    stable: Array

    def describe(self) -> str:
        ends = _shares_in_words(self.types, self.path[-1])
        kept = [one for one, is_stable in zip(self.types, self.stable, strict=True) if is_stable]
        stable = f" Evolutionarily stable: {', '.join(kept)}." if kept else " None is stable."
        return f"From equal shares to {ends}.{stable}"


def _shares_in_words(types: Sequence[str], shares: Array) -> str:
    return ", ".join(f"{one} {share:.0%}" for one, share in zip(types, shares, strict=True))


def simplex_grid() -> Array:
    """Return shares of three types at even distances inside of the triangle and on it, (P, 3)."""
    steps = [
        (one, other, _STEPS - one - other)
        for one, other in product(range(_STEPS + 1), repeat=2)
        if one + other <= _STEPS
    ]
    return np.array(steps) / _STEPS


def simplex_plot(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[SimplexPanel],
    styles: Mapping[str, TypeStyle],
) -> Figure:
    """Draw a triangle for each mechanism."""
    return render_panels(
        name,
        title,
        caption,
        panels,
        lambda own, panel: _draw_triangle(own[0], panel, styles),
        across=min(len(panels), 3),
        heights=[_TALL],
    )


def _draw_triangle(
    axes: Any, panel: SimplexPanel, styles: Mapping[str, TypeStyle]
) -> Mapping[str, Any]:
    axes.plot(*_CORNERS[[0, 1, 2, 0]].T, color=INK, linewidth=0.8)
    shares, changes = panel.field
    moves = changes @ _CORNERS
    length = np.hypot(*moves.T)
    some = length > _STILL * max(float(length.max()), 1e-300)
    at, along = (shares @ _CORNERS)[some], moves[some] / length[some, None]
    arrows = {"color": FAINT, "pivot": "mid", "width": 0.006, "headwidth": 4.5, "scale": 16}
    axes.quiver(*at.T, *along.T, **arrows)
    path = panel.path @ _CORNERS
    (line,) = axes.plot(*path.T, color=INK, linewidth=1.6)
    shares_then = [_shares_in_words(panel.types, now) for now in panel.path]
    name_series(line, "from equal shares", names=shares_then)
    axes.plot(*path[0], "o", color=PAPER, markeredgecolor=INK, markersize=5)
    axes.plot(*path[-1], "o", color=INK, markeredgecolor=PAPER, markersize=5.5, zorder=4)
    for number, (one, corner) in enumerate(zip(panel.types, _CORNERS, strict=True)):
        colour = styles[one].colour
        fill = colour if panel.stable[number] else PAPER
        square = {"markeredgecolor": colour, "markeredgewidth": 1.6, "markersize": 6, "zorder": 3}
        axes.plot(*corner, "s", color=fill, **square)
        below = number < 2
        words = shorten_label(one, _LONGEST)
        beside = {"ha": "center", "va": "top" if below else "bottom", "fontsize": SMALL}
        axes.text(corner[0], corner[1] + (-0.05 if below else 0.05), words, **beside)
    axes.set_aspect("equal")
    axes.set(xlim=(-0.2, 1.2), ylim=(-0.12, 0.98))
    axes.set_axis_off()
    return {}
