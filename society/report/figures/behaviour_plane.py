"""Strategies in the plane of their principal components: sets, their ellipses, and references."""

from __future__ import annotations

from typing import Any

from society.analysis.strategies.principal_plane import PrincipalPlane
from society.optional import require

from .alt_text import format_axis_number
from .read_out import name_series
from .style import (
    INK,
    PAPER,
    Figure,
    SeriesStyle,
    add_legend,
    legend_height,
    render_figure,
    series_style,
    wrap_label,
)
from .type_colours import assign_styles

_CAPTION = (
    "Each point is a strategy; large marks are the centroids of sets, and ellipses lie within one "
    "standard deviation. References: A-C and A-D always do the same, Rnd(.5) tosses a coin, CC(n) "
    "cooperates at first and where n opponents or more cooperated last, CD(n) defects there."
)


def behaviour_plane(name: str, title: str, plane: PrincipalPlane) -> Figure:
    """Draw the strategies of each set, its centroid and ellipse, and the references."""
    names = [wrap_label(one) for one in plane.places]
    styles = assign_styles(plane.places)

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        handles = [
            _draw_set(axes, plane, name, series_style(number)._replace(colour=styles[name].colour))
            for number, name in enumerate(plane.places)
        ]
        for reference, (across, upwards) in plane.references.items():
            axes.plot(across, upwards, "+", color=INK, markersize=6)
            beside = {"textcoords": "offset points", "fontsize": 7}
            axes.annotate(reference, (across, upwards), (4, 3), **beside)
        axes.set_xlabel(f"first component ({plane.explained[0]:.1%} of the variance)")
        axes.set_ylabel(f"second component ({plane.explained[1]:.1%})")
        add_legend(figure, handles, names)

    return render_figure(name, title, _CAPTION, _describe(plane), draw, 4.6 + legend_height(names))


def _draw_set(axes: Any, plane: PrincipalPlane, name: str, style: SeriesStyle) -> Any:
    """Draw one set; marks and dashes tell sets apart in grey as well."""
    colour, marker, dashes = style
    places, ellipse = plane.places[name], plane.ellipses()[name]
    faint = {"color": colour, "alpha": 0.3, "markersize": 3.5, "markeredgewidth": 0}
    (points,) = axes.plot(*places.T, marker, **faint)
    name_series(points, name)
    ring = require("matplotlib.patches").Ellipse(
        ellipse.centre, 2 * ellipse.long, 2 * ellipse.short, angle=ellipse.angle
    )
    ring.set(facecolor="none", edgecolor=colour, linewidth=1.2, linestyle=dashes)
    axes.add_patch(ring)
    middle = [[at] for at in ellipse.centre]
    (handle,) = axes.plot(*middle, marker, color=colour, markeredgecolor=PAPER, markersize=8.5)
    name_series(handle, name, names=["centroid"])
    return handle


def _describe(plane: PrincipalPlane) -> str:
    return " ".join(
        f"{name}: centroid at {format_axis_number(one.centre[0])} across, "
        f"{format_axis_number(one.centre[1])} upwards."
        for name, one in plane.ellipses().items()
    )
