"""Whether designs of contracts and mediators make cooperation pay."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from society.analysis.crossplay.adoption import (
    contract_payoffs,
    designs,
    is_dominant,
    is_equilibrium,
    judge_design,
    mediator_payoffs,
)
from society.components.games.mechanism_use import binding_contracts, sustaining_mediators
from society.engine.rng import Array
from society.runs.structure import GameNote
from society.scenarios.games.game import Game
from society.scenarios.games.public_goods import PublicGood
from society.scenarios.games.two_by_two import PRISONERS_DILEMMA, STAG_HUNT
from society.scenarios.reproductions.tewolde2026.agreement_games import game_under_contract

from .conftest import InCell

DILEMMA, STAG = GameNote.of(PRISONERS_DILEMMA), GameNote.of(STAG_HUNT)
DILEMMAS: list[Game] = [PRISONERS_DILEMMA, STAG_HUNT, PublicGood(3, 1.5)]
ABLE = [
    {"classic_strategies": {"strategy": "always_cooperate"}},
    {"mechanism_use": {"skill": "capable"}},
]


def test_payments_go_to_whoever_acts_and_come_from_all_others() -> None:
    """The example of the study: three players, c(A0) = 2, c(A1) = -3, actions A0, A0, A1."""
    game = GameNote.of(PublicGood(3, 1.5))
    assert game.table is not None
    paid = contract_payoffs(game, {"A0": 2, "A1": -3}) - game.table
    assert paid[:, 0, 0, 1].tolist() == [2.5, 2.5, -5]
    assert paid.sum(0) == pytest.approx(np.zeros((2, 2, 2)))


@pytest.mark.parametrize(
    ("fields", "dominates", "holds"),
    [
        ({"A0": 1, "A1": 0}, True, True),  # 2 + 1 - 1 = 3 - 1, and 0 + 1 = 1: weakly
        ({"A0": 0.999, "A1": 0}, False, False),
        ({"A0": 0, "A1": -2}, True, True),
        ({"A0": 0, "A1": 0}, False, False),
        ({"A0, seat 1": 1, "A1, seat 1": 0, "A0, seat 2": 0, "A1, seat 2": 0}, False, False),
        ({"A0, seat 1": 1, "A1, seat 1": 0, "A0, seat 2": 1, "A1, seat 2": 0}, True, True),
    ],
)
def test_a_contract_must_pay_what_defecting_would_gain(
    fields: dict[str, Any], dominates: bool, holds: bool
) -> None:
    payoffs = contract_payoffs(DILEMMA, fields)
    assert is_dominant(payoffs, (0, 0)) == dominates
    assert is_equilibrium(payoffs, (0, 0)) == holds


def test_in_stag_hunt_cooperation_is_an_equilibrium_that_nothing_has_to_be_paid_for() -> None:
    payoffs = contract_payoffs(STAG, {"A0": 0, "A1": 0})
    assert is_equilibrium(payoffs, (0, 0))
    assert not is_dominant(payoffs, (0, 0))


def test_a_mediator_that_defects_for_one_makes_delegating_dominant() -> None:
    """Rows: A0, A1, delegate. It cooperates for two, and defects for one."""
    payoffs = mediator_payoffs(DILEMMA, {"1": "A1", "2": "A0"})
    assert payoffs[0].tolist() == [[2, 0, 0], [3, 1, 1], [3, 1, 2]]
    assert is_dominant(payoffs, (2, 2))
    assert not is_dominant(mediator_payoffs(DILEMMA, {"1": "A0", "2": "A0"}), (2, 2))


@given(arrays(float, 2, elements=st.floats(-6, 6)), st.sampled_from(DILEMMAS))
def test_capable_minds_sign_what_is_judged_dominant_and_better(paid: Array, rules: Game) -> None:
    """Two ways to the same payoffs, and to the same verdict."""
    note = GameNote.of(rules)
    verdict = judge_design(note, "contract", dict(zip(("A0", "A1"), paid, strict=True)))
    assert (verdict.dominant and verdict.better) == binding_contracts(rules, paid)
    under = np.stack([*game_under_contract(rules, paid).payoffs])
    assert under == pytest.approx(contract_payoffs(note, {"A0": paid[0], "A1": paid[1]}))


@pytest.mark.parametrize("rules", DILEMMAS, ids=repr)
def test_capable_minds_delegate_where_that_is_judged_stable_and_better(rules: Game) -> None:
    """To mediators that cooperate for all; in the laboratory no other one is any good."""
    for plans in product((0, 1), repeat=rules.players - 1):
        acts = [*plans, 0]
        fields = {str(count): f"A{act}" for count, act in enumerate(acts, 1)}
        verdict = judge_design(GameNote.of(rules), "mediator", fields)
        assert (verdict.stable and verdict.better) == sustaining_mediators(
            rules, np.array(acts, float)
        )


def test_designs_of_a_tournament_are_judged_one_by_one(in_cell: InCell) -> None:
    types = {"able": ABLE, "nasty": [*ABLE[:1], {"mechanism_use": {"skill": "stubborn"}}]}
    found = designs(in_cell("prisoners_dilemma", {"contracts": {}}, types=types))
    assert [(one.type, one.seat, one.sort, one.dominant, one.stable) for one in found] == [
        ("able", 1, "contract", True, True),
        ("able", 2, "contract", True, True),
        ("nasty", 1, "contract", False, False),
        ("nasty", 2, "contract", False, False),
    ]


def test_a_mediator_that_does_not_cooperate_for_all_is_no_good(in_cell: InCell) -> None:
    stubborn = [*ABLE[:1], {"mechanism_use": {"skill": "stubborn"}}]
    found = designs(in_cell("prisoners_dilemma", {"mediation": {}}, types={"one": stubborn}))
    assert {(one.dominant, one.stable) for one in found} == {(False, False)}


def test_a_design_that_could_not_be_read_is_not_judged(in_cell: InCell) -> None:
    given = {"able": [{"A0": 2, "A1": 0}, None]}
    cell = in_cell("prisoners_dilemma", {"contracts": {"designs": given}}, types={"able": ABLE})
    assert [(one.fields, one.dominant) for one in designs(cell)] == [
        ({"A0": 2, "A1": 0}, True),
        (None, None),
    ]


def test_without_cooperation_there_is_nothing_to_judge(in_cell: InCell) -> None:
    cell = in_cell("matching_pennies", {"contracts": {}}, types={"able": ABLE})
    assert {one.dominant for one in designs(cell)} == {None}
