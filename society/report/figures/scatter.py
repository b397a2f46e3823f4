"""Figures of two numbers of each run: whether one foretells the other.

They take plain numbers, and know neither runs nor statistics.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from society.draws import Array
from society.report.figures.alt_text import figure
from society.report.figures.scales import Scale
from society.report.figures.style import (
    Picture,
    legend,
    legend_height,
    look,
    picture,
    same,
    wrapped,
)

_AXIS = 60  # signs of a label


class Cloud(NamedTuple):
    """The runs of a condition: two numbers of each, (R,) each."""

    across: Array
    upwards: Array


def scatter(
    name: str, title: str, words: str, axes_named: tuple[str, str], clouds: Mapping[str, Cloud]
) -> Picture:
    """A point for each run, by condition; axes_named: across, upwards."""
    names = [wrapped(cloud) for cloud in clouds]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        handles = [_points(axes, number, cloud) for number, cloud in enumerate(clouds.values())]
        for side, called in zip((axes.xaxis, axes.yaxis), axes_named, strict=True):
            side.set_label_text(wrapped(called, _AXIS, 2))
        across, upwards = map(np.concatenate, zip(*clouds.values(), strict=True))
        if ends := same(across):
            axes.set_xlim(ends)
        if ends := same(upwards):
            axes.set_ylim(ends)
        Scale.of(across).lay(axes, "x")
        Scale.of(upwards).lay(axes, "y")
        legend(figure, handles, names)

    seen = " ".join(_told(cloud, name) for name, cloud in clouds.items())
    return picture(name, title, words, seen, draw, 3.4 + legend_height(names))


def _points(axes: Any, number: int, cloud: Cloud) -> Any:
    own = look(number)
    (handle,) = axes.plot(
        *cloud, own.marker, color=own.colour, markerfacecolor="none", markersize=5
    )
    return handle


def _told(cloud: Cloud, name: str) -> str:
    ranges = [
        f"{figure(float(np.nanmin(values)))} to {figure(float(np.nanmax(values)))}"
        for values in cloud
    ]
    return f"{name or 'all'}: across {ranges[0]}, upwards {ranges[1]}."
