"""Questions to programs: facts as plain values, and answers in the form that was asked for.

Where a program gives no answer, the one that asks the least of anybody stands: the smallest number,
the first option, no neighbour, every action equally likely, no words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from society.engine.action_spaces import (
    Choice,
    Fields,
    Integer,
    MixedStrategy,
    Neighbour,
    Real,
    Text,
)
from society.engine.component import Agent, Inquiry
from society.engine.graph import NOBODY
from society.engine.observations import OwnFacts
from society.sandbox.matches.live_calls import FactValue


class Misanswer(ValueError):
    """An answer that is not of the form that was asked for; its text says what was expected."""


def plain_facts(facts: OwnFacts) -> dict[str, FactValue]:
    """Return the facts of a line as a program sees them: numbers, text and arrays of numbers.

    Of a fact that is seen on a graph, `neighbours_NAME` has the entries of those whom one sees.
    """
    plain = {name: _plain(facts[name]) for name in facts}
    for name in facts:
        if facts.scope(name) == "seen":
            plain[f"neighbours_{name}"] = _plain(np.array(list(facts.seen(name).values())))
    return {name: value for name, value in plain.items() if value is not None}


def question_facts(ask: Inquiry) -> dict[str, FactValue]:
    """Return the facts of a question, with the bounds of a number as `low` and `high`."""
    reply = ask.reply
    bounds: dict[str, FactValue] = {}
    if isinstance(reply, Real | Integer):
        bounds = {"low": _plain(reply.low), "high": _plain(reply.high)}
    return {**bounds, **plain_facts(ask.facts)}


def _plain(value: Any) -> FactValue:
    """Return numbers and text as they are; None for what no program can use."""
    if isinstance(value, np.ndarray) and value.ndim:
        return value if value.dtype.kind in "biuf" else None
    plain = value.item() if isinstance(value, np.generic | np.ndarray) else value
    return plain if isinstance(plain, bool | int | float | str) else None


@singledispatch
def read_answer(reply: Any, said: object, ask: Inquiry, agent: Agent) -> Any:
    """Return an answer of the form of a reply; raises Misanswer."""
    raise Misanswer(f"programs cannot answer by {type(reply).__name__}")


@singledispatch
def least_answer(reply: Any, ask: Inquiry) -> Any:
    """Return the answer that stands where a program gives none."""
    raise Misanswer(f"programs cannot answer by {type(reply).__name__}")


def _number(said: object, low: float, high: float, what: str) -> float:
    good = isinstance(said, int | float) and not isinstance(said, bool)
    if not good or not low <= said <= high:  # type: ignore[operator]
        raise Misanswer(f"it answered {said!r:.60}; expected {what} from {low:g} to {high:g}")
    return float(said)  # type: ignore[arg-type]


@read_answer.register
def _(reply: Real, said: object, ask: Inquiry, agent: Agent) -> float:
    return _number(said, float(reply.low), float(reply.high), "a number")


@least_answer.register
def _(reply: Real, ask: Inquiry) -> float:
    return float(reply.low)


@read_answer.register
def _(reply: Integer, said: object, ask: Inquiry, agent: Agent) -> int:
    number = _number(said, float(reply.low), float(reply.high), "a whole number")
    if number != math.floor(number):
        raise Misanswer(f"it answered {number:g}; expected a whole number")
    return int(number)


@least_answer.register
def _(reply: Integer, ask: Inquiry) -> int:
    return math.ceil(float(reply.low))


@read_answer.register
def _(reply: Choice, said: object, ask: Inquiry, agent: Agent) -> int:
    options = _options(reply, ask)
    if said in options and not isinstance(said, bool):
        return options[said]
    names = ", ".join(map(str, options))
    raise Misanswer(f"it answered {said!r:.60}; expected one of {names:.200}")


@least_answer.register
def _(reply: Choice, ask: Inquiry) -> int:
    return next(iter(_options(reply, ask).values()))


def _options(reply: Choice, ask: Inquiry) -> dict[Any, int]:
    """Return the open options as a program names them, by their numbers in the question."""
    options = reply.options[0] if ask.options is None else ask.options
    return {
        _plain(option): number
        for number, option in enumerate(options)
        if option is not None and option == option
    }


@read_answer.register
def _(reply: Neighbour, said: object, ask: Inquiry, agent: Agent) -> int:
    seats = {NOBODY, *agent.neighbours(reply.graph).values()}
    if said not in seats or isinstance(said, bool):
        shown = ", ".join(map(str, sorted(seats)))
        raise Misanswer(f"it answered {said!r:.60}; expected a neighbour's seat: {shown:.100}")
    return said


@least_answer.register
def _(reply: Neighbour, ask: Inquiry) -> int:
    return NOBODY


@read_answer.register
def _(reply: MixedStrategy, said: object, ask: Inquiry, agent: Agent) -> list[float]:
    if isinstance(said, str) and said in reply.actions:
        return [float(said == action) for action in reply.actions]
    given = said if isinstance(said, Mapping) else {}
    shares = [given.get(action, -1) for action in reply.actions]
    whole = len(given) == len(shares) and all(isinstance(one, int | float) for one in shares)
    if not whole or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9:
        names = ", ".join(reply.actions)
        raise Misanswer(f"it answered {said!r:.60}; expected one of {names:.200}, or their chances")
    return [float(one) for one in shares]


@least_answer.register
def _(reply: MixedStrategy, ask: Inquiry) -> list[float]:
    return [1 / reply.width] * reply.width


@read_answer.register
def _(reply: Text, said: object, ask: Inquiry, agent: Agent) -> str:
    if not isinstance(said, str):
        raise Misanswer(f"it answered {said!r:.60}; expected text")
    return said


@least_answer.register
def _(reply: Text, ask: Inquiry) -> str:
    return ""


@read_answer.register
def _(reply: Fields, said: object, ask: Inquiry, agent: Agent) -> dict[str, Any]:
    given = said if isinstance(said, Mapping) else {}
    if set(given) != set(reply.fields):
        names = ", ".join(reply.fields)
        raise Misanswer(f"it answered {said!r:.60}; expected a dictionary with {names:.200}")
    return {name: read_answer(one, given[name], ask, agent) for name, one in reply.fields.items()}


@least_answer.register
def _(reply: Fields, ask: Inquiry) -> dict[str, Any]:
    return {name: least_answer(one, ask) for name, one in reply.fields.items()}
