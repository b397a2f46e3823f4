"""Find the names and attributes of a program that only stand for small values.

A small value is a number, a move, None, or what a history tells of each round: operations on it
take no time to speak of, so they need not be charged. Like number_inference it begins with the
belief that all names are small, and gives up those that are given something else.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from society.sandbox.source.names import MATH, words
from society.sandbox.source.number_inference import BelievedNames, Binding, bindings

_TOLD = words(
    """
    capacity current_stock k m my_actions my_payoffs n_players n_rounds opponent_cooperators
    round_number stock
    """
)
_TABLES = words("opponent_actions opponent_payoffs")  # a row for each round
_CALLS = words("bool callable float hasattr hash id int isinstance issubclass len ord")
_OF_SMALL = words("abs divmod max min pow round sum all any")
_ITEMS_OF = words("enumerate list range reversed set sorted tuple zip iter")
REDUCTIONS = words(
    """
    all amax amin any argmax argmin average count_nonzero max mean median min nanmax nanmean nanmin
    nanstd nansum nanvar prod std sum var
    """
)
_METHOD_REDUCTIONS = words("all any argmax argmin max mean min prod std sum var")
_DRAWS = words(
    """
    betavariate expovariate gammavariate gauss lognormvariate normalvariate paretovariate randint
    random randrange triangular uniform vonmisesvariate weibullvariate
    """
)


class SmallValues(BelievedNames):
    """The names and attributes of a program that are small, whatever happens."""

    def __init__(
        self, syntax: Iterable[ast.AST], *, bound: Collection[str], class_names: Collection[str]
    ) -> None:
        """Read all syntax of a program, given the names it binds, and those that classes set."""
        found = [one for node in syntax for one in _bindings(node, bound)]
        self.own = frozenset(class_names) | {
            one.target[1:] for one in found if one.target.startswith(".")
        }
        super().__init__(found, bound=bound, class_names=class_names, told=_TOLD)

    def _fits(self, binding: Binding) -> bool:
        if binding.value is None:
            return False
        return self._has_items(binding.value) if binding.item else self.has(binding.value)

    def _has_items(self, values: ast.expr) -> bool:
        """Tell if all items of these values are small."""
        if isinstance(values, ast.List | ast.Tuple | ast.Set):
            return all(map(self.has, values.elts))
        if isinstance(values, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            return self.has(values.elt)
        if isinstance(values, ast.Call) and isinstance(values.func, ast.Name):
            name = values.func.id
            known = name in _ITEMS_OF and name not in self.bound and not values.keywords
            if name == "range":
                return known
            return known and len(values.args) == 1 and self._has_items(values.args[0])
        if isinstance(values, ast.Call) and isinstance(values.func, ast.Attribute):
            return values.func.attr == "tolist" and self.has(values.func.value)
        if isinstance(values, ast.Subscript):
            return isinstance(values.slice, ast.Slice) and self._has_items(values.value)
        return self.has(values)

    def has(self, node: ast.expr) -> bool:
        """Tell if a value is always small."""
        if isinstance(node, ast.Constant):
            return not isinstance(node.value, str)
        if isinstance(node, ast.Name):
            return node.id in self.names or (node.id in ("C", "D") and node.id not in self.bound)
        if isinstance(node, ast.Attribute):
            return self._has_attribute(node)
        if isinstance(node, ast.Subscript):
            return self._has_part(node)
        if isinstance(node, ast.BinOp):
            return self.has(node.left) and self.has(node.right)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) or self.has(node.operand)
        if isinstance(node, ast.Compare):
            return isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn) or all(
                map(self.has, [node.left, *node.comparators])
            )
        if isinstance(node, ast.BoolOp):
            return all(map(self.has, node.values))
        if isinstance(node, ast.IfExp):
            return self.has(node.body) and self.has(node.orelse)
        if isinstance(node, ast.NamedExpr):
            return self.has(node.value)
        return isinstance(node, ast.Call) and self._has_result(node)

    def _has_attribute(self, node: ast.Attribute) -> bool:
        if isinstance(node.value, ast.Name) and node.value.id == "math":
            return True
        if isinstance(node.value, ast.Name) and node.value.id == "Action":
            return node.attr in ("C", "D")
        return f".{node.attr}" in self.names

    def _has_part(self, node: ast.Subscript) -> bool:
        """Tell if an item or slice is small: of what is small, or one round of a table."""
        value, place = node.value, node.slice
        if isinstance(value, ast.Attribute) and value.attr in _TABLES:
            parts = place.elts if isinstance(place, ast.Tuple) else [place]
            return value.attr not in self.own and self.has(parts[0])
        return self.has(value) and not _widens(place)

    def _has_result(self, node: ast.Call) -> bool:
        function, arguments = node.func, node.args
        if any(isinstance(one, ast.Starred) for one in arguments):
            return False
        if isinstance(function, ast.Name):
            if function.id in self.bound:
                return False
            if function.id in _CALLS:
                return True
            if function.id == "getattr":
                return self._has_got(arguments)
            plain = function.id in _OF_SMALL and not node.keywords and function.id != "divmod"
            if plain and len(arguments) == 1:
                return self._has_items(arguments[0])
            return plain and all(map(self.has, arguments))
        if not isinstance(function, ast.Attribute):
            return False
        if isinstance(function.value, ast.Name):
            owner = function.value.id
            if owner == "math":
                return function.attr in MATH
            if owner == "random":
                return function.attr in _DRAWS
            if owner in ("np", "numpy"):
                alone = len(arguments) == 1 and not node.keywords
                return function.attr in REDUCTIONS and alone
        bare = not arguments and not node.keywords and function.attr not in self.own
        return bare and function.attr in _METHOD_REDUCTIONS

    def _has_got(self, arguments: list[ast.expr]) -> bool:
        """Tell if getattr gives something small."""
        name = arguments[1]
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            return False
        return f".{name.value}" in self.names and all(map(self.has, arguments[2:]))


def _widens(place: ast.expr) -> bool:
    """Tell if an index may add a dimension: x[:, None], x[np.newaxis], x[name]."""
    parts = place.elts if isinstance(place, ast.Tuple) else [place]
    return len(parts) > 1 or any(
        (isinstance(one, ast.Constant) and one.value is None)
        or (isinstance(one, ast.Attribute) and one.attr == "newaxis")
        for one in parts
    )


def _bindings(node: ast.AST, bound: Collection[str]) -> Iterator[Binding]:
    """Find bindings; those of loops over `zip` and `enumerate` are told apart."""
    if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Tuple):
        values = _sources(node.iter, len(node.target.elts))
        if values is not None and not {"zip", "enumerate"} & {*bound}:
            for target, value in zip(node.target.elts, values, strict=True):
                if isinstance(target, ast.Name):
                    yield Binding(target.id, value, item=True)
                else:
                    yield from _unknown(target)
            return
    yield from bindings(node)


def _sources(values: ast.expr, count: int) -> list[ast.expr] | None:
    """Return what each of the targets of a loop goes through."""
    if not isinstance(values, ast.Call) or not isinstance(values.func, ast.Name):
        return None
    if values.func.id == "zip" and len(values.args) == count and not values.keywords:
        return None if any(isinstance(one, ast.Starred) for one in values.args) else values.args
    if values.func.id == "enumerate" and count == 2 and len(values.args) in (1, 2):
        return [ast.List([ast.Constant(0)], ast.Load()), values.args[0]]
    return None


def _unknown(target: ast.expr) -> Iterator[Binding]:
    for one in ast.walk(target):
        if isinstance(one, ast.Name):
            yield Binding(one.id, None)
        elif isinstance(one, ast.Attribute):
            yield Binding(f".{one.attr}", None)
