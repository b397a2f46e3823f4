"""The `np` and the `math` of programs: numpy's and Python's functions, with a look at sizes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache, wraps
from typing import Any

import numpy as np

from society.errors import InputError
from society.sandbox.running.frozen import Frozen, freeze
from society.sandbox.running.numpy_charges import charged_function
from society.sandbox.running.quick_numbers import quick_functions
from society.sandbox.running.size_guards import check_bits, check_items, check_shape, check_size
from society.sandbox.running.step_budget import RuleBroken, budget
from society.sandbox.running.work_charges import charge_items, hashed, sized
from society.sandbox.source.names import (
    DTYPES,
    MATH,
    METHODS,
    NEVER,
    NEVER_OF_ARRAYS,
    NUMPY,
    NUMPY_LINALG,
)

Function = Callable[..., Any]


class _ArrayMeta(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, np.ndarray)


class ArrayClass(metaclass=_ArrayMeta):
    """Stands for np.ndarray in isinstance; it makes no arrays, which would show old memory."""

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("np.ndarray makes no arrays here; write np.zeros")


def check_dtype(dtype: Any) -> None:
    """Refuse dtypes of any size but that of a number."""
    if isinstance(dtype, str) and dtype not in DTYPES:
        raise RuleBroken(f"dtype {dtype[:20]!r}; write int, float or bool")
    if dtype is str or isinstance(dtype, list | tuple | dict):
        raise RuleBroken("a dtype that is no number; write int, float or bool")


def _check_arguments(values: tuple[Any, ...], named: dict[str, Any], place: int | None) -> None:
    """Look at the dtype among the arguments of a function of numpy."""
    if place is not None and len(values) > place:
        check_dtype(values[place])
    check_dtype(named.get("dtype"))


def _shaped(function: Function, dtype_at: int = 1) -> Function:
    """Guard a function whose first argument is a shape."""

    @wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        _check_arguments(values, named, dtype_at)
        check_shape(values[0] if values else named.get("shape", 0))
        return function(*values, **named)

    return call


def _typed(function: Function, dtype_at: int | None) -> Function:
    """Guard a function that takes a dtype."""

    @wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        _check_arguments(values, named, dtype_at)
        return check_size(function(*values, **named))

    return call


def _array(value: Any, dtype: Any = None, **named: Any) -> Any:
    """Make an array, as np.array does."""
    if dtype is not None:
        check_dtype(dtype)
    return np.array(value, dtype, **named)


def _asarray(value: Any, dtype: Any = None, **named: Any) -> Any:
    """Make an array of what is none, as np.asarray does."""
    if dtype is not None:
        check_dtype(dtype)
    return np.asarray(value, dtype, **named)


def _square(function: Function) -> Function:
    """Guard a function whose first arguments are rows and columns."""

    @wraps(function)
    def call(rows: Any, *values: Any, **named: Any) -> Any:
        columns = values[0] if values else named.get("M", named.get("N"))
        check_items(max(1, int(rows)) * max(1, int(rows if columns is None else columns)))
        check_dtype(named.get("dtype"))
        return function(rows, *values, **named)

    return call


def _arange(*values: Any, **named: Any) -> Any:
    """Count in an array, as np.arange does."""
    _check_arguments(values, named, 3)
    start, stop, pace = {1: (0, *values, 1), 2: (*values, 1)}.get(len(values), values[:3])
    if pace:
        check_items((stop - start) / pace, "an array")
    return np.arange(*values, **named)


def _spaced(function: Function) -> Function:
    """Guard a function of start, stop and number."""

    @wraps(function)
    def call(start: Any, stop: Any, num: int = 50, **named: Any) -> Any:
        check_items(num * max(np.size(start), np.size(stop)), "an array")
        check_dtype(named.get("dtype"))
        return function(start, stop, num, **named)

    return call


def _multiplied(function: Function) -> Function:
    """Guard a function whose result is as large as its arguments' sizes multiplied."""

    @wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        check_items(math.prod(max(1, np.size(value)) for value in values), "an array")
        return function(*values, **named)

    return call


def _repeated(function: Function) -> Function:
    """Guard a function that repeats its first argument."""

    @wraps(function)
    def call(value: Any, repeats: Any, *values: Any, **named: Any) -> Any:
        times = np.asarray(repeats, dtype=float)
        check_items(np.size(value) * float(np.prod(np.maximum(times, 1))), "an array")
        return function(value, repeats, *values, **named)

    return call


