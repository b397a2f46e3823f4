"""A circuit breaker: nobody hammers at a provider that is down.

closed -> open, after ten different calls failed one after the other, over five seconds or more
open -> half-open, after thirty seconds: one call may try
half-open -> closed if it is answered, else open again

How fast a provider is asked: one limiter for each model and server in this process.

Of the calls whose `concurrency` is c or less, at most c are under way at once. Attempts start
evenly: of those whose settings have such a bound, the next one not before

    t + 60 / requests_per_minute     and     t + 60 n / tokens_per_minute

if the last one starts at t and takes n tokens. n is estimated first and put right afterwards. All
runs of the process share these counts, from whatever thread and event loop they come, and each call
is held to the bounds of its own settings. After a rest that the provider has asked for, each call
waits for some time more of its own, up to the length of the rest and to `backoff`, or all would
start in the same moment.
Source: ITU-T I.371, generic cell rate algorithm (in its form of virtual scheduling).
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from itertools import count

from society.engine.cancellation import CancellationToken
from society.errors import Paused

from .retry import jitter
from .settings import ModelSpec

_FAILURES = 10  # different calls
_SPAN = 5.0  # seconds between the first of them and the last: a hiccup is for retries
_REST = 30.0  # seconds until one may try


class Breaker:
    """The circuit breaker of one provider; may be used from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._calls: set[int] = set()  # that failed since the last answer
        self._since = 0.0  # the first of these failures
        self._answered = -float("inf")
        self._opened: float | None = None
        self._words = ""

    def check(self, host: str) -> None:
        """Raise Paused while nobody should try."""
        with self._lock:
            if self._opened is None:
                return
            if self._clock() - self._opened < _REST:
                raise Paused(
                    f"{host} is down: {len(self._calls)} calls in a row went without an answer; "
                    f"last: {self._words}; resume later"
                )
            self._opened = self._clock()  # the others wait for what this one finds

    def failed(self, call: int, began: float, words: str) -> None:
        """An attempt of a call, begun at `began`, got no answer."""
        with self._lock:
            # What was sent before the last answer says nothing about now: when a fifth of a
            # thousand attempts hang, all of these fail in the same moment, after the others.
            if began < self._answered:
                return
            now = self._clock()
            self._since = self._since if self._calls else now
            self._calls.add(call)
            self._words = words
            if len(self._calls) >= _FAILURES and now - self._since >= _SPAN:
                self._opened = now

    def answered(self) -> None:
        """The provider is there."""
        with self._lock:
            self._answered = self._clock()
            self._opened = None
            self._calls.clear()


_LEARNT = 0.1  # weight of the newest reply in what replies usually take

Sleep = Callable[[float], Awaitable[None]]


class _Waiting:
    """A call that waits for a place."""

    def __init__(self, bound: int, number: int) -> None:
        self.bound, self.number, self.admitted = bound, number, False
        self.loop = asyncio.get_running_loop()
        self.called = self.loop.create_future()

    def call(self) -> None:
        """Wake, from any thread; raises RuntimeError if the event loop is gone."""
        self.loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        if not self.called.done():
            self.called.set_result(None)


class Limiter:
    """The limiter of one model on one server."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock, self.breaker = clock, Breaker(clock)
        self._lock = threading.Lock()
        self._inside: Counter[int] = Counter()  # calls, by bound
        self._queues: dict[int, deque[_Waiting]] = {}  # by bound, in the order of asking
        self._numbers = count()
        self._next_request = self._next_token = -float("inf")
        self._rest, self._asked = -float("inf"), 0.0  # the end of the last rest; its length
        self._usual: float | None = None  # tokens of a reply

    async def enter(self, bound: int, token: CancellationToken) -> None:
        """Wait for a place; `leave` gives it back. Raises Paused if the run is stopped meanwhile.

        bound: how many calls with this bound, or a lower one, may be under way.
        """
        with self._lock:
            # Whoever waits does not fit, so that nobody is overtaken who could go.
            if self._fits(bound):
                self._inside[bound] += 1
                return
            waiting = _Waiting(bound, next(self._numbers))
            self._queues.setdefault(bound, deque()).append(waiting)
        try:
            await token.wait_for(waiting.called)
        except BaseException:  # a cancelled call, too, must give up its place
            with self._lock:
                if not waiting.admitted:
                    self._queues[bound].remove(waiting)
            if waiting.admitted:
                self.leave(bound)
            raise

    def leave(self, bound: int) -> None:
        """Give a place back."""
        with self._lock:
            self._inside[bound] -= 1
            while fitting := [
                queue[0] for one, queue in self._queues.items() if queue and self._fits(one)
            ]:
                self._admit(min(fitting, key=lambda waiting: waiting.number))

    def _fits(self, bound: int) -> bool:
        """Tell if one more call with this bound may be under way."""
        if len(self._inside) <= 1 and bound in self._inside:  # nearly always
            return self._inside[bound] < bound
        return all(
            sum(calls for one, calls in self._inside.items() if one <= most) < most
            for most in {bound, *self._inside}
            if most >= bound
        )

    def _admit(self, waiting: _Waiting) -> None:
        self._queues[waiting.bound].popleft()
        with suppress(RuntimeError):  # its run is gone, and its place with it
            waiting.call()
            waiting.admitted = True
            self._inside[waiting.bound] += 1

    async def pace(self, spec: ModelSpec, call: int, prompt: int, room: int, sleep: Sleep) -> float:
        """Wait until the next attempt may start; gives the tokens that it is taken to need.

        call: its number. prompt: its tokens, about. room: tokens of the reply at most. Raises
        Paused if the provider wants to rest for longer than a call may take.
        """
        with self._lock:
            need = prompt + min(room, room if self._usual is None else self._usual)
            start = self._start(spec, need)
        while (wait := max(start, self._rested(spec, call)) - self.clock()) > 0:
            if (rest := self._rest - self.clock()) > spec.deadline:
                raise Paused(f"{spec.model} asks for a pause of {rest:.0f} s; resume then")
            await sleep(wait)
        return need

    def _start(self, spec: ModelSpec, need: float) -> float:
        start = self.clock()
        if spec.requests_per_minute:
            start = max(start, self._next_request)
        if spec.tokens_per_minute:
            start = max(start, self._next_token)
        # Who has no such bound leaves the pace of the others alone.
        if spec.requests_per_minute:
            self._next_request = start + 60 / spec.requests_per_minute
        if spec.tokens_per_minute:
            self._next_token = start + 60 * need / spec.tokens_per_minute
        return start

    def _rested(self, spec: ModelSpec, call: int) -> float:
        """Return the time at which the last rest is over for this call."""
        span = min(spec.backoff, self._asked)
        if self._rest + span <= self.clock():
            return self._rest
        return self._rest + jitter(span, call, 1)

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

    @property
    def resting(self) -> bool:
        """Whether the provider has asked for a pause that is not over."""
        return self._rest > self.clock()

    def rest(self, seconds: float) -> None:
        """Let no call start for so long: the provider has asked for it."""
        with self._lock:
            end = self.clock() + seconds
            if seconds > 0 and end > self._rest:
                self._rest, self._asked = end, seconds


_limiters: dict[tuple[str, str | None], Limiter] = {}
_lock = threading.Lock()


def shared_limiter(spec: ModelSpec) -> Limiter:
    """Return the limiter of this model on this server."""
    with _lock:
        return _limiters.setdefault((spec.model, spec.api_base), Limiter())
