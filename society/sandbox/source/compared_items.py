"""Find items of arrays that are compared in a test, where nothing but the answer matters."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


def items_in_tests(tree: ast.AST, bound: Collection[str]) -> set[int]:
    """Return the ids of the sides of comparisons that may be items of arrays of whole numbers.

    bound: names that are no builtins here. A side counts if it is an item, or a name that a loop or
    an assignment gives one, and the other side may be a fraction.
    """
    syntax = [*ast.walk(tree)]
    names = {name for node in syntax for name in _items(node)}
    found = set()
    for node in syntax:
        for comparison in _comparisons_in_tests(node, bound):
            sides = [comparison.left, comparison.comparators[0]]
            for side, other in (sides, sides[::-1]):
                if _is_item(side, names) and not _is_whole(other):
                    found.add(id(side))
    return found


def _items(node: ast.AST) -> Iterator[str]:
    """Return the name that a loop over values, or the assignment of an item, gives something."""
    if isinstance(node, ast.For | ast.comprehension) and not _is_range(node.iter):
        target: ast.expr = node.target
    elif isinstance(node, ast.Assign) and _is_place(node.value):
        target = node.targets[0]
    else:
        return
    if isinstance(target, ast.Name):
        yield target.id


def _is_range(node: ast.expr) -> bool:
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return named and node.func.id == "range"  # type: ignore[attr-defined]


def _is_place(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice)


def _is_item(node: ast.expr, names: Collection[str]) -> bool:
    return _is_place(node) or (isinstance(node, ast.Name) and node.id in names)


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, float)


def _comparisons_in_tests(node: ast.AST, bound: Collection[str]) -> Iterator[ast.Compare]:
    """Find comparisons of two values of which this piece of syntax only asks if they hold."""
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        yield from _comparisons(node.test)
    elif isinstance(node, ast.comprehension):
        for one in node.ifs:
            yield from _comparisons(one)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) == 1:
        values = node.args[0]
        asks = node.func.id in ("all", "any") and node.func.id not in bound
        if asks and isinstance(values, ast.GeneratorExp | ast.ListComp):
            yield from _comparisons(values.elt)


def _comparisons(test: ast.expr) -> Iterator[ast.Compare]:
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _ORDER):
        yield test
    elif isinstance(test, ast.BoolOp):
        for one in test.values:
            yield from _comparisons(one)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _comparisons(test.operand)
