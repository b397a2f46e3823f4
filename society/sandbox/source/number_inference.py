"""Find the names and attributes of a program that never stand for a text, list or tuple.

Operations on numbers cannot make much of little, so their sizes need no look. A name is a number
if all that the program gives it anywhere are numbers: names are not told apart by function, so that
one list is enough to give up a name. It starts with the belief that all are, and gives up those
that are given something else, until nothing changes.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from society.sandbox.source.names import METHODS, NUMPY_RANDOM, RANDOM, words

# What histories and games tell as numbers and arrays, if no class of the program has these names.
_TOLD = words(
    """
    capacity current_stock k m my_actions my_payoffs n_players n_rounds opponent_actions
    opponent_cooperators opponent_payoffs round_number stock
    """
)
_CALLS = words("abs bool float id int len ord")
_NUMPY_CALLS = words("argmax argmin count_nonzero mean std var")
_ARRAY_METHODS = words("all any argmax argmin astype cumsum item max mean min prod std sum var")
_FLOAT_CALLS = words(
    """
    acos asin atan atan2 cos cosh degrees dist erf erfc exp exp2 expm1 fabs fmod fsum gamma hypot
    lgamma log log10 log1p log2 pow radians sin sinh sqrt tan tanh
    """
)
_NO_SEQUENCE = (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow, ast.RShift, ast.LShift)


class Binding(NamedTuple):
    """A name, or ".name" for an attribute of self, and what it is given.

    value: None where it cannot be told; item: it is given one after another the value's items.
    """

    target: str
    value: ast.expr | None
    item: bool = False


def bindings(node: ast.AST) -> Iterator[Binding]:
    """Find what a piece of syntax gives names to, without what stands inside it."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _targets(target, node.value)
    elif isinstance(node, ast.AnnAssign | ast.NamedExpr):
        yield from _targets(node.target, node.value) if node.value is not None else ()
    elif isinstance(node, ast.AugAssign):
        result = ast.BinOp(_as_value(node.target), node.op, node.value)
        yield from _targets(node.target, result)
    elif isinstance(node, ast.For | ast.comprehension):
        yield from _items(node.target, node.iter)
    elif isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield Binding(node.name, None)
    elif isinstance(node, ast.arg):
        yield Binding(node.arg, None)
    elif isinstance(node, ast.ExceptHandler) and node.name:
        yield Binding(node.name, None)


def _as_value(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    return target


def _targets(target: ast.expr, value: ast.expr | None) -> Iterator[Binding]:
    if isinstance(target, ast.Name):
        yield Binding(target.id, value)
    elif isinstance(target, ast.Attribute):
        yield Binding(f".{target.attr}", value)
    elif isinstance(target, ast.Starred):
        yield from _targets(target.value, None)
    elif isinstance(target, ast.Tuple | ast.List):
        parts = value.elts if isinstance(value, ast.Tuple) else []
        paired = parts if len(parts) == len(target.elts) else [None] * len(target.elts)
        for one, part in zip(target.elts, paired, strict=True):
            yield from _targets(one, part)


def _items(target: ast.expr, values: ast.expr) -> Iterator[Binding]:
    """Find the names of a loop over values."""
    if isinstance(target, ast.Name):
        yield Binding(target.id, values, item=True)
        return
    enumerated = isinstance(values, ast.Call) and _called(values) == "enumerate"
    for place, one in enumerate(target.elts if isinstance(target, ast.Tuple) else [target]):
        if enumerated and place == 0 and isinstance(one, ast.Name):
            yield Binding(one.id, ast.Constant(0))
        else:
            yield from _targets(one, None)


def _called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


class BelievedNames(ABC):
    """The names and attributes of a program that keep what is believed of them at first.

    found: what is bound to them; bound: names with a meaning of the program's own; class_names:
    those that classes set; told: attributes of histories and games of which it is true.
    """

    def __init__(
        self,
        found: Sequence[Binding],
        *,
        bound: Collection[str],
        class_names: Collection[str],
        told: Collection[str],
    ) -> None:
        self.bound = bound
        self.names = {one.target for one in found}
        foreign = METHODS | RANDOM | NUMPY_RANDOM
        self.names -= {f".{name}" for name in foreign.union(class_names)}
        self.names |= {f".{name}" for name in told if name not in class_names}
        while wrong := {
            one.target for one in found if one.target in self.names and not self._fits(one)
        }:
            self.names -= wrong

    @abstractmethod
    def _fits(self, binding: Binding) -> bool:
        """Tell if a binding agrees with what is believed now."""


class Numbers(BelievedNames):
    """The names and attributes of a program that are numbers or arrays of them."""

    def __init__(
        self, syntax: Iterable[ast.AST], *, bound: Collection[str], class_names: Collection[str]
    ) -> None:
        """Read all syntax of a program, given the names it binds, and those that classes set."""
        found = [one for node in syntax for one in bindings(node)]
        super().__init__(found, bound=bound, class_names=class_names, told=_TOLD)

    def _fits(self, binding: Binding) -> bool:
        value = binding.value
        if value is None:
            return False
        if binding.item and isinstance(value, ast.Call) and _called(value) == "range":
            return "range" not in self.bound
        return self.has(value)

    def has(self, node: ast.expr) -> bool:
        """Tell if a value is never a text, list or tuple; it may be an array of numbers."""
        if isinstance(node, ast.Constant):
            return not isinstance(node.value, str)
        if isinstance(node, ast.Name):
            return node.id in self.names
        if isinstance(node, ast.Attribute):
            return f".{node.attr}" in self.names or self.has_float(node)
        if isinstance(node, ast.Subscript):
            return not isinstance(node.value, ast.Constant) and self.has(node.value)
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, _NO_SEQUENCE) or (
                self.has(node.left) and self.has(node.right)
            )
        if isinstance(node, ast.UnaryOp | ast.Compare):
            return True
        if isinstance(node, ast.IfExp):
            return self.has(node.body) and self.has(node.orelse)
        if isinstance(node, ast.BoolOp):
            return all(map(self.has, node.values))
        return isinstance(node, ast.Call) and self._is_number_call(node)

    def _is_number_call(self, node: ast.Call) -> bool:
        function = node.func
        if isinstance(function, ast.Name):
            return function.id in _CALLS and function.id not in self.bound
        if not isinstance(function, ast.Attribute):
            return False
        if isinstance(function.value, ast.Name) and function.value.id in ("np", "numpy"):
            return function.attr in _NUMPY_CALLS
        return self.has_float(node) or (
            function.attr in _ARRAY_METHODS and self.has(function.value)
        )

    def has_float(self, node: ast.expr) -> bool:
        """Tell if a value is a float or an array of floats, or an error."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, float)
        if isinstance(node, ast.UnaryOp):
            return not isinstance(node.op, ast.Not) and self.has_float(node.operand)
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.Div) or (
                not isinstance(node.op, ast.Mod | ast.Mult)
                and (self.has_float(node.left) or self.has_float(node.right))
            )
        if isinstance(node, ast.Attribute):
            return _is_module(node.value, "math")
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Name):
            return node.func.id == "float" and "float" not in self.bound
        return isinstance(node.func, ast.Attribute) and (
            (_is_module(node.func.value, "math") and node.func.attr in _FLOAT_CALLS)
            or (_is_module(node.func.value, "np") and node.func.attr in ("mean", "std", "var"))
        )


def _is_module(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
