"""A leader commits itself before the eyes of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.errors import ScenarioError
from society.scenarios.games.normal_form import normal_form
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.leadership.leadership import leadership

if TYPE_CHECKING:
    from society.engine.component import Question
    from society.engine.graph import AgentRows
    from society.engine.rng import Array
    from tests.scenarios.mechanisms.conftest import Actors


def mirrors(ask: Question, rows: AgentRows) -> Array:
    """The leader tosses a coin, and the others do as it did."""
    if "leader_action" not in ask.facts:
        return np.full((len(rows.seat), 2), 0.5)
    seen: Array = np.eye(2)[np.asarray(ask.facts["leader_action"], int)]
    return seen


def test_the_others_see_what_is_drawn_for_the_leader(actors: Actors) -> None:
    over = actors(public_goods, (leadership, {}), agents=3, move=mirrors, at={"replicates": 400})
    (action,) = over.told("action")
    assert (action == action[:, :1]).all()
    assert action[:, 0].mean() == pytest.approx(0.5, abs=4 * 0.5 / 20)


def test_any_seat_may_lead(actors: Actors) -> None:
    over = actors(public_goods, (leadership, {"leader": 3}), agents=3, move=[0, 0, 1])
    first, second = [step.arrays for step in over.steps if step.kind == "move"]
    assert first["who", ""].tolist() == [[False, False, True]]
    assert first["own", "leads"].tolist() == [[False, False, True]]
    assert second["who", ""].tolist() == [[True, True, False]]
    assert second["own", "leader_action"].tolist() == [[1, 1, 1]]
    assert second["common", "leader_seat"].item() == 3


def test_each_match_has_its_leader(actors: Actors) -> None:
    over = actors(prisoners_dilemma, (leadership, {"leader": 2}), agents=4, move=[0, 1, 1, 0])
    second = [step.arrays for step in over.steps if step.kind == "move"][1]
    assert second["own", "leader_action"].tolist() == [[1, 1, 0, 0]]
    assert over.told("payoff")[0].tolist() == [[0, 3, 3, 0]]


def test_a_leader_with_actions_of_its_own_is_seen_by_all_others(actors: Actors) -> None:
    payoffs: Any = np.arange(12).reshape(2, 3, 2).tolist()
    over = actors(normal_form, (leadership, {}), at={"params": {"payoffs": payoffs}}, move=[1, 2])
    asked = [step.arrays for step in over.steps if step.kind == "move"]
    assert [one["who", ""].tolist() for one in asked] == [
        [[True, False]],
        [[False, False]],
        [[False, True]],
    ]
    assert asked[2]["own", "leader_action"].tolist() == [[1, 1]]
    assert over.told("payoff")[0].tolist() == [[10, 11]]


@pytest.mark.parametrize(
    ("scenario", "parameters", "mechanisms", "words"),
    [
        ("trust", {}, [{"leadership": {"leader": 3}}], "leader is seat 3 of 2"),
        (
            "normal_form",
            {"payoffs": [[[1, 1]] * 3] * 2},
            [{"leadership": {"leader": 2}}],
            "player 2 has other actions than player 1, who is asked before it",
        ),
        ("trust", {}, ["leadership", "leadership"], "somebody leads in this play already"),
        ("donor_game", {}, ["leadership"], "not everybody is asked for a move at the same time"),
    ],
)
def test_who_cannot_move_before_all_others_does_not_lead(
    scenario: str, parameters: dict[str, Any], mechanisms: list[Any], words: str
) -> None:
    with pytest.raises(ScenarioError, match=words):
        build(load_config(scenario, {"mechanisms": mechanisms, "parameters": parameters}))
