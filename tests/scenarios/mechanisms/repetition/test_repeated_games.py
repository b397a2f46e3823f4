"""Repetition of games in matches: what is shown of the past, and what each game counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.environment import Environment
from society.engine.mechanism import intercept
from society.engine.rng import Array
from society.engine.scenario import Scenario, wrap_scenario
from society.engine.script import Line, Script, Tell, own
from society.errors import ScenarioError
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.action_history import game_weights
from society.scenarios.mechanisms.generations.generations import generations
from society.scenarios.mechanisms.repetition.repetition import Recess, repetition

if TYPE_CHECKING:
    from tests.conftest import Answering, Play
    from tests.scenarios.conftest import Puppets, Shown


def again(scenario: Scenario = prisoners_dilemma, **given: Any) -> Scenario:
    return wrap_scenario(scenario, repetition, **given)


# Weights


@pytest.mark.parametrize(
    ("games", "continuation", "expected"),
    [
        (1, 0.8, [1]),
        (2, 0.8, [0.2, 0.8]),
        (4, 0.5, [0.5, 0.25, 0.125, 0.125]),
        (3, 0.0, [1, 0, 0]),
        (4, None, [0.25, 0.25, 0.25, 0.25]),
    ],
)
def test_the_last_game_has_the_weight_of_all_that_would_follow(
    games: int, continuation: float | None, expected: list[float]
) -> None:
    assert game_weights(games, continuation).tolist() == pytest.approx(expected)
    assert game_weights(games, continuation).sum() == pytest.approx(1)


def test_the_payoff_is_the_weighted_mean_over_games(puppets: Puppets) -> None:
    """Mean points 2, 1.5 and 1 in three games."""
    over = puppets(again(games=3, continuation=0.5), ["001", "011"])
    assert [weight[0, 0] for weight in over.told("weight")] == [0.5, 0.25, 0.25]
    assert over.outcome.values["payoff"].tolist() == [0.5 * 2 + 0.25 * 1.5 + 0.25 * 1]


def test_without_a_chance_of_another_game_all_count_the_same(puppets: Puppets) -> None:
    over = puppets(again(games=4), ["0001", "0001"])
    assert over.outcome.values["payoff"].tolist() == [(2 + 2 + 2 + 1) / 4]


# What is shown


def test_actions_are_shown_the_latest_first(puppets: Puppets, shown: Shown) -> None:
    over = puppets(again(games=4), ["0110", "1000"])
    assert [fact[0].tolist() for fact in shown(over, "past_own")] == [
        [[0], [1]],
        [[1, 0], [0, 1]],
        [[1, 1, 0], [0, 0, 1]],
    ]
    assert [fact[0].tolist() for fact in shown(over, "past_others")] == [
        [[1], [0]],
        [[0, 1], [1, 0]],
        [[0, 0, 1], [1, 1, 0]],
    ]
    assert [fact[0, 0].tolist() for fact in shown(over, "past_round")] == [[1], [2, 1], [3, 2, 1]]
    assert [int(fact.flat[0]) for fact in shown(over, "games_played")] == [0, 1, 2, 3]


def test_nothing_older_than_the_window_is_shown(puppets: Puppets, shown: Shown) -> None:
    over = puppets(again(games=4, window=2), ["0111", "1000"])
    assert [fact[0, 0].tolist() for fact in shown(over, "past_round")] == [[1], [2, 1], [3, 2]]
    assert shown(over, "past_own")[-1][0].tolist() == [[1, 1], [0, 0]]
    assert shown(puppets(again(games=3, window=0), ["01", "10"]), "past_own") == []


def test_of_three_players_the_others_stand_in_order_of_seat(puppets: Puppets, shown: Shown) -> None:
    over = puppets(again(public_goods, games=3), ["00", "01", "11"])
    assert shown(over, "past_others")[-1][0].tolist() == [
        [1, 1, 0, 1],  # of player 1: players 2 and 3 in game 2, then in game 1
        [0, 1, 0, 1],
        [0, 1, 0, 0],
    ]


def test_points_are_not_shown(puppets: Puppets) -> None:
    over = puppets(again(games=3, continuation=0.8), ["0", "1"])
    asked = {name for step in over.steps if step.sort == "ask" for _, name in step.arrays}
    assert asked == {
        *("", "seat", "games_played", "continuation"),
        *("past_round", "past_own", "past_others"),
    }


def test_matches_at_one_table_know_nothing_of_each_other(puppets: Puppets, shown: Shown) -> None:
    alone = puppets(again(games=3), ["01", "11"])
    among = puppets(again(games=3), ["01", "11", "00", "10"])
    for name in ("past_own", "past_others"):
        pairs = zip(shown(alone, name), shown(among, name), strict=True)
        assert all((one[:, :2] == both[:, :2]).all() for one, both in pairs)


def test_a_new_generation_knows_nothing_of_the_games_before_it(
    puppets: Puppets, shown: Shown
) -> None:
    over = puppets(
        wrap_scenario(again(games=2), generations, count=2, selection="none"), ["01", "11"]
    )
    assert [int(fact.flat[0]) for fact in shown(over, "games_played")] == [0, 1, 0, 1]
    assert [fact[0, 0].tolist() for fact in shown(over, "past_own")] == [[0], [0]]


# With other mechanisms


def test_what_is_added_to_payoffs_comes_through_to_a_game_that_is_over(
    play: Play, answering: Answering
) -> None:
    received: list[Array] = []

    def pair(env: Environment) -> Script:
        facts = {"payoff": own(np.array([[1.0, 2.0]]))}
        received.append((yield Tell("paid", facts, ends=np.array([[True]]))))

    def added(said: Line, back: Any) -> Any:
        return np.array([[3.0, 4.0]]) if said.kind == "paid" else back

    def once(env: Environment) -> Script:
        return intercept(Recess(env).played(pair), answer=added)

    play(once, answering(lambda ask, me: 0), agents=2)
    assert received[0].tolist() == [[3, 4]]


# Refused


@pytest.mark.parametrize("given", [{"continuation": 0.5}, {"window": 3}])
def test_a_village_has_no_actions_to_show(given: Mapping[str, Any]) -> None:
    with pytest.raises(ScenarioError, match="is for games in matches"):
        build(load_config("fishing_village", {"mechanisms": [{"repetition": given}]}))


def test_games_are_repeated_once() -> None:
    twice = [{"repetition": {"games": 2}}, {"repetition": {"games": 3}}]
    with pytest.raises(
        ScenarioError, match=r"repetition stands around repetition.*name one of them"
    ):
        build(load_config("trust", {"mechanisms": twice}))


def test_rounds_of_a_game_would_be_taken_for_games() -> None:
    often = {"mechanisms": [{"repetition": {"games": 2}}], "rounds": 3}
    with pytest.raises(ScenarioError, match=r"a game has 3 rounds.*take rounds: 1"):
        build(load_config("trust", often))


@pytest.mark.parametrize("given", [{"continuation": 1}, {"continuation": -0.1}, {"window": -1}])
def test_what_is_out_of_range_is_named(given: Mapping[str, Any]) -> None:
    with pytest.raises(ScenarioError, match=f"{next(iter(given))}.*expected"):
        build(load_config("trust", {"mechanisms": [{"repetition": given}]}))
