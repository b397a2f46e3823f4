"""The calls of a run that have no reply yet, in words: a clause for each state, or each call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .labels import count_noun, spell_kind

if TYPE_CHECKING:
    from society.llm.providers.calls_under_way import CallUnderWay

_LONG = 2.0  # seconds from which on it is said how long a reply takes
_REASON = 80  # characters
_STATES = ("retrying", "held back", "sent", "waiting")


class CallsInState(NamedTuple):
    """Calls in one state: words about them, and whether something has gone wrong."""

    words: str
    wrong: bool = False


def describe_calls(calls: Sequence[CallUnderWay], now: float) -> Iterator[CallsInState]:
    """Yield a clause for each state in which calls are; now: seconds of `time.monotonic`."""
    by_state: dict[str, list[CallUnderWay]] = {}
    for call in calls:
        by_state.setdefault(call.state, []).append(call)
    if sent := by_state.get("sent"):
        waited = now - min(call.since for call in sent)
        since = f" for {waited:.0f} s" if len(sent) == 1 else f", the first {waited:.0f} s ago"
        since = since if waited >= _LONG else ""
        yield CallsInState(f"{_count(sent)} sent and not answered{since}")
    if waiting := by_state.get("waiting"):
        yield CallsInState(f"{_count(waiting)} waiting for a place")
    if held := by_state.get("held back"):
        words = f"{_count(held)} held back{_soon('for', held, now)}: {_reason(held)}"
        yield CallsInState(words, wrong=True)
    if again := by_state.get("retrying"):
        words = f"{_count(again)} to be repeated{_soon('in', again, now)}: {_reason(again)}"
        yield CallsInState(words, wrong=True)


def list_calls(calls: Sequence[CallUnderWay], now: float, replicates: int) -> list[CallsInState]:
    """Describe each call; those that went wrong come first, then those that take longest."""
    order = sorted(calls, key=lambda call: (_STATES.index(call.state), call.since))
    return [_describe_call(call, now, replicates) for call in order]


def _describe_call(call: CallUnderWay, now: float, replicates: int) -> CallsInState:
    request = call.request
    who = request.who or f"agent {request.address.agent}"
    who = request.agent if replicates > 1 else who
    what = f"{who}: {spell_kind(request.address.kind)}"
    if call.state == "sent":
        return CallsInState(f"{what}, sent {now - call.since:.0f} s ago")
    if call.state == "waiting":
        return CallsInState(f"{what}, waiting for a place")
    how, word = ("held back", "for") if call.state == "held back" else ("again", "in")
    words = f"{what}, {how}{_soon(word, [call], now)}: {_reason([call])}"
    return CallsInState(words, wrong=True)


def _count(calls: Sequence[CallUnderWay]) -> str:
    return count_noun(len(calls), "call")


def _soon(how: str, calls: Sequence[CallUnderWay], now: float) -> str:
    """Return the seconds until the first of them goes on."""
    left = [call.until - now for call in calls if call.until is not None]
    return f" {how} {max(min(left), 0):.0f} s" if left else ""


def _reason(calls: Sequence[CallUnderWay]) -> str:
    """Return the most frequent reason."""
    ((reason, count),) = Counter(call.reason for call in calls).most_common(1)
    short = reason if len(reason) <= _REASON else f"{reason[: _REASON - 3].rstrip()}..."
    return short if count == len(calls) else f"{short}, among others"
