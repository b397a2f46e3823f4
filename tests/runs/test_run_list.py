"""Lists of run files: what a list says of whole, damaged, foreign and unfinished ones."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.calls import Address
from society.errors import FileError, InputError
from society.runs.reader import RunFile
from society.runs.run_list import (
    ListedRun,
    filter_runs,
    list_run_files,
    read_listed,
    sort_runs,
)
from society.runs.runfile import Writer, manifest_of, open_run_file
from society.terminal.console import TerminalStyle
from society.terminal.run_table import run_table

EFFORT = Address("language_policy", "answer effort", 0, 0, 0, 0)


def play(path: Path, *, stop: bool = False, **given: Any) -> None:
    """Play a small village into a file; stop: as if its process had been killed at the end."""
    setup = build(load_config("fishing_village", {"agents": 4, "rounds": 3, **given}))
    writer = Writer(path, manifest_of(setup))
    setup.gamemaster([writer]).play()
    if stop:
        with writer.call_store.lock:
            assert writer._connection is not None
            writer._connection.close()
    else:
        writer.close("finished")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two villages, one of them below, a killed one, and what is no whole run."""
    root: Path = tmp_path_factory.mktemp("runs")
    play(root / "a.run", replicates=2, parameters={"fine": 2})
    (root / "more").mkdir()
    play(root / "more/b.run", parameters={"fine": 18, "growth": 0.6}, seed=2)
    play(root / "killed.run", stop=True)
    whole = (root / "a.run").read_bytes()
    (root / "cut.run").write_bytes(whole[: len(whole) // 2])
    (root / "newer.run").write_bytes(whole[:60] + (9).to_bytes(4, "big") + whole[64:])
    (root / "text.run").write_text("no run")
    with closing(sqlite3.connect(root / "foreign.run")) as database:
        database.execute("CREATE TABLE notes (words TEXT)")
    (root / "link.run").symlink_to(root / "nowhere.run")
    (root / "notes.txt").write_text("not listed")
    return root


def by_name(runs: list[ListedRun]) -> dict[str, ListedRun]:
    return {run.path.name: run for run in runs}


def test_every_run_file_is_listed_with_those_in_folders_below(folder: Path) -> None:
    found = list_run_files(folder)
    assert [run.path.relative_to(folder).as_posix() for run in found.runs] == [
        *("a.run", "cut.run", "foreign.run", "killed.run", "link.run", "more/b.run"),
        *("newer.run", "text.run"),
    ]
    assert not found.closed


def test_a_list_says_what_a_run_was_and_what_came_out(folder: Path) -> None:
    run = by_name([*list_run_files(folder).runs])["a.run"]
    assert (run.scenario, run.status, run.seed, run.agents, run.replicates) == (
        *("fishing_village", "finished"),
        *(1, 4, 2),
    )
    assert (run.rounds, run.horizon, run.models, run.calls, run.cost) == (3, 3, (), 0, 0.0)
    with open_run_file(run.path) as file:
        outcome = file.outcome()
    assert run.measure == "survival_time"
    assert run.estimate == outcome.measures["survival_time"]
    assert run.settings["growth"] == 0.6
    assert run.size == run.path.stat().st_size


def test_only_what_was_given_and_differs_is_called_varied(folder: Path) -> None:
    runs = by_name([*list_run_files(folder).runs])
    assert runs["a.run"].varied == {"fine": 2.0}
    assert runs["b.run"].varied == {"fine": 18.0}  # growth is that of the others, by default
    assert runs["killed.run"].varied == {}


def test_what_cannot_be_read_says_why(folder: Path) -> None:
    runs = by_name([*list_run_files(folder).runs])
    problems = {name: run.problem for name, run in runs.items() if run.problem}
    assert problems["cut.run"].startswith("is cut off: ")
    assert problems["text.run"].startswith("is not a run file; ")
    assert problems["foreign.run"].startswith("is an SQLite database, but not a run file; ")
    assert problems["newer.run"].startswith("is a run file of format 9, ")
    assert problems["link.run"].startswith("cannot be read: ")
    assert {run.status for run in runs.values() if run.problem} == {"unreadable"}
    assert len(problems) == 5


def test_a_run_that_was_killed_is_read_from_its_rounds(folder: Path) -> None:
    run = by_name([*list_run_files(folder).runs])["killed.run"]
    assert (run.status, run.rounds) == ("running", 3)  # the process that wrote it is this one
    assert run.estimate is not None
    assert run.estimate.n == 1


def test_a_closed_file_says_what_was_asked_without_going_through_its_calls(
    tmp_path: Path,
) -> None:
    """The ledger of its last row is that of all calls, fallbacks of rounds included."""
    path = tmp_path / "a.run"
    given = {"agents": 4, "rounds": 2, "parameters": {"norm_embedder": "hashing"}}
    setup = build(load_config("language_village", given))
    with Writer(path, manifest_of(setup)) as writer:
        game = setup.gamemaster([writer], outside=setup.outside(writer.call_store))
        game.answerer.gateway.trouble(EFFORT, "offline", "fallback", "no number")
        game.play()
    with open_run_file(path) as run:
        recorded, results = run.ledger(), run.results()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("DROP TABLE results")
    with open_run_file(path) as run:
        assert run.ledger() == recorded
        assert run.results() == results
    asked = {entry.kind: (entry.calls, entry.fallbacks) for entry in recorded}
    assert asked["effort"] == (8, 1)
    assert results.ledger == (recorded, 0)


def test_results_that_are_not_of_the_last_round_do_not_count(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    shutil.copy(folder / "a.run", path)
    with open_run_file(path) as run:
        kept = run.results()
    with closing(sqlite3.connect(path)) as database, database:
        (words,) = database.execute("SELECT words FROM results").fetchone()
        database.execute("UPDATE results SET words = ?", (words.replace("survival", "revival"),))
    assert "its checksum does not match" in read_listed(path).problem
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM results")
    with open_run_file(path) as run:
        assert run.results() == kept  # computed from the rounds
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE results")  # as in files of before
    with open_run_file(path) as run:
        assert run.results() == kept


def test_runs_are_sorted_and_chosen(folder: Path) -> None:
    runs = list_run_files(folder).runs
    assert [run.path.name for run in sort_runs(runs, "rounds")][-5:] == [
        *("cut.run", "foreign.run", "link.run", "newer.run", "text.run")
    ]
    sizes = [run.size for run in sort_runs(runs, "size")]
    assert sizes == sorted(sizes, reverse=True)
    assert [run.path.name for run in filter_runs(runs, "fishing_village", "finished")] == [
        *("a.run", "b.run")
    ]
    with pytest.raises(InputError, match="no run here is of fishing; did you mean"):
        filter_runs(runs, "fishing")


def test_there_is_no_list_of_a_file(folder: Path) -> None:
    with pytest.raises(FileError, match=r"a\.run is a file; name a folder with run files"):
        list_run_files(folder / "a.run")
    with pytest.raises(FileError, match="nowhere is not there"):
        list_run_files(folder / "nowhere")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may look everywhere")
def test_a_folder_that_may_not_be_looked_into_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    assert "closed: Permission denied" in list_run_files(tmp_path).closed[0]


def lines(folder: Path, width: int, *, whole: bool = False) -> list[str]:
    return [line.plain for line in table(folder, width, whole=whole).lines]


def table(folder: Path, width: int, *, whole: bool = False) -> Any:
    return run_table(TerminalStyle("utf-8", width, whole=whole), list_run_files(folder).runs)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_a_table_is_no_wider_than_the_terminal(folder: Path, width: int) -> None:
    assert max(map(len, lines(folder, width))) <= width


def test_a_table_that_is_shown_whole_leaves_nothing_out(folder: Path) -> None:
    found = table(folder, 40, whole=True)
    assert not found.dropped
    head, first, *_ = (line.plain for line in found.lines)
    assert head.split() == [
        *("file", "varied", "seed", "written", "status", "rounds", "survival_time", "size")
    ]
    assert str(folder / "a.run") in first
    assert "fine 2" in first
    assert "3 of 3" in first


def test_of_a_run_that_has_ended_no_round_is_read(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a thousand files are listed in a second or two, however long their games were."""
    for number in range(10):
        shutil.copy(folder / "a.run", tmp_path / f"{number}.run")
    monkeypatch.setattr(RunFile, "outcome", None)
    monkeypatch.setattr(RunFile, "_record", None)
    monkeypatch.setattr(RunFile, "calls", None)
    assert {run.status for run in list_run_files(tmp_path).runs} == {"finished"}
