"""Figures along generations: means of conditions with bands, and the single runs behind them.

They take plain numbers, and know neither runs nor statistics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from society.draws import Array
from society.report.figures import alt_text as described
from society.report.figures.curves import Course, drawn
from society.report.figures.scales import LINEAR, Scale
from society.report.figures.style import (
    Picture,
    legend,
    legend_height,
    look,
    panelled,
    picture,
    same,
    wrapped,
)

_TALL = 1.9  # inches, a panel
_AXIS = 30  # signs of a label in the height of a panel


class Trend(NamedTuple):
    """A course over generations, and the runs that it is the mean of, (R, G); none: not drawn."""

    course: Course
    runs: Array | None = None


class Trends(NamedTuple):
    """One panel: what its axis is called, and the trends of some conditions on it."""

    axis: str
    trends: Sequence[Trend]
    scale: Scale = LINEAR


def trends(name: str, title: str, words: str, panels: Sequence[Trends]) -> Picture:
    """One panel for each quantity, each on a scale of its own."""
    across = len(panels) if len(panels) < 4 else 2 if len(panels) == 4 else 3
    lines = math.ceil(len(panels) / across)
    courses = [trend.course for panel in panels for trend in panel.trends]
    names = {one.label: wrapped(one.label) for one in courses if one.number is not None}
    span = same(np.concatenate([one.rounds for one in courses]))

    def draw(figure: Any) -> None:
        handles: dict[str, Any] = {}
        places = panelled(figure, len(panels), across, sharex=True)
        for (axes,), panel in zip(places, panels, strict=True):
            handles |= _panel(axes, panel)
        for (axes,) in places[-across:]:
            axes.set_xlabel("generation")
        if span:
            places[0][0].set_xlim(span)
        legend(figure, [handles[name] for name in names], [*names.values()])

    seen = described.paneled([(panel.axis, _told(panel)) for panel in panels])
    tall = lines * (_TALL + 0.25) + 0.35 + legend_height([*names.values()])
    return picture(name, title, words, seen, draw, tall)


def _panel(axes: Any, panel: Trends) -> dict[str, Any]:
    handles = {}
    for course, runs in panel.trends:
        if runs is not None and course.number is not None:
            thin = {"color": look(course.number).colour, "linewidth": 0.5, "alpha": 0.4}
            axes.plot(course.rounds, runs.T, **thin)
        handles[course.label] = drawn([axes], course)
    axes.set_ylabel(wrapped(panel.axis, _AXIS, 3))
    axes.locator_params(axis="x", integer=True)
    every = [
        np.ravel(part)
        for one in panel.trends
        for part in (*one.course[3:6], one.runs)
        if part is not None
    ]
    if ends := same(np.concatenate(every)):
        axes.set_ylim(ends)
    panel.scale.lay(axes, "y")
    return handles


def _told(panel: Trends) -> str:
    return " ".join(
        described.course(one.label, one.rounds, one.mean, "generation")
        for one, _ in panel.trends
        if one.number is not None
    )
