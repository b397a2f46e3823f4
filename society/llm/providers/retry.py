"""The one loop that tries again: for every client, by one rule.

After a failure the next attempt waits for as long as the provider asked for, and u more: uniform in
[0, backoff 2^(k-1)) after the k-th attempt, at most a minute. A call is given up after `attempts`,
or when the next one would begin after `deadline` seconds. Time spent waiting for one's turn, before
an attempt, does not count.
Source: Brooker 2015, "Exponential backoff and jitter" (full jitter).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Awaitable, Callable
from itertools import count

from society.engine.rng import generator

from .responses import Failed, Reply
from .settings import ModelSpec

_LOG = logging.getLogger(__name__)
_LONGEST = 60.0  # seconds of jitter

numbers = count()  # of calls in this process


async def ask_persistently(
    attempt: Callable[[], Awaitable[Reply]],
    spec: ModelSpec,
    number: int,
    busy: Callable[[], float],
    sleep: Callable[[float], Awaitable[None]],
) -> Reply:
    """The first reply with words, or with a reason to have none; else the last one.

    Raises Failed if the last attempt brought no reply. number: of the call. busy: seconds for which
    the call has been under way.
    """
    for tried in count(1):
        outcome = await _outcome(attempt)
        if isinstance(outcome, Reply) and not outcome.empty:
            return outcome
        asked = outcome.wait if isinstance(outcome, Failed) else None
        pause = (asked or 0.0) + jitter(spec.backoff, number, tried)
        if tried >= spec.attempts or busy() + pause >= spec.deadline:
            break
        came = outcome if isinstance(outcome, Failed) else "an empty reply"
        _LOG.info("call %s: attempt %s brought %s; again in %.1f s", number, tried, came, pause)
        await sleep(pause)
    if isinstance(outcome, Failed):
        raise outcome
    return outcome


async def _outcome(attempt: Callable[[], Awaitable[Reply]]) -> Reply | Failed:
    try:
        return await attempt()
    except Failed as failed:
        return failed


def jitter(backoff: float, number: int, tried: int) -> float:
    """Seconds, different for every call and process, so that those that failed part company."""
    share = generator(os.getpid(), f"retry\0{number}\0{tried}").random()
    return float(share * min(_LONGEST, backoff * 2.0 ** min(tried - 1, 30)))