def _reshaped(function: Function) -> Function:
    """Guard a function whose second argument is a shape."""

    @wraps(function)
    def call(value: Any, shape: Any, *values: Any, **named: Any) -> Any:
        check_shape(shape)
        return function(value, shape, *values, **named)

    return call


def _padded(value: Any, width: Any, *values: Any, **named: Any) -> Any:
    """Put values around an array, as np.pad does."""
    around = int(np.max(np.asarray(width)))
    check_items(math.prod(size + 2 * around for size in np.shape(value)), "an array")
    return np.pad(value, width, *values, **named)


def _counted(values: Any, *more: Any, **named: Any) -> Any:
    """Count whole numbers, as np.bincount does."""
    least = more[1] if len(more) > 1 else named.get("minlength", 0)
    check_items(max(np.max(values, initial=0), least), "an array")
    return np.bincount(values, *more, **named)


def _triangle(function: Function) -> Function:
    """Guard a function that makes the indices of a triangle of n rows."""

    @wraps(function)
    def call(n: int, *values: Any, **named: Any) -> Any:
        check_items(n * max(n, *values[1:2], named.get("m") or 0), "an array")
        return function(n, *values, **named)

    return call


def _diff(values: Any, n: int = 1, *more: Any, **named: Any) -> Any:
    """Subtract neighbours n times, as np.diff does."""
    check_items(n, "a difference")
    budget.charge(n)
    return np.diff(values, n, *more, **named)


def _histogram(function: Function) -> Function:
    """Guard a function of values and bins."""

    @wraps(function)
    def call(values: Any, bins: Any = 10, *more: Any, **named: Any) -> Any:
        check_items(int(bins) if isinstance(bins, int | np.integer) else np.size(bins))
        return function(values, bins, *more, **named)

    return call


def _join(function: Function) -> Function:
    """Guard a function that joins arrays."""

    @wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        check_dtype(named.get("dtype"))
        return check_size(function(*values, **named))

    return call


def _split(function: Function) -> Function:
    """Guard a function that splits an array into parts."""

    @wraps(function)
    def call(value: Any, parts: Any, *more: Any, **named: Any) -> Any:
        check_items(int(parts) if isinstance(parts, int | np.integer) else np.size(parts))
        return function(value, parts, *more, **named)

    return call


def _guard(names: Iterable[str], wrap: Callable[[Function], Function]) -> dict[str, Function]:
    return {name: wrap(getattr(np, name)) for name in names}


@cache
def _numpy_values() -> dict[str, Any]:
    """Return the names and values of `np`, without np.random and the names that options add."""
    linear = {name: charged_function(name, getattr(np.linalg, name)) for name in NUMPY_LINALG}
    return {
        **{name: charged_function(name, value) for name, value in _limited_values().items()},
        "linalg": freeze("numpy.linalg", linear),
    }


def plain_numpy() -> Frozen:
    """Make the `np` of calls that need no charge, as their arguments are small: see instrument."""
    return freeze("numpy", _limited_values())


@cache
def _limited_values() -> dict[str, Any]:
    """Return functions of numpy that look at sizes, and charge for nothing."""
    offered = {name: getattr(np, name) for name in NUMPY if hasattr(np, name)}
    joins = "append concat concatenate stack hstack vstack dstack column_stack insert union1d"
    squares = "eye identity tri vander"
    return {
        **offered,
        **quick_functions(),
        **_guard(("zeros", "ones"), _shaped),
        **_guard(("full",), lambda function: _shaped(function, 2)),
        "empty": _shaped(np.zeros),
        **_guard(("zeros_like", "ones_like"), lambda function: _typed(function, 1)),
        **_guard(("full_like",), lambda function: _typed(function, 2)),
        "empty_like": _typed(np.zeros_like, 1),
        **_guard(squares.split(), _square),
        **_guard((name for name in joins.split() if name in NUMPY), _join),
        **_guard(("outer", "kron", "meshgrid", "ix_", "convolve", "correlate"), _multiplied),
        **_guard(("repeat", "tile"), _repeated),
        **_guard(("resize", "broadcast_to"), _reshaped),
        **_guard(("linspace", "geomspace", "logspace"), _spaced),
        **_guard(("histogram", "histogram_bin_edges"), _histogram),
        **_guard(("split", "array_split", "hsplit", "vsplit", "dsplit"), _split),
        **_guard(("diag", "diagflat"), lambda function: _sides(function)),
        "array": _array,
        "asarray": _asarray,
        "arange": _arange,
        "bincount": _counted,
        "indices": _indices,
        "diag_indices": _diag_indices,
        "pad": _padded,
        "diff": _diff,
        **_guard(("tril_indices", "triu_indices"), _triangle),
        "ndarray": ArrayClass,
    }


