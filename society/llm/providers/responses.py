"""Replies of providers, read in one way whichever client brought them.

A reply has words, or none for a reason that it gives, or it is empty. Failed is what may go better
the next time; what never will raises InputError, what may after a while Paused.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from society.engine.calls import Request
from society.errors import InputError, Paused, SocietyError

from .api_keys import quote_stranger, redact_reply
from .named_servers import TRUSTED_HOSTS

if TYPE_CHECKING:
    from pydantic import JsonValue

_BUSY = (409, 429)  # the provider is up, though it does not answer this
_AGAIN = (408, *_BUSY)
_LATE = (408, 504)  # somebody on the way gave up, while another may have answered
_MOST_TOKENS = 2**53  # what JSON tells exactly everywhere; more is no count
_NAME = 240  # characters
_GZIP_OR_ZLIB = 47  # of zlib: tells by the header which of the two it is
MOST_REPLY_BYTES = "SOCIETY_MAX_REPLY_BYTES"
_LONGEST_BOUND = 12  # digits
_USUAL_REPLY_BYTES = 2_000_000  # half a million tokens


def most_reply_bytes() -> int:
    """Return the bytes that a body may have, packed and unpacked; raises InputError."""
    said = os.environ.get(MOST_REPLY_BYTES, "") or str(_USUAL_REPLY_BYTES)
    if not said.isdecimal() or len(said) > _LONGEST_BOUND:
        raise InputError(
            f"{MOST_REPLY_BYTES} is {quote_stranger(said)!r}; give a whole number of bytes"
        )
    return int(said)


class Reply(NamedTuple):
    """One answer of a model. Tokens and cost (US dollars): None where it does not say.

    cached_tokens: those of the prompt that were in the provider's cache.
    """

    text: str
    finish: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    model: str = ""
    cached_tokens: int | None = None

    @property
    def empty(self) -> bool:
        """No words, and no reason why."""
        return self.finish in ("", "stop") and not self.text.strip()


FILTERED = Reply("", "content_filter")


class Failed(Exception):
    """An attempt that did not work out.

    wait: seconds that the provider wants to be left alone. down: whether it may be out of order.
    billed: whether it may have to be paid for, as nobody knows what has become of it.
    """

    def __init__(
        self, words: str, *, wait: float | None = None, down: bool = True, billed: bool = True
    ) -> None:
        super().__init__(words)
        self.wait, self.down, self.billed = wait, down, billed


class ResponsePlace(NamedTuple):
    """The place of a model, for messages: host or provider, model, variable of its key.

    withheld: whether the key was not sent, since only a file names the server.
    """

    host: str
    model: str
    variable: str
    key: bool = True  # whether the variable is set
    withheld: bool = False


class Client(Protocol):
    """Makes one attempt."""

    @property
    def place(self) -> ResponsePlace: ...

    def check(self) -> None:
        """Raise InputError if a key is missing, or a setting would have no effect."""
        ...

    def sent(self, request: Request) -> dict[str, JsonValue]:
        """The settings that go out with the messages of a request."""
        ...

    async def send(self, request: Request) -> Reply:
        """The reply; raises Failed, InputError or Paused."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


async def bounded_body(pieces: AsyncIterable[bytes], packed: str) -> AsyncIterator[bytes]:
    """Unpack the pieces of a body; raises Failed as soon as it is longer than a reply may be.

    packed: its Content-Encoding. Pieces that are always there would otherwise never let anybody
    else have a turn, not even a time-out.
    """
    packed = packed.strip().lower() or "identity"
    if packed not in ("identity", "gzip", "x-gzip", "deflate"):
        raise Failed(f"a body packed as {quote_stranger(packed)}, which nobody asked for")
    unpacker = None if packed == "identity" else zlib.decompressobj(_GZIP_OR_ZLIB)
    most, received, given = most_reply_bytes(), 0, 0
    async for piece in pieces:
        received += len(piece)
        try:
            plain = unpacker.decompress(piece, most + 1 - given) if unpacker else piece
        except zlib.error:
            raise Failed("a packed body that cannot be unpacked") from None
        given += len(plain)
        if max(received, given) > most:
            raise Failed(
                f"a body of more than {most:,} bytes; if your models write so much, set "
                f"{MOST_REPLY_BYTES} in the environment"
            )
        yield plain


