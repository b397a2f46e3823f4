"""A circuit breaker: nobody hammers at a provider that is down.

closed -> open, after ten different calls failed one after the other, over five seconds or more
open -> half-open, after thirty seconds: one call may try
half-open -> closed if it is answered, else open again
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from society.errors import Paused

_FAILURES = 10  # different calls
_SPAN = 5.0  # seconds between the first of them and the last: a hiccup is for retries
_REST = 30.0  # seconds until one may try


class Breaker:
    """Of one provider; may be used from several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._calls: set[int] = set()  # that failed since the last answer
        self._since = 0.0  # the first of these failures
        self._answered = -float("inf")
        self._opened: float | None = None
        self._words = ""

    def check(self, host: str) -> None:
        """Raises Paused while nobody should try."""
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
