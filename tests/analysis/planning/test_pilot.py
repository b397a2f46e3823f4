"""Pilots of a plan: finished runs, runs that are played for nothing, or calls that are counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.analysis.planning.pilot import find_pilot, spread_conditions
from society.analysis.planning.plan import make_plan
from society.cli.main import main
from society.errors import InputError
from society.experiments.experiment import Condition, read_experiment
from society.runs.session import Session

POOLS = "base: lottery.py\nreplicates: 40\nfactors:\n  pool: [1, 2]\n"
CROSSED = "base: lottery.py\nreplicates: 10\nfactors:\n  prize: [0, 1, 2]\n  pool: [1, 2]\n"

Written = Callable[[str, str], str]
Planning = Callable[[str], dict[str, Any]]


def thinned(file: str) -> list[Condition]:
    return spread_conditions(read_experiment(Path(file)).conditions)


@pytest.mark.thorough
def test_a_large_grid_is_thinned_to_a_dozen_conditions_that_cross(lottery: Written) -> None:
    text = f"base: lottery.py\nfactors:\n  prize: {[*range(9)]}\n  pool: {[*range(13)]}\n"
    chosen = thinned(lottery("grid.yaml", text))
    assert {one.factors["prize"] for one in chosen} == {0, 4, 8}
    assert {one.factors["pool"] for one in chosen} == {0, 4, 8, 12}
    assert len(chosen) == 12


def played(file: str, folder: Path, runs: int, count: int) -> None:
    """The first conditions of an experiment into its folder, with so many runs each."""
    for condition in read_experiment(Path(file)).conditions[:count]:
        setup = condition.setup
        fewer = replace(setup, spec=setup.spec.model_copy(update={"replicates": runs}))
        session = Session.begun(fewer, folder / condition.file)
        with session.writer:
            session.close(session.play())


def test_finished_runs_in_the_folder_are_the_pilot_however_many_they_are(
    lottery: Written, tmp_path: Path
) -> None:
    file = lottery("plan.yaml", CROSSED)
    played(file, tmp_path / "kept", runs=4, count=2)
    told = make_plan(read_experiment(Path(file)), tmp_path / "kept")
    assert told.pilot.origin == "finished runs"
    assert [trial.condition.name for trial in told.pilot.trials] == [
        "prize=0,pool=1",
        "prize=0,pool=2",
    ]
    assert [len(trial.values) for trial in told.pilot.trials] == [4, 4]
    assert told.pilot.demand.seconds is None
    assert len(told.pairs) == 1
    words = "\n".join(told.notes)
    assert "the pilot has 2 of 6 conditions" in words
    assert "4 pilot runs tell the spread of a condition only roughly" in words
    assert "0.6 to 3.7 times" in words  # sqrt(3 / chi2), 95 %, 3 degrees of freedom


def test_the_first_runs_of_both_conditions_are_paired_where_one_has_more(
    lottery: Written, tmp_path: Path
) -> None:
    file = lottery("plan.yaml", POOLS)
    played(file, tmp_path / "kept", runs=4, count=2)
    played(file, tmp_path / "more", runs=9, count=1)
    (tmp_path / "more" / "pool=1.run").replace(tmp_path / "kept" / "pool=1.run")
    (pair,) = make_plan(read_experiment(Path(file)), tmp_path / "kept").pairs
    luck = find_pilot(read_experiment(Path(file)), tmp_path / "none").trials[0].values[:4]
    assert pair.sd == pytest.approx(np.std(luck, ddof=1))


def test_runs_of_another_experiment_are_refused(
    lottery: Written, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(lottery("plan.yaml", POOLS), tmp_path / "kept", runs=3, count=1)
    other = lottery("other.yaml", POOLS + "seed: 12\n")
    assert main(["sweep", other, "--plan", "--out", "kept"]) == 2
    assert "kept/pool=1.run was played from another experiment" in capsys.readouterr().err


def test_a_model_that_may_cost_money_is_not_asked_but_counted(
    plan: Planning, provider: Any
) -> None:
    base = f"models: {{default: {{model: small, api_base: {provider.url}}}}}\n"
    text = "base: language_village\nagents: 3\nrounds: 2\nreplicates: 10\n"
    text += "factors:\n  growth: [0.2, 0.6]\n"
    told = plan(text + base)
    assert provider.stats()["count"] == 0
    assert told["pilot"] == {"origin": "none", "conditions": []}
    assert (told["pairs"], told["terms"], told["unit"]) == ([], [], "rounds")
    assert told["notes"][0].startswith("effects need a pilot, and this experiment asks small")
    three, ten = told["demand"][0], told["demand"][2]
    assert three["calls"] == pytest.approx(3 * 2 * 24)  # 2 conditions: 3 agents, 2 rounds, 4 asks
    assert ten["calls"] == pytest.approx(three["calls"] / 3 * 10)
    assert ten["most_tokens"] > ten["tokens"] > 0
    assert ten["cost"] is None  # nobody knows the price of a server's model
    assert "since there is no price of small" in "\n".join(told["notes"])


def test_prices_that_are_known_make_dollars(
    plan: Planning, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    text = "base: language_village\nrounds: 2\nfactors:\n  model: [openai/gpt-4o-mini, offline]\n"
    ten = plan(text)["demand"][3]
    assert 0 < ten["cost"] < ten["most_cost"]


def test_the_offline_mind_is_a_pilot_that_is_told_from_a_language_model(plan: Planning) -> None:
    text = "base: language_village\nrounds: 3\nreplicates: 3\nfactors:\n  growth: [0.2, 0.6]\n"
    told = plan(text)
    assert told["pilot"]["origin"] == "played now"
    assert [one["runs"] for one in told["pilot"]["conditions"]] == [3, 3]
    assert (told["demand"][0]["calls"] > 0, told["demand"][0]["cost"]) == (True, 0)
    assert "the offline mind is a script" in "\n".join(told["notes"])


def test_a_single_run_is_no_pilot(plan: Planning) -> None:
    told = plan("base: language_village\nrounds: 2\nfactors:\n  growth: [0.2, 0.6]\n")
    assert told["pairs"] == []
    assert "1 of at least 3 values" in told["notes"][0]


def test_who_asks_by_itself_is_neither_asked_nor_counted(plan: Planning, written: Written) -> None:
    written(
        "prophet.py",
        """
from society.engine.component import Component

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
    assert told["demand"][0]["calls"] is None
    assert "a component calls a model by itself" in "\n".join(told["notes"])


def test_what_is_concluded_afterwards_needs_runs_of_a_folder(
    written: Written, tmp_path: Path
) -> None:
    text = (
        "base: language_village\nrounds: 2\nfactors:\n  growth: [0.2, 0.6]\n"
        "analysis: {outcome: norm_similarity}\n"
    )
    with pytest.raises(InputError, match="known of runs in a folder"):
        make_plan(read_experiment(Path(written("plan.yaml", text))), tmp_path)
