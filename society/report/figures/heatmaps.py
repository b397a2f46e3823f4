"""Heat maps: a value over two parameters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array
from society.optional import require

from .alt_text import describe_extremes
from .cell_numbers import print_on_cell
from .style import (
    Figure,
    add_colour_bar,
    constant_range,
    render_panels,
    shorten_label,
    thin_ticks,
    wrap_label,
)

_SIGNS_AN_INCH = 12  # of an axis' label
_PANEL_SHARE = 0.75  # of its part of a figure, in which a panel has its cells
_ON_CELLS = ("#fdfdfd", "#111111")  # figures on dark and on light cells
_LONGEST_ROW = 42  # characters of a row's name in the width of a figure
_LONGEST_COLUMN = 14  # of a column's
_PRINTED = 160  # cells at most that have room for their figures
_NUMBER = 7.0  # points
_TICKS = 16

_ROW, _TALLEST, _LEAST = 0.16, 4.0, 1.2  # inches: an agent, all of them
_STRIP = 0.5  # inches, the bars below
_BESIDE = 14  # generations at most of panels side by side
_CAREER_TICKS = 12
_BIRTH = "#ff2e1f"


class HeatPanel(NamedTuple):
    """Values (rows, columns), NaN where there is none; axes: what rows and columns are."""

    title: str
    axes: tuple[str, str]
    rows: Sequence[str]
    columns: Sequence[str]
    values: Array

    def describe(self) -> str:
        return describe_extremes(
            {
                f"{self.axes[0]} = {row}, {self.axes[1]} = {column}": float(value)
                for row, values in zip(self.rows, self.values, strict=True)
                for column, value in zip(self.columns, values, strict=True)
            }
        )


def heatmap(name: str, title: str, caption: str, unit: str, panels: Sequence[HeatPanel]) -> Figure:
    """Draw a value over two parameters, on one scale of colours."""
    widest = max(len(panel.columns) for panel in panels)
    across = 1 if widest > 10 else min(len(panels), 3 if widest <= 6 else 2)
    tall = max(0.24 * max(len(panel.rows) for panel in panels) + 0.3, 1.2)
    signs = int(math.ceil(len(panels) / across) * (tall + 0.4) * _SIGNS_AN_INCH)
    norm = _colour_scale([panel.values for panel in panels])

    def draw(own: Sequence[Any], panel: HeatPanel) -> dict[str, Any]:
        _draw_cells(own[0], panel, norm, _LONGEST_ROW // across)
        _turn_crowded(own[0])
        return {}

    def finish(figure: Any, grid: list[Any]) -> None:
        figure.supylabel(wrap_label(panels[0].axes[0], signs), fontsize=9)
        figure.supxlabel(wrap_label(panels[0].axes[1], 60), fontsize=9)
        add_colour_bar(figure, grid[-1][0].collections[0], wrap_label(unit, signs, 4), 0.9)

    return render_panels(
        name,
        title,
        caption,
        panels,
        draw,
        across=across,
        heights=[tall],
        finish=finish,
        sharex=True,
        sharey=True,
    )


def _colour_scale(values: Sequence[Array]) -> Any:
    every = np.concatenate([each.ravel() for each in values])
    span = constant_range(every) or (np.nanmin(every), np.nanmax(every))
    return require("matplotlib.colors").Normalize(*span)


def _draw_cells(axes: Any, panel: HeatPanel, norm: Any, longest: int) -> None:
    axes.pcolormesh(np.ma.masked_invalid(panel.values), cmap="viridis", norm=norm)
    axes.grid(visible=False)
    for side, names, most in (
        (axes.xaxis, panel.columns, _LONGEST_COLUMN),
        (axes.yaxis, panel.rows, longest),
    ):
        places = thin_ticks(range(len(names)), _TICKS)
        labels = [shorten_label(names[at], most) for at in places]
        side.set_ticks([place + 0.5 for place in places], labels)
        side.set_tick_params(length=0)
    if panel.values.size <= _PRINTED:
        _print_values(axes, panel.values, norm)


def _turn_crowded(axes: Any) -> None:
    """Turn the names of columns upright where they would run into each other."""
    places = axes.get_subplotspec().get_gridspec()
    room = axes.get_figure().get_figwidth() / places.ncols * _PANEL_SHARE
    signs = sum(len(label.get_text()) + 1 for label in axes.get_xticklabels())
    if signs > room * _SIGNS_AN_INCH:
        axes.tick_params(axis="x", rotation=90)


def _print_values(axes: Any, values: Array, norm: Any) -> None:
    """Print each value on its cell, in black or white, whichever is read better there."""
    largest = np.nanmax(np.abs(values))
    decimals = 0 if largest >= 10 else 1 if largest >= 1 else 2
    for (row, column), value in np.ndenumerate(values):
        if not math.isnan(value):
            colour = _ON_CELLS[bool(norm(value) > 0.6)]
            at, words = (column + 0.5, row + 0.5), f"{value:.{decimals}f}"
            print_on_cell(axes, at, words, colour=colour, size=_NUMBER)
