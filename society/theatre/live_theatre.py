"""The theatre on a run that is still being written: it shows new rounds as they come.

Whoever looks at the last round is taken along; whoever has stepped back, or reads something, stays.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from textual.events import Key as KeyPressed

from society.errors import RunFileError
from society.terminal.console import TerminalStyle

from .app import Theatre
from .following import Follower
from .history import History
from .keys import QUIT
from .live_run import Doing, LiveRun
from .view import View

_OFTEN = 0.25  # seconds between two looks at the file
_SPARING = 5  # times as long as a look takes: reading must not take the machine from the run

Wish = Literal["leave", "stop"]


class LiveTheatre(Theatre):
    """A run that is looked at while it is written.

    doing: tells what it does at this moment. stoppable: whether the one who looks can stop it;
    `wish` then tells, at the end, whether to. gone: whether there is nothing to wait for any more.
    """

    def __init__(
        self,
        follower: Follower,
        view: View,
        style: TerminalStyle,
        *,
        second: History | None = None,
        doing: Callable[[], Doing] = Doing,
        stoppable: bool = False,
        gone: Callable[[], bool] = lambda: False,
    ) -> None:
        super().__init__(follower.history, view, style, second)
        self._follower, self._doing, self._gone = follower, doing, gone
        self._stoppable, self._asking = stoppable, False
        self.wish: Wish = "leave"

    def on_mount(self) -> None:
        """Begin to follow; leave at SIGTERM, so that the terminal is usable afterwards."""
        with suppress(NotImplementedError, RuntimeError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.exit)
        self._follow()

    def on_key(self, event: KeyPressed) -> None:
        """Turn a key into the next view; leaving a run that goes on takes a second one."""
        running = self.view.live is not None and self.view.live.status == "running"
        if not (self._stoppable and running) or self.view.typing:
            super().on_key(event)
            return
        if event.key == "ctrl+c" or (self._asking and event.key == "s"):
            self.wish = "stop"
            self.exit(self.view)
        elif self._asking and event.key == "v":
            self.exit(self.view)
        elif not self._asking and event.key in QUIT.names:
            self._ask(asking=True)
        elif self._asking:
            self._ask(asking=False)
        else:
            super().on_key(event)
            return
        event.stop()
        event.prevent_default()

    def _ask(self, *, asking: bool) -> None:
        self._asking = asking
        words = "The run goes on. s: stop it, to be resumed. v: close the view only. Esc: neither."
        self.look(replace(self.view, note=words if asking else ""))

    def _follow(self) -> None:
        """Take in what is new, and look again a little later."""
        began = time.monotonic()
        view, before = self.view, self.view.live
        history = self._follower.history
        last = history.last
        try:
            progress = self._follower.look()
        except RunFileError as error:
            if self._gone():  # what became of the run is told on the normal screen
                self.exit(self.view)
                return
            view = self._without_file(error)
        else:
            busy = view.screens or view.event or view.playing or self.front is not history
            if view.round == last < history.last and not busy:
                view = view.at(history, history.last)
            view = replace(view, live=LiveRun(history.run.path, *progress, self._doing()))
        if view != self.view:
            self.look(view)
            history.run.let_go()
        if before is not None and self._gone() and view.live and view.live.status == "interrupted":
            self.exit(self.view)
            return
        took = time.monotonic() - began
        self.set_timer(max(_OFTEN, _SPARING * took), self._follow)

    def _without_file(self, error: RunFileError) -> View:
        """Return the view of a run whose file cannot be read: it may go on, and be rescued."""
        view, live = self.view, self.view.live
        note = view.note if self._asking else str(error)
        doing = live and live._replace(doing=self._doing())
        return replace(view, note=note, live=doing)


def open_live_theatre(
    follower: Follower, view: View, encoding: str, second: History | None = None
) -> None:
    """Open the theatre on a run that may still be written, until it is left.

    Raises RunFileError where the file is damaged.
    """
    LiveTheatre(follower, view, TerminalStyle(encoding, 80), second=second).show_until_left()
