"""Attempts start evenly, rest when the provider asks for it, and keep out of a dead provider."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest

from society.engine.cancellation import CancellationToken
from society.errors import Paused
from society.llm.providers.rate_limits import Breaker, Limiter, shared_limiter
from society.llm.providers.settings import ModelSpec


class Clock:
    """A clock that moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def starts(limited: Limiter, clock: Clock, spec: ModelSpec, *prompts: int) -> list[float]:
    """Return the times of attempts with prompts of so many tokens and replies of at most 100."""

    async def pace() -> Iterator[float]:
        begun = []
        for prompt in prompts:
            await limited.pace(spec, 7, prompt, 100, clock.sleep)
            begun.append(clock.now - 100)
        return iter(begun)

    return [*asyncio.run(pace())]


def test_without_bounds_nobody_waits(clock: Clock) -> None:
    assert starts(Limiter(clock), clock, ModelSpec(), 10, 10, 10) == [0, 0, 0]


def test_thirty_requests_a_minute_start_every_other_second(clock: Clock) -> None:
    spec = ModelSpec(requests_per_minute=30)
    assert starts(Limiter(clock), clock, spec, 10, 10, 10, 10) == [0, 2, 4, 6]


def test_six_thousand_tokens_a_minute_are_a_hundred_a_second(clock: Clock) -> None:
    """The first attempt takes 100 + 100 tokens, the second 400 + 100."""
    spec = ModelSpec(tokens_per_minute=6000)
    assert starts(Limiter(clock), clock, spec, 100, 400, 0) == [0, 2, 7]


def test_what_was_really_used_counts_instead_of_what_was_taken_for_granted(clock: Clock) -> None:
    limited, spec = Limiter(clock), ModelSpec(tokens_per_minute=6000)
    assert starts(limited, clock, spec, 100) == [0]
    limited.used(spec, 200, (100, 50))
    assert starts(limited, clock, spec, 100) == [1.5], "of which replies now take 50, not 100"
    assert starts(limited, clock, spec, 100) == [3.0]


def test_tokens_that_nobody_counted_change_nothing(clock: Clock) -> None:
    limited, spec = Limiter(clock), ModelSpec(tokens_per_minute=6000)
    assert starts(limited, clock, spec, 100) == [0]
    limited.used(spec, 200, (None, None))
    assert starts(limited, clock, spec, 100) == [2]


def test_each_call_is_held_to_the_bounds_of_its_own_settings(clock: Clock) -> None:
    """The counts are shared: a slow run makes room for itself in a fast one."""
    limited = Limiter(clock)
    slow, fast = ModelSpec(requests_per_minute=6), ModelSpec(requests_per_minute=60)
    assert starts(limited, clock, slow, 0) == [0]
    assert starts(limited, clock, fast, 0) == [10]
    assert starts(limited, clock, slow, 0) == [11]


def test_calls_without_bounds_leave_the_pace_of_the_others_alone(clock: Clock) -> None:
    """Two names of one model: six requests a minute, and as many as there are."""
    limited, slow, free = Limiter(clock), ModelSpec(requests_per_minute=6), ModelSpec()
    begun = [
        (name, *starts(limited, clock, spec, 0))
        for _ in range(3)
        for name, spec in (("slow", slow), ("free", free), ("free", free))
    ]
    assert [start for name, start in begun if name == "slow"] == [0, 10, 20]
    assert [start for name, start in begun if name == "free"] == [0, 0, 10, 10, 20, 20]


def test_a_bound_of_requests_leaves_the_pace_of_tokens_alone_and_the_other_way_round(
    clock: Clock,
) -> None:
    """600 tokens a minute: an attempt of 100 tokens every ten seconds."""
    limited = Limiter(clock)
    requests, tokens = ModelSpec(requests_per_minute=60), ModelSpec(tokens_per_minute=600)
    assert starts(limited, clock, tokens, 0) == [0]
    assert starts(limited, clock, requests, 0, 0, 0) == [0, 1, 2]
    assert starts(limited, clock, tokens, 0) == [10]
    assert starts(limited, clock, requests, 0) == [10]


def test_a_provider_that_asks_for_rest_gets_it_from_all(clock: Clock) -> None:
    limited = Limiter(clock)
    limited.rest(30)
    limited.rest(5)
    assert [int(start) for start in starts(limited, clock, ModelSpec(), 10, 10)] == [30, 30]


