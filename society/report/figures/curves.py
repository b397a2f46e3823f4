"""Figures along time: survival, and measures round by round.

Both say below each panel how many runs a curve still rests on: where runs end early, its right end
speaks of the few that lasted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from society.draws import Array
from society.report.figures import alt_text as described
from society.report.figures.scales import LINEAR, Scale
from society.report.figures.style import (
    FAINT,
    Picture,
    label,
    legend,
    legend_height,
    look,
    panelled,
    picture,
    same,
    wrapped,
)

_TALL = 1.85  # inches, a panel
_LINE = 0.14  # inches, a line of numbers at risk
_STRIP = 0.45  # inches, the strip of runs left
_WHENS = 5  # times at which the numbers at risk are told
_MARKERS = 6  # on a line
_AXIS = 72  # signs of a label in the width of a figure
_TITLES = {1: 60, 2: 34, 3: 24}  # signs of a title, by the panels side by side


class Lasting(NamedTuple):
    """The survival curve of a condition: share (T,) from each time on, with its band.

    level: its name in a narrow column. number: the place of its look. durations: of all runs (R,).
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


class Course(NamedTuple):
    """The mean of a condition round by round with its band, (T,) each, NaN where nothing is left.

    left: runs that it rests on. number: the place of its look; None: one among others, in grey.
    """

    label: str
    number: int | None
    rounds: Array
    mean: Array
    low: Array
    high: Array
    left: Array


class Survivals(NamedTuple):
    """Survival curves on the same axes."""

    title: str
    curves: Sequence[Lasting]


class Courses(NamedTuple):
    """Courses on the same axes."""

    title: str
    curves: Sequence[Course]


