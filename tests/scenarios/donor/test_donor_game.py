"""The donor game as a whole: what it comes to, what it never tells, what it refuses."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.cli.main import main
from society.components.donor.donation import Donation
from society.engine.scenario import wrap_scenario
from society.errors import ScenarioError
from society.scenarios.donor.donor_game import donor_game
from society.scenarios.mechanisms.generations.generations import generations

if TYPE_CHECKING:
    from tests.conftest import Play

    from .conftest import Donors, Game


# Closed forms


@pytest.mark.parametrize(
    ("multiplier", "mean"), [(1.5, 1081.219482421875), (2, 30_720), (3, 3_542_940)]
)
def test_where_all_give_all_means_are_what_can_be_had_at_most(
    donors: Game, multiplier: float, mean: float
) -> None:
    """E (m + 1) m^(T - 1) / 2 with E = 10, T = 12, in each game, whatever the halves."""
    over = donors(multiplier=multiplier, at={"replicates": 3})
    assert over.outcome.values["final_resources"].tolist() == [mean] * 3
    assert 10 * (multiplier + 1) * multiplier**11 / 2 == mean


def test_the_last_to_receive_own_all_and_the_roles_make_up_for_it(donors: Game) -> None:
    first, second = (final[0] for final in donors().facts("scored", "final"))
    assert sorted(first) == [0] * 6 + [61_440] * 6
    assert (first + second).tolist() == [61_440] * 12


def test_where_all_give_half_means_follow_their_recursion(donors: Game) -> None:
    """A donor's d and a recipient's r become r + d and d / 2, so that the donor's follow
    d(t + 1) = d(t) + d(t - 1) / 2, with roots (1 + sqrt 3) / 2 and (1 - sqrt 3) / 2:
    the mean after 12 rounds is 5 times the sum of their 14th powers."""
    assert donors(donate=0.5).mean("final_resources") == 393.90625
    exact = 5 * (((1 + sqrt(3)) / 2) ** 14 + ((1 - sqrt(3)) / 2) ** 14)
    assert exact == pytest.approx(393.90625, rel=1e-12)


def test_where_nobody_gives_nothing_changes(donors: Game) -> None:
    over = donors(donate=0.0)
    assert over.mean("final_resources") == 10
    assert over.mean("donation") == 0


def test_on_the_published_schedule_half_of_it_is_lost_with_the_broken_turn(donors: Game) -> None:
    assert donors(schedule="published").mean("final_resources") == 15_360


def test_a_unit_with_k_rounds_left_is_worth_as_much_as_stated(donors: Game) -> None:
    """2^k for whoever gives next and 2^(k - 1) for whoever receives next, if both own 10."""
    for rounds in range(1, 13):
        over = donors(rounds=rounds, games=1)
        assert over.mean("final_resources") * 2 == 10 * 2**rounds + 10 * 2 ** (rounds - 1)


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_equal_strategies_earn_equal_means_since_roles_are_exchanged(
    donors: Game, share: float
) -> None:
    first, second = donors(donate=share).facts("scored", "final")
    np.testing.assert_allclose(first + second, (first + second)[0, 0], rtol=1e-12)


def test_under_a_fixed_stake_everybody_earns_b_minus_c_a_pair(donors: Game) -> None:
    """12 rounds, each of which one of two gives: 10 + 6 * (3 - 1)."""
    over = donors(stake="fixed", cost=1, benefit=3)
    assert over.mean("final_resources") == 22
    assert over.facts("scored", "final")[0].tolist() == [[22] * 12]


# What is measured


def test_donation_counts_those_who_had_something_to_give(donors: Game) -> None:
    """Two agents who give all: the second round's donor has 30 units, nobody is left out."""
    shares = donors(agents=2, rounds=2, games=1, donate=[0.25, 0.75]).told("share")
    assert sorted(np.nansum(share) for share in shares) == [0.25, 0.75]


def test_who_has_nothing_is_no_miser(donors: Game) -> None:
    """Published schedule, round 7: all donors have given all they had in round 6."""
    over = donors(schedule="published", games=1)
    assert np.isnan(over.told("share")[6]).all()
    donation = [page.measures["donation"][0] for page in over.pages]
    assert np.isnan(donation[6])
    assert over.mean("donation") == 1


def test_punishments_are_counted_by_encounter(donors: Game) -> None:
    """One of twelve punishes whenever it can: in 6 of the 72 encounters of a game."""
    over = donors(donate=[-0.5, *[0.5] * 11], punishment=True, games=2)
    assert over.mean("punished") == pytest.approx(1 / 12)


# What is not known


def facts_of(over: Donors, kinds: tuple[str, ...]) -> list[dict[Any, Any]]:
    """All facts of these questions, in order."""
    return [
        {
            key: (values.shape, repr(values.tolist()))
            for key, values in step.arrays.items()
            if key[0] != "answer"
        }
        for step in over.over.steps
        if step.kind in kinds
    ]


