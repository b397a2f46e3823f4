"""A run that was stopped ends all waiting at once."""

from __future__ import annotations

import asyncio
import time

import pytest

from society.engine.cancellation import CancellationToken
from society.errors import Paused


def test_who_sleeps_for_an_hour_wakes_at_once() -> None:
    async def slept() -> None:
        token = CancellationToken()
        sleeper = asyncio.create_task(token.sleep(3600))
        await asyncio.sleep(0)
        token.cancel(KeyboardInterrupt())
        await sleeper

    with pytest.raises(Paused, match="the run was stopped") as paused:
        asyncio.run(slept())
    assert isinstance(paused.value.__cause__, KeyboardInterrupt)


def test_who_waits_for_others_ends_too_and_the_first_reason_stays() -> None:
    async def waited() -> list[BaseException | None]:
        token = CancellationToken()
        waits = [asyncio.get_running_loop().create_future() for _ in range(3)]
        tasks = [asyncio.create_task(token.wait_for(wait)) for wait in waits]
        await asyncio.sleep(0)
        waits[0].set_result(None)  # it has what it waited for, but the run is over
        token.cancel(Paused("the disk is full"))
        token.cancel(Paused("the run was stopped"))
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        return [end.__cause__ for end in ends if isinstance(end, Paused)]

    assert [str(why) for why in asyncio.run(waited())] == ["the disk is full"] * 3


def test_nobody_begins_to_wait_afterwards() -> None:
    token = CancellationToken()
    token.check()
    token.cancel(Paused("the disk is full"))
    with pytest.raises(Paused, match="the run was stopped"):
        asyncio.run(token.sleep(3600))


def test_without_a_stop_sleep_is_only_sleep() -> None:
    began = time.monotonic()
    asyncio.run(CancellationToken().sleep(0.001))
    assert time.monotonic() - began >= 0.001
