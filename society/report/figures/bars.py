"""Figures of change that has several causes: bars on top of each other, their sum as a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .alt_text import describe_curves
from .read_out import name_series
from .style import FAINT, INK, PAPER, Figure, constant_range, render_panels, thin_ticks

_TALL = 1.9  # inches, a panel
_TICKS = 12
# Causes are no conditions, and have none of their colours.
_FILLS = ((FAINT, ""), (PAPER, "//////"), (INK, ""), (PAPER, "......"))


class BarPanel(NamedTuple):
    """The parts of a change from each generation to the next, (G,) each, by cause."""

    title: str
    generations: Array
    parts: Mapping[str, Array]

    @property
    def total(self) -> Array:
        """The sum of all parts, (G,)."""
        total: Array = np.sum([*self.parts.values()], axis=0)
        return total

    def describe(self) -> str:
        every = {**self.parts, "sum": self.total}
        return describe_curves((cause, self.generations, part) for cause, part in every.items())


def stacked_bars(
    name: str, title: str, caption: str, axis: str, panels: Sequence[BarPanel]
) -> Figure:
    """Draw gains above zero and losses below it."""
    flat = constant_range(
        np.concatenate([np.ravel(part) for one in panels for part in one.parts.values()])
    )
    return render_panels(
        name,
        title,
        caption,
        panels,
        lambda own, panel: _draw_bars(own[0], panel, flat),
        across=min(len(panels), 2),
        heights=[_TALL],
        labels=[*panels[0].parts, "sum"],
        xlabel="to generation",
        ylabels=[axis],
        sharex=True,
        sharey=True,
    )


def _draw_bars(axes: Any, panel: BarPanel, flat: tuple[float, float] | None) -> dict[str, Any]:
    above, below = np.zeros(len(panel.generations)), np.zeros(len(panel.generations))
    handles = {}
    for (cause, part), (fill, hatch) in zip(panel.parts.items(), cycle(_FILLS), strict=False):
        known, foot = np.nan_to_num(part), np.where(np.nan_to_num(part) >= 0, above, below)
        look = {"facecolor": fill, "hatch": hatch, "edgecolor": INK, "linewidth": 0.5}
        handles[cause] = axes.bar(panel.generations, known, 0.75, foot, **look)
        name_series(handles[cause], cause, values=part)
        above, below = above + np.maximum(known, 0), below + np.minimum(known, 0)
    axes.axhline(0, color=INK, linewidth=0.6)
    line = {"color": INK, "marker": "o", "markersize": 4, "markerfacecolor": PAPER}
    (handles["sum"],) = axes.plot(panel.generations, panel.total, **line)
    name_series(handles["sum"], "sum")
    axes.set_xticks(thin_ticks(panel.generations.tolist(), _TICKS))
    if flat:
        axes.set_ylim(flat)
    return handles
