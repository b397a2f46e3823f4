"""Tournaments in a sweep: each condition has its designs made before its matches, and only once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.analysis.study import open_study, open_sweep
from society.runs.runfile import open_run_file

if TYPE_CHECKING:
    from tests.conftest import Provider, Typed
    from tests.experiments.conftest import Digests

BOUNDS = """
base:
  scenario: prisoners_dilemma
  mechanisms: [contracts, tournament]
  cohorts:
    - {{name: ann, components: [language_policy]}}
    - {{name: bob, components: [{{language_policy: {{thinking: true}}}}]}}
  models: {{default: {{model: resident, api_base: "{url}"}}}}
factors:
  bound:
    low: {{mechanisms.contracts.bound: 3}}
    high: {{mechanisms.contracts.bound: {high}}}
"""
CALLS = 2 * (4 + 24)  # two conditions; two types and seats; three questions to four pairs

pytestmark = pytest.mark.xdist_group("provider")


def write(provider: Provider, high: int = 50) -> None:
    Path("a.yaml").write_text(BOUNDS.format(url=provider.url, high=high))


def asked(provider: Provider) -> int:
    count: int = provider.stats()["count"]
    return count


def designs(file: str) -> object:
    with open_run_file(Path("s") / file) as run:
        return run.manifest.spec["drafts"]["contracts"]["designs"]


SWEEP = ("sweep", "a.yaml", "--out", "s", "--json")


def test_each_condition_has_designs_of_its_own(typed: Typed, provider: Provider) -> None:
    write(provider)
    said = typed(*SWEEP)
    assert said.statuses == {"bound=low": "finished", "bound=high": "finished"}
    assert asked(provider) == CALLS
    assert '"calls": 56' in said.out, "designs are counted with what was spent"
    assert sorted(path.name for path in Path("s").glob("*.run")) == [
        "bound=high.contracts-designs.run",
        "bound=high.run",
        "bound=low.contracts-designs.run",
        "bound=low.run",
    ]
    assert designs("bound=low.run") != designs("bound=high.run")


@pytest.mark.thorough
def test_a_study_of_the_folder_knows_conditions_and_no_runs_of_designs(
    typed: Typed, provider: Provider
) -> None:
    write(provider)
    typed(*SWEEP)
    assert [run.name for run in open_sweep("s").played] == ["bound=low", "bound=high"]
    every_file = sorted(Path("s").glob("*.run"))
    assert [run.name for run in open_study(every_file).played] == ["bound=high", "bound=low"]


def test_a_sweep_that_is_cut_short_again_and_again_asks_nobody_twice(
    typed: Typed, provider: Provider, digests: Digests
) -> None:
    """Paused while designs are made, and in matches."""
    write(provider)
    for limit in (3, 11, 30):
        assert typed(*SWEEP, "--max-calls", str(limit)).code == 3
        assert asked(provider) == limit
    assert typed(*SWEEP, "--max-calls", str(CALLS)).code == 0
    assert asked(provider) == CALLS
    cut = digests(Path("s"))
    assert typed("sweep", "a.yaml", "--out", "t", "--json").code == 0
    assert digests(Path("t")) == cut


@pytest.mark.thorough
def test_a_finished_sweep_asks_nobody_also_where_its_runs_of_designs_are_gone(
    typed: Typed, provider: Provider
) -> None:
    write(provider)
    typed(*SWEEP)
    for file in Path("s").glob("*designs.run"):
        file.unlink()
    assert typed(*SWEEP).code == 0
    assert asked(provider) == CALLS


@pytest.mark.thorough
def test_another_experiment_does_not_take_the_designs_that_are_there(
    typed: Typed, provider: Provider
) -> None:
    write(provider)
    typed(*SWEEP)
    for name in ("low", "high"):
        Path(f"s/bound={name}.run").unlink()
    write(provider, high=60)
    said = typed(*SWEEP)
    assert said.code == 2
    assert "s/bound=high.contracts-designs.run was played from another experiment" in said.err
    assert typed(*SWEEP, "--overwrite").code == 0
    assert asked(provider) == CALLS + 24 + 4 + 24, "what another experiment did not change stays"


def test_a_condition_whose_designs_cannot_be_made_says_so(typed: Typed, provider: Provider) -> None:
    write(provider)
    provider.plan(faults={"401": 1})
    said = typed(*SWEEP)
    assert said.code == 1
    status, words = said.conditions["bound=low"]
    assert status == "failed"
    assert words.startswith("s/bound=low.contracts-designs.run: ")
    assert "asks for a key" in words


def test_rules_that_are_sent_to_workers_have_their_designs_made_there(typed: Typed) -> None:
    Path("a.yaml").write_text(
        "base:\n  scenario: prisoners_dilemma\n  mechanisms: [mediation, tournament]\n"
        "  cohorts:\n"
        "    - {name: able, components: [classic_strategies, mechanism_use]}\n"
        "    - {name: coy, components: [classic_strategies, {mechanism_use: {skill: stubborn}}]}\n"
    )
    assert typed(*SWEEP).statuses == {"a": "finished"}
    with open_run_file("s/a.run") as run:
        designs = run.manifest.spec["drafts"]["mediation"]["designs"]
    assert designs == {
        "able": [{"1": "A1", "2": "A0"}] * 2,
        "coy": [{"1": "A1", "2": "A1"}] * 2,
    }
