"""Hard stops: the calls, tokens and dollars that runs may use, over all their sessions.

Before an attempt goes out, the most that it can use is set aside; afterwards what it did use is
counted instead. So a limit is never exceeded, however many calls are under way.
"""

from __future__ import annotations

import asyncio
import heapq
from itertools import count
from typing import NamedTuple

from society.engine.calls import Spent
from society.engine.cancellation import CancellationToken
from society.errors import Exhausted

from .settings import Limits


class Use(NamedTuple):
    """Calls, tokens, and US dollars."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def plus(self, other: Use) -> Use:
        calls, tokens, cost = other
        return Use(self.calls + calls, self.tokens + tokens, self.cost + cost)

    def minus(self, other: Use) -> Use:
        calls, tokens, cost = other
        return Use(self.calls - calls, self.tokens - tokens, self.cost - cost)


class Budget:
    """The budget of one run, or of several that share it; used in one event loop.

    known: what was spent before, whose cost may be unknown.
    """

    def __init__(self, limits: Limits, known: Spent) -> None:
        self.limits, self.known = limits, known
        self.limited = limits != Limits()
        self._spent = Use(known.calls, known.tokens, known.cost or 0.0)
        self._held = Use()
        self._flying = 0
        self._waits = list[tuple[int, asyncio.Future[None]]]()  # a heap, by who has asked first
        self._numbers = count()

    async def hold(self, most: Use, token: CancellationToken) -> None:
        """Set aside what an attempt can use at most; waits for others under way where that helps.

        Raises Exhausted if it does not fit, and Paused if the run, which `token` stops, is stopped
        meanwhile.
        """
        number = next(self._numbers)
        try:
            while self._excess(self._spent.plus(self._held).plus(most)):
                if excess := self._excess(self._spent.plus(most)):
                    raise Exhausted(self._words(excess, most))
                await self._wait(number, token)
            self._held = self._held.plus(most)
            self._flying += 1
        finally:
            self._wake_next()  # there may be room for another one, or none for anybody

    async def _wait(self, number: int, token: CancellationToken) -> None:
        """Wait until something has been settled; who has asked first is the first to look."""
        wait = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waits, (number, wait))
        try:
            await token.wait_for(wait)
        finally:
            wait.cancel()  # whoever has ended is passed over

    def _wake_next(self) -> None:
        """Wake one of those who wait: if all of thousands woke each time, they did little else."""
        while self._waits:
            _, wait = heapq.heappop(self._waits)
            if not wait.done():
                wait.set_result(None)
                return

    def settle(self, most: Use, used: Use) -> None:
        """Count what was really used instead of what was set aside."""
        # Nobody under way holds nothing: rounding must not let the next one wait for ever.
        self._held = self._held.minus(most) if self._flying > 1 else Use()
        self._spent = self._spent.plus(used)
        self._flying -= 1
        self._wake_next()

    def give_back(self, calls: int) -> None:
        """Stop counting calls that were refused and will not be answered."""
        self._spent = self._spent.minus(Use(calls))

    def _excess(self, use: Use) -> str:
        """The first limit that would be exceeded; "" if none."""
        for sort, amount in use._asdict().items():
            limit = getattr(self.limits, f"max_{sort}")
            if limit is not None and amount > limit:
                return sort
        return ""

    def _words(self, sort: str, most: Use) -> str:
        used, limit, need = (
            f"${amount:.4f}" if sort == "cost" else f"{amount}"
            for amount in (
                getattr(self._spent, sort),
                getattr(self.limits, f"max_{sort}"),
                getattr(most, sort),
            )
        )
        return (
            f"--max-{sort}: {used} of {limit} used, and the next call may take {need}; "
            f"raise it with --max-{sort} N, or lift it with --max-{sort} none"
        )
