"""A run file keeps what happened, through kills, cuts and copies, or says what is wrong with it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.history import Page
from society.errors import FileError, PartError, RunFileError
from society.runs.runfile import Manifest, RunFile, Status, Writer, manifest_of, open_run_file
from society.runs.schema import RunStanding
from tests.child_processes import KILLED_BEFORE
from tests.sweeps import all_but

if TYPE_CHECKING:
    from tests.runs.conftest import Keep, Reading

SIDES = ("", "-wal", "-shm")


def begun(**changes: Any) -> tuple[Society, Manifest]:
    """A village that is ready to be played."""
    small = {"agents": 6, "replicates": 4, "rounds": 12}
    setup = build(load_config("fishing_village", small | changes))
    return setup, manifest_of(setup, "full")


def committed(path: Path) -> int:
    """Count the rounds of a file; each of them must be readable."""
    with open_run_file(path) as run:
        numbers = [page.number for page in run.pages()]
        assert numbers == list(range(run.rounds + 1))
        return run.rounds


def copied(path: Path, folder: Path) -> Path:
    """The file and what lies beside it, as after a kill at this moment."""
    folder.mkdir(exist_ok=True)
    for suffix in SIDES:
        if Path(f"{path}{suffix}").exists():
            shutil.copy(f"{path}{suffix}", folder)
    return folder / path.name


def assert_same(ours: Page, theirs: Page) -> None:
    """Equal bit for bit."""
    assert (ours.number, ours.path) == (theirs.number, theirs.path)
    assert (ours.digest, ours.ledger) == (theirs.digest, theirs.ledger)
    assert [step[:3] for step in ours.steps] == [step[:3] for step in theirs.steps]
    for one, other in zip(ours.steps, theirs.steps, strict=True):
        assert_equal_arrays(one.arrays, other.arrays)
    assert_equal_arrays(ours.public, theirs.public)
    assert_equal_arrays(ours.measures, theirs.measures)
    assert_equal_arrays({"": ours.present}, {"": theirs.present})
    assert_equal_arrays({"": ours.running}, {"": theirs.running})


def assert_equal_arrays(ours: Any, theirs: Any) -> None:
    assert list(ours) == list(theirs)
    for one, other in zip(ours.values(), theirs.values(), strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()


# What is kept


def test_a_run_reads_back_as_it_was_played(keep: Keep, reading: Reading) -> None:
    kept = keep(parameters={"vote": "plurality"})
    run = reading(kept.path)
    assert run.outcome() == kept.outcome
    assert (run.status, run.rounds) == ("finished", kept.outcome.rounds)
    for ours, theirs in zip(run.pages(), kept.pages, strict=True):
        assert_same(ours, theirs)
    assert [page.number for page in run.pages(start=10)] == [10, 11, 12]


def test_level_summary_keeps_measures_and_digests_but_no_lines(
    keep: Keep, reading: Reading
) -> None:
    kept = keep(level="summary")
    run = reading(kept.path)
    assert run.outcome() == kept.outcome
    for ours, theirs in zip(run.pages(), kept.pages, strict=True):
        assert_same(ours, theirs._replace(steps=(), public={}))


def test_outcomes_have_the_causes_that_ended_replicates(keep: Keep, reading: Reading) -> None:
    kept = keep(agents=10, replicates=40, rounds=60)
    assert {"starved", "fined_to_death"} <= set(kept.outcome.ends)
    assert reading(kept.path).outcome().ends == kept.outcome.ends


def test_the_manifest_sets_the_run_up_again(keep: Keep, reading: Reading) -> None:
    kept = keep(seed=5, graph="ring", parameters={"growth": 0.3, "population": "mixed"})
    given = reading(kept.path).manifest
    assert (given.scenario, given.seed, given.params["growth"]) == ("fishing_village", 5, 0.3)
    assert (given.agents, given.replicates, given.horizon, given.level) == (6, 4, 12, "full")
    assert [(note.name, note.seats) for note in given.cohorts] == [
        ("altruist", (0, 1, 2)),
        ("selfish", (3, 4, 5)),
    ]
    assert given.stage.gauge == ("stock", "capacity")
    assert given.measures[0].model_dump() == {
        "name": "survival_time",
        "unit": "rounds",
        "fold": "first",
        "label": "",
        "bounds": (None, None),
        "ended": None,
    }
    assert given.versions["numpy"] == np.__version__
    again = (
        build(type(load_config("fishing_village")).model_validate(given.spec)).gamemaster().play()
    )
    assert again == kept.outcome


def test_every_fact_is_kept_up_to_a_million_agent_rounds() -> None:
    setup = build(load_config("fishing_village", {"replicates": 1_000}))  # of 10 agents, 100 rounds
    assert manifest_of(setup).level == "full"
    setup = build(load_config("fishing_village", {"replicates": 1_001}))
    assert manifest_of(setup).level == "summary"


def test_a_thousand_replicates_take_less_than_40_bytes_each_per_round(keep: Keep) -> None:
    kept = keep(level="summary", replicates=1_000, agents=50, rounds=10)
    assert kept.path.stat().st_size / (1_000 * 10) < 40


def test_a_round_of_a_small_village_takes_little_more_than_its_numbers(keep: Keep) -> None:
    kept = keep(agents=10, replicates=1, rounds=100, parameters={"ends_on": "horizon"})
    assert kept.path.stat().st_size / (10 * 100) < 270


# While it is written


def test_another_process_reads_what_is_committed_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    setup, manifest = begun()
    look = (
        "import sys; from society.runs import runfile; run = runfile.open_run_file(sys.argv[1]);"
        "print(run.status, run.rounds, len(list(run.pages())))"
    )
    seen: dict[int, str] = {}

    class Looking:
        def page(self, page: Page) -> None:
            writer.page(page)
            if page.number in (1, 7):
                words = [sys.executable, "-c", look, str(path)]
                told = subprocess.run(words, capture_output=True, text=True)
                seen[page.number] = told.stdout

    with Writer(path, manifest) as writer:
        setup.gamemaster([Looking()]).play()
    assert seen == {1: "running 1 2\n", 7: "running 7 8\n"}


def test_a_reader_sees_rounds_come_and_does_not_keep_the_writer_from_ending(
    tmp_path: Path, reading: Reading
) -> None:
    path = tmp_path / "a.run"
    setup, manifest = begun()
    seen: list[int] = []
    runs: list[RunFile] = []

    class Watching:
        def page(self, page: Page) -> None:
            writer.page(page)
            if page.number == 1:
                runs.append(reading(path))
            seen.extend(run.rounds for run in runs)

    with Writer(path, manifest) as writer:
        outcome = setup.gamemaster([Watching()]).play()
    assert seen == list(range(1, 13))
    assert (runs[0].status, runs[0].outcome()) == ("finished", outcome)
    whole = tmp_path / "copy.run"
    shutil.copy(path, whole)
    assert reading(whole).outcome() == outcome


def test_a_closed_run_is_a_single_file_and_its_copy_is_whole(keep: Keep, reading: Reading) -> None:
    kept = keep()
    assert [file.name for file in kept.path.parent.iterdir()] == ["a.run"]
    moved = kept.path.parent / "elsewhere" / "b.run"
    moved.parent.mkdir()
    shutil.copy(kept.path, moved)
    assert reading(moved).outcome() == kept.outcome


def test_reading_changes_nothing_on_the_disk(tmp_path: Path, keep: Keep) -> None:
    killed = tmp_path / "killed" / "a.run"
    killed_at(3, killed)
    without_wal = tmp_path / "copy" / "a.run"
    without_wal.parent.mkdir()
    shutil.copy(killed, without_wal)
    for path in (keep().path, killed, without_wal):
        before = {file: file.stat() for file in path.parent.iterdir()}
        with open_run_file(path) as run:
            list(run.pages())
            run.outcome()
        after = {file: file.stat() for file in path.parent.iterdir()}
        assert set(after) == set(before)
        for file, stat in before.items():
            if not file.name.endswith("-shm"):  # the locks and the index of those who read the WAL
                assert (after[file].st_mtime_ns, after[file].st_size) == (
                    stat.st_mtime_ns,
                    stat.st_size,
                )


# Kills

PLAYING = """
import sys
from society.runs.runfile import Writer, manifest_of
from society.config.run_config import load_config
from society.config.build import build

