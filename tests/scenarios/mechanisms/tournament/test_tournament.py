"""A tournament seats types of agents: each meets every other one, and itself, on every seat."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.errors import ScenarioError
from society.scenarios.mechanisms.tournament.tournament import cross_play

if TYPE_CHECKING:
    from tests.conftest import Recorded

TOURNAMENT = {"mechanisms": ["tournament"]}


def type_of(name: str, strategy: str) -> dict[str, Any]:
    return {"name": name, "components": [{"classic_strategies": {"strategy": strategy}}]}


SAINT, ROGUE = type_of("saint", "always_cooperate"), type_of("rogue", "always_defect")


@pytest.fixture
def held() -> Callable[..., Society]:
    """`held(game, ...)` is a tournament of a saint and a rogue, with changes to its file."""

    def prepare(game: str = "prisoners_dilemma", **changes: Any) -> Society:
        return build(load_config(game, {**TOURNAMENT, "cohorts": [SAINT, ROGUE], **changes}))

    return prepare


Held = Callable[..., Society]


def seated(setup: Society) -> list[str]:
    """Return the types on the seats of each match: "saint rogue"."""
    game = setup.gamemaster()
    names = np.array(list(game.env.cohorts))
    type_at = np.argmax(list(game.env.cohorts.values()), axis=0)
    return [" ".join(match) for match in names[type_at]]


def test_each_type_meets_all_types_on_all_seats(held: Held) -> None:
    assert seated(held()) == ["saint saint", "saint rogue", "rogue saint", "rogue rogue"]


def test_three_types_on_three_seats_make_27_matches() -> None:
    assert len(np.unique(cross_play(3, 3), axis=0)) == len(cross_play(3, 3)) == 27


def test_repetitions_follow_each_other_as_whole_tournaments(held: Held) -> None:
    twice = held(mechanisms=[{"tournament": {"repetitions": 2}}])
    assert seated(twice) == 2 * seated(held())


def test_a_match_is_a_replicate_with_payoffs_of_its_own(held: Held, recorded: Recorded) -> None:
    played = recorded(held().gamemaster())
    (payoff,) = played.told("payoff")
    assert payoff.tolist() == [[2, 2], [0, 3], [3, 0], [1, 1]]
    assert played.outcome.values["payoff"].tolist() == [2, 1.5, 1.5, 1]


def test_seats_that_the_game_does_not_treat_alike_are_told_apart(
    held: Held, recorded: Recorded
) -> None:
    """In trust a saint on seat 1 is exploited more dearly than one on seat 2."""
    (payoff,) = recorded(held("trust").gamemaster()).told("payoff")
    assert payoff.tolist() == [[10, 10], [0, 20], [6, 2], [4, 4]]


def test_a_match_is_the_same_whoever_else_takes_part(recorded: Recorded) -> None:
    """A replicate played alone draws what it draws among all others."""
    chance = {"name": "chance", "components": [{"classic_strategies": {"strategy": "random"}}]}
    changes = TOURNAMENT | {"cohorts": [SAINT, chance], "rounds": 20}
    setup = build(load_config("stag_hunt", changes))
    whole = recorded(setup.gamemaster())
    alone = recorded(setup.gamemaster(env=setup.environment(np.array([3]))))
    assert np.concatenate(alone.told("action")).tolist() == [
        action[3].tolist() for action in whole.told("action")
    ]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "types named twice": (
        {"cohorts": [SAINT, SAINT]},
        r"cohorts\[1\].name: two cohorts are called 'saint'",
    ),
    "a count of a type": (
        {"cohorts": [SAINT, {**ROGUE, "count": 3}]},
        r"cohorts\[1\].count: tournament assigns the seats; leave count out",
    ),
    "agents": ({"agents": 2}, "agents: tournament assigns the seats; leave agents out"),
    "replicates": (
        {"replicates": 9},
        "replicates: tournament assigns the seats; leave replicates out",
    ),
    "no types": (
        {"cohorts": None},
        "tournament matches types of agents; name each type in cohorts",
    ),
    "a mechanism around it": (
        {"mechanisms": ["tournament", "repetition"]},
        "repetition stands around tournament, .* name tournament last",
    ),
    "itself around it": (
        {"mechanisms": ["tournament", "tournament"]},
        "tournament stands around tournament",
    ),
    "no repetition": (
        {"mechanisms": [{"tournament": {"repetitions": 0}}]},
        "repetitions: got 0; expected a whole number of at least 1",
    ),
}


@pytest.mark.parametrize(("changes", "words"), REFUSED.values(), ids=REFUSED)
def test_what_makes_no_tournament_is_refused(
    held: Held, changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(ScenarioError, match=words):
        held(**changes)


def test_more_matches_than_can_be_held_are_refused_however_many(held: Held) -> None:
    with pytest.raises(ScenarioError, match=r"2 types on 20 seats make 2\^20 matches"):
        held("public_goods", parameters={"players": 20})
    with pytest.raises(ScenarioError, match=r"2\^1000 matches, and repetitions is 1; take fewer"):
        held("public_goods", parameters={"players": 1_000})


def test_a_scenario_without_matches_has_no_tournament(held: Held) -> None:
    with pytest.raises(ScenarioError, match="the play declares no move"):
        held("norm_coding")
