"""Write into a program's syntax tree that its steps are counted and its sizes are looked at.

What the guards are called in a namespace begins with a dot, so that no source text can spell it.
Operations that cannot make much of little, like a sum with a number, are left as they are, so that
a decision of usual length costs the same as before. What C code goes through is charged where a
program may do it often: in loops, and in functions that loops reach. What takes long even once,
like a comparison of lists of lists, is charged everywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypedDict

from society.sandbox.source.compared_items import items_in_tests
from society.sandbox.source.names import HISTORY, METHODS, MODULES, NUMPY, NUMPY_TYPES, words
from society.sandbox.source.number_inference import Numbers
from society.sandbox.source.often_done import KnownValues, Often
from society.sandbox.source.syntax_rules import GUARDED_METHODS, is_class_name

# For each operator the guard that carries it out, and the one that looks at its right side.
_OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: (".plus", ".added"),
    ast.Mult: (".times", ".multiplied"),
    ast.Pow: (".to_power", ".exponent"),
    ast.LShift: (".shifted", ".shift"),
    ast.Mod: (".modulo", ".divisor"),
    ast.MatMult: (".matrix_product", ".matrix"),
    ast.Sub: (".minus", ".paired"),
    ast.Div: (".divided", ".paired"),
    ast.FloorDiv: (".floor_divided", ".paired"),
    ast.BitAnd: (".bits_of_both", ".paired"),
    ast.BitOr: (".bits_of_either", ".paired"),
    ast.BitXor: (".bits_of_one", ".paired"),
    ast.RShift: (".shifted_right", ".paired"),
}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: ".equal",
    ast.NotEq: ".unequal",
    ast.Lt: ".less",
    ast.LtE: ".at_most",
    ast.Gt: ".more",
    ast.GtE: ".at_least",
    ast.In: ".inside",
    ast.NotIn: ".outside",
}
_OUR_OWN = {
    "dict": ".as_dict",
    "frozenset": ".as_frozenset",
    "round": ".rounded",
    "set": ".as_set",
    "str": ".as_text",
    "sum": ".total",
}
_TYPES = words("bool dict float frozenset int list set str tuple")
_SMALL = 1_000
_NODES_PER_STEP = 64
_SUMS_OF_A_TURN = 4
_PLAIN_CALLS = 24
_FREE_OPERATORS = 4  # of a turn; on small arrays each takes half a microsecond or more
# Methods that the runner calls take no step for it.
_ENTRIES = frozenset({"act"})
_GOING_THROUGH = frozenset({"all", "any", "list", "max", "min", "sorted", "sum", "tuple"})
_COMPARING = frozenset({"max", "min", "sorted"})
_LOOKING_UP = words("add discard get pop setdefault")
_CHARGED_METHODS = words(
    """
    argpartition argsort choose count difference difference_update dot extend index intersection
    isdisjoint issubset issuperset join partition remove repeat replace searchsorted sort
    symmetric_difference tolist union update
    """
)
# Methods that take a microsecond or more on arrays of three items, in microseconds.
_STEPS_OF_METHODS = {
    **dict.fromkeys(
        words(
            """
            all any argmax argmin argpartition argsort astype clip compress cumprod cumsum
            difference difference_update intersection isdisjoint issubset issuperset max min
            partition prod round searchsorted sum symmetric_difference tolist trace union update
            """
        ),
        1,
    ),
    "choices": 2,
    "dot": 2,
    "mean": 3,
    "repeat": 4,
    "std": 8,
    "var": 8,
}
# Attributes that are no methods, or those of a history.
_DATA = words("C D T dtype eps flat imag itemsize kind name ndim real shape size tiny value")
# Methods that take no longer the larger their owner is, or no more than a little.
_QUICK_METHODS = words(
    """
    add append appendleft bit_count bit_length choice clear discard endswith flip gauss get
    is_integer item items keys pop popitem randint random setdefault startswith uniform values
    """
)


_BOUND = METHODS - _QUICK_METHODS - _DATA - HISTORY | {"pop"}


def instrument(
    node: ast.stmt,
    values: KnownValues,
    recursive: Collection[str],
    often: Often,
    *,
    tosses: bool,
) -> ast.stmt:
    """Rewrite one class or function of a program in place, and return it.

    values: what is known of its names; recursive: functions that may call themselves; tosses:
    `random` means Python's module, so that `random.random() < p` is a toss.
    """
    work = _Instrumenter(values, recursive, often, tosses=tosses)
    work.items = items_in_tests(node, work.bound)
    done: ast.stmt = work.visit(node)
    return done


class _Instrumenter(ast.NodeTransformer):
    def __init__(
        self, values: KnownValues, recursive: Collection[str], often: Often, *, tosses: bool
    ) -> None:
        self.tosses = tosses
        self.numbers, self.small = values
        self.bound = self.numbers.bound
        self.recursive = recursive
        self.often = often
        self.watched = False  # whether what stands here may be done often
        self.growing = False  # whether it adds so often that whole numbers may grow
        self.plain_calls = 0
        self.items: Collection[int] = ()  # sides of comparisons: see compared_items

    def _children(self, node: ast.AST) -> ast.AST:
        return super().generic_visit(node)

    def _visit_all(self, nodes: Iterable[ast.expr]) -> list[ast.expr]:
        return [self.visit(one) for one in nodes]

    def _watch(self, *nodes: ast.AST) -> tuple[bool, bool]:
        """Take what follows as done often; returns how it was before."""
        outer = self.watched, self.growing
        self.watched = True
        self.growing = self.growing or _sums(nodes) > _SUMS_OF_A_TURN
        return outer

    # Functions and loops

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        weight = _weight(node.body)
        outer = self.watched, self.growing
        if node.name in self.often.functions or self.watched:
            self._watch(*node.body)
        self._children(node)
        self.watched, self.growing = outer
        node.returns = None
        first = _docstring_length(node.body)
        documented, body = node.body[:first], node.body[first:] or [ast.Pass(**_place(node))]
        if node.name in self.recursive or node.name == "__init__":
            leave = [_statement(node, ".leave")]
            attempt = ast.Try(body, handlers=[], orelse=[], finalbody=leave, **_place(body[0]))
            body = [_statement(node, ".enter", *weight), attempt]
        elif node.name not in _ENTRIES and not node.name.startswith(("answer_", "notice_")):
            body = [_statement(node, ".step", *weight), *body]
        node.body = [*documented, *body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.decorator_list = self._visit_all(node.decorator_list)
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        weight = _weight([node.body])
        outer = self._watch(node.body)
        self._children(node)
        self.watched, self.growing = outer
        # (.step() or BODY): step returns None
        step = _call(node.body, ".step", *weight)
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
        weight = _weight(node.body)
        over = self._over(node.target, node.iter)
        node.iter = _call(node.iter, over, self.visit(node.iter), *weight)
        outer = self._watch(*node.body)
        node.target = self.visit(node.target)
        node.body = [self.visit(one) for one in node.body]
        self.watched, self.growing = outer
        node.orelse = [self.visit(one) for one in node.orelse]
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        weight = _weight([node.test, *node.body])
        outer = self._watch(node.test, *node.body)
        node.test = self.visit(node.test)
        node.body = [self.visit(one) for one in node.body]
        self.watched, self.growing = outer
        node.orelse = [self.visit(one) for one in node.orelse]
        node.body.insert(0, _statement(node.body[0], ".step", *weight))
        return node

    def _comprehension(self, node: ast.AST) -> ast.AST:
        """Rewrite a comprehension; its first values are gone through once."""
        parts: list[ast.expr] = (
            [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]  # type: ignore[attr-defined]
        )
        first, *more = node.generators  # type: ignore[attr-defined]
        inner = [*parts, *first.ifs, *more]
        weight = _weight(inner)
        over = self._over(first.target, first.iter)
        values = self.visit(first.iter)
        outer = self._watch(*inner)
        first.iter = _call(values, over, values, *weight)
        first.target = self.visit(first.target)
        first.ifs = self._visit_all(first.ifs)
        for one in more:
            over = self._over(one.target, one.iter)
            one.iter = _call(one.iter, over, self.visit(one.iter), *weight)
            one.target = self.visit(one.target)
            one.ifs = self._visit_all(one.ifs)
        if isinstance(node, ast.DictComp):
            node.key, node.value = self._key(self.visit(node.key)), self.visit(node.value)
        elif isinstance(node, ast.SetComp):
            node.elt = self._key(self.visit(node.elt))
        else:
            node.elt = self.visit(node.elt)  # type: ignore[attr-defined]
        self.watched, self.growing = outer
        return node

    def _over(self, target: ast.expr, values: ast.expr) -> str:
        """Choose the guard of a loop; one that takes its items apart may take sets apart."""
        pairs = isinstance(values, ast.Call) and (
            (isinstance(values.func, ast.Name) and values.func.id in ("enumerate", "zip"))
            or (isinstance(values.func, ast.Attribute) and values.func.attr == "items")
        )
        apart = _unpacks_parts(target) or (_unpacks(target) and not pairs)
        return ".parts_over" if apart and self.often.sets else ".steps_over"

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        self._children(node)
        if node.type is None:
            node.type = ast.Name("Exception", ast.Load(), **_place(node))
        node.body.insert(0, _statement(node, ".caught"))
        return node

    # Names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.bound or not isinstance(node.ctx, ast.Load):
            return node
        if node.id in _OUR_OWN:
            return ast.Name(_OUR_OWN[node.id], node.ctx, **_place(node))
        if node.id in _GOING_THROUGH:
            return _call(node, ".charged", node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in _TYPES - set(self.bound):
            return _call(node, ".charged", node)
        if is_class_name(node):
            return _call(node, ".class_name", ast.Name("self", ast.Load(), **_place(node)))
        node.value = self.visit(node.value)
        loads = isinstance(node.ctx, ast.Load)
        if not loads and not _is_self(node.value):
            node.value = _call(node.value, ".own_object", node.value)
        if loads and node.attr in _BOUND and not _is_self(node.value) and not _is_module(node):
            return _call(node, ".bound", node)
        return node

    # Operations

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        free = self._is_free(node.left, node.op, node.right)
        grows = self.growing and _is_sum(node) and not free_of_growth(self.numbers, node)
        self._children(node)
        if not free:
            node = _call(node, _OPERATORS[type(node.op)][0], node.left, node.right)  # type: ignore[assignment]
        return _call(node, ".bounded", node) if grows else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        free = self._is_free(node.target, node.op, node.value)
        self._children(node)
        if not free:
            guard = _OPERATORS[type(node.op)][1]
            node.value = _call(node.value, guard, _loaded(node.target), node.value)
        if self.growing and isinstance(node.op, ast.Add | ast.Sub):
            node.value = _call(node.value, ".growing", _loaded(node.target), node.value)
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        plain = isinstance(node.op, ast.Not) or not self.watched or self.small.has(node.operand)
        self._children(node)
        if not plain:
            node.operand = _call(node.operand, ".walked", node.operand)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self._children(node)
        if any(_is_slice(target) for target in node.targets):
            node.value = _call(node.value, ".sized", node.value)
            node.value = _call(node.value, ".check_size", node.value)
        if self.often.sets and any(map(_unpacks_parts, node.targets)):
            node.value = _call(node.value, ".parts_with_order", node.value)
        if any(map(_unpacks, node.targets)) and not isinstance(node.value, ast.Tuple):
            node.value = _call(node.value, ".sized", node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in _TYPES - set(self.bound):
            return node
        quick, owned = self._is_quick_place(node.slice), self.small.has(node.value)
        cut = isinstance(node.slice, ast.Slice)
        # Whole numbers may be chosen to have one hash.
        filled = self.watched and not cut and isinstance(node.ctx, ast.Store)
        filled = filled and not isinstance(node.slice, ast.Constant) and not _is_cut(node.slice)
        self._children(node)
        if owned or (quick and not cut and not filled):
            return node
        if isinstance(node.ctx, ast.Load):
            if self.watched and not cut:
                return _call(node, ".picked", node.value, node.slice)
        elif self.watched:
            node.value = _call(node.value, ".walked", node.value)
        if self.watched and cut:
            node.value = _call(node.value, ".walked", node.value)
        if not quick or filled:
            node.slice = _call(node.slice, ".key", node.slice)
        return node

    def _is_quick_place(self, place: ast.expr) -> bool:
        """Tell if an index has a hash that is quick: a number, a text, a cut, or some of them."""
        if isinstance(place, ast.Tuple):
            return all(map(self._is_quick_place, place.elts))
        if isinstance(place, ast.Slice):
            return True
        return isinstance(place, ast.Constant | ast.JoinedStr) or self.small.has(place)

    def _key(self, node: ast.expr) -> ast.expr:
        """Charge for the hash of what goes into a set or a dictionary."""
        quick = isinstance(node, ast.Starred | ast.Constant | ast.JoinedStr)
        if quick or (not self.watched and self._is_quick_place(node)):
            return node
        return _call(node, ".key", node)

    def visit_List(self, node: ast.List | ast.Tuple) -> ast.AST:
        self._children(node)
        return _checked(node) if _spreads(node) else node

    visit_Tuple = visit_List

    def visit_Set(self, node: ast.Set) -> ast.AST:
        node.elts = [self._key(self.visit(one)) for one in node.elts]
        return _checked(node) if _spreads(node) else node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        node.keys = [one and self._key(self.visit(one)) for one in node.keys]
        node.values = self._visit_all(node.values)
        node.values = [
            value if name is not None else _call(value, ".walked", value)
            for name, value in zip(node.keys, node.values, strict=True)
        ]
        return _checked(node) if _spreads(node) else node

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        self._children(node)
        if isinstance(node.ctx, ast.Load):
            node.value = _call(node.value, ".sized", node.value)
        return node

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
        if self.tosses and (toss := _find_toss(node, self.bound)):
            return _call(node, toss.guard, self.visit(toss.bound))
        sides = [node.left, *node.comparators]
        free = self._compares_little(node.ops, sides)
        plain = free and all(map(self.small.has, sides))
        items = [plain and id(one) in self.items for one in sides]
        sides = self._visit_all(sides)
        if free:
            node.left, *node.comparators = [
                _call(one, ".plain_item", one) if item else one
                for one, item in zip(sides, items, strict=True)
            ]
            return node
        if len(node.ops) == 1:
            return _call(node, _COMPARISONS[type(node.ops[0])], *sides)
        chained: list[ast.expr] = [_call(one, ".chained", one) for one in sides]
        node.left, *node.comparators = chained
        return node

    def _compares_little(self, operators: Sequence[ast.cmpop], sides: Sequence[ast.expr]) -> bool:
        """Tell if a comparison goes through little, whatever the values are."""
        if all(isinstance(one, ast.Is | ast.IsNot) for one in operators):
            return True
        if isinstance(operators[0], ast.In | ast.NotIn) and len(operators) == 1:
            shown = sides[1]
            quick = self._is_quick_place(sides[0])
            if isinstance(shown, ast.List | ast.Tuple | ast.Set):
                return quick or (not isinstance(shown, ast.Set) and all(map(_is_short, shown.elts)))
            return isinstance(shown, ast.Constant)
        if all(map(self.small.has, sides)):
            return True
        if self.watched:
            # Moves and texts are equal to no array.
            return any(map(_is_move_or_text, sides)) and len(operators) == 1
        if any(map(_is_short, sides)):
            return True
        return self._pairs_little(sides)

    def _pairs_little(self, sides: Sequence[ast.expr]) -> bool:
        """Tell if an operation that is done once goes through little."""
        small = any(map(self.small.has, sides))
        if self.often.wide:
            return small and all(self.small.has(one) or self.numbers.has(one) for one in sides)
        return small or all(map(self.numbers.has, sides))

    # Calls

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if isinstance(function, ast.Name) and function.id not in self.bound:
            return self._builtin_call(node, function.id)
        if not isinstance(function, ast.Attribute):
            return self._children(node)
        plain = self._is_plain_call(node, function)
        owned = self.small.has(function.value)
        quick = function.attr in _QUICK_METHODS or owned
        quick = quick or _is_super(function.value)
        small = [self.small.has(one) for one in node.args]
        fills = self.watched and function.attr in ("add", "setdefault")
        keyed = [self._is_quick_place(one) and not fills for one in node.args]
        of_type = isinstance(function.value, ast.Name) and function.value.id in _TYPES - set(
            self.bound
        )
        if not of_type:
            function.value = self.visit(function.value)
        node.args = self._visit_all(node.args)
        node.keywords = [self.visit(one) for one in node.keywords]
        if plain:
            node.func = ast.Attribute(
                ast.Name(".plain_numpy", ast.Load(), **_place(function)),
                function.attr,
                ast.Load(),
                **_place(function),
            )
            return node
        if _is_module(function.value) or _is_self(function.value):
            if self.watched and function.attr in NUMPY_TYPES:
                node.args = [_call(one, ".nested", one) for one in node.args]
            return self._guarded_call(node, function) if function.attr in GUARDED_METHODS else node
        if function.attr == "sort":
            function.value = _call(function.value, ".ordered", function.value)
            self._charge_key(node)
        elif of_type or (function.attr in _CHARGED_METHODS and not owned):
            return self._guarded_call(node, function)
        elif function.attr == "pop" and not node.args and self.often.sets:
            function.value = _call(function.value, ".with_order", function.value)
        elif function.attr in _LOOKING_UP:
            node.args[:1] = [
                one if fine or isinstance(one, ast.Starred) else _call(one, ".key", one)
                for one, fine in zip(node.args[:1], keyed, strict=False)
            ]
        elif self.watched and not quick:
            function.value = _call(function.value, ".walked", function.value)
            node.args = [
                one if fine or isinstance(one, ast.Starred) else _call(one, ".walked", one)
                for one, fine in zip(node.args, small, strict=True)
            ]
        if function.attr in _MEANS and not node.args and not node.keywords:
            return _call(node, f".{function.attr}_of", function.value)
        return node

    def _is_plain_call(self, node: ast.Call, function: ast.Attribute) -> bool:
        """Tell if a function of numpy is called once, with numbers, so that it needs no charge."""
        self.plain_calls += 1
        owner = function.value
        return (
            isinstance(owner, ast.Name)
            and owner.id in ("np", "numpy")
            and function.attr in NUMPY
            and function.attr not in _LONG_CALLS
            and not self.watched
            and not self.often.wide
            and self.plain_calls <= _PLAIN_CALLS
            and all(map(self.numbers.has, node.args))
            and all(self.numbers.has(one.value) for one in node.keywords)
        )

    def _builtin_call(self, node: ast.Call, name: str) -> ast.AST:
        if name in ("isinstance", "issubclass"):
            node.args[0] = self.visit(node.args[0])
            return node
        small = [self.small.has(one) for one in node.args]
        alone = len(node.args) == 1 and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp)
        node.args = self._visit_all(node.args)
        node.keywords = [self.visit(one) for one in node.keywords]
        if name == "getattr":
            wanted = node.args[1]
            walks = isinstance(wanted, ast.Constant) and wanted.value in _BOUND
            return _call(node, ".bound", node) if walks else node
        if name in _COMPARING:
            self._charge_key(node)
        if name in ("filter", "map") and node.args and _is_numpy_type(node.args[0]):
            node.args[0] = _call(node.args[0], ".charged", node.args[0])
        if name in _GOING_THROUGH and alone:
            if not small[0]:
                guard = {**dict.fromkeys(_COMPARING, ".ordered"), "sum": ".summed"}.get(name)
                guard = guard if guard and self.often.wide else ".sized"
                node.args = [_call(node.args[0], guard, node.args[0])]
        elif name in _COMPARING and not all(small) and (self.watched or self.often.wide):
            # A comparison goes through no more than the shorter of two values.
            place = small.index(False)
            if not isinstance(node.args[place], ast.Starred):
                node.args[place] = _call(node.args[place], ".key", node.args[place])
        elif self.watched and name in _OF_ANY_SIZE:
            node.args = [
                one if fine or isinstance(one, ast.Starred) else _call(one, ".walked", one)
                for one, fine in zip(node.args, small, strict=True)
            ]
        if name in ("round", "sum") and alone and not node.keywords:
            return node
        if name in _OUR_OWN:
            node.func = self.visit(node.func)
        return node

    def _charge_key(self, node: ast.Call) -> None:
        """Charge for what a function in `key=` returns."""
        for one in node.keywords:
            quick = isinstance(one.value, ast.Name) and one.value.id in ("abs", "len")
            if one.arg == "key" and not quick and not self._has_small_result(one.value):
                one.value = _call(one.value, ".ordered_by", one.value)

    def _has_small_result(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Lambda) or not isinstance(node.body, ast.BoolOp):
            return False
        body = node.body.values[-1]
        parts = body.elts if isinstance(body, ast.Tuple) else [body]
        return all(map(self.small.has, parts))

    def _guarded_call(self, node: ast.Call, function: ast.Attribute) -> ast.AST:
        if isinstance(function.value, ast.Name) and function.value.id in MODULES:
            return node
        name = ast.Constant(function.attr, **_place(node))
        call = _call(node, ".call_method", function.value, name, *node.args)
        call.keywords = node.keywords
        return call

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        if node.arg == "dtype" or (node.arg == "default_factory" and not _is_lambda(node.value)):
            return node
        return self._children(node)

    # Which operations need no look

    def _is_free(self, left: ast.expr, operator: ast.operator, right: ast.expr) -> bool:
        """Tell if an operation can make nothing large, and goes through little."""
        if self._makes_much(left, operator, right):
            return False
        if self.watched:
            return self.small.has(left) and self.small.has(right)
        if any(isinstance(one, ast.Constant) for one in (left, right)):
            return True
        return not self.often.wide or self._pairs_little([left, right])

    def _makes_much(self, left: ast.expr, operator: ast.operator, right: ast.expr) -> bool:
        """Tell if an operation may make much of little."""
        numbers = self.numbers
        if isinstance(operator, ast.Add):
            return not (numbers.has(left) or numbers.has(right))
        if isinstance(operator, ast.Mult):
            return not (
                numbers.has_float(left)
                or numbers.has_float(right)
                or (_is_small(left) and numbers.has(right))
                or (_is_small(right) and numbers.has(left))
            )
        if isinstance(operator, ast.Pow):
            floats = numbers.has_float(left) or numbers.has_float(right)
            return not (floats and self.small.has(left) and self.small.has(right))
        if isinstance(operator, ast.Mod):
            return not numbers.has(left)
        return isinstance(operator, ast.LShift | ast.MatMult)


# Functions of numpy that may take long even for what is small.
_LONG_CALLS = words(
    """
    apply_along_axis bincount broadcast_to diff einsum eye full identity kron meshgrid ones outer
    pad polyfit polyval repeat resize tensordot tile tri tril_indices triu_indices vander zeros
    """
)
_MEANS = words("mean std var")
_OF_ANY_SIZE = words("abs bool divmod float int pow round str hash")


def _is_lambda(node: ast.expr) -> bool:
    return isinstance(node, ast.Lambda)


def _is_numpy_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in NUMPY_TYPES and _is_module(node)


def _is_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
    )


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_module(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in MODULES


def _is_move_or_text(node: ast.expr) -> bool:
    """Tell if a value is a move or a text that is written out."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("C", "D")
    if isinstance(node, ast.Name):
        return node.id in ("C", "D")
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_short(node: ast.expr) -> bool:
    """Tell if a comparison with this value is short: with a number, a text or a move."""
    return isinstance(node, ast.Constant) or _is_move_or_text(node)


