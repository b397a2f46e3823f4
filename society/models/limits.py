"""How fast a provider is asked: one limiter for each model and server in this process.

At most so many calls are under way at once, and attempts start evenly: the next one not before

    t + 60 / requests_per_minute     and     t + 60 n / tokens_per_minute

if the last one starts at t and takes n tokens. n is estimated first and put right afterwards. All
runs of the process share these counts, from whatever thread and event loop they come, and each call
is held to the bounds of its own settings.
Source: ITU-T I.371, generic cell rate algorithm (in its form of virtual scheduling).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress

from society.errors import Paused

from .breaker import Breaker
from .settings import ModelSpec

_LEARNT = 0.1  # weight of the newest reply in what replies usually take

Sleep = Callable[[float], Awaitable[None]]


class _Waiting:
    """Somebody who waits for a place."""

    def __init__(self, bound: int) -> None:
        self.bound, self.admitted = bound, False
        self.loop = asyncio.get_running_loop()
        self.called = self.loop.create_future()

    def call(self) -> None:
        """Wake, from any thread; raises RuntimeError if the event loop is gone."""
        self.loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if not self.called.done():
            self.called.set_result(None)


class Limiter:
    """Of one model on one server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.breaker = clock, Breaker(clock)
        self._lock = threading.Lock()
        self._inside = 0
        self._queue: deque[_Waiting] = deque()
        self._next_request = self._next_token = self._rest = -float("inf")
        self._usual: float | None = None  # tokens of a reply

    async def enter(self, bound: int) -> None:
        """Wait for one of `bound` places; `leave` gives it back."""
        with self._lock:
            if self._inside < bound and not self._queue:
                self._inside += 1
                return
            waiting = _Waiting(bound)
            self._queue.append(waiting)
        try:
            await waiting.called
        except BaseException:
            with self._lock:
                if waiting.admitted:
                    self._inside -= 1
                    self._admit()
                else:
                    self._queue.remove(waiting)
            raise

    def leave(self) -> None:
        """Give a place back."""
        with self._lock:
            self._inside -= 1
            self._admit()

    def _admit(self) -> None:
        while self._queue and self._inside < self._queue[0].bound:
            waiting = self._queue.popleft()
            with suppress(RuntimeError):  # its run is gone, and its place with it
                waiting.call()
                waiting.admitted = True
                self._inside += 1

    async def pace(self, spec: ModelSpec, prompt: int, room: int, sleep: Sleep) -> float:
        """Wait until the next attempt may start; gives the tokens that it is taken to need.

        prompt: its tokens, about. room: tokens of the reply at most. Raises Paused if the provider
        wants to rest for longer than a call may take.
        """
        with self._lock:
            need = prompt + min(room, room if self._usual is None else self._usual)
            start = self._start(spec, need)
        while (wait := max(start, self._rest) - self.clock()) > 0:
            if (rest := self._rest - self.clock()) > spec.deadline:
                raise Paused(f"{spec.model} wants to be left alone for {rest:.0f} s; resume then")
            await sleep(wait)
        return need

    def _start(self, spec: ModelSpec, need: float) -> float:
        start = self.clock()
        if spec.requests_per_minute:
            start = max(start, self._next_request)
        if spec.tokens_per_minute:
            start = max(start, self._next_token)
        self._next_request = start + 60 / (spec.requests_per_minute or float("inf"))
        self._next_token = start + 60 * need / (spec.tokens_per_minute or float("inf"))
        return start

    def used(self, spec: ModelSpec, need: float, tokens: tuple[int | None, int | None]) -> None:
        """Put right what `pace` took for granted. tokens: of the prompt, of the reply."""
        prompt, reply = tokens
        if prompt is None or reply is None:
            return
        with self._lock:
            usual = reply if self._usual is None else self._usual
            self._usual = usual + _LEARNT * (reply - usual)
            if spec.tokens_per_minute:
                self._next_token += 60 * (prompt + reply - need) / spec.tokens_per_minute

    def rest(self, seconds: float) -> None:
        """Nobody may start for so long: the provider has asked for it."""
        with self._lock:
            self._rest = max(self._rest, self.clock() + seconds)


_limiters: dict[tuple[str, str | None], Limiter] = {}
_lock = threading.Lock()


def limiter(spec: ModelSpec) -> Limiter:
    """The one for this model on this server."""
    with _lock:
        return _limiters.setdefault((spec.model, spec.api_base), Limiter())
