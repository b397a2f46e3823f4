"""Figures of single agents: what each did in every generation, who was new, who was selected.

They take plain numbers, and know neither runs nor statistics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from society.draws import Array
from society.optional import require
from society.report.figures.alt_text import course, paneled
from society.report.figures.style import (
    INK,
    LOOKS,
    Picture,
    panelled,
    picture,
    same,
    thinned,
    wrapped,
)

_ROW, _TALLEST, _LEAST = 0.16, 4.0, 1.2  # inches: an agent, all of them
_STRIP = 0.5  # inches, the bars below
_BESIDE = 14  # generations at most of panels side by side
_TICKS = 12
_BIRTH = "#ff2e1f"
_TITLES = {1: 60, 2: 30}


class Careers(NamedTuple):
    """One population: what agents did, (N, G), NaN where there is none; newborn: likewise, of bool.

    selection: what it made of the mean in each generation, (G,).
    """

    title: str
    values: Array
    newborn: Array
    selection: Array


def careers(name: str, title: str, words: str, unit: str, panels: Sequence[Careers]) -> Picture:
    """Heat maps on one scale, with a line where a newborn takes a place; bars: selection."""
    agents, count = (max(panel.values.shape[axis] for panel in panels) for axis in (0, 1))
    across = min(len(panels), 2 if count <= _BESIDE else 1)
    lines = math.ceil(len(panels) / across)
    rows = float(np.clip(_ROW * agents, _LEAST, _TALLEST))
    every = np.concatenate([panel.values.ravel() for panel in panels])
    span = same(every) or (np.nanmin(every), np.nanmax(every))

    def draw(figure: Any) -> None:
        places = panelled(figure, len(panels), across, [rows, _STRIP], sharex="col")
        scale = require("matplotlib.colors").Normalize(*span)
        for place, ((above, below), panel) in enumerate(zip(places, panels, strict=True)):
            mesh = _cells(above, panel, scale)
            above.set_title(wrapped(panel.title, _TITLES[across]))
            below.sharey(places[0][1])
            _bars(below, panel.selection)
            if place % across == 0:
                above.set_ylabel("agent")
                below.set_ylabel("selection", fontsize=7)
            if place + across >= len(panels):
                below.set_xlabel("generation")
        bar = figure.colorbar(mesh, ax=figure.axes, shrink=0.7, aspect=30, pad=0.02)
        bar.set_label(wrapped(unit, 40, 3))
        bar.outline.set_visible(False)

    seen = paneled([(panel.title, _told(panel)) for panel in panels])
    return picture(name, title, words, seen, draw, lines * (rows + _STRIP + 0.5) + 0.4)


def _cells(axes: Any, panel: Careers, scale: Any) -> Any:
    agents, count = panel.values.shape
    edges = np.arange(count + 1) + 0.5
    mesh = axes.pcolormesh(
        edges,
        np.arange(agents + 1) + 0.5,
        np.ma.masked_invalid(panel.values),
        cmap="viridis",
        norm=scale,
    )
    agent, generation = np.nonzero(panel.newborn[:, 1:])
    axes.vlines(generation + 1.5, agent + 0.5, agent + 1.5, color=_BIRTH, linewidth=1.6)
    axes.set_yticks(thinned(range(1, agents + 1), _TICKS))
    axes.invert_yaxis()
    axes.tick_params(length=0)
    axes.grid(visible=False)
    return mesh


def _bars(axes: Any, values: Array) -> None:
    colours = [LOOKS[0].colour if value >= 0 else LOOKS[1].colour for value in values]
    axes.bar(np.arange(1, len(values) + 1), values, 0.7, color=colours)
    axes.axhline(0, color=INK, linewidth=0.6)
    axes.set_xticks(thinned(range(1, len(values) + 1), _TICKS))
    axes.locator_params(axis="y", nbins=3)
    axes.tick_params(axis="y", labelsize=7)


def _told(panel: Careers) -> str:
    """In words: the mean of all agents, and selection."""
    count = (~np.isnan(panel.values)).sum(0)
    mean = np.divide(
        np.nansum(panel.values, 0), count, out=np.full(count.shape, np.nan), where=count > 0
    )
    when = np.arange(1, len(mean) + 1)
    return " ".join(
        course(name, when, values, "generation")
        for name, values in (("mean", mean), ("selection", panel.selection))
    )