def _indices(shape: Any, *values: Any, **named: Any) -> Any:
    """Make the indices of a grid, as np.indices does."""
    check_shape((len(shape), *shape))
    return np.indices(shape, *values, **named)


def _diag_indices(n: int, ndim: int = 2) -> Any:
    """Make the indices of a diagonal, as np.diag_indices does."""
    check_items(n * ndim)
    return np.diag_indices(n, ndim)


def _sides(function: Function) -> Function:
    """Guard a function that makes a square of a vector."""

    @wraps(function)
    def call(value: Any, k: int = 0) -> Any:
        check_items((np.size(value) + abs(k)) ** 2 if np.ndim(value) == 1 else 1, "an array")
        return function(value, k)

    return call


def openable_numpy(name: str) -> bool:
    """Tell if an option may open a name: a function or a number, and none of NEVER."""
    value = getattr(np, name, None)
    return (
        name not in NEVER
        and not name.startswith("_")
        and (callable(value) or isinstance(value, int | float))
        and not isinstance(value, type(np))
    )


def openable_method(name: str) -> bool:
    """Tell if an option may open an attribute of arrays: one that is neither offered nor never."""
    known = METHODS | NEVER_OF_ARRAYS
    return name not in known and not name.startswith("_") and hasattr(np.ndarray, name)


def numpy_facade(random: Frozen, extra: Iterable[str] = ()) -> Frozen:
    """Make the `np` of a namespace; extra: further names of numpy that the user has opened."""
    for name in extra:
        if not openable_numpy(name):
            raise InputError(f"numpy.{name} cannot be opened for programs; leave it out of --allow")
    added = {name: charged_function(name, getattr(np, name)) for name in extra}
    return freeze("numpy", {**_numpy_values(), **added, "random": random})


def _factorial(n: Any) -> int:
    check_items(n * 100, "a factorial")
    budget.charge(int(n) // 16)
    return math.factorial(n)


def _chosen(function: Callable[..., int]) -> Callable[..., int]:
    """Guard comb and perm, whose results have at most n bits for each of k."""

    @wraps(function)
    def call(n: Any, k: Any = None) -> int:
        check_items(n * 10, "a number of choices")
        drawn = n if k is None else k
        if function is math.perm:
            check_bits(int(n).bit_length() * min(int(drawn), int(n)))
        budget.charge(max(0, int(n)) // 8)
        return function(n, drawn) if function is math.perm else function(n, k)

    return call


def _product(values: Any, /, *, start: Any = 1) -> Any:
    """Multiply numbers, as math.prod does."""
    values = list(sized(values))
    whole = [value for value in (start, *values) if isinstance(value, int)]
    check_bits(sum(value.bit_length() for value in whole))
    return math.prod(values, start=start)


def _of_whole_numbers(function: Callable[..., int]) -> Callable[..., int]:
    """Guard a function that takes long for whole numbers of many bits."""

    @wraps(function)
    def call(*numbers: Any) -> int:
        bits = sum(int(number).bit_length() for number in numbers)
        if function is math.lcm:
            check_bits(bits)
        charge_items(bits, 128)
        return function(*numbers)

    return call


def _over_all(function: Callable[..., float]) -> Callable[..., float]:
    """Guard a function of many numbers."""

    @wraps(function)
    def call(*values: Any) -> float:
        return function(*map(hashed, values))

    return call


@cache
def math_facade() -> Frozen:
    """Make the `math` of all namespaces."""
    offered = {name: getattr(math, name) for name in MATH if hasattr(math, name)}
    guards = {
        "factorial": _factorial,
        "comb": _chosen(math.comb),
        "perm": _chosen(math.perm),
        "prod": _product,
        **{name: _of_whole_numbers(getattr(math, name)) for name in ("gcd", "isqrt", "lcm")},
        **{name: _over_all(getattr(math, name)) for name in ("dist", "fsum")},
    }
    return freeze("math", {**offered, **guards})
