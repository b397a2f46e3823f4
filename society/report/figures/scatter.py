"""Figures of two numbers of each run: whether one predicts the other, and the space of norms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .alt_text import format_axis_number
from .read_out import name_series
from .scales import AxisScale
from .style import (
    FAINT,
    PAPER,
    Figure,
    SeriesStyle,
    add_legend,
    constant_range,
    legend_height,
    render_figure,
    wrap_label,
)

_AXIS = 60  # characters of a label


class PointCloud(NamedTuple):
    """The runs of a condition: two numbers of each, (R,) each, and the style of its series."""

    across: Array
    upwards: Array
    style: SeriesStyle

    @property
    def runs(self) -> tuple[Array, Array]:
        """Both numbers of all runs."""
        return self.across, self.upwards

    @property
    def known(self) -> int:
        """The number of runs that have both."""
        return int((~np.isnan(self.across * self.upwards)).sum())


def scatter_plot(
    name: str,
    title: str,
    caption: str,
    axes_named: tuple[str, str],
    clouds: Mapping[str, PointCloud],
) -> Figure:
    """Draw a point for each run, by condition; axes_named: across, upwards."""
    names = [wrap_label(cloud) for cloud in clouds]

    def draw(figure: Any) -> None:
        axes, handles = figure.subplots(), []
        for named, cloud in clouds.items():
            colour, marker, _ = cloud.style
            style = {"color": colour, "markerfacecolor": "none", "markersize": 5}
            (points,) = axes.plot(*cloud.runs, marker, **style)
            name_series(points, named or "runs")
            handles.append(points)
        axes.set_xlabel(wrap_label(axes_named[0], _AXIS, 2))
        axes.set_ylabel(wrap_label(axes_named[1], _AXIS, 2))
        across, upwards = map(
            np.concatenate, zip(*(cloud.runs for cloud in clouds.values()), strict=True)
        )
        if ends := constant_range(across):
            axes.set_xlim(ends)
        if ends := constant_range(upwards):
            axes.set_ylim(ends)
        AxisScale.of(across).apply(axes, "x")
        AxisScale.of(upwards).apply(axes, "y")
        add_legend(figure, handles, names)

    alt = " ".join(_describe_ranges(cloud, name) for name, cloud in clouds.items())
    return render_figure(name, title, caption, alt, draw, 3.4 + legend_height(names))


def _describe_ranges(cloud: PointCloud, name: str) -> str:
    ranges = [
        " to ".join(format_axis_number(float(end(values))) for end in (np.nanmin, np.nanmax))
        for values in cloud.runs
    ]
    return f"{name or 'all'}: across {ranges[0]}, upwards {ranges[1]}."


def norm_space(
    name: str, title: str, caption: str, agents: Sequence[int], clouds: Mapping[str, PointCloud]
) -> Figure:
    """Draw alignment of norms against similarity: runs, means of conditions, the curve they lie on.

    alignment = sqrt((1 + (N - 1) similarity) / N) for N agents; a curve for each of `agents`.
    """
    names = [wrap_label(cloud) for cloud in clouds]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        low = min(float(np.nanmin(cloud.across)) for cloud in clouds.values())
        along = np.linspace(max(low - 0.05, -1), 1, 200)
        for number, count in enumerate(agents):
            _draw_norm_curve(axes, number, count, along)
        handles = [_draw_cluster(axes, named, cloud) for named, cloud in clouds.items()]
        axes.set_xlabel("similarity of norms: mean cosine over pairs of agents")
        axes.set_ylabel("alignment of norms: mean cosine with their mean")
        add_legend(figure, handles, names)

    means = {
        name: [format_axis_number(float(np.nanmean(values))) for values in cloud.runs]
        for name, cloud in clouds.items()
    }
    alt = " ".join(
        f"{name}: mean similarity {similarity}, mean alignment {alignment}."
        for name, (similarity, alignment) in means.items()
    )
    return render_figure(name, title, caption, alt, draw, 3.8 + legend_height(names))


def _draw_norm_curve(axes: Any, number: int, count: int, along: Array) -> None:
    inside = along[along >= -1 / max(count - 1, 1)]
    curve = np.sqrt((1 + (count - 1) * inside) / count)
    axes.plot(inside, curve, color=FAINT, linewidth=1, zorder=1)
    at = len(inside) * 3 // 4 - number * len(inside) // 8
    beside = {"textcoords": "offset points", "fontsize": 8}
    axes.annotate(f"N = {count}", (inside[at], curve[at]), (4, -9), **beside)


def _draw_cluster(axes: Any, named: str, cloud: PointCloud) -> Any:
    colour, marker, _ = cloud.style
    faint = {"color": colour, "alpha": 0.3, "markersize": 3.5, "markeredgewidth": 0}
    (runs,) = axes.plot(*cloud.runs, marker, **faint)
    name_series(runs, named or "runs", silent=True)
    middle = [[np.nanmean(values)] for values in cloud.runs]
    (handle,) = axes.plot(*middle, marker, color=colour, markeredgecolor=PAPER, markersize=8.5)
    name_series(handle, named or "runs")
    return handle
