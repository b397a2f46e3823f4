"""Welfare over the share of exploitative strategies, in groups of several sizes, with bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from society.engine.rng import Array

from .alt_text import describe_curves
from .style import FAINT, Figure, SeriesStyle, render_panels

_HEIGHT = 2.1


class WelfareCurve(NamedTuple):
    """Mean payoffs per round and agent, (C,), over shares of exploitative strategies, (C,).

    low, high: of an interval. bounds: the least and the most that players of the game can get.
    """

    players: int
    shares: Array
    mean: Array
    low: Array
    high: Array
    bounds: tuple[float, float]
    style: SeriesStyle

    @property
    def label(self) -> str:
        return f"n = {self.players}"


class WelfarePanel(NamedTuple):
    """Curves of one model, for groups of several sizes."""

    title: str
    curves: Sequence[WelfareCurve]

    def describe(self) -> str:
        curves = [(one.label, one.shares, one.mean) for one in self.curves]
        return describe_curves(curves, "share")


def welfare_curves(name: str, title: str, caption: str, panels: Sequence[WelfarePanel]) -> Figure:
    """Draw a panel for each model, and a grey line at each bound of its games."""
    across = min(len(panels), 3)
    return render_panels(
        name,
        title,
        caption,
        panels,
        _draw_panel,
        across=across,
        heights=[_HEIGHT],
        labels=dict.fromkeys(one.label for panel in panels for one in panel.curves),
        xlabel="share of exploitative strategies",
        ylabels=["payoff per round and agent"],
        sharex=True,
        sharey=True,
    )


def _draw_panel(own: Sequence[Any], panel: WelfarePanel) -> Mapping[str, Any]:
    (axes,) = own
    for bound in sorted({bound for curve in panel.curves for bound in curve.bounds}):
        axes.axhline(bound, color=FAINT, linewidth=0.9)
    return {curve.label: _draw_welfare(axes, curve) for curve in panel.curves}


def _draw_welfare(axes: Any, curve: WelfareCurve) -> Any:
    colour, marker, dashes = curve.style
    axes.fill_between(curve.shares, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0)
    every = max(len(curve.shares) // 8, 1)
    style = {"color": colour, "marker": marker, "linestyle": dashes, "markersize": 4}
    (handle,) = axes.plot(curve.shares, curve.mean, markevery=every, **style)
    return handle
