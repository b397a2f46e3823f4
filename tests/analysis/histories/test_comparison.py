"""Two runs are held against each other: inputs, ends, and measures with intervals."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import society
from society.analysis.histories import RunComparison, compare
from society.analysis.histories.comparison_text import print_comparison
from society.analysis.statistics import paired
from society.cli.main import main
from society.runs.runfile import Level, open_run_file

LAKE: dict[str, Any] = {"scenario": "fishing_village", "seed": 3, "rounds": 30, "replicates": 5}


def played(path: Path, level: Level = "full", **changes: Any) -> Path:
    society.run({**LAKE, **changes}, out=path, level=level)
    return path


def compared(one: Path, other: Path) -> RunComparison:
    with open_run_file(one) as first, open_run_file(other) as second:
        return compare(first, second)


def text(found: RunComparison) -> str:
    paper = io.StringIO()
    print_comparison(found, Console(file=paper, width=100))
    return paper.getvalue()


def test_inputs_that_differ_are_named_and_no_others(tmp_path: Path) -> None:
    a = played(tmp_path / "a.run")
    b = played(tmp_path / "b.run", "summary", parameters={"growth": 0.5, "fine": 12}, rounds=20)
    found = compared(a, b)
    assert [tuple(one) for one in found.inputs] == [
        ("rounds", 30, 20),
        ("parameters.growth", 0.6, 0.5),
        ("parameters.fine", 10, 12),
        ("record", "full", "summary"),
    ]
    assert "inputs     rounds: 30 → 20\n" in text(found)
    assert "           parameters.growth: 0.6 → 0.5\n" in text(found)


def test_replicates_that_share_their_luck_are_paired(tmp_path: Path) -> None:
    a, b = played(tmp_path / "a.run"), played(tmp_path / "b.run", parameters={"growth": 0.4})
    found = {one.name: one for one in compared(a, b).measures}
    with open_run_file(a) as first, open_run_file(b) as second:
        values = [run.outcome().values["efficiency"] for run in (first, second)]
    expected = paired(values[1], values[0])
    efficiency = found["efficiency"]
    assert efficiency.pairing == "paired"
    assert efficiency.n == (5, 5)
    assert efficiency.difference == pytest.approx(expected.difference)
    assert efficiency.interval == expected.interval


def test_runs_of_another_seed_are_not_paired_and_say_so(tmp_path: Path) -> None:
    found = compared(played(tmp_path / "a.run"), played(tmp_path / "b.run", seed=4, replicates=7))
    assert {one.pairing for one in found.measures} == {"independent"}
    assert found.measures[0].n == (5, 7)
    assert "share no random numbers" in text(found)


def test_of_more_replicates_those_that_both_have_are_paired(tmp_path: Path) -> None:
    found = compared(played(tmp_path / "a.run"), played(tmp_path / "b.run", replicates=3))
    assert found.measures[0].n == (3, 3)
    assert found.measures[0].difference == 0
    assert "Means over 3 replicates, in pairs" in text(found)
    assert "the others are left out" in " ".join(text(found).split())
    assert found.apart_words == "They are the same in the replicates that both have"


def test_one_replicate_has_a_difference_and_no_interval(tmp_path: Path) -> None:
    a = played(tmp_path / "a.run", replicates=1)
    found = compared(a, played(tmp_path / "b.run", replicates=1, parameters={"growth": 0.4}))
    stock = next(one for one in found.measures if one.name == "stock")
    assert stock.difference is not None
    assert stock.difference < 0
    assert (stock.interval, stock.note) == (
        None,
        "one replicate has no interval; play more with --replicates",
    )


def test_equal_histories_are_called_equal(tmp_path: Path) -> None:
    found = compared(played(tmp_path / "a.run"), played(tmp_path / "b.run"))
    assert found.equal
    assert found.inputs == ()
    assert found.apart_words.startswith("They are the same, line by line, to round ")


def test_a_shorter_run_is_the_beginning_of_a_longer_one(tmp_path: Path) -> None:
    a, b = played(tmp_path / "a.run", rounds=4), played(tmp_path / "b.run", rounds=6)
    assert compared(a, b).apart_words == (
        "They are the same as far as a.run goes, to round 4; b.run has 2 rounds more"
    )


def test_runs_without_common_lines_are_compared_as_far_as_they_can_be(tmp_path: Path) -> None:
    b = played(tmp_path / "b.run", scenario="donor_game", rounds=2, agents=12)
    found = compared(played(tmp_path / "a.run"), b)
    assert found.measures == ()
    assert found.apart_words == (
        "one run plays fishing_village, the other donor_game: their histories have no lines in "
        "common"
    )
    assert "donor_game" in text(found)


def test_two_language_villages_part_where_a_villager_answers_otherwise(tmp_path: Path) -> None:
    speakers: dict[str, Any] = {
        "scenario": "language_village",
        "rounds": 1,
        "agents": 3,
        "replicates": 1,
        "parameters": {"norm_embedder": "hashing"},
    }
    a, b = (played(tmp_path / f"{seed}.run", **speakers, seed=seed) for seed in (3, 4))
    found = compared(a, b)
    assert found.difference is not None
    assert (found.difference.kind, found.difference.role) == ("effort", "answer")
    assert found.difference.words.startswith('Round 1: villager 0 (altruist) was asked "effort" ')


def test_the_command_prints_text_or_one_json_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a, b = played(tmp_path / "a.run"), played(tmp_path / "b.run", parameters={"growth": 0.4})
    assert main(["compare", str(a), str(b)]) == 0
    said = capsys.readouterr().out
    assert "a.run · fishing_village · 10 agents · 5 replicates · seed 3" in said
    assert main(["compare", str(a), str(b), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["equal"] is False
    assert facts["inputs"] == [{"name": "parameters.growth", "first": 0.6, "second": 0.4}]
    assert facts["difference"]["name"] == "stock"
    assert set(facts["measures"]["stock"]["interval"]) == {"low", "high", "level"}


def test_a_file_that_is_no_run_is_refused_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.run").write_text("no run")
    a = played(tmp_path / "a.run", rounds=1)
    assert main(["compare", str(a), str(tmp_path / "b.run")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
