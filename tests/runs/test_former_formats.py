"""Run files of former formats are read for ever: some of each kind, as their README.md says.

Each is opened, shown, replayed, analysed and, where its minds are rules, played again. Where
language minds were asked, that goes only as long as no template has changed since: the recorded
words are held against today's. Then that part is skipped, and says so.
"""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from xxhash import xxh3_128_hexdigest

import society
from society.cli.main import main
from society.config.build import build
from society.config.run_config import RunConfig
from society.runs.runfile import open_run_file

pytestmark = pytest.mark.thorough

FOLDERS = [Path(__file__).with_name(name) for name in ("format2", "format3")]
USERS_FILES = Path(__file__).parents[1] / "golden" / "users_files.md"
HOME = "/home/user"  # where the files of the user were
RUNS: dict[str, dict[str, Any]] = {
    f"{folder.name}/{name}": expected
    for folder in FOLDERS
    for name, expected in json.loads((folder / "runs.json").read_text(encoding="utf-8")).items()
}
EVERY_RUN = pytest.mark.parametrize("name", RUNS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a folder for each format: its files and those of the user."""
    monkeypatch.chdir(tmp_path)
    text = USERS_FILES.read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w+\n(?=# (\S+)\n)(.*?)^```$", text, re.DOTALL | re.M)
    for folder in FOLDERS:
        here = tmp_path / folder.name
        here.mkdir()
        for file in folder.glob("*.run.gz"):
            (here / file.stem).write_bytes(gzip.decompress(file.read_bytes()))
            if file.name.startswith("own_"):
                _move_home(here / file.stem)
        for name, block in blocks:
            (here / name).write_text(block, encoding="utf-8")
    return tmp_path


def _move_home(path: Path) -> None:
    """Have a run file say that the files of the user are beside it, and seal that."""
    with closing(sqlite3.connect(path)) as connection:
        rows = dict(connection.execute("SELECT key, value FROM manifest"))
        given = {key: said.replace(HOME, str(path.parent)) for key, said in rows.items()}
        del given["seal"]
        words = "\x1f".join(map(str, sorted(given.items()))) + "\x1f"
        given["seal"] = xxh3_128_hexdigest(words.encode())
        for key, said in given.items():
            connection.execute("UPDATE manifest SET value = ? WHERE key = ?", (said, key))
        connection.commit()


def _skip_if_reworded(path: Path) -> None:
    """Skip the rest for a run whose minds would be asked in other words today."""
    with open_run_file(path) as run:
        given = run.manifest
    if not given.prompts:
        return
    now = build(RunConfig.model_validate(given.spec)).words.hashes()
    if changed := sorted(file for file in given.prompts if now.get(file) != given.prompts[file]):
        pytest.skip(f"{path.name}: since it was made, {', '.join(changed)} changed")


def test_every_file_is_one_that_is_tested() -> None:
    files = (file for folder in FOLDERS for file in folder.glob("*.gz"))
    assert {f"{file.parent.name}/{file.stem.removesuffix('.run')}" for file in files} == set(RUNS)


@EVERY_RUN
def test_it_opens_and_came_to_what_it_did(folder: Path, name: str) -> None:
    with open_run_file(folder / f"{name}.run") as run:
        outcome, pages = run.outcome(), list(run.pages())
        assert (run.status, outcome.rounds) == (RUNS[name]["status"], RUNS[name]["rounds"])
        assert outcome.digest == RUNS[name]["digest"]
        assert len(pages) == outcome.rounds + 1
        assert any(page.steps for page in pages) == (run.manifest.level == "full")
        assert bool(list(run.calls())) == (RUNS[name]["minds"] == "language")


@EVERY_RUN
def test_it_is_shown(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", f"{name}.run"]) == 0
    assert RUNS[name]["status"] in capsys.readouterr().out
    assert main(["show", f"{name}.run", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {key: shown[key] for key in ("status", "rounds", "digest")} == {
        key: RUNS[name][key] for key in ("status", "rounds", "digest")
    }
    assert shown["measures"]


@EVERY_RUN
def test_it_is_replayed(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", f"{name}.run", "--plain"]) == 0
    assert len(capsys.readouterr().out.splitlines()) > RUNS[name]["rounds"]


@EVERY_RUN
def test_it_is_a_study(folder: Path, name: str) -> None:
    study = society.open_run(f"{name}.run")
    with open_run_file(folder / f"{name}.run") as run:
        assert len(study.runs) == run.manifest.replicates
    assert len(study.rounds) >= RUNS[name]["rounds"]


@EVERY_RUN
def test_it_is_verified(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    # Those with files of the user's are from another machine, which this one does not trust.
    code = main(["verify", f"{name}.run", "--json", "--trust"])
    verdict = json.loads(capsys.readouterr().out)
    checks = {check["name"]: check["ok"] for check in verdict["checks"]}
    assert checks["record"]  # that much holds whatever has become of the prompts
    assert checks["script"] is (None if name == "format2/summary" else True)
    _skip_if_reworded(folder / f"{name}.run")
    assert code == 0, verdict


def _resumed(path: Path) -> dict[str, Any]:
    assert main(["resume", str(path), "--quiet", "--max-calls", "none"]) == 0
    with open_run_file(path) as run:
        assert run.status == "finished"
        outcome = run.outcome()
    return {"rounds": outcome.rounds, "digest": outcome.digest}


def test_villagers_who_were_interrupted_go_on(folder: Path) -> None:
    name = "format2/interrupted"
    assert _resumed(folder / f"{name}.run") == RUNS[name]["in_the_end"]


@pytest.mark.parametrize("name", ["format2/paused", "format3/paused", "format3/forked"])
def test_language_minds_that_were_paused_go_on(folder: Path, name: str) -> None:
    path = folder / f"{name}.run"
    with open_run_file(path) as run:
        asked = [(call.request.address, call.said) for call in run.calls()]
    _skip_if_reworded(path)
    in_the_end = _resumed(path)
    assert in_the_end["rounds"] == RUNS[name]["in_the_end"]["rounds"]
    if name.startswith("format3"):
        assert in_the_end["digest"] == RUNS[name]["in_the_end"]["digest"]
    with open_run_file(path) as run:
        said = [(call.request.address, call.said) for call in run.calls()]
    assert said[: len(asked)] == asked  # nobody was asked again
    assert len(said) > len(asked)


def test_a_file_of_format_3_that_is_resumed_stays_in_format_3(folder: Path) -> None:
    path = folder / "format3" / "paused.run"
    _skip_if_reworded(path)
    _resumed(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (3,)
        kinds = connection.execute("SELECT DISTINCT typeof(messages) FROM calls").fetchall()
    assert kinds == [("text",)], "each prompt stands in full, as that format has it"
