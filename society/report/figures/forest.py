"""Forest plots: estimates with their intervals, a row each, around a line at no difference.

What a test has found stands out by colour and marker, and its p stands at the right of its row
(Lewis and Clarke 2001, BMJ 322).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from society.analysis.findings.wording import format_p

from .alt_text import format_axis_number
from .read_out import name_series
from .style import INK, PAPER, SERIES, SMALL, Figure, render_panels, wrap_label

_ROW = 0.24  # inches
_NAME = 22  # characters
_NAMES_BESIDE = 18  # characters of the longest row's name with which panels may stand side by side


class ForestRow(NamedTuple):
    """An estimate; the interval if there is one. found: whether a test tells it from nothing."""

    name: str
    value: float
    low: float | None
    high: float | None
    p: float
    found: bool


class ForestPanel(NamedTuple):
    """Estimates below each other, from the top."""

    title: str
    rows: Sequence[ForestRow]

    def describe(self) -> str:
        """Say each estimate, its interval and its p."""
        said = []
        for row in self.rows:
            ends = [format_axis_number(one) for one in (row.low, row.high) if one is not None]
            interval = f" (95 % interval {' to '.join(ends)})" if ends else ""
            said.append(
                f"{row.name}: {format_axis_number(row.value)}{interval}, {format_p(row.p)}."
            )
        return " ".join(said)


def forest_plot(
    name: str,
    title: str,
    caption: str,
    axis: str,
    panels: Sequence[ForestPanel],
    series: tuple[str, str],
) -> Figure:
    """Draw the estimates of each panel, on one axis.

    axis: the quantity. series: what those are called that a test has found, and the others.
    """
    longest = max(len(row.name) for panel in panels for row in panel.rows)
    return render_panels(
        name,
        title,
        caption,
        panels,
        lambda own, panel: _draw_panel(own[0], panel, series),
        across=min(len(panels), 2 if longest <= _NAMES_BESIDE else 1),
        heights=[max(len(panel.rows) for panel in panels) * _ROW + 0.1],
        labels=series,
        xlabel=axis,
        sharex=True,
    )


def _draw_panel(axes: Any, panel: ForestPanel, series: tuple[str, str]) -> dict[str, Any]:
    handles = {}
    axes.axvline(0, color=INK, linewidth=0.7)
    beside = {"xycoords": ("axes fraction", "data"), "fontsize": SMALL}
    for label, found, style in zip(series, (True, False), (SERIES[1], SERIES[0]), strict=True):
        there = [(place, row) for place, row in enumerate(panel.rows) if row.found == found]
        if not there:
            continue
        for place, row in there:
            if row.low is not None and row.high is not None:
                ends = [row.low, row.high]
                axes.plot(ends, [place] * 2, color=style.colour, linewidth=1.6)
            axes.annotate(
                format_p(row.p), (1.02, place), va="center", annotation_clip=False, **beside
            )
        rows = [row for _, row in there]
        values = np.array([row.value for row in rows])
        dots = {"color": style.colour, "markeredgecolor": PAPER, "markeredgewidth": 0.5}
        heights = [place for place, _ in there]
        (handles[label],) = axes.plot(
            values, heights, style.marker, linestyle="none", markersize=5.5, **dots
        )
        name_series(
            handles[label],
            label,
            values=values,
            low=_ends([row.low for row in rows]),
            high=_ends([row.high for row in rows]),
            names=[row.name for row in rows],
        )
    axes.set_yticks(range(len(panel.rows)), [wrap_label(row.name, _NAME) for row in panel.rows])
    axes.set_ylim(len(panel.rows) - 0.45, -0.55)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    return handles


def _ends(ends: Sequence[float | None]) -> Any:
    return np.array([np.nan if end is None else end for end in ends])
