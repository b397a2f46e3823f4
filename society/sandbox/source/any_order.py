"""Find uses of an array whose result does not depend on the order of its values.

Counting, comparing and taking extremes of whole numbers are such uses; sums of fractions are none,
since rounding depends on the order. Whatever is not understood counts as dependent.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

_FUNCTIONS = frozenset({"max", "min", "sorted"})
_NUMPY = frozenset({"all", "any", "count_nonzero", "max", "median", "min", "sort", "unique"})
_METHODS = frozenset({"all", "any", "max", "min"})
# Of a comparison of all values with one number, also the count of those that pass.
_OF_COMPARISONS = _NUMPY | {"mean", "sum"}
_CONSUMERS = frozenset({"all", "any", "len", "max", "min", "sorted", "sum"})
_COUNTED = "counted"
_MODERATE = 1_000_000
_PURE = frozenset({"abs", "bool", "float", "int"})
_PARTS = (
    *(ast.Name, ast.Constant, ast.UnaryOp, ast.BinOp),
    *(ast.Add, ast.Sub, ast.Mult, ast.USub, ast.Not, ast.cmpop, ast.expr_context),
)
_Parents = Mapping[ast.AST, ast.AST]


def takes_any_order(node: ast.AST, parents: _Parents, method: Sequence[ast.AST]) -> bool:
    """Tell if the value of `node`, an array of whole numbers, is used whatever its order.

    method: all nodes of the function in which it stands.
    """
    parent = parents[node]
    if isinstance(parent, ast.For):
        return parent.iter is node and _counts_only(parent, parents, method)
    if isinstance(parent, ast.comprehension):
        return parent.iter is node and _comprehends(parents[parent], parents)
    if isinstance(parent, ast.Compare):
        return _is_threshold(parent, node) and _is_taken(parent, parents, _OF_COMPARISONS)
    return _is_taken(node, parents, _NUMPY)


def _is_taken(node: ast.AST, parents: _Parents, names: frozenset[str]) -> bool:
    """Check for a function or method without further arguments that takes this value."""
    parent = parents[node]
    if isinstance(parent, ast.Attribute) and parent.attr in names & (_METHODS | {"mean", "sum"}):
        call = parents[parent]
        bare = isinstance(call, ast.Call) and call.func is parent
        return bare and not (call.args or call.keywords)  # type: ignore[attr-defined]
    if not isinstance(parent, ast.Call) or parent.args != [node] or parent.keywords:
        return False
    called = parent.func
    if isinstance(called, ast.Name):
        return called.id in _FUNCTIONS
    owner = called.value if isinstance(called, ast.Attribute) else None
    return (
        isinstance(called, ast.Attribute)
        and isinstance(owner, ast.Name)
        and owner.id in ("np", "numpy")
        and called.attr in names
    )


def _is_threshold(node: ast.Compare, array: ast.AST) -> bool:
    """Check for a comparison with a number that stands in the source."""
    sides = [node.left, *node.comparators]
    return len(sides) == 2 and all(
        one is array or (isinstance(one, ast.Constant) and isinstance(one.value, int | float))
        for one in sides
    )


def _comprehends(node: ast.AST, parents: _Parents) -> bool:
    """Check for a comprehension that counts, or compares, value by value."""
    if not isinstance(node, ast.GeneratorExp | ast.ListComp) or len(node.generators) != 1:
        return False
    loop, consumer = node.generators[0], parents[node]
    if not isinstance(loop.target, ast.Name) or loop.is_async:
        return False
    if not isinstance(consumer, ast.Call) or consumer.args != [node] or consumer.keywords:
        return False
    called, value = consumer.func, loop.target.id
    if not isinstance(called, ast.Name) or called.id not in _CONSUMERS:
        return False
    if called.id not in ("all", "any", "len") and not _is_whole(node.elt, value):
        return False
    first, *later = [*loop.ifs, node.elt]
    return _is_simple(first, value) and all(_is_simple(one, value, alone=True) for one in later)


def _is_simple(node: ast.AST, value: str, *, alone: bool = False) -> bool:
    """Check that an expression computes one value from names, and changes nothing.

    value: the name of the array's values. It has no short cuts, divides by nothing and multiplies
    values by small numbers only, so that it fails for all values of the array or for none. One that
    is not computed for all values must never fail: it is made of `value` alone.
    """
    if isinstance(node, ast.Call):
        called = node.func
        pure = isinstance(called, ast.Name) and called.id in _PURE
        return pure and not node.keywords and len(node.args) == 1 and _is_plain(node.args[0], value)
    if isinstance(node, ast.Name):
        return node.id == value or not alone
    if isinstance(node, ast.Attribute):
        return not alone and isinstance(node.value, ast.Name) and node.value.id == "self"
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and abs(node.value) <= _MODERATE
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        return len(sides) == 2 and all(_is_simple(one, value, alone=alone) for one in sides)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        sides = [node.left, node.right]
        if any(_mentions(one, value) for one in sides) and not any(
            isinstance(one, ast.Constant) for one in sides
        ):
            return False
    return isinstance(node, _PARTS) and all(
        _is_simple(one, value, alone=alone) for one in ast.iter_child_nodes(node)
    )


def _is_plain(node: ast.expr, value: str) -> bool:
    """Check for a value of the array, or a number of the source."""
    return (isinstance(node, ast.Name) and node.id == value) or (
        isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    )


def _mentions(node: ast.expr, value: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == value for one in ast.walk(node))


def _is_whole(node: ast.expr, value: str) -> bool:
    """Check for a whole number: a constant, a comparison, or a value of the array."""
    if isinstance(node, ast.Call):
        named = isinstance(node.func, ast.Name) and node.func.id == "int"
        return named and len(node.args) == 1 and _is_whole(node.args[0], value)
    if isinstance(node, ast.Name):
        return node.id == value
    return isinstance(node, ast.Compare) or (
        isinstance(node, ast.Constant) and type(node.value) in (int, bool)
    )


def _counts_only(loop: ast.For, parents: _Parents, method: Sequence[ast.AST]) -> bool:
    """Check for a loop that adds up whole numbers or sets flags, and reads neither."""
    if not isinstance(loop.target, ast.Name) or loop.orelse:
        return False
    value = loop.target.id
    changed: dict[str, str] = {}
    if not all(_counts(one, value, changed, always=True) for one in loop.body):
        return False
    inside = [*ast.walk(loop)]
    names = [one for one in inside if isinstance(one, ast.Name)]
    loads = {one.id for one in names if isinstance(one.ctx, ast.Load)}
    here = set(map(id, inside))
    elsewhere = [one for one in method if id(one) not in here]
    return not (loads & changed.keys()) and not any(
        (isinstance(one, ast.Name) and one.id == value)  # the last value is used later
        or (isinstance(one, ast.Lambda | ast.FunctionDef) and one is not method[0])
        or (isinstance(one, ast.arg) and one.arg in changed)
        or (isinstance(one, ast.Name) and one.id in changed and _is_other(one, parents, changed))
        or isinstance(one, ast.Try)  # a failure may leave a turn half done
        for one in elsewhere
    )


def _is_other(node: ast.Name, parents: _Parents, changed: Mapping[str, str]) -> bool:
    """Tell if a name may be given anything but a whole number here; a flag may be True or False."""
    if isinstance(node.ctx, ast.Load):
        return False
    parent = parents[node]
    if not isinstance(parent, ast.Assign) or not isinstance(parent.value, ast.Constant):
        return True
    kinds = (int,) if changed[node.id] == _COUNTED else (int, bool)
    return type(parent.value.value) not in kinds


def _counts(node: ast.stmt, value: str, changed: dict[str, str], *, always: bool) -> bool:
    """Check one statement of a loop; changed: the names it changes, and how."""
    if isinstance(node, ast.If):
        rest = [*node.body, *node.orelse]
        return _is_simple(node.test, value, alone=not always) and all(
            _counts(one, value, changed, always=False) for one in rest
        )
    if isinstance(node, ast.AugAssign):
        adds = isinstance(node.op, ast.Add | ast.Sub) and _is_whole(node.value, value)
        adds = adds and _is_simple(node.value, value, alone=True)
        target: ast.expr = node.target
        how = _COUNTED
    elif isinstance(node, ast.Assign) and len(node.targets) == 1:
        adds = isinstance(node.value, ast.Constant)
        target, how = node.targets[0], ast.unparse(node.value)
    else:
        return False
    if not adds or not isinstance(target, ast.Name) or target.id == value:
        return False
    return changed.setdefault(target.id, how) == how