def _weight(body: Iterable[ast.AST]) -> list[ast.expr]:
    """Return the steps of one turn as an argument; a body of usual length takes one, unsaid."""
    nodes = [inner for node in body for inner in ast.walk(node)]
    steps = 1 + len(nodes) // (2 * _NODES_PER_STEP) + sum(map(_steps_of_method, nodes))
    operators = sum(isinstance(one, ast.BinOp | ast.AugAssign) for one in nodes)
    steps += max(0, operators - _FREE_OPERATORS) // 2
    return [ast.Constant(steps)] if steps > 1 else []


def _steps_of_method(node: ast.AST) -> int:
    """Return the steps that a method takes however small its owner is; it may be called later."""
    if not isinstance(node, ast.Attribute) or _is_module(node.value) or _is_self(node.value):
        return 0
    return _STEPS_OF_METHODS.get(node.attr, 0)


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub)


def _sums(nodes: Iterable[ast.AST]) -> int:
    """Count the additions that can make a whole number longer."""
    return sum(
        1
        for node in nodes
        for one in ast.walk(node)
        if _is_sum(one) and not any(isinstance(part, ast.Constant) for part in _sides(one))
    )


def _sides(node: ast.AST) -> tuple[ast.AST, ast.AST]:
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    assert isinstance(node, ast.AugAssign)
    return node.target, node.value


