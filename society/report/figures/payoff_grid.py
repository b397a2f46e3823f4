"""Matrices of payoffs as small multiples: what each type is paid where it meets each other one.

A cell is cut into as many bands as it has payoffs, the first one uppermost, each with its own
colour and number. A matrix that is wider than the figure is cut into pieces.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

from .alt_text import describe_extremes, prefix_title
from .read_out import name_series
from .style import PAPER, SMALL, Figure, letter_panel, render_figure, shorten_label, wrap_label
from .type_colours import is_dark
from .type_rows import Anchors, PayoffColouring, format_payoff

_BAND, _WIDE = 0.128, 0.235  # inches: a band of a cell, and the least width of a number
_ROW = 0.215  # inches: two lines of a row's name
_BESIDE, _GAP = 0.85, 0.16  # inches: the names of rows, and what stands between panels
_HEAD, _BAR = 0.26, 0.5  # inches: a title, and the bar of colours
_LINE, _LONGEST = 13, 24  # characters: a line of a row's name, and the name of a column
_SIGN = 0.051  # inches, of a column's name
_FEWEST = 6  # columns that a panel has room for at least
_LETTERS = 4  # of a number
_ON_CELLS = ("#111111", "#fdfdfd")


class PayoffMatrix(NamedTuple):
    """Payoffs of each cell, (bands, rows, columns), NaN where there is none.

    columns: the names of the types that are met, in lines of their own.
    """

    title: str
    rows: Sequence[str]
    columns: Sequence[Sequence[str]]
    payoffs: Array

    def pieces(self, most: int) -> Iterator[PayoffMatrix]:
        """Cut the matrix into as few pieces of at most so many columns as there can be."""
        count = len(self.columns)
        size = math.ceil(count / math.ceil(count / most))
        for start in range(0, count, size):
            part = slice(start, start + size)
            title = self.title if start == 0 else f"{self.title}, continued"
            yield PayoffMatrix(title, self.rows, self.columns[part], self.payoffs[..., part])

    def describe(self) -> str:
        own = self.payoffs[0]
        return describe_extremes(
            {
                f"{row} against {' and '.join(column)}": float(own[at, place])
                for at, row in enumerate(self.rows)
                for place, column in enumerate(self.columns)
            }
        )


def arrange_matrices(
    matrices: Sequence[PayoffMatrix], width: float
) -> tuple[list[PayoffMatrix], int, int]:
    """Cut matrices for a figure of some width; gives how many stand side by side, and columns."""
    most = int((width - _BESIDE) / _WIDE)
    pieces = [piece for one in matrices for piece in one.pieces(most)]
    columns = max(_FEWEST, *(len(piece.columns) for piece in pieces))
    across = int((width - _BESIDE + _GAP) / (columns * _WIDE + _GAP))
    return pieces, max(1, min(len(pieces), across)), columns


def payoff_grid(
    name: str,
    title: str,
    caption: str,
    matrices: Sequence[PayoffMatrix],
    anchors: Anchors | None,
) -> Figure:
    """Draw matrices with the same rows side by side, on one scale of colours."""
    colouring = PayoffColouring.of([one.payoffs for one in matrices], anchors)
    rows, bands = len(matrices[0].rows), len(matrices[0].payoffs)
    below = max(
        len(shorten_label(name, _LONGEST))
        for one in matrices
        for column in one.columns
        for name in column
    )

    def draw(figure: Any) -> None:
        pieces, across, columns = arrange_matrices(matrices, figure.get_figwidth())
        lines = math.ceil(len(pieces) / across)
        grid = figure.subplots(lines, across, squeeze=False).ravel()
        for axes in grid[len(pieces) :]:
            axes.set_axis_off()
        for place, (axes, piece) in enumerate(zip(grid, pieces, strict=False)):
            _draw_matrix(axes, piece, colouring)
            axes.set_xlim(-0.5, columns - 0.5)
            words = wrap_label(piece.title, int(columns * _WIDE * 13), 1)
            axes.set_title(letter_panel(place, words))
            names = [wrap_label(row, _LINE) for row in piece.rows]
            axes.set_yticks(range(rows), names if place % across == 0 else [])
            same = place + across < len(pieces) and (
                pieces[place + across].columns == piece.columns
            )
            _name_columns(axes, [] if same else piece.columns)
        colouring.add_bar(figure, [(axes,) for axes in grid])

    def height(width: float) -> float:
        pieces, across, _ = arrange_matrices(matrices, width)
        lines = math.ceil(len(pieces) / across)
        named = lines if len({tuple(map(tuple, one.columns)) for one in pieces}) > 1 else 1
        names = named * (below * _SIGN + 0.1)
        return lines * (rows * max(bands * _BAND, _ROW) + _HEAD) + names + _BAR

    alt = " ".join(prefix_title(one.title, one.describe()) for one in matrices)
    return render_figure(name, title, caption, alt, draw, height)


def _draw_matrix(axes: Any, matrix: PayoffMatrix, colouring: PayoffColouring) -> None:
    """Draw the bands of all cells, and their numbers."""
    bands, rows, columns = matrix.payoffs.shape
    faces = colouring.colours(matrix.payoffs)
    faces[np.isnan(matrix.payoffs)] = 0
    x, y = np.arange(columns + 1) - 0.5, np.arange(rows * bands + 1) / bands - 0.5
    stacked = faces.transpose(1, 0, 2, 3).reshape(rows * bands, columns, 4)
    values = matrix.payoffs.transpose(1, 0, 2).reshape(rows * bands, columns)
    mesh = axes.pcolormesh(x, y, stacked)
    name_series(mesh, "payoff", values=values)
    for edges, lines in ((x, axes.vlines), (y[::bands], axes.hlines)):
        lines(edges, *((y[0], y[-1]) if edges is x else (x[0], x[-1])), color=PAPER, linewidth=1)
    for (row, column), value in np.ndenumerate(values):
        if not np.isnan(value):
            ink = _ON_CELLS[is_dark(stacked[row, column])]
            look = {"color": ink, "fontsize": SMALL, "ha": "center", "va": "center"}
            middle = (y[row] + y[row + 1]) / 2
            text = axes.text(column, middle, shorten_payoff(float(value)), **look)
            text.set_in_layout(False)  # it stands inside; looking at all of them takes seconds
    axes.set_ylim(rows - 0.5, -0.5)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize=SMALL)


def shorten_payoff(value: float) -> str:
    """Round a payoff to the four letters that a cell has room for, if it can be.

    >>> shorten_payoff(1.234), shorten_payoff(-1.234), shorten_payoff(-12.34), shorten_payoff(1234)
    ('1.23', '-1.2', '-12', '1234')
    """
    words = format_payoff(value)
    for decimals in (1, 0):
        if len(words) > _LETTERS:
            words = f"{round(value, decimals) + 0.0:.{decimals}f}"
    return words


def _name_columns(axes: Any, columns: Sequence[Sequence[str]]) -> None:
    """Write the names of columns from below upwards, a line for each type that is met."""
    names = ["\n".join(shorten_label(one, _LONGEST) for one in column) for column in columns]
    axes.set_xticks(range(len(columns)), names)
    axes.tick_params(axis="x", rotation=90)
