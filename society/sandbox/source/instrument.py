"""Write into a program's syntax tree that its steps are counted and its sizes are looked at.

What the guards are called in a namespace begins with a dot, so that no source text can spell it.
Operations that cannot make much of little, like a sum with a number, are left as they are, so that
a decision of usual length costs the same as before.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NamedTuple, TypedDict

from society.sandbox.source.names import MODULES
from society.sandbox.source.number_inference import Numbers
from society.sandbox.source.syntax_rules import GUARDED_METHODS

# For each operator the guard that carries it out, and the one that looks at its right side.
_OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (".plus", ".added"),
    ast.Mult: (".times", ".multiplied"),
    ast.Pow: (".to_power", ".exponent"),
    ast.LShift: (".shifted", ".shift"),
    ast.Mod: (".modulo", ".divisor"),
}
_OUR_OWN = {"str": ".as_text", "sum": ".total", "round": ".rounded"}
_SMALL = 1_000
# Methods that the runner calls take no step for it.
_ENTRIES = frozenset({"act"})
_GOING_THROUGH = frozenset({"all", "any", "list", "max", "min", "set", "sorted", "sum", "tuple"})
_CHARGED_METHODS = frozenset({"count", "remove", "sort"})


def instrument(
    node: ast.stmt, numbers: Numbers, recursive: Collection[str], *, tosses: bool
) -> ast.stmt:
    """Rewrite one class or function of a program in place, and return it.

    numbers: which of its names are numbers; recursive: functions that may call themselves; tosses:
    `random` means Python's module, so that `random.random() < p` is a toss.
    """
    done: ast.stmt = _Instrumenter(numbers, recursive, tosses=tosses).visit(node)
    return done


class _Instrumenter(ast.NodeTransformer):
    def __init__(self, numbers: Numbers, recursive: Collection[str], *, tosses: bool) -> None:
        self.tosses = tosses
        self.numbers = numbers
        self.bound = numbers.bound
        self.recursive = recursive

    def _children(self, node: ast.AST) -> ast.AST:
        return super().generic_visit(node)

    # Functions and loops

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._children(node)
        node.returns = None
        first = _docstring_length(node.body)
        documented, body = node.body[:first], node.body[first:] or [ast.Pass(**_place(node))]
        if node.name in self.recursive or node.name == "__init__":
            leave = [_statement(node, ".leave")]
            attempt = ast.Try(body, handlers=[], orelse=[], finalbody=leave, **_place(body[0]))
            body = [_statement(node, ".enter"), attempt]
        elif node.name not in _ENTRIES and not node.name.startswith(("answer_", "notice_")):
            body = [_statement(node, ".step"), *body]
        node.body = [*documented, *body]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self._children(node)
        # (.step() or BODY): step returns None
        step = _call(node.body, ".step")
        node.body = ast.BoolOp(ast.Or(), [step, node.body], **_place(node.body))
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
        if "ClassVar" in ast.unparse(node.annotation) and node.value is not None:
            return ast.Assign([node.target], node.value, **_place(node))
        node.annotation = ast.Constant(None, **_place(node))
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        self._children(node)
        node.iter = _call(node.iter, ".steps_over", node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self._children(node)
        node.iter = _call(node.iter, ".steps_over", node.iter)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        self._children(node)
        node.body.insert(0, _statement(node.body[0], ".step"))
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self._children(node)
        if node.type is None:
            node.type = ast.Name("Exception", ast.Load(), **_place(node))
        node.body.insert(0, _statement(node, ".caught"))
        return node

    # Names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        own = _OUR_OWN.get(node.id)
        if own is None or node.id in self.bound:
            return node
        return ast.Name(own, node.ctx, **_place(node))

    # Operations

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        free = self._is_free(node.left, node.op, node.right)
        self._children(node)
        if free:
            return node
        return _call(node, _OPERATORS[type(node.op)][0], node.left, node.right)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        free = self._is_free(node.target, node.op, node.value)
        self._children(node)
        if not free:
            guard = _OPERATORS[type(node.op)][1]
            node.value = _call(node.value, guard, _loaded(node.target), node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self._children(node)
        if any(_is_slice(target) for target in node.targets):
            node.value = _call(node.value, ".check_size", node.value)
        return node

    def visit_List(self, node: ast.List | ast.Tuple | ast.Set | ast.Dict) -> ast.AST:
        self._children(node)
        return _checked(node) if _spreads(node) else node

    visit_Tuple = visit_Set = visit_Dict = visit_List

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self._children(node)
        count = sum(isinstance(part, ast.FormattedValue) for part in node.values)
        return _checked(node) if count > 1 else node

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self._children(node)
        if node.format_spec is None:
            node.value = _call(node.value, ".as_text", node.value)
        node.conversion = -1
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        if self.tosses and (toss := _find_toss(node)):
            return _call(node, toss.guard, self.visit(toss.bound))
        free = any(map(self._is_short, [node.left, *node.comparators]))
        inside = isinstance(node.ops[0], ast.In | ast.NotIn)
        shown = isinstance(node.comparators[0], ast.List | ast.Tuple | ast.Set | ast.Constant)
        self._children(node)
        if inside and not shown:
            node.comparators[0] = _call(node.comparators[0], ".sized", node.comparators[0])
        elif not free and not inside and not isinstance(node.ops[0], ast.Is | ast.IsNot):
            node.left = _call(node.left, ".compared", node.left)
        return node

    def _is_short(self, node: ast.expr) -> bool:
        """Tell if a comparison with this value is short: with a number, a text or a move."""
        move = isinstance(node, ast.Attribute) and node.attr in ("C", "D")
        named = isinstance(node, ast.Name) and node.id in {"C", "D"} - set(self.bound)
        return move or named or isinstance(node, ast.Constant) or self.numbers.has(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id not in self.bound:
            return self._builtin_call(node, function.id)
        self._children(node)
        if isinstance(function, ast.Attribute) and function.attr in GUARDED_METHODS:
            return self._guarded_call(node, function)
        if isinstance(function, ast.Attribute) and function.attr == "index":
            return self._guarded_call(node, function)
        if isinstance(function, ast.Attribute) and function.attr in _CHARGED_METHODS:
            function.value = _call(function.value, ".sized", function.value)
        return node

    def _builtin_call(self, node: ast.Call, name: str) -> ast.AST:
        if name in ("isinstance", "issubclass"):
            node.args[0] = self.visit(node.args[0])
            return node
        alone = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp)
        if name in _GOING_THROUGH and alone:
            node.args = [_call(node.args[0], ".sized", self.visit(node.args[0]))]
            node.keywords = [self.visit(one) for one in node.keywords]
            if name == "sum" and node.keywords:
                node.func = self.visit(node.func)
            return node
        plain = name in ("round", "sum") and len(node.args) == 1 and not node.keywords
        if plain and not isinstance(node.args[0], ast.Starred):
            node.args = [self.visit(argument) for argument in node.args]
            return node
        return self._children(node)

    def _guarded_call(self, node: ast.Call, function: ast.Attribute) -> ast.AST:
        if isinstance(function.value, ast.Name) and function.value.id in MODULES:
            return node
        name = ast.Constant(function.attr, **_place(node))
        call = _call(node, ".call_method", function.value, name, *node.args)
        call.keywords = node.keywords
        return call

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        return node if node.arg == "dtype" else self._children(node)

    # Which operations need no look

    def _is_free(self, left: ast.expr, operator: ast.operator, right: ast.expr) -> bool:
        """Tell if an operation can make nothing large, whatever the values are."""
        if isinstance(operator, ast.Add):
            return self.numbers.has(left) or self.numbers.has(right)
        if isinstance(operator, ast.Mult):
            return (
                self.numbers.has_float(left)
                or self.numbers.has_float(right)
                or (_is_small(left) and self.numbers.has(right))
                or (_is_small(right) and self.numbers.has(left))
            )
        if isinstance(operator, ast.Pow):
            return self.numbers.has_float(left) or self.numbers.has_float(right)
        if isinstance(operator, ast.Mod):
            return self.numbers.has(left)
        return not isinstance(operator, ast.LShift)


class _Place(TypedDict):
    """The place of a piece of syntax in its file."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


