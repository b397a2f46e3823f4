"""`society sweep --plan`: what runs find is held against closed forms, and nothing is spent."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from society.cli import main
from society.errors import InputError
from society.lab.experiment import Condition, experiment
from society.lab.planning.pilot import pilot, spread
from society.lab.planning.plan import SIZES, planned
from society.runs.sitting import Sitting

# Whoever plays wins the prize, and a share of the pool by luck: uniform in [0, 1).
LOTTERY = """
from society.agent import Component
from society.cast import Cohort
from society.scenario import Measure, Params, scenario
from society.talk import Tell, common

class Stakes(Params):
    prize: float = 0.0
    pool: float = 1.0

@scenario(
    cast=lambda params, agents: [Cohort("players", agents, [Component()])],
    params=Stakes,
    measures=(Measure("won", "coins", lambda told, table: told["won"]),),
    rounds=1,
)
def lottery(table):
    for _ in table.rounds():
        luck = table.draws("lottery", per="replicate").uniform("ticket")
        yield Tell("drawn", {"won": common(table.params.prize + table.params.pool * luck)})
"""
POOLS = "base: lottery.py\nreplicates: 40\nfactors:\n  pool: [1, 2]\n"
CROSSED = "base: lottery.py\nreplicates: 10\nfactors:\n  prize: [0, 1, 2]\n  pool: [1, 2]\n"
INDEPENDENT = "random_numbers: independent\n"

# A uniform pilot of 30 is not normal, and 2,000 experiments are some: closed forms for normal
# values are met to about 5 % where runs are many.
NEARLY = 0.08

Written = Callable[[str, str], str]
Planning = Callable[[str], dict[str, Any]]


@pytest.fixture
def plan(written: Written, capsys: pytest.CaptureFixture[str]) -> Planning:
    """`plan(text)` is the plan of an experiment file as JSON, beside lottery.py."""

    def planning(text: str) -> dict[str, Any]:
        written("lottery.py", LOTTERY)
        assert main(["sweep", written("plan.yaml", text), "--plan", "--json"]) == 0
        told: dict[str, Any] = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
        return told

    return planning


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


def test_independent_conditions_are_compared_by_welch(plan: Planning) -> None:
    (pair,) = plan(POOLS + INDEPENDENT)["pairs"]
    assert "d_z" not in pair
    closed = TTestIndPower().solve_power(nobs1=100, power=0.8, alpha=0.05)
    assert pair["d"][-1] == pytest.approx(closed, rel=NEARLY)


def noncentral_eta_squared(runs: int, df: int, cells: int) -> float:
    """Of which an F test with df numerator degrees of freedom finds 80 %."""
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
    found = [term["eta_squared"][at] for term in told["terms"]]
    closed = [noncentral_eta_squared(10, df, cells=6) for df in (2, 1, 2)]
    assert closed == pytest.approx([0.145, 0.119, 0.145], abs=0.002)
    assert found == pytest.approx(closed, rel=NEARLY)
    assert "here 10 find 0.12 at the least" in told["notes"][-1]


def test_an_analysis_by_a_third_factor_compares_inside_its_levels(plan: Planning) -> None:
    told = plan(CROSSED + "analysis: {factors: [pool], by: [prize]}\n")
    pairs = [(pair["first"], pair["second"]) for pair in told["pairs"]]
    assert pairs == [(f"prize={prize},pool=1", f"prize={prize},pool=2") for prize in (0, 1, 2)]
    assert [term["name"] for term in told["terms"]] == ["pool"]


def test_pairs_that_always_differ_by_the_same_are_told_in_words(plan: Planning) -> None:
    told = plan("base: lottery.py\nfactors:\n  prize: [0, 1, 2]\n")
    assert told["pairs"] == []
    assert told["notes"][0].startswith("no difference can be told for prize=0 and prize=1: no pair")
    assert told["notes"][0].endswith("(and 2 other pairs)")


def test_runs_that_all_come_to_the_same_are_told_in_words(plan: Planning) -> None:
    told = plan("base: fishing_village\nrounds: 2\nfactors:\n  fine: [2, 18]\n")
    assert (told["pairs"], told["terms"]) == ([], [])
    notes = "\n".join(told["notes"])
    assert "no eta squared can be told: no condition varies in the pilot" in notes
    assert "60 of 60 pilot runs went on to their last round" in notes
    assert "all pilot runs came to the same, so that more may show no spread: fine=2 (2)" in notes


def test_a_plan_is_the_same_each_time_but_for_the_seconds(plan: Planning) -> None:
    first, second = plan(POOLS), plan(POOLS)
    assert first["use"][0]["seconds"] > 0
    for told in (first, second):
        for use in told["use"]:
            use["seconds"] = None
    assert first == second


def test_nothing_is_written(plan: Planning, tmp_path: Path) -> None:
    plan(POOLS)
    assert {file.name for file in tmp_path.iterdir()} == {"lottery.py", "plan.yaml"}


def test_one_condition_compares_nothing(plan: Planning) -> None:
    told = plan("base: lottery.py\n")
    assert (told["pairs"], told["terms"]) == ([], [])
    assert "there is one condition, and nothing to compare it with" in told["notes"][0]


def test_people_read_a_table_of_runs(written: Written, capsys: pytest.CaptureFixture[str]) -> None:
    written("lottery.py", LOTTERY)
    assert main(["sweep", written("plan.yaml", CROSSED), "--plan"]) == 0
    said = capsys.readouterr().out
    assert "plan: 10 runs of each of 6 conditions\n" in said
    assert "outcome  won (coins)\n" in said
    assert "pilot    played now, in memory: 30 runs of each of 6 conditions\n" in said
    rows = [line.split() for line in said.splitlines() if " runs  " in line]
    sizes = [int(row[0]) for row in rows if len(row) == 4]
    assert [row[0] for row in rows].count("100") == 3  # differences, eta squared, use
    assert sizes == list(SIZES)  # of use: "10 runs", 60 in all, seconds
    assert "3, 5 and 10 runs" in " ".join(said.split())


def thinned(file: str) -> list[Condition]:
    return spread(experiment(Path(file)).conditions)


def test_a_large_grid_is_thinned_to_a_dozen_conditions_that_cross(written: Written) -> None:
    written("lottery.py", LOTTERY)
    text = f"base: lottery.py\nfactors:\n  prize: {[*range(9)]}\n  pool: {[*range(13)]}\n"
    chosen = thinned(written("grid.yaml", text))
    assert {one.factors["prize"] for one in chosen} == {0, 4, 8}
    assert {one.factors["pool"] for one in chosen} == {0, 4, 8, 12}
    assert len(chosen) == 12


def played(file: str, folder: Path, runs: int, count: int) -> None:
    """The first conditions of an experiment into its folder, with so many runs each."""
    for condition in experiment(Path(file)).conditions[:count]:
        setup = condition.setup
        fewer = replace(setup, spec=setup.spec.model_copy(update={"replicates": runs}))
        sitting = Sitting.begun(fewer, folder / condition.file)
        with sitting.writer:
            sitting.close(sitting.play())


def test_finished_runs_in_the_folder_are_the_pilot_however_many_they_are(
    written: Written, tmp_path: Path
) -> None:
    written("lottery.py", LOTTERY)
    file = written("plan.yaml", CROSSED)
    played(file, tmp_path / "kept", runs=4, count=2)
    told = planned(experiment(Path(file)), tmp_path / "kept")
    assert told.pilot.origin == "finished runs"
    assert [trial.condition.name for trial in told.pilot.trials] == [
        "prize=0,pool=1",
        "prize=0,pool=2",
    ]
    assert [len(trial.values) for trial in told.pilot.trials] == [4, 4]
    assert told.pilot.use.seconds is None
    assert len(told.pairs) == 1
    words = "\n".join(told.notes)
    assert "the pilot has 2 of 6 conditions" in words
    assert "4 pilot runs tell the spread of a condition only roughly" in words
    assert "0.6 to 3.7 times" in words  # sqrt(3 / chi2), 95 %, 3 degrees of freedom


def test_the_first_runs_of_both_conditions_are_paired_where_one_has_more(
    written: Written, tmp_path: Path
) -> None:
    written("lottery.py", LOTTERY)
    file = written("plan.yaml", POOLS)
    played(file, tmp_path / "kept", runs=4, count=2)
    played(file, tmp_path / "more", runs=9, count=1)
    (tmp_path / "more" / "pool=1.run").replace(tmp_path / "kept" / "pool=1.run")
    (pair,) = planned(experiment(Path(file)), tmp_path / "kept").pairs
    luck = pilot(experiment(Path(file)), tmp_path / "none").trials[0].values[:4]
    assert pair.sd == pytest.approx(np.std(luck, ddof=1))


def test_runs_of_another_experiment_are_refused(
    written: Written, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written("lottery.py", LOTTERY)
    played(written("plan.yaml", POOLS), tmp_path / "kept", runs=3, count=1)
    other = written("other.yaml", POOLS + "seed: 12\n")
    assert main(["sweep", other, "--plan", "--out", "kept"]) == 2
    assert "kept/pool=1.run was played from another experiment" in capsys.readouterr().err


def test_a_model_that_may_cost_money_is_not_asked_but_counted(
    plan: Planning, provider: Any
) -> None:
    base = f"models: {{default: {{model: small, api_base: {provider.url}}}}}\n"
    text = "base: language_village\nrounds: 2\nreplicates: 10\nfactors:\n  growth: [0.2, 0.6]\n"
    told = plan(text + base)
    assert provider.stats()["count"] == 0
    assert told["pilot"] == {"origin": "none", "conditions": []}
    assert (told["pairs"], told["terms"], told["unit"]) == ([], [], "rounds")
    assert told["notes"][0].startswith("effects need a pilot, and this experiment asks small")
    three, ten = told["use"][0], told["use"][2]
    assert three["calls"] > 0
    assert ten["calls"] == pytest.approx(three["calls"] / 3 * 10)
    assert ten["most_tokens"] > ten["tokens"] > 0
    assert ten["cost"] is None  # nobody knows the price of a server's model
    assert "for want of a price of small" in "\n".join(told["notes"])


def test_prices_that_are_known_make_dollars(
    plan: Planning, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    text = "base: language_village\nrounds: 2\nfactors:\n  model: [openai/gpt-4o-mini, offline]\n"
    ten = plan(text)["use"][3]
    assert 0 < ten["cost"] < ten["most_cost"]


def test_the_offline_mind_is_a_pilot_that_is_told_from_a_language_model(plan: Planning) -> None:
    text = "base: language_village\nrounds: 3\nreplicates: 3\nfactors:\n  growth: [0.2, 0.6]\n"
    told = plan(text)
    assert told["pilot"]["origin"] == "played now"
    assert [one["runs"] for one in told["pilot"]["conditions"]] == [3, 3]
    assert (told["use"][0]["calls"] > 0, told["use"][0]["cost"]) == (True, 0)
    assert "the offline mind is a script" in "\n".join(told["notes"])


def test_a_single_run_is_no_pilot(plan: Planning) -> None:
    told = plan("base: language_village\nrounds: 2\nfactors:\n  growth: [0.2, 0.6]\n")
    assert told["pairs"] == []
    assert "1 of at least 3 values" in told["notes"][0]


def test_who_asks_by_itself_is_neither_asked_nor_counted(plan: Planning, written: Written) -> None:
    written(
        "prophet.py",
        """
from society.agent import Component

class Prophet(Component):
    answers = ("effort",)

    async def consult(self, ask, one):
        raise AssertionError("asked")
""",
    )
    told = plan(
        "base: fishing_village\nuses: [prophet.py]\nfactors:\n  fine: [2, 18]\n"
        "cohorts: [{name: all, count: 3, replace: {harvest: prophet}}]\n"
    )
    assert told["pilot"]["origin"] == "none"
    assert told["use"][0]["calls"] is None
    assert "a component asks somebody by itself" in "\n".join(told["notes"])


def test_what_is_concluded_afterwards_needs_runs_of_a_folder(
    written: Written, tmp_path: Path
) -> None:
    text = (
        "base: language_village\nrounds: 2\nfactors:\n  growth: [0.2, 0.6]\n"
        "analysis: {outcome: norm_similarity}\n"
    )
    with pytest.raises(InputError, match="known of those in a folder"):
        planned(experiment(Path(written("plan.yaml", text))), tmp_path)
