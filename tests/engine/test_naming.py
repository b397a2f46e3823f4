"""An agent is called by a noun and a number, and by the same one wherever it is read."""

from __future__ import annotations

import numpy as np
import pytest

from society.engine.environment import Environment, PublicFacts
from society.engine.naming import Naming
from society.lineage.lives import name_life


def environment(naming: Naming, agents: int = 4, **more: PublicFacts) -> Environment:
    env = Environment(
        None,
        seed=1,
        ids=np.arange(agents),
        replicate_ids=np.arange(2),
        horizon=1,
        **more,  # type: ignore[arg-type]
    )
    env.naming = naming
    return env


def names(env: Environment) -> list[str]:
    return [env.whole_name(0, seat) for seat in range(env.agents)]


def seated(env: Environment, **cohorts: list[int]) -> Environment:
    env.cohorts = {
        name: np.broadcast_to(np.isin(np.arange(env.agents), seats), env.present.shape)
        for name, seats in cohorts.items()
    }
    return env


def test_agents_are_called_by_the_noun_of_the_scenario_and_their_ids() -> None:
    env = environment(Naming("villager"))
    assert names(env) == ["villager 0", "villager 1", "villager 2", "villager 3"]
    assert env.lengthen_name(0, "2") == "villager 2"


def test_the_only_one_of_a_cohort_with_a_noun_needs_no_number() -> None:
    naming = Naming("villager", {"judges": "referee"})
    env = seated(environment(naming), farmers=[0, 1, 2], judges=[3])
    assert names(env) == ["villager 0", "villager 1", "villager 2", "the referee"]
    assert env.lengthen_name(0, "3") == "the referee"


def test_several_of_a_cohort_with_a_noun_keep_their_numbers() -> None:
    naming = Naming("villager", {"judges": "referee"})
    env = seated(environment(naming), farmers=[0, 1], judges=[2, 3])
    assert names(env) == ["villager 0", "villager 1", "referee 2", "referee 3"]


@pytest.mark.parametrize(
    ("agents", "expected"),
    [
        (2, ["player 1", "player 2"]),
        (
            4,
            [
                *("player 1 of match 1", "player 2 of match 1"),
                *("player 1 of match 2", "player 2 of match 2"),
            ],
        ),
    ],
)
def test_players_are_numbered_by_their_seats_from_1(agents: int, expected: list[str]) -> None:
    assert names(environment(Naming("player", players=2), agents)) == expected


def test_a_newborn_has_a_name_of_its_own() -> None:
    env = environment(Naming(by_life=True), facts=PublicFacts(name_life=name_life))
    env.bear(np.array([[True, False, False, True]] * 2))
    assert names(env) == ["agent 2_1", "agent 1_2", "agent 1_3", "agent 2_4"]


def test_a_message_names_the_seat_where_the_name_does_not_tell_it() -> None:
    assert environment(Naming("villager")).describe_agent(1, 2) == "villager 2 of replicate 1"
    played = environment(Naming("player", players=4))
    assert played.describe_agent(1, 2) == "player 3 on seat 2 of replicate 1"
