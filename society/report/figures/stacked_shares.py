"""Shares in a population over time, stacked upon each other: the ecological plot of Axelrod.

What is largest in the end stands lowest; everything is named at its end, with its last share. What
has died out is named as well.
Source: Axelrod 1984, The Evolution of Cooperation, figure 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .read_out import name_series
from .style import FAINT, PAPER, SMALL, Figure, render_panels, shorten_label
from .type_colours import TypeStyle

_TALL, _NAME = 1.3, 0.115  # inches: a panel at least, a name
_ROOM = 0.1  # inches at either side: text of a PNG may be wider than it was measured
_LONGEST = 20  # characters of a name
_SAME = 5e-4  # shares that differ by less are drawn alike


class SharePanel(NamedTuple):
    """Shares (T, K) of K types that sum to 1, at times (T,)."""

    title: str
    types: Sequence[str]
    times: Array
    shares: Array

    def describe(self) -> str:
        ends = ", ".join(f"{self.types[at]} {self.shares[-1, at]:.0%}" for at in self.order)
        return f"In the end: {ends}."

    @property
    def order(self) -> list[int]:
        """Types as they are stacked, from below: by their last share, then as they are listed."""
        last = np.round(self.shares[-1], 12)
        order: list[int] = np.argsort(-last, kind="stable").tolist()
        return order

    def until_settled(self) -> SharePanel:
        """Leave out the times at which shares hardly change any more, but for a fifth."""
        moving = np.abs(self.shares - self.shares[-1]).max(1) > _SAME
        last = int(np.flatnonzero(moving).max(initial=0)) + 1
        end = min(len(self.times), int(1.2 * last) + 2)
        return self._replace(times=self.times[:end], shares=self.shares[:end])


def stacked_shares(
    name: str,
    title: str,
    caption: str,
    panels: Sequence[SharePanel],
    styles: Mapping[str, TypeStyle],
    xlabel: str,
) -> Figure:
    """Draw how the shares of types change over time."""
    most = max(len(panel.types) for panel in panels)
    return render_panels(
        name,
        title,
        caption,
        panels,
        lambda own, panel: _draw_areas(own[0], panel, styles),
        across=min(len(panels), 2),
        heights=[max(_TALL, _NAME * (most + 1))],
        xlabel=xlabel,
        ylabels=["share of the population"],
        finish=lambda figure, grid: figure.get_layout_engine().set(w_pad=_ROOM),
        sharey=True,
    )


def _draw_areas(axes: Any, panel: SharePanel, styles: Mapping[str, TypeStyle]) -> Mapping[str, Any]:
    order = panel.order
    tops = np.empty(panel.shares.shape)
    tops[:, order] = np.cumsum(panel.shares[:, order], axis=1)
    areas = axes.stackplot(panel.times, *panel.shares.T[order], edgecolor=PAPER, linewidth=0.6)
    for at, area in zip(order, areas, strict=True):
        style = styles[panel.types[at]]
        area.set(facecolor=style.colour, hatch=style.hatch)
        share = panel.shares[:, at]
        name_series(area, panel.types[at], points=(panel.times, tops[:, at]), values=share)
    end = max(panel.times[-1], panel.times[0] + 1)
    axes.set(xlim=(panel.times[0], end), ylim=(0, 1))
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "", "0.5", "", "1"])
    axes.locator_params(axis="x", integer=True, nbins=5)
    axes.grid(visible=False)
    last = panel.shares[-1, order]
    middles = np.cumsum(last) - last / 2
    height = axes.get_figure().get_size_inches()[1] * axes.get_position().height
    places = spread_labels(middles, _NAME / max(height, _TALL))
    for at, middle, place, share in zip(order, middles, places, last, strict=True):
        words = f"{shorten_label(panel.types[at], _LONGEST)} {_percent(share)}"
        beside = {"transform": axes.transAxes, "clip_on": False}
        axes.plot([1.005, 1.04], [middle, place], color=FAINT, linewidth=0.6, **beside)
        label = axes.text(1.05, place, words, va="center", fontsize=SMALL, **beside)
        name_series(label, panel.types[at])
    return {}


def _percent(share: float) -> str:
    return "<1 %" if 0 < share < 0.005 else f"{share:.0%}".replace("%", " %")


def spread_labels(places: Array, gap: float) -> Array:
    """Move labels apart so that none is nearer to the next than `gap`; places ascend.

    They move as little as can be: those that touch are centred on where they belong.

    >>> spread_labels(np.array([0.0, 0.5, 0.5, 0.9]), 0.1).round(3).tolist()
    [0.0, 0.45, 0.55, 0.9]
    """
    groups: list[list[float]] = []  # the sum of what they want, and how many they are
    for place in places.tolist():
        groups.append([place, 1])
        while len(groups) > 1 and _too_near(groups[-2], groups[-1], gap):
            wanted, count = groups.pop()
            groups[-1] = [groups[-1][0] + wanted, groups[-1][1] + count]
    return np.array(
        [
            wanted / count + gap * (at - (count - 1) / 2)
            for wanted, count in groups
            for at in range(int(count))
        ]
    )


def _too_near(below: Sequence[float], above: Sequence[float], gap: float) -> bool:
    apart = above[0] / above[1] - below[0] / below[1]
    return apart < gap * (above[1] + below[1]) / 2
