"""Leaving something out: many continuations, as it was and without it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import society
from society.analysis.histories import compare, explain
from society.analysis.histories.refork import LeftOut, refork, refork_statement
from society.cli.main import main
from society.config.run_config import Setting
from society.errors import Exhausted, InputError
from society.runs.fork import Changes, fork
from society.runs.runfile import open_run_file
from tests.planted_culprits import WITH_CULPRIT, cohorts_of


def greedy(path: Path, **changes: Any) -> Path:
    """A village with one greedy villager among nine restrained ones; it fails in round 24."""
    config = {"scenario": "fishing_village", "seed": 1, "cohorts": cohorts_of(WITH_CULPRIT[0])}
    society.run({**config, **changes}, out=path)
    return path


def test_without_its_greedy_villager_the_village_lives(tmp_path: Path) -> None:
    given = LeftOut(Changes(remove=["9"], seed=1), "without villager 9", continuations=10)
    with open_run_file(greedy(tmp_path / "a.run")) as run:
        found = refork(run, 0, "survival_time", given)
    assert (found.as_it_was.lived, found.left_out.lived) == (1, 10)
    assert found.interval[:2] == pytest.approx((0.488, 0.982), abs=0.001)
    assert refork_statement(found, given, 100).words == (
        "Played on from the beginning, 10 times each with fresh chance: as it was, 1 of 10 (2% to "
        "40%) lived to round 100; without villager 9, 10 of 10 (72% to 100%). The difference is "
        "+90 percentage points (+49 to +98)."
    )


@pytest.mark.thorough
def test_an_event_is_left_out_by_a_change_of_the_rules(tmp_path: Path) -> None:
    changes = Changes(settings=[Setting("social_learning", False)], seed=1)
    given = LeftOut(changes, "without imitation", at=2, continuations=6)
    with open_run_file(greedy(tmp_path / "a.run")) as run:
        found = refork(run, 0, "survival_time", given)
    assert found.after == 2
    assert (found.as_it_was.lived, found.left_out.lived) == (1, 6)


def test_a_scenario_without_a_measure_of_its_life_is_refused(tmp_path: Path) -> None:
    society.run({"scenario": "donor_game", "rounds": 2}, out=tmp_path / "d.run")
    with (
        open_run_file(tmp_path / "d.run") as run,
        pytest.raises(InputError, match="declares no measure of whether it has lived on"),
    ):
        refork(run, 0, explain(run).lives, LeftOut(Changes(), "without nothing"))


def speakers(path: Path) -> Path:
    """Three villagers with language models, who eat 3 of their 5 fish in each of two rounds."""
    society.run(
        {
            "scenario": "language_village",
            "seed": 1,
            "rounds": 2,
            "agents": 3,
            "parameters": {"norm_embedder": "hashing", "wealth": 5, "catchability": 0.005},
        },
        out=path,
    )
    return path


def test_language_models_are_asked_only_by_name(tmp_path: Path) -> None:
    given = LeftOut(Changes(remove=["0"], seed=1), "without villager 0", continuations=2)
    with (
        open_run_file(speakers(tmp_path / "a.run")) as run,
        pytest.raises(InputError, match="are asked again only if you say which: --model M"),
    ):
        refork(run, 0, "survival_time", given)


def test_continuations_with_a_model_are_announced_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = speakers(tmp_path / "a.run")
    options = ["--refork", "--remove", "0", "--continuations", "2", "--model", "offline", "--json"]
    assert main(["why", str(a), *options]) == 0
    said = capsys.readouterr()
    assert "asks offline about " in said.err
    assert json.loads(said.out)["statements"][-1]["numbers"]["left_out"][1] == 2


def test_limits_hold_for_all_continuations_together(tmp_path: Path) -> None:
    """Each takes 3 x 3 + 3 x 3 + ... calls, so that the second one has none left."""
    with open_run_file(speakers(tmp_path / "a.run")) as run:
        calls = sum(1 for _ in run.calls())
        limit = Setting(("limits", "max_calls"), calls, "--max-calls")
        given = LeftOut(
            Changes(remove=["0"], seed=1), "without 0", continuations=2, model="offline",
            reach=(limit,),
        )  # fmt: skip
        with pytest.raises(Exhausted, match=r"--max-calls .* is used up"):
            refork(run, 0, "survival_time", given)


def test_options_of_refork_are_refused_without_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why", str(tmp_path / "a.run"), "--remove", "1"]) == 2
    assert capsys.readouterr().err == "society: --remove says how to play on; add --refork\n"


def test_where_nobody_is_named_one_has_to_say_whom_to_leave_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    society.run({"scenario": "fishing_village", "seed": 1}, out=tmp_path / "a.run")
    assert main(["why", str(tmp_path / "a.run"), "--refork"]) == 2
    assert "nobody is named whom --refork could leave out" in capsys.readouterr().err


def test_a_fork_names_its_parent_when_they_are_compared(tmp_path: Path) -> None:
    a, b = greedy(tmp_path / "a.run", rounds=9), tmp_path / "b.run"
    fork(a, 4, Changes(settings=[Setting("fine", 20)]), b)
    with open_run_file(a) as first, open_run_file(b) as second:
        found, told = compare(first, second), explain(second)
    assert found.relation == "b.run is a fork of a.run after round 4: fine 10 -> 20"
    assert found.difference is not None
    assert found.difference.round == 5
    assert str(told).startswith("The village lived to its last round, 9")


def test_a_fork_without_changes_is_the_same_history(tmp_path: Path) -> None:
    a, b = greedy(tmp_path / "a.run", rounds=9), tmp_path / "b.run"
    fork(a, 4, Changes(), b)
    with open_run_file(a) as first, open_run_file(b) as second:
        found = compare(first, second)
    assert found.equal
    assert found.apart_words == "They are the same, line by line, to round 9"
