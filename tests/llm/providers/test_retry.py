"""One loop tries again, as long as that may help."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import count

import pytest

from society.llm.providers.responses import Failed, Reply
from society.llm.providers.retry import ask_persistently, jitter
from society.llm.providers.settings import ModelSpec

GOOD, EMPTY = Reply("0.4", "stop"), Reply("", "stop")


class Tried:
    """Attempts with these outcomes, and how long was waited between them."""

    def __init__(self, *outcomes: Reply | Exception) -> None:
        self.outcomes = iter(outcomes)
        self.pauses: list[float] = []

    async def attempt(self) -> Reply:
        outcome = next(self.outcomes)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def result(self, spec: ModelSpec, busy: Iterator[float] | None = None) -> Reply:
        seconds = busy or count(0)
        going = ask_persistently(self.attempt, spec, 7, lambda: next(seconds), self.sleep)
        return asyncio.run(going)


def test_a_good_reply_is_the_end_of_it() -> None:
    tried = Tried(GOOD)
    assert tried.result(ModelSpec()) == GOOD
    assert tried.pauses == []


def test_failures_and_empty_replies_are_tried_again() -> None:
    tried = Tried(Failed("HTTP 500"), EMPTY, GOOD)
    assert tried.result(ModelSpec()) == GOOD
    assert len(tried.pauses) == 2


def test_a_reply_that_says_why_it_is_empty_is_not() -> None:
    filtered = Reply("", "content_filter")
    assert Tried(filtered, GOOD).result(ModelSpec()) == filtered


def test_the_last_failure_is_raised() -> None:
    tried = Tried(EMPTY, Failed("HTTP 500"), Failed("HTTP 503"))
    with pytest.raises(Failed, match="503"):
        tried.result(ModelSpec(attempts=3))


def test_the_last_empty_reply_is_what_was_said() -> None:
    assert Tried(Failed("HTTP 500"), EMPTY).result(ModelSpec(attempts=2)) == EMPTY


def test_what_is_no_failed_attempt_goes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        Tried(ZeroDivisionError(), GOOD).result(ModelSpec())


def test_the_provider_says_how_long_to_wait_at_least() -> None:
    tried = Tried(Failed("HTTP 429", wait=12.0), GOOD)
    tried.result(ModelSpec(backoff=1.0))
    assert tried.pauses == [12.0 + jitter(1.0, 7, 1)], "and not all who wait come back at once"


def test_no_attempt_begins_after_the_deadline() -> None:
    """It would begin after 590 + 12 of 600 seconds."""
    with pytest.raises(Failed):
        Tried(Failed("HTTP 429", wait=12.0), GOOD).result(ModelSpec(), iter([590.0]))


def test_jitter_doubles_up_to_a_minute_and_differs_between_calls() -> None:
    longest = [max(jitter(1.0, call, tried) for call in range(300)) for tried in range(1, 9)]
    bounds = [1, 2, 4, 8, 16, 32, 60, 60]
    assert all(0.9 * bound < most < bound for most, bound in zip(longest, bounds, strict=True))
    assert len({jitter(1.0, call, 1) for call in range(300)}) == 300