@pytest.mark.parametrize("medium", ["trace", "record", "review"])
def test_no_question_tells_how_many_rounds_there_are(donors: Game, medium: str) -> None:
    """The first six rounds of six are those of twelve, to the last entry of every fact."""
    kinds = "donate", "accept", "gossip", "review"
    options = {"medium": medium, "partners": "agreed", "gossip": True, "games": 1}
    short = facts_of(donors(rounds=6, donate=0.3, **options), kinds)
    long = facts_of(donors(rounds=12, donate=0.3, **options), kinds)
    assert short == long[: len(short)]


def test_donors_know_the_facts_that_the_paper_names_and_no_others(donors: Game) -> None:
    (step, *_) = [step for step in donors().over.steps if step.kind == "donate"]
    assert {name for role, name in step.arrays if role in ("own", "common")} == {
        "generation",
        "round",
        "resources",
        "recipient",
        "recipient_resources",
        "trace_deed",
        "trace_share",
        "trace_units",
        "trace_to",
        "trace_round",
    }


def test_everybody_begins_each_game_with_the_endowment(donors: Game) -> None:
    over = donors(endowment=7, games=3, rounds=2)
    assert [held.tolist() for held in over.facts("endowed", "resources")] == [[[7.0] * 12]] * 3
    assert [over.asked("resources")[k].tolist() for k in (0, 2, 4)] == [[[7.0] * 12]] * 3


def test_pages_are_numbered_by_game_and_round(donors: Game) -> None:
    assert [page.path for page in donors(rounds=2).pages] == [(1, 1), (1, 2), (2, 1), (2, 2)]


# Wishes that cannot be met


def test_rewiring_does_not_go_with_a_fixed_schedule(donors: Game) -> None:
    with pytest.raises(
        ScenarioError, match=r"rewired .* ordered-once is fixed; take schedule random"
    ):
        donors(partners="rewired")


def test_a_battery_of_shares_cannot_be_reviewed(donors: Game) -> None:
    with pytest.raises(
        ScenarioError, match="medium review shows none; take medium trace or record"
    ):
        donors(probe=True, medium="review")


# More than can be counted

RICH: dict[str, Any] = {"agents": 2, "schedule": "random", "multiplier": 1e160, "donate": 0.5}


def test_where_somebody_gets_too_rich_to_be_counted_it_is_over_and_others_go_on(
    donors: Game,
) -> None:
    """By hand: who has been given 5e160 units gives half of them, which are then 2.5e320.

    So it is over in the second round, where roles are exchanged, or goes on to a third.
    """
    over = donors(rounds=2, games=1, **RICH, at={"replicates": 20})
    first, second = over.told("donor")
    rich = (first != second).all(1)
    assert 0 < rich.sum() < 20
    assert over.outcome.ends == {"uncountable": rich.sum(), "": 20 - rich.sum()}
    final = over.outcome.values["final_resources"]
    assert np.isnan(final).tolist() == rich.tolist()
    assert final[~rich].tolist() == [3.75e160] * (20 - rich.sum())


def test_who_is_too_rich_in_one_run_changes_no_other(donors: Game) -> None:
    batch = donors(rounds=4, games=1, **RICH, at={"replicates": 8})
    for number in range(8):
        alone = donors(rounds=4, games=1, **RICH, at={"replicate_ids": [number]})
        for name, values in alone.outcome.values.items():
            np.testing.assert_array_equal(values, batch.outcome.values[name][[number]])


def test_in_generations_the_others_go_on_and_so_does_it_in_the_next_game(play: Play) -> None:
    society = wrap_scenario(donor_game, generations, count=2, fitness="final")
    params = {"schedule": "random", "multiplier": 1e160, "games": 1}
    fixed = Donation("fixed", 0.5, noise=0, mutation=0)
    over = play(society, fixed, agents=4, rounds=4, params=params, replicates=5)
    assert [newborn.shape for newborn in over.told("newborn")] == [(5, 4)] * 2
    assert over.told("life")[1].max() >= 4


@pytest.mark.parametrize("stake", ["share", "fixed"])
def test_where_all_can_be_counted_nobody_is_told_that_it_cannot(donors: Game, stake: str) -> None:
    over = donors(stake=stake)
    assert not [step for step in over.over.steps if step.kind == "uncountable"]


def test_a_fixed_stake_may_be_too_large_as_well(donors: Game) -> None:
    over = donors(stake="fixed", benefit=1.5e308)
    assert over.outcome.ends == {"uncountable": 1}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--agents", "7"], "give an even number, as 6 or 8"),
        (["--rounds", "13"], "schedule ordered-once has at most 12 rounds for 12 agents"),
        (["--set", "partners=rewired"], "take schedule random"),
        (["--set", "trace=-1"], "--set trace=-1: got -1; expected a whole number from 0 to 100"),
        (["--set", "known=2"], "--set known=2: got 2; expected a number from 0 to 1"),
        (["--set", "cost=0"], "--set cost=0: got 0; expected a number above 0"),
        (
            ["--set", "schedule=orderd-once"],
            "expected one of ordered-once, no-repeat",
        ),
    ],
)
def test_at_the_command_line_a_wrong_wish_is_one_message_and_exit_code_2(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "donor_game", *words]) == 2
    said = capsys.readouterr()
    assert message in said.err
    assert said.out == ""
    assert list(tmp_path.rglob("*.run")) == []