def test_after_a_rest_each_call_starts_at_a_moment_of_its_own(clock: Clock) -> None:
    """Within `backoff`, and never too early."""

    async def start(call: int) -> float:
        own = Clock()
        limited = Limiter(own)
        limited.rest(30)
        await limited.pace(ModelSpec(backoff=2.0), call, 0, 0, own.sleep)
        return own.now - 100

    begun = [asyncio.run(start(call)) for call in range(50)]
    assert len(set(begun)) == 50
    assert all(30 <= one < 32 for one in begun)
    assert max(begun) - min(begun) > 1.5


def test_after_a_short_rest_calls_are_not_delayed_for_long(clock: Clock) -> None:
    """Or those who wait would be overtaken by the next short rest, and by the next."""
    limited = Limiter(clock)
    limited.rest(0.1)
    [start] = starts(limited, clock, ModelSpec(backoff=60.0), 0)
    assert 0.1 <= start < 0.2


def test_a_failure_for_which_nobody_asks_to_rest_delays_nobody(clock: Clock) -> None:
    limited = Limiter(clock)
    limited.rest(0)
    assert starts(limited, clock, ModelSpec(backoff=60.0), 0) == [0]


def test_a_rest_that_is_long_over_delays_nobody(clock: Clock) -> None:
    limited = Limiter(clock)
    limited.rest(30)
    clock.now += 31
    assert starts(limited, clock, ModelSpec(backoff=1.0), 0) == [31]


def test_rest_is_taken_by_those_who_wait_already(clock: Clock) -> None:
    """A second one waits for its start at 2; when it wakes, the provider wants peace until 20."""
    limited, spec = Limiter(clock), ModelSpec(requests_per_minute=30)

    async def sleep(seconds: float) -> None:
        if clock.now == 100.0:
            limited.rest(20)
        await clock.sleep(seconds)

    async def pace() -> None:
        await limited.pace(spec, 1, 0, 0, clock.sleep)
        await limited.pace(spec, 2, 0, 0, sleep)

    asyncio.run(pace())
    assert 120 <= clock.now < 121


def test_a_rest_beyond_the_deadline_pauses_the_run(clock: Clock) -> None:
    limited = Limiter(clock)
    limited.rest(3600)
    with pytest.raises(Paused, match="asks for a pause of 3600 s"):
        starts(limited, clock, ModelSpec(deadline=600.0), 0)


def test_one_model_on_one_server_has_one_limiter() -> None:
    spec = ModelSpec(model="m", api_base="http://one:1/v1")
    assert shared_limiter(spec) is shared_limiter(spec.model_copy(update={"temperature": 1.0}))
    assert shared_limiter(spec) is not shared_limiter(
        spec.model_copy(update={"api_base": "http://two:1/v1"})
    )
    assert shared_limiter(spec) is not shared_limiter(spec.model_copy(update={"model": "n"}))


def test_places_are_given_in_the_order_of_asking() -> None:
    async def order() -> list[int]:
        limited, token, entered = Limiter(), CancellationToken(), []

        async def one(number: int) -> None:
            await limited.enter(2, token)
            entered.append(number)
            await asyncio.sleep(0)
            limited.leave(2)

        await asyncio.gather(*map(one, range(7)))
        return entered

    assert asyncio.run(order()) == [0, 1, 2, 3, 4, 5, 6]


def test_who_gives_up_waiting_takes_no_place() -> None:
    """Two wait for the only place; the first gives up, once before and once after it is called."""

    async def entered(*, called: bool) -> bool:
        limited, token = Limiter(), CancellationToken()
        await limited.enter(1, token)
        first, second = (asyncio.create_task(limited.enter(1, token)) for _ in range(2))
        await asyncio.sleep(0)
        if called:
            limited.leave(1)  # the place is the first one's now, who has not woken yet
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        if not called:
            limited.leave(1)
        await asyncio.wait_for(second, 5)
        return first.cancelled()

    assert asyncio.run(entered(called=False))
    assert asyncio.run(entered(called=True))


def test_who_is_bound_to_one_call_does_not_hold_up_those_who_are_not() -> None:
    """Two names of one model: one may have one call under way, the other three."""

    async def order() -> list[str]:
        limited, token, entered = Limiter(), CancellationToken(), list[str]()

        async def one(name: str, bound: int) -> None:
            await limited.enter(bound, token)
            entered.append(name)

        await one("single 1", 1)
        tasks = [
            asyncio.create_task(one(name, 1 if "single" in name else 3))
            for name in ("single 2", "free 1", "free 2", "free 3")
        ]
        await asyncio.sleep(0)
        limited.leave(3)
        await asyncio.sleep(0)
        limited.leave(1)
        await asyncio.gather(*tasks)
        return entered

    assert asyncio.run(order()) == ["single 1", "free 1", "free 2", "free 3", "single 2"]


