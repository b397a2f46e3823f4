"""Sums, means and extremes of short arrays, without the detours of numpy's own.

Most arrays of programs are histories of a few rounds, for which numpy takes many times as long to
find out what it is given as to add it up. Values and types are those of numpy and of Python; what
is no short array of small whole numbers, truths or (for means) fractions goes the usual way.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

import numpy as np

Function = Callable[..., Any]
SHORT = 64  # entries, for which no step is charged
_SMALL = 2**44  # sums of so many are exact as fractions, too
_EXACT = 2**11  # whole numbers up to here are exact even in np.float16
_WHOLE, _TRUTH, _FRACTION = np.dtype(np.int64), np.dtype(np.bool_), np.dtype(np.float64)
_add = np.add.reduce


def _numbers(values: Any) -> list[int] | None:
    """Return the whole numbers or truths of a short array, None if it is something else."""
    if type(values) is not np.ndarray or values.ndim != 1 or not 0 < len(values) <= SHORT:
        return None
    kind = values.dtype
    if kind is _TRUTH:
        truths: list[int] = values.tolist()
        return truths
    if kind is not _WHOLE:
        return None
    numbers: list[int] = values.tolist()
    return numbers if max(numbers) < _SMALL and min(numbers) > -_SMALL else None


def _are_fractions(values: Any) -> bool:
    return (
        type(values) is np.ndarray
        and values.dtype is _FRACTION
        and values.ndim == 1
        and 0 < len(values) <= SHORT
    )


def _sum(values: Any) -> Any:
    numbers = _numbers(values)
    if numbers is not None:
        return np.int64(sum(numbers))
    return _add(values) if _are_fractions(values) else None


def _mean(values: Any) -> Any:
    numbers = _numbers(values)
    if numbers is not None:
        return np.float64(sum(numbers) / len(numbers))
    return _add(values) / len(values) if _are_fractions(values) else None


def _variance(values: Any) -> Any:
    """Go numpy's way: the mean, the squares of what is off it, and their mean."""
    mean = _mean(values)
    if mean is None:
        return None
    off = values - mean
    return _add(off * off) / len(values)


def _deviation(values: Any) -> Any:
    variance = _variance(values)
    return None if variance is None else np.float64(sqrt(variance))


def _median(values: Any) -> Any:
    numbers = _numbers(values)
    if numbers is None:
        return None
    numbers.sort()
    half = len(numbers) // 2
    middle = numbers[half] if len(numbers) % 2 else (numbers[half - 1] + numbers[half]) / 2
    return np.float64(middle)


def _largest(values: Any) -> Any:
    numbers = _numbers(values)
    return None if numbers is None else values.dtype.type(max(numbers))


def _least(values: Any) -> Any:
    numbers = _numbers(values)
    return None if numbers is None else values.dtype.type(min(numbers))


def _all(values: Any) -> Any:
    numbers = _numbers(values)
    return None if numbers is None else np.bool_(all(numbers))


def _any(values: Any) -> Any:
    numbers = _numbers(values)
    return None if numbers is None else np.bool_(any(numbers))


_QUICK: dict[str, Function] = {
    "all": _all,
    "amax": _largest,
    "amin": _least,
    "any": _any,
    "max": _largest,
    "mean": _mean,
    "median": _median,
    "min": _least,
    "std": _deviation,
    "sum": _sum,
    "var": _variance,
}


def _quick(function: Function, quick: Function) -> Function:
    """Take the short way where there is one, else a function of numpy's."""

    def call(*values: Any, **named: Any) -> Any:
        if len(values) == 1 and not named:
            found = quick(values[0])
            if found is not None:
                return found
        return function(*values, **named)

    call.__name__ = function.__name__
    return call


def quick_functions() -> dict[str, Function]:
    """Make functions of numpy that take the short way where there is one."""
    return {name: _quick(getattr(np, name), quick) for name, quick in _QUICK.items()}


def _method(name: str) -> Function:
    quick = _QUICK[name]

    def call(owner: Any) -> Any:
        found = quick(owner)
        return getattr(owner, name)() if found is None else found

    return call


# Of methods that numpy writes in Python, called without arguments: mean_of(x) is x.mean().
mean_of, std_of, var_of = map(_method, ("mean", "std", "var"))


def plain_item(value: Any) -> Any:
    """Return what is compared in a test: numpy is slow to compare its whole numbers with fractions.

    Only numbers that are exact in fractions of any kind become Python's.
    """
    if type(value) is np.int64 and -_EXACT <= value <= _EXACT:
        return int(value)
    return value
