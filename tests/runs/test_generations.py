"""Runs with generations: cut short they go on as if nothing had happened, and can be proved."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from society.cli.main import main
from society.runs.runfile import open_run_file
from society.runs.verify import verify

RULES = """\
scenario: donor_game
agents: 6
rounds: 4
replicates: 30
mechanisms:
  - generations: {count: 25, fitness: final, phenotype: share, strategies: advice}
"""
MINDS = """\
scenario: donor_game
agents: 4
rounds: 2
parameters: {minds: language, games: 1}
mechanisms:
  - generations: {count: 4, fitness: final, strategies: advice}
"""


class Told(NamedTuple):
    """The facts of a run file that nobody writes any more."""

    status: str
    digest: str
    rounds: int
    calls: int


def told(path: Path) -> Told:
    with open_run_file(path) as run:
        outcome, calls = run.outcome(), sum(entry.calls for entry in run.ledger())
        return Told(run.status, outcome.digest, outcome.rounds, calls)


def rounds(path: Path) -> int:
    """Count the rounds that are kept so far."""
    return told(path).rounds if path.exists() else 0


Playing = Callable[..., Path]


@pytest.fixture
def playing(tmp_path: Path) -> Playing:
    """`playing(text, "a.run", ..., code=0)` plays a scenario file into a run file."""

    def run(text: str, name: str, *more: str, code: int = 0) -> Path:
        file = tmp_path / "a.yaml"
        file.write_text(text)
        path = tmp_path / name
        assert main(["run", str(file), "--quiet", "--out", str(path), *more]) == code
        return path

    return run


@pytest.mark.thorough
def test_a_run_that_is_killed_between_births_goes_on_to_the_same_end(
    playing: Playing, tmp_path: Path
) -> None:
    whole = told(playing(RULES, "whole.run"))
    path = tmp_path / "killed.run"
    words = [sys.executable, "-m", "society", "run", str(tmp_path / "a.yaml"), "--quiet", "--out"]
    with subprocess.Popen([*words, str(path)]) as process:
        while process.poll() is None and rounds(path) < whole.rounds // 8:
            time.sleep(0.01)
        process.kill()
    assert told(path).status == "interrupted"
    assert whole.rounds // 8 <= told(path).rounds < whole.rounds
    assert main(["resume", str(path), "--quiet"]) == 0
    assert told(path) == whole
    assert verify(path).ok


def test_strategies_that_have_been_paid_for_are_not_asked_for_again(playing: Playing) -> None:
    """Four agents devise one, and in each later generation two: 10; and 2 give in each round."""
    whole = told(playing(MINDS, "whole.run"))
    assert whole.calls == 10 + 4 * 2 * 2
    path = playing(MINDS, "short.run", "--max-calls", "13", code=3)
    assert main(["resume", str(path), "--quiet", "--max-calls", "1000"]) == 0
    assert told(path) == whole
    assert verify(path).ok


@pytest.mark.thorough
def test_a_summary_of_generations_is_proved_by_playing_again(playing: Playing) -> None:
    path = playing(RULES, "a.run", "--record", "summary")
    assert told(path).digest == told(playing(RULES, "full.run")).digest
    verdict = verify(path)
    assert verdict.ok
    assert [check.ok for check in verdict.checks] == [True, None, True]


def test_a_run_with_generations_is_one_object(
    playing: Playing, capsys: pytest.CaptureFixture[str]
) -> None:
    playing(MINDS, "a.run", "--json")
    said = json.loads(capsys.readouterr().out)
    assert said["rounds"] == 4 * (1 + 2)
    assert {"fitness", "first_fitness", "phenotype", "selection_differential"} <= set(
        said["measures"]
    )


def test_a_fitness_that_is_not_told_is_the_users_mistake(
    playing: Playing, capsys: pytest.CaptureFixture[str]
) -> None:
    playing(RULES.replace("fitness: final", "fitness: finale"), "a.run", code=2)
    said = capsys.readouterr().err
    assert "a.yaml:6:5 mechanisms[0]: generations: the play tells no number 'finale'" in said
    assert "did you mean 'final'?" in said