setup = build(load_config("fishing_village", {"replicates": 50, "rounds": 2000, "parameters": {
    "ends_on": "horizon"}}))

class Telling:
    def page(self, page):
        writer.page(page)
        print(page.number, flush=True)

with Writer(sys.argv[1], manifest_of(setup, "full")) as writer:
    setup.gamemaster([Telling()]).play()
"""


def killed_at(number: int, path: Path) -> None:
    """Play in a process of its own, and kill it as soon as it has told a round."""
    words = [sys.executable, "-c", PLAYING, str(path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == number:
                break
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


@pytest.mark.parametrize("number", all_but([17], [1, 2, 17, 60]))
def test_a_killed_run_keeps_every_committed_round(
    tmp_path: Path, reading: Reading, number: int
) -> None:
    path = tmp_path / "a.run"
    killed_at(number, path)
    run = reading(path)
    assert run.status == "interrupted"
    assert run.rounds >= number
    assert committed(path) == run.rounds
    same = {"replicates": 50, "rounds": run.rounds, "parameters": {"ends_on": "horizon"}}
    assert run.outcome() == build(load_config("fishing_village", same)).gamemaster().play()


KILLS = [
    ("PRAGMA journal_mode = WAL", 1, None, None),  # of the draft
    ("BEGIN", 1, 1, "interrupted"),  # of round 2
    ("INSERT INTO rounds", 5, 3, "interrupted"),  # of round 4
    ("COMMIT", 3, 2, "interrupted"),  # of the draft, of round 2, of round 3
    ("UPDATE status", 2, 12, "interrupted"),  # at the beginning, at the end
    ("PRAGMA wal_checkpoint", 1, 12, "finished"),
    ("PRAGMA journal_mode = DELETE", 1, 12, "finished"),
]


@pytest.mark.parametrize(
    ("words", "count", "rounds", "status"), all_but([KILLS[2], KILLS[5]], KILLS)
)
def test_a_kill_at_any_moment_costs_nothing_that_was_committed(
    tmp_path: Path, words: str, count: int, rounds: int | None, status: Status | None
) -> None:
    path = tmp_path / "a.run"
    done = subprocess.run([sys.executable, "-c", KILLED_BEFORE, str(path), words, str(count)])
    assert done.returncode == -signal.SIGKILL
    if rounds is None:
        assert "there is no file" in complaint(path)
        return
    assert committed(path) == rounds
    with open_run_file(path) as run:
        assert run.status == status


@pytest.mark.thorough
def test_a_killed_writer_is_gone_before_its_parent_asks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    with subprocess.Popen([sys.executable, "-c", KILLED_BEFORE, str(path), "BEGIN", "3"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # dead, and left a zombie
        os.kill(child.pid, 0)  # which still has its number
        with open_run_file(path) as run:
            assert run.status == "interrupted"
    assert child.returncode == -signal.SIGKILL


def test_a_writer_is_alive_only_as_the_same_process_on_the_same_host() -> None:
    ours = RunStanding.running()
    assert ours.alive
    assert not ours._replace(host="elsewhere").alive
    assert not RunStanding("finished", digest="").alive
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    assert not ours._replace(process=gone.pid).alive
    if ours.born is not None:  # a process that took over the number of one that is gone
        assert not ours._replace(born=ours.born - 1).alive


# Endings


@pytest.mark.parametrize("status", ["finished", "interrupted", "failed", "paused"])
def test_the_status_is_what_the_run_was_closed_with(
    tmp_path: Path, reading: Reading, status: Status
) -> None:
    setup, manifest = begun()
    writer = Writer(tmp_path / "a.run", manifest)
    setup.gamemaster([writer]).play()
    writer.close(status)
    assert reading(tmp_path / "a.run").status == status


@pytest.mark.parametrize(
    ("error", "status"), [(KeyboardInterrupt, "interrupted"), (ValueError, "failed")]
)
def test_a_run_that_is_broken_off_keeps_its_rounds_and_says_how_it_ended(
    tmp_path: Path, reading: Reading, error: type[BaseException], status: Status
) -> None:
    path = tmp_path / "a.run"
    with pytest.raises(error):
        broken_off(path, error, after=5)
    run = reading(path)
    assert (run.status, run.rounds, committed(path)) == (status, 5, 5)
    assert [file.name for file in tmp_path.iterdir()] == ["a.run"]


def broken_off(path: Path, error: type[BaseException], after: int, overwrite: bool = False) -> None:
    """Play until an error comes in the round that follows `after`."""
    setup, manifest = begun()

    class Failing:
        def page(self, page: Page) -> None:
            if page.number > after:
                raise error
            writer.page(page)

    with Writer(path, manifest, overwrite) as writer:
        setup.gamemaster([Failing()]).play()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_run_that_fails_in_its_first_round_leaves_nothing_behind(
    tmp_path: Path, error: type[BaseException]
) -> None:
    with pytest.raises(error):
        broken_off(tmp_path / "runs" / "a.run", error, after=0)
    assert list((tmp_path / "runs").iterdir()) == []


def test_an_overwriting_run_that_fails_in_its_first_round_leaves_the_old_one(keep: Keep) -> None:
    path = keep().path
    old = path.read_bytes()
    with pytest.raises(ValueError):  # noqa: PT011 - the error of the test itself
        broken_off(path, ValueError, after=0, overwrite=True)
    assert path.read_bytes() == old
    assert [file.name for file in path.parent.iterdir()] == ["a.run"]


@pytest.mark.thorough
def test_overwriting_replaces_a_killed_run_and_all_that_lay_beside_it(
    tmp_path: Path, reading: Reading
) -> None:
    path = tmp_path / "a.run"
    killed_at(3, path)
    assert Path(f"{path}-wal").exists()
    setup, manifest = begun()
    with Writer(path, manifest, overwrite=True) as writer:
        outcome = setup.gamemaster([writer]).play()
    assert reading(path).outcome() == outcome
    assert [file.name for file in tmp_path.iterdir()] == ["a.run"]


def test_a_run_from_a_running_event_loop_is_recorded_too(tmp_path: Path) -> None:
    async def notebook() -> None:
        setup, manifest = begun()
        with Writer(tmp_path / "a.run", manifest) as writer:
            setup.gamemaster([writer]).play()

    asyncio.run(notebook())
    assert committed(tmp_path / "a.run") == 12


# What cannot be written


def refusal(path: Path, overwrite: bool = False) -> str:
    """Return the error of Writer about a path."""
    _, manifest = begun()
    with pytest.raises(FileError) as refused:
        Writer(path, manifest, overwrite)
    return str(refused.value)


def test_an_existing_file_is_replaced_only_when_asked(keep: Keep) -> None:
    path = keep().path
    assert refusal(path) == (
        f"{path} already exists; name another --out, or replace it with --overwrite"
    )


def test_only_run_files_are_ever_overwritten(tmp_path: Path) -> None:
    notes = tmp_path / "thesis.txt"
    notes.write_text("three years of work")
    assert "is not a run file, and only run files are overwritten" in refusal(notes, overwrite=True)
    assert notes.read_text() == "three years of work"


def test_a_run_that_is_being_written_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    setup, manifest = begun()
    with Writer(path, manifest) as writer:
        setup.gamemaster([writer]).play()
        assert "is being written right now" in refusal(path, overwrite=True)


def test_a_folder_or_a_path_through_a_file_is_refused(tmp_path: Path) -> None:
    assert f"{tmp_path} is a folder; name a file" in refusal(tmp_path)
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "a.run", tmp_path / "file" / "deeper" / "a.run"):
        assert refusal(path) == (
            f"cannot write {path}: {path.parent} is not a folder; name another --out"
        )
    assert "File name too long" in refusal(tmp_path / ("a" * 300))


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "Permission denied" in refusal(tmp_path / "a.run")
    assert "Permission denied" in refusal(tmp_path / "new" / "a.run")


def test_what_is_neither_number_nor_text_cannot_be_kept(keep: Keep) -> None:
    friends = np.full((4, 6), None, object)
    friends[1, 2] = {"Ann", "Bob"}
    with pytest.raises(PartError, match=r"round 1 cannot be written .* must hold numbers or text"):
        keep(told=lambda page: page._replace(public={"friends": friends}))


def test_folders_are_made(tmp_path: Path) -> None:
    setup, manifest = begun()
    with Writer(tmp_path / "deep" / "down" / "a.run", manifest) as writer:
        setup.gamemaster([writer]).play()
    assert committed(tmp_path / "deep" / "down" / "a.run") == 12


FULL_DISK = PLAYING.replace(
    "import sys\n",
    "import resource, sys\nresource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))\n",
)


@pytest.mark.skipif(os.name == "nt", reason="sizes of files cannot be limited")
def test_a_full_disk_is_said_and_costs_nothing_that_was_committed(tmp_path: Path) -> None:
    words = [sys.executable, "-c", FULL_DISK, str(tmp_path / "a.run")]
    told = subprocess.run(words, capture_output=True, text=True)
    assert "society.errors.Paused: cannot write round" in told.stderr
    assert committed(tmp_path / "a.run") == int(told.stdout.split()[-1])


# What cannot be read


def alter(path: Path, sql: str) -> None:
    """Change a file behind the back of the program."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(sql)
    connection.close()


