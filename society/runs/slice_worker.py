"""A process that plays a slice of the replicates, and sends its rounds to the one that started it.

It is forked from a process in which the society is built, so that nothing has to be sent to it, and
code of the user's need not be found again. It says what it does by messages, which are tuples:

    ("page", lines, ended, slot, note)     a round is over; its arrays are in a slot
    ("waits", lines, ended)                none of its replicates runs: do others?
    ("warned", text, category, file, line) a warning, to be shown by its parent
    ("announced", words)                   answers of the user's rules that were cut
    ("over", outcome)                      it has played its last line
    ("stopped", reason)                    it cannot go on

and it hears ("free", slot), when nobody looks at a slot any more, and ("run", others).
"""

from __future__ import annotations

import mmap
import os
import signal
import threading
import warnings
from collections.abc import Sequence
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, NoReturn

from society.config.build import Society
from society.engine.environment import Environment
from society.engine.gateway import ModelGateway
from society.engine.history import Page
from society.engine.rng import Array
from society.engine.slices import SliceProgress
from society.errors import PartError, SocietyError, show_place, user_place

from .chance_watch import chance_watch
from .shared_pages import write_page


class SliceOrder(NamedTuple):
    """What a process is to play.

    env: of the whole. replicates: places of those that it plays. slots: of memory for its pages;
    free: those that it may write. known: how many of its pages were received before it was started.
    fresh: whether the run begins here. others: ends of pipes that are none of its business.
    """

    setup: Society
    env: Environment
    replicates: Array
    slots: Sequence[mmap.mmap]
    free: list[int]
    known: int
    fresh: bool
    pipe: Connection
    others: Sequence[Connection]


def play_slice(order: SliceOrder) -> None:
    """Play a slice in a process that was forked for it."""
    _leave_the_parent(order)
    worker = _SliceWorker(order)
    try:
        message = worker.play()
    except (BrokenPipeError, ConnectionResetError, EOFError):  # nobody listens any more
        return
    order.pipe.send(message)


def _leave_the_parent(order: SliceOrder) -> None:
    """Let go of what belongs to the parent: its signals, its pipes; and end when it ends."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for pipe in order.others:
        pipe.close()
    threading.Thread(target=end_with_parent, daemon=True).start()


def end_with_parent() -> None:
    """Wait for the end of the parent, and end: a child of a killed process would wait for ever."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _reason(error: BaseException) -> str:
    """Describe what has stopped a slice, with its place in a file of the user's."""
    place = user_place(error)
    where = f"{show_place(*place)}: " if place else ""
    words = str(error) if isinstance(error, SocietyError) else f"{type(error).__name__}: {error}"
    return f"{where}{words}"


class _OutsideAsked(PartError):
    """A component has asked something outside, which is recorded by one process only."""


class _ClosedGateway(ModelGateway):
    """Refuses all that a run would have to record."""

    async def call(self, request: Any) -> NoReturn:
        raise _OutsideAsked("a component asks a model")

    async def answered(self, asked: Any, consult: Any) -> NoReturn:
        raise _OutsideAsked("a component asks somebody outside")

    def embedded(self, embedder: Any, texts: Any) -> NoReturn:
        raise _OutsideAsked("a component embeds texts")


class _SliceWorker:
    """Plays a slice; a recorder of its rounds."""

    def __init__(self, order: SliceOrder) -> None:
        self._order, self._pipe, self._free = order, order.pipe, list(order.free)
        self._progress = SliceProgress()
        self._chance = chance_watch(order.setup)
        self._others_run: bool | None = None

    def play(self) -> tuple[Any, ...]:
        """Play to the end; return the last message."""
        order = self._order
        try:
            game = order.setup.part_of_game(order.env, order.replicates, _ClosedGateway())
            game.in_parts, game.ready = True, self._ready
            game.recorders = [self]
            if order.fresh:
                game.announce = lambda words: self._pipe.send(("announced", words))
            self._env = game.env
            with warnings.catch_warnings():
                warnings.showwarning = self._warn  # type: ignore[assignment]
                return "over", game.play()
        except (BrokenPipeError, ConnectionResetError, EOFError):
            raise
        except BaseException as error:  # whatever it is, the parent meets it again
            return "stopped", _reason(error)

    def _warn(
        self, message: Any, category: type[Warning], filename: str, lineno: int, *_: object
    ) -> None:
        self._pipe.send(("warned", str(message), category, filename, lineno))

    async def _ready(self) -> None:
        """Return when the next line may be played."""
        progress = self._progress
        progress.begin_line(self._env)
        if progress.ended is None:
            return
        self._pipe.send(("waits", progress.lines, progress.ended))
        self._others_run = None
        while self._others_run is None:
            self._hear()
        self._env.others_run = self._others_run

    def page(self, page: Page) -> None:
        """Send a round, as soon as there is a free slot.

        Raises PartError for chance that all replicates share: processes would repeat each other's.
        """
        for name in (name for watch in self._chance for name in watch.drawn()):
            raise PartError(f"something draws from {name}, which all replicates share")
        if page.number < self._order.known:
            return
        while not self._free:
            self._hear()
        slot = self._free.pop()
        note = write_page(page, self._order.slots[slot])
        progress = self._progress
        self._pipe.send(("page", progress.lines, progress.ended, slot, note))

    def _hear(self) -> None:
        """Take in one message of the parent."""
        match self._pipe.recv():
            case "free", int(slot):
                self._free.append(slot)
            case "run", bool(others):
                self._others_run = others
