"""The theatre on a run that is being written, driven by keys and by its writer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from society.engine.history import Page
from society.runs.runfile import Manifest, RunFile, Writer, open_run_file
from society.terminal.console import TerminalStyle
from society.theatre.draw import draw
from society.theatre.following import Follower
from society.theatre.frame import Size
from society.theatre.history import History
from society.theatre.live_run import Doing, LiveClause
from society.theatre.live_theatre import LiveTheatre
from society.theatre.view import View
from tests.sweeps import all_but

Drive = Callable[[LiveTheatre, Callable[[str], Awaitable[None]]], Awaitable[None]]
ASKED = Doing(
    (LiveClause("5 calls"), LiveClause("1 call to be repeated in 3 s: HTTP 429", wrong=True)),
    (LiveClause("villager 0: vote, again in 3 s: HTTP 429", wrong=True),),
)


@pytest.fixture
def writer(played: tuple[Manifest, list[Page]], tmp_path: Path) -> Iterator[Writer]:
    """A writer that has written the round before the first, and two more."""
    writer = Writer(tmp_path / "a.run", played[0])
    for page in played[1][:3]:
        writer.page(page)
    yield writer
    writer.close("failed")


@pytest.fixture
def run(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunFile]:
    """Its file, which is looked at often."""
    monkeypatch.setattr("society.theatre.live_theatre._OFTEN", 0.005)
    with open_run_file(writer.path) as run:
        yield run


def driven(
    run: RunFile,
    drive: Drive,
    *,
    doing: Doing = ASKED,
    stoppable: bool = True,
    gone: Callable[[], bool] = lambda: False,
) -> LiveTheatre:
    """Open the theatre at the last round, and do something with it."""
    history = History(run)
    theatre = LiveTheatre(
        Follower(history),
        View(round=history.last),
        TerminalStyle("utf-8", 80),
        doing=lambda: doing,
        stoppable=stoppable,
        gone=gone,
    )

    async def open_it() -> None:
        async with theatre.run_test(size=(100, 40)) as pilot:

            async def press(key: str) -> None:
                await pilot.press(key)

            await drive(theatre, press)

    asyncio.run(open_it())
    return theatre


async def until(sight: Callable[[], bool]) -> None:
    """Wait until it is so."""
    async with asyncio.timeout(10):
        while not sight():
            await asyncio.sleep(0.005)


def frame_of(theatre: LiveTheatre) -> str:
    view = theatre.view
    return draw(theatre.history, view, Size(100, 40), TerminalStyle("utf-8", 100)).plain


def test_whoever_looks_at_the_last_round_is_taken_along(
    played: tuple[Manifest, list[Page]], writer: Writer, run: RunFile
) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await until(lambda: theatre.view.live is not None)
        assert theatre.view.round == 2
        writer.page(played[1][3])
        await until(lambda: theatre.view.round == 3)
        title = frame_of(theatre).splitlines()[0]
        assert title.endswith("round 3 of 6 · 4 of 4 alive · ● live")

    driven(run, drive)


def test_whoever_has_stepped_back_stays_and_is_told_until_end_is_pressed(
    played: tuple[Manifest, list[Page]], writer: Writer, run: RunFile
) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await press("left")
        for page in played[1][3:5]:
            writer.page(page)
        await until(lambda: theatre.view.live is not None and theatre.view.live.last == 4)
        assert theatre.view.round == 1
        assert "● live, 3 rounds on: End" in frame_of(theatre)
        await press("end")
        assert theatre.view.round == 4
        writer.page(played[1][5])
        await until(lambda: theatre.view.round == 5)

    driven(run, drive)


def test_whoever_reads_another_screen_stays(
    played: tuple[Manifest, list[Page]], writer: Writer, run: RunFile
) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await press("question_mark")
        writer.page(played[1][3])
        await until(lambda: theatre.view.live is not None and theatre.view.live.last == 3)
        assert theatre.view.round == 2

    driven(run, drive)


def test_the_end_of_the_run_is_told_and_its_last_round_stays(
    played: tuple[Manifest, list[Page]], writer: Writer, run: RunFile
) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        for page in played[1][3:]:
            writer.page(page)
        writer.close("finished")
        await until(lambda: theatre.view.live is not None and theatre.view.live.status != "running")
        frame = frame_of(theatre)
        assert frame.splitlines()[0].endswith("alive · finished")
        assert "5 calls" not in frame
        await press("q")
        assert not theatre.is_running

    driven(run, drive)


def test_what_the_run_does_stands_above_the_line_of_keys(run: RunFile) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await until(lambda: theatre.view.live is not None)
        assert frame_of(theatre).splitlines()[-7:-1] == [
            " 5 calls · 1 call to be repeated in 3 s: HTTP 429",
            "   villager 0: vote, again in 3 s: HTTP 429",
            *[""] * 4,
        ]

    driven(run, drive)


LEFT, STOPPED = (["q", "v"], "leave", False), (["q", "s"], "stop", False)
OTHER_KEYS = [
    (["q"], "leave", True),
    (["q", "escape"], "leave", True),
    (["q", "x"], "leave", True),
    (["ctrl+c"], "stop", False),
    (["s"], "leave", True),
]


@pytest.mark.parametrize(
    ("keys", "wish", "open_still"),
    all_but([LEFT, STOPPED], [LEFT, STOPPED, *OTHER_KEYS]),
)
def test_leaving_a_run_that_goes_on_asks_whether_to_stop_it(
    keys: list[str], wish: str, open_still: bool, run: RunFile
) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await until(lambda: theatre.view.live is not None)
        for key in keys:
            await press(key)
        assert theatre.is_running == open_still
        if open_still:
            assert ("s: stop it" in frame_of(theatre)) == (keys == ["q"])

    assert driven(run, drive).wish == wish


def test_a_run_of_another_process_is_left_without_a_question(run: RunFile) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await until(lambda: theatre.view.live is not None)
        await press("q")
        assert not theatre.is_running

    driven(run, drive, stoppable=False)


def test_a_theatre_whose_run_was_interrupted_closes(writer: Writer, run: RunFile) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await until(lambda: theatre.view.live is not None)
        writer.close("interrupted")
        await until(lambda: not theatre.is_running)

    driven(run, drive, gone=lambda: True)


def test_a_file_that_goes_away_is_told_and_what_was_seen_stays(
    writer: Writer, run: RunFile
) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await until(lambda: theatre.view.live is not None)
        writer.close("finished")
        writer.path.unlink()
        await until(lambda: "there is no file" in theatre.view.note)
        assert theatre.view.round == 2

    driven(run, drive)


def test_the_question_whether_to_stop_a_run_is_seen_when_its_file_has_gone(
    writer: Writer, run: RunFile
) -> None:
    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await until(lambda: theatre.view.live is not None)
        writer.path.unlink()
        await until(lambda: "there is no file" in theatre.view.note)
        assert "5 calls" in frame_of(theatre)  # the run may go on
        await press("q")
        await asyncio.sleep(0.05)
        assert "s: stop it" in frame_of(theatre)

    driven(run, drive)


def test_a_theatre_closes_when_the_run_is_over_and_its_file_has_gone(
    writer: Writer, run: RunFile
) -> None:
    over: list[bool] = []

    async def drive(theatre: LiveTheatre, press: Callable[[str], Awaitable[None]]) -> None:
        await until(lambda: theatre.view.live is not None)
        writer.path.unlink()
        await until(lambda: "there is no file" in theatre.view.note)
        assert theatre.is_running
        over.append(True)
        await until(lambda: not theatre.is_running)

    driven(run, drive, gone=lambda: bool(over))