def free_of_growth(numbers: Numbers, node: ast.BinOp) -> bool:
    """Tell if a sum cannot make a whole number longer."""
    return any(
        isinstance(part, ast.Constant) or numbers.has_float(part)
        for part in (node.left, node.right)
    )


def _unpacks_parts(target: ast.expr) -> bool:
    return isinstance(target, ast.Tuple | ast.List) and any(map(_unpacks, target.elts))


def _unpacks(target: ast.expr) -> bool:
    return isinstance(target, ast.Tuple | ast.List)


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
    for argument in arguments:
        ast.copy_location(argument, at) if not hasattr(argument, "lineno") else None
    return ast.Call(ast.Name(guard, ast.Load(), **place), list(arguments), [], **place)


def _statement(at: ast.stmt | ast.excepthandler, guard: str, *arguments: ast.expr) -> ast.stmt:
    return ast.Expr(_call(at, guard, *arguments), **_place(at))


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


def _find_toss(node: ast.Compare, bound: Collection[str]) -> _Toss | None:
    """Recognise `random.random() < p` in its forms, where p draws nothing itself."""
    kind = type(node.ops[0])
    if len(node.ops) > 1 or kind not in _TOSSES:
        return None
    left, right = node.left, node.comparators[0]
    if _is_draw(left) and _draws_nothing(right, bound):
        return _Toss(_TOSSES[kind], right)
    if _is_draw(right) and _draws_nothing(left, bound):
        return _Toss(_TOSSES[_MIRRORED[kind]], left)
    return None


def _is_draw(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node) == "random.random()"


def _draws_nothing(node: ast.expr, bound: Collection[str]) -> bool:
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
    quiet = _DRAWS_NOTHING - set(bound)
    return all(isinstance(one.func, ast.Name) and one.func.id in quiet for one in calls)


def _is_cut(place: ast.expr) -> bool:
    return isinstance(place, ast.Tuple) and any(isinstance(one, ast.Slice) for one in place.elts)


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
