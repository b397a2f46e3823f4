"""Strategies that were written are counted, described and put into files as the run says."""

from __future__ import annotations

from pathlib import Path

import pytest

from society.analysis.strategies.written_folder import call_costs, write_folder
from society.analysis.strategies.written_strategies import (
    Try,
    WrittenStrategy,
    read_writing,
    refusal_reasons,
    success_by_author,
    success_by_length,
)
from society.config.build import build
from society.config.run_config import load_config
from society.errors import RunFileError
from society.runs.play import play
from society.runs.runfile import RunFile, open_run_file
from society.sandbox.checker import check_programs
from society.sandbox.stage_games import stage_game
from society.sandbox.strategy_folder import read_strategies
from society.scenarios.programs.trial_games import prepare

ALWAYS = "class Always:\n    def act(self, history):\n        return C\n"


def strategy(
    words: int, *reasons: str, model: str = "m", attitude: str = "kind"
) -> WrittenStrategy:
    """A strategy of so many words, with a reason for each refusal, and "" for an acceptance."""
    tries = [Try(ALWAYS, reason) for reason in reasons]
    return WrittenStrategy(model, attitude, "C", " ".join(["word"] * words), tries)


def finished(folder: Path, scenario: str, **changes: object) -> RunFile:
    play(build(load_config(scenario, changes)), folder / "a.run")
    return open_run_file(folder / "a.run")


def test_success_is_counted_by_model_and_attitude() -> None:
    written = [strategy(3, "no", ""), strategy(8, "no", "no"), strategy(5, "", model="n")]
    first, second = success_by_author(written)
    assert first == (("m", "kind"), 2, 1, 4, 3, 8)
    assert second == (("n", "kind"), 1, 1, 1, 5, None)
    assert (first.share, second.share) == (0.5, 1)


def test_success_is_counted_by_thirds_of_length_and_equal_lengths_stay_together() -> None:
    written = [strategy(words, "" if words < 30 else "no") for words in (10, 12, 20, 20, 31, 40)]
    groups = [(one.group, one.described, one.accepted) for one in success_by_length(written)]
    assert groups == [(("10-12",), 2, 2), (("20",), 2, 2), (("31-40",), 2, 0)]
    alone = success_by_length([strategy(7, "no")])
    assert [(one.group, one.described) for one in alone] == [(("7",), 1)]


def test_reasons_of_refusals_are_counted_whatever_the_names_and_lines() -> None:
    failed = "it failed in round {} of a trial game: it raised IndexError (line {})"
    written = [
        strategy(3, "not allowed in A: `open`; no files (line 3)", failed.format(1, 2)),
        strategy(3, "not allowed in B: `open`; no files (line 7)", failed.format(4, 9), ""),
    ]
    assert refusal_reasons(written) == {
        "not allowed: `open`; no files": 2,
        "it failed in a trial game: it raised IndexError": 2,
    }


def test_every_author_of_every_replicate_is_read_with_its_model(tmp_path: Path) -> None:
    cohorts = [
        {
            "name": name,
            "count": 2,
            "components": [
                {"author_attitude": {"attitude": name, "fallback_action": "D"}},
                {"language_policy": {"model": name}},
            ],
        }
        for name in ("shy", "bold")
    ]
    models = {name: {"model": "offline", "max_tokens": 99} for name in ("shy", "bold")}
    with finished(
        tmp_path, "strategy_writing", cohorts=cohorts, models=models, replicates=2, rounds=9
    ) as run:
        written = read_writing(run)
    assert [one.attitude for one in written] == ["shy", "shy", "bold", "bold"] * 2
    assert {(one.model, one.fallback) for one in written} == {("offline", "D")}
    assert all(one.accepted for one in written)
    assert len({one.source for one in written}) == 8  # each has a name of its own
    for one in written:
        assert [bool(attempt.reason) for attempt in one.tries] == [True] * (len(one.tries) - 1) + [
            False
        ]


def test_runs_of_other_scenarios_hold_no_strategies(tmp_path: Path) -> None:
    with (
        finished(tmp_path, "fishing_village", rounds=1) as run,
        pytest.raises(RunFileError, match="is a run of fishing_village, in which no strategies"),
    ):
        read_writing(run)


def test_files_are_named_by_model_and_attitude_and_numbered(tmp_path: Path) -> None:
    written = [
        strategy(3, "", model="a/gpt-5"),
        strategy(3, "no", model="a/gpt-5"),
        strategy(3, "", model="b/gpt-5"),
        strategy(3, "", model="b/gpt-5", attitude="kind, but firm"),
    ]
    write_folder(tmp_path, "public_goods", written)
    folder = read_strategies(tmp_path)
    assert [one.file for one in folder.manifest.strategies] == [
        "gpt_5_kind_001.py",
        "gpt_5_kind_002.py",
        "gpt_5_kind_but_firm_001.py",
    ]
    assert [one.model for one in folder.manifest.strategies] == ["a/gpt-5", "b/gpt-5", "b/gpt-5"]
    assert [one.reason for one in folder.manifest.failed] == ["no"]
    assert folder.text("gpt_5_kind_001.py") == ALWAYS


def test_a_folder_may_hold_failures_alone(tmp_path: Path) -> None:
    write_folder(tmp_path, "public_goods", [strategy(0)])
    manifest = read_strategies(tmp_path).manifest
    assert manifest.strategies == ()
    assert [one.reason for one in manifest.failed] == ["no description could be read"]


def test_every_program_has_a_cost_of_its_own_also_one_that_fails() -> None:
    failing = "class Fails:\n    def act(self, history):\n        return history.my_actions[-1]\n"
    programs = [prepare(one, "C") for one in check_programs(f"{ALWAYS}\n\n{failing}")]
    costs = call_costs(programs, stage_game("public_goods", 4))
    assert [cost >= 0 for cost in costs] == [True, True]
