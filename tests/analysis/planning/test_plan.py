"""`society sweep --plan`: what runs find is held against closed forms, and nothing is spent."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from scipy import optimize, stats
from statsmodels.stats.power import TTestIndPower, TTestPower

import society
from society.analysis.planning.plan import SIZES, make_plan
from society.cli.main import main
from society.experiments.experiment import read_experiment

POOLS = "base: lottery.py\nreplicates: 40\nfactors:\n  pool: [1, 2]\n"
CROSSED = "base: lottery.py\nreplicates: 10\nfactors:\n  prize: [0, 1, 2]\n  pool: [1, 2]\n"
INDEPENDENT = "random_numbers: independent\n"

# A uniform pilot of 30 is not normal, and 2,000 experiments are some: closed forms for normal
# values are met to about 5 % where runs are many.
NEARLY = 0.08

Written = Callable[[str, str], str]
Planning = Callable[[str], dict[str, Any]]


def test_under_common_luck_a_pair_finds_what_the_noncentral_t_says(plan: Planning) -> None:
    told = plan(POOLS)
    (pair,) = told["pairs"]
    assert (pair["first"], pair["second"]) == ("pool=1", "pool=2")
    assert pair["sd"] == pytest.approx(12**-0.5, rel=0.25)  # of luck itself, which pools differ by
    assert told["sizes"] == [3, 5, 10, 20, 30, 40, 50, 100]
    for runs in (20, 40, 100):
        d_z = pair["d_z"][told["sizes"].index(runs)]
        closed = TTestPower().solve_power(nobs=runs, power=0.8, alpha=0.05)
        assert d_z == pytest.approx(closed, rel=NEARLY)
    assert pair["differences"][-1] == pytest.approx(pair["d_z"][-1] * pair["sd"])


def test_a_plan_without_pairs_is_shown_and_says_why(lottery: Written) -> None:
    """One run of each condition, which tells no spread."""
    file = lottery("pools.yaml", POOLS.replace("40", "1"))
    society.sweep(file)
    found = society.power(file)
    assert found.pairs == ()
    assert found.differences == found.d == (None,) * len(found.sizes)
    reason = "no difference can be estimated for pool=1 and pool=2: the pairs: 1 of at least 3"
    assert repr(found).startswith(f"pools: {reason}")
    assert f"<caption>pools: {reason}" in found._repr_html_()


def test_independent_conditions_are_compared_by_welch(plan: Planning) -> None:
    (pair,) = plan(POOLS + INDEPENDENT)["pairs"]
    assert "d_z" not in pair
    closed = TTestIndPower().solve_power(nobs1=100, power=0.8, alpha=0.05)
    assert pair["d"][-1] == pytest.approx(closed, rel=NEARLY)


def noncentral_eta_squared(runs: int, df: int, cells: int) -> float:
    """The eta squared of which an F test with df numerator degrees of freedom finds 80 %."""
    within = cells * (runs - 1)
    bound = stats.f.isf(0.05, df, within)

    def missed(eta_squared: float) -> float:
        size = runs * cells * eta_squared / (1 - eta_squared)
        return float(stats.ncf.sf(bound, df, within, size)) - 0.8

    return float(optimize.brentq(missed, 1e-6, 0.99))


def test_factors_and_their_interaction_find_what_the_noncentral_f_says(plan: Planning) -> None:
    told = plan(CROSSED + INDEPENDENT)
    assert [term["name"] for term in told["terms"]] == ["prize", "pool", "prize × pool"]
    at = told["sizes"].index(10)
    found = [term["partial_eta_squared"][at] for term in told["terms"]]
    closed = [noncentral_eta_squared(10, df, cells=6) for df in (2, 1, 2)]
    assert closed == pytest.approx([0.145, 0.119, 0.145], abs=0.002)
    assert found == pytest.approx(closed, rel=NEARLY)
    assert "partial eta squared of .036" in told["notes"][-1]  # 2 x 3.57 / (2 x 3.57 + 189)
    assert "here 10 find 0.12 at the least" in told["notes"][-1]


def test_under_common_luck_replicates_are_blocks_of_the_analysis_of_variance(
    plan: Planning,
) -> None:
    """With two conditions it is the paired test: partial eta squared is d_z^2 / (d_z^2 + 1)."""
    told = plan(POOLS)
    (term,) = told["terms"]
    at = told["sizes"].index(20)
    d_z = TTestPower().solve_power(nobs=20, power=0.8, alpha=0.05)
    assert term["partial_eta_squared"][at] == pytest.approx(d_z**2 / (d_z**2 + 1), rel=NEARLY)
    assert "here, where shared random numbers are no error, 10 find" in told["notes"][-1]


@pytest.mark.thorough
def test_runs_of_a_factor_that_the_analysis_leaves_out_are_pooled(plan: Planning) -> None:
    """Ten of each of six conditions are twenty at each of three prizes."""
    told = plan(
        "base: lottery.py\nreplicates: 10\nfactors:\n  prize: [0, 1, 2]\n"
        "  hall: {red: {}, blue: {}}\nanalysis: {factors: [prize], by: []}\n" + INDEPENDENT
    )
    (term,) = told["terms"]
    found = term["partial_eta_squared"][told["sizes"].index(10)]
    assert noncentral_eta_squared(20, df=2, cells=3) == pytest.approx(0.145, abs=1e-3)
    assert found == pytest.approx(0.145, rel=NEARLY)


def test_an_effect_counts_as_found_if_every_panel_finds_it(plan: Planning) -> None:
    def found(prizes: list[int]) -> list[float]:
        told = plan(
            f"base: lottery.py\nreplicates: 10\nfactors:\n  prize: {prizes}\n  pool: [1, 2]\n"
            "analysis: {factors: [pool], by: [prize]}\n" + INDEPENDENT
        )
        wanted: list[float] = told["terms"][0]["partial_eta_squared"]
        return wanted

    alone = [found([0]), found([1])]
    assert alone[0] != alone[1]
    assert found([0, 1]) == [max(both) for both in zip(*alone, strict=True)]


@pytest.mark.thorough
def test_thirteen_conditions_are_told_from_twelve(
    lottery: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All pools draw alike, so that a pair differs as much as its pools are apart."""
    ticks = count()
    monkeypatch.setattr("time.process_time", lambda: next(ticks))  # a second for each condition
    file = lottery("plan.yaml", f"base: lottery.py\nfactors:\n  pool: {[*range(1, 14)]}\n")
    told = make_plan(read_experiment(Path(file)), tmp_path / "none")
    pools = [trial.condition.factors["pool"] for trial in told.pilot.trials]
    assert pools == [1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13]
    assert len(told.pairs) == 66
    one, most = told.pairs[0], told.noisiest
    assert (one.first, one.second) == ("pool=1", "pool=2")
    assert (most.first, most.second) == ("pool=1", "pool=13")
    assert most.differences[-1] == pytest.approx(12 * (one.differences[-1] or 0))
    assert told.differences[-1] == pytest.approx(4 * (one.differences[-1] or 0))  # 4 of 1 to 12
    assert told.pilot.demand.seconds == pytest.approx(13 / 30)  # 12 seconds for 30 runs of 12
    assert told.demand[-1].seconds == pytest.approx(100 * 13 / 30)


