"""Mediators: elected by all, they play for those who delegate, by how many of them there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.component import AgentGroup, Component, Question
from society.engine.scenario import wrap_scenario
from society.errors import ScenarioError
from society.scenarios.games.normal_form import normal_form
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.contracts.contracts import contracts
from society.scenarios.mechanisms.leadership.leadership import leadership
from society.scenarios.mechanisms.mediation.mediation import mediation
from society.scenarios.mechanisms.repetition.repetition import repetition
from society.scenarios.mechanisms.reputation.reputation import reputation

if TYPE_CHECKING:
    from tests.conftest import Play, Played
    from tests.scenarios.conftest import Shown
    from tests.scenarios.mechanisms.conftest import Parties

SAFE = {"1": "A1", "2": "A0"}  # cooperates if both delegate, and defects for one alone
NAIVE = {"1": "A0", "2": "A0"}
MEDIATOR: Any = (mediation, {})
UNEQUAL: list[Any] = [[[[0, 0, 0]] * 3], [[[0, 0, 0]] * 3]]  # 2, 1 and 3 actions


def dilemma(parties: Parties, mechanisms: Any = (MEDIATOR,), **said: Any) -> Played:
    """Both propose the safe mediator, and delegate."""
    usual: dict[str, Any] = {
        "design_mediator": [SAFE, SAFE],
        "approve_mediators": ["12", "12"],
        "move": ["delegate", "delegate"],
        "design_contract": [{"A0": 2.0, "A1": -1.0}] * 2,
        "approve_contracts": ["12", "12"],
        "sign_contract": ["yes", "yes"],
    }
    return parties(prisoners_dilemma, mechanisms, **usual | said)


def payoffs(over: Played) -> list[list[float]]:
    return [told[0].tolist() for told in over.told("payoff")]


@pytest.mark.parametrize(
    ("move", "count", "payoff"),
    [
        (["delegate", "delegate"], 2, [2, 2]),
        (["delegate", "A0"], 1, [3, 0]),
        (["A1", "delegate"], 1, [1, 1]),
        (["A0", "A1"], 0, [0, 3]),
    ],
)
def test_a_mediator_plays_for_those_who_delegate(
    move: list[str], count: int, payoff: list[float], parties: Parties
) -> None:
    over = dilemma(parties, move=move)
    assert over.told("mediator_count")[0].tolist() == [[count, count]]
    assert payoffs(over) == [payoff]


def test_it_is_the_elected_mediator_that_plays(parties: Parties) -> None:
    over = dilemma(
        parties,
        design_mediator=[SAFE, NAIVE],
        approve_mediators=["2", "12"],
        move=["delegate", "A1"],
    )
    assert payoffs(over) == [[0, 3]]
    assert over.told("mediator_proposer")[0].tolist() == [[2, 2]]
    assert over.told("mediator_unanimous")[0].tolist() == [[True, True]]


def test_of_three_it_counts_those_who_delegate(parties: Parties) -> None:
    """With two delegates it gives, with one it would not; the third keeps: 1, 1 and 2."""
    plan = {"1": "A1", "2": "A0", "3": "A1"}
    over = parties(
        public_goods,
        [MEDIATOR],
        design_mediator=[plan] * 3,
        approve_mediators=["1"] * 3,
        move=["delegate", "A1", "delegate"],
    )
    assert payoffs(over) == [[1, 2, 1]]
    assert over.outcome.values["delegating"].tolist() == [pytest.approx(2 / 3)]
    assert over.outcome.values["mediators"].tolist() == [0]


class Mixer(Component):
    """Delegates with a chance of 1/2, and else plays A0 four times out of five."""

    answers = ("design_mediator", "approve_mediators", "move")

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        if ask.kind == "design_mediator":
            return {"1": 1, "2": 1}  # A1 whoever delegates
        if ask.kind == "approve_mediators":
            return {"proposal 1": 1, "proposal 2": 1}
        return np.tile([0.4, 0.1, 0.5], (len(agents), 1))


def test_those_who_do_not_delegate_play_as_their_strategy_says(play: Play) -> None:
    """8,000 moves: delegated 1/2; of all moves A0 0.4; counts 0, 1, 2 as 1 : 2 : 1."""
    over = play(wrap_scenario(prisoners_dilemma, mediation), Mixer(), agents=2, replicates=4000)
    delegated, action = over.told("mediator_delegated")[0], over.told("action")[0]
    assert delegated.mean() == pytest.approx(0.5, abs=4 * 0.5 / 8000**0.5)
    assert (action == 0).mean() == pytest.approx(0.4, abs=4 * 0.49 / 8000**0.5)
    assert (action[delegated] == 1).all()
    count = over.told("mediator_count")[0][:, 0]
    shares = [(count == number).mean() for number in (0, 1, 2)]
    assert shares == pytest.approx([0.25, 0.5, 0.25], abs=4 * 0.5 / 4000**0.5)


def test_to_delegate_is_one_more_action_and_the_plan_is_known(parties: Parties) -> None:
    over = dilemma(parties)
    (move,) = [step for step in over.steps if step.kind == "move"]
    assert move.form == "mix over A0/A1/delegate"
    assert move.arrays["common", "mediator"].tolist() == [[[1, 0]]]
    assert move.arrays["common", "mediator_proposer"].tolist() in ([[1]], [[2]])


def test_unequal_seats_are_counted_before_anybody_moves(parties: Parties) -> None:
    """Seats are asked in turn; 1 and 3 delegate, so that the mediator plays B and E for them."""
    labels = [["A", "B"], ["C"], ["D", "E", "F"]]
    names = [f"{count}, seat {seat}" for count in (1, 2, 3) for seat in (1, 2, 3)]
    plan = dict(zip(names, ["A", "C", "D", "B", "C", "E", "A", "C", "F"], strict=True))
    over = parties(
        normal_form,
        [(mediation, {"form": "seat"})],
        design_mediator=[plan] * 3,
        approve_mediators=["1"] * 3,
        move=["delegate", "C", "delegate"],
        at={"params": {"payoffs": UNEQUAL, "actions": labels}},
    )
    assert over.told("action")[0].tolist() == [[1, 0, 1]]
    forms = [step.form for step in over.steps if step.kind == "move"]
    assert forms == ["mix over A/B/delegate", "mix over C/delegate", "mix over D/E/F/delegate"]


@pytest.mark.parametrize("mechanisms", [[MEDIATOR, (contracts, {})], [(contracts, {}), MEDIATOR]])
def test_contracts_pay_for_what_a_mediator_has_played(mechanisms: Any, parties: Parties) -> None:
    """1 delegates alone and defects by it: 1 and 1, and both owe 1; so nothing changes hands.

    If 2 cooperates it gets 2 and 1 owes 1: 3 - 3 and 0 + 3.
    """
    for move, paid in ((["delegate", "A1"], [1, 1]), (["delegate", "A0"], [0, 3])):
        assert payoffs(dilemma(parties, mechanisms, move=move)) == [paid]


def test_the_outer_mechanism_is_agreed_on_first(parties: Parties) -> None:
    stages = [MEDIATOR, (contracts, {})]
    kinds = [step.kind for step in dilemma(parties, stages).steps if step.sort == "ask"]
    contract = ["design_contract", "approve_contracts", "sign_contract"]
    mediator = ["design_mediator", "approve_mediators"]
    assert kinds == [*contract, *mediator, "move"]
    over = dilemma(parties, stages[::-1])
    assert [step.kind for step in over.steps if step.sort == "ask"] == [
        *mediator,
        *contract,
        "move",
    ]
    (signing,) = [step for step in over.steps if step.kind == "sign_contract"]
    assert ("common", "mediator") in signing.arrays


@pytest.mark.parametrize("inside", [True, False])
def test_a_repeated_contracted_mediated_game_plays_and_pays(
    inside: bool, parties: Parties, shown: Shown
) -> None:
    """The mediator defects for 1, whom 2 gives way to: 3 and 0 become 0 and 3, in each game."""
    again: Any = (repetition, {"games": 2, "continuation": 0.8})
    stages = [MEDIATOR, (contracts, {})]
    stages = [*stages, again] if inside else [again, *stages]
    over = dilemma(parties, stages, move=["delegate", "A0"])
    assert payoffs(over) == [[0, 3], [0, 3]]
    assert [weight[0].tolist() for weight in over.told("weight")] == [
        [pytest.approx(0.2)],
        [pytest.approx(0.8)],
    ]
    (past,) = shown(over, "past_own")
    assert past[0].tolist() == [[1], [0]]  # what was played, by whomever


def test_those_who_change_partners_have_a_mediator_with_each(parties: Parties) -> None:
    over = dilemma(
        parties,
        [MEDIATOR, (reputation, {"games": 2})],
        design_mediator=[SAFE] * 4,
        approve_mediators=["12"] * 4,
        move=["delegate", "delegate", "delegate", "A1"],
    )
    for payoff in payoffs(over):
        assert sorted(payoff) == [1, 1, 2, 2]


@pytest.mark.parametrize(
    ("inner", "words"),
    [
        (leadership, "not all move at the same time.*name mediation before leadership"),
        (reputation, "mediation stands around reputation.*name mediation before reputation"),
    ],
)
def test_unreasonable_orders_are_refused(inner: Any, words: str, play: Play) -> None:
    with pytest.raises(ScenarioError, match=words):
        play(wrap_scenario(wrap_scenario(prisoners_dilemma, inner), mediation), agents=4)


def test_one_mediator_is_enough(play: Play) -> None:
    with pytest.raises(ScenarioError, match=r"mediation measures .*mediators"):
        wrap_scenario(wrap_scenario(prisoners_dilemma, mediation), mediation)


def test_an_action_cannot_be_called_as_delegating_is(play: Play) -> None:
    labels = {"actions": [["wait", "delegate"]] * 2}
    with pytest.raises(ScenarioError, match=r"is called 'delegate'.*call that action something"):
        play(wrap_scenario(normal_form, mediation), agents=2, params=labels)
