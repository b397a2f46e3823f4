"""Operations that can make much of little, each with a look at sizes before it is carried out.

A program's numbers have at most BITS bits, its texts, lists and arrays at most ITEMS items, so no
single step takes long.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from society.sandbox.running.step_budget import LAZY, RuleBroken, budget, steps_over

ITEMS = 20_000  # of a text or container
ENTRIES = 250_000  # of an array: 1,000 rounds of 250 players
_CHEAP = 64  # items that cost no step
BITS = 10_000
_CONTAINERS = (list, tuple, set, frozenset, dict)


def check_items(count: float, what: str = "a text or list") -> None:
    """Refuse more items than a program may have."""
    most = ENTRIES if what == "an array" else ITEMS
    if count > most:
        raise RuleBroken(f"{what} of more than {most:,} items")


def sized(values: Any) -> Any:
    """Return what an operation goes through from its beginning to its end, and charge for it."""
    kind = type(values)
    if kind is list or kind is tuple or kind is np.ndarray or kind is set:
        items = len(values) if kind is not np.ndarray else values.size
        if items > _CHEAP:
            budget.charge(items // 16)
    elif kind in LAZY:
        return steps_over(values)
    return values


def compared(value: Any) -> Any:
    """Return the left side of a comparison, and charge for all that stands in it."""
    if type(value) in _CONTAINERS:
        _charge_text(value, 0)
    return value


def check_bits(count: float) -> None:
    """Refuse whole numbers of more bits than a program may have."""
    if count > BITS:
        raise RuleBroken(f"a whole number of more than {BITS:,} bits")


def check_size(value: Any) -> Any:
    """Return a value that is not too large."""
    if isinstance(value, np.ndarray):
        check_items(value.size, "an array")
        check_items(value.nbytes / 8, "an array")
    elif isinstance(value, (str, bytes, *_CONTAINERS)):
        check_items(len(value))
    elif isinstance(value, int):
        check_bits(value.bit_length())
    return value


def check_shape(shape: Any) -> Any:
    """Return the shape of an array that is not too large."""
    sizes = shape if isinstance(shape, Sequence | np.ndarray) else (shape,)
    check_items(math.prod(max(1, int(size)) for size in sizes), "an array")
    return shape


def _number(value: Any) -> Any:
    """Look at numpy's whole numbers as Python's, which grow."""
    return int(value) if isinstance(value, np.integer) else value


def added(left: Any, right: Any) -> Any:
    """Return the right side of `left + right`, whose result is not too large."""
    if type(right) is not float and type(left) is not float:
        if type(left) is list and not isinstance(right, _CONTAINERS):
            right = _listed(right)
        _check_added(left, right)
    return right


def _listed(values: Any) -> Any:
    """Return an iterator's items, as one over the very list that grows would never end."""
    return list(steps_over(values)) if type(values) in LAZY else values


def _check_added(left: Any, right: Any) -> None:
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        _check_broadcast(left, right)
    elif isinstance(left, (str, *_CONTAINERS)) and isinstance(right, (str, *_CONTAINERS)):
        check_items(len(left) + len(right))


def _check_broadcast(left: Any, right: Any) -> None:
    if np.size(left) * np.size(right) > ENTRIES and np.shape(left) != np.shape(right):
        check_items(math.prod(np.broadcast_shapes(np.shape(left), np.shape(right))), "an array")


def multiplied(left: Any, right: Any) -> Any:
    """Return the right side of `left * right`, whose result is not too large."""
    if type(right) is not float and type(left) is not float:
        _check_multiplied(_number(left), _number(right))
    return right


def _check_multiplied(left: Any, right: Any) -> None:
    if isinstance(left, int) and isinstance(right, int):
        check_bits(left.bit_length() + right.bit_length())
    elif isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        _check_broadcast(left, right)
    elif isinstance(left, str | list | tuple) and isinstance(right, int):
        check_items(len(left) * right)
    elif isinstance(right, str | list | tuple) and isinstance(left, int):
        check_items(len(right) * left)


def exponent(base: Any, power: Any) -> Any:
    """Return the right side of `base ** power`, whose result is not too large."""
    if type(power) is not float and type(base) is not float:
        if isinstance(base, np.ndarray) or isinstance(power, np.ndarray):
            _check_broadcast(base, power)
        elif isinstance(base, int) and isinstance(power, int):
            check_bits(base.bit_length() * abs(power))
    return power


def shift(number: Any, places: Any) -> Any:
    """Return the right side of `number << places`, whose result is not too large."""
    if isinstance(number, int) and isinstance(places, int | np.integer):
        check_bits(number.bit_length() + int(places))
    return places


def divisor(left: Any, right: Any) -> Any:
    """Return the right side of `left % right`, which is not the filling of a text."""
    if isinstance(left, str | bytes):
        raise RuleBroken("text filled in with `%`; write an f-string")
    return right


def times(left: Any, right: Any) -> Any:
    """Multiply two values."""
    return left * multiplied(left, right)


def plus(left: Any, right: Any) -> Any:
    """Add two values."""
    return left + added(left, right)


def to_power(base: Any, power: Any) -> Any:
    """Raise a value to a power."""
    return base ** exponent(base, power)


def shifted(number: Any, places: Any) -> Any:
    """Shift a whole number to the left."""
    return number << shift(number, places)


def modulo(left: Any, right: Any) -> Any:
    """Return the remainder of a division."""
    return left % divisor(left, right)


def call_method(owner: Any, name: str, /, *values: Any, **named: Any) -> Any:
    """Call a method that can make much of little: of `join`, `replace`, `extend`, `repeat` ..."""
    method: Callable[..., Any] = getattr(owner, name)
    if name in ("extend", "update", "union"):
        values = tuple(map(_listed, values))
    if name == "index" and isinstance(owner, list | tuple):
        return _index(sized(owner), *values)
    if name in ("extend", "update", "union") and isinstance(owner, _CONTAINERS):
        check_items(len(owner) + sum(len(value) for value in values if hasattr(value, "__len__")))
    elif name == "repeat" and isinstance(owner, np.ndarray):
        check_items(owner.size * int(np.max(values[0])), "an array")
    elif name == "replace" and isinstance(owner, str):
        check_items(len(owner) * max(1, len(values[1])))
    elif name == "join" and isinstance(owner, str):
        values = (list(values[0]),)
        check_items(sum(map(len, values[0])) + len(owner) * len(values[0]))
    elif name == "outer":
        check_items(np.size(values[0]) * np.size(values[1]), "an array")
    return check_size(method(*values, **named))


def _index(values: Any, wanted: Any, *bounds: Any) -> Any:
    """Find a value; Python's own error would write it out, however large it is."""
    if wanted not in values:
        raise ValueError("the value is not in the list")
    return values.index(wanted, *bounds)


def as_text(value: Any = "") -> str:
    """Write a value as text, as `str` does; objects only by their class, as addresses are luck."""
    _charge_text(value, 0)
    if isinstance(value, Exception):
        return type(value).__name__
    return str(value) if _is_plain(value) else f"<{type(value).__name__}>"


def _charge_text(value: Any, depth: int) -> None:
    """Take a step for each thing that is to be written, however often it stands there."""
    budget.charge(1)
    if depth > 20:
        raise RuleBroken("text of lists that are nested too deeply")
    if isinstance(value, np.ndarray):
        budget.charge(value.size)
    elif isinstance(value, _CONTAINERS):
        parts = [*value, *value.values()] if isinstance(value, dict) else value
        for part in parts:
            _charge_text(part, depth + 1)


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, (*value, *value.values())))
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    return value is None or isinstance(value, bool | int | float | str | range | np.generic)
