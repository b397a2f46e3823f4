"""Tell from a program's syntax what it sees, whether it draws, and whether it remembers."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence

from society.sandbox.source.names import HISTORY, SOURCES
from society.sandbox.source.number_inference import bindings
from society.sandbox.source.program_text import inner_syntax
from society.sandbox.source.writing_calls import (
    ITERATORS,
    MUTATORS,
    NUMPY_MUTATORS,
    change_through_values,
    got_names,
    rebinds,
    values_of,
    writes_out,
)

_NUMPY_MAKERS = frozenset({"arange", "array", "copy", "full", "mean", "ones", "sum", "zeros"})
_KEEP_ITEMS = frozenset({"array", "copy"})  # of objects
_CONSUMERS = frozenset(
    {"all", "any", "dict", "frozenset", "list", "max", "min", "set", "sorted", "sum", "tuple"}
)
_CONSUMING_METHODS = frozenset({"extend", "join", "update"})
_NUMBER_CALLS = frozenset({"abs", "bool", "float", "int", "len", "range", "round", "str", "sum"})
_COPY_CALLS = frozenset({"dict", "list", "set", "sorted", "tuple"}) | ITERATORS
_TRUSTED = _CONSUMERS | _NUMBER_CALLS | _COPY_CALLS


def history_read(syntax: Iterable[ast.AST], interface: str) -> frozenset[str]:
    """Return the attributes of the history that a program can read.

    Attributes are written out in its text, or in quotes in getattr, so none is missed.
    """
    found = set()
    for node in syntax:
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.add(node.value)
        elif isinstance(node, ast.Name) and node.id == "current_stock":
            found.add("current_stock")
    # In the full interface, that the history is None says which round it is.
    first = {"round_number"} if interface == "full" else set()
    return frozenset(found & HISTORY | first)


def sources_read(syntax: Iterable[ast.AST], *, own: Iterable[str]) -> bool:
    """Tell if a program can read the sources of its game; own: attributes of its own classes."""
    elsewhere = SOURCES - {*own}
    return any(
        (isinstance(node, ast.Constant) and node.value in SOURCES)
        or (
            isinstance(node, ast.Attribute)
            and node.attr in (elsewhere if _of_self(node) else SOURCES)
        )
        for node in syntax
    )


def _of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def draws_at_random(syntax: Iterable[ast.AST], names: Iterable[str]) -> bool:
    """Tell if a program can draw; names: those it imports from modules of chance."""
    syntax = list(syntax)
    chance = {"random", "id", *names}
    drawing = {"random", "default_rng"}
    return bool(got_names(syntax) & drawing) or any(
        (isinstance(node, ast.Name) and node.id in chance)
        or (isinstance(node, ast.Attribute) and node.attr in drawing)
        for node in syntax
    )


class ProgramFunction:
    """A function of a program, with the syntax of its body."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.name = node.name
        arguments = inner_syntax([node.args])
        self.defaults = [one for one in (*node.args.defaults, *node.args.kw_defaults) if one]
        self.arguments = {one.arg for one in arguments if isinstance(one, ast.arg)}
        self.nodes = inner_syntax(node.body)
        self.mentioned = {
            one.attr if isinstance(one, ast.Attribute) else one.id
            for one in self.nodes
            if isinstance(one, ast.Attribute | ast.Name)
        } | got_names(self.nodes)
        self.values = values_of(self.nodes)


def call_themselves(functions: Sequence[ProgramFunction]) -> frozenset[str]:
    """Return the names of functions that may call themselves, directly or through others."""
    names = {one.name for one in functions} - {"__init__"}
    mentioned = {name: set[str]() for name in names}
    for one in functions:
        if one.name in names:
            mentioned[one.name] |= one.mentioned & names
    return frozenset(name for name in names if name in reached_from(name, mentioned))


def reached_from(name: str, mentioned: Mapping[str, set[str]]) -> set[str]:
    """Return the names that a function may call, directly or through others."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        more = mentioned[waiting.pop()] - found
        found |= more
        waiting += more
    return found


def remembers(
    tops: Iterable[ast.stmt], syntax: Iterable[ast.AST], functions: Sequence[ProgramFunction]
) -> bool:
    """Tell if a decision can depend on anything but its arguments and what __init__ has set.

    When in doubt, it can: a program that remembers nothing is shared by all games.
    """
    syntax = list(syntax)
    if any(isinstance(node, ast.Nonlocal) for node in syntax):
        return True
    if rebinds(syntax, _TRUSTED) or change_through_values(syntax) or writes_out(syntax):
        return True
    at_start = _only_at_start(functions)
    start = [one.nodes for one in functions if one.name in at_start]
    start += [inner_syntax([one]) for one in _class_level(tops)]
    start.append([part for one in functions for part in inner_syntax(one.defaults)])
    return (
        any(_changes_something(one) for one in functions if one.name not in at_start)
        or any(map(_keeps_iterator, start))
        or any(_holds_change(nodes) for nodes in start)
    )


def _holds_change(nodes: Iterable[ast.AST]) -> bool:
    """Tell if a lambda is made that changes anything when it is called."""
    bodies = [one.body for one in nodes if isinstance(one, ast.Lambda)]
    return any(_changes(one, None) for one in inner_syntax(bodies))


def _class_level(nodes: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Find the statements that run when a program is defined."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            yield from _class_level(node.body)
        elif not isinstance(node, ast.FunctionDef):
            yield node


def _only_at_start(functions: Sequence[ProgramFunction]) -> set[str]:
    """Return the names of functions that run in __init__ and at no other time."""
    start = {"__init__", "__post_init__"}
    names = {one.name for one in functions if not one.name.startswith(("answer_", "notice_"))}
    names -= {"act", "__call__"}
    while True:
        inside = {name for one in functions if one.name in start for name in one.mentioned}
        outside = {name for one in functions if one.name not in start for name in one.mentioned}
        outside |= {name for one in functions for name in one.values}
        more = names & inside - outside - start
        if not more:
            return start
        start |= more


class _OwnValues:
    """The names of a function that stand for values of its own, which nothing else refers to.

    new: bound to nothing but new values and numbers; deep: and their items are new, too.
    """

    def __init__(self, function: ProgramFunction) -> None:
        inner = {one.arg for one in function.nodes if isinstance(one, ast.arg)}
        shallow = dict.fromkeys(function.arguments | inner, False)
        deep = dict(shallow)
        for node in function.nodes:
            for name, value, item in bindings(node):
                value = None if item else value
                new = value is not None and (_is_new(value) or _is_deep(value))
                shallow[name] = shallow.get(name, True) and new
                deep[name] = deep.get(name, True) and value is not None and _is_deep(value)
            for name in _filled(node):
                deep[name] = False
        self.new = {name for name, own in shallow.items() if own}
        self.deep = {name for name, own in deep.items() if own} & self.new

    def holds(self, node: ast.expr) -> bool:
        """Tell if a change of this value is seen by the function alone."""
        return _is_new(node) or (isinstance(node, ast.Name) and node.id in self.new)

    def holds_items(self, node: ast.expr) -> bool:
        """Tell if a change of this value's items is seen by the function alone."""
        return isinstance(node, ast.Name) and node.id in self.deep


