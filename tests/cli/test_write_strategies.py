"""`society strategies write` makes a folder of strategies, and goes on where it was stopped."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from society.cli.main import main
from society.runs.runfile import open_run_file
from society.sandbox.strategy_folder import read_strategies
from tests.provider import author

if TYPE_CHECKING:
    from tests.conftest import Provider

pytestmark = pytest.mark.xdist_group("provider")

WRITE = ["strategies", "write", "--game", "public_goods", "--count", "3"]
BOTH = ["--attitude", "collective", "exploitative"]


def write(folder: Path, *more: str) -> int:
    return main([*WRITE, *BOTH, "--quiet", "--out", str(folder), *more])


def answered_by(provider: Provider) -> list[str]:
    return ["--model", "m", "--api-base", provider.url]


def test_the_chain_from_writing_to_playing_needs_no_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert write(tmp_path / "s") == 0
    folder = read_strategies(tmp_path / "s")
    attitudes = [(one.attitude, one.fallback) for one in folder.manifest.strategies]
    assert attitudes == [("collective", "C")] * 3 + [("exploitative", "D")] * 3
    assert all(program.accepted for program in folder.programs())
    assert all(one.description.startswith("In the first") for one in folder.manifest.strategies)
    assert main(["strategies", "check", str(tmp_path / "s")]) == 0
    capsys.readouterr()
    play = ["strategies", "play", str(tmp_path / "s"), "--game", "public_goods", "--json"]
    assert main(play) == 0
    moves = json.loads(capsys.readouterr().out)["moves"]
    assert [word[0] for word in moves.values()] == ["C"] * 3 + ["D"] * 3


@pytest.mark.thorough
def test_the_report_says_what_each_program_reads_and_keeps(tmp_path: Path) -> None:
    assert write(tmp_path / "s") == 0
    rows = list(csv.DictReader((tmp_path / "s" / "report.csv").open(encoding="utf-8")))
    assert rows[0]["file"] == "offline_collective_001.py"
    assert {row["reads"] for row in rows} == {"opponent_cooperators round_number"}
    assert {row["keeps_state"] for row in rows} == {"False"}
    lots = ["random." in (tmp_path / "s" / row["file"]).read_text() for row in rows]
    assert [row["random"] == "True" for row in rows] == lots
    assert all(float(row["microseconds"]) >= 0 for row in rows)


@pytest.mark.thorough
def test_the_result_counts_success_refusals_and_costs(
    provider: Provider, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    provider.plan(brains={"clever": "author", "wild": "stubborn"})
    assert main([
        *WRITE, "--attitude", "generous=C", "--model", "clever", "wild", "--json",
        "--api-base", provider.url, "--out", str(tmp_path / "s"),
    ]) == 0  # fmt: skip
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert (told["described"], told["accepted"]) == (6, 3)
    clever, wild = told["by_author"]
    assert (clever["model"], clever["accepted"], clever["tries"]) == ("clever", 3, 9)
    assert (wild["model"], wild["accepted"], wild["tries"]) == ("wild", 0, 15)
    assert clever["accepted_words"] == len(author("describe").split())
    lengths = [(one["words"], one["described"], one["share"]) for one in told["by_length"]]
    assert lengths == [("4", 3, 0), ("10", 3, 1)]
    assert sum(told["refusals"].values()) == 6 + 15
    assert told["ledger"]["calls"] == 6 + 9 + 15
    assert told["ledger"]["cost"] is None
    with (tmp_path / "s" / "success.csv").open(encoding="utf-8") as table:
        assert [line.strip() for line in table] == [
            "model,attitude,words,described,accepted,tries",
            "clever,generous,all,3,3,9",
            "clever,generous,10,3,3,9",
            "wild,generous,all,3,0,15",
            "wild,generous,4,3,0,15",
        ]
    manifest = json.loads((tmp_path / "s" / "manifest.json").read_text("utf-8"))
    assert [one["model"] for one in manifest["strategies"]] == ["clever"] * 3
    failed = manifest["failed"]
    assert [(one["description"], one["tries"]) for one in failed] == [("Do as I like.", 5)] * 3
    assert "`eval`" in failed[0]["reason"]


@pytest.mark.thorough
def test_a_folder_that_is_written_is_left_as_people_have_edited_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert write(tmp_path / "s") == 0
    edited = tmp_path / "s" / "offline_collective_001.py"
    edited.write_text("# mine\n")
    capsys.readouterr()
    assert write(tmp_path / "s") == 0
    assert "is written; nothing in it is changed" in capsys.readouterr().err
    assert edited.read_text() == "# mine\n"


@pytest.mark.thorough
def test_a_limit_pauses_and_the_same_command_with_a_higher_one_goes_on(
    provider: Provider, tmp_path: Path
) -> None:
    provider.plan(brain="author")
    limited = [*answered_by(provider), "--max-calls", "8"]
    assert write(tmp_path / "s", *limited) == 3
    assert not (tmp_path / "s" / "manifest.json").exists()
    assert provider.stats()["full"] == 8
    assert write(tmp_path / "s", *answered_by(provider), "--max-calls", "none") == 0
    assert provider.stats()["full"] == 6 + 18
    assert len(read_strategies(tmp_path / "s").manifest.strategies) == 6


@pytest.mark.thorough
def test_another_writing_is_not_mixed_into_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert write(tmp_path / "s") == 0
    capsys.readouterr()
    assert write(tmp_path / "s", "--tries", "4") == 2
    said = capsys.readouterr().err
    assert "records another writing than the one asked for now" in said
    assert len(said.splitlines()) == 1


def test_a_sandbox_that_cannot_be_had_is_found_before_anything_is_paid(
    provider: Provider,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SOCIETY_CONFINEMENT", "loose")
    assert write(tmp_path / "s", *answered_by(provider)) == 2
    assert "SOCIETY_CONFINEMENT is 'loose'" in capsys.readouterr().err
    assert provider.stats()["count"] == 0
    assert not (tmp_path / "s").exists()


@pytest.mark.thorough
def test_a_kill_loses_and_repeats_no_paid_answer(provider: Provider, tmp_path: Path) -> None:
    provider.plan(brain="author", latency=0.05)
    limits = ["--max-concurrency", "2"]
    words = [*WRITE, *BOTH, "--quiet", "--out", str(tmp_path / "s"), *answered_by(provider)]
    process = subprocess.Popen([sys.executable, "-m", "society", *words, *limits])
    while provider.stats()["full"] < 11:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    before = provider.stats()
    with open_run_file(tmp_path / "s" / "writing.run") as run:
        kept = len(list(run.calls()))
    # Of what was answered in full, at most the two calls in flight are not in the file.
    assert before["full"] - 2 <= kept
    assert main([*words, *limits]) == 0
    with open_run_file(tmp_path / "s" / "writing.run") as run:
        assert len(list(run.calls())) == 6 + 18
    assert provider.stats()["full"] <= 6 + 18 + 2
    assert len(read_strategies(tmp_path / "s").manifest.strategies) == 6
    assert main(["verify", str(tmp_path / "s" / "writing.run")]) == 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["--attitude", ""], "--attitude '' is empty; give one in words"),
        (["--attitude"], "argument --attitude: expected at least one argument"),
        (["--attitude", "generous"], "--attitude generous: say which action stands in"),
        (["--attitude", "kind=E"], "--attitude kind=E: say which action stands in"),
        (["--attitude", "kind=C", "kind=D"], "--attitude kind is given twice"),
        (["--attitude", f"{'x' * 61}=C"], "got 61 characters; expected at most 60 on one line"),
        (["--attitude", "kind\nor not=C"], "--attitude kind or not: got 11 characters"),
        ([*BOTH, "--game", "chess"], "--game chess: there is no such game; choose one of"),
        ([*BOTH, "--game", "common_pol"], "did you mean 'common_pool'?"),
        ([*BOTH, "--count", "0"], "got '0'; expected a whole number of at least 1"),
        ([*BOTH, "--model", ""], "--model is empty; name a model, or offline"),
        ([], "the following arguments are required: --attitude"),
        ([*BOTH, "--set", "wording=loud"], "wording"),
    ],
)
def test_wrong_input_is_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: list[str], words: str
) -> None:
    with_folder = [*WRITE, *changes, "--out", str(tmp_path / "s")]
    try:
        code: object = main(with_folder)
    except SystemExit as left:
        code = left.code
    said = capsys.readouterr()
    assert code == 2
    assert words in said.err
    assert len(said.err.splitlines()) == 1
    assert not (tmp_path / "s").exists()
