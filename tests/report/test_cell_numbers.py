"""Numbers on cells stand upright where they are too wide, and are left out where nothing fits."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.figure import Figure

from society.report.figures.cell_numbers import fit_cell_numbers, print_on_cell


def numbers(words: str, inches: tuple[float, float]) -> list[tuple[str, float]]:
    """The numbers of two cells side by side, each so wide and high, with their angles."""
    width, height = inches
    figure = Figure(figsize=(2 * width, height))
    axes: Any = figure.add_axes((0, 0, 1, 1), xlim=(0, 2), ylim=(0, 1))
    for column in (0.5, 1.5):
        print_on_cell(axes, (column, 0.5), words, colour="black", size=6.5)
    fit_cell_numbers(axes)
    return [(text.get_text(), text.get_rotation()) for text in axes.texts]


@pytest.mark.parametrize(
    ("inches", "left"),
    [
        ((0.5, 0.2), [("0.25", 0), ("0.25", 0)]),
        ((0.15, 0.5), [("0.25", 90), ("0.25", 90)]),
        ((0.15, 0.15), []),
        ((0.05, 0.5), []),
    ],
)
def test_numbers_are_level_upright_or_left_out_as_their_cells_have_room(
    inches: tuple[float, float], left: list[tuple[str, float]]
) -> None:
    assert numbers("0.25", inches) == left


def test_axes_without_numbers_stay_as_they_are() -> None:
    axes: Any = Figure().subplots()
    axes.text(0.5, 0.5, "a name that is much longer than any cell is wide")
    fit_cell_numbers(axes)
    assert len(axes.texts) == 1
