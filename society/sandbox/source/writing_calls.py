"""Which calls may change a value that they are given, whoever else holds it.

Lists and arrays are changed by their methods, arrays by functions of numpy, too, which write into
what they take as `out`. A method that is no more than a value may be called anywhere.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Collection, Iterable
from functools import cache

import numpy as np

from society.sandbox.source.names import BUILTINS, NUMPY, words

MUTATORS = words("""
    add append clear difference_update discard extend fill insert partition pop popitem remove
    reverse setdefault shuffle sort update
    """)
NUMPY_MUTATORS = words("copyto fill_diagonal place put put_along_axis putmask")
ITERATORS = frozenset({"enumerate", "filter", "iter", "map", "reversed", "zip"})
# Where methods of arrays and of numpy's functions take what they write into.
_OUT_OF_METHODS = {
    **dict.fromkeys(("all", "any", "argmax", "argmin", "choose", "dot", "max", "min", "round"), 1),
    **dict.fromkeys(("clip", "cumprod", "cumsum", "mean", "prod", "std", "sum", "take", "var"), 2),
    **dict.fromkeys(("accumulate", "reduce"), 3),
    "trace": 4,
}
_WRITING = ("out", "overwrite_input", "copy")  # arguments


@cache
def _out_of_numpy() -> dict[str, int]:
    """Return where functions of numpy take what they write into, by name."""
    found = {"concat": 2, "concatenate": 2, "dot": 2}
    for name in NUMPY:
        function = getattr(np, name, None)
        if isinstance(function, np.ufunc):
            found[name] = function.nin
        elif callable(function) and not isinstance(function, type) and name not in found:
            place = _place_of_out(function)
            if place is not None:
                found[name] = place
    return found


def _place_of_out(function: object) -> int | None:
    try:
        names = list(inspect.signature(function).parameters)  # type: ignore[arg-type]
    except (TypeError, ValueError):  # written in C
        return None
    return min((names.index(one) for one in _WRITING if one in names), default=None)


def writes_out(nodes: Iterable[ast.AST]) -> bool:
    """Tell if a call is given something to write into."""
    return any(isinstance(node, ast.Call) and _writes(node) for node in nodes)


def _writes(node: ast.Call) -> bool:
    if any(one.arg in _WRITING for one in node.keywords):
        return True
    place = _place_in(node.func)
    return place is not None and (
        len(node.args) > place or any(isinstance(one, ast.Starred) for one in node.args)
    )


def _place_in(function: ast.expr) -> int | None:
    if isinstance(function, ast.Name):  # imported from numpy
        return None if function.id in BUILTINS else _out_of_numpy().get(function.id)
    if not isinstance(function, ast.Attribute):
        return None
    owner = function.value
    if isinstance(owner, ast.Name) and owner.id in ("np", "numpy"):
        return _out_of_numpy().get(function.attr)
    if isinstance(owner, ast.Name) and owner.id in ("math", "self"):
        return None
    return _OUT_OF_METHODS.get(function.attr)


def values_of(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names and attributes that are used for more than a call or a dot."""
    nodes = list(nodes)
    called = {id(one.func) for one in nodes if isinstance(one, ast.Call)}
    called |= {id(one.value) for one in nodes if isinstance(one, ast.Attribute)}
    return {
        one.id if isinstance(one, ast.Name) else one.attr
        for one in nodes
        if isinstance(one, ast.Name | ast.Attribute)
        and isinstance(one.ctx, ast.Load)
        and id(one) not in called
    } | got_names(nodes)


def got_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Find the names in quotes of getattr."""
    calls = [one for one in nodes if isinstance(one, ast.Call) and len(one.args) > 1]
    return {
        one.args[1].value
        for one in calls
        if isinstance(one.func, ast.Name)
        and one.func.id == "getattr"
        and isinstance(one.args[1], ast.Constant)
        and isinstance(one.args[1].value, str)
    }


def change_through_values(nodes: Iterable[ast.AST]) -> bool:
    """Tell if something that changes others is used as a value, so that anything may call it."""
    own = {"copy", "max", "min", "sum", "all", "any", "round", "abs", "mean", "pow"}
    writers = MUTATORS | NUMPY_MUTATORS | ITERATORS | (_out_of_numpy().keys() - own)
    return bool(values_of(_without_self(nodes)) & writers)


def _without_self(nodes: Iterable[ast.AST]) -> list[ast.AST]:
    """Leave out attributes of self, which are the program's own."""
    return [
        one
        for one in nodes
        if not (
            isinstance(one, ast.Attribute)
            and isinstance(one.value, ast.Name)
            and one.value.id == "self"
        )
    ]


def rebinds(nodes: Iterable[ast.AST], names: Collection[str]) -> bool:
    """Tell if a builtin among these names is called, and means something else."""
    nodes = list(nodes)
    called = {
        one.func.id for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
    }
    return bool(called & set(names) & bound_names(nodes))


def bound_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names to which the nodes give a meaning."""
    found = set()
    for one in nodes:
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            found.add(one.id)
        elif isinstance(one, ast.FunctionDef | ast.ClassDef):
            found.add(one.name)
        elif isinstance(one, ast.arg):
            found.add(one.arg)
        elif isinstance(one, ast.ExceptHandler) and one.name:
            found.add(one.name)
    return found