def _filled(node: ast.AST) -> Iterator[str]:
    """Find the names whose value is given an item that may not be new."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if isinstance(node.func.value, ast.Name) and not all(map(_is_deep, node.args)):
            yield node.func.value.id
    elif isinstance(node, ast.For | ast.comprehension):
        yield from _stored_into(node.target)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple | ast.List) or not _is_deep(node.value):
                yield from _stored_into(target)


def _stored_into(target: ast.expr) -> Iterator[str]:
    for one in ast.walk(target):
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name):
            yield one.value.id


def _changes_something(function: ProgramFunction) -> bool:
    """Tell if a function sets or changes anything that is not its own."""
    own = _OwnValues(function)
    return any(_changes(node, own) for node in function.nodes)


def _changes(node: ast.AST, own: _OwnValues | None) -> bool:
    own = own or _NOTHING
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Store)
    if isinstance(node, ast.AugAssign):
        if isinstance(node.target, ast.Subscript):
            return not own.holds_items(node.target.value)
        return not own.holds(node.target)
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return not own.holds(node.value)
    return isinstance(node, ast.Call) and _call_changes(node, own)


def _call_changes(node: ast.Call, own: _OwnValues) -> bool:
    if isinstance(node.func, ast.Name):
        return node.func.id in NUMPY_MUTATORS or (
            node.func.id == "next" and not own.holds(node.args[0])
        )
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in NUMPY_MUTATORS or (
            node.func.attr in MUTATORS and not own.holds(node.func.value)
        )
    return False


_NOTHING = _OwnValues(ProgramFunction(ast.parse("def nothing(): pass").body[0]))  # type: ignore[arg-type]


def _is_deep(node: ast.expr) -> bool:
    """Tell if a value is a number or text, or new with all its items."""
    if isinstance(node, ast.List | ast.Set | ast.Tuple):
        return all(map(_is_deep, node.elts))
    if isinstance(node, ast.Dict):
        return all(map(_is_deep, node.values))
    if isinstance(node, ast.ListComp | ast.SetComp):
        return _is_deep(node.elt)
    if isinstance(node, ast.DictComp):
        return _is_deep(node.value)
    if isinstance(node, ast.BinOp):
        return _is_deep(node.left) and _is_deep(node.right)
    if isinstance(node, ast.Call):
        kept = isinstance(node.func, ast.Attribute) and node.func.attr in _KEEP_ITEMS
        total = isinstance(node.func, ast.Name) and node.func.id == "sum" and len(node.args) > 1
        return not kept and not total and _is_call_of(node, _NUMBER_CALLS)
    return isinstance(node, ast.Constant | ast.Compare | ast.JoinedStr | ast.UnaryOp)


def _is_new(node: ast.expr) -> bool:
    """Tell if a value is made by this very expression; its items may be old."""
    displays = ast.List | ast.Set | ast.Dict | ast.ListComp | ast.SetComp | ast.DictComp | ast.BinOp
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _is_call_of(node, _COPY_CALLS)
    return isinstance(node, displays) or _is_deep(node) or _is_call_of(node, _COPY_CALLS)


def _is_call_of(node: ast.AST, names: frozenset[str]) -> bool:
    """Tell if this calls one of these builtins, or a function of numpy that makes an array."""
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in names
    return (
        isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("np", "numpy", "math")
        and node.func.attr in _NUMPY_MAKERS
    )


def _keeps_iterator(nodes: Sequence[ast.AST]) -> bool:
    """Tell if an iterator is made and not used up at once."""
    used = {
        id(argument)
        for call in nodes
        if isinstance(call, ast.Call) and _consumes(call)
        for argument in call.args
    }
    used |= {id(loop.iter) for loop in nodes if isinstance(loop, ast.For | ast.comprehension)}
    return any(id(one) not in used and _is_iterator(one) for one in nodes)


def _consumes(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr in _CONSUMING_METHODS
    return _is_call_of(call, _CONSUMERS)


def _is_iterator(node: ast.AST) -> bool:
    return isinstance(node, ast.GeneratorExp) or (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ITERATORS
    )
