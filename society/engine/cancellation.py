"""Stopping a run: no more calls go out, and whoever waits for a turn ends at once.

All such waits pass here, so that it is also known when nobody is left who could ask anything.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from society.errors import Paused


class CancellationToken:
    """The token that stops one run; it goes along with each call, in one event loop.

    jobs: tasks that may ask models, without those that only wait for other jobs.
    """

    def __init__(self) -> None:
        self.reason: BaseException | None = None
        self.jobs = set[asyncio.Task[Any] | None]()
        # In order of their beginning; with the task that waits for somebody else.
        self._waits: dict[asyncio.Future[None], asyncio.Task[Any] | None] = {}

    def cancel(self, reason: BaseException) -> None:
        """Stop the run; the first reason stays."""
        if self.reason is None:
            self.reason = reason
            for wait in self._waits:
                if not wait.done():
                    wait.set_result(None)

    @property
    def all_wait(self) -> bool:
        """True if each job waits for somebody else: for a reply, or for what others set aside."""
        return self.jobs <= {task for wait, task in self._waits.items() if not wait.done()}

    def check(self) -> None:
        """Raise Paused if the run was stopped."""
        if self.reason is not None:
            raise Paused("the run was stopped") from self.reason

    async def wait_for(self, wait: asyncio.Future[None]) -> None:
        """Returns when the future is done; raises Paused as soon as the run is stopped."""
        await self._heed(wait, asyncio.current_task())

    async def _heed(self, wait: asyncio.Future[None], task: asyncio.Task[Any] | None) -> None:
        self.check()
        self._waits[wait] = task
        try:
            await wait
        finally:
            del self._waits[wait]
        self.check()

    async def sleep(self, seconds: float) -> None:
        """Sleep; raises Paused as soon as the run is stopped."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._heed(asyncio.get_running_loop().create_future(), None)
