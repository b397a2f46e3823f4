"""Methods and texts that can make much of little, each with a look at sizes before it is made.

A program's numbers have at most BITS bits, its texts, lists and arrays at most ITEMS items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
from society.sandbox.running.work_charges import (
    charge_items,
    hashed,
    nested,
    result_charged,
    searched,
    walked,
)

ITEMS = 20_000  # of a text or container
ENTRIES = 250_000  # of an array: 1,000 rounds of 250 players
BITS = 4_096
CONTAINERS = (list, tuple, set, frozenset, dict)
PRODUCTS = 8_192  # multiplications that take a step


def check_items(count: float, what: str = "a text or list") -> None:
    """Refuse more items than a program may have."""
    most = ENTRIES if what == "an array" else ITEMS
    if count > most:
        raise RuleBroken(f"{what} of more than {most:,} items")


def check_bits(count: float) -> None:
    """Refuse whole numbers of more bits than a program may have."""
    if count > BITS:
        raise RuleBroken(f"a whole number of more than {BITS:,} bits")


def check_size(value: Any) -> Any:
    """Return a value that is not too large."""
    if isinstance(value, np.ndarray):
        check_items(value.size, "an array")
        check_items(value.nbytes / 8, "an array")
    elif isinstance(value, (str, bytes, *CONTAINERS)):
        check_items(len(value))
    elif isinstance(value, int):
        check_bits(value.bit_length())
    return value


def count_items(shape: Any) -> int:
    """Return how many entries an array of a shape has; refuses too many."""
    sizes = shape if isinstance(shape, Sequence | np.ndarray) else (shape,)
    items = math.prod(max(1, int(size)) for size in sizes)
    check_items(items, "an array")
    return items


def check_shape(shape: Any) -> Any:
    """Return the shape of an array that is not too large."""
    count_items(shape)
    return shape


def check_broadcast(*arrays: Any) -> int:
    """Return how many entries an operation on these arrays goes through; refuses too many."""
    shapes = {one.shape for one in arrays}
    largest: int = max(one.size for one in arrays)
    if len(shapes) == 1:
        return largest
    product: int = math.prod(max(1, one.size) for one in arrays)
    if product <= ENTRIES:
        return product
    try:
        largest = math.prod(np.broadcast_shapes(*shapes))
    except ValueError:  # the operation says what is wrong, if it needs shapes that fit
        return largest
    check_items(largest, "an array")
    return largest


def check_product(left: Any, right: Any) -> None:
    """Look at the sizes of a product of matrices, and charge for it."""
    one, other = np.asarray(nested(left)), np.asarray(nested(right))
    shared = max(1, one.shape[-1] if one.ndim else 1)
    check_items(one.size * other.size / shared**2, "an array")
    charge_items(one.size * other.size // shared, PRODUCTS)


def listed(values: Any) -> Any:
    """Return an iterator's items, as one over the very list that grows would never end."""
    return list(steps_over(values)) if type(values) in LAZY else values


def call_method(owner: Any, name: str, /, *values: Any, **named: Any) -> Any:
    """Call a method whose work or result may be large: `join`, `replace`, `extend`, `dot` ..."""
    method: Callable[..., Any] = getattr(owner, name)
    if type(owner) is type:  # list.count(values, 1)
        values = tuple(nested(listed(value)) for value in values)
        if name == "pop" and values:
            with_order(values[0])
        if values and name in _CHECKED:
            return call_method(values[0], name, *values[1:], **named)
    if name in ("extend", "update", "union"):
        values = tuple(map(listed, values))
    if name == "extend":
        values = tuple(map(in_order, values))
    if name == "index" and isinstance(owner, list | tuple):
        return _index(searched(owner, values[0] if values else None), *values)
    if isinstance(owner, CONTAINERS):
        _check_container(owner, name, values)
    elif isinstance(owner, np.ndarray):
        _check_array(owner, name, values)
    elif isinstance(owner, str):
        values = _checked_text(owner, name, values)
    elif isinstance(owner, range):
        searched(owner, values[0] if values else None)
    elif name == "outer":
        check_items(np.size(values[0]) * np.size(values[1]), "an array")
    return result_charged(check_size(method(*values, **named)))


_CHECKED = frozenset({"count", "dot", "extend", "index", "join", "remove", "repeat", "replace"}) | {
    "sort",
    "union",
    "update",
}


def _check_container(owner: Any, name: str, values: tuple[Any, ...]) -> None:
    """Look at a method of a list, dictionary or set."""
    if name in ("count", "remove"):
        searched(owner, values[0] if values else None)
        return
    walked(owner)
    for value in values:
        hashed(value) if hasattr(value, "__len__") else None
    if name in ("extend", "update", "union"):
        check_items(len(owner) + sum(len(value) for value in values if hasattr(value, "__len__")))


def _check_array(owner: Any, name: str, values: tuple[Any, ...]) -> None:
    """Look at a method of an array."""
    if name == "repeat":
        check_items(owner.size * int(np.max(values[0])), "an array")
    elif name == "dot" and values:
        check_product(owner, values[0])
    charge_items(owner.size, 64)
    for value in values:
        nested(value)


def _checked_text(owner: str, name: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Look at a method of a text, and return its arguments."""
    charge_items(len(owner), 64)
    if name == "replace":
        check_items(len(owner) * max(1, len(values[1])))
    elif name == "join":
        values = (list(hashed(values[0])),)
        check_items(sum(map(len, values[0])) + len(owner) * len(values[0]))
    return values


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
    elif isinstance(value, int):
        charge_items(value.bit_length(), 256)
    elif isinstance(value, CONTAINERS):
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
