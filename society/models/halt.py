"""How a run that was stopped ends the waiting of its calls: at once, wherever they wait."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from society.errors import Paused


class Halt:
    """Of one run; used in one event loop."""

    def __init__(self) -> None:
        self._why: BaseException | None = None
        self._waits: dict[asyncio.Future[None], None] = {}  # in order of their beginning

    def now(self, why: BaseException) -> None:
        """Stop the run; the first reason stays."""
        if self._why is None:
            self._why = why
            for wait in self._waits:
                if not wait.done():
                    wait.set_result(None)

    def check(self) -> None:
        """Raises Paused if the run was stopped."""
        if self._why is not None:
            raise Paused("the run was stopped") from self._why

    async def over(self, wait: asyncio.Future[None]) -> None:
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
                await self.over(asyncio.get_running_loop().create_future())
