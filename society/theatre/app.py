"""The theatre on a terminal: a thin driver that turns keys into views and draws them."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from textual.app import App, ComposeResult
from textual.events import Key as KeyPressed
from textual.events import Resize
from textual.geometry import Region
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

import society
from society.errors import InputError, SocietyError
from society.runs.runfile import RunFile, open_run_file
from society.terminal.console import TerminalStyle

from .draw import draw, draw_beside, scroll_within
from .forking import describe_fork, fork_path, fork_words
from .frame import Frame, Size
from .history import History
from .keys import QUIT, press
from .view import View

_WHILE_GATHERING = 0.2  # seconds until the next look at series and marks that are being gathered


class Board(Widget):
    """Shows a frame, and sends to the terminal only those pieces of lines that have changed."""

    DEFAULT_CSS = "Board { width: 100%; height: 100%; }"

    def __init__(self, draw_anew: Callable[[], None]) -> None:
        super().__init__()
        self._draw_anew = draw_anew
        self._strips: list[Strip] = []

    def on_resize(self, event: Resize) -> None:
        """Draw for the new size."""
        self._draw_anew()

    def show(self, frame: Frame) -> None:
        """Show a frame in place of the one before."""
        before = self._strips
        self._strips = [
            Strip(line.render(self.app.console), line.cell_len).simplify() for line in frame.lines
        ]
        if len(before) != len(self._strips):
            self.refresh()
            return
        both = zip(before, self._strips, strict=True)
        changed = [Region(0, place, changed_until(*lines), 1) for place, lines in enumerate(both)]
        changed = [region for region in changed if region]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        return self._strips[y] if y < len(self._strips) else Strip.blank(self.size.width)


def changed_until(old: Strip, new: Strip) -> int:
    """Return the number of cells up to the last one that has changed; 0 if none has."""
    if old.cell_length != new.cell_length:
        return max(old.cell_length, new.cell_length)
    same = takewhile(
        lambda pair: pair[0] == pair[1], zip(reversed(list(old)), reversed(list(new)), strict=False)
    )
    return new.cell_length - sum(piece.cell_length for piece, _ in same)


class Theatre(App[View]):
    """A run that is looked at, or two side by side; its result is the view at the end."""

    CSS = "Screen { background: ansi_default; overflow: hidden; }"
    ENABLE_COMMAND_PALETTE = False
    BINDINGS = []  # noqa: RUF012 - textual reads them from the class; keys are those of keys.py

    def __init__(
        self, history: History, view: View, style: TerminalStyle, second: History | None = None
    ) -> None:
        super().__init__(ansi_color=True)
        self.history, self.second, self.style = history, second, style
        self.view = replace(view, beside=second is not None)
        self.error: SocietyError | None = None
        self._timer: Timer | None = None
        self._again: Timer | None = None  # to the next look while series and marks are gathered
        self._shown = False
        self._forked: list[RunFile] = []  # each may be the first of two runs by now
        self._board = Board(lambda: self.look(self.view))

    @property
    def front(self) -> History:
        """The run that keys are about."""
        return self.second if self.second is not None and self.view.second else self.history

    @property
    def _histories(self) -> list[History]:
        """The runs on the screen."""
        return [self.history] if self.second is None else [self.history, self.second]

    def compose(self) -> ComposeResult:
        """Put the one widget that there is on the screen."""
        yield self._board

    def on_key(self, event: KeyPressed) -> None:
        """Turn a key into the next view."""
        event.stop()
        event.prevent_default()
        if event.key in QUIT.names and not self.view.typing:
            self.exit(self.view)
            return
        with self._leaving_if_damaged():
            view = press(self.front, self.view, event.key, event.character)
            size = Size(self.size.width, self.size.height)
            self.look(scroll_within(self.front, view, size, self.style))

    def on_unmount(self) -> None:
        """Stop what goes on in threads, and close the runs of forks."""
        for history in self._histories:
            history.close()
        for run in self._forked:
            run.close()

    def look(self, view: View) -> None:
        """Show a view, do what it asks for, and play on if it plays."""
        if view.asked == "fork":
            view = replace(view, note="forking: the other run will be shown beside this one")
            self.run_worker(self._fork(replace(view, asked="")), exclusive=True)
        if view.asked == "parting" and self.second is not None:
            view = part(self.history, self.second, view)
        before, self.view = self.view, replace(view, asked="")
        if before.second != view.second:
            self.view = self.view.on_other_run(self.front)
        if (before.playing, before.speed) != (view.playing, view.speed) or not self._shown:
            self._pace()
        self._show()

    def _pace(self) -> None:
        """Set the timer by which the history plays."""
        if self._timer is not None:
            self._timer.stop()
        playing = self.view.playing
        self._timer = self.set_interval(1 / self.view.speed, self._play_on) if playing else None

    def _show(self) -> None:
        """Draw the view for the size that the terminal has now."""
        size = Size(self.size.width, self.size.height)
        with self._leaving_if_damaged():
            waiting = [x for x in self._histories if self.view.replicate < x.manifest.replicates]
            for history in waiting:
                history.gather_behind(self.view.replicate)
            if self.second is None:
                frame = draw(self.history, self.view, size, self.style)
            else:
                frame = draw_beside(self.history, self.second, self.view, size, self.style)
            self._board.show(frame)
            self._shown = True
            if self._again is None and not all(x.ready(self.view.replicate) for x in waiting):
                self._again = self.set_timer(_WHILE_GATHERING, self._look_again)

    def _look_again(self) -> None:
        self._again = None
        self._show()

    @contextmanager
    def _leaving_if_damaged(self) -> Iterator[None]:
        """Leave the theatre if a run cannot be read any further; the error is told then."""
        try:
            yield
        except SocietyError as error:
            self.error = error
            self.exit(self.view)

    async def _fork(self, view: View) -> None:
        """Fork the run in a process of its own, and show the fork beside this run."""
        history, path = self.front, fork_path(self.front, view)
        said = "" if path.exists() else await run_society(*fork_words(history, view)[1:], "--quiet")
        try:
            forked = open_run_file(path)
            self._forked.append(forked)
            note = said or describe_fork(forked, history, view)
        except SocietyError as error:
            self.look(replace(self.view, note=said or str(error)))
            return
        for shown in self._histories:
            shown.close()
        self.history, self.second = history, History(forked)
        self.look(replace(view, beside=True, second=True, note=note))

    def show_until_left(self) -> None:
        """Take the terminal until one leaves.

        Raises RunFileError if the run cannot be read, SocietyError where the theatre broke.
        """
        # Without a mouse the terminal's own selection works, and so does copying a command.
        self.run(mouse=False)
        if self.error is not None:
            raise self.error
        refuse_broken(self)

    def _play_on(self) -> None:
        with self._leaving_if_damaged():
            self.look(self.view.play_on(self.front))


def refuse_broken(app: App[Any]) -> None:
    """Raise SocietyError if an app ended with an error, which Textual has printed."""
    if app.return_code:
        raise SocietyError("the theatre ended with the error above; --plain shows the same as text")


def part(first: History, second: History, view: View) -> View:
    """Go to the round in which two runs part; a note says how, or that they do not."""
    from society.analysis.histories.first_difference import first_difference

    names = ("the first run", "the second")
    try:
        found = first_difference(first.run, second.run, view.replicate, names)
    except InputError as error:
        return replace(view, note=str(error))
    if found is None:
        return replace(view, note="the two runs do not part as far as both have come")
    front = second if view.second else first
    return replace(view.at(front, found.round), note=found.words)


async def run_society(*words: str) -> str:
    """Run a command of ours without a terminal; return the last line that it said, if it failed."""
    here = {**os.environ, "PYTHONPATH": str(Path(society.__file__).parents[1])}
    # -P: a module of that name in the working directory is somebody else's.
    command = [sys.executable, "-P", "-m", "society", *words]
    process = await asyncio.create_subprocess_exec(
        *command, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, env=here
    )
    try:
        _, said = await process.communicate()
    except asyncio.CancelledError:  # the theatre was left: what has been played is kept
        process.terminate()
        await process.wait()
        raise
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1] if process.returncode and lines else ""


def open_theatre(
    history: History, view: View, encoding: str, second: History | None = None
) -> View:
    """Open the theatre on the terminal until it is left; return the last view.

    Raises RunFileError where the file is damaged.
    """
    app = Theatre(history, view, TerminalStyle(encoding, 80), second)
    app.show_until_left()
    return app.view
