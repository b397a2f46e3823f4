"""The builtins of programs: Python's, without those that reach out, and with a look at sizes."""

from __future__ import annotations

import builtins
import enum
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import wraps
from types import FunctionType, ModuleType
from typing import Any
from zlib import crc32

import numpy as np

from society.sandbox.running.guarded_operators import exponent
from society.sandbox.running.seeded_random import ChanceSlot
from society.sandbox.running.size_guards import check_bits, check_size
from society.sandbox.running.step_budget import (
    STEPS,
    RuleBroken,
    budget,
    enter,
    in_order,
    leave,
    parts_with_order,
    steps_over,
)
from society.sandbox.running.work_charges import charge_items, hashed, nested, summed
from society.sandbox.source.names import BUILTINS


def import_loaded_numpy(
    name: str, _: object = None, __: object = None, fromlist: object = (), level: int = 0
) -> ModuleType:
    """Return a module of numpy that is loaded; numpy's C code imports through its caller.

    A program cannot reach it: `import` is taken out of its code, and its name cannot be written.
    """
    if level == 0 and name.partition(".")[0] == "numpy" and name in sys.modules:
        return sys.modules[name if fromlist else "numpy"]
    raise ImportError(f"programs import nothing, and so not {name}")


def own_object(value: Any) -> Any:
    """Return an object whose attributes a program sets: one of a class of its own."""
    kind = type(value)
    if kind.__module__ != "program" or issubclass(kind, enum.Enum):
        raise RuleBroken("a change of something that is no object of the program's own classes")
    return value


def class_name(value: Any) -> str:
    """Return the name of the class of a program's instance."""
    return type(value).__name__


def _range(*bounds: Any) -> range:
    """Count, as range does."""
    numbers = range(*bounds)
    try:
        if len(numbers) > STEPS:
            raise RuleBroken(f"a range of more than {STEPS:,} items")
    except OverflowError:  # more than len can say
        raise RuleBroken(f"a range of more than {STEPS:,} items") from None
    return numbers


def _power(base: Any, power: Any, modulus: Any = None) -> Any:
    """Raise a number to a power, as pow does."""
    if modulus is not None:
        whole = [one.bit_length() for one in (base, power, modulus) if isinstance(one, int)]
        check_bits(10 * max(whole, default=0))
        charge_items(max(whole, default=0) ** 3, 1 << 22)
        return pow(base, power, modulus)
    return base ** exponent(base, power)


def total(values: Iterable[Any], /, start: Any = 0) -> Any:
    """Add numbers, or lists that stay small, as sum does."""
    if type(start) in (int, float):
        return sum(summed(values), start)
    return _join(values, start)


def _join(values: Iterable[Any], total: Any) -> Any:
    """Add lists or arrays one by one."""
    for value in values:
        total = check_size(total + value)
        budget.charge(1 + np.size(value) if isinstance(value, np.ndarray) else 1)
    return total


def rounded(number: Any, digits: Any = None) -> Any:
    """Round a number to few digits, as round does."""
    if digits is not None and abs(digits) > 400:
        raise RuleBroken("rounding to more than 400 digits")
    return round(number) if digits is None else round(number, digits)


def stable_hash(value: Any) -> int:
    """Hash numbers and texts alike in every process, as `hash` does not."""
    if isinstance(value, str):
        charge_items(len(value), 64)
        return crc32(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, tuple):
        budget.charge(len(value) + 1)
        return crc32(repr([stable_hash(part) for part in value]).encode())
    if value is None or value != value:  # addresses of None and of a NaN
        return 0
    if isinstance(value, int | float | np.number | np.bool):
        return hash(value)
    if hasattr(value, "flip"):  # an Action
        return int(value.value)
    raise TypeError(f"no stable hash of {type(value).__name__}; hash numbers and texts")


def _iterator(values: Iterable[Any]) -> Iterator[Any]:
    """Iterate, as iter does of one argument."""
    return iter(in_order(values))


def as_dict(*values: Any, **named: Any) -> dict[Any, Any]:
    """Make a dictionary, as dict does."""
    return dict(*map(parts_with_order, map(hashed, values)), **named)


def as_set(*values: Any) -> set[Any]:
    """Make a set, as set does."""
    return set(*map(hashed, values))


def as_frozenset(*values: Any) -> frozenset[Any]:
    """Make a frozenset, as frozenset does."""
    return frozenset(*map(hashed, values))


def _lazily(kind: Callable[..., Any], *, first: int = 0) -> Callable[..., Any]:
    """Make an iterator that takes a step for each turn."""

    def make(*values: Any, **named: Any) -> Any:
        return kind(*values[:first], *map(steps_over, values[first:]), **named)

    return make


def _enumerate(values: Iterable[Any], start: int = 0) -> Iterator[Any]:
    return enumerate(steps_over(values), start)


def _build_class(*parts: Any) -> Any:
    """Make a class whose instances have no hash, as that would be an address."""
    kind = builtins.__build_class__(*parts)
    if kind.__hash__ is object.__hash__:
        kind.__hash__ = None
    return kind


_COMPARISON = 4  # steps of a comparison of dataclasses
_COMPARES = ("__eq__", "__ge__", "__gt__", "__hash__", "__le__", "__lt__")


def make_dataclass(kind: Any = None, **options: Any) -> Any:
    """Make a dataclass whose instances charge for what they compare or hash."""
    if kind is None:
        return lambda late: make_dataclass(late, **options)
    kind = dataclass(**options)(kind)
    for name in _COMPARES:
        if isinstance(method := kind.__dict__.get(name), FunctionType):
            setattr(kind, name, _counted(method))
    return kind


def _counted(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def call(self: Any, *others: Any) -> Any:
        enter(_COMPARISON)
        try:
            for one in fields(self):
                nested(getattr(self, one.name, None))
            return method(self, *others)
        finally:
            leave()

    return call


class EnumType(enum.EnumType):
    """Charges for the values that members are looked up by."""

    def __call__(cls, *values: Any, **named: Any) -> Any:
        return super().__call__(*map(nested, values), **named)


def _print(*_: object, **__: object) -> None:
    """Print nothing, as a program has nobody to speak to."""


_GUARDED = {
    "enumerate": _enumerate,
    "filter": _lazily(filter, first=1),
    "hash": stable_hash,
    "iter": _iterator,
    "map": _lazily(map, first=1),
    "pow": _power,
    "print": _print,
    "range": _range,
    "zip": _lazily(zip),
}


def builtins_for(slot: ChanceSlot) -> dict[str, Any]:
    """Make the builtins of a namespace."""

    def identity(_: object) -> int:
        """Stand for `id`: a number of the program's seed, since an address would be luck."""
        return 0x7F00_0000_0000 + 16 * (slot.chance.seed % 2**32)

    offered = {name: getattr(builtins, name) for name in BUILTINS}
    inner = {"__build_class__": _build_class, "__import__": import_loaded_numpy}
    return {**offered, **_GUARDED, "id": identity, **inner}
