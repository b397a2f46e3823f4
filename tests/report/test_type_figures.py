"""Figures of types: their order, their colours, ties, and shares that sum to one."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from society.analysis.crossplay.rankings import Ranking
from society.engine.rng import Array
from society.report.figures.simplex import SimplexPanel, simplex_grid, simplex_plot
from society.report.figures.stacked_shares import SharePanel, spread_labels, stacked_shares
from society.report.figures.style import SERIES, Figure
from society.report.figures.type_colours import assign_styles, is_dark, payoff_colours
from society.report.figures.type_rows import (
    ActionPanel,
    Anchors,
    PayoffColouring,
    RankingPanel,
    action_plot,
    ranking_plot,
)

pytestmark = pytest.mark.usefixtures("wide_only")

TYPES = ["saint", "mirror", "rogue"]
STYLES = assign_styles(TYPES)
DILEMMA = Anchors((1.0,), (2.0,))


def words(svg: str) -> list[str]:
    found = ElementTree.fromstring(svg[svg.index("<svg") :]).iter(
        "{http://www.w3.org/2000/svg}text"
    )
    return ["".join(text.itertext()) for text in found]


def ranked(scores: Array, payoffs: Array | None = None, anchors: Anchors | None = None) -> Figure:
    places = Ranking.of(scores).names_of_places
    panel = RankingPanel("", scores, places, payoffs)
    return ranking_plot("r", "t", "w", TYPES, [panel], anchors, STYLES)


def test_types_that_score_the_same_tie_and_the_next_place_is_left_out() -> None:
    ranking = Ranking.of(np.array([[1.0, 2.0, 2.0 + 1e-12, 0.5]]))
    assert list(ranking.order) == [2, 1, 0, 3]
    assert ranking.names_of_places == ["1=", "1=", "3", "4"]
    assert ranking.claim(["a", "b", "c", "d"]) == "c and b tie for the highest score"


def test_the_first_is_said_to_be_ahead_only_if_runs_tell_it_apart() -> None:
    noise = np.array([0.3, -0.4, 0.5, -0.2, 0.1])
    close = np.stack([2 + noise, 1.95 - noise, 1 + noise], axis=1)
    assert Ranking.of(close).claim(TYPES) == (
        "saint has the highest mean, but runs do not tell saint and mirror apart"
    )
    clear = np.stack([3 + noise / 10, 2 - noise / 10, 1 + noise], axis=1)
    assert Ranking.of(clear).claim(TYPES) == "saint scores highest"


def test_types_of_equal_scores_throughout_all_tie() -> None:
    assert Ranking.of(np.ones((1, 3))).claim(TYPES) == "All types tie"


def test_rows_and_columns_are_named_and_cells_say_what_the_row_earns() -> None:
    payoffs = np.array([[[2, 2, 0], [2, 2, 0.8], [3, 1.2, 1]]])
    picture = ranked(np.array([[1.0, 1.5, 1.7]]), payoffs, DILEMMA)
    said = words(picture.svg)
    assert [said.count(one) for one in TYPES] == [2, 2, 2], "in the row and in the column"
    (cells,) = (one for one in picture.data.series if one.label == "payoff")
    assert cells.values is not None
    assert dict(zip(zip(cells.upwards, cells.across, strict=True), cells.values, strict=True))[
        (2, 0)
    ] == pytest.approx(3)
    assert {"equilibrium: 1", "all cooperate: 2"} <= set(said)


def test_where_seats_differ_a_cell_has_both_payoffs() -> None:
    payoffs = np.array([np.full((3, 3), 0.25), np.full((3, 3), 0.75)])
    said = words(ranked(np.array([[1.0, 1.5, 1.7]]), payoffs, None).svg)
    assert (said.count("0.25"), said.count("0.75")) == (9, 9)


def test_colours_stand_at_equilibrium_and_cooperation_whatever_else_is_paid() -> None:
    for payoffs in (np.array([[[1.0, 2.0]]]), np.array([[[1.0, 2.0, 0.0, 5.0]]])):
        colouring = PayoffColouring.of([payoffs], DILEMMA)
        low, high = colouring.colours(payoffs)[0, 0, :2]
        colours = payoff_colours(anchored=True)
        assert low == pytest.approx(colours(0.25), abs=0.01)
        assert high == pytest.approx(colours(0.75), abs=0.01)


def test_a_game_without_anchors_has_greys() -> None:
    colours = PayoffColouring.of([np.array([[[1.0, 2.0]]])], None).colours(np.array([[[1.5]]]))
    assert np.ptp(colours[0, 0, 0, :3]) < 0.05


def luminance(colour: Array) -> float:
    linear = np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_payoff_colours_get_lighter_all_the_way_so_that_grey_print_orders_them() -> None:
    colours = payoff_colours(anchored=True)(np.linspace(0, 1, 41))[:, :3]
    light = [luminance(colour) for colour in colours]
    assert light == sorted(light)
    assert (light[30] + 0.05) / (light[10] + 0.05) > 3, "cooperation against equilibrium"


def test_words_on_cells_are_white_where_white_is_read_better() -> None:
    assert is_dark("#000000")
    assert is_dark("#9c3708")
    assert not is_dark("#86bfe8")


def test_a_type_looks_alike_in_all_figures_and_unlike_every_other() -> None:
    many = [f"type {n}" for n in range(3 * len(SERIES))]
    styles = assign_styles(many)
    assert len({*styles.values()}) == len(many)
    colour = styles["type 1"].colour
    scores = np.array([[1.0, 1.5, 1.7]])
    three = many[:3]
    ranking = ranking_plot(
        "r", "t", "w", three, [RankingPanel("", scores, ["1"] * 3, None)], None, styles
    )
    shares = SharePanel("", three, np.arange(2), np.full((2, 3), 1 / 3))
    areas = stacked_shares("s", "t", "w", [shares], styles, "step")
    bars = action_plot(
        "a", "t", "w", three, [], [ActionPanel("", {"c": scores[0] / 2}, None)], styles
    )
    assert all(colour in picture.svg for picture in (ranking, areas, bars))


def test_areas_sum_to_one_with_the_largest_lowest_and_all_are_named() -> None:
    shares = np.array([[0.2, 0.2, 0.6], [0.0, 0.7, 0.3]])
    picture = stacked_shares(
        "s", "t", "w", [SharePanel("", TYPES, np.arange(2), shares)], STYLES, "x"
    )
    tops = {one.label: one.upwards for one in picture.data.series}
    assert tops["mirror"] == pytest.approx([0.2, 0.7])
    assert tops["saint"] == pytest.approx([1, 1])
    assert {"mirror 70 %", "rogue 30 %", "saint 0 %"} <= set(words(picture.svg))


def test_labels_that_would_touch_are_moved_apart_and_keep_their_order() -> None:
    placed = spread_labels(np.array([0.1, 0.98, 0.99, 1.0]), 0.1)
    assert np.diff(placed).min() >= 0.1 - 1e-9
    assert placed[0] == 0.1


def test_a_course_ends_where_shares_hardly_change_any_more() -> None:
    moving = np.linspace(1, 0, 11)
    shares = np.concatenate([np.stack([moving, 1 - moving], 1), np.tile([0.0, 1.0], (990, 1))])
    settled = SharePanel("", TYPES[:2], np.arange(1001), shares).until_settled()
    assert settled.times[-1] == 13
    assert settled.shares[-1].tolist() == [0, 1]


def test_the_triangle_has_shares_that_sum_to_one_and_names_its_corners() -> None:
    grid = simplex_grid()
    assert grid.sum(1) == pytest.approx(np.ones(len(grid)))
    path = np.array([[1 / 3] * 3, [0, 0.1, 0.9]])
    stable = np.array([False, False, True])
    panel = SimplexPanel("", TYPES, (grid, np.zeros_like(grid)), path, stable)
    picture = simplex_plot("s", "t", "w", [panel], STYLES)
    assert set(TYPES) <= set(words(picture.svg))
    assert picture.alt == (
        "From equal shares to saint 0%, mirror 10%, rogue 90%. Evolutionarily stable: rogue."
    )


def test_of_two_actions_one_bar_stands_and_beside_it_what_it_follows() -> None:
    after = np.array([[1, 1, 1, np.nan, np.nan], [1, 1, 0, 1, 0], [0, np.nan, np.nan, 0, 0]])
    panel = ActionPanel("", {"probability of cooperation": np.array([1, 0.78, 0])}, after)
    contexts = ["first move", "CC", "CD", "DC", "DD"]
    picture = action_plot("a", "t", "w", TYPES, contexts, [panel], STYLES)
    bars, cells = picture.data.series
    assert (bars.across.tolist(), bars.words) == ([1, 0.78, 0], TYPES)
    assert cells.values is not None
    assert len(cells.values) == 11, "what never came has no value"
    assert {"78%", "CD", "DC"} <= set(words(picture.svg))
    assert not re.search(r"\bA1\b", picture.svg)
