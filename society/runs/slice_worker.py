"""A process that plays a slice of the replicates, and sends its rounds to the one that started it.

It is forked from a process in which the society is built, so that nothing has to be sent to it, and
code of the user's need not be found again. It says what it does by messages, which are tuples:

    ("pages", lines, ended, slot, notes)   rounds are over; their arrays are in a slot
    ("waits", lines, ended)                none of its replicates runs: do others?
    ("warned", text, category, file, line) a warning, to be shown by its parent
    ("announced", words)                   answers of the user's rules that were cut
    ("over", outcome)                      it has played its last line
    ("stopped", reason)                    it cannot go on

and it hears ("entire", whether), before it sends rounds: does anybody look at all of them?
("free", slot), when nobody looks at a slot any more, and ("run", others).

Rounds that are short go together: to wake the parent for each would cost more than they do.
"""

from __future__ import annotations

import mmap
import os
import signal
import threading
import time
import warnings
from collections.abc import Sequence
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any, NamedTuple, NoReturn

from society.config.build import Society
from society.engine.array_digests import NEWEST_RULE
from society.engine.environment import Environment
from society.engine.gateway import ModelGateway
from society.engine.history import Page
from society.engine.rng import Array
from society.engine.slices import SliceProgress
from society.errors import PartError, SocietyError, show_place, user_place

from .chance_watch import chance_watch
from .shared_pages import PageNote, PageSender

_OFTEN = 0.02  # seconds after which rounds are sent
_MANY, _LARGE = 64, 2**22  # rounds that go together, and bytes of their arrays, at most


class SliceOrder(NamedTuple):
    """What a process is to play.

    env: of the whole. replicates: places of those that it plays. slots: of memory for its pages;
    free: those that it may write. known: how many of its pages were received before it was started.
    entire: whether all of a page is looked at; None: it will hear of that. fresh: whether the run
    begins here. others: ends of pipes that are none of its business.
    """

    setup: Society
    env: Environment
    replicates: Array
    slots: Sequence[mmap.mmap]
    free: list[int]
    known: int
    entire: bool | None
    fresh: bool
    pipe: Connection
    others: Sequence[Connection]


def play_slice(order: SliceOrder) -> None:
    """Play a slice in a process that was forked for it."""
    _leave_the_parent(order)
    worker = SliceWorker(order)
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


class SliceWorker:
    """Plays a slice; a recorder of its rounds."""

    def __init__(self, order: SliceOrder) -> None:
        self._order, self._pipe, self._free = order, order.pipe, list(order.free)
        self._progress = SliceProgress()
        self._chance = chance_watch(order.setup)
        self._others_run: bool | None = None
        self._entire = order.entire
        self._sender: PageSender | None = None
        self._slot: int | None = None  # that is being written, up to _end
        self._end, self._notes = 0, list[PageNote]()
        self._sent = time.monotonic()

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
                outcome = game.play()
            self._send()
            return "over", outcome
        except (BrokenPipeError, ConnectionResetError, EOFError):
            raise
        except BaseException as error:  # whatever it is, the parent meets it again
            self._send()
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
        self._send()
        self._pipe.send(("waits", progress.lines, progress.ended))
        self._others_run = None
        while self._others_run is None:
            self._hear()
        self._env.others_run = self._others_run

    def page(self, page: Page) -> None:
        """Write a round, as soon as there is a free slot; send those that wait for long enough.

        Raises PartError for chance that all replicates share: processes would repeat each other's.
        """
        for name in (name for watch in self._chance for name in watch.drawn()):
            raise PartError(f"something draws from {name}, which all replicates share")
        if page.number < self._order.known:
            return
        sender = self._sender or self._new_sender()
        while not self._free and self._slot is None:
            self._hear()
        if self._slot is None:
            self._slot = self._free.pop()
        memory = self._order.slots[self._slot]
        note, self._end = sender.write(page, memory, self._end)
        self._notes.append(note)
        # The first ones at once, so that there is a file.
        late = page.number <= 1 or time.monotonic() - self._sent > _OFTEN
        if late or len(self._notes) == _MANY or self._end > min(_LARGE, len(memory) // 2):
            self._send()

    def _new_sender(self) -> PageSender:
        while self._entire is None:
            self._hear()
        env = self._order.env
        blocks = env.replicates if env.digest_rule >= NEWEST_RULE else None
        self._sender = PageSender(blocks, entire=self._entire)
        return self._sender

    def _send(self) -> None:
        """Send the rounds that wait."""
        if self._notes:
            progress = self._progress
            said = progress.lines, progress.ended, self._slot, self._notes
            self._pipe.send(("pages", *said))
            self._slot, self._end, self._notes = None, 0, []
        self._sent = time.monotonic()

    def _hear(self) -> None:
        """Take in one message of the parent."""
        match self._pipe.recv():
            case "free", int(slot):
                self._free.append(slot)
            case "run", bool(others):
                self._others_run = others
            case "entire", bool(entire):
                self._entire = entire
