"""Points spent on taking points: who pays what, and what of it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from society.config.build import build
from society.config.run_config import load_config
from society.engine.component import Agent, Component, Inquiry
from society.engine.mechanism import Declared, add_extra_payoff
from society.engine.population import Cohort
from society.engine.scenario import wrap_scenario
from society.engine.script import Tell, own, seen
from society.errors import ScenarioError, Unparsed
from society.scenarios.games.player_matching import Matches
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.peer_incentives.peer_punishment import peer_punishment
from society.scenarios.mechanisms.peer_incentives.points import settle_points

if TYPE_CHECKING:
    from society.engine.rng import Array
    from tests.conftest import Play
    from tests.scenarios.mechanisms.conftest import Actor, Actors


def test_the_fined_lose_three_points_for_each_that_is_spent(actors: Actors) -> None:
    """The defector has 3 points to 0; two points spent on it leave -2 and 3 - 2 * 3."""
    over = actors(prisoners_dilemma, (peer_punishment, {}), move=[0, 1], fine=[[2], [0]])
    assert over.told("payoff")[0].tolist() == [[-2, -3]]
    assert over.outcome.measures["payoff"].mean == -2.5
    assert over.outcome.measures["fine_spent"].mean == 1


def test_each_of_several_players_is_fined_by_each_other_one(actors: Actors) -> None:
    """All give and have 1.5. Player 1 spends 1 and 2 on players 2 and 3, player 2 3 on player 3."""
    fines = [[1, 2], [0, 3], [0, 0]]
    over = actors(public_goods, (peer_punishment, {}), agents=3, move=[0, 0, 0], fine=fines)
    assert over.told("fine_spent")[0].tolist() == [[3, 3, 0]]
    assert over.told("fine_received")[0].tolist() == [[0, 1, 5]]
    assert over.told("payoff")[0].tolist() == [[1.5 - 3, 1.5 - 3 - 3, 1.5 - 15]]


def test_cost_and_impact_are_parameters(actors: Actors) -> None:
    terms = {"most": 9, "cost": 0.5, "impact": 2}
    over = actors(prisoners_dilemma, (peer_punishment, terms), move=[1, 1], fine=[[9], [0]])
    assert over.told("payoff")[0].tolist() == [[1 - 4.5, 1 - 18]]


def test_nobody_is_fined_in_another_match(actors: Actors) -> None:
    over = actors(
        prisoners_dilemma,
        (peer_punishment, {}),
        agents=4,
        move=[0, 0, 0, 0],
        fine=[[1], [0], [0], [2]],
    )
    assert over.told("fine_received")[0].tolist() == [[0, 1, 2, 0]]


def test_whoever_may_fine_knows_what_all_did_and_got(actors: Actors) -> None:
    over = actors(public_goods, (peer_punishment, {}), agents=3, move=[0, 1, 1], fine=[[0, 0]] * 3)
    (asked,) = [step.arrays for step in over.steps if step.kind == "fine"]
    assert asked["own", "others_seats"][0].tolist() == [[2, 3], [1, 3], [1, 2]]
    assert asked["own", "others"][0].tolist() == [[1, 1], [0, 1], [0, 1]]
    assert asked["own", "payoff"][0].tolist() == [0.5, 1.5, 1.5]
    assert asked["own", "others_payoffs"][0].tolist() == [[1.5, 1.5], [0.5, 1.5], [0.5, 1.5]]


def test_whoever_moves_knows_what_fines_there_are(actors: Actors) -> None:
    over = actors(prisoners_dilemma, (peer_punishment, {"most": 2}), move=[0, 0], fine=[[0], [0]])
    (asked,) = [step.arrays for step in over.steps if step.kind == "move"]
    terms = [asked["common", f"fine_{name}"].item() for name in ("most", "cost", "worth")]
    assert terms == [2, 1, -3]


def test_what_is_paid_is_added_wherever_it_is_told() -> None:
    """Others see as `payoff` what one owns as `wealth`; what one has caught is as it was."""
    declared = Declared("effort", "paid", payoff="wealth", repeats=("payoff",))
    wealth = np.array([[4.0, 5.0]])
    facts = {"wealth": own(wealth), "payoff": seen("learn", wealth), "catch": own(wealth)}
    told = add_extra_payoff(Tell("paid", facts), declared, np.array([[-3.0, 1.0]])).facts
    assert [told[name].values.tolist() for name in facts] == [[[1, 6]], [[1, 6]], [[4, 5]]]


class Mumbler(Component):
    """Cannot make itself understood when it comes to fines."""

    answers = ("fine",)

    async def consult(self, ask: Inquiry, agent: Agent) -> object:
        raise Unparsed("mumbled")


def test_a_fine_that_cannot_be_read_is_none_and_is_counted(play: Play, actor: type[Actor]) -> None:
    cast = [
        Cohort("clear", 1, (actor({"move": [0, 0], "fine": [[1], [1]]}),)),
        Cohort("unclear", 1, (Mumbler(), actor({"move": [0, 0]}))),
    ]
    over = play(wrap_scenario(prisoners_dilemma, peer_punishment), cast=cast, agents=2)
    assert over.told("fine_spent")[0].tolist() == [[1, 0]]
    assert over.outcome.ends == {"": 1}


@given(arrays(np.int64, (2, 6, 2), elements=st.integers(0, 9)))
def test_all_points_that_are_spent_are_received(points: Array) -> None:
    matches = Matches(np.array([[[0, 1, 2], [3, 4, 5]], [[0, 4, 2], [3, 1, 5]]]))
    spent, received = settle_points(matches, points, np.ones((2, 6), bool))
    assert (matches.gathered(spent).sum(-1) == matches.gathered(received).sum(-1)).all()
    assert (spent == points.sum(-1)).all()


def test_no_points_are_spent_on_who_has_left() -> None:
    matches, here = Matches(np.array([[[0, 1, 2]]])), np.array([[True, True, False]])
    points = np.array([[[1, 2], [3, 4], [0, 0]]])
    spent, received = settle_points(matches, points, here)
    assert spent.tolist() == [[1, 3, 0]]
    assert received.tolist() == [[3, 1, 0]]


@pytest.mark.parametrize(
    ("scenario", "changes", "words"),
    [
        (
            "normal_form",
            {"parameters": {"payoffs": [[1], [2]]}, "agents": 1},
            "and 1 play together",
        ),
        ("public_goods", {"parameters": {"players": 101}, "agents": 101}, "and 101 play together"),
        ("donor_game", {}, "peer_punishment: this play takes no payments"),
    ],
)
def test_a_play_in_which_nobody_can_be_fined_is_refused(
    scenario: str, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(ScenarioError, match=words):
        build(load_config(scenario, {"mechanisms": ["peer_punishment"], **changes}))
