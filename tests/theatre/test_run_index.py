"""Series and marks are kept beside a run file, and believed only if they are of this run."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import society
from society.config.build import build
from society.config.run_config import load_config
from society.errors import RunFileError
from society.runs.runfile import Writer, manifest_of, open_run_file
from society.runs.verify import verify
from society.theatre import run_index
from society.theatre.history import Course, History


@pytest.fixture(autouse=True)
def _small_files_have_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run_index, "_LEAST", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def played(path: Path, seed: int = 3, rounds: int = 4) -> Path:
    society.run("fishing_village", seed=seed, rounds=rounds, replicates=2, out=path)
    return path


def looked(path: Path) -> Course:
    with open_run_file(path) as run:
        return History(run).course(1)


def same(one: Course, other: Course) -> bool:
    for mine, theirs in ((one.common, other.common), (one.own, other.own)):
        if mine.keys() != theirs.keys():
            return False
        if not all(np.array_equal(mine[name], theirs[name], equal_nan=True) for name in mine):
            return False
    return one.marks == other.marks


def test_the_second_look_reads_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = played(tmp_path / "v.run")
    first = looked(path)
    assert (tmp_path / "v.run-index").is_file()
    monkeypatch.setattr("society.theatre.history._gather", lambda *given: None)
    assert same(looked(path), first)
    with open_run_file(path) as run:
        history = History(run)
        history.course(0)
        assert history.paths == run.paths()


def cut(index: Path) -> None:
    index.write_bytes(index.read_bytes()[:-5])


def flipped(index: Path) -> None:
    data = bytearray(index.read_bytes())
    data[-3] ^= 1
    index.write_bytes(data)


def empty(index: Path) -> None:
    index.write_bytes(b"")


def foreign(index: Path) -> None:
    other = played(index.with_name("other.run"), seed=4)
    looked(other)
    shutil.copy(other.with_name("other.run-index"), index)


def lying(index: Path) -> None:
    """One with seal and key that fit, and marks of an agent that is not there."""
    data = index.read_bytes()
    key = data[run_index._HASH : 2 * run_index._HASH].decode()
    with open_run_file(index.with_name("v.run")) as run:
        history = History(run)
        history.course(0)
        found = history._blocks[0].gathered()
    marks = found.marks.copy()
    marks[0, 3] = 99
    index.write_bytes(run_index._pack(key, found._replace(marks=marks), [()] * 5))


@pytest.mark.parametrize("spoil", [cut, flipped, empty, foreign, lying])
def test_an_index_that_does_not_fit_is_made_anew(
    tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    path, index = played(tmp_path / "v.run"), tmp_path / "v.run-index"
    first, whole = looked(path), index.read_bytes()
    spoil(index)
    assert index.read_bytes() != whole
    assert same(looked(path), first)
    assert index.read_bytes() == whole


def test_a_run_that_was_played_again_gets_another_index(tmp_path: Path) -> None:
    path = played(tmp_path / "v.run")
    first = looked(path)
    society.run("fishing_village", seed=5, rounds=4, replicates=2, out=path, overwrite=True)
    second = looked(path)
    assert not same(first, second)
    assert same(looked(path), second)


def test_where_the_folder_takes_no_file_the_index_is_in_the_cache(tmp_path: Path) -> None:
    path = played(tmp_path / "v.run")
    (tmp_path / "v.run-index").mkdir()
    first = looked(path)
    (kept,) = (tmp_path / "cache/society").iterdir()
    assert kept.name.endswith(".run-index")
    assert same(looked(path), first)


def test_where_nothing_can_be_written_the_history_is_gathered_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = played(tmp_path / "v.run")
    (tmp_path / "v.run-index").mkdir()
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert same(looked(path), looked(path))


def test_verification_and_lists_of_runs_take_no_notice_of_it(tmp_path: Path) -> None:
    path = played(tmp_path / "v.run")
    before = path.read_bytes()
    looked(path)
    assert path.read_bytes() == before
    assert verify(path).ok
    assert [one.name for one in tmp_path.glob("*.run")] == ["v.run"]


@pytest.mark.parametrize("kept", [True, False])
def test_a_damaged_round_is_named_with_and_without_an_index(tmp_path: Path, kept: bool) -> None:
    path = played(tmp_path / "v.run")
    if kept:
        looked(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE rounds SET lines = zeroblob(length(lines)) WHERE round = 2")
    with open_run_file(path) as run:
        history = History(run)
        if not kept:
            with pytest.raises(RunFileError, match="round 2 cannot be read"):
                history.course(0)
        history.page(1)
        with pytest.raises(RunFileError, match=r"round 2 cannot be read .*; take a whole copy"):
            history.page(2)


def test_a_run_that_is_being_written_has_no_index(tmp_path: Path) -> None:
    setup = build(load_config("fishing_village", {"rounds": 4}))
    path = tmp_path / "v.run"
    with Writer(path, manifest_of(setup)) as writer:
        setup.gamemaster([writer]).play()
        looked_at = tmp_path / "v.run-index"
        with open_run_file(path) as run:
            assert History(run).course(0).common["stock"].shape == (5,)
        assert not looked_at.exists()
