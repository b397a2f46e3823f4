"""Replies of providers, read in one way whichever client brought them.

A reply has words, or none for a reason that it gives, or it is empty. Failed is what may go better
the next time; what never will raises InputError, what may after a while Paused.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from society.engine.calls import Request
from society.errors import ContextOverflow, InputError, Paused, SocietyError
from society.llm.parsing.json_objects import decode_whole

from .api_keys import quote_stranger, redact_reply
from .named_servers import TRUSTED_HOSTS

if TYPE_CHECKING:
    from .endpoint import Endpoint, Outgoing

_BUSY = (409, 429)  # the provider is up, though it does not answer this
_AGAIN = (408, *_BUSY)
_LATE = (408, 504)  # somebody on the way gave up, while another may have answered
THOUGHTS = ("reasoning_content", "reasoning")  # of a message: the one or the other
_OVERFLOWS = (400, 422, 500)
_TOO_LARGE = 413  # of whatever is sent, only the prompt can be large
_DETAILS = 4000  # characters of an error body that are looked through
# As OpenAI, vLLM, llama.cpp, Ollama, LM Studio, Anthropic, Gemini, Mistral, Groq, TGI, xAI, Qwen,
# Moonshot and Zhipu say it.
_CONTEXT = re.compile(
    r"context[ _-]?(?:length|size|window)|context the overflows|"
    r"maximum (?:model|context|input|prompt) length|exceeds? (?:the |its )?(?:available )?context|"
    r"(?:prompt|input) is too long|reduce the length of|too many (?:input |prompt )?tokens|"
    r"input token count[^.]{0,40}exceeds|longer than the (?:maximum )?model|"
    r"`?inputs`? (?:tokens \+|must have less than)|range of input length|"
    r"prompt (?:\([^)]{0,40}\) )?exceeds (?:the )?(?:max|limit)|exceeded model token limit|"
    r"max_model_len|tokens in the prompt[^.]{0,40}exceeds",
    re.IGNORECASE,
)
# A room for the reply that is refused whatever the prompt is, though the words name the context.
_ABOUT_ROOM = re.compile(
    r"max_(?:completion_)?tokens[`'\"]? must be (?:less|smaller|at most|<)", re.IGNORECASE
)
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


class Refused(InputError):
    """A request that was refused for what stands in it.

    details: all that the server said, in which it may name a setting.
    """

    def __init__(self, words: str, details: str) -> None:
        super().__init__(words)
        self.details = details


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

    @property
    def endpoint(self) -> Endpoint:
        """The ways in which requests go out."""
        ...

    async def send(self, request: Request, sent: Outgoing) -> Reply:
        """The reply; raises Failed, ContextOverflow, InputError or Paused."""
        ...

    async def close(self) -> None:
        """Let go of connections."""
        ...


async def bounded_body(
    pieces: AsyncIterable[bytes], packed: str, most: int | None = None
) -> AsyncIterator[bytes]:
    """Unpack the pieces of a body; raises Failed as soon as it is longer than a reply may be.

    packed: its Content-Encoding. most: bytes that it may have, if it is not one reply. Pieces that
    are always there would otherwise never let anybody else have a turn, not even a time-out.
    """
    packed = packed.strip().lower() or "identity"
    if packed not in ("identity", "gzip", "x-gzip", "deflate"):
        raise Failed(f"a body packed as {quote_stranger(packed)}, which nobody asked for")
    unpacker = None if packed == "identity" else zlib.decompressobj(_GZIP_OR_ZLIB)
    most, received, given = most or most_reply_bytes(), 0, 0
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


def parse_completion(payload: Any, place: ResponsePlace | None = None) -> Reply:
    """The first choice of an OpenAI-like chat completion; raises Failed.

    Where nothing else is said, the arguments of a tool call are the answer, words of refusal, or
    what a server takes for thoughts. place: of the server, to word an error that came with status
    200.
    """
    if isinstance(payload, dict) and payload.get("error") and not payload.get("choices"):
        raise _enclosed_error(payload["error"], place)
    try:
        choices, usage = payload["choices"], payload.get("usage")
        choice = {"message": {}} if choices == [] else choices[0]
        message, finish = choice["message"], choice.get("finish_reason")
        text = _text(message.get("content"))
        if not without_thoughts(text).strip():
            refused = _refusal(message)
            finish = "refusal" if refused and finish in ("stop", None) else finish
            text = _tool_arguments(message) or text or refused or _thoughts(message)
    except (AttributeError, KeyError, IndexError, TypeError):
        raise Failed(f"a body that is no chat completion: {_quoted_payload(payload)}") from None
    if finish == "error" or choice.get("error"):
        raise Failed(f"a reply that ended in an error: {_quoted_payload(choice)}")
    usage = usage if isinstance(usage, dict) else {}
    tokens = usage.get("prompt_tokens"), usage.get("completion_tokens"), _cached(usage)
    return checked_reply(text, finish, tokens, payload.get("model"))


def _enclosed_error(error: Any, place: ResponsePlace | None) -> Exception:
    """Make the error for {"error": ...}: by the HTTP status that it names, else like an outage."""
    words, code = complaint({"error": error})
    if place is not None and code.isdecimal() and len(code) == 3 and int(code) >= 400:
        return http_error(int(code), words, {}, place, _quoted_payload(error))
    if place is not None and _tells_overflow(words[:_DETAILS]):
        return http_error(400, words, {}, place)
    return Failed(f"an error in place of a reply: {quote_stranger(words)}")


def complaint(payload: Any) -> tuple[str, str]:
    """Read an error body's words and code: {"error": {"message": ..., "code": ...}} at best."""
    error = payload.get("error", payload) if isinstance(payload, dict) else payload
    try:
        if isinstance(error, dict):
            words = error.get("message") or json.dumps(error)
            return str(words), str(error.get("code"))
        return str(error), ""
    except RecursionError:
        return "a structure of too many levels", ""


