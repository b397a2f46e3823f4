"""The calls of a run that have no reply yet, and what becomes of each; for views of a run.

waiting    for a place among the calls that a model may answer at once, for the budget, or for the
           reply to an identical question
held back  by a rate limit, the user's or the provider's
sent       to the model, which has not replied
retrying   after an attempt that failed
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, NamedTuple

from society.engine.calls import Address, Request

CallState = Literal["waiting", "held back", "sent", "retrying"]


class CallUnderWay(NamedTuple):
    """One call; since: when it came into this state, until: when it leaves it, if that is known.

    Both are seconds of `time.monotonic`. reason: why it is held back or tries again.
    """

    request: Request
    state: CallState
    since: float
    until: float | None = None
    reason: str = ""


class CallsUnderWay:
    """The calls of one run; written in its event loop, read from any thread."""

    def __init__(self) -> None:
        self._calls: dict[Address, CallUnderWay] = {}

    @contextmanager
    def of(self, request: Request) -> Iterator[None]:
        """Count a call as under way until the block is left."""
        self.note(request, "waiting")
        try:
            yield
        finally:
            self._calls.pop(request.address, None)

    def note(
        self, request: Request, state: CallState, seconds: float | None = None, reason: str = ""
    ) -> None:
        """Note what becomes of a call; seconds: for which it stays so, if that is known."""
        now = time.monotonic()
        until = None if seconds is None else now + seconds
        self._calls[request.address] = CallUnderWay(request, state, now, until, reason)

    def all(self) -> list[CallUnderWay]:
        """Return the calls under way, in the order in which they began."""
        return [*self._calls.values()]
