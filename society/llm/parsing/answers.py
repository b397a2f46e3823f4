"""Words that ask for each kind of answer, and functions that read it.

    hint        words that tell a language model what to answer: "a number from 0 to 1"
    interpret   the answer that a JSON value or a few words give
    parse       the answer in a whole reply: alone, or {"answer": ...} at the end of thoughts

Replies themselves know numbers only. A class of reply of your own either inherits from one of ours
or has methods hint(legal), taken(said, legal) and parse(text, legal), which outweigh what is here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache, partial, singledispatch
from typing import Any, Generic, TypeVar

from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Integer,
    Legal,
    MixedStrategy,
    Neighbour,
    Real,
    Sentence,
    Text,
    Value,
)
from society.errors import CutOff, PartError, Unparsed
from society.text import clean_line, decimals_shown, quote_text, round_figures

from .extract import (
    breaking_off,
    entries_named,
    filled_in,
    find_answer,
    find_fields,
    find_speech,
    first_unnamed,
    quote_excerpt,
    strip_thoughts,
    unread_error,
)
from .json_objects import KeyTwice
from .sentences import find_sentence, parse_sentence
from .values import (
    NO_ONE,
    NONE,
    YES_OR_NO,
    are_numbered,
    match_option,
    match_peer,
    means_nothing,
    normalise_words,
    parse_number,
    strip_wrapping,
)

T = TypeVar("T")

_LONGEST_REPLY = 400_000  # characters; real models gave 150,000, and these take a second
_LONGEST_NUMBER = 9  # digits before the point, or zeros behind it; longer ones have an exponent
_HUGE = 1e9  # no share is larger; sums of larger ones could overflow
_ROUNDED = 0.0015  # of the sum of a mix: three times 33.3 percent are 100


@dataclass(frozen=True, eq=False)
class SameObject(Generic[T]):
    """An object as a key: only itself is equal to it."""

    value: T

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameObject) and self.value is other.value


def hint(reply: ActionSpace, legal: Legal) -> str:
    """The answer as it is asked for: "a number from 0 to 1"; its bounds are scalars."""
    if legal.options or legal.peers:
        return _hint_of(reply, legal)
    return _same_hint(SameObject(reply), legal.rounded)


@lru_cache(maxsize=256)
def _same_hint(reply: SameObject[ActionSpace], rounded: bool) -> str:
    """The hint of a reply that all are asked for alike, who have nothing to choose from."""
    return _hint_of(reply.value, Legal(rounded=rounded))


def _hint_of(reply: ActionSpace, legal: Legal) -> str:
    own = getattr(reply, "hint", None)
    return str(own(legal)) if own else _hint(reply, legal)


def interpret(reply: Value, said: Any, legal: Legal) -> Any:
    """The answer that a JSON value or words give, or None."""
    own = getattr(reply, "taken", None)
    return own(said, legal) if own else _interpret(reply, said, legal)


def parse(reply: ActionSpace, text: str, legal: Legal) -> Any:
    """Read the answer in a model's reply; raises Unparsed, or CutOff if it stops before its end.

    A reply of book length is not looked through: all other agents would wait for it.
    """
    if len(text) > _LONGEST_REPLY:
        raise Unparsed(
            f"it has {len(text):,} characters, and at most {_LONGEST_REPLY:,} are read; "
            f"expected {hint(reply, legal)}"
        )
    own = getattr(reply, "parse", None)
    try:
        return own(text, legal) if own else _parse(reply, text, legal)
    except KeyTwice as twice:
        raise Unparsed(f"{twice}; expected {hint(reply, legal)}") from None


def read_reply(reply: ActionSpace, text: str, legal: Legal, finish: str) -> Any:
    """The answer in a model's reply; finish: why the model stopped, as its provider says.

    Raises CutOff for "length" even if an answer stands there, since it may be a step of the
    reasoning; else what `parse` raises.
    """
    if finish == "length":
        expected = hint(reply, legal)
        raise CutOff(f"{breaking_off(text)}, at the limit of tokens; expected {expected}")
    return parse(reply, text, legal)


def _unknown(reply: object, method: str) -> PartError:
    return PartError(
        f"{type(reply).__name__} cannot be asked of a language model; give it the method {method}, "
        "or let it inherit from a reply of ours"
    )


# What is asked for


@singledispatch
def _hint(reply: Any, legal: Legal) -> str:
    raise _unknown(reply, "hint(legal)")


@_hint.register
def _(reply: Real, legal: Legal) -> str:
    return f"a number{_span(reply, legal)}{', or none' if reply.optional else ''}"


@_hint.register
def _(reply: Integer, legal: Legal) -> str:
    return f"a whole number{_span(reply, legal)}"


@_hint.register
def _(reply: Choice, legal: Legal) -> str:
    """Options stand there as data, since agents may have written them; single words are bare.

    Options that look alike are as many lines: the answer may be their number.
    """
    labels = list(open_options(reply, legal))
    shown = [quote_text(label) for label in labels]
    if are_numbered(labels):
        lines = [f"{place}. {label}" for place, label in enumerate(shown, 1)]
        return "\n".join(["the number of one of these:", *lines])
    return f"one of these: {', '.join(label[1:-1] for label in shown)}"


@_hint.register
def _(reply: Neighbour, legal: Legal) -> str:
    names = "".join(f"{name}, " for name in legal.peers)
    return f"one of these names: {names}or nobody" if names else "nobody, as you see no one"


@_hint.register
def _(reply: MixedStrategy, legal: Legal) -> str:
    shares = ", ".join(f"{json.dumps(action)}: <percent>" for action in reply.actions)
    return f"a JSON object {{{shares}}} of whole percentages that sum to 100"


@_hint.register
def _(reply: Text, legal: Legal) -> str:
    return f"text of at most {reply.limit} characters"


@_hint.register
def _(reply: Sentence, legal: Legal) -> str:
    return f"one sentence of at most {reply.limit} characters that starts: {reply.opening}"


@_hint.register
def _(reply: Fields, legal: Legal) -> str:
    lines = [f"- {json.dumps(name)}: {hint(part, legal)}" for name, part in reply.fields.items()]
    return "\n".join(["a JSON object with these fields:", *lines])


def _span(reply: Real | Integer, legal: Legal) -> str:
    """The bounds in words; none are named where there is none."""
    low, high = float(reply.low), float(reply.high)
    least, most = f"{low:g}", f"{high:g}"
    if legal.rounded:
        inner = round_inwards(low, ROUND_CEILING), round_inwards(high, ROUND_FLOOR)
        if float(inner[0]) < float(inner[1]):  # else there is no room for rounding
            least, most = inner
    if math.isinf(high):
        return "" if math.isinf(low) else f" of at least {least}"
    return f" of at most {most}" if math.isinf(low) else f" from {least} to {most}"


@lru_cache(maxsize=4096)  # the same bounds are told to many
def round_inwards(bound: float, rounding: str) -> str:
    """Round a bound to as many figures as facts have in default words.

    rounding: ROUND_CEILING of a lower bound, ROUND_FLOOR of an upper one.

    >>> round_inwards(84.3274, ROUND_FLOOR), round_inwards(0.1 + 0.2, ROUND_CEILING)
    ('84.32', '0.3001')
    """
    exact = Decimal(repr(bound))
    if not exact or math.isinf(bound) or abs(exact.adjusted()) > _LONGEST_NUMBER:
        return f"{bound:g}"
    step = Decimal(1).scaleb(-decimals_shown(bound))
    return f"{exact.quantize(step, rounding).normalize():f}"


def open_options(reply: Choice, legal: Legal) -> Mapping[str, int]:
    """The open options of a choice, in the order in which they are shown: as text -> indices."""
    if not reply.fixed:
        return legal.options
    labels = {str(label): index for index, label in enumerate(reply.options[0])}
    return legal.options if legal.options == labels else labels


# What a value or a few words mean


@singledispatch
def _interpret(reply: Any, said: Any, legal: Legal) -> Any:
    raise _unknown(reply, "taken(said, legal)")


@_interpret.register
def _(reply: Real, said: Any, legal: Legal) -> float | None:
    return math.nan if reply.optional and means_nothing(said) else _within(reply, said, legal)


@_interpret.register
def _(reply: Integer, said: Any, legal: Legal) -> int | None:
    """A fraction is no misprint of a whole number, so it is not read."""
    value = _within(reply, said, legal)
    return int(value) if value is not None and value.is_integer() else None


@_interpret.register
def _(reply: Choice, said: Any, legal: Legal) -> int | None:
    return match_option(said, open_options(reply, legal))


@_interpret.register
def _(reply: Neighbour, said: Any, legal: Legal) -> int | None:
    return match_peer(said, legal.peers)


@_interpret.register
def _(reply: MixedStrategy, said: Any, legal: Legal) -> list[float] | None:
    try:
        return _shares(reply, said) if isinstance(said, Mapping) else None
    except ValueError:
        return None


@_interpret.register
def _(reply: Text, said: Any, legal: Legal) -> str | None:
    """Read a text without the quotes around it; None if nothing of it can be seen."""
    words = strip_wrapping(said) if isinstance(said, str) else ""
    return words if clean_line(words) else None


@_interpret.register
def _(reply: Sentence, said: Any, legal: Legal) -> str | None:
    """The sentence in a text; None if there is no single one."""
    try:
        return find_sentence(reply, said, hint(reply, legal)) if isinstance(said, str) else None
    except Unparsed:
        return None


def _within(reply: Real | Integer, said: Any, legal: Legal) -> float | None:
    """A number within the bounds: one beyond them may be meant in another unit (75 for 0.75).

    A percentage is read where the bounds make it one of two things: of 1, or of 100.
    """
    low, high = float(reply.low), float(reply.high)
    value = parse_number(said, whole=high if low == 0 else math.nan)
    if value is None:
        return None
    # Whoever repeats a bound, or a fact that is one, as it was shown, means the bound.
    lows, highs = _as_shown(low, legal), _as_shown(high, legal)
    return value if min(lows) <= value <= max(highs) else None


def _as_shown(bound: float, legal: Legal) -> list[float]:
    """The bound, and how it may have been rounded where it, or a fact like it, was shown."""
    six_figures = float(f"{bound:g}")
    return [bound, six_figures, round_figures(bound) if legal.rounded else six_figures]


def _shares(reply: MixedStrategy, said: Mapping[str, Any]) -> list[float]:
    """Percentages or probabilities, one for each action; a wrong sum is never mended.

    Raises ValueError, saying what is wrong. What has no figure may stand beside them: a reason.
    """
    strange = first_unnamed(said, reply.actions)
    if strange is not None:
        raise ValueError(f"where {quote_excerpt(strange)} is no action")
    entries = entries_named(said.items(), reply.actions)
    shares = [_share(entries, action) for action in reply.actions]
    total = math.fsum(min(share, _HUGE) for share in shares)
    marked = any(isinstance(entry, str) and "%" in entry for entry in entries.values())
    wholes = (100,) if marked else (1, 100)
    if not any(math.isclose(total, whole, rel_tol=_ROUNDED) for whole in wholes):
        raise ValueError(f"which sums to {total:g}")
    return [share / total for share in shares]


def _share(entries: Mapping[str, Any], action: str) -> float:
    """Read the share of one action; raises ValueError."""
    if action not in entries:
        raise ValueError(f"which must have {action!r} once")
    share = parse_number(entries[action], whole=100)
    if share is None or share < 0:
        raise ValueError(f"where {quote_excerpt(entries[action])} is no share of {action!r}")
    return share


# What a whole reply says


@singledispatch
def _parse(reply: Any, text: str, legal: Legal) -> Any:
    """A single value, found by its place in the text."""
    ready = strip_thoughts(text)
    given = find_answer(ready, partial(_bare_answers, reply, legal))
    value = None if given is None else interpret(reply, given.said, legal)
    if value is None:
        raise unread_error(ready, given, hint(reply, legal))
    return value


@_parse.register
def _(reply: MixedStrategy, text: str, legal: Legal) -> list[float]:
    ready = strip_thoughts(text)
    entries = filled_in(ready, reply.actions)
    if not entries:
        raise unread_error(ready, None, hint(reply, legal))
    try:
        return _shares(reply, entries)
    except ValueError as wrong:
        raise Unparsed(
            f"got {quote_excerpt(entries)}, {wrong}; expected {hint(reply, legal)}"
        ) from None


@_parse.register
def _(reply: Text, text: str, legal: Legal) -> str:
    """Read all of a text, if there is no answer in an object or behind "Answer:".

    Several paragraphs beyond the limit are thoughts, and are not taken for what is said.
    """
    ready = strip_thoughts(text)
    given = find_speech(ready, reply.limit)
    words: str | None = None if given is None else interpret(reply, given.said, legal)
    if words is None:
        raise unread_error(ready, given, hint(reply, legal))
    return words


@_parse.register
def _(reply: Sentence, text: str, legal: Legal) -> str:
    return parse_sentence(reply, text, hint(reply, legal))


@_parse.register
def _(reply: Fields, text: str, legal: Legal) -> dict[str, Any]:
    """The answer to each field; raises Unparsed with the field, or CutOff."""
    ready = strip_thoughts(text)
    entries = find_fields(ready, list(reply.fields))
    if not entries:
        raise unread_error(ready, None, hint(reply, legal))
    answers = {}
    for name, part in reply.fields.items():
        if name not in entries and not getattr(part, "optional", False):
            raise Unparsed(f"got no single {name!r}; expected {hint(part, legal)}")
        answers[name] = interpret(part, entries.get(name), legal)
        if answers[name] is None:
            came = f"{quote_excerpt(entries[name])} for {name!r}"
            raise Unparsed(f"got {came}; expected {hint(part, legal)}")
    return answers


def _bare_answers(reply: Any, legal: Legal) -> Collection[str]:
    """Plain words that are an answer where a line says nothing else."""
    if isinstance(reply, Choice):
        return YES_OR_NO | {normalise_words(label) for label in open_options(reply, legal)}
    if isinstance(reply, Neighbour):
        return NO_ONE | {normalise_words(name) for name in legal.peers}
    return NONE