def _place(node: ast.expr | ast.stmt | ast.excepthandler) -> _Place:
    return {
        "lineno": node.lineno,
        "col_offset": node.col_offset,
        "end_lineno": node.end_lineno,
        "end_col_offset": node.end_col_offset,
    }


def _call(
    at: ast.expr | ast.stmt | ast.excepthandler, guard: str, *arguments: ast.expr
) -> ast.Call:
    """Make the call of a guard that stands where another piece of syntax stands."""
    place = _place(at)
    return ast.Call(ast.Name(guard, ast.Load(), **place), list(arguments), [], **place)


def _statement(at: ast.stmt | ast.excepthandler, guard: str) -> ast.stmt:
    return ast.Expr(_call(at, guard), **_place(at))


def _loaded(target: ast.expr) -> ast.expr:
    """Return the value that a target of an assignment has before it."""
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load(), **_place(target))
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load(), **_place(target))
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load(), **_place(target))
    raise TypeError(type(target).__name__)


class _Toss(NamedTuple):
    guard: str
    bound: ast.expr


# Of a number that is drawn and stands on the left; on the right it is the other way round.
_TOSSES: dict[type[ast.cmpop], str] = {
    ast.Lt: ".draw_lt",
    ast.LtE: ".draw_le",
    ast.Gt: ".draw_gt",
    ast.GtE: ".draw_ge",
}
_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.LtE: ast.GtE,
    ast.Gt: ast.Lt,
    ast.GtE: ast.LtE,
}
_DRAWS_NOTHING = frozenset({"abs", "float", "int", "len", "max", "min"})


def _find_toss(node: ast.Compare) -> _Toss | None:
    """Recognise `random.random() < p` in its forms, where p draws nothing itself."""
    kind = type(node.ops[0])
    if len(node.ops) > 1 or kind not in _TOSSES:
        return None
    left, right = node.left, node.comparators[0]
    if _is_draw(left) and _draws_nothing(right):
        return _Toss(_TOSSES[kind], right)
    if _is_draw(right) and _draws_nothing(left):
        return _Toss(_TOSSES[_MIRRORED[kind]], left)
    return None


def _is_draw(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node) == "random.random()"


def _draws_nothing(node: ast.expr) -> bool:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    return all(isinstance(one.func, ast.Name) and one.func.id in _DRAWS_NOTHING for one in calls)


def _is_slice(target: ast.expr) -> bool:
    return isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice)


def _spreads(node: ast.List | ast.Tuple | ast.Set | ast.Dict) -> bool:
    """Tell if a display takes in others, as [*these, *those] does."""
    if isinstance(node, ast.Dict):
        return any(key is None for key in node.keys)
    stored = not isinstance(node, ast.Set) and isinstance(node.ctx, ast.Store)
    return not stored and any(isinstance(part, ast.Starred) for part in node.elts)


def _checked(node: ast.expr) -> ast.expr:
    return _call(node, ".check_size", node)


def _is_small(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and (
        isinstance(node.value, int) and abs(node.value) <= _SMALL
    )


def _docstring_length(body: list[ast.stmt]) -> int:
    """Return 1 if a body begins with a docstring, else 0."""
    first = body[0]
    return int(
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
