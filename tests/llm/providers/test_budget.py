"""Hard stops are never exceeded, however many calls are under way, and count over all sessions."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from society.engine.calls import Completion, Spent
from society.engine.cancellation import CancellationToken
from society.errors import Exhausted, InputError, Paused
from society.llm.providers.budget import Budget, Use
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import Limits, ModelSpec

if TYPE_CHECKING:
    from tests.conftest import Provider
    from tests.llm.providers.conftest import Ask, Spec


async def at_once() -> None:
    """Do nothing: there is nothing to note before a call."""


def heard(pool: ModelPool, ask: Ask, count: int) -> tuple[list[Completion], list[Paused]]:
    """Make so many calls at once; return what is said, and who is paused."""

    async def all_of_them() -> list[Completion | BaseException]:
        token = CancellationToken()
        calls = (pool.call(ask(f"I am {agent}", agent), at_once, token) for agent in range(count))
        results = await asyncio.gather(*calls, return_exceptions=True)
        await pool.close()
        return results

    results = asyncio.run(all_of_them())
    said = [one for one in results if isinstance(one, Completion)]
    paused = [one for one in results if isinstance(one, Paused)]
    assert len(said) + len(paused) == count
    return said, paused


def tokens(said: list[Completion]) -> int:
    return sum((one.prompt_tokens or 0) + (one.completion_tokens or 0) for one in said)


@pytest.fixture
def server(provider: Provider, surroundings: pytest.MonkeyPatch) -> ModelSpec:
    """Settings that lead to the server."""
    return ModelSpec(model="budgeted", api_base=provider.url, max_tokens=40, backoff=0.001)


def test_calls_that_were_refused_when_the_limit_stopped_them_do_not_count(
    provider: Provider, server: ModelSpec, ask: Ask
) -> None:
    """A tenth waits to be tried again; whoever resumes the run may still ask them."""
    provider.plan(faults={"429": 0.3}, retry_after=30, seed=2)
    budget = Budget(Limits(max_calls=13), Spent())
    patient = server.model_copy(update={"model": "refusing"})
    said, paused = heard(ModelPool({"default": patient}, budget), ask, 40)
    refused = [one for one in paused if one.refused]
    assert len(said) + len(refused) == 13
    assert refused
    provider.plan()
    again, _ = heard(ModelPool({"default": server}, budget), ask, 40)
    assert len(said) + len(again) == 13


def test_calls_stop_exactly_at_their_limit(provider: Provider, server: ModelSpec, ask: Ask) -> None:
    provider.plan(latency=[0.0, 0.01])
    said, paused = heard(
        ModelPool({"default": server}, Budget(Limits(max_calls=13), Spent())), ask, 40
    )
    assert (len(said), len(paused)) == (13, 27)
    assert provider.stats()["count"] == 13
    assert str(paused[0]) == (
        "--max-calls: 13 of 13 used, and the next call may take 1; "
        "raise it with --max-calls N, or lift it with --max-calls none"
    )


def test_what_earlier_sittings_have_used_counts(
    provider: Provider, server: ModelSpec, ask: Ask
) -> None:
    pool = ModelPool({"default": server}, Budget(Limits(max_calls=13), Spent(calls=10)))
    said, _ = heard(pool, ask, 40)
    assert len(said) == 3


def test_retries_are_no_calls(provider: Provider, server: ModelSpec, ask: Ask) -> None:
    provider.plan(script=["500", "null"])
    said, paused = heard(
        ModelPool({"default": server}, Budget(Limits(max_calls=5), Spent())), ask, 5
    )
    assert [one.retries for one in said] == [2] * 5
    assert not paused
    assert provider.stats()["count"] == 15


def test_tokens_are_never_exceeded_and_nearly_used_up(
    provider: Provider, server: ModelSpec, ask: Ask
) -> None:
    """A call takes about 11 tokens, and up to 80 are set aside for it while it is under way."""
    provider.plan(latency=[0.0, 0.01])
    said, paused = heard(
        ModelPool({"default": server}, Budget(Limits(max_tokens=300), Spent())), ask, 60
    )
    assert 220 < tokens(said) <= 300
    assert paused


def test_dollars_are_never_exceeded(
    provider: Provider, surroundings: pytest.MonkeyPatch, ask: Ask
) -> None:
    """gpt-4o: 2.5 dollars for a million tokens of prompts, 10 of replies."""
    surroundings.setenv("OPENAI_BASE_URL", provider.url)
    spec = ModelSpec(model="openai/gpt-4o", max_tokens=40)
    said, paused = heard(
        ModelPool({"default": spec}, Budget(Limits(max_cost=0.002), Spent())), ask, 40
    )
    assert 0.0014 < sum(one.cost or 0 for one in said) <= 0.002
    assert "--max-cost: $0.00" in str(paused[0])


def test_usage_that_nobody_tells_is_taken_to_be_the_most(
    provider: Provider, server: ModelSpec, ask: Ask
) -> None:
    """16 for the frame, 16 for the message, 6 letters, and 40 for the reply: 78 each."""
    provider.plan(script=["silent"])
    said, _ = heard(
        ModelPool({"default": server}, Budget(Limits(max_tokens=78 * 3 + 77), Spent())), ask, 9
    )
    assert len(said) == 3


def test_who_does_not_fit_waits_for_those_under_way() -> None:
    """Of ten tokens seven are set aside; when three of these were enough, the second one fits."""

    async def order() -> list[str]:
        budget, told = Budget(Limits(max_tokens=10), Spent()), []

        async def second() -> None:
            await budget.hold(Use(1, 6), CancellationToken())
            told.append("second")

        await budget.hold(Use(1, 7), CancellationToken())
        waiting = asyncio.create_task(second())
        await asyncio.sleep(0)
        told.append("first")
        budget.settle(Use(1, 7), Use(1, 3))
        await waiting
        return told

    assert asyncio.run(order()) == ["first", "second"]


def test_of_many_who_wait_for_room_one_looks_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """300 wait for 300 under way, which end one after the other: some looks for each of them."""
    looks = 0
    look = Budget._excess

    def counted(budget: Budget, use: Use) -> str:
        nonlocal looks
        looks += 1
        return look(budget, use)

    monkeypatch.setattr(Budget, "_excess", counted)

    async def refused() -> int:
        budget, token = Budget(Limits(max_calls=300), Spent()), CancellationToken()
        for _ in range(300):
            await budget.hold(Use(1), token)
        waiting = [asyncio.create_task(budget.hold(Use(1), token)) for _ in range(300)]
        for _ in range(300):
            await asyncio.sleep(0)
            budget.settle(Use(1), Use(1))
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        return sum(isinstance(one, Exhausted) for one in ends)

    assert asyncio.run(refused()) == 300
    assert looks < 10 * 300


def test_who_is_woken_and_stopped_passes_it_on() -> None:
    async def order() -> bool:
        budget, stopped = Budget(Limits(max_calls=2), Spent()), CancellationToken()
        for _ in range(2):
            await budget.hold(Use(1), CancellationToken())
        first = asyncio.create_task(budget.hold(Use(1), stopped))
        second = asyncio.create_task(budget.hold(Use(1), CancellationToken()))
        await asyncio.sleep(0)
        budget.settle(Use(1), Use())  # wakes the first, which ends in the same moment
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await asyncio.wait_for(second, 60)
        return first.cancelled()

    assert asyncio.run(order())


def test_runs_that_share_a_budget_do_not_stop_each_other() -> None:
    """One run is stopped while it waits for room; the other one takes it."""

    async def order() -> list[str]:
        budget, told, stopped = Budget(Limits(max_tokens=10), Spent()), [], CancellationToken()

        async def waiting(run: str, token: CancellationToken) -> None:
            try:
                await budget.hold(Use(1, 6), token)
                told.append(f"{run} goes")
            except Paused:
                told.append(f"{run} ends")

        await budget.hold(Use(1, 7), CancellationToken())
        runs = [waiting("one", stopped), waiting("other", CancellationToken())]
        tasks = [asyncio.create_task(run) for run in runs]
        await asyncio.sleep(0)
        stopped.cancel(KeyboardInterrupt())
        await tasks[0]
        budget.settle(Use(1, 7), Use(1, 3))
        await tasks[1]
        return told

    assert asyncio.run(order()) == ["one ends", "other goes"]


def test_who_waits_for_room_in_a_budget_ends_with_the_run() -> None:
    async def waited() -> None:
        token = CancellationToken()
        budget = Budget(Limits(max_tokens=10), Spent())
        await budget.hold(Use(1, 7), token)
        waiting = asyncio.create_task(budget.hold(Use(1, 6), token))
        await asyncio.sleep(0)
        token.cancel(KeyboardInterrupt())
        await waiting

    with pytest.raises(Paused, match="the run was stopped"):
        asyncio.run(waited())


@pytest.mark.parametrize(
    ("fault", "billed"),
    [
        *((fault, True) for fault in ("cut", "truncated", "malformed", "hang", "504")),
        *((fault, False) for fault in ("500", "503", "429")),
    ],
)
def test_an_attempt_that_may_be_billed_is_taken_for_the_most(
    fault: str, billed: bool, provider: Provider, spec: Spec, ask: Ask
) -> None:
    """Each attempt takes 78 tokens at most, and the limit has no room for twice as many."""
    provider.plan(script=[fault], retry_after=0, hang=5)
    settings = spec(max_tokens=40, timeout=0.4 if fault == "hang" else 20.0)
    said, paused = heard(
        ModelPool({"default": settings}, Budget(Limits(max_tokens=2 * 78 - 1), Spent())), ask, 1
    )
    assert [len(said), len(paused)] == ([0, 1] if billed else [1, 0])
    if billed:
        assert str(paused[0]).startswith("--max-tokens: 78 of 155 used, and the next call may take")


def test_a_server_that_was_never_reached_bills_nothing(
    surroundings: pytest.MonkeyPatch, ask: Ask
) -> None:
    """Port 9 of this machine takes no connections; the limit has room for one attempt."""
    spec = ModelSpec(model="unreached", api_base="http://127.0.0.1:9/v1", max_tokens=40)
    spec = spec.model_copy(update={"attempts": 3, "backoff": 0.001})
    _, [paused] = heard(
        ModelPool({"default": spec}, Budget(Limits(max_tokens=78), Spent())), ask, 1
    )
    assert "did not answer after 3 attempts" in str(paused)


def test_empty_replies_of_a_call_that_ends_in_a_pause_are_counted(
    provider: Provider, server: ModelSpec, ask: Ask
) -> None:
    """Each of them takes 1 + 9 tokens; the third attempt does not fit any more."""
    provider.plan(script=["null", "null"])
    _, [paused] = heard(
        ModelPool({"default": server}, Budget(Limits(max_tokens=78 + 19), Spent())), ask, 1
    )
    assert str(paused).startswith("--max-tokens: 20 of 97 used, and the next call may take 78")


def test_a_cost_that_nobody_can_count_is_refused(provider: Provider, server: ModelSpec) -> None:
    pool = ModelPool({"default": server}, Budget(Limits(max_cost=1.0), Spent()))
    with pytest.raises(InputError, match=r"price of 'budgeted' is unknown; lift it with"):
        pool.check(["default"])
    pool = ModelPool({}, Budget(Limits(max_cost=1.0), Spent(3, 40, None)))
    with pytest.raises(InputError) as refused:
        pool.check(["default"])
    assert str(refused.value) == (
        "--max-cost cannot be kept: nobody knows what the run has cost so far; "
        "lift it with --max-cost none, and limit the run by --max-tokens or --max-calls"
    )
