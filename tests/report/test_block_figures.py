"""Rows in blocks, dots by metric, and grids of payoffs: where things stand, and what is written."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from society.report.figures import block_rows, style
from society.report.figures.block_rows import (
    ROW,
    ActionStyle,
    BarPanelOfRows,
    RowBlock,
    RowLayout,
    block_bars,
)
from society.report.figures.dot_panels import DotSeries, MetricPanel, dot_panels
from society.report.figures.payoff_grid import PayoffMatrix, arrange_matrices, payoff_grid
from society.report.figures.style import HUES, SERIES, Figure
from society.report.figures.type_rows import Anchors

pytestmark = pytest.mark.usefixtures("wide_only")

BLOCKS = [RowBlock("after cooperation", ["saint", "rogue"]), RowBlock("after defection", ["saint"])]
ACTIONS = [ActionStyle("cooperates", HUES[-1].colour), ActionStyle("defects", HUES[0].colour)]


def words(figure: Figure) -> list[str]:
    drawing = ElementTree.fromstring(figure.svg[figure.svg.index("<svg") :])
    texts = drawing.iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.itertext()) for text in texts]


def test_blocks_have_their_names_in_rows_of_their_own() -> None:
    layout = RowLayout(BLOCKS)
    assert layout.places.tolist() == pytest.approx([1.5, 2.5, 4.9])
    assert layout.end == pytest.approx(5.4)
    assert layout.height == pytest.approx(ROW * 5.9)


def test_rows_may_be_taller_than_the_names_of_blocks() -> None:
    assert RowLayout(BLOCKS, tall=3).places.tolist() == pytest.approx([2.5, 5.5, 9.9])


@pytest.fixture(scope="module")
def bars() -> Figure:
    shares = np.array([[0.75, 0.25], [0.0, 1.0], [np.nan, np.nan]])
    panel = BarPanelOfRows("repetition", BLOCKS, shares, np.array([8, 4, 0]), ACTIONS)
    both = [panel, panel._replace(title="reputation")]
    return block_bars("b", "t", "c", both, across=2, xlabel="share of moves")


def test_bars_tell_shares_with_row_block_and_moves(bars: Figure) -> None:
    first, second = bars.data.series[:2]
    assert (first.label, second.label) == ("cooperates", "defects")
    assert first.values is not None
    assert first.values.tolist() == [0.75, 0.0]
    assert list(first.words) == [
        "after cooperation, saint (8 moves)",
        "after cooperation, rogue (4 moves)",
    ]
    assert second.across.tolist() == [1.0, 1.0]  # where the bar of a row ends


def test_a_row_without_moves_has_a_dash_and_rows_are_named_once_for_all_panels(
    bars: Figure,
) -> None:
    said = words(bars)
    assert said.count("–") == 2  # in either panel
    assert said.count("rogue") == 1
    assert said.count("after defection") == 1


def test_only_the_longest_name_takes_part_in_the_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = list[Any]()

    def fit(*given: Any) -> Any:
        return lambda figure, grid: kept.append(grid[0][0])

    monkeypatch.setattr(block_rows, "fit_rows", fit)
    panel = BarPanelOfRows("", BLOCKS, np.full((3, 2), 0.5), np.ones(3, int), ACTIONS)
    block_bars("b", "t", "c", [panel], across=1, xlabel="")
    axes = kept[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["after cooperation"]
    assert not any(text.get_in_layout() for text in axes.texts)


def metric(values: list[float], **more: object) -> MetricPanel:
    errors = np.full(3, np.nan)
    dots = [
        DotSeries("all", SERIES[0], np.array(values), errors),
        DotSeries("one", SERIES[1], np.array([0.5, 0.5, np.nan]), np.array([0.1, np.nan, np.nan])),
    ]
    return MetricPanel("share", BLOCKS, dots, **more)  # type: ignore[arg-type]


def test_dots_at_the_ends_of_an_axis_have_room_beyond_them() -> None:
    assert metric([0.0, 1.0, 0.5], bounds=(0, 1)).limits == pytest.approx((-0.06, 1.06))
    assert metric([0.5, 0.5, 0.5], bounds=(0, 1)).limits == pytest.approx((-0.06, 1.06))


def test_an_axis_reaches_to_what_dots_are_held_against_and_to_their_errors() -> None:
    assert metric([0.5, 0.5, 0.5], marks=(0.5, 1.5)).limits == pytest.approx((0.334, 1.566))


def test_of_ranks_the_first_stands_at_the_right() -> None:
    assert metric([1, 2, 3], bounds=(1, 3), falling=True).limits == pytest.approx((3.156, 0.244))


def test_dots_of_a_row_stand_below_each_other_in_the_order_of_the_series() -> None:
    figure = dot_panels("d", "t", "c", [metric([0.5, 0.5, 0.5])], across=1)
    above, below = figure.data.series
    assert (above.upwards[:2] < below.upwards).all()  # the axis counts from the top
    assert below.low is not None
    assert below.low[0] == pytest.approx(0.4)
    assert list(below.words) == ["after cooperation, saint", "after cooperation, rogue"]


MATRIX = PayoffMatrix(
    "contracts",
    ["saint", "rogue"],
    [("saint",), ("rogue",)],
    np.array([[[2.0, 0.0], [3.0, np.nan]], [[2.0, 3.0], [0.5, np.nan]]]),
)


def test_a_cell_has_both_payoffs_the_first_one_above_and_nothing_where_there_is_none() -> None:
    anchors = Anchors((1.0, 1.0), (2.0, 2.0))
    figure = payoff_grid("p", "t", "c", [MATRIX], anchors)
    (cells,) = figure.data.series
    assert cells.values is not None
    found = dict(
        zip(zip(cells.across, cells.upwards, strict=True), cells.values.tolist(), strict=True)
    )
    assert found == {
        (0.0, -0.25): 2.0,
        (0.0, 0.25): 2.0,
        (1.0, -0.25): 0.0,
        (1.0, 0.25): 3.0,
        (0.0, 0.75): 3.0,
        (0.0, 1.25): 0.5,
    }
    assert {"equilibrium: 1", "all cooperate: 2", "0.5"} <= set(words(figure))


def test_matrices_stand_side_by_side_as_far_as_numbers_have_room() -> None:
    types = [f"type {number}" for number in range(6)]
    one = PayoffMatrix("m", types, [(name,) for name in types], np.zeros((2, 6, 6)))
    _, wide, columns = arrange_matrices([one] * 4, style.WIDTH)
    assert (wide, columns) == (4, 6)
    assert arrange_matrices([one] * 4, style.NARROW)[1] == 1


def test_a_few_types_have_cells_of_the_usual_width() -> None:
    assert arrange_matrices([MATRIX], style.WIDTH)[1:] == (1, 6)


def test_a_matrix_wider_than_the_figure_is_cut_into_even_pieces() -> None:
    columns = [(f"a{at}", "b") for at in range(21)]
    wide = PayoffMatrix("goods", ["saint"], columns, np.arange(21.0).reshape(1, 1, 21))
    pieces = list(wide.pieces(10))
    assert [len(piece.columns) for piece in pieces] == [7, 7, 7]
    assert [piece.title for piece in pieces] == ["goods", "goods, continued", "goods, continued"]
    assert pieces[2].payoffs.tolist() == [[[*range(14, 21)]]]
    assert len(list(wide.pieces(int((style.WIDTH - 0.85) / 0.235)))) == 1


def test_a_matrix_in_words_names_who_meets_whom() -> None:
    assert MATRIX.describe() == (
        "Lowest: 0 (saint against rogue). Highest: 3 (rogue against saint)."
    )
