"""Figures of change that has several causes: bars on top of each other, their sum as a line.

They take plain numbers, and know neither runs nor statistics.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.draws import Array
from society.report.figures.alt_text import course, paneled
from society.report.figures.style import (
    INK,
    Picture,
    legend,
    legend_height,
    look,
    panelled,
    picture,
    same,
    thinned,
    wrapped,
)

_TALL = 1.9  # inches, a panel
_TICKS = 12
_TITLES = {1: 60, 2: 34}


class Split(NamedTuple):
    """One panel: the parts of a change from each generation to the next, (G,) each, by cause."""

    title: str
    generations: Array
    parts: Mapping[str, Array]

    @property
    def total(self) -> Array:
        """The sum of all parts, (G,)."""
        total: Array = np.sum([*self.parts.values()], axis=0)
        return total


def splits(name: str, title: str, words: str, axis: str, panels: Sequence[Split]) -> Picture:
    """What adds stands above zero, what takes away below it."""
    across = min(len(panels), 2)
    lines = math.ceil(len(panels) / across)
    names = [*panels[0].parts, "sum"]
    flat = same(np.concatenate([np.ravel(part) for one in panels for part in one.parts.values()]))

    def draw(figure: Any) -> None:
        places = panelled(figure, len(panels), across, sharex=True, sharey=True)
        for (axes,), panel in zip(places, panels, strict=True):
            handles = _stacked(axes, panel)
            axes.set_title(wrapped(panel.title, _TITLES[across]))
        for (axes,) in places[::across]:
            axes.set_ylabel(wrapped(axis, 30, 3))
        for (axes,) in places[-across:]:
            axes.set_xlabel("to generation")
        if flat:
            places[0][0].set_ylim(flat)
        legend(figure, handles, names)

    seen = paneled([(panel.title, _told(panel)) for panel in panels])
    tall = lines * (_TALL + 0.3) + 0.35 + legend_height(names)
    return picture(name, title, words, seen, draw, tall)


def _stacked(axes: Any, panel: Split) -> list[Any]:
    above, below = np.zeros(len(panel.generations)), np.zeros(len(panel.generations))
    handles = []
    for number, part in enumerate(panel.parts.values()):
        known = np.nan_to_num(part)
        foot = np.where(known >= 0, above, below)
        handles.append(axes.bar(panel.generations, known, 0.75, foot, color=look(number).colour))
        above, below = above + np.maximum(known, 0), below + np.minimum(known, 0)
    axes.axhline(0, color=INK, linewidth=0.6)
    handles += axes.plot(panel.generations, panel.total, color=INK, marker="o", markersize=3.5)
    axes.set_xticks(thinned(panel.generations.tolist(), _TICKS))
    return handles


def _told(panel: Split) -> str:
    every = {**panel.parts, "sum": panel.total}
    return " ".join(
        course(cause, panel.generations, part, "generation") for cause, part in every.items()
    )
