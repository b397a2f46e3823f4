"""Tell what a program may do often in one decision, and what it can make large.

Operations that stand in no loop are done once, so that most of them need no charge.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from typing import NamedTuple

from society.sandbox.source.names import DTYPES, EXCEPTIONS, NUMPY_RANDOM, words
from society.sandbox.source.number_inference import Numbers
from society.sandbox.source.program_report import ProgramFunction, reached_from
from society.sandbox.source.program_text import inner_syntax
from society.sandbox.source.small_values import REDUCTIONS, SmallValues
from society.sandbox.source.writing_calls import values_of

_LOOPS = (
    *(ast.For, ast.While, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)
_SPECIAL = frozenset({"__call__", "__init__", "__post_init__"})
# Functions of numpy whose results have no more dimensions than their arguments.
_KEEP_SHAPE = REDUCTIONS | words(
    """
    abs absolute allclose append arange argsort argwhere array array_equal asarray bincount ceil
    clip concatenate convolve corrcoef correlate cumprod cumsum diff dot exp exp2 flatnonzero floor
    full histogram inner isclose isfinite isnan linspace log log10 log1p log2 logical_and
    logical_not logical_or maximum minimum nonzero ones percentile polyfit polyval power quantile
    rint round sign sort sqrt square tanh unique where zeros
    """
)
_TAKE_SHAPES = words("full ones zeros")
_WIDENING = words("T newaxis reshape repeat resize swapaxes transpose")
_LONG = 2_000  # pieces of syntax; what stands there once may still be done very often
_FILLING = words("append extend insert setdefault")


class KnownValues(NamedTuple):
    """The names of a program that are numbers, and those that are small."""

    numbers: Numbers
    small: SmallValues

    def are_flat(self, node: ast.expr) -> bool:
        """Tell if a value is a number, a move or a text, and so holds nothing."""
        if isinstance(node, ast.Tuple):
            return all(map(self.are_flat, node.elts))
        if isinstance(node, ast.IfExp):
            return self.are_flat(node.body) and self.are_flat(node.orelse)
        return (
            isinstance(node, ast.Constant | ast.JoinedStr | ast.Compare)
            or (isinstance(node, ast.Name) and node.id in EXCEPTIONS)
            or self.small.has(node)
            or self.numbers.has(node)
        )


class Often(NamedTuple):
    """The places of a program that may run often.

    functions: names of those that loops reach, or that anything may call; wide: whether it can
    make arrays that one operation makes much larger, or lists of lists that it makes an array of;
    sets: whether it can make a set.
    """

    functions: Collection[str]
    wide: bool
    sets: bool


def done_often(
    functions: Sequence[ProgramFunction],
    syntax: Sequence[ast.AST],
    recursive: Collection[str],
    values: KnownValues,
    *,
    renamed: bool,
) -> Often:
    """Read off all syntax of a program what it may do often; renamed: numpy has another name."""
    wide = renamed or any(_widens(one, values) for one in syntax)
    busy = _busy(functions, syntax, recursive)
    if len(syntax) > _LONG:
        busy = frozenset(one.name for one in functions)
    return Often(busy, wide, any(map(_makes_set, syntax)))


def _busy(
    functions: Sequence[ProgramFunction], syntax: Sequence[ast.AST], recursive: Collection[str]
) -> frozenset[str]:
    """Return the names of functions that may run often in one decision."""
    names = {one.name for one in functions}
    mentioned = {name: set[str]() for name in names}
    for one in functions:
        mentioned[one.name] |= one.mentioned & names
    inside = inner_syntax(one for one in syntax if isinstance(one, _LOOPS))
    started = {
        one.attr if isinstance(one, ast.Attribute) else one.id
        for one in inside
        if isinstance(one, ast.Attribute | ast.Name)
    }
    started |= values_of(syntax) | set(recursive)
    classes = {one.name for one in syntax if isinstance(one, ast.ClassDef)}
    called = {
        one.func.id
        for one in syntax
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
    }
    if len(classes) > 1 or called & (classes | {"self"}):
        started |= _SPECIAL
    started &= names
    return frozenset(started.union(*(reached_from(name, mentioned) for name in started)))


def _widens(node: ast.AST, values: KnownValues) -> bool:
    """Tell if a piece of syntax may make an array of more dimensions, or a list of lists."""
    if isinstance(node, ast.Attribute):
        own = isinstance(node.value, ast.Name) and node.value.id == "self"
        return node.attr in _WIDENING and not own
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return any(isinstance(one, ast.Constant) and one.value is None for one in parts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _FILLING:
            return not all(map(values.are_flat, node.args))
        return _call_widens(node, node.func, values)
    return not all(map(values.are_flat, _put_together(node)))


def _put_together(node: ast.AST) -> list[ast.expr]:
    """Return what a piece of syntax puts into a container."""
    if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
        return node.elts
    if isinstance(node, ast.Dict):
        return node.values
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return [node.elt]
    if isinstance(node, ast.DictComp):
        return [node.value]
    if isinstance(node, ast.Assign) and any(isinstance(one, ast.Subscript) for one in node.targets):
        return [node.value]
    return []


def _call_widens(node: ast.Call, function: ast.Attribute, values: KnownValues) -> bool:
    """Tell if a function of numpy may make an array of more dimensions."""
    of_numpy = isinstance(function.value, ast.Name) and function.value.id in ("np", "numpy")
    if not of_numpy:
        sizes = [one.value for one in node.keywords if one.arg == "size"]
        if function.attr in NUMPY_RANDOM:
            several = function.attr in ("rand", "randn") and len(node.args) > 1
            return several or not all(map(values.numbers.has, (*node.args[1:], *sizes)))
        return False
    if function.attr in _TAKE_SHAPES:
        return not all(map(values.numbers.has, node.args[:1]))
    return function.attr not in _KEEP_SHAPE and function.attr not in DTYPES


def _makes_set(node: ast.AST) -> bool:
    """Tell if a piece of syntax may make a set, or a view of a dictionary that is like one."""
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    if isinstance(node, ast.Name):
        return node.id in ("set", "frozenset")
    return isinstance(node, ast.Attribute) and node.attr in ("keys", "items")
