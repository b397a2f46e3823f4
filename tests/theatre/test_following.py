"""Following a run file: new rounds appear, and its writer does not notice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from society.engine.history import Page
from society.errors import RunFileError
from society.runs.runfile import Manifest, Status, Writer, open_run_file
from society.runs.schema import SIDES, side_file
from society.terminal.console import TerminalStyle
from society.terminal.replay import followed_pages
from society.theatre.following import Follower, RunProgress
from society.theatre.history import History
from tests.child_processes import heed_interrupts

ROOT = Path(__file__).resolve().parents[2]
Writing = Callable[..., Writer]


@pytest.fixture
def writer(played: tuple[Manifest, list[Page]], tmp_path: Path) -> Iterator[Writer]:
    """A writer that has written two rounds, the one before the first included."""
    writer = Writer(tmp_path / "a.run", played[0])
    for page in played[1][:2]:
        writer.page(page)
    yield writer
    writer.close("failed")


@pytest.fixture
def follower(writer: Writer) -> Iterator[Follower]:
    with open_run_file(writer.path) as run:
        yield Follower(History(run))


def test_rounds_appear_as_they_are_written(
    played: tuple[Manifest, list[Page]], writer: Writer, follower: Follower
) -> None:
    assert follower.look() == RunProgress("running", 1)
    assert len(follower.history.course(0).common["stock"]) == 2
    for page in played[1][2:5]:
        writer.page(page)
    assert follower.look() == RunProgress("running", 4)
    assert follower.history.page(4).digest == played[1][4].digest
    assert len(follower.history.course(0).common["stock"]) == 5


def test_a_run_that_ends_becomes_a_single_file_though_it_is_followed(
    played: tuple[Manifest, list[Page]], writer: Writer, follower: Follower
) -> None:
    follower.look()
    for page in played[1][2:]:
        writer.page(page)
    writer.close("finished")
    assert [one for one in SIDES if side_file(writer.path, one).exists()] == []
    assert follower.look() == RunProgress("finished", 6)
    assert follower.history.page(6).digest == played[1][6].digest
    assert [one for one in SIDES if side_file(writer.path, one).exists()] == []


@pytest.mark.parametrize("status", ["interrupted", "paused", "failed"])
def test_a_run_that_stops_is_followed_when_it_is_resumed(
    status: Status, played: tuple[Manifest, list[Page]], writer: Writer, follower: Follower
) -> None:
    writer.close(status)
    assert follower.look() == RunProgress(status, 1)
    with open_run_file(writer.path) as run:
        again = Writer.resumed(run)
    assert follower.look() == RunProgress("running", 1)
    for page in played[1]:
        again.page(page)
    assert follower.look() == RunProgress("running", 6)
    again.close("finished")
    assert follower.look() == RunProgress("finished", 6)


def test_another_run_in_its_place_is_told(
    played: tuple[Manifest, list[Page]], writer: Writer, follower: Follower
) -> None:
    writer.close("finished")
    other = played[0].model_copy(update={"seed": 10})
    with Writer(writer.path, other, overwrite=True) as instead:
        for page in played[1][:2]:
            instead.page(page)
    with pytest.raises(RunFileError, match=r"a\.run holds another run by now; open it again"):
        follower.look()


def test_a_file_that_is_gone_is_told(writer: Writer, follower: Follower) -> None:
    writer.close("finished")
    writer.path.unlink()
    with pytest.raises(RunFileError, match="there is no file"):
        follower.look()


def begun(folder: Path, *words: str) -> subprocess.Popen[str]:
    """Begin a run of a second or more, in a process of its own."""
    (folder / "slow.py").write_text(
        "import time\nimport numpy as np\nfrom society import Component\n"
        "class Slow(Component):\n"
        "    answers = ('effort',)\n"
        "    def answer(self, ask, me):\n"
        "        time.sleep(0.02)\n"
        "        return np.full(len(me), 0.1)\n"
    )
    (folder / "a.yaml").write_text(
        "scenario: fishing_village\nrounds: 20\nagents: 4\nuses: [slow.py]\n"
        "parameters: {ends_on: horizon}\n"
        "cohorts: [{name: a, count: 4, replace: {harvest: slow}}]\n"
    )
    return subprocess.Popen(
        [sys.executable, "-m", "society", "run", "a.yaml", "--quiet", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    )


def appeared(file: Path) -> Follower:
    """Wait for a run file, and follow it."""
    until = time.monotonic() + 120
    while not file.exists():
        assert time.monotonic() < until, "the file never appeared"
        time.sleep(0.01)
    return Follower(History(open_run_file(file)))


@pytest.mark.thorough
def test_a_run_with_two_followers_has_the_digest_of_a_run_without(tmp_path: Path) -> None:
    seen: list[list[int]] = [[], []]
    with (
        begun(tmp_path, "--out", "alone.run") as alone,
        begun(tmp_path, "--out", "watched.run") as watched,
    ):
        first = appeared(tmp_path / "watched.run")
        followers = [first, Follower(History(open_run_file(tmp_path / "watched.run")))]

        def follow(number: int) -> None:
            status = "running"
            while status == "running":
                status, last = followers[number].look()
                seen[number].append(last)
                followers[number].history.page(last)
                time.sleep(0.005)

        threads = [threading.Thread(target=follow, args=(number,)) for number in (0, 1)]
        for thread in threads:
            thread.start()
        _, said = watched.communicate(timeout=60)
        for thread in threads:
            thread.join(10)
        assert alone.wait() == 0
    assert (watched.returncode, said) == (0, "")
    digests = set()
    for name in ("alone", "watched"):
        with open_run_file(tmp_path / f"{name}.run") as run:
            digests.add(run.standing.digest)
    assert len(digests) == 1
    for numbers in seen:
        assert numbers == sorted(numbers)
        assert numbers[-1] == 20
        assert len(set(numbers)) > 5  # it was followed, and not only seen at its end
    # The file is whole; while a follower still looks at it, an empty log may stay beside it.
    wal = tmp_path / "watched.run-wal"
    assert not wal.exists() or wal.stat().st_size == 0


@pytest.mark.thorough
def test_a_writer_that_is_killed_has_interrupted_the_run(tmp_path: Path) -> None:
    with begun(tmp_path, "--out", "a.run") as process:
        follower = appeared(tmp_path / "a.run")
        while follower.look().last < 3:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        status, last = follower.look()
    assert status == "interrupted"
    assert last >= 3
    assert follower.history.page(last).number == last


def test_a_run_in_the_middle_of_its_first_round_is_drawn(
    played: tuple[Manifest, list[Page]], tmp_path: Path
) -> None:
    from society.theatre.draw import draw
    from society.theatre.frame import Size
    from society.theatre.live_run import LiveRun
    from society.theatre.view import View

    writer = Writer(tmp_path / "b.run", played[0])
    writer.page(played[1][0])
    writer.call_store._publish()
    with open_run_file(writer.path) as run:
        history = History(run)
        view = View(live=LiveRun(run.path, "running", history.last))
        frame = draw(history, view, Size(80, 24), TerminalStyle("utf-8", 80))
    writer.close("failed")
    assert "Before the first round · 4 of 4 alive · ● live" in frame.plain


@pytest.mark.thorough
def test_as_text_a_run_is_followed_round_by_round_until_it_ends(tmp_path: Path) -> None:
    with begun(tmp_path, "--out", "a.run"):
        while not (tmp_path / "a.run").exists():
            time.sleep(0.01)
        words = [sys.executable, "-m", "society", "replay", "a.run", "--plain", "--follow"]
        surroundings = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen(
            words,
            cwd=tmp_path,
            env=surroundings,
            stdout=subprocess.PIPE,
            text=True,
        ) as follower:
            said, _ = follower.communicate(timeout=60)
    titles = [line for line in said.splitlines() if line.startswith("── Round")]
    assert [title.split()[2] for title in titles] == [str(number) for number in range(1, 21)]
    assert said.rstrip().endswith("The end, after 20 of 20 rounds.")
    assert [one.name for one in tmp_path.glob("a.run*")] == ["a.run"]


def test_rounds_that_are_written_while_one_reads_come_next(
    played: tuple[Manifest, list[Page]], writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = iter(played[1][2:])

    def write_one(seconds: float) -> None:
        page = next(later, None)
        if page is None:
            writer.close("interrupted")
        else:
            writer.page(page)

    monkeypatch.setattr("society.terminal.replay.time.sleep", write_one)
    with open_run_file(writer.path) as run:
        assert [page.number for page in followed_pages(run, 1)] == [1, 2, 3, 4, 5, 6]
