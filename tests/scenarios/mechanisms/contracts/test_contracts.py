"""Contracts: proposed, voted on, signed by all or by nobody, and then paid to the last point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

from society.engine.scenario import Scenario, wrap_scenario
from society.errors import ScenarioError
from society.scenarios.games.normal_form import normal_form
from society.scenarios.games.public_goods import public_goods
from society.scenarios.games.two_by_two import prisoners_dilemma
from society.scenarios.mechanisms.contracts.contracts import contracts
from society.scenarios.mechanisms.contracts.terms import net_transfers
from society.scenarios.mechanisms.repetition.repetition import repetition
from society.scenarios.mechanisms.reputation.reputation import reputation

if TYPE_CHECKING:
    from tests.conftest import Play, Played
    from tests.scenarios.mechanisms.conftest import Parties

REWARDS = {"A0": 2.0, "A1": -1.0}
NOTHING = {"A0": 0.0, "A1": 0.0}
BIG = {"A0": 9.0, "A1": -9.0}
CONTRACT: Any = (contracts, {})

# Three players with 2, 1 and 3 actions; nobody gets anything but from contracts.
UNEQUAL: list[Any] = [[[[0, 0, 0]] * 3], [[[0, 0, 0]] * 3]]


def dilemma(parties: Parties, mechanisms: Any = (CONTRACT,), **said: Any) -> Played:
    """Both propose, approve of and sign the same, and player 1 alone cooperates."""
    usual: dict[str, Any] = {
        "design_contract": [REWARDS, NOTHING],
        "approve_contracts": ["1", "1"],
        "sign_contract": ["yes", "yes"],
        "move": ["A0", "A1"],
    }
    return parties(prisoners_dilemma, mechanisms, **usual | said)


def good(parties: Parties, design: Any, move: list[str], **given: Any) -> Played:
    """A public good of three in which all propose, approve of and sign one contract."""
    return parties(
        public_goods,
        [(contracts, given)],
        design_contract=[design] * 3,
        approve_contracts=["123"] * 3,
        sign_contract=["yes"] * 3,
        move=move,
    )


def payoffs(over: Played) -> list[list[float]]:
    return [told[0].tolist() for told in over.told("payoff")]


def test_a_contract_that_all_have_signed_is_paid(parties: Parties) -> None:
    """Without it 0 and 3. The defector pays 1 and owes 2: the cooperator gets both."""
    over = dilemma(parties)
    assert over.told("contract_transfer")[0].tolist() == [[3, -3]]
    assert payoffs(over) == [[3, 0]]


def test_of_three_each_gets_its_payment_from_the_other_two(parties: Parties) -> None:
    """Without it 1, 1 and 2: (A0, A0, A1) under {A0: 2, A1: -3} makes (+2.5, +2.5, -5)."""
    over = good(parties, {"A0": 2.0, "A1": -3.0}, ["A0", "A0", "A1"])
    assert over.told("contract_transfer")[0].tolist() == [[2.5, 2.5, -5]]
    assert payoffs(over) == [[3.5, 3.5, -3]]


@given(arrays(float, (4, 5), elements=some.floats(-1e6, 1e6)), arrays(bool, (4, 5)))
def test_contracts_make_nobody_richer_but_at_the_cost_of_others(due: Any, present: Any) -> None:
    net = net_transfers(due, present)
    assert np.abs(net.sum(-1)).max() < 1e-8
    assert not net[~present].any()


def test_one_who_does_not_sign_leaves_the_game_as_it_was(parties: Parties) -> None:
    over = dilemma(parties, sign_contract=["yes", "no"])
    assert payoffs(over) == [[0, 3]]
    assert over.told("contract_active")[0].tolist() == [[False, False]]
    assert over.told("contract_signs")[0].tolist() == [[True, False]]


def test_all_know_at_their_move_what_is_in_force_and_who_has_signed(parties: Parties) -> None:
    over = dilemma(parties, sign_contract=["yes", "no"])
    (move,) = [step for step in over.steps if step.kind == "move"]
    assert move.arrays["common", "contract"].tolist() == [[[2, -1]]]
    assert move.arrays["common", "contract_active"].tolist() == [[False]]
    assert move.arrays["common", "contract_signed"].tolist() == [[[True, False]]]
    assert move.arrays["common", "contract_proposer"].tolist() == [[1]]


@pytest.mark.parametrize(
    ("votes", "proposer", "approvals", "unanimous"),
    [(["2", "12"], 2, 2, True), (["1", ""], 1, 1, False), (["", "2"], 2, 1, False)],
)
def test_the_proposal_with_most_approvals_is_put_to_signature(
    votes: list[str], proposer: int, approvals: int, unanimous: bool, parties: Parties
) -> None:
    over = dilemma(parties, approve_contracts=votes)
    assert over.told("contract_proposer")[0].tolist() == [[proposer] * 2]
    assert over.told("contract_approvals")[0].tolist() == [[approvals] * 2]
    assert over.told("contract_unanimous")[0].tolist() == [[unanimous] * 2]


@pytest.mark.parametrize("vote", ["", "12"])
def test_chance_decides_between_equals_even_if_nobody_approves(vote: str, parties: Parties) -> None:
    """2,000 draws: a half, within four standard errors."""
    over = dilemma(parties, approve_contracts=[vote] * 2, at={"replicates": 2000})
    first = (over.told("contract_proposer")[0][:, 0] == 1).mean()
    assert first == pytest.approx(0.5, abs=4 * 0.5 / 2000**0.5)


def test_there_is_one_draw_for_all_who_play_a_match(parties: Parties) -> None:
    over = good(parties, NOTHING, ["A0"] * 3)
    (proposer,) = over.told("contract_proposer")
    assert len(set(proposer[0].tolist())) == 1


def test_every_match_of_a_table_has_a_contract_of_its_own(parties: Parties) -> None:
    """The first match agrees on rewards, the second on nothing, and the third does not sign."""
    over = dilemma(
        parties,
        design_contract=[REWARDS, NOTHING, NOTHING, BIG, BIG, BIG],
        approve_contracts=["1"] * 6,
        sign_contract=["yes", "yes", "yes", "yes", "no", "yes"],
        move=["A0", "A1"] * 3,
    )
    assert payoffs(over) == [[3, 0, 0, 3, 0, 3]]
    assert over.outcome.values["contracts"].tolist() == [pytest.approx(2 / 3)]
    assert over.outcome.values["contract_signing"].tolist() == [pytest.approx(5 / 6)]
    assert over.outcome.values["contract_unanimity"].tolist() == [1]


def test_seats_with_unequal_actions_take_a_payment_for_each_seat(parties: Parties) -> None:
    """Seat 1 plays B (+4), seat 2 its only action (0), seat 3 its third one (-2)."""
    labels = [["A", "B"], ["C"], ["D", "E", "F"]]
    design = dict.fromkeys(
        ["A, seat 1", "B, seat 1", "C, seat 2", "D, seat 3", "E, seat 3", "F, seat 3"], 0.0
    ) | {"B, seat 1": 4.0, "F, seat 3": -2.0}
    over = parties(
        normal_form,
        [(contracts, {"form": "seat"})],
        design_contract=[design] * 3,
        approve_contracts=["1"] * 3,
        sign_contract=["yes"] * 3,
        move=["B", "C", "F"],
        at={"params": {"payoffs": UNEQUAL, "actions": labels}},
    )
    assert payoffs(over) == [[5, -1, -4]]


def test_a_contract_may_hold_for_many_games_or_be_made_anew_in_each(parties: Parties) -> None:
    once = dilemma(parties, [(repetition, {"games": 2}), CONTRACT])
    anew = dilemma(parties, [CONTRACT, (repetition, {"games": 2})])
    assert payoffs(once) == payoffs(anew) == [[3, 0], [3, 0]]
    asked = [[step.kind for step in over.steps].count("sign_contract") for over in (once, anew)]
    assert asked == [1, 2]
    assert once.told("weight")[0].tolist() == [[0.5]]


def test_whoever_changes_partners_signs_with_each_of_them(parties: Parties) -> None:
    """All sign the same, so that every defector pays its partner whomever it meets."""
    over = dilemma(
        parties,
        [CONTRACT, (reputation, {"games": 3})],
        design_contract=[REWARDS] * 6,
        approve_contracts=["12"] * 6,
        sign_contract=["yes"] * 6,
        move=["A0", "A1"] * 3,
    )
    assert payoffs(over) == [[3, 0] * 3] * 3


def test_a_reader_of_reputations_sees_points_after_payments(parties: Parties) -> None:
    over = dilemma(
        parties,
        [CONTRACT, (reputation, {"games": 2, "order": "first"})],
        design_contract=[REWARDS] * 4,
        approve_contracts=["12"] * 4,
        sign_contract=["yes"] * 4,
        move=["A0", "A1"] * 2,
    )
    (*_, move) = [step for step in over.steps if step.kind == "move"]
    assert move.arrays["own", "past_points"][0, 0].tolist() == [3, 0]


def test_a_contract_around_partners_who_change_is_refused(play: Play) -> None:
    scenario = wrap_scenario(wrap_scenario(prisoners_dilemma, reputation), contracts)
    with pytest.raises(
        ScenarioError, match=r"contracts stands around reputation.*before reputation"
    ):
        play(scenario, agents=4)


@pytest.mark.parametrize(
    ("scenario", "changes", "words"),
    [
        (public_goods, {"agents": 4}, "4 agents make no matches of 3"),
        (normal_form, {"params": {"payoffs": [[1], [2]]}, "agents": 1}, "nobody to agree with"),
        (
            normal_form,
            {"params": {"payoffs": [[[1, 1], [2, 2]]]}, "agents": 2},
            r"seats have different actions \(A0 and A0/A1\).*say form: seat",
        ),
    ],
)
def test_what_a_contract_cannot_stand_on_is_refused(
    scenario: Scenario, changes: dict[str, Any], words: str, play: Play
) -> None:
    with pytest.raises(ScenarioError, match=words):
        play(wrap_scenario(scenario, contracts), **changes)