def _tool_arguments(message: Mapping[str, Any]) -> str:
    """The arguments of the first tool call, as JSON; "" if there is none."""
    match message:
        case {"tool_calls": [{"function": {"arguments": str() as arguments}}, *_]}:
            return arguments
        case {"tool_calls": [{"function": {"arguments": {} as arguments}}, *_]}:
            return json.dumps(arguments)
    return ""


def _refusal(message: Mapping[str, Any]) -> str:
    """The words of a model that does not answer, as OpenAI sets them apart; "" if there are none.

    They are read as a reply, so that the question is repaired and not sent six times, but say
    nothing about whether the server keeps to the form of the answer.
    """
    said = message.get("refusal")
    return said if isinstance(said, str) else ""


def _thoughts(message: Mapping[str, Any]) -> str:
    """What a server takes for thoughts, as vLLM, Ollama and others name it; "" if there is none."""
    texts = (message.get(name) for name in THOUGHTS)
    return next((text for text in texts if isinstance(text, str) and text), "")


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
    named = _name(_of_file(model))
    return Reply(words, _name(finish), asked, answered, model=named, cached_tokens=cached)


def _count(value: object) -> int | None:
    """A number of tokens; None for what is none. True is a whole number in Python."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _MOST_TOKENS else None


def _of_file(model: object) -> object:
    """The name of a model; of a file, as servers of llama.cpp say it with its path, the last part.

    >>> _of_file("/home/ann/models/qwen3-8b-q4.gguf"), _of_file("Qwen/Qwen3-8B")
    ('qwen3-8b-q4', 'Qwen/Qwen3-8B')
    """
    if not isinstance(model, str) or not model.endswith(".gguf"):
        return model
    return re.split(r"[/\\]", model)[-1].removesuffix(".gguf")


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


# Pairs of tags around thoughts.
_THOUGHTS = (
    *((f"<{name}>", f"</{name}>") for name in ("think", "thinking", "thought", "seed:think")),
    ("[THINK]", "[/THINK]"),
)
_MOST_THOUGHTS = 100  # of one kind; the text is copied for each of them
# What chat templates put around a reply, and servers may leave in it.
_ENDS = (
    *("<|im_end|>", "<|eot_id|>", "<|endoftext|>", "<|end|>", "<|return|>", "<|end_of_text|>"),
    *("</s>", "<end_of_turn>"),
)
_STARTS = ("<|im_start|>assistant", "<|start|>assistant", "<start_of_turn>model", "<s>")
_MESSAGE, _CHANNEL = "<|message|>", "<|channel|>"


def without_thoughts(text: str) -> str:
    """Remove thoughts from a reply, and marks of its beginning and end.

    Thoughts stand between tags, <think> ... </think>, or in a channel of their own (harmony).
    Templates may hold the opening tag, so that only the closing one arrives; thoughts that were cut
    off never close. Within a reply that is one JSON object marks are words like others.

    >>> without_thoughts("<think>7 or 8?</think> 7")
    '7'
    >>> without_thoughts("<|channel|>analysis<|message|>7?<|end|><|channel|>final<|message|>8")
    '8'
    """
    if "<" not in text and "[THINK]" not in text and "[/THINK]" not in text:  # nearly always
        return text
    if text.lstrip().startswith((_CHANNEL, "<|start|>")):
        text = _final_channel(text)
    text = _unmarked(text)
    for opening, closing in _THOUGHTS:
        for _ in range(_MOST_THOUGHTS):
            if decode_whole(text) is not None:
                break
            thought, closed, rest = text.partition(closing)
            opened = thought.lstrip().startswith(opening)
            if opened and not closed:
                return ""
            if not closed or not (opened or opening not in thought):
                break
            text = rest.lstrip()
    return _unmarked(text)


def _final_channel(text: str) -> str:
    """The last message in the channel `final`, of OpenAI's harmony format; "" if there is none."""
    _, final, rest = text.rpartition(f"{_CHANNEL}final")
    _, message, said = rest.partition(_MESSAGE)
    return said if final and message else ""


