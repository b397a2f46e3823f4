"""Language donors that are cut short go on as if nothing had happened, through births and games."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from society.cli.main import main
from society.runs.runfile import open_run_file
from society.runs.verify import verify

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.runs.conftest import Launch

AGENTS, ROUNDS, COUNT = 6, 6, 3
CALLS = AGENTS + (COUNT - 1) * AGENTS // 2 + COUNT * 2 * ROUNDS * AGENTS // 2  # 120

pytestmark = pytest.mark.xdist_group("provider")


class Told(NamedTuple):
    """The facts of a run file that nobody writes any more."""

    status: str
    digest: str
    calls: int
    unanswered: int


def told(path: Path) -> Told:
    with open_run_file(path) as run:
        calls = sum(entry.calls for entry in run.ledger())
        return Told(run.status, run.outcome().digest, calls, run.unanswered)


def words(path: Path, provider: Provider, *more: str) -> list[str]:
    """The command that plays six donors over three generations, each of two games of six rounds."""
    game = ("--agents", str(AGENTS), "--rounds", str(ROUNDS), "--seed", "5")
    count = ("--set", f"mechanisms.generations.count={COUNT}")
    model = ("--model", "resident", "--api-base", provider.url)
    return ["run", "donor_language", *game, *count, *model, "--out", str(path), "--quiet", *more]


def asked(provider: Provider) -> int:
    count: int = provider.stats()["count"]
    return count


@pytest.fixture(scope="module")
def file(_server: Provider, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generations, played without interruption."""
    path = tmp_path_factory.mktemp("whole") / "whole.run"
    _server.reset()
    assert main(words(path, _server)) == 0
    _server.reset()
    return path


@pytest.fixture(scope="module")
def whole(file: Path) -> Told:
    """The facts of the run file of a whole run."""
    return told(file)


def test_each_question_is_asked_once_in_all(whole: Told) -> None:
    assert (whole.status, whole.calls, whole.unanswered) == ("finished", CALLS, 0)


def test_all_donors_of_a_round_are_asked_at_the_same_time(
    provider: Provider, tmp_path: Path
) -> None:
    """Six of twelve give at once, and nobody is asked while others decide."""
    provider.plan(latency=0.1)
    game = ["run", "donor_game", "--rounds", "2", "--set", "games=1", "--quiet"]
    model = ["--model", "resident", "--api-base", provider.url]
    assert main([*game, *model, "--out", str(tmp_path / "a.run")]) == 0
    stats = provider.stats()
    assert (stats["most"], stats["count"]) == (6, 12)


@pytest.mark.thorough
def test_kills_at_random_moments_cost_at_most_the_calls_in_flight(
    provider: Provider, whole: Told, launch: Launch, tmp_path: Path
) -> None:
    """Each run is killed with SIGKILL, resumed to its end, and proved from its tape."""
    rng = np.random.default_rng(7)
    halfway = 0
    for number in range(5):
        path = tmp_path / f"{number}.run"
        provider.reset()
        provider.plan(latency=[0.002, 0.02], seed=number)
        process = launch(words(path, provider))
        target = int(rng.integers(1, CALLS))  # by calls, not by time: machines differ
        while asked(provider) < target and process.is_alive():
            time.sleep(0.002)
        process.kill()
        process.join()
        before = asked(provider)
        kept = told(path) if path.exists() else Told("", "", 0, 0)
        halfway += 0 < kept.calls < whole.calls
        assert kept.calls <= before <= kept.calls + AGENTS
        if kept.status == "finished":
            continue
        launch(["resume", str(path), "--quiet"] if kept.status else words(path, provider)).join()
        assert told(path) == (*whole[:3], kept.unanswered)
        assert asked(provider) - before == whole.calls - kept.calls, "nothing kept is asked again"
        assert verify(path).ok
    assert halfway >= 3, "most kills must hit a run that is being played"


@pytest.mark.thorough
def test_a_run_can_be_paused_at_any_call_and_goes_on_there(
    provider: Provider, whole: Told, tmp_path: Path
) -> None:
    """Among strategies, in the middle of a round, between games and at a birth."""
    path = tmp_path / "a.run"
    code = main(words(path, provider, "--max-calls", "3"))
    for limit in (8, 24, 43, 44, 80, CALLS + 1):
        assert (code, told(path).status) == (3, "paused")
        code = main(["resume", str(path), "--quiet", "--max-calls", str(limit)])
    assert code == 0
    assert (told(path), asked(provider)) == (whole, CALLS)
