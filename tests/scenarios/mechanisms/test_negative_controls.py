"""What changes no incentive: whatever is said, recommended or seen, defection strictly dominates.

Every profile of signals and of actions is played, a replicate each, and read off what the game
pays: of two profiles that differ in one player's action alone, that player is better off in the one
in which it defects, after the same signals. A leader's signal is its own action: it is compared
when the others do what dominates for them, whatever they have seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.rng import Array
from society.engine.scenario import Scenario
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.baseline.baseline import baseline
from society.scenarios.mechanisms.cheap_talk.cheap_talk import cheap_talk
from society.scenarios.mechanisms.contracts.contracts import contracts
from society.scenarios.mechanisms.correlation_device.correlation_device import (
    Recommendation,
    correlation_device,
)
from society.scenarios.mechanisms.leadership.leadership import leadership

if TYPE_CHECKING:
    from society.engine.component import Question
    from society.engine.graph import AgentRows
    from tests.scenarios.mechanisms.conftest import Actors

Profile = tuple[int, ...]
Payoffs = Mapping[Profile, Array]  # (n,) by profile of actions
Answer = Callable[["Question", "AgentRows"], "Array"]

COOPERATE, DEFECT = 0, 1
MESSAGES = ("", "I take A0.", "I take A1.")
DILEMMAS = pytest.mark.parametrize(("game", "players"), [(prisoners_dilemma, 2), (public_goods, 3)])


def planned(plans: list[tuple[Any, ...]]) -> Answer:
    """The answer of each seat in each replicate."""
    answers = np.array(plans)

    def answered(ask: Question, rows: AgentRows) -> Array:
        mine: Array = answers[rows.replicate, rows.seat]
        return mine

    return answered


def profiles(players: int) -> list[Profile]:
    return list(product((COOPERATE, DEFECT), repeat=players))


def gains(paid: Payoffs) -> Iterator[float]:
    """The gain of each player if it alone goes from cooperation to defection."""
    for profile in paid:
        for player, action in enumerate(profile):
            if action == COOPERATE:
                defecting = (*profile[:player], DEFECT, *profile[player + 1 :])
                yield paid[defecting][player] - paid[profile][player]


def enumerated(
    actors: Actors, game: Scenario, players: int, layer: tuple[Any, Any], **said: Any
) -> Payoffs:
    """The payoffs of every profile of actions; the rest is said in all of them."""
    actions = profiles(players)
    over = actors(
        game,
        layer,
        agents=players,
        move=planned(actions),
        at={"replicates": len(actions)},
        **said,
    )
    assert [tuple(row) for row in over.told("action")[0].tolist()] == actions
    return dict(zip(actions, over.told("payoff")[0], strict=True))


@DILEMMAS
def test_without_a_mechanism_defection_dominates(
    actors: Actors, game: Scenario, players: int
) -> None:
    assert min(gains(enumerated(actors, game, players, (baseline, {})))) > 0


@DILEMMAS
def test_whatever_was_said_defection_dominates(
    actors: Actors, game: Scenario, players: int
) -> None:
    for said in product(MESSAGES, repeat=players):
        paid = enumerated(actors, game, players, (cheap_talk, {}), say=list(said))
        assert min(gains(paid)) > 0, said


@DILEMMAS
def test_whatever_is_recommended_defection_dominates(
    actors: Actors, game: Scenario, players: int
) -> None:
    for profile in profiles(players):
        device = {"profiles": [Recommendation(profile=list(profile), probability=1)]}
        paid = enumerated(actors, game, players, (correlation_device, device))
        assert min(gains(paid)) > 0, profile


@DILEMMAS
def test_whatever_the_leader_does_defection_dominates_for_all_others(
    actors: Actors, game: Scenario, players: int
) -> None:
    for leader in range(players):
        paid = enumerated(actors, game, players, (leadership, {"leader": leader + 1}))
        for action in (COOPERATE, DEFECT):
            seen = {profile: got for profile, got in paid.items() if profile[leader] == action}
            followers = [
                seen[(*profile[:j], DEFECT, *profile[j + 1 :])][j] - got[j]
                for profile, got in seen.items()
                for j in range(players)
                if j != leader and profile[j] == COOPERATE
            ]
            assert min(followers) > 0
        cooperates, defects = (
            tuple(action if j == leader else DEFECT for j in range(players))
            for action in (COOPERATE, DEFECT)
        )
        assert paid[defects][leader] > paid[cooperates][leader]


@pytest.mark.parametrize(
    ("game", "players", "penalty"), [(prisoners_dilemma, 2, 2), (public_goods, 3, 1)]
)
def test_under_a_good_contract_cooperation_dominates(
    actors: Actors, game: Scenario, players: int, penalty: float
) -> None:
    """The same method does find an incentive where there is one."""
    design = {"A0": 0, "A1": -penalty}
    designs = {"everybody": [design] * players}
    agreed = {
        "approve_contracts": [["yes"] * players] * players,
        "sign_contract": ["yes"] * players,
    }
    paid = enumerated(actors, game, players, (contracts, {"designs": designs}), **agreed)
    assert max(gains(paid)) < 0