def _unmarked(text: str) -> str:
    """Take off the marks at both ends, and the blanks around those that were there."""
    end = len(text)
    while mark := next((one for one in _ENDS if text.endswith(one, 0, end)), ""):
        end -= len(mark)
        while end and text[end - 1].isspace():
            end -= 1
    text = text[:end]
    for mark in _STARTS:
        if text.lstrip().startswith(mark):
            text = text.lstrip().removeprefix(mark).lstrip()
    return text


def http_error(
    status: int, words: str, headers: Mapping[str, str], place: ResponsePlace, details: str = ""
) -> Exception:
    """Make the error for an HTTP status other than 200.

    A client that got none makes one up, and has no headers. details: whatever else was said.
    """
    said = quote_stranger(words) or "no reason given"
    details = f"{words}\n{details}"[:_DETAILS]
    if status == _TOO_LARGE or (status in _OVERFLOWS and _tells_overflow(details)):
        return ContextOverflow(f"the prompt does not fit into {place.model}: {said}")
    if status < 300:  # it succeeded, in something else
        return Failed(f"HTTP {status}: {said}", down=False)
    if status in _AGAIN or status >= 500:
        wait = retry_after(headers)
        billed = not headers or status in _LATE
        return Failed(f"HTTP {status}: {said}", wait=wait, down=status not in _BUSY, billed=billed)
    return _final(status, said, place, details)


def _tells_overflow(details: str) -> bool:
    return bool(_CONTEXT.search(details)) and not _ABOUT_ROOM.search(details)


def _final(status: int, said: str, place: ResponsePlace, details: str) -> SocietyError:
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
    return Refused(
        f"{place.host} refused a request to {place.model!r}: HTTP {status}: {said}; "
        "change the settings of the model, or take another",
        details,
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
    except (ValueError, OverflowError):  # an hour far from Greenwich
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
