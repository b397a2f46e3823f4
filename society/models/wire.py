"""What comes over the wire, read in one way whichever client brought it.

A reply has words, or none for a reason that it gives, or it is empty. Failed is what may go better
the next time; what never will raises InputError, what may after a while Paused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple, Protocol

from society.calls import Message
from society.errors import InputError, Paused, SocietyError

from .keys import quoted

_BUSY = (409, 429)  # the provider is up, though it does not answer this
_AGAIN = (408, *_BUSY)


class Reply(NamedTuple):
    """One answer of a model. Tokens and cost (US dollars): None where it does not say."""

    text: str
    finish: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    model: str = ""

    @property
    def empty(self) -> bool:
        """No words, and no reason why."""
        return self.finish in ("", "stop") and not self.text.strip()


FILTERED = Reply("", "content_filter")


class Failed(Exception):
    """An attempt that did not work out.

    wait: seconds that the provider wants to be left alone. down: whether it may be out of order.
    """

    def __init__(self, words: str, *, wait: float | None = None, down: bool = True) -> None:
        super().__init__(words)
        self.wait, self.down = wait, down


class Place(NamedTuple):
    """Whom we talk to, for messages: a host or provider, the model, the variable of its key."""

    host: str
    model: str
    variable: str
    key: bool = True  # whether the variable is set


class Client(Protocol):
    """Makes one attempt."""

    @property
    def place(self) -> Place: ...

    def check(self) -> None:
        """Raises InputError if a key is missing."""
        ...

    async def send(self, messages: Sequence[Message], room: int | None) -> Reply:
        """The reply; raises Failed, InputError or Paused. room: tokens of the reply."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


def completion(payload: Any) -> Reply:
    """The first choice of an OpenAI-like chat completion; raises Failed."""
    try:
        usage = payload.get("usage") or {}
        tokens = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
        model = str(payload.get("model") or "")
        if payload["choices"] == []:
            return Reply("", "", *tokens, model=model)
        choice = payload["choices"][0]
        text, finish = _text(choice["message"].get("content")), str(choice["finish_reason"] or "")
    except (AttributeError, KeyError, IndexError, TypeError):
        shown = json.dumps(payload, default=repr)
        raise Failed(f"a body that is no chat completion: {quoted(shown)}") from None
    return Reply(spoken(text), finish, *tokens, model=model)


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _text(content: Any) -> str:
    """A string, or the texts of a list of parts (the others are thoughts)."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")


def spoken(text: str) -> str:
    """What was said, without what was thought before: <think> ... </think>.

    Templates may hold the opening tag, so that only the closing one arrives; thoughts that were cut
    off never close.

    >>> spoken("<think>7 or 8?</think> 7")
    '7'
    """
    thought, closed, rest = text.partition("</think>")
    opened = thought.lstrip().startswith("<think>")
    if closed and (opened or "<think>" not in thought):
        return rest.lstrip()
    return "" if opened else text


def refusal(status: int, words: str, headers: Mapping[str, str], place: Place) -> Exception:
    """What to raise for an HTTP status other than 200."""
    said = quoted(words) or "no reason given"
    if status in _AGAIN or status >= 500:
        wait = retry_after(headers)
        return Failed(f"HTTP {status}: {said}", wait=wait, down=status not in _BUSY)
    return _final(status, said, place)


def _final(status: int, said: str, place: Place) -> SocietyError:
    if status == 402:
        return Paused(f"{place.host} wants to be paid first: {said}; then resume")
    if status in (401, 403) and place.key:
        return InputError(
            f"the key in {place.variable} was refused by {place.host}: HTTP {status}: {said}; "
            "set the right one in the environment or in .env"
        )
    if status in (401, 403):
        return InputError(
            f"{place.host} wants a key: HTTP {status}: {said}; "
            f"set {place.variable} in the environment or in .env"
        )
    if status == 404:
        return InputError(
            f"{place.host} knows no model {place.model!r} at this address: HTTP 404: {said}; "
            "check --model, and --api-base, which mostly ends in /v1"
        )
    return InputError(
        f"{place.host} refused a request to {place.model!r}: HTTP {status}: {said}; "
        "change the settings of the model, or take another"
    )


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait from now on, said as seconds or as an HTTP date; None if not said.

    >>> retry_after({"Retry-After": "1.5"})
    1.5
    """
    said = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    try:
        return max(0.0, float(said)) if float(said) < float("inf") else None
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(said)
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