def survival_curves(
    name: str, title: str, words: str, axis: str, panels: Sequence[Survivals]
) -> Picture:
    """Kaplan-Meier curves as steps with bands, ticks for censored runs, numbers at risk below."""
    across = min(len(panels), 2)
    lines = math.ceil(len(panels) / across)
    below = max(len(panel.curves) for panel in panels) * _LINE + 0.12
    last = max(float(curve.times[-1]) for panel in panels for curve in panel.curves)
    whens = np.unique(np.round(np.linspace(0, last, _WHENS))).tolist()
    names = {curve.label: wrapped(curve.label) for panel in panels for curve in panel.curves}

    def draw(figure: Any) -> None:
        handles: dict[str, Any] = {}
        places = panelled(figure, len(panels), across, (_TALL, below), sharex=True)
        for place, (own, panel) in enumerate(zip(places, panels, strict=True)):
            handles |= {curve.label: _step(own[0], curve) for curve in panel.curves}
            own[0].set(ylim=(0, 1.03), title=wrapped(panel.title, _TITLES[across]))
            own[0].locator_params(axis="x", integer=True)
            own[0].tick_params(labelbottom=True)
            _at_risk(own[1], panel.curves, whens)
            if place % across == 0:
                own[0].set_ylabel("share that lasted")
            if place + across >= len(panels):
                own[1].set_xlabel(wrapped(axis, _AXIS // across, 3))
        legend(figure, [handles[name] for name in names], [*names.values()])

    seen = described.paneled([(panel.title, _lasted(panel)) for panel in panels])
    tall = lines * (_TALL + below + 0.35) + 0.4 + legend_height([*names.values()])
    return picture(name, title, words, seen, draw, tall)


def _lasted(panel: Survivals) -> str:
    """In words: how many were left at the end, and when half were."""
    said = []
    for curve in panel.curves:
        half = curve.times[curve.share <= 0.5]
        told = f"half by round {half[0]:g}" if len(half) else "more than half to the end"
        end = f"{described.figure(float(curve.share[-1]))} at round {curve.times[-1]:g}"
        said.append(f"{curve.label}: {told}, {end}.")
    return " ".join(said)


def _step(axes: Any, curve: Lasting) -> Any:
    own = look(curve.number)
    axes.fill_between(
        curve.times, curve.low, curve.high, step="post", color=own.colour, alpha=0.18, linewidth=0
    )
    (handle,) = axes.step(
        curve.times, curve.share, where="post", color=own.colour, linestyle=own.dashes
    )
    heights = curve.share[np.searchsorted(curve.times, curve.lost, side="right") - 1]
    axes.plot(curve.lost, heights, "|", color=own.colour, markersize=8)
    return handle


def _at_risk(axes: Any, curves: Sequence[Lasting], whens: Sequence[float]) -> None:
    """A row of numbers for each curve, below the times that they belong to."""
    for row, curve in enumerate(curves):
        for when in whens:
            left = int((curve.durations >= when).sum())
            axes.text(when, row, str(left), ha="center", va="center", fontsize=7)
    axes.set_ylim(len(curves) - 0.4, -0.6)
    axes.set_yticks(range(len(curves)), [label(curve.level, 26) for curve in curves])
    axes.tick_params(length=0, labelbottom=False, labelsize=7)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_title("runs at risk", fontsize=7, fontweight="normal", pad=2)


def courses(
    name: str,
    title: str,
    words: str,
    axis: str,
    panels: Sequence[Courses],
    scale: Scale = LINEAR,
    along: str = "round",
) -> Picture:
    """Means round by round with bands; below, how many runs are left, unless all stay.

    axis: the quantity. along: what rounds are.
    """
    across = min(len(panels), 3)
    lines = math.ceil(len(panels) / across)
    lefts = [curve.left for panel in panels for curve in panel.curves]
    shown = [Courses(panel.title, _coloured(panel)) for panel in panels]
    names = {curve.label: wrapped(curve.label) for panel in shown for curve in panel.curves}
    every = [curve.mean for panel in panels for curve in panel.curves]
    every += [end for panel in shown for curve in panel.curves for end in (curve.low, curve.high)]
    ends = same(np.concatenate(every))
    limits = same(np.concatenate([curve.rounds for panel in panels for curve in panel.curves]))
    ratios = [_TALL, _STRIP] if any(left.min() < left.max() for left in lefts) else [_TALL]

    def draw(figure: Any) -> None:
        handles: dict[str, Any] = {}
        places = panelled(figure, len(panels), across, ratios, sharex=True)
        for place, (own, panel) in enumerate(zip(places, panels, strict=True)):
            handles |= {curve.label: drawn(own, curve) for curve in panel.curves}
            own[0].set_title(wrapped(panel.title, _TITLES[across]))
            own[0].locator_params(axis="x", integer=True)
            for axes, first in zip(own, places[0], strict=True):
                axes.sharey(first)
                axes.tick_params(labelleft=place % across == 0)
            if place % across == 0:
                own[0].set_ylabel(wrapped(axis, 28, 3))
                _name_strip(own[1:])
            if place + across >= len(panels):
                own[-1].set_xlabel(along)
        if ends:
            places[0][0].set_ylim(ends)
        if limits:
            places[0][0].set_xlim(limits)
        scale.lay(places[0][0], "y")
        legend(figure, [handles[name] for name in names], [*names.values()])

    seen = described.paneled([(panel.title, _gone(panel, along)) for panel in shown])
    tall = lines * (sum(ratios) + 0.4) + 0.4 + legend_height([*names.values()])
    return picture(name, title, words, seen, draw, tall)


def _coloured(panel: Courses) -> list[Course]:
    return [curve for curve in panel.curves if curve.number is not None]


def _gone(panel: Courses, along: str) -> str:
    """In words: where each curve begins, ends, and turns."""
    return " ".join(
        described.course(one.label, one.rounds, one.mean, along) for one in panel.curves
    )


def drawn(own: Sequence[Any], curve: Course) -> Any:
    """Draw a course into the first of some axes, how many runs are left into the others."""
    if curve.number is None:
        (handle,) = own[0].plot(curve.rounds, curve.mean, color=FAINT, alpha=0.45, linewidth=0.6)
        return handle
    given = look(curve.number)
    own[0].fill_between(
        curve.rounds, curve.low, curve.high, color=given.colour, alpha=0.18, linewidth=0
    )
    (handle,) = own[0].plot(
        curve.rounds,
        curve.mean,
        color=given.colour,
        linestyle=given.dashes,
        marker=given.marker,
        markevery=max(len(curve.rounds) // _MARKERS, 1),
        markersize=4,
    )
    for below in own[1:]:
        below.step(
            curve.rounds, curve.left, color=given.colour, linestyle=given.dashes, linewidth=1
        )
    return handle


def _name_strip(strips: Sequence[Any]) -> None:
    for axes in strips:
        axes.set_ylim(bottom=0)
        axes.locator_params(axis="y", nbins=2, integer=True)
        axes.set_ylabel("runs left", fontsize=7, rotation=0, ha="right", va="center")