def test_an_analysis_by_a_third_factor_compares_inside_its_levels(plan: Planning) -> None:
    told = plan(CROSSED + "analysis: {factors: [pool], by: [prize]}\n")
    pairs = [(pair["first"], pair["second"]) for pair in told["pairs"]]
    assert pairs == [(f"prize={prize},pool=1", f"prize={prize},pool=2") for prize in (0, 1, 2)]
    assert [term["name"] for term in told["terms"]] == ["pool"]


def test_pairs_that_always_differ_by_the_same_are_told_in_words(plan: Planning) -> None:
    told = plan("base: lottery.py\nfactors:\n  prize: [0, 1, 2]\n")
    assert told["pairs"] == []
    assert told["notes"][0].startswith(
        "no difference can be estimated for prize=0 and prize=1: the difference"
    )
    assert told["notes"][0].endswith("(and 2 other pairs)")


def test_runs_that_all_come_to_the_same_are_told_in_words(plan: Planning) -> None:
    told = plan("base: fishing_village\nrounds: 2\nfactors:\n  fine: [2, 18]\n")
    assert (told["pairs"], told["terms"]) == ([], [])
    notes = "\n".join(told["notes"])
    assert "no partial eta squared can be estimated: no condition varies in the pilot" in notes
    assert "60 of 60 pilot runs went on to their last round" in notes
    assert "all pilot runs came to the same, so that more may show no spread: fine=2 (2)" in notes


def test_a_plan_is_the_same_each_time_but_for_the_seconds(plan: Planning) -> None:
    first, second = plan(POOLS), plan(POOLS)
    assert first["demand"][0]["seconds"] > 0
    for told in (first, second):
        for demand in told["demand"]:
            demand["seconds"] = None
    assert first == second


def test_nothing_is_written(plan: Planning, tmp_path: Path) -> None:
    plan(POOLS)
    assert {file.name for file in tmp_path.iterdir()} == {"lottery.py", "plan.yaml"}


def test_one_condition_compares_nothing(plan: Planning) -> None:
    told = plan("base: lottery.py\n")
    assert (told["pairs"], told["terms"]) == ([], [])
    assert "there is one condition, and nothing to compare it with" in told["notes"][0]


def test_people_read_a_table_of_runs(lottery: Written, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", lottery("plan.yaml", CROSSED), "--plan"]) == 0
    said = capsys.readouterr().out
    assert "plan: 10 runs of each of 6 conditions\n" in said
    assert "outcome  won (coins)\n" in said
    assert "pilot    played now, in memory: 30 runs of each of 6 conditions\n" in said
    rows = [line.split() for line in said.splitlines() if " runs  " in line]
    sizes = [int(row[0]) for row in rows if len(row) == 4]
    assert [row[0] for row in rows].count("100") == 3  # differences, eta squared, use
    assert sizes == list(SIZES)  # of use: "10 runs", 60 in all, seconds
    assert "the smallest partial eta squared that is found" in said
    assert "3, 5 and 10 runs" in " ".join(said.split())