def complaint(path: Path) -> str:
    """Return the error of a reader about a file."""
    with pytest.raises(RunFileError) as refused:
        open_run_file(path)
    return str(refused.value)


def test_what_is_no_run_file_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    assert "there is no file" in complaint(path)
    assert "is a folder" in complaint(tmp_path)
    path.write_text("effort: 0.5\n")
    assert "is not a run file" in complaint(path)
    path.write_bytes(b"")
    assert "is cut off after 0 bytes" in complaint(path)
    path.unlink()
    alter(path, "CREATE TABLE rounds (round)")
    assert "is an SQLite database, but not a run file" in complaint(path)


def test_a_file_of_another_format_is_refused_with_both_versions(keep: Keep) -> None:
    path = keep().path
    alter(path, "PRAGMA user_version = 7")
    assert "is a run file of format 7, and this program reads formats 2 to 4" in complaint(path)


def test_a_stray_wal_is_not_taken_for_part_of_the_run(keep: Keep) -> None:
    path = keep().path
    Path(f"{path}-wal").write_bytes(b"left behind by another program")
    assert complaint(path) == (
        f"{path}-wal does not belong to {path}, which is complete without it; "
        f"remove {path}-wal and try again"
    )


def cuts(path: Path, count: int) -> Iterator[int]:
    """Lengths to cut a file to: some spread over it, some near its beginning and its end."""
    size = path.stat().st_size
    lengths = {*np.linspace(0, size - 1, count, dtype=int).tolist(), 1, 15, 16, 99, 100, 101}
    return iter(sorted(lengths | {size - 1, size - 4096, size - 4097}))


