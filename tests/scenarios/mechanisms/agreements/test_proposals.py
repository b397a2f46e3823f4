"""Designs that are given, made in a run of their own, or cannot be read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Choice, Fields, Legal, MixedStrategy, Real
from society.engine.component import Agent, Component, Inquiry
from society.engine.scenario import Scenario, wrap_scenario
from society.errors import ScenarioError, Unparsed
from society.llm.parsing.answers import parse
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.contracts.contracts import contracts
from society.scenarios.mechanisms.mediation.mediation import mediation

if TYPE_CHECKING:
    from tests.conftest import Play, Played
    from tests.scenarios.mechanisms.conftest import Parties

REWARDS = {"A0": 2.0, "A1": -1.0}
FINES = {"A0": 0.0, "A1": -5.0}
SAFE = {"1": "A1", "2": "A0"}


def contract(parties: Parties, designs: Any, types: str = "ab", **said: Any) -> Played:
    usual: dict[str, Any] = {
        "approve_contracts": ["12", "12"],
        "sign_contract": ["yes", "yes"],
        "move": ["A0", "A1"],
    }
    given = [(contracts, {"designs": designs})]
    return parties(prisoners_dilemma, given, types=types, **usual | said)


def test_whoever_sits_on_a_seat_proposes_what_its_type_has_designed_for_it(
    parties: Parties,
) -> None:
    designs = {"a": [REWARDS, None], "b": [None, FINES]}
    over = contract(parties, designs, approve_contracts=["2", "2"])
    (vote,) = [step for step in over.steps if step.kind == "approve_contracts"]
    assert vote.arrays["common", "contract_proposals"].tolist() == [[[[2, -1], [0, -5]]]]
    assert over.told("payoff")[0].tolist() == [[5, -2]]
    assert "design_contract" not in [step.kind for step in over.steps]


def test_whoever_has_no_design_proposes_nothing_and_wins_nothing(parties: Parties) -> None:
    designs = {"a": [None, None], "b": [FINES, FINES]}
    over = contract(parties, designs, approve_contracts=["1", "1"])
    assert over.told("contract_proposer")[0].tolist() == [[2, 2]]
    assert over.told("contract_approvals")[0].tolist() == [[0, 0]]


def test_without_any_proposal_the_game_is_as_it_was(parties: Parties) -> None:
    over = contract(parties, {"a": [None, None], "b": [None, None]})
    assert over.told("payoff")[0].tolist() == [[0, 3]]
    assert over.told("contract_active")[0].tolist() == [[False, False]]
    for share in ("contract_signing", "contract_unanimity"):
        assert np.isnan(over.outcome.values[share]).all()


def test_where_nobody_proposes_a_mediator_nobody_can_delegate(parties: Parties) -> None:
    """The first match has a mediator and the second has none, at the same table."""
    over = parties(
        prisoners_dilemma,
        [(mediation, {"designs": {"a": [SAFE, None], "b": [None, None]}})],
        types="aabb",
        approve_mediators=["1"] * 4,
        move=["delegate", "delegate", "A0", "A1"],
    )
    assert over.told("payoff")[0].tolist() == [[2, 2, 0, 3]]
    assert over.outcome.values["delegating"].tolist() == [1]
    assert over.outcome.values["mediator_unanimity"].tolist() == [1]


@pytest.mark.parametrize(
    ("designs", "words"),
    [
        ({"a": [REWARDS] * 2, "c": [REWARDS] * 2}, "no cohort is called so; .*a, b"),
        ({"a": [REWARDS] * 2}, "has 0 of type 'b' for 2 seats"),
        ({"a": [REWARDS], "b": [REWARDS] * 2}, "has 1 of type 'a' for 2 seats"),
        ({"a": [REWARDS, {"A0": 1}], "b": [None] * 2}, "seat 2 is for A0; expected .* A0, A1"),
        ({"a": [{**REWARDS, "A2": 1}, None], "b": [None] * 2}, "seat 1 is for A0, A1, A2"),
        ({"a": [{**REWARDS, "A0": 101}, None], "b": [None] * 2}, "is 101.*from -100 to 100"),
        ({"a": [{**REWARDS, "A0": "much"}, None], "b": [None] * 2}, "A0, is 'much'; expected a"),
        ({"a": [{**REWARDS, "A0": float("nan")}, None], "b": [None] * 2}, "is nan; expected a"),
        ({"a": [{**REWARDS, "A0": True}, None], "b": [None] * 2}, "is True; expected a number"),
    ],
)
def test_designs_that_do_not_fit_are_refused(designs: Any, words: str, parties: Parties) -> None:
    with pytest.raises(ScenarioError, match=f"contracts: designs .*{words}"):
        contract(parties, designs)


def test_yes_is_no_payment_in_a_file() -> None:
    designs = {"player": [{"A0": True, "A1": 0}, None]}
    with pytest.raises(ScenarioError, match=r"player\[0\].A0: got true; expected a number or text"):
        build(load_config("trust", {"mechanisms": [{"contracts": {"designs": designs}}]}))


def test_a_mediator_that_plays_no_action_of_the_game_is_refused(parties: Parties) -> None:
    designs = {"a": [{"1": "A1", "2": "A7"}, None]}
    with pytest.raises(ScenarioError, match="seat 1, 2, is 'A7'; expected one of A0, A1"):
        parties(prisoners_dilemma, [(mediation, {"designs": designs})], move=["A0", "A0"])


class Author(Component):
    """Writes down what it was told to, by replicate; None cannot be read."""

    answers = ("design_contract", "design_mediator")

    def __init__(self, says: Callable[[int, int], Any]) -> None:
        self.says = says

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        said = self.says(agent.replicate, agent.seat)
        if said is None:
            raise Unparsed("a riddle")
        return said


def play_with_designs(
    play: Play, wrap: Any, says: Callable[[int, int], Any], **given: Any
) -> Played:
    scenario: Scenario = wrap_scenario(prisoners_dilemma, wrap, stage="design", **given)
    return play(scenario, Author(says), agents=2, replicates=4)


def test_in_a_run_of_designs_each_replicate_asks_for_one(play: Play) -> None:
    """Of two types: replicates 0 and 1 are for seats 1 and 2 of the first one."""
    over = play_with_designs(play, contracts, lambda replicate, seat: {"A0": replicate, "A1": seat})
    (texts,) = over.told("contract_design")
    assert texts.tolist() == [
        ['{"A0": 0.0, "A1": 0.0}', ""],
        ["", '{"A0": 1.0, "A1": 1.0}'],
        ['{"A0": 2.0, "A1": 0.0}', ""],
        ["", '{"A0": 3.0, "A1": 1.0}'],
    ]
    assert [step.kind for step in over.steps] == ["design_contract", "designed"]


def test_a_design_that_cannot_be_read_is_none_and_the_others_are_not_lost(play: Play) -> None:
    over = play_with_designs(
        play, mediation, lambda replicate, seat: None if replicate == 1 else {"1": 1, "2": 0}
    )
    (texts,) = over.told("mediator_design")
    assert [json.loads(text) if text else None for text in texts.max(axis=1)] == [
        SAFE,
        None,
        SAFE,
        SAFE,
    ]
    assert over.outcome.ends == {"": 3, "unread": 1}


def test_what_is_told_of_designs_can_be_given_back(play: Play, parties: Parties) -> None:
    says = {"A0": 2.0, "A1": -1.0}
    (texts,) = play_with_designs(play, contracts, lambda replicate, seat: says).told(
        "contract_design"
    )
    made = [json.loads(texts[row, row % 2]) for row in range(4)]
    over = contract(parties, {"a": made[:2], "b": made[2:]})
    assert over.told("payoff")[0].tolist() == [[3, 0]]


class Riddler(Component):
    """Is clear but for one question in replicate 0; there it is not understood."""

    answers = ("design_contract", "approve_contracts", "sign_contract", "move")

    def __init__(self, riddle: str) -> None:
        self.riddle = riddle

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        if ask.kind == self.riddle and agent.replicate == 0 and agent.seat == 0:
            raise Unparsed("a riddle")
        if isinstance(ask.reply, Fields):
            fields = ask.reply.fields.items()
            return {name: 1.0 if isinstance(field, Real) else 1 for name, field in fields}
        return np.array([0.0, 1.0]) if isinstance(ask.reply, MixedStrategy) else 1


@pytest.mark.parametrize("kind", ["design_contract", "approve_contracts", "sign_contract"])
def test_in_a_single_match_an_answer_that_cannot_be_read_ends_it(kind: str, play: Play) -> None:
    over = play(wrap_scenario(prisoners_dilemma, contracts), Riddler(kind), agents=2, replicates=2)
    assert over.outcome.ends == {"unread": 1, "": 1}
    assert over.outcome.values["contracts"].tolist() == [pytest.approx(np.nan, nan_ok=True), 1]


@pytest.mark.parametrize(
    ("kind", "active", "proposal"),
    [
        ("design_contract", [True] * 4, [0, 0]),
        ("approve_contracts", [True] * 4, [1, 1]),
        ("sign_contract", [False, False, True, True], [1, 1]),
    ],
)
def test_among_many_matches_it_proposes_nothing_and_agrees_to_nothing(
    kind: str, active: list[bool], proposal: list[float], play: Play
) -> None:
    over = play(wrap_scenario(prisoners_dilemma, contracts), Riddler(kind), agents=4)
    assert over.outcome.ends == {"": 1}
    assert over.told("contract_active")[0].tolist() == [active]
    (vote,) = [step for step in over.steps if step.kind == "approve_contracts"]
    assert vote.arrays["own", "contract_proposals"][0, 0, 0].tolist() == proposal


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ('{"A0": Infinity, "A1": 0}', "'A0'; expected a number from -100 to 100"),
        ('{"A0": 1e400, "A1": 0}', "'A0'; expected a number from -100 to 100"),
        ('{"A0": 1000000, "A1": 0}', "got '1000000' for 'A0'; expected a number from -100 to 100"),
        ('{"A0": "a lot", "A1": 0}', "'A0'; expected a number from -100 to 100"),
        ('{"A0": null, "A1": 0}', "'A0'; expected a number from -100 to 100"),
        ('{"A0": 3}', "got no single 'A1'; expected a number from -100 to 100"),
    ],
)
def test_an_absurd_contract_is_answered_with_its_bounds(said: str, reason: str) -> None:
    form = Fields({"A0": Real(-100.0, 100.0), "A1": Real(-100.0, 100.0)})
    with pytest.raises(Unparsed) as refused:
        parse(form, said, Legal())
    assert reason in str(refused.value)


def test_a_mediator_with_a_missing_entry_is_told_which_one() -> None:
    form = Fields({"1": Choice("A0", "A1"), "2": Choice("A0", "A1")})
    with pytest.raises(Unparsed, match="got no single '2'; expected one of these: A0, A1"):
        parse(form, '{"1": "A1"}', Legal())
    assert parse(form, '{"1": "A1", "2": "A0"}', Legal()) == {"1": 1, "2": 0}


def test_votes_are_read_from_true_and_false() -> None:
    form = Fields({"proposal 1": Choice("no", "yes"), "proposal 2": Choice("no", "yes")})
    assert parse(form, '{"proposal 1": true, "proposal 2": false}', Legal()) == {
        "proposal 1": 1,
        "proposal 2": 0,
    }
