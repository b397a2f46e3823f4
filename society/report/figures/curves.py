"""Figures along time: survival, and measures round by round or generation by generation.

Where runs end early, the right end of a curve rests on the few that lasted: below each panel stands
how many those are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .alt_text import describe_curves, format_axis_number
from .scales import LINEAR, AxisScale
from .style import FAINT, Figure, constant_range, render_panels, series_style, shorten_label

_TALL = 1.85  # inches, a panel
_LINE = 0.14  # inches, a line of numbers at risk
_STRIP = 0.45  # inches, the strip of runs left
_TIMES = 5  # times at which the numbers at risk are given
_MARKERS = 6  # on a line


class SurvivalLine(NamedTuple):
    """The survival curve of a condition: share (T,) from each time on, with its band.

    level: its name in a narrow column. number: of its style. durations: of all runs (R,).
    lost: the times at which runs were last seen, still going.
    """

    label: str
    level: str
    number: int
    times: Array
    share: Array
    low: Array
    high: Array
    durations: Array
    lost: Array


class SurvivalPanel(NamedTuple):
    """Survival curves on the same axes."""

    title: str
    curves: Sequence[SurvivalLine]

    def describe(self) -> str:
        said = []
        for curve in self.curves:
            half = curve.times[curve.share <= 0.5]
            until = f"half by round {half[0]:g}" if len(half) else "more than half to the end"
            end = f"{format_axis_number(float(curve.share[-1]))} at round {curve.times[-1]:g}"
            said.append(f"{curve.label}: {until}, {end}.")
        return " ".join(said)


def survival_plot(
    name: str, title: str, caption: str, axis: str, panels: Sequence[SurvivalPanel]
) -> Figure:
    """Draw Kaplan-Meier curves with bands, ticks for censored runs, numbers at risk below."""
    below = max(len(panel.curves) for panel in panels) * _LINE + 0.12
    last = max(float(curve.times[-1]) for panel in panels for curve in panel.curves)
    times = np.unique(np.round(np.linspace(0, last, _TIMES))).tolist()

    def draw(own: Sequence[Any], panel: SurvivalPanel) -> dict[str, Any]:
        own[0].set_ylim(0, 1.03)
        own[0].locator_params(axis="x", integer=True)
        own[0].tick_params(labelbottom=True)
        _draw_numbers_at_risk(own[1], panel.curves, times)
        return {curve.label: _draw_steps(own[0], curve) for curve in panel.curves}

    return render_panels(
        name,
        title,
        caption,
        panels,
        draw,
        across=min(len(panels), 2),
        heights=[_TALL, below],
        labels=[curve.label for panel in panels for curve in panel.curves],
        xlabel=axis,
        ylabels=["share that lasted"],
        sharex=True,
    )


def _draw_steps(axes: Any, curve: SurvivalLine) -> Any:
    colour, _, dashes = series_style(curve.number)
    band = {"step": "post", "color": colour, "alpha": 0.18, "linewidth": 0}
    axes.fill_between(curve.times, curve.low, curve.high, **band)
    (handle,) = axes.step(curve.times, curve.share, where="post", color=colour, linestyle=dashes)
    heights = curve.share[np.searchsorted(curve.times, curve.lost, side="right") - 1]
    axes.plot(curve.lost, heights, "|", color=colour, markersize=8)
    return handle


def _draw_numbers_at_risk(
    axes: Any, curves: Sequence[SurvivalLine], times: Sequence[float]
) -> None:
    """Write a row of numbers for each curve, below the times that they belong to."""
    for row, curve in enumerate(curves):
        for time in times:
            left = int((curve.durations >= time).sum())
            axes.text(time, row, str(left), ha="center", va="center", fontsize=7)
    axes.set_ylim(len(curves) - 0.4, -0.6)
    axes.set_yticks(range(len(curves)), [shorten_label(curve.level, 26) for curve in curves])
    axes.tick_params(length=0, labelbottom=False, labelsize=7)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_title("runs at risk", fontsize=7, fontweight="normal", pad=2)


class Curve(NamedTuple):
    """The mean of a condition along time with its band, (T,) each, NaN where nothing is left.

    number: of its style; None: one among others, in grey. left: runs that the mean rests on.
    runs: single runs behind it, (R, T).
    """

    label: str
    number: int | None
    rounds: Array
    mean: Array
    low: Array
    high: Array
    left: Array
    runs: Array | None = None


class CurvePanel(NamedTuple):
    """Curves on the same axes; along: what time is counted in."""

    title: str
    curves: Sequence[Curve]
    scale: AxisScale = LINEAR
    along: str = "round"

    def describe(self) -> str:
        shown = [one for one in self.curves if one.number is not None]
        return describe_curves([(one.label, one.rounds, one.mean) for one in shown], self.along)


def line_plot(
    name: str, title: str, caption: str, panels: Sequence[CurvePanel], axis: str = ""
) -> Figure:
    """Draw means along time with bands.

    axis: the quantity, if all panels have the same one; then they share a scale, and strips below
    show how many runs are left, unless all stay. Else a panel's title is its quantity.
    """
    leaving = any(one.left.min() < one.left.max() for panel in panels for one in panel.curves)
    count = len(panels)
    span = constant_range(np.concatenate([one.rounds for each in panels for one in each.curves]))

    def draw(own: Sequence[Any], panel: CurvePanel) -> dict[str, Any]:
        own[0].locator_params(axis="x", integer=True)
        _scale_axis(own[0], panels if axis else [panel])
        return {
            curve.label: handle
            for curve in panel.curves
            if (handle := draw_curve(own[0], curve, own[1:])) is not None
        }

    def finish(figure: Any, grid: list[Any]) -> None:
        for place, own in enumerate(grid if axis else []):
            for axes, first in zip(own, grid[0], strict=True):
                axes.sharey(first)
                axes.tick_params(labelleft=place % across == 0)
            if place % across == 0:
                _label_strip(own[1:])
        if span:
            grid[0][0].set_xlim(span)

    across = min(count, 3) if axis or count != 4 else 2
    return render_panels(
        name,
        title,
        caption,
        panels,
        draw,
        across=across,
        heights=[_TALL, _STRIP] if axis and leaving else [_TALL],
        labels=[one.label for each in panels for one in each.curves if one.number is not None],
        xlabel=panels[0].along,
        ylabels=[axis],
        finish=finish,
        sharex=True,
    )


def _scale_axis(axes: Any, panels: Sequence[CurvePanel]) -> None:
    """Set limits and scale of an axis for all values of some panels."""
    curves = [curve for panel in panels for curve in panel.curves]
    shown = [part for one in curves for part in (one[3:6] if one.number is not None else one[3:4])]
    shown += [one.runs for one in curves if one.runs is not None]
    if ends := constant_range(np.concatenate([*map(np.ravel, shown)])):
        axes.set_ylim(ends)
    panels[0].scale.apply(axes, "y")


def draw_curve(axes: Any, curve: Curve, strips: Sequence[Any] = ()) -> Any:
    """Draw a curve, and into strips how many runs are left; gives its handle, None if in grey."""
    if curve.number is None:
        axes.plot(curve.rounds, curve.mean, color=FAINT, alpha=0.45, linewidth=0.6)
        return None
    colour, marker, dashes = series_style(curve.number)
    if curve.runs is not None:
        axes.plot(curve.rounds, curve.runs.T, color=colour, linewidth=0.5, alpha=0.4)
    axes.fill_between(curve.rounds, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0)
    line = {"color": colour, "linestyle": dashes}
    every = max(len(curve.rounds) // _MARKERS, 1)
    (handle,) = axes.plot(
        curve.rounds, curve.mean, marker=marker, markevery=every, markersize=4, **line
    )
    for strip in strips:
        strip.step(curve.rounds, curve.left, linewidth=1, **line)
    return handle


def _label_strip(strips: Sequence[Any]) -> None:
    for axes in strips:
        axes.set_ylim(bottom=0)
        axes.locator_params(axis="y", nbins=2, integer=True)
        axes.set_ylabel("runs left", fontsize=7, rotation=0, ha="right", va="center")
