"""Operators that can make much of little or go through much, each with a look before it works."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from society.sandbox.running.size_guards import (
    BITS,
    CONTAINERS,
    check_bits,
    check_broadcast,
    check_items,
    check_product,
    listed,
)
from society.sandbox.running.step_budget import RuleBroken, in_order
from society.sandbox.running.work_charges import (
    NESTING,
    SCALARS,
    charge_items,
    nested,
    sized,
    walked,
)

_LARGE = 1 << BITS // 2
_SEQUENCES = (str, list, tuple)


def _number(value: Any) -> Any:
    """Look at numpy's whole numbers as Python's, which grow."""
    return int(value) if isinstance(value, np.integer) else value


def paired(left: Any, right: Any) -> Any:
    """Return the right side of an operation, and charge for what both sides hold."""
    if type(left) not in SCALARS or type(right) not in SCALARS:
        _charge_pair(left, right)
    return right


def _charge_pair(left: Any, right: Any) -> None:
    if not isinstance(left, np.ndarray) and not isinstance(right, np.ndarray):
        for one in (left, right):
            # A scalar of numpy makes an array of a list.
            nested(one) if isinstance(one, list | tuple) else walked(one)
        return
    nested(left)
    nested(right)
    sides = [np.asarray(one) for one in (left, right) if isinstance(one, np.ndarray | list | tuple)]
    charge_items(check_broadcast(*sides), 128)


def added(left: Any, right: Any) -> Any:
    """Return the right side of `left + right`, whose result is not too large."""
    if type(left) not in SCALARS or type(right) not in SCALARS:
        if type(left) is list and not isinstance(right, list | tuple | dict):
            right = in_order(listed(right))
        if isinstance(left, (str, *CONTAINERS)) and isinstance(right, (str, *CONTAINERS)):
            check_items(len(left) + len(right))
            charge_items(len(left) + len(right), 64)
        else:
            _charge_pair(left, right)
    return right


def multiplied(left: Any, right: Any) -> Any:
    """Return the right side of `left * right`, whose result is not too large."""
    if type(right) is not float and type(left) is not float:
        _check_multiplied(_number(left), _number(right))
    elif type(left) not in SCALARS or type(right) not in SCALARS:
        _charge_pair(left, right)
    return right


def _check_multiplied(left: Any, right: Any) -> None:
    if isinstance(left, int) and isinstance(right, int):
        check_bits(left.bit_length() + right.bit_length())
    elif isinstance(left, _SEQUENCES) and isinstance(right, int):
        check_items(len(left) * right)
        charge_items(len(left) * right, 64)
    elif isinstance(right, _SEQUENCES) and isinstance(left, int):
        check_items(len(right) * left)
        charge_items(len(right) * left, 64)
    else:
        paired(left, right)


def exponent(base: Any, power: Any) -> Any:
    """Return the right side of `base ** power`, whose result is not too large."""
    if isinstance(base, int) and isinstance(power, int):
        check_bits(base.bit_length() * abs(power))
    elif isinstance(base, np.ndarray) or isinstance(power, np.ndarray):
        _charge_pair(base, power)
        charge_items(max(np.size(base), np.size(power)), 64)
    else:
        paired(base, power)
    return power


def shift(number: Any, places: Any) -> Any:
    """Return the right side of `number << places`, whose result is not too large."""
    if isinstance(number, int) and isinstance(places, int | np.integer):
        check_bits(number.bit_length() + int(places))
    else:
        paired(number, places)
    return places


def divisor(left: Any, right: Any) -> Any:
    """Return the right side of `left % right`, which is not the filling of a text."""
    if isinstance(left, str | bytes):
        raise RuleBroken("text filled in with `%`; write an f-string")
    return paired(left, right)


def matrix(left: Any, right: Any) -> Any:
    """Return the right side of a product of matrices, whose work is not too large."""
    check_product(left, right)
    return right


def comparable(left: Any, right: Any) -> Any:
    """Return the right side of a comparison, and charge for all that stands in it."""
    if type(left) in SCALARS and type(right) in SCALARS:
        return right
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        _charge_pair(left, right)
    elif type(left) in NESTING or type(right) in NESTING:
        nested(left)
        nested(right)
    else:
        walked(left)
        walked(right)
    return right


def growing(left: Any, right: Any) -> Any:
    """Return the right side of `left += right`, whose result has not too many bits."""
    bounded(left)
    return bounded(right)


def bounded(value: Any) -> Any:
    """Return a sum that has not too many bits."""
    if type(value) is int:
        check_bits(value.bit_length())
    return value


def chained(value: Any) -> Any:
    """Return one of several values that are compared in a row, and charge for it."""
    if isinstance(value, np.ndarray):
        check_items(value.size**2, "an array")
    return nested(sized(value))


def plus(left: Any, right: Any) -> Any:
    """Add two values."""
    if type(left) in SCALARS and type(right) in SCALARS:
        return left + right
    return left + added(left, right)


def times(left: Any, right: Any) -> Any:
    """Multiply two values."""
    if type(left) in SCALARS and type(right) in SCALARS:
        product = left * right
        if type(product) is int and not -_LARGE < product < _LARGE:
            check_bits(product.bit_length())
        return product
    return left * multiplied(left, right)


def _guarded(
    operation: Callable[[Any, Any], Any], look: Callable[[Any, Any], Any], text: str
) -> Callable[[Any, Any], Any]:
    """Make the operator that looks before it works."""

    def work(left: Any, right: Any) -> Any:
        return operation(left, look(left, right))

    work.__doc__ = f"Return left {text} right."
    return work


to_power = _guarded(operator.pow, exponent, "**")
shifted = _guarded(operator.lshift, shift, "<<")
modulo = _guarded(operator.mod, divisor, "%")
minus = _guarded(operator.sub, paired, "-")
divided = _guarded(operator.truediv, paired, "/")
floor_divided = _guarded(operator.floordiv, paired, "//")
bits_of_both = _guarded(operator.and_, paired, "&")
bits_of_either = _guarded(operator.or_, paired, "|")
bits_of_one = _guarded(operator.xor, paired, "^")
shifted_right = _guarded(operator.rshift, paired, ">>")
matrix_product = _guarded(operator.matmul, matrix, "@")
equal = _guarded(operator.eq, comparable, "==")
unequal = _guarded(operator.ne, comparable, "!=")
less = _guarded(operator.lt, comparable, "<")
at_most = _guarded(operator.le, comparable, "<=")
more = _guarded(operator.gt, comparable, ">")
at_least = _guarded(operator.ge, comparable, ">=")
