"""What follows from a decision: gifts, punishments, errors, and answers that are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.scenarios.donor.traces import DEEDS

if TYPE_CHECKING:
    from society.engine.rng import Array

    from .conftest import Donors, Game, Speaking


def by_chance(ask: Any, me: Any) -> Array:
    """Gives any share of what it owns or, as often, punishes with it; often with all."""
    share: Array = np.clip(me.draws.between("share", -1.5, 1.5), -1, 1)
    return share


def either(donors: Game, giver: float, taker: float, **params: Any) -> tuple[Donors, int, int]:
    """One round of two, who do the same; the seats of the donor and of the recipient."""
    over = donors(agents=2, rounds=1, games=1, donate=giver, **params)
    donor = int(np.argmax(over.told("donor")[0][0]))
    return over, donor, 1 - donor


# Shares


def test_a_gift_is_doubled_on_its_way(donors: Game) -> None:
    over, donor, recipient = either(donors, 0.4, 0.0)
    held = over.told("resources")[0][0]
    assert (held[donor], held[recipient]) == (6, 18)
    assert over.told("given")[0][0, donor] == 4
    assert over.told("received")[0][0].tolist()[recipient] == 8


def test_both_know_the_share_that_was_offered_and_nobody_else_has_one(donors: Game) -> None:
    over, donor, recipient = either(donors, 0.4, 0.0)
    share, offered = over.told("share")[0][0], over.told("received_share")[0][0]
    assert (share[donor], offered[recipient]) == (0.4, 0.4)
    assert np.isnan([share[recipient], offered[donor]]).all()


def test_more_than_one_owns_cannot_be_given(donors: Game) -> None:
    over, donor, recipient = either(donors, 7.0, 0.0)
    assert over.told("given")[0][0, donor] == 10
    assert over.told("resources")[0][0, donor] == 0
    assert over.told("resources")[0][0, recipient] == 30


# Punishing


def test_a_unit_of_punishment_destroys_two(donors: Game) -> None:
    over, donor, recipient = either(donors, -0.3, 0.0, punishment=True)
    held = over.told("resources")[0][0]
    assert (held[donor], held[recipient]) == (7, 4)
    assert over.told("taken")[0][0, recipient] == 6
    assert DEEDS[over.told("deed")[0][0, donor]] == "punished"


def test_no_more_is_destroyed_than_there_is_and_it_costs_all_the_same(donors: Game) -> None:
    over, donor, recipient = either(donors, -0.9, 0.0, punishment=True)
    held = over.told("resources")[0][0]
    assert (held[donor], held[recipient]) == (1, 0)
    assert over.told("spent")[0][0, donor] == 9
    assert over.told("taken")[0][0, recipient] == 10


def test_who_punishes_gives_a_share_of_nothing(donors: Game) -> None:
    over, donor, recipient = either(donors, -0.9, 0.0, punishment=True)
    assert over.told("share")[0][0, donor] == 0
    assert over.told("received_share")[0][0, recipient] == 0


# A fixed stake


@pytest.mark.parametrize(
    ("does", "donor_gains", "recipient_gains"), [(1, -2, 5), (0, 0, 0), (-1, -2, -4)]
)
def test_a_fixed_gift_costs_c_and_is_worth_b_and_punishing_costs_c_and_takes_2c(
    donors: Game, does: float, donor_gains: float, recipient_gains: float
) -> None:
    over, donor, recipient = either(
        donors, does, 0.0, stake="fixed", cost=2, benefit=5, punishment=True
    )
    held = over.told("resources")[0][0]
    assert (held[donor] - 10, held[recipient] - 10) == (donor_gains, recipient_gains)
    assert over.told("share")[0][0, donor] == (does > 0)


def test_under_a_fixed_stake_debts_are_possible(donors: Game) -> None:
    over = donors(donate=-1, stake="fixed", cost=3, punishment=True, games=1)
    assert over.told("resources")[-1].tolist() == [[10 - 6 * 3 - 6 * 6] * 12]


# What goes in comes out


@given(
    seed=st.integers(0, 999),
    schedule=st.sampled_from(["ordered-once", "random"]),
    punishment=st.booleans(),
    multiplier=st.floats(0, 4),
    error=st.floats(0, 1),
)
def test_what_all_own_grows_by_gifts_and_shrinks_by_punishments_and_nothing_else(
    donors: Game, seed: int, schedule: str, punishment: bool, multiplier: float, error: float
) -> None:
    """In + (m - 1) given - spent - destroyed = out, in every round and replicate."""
    over = donors(
        agents=6,
        rounds=6,
        donate=by_chance if punishment else lambda ask, me: np.abs(by_chance(ask, me)),
        schedule=schedule,
        multiplier=multiplier,
        execution_error=error,
        punishment=punishment,
        at={"seed": seed, "replicates": 2},
    )
    names = ("resources", "given", "spent", "partner")
    for before, *after in zip(over.asked("resources"), *map(over.told, names), strict=True):
        held, given_, spent, partner = after
        destroyed = np.minimum(2 * spent, np.take_along_axis(before, partner, 1))
        grown = (multiplier - 1) * given_ - spent - destroyed
        np.testing.assert_allclose(held.sum(1), (before + grown).sum(1), rtol=1e-12, atol=1e-9)
        assert (held >= 0).all()


@given(seed=st.integers(0, 999), error=st.floats(0, 1))
def test_under_a_fixed_stake_a_gift_adds_b_minus_c_and_a_punishment_takes_3c(
    donors: Game, seed: int, error: float
) -> None:
    over = donors(
        donate=by_chance,
        stake="fixed",
        cost=2,
        benefit=5,
        punishment=True,
        execution_error=error,
        at={"seed": seed},
    )
    before = 120.0
    for number in range(24):
        before = before if number % 12 else 120.0
        deeds = over.told("deed")[number][over.told("donor")[number]]
        gifts = (over.told("given")[number] > 0).sum()
        punishments = (deeds == DEEDS.index("punished")).sum()
        total = over.told("resources")[number].sum()
        assert total == before + 3 * gifts - 6 * punishments
        before = total


# Slips


def test_a_gift_or_punishment_fails_with_the_stated_chance(donors: Game) -> None:
    """14,400 of them, a quarter fails: s.d. 0.0036; each then looks like a gift of nothing."""
    over = donors(execution_error=0.25, stake="fixed", at={"replicates": 100})
    share = np.concatenate([share[~np.isnan(share)] for share in over.told("share")])
    assert share.mean() == pytest.approx(0.75, abs=4 * 0.0036)
    assert set(share.tolist()) == {0, 1}


def test_where_everything_fails_nothing_moves(donors: Game) -> None:
    over = donors(donate=by_chance, punishment=True, execution_error=1)
    assert over.mean("final_resources") == 10
    assert over.mean("punished") == 0


def test_slips_move_no_other_chance(donors: Game) -> None:
    assert donors(execution_error=0.5).gifts() == donors().gifts()


# Answers of language minds


@pytest.mark.parametrize("said", ["11", "-1", "all I have", "", "nan", "1e999"])
def test_what_is_no_amount_is_asked_again_once_then_nothing_is_given_and_it_is_counted(
    speaking: Speaking, said: str
) -> None:
    spoken = speaking(lambda request: said)
    assert spoken.ledger("donate") == (2, 1, 1)
    assert spoken.donors.told("given")[0].tolist() == [[0, 0]]
    assert spoken.donors.told("resources")[0].tolist() == [[10, 10]]


def test_a_mended_answer_counts(speaking: Speaking) -> None:
    replies = iter(["12.5", "2.5"])
    spoken = speaking(lambda request: next(replies))
    assert spoken.ledger("donate") == (2, 1, 0)
    assert np.nansum(spoken.donors.told("share")[0]) == 0.25


@pytest.mark.parametrize(
    "said",
    [
        '{"deed": "donate", "amount": 11}',
        '{"deed": "rob", "amount": 1}',
        '{"amount": 1}',
        "punish them",
    ],
)
def test_where_one_may_punish_what_cannot_be_read_is_no_deed(speaking: Speaking, said: str) -> None:
    spoken = speaking(lambda request: said, punishment=True)
    assert spoken.ledger("donate") == (2, 1, 1)
    assert spoken.donors.told("resources")[0].tolist() == [[10, 10]]


def test_a_punishment_in_words_is_a_punishment(speaking: Speaking) -> None:
    spoken = speaking(lambda request: '{"deed": "punish", "amount": 3}', punishment=True)
    assert sorted(spoken.donors.told("resources")[0][0]) == [4, 7]


def test_only_those_who_may_give_are_asked(speaking: Speaking) -> None:
    """12 agents, 12 rounds, 2 games: 6 a round, 144 calls a generation, as the paper has it."""
    spoken = speaking(lambda request: "1", agents=12, rounds=12, games=2)
    assert spoken.ledger("donate") == (144, 0, 0)
