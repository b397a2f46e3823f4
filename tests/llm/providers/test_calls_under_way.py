"""What becomes of calls without a reply, seen from outside while a real server is slow or fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from society.engine.calls import Request
from society.engine.cancellation import CancellationToken
from society.llm.providers.calls_under_way import CallsUnderWay, CallUnderWay
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import ModelSpec
from tests.llm.providers.conftest import at_once

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.llm.providers.conftest import Ask, Spec

pytestmark = pytest.mark.xdist_group("provider")
Seen = Sequence[CallUnderWay]


def until_seen(
    spec: ModelSpec, requests: Sequence[Request], sight: Callable[[Seen], bool]
) -> tuple[Seen, Seen]:
    """Ask until the calls under way are as wanted; return them, and those left in the end."""

    async def asking() -> tuple[Seen, Seen]:
        pool, token = ModelPool({"default": spec}), CancellationToken()
        calls: list[Awaitable[object]] = [pool.call(one, at_once, token) for one in requests]
        gathered = asyncio.gather(*calls)
        while not sight(seen := pool.under_way.all()):
            assert not gathered.done(), "it never came to that"
            await asyncio.sleep(0.001)
        await gathered
        await pool.close()
        return seen, pool.under_way.all()

    return asyncio.run(asking())


def states(calls: Seen) -> list[str]:
    return [call.state for call in calls]


def test_of_three_calls_to_a_model_that_takes_one_two_wait(
    provider: Provider, spec: Spec, ask: Ask
) -> None:
    provider.plan(latency=0.05)
    requests = [ask(f"I am {agent}", agent) for agent in range(3)]
    seen, left = until_seen(
        spec(concurrency=1), requests, lambda calls: states(calls) == ["sent", "waiting", "waiting"]
    )
    assert [call.request.address.agent for call in seen] == [0, 1, 2]
    assert left == []


def test_a_call_that_failed_says_why_and_when_it_is_repeated(
    provider: Provider, spec: Spec, ask: Ask
) -> None:
    provider.plan(script=["503", "ok"], complaint="the kettle boils")
    (call,), left = until_seen(
        spec(attempts=2, backoff=0.2), [ask()], lambda calls: states(calls) == ["retrying"]
    )
    assert "the kettle boils" in call.reason
    assert call.until is not None
    assert 0 <= call.until - call.since <= 0.2
    assert left == []


def test_a_provider_that_asks_for_a_pause_holds_back_the_others(
    provider: Provider, spec: Spec, ask: Ask
) -> None:
    provider.plan(script=["429", "ok"], retry_after=0.2)
    requests = [ask(f"I am {agent}", agent) for agent in range(2)]
    seen, left = until_seen(
        spec(attempts=2, concurrency=1), requests, lambda calls: "held back" in states(calls)
    )
    held = next(call for call in seen if call.state == "held back")
    assert held.reason.endswith("asked for a pause")
    assert left == []


def test_the_users_own_limit_holds_back_too(provider: Provider, spec: Spec, ask: Ask) -> None:
    requests = [ask(f"I am {agent}", agent) for agent in range(2)]
    seen, left = until_seen(
        spec(requests_per_minute=600), requests, lambda calls: states(calls)[-1:] == ["held back"]
    )
    assert seen[-1].reason == "requests or tokens per minute"
    assert left == []


def test_a_call_that_ends_in_an_error_is_not_under_way_any_more(ask: Ask) -> None:
    calls = CallsUnderWay()
    with suppress(ZeroDivisionError), calls.of(ask()):
        assert states(calls.all()) == ["waiting"]
        print(1 / 0)
    assert calls.all() == []
