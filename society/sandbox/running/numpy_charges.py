"""Charge steps for functions of numpy: for what they are given, what they make, and their work.

A step stands for about a microsecond of work on large arrays, or ten of a call on small ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import wraps
from operator import length_hint
from typing import Any

import numpy as np

from society.sandbox.running.size_guards import (
    PRODUCTS,
    check_broadcast,
    check_items,
    check_product,
)
from society.sandbox.running.step_budget import LAZY, RuleBroken, budget
from society.sandbox.running.work_charges import (
    CHEAP,
    SCALARS,
    charge_items,
    nested,
    result_charged,
    sized,
)

Function = Callable[..., Any]
_UNIT = 64  # entries of an array that take a step
# Functions that need more than about ten microseconds for a few entries, in steps.
_SLOW_CALLS = {
    **dict.fromkeys(("lstsq", "nanpercentile", "nanquantile", "polyfit"), 20),
    **dict.fromkeys(("apply_along_axis", "histogram", "pad", "percentile", "quantile"), 10),
    **dict.fromkeys(
        (
            *("average", "corrcoef", "cov", "cross", "digitize", "eigvals", "gradient"),
            *("histogram_bin_edges", "insert", "intersect1d", "isclose", "allclose", "isin"),
            *("kron", "matrix_power", "matrix_rank", "median", "nanmedian", "nanstd", "nanvar"),
            *("piecewise", "select", "setdiff1d", "setxor1d", "union1d", "unique", "unwrap"),
            *("geomspace", "logspace", "trapezoid", "tile", "meshgrid", "ix_", "rollaxis"),
        ),
        5,
    ),
}
_LAZY = frozenset(LAZY)
_ROW_BY_ROW = frozenset({"apply_along_axis", "nanmedian", "nanpercentile", "nanquantile"})


def charged_function(name: str, function: Any) -> Any:
    """Let a function of numpy charge for its work; what is no function stays as it is."""
    if not callable(function) or isinstance(function, type):
        return function
    slow, work = _SLOW_CALLS.get(name, 1), _WORK.get(name)

    joins = work is not None or name in _JOINING
    # Vectors that are short, and as long as each other, cost these no more than the call.
    short = (work is None or work is _dot) and name not in _ROW_BY_ROW

    @wraps(function, updated=())
    def call(*values: Any, **named: Any) -> Any:
        budget.charge(slow)
        if short and not named and _are_short(values):
            return _result(function(*values))
        if not _LAZY.isdisjoint(map(type, values)):
            values = tuple(sized(value) if type(value) in LAZY else value for value in values)
        arrays = charge_arguments(*values, **named)
        if len(arrays) > 1 and not joins:
            charge_items(check_broadcast(*arrays), _UNIT)
        if work is not None:
            work(*values, **named)
        if name in _ROW_BY_ROW:
            for one in arrays:
                charge_items(2 * one.size // max(1, min(one.shape or (1,))), 1)
        return _result(function(*values, **named))

    if isinstance(function, np.ufunc):
        for method in ("accumulate", "reduce"):
            setattr(call, method, charged_function(method, getattr(function, method)))
    return call


def _result(result: Any) -> Any:
    if type(result) is list:  # of arrays
        budget.charge(len(result))
    return result_charged(result)


def _are_short(values: Sequence[Any]) -> bool:
    """Tell if these are numbers, and short vectors of one length."""
    length = -1
    for value in values:
        kind = type(value)
        if kind in SCALARS:
            continue
        if kind is not np.ndarray or value.ndim != 1 or len(value) > CHEAP:
            return False
        if length not in (-1, len(value)):
            return False
        length = len(value)
    return True


_JOINING = frozenset(
    {"append", "concat", "concatenate", "hstack", "vstack", "column_stack", "convolve"}
    | {"correlate", "union1d", "outer", "kron", "meshgrid", "isin", "intersect1d", "setdiff1d"}
    | {"setxor1d", "searchsorted", "digitize", "interp", "take", "array_equal", "delete"}
)


def charge_arguments(*values: Any, **named: Any) -> list[np.ndarray[Any, Any]]:
    """Charge for what a function of numpy is given; returns the arrays among it."""
    given = values if not named else (*values, *named.values())
    return [one for value in given if type(value) not in SCALARS for one in _arrays(value)]


def _arrays(value: Any) -> Sequence[np.ndarray[Any, Any]]:
    """Return what is an array, and charge for all that is one or becomes one."""
    if type(value) is np.ndarray:
        if value.size > CHEAP:
            budget.charge(value.size // _UNIT)
        return (value,) if value.ndim else ()
    nested(value)
    charge_items(length_hint(value, 0), 8)
    if type(value) is list and value and type(value[0]) is list:
        with suppress(ValueError):  # rows of several lengths
            return (np.asarray(value),)
    return ()


def _shape(value: Any) -> tuple[int, ...]:
    return np.shape(value)


def _matrices(factor: int) -> Function:
    """Charge for work on square matrices, or pairs of them."""

    def work(*values: Any, **named: Any) -> None:
        for value in values[:2]:
            shape = _shape(value)
            if len(shape) > 1:
                charge_items(factor * math.prod(shape) * min(shape[-2:]), PRODUCTS)

    return work


def _matrix_power(matrix: Any, power: int, **_: Any) -> None:
    shape = _shape(matrix)
    charge_items(2 * abs(power).bit_length() * math.prod(shape) * max(shape[-1:]), PRODUCTS)


def _dot(left: Any, right: Any, *_: Any, **named: Any) -> None:
    check_product(left, right)


def _tensordot(left: Any, right: Any, axes: Any = 2) -> None:
    shape, other = _shape(left), _shape(right)
    if isinstance(axes, int):
        shared = math.prod(shape[len(shape) - axes :]) if axes else 1
    else:
        sides = axes[0] if isinstance(axes[0], list | tuple) else (axes[0],)
        shared = math.prod(shape[one] for one in sides)
    entries = math.prod(shape) * math.prod(other)
    check_items(entries / max(1, shared) ** 2, "an array")
    charge_items(entries // max(1, shared), PRODUCTS)


def _einsum(text: Any, *values: Any, **named: Any) -> None:
    """Charge for a sum over indices, as many as all of them together run through."""
    if not isinstance(text, str) or "." in text:
        raise RuleBroken("np.einsum without letters for its indices")
    terms, _, result = text.replace(" ", "").partition("->")
    sizes: dict[str, int] = {}
    for term, value in zip(terms.split(","), values, strict=False):
        sizes |= zip(term, _shape(value), strict=False)
    charge_items(math.prod(sizes.values()), PRODUCTS // 8)
    kept = result if "->" in text else [one for one in sizes if terms.count(one) == 1]
    check_items(math.prod(sizes.get(one, 1) for one in kept), "an array")


def _polyfit(x: Any, y: Any, deg: Any, *_: Any, **named: Any) -> None:
    columns = int(np.max(deg)) + 1
    check_items(np.size(x) * columns, "an array")
    charge_items(np.size(x) * columns**2, PRODUCTS // 8)


def _polyval(p: Any, x: Any, *_: Any) -> None:
    budget.charge(np.size(p) // 2)
    charge_items(np.size(p) * np.size(x), 128)


def _covariance(m: Any, y: Any = None, rowvar: Any = True, *_: Any, **named: Any) -> None:
    shapes = [_shape(one) for one in (m, y) if one is not None]
    rows = sum((one[0] if rowvar else one[-1]) if len(one) > 1 else 1 for one in shapes)
    check_items(rows**2, "an array")
    charge_items(rows * sum(map(math.prod, shapes)), PRODUCTS // 8)


def _all_pairs(left: Any, right: Any, *_: Any, **named: Any) -> None:
    charge_items(np.size(left) * np.size(right), PRODUCTS // 8)


def _power(*values: Any, **named: Any) -> None:
    charge_items(check_broadcast(*map(np.asarray, values[:2])), 32)


_WORK: dict[str, Function] = {
    **dict.fromkeys(("dot", "inner", "matmul"), _dot),
    **dict.fromkeys(("det", "inv", "solve"), _matrices(2)),
    **dict.fromkeys(("lstsq", "matrix_rank", "norm"), _matrices(20)),
    **dict.fromkeys(("corrcoef", "cov"), _covariance),
    **dict.fromkeys(("convolve", "correlate"), _all_pairs),
    **dict.fromkeys(("float_power", "power"), _power),
    "eigvals": _matrices(50),
    "einsum": _einsum,
    "matrix_power": _matrix_power,
    "polyfit": _polyfit,
    "polyval": _polyval,
    "tensordot": _tensordot,
}
