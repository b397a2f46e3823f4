"""Payoffs, stocks and bounds of the three dilemmas are those of Willis et al. 2026."""

from __future__ import annotations

import re
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.sandbox.stage_games import GameName, StageGame, stage_game

GAMES: tuple[GameName, ...] = ("public_goods", "collective_risk", "common_pool")


def seats(moves: str) -> Any:
    """CDD -> True, False, False."""
    return np.array([move == "C" for move in moves])


def play(game: StageGame, rounds: list[Any]) -> float:
    """Mean payoff per round of a game that is played so."""
    stock, total = game.first_stock, 0.0
    for cooperates in rounds:
        total += float(game.paid(cooperates, stock).mean())
        stock = game.next_stock(cooperates, stock)
    return total / len(rounds)


def all_means(game: StageGame) -> list[float]:
    """The mean payoff per round of every game: by the number of cooperators in each round."""
    n = game.players
    round_of = [np.arange(n) < cooperators for cooperators in range(n + 1)]
    return [
        play(game, [round_of[c] for c in one]) for one in product(range(n + 1), repeat=game.rounds)
    ]


@pytest.mark.parametrize(
    ("moves", "payoffs"),
    [
        ("DDDD", [1, 1, 1, 1]),
        ("CDDD", [0.5, 1.5, 1.5, 1.5]),
        ("CCDD", [1, 1, 2, 2]),
        ("CCCC", [2, 2, 2, 2]),
    ],
)
def test_a_public_good_pays_all_a_share_and_defectors_one_point_more(
    moves: str, payoffs: list[float]
) -> None:
    assert stage_game("public_goods", 4).paid(seats(moves)).tolist() == payoffs


@pytest.mark.parametrize(
    ("moves", "payoffs"),
    [
        ("DDDD", [1, 1, 1, 1]),
        ("CDDD", [0, 1, 1, 1]),
        ("CCDD", [2, 2, 3, 3]),
        ("CCCC", [2, 2, 2, 2]),
    ],
)
def test_a_collective_risk_pays_the_benefit_from_the_threshold_on(
    moves: str, payoffs: list[float]
) -> None:
    assert stage_game("collective_risk", 4).paid(seats(moves)).tolist() == payoffs


def test_a_pool_that_all_spare_stays_full() -> None:
    pool = stage_game("common_pool", 4)
    assert pool.first_stock == 16
    assert pool.paid(seats("CCCC"), 16).tolist() == [2, 2, 2, 2]
    assert pool.next_stock(seats("CCCC"), 16) == 16


def test_a_single_round_of_defection_empties_the_pool_for_good() -> None:
    pool = stage_game("common_pool", 3)
    assert pool.paid(seats("DDD"), 12).tolist() == [4, 4, 4]
    assert pool.next_stock(seats("DDD"), 12) == 0
    assert pool.next_stock(seats("CCC"), 0) == 0


def test_defectors_take_twice_as_much_from_the_pool() -> None:
    pool = stage_game("common_pool", 2)
    assert pool.paid(seats("CD"), 8).tolist() == [2, 4]
    assert pool.next_stock(seats("CD"), 8) == 5  # 2 are left, and 2 + 4 (1 - 2 / 8) = 5


@given(
    n=st.integers(2, 9),
    moves=st.lists(st.lists(st.booleans(), min_size=9, max_size=9), max_size=30),
)
def test_a_stock_loses_what_is_taken_and_grows_as_the_paper_says(
    n: int, moves: list[list[bool]]
) -> None:
    pool = stage_game("common_pool", n)
    stock = 4.0 * n
    for one in moves:
        cooperates = np.array(one[:n])
        left = max(stock - float(pool.paid(cooperates, stock).sum()), 0)
        expected = min(left + 2 * left * (1 - left / (4 * n)), 4 * n)
        stock = float(pool.next_stock(cooperates, stock))
        assert stock == pytest.approx(expected, abs=1e-9)
        assert 0 <= stock <= 4 * n


@pytest.mark.parametrize("name", GAMES)
def test_many_matches_are_paid_like_each_alone(name: GameName) -> None:
    game = stage_game(name, 3)
    cooperates = np.array(list(product([False, True], repeat=3)))
    stocks = np.linspace(0, 12, 8)
    alone = [game.paid(one, stock) for one, stock in zip(cooperates, stocks, strict=True)]
    assert game.paid(cooperates, stocks).tolist() == np.array(alone).tolist()
    later = [game.next_stock(one, stock) for one, stock in zip(cooperates, stocks, strict=True)]
    together = game.next_stock(cooperates, stocks)
    assert later == ([None] * 8 if together is None else together.tolist())


class Case(NamedTuple):
    """A game and its bounds."""

    game: StageGame
    low: float
    high: float


