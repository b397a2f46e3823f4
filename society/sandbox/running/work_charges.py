"""Charge steps for what C code walks through: in proportion to its size, and before it begins.

One operation of a program can go through a list, compare lists that hold lists, hash a tuple of
tuples, or multiply matrices; a step stands for about a microsecond of that. What is nested is
charged as often as it stands there, since C code walks through it as often.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import length_hint
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from society.sandbox.running.step_budget import (
    LAZY,
    RuleBroken,
    budget,
    in_order,
    steps_over,
    with_order,
)

CHEAP = 64  # items that cost no step
# Values that no operation walks through, as whole numbers are bounded.
SCALARS = frozenset({float, int, bool, type(None), np.float64, np.int64, np.bool_})
NESTING = frozenset({list, tuple, dict, set, frozenset, np.ndarray, slice})
_DEEPEST = 20
_SAME_HASH = 2**61 - 1  # whole numbers that differ by it have one hash
_LONG_KEY = 500  # steps of a key that may meet many others of its hash
_COMPARISONS = 16  # of a value with others, when a long list is sorted


def charge_items(items: int, together: int = 16) -> None:
    """Take a step for so many items together, and none for a few."""
    if items > CHEAP:
        budget.charge(items // together)


def walked(value: Any) -> Any:
    """Return a value that an operation may go through, and charge for its size."""
    kind = type(value)
    if kind not in SCALARS:
        if kind is np.ndarray:
            charge_items(value.size, 128)
        elif kind is str:
            charge_items(len(value), 64)
        else:
            charge_items(length_hint(value, 0), 32)
    return value


def sized(values: Any) -> Any:
    """Return what an operation goes through from its beginning to its end, and charge for it."""
    kind = type(values)
    if kind in LAZY:
        return steps_over(values)
    charge_items(values.size if kind is np.ndarray else length_hint(values, 0))
    return in_order(values) if kind is set or kind is frozenset else values


def nested(value: Any, depth: int = 0) -> Any:
    """Return a value that is compared, hashed or copied with all that stands in it, and charge."""
    kind = type(value)
    if kind is np.ndarray:
        charge_items(value.size, 128)
    elif kind is str:
        charge_items(len(value), 64)
    elif kind in NESTING:
        if depth > _DEEPEST:
            raise RuleBroken("containers that are nested too deeply")
        parts = _parts(value)
        if depth or len(parts) > CHEAP:
            budget.charge(1 + len(parts) // 16)
        if not SCALARS.issuperset(map(type, parts)):
            for part in parts:
                nested(part, depth + 1)
    return value


def _parts(value: Any) -> Any:
    if type(value) is dict:
        return [*value, *value.values()]
    return (value.start, value.stop, value.step) if type(value) is slice else value


def key(value: Any) -> Any:
    """Return what is looked up in a dictionary or set, and charge for its hash."""
    kind = type(value)
    if kind is int:
        if not -_SAME_HASH < value < _SAME_HASH:
            budget.charge(_LONG_KEY)
        return value
    if kind in SCALARS or kind is str:
        return value
    if kind is tuple or kind is frozenset:
        nested(value)
        for part in value:
            key(part)
        return value
    return nested(value)


def hashed(values: Any) -> Any:
    """Return what goes into a set or dictionary, and charge for its items and their hashes."""
    if type(values) in LAZY:
        values = list(steps_over(values))
    if type(values) is list or type(values) is tuple:
        _charge_keys(values)
    if type(values) is set or type(values) is frozenset:
        charge_items(len(values))
        return values
    return nested(sized(values))


def _charge_keys(values: Any) -> None:
    """Charge for whole numbers that may have been chosen to have one hash."""
    if int in set(map(type, values)):
        for one in values:
            if type(one) is int and not -_SAME_HASH < one < _SAME_HASH:
                budget.charge(_LONG_KEY)


def picked(values: Any, place: Any) -> Any:
    """Look up `values[place]`."""
    kind = type(place)
    if kind not in SCALARS and kind is not str:
        nested(place)
        if kind is slice:
            walked(values)
    return values[place]


def ordered(values: Any) -> Any:
    """Return values that are compared with each other, and charge for them and their items."""
    values = sized(values)
    if type(values) in NESTING and type(values) is not np.ndarray and len(values):
        first = type(next(iter(values)))
        if first in NESTING:
            for _ in range(_COMPARISONS):
                nested(values)
    return values


def ordered_by(function: Any) -> Any:
    """Return a function for `key=`, and charge for the comparisons of what it returns."""
    if function is None:
        return None

    def call(value: Any) -> Any:
        found = function(value)
        if type(found) in NESTING:
            for _ in range(_COMPARISONS):
                nested(found)
        return found

    return call


def summed(values: Any) -> Any:
    """Return values that are added, and charge for arrays among them."""
    values = sized(values)
    if type(values) in (list, tuple) and values and type(values[0]) is np.ndarray:
        nested(values)
    return values


def searched(values: Any, wanted: Any) -> Any:
    """Return what a value is looked for in, and charge for the comparisons."""
    kind = type(values)
    if type(wanted) in NESTING:
        nested(wanted)
        return nested(sized(values))
    if kind is dict or kind is set or kind is frozenset:
        return values
    if kind is range and type(wanted) in (int, bool):
        return values
    return sized(values)


def inside(wanted: Any, values: Any) -> Any:
    """Tell if a value is among others."""
    return wanted in searched(values, wanted)


def outside(wanted: Any, values: Any) -> Any:
    """Tell if a value is not among others."""
    return wanted not in searched(values, wanted)


def result_charged(result: Any) -> Any:
    """Return what an operation has made, and charge for its size."""
    kind = type(result)
    if kind is np.ndarray:
        charge_items(result.size, 256)
    elif kind is list or kind is tuple:
        charge_items(len(result), 64)
    return result


def charged(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that is used as a value charge for its arguments at each call."""

    def call(*values: Any, **named: Any) -> Any:
        budget.charge(1)
        passed = [nested(sized(value)) for value in values]
        return result_charged(function(*passed, **named))

    return call


def bound(method: Any) -> Any:
    """Return an attribute that is used as a value; a method charges for its owner at each call."""
    if type(method) is not BuiltinFunctionType or type(method.__self__) not in (*NESTING, str):
        return method
    owner = method.__self__

    def call(*values: Any, **named: Any) -> Any:
        budget.charge(1)
        passed = [nested(sized(value)) for value in values]
        searched(owner, passed[0] if passed else None)
        if method.__name__ == "pop" and type(owner) is set:
            with_order(owner)
        return result_charged(method(*passed, **named))

    return call
