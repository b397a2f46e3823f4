"""The theatre on a terminal: driven by textual's pilot, and by a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import fcntl
import os
import pty
import select
import shutil
import signal
import sqlite3
import struct
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from textual.strip import Strip

import society
from society.errors import RunFileError, SocietyError
from society.runs.runfile import open_run_file
from society.terminal.console import TerminalStyle
from society.theatre.app import Theatre, changed_until, run_society
from society.theatre.history import History
from society.theatre.keys import KEYS, QUIT
from society.theatre.view import View

UTF8 = TerminalStyle("utf-8", 80)


def played(
    history: History,
    *keys: str,
    size: tuple[int, int] = (80, 24),
    start: View | None = None,
    second: History | None = None,
) -> View:
    """Open the theatre, press keys, and return the view at the end."""

    async def drive() -> View:
        theatre = Theatre(history, start or View(), UTF8, second)
        async with theatre.run_test(size=size) as pilot:
            await pilot.press(*keys)
            return theatre.view

    return asyncio.run(drive())


def test_keys_reach_the_view(village: History) -> None:
    seen = played(village, "right", "right", "down", "question_mark")
    assert (seen.round, seen.agent, seen.screen) == (2, 0, "help")


# What each key does to the view in the middle of a history, where an agent is chosen.
EFFECTS: dict[str, Callable[[View, View], bool]] = {
    "space": lambda before, after: after.playing,
    "left": lambda before, after: after.round == before.round - 1,
    "right": lambda before, after: after.round == before.round + 1,
    "shift+left": lambda before, after: after.round == 0,
    "pageup": lambda before, after: after.round == 0,
    "shift+right": lambda before, after: after.round == 6,
    "pagedown": lambda before, after: after.round == 6,
    "home": lambda before, after: after.round == 0,
    "end": lambda before, after: after.round == 6,
    "n": lambda before, after: after.round > before.round,
    "N": lambda before, after: after.round < before.round,
    "p": lambda before, after: after.round < before.round,
    "down": lambda before, after: after.agent == 2,
    "up": lambda before, after: after.agent == 0,
    "tab": lambda before, after: after.pane == "events",
    "s": lambda before, after: after.sort != "",
    "S": lambda before, after: after.reverse,
    "slash": lambda before, after: after.typing == "find",
    "j": lambda before, after: after.typing == "jump",
    "colon": lambda before, after: after.typing == "jump",
    "F": lambda before, after: after.typing == "fork",
    "right_square_bracket": lambda before, after: after.lane != "",
    "left_square_bracket": lambda before, after: after.lane != "",
    "plus": lambda before, after: after.speed > before.speed,
    "equals_sign": lambda before, after: after.speed > before.speed,
    "minus": lambda before, after: after.speed < before.speed,
    "escape": lambda before, after: after.agent == -1,
    "backspace": lambda before, after: after.agent == -1,
    "question_mark": lambda before, after: after.screen == "help",
    "h": lambda before, after: after.screen == "help",
    "c": lambda before, after: after.second,
    "w": lambda before, after: "do not part" in after.note,
    "r": lambda before, after: after.replicate == 1,
    "R": lambda before, after: after.replicate == 1,
    "enter": lambda before, after: (after.screen, after.round) == ("", before.round),
    "g": lambda before, after: after.screen == "graph",
    "e": lambda before, after: after.screen == "eyes",
    # Of other screens: tests of the inspector press them there.
    "d": lambda before, after: after.screen == "",
    "shift+down": lambda before, after: after.top == 0,
    "shift+up": lambda before, after: after.top == 0,
    "f": lambda before, after: after.top == 0,
    "b": lambda before, after: after.top == 0,
    "shift+tab": lambda before, after: after.screen == "",
}
# Keys of runs with generations or types, which are tried in test_acts.py.
OF_ACTS = {"T", "m", "s", "d", "e", "full_stop", "comma"}


def test_every_key_has_an_effect_that_is_tested() -> None:
    named = {name for key in KEYS for name in key.names if not name.startswith("upper_")}
    assert named == set(EFFECTS) | OF_ACTS


@pytest.mark.parametrize("name", sorted(EFFECTS))
def test_a_key_does_what_it_says(name: str, pair: History) -> None:
    start = View(round=3, agent=1)
    if name == "enter":
        start = replace(start, screens=("found",), found="villager 2", origin=3)
    after = played(pair, name, start=start, second=pair)
    assert EFFECTS[name](start, after)


@pytest.mark.parametrize("name", QUIT.names)
def test_the_theatre_can_be_left(name: str, village: History) -> None:
    async def drive() -> bool:
        theatre = Theatre(village, View(), UTF8)
        async with theatre.run_test() as pilot:
            await pilot.press(name)
            return not theatre.is_running

    assert asyncio.run(drive())


def test_what_is_typed_may_hold_letters_that_are_keys(village: History) -> None:
    seen = played(village, "slash", "q", "n", "backspace")
    assert (seen.typing, seen.typed) == ("find", "q")


def test_a_history_plays_to_its_end(village: History) -> None:
    async def drive() -> View:
        theatre = Theatre(village, View(speed=20), UTF8)
        async with theatre.run_test() as pilot:
            await pilot.press("space")
            for _ in range(100):
                await pilot.pause(0.02)
                if not theatre.view.playing:
                    break
            return theatre.view

    seen = asyncio.run(drive())
    assert (seen.round, seen.playing) == (village.last, False)


def test_a_theatre_that_was_too_small_is_drawn_when_it_grows(village: History) -> None:
    async def drive() -> tuple[str, str]:
        theatre = Theatre(village, View(), UTF8)
        async with theatre.run_test(size=(40, 10)) as pilot:
            before = theatre.export_screenshot()
            await pilot.resize_terminal(80, 24)
            await pilot.pause()
            return before, theatre.export_screenshot()

    small, large = asyncio.run(drive())
    assert "needs" in small
    assert "needs" not in large
    assert "villager" in large


def test_only_the_changed_part_of_a_line_is_drawn_again() -> None:
    from rich.segment import Segment

    old = Strip([Segment("time "), Segment("1 of 9"), Segment(" alive")])
    new = Strip([Segment("time "), Segment("2 of 9"), Segment(" alive")])
    assert changed_until(old, new) == len("time 2 of 9")
    assert changed_until(new, new) == 0


@contextmanager
def terminal(words: list[str], width: int, height: int) -> Iterator[int]:
    """Run a command on a pseudo-terminal; yields its file descriptor."""
    child, handle = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(words[0], words)
    fcntl.ioctl(handle, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    try:
        yield handle
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(handle)


def read_until(handle: int, wanted: bytes, seconds: float = 120) -> bytes:
    """Read what is sent to a terminal until it holds some text."""
    found, end = b"", time.monotonic() + seconds
    while wanted not in found:
        if time.monotonic() > end:
            raise AssertionError(f"{wanted!r} never came; the end of it was {found[-500:]!r}")
        if select.select([handle], [], [], 0.1)[0]:
            try:
                found += os.read(handle, 65536)
            except OSError:  # the program has ended
                break
    return found


@pytest.mark.thorough
def test_replay_opens_the_theatre_on_a_real_terminal_and_leaves_it_clean(village: History) -> None:
    words = [sys.executable, "-m", "society", "replay", str(village.run.path)]
    with terminal(words, 80, 24) as handle:
        first = read_until(handle, b"quit")
        assert b"\x1b[?1049h" in first  # the other screen of the terminal
        os.write(handle, b"\x1b[C")
        read_until(handle, b"round 1 of 6")
        os.write(handle, b"q")
        last = read_until(handle, b"\x1b[?1049l")
    assert b"Traceback" not in last


@pytest.mark.thorough
def test_a_command_that_fails_is_told_in_its_last_line(village: History) -> None:
    assert asyncio.run(run_society("show", str(village.run.path))) == ""
    said = asyncio.run(run_society("show", "nothere.run"))
    assert said.startswith("society: there is no file nothere.run")


def test_a_damaged_run_is_left_with_its_error(thinkers: History, tmp_path: Path) -> None:
    path = tmp_path / "damaged.run"
    shutil.copy(thinkers.run.path, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE rounds SET lines = x'00' WHERE round = 3")
    with open_run_file(path) as run:

        async def drive() -> SocietyError | None:
            theatre = Theatre(History(run), View(), UTF8)
            async with theatre.run_test() as pilot:
                await pilot.press("end")
            return theatre.error

        error = asyncio.run(drive())
    assert isinstance(error, RunFileError)
    assert "round 3 cannot be read" in str(error)


def test_the_error_for_which_the_theatre_was_left_is_told(
    thinkers: History, monkeypatch: pytest.MonkeyPatch
) -> None:
    theatre = Theatre(thinkers, View(), UTF8)
    theatre.error = RunFileError("round 3 cannot be read")
    shown: list[bool] = []
    monkeypatch.setattr(theatre, "run", lambda mouse: shown.append(mouse))
    with pytest.raises(RunFileError, match="round 3 cannot be read"):
        theatre.show_until_left()
    assert shown == [False]  # without a mouse the terminal's own selection works


def test_a_theatre_that_breaks_is_no_success(
    thinkers: History, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def draw(*_: object) -> object:
        raise ZeroDivisionError("a frame of no width")

    monkeypatch.setattr("society.theatre.app.draw", draw)
    theatre = Theatre(thinkers, View(), UTF8)
    headless = partial(theatre.run, headless=True)
    monkeypatch.setattr(theatre, "run", headless)
    with pytest.raises(SocietyError, match="the theatre ended with the error above"):
        theatre.show_until_left()
    assert "a frame of no width" in capfd.readouterr().err


def test_the_other_run_is_looked_at_as_far_as_it_goes(pair: History, village: History) -> None:
    seen = played(pair, "end", "r", "c", second=village)
    assert (seen.second, seen.round, seen.replicate) == (True, village.last, 0)


def test_two_runs_are_shown_where_they_part(
    uneven: History, record: Callable[..., History]
) -> None:
    poor = {"population": "mixed", "wealth": 2, "consumption": 2.5}
    changes = {"agents": 4, "rounds": 6, "seed": 4, "replicates": 2, "parameters": poor}
    seen = played(uneven, "end", "w", second=record("fishing_village", changes))
    assert seen.round == 1
    assert seen.note.startswith("Round 1")


@pytest.mark.thorough
def test_a_fork_is_played_and_shown_beside_the_run(tmp_path: Path) -> None:
    society.run("fishing_village", seed=3, rounds=10, out=tmp_path / "lake.run")

    async def drive(history: History) -> tuple[View, History | None]:
        theatre = Theatre(history, View(round=4), UTF8)
        async with theatre.run_test(size=(160, 40)) as pilot:
            await pilot.press("F", *"fine=0", "enter", "enter")
            for _ in range(300):
                await pilot.pause(0.1)
                if theatre.second is not None or not theatre.view.note.startswith("forking"):
                    break
            assert theatre.second is not None, theatre.view.note
            return theatre.view, theatre.second

    with open_run_file(tmp_path / "lake.run") as run:
        view, fork = asyncio.run(drive(History(run)))
    assert fork is not None
    assert (view.beside, view.second, view.round) == (True, True, 4)
    assert fork.manifest.params["fine"] == 0
    assert (tmp_path / "lake-at-4-fine=0.run").exists()


@pytest.mark.thorough
def test_a_fork_that_is_shown_can_be_forked_in_turn(tmp_path: Path) -> None:
    society.run("fishing_village", seed=3, rounds=10, out=tmp_path / "lake.run")

    async def drive(history: History) -> tuple[str, str, int]:
        theatre = Theatre(history, View(round=4), UTF8)
        async with theatre.run_test(size=(160, 40)) as pilot:
            for change in ("fine=0", "growth=1"):
                before = theatre.second
                await pilot.press("F", *change, "enter", "enter")
                for _ in range(300):
                    await pilot.pause(0.1)
                    if theatre.second is not before or not theatre.view.note.startswith("forking"):
                        break
            await pilot.press("c", "end", "c", "end")
            assert theatre.second is not None, theatre.view.note
            names = theatre.history.run.path.name, theatre.second.run.path.name
            return *names, theatre.view.round

    with open_run_file(tmp_path / "lake.run") as run:
        seen = asyncio.run(drive(History(run)))
    assert seen == ("lake-at-4-fine=0.run", "lake-at-4-fine=0-at-4-growth=1.run", 10)
