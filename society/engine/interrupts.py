"""Interrupts that take effect even if code of a user's never comes to an end.

The event loop heeds an interrupt (Ctrl-C, SIGTERM) when it comes round: then calls under way may
still end. Code in an endless loop keeps it from coming round. It gets an exception instead, again
if it catches that; and a process in which nothing helps is left at once. In each case all that was
committed is kept, as after kill -9, and the run can be resumed.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import FrameType
from typing import Any, TypeVar

T = TypeVar("T")
Handler = Callable[[int, FrameType | None], Any]

PATIENCE = 2.0  # seconds in which the loop may come round
_TRIES = 4  # exceptions, one after the other, before the process is left
_INTERRUPTED = 130


class EscalatingHandler:
    """A handler of interrupts that insists: `calm` handles one; a stuck loop gets exceptions.

    An alarm tells, since a thread would not get its turn from code that is stuck in a library.
    Systems without one have to do without.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, calm: Handler) -> None:
        self._loop, self._calm = loop, calm
        self._before: Any = None  # the handler of alarms, while ours is in its place
        self._rings = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle an interrupt."""
        if self._rings == 0 and self._before is None and hasattr(signal, "setitimer"):
            self._before = signal.signal(signal.SIGALRM, self._ring)
            signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)
            self._loop.call_soon_threadsafe(self.end)
        self._calm(number, frame)

    def end(self) -> None:
        """Stop insisting: the loop has come round, or is over."""
        if self._before is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._before)
            self._before = None

    def _ring(self, number: int, frame: FrameType | None) -> None:
        self._rings += 1
        if self._rings <= _TRIES:
            raise KeyboardInterrupt
        words = "society: interrupted; the code being played does not stop, and is left at once"
        print(words, file=sys.stderr, flush=True)
        os._exit(_INTERRUPTED)


_threads: dict[int, tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = {}  # by their number


def interrupt_thread(number: int) -> None:
    """Interrupt what a thread runs by `run_interruptible`, from another thread; it ends in time."""
    with suppress(KeyError, RuntimeError):  # it has ended meanwhile
        loop, task = _threads[number]
        loop.call_soon_threadsafe(task.cancel)


async def _cancellable(job: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine so that `interrupt_thread` finds it."""
    number, task = threading.get_ident(), asyncio.current_task()
    assert task is not None
    _threads[number] = asyncio.get_running_loop(), task
    try:
        return await job
    finally:
        del _threads[number]


def run_interruptible(job: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in an event loop of its own; an interrupt ends it, stuck or not."""
    if threading.current_thread() is not threading.main_thread():
        return asyncio.run(_cancellable(job))

    async def run_with_handler() -> T:
        calm = signal.getsignal(signal.SIGINT)
        if not callable(calm) or calm is signal.default_int_handler:
            return await job  # somebody else decides about interrupts
        insistent = EscalatingHandler(asyncio.get_running_loop(), calm)
        signal.signal(signal.SIGINT, insistent)
        try:
            return await job
        finally:
            insistent.end()
            signal.signal(signal.SIGINT, calm)

    return asyncio.run(run_with_handler())
