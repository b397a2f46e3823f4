"""Mean, Fitness and DevRank of types, and how games and mechanisms are told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from society.analysis.crossplay import GameCell, standings
from society.analysis.crossplay.contests import group_contests
from society.analysis.crossplay.standings import METRICS, Contest, MeanOverRuns, RunStandings
from society.analysis.metagame import Rule, deviation_ratings
from society.analysis.statistics.samples import NotEstimable
from society.engine.rng import Array

from .conftest import InCell

ALL = np.ones(4, bool)


def test_the_mean_of_a_type_is_over_all_matches_and_seats(in_cell: InCell) -> None:
    """nice: 2, 2, 0, 0; nasty: 3, 3, 1, 1."""
    assert RunStandings(in_cell(), ALL).value("Mean").tolist() == [1.5, 1, 2]


def test_defectors_take_over_and_are_paid_what_defectors_pay_each_other(in_cell: InCell) -> None:
    average, nice, nasty = RunStandings(in_cell(), ALL).value("Fitness")
    assert nasty == pytest.approx(1, abs=1e-9)
    assert nice == pytest.approx(0, abs=1e-9)
    assert average == pytest.approx(1, abs=1e-9)


def test_the_dominant_type_has_the_first_rank(in_cell: InCell) -> None:
    assert RunStandings(in_cell(), ALL).value("DevRank").tolist() == [1.5, 2, 1]


@pytest.mark.parametrize("rule", ["strict", "tight"])
def test_ratings_follow_the_rule_that_is_asked_for(
    in_cell: InCell, monkeypatch: pytest.MonkeyPatch, rule: Rule
) -> None:
    """Here both give the same, so that the rule is looked at on its way; once for equal payoffs."""
    asked = list[str]()
    standings._rank.cache_clear()

    def rated(tensor: Array, *, rule: Rule) -> Array:
        asked.append(rule)
        return deviation_ratings(tensor, rule=rule)

    monkeypatch.setattr("society.analysis.crossplay.standings.deviation_ratings", rated)
    (contest,) = group_contests([in_cell()], rule)
    assert contest.summed("DevRank").mean.tolist() == [1.5, 2, 1]
    assert contest.standings[0].ranks.tolist() == [2, 1]
    (again,) = group_contests([in_cell()], rule)
    assert again.summed("DevRank").mean.tolist() == [1.5, 2, 1]
    assert asked == [rule]


def test_reputation_has_a_mean_and_says_why_nothing_else(in_cell: InCell) -> None:
    cell = in_cell("prisoners_dilemma", {"reputation": {"games": 20}}, repetitions=2)
    (contest,) = group_contests([cell])
    average, nice, nasty = contest.summed("Mean").mean
    assert nice < nasty
    assert average == pytest.approx((nice + nasty) / 2)
    with pytest.raises(NotEstimable, match="not defined: 2 matches share one society"):
        contest.summed("Fitness")


def test_standard_errors_are_those_of_runs() -> None:
    """Of 1 and 3: sd / sqrt(2) = 1; what is missing is left out."""
    sums = MeanOverRuns.of(np.array([[1.0, 5], [3, np.nan]]))
    assert sums.mean.tolist() == [2, 5]
    assert sums.error[0] == 1
    assert np.isnan(sums.error[1])
    assert sums.n.tolist() == [2, 1]


def test_payoffs_of_a_game_are_scaled_from_equilibrium_to_cooperation(in_cell: InCell) -> None:
    """Trust: equilibrium 4, cooperation 10; nice has (10 + 10 + 0 + 2) / 4, nasty 8.5."""
    (contest,) = group_contests([in_cell("trust")])
    assert contest.summed("Mean").mean[1:].tolist() == [5.5, 8.5]
    assert contest.scaled("Mean")[1:] == pytest.approx([0.25, 0.75])


def test_matching_pennies_has_no_scale(in_cell: InCell) -> None:
    (contest,) = group_contests([in_cell("matching_pennies")])
    with pytest.raises(NotEstimable, match="names no cooperation"):
        contest.scaled("Mean")


def lost(cell: GameCell, *replicates: int) -> GameCell:
    """The same cell, with these matches void."""
    return replace(cell, void=np.isin(np.arange(len(cell.void)), replicates))


def test_a_lost_seating_bends_no_mean_where_seats_differ(in_cell: InCell) -> None:
    """In trust a type would seem to be paid what its better seat pays: 7.3 in place of 5.5."""
    cell = lost(in_cell("trust"), 1)
    for metric in METRICS:
        with pytest.raises(NotEstimable, match=r"at seats 1, 2, ...: nice, nasty; play"):
            RunStandings(cell, ALL).value(metric)


def test_where_seats_are_alike_the_other_order_stands_for_it(in_cell: InCell) -> None:
    whole, cell = in_cell(), lost(in_cell(), 1)
    assert cell.exchangeable
    assert (RunStandings(cell, ALL).tensor == RunStandings(whole, ALL).tensor).all()
    assert not in_cell("trust").exchangeable
    assert not in_cell("prisoners_dilemma", {"leadership": {}}).exchangeable


def test_a_type_that_never_scored_beside_another_is_left_out_of_its_mean(in_cell: InCell) -> None:
    cell = lost(in_cell("trust"), 1, 2)
    assert RunStandings(cell, ALL).value("Mean")[1:].tolist() == [10, 4]


def test_repetitions_count_together_if_each_has_lost_some(in_cell: InCell) -> None:
    """The first has lost nice with nasty, the second nasty with nice; one that is whole counts."""
    cell = in_cell("trust", repetitions=3)
    (apart,) = group_contests([lost(cell, 1, 6, 9)])
    assert apart.summed("Mean").mean[1:].tolist() == [5.5, 8.5]
    assert apart.summed("Mean").n.tolist() == [1, 1, 1]
    (one,) = group_contests([lost(cell, 1, 6)])
    assert one.summed("Fitness").n.tolist() == [1, 1, 1]


def test_what_is_not_finished_has_no_scores_to_compare(in_cell: InCell) -> None:
    cell = in_cell()
    part = replace(cell, run=replace(cell.run, status="interrupted"))
    (contest,) = group_contests([part])
    with pytest.raises(NotEstimable, match="is interrupted; let it finish"):
        contest.summed("Mean")
    assert len(Contest("", "", [cell, part]).standings) == 1


def test_cells_are_called_by_game_mechanism_and_what_differs(in_cell: InCell) -> None:
    reputations = [{"reputation": {"games": 2, "order": order}} for order in ("first", "higher")]
    cells = [
        in_cell(),
        *(in_cell("prisoners_dilemma", each) for each in reputations),
        in_cell("prisoners_dilemma", {"contracts": {}}, {"repetition": {"games": 2}}),
        in_cell("public_goods", parameters={"players": 2}),
        in_cell("public_goods", parameters={"players": 3}),
    ]
    assert [(one.game, one.mechanism) for one in group_contests(cells)] == [
        ("prisoners dilemma", "no mechanism"),
        ("prisoners dilemma", "reputation (order = first)"),
        ("prisoners dilemma", "reputation (order = higher)"),
        ("prisoners dilemma", "contracts in repetition"),
        ("public goods (players = 2)", "no mechanism"),
        ("public goods (players = 3)", "no mechanism"),
    ]


def test_cells_that_differ_by_seed_alone_are_runs_of_one(in_cell: InCell) -> None:
    cells = [in_cell("prisoners_dilemma", {"contracts": {}}, seed=seed) for seed in (1, 2)]
    (contest,) = group_contests(cells)
    assert len(contest.standings) == 2