CASES = [
    Case(stage_game("public_goods", 4), 1, 2),
    Case(stage_game("public_goods", 4, factor=3), 1, 3),
    Case(stage_game("collective_risk", 4), 0.75, 2.5),
    Case(stage_game("collective_risk", 5), 0.8, 2.6),
    Case(stage_game("collective_risk", 16, factor=3), 9 / 16, 3.5),
    Case(stage_game("collective_risk", 4, threshold=4), 0.25, 2),
    Case(stage_game("common_pool", 4), 4 / 20, 2 * 21 / 20),
    Case(stage_game("common_pool", 64), 4 / 20, 2 * 21 / 20),
    Case(stage_game("common_pool", 4, capacity=32), 8 / 20, 4 * 21 / 20),
    Case(stage_game("common_pool", 4, rounds=1), 2, 4),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.game))
def test_bounds_are_those_of_the_paper(case: Case) -> None:
    assert case.game.bounds() == pytest.approx((case.low, case.high))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_no_play_of_a_small_game_falls_out_of_the_bounds_and_some_reach_them(
    name: GameName, players: int, rounds: int
) -> None:
    game = stage_game(name, players, rounds)
    means = all_means(game)
    assert (min(means), max(means)) == pytest.approx(game.bounds())


@pytest.mark.parametrize("factor", [1.01, 1.5, 20])
@pytest.mark.parametrize("threshold", [1, 2, 3, 4])
def test_bounds_of_a_collective_risk_hold_for_every_threshold(
    factor: float, threshold: int
) -> None:
    game = stage_game("collective_risk", 4, rounds=1, factor=factor, threshold=threshold)
    means = all_means(game)
    assert (min(means), max(means)) == pytest.approx(game.bounds())


def test_twenty_rounds_of_a_pool_on_a_fine_grid_of_stocks_pay_no_more_and_no_less() -> None:
    """Dynamic programming, interpolated between stocks: 20 rounds have too many plays to try."""
    pool = stage_game("common_pool", 4)
    stocks = np.linspace(0, 16, 4_001)
    least, most = np.zeros(4_001), np.zeros(4_001)
    for _ in range(20):
        plays = [np.arange(4) < cooperators for cooperators in range(5)]
        each = [np.broadcast_to(one, (4_001, 4)) for one in plays]
        paid = np.array([pool.paid(one, stocks).mean(-1) for one in each])
        later = [pool.next_stock(one, stocks) for one in each]
        least = (paid + [np.interp(one, stocks, least) for one in later]).min(0)
        most = (paid + [np.interp(one, stocks, most) for one in later]).max(0)
    assert (least[-1] / 20, most[-1] / 20) == pytest.approx(pool.bounds(), rel=1e-9)


def test_the_best_play_of_a_pool_spares_it_until_the_last_round() -> None:
    pool = stage_game("common_pool", 4)
    spared = play(pool, [seats("CCCC")] * 19 + [seats("DDDD")])
    assert pool.efficiency(spared) == pytest.approx(1)
    assert pool.efficiency(play(pool, [seats("DDDD")] * 20)) == 0
    assert pool.efficiency(play(pool, [seats("CCCC")] * 20)) == pytest.approx(18 / 19)


def test_efficiency_takes_single_means_and_arrays() -> None:
    game = stage_game("public_goods", 4, factor=3)
    assert game.efficiency(2.0) == 0.5
    assert game.efficiency(np.array([1.0, 2.0, 3.0])).tolist() == [0, 0.5, 1]


REFUSED: list[tuple[GameName, dict[str, Any], str]] = [
    ("public_goods", {"players": 1}, "at least 2 players"),
    ("public_goods", {"players": 4, "rounds": 0}, "at least 1 round"),
    ("public_goods", {"players": 2}, "1 < factor < players"),
    ("public_goods", {"players": 4, "factor": 4}, "1 < factor < players"),
    ("public_goods", {"players": 4, "factor": float("nan")}, "1 < factor < players"),
    ("public_goods", {"players": 4, "threshold": 2}, "public_goods has no threshold"),
    ("collective_risk", {"players": 4, "threshold": 5}, "1 <= threshold <= players"),
    ("collective_risk", {"players": 4, "threshold": 0}, "1 <= threshold <= players"),
    ("collective_risk", {"players": 4, "factor": 1}, "1 < factor"),
    ("common_pool", {"players": 4, "capacity": 0}, "0 < capacity"),
    ("common_pool", {"players": 4, "factor": 2}, "common_pool has no factor"),
]


@pytest.mark.parametrize(("name", "parameters", "said"), REFUSED)
def test_what_is_no_dilemma_is_refused(
    name: GameName, parameters: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        stage_game(name, **parameters)


def test_an_unknown_game_is_refused_with_the_names_of_those_that_are_there() -> None:
    with pytest.raises(ValueError, match="'chess' is no stage game; expected one of public_goods"):
        stage_game("chess", 2)  # type: ignore[arg-type]
