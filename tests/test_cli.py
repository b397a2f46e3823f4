"""The command line as a user types it: what it prints, its exit codes, what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pytest

from society.cli import main


class Said(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found


class Type(Protocol):
    def __call__(self, *words: object) -> Said: ...


@pytest.fixture
def typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Type:
    """Type `society WORDS` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*words: object) -> Said:
        try:
            code = main([str(word) for word in words])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Said(code, *capsys.readouterr())

    return run


def test_a_run_ends_with_a_summary_and_says_what_to_type_next(typed: Type) -> None:
    said = typed("run", "fishing_village", "--seed", 1)
    assert said.code == 0
    assert "fishing_village · 10 agents · seed 1 · finished" in said.out
    assert "society replay runs/fishing_village-1.run --plain" in said.out
    assert "fishing_village: built in" in said.err
    assert Path("runs/fishing_village-1.run").is_file()


def test_json_is_one_object_with_the_agreed_keys_and_nothing_else_on_stdout(typed: Type) -> None:
    said = typed("run", "fishing_village", "--replicates", 3, "--rounds", 5, "--json")
    assert said.code == 0
    assert list(said.json) == [
        "scenario", "seed", "agents", "replicates", "rounds", "status", "digest", "out",
        "measures", "ends", "ledger", "notes", "minds",
    ]  # fmt: skip
    assert said.json["agents"] == 10
    assert said.json["rounds"] == 5
    assert said.json["status"] == "finished"
    assert set(said.json["measures"]) == {
        "survival_time", "efficiency", "gini", "over_use", "compliance", "fines", "norm",
    }  # fmt: skip
    assert set(said.json["measures"]["norm"]) == {"mean", "se", "n", "unit", "censored"}
    assert said.json["measures"]["norm"]["n"] == 3
    assert said.json["ledger"] == {
        "calls": 0, "retries": 0, "repairs": 0, "cut": 0, "fallbacks": 0,
        "prompt_tokens": 0, "completion_tokens": 0, "cost": 0, "unanswered": 0,
    }  # fmt: skip


def test_show_says_the_same_as_the_run(typed: Type) -> None:
    ran = typed("run", "fishing_village", "--seed", 2, "--rounds", 8, "--json", "--out", "a.run")
    assert typed("show", "a.run", "--json").json == ran.json


def test_quiet_says_nothing(typed: Type) -> None:
    assert typed("run", "fishing_village", "--rounds", 2, "--quiet") == (0, "", "")


def test_quiet_with_json_says_the_json_and_nothing_else(typed: Type) -> None:
    said = typed("run", "fishing_village", "--rounds", 2, "--quiet", "--json")
    assert said.json["rounds"] == 2
    assert said.err == ""


def test_set_takes_several_values_at_once_or_one_by_one(typed: Type) -> None:
    at_once = ("--set", "growth=0.2", "fine=3")
    one_by_one = ("--set", "growth=0.2", "--set", "fine=3")
    digests = [
        typed("run", "fishing_village", *settings, "--json", "--out", f"{len(settings)}.run").json
        for settings in (at_once, one_by_one)
    ]
    assert digests[0]["digest"] == digests[1]["digest"]


@pytest.mark.parametrize(
    "words",
    [
        ("--set", "growth=.5", "fishing_village"),
        ("--set", "growth=.5", "fine=10", "fishing_village"),
        ("--set", "growth=.5", "fishing_village", "fine=10"),
        ("--set", "growth=.5", "--seed", "1", "fishing_village"),
    ],
)
def test_the_scenario_may_come_after_settings(typed: Type, words: tuple[str, ...]) -> None:
    after = typed("run", *words, "--rounds", 2, "--json", "--out", "a.run").json
    before = ("fishing_village", "--set", "growth=.5", "--rounds", 2, "--json", "--out", "b.run")
    assert after["digest"] == typed("run", *before).json["digest"]


def test_a_fresh_run_verifies_and_replays(typed: Type) -> None:
    typed("run", "fishing_village", "--rounds", 3, "--quiet", "--out", "a.run")
    verified = typed("verify", "a.run")
    assert verified.code == 0
    assert "FAILED" not in verified.out
    replayed = typed("replay", "a.run", "--plain", "--from", 2)
    assert replayed.code == 0
    assert "Round 2 of 3" in replayed.out
    assert "Round 1 of 3" not in replayed.out


def test_a_tampered_run_does_not_verify(typed: Type) -> None:
    typed("run", "fishing_village", "--rounds", 3, "--quiet", "--out", "a.run")
    with sqlite3.connect("a.run") as file:
        file.execute("UPDATE rounds SET digest = 'ff' || substr(digest, 3) WHERE round = 2")
    assert typed("verify", "a.run").code != 0


@pytest.mark.parametrize("kind", ["scenarios", "components", "mechanisms", "graphs"])
def test_list_names_each_kind(typed: Type, kind: str) -> None:
    known = {
        "scenarios": "fishing_village_subsistence",
        "components": "social_learning",
        "mechanisms": "capped",
        "graphs": "small_world",
    }
    assert known[kind] in typed("list", kind).out


def test_list_tells_parameters_of_one_kind_and_a_line_each_for_all(typed: Type) -> None:
    assert "growth = 0.6 · a number from 0 to 3" in typed("list", "scenarios").out
    everything = typed("list")
    assert "growth =" not in everything.out
    assert "`society list KIND` tells the parameters" in everything.err


