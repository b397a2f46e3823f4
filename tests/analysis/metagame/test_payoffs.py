"""What types scored: means, the tensor of the meta-game, and matches that were lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import ArrayLike

from society.analysis.metagame import Matchups, mean_payoffs, metagame_gap, payoff_tensor
from society.analysis.statistics import NotEstimable
from society.errors import InputError

Row = tuple[str, Sequence[float]]


def matchups(*rows: Row, types: str = "AB") -> Matchups:
    """Rows such as ("AB", [5, 0]): A sat at seat 1 and scored 5."""
    seats = [[types.index(name) for name in names] for names, _ in rows]
    return Matchups(tuple(types), np.array(seats), np.array([scores for _, scores in rows], float))


ALL: tuple[Row, ...] = (("AA", [1, 3]), ("AB", [5, 0]), ("BA", [2, 8]), ("BB", [4, 6]))


def test_a_mean_is_over_all_that_a_type_scored_in_any_seat() -> None:
    assert_array_equal(mean_payoffs(matchups(*ALL)), [(1 + 3 + 5 + 8) / 4, (0 + 2 + 4 + 6) / 4])


def test_means_by_seat() -> None:
    assert_array_equal(mean_payoffs(matchups(*ALL), by_seat=True), [[3, 3], [5.5, 3]])


def test_the_tensor_averages_what_a_type_scored_over_seats() -> None:
    assert_array_equal(payoff_tensor(matchups(*ALL)), [[2, (5 + 8) / 2], [(0 + 2) / 2, 5]])


def test_by_seat_the_tensor_is_the_game_that_was_played() -> None:
    tensor = payoff_tensor(matchups(*ALL), by_seat=True)
    assert_array_equal(tensor, [[[1, 5], [2, 4]], [[3, 0], [8, 6]]])


def test_with_three_seats_every_seat_and_order_has_the_same_weight() -> None:
    one_b: list[Row] = [("AAB", [1, 2, 30]), ("ABA", [3, 60, 4]), ("BAA", [90, 5, 6])]
    rest: list[Row] = [(names, [0, 0, 0]) for names in ("AAA", "ABB", "BAB", "BBA", "BBB")]
    tensor = payoff_tensor(matchups(*one_b, *rest))
    assert tensor[0, 0, 1] == tensor[0, 1, 0] == (1 + 2 + 3 + 4 + 5 + 6) / 6
    assert tensor[1, 0, 0] == (30 + 60 + 90) / 3


def test_a_seating_that_was_played_twice_counts_once_in_the_tensor_and_twice_in_the_mean() -> None:
    again = matchups(*ALL, ("AB", [7, 0]))
    assert payoff_tensor(again)[0, 1] == ((5 + 7) / 2 + 8) / 2
    assert mean_payoffs(again)[0] == (1 + 3 + 5 + 7 + 8) / 5
    assert mean_payoffs(again.distinct)[0] == (1 + 3 + 6 + 8) / 4


def test_a_lost_match_counts_nowhere_and_is_named() -> None:
    lost = matchups(*ALL[:2], ("BA", [2, np.nan]), ALL[3])
    assert lost.unplayed == [("B", "A")]
    assert_array_equal(mean_payoffs(lost), [(1 + 3 + 5) / 3, (0 + 4 + 6) / 3])
    for by_seat in (False, True):
        with pytest.raises(NotEstimable, match=r"at seats 1, 2, ...: B, A; play the matches"):
            payoff_tensor(lost, by_seat=by_seat)


def test_where_seats_are_alike_the_other_order_stands_for_a_lost_match() -> None:
    """Elsewhere it would be paid what another seat pays: A has 5 at seat 1, and 8 at seat 2."""
    lost = matchups(*ALL[:2], ("BA", [2, np.nan]), ALL[3])
    assert lost.lopsided == [("B", "A")]
    assert payoff_tensor(lost, exchangeable=True).tolist() == [[2, 5], [0, 5]]


def test_types_that_never_met_have_no_meta_game_but_means() -> None:
    apart = matchups(ALL[0], ALL[3], types="ABC")
    with pytest.raises(NotEstimable, match="A, B; A, C; B, A, and 4 more"):
        payoff_tensor(apart)
    with pytest.raises(NotEstimable, match="A, B; A, C; B, A, and 4 more"):
        payoff_tensor(apart, exchangeable=True)
    assert apart.lopsided == []
    assert_array_equal(mean_payoffs(apart), [2, 5, np.nan])


@pytest.mark.parametrize(
    ("types", "seats", "payoffs", "why"),
    [
        ("ABA", [[0, 1]], [[1, 2]], "types named twice: A; give each a name of its own"),
        ("AB", [[0, 1]], [[1, 2, 3]], r"seats have the shape \(1, 2\) and payoffs \(1, 3\)"),
        ("AB", [0, 1], [1, 2], "a row per match and a column per seat"),
        ("AB", [[], []], [[], []], "match-ups without a seat"),
        ("AB", [[0, 2]], [[1, 2]], "a seat holds type 2; there are 2 types, from 0 on"),
        ("AB", [[0, 1]], [[1, np.inf]], "a payoff is infinite"),
    ],
)
def test_what_does_not_fit_together_is_refused(
    types: str, seats: ArrayLike, payoffs: ArrayLike, why: str
) -> None:
    with pytest.raises(InputError, match=why):
        Matchups(tuple(types), np.array(seats), np.array(payoffs, float))


def test_matches_that_share_a_society_have_no_meta_game() -> None:
    assert metagame_gap(1) is None
    assert str(metagame_gap(6)).startswith("not defined: 6 matches share one society")