def test_those_who_are_not_bound_to_one_call_do_not_keep_out_the_one_who_is() -> None:
    """All three places are taken, and there are more who wait: the single one has its turn."""

    async def order() -> list[str]:
        limited, token, entered = Limiter(), CancellationToken(), list[str]()

        async def one(name: str, bound: int) -> None:
            await limited.enter(bound, token)
            entered.append(name)
            await asyncio.sleep(0)
            limited.leave(bound)

        names = ["a", "b", "c", "single", "d", "e"]
        await asyncio.gather(*(one(name, 1 if name == "single" else 3) for name in names))
        return entered

    assert asyncio.run(order()) == ["a", "b", "c", "single", "d", "e"]


def test_a_run_that_was_stopped_gives_its_places_back() -> None:
    """Of two that wait one is called, and has not woken yet; a third, of another run, comes in."""

    async def entered() -> list[bool]:
        limited, token = Limiter(), CancellationToken()
        await limited.enter(1, token)
        waiting = [asyncio.create_task(limited.enter(1, token)) for _ in range(2)]
        await asyncio.sleep(0)
        limited.leave(1)
        token.cancel(KeyboardInterrupt())
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        await limited.enter(1, CancellationToken())
        return [isinstance(end, Paused) for end in ends]

    assert asyncio.run(entered()) == [True, True]


def test_places_are_shared_between_threads() -> None:
    limited, lock = Limiter(), threading.Lock()
    inside, most = 0, 0

    async def work() -> None:
        nonlocal inside, most
        await limited.enter(3, CancellationToken())
        with lock:
            inside += 1
            most = max(most, inside)
        await asyncio.sleep(0.001)
        with lock:
            inside -= 1
        limited.leave(3)

    async def many() -> None:
        await asyncio.gather(*(work() for _ in range(30)))

    threads = [threading.Thread(target=lambda: asyncio.run(many())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (inside, most) == (0, 3)


def failing(breaker: Breaker, clock: Clock, calls: range, every: float) -> None:
    """Attempts of these calls that fail, one after the other."""
    for call in calls:
        breaker.failed(call, clock.now, "HTTP 503: overloaded")
        clock.now += every


def is_open(breaker: Breaker) -> bool:
    """Check whether a breaker keeps calls from their host."""
    try:
        breaker.check("host")
    except Paused:
        return True
    return False


def test_ten_calls_that_fail_in_a_row_open_the_breaker(clock: Clock) -> None:
    breaker = Breaker(clock)
    failing(breaker, clock, range(9), every=1.0)
    assert not is_open(breaker)
    failing(breaker, clock, range(9, 10), every=1.0)
    with pytest.raises(Paused, match=r"host is down: 10 calls .*; last: HTTP 503: .*resume later"):
        breaker.check("host")


def test_one_call_that_fails_often_does_not_open_it(clock: Clock) -> None:
    """It may be its own fault."""
    breaker = Breaker(clock)
    for _ in range(20):
        failing(breaker, clock, range(1), every=1.0)
    assert not is_open(breaker)


def test_a_hiccup_does_not_open_it(clock: Clock) -> None:
    """A hundred calls fail within the same second: that is what retries are for."""
    breaker = Breaker(clock)
    failing(breaker, clock, range(100), every=0.01)
    assert not is_open(breaker)


def test_an_answer_in_between_begins_the_count_anew(clock: Clock) -> None:
    breaker = Breaker(clock)
    failing(breaker, clock, range(9), every=1.0)
    breaker.answered()
    failing(breaker, clock, range(9, 18), every=1.0)
    assert not is_open(breaker)


def test_what_hung_while_others_were_answered_says_nothing(clock: Clock) -> None:
    """A fifth of all attempts hang; they all fail in the end, after the answers."""
    breaker, began = Breaker(clock), clock.now
    clock.now += 1
    breaker.answered()
    for call in range(50):
        clock.now += 1
        breaker.failed(call, began, "no answer within 60 s")
    assert not is_open(breaker)


def test_after_half_a_minute_one_may_try_and_its_answer_closes_the_breaker(clock: Clock) -> None:
    breaker = Breaker(clock)
    failing(breaker, clock, range(10), every=1.0)
    clock.now += 30
    breaker.check("host")
    with pytest.raises(Paused):
        breaker.check("host")
    breaker.answered()
    breaker.check("host")


def test_a_failure_of_the_one_that_tried_keeps_it_open(clock: Clock) -> None:
    breaker = Breaker(clock)
    failing(breaker, clock, range(10), every=1.0)
    clock.now += 30
    breaker.check("host")
    failing(breaker, clock, range(10, 11), every=1.0)
    with pytest.raises(Paused):
        breaker.check("host")