def test_a_truncated_file_is_refused_at_any_length(keep: Keep) -> None:
    path = keep().path
    whole = path.read_bytes()
    for length in cuts(path, 60):
        path.write_bytes(whole[:length])
        assert "cut off" in complaint(path)


def still_running(folder: Path) -> Path:
    """A copy of a file in the midst of its run, part of which is in its -wal."""
    setup, manifest = begun()
    copies: list[Path] = []

    class Copying:
        def page(self, page: Page) -> None:
            writer.page(page)
            if page.number == 8:
                copies.append(copied(folder / "writing.run", folder / "copy"))

    with Writer(folder / "writing.run", manifest) as writer:
        setup.gamemaster([Copying()]).play()
    return copies[0]


def test_a_truncated_wal_shows_the_rounds_that_were_whole(tmp_path: Path) -> None:
    path = still_running(tmp_path)
    wal = Path(f"{path}-wal")
    whole, shown = wal.read_bytes(), []
    for length in cuts(wal, 60):
        wal.write_bytes(whole[:length])
        Path(f"{path}-shm").unlink(missing_ok=True)
        shown.append(committed(path))
    assert shown == sorted(shown)
    assert set(shown) == {1, 2, 3, 4, 5, 6, 7}


def test_a_truncated_file_beside_its_wal_shows_all_rounds_or_is_refused(tmp_path: Path) -> None:
    path = still_running(tmp_path)
    whole, refused = path.read_bytes(), 0
    for length in cuts(path, 60):
        path.write_bytes(whole[:length])
        Path(f"{path}-shm").unlink(missing_ok=True)
        try:
            assert committed(path) == 8
        except RunFileError:
            refused += 1
    assert refused > 0


def test_damage_to_a_round_is_named_and_the_rounds_before_it_can_be_read(keep: Keep) -> None:
    path = keep().path
    alter(path, "UPDATE rounds SET lines = x'00' WHERE round = 7")
    with open_run_file(path) as run:
        with pytest.raises(RunFileError, match="round 7 cannot be read"):
            list(run.pages())
        pages = run.pages()
        assert [next(pages).number for _ in range(7)] == [0, 1, 2, 3, 4, 5, 6]


def test_a_damaged_manifest_or_status_is_refused(keep: Keep) -> None:
    changes = {
        "manifest": "UPDATE manifest SET value = '8' WHERE key = 'seed'",
        "status": "UPDATE status SET status = 'paused'",
    }
    for name, change in changes.items():
        path = keep(name=name).path
        alter(path, change)
        assert f"the {name} cannot be read (its checksum does not match)" in complaint(path)
