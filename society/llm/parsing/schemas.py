"""JSON schemas of replies, for servers that can hold a model to one.

    schema     of a whole reply: {"answer": ...}, or an object of the fields; thoughts stand before
    on_grid    the same for servers that bound no numbers: these and mixes are listed, in steps
    without_bounds    the same for servers that refuse bounds
    follows, keeps_bounds    whether a reply has the form that a schema demands

Words in them are those of `answers.hint`. All that validates is read, or turned down with a reason:
a schema helps a model, and the reading stays the judge. A class of reply of your own may have a
method schema(legal), the JSON schema of its value; without one, but with a hint or a reading of its
own, its answers are free text.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from functools import lru_cache, singledispatch
from typing import Any

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
)
from society.errors import Unparsed

from .answers import SameObject, hint, open_options
from .extract import REASONING, strip_thoughts
from .json_objects import decode_whole
from .values import are_numbered, match_option, normalise_words

Schema = dict[str, Any]

_NO_THOUGHTS: Mapping[str, str] = {}
_KEPT = 64  # schemas of questions that all are asked alike

_LONGEST_REASONING = 1000  # characters; some servers repeat a rule at most 2000 times
_FEW = 21  # whole numbers that are listed; more of them have bounds
_STEPS = 100  # of the grid of a number, at most
_MIXES = 300  # of the grid of a mixed strategy, at most
_PERCENT_STEPS = (1, 2, 5, 10, 20, 25, 50, 100)
# Titles by which on_grid knows what no other keyword says in all servers.
_MIX = "mixed strategy"
_OPENING = "a sentence that starts: "
_OF_NUMBERS = {"minimum", "maximum"}
_BOUNDS = _OF_NUMBERS | {"minLength", "maxLength"}


def schema(
    reply: ActionSpace,
    legal: Legal,
    *,
    thinking: bool = False,
    thoughts: Mapping[str, str] = _NO_THOUGHTS,
) -> Schema | None:
    """The JSON schema of a whole reply; None if it is free text.

    thinking: with a text `reasoning` before the answer, unless a field has this name. thoughts: in
    its place a text for each, by name, which answers a question.
    """
    if thoughts or legal.options or legal.peers:
        return _schema_of_reply(reply, legal, thinking, thoughts)
    return _same_for_all(SameObject(reply), legal.rounded, thinking)


@lru_cache(maxsize=_KEPT)
def _same_for_all(reply: SameObject[ActionSpace], rounded: bool, thinking: bool) -> Schema | None:
    """The schema of a reply that all are asked for alike, who have nothing to choose from."""
    return _schema_of_reply(reply.value, Legal(rounded=rounded), thinking, _NO_THOUGHTS)


def _schema_of_reply(
    reply: ActionSpace, legal: Legal, thinking: bool, thoughts: Mapping[str, str]
) -> Schema | None:
    if isinstance(reply, Fields) and not _has_own_words(reply):
        parts = {name: _of_value(part, legal) for name, part in reply.fields.items()}
    else:
        parts = {"answer": _of_value(reply, legal)}
    if None in parts.values():
        return None
    before = dict(thoughts)
    if thinking and not before:
        before[REASONING] = "thoughts, step by step, before the answer"
    texts = {
        name: {"type": "string", "description": words, "maxLength": _LONGEST_REASONING}
        for name, words in before.items()
        if name not in parts
    }
    return _object({**texts, **parts})


def _object(properties: Mapping[str, Any]) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _of_value(reply: ActionSpace, legal: Legal) -> Schema | None:
    """The schema of one value; None if there is none."""
    own = getattr(reply, "schema", None)
    if own:
        return dict(own(legal))
    return None if _has_own_words(reply) else _schema(reply, legal)


def _has_own_words(reply: ActionSpace) -> bool:
    """Tell whether a class asks, or reads, in a way of its own."""
    return any(hasattr(reply, method) for method in ("hint", "taken", "parse"))


@singledispatch
def _schema(reply: Any, legal: Legal) -> Schema | None:
    return None


@_schema.register
def _(reply: Real, legal: Legal) -> Schema:
    low, high = float(reply.low), float(reply.high)
    number = {"type": "number", **_bounds(low, high)}
    either = {"anyOf": [number, {"type": "null"}]} if reply.optional else number
    return {"description": hint(reply, legal), **either}


@_schema.register
def _(reply: Integer, legal: Legal) -> Schema:
    low, high = float(reply.low), float(reply.high)
    few = high - low < _FEW
    bounds = {"enum": [*range(math.ceil(low), math.floor(high) + 1)]} if few else _bounds(low, high)
    return {"description": hint(reply, legal), "type": "integer", **bounds}


@_schema.register
def _(reply: Choice, legal: Legal) -> Schema | None:
    """Long options are said by their numbers, unless an option is itself called by one of these."""
    options = open_options(reply, legal)
    if not options:
        return None
    numbers = [*range(1, len(options) + 1)]
    if are_numbered(options) and _named_by(numbers, options):
        return {"description": "the number of an option", "type": "integer", "enum": numbers}
    return {"type": "string", "enum": [*options]}


def _named_by(numbers: Sequence[int], options: Mapping[str, int]) -> bool:
    """Tell whether each number is read as the option with this number, counted from 1."""
    called = {normalise_words(label) for label in options}
    if called.isdisjoint(map(str, numbers)):  # nearly always, and much faster than to try
        return True
    return [match_option(number, options) for number in numbers] == [*options.values()]


@_schema.register
def _(reply: Neighbour, legal: Legal) -> Schema:
    return {"type": "string", "enum": [*legal.peers, "nobody"]}


@_schema.register
def _(reply: MixedStrategy, legal: Legal) -> Schema:
    percent = {"type": "integer", "minimum": 0, "maximum": 100}
    shares = _object(dict.fromkeys(reply.actions, percent))
    return {"title": _MIX, "description": hint(reply, legal), **shares}


@_schema.register
def _(reply: Text, legal: Legal) -> Schema:
    return _text(reply, legal)


@_schema.register
def _(reply: Sentence, legal: Legal) -> Schema:
    """Its opening is left to the reading: servers read patterns in different ways."""
    return {"title": f"{_OPENING}{reply.opening}", **_text(reply, legal)}


def _text(reply: Text, legal: Legal) -> Schema:
    words = hint(reply, legal)
    return {"type": "string", "description": words, "minLength": 1, "maxLength": reply.limit}


def _bounds(low: float, high: float) -> Schema:
    """The finite ones among them."""
    named = {"minimum": low, "maximum": high}
    return {name: _plain(bound) for name, bound in named.items() if math.isfinite(bound)}


def _plain(number: float) -> float | int:
    """A number as people write it: 1, not 1.0."""
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


# Where numbers are not bounded


def on_grid(schema: Mapping[str, Any]) -> Schema:
    """The same schema for servers such as llama.cpp, which bound whole numbers and no others.

    Numbers between two bounds, and mixed strategies, are listed; a number with one bound is whole;
    the steps stand in the descriptions. Sentences begin with their opening and hold no quotes.
    What satisfies it satisfies the whole schema, and percentages sum to 100.

    >>> on_grid({"type": "number", "minimum": 0, "maximum": 1})["enum"][:4]
    [0, 0.01, 0.02, 0.03]
    """
    title, bounds = schema.get("title", ""), schema.keys() & _OF_NUMBERS
    if title == _MIX:
        step, mixes = _mixes(tuple(schema["properties"]))
        return {"description": _in_steps(schema, step), "enum": [*mixes]}
    if title.startswith(_OPENING):
        return _opening_with(schema, title.removeprefix(_OPENING))
    if schema.get("type") == "number" and len(bounds) == 2:
        step, values = _grid(float(schema["minimum"]), float(schema["maximum"]))
        return {"description": _in_steps(schema, step), "enum": [*values]}
    if schema.get("type") == "number" and bounds:
        return {**schema, "description": _in_steps(schema, "1"), "type": "integer"} | _whole(schema)
    return _with_parts(schema, on_grid)


def _in_steps(schema: Mapping[str, Any], step: str) -> str:
    return ", ".join(filter(None, [schema.get("description"), f"in steps of {step}"]))


def _whole(schema: Mapping[str, Any]) -> Schema:
    """The bounds of a schema, rounded inwards."""
    rounding = {"minimum": math.ceil, "maximum": math.floor}
    return {name: inner(schema[name]) for name, inner in rounding.items() if name in schema}


def _opening_with(schema: Mapping[str, Any], opening: str) -> Schema:
    """A text with the pattern of a sentence, in signs that need no escape in JSON."""
    room = schema["maxLength"] - len(opening) - 1
    if room < 1 or set(opening) & set('"\\\n'):
        return dict(schema)
    plain = re.sub(r"([.^$*+?{}()|\[\]])", r"\\\1", opening)
    return {**schema, "pattern": rf'^{plain} [^"\\\n]{{1,{room}}}$'}


def without_bounds(schema: Mapping[str, Any]) -> Schema:
    """The same schema for servers that refuse bounds of numbers and lengths of texts.

    They still stand in its descriptions, and are left to the reading.
    """
    loose = {name: words for name, words in schema.items() if name not in _BOUNDS}
    return _with_parts(loose, without_bounds)


def _with_parts(schema: Mapping[str, Any], change: Callable[[Mapping[str, Any]], Schema]) -> Schema:
    """A schema whose properties, entries and alternatives are changed."""
    changed = dict(schema)
    if "items" in schema:
        changed["items"] = change(schema["items"])
    if "properties" in schema:
        changed["properties"] = {name: change(part) for name, part in schema["properties"].items()}
    if "anyOf" in schema:
        changed["anyOf"] = [change(part) for part in schema["anyOf"]]
    return changed


@lru_cache(maxsize=4096)  # the same bounds are asked within again and again
def _grid(low: float, high: float) -> tuple[str, tuple[float, ...]]:
    """The step, 1, 2 or 5 times a power of ten, and its multiples between the bounds, with these.

    >>> _grid(0.0, 0.25)[0], _grid(-1.0, 0.625)[0], _grid(0.0, 84.3274)[1][-2:]
    ('0.005', '0.02', (84, 84.3274))
    """
    least, most = Decimal(repr(low)), Decimal(repr(high))
    if not most > least:
        return "0", (_plain(low),)
    exact = (most - least) / _STEPS
    unit = Decimal(1).scaleb(exact.adjusted())
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= exact)
    first = (least / step).to_integral_value(ROUND_CEILING)
    last = (most / step).to_integral_value(ROUND_FLOOR)
    inside = (float(step * (first + place)) for place in range(int(last - first) + 1))
    values = sorted({low, high, *(min(max(value, low), high) for value in inside)})
    return f"{step.normalize():g}", tuple(map(_plain, values))


@lru_cache(maxsize=256)
def _mixes(actions: tuple[str, ...]) -> tuple[str, tuple[Mapping[str, int], ...]]:
    """The step, in percent, and all mixes of such parts; the finest step that gives few of them.

    >>> [_mixes(tuple("abcdef"[:count]))[0] for count in (2, 3, 4, 6)]
    ['1', '5', '10', '20']
    """
    others = len(actions) - 1
    few = (step for step in _PERCENT_STEPS if math.comb(100 // step + others, others) <= _MIXES)
    step = next(few, 100)
    mixes = [dict(zip(actions, parts, strict=True)) for parts in _parts(100, step, len(actions))]
    return str(step), tuple(mixes)


def _parts(whole: int, step: int, count: int) -> list[tuple[int, ...]]:
    """All ways to split a whole number into so many multiples of a step."""
    if count == 1:
        return [(whole,)]
    return [
        (part, *rest)
        for part in range(0, whole + 1, step)
        for rest in _parts(whole - part, step, count - 1)
    ]


# Whether a server keeps to a schema


def follows(schema: Mapping[str, Any], text: str) -> bool:
    """Whether a reply has the form that a schema demands, bounds of numbers and lengths aside.

    If not, the server has not enforced the schema; of a reply that was cut off this says nothing.
    """
    return _breached(schema, text) <= _BOUNDS


def keeps_bounds(schema: Mapping[str, Any], text: str) -> bool:
    """Whether all numbers in a reply that follows a schema are within their bounds.

    If not, the server does not bound numbers, and should be given the schema on its grid.
    """
    return not _breached(schema, text) & _OF_NUMBERS


def _breached(schema: Mapping[str, Any], text: str) -> set[str]:
    """The keywords of a schema that a reply does not satisfy."""
    from jsonschema import Draft202012Validator  # takes a while to import

    try:
        said = decode_whole(strip_thoughts(text))
    except Unparsed:
        said = None
    return _keywords(Draft202012Validator(schema).iter_errors(said))


def _keywords(errors: Any) -> set[str]:
    """The keywords of errors; of several forms the one counts of which only bounds are broken."""
    found: set[str] = set()
    for error in errors:
        branches: dict[Any, list[Any]] = {}
        for inner in error.context:
            branches.setdefault(inner.schema_path[0], []).append(inner)
        near = [words for words in map(_keywords, branches.values()) if words <= _BOUNDS]
        found |= near[0] if near else {error.validator}
    return found