WRONG: dict[str, tuple[tuple[object, ...], str]] = {
    "unknown scenario": (("run", "fishing_vilage"), "did you mean 'fishing_village'?"),
    "unknown parameter": (
        ("run", "fishing_village", "--set", "grwoth=1"), "did you mean 'growth'?"
    ),
    "no value": (("run", "fishing_village", "--set", "growth"), "KEY=VALUE"),
    "wrong type": (("run", "fishing_village", "--set", "growth=fast"), "a number from 0 to 3"),
    "out of range": (("run", "fishing_village", "--set", "growth=9"), "a number from 0 to 3"),
    "not an option": (("run", "fishing_village", "--set", "vote=coin"), "median"),
    "unknown graph": (("run", "fishing_village", "--set", "graph=rng"), "did you mean 'ring'?"),
    "unknown relation": (
        ("run", "fishing_village", "--set", "graph.lern=ring"), "did you mean 'learn'?"
    ),
    "no agents": (("run", "fishing_village", "--agents", 0), "from 1 up"),
    "no rounds": (("run", "fishing_village", "--rounds", 0), "from 1 up"),
    "negative seed": (("run", "fishing_village", "--seed", -1), "from 0 up"),
    "missing scenario file": (("run", "nowhere.yaml"), "nowhere.yaml"),
    "missing run file": (("show", "nowhere.run"), "nowhere.run"),
    "a folder": (("show", "."), "folder"),
    "round beyond the end": (("replay", "a.run", "--plain", "--from", 99), "99"),
    "no such replicate": (("replay", "a.run", "--plain", "--replicate", 1), "replicate 1"),
    "no speed": (("replay", "a.run", "--plain", "--speed", 0), "above 0"),
    "existing output": (("run", "fishing_village", "--out", "a.run"), "--overwrite"),
    "output is a folder": (("run", "fishing_village", "--out", "folder"), "folder"),
    "output below a file": (("run", "fishing_village", "--out", "a.run/b.run"), "a.run/b.run"),
    "not a run file": (("show", "letter.txt"), "letter.txt"),
}  # fmt: skip


@pytest.mark.parametrize(("words", "hint"), WRONG.values(), ids=WRONG.keys())
def test_wrong_input_gets_one_message_and_exit_code_2_and_leaves_nothing_behind(
    typed: Type, words: tuple[object, ...], hint: str
) -> None:
    typed("run", "fishing_village", "--rounds", 2, "--quiet", "--out", "a.run")
    Path("folder").mkdir()
    Path("letter.txt").write_text("Dear all, this is a letter and no run file. " * 50)
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    said = typed(*words)
    assert said.code == 2
    assert said.out == ""
    assert hint in said.err
    assert "Traceback" not in said.err
    assert before == {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def test_a_scenario_file_with_a_mistake_is_told_its_line(typed: Type) -> None:
    Path("a.yaml").write_text(
        "scenario: fishing_village\ncohorts:\n  - name: misers\n    count: -3\n"
    )
    said = typed("run", "a.yaml")
    assert said.code == 2
    assert "a.yaml:4:12" in said.err
    assert "cohorts[0].count" in said.err
    assert not Path("runs").exists()


def test_a_mechanism_that_fits_no_question_leaves_nothing_behind(typed: Type) -> None:
    Path("a.yaml").write_text(
        "scenario: fishing_village\nmechanisms:\n  - capped: {kind: efort, at: 0.5}\n"
    )
    said = typed("run", "a.yaml")
    assert said.code == 2
    assert "a.yaml:3:5 mechanisms[0]: capped: the play never asks 'efort'" in said.err
    assert not Path("runs").exists()


def test_overwrite_replaces_a_run(typed: Type) -> None:
    for seed in (1, 2):
        said = typed(
            "run", "fishing_village", "--seed", seed, "--out", "a.run", "--overwrite", "--json"
        )
        assert said.code == 0
    assert typed("show", "a.run", "--json").json["seed"] == 2


def test_ctrl_c_keeps_what_was_committed_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "long.run"
    words = [
        "run",
        "fishing_village",
        "--agents",
        "200",
        "--rounds",
        "100000",
        "--set",
        "ends_on=horizon",
        "--out",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "society", *words, str(out)],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )
    while not out.exists():
        time.sleep(0.02)
        assert process.poll() is None
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted" in said
    assert "Traceback" not in said
    shown = subprocess.run(
        [sys.executable, "-m", "society", "show", str(out), "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    facts = json.loads(shown.stdout)
    assert facts["status"] == "interrupted"
    assert facts["rounds"] > 0
    assert f"{facts['rounds']} rounds" in said


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path) -> None:
    command = (
        f"{sys.executable} -m society run fishing_village --quiet --out a.run && "
        f"{sys.executable} -m society replay a.run --plain | head -n 1"
    )
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert done.returncode == 0
    assert done.stdout.startswith("fishing_village")


def test_a_preset_and_its_scenario_do_not_share_a_file(typed: Type) -> None:
    typed("run", "fishing_village_ring", "--rounds", 2, "--quiet")
    assert typed("run", "fishing_village", "--rounds", 2, "--quiet").code == 0
    assert {path.name for path in Path("runs").iterdir()} == {
        "fishing_village_ring-1.run",
        "fishing_village-1.run",
    }


def test_a_device_or_a_pipe_is_never_overwritten(typed: Type) -> None:
    os.mkfifo("pipe")
    said = typed("run", "fishing_village", "--rounds", 2, "--out", "pipe", "--overwrite")
    assert said.code == 2
    assert "device or a pipe" in said.err
    assert Path("pipe").is_fifo()
