"""Panels of dots: in each row a dot for every series, and a bar for its standard error.

Dots of a row stand a little below each other, in the order of the series, so that equal ones can be
counted. Panels may have axes of their own, as of points, shares and ranks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .alt_text import describe_extremes
from .block_rows import ROW, RowBlock, RowLayout, fit_rows, name_rows
from .read_out import name_quantity, name_series
from .style import FAINT, PAPER, Figure, SeriesStyle, constant_range, render_panels

_APART = 0.046  # inches between the dots of a row
_ROOM = 0.06  # of an axis, beyond the outermost dots
_DOT = 3.6  # points


class DotSeries(NamedTuple):
    """A dot in each row, (rows,), NaN for none; error: one standard error, NaN where unknown."""

    label: str
    style: SeriesStyle
    values: Array
    error: Array


class MetricPanel(NamedTuple):
    """Dots on one axis; marks: values that they are held against.

    title: with the quantity, and its unit. bounds: of the axis, if it has any; falling: its low end
    stands at the right.
    """

    title: str
    blocks: Sequence[RowBlock]
    series: Sequence[DotSeries]
    marks: Sequence[float] = ()
    bounds: tuple[float, float] | None = None
    falling: bool = False

    def describe(self) -> str:
        rows = name_rows(self.blocks)
        return describe_extremes(
            {
                f"{row}, {one.label}": float(value)
                for one in self.series
                for row, value in zip(rows, one.values, strict=True)
            }
        )

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the axis, with room for dots that stand there."""
        ends = [one.values + sign * np.nan_to_num(one.error) for one in self.series
                for sign in (-1, 0, 1)]  # fmt: skip
        every = np.concatenate([*ends, self.marks, self.bounds or ()])
        if np.isnan(every).all():
            return 0, 1
        low, high = constant_range(every) or (float(np.nanmin(every)), float(np.nanmax(every)))
        room = _ROOM * (high - low)
        return (high + room, low - room) if self.falling else (low - room, high + room)


def dot_panels(
    name: str, title: str, caption: str, panels: Sequence[MetricPanel], *, across: int
) -> Figure:
    """Draw dots in rows; all panels have the same rows and series."""
    series = panels[0].series
    layout = RowLayout(panels[0].blocks, max(1.0, (len(series) + 1.5) * _APART / ROW))

    def draw(own: Sequence[Any], panel: MetricPanel) -> Mapping[str, Any]:
        (axes,) = own
        layout.apply(axes)
        axes.set_xlim(panel.limits)
        name_quantity(axes, panel.title, "x")
        axes.locator_params(axis="x", nbins=4)
        for place in panel.marks:
            axes.axvline(place, color=FAINT, linewidth=0.9, linestyle=(0, (2, 2)), zorder=1)
        return dict(_draw_series(axes, panel, layout))

    return render_panels(
        name,
        title,
        caption,
        panels,
        draw,
        across=across,
        heights=[layout.height],
        finish=fit_rows(layout, panels),
        labels=[one.label for one in series],
    )


def _draw_series(axes: Any, panel: MetricPanel, layout: RowLayout) -> Iterator[tuple[str, Any]]:
    """Draw the dots of each series below those of the one before; gives handles by label."""
    names = name_rows(panel.blocks)
    for number, one in enumerate(panel.series):
        below = (number - (len(panel.series) - 1) / 2) * _APART / ROW
        heights, (colour, marker, _) = layout.places + below, one.style
        low, high = one.values - one.error, one.values + one.error
        axes.hlines(heights, low, high, color=colour, linewidth=1)
        dots = {"color": colour, "markeredgecolor": PAPER, "markeredgewidth": 0.3}
        (handle,) = axes.plot(one.values, heights, marker, markersize=_DOT, **dots, zorder=3)
        name_series(handle, one.label, values=one.values, low=low, high=high, names=names)
        yield one.label, handle
