"""JSON schemas of replies, for servers that can hold a model to one.

    schema    of a whole reply: {"answer": ...}, or an object of the fields; thoughts stand before
    on_grid   the same for servers that bound no numbers: numbers and mixes are listed, in steps
    follows   whether a reply has the form that a schema demands

Words in them are those of `answers.hint`. All that validates is read, or turned down with a reason:
a schema helps a model, and the reading stays the judge. A class of reply of your own may have a
method schema(legal), the JSON schema of its value; without one, but with a hint or a reading of its
own, its answers are free text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
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
    Text,
)
from society.errors import Unparsed

from .answers import hint, open_options
from .extract import strip_thoughts
from .json_objects import decode_whole
from .values import are_numbered, match_option

Schema = dict[str, Any]

REASONING = "reasoning"  # the name of the thoughts before an answer

_LONGEST_REASONING = 1000  # characters; some servers repeat a rule at most 2000 times
_FEW = 21  # whole numbers that are listed; more of them have bounds
_STEPS = 100  # of the grid of a number, at most
_MIXES = 300  # of the grid of a mixed strategy, at most
_PERCENT_STEPS = (1, 2, 5, 10, 20, 25, 50, 100)
_MIX = "mixed strategy"  # the title by which on_grid knows one: no schema says that it sums to 100
_OF_NUMBERS = {"minimum", "maximum"}
_BOUNDS = _OF_NUMBERS | {"minLength", "maxLength"}


def schema(reply: ActionSpace, legal: Legal, *, thinking: bool = False) -> Schema | None:
    """The JSON schema of a whole reply; None if it is free text.

    thinking: with a text `reasoning` before the answer, unless a field has this name.
    """
    if isinstance(reply, Fields) and not _has_own_words(reply):
        parts = {name: _of_value(part, legal) for name, part in reply.fields.items()}
    else:
        parts = {"answer": _of_value(reply, legal)}
    if None in parts.values():
        return None
    if thinking and REASONING not in parts:
        words = "thoughts, step by step, before the answer"
        thoughts = {"type": "string", "description": words, "maxLength": _LONGEST_REASONING}
        parts = {REASONING: thoughts, **parts}
    return _object(parts)


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
    if are_numbered(options) and [match_option(n, options) for n in numbers] == [*options.values()]:
        return {"description": "the number of an option", "type": "integer", "enum": numbers}
    return {"type": "string", "enum": [*options]}


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
    """The same schema with lists in place of numbers with two bounds, and of mixed strategies.

    The steps stand in the descriptions. What validates does so by the whole schema as well, and
    percentages sum to 100. Numbers without a bound, and whole numbers, stay as they are.

    >>> on_grid({"type": "number", "minimum": 0, "maximum": 1})["enum"][:4]
    [0, 0.01, 0.02, 0.03]
    """
    if schema.get("title") == _MIX:
        return _listed(schema, *_mixes(tuple(schema["properties"])))
    if schema.get("type") == "number" and schema.keys() >= _OF_NUMBERS:
        return _listed(schema, *_grid(float(schema["minimum"]), float(schema["maximum"])))
    coarse = dict(schema)
    if "properties" in schema:
        coarse["properties"] = {name: on_grid(part) for name, part in schema["properties"].items()}
    if "anyOf" in schema:
        coarse["anyOf"] = [on_grid(part) for part in schema["anyOf"]]
    return coarse


def _listed(schema: Mapping[str, Any], step: str, values: tuple[Any, ...]) -> Schema:
    words = ", ".join(filter(None, [schema.get("description"), f"in steps of {step}"]))
    return {"description": words, "enum": [*values]}


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
