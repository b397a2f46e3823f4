"""Stopping a run: no more calls go out, and whoever waits for a turn ends at once."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from society.errors import Paused


class CancellationToken:
    """The token that stops one run; it goes along with each call, in one event loop."""

    def __init__(self) -> None:
        self.reason: BaseException | None = None
        self._waits: dict[asyncio.Future[None], None] = {}  # in order of their beginning

    def cancel(self, reason: BaseException) -> None:
        """Stop the run; the first reason stays."""
        if self.reason is None:
            self.reason = reason
            for wait in self._waits:
                if not wait.done():
                    wait.set_result(None)

    def check(self) -> None:
        """Raise Paused if the run was stopped."""
        if self.reason is not None:
            raise Paused("the run was stopped") from self.reason

    async def wait_for(self, wait: asyncio.Future[None]) -> None:
        """Returns when the future is done; raises Paused as soon as the run is stopped."""
        self.check()
        self._waits[wait] = None
        try:
            await wait
        finally:
            del self._waits[wait]
        self.check()

    async def sleep(self, seconds: float) -> None:
        """Sleep; raises Paused as soon as the run is stopped."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self.wait_for(asyncio.get_running_loop().create_future())