def parse_completion(payload: Any) -> Reply:
    """The first choice of an OpenAI-like chat completion; raises Failed."""
    try:
        choices, usage = payload["choices"], payload.get("usage")
        choice = {"message": {}} if choices == [] else choices[0]
        text, finish = _text(choice["message"].get("content")), choice.get("finish_reason")
    except (AttributeError, KeyError, IndexError, TypeError):
        raise Failed(f"a body that is no chat completion: {_quoted_payload(payload)}") from None
    usage = usage if isinstance(usage, dict) else {}
    tokens = usage.get("prompt_tokens"), usage.get("completion_tokens"), _cached(usage)
    return checked_reply(text, finish, tokens, payload.get("model"))


def _cached(usage: Mapping[str, Any]) -> object:
    """The tokens that came from a cache, as OpenAI and litellm tell them, or DeepSeek by itself."""
    details = usage.get("prompt_tokens_details")
    if isinstance(details, dict):
        return details.get("cached_tokens")
    return usage.get("prompt_cache_hit_tokens")


def _quoted_payload(payload: Any) -> str:
    try:
        return quote_stranger(json.dumps(payload, default=repr))
    except (RecursionError, ValueError):
        return "a structure of too many levels"


def checked_reply(
    text: str, finish: object, tokens: tuple[object, object, object], model: object
) -> Reply:
    """Check a reply; until now, only its text is known to be of the right type.

    tokens: of the prompt, of the reply, and of the prompt from a cache. A server may say a key
    back, in any of its words, which are written down.
    """
    asked, answered, cached = map(_count, tokens)
    if asked is None or (cached is not None and cached > asked):
        cached = None  # a part that is larger than the whole is no count
    words = redact_reply(without_thoughts(text))
    return Reply(words, _name(finish), asked, answered, model=_name(model), cached_tokens=cached)


def _count(value: object) -> int | None:
    """A number of tokens; None for what is none. True is a whole number in Python."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _MOST_TOKENS else None


def _name(value: object) -> str:
    """A provider's word, fit for tables and files."""
    if not isinstance(value, str):
        return ""
    value = redact_reply(value)
    return value if value.isprintable() and len(value) <= _NAME else quote_stranger(value)


def _text(content: Any) -> str:
    """A string, or the texts of a list of parts (the others are thoughts)."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(part["text"] for part in content if part.get("type") == "text")


def without_thoughts(text: str) -> str:
    """Remove thoughts from a reply: <think> ... </think>.

    Templates may hold the opening tag, so that only the closing one arrives; thoughts that were cut
    off never close.

    >>> without_thoughts("<think>7 or 8?</think> 7")
    '7'
    """
    thought, closed, rest = text.partition("</think>")
    opened = thought.lstrip().startswith("<think>")
    if closed and (opened or "<think>" not in thought):
        return rest.lstrip()
    return "" if opened else text


def http_error(
    status: int, words: str, headers: Mapping[str, str], place: ResponsePlace
) -> Exception:
    """Make the error for an HTTP status other than 200.

    A client that got none makes one up, and has no headers.
    """
    said = quote_stranger(words) or "no reason given"
    if status < 300:  # it succeeded, in something else
        return Failed(f"HTTP {status}: {said}", down=False)
    if status in _AGAIN or status >= 500:
        wait = retry_after(headers)
        billed = not headers or status in _LATE
        return Failed(f"HTTP {status}: {said}", wait=wait, down=status not in _BUSY, billed=billed)
    return _final(status, said, place)


def _final(status: int, said: str, place: ResponsePlace) -> SocietyError:
    if status == 402:
        return Paused(f"{place.host} asks for payment first: {said}; then resume")
    if status in (401, 403) and place.withheld:
        return InputError(
            f"{place.host} asks for a key: HTTP {status}: {said}; the one in {place.variable} was "
            f"not sent, since only a file names this server; name it yourself: --api-base URL, or "
            f"{TRUSTED_HOSTS}={place.host} in the environment"
        )
    if status in (401, 403) and place.key:
        return InputError(
            f"the key in {place.variable} was refused by {place.host}: HTTP {status}: {said}; "
            "set the right one in the environment or in .env"
        )
    if status in (401, 403):
        return InputError(
            f"{place.host} asks for a key: HTTP {status}: {said}; "
            f"set {place.variable} in the environment or in .env"
        )
    if status == 404:
        return InputError(
            f"{place.host} has no model {place.model!r} at this address: HTTP 404: {said}; "
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
