"""Runs with faculties that are cut short go on, from before the first round or within a chain."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.cli.main import main
from society.runs.runfile import open_run_file
from society.runs.verify import verify

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.runs.conftest import Launch

AGENTS, ROUNDS = 3, 2
BEGIN = 2 * AGENTS  # a life and a plan each
# Chains of two thoughts and an answer to four questions; then relationships, in the second round.
CALLS = BEGIN + ROUNDS * AGENTS * 4 * 3 + AGENTS

VILLAGE = f"""
scenario: language_village
rounds: {ROUNDS}
seed: 5
cohorts:
  - name: everybody
    count: {AGENTS}
    components:
      - persona: {{temper: selfish}}
      - formative_memories
      - personal_norm
      - observation
      - relationships: {{every: 2}}
      - plan: {{done_to_me: []}}
      - situation
      - options
      - language_policy: {{faculties: chain}}
"""

pytestmark = pytest.mark.xdist_group("provider")


def words(folder: Path, name: str, provider: Provider, *more: str) -> list[str]:
    (folder / "village.yaml").write_text(VILLAGE)
    model = ("--model", "resident", "--api-base", provider.url)
    file, out = str(folder / "village.yaml"), str(folder / name)
    return ["run", file, *model, "--out", out, "--quiet", *more]


def told(path: Path) -> tuple[str, str, int]:
    """Status, digest and number of calls."""
    with open_run_file(path) as run:
        calls = sum(1 for _ in run.calls())
        return run.status, run.outcome().digest, calls


@pytest.fixture(scope="module")
def whole(_server: Provider, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, int]:
    """The village, played without interruption."""
    folder = tmp_path_factory.mktemp("whole")
    _server.reset()
    assert main(words(folder, "whole.run", _server)) == 0
    _server.reset()
    return told(folder / "whole.run")


def test_lives_and_plans_are_calls_before_the_first_round(whole: tuple[str, str, int]) -> None:
    assert whole[::2] == ("finished", CALLS)


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(2, id="before the first round"),
        pytest.param(BEGIN + 4, id="in a chain", marks=pytest.mark.thorough),
    ],
)
def test_a_run_that_is_killed_goes_on_and_comes_to_the_same_end(
    provider: Provider, whole: tuple[str, str, int], launch: Launch, tmp_path: Path, first: int
) -> None:
    """Killed with SIGKILL as soon as so many calls have been asked."""
    path = tmp_path / "a.run"
    provider.plan(latency=0.02)
    process = launch(words(tmp_path, "a.run", provider, "--max-concurrency", "1"))
    while provider.stats()["count"] <= first and process.is_alive():
        time.sleep(0.002)
    process.kill()
    process.join()
    status, _, kept = told(path)
    assert (status, first <= kept <= first + 2) == ("interrupted", True)
    before = provider.stats()["count"]
    provider.plan(latency=0)
    assert main(["resume", str(path), "--quiet"]) == 0
    assert told(path) == whole
    assert provider.stats()["count"] - before == CALLS - kept, "nothing kept is asked again"
    assert verify(path).ok


def test_a_run_can_be_paused_at_any_call_and_goes_on_there(
    provider: Provider, whole: tuple[str, str, int], tmp_path: Path
) -> None:
    path = tmp_path / "a.run"
    code = main(words(tmp_path, "a.run", provider, "--max-calls", "1"))
    for limit in (BEGIN - 1, BEGIN + 2, BEGIN + 10, CALLS):
        assert (code, told(path)[0]) == (3, "paused")
        code = main(["resume", str(path), "--quiet", "--max-calls", str(limit)])
    assert (code, told(path)) == (0, whole)
