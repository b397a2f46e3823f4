"""Look at the syntax of one class or function, and collect what it uses and what it defines.

Each kind of syntax that programs may use has a method of `Survey`; all others are refused. Which
names are offered depends on the rest of the program, so these are only collected here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from society.sandbox.source.names import (
    DTYPES,
    EXCEPTIONS,
    MODULES,
    OFFERED_CLASSES,
    SPECIAL_METHODS,
)
from society.sandbox.source.program_text import Refusal, walk_within_limits

GUARDED_METHODS = frozenset({"extend", "join", "outer", "repeat", "replace", "union", "update"})
_ONLY_CALLED = frozenset({"getattr", "hasattr", "isinstance", "issubclass", "super"})
_MIXED_WITH_ENUM = frozenset({"Enum", "IntEnum", "int", "str"})
_FIXED = MODULES | OFFERED_CLASSES | _ONLY_CALLED | {"self"}
_REDUCTIONS = frozenset(
    {"all", "any", "max", "mean", "min", "nanmax", "nanmean", "nanmin", "nansum", "prod", "reduce"}
    | {"std", "sum", "var"}
)
_MADE = frozenset(
    f"np.{name}{like}" for name in ("full", "ones", "zeros") for like in ("", "_like")
)
_DECORATORS = frozenset({"dataclass", "property", "staticmethod"})
_FORMAT = re.compile(r"[<>^]?[+ ]?0?\d{0,2},?(\.\d{1,2})?[dfges%]?")
_REFUSED = {
    ast.AsyncFor: "`async`",
    ast.AsyncFunctionDef: "`async`",
    ast.AsyncWith: "`async`",
    ast.Await: "`await`",
    ast.Delete: "`del`",
    ast.Global: "`global`; keep what is remembered on self",
    ast.Import: "an import inside a class or function; imports stand at the top of the file",
    ast.ImportFrom: "an import inside a class or function; imports stand at the top of the file",
    ast.Match: "`match`; write if and elif",
    ast.TryStar: "`except*`; write `except`",
    ast.With: "`with`",
    ast.Yield: "`yield`; return a list",
    ast.YieldFrom: "`yield`; return a list",
}


class NameUse(NamedTuple):
    """A name where it is used; owner: the name before its dot, "" if it is no plain name."""

    name: str
    line: int
    owner: str = ""


class Survey(ast.NodeVisitor):
    """The names that one class or function at the top of a file uses and defines.

    loads: names it reads; values: those among them, or attributes, that it uses for more than a
    call or a dot; attributes: names after dots; defined: attributes of its own classes; nodes: all
    its syntax, in no order.
    """

    def __init__(self, node: ast.stmt, characters: int = 0) -> None:
        self.nodes: list[ast.AST] = []
        self.loads: list[NameUse] = []
        self.bases: list[NameUse] = []
        self.values: list[NameUse] = []
        self.called: list[NameUse] = []
        self.attributes: list[NameUse] = []
        self.facts: set[str] = set()
        self.bound: set[str] = set()
        self.defined: set[str] = set()
        self.constants: list[NameUse] = []  # names that class bodies set
        self.stored_in_parts: list[NameUse] = []  # on self.x, for objects of its own classes
        self.methods: set[str] = set()
        self.refusal: Refusal | None = None
        self._classes: list[ast.ClassDef] = []
        self._self: str | None = None  # how the method calls its instance
        self._method = ""
        try:
            self.nodes = walk_within_limits(node, characters)
            self.visit(node)
        except Refusal as refusal:
            self.refusal = refusal

    # Whatever has no method of its own below is refused.
    def generic_visit(self, node: ast.AST) -> None:
        raise Refusal(node, _REFUSED.get(type(node), f"`{type(node).__name__}`"))

    def _children(self, node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            self.visit(child)

    visit_Expr = visit_Return = visit_If = visit_While = visit_Pass = visit_Assert = _children
    visit_Break = visit_Continue = visit_BoolOp = visit_BinOp = visit_UnaryOp = _children
    visit_IfExp = visit_Dict = visit_Set = visit_ListComp = visit_SetComp = visit_DictComp = (
        _children
    )
    visit_GeneratorExp = visit_Compare = visit_List = visit_Tuple = visit_Slice = _children
    visit_Starred = visit_NamedExpr = visit_JoinedStr = _children

    def _leaf(self, node: ast.AST) -> None:
        """Pass operators and contexts."""

    for _kind in (ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context):
        for _leaf_kind in _kind.__subclasses__():
            locals()[f"visit_{_leaf_kind.__name__}"] = _leaf
    del _kind, _leaf_kind

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bytes | complex):
            raise Refusal(node, f"a constant of type {type(node.value).__name__}")

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            self._bind(node, name)

    # Names and attributes

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._load(node)
            self.values.append(NameUse(node.id, node.lineno))
        elif isinstance(node.ctx, ast.Store):
            self._bind(node, node.id)
            if self._self is None and self._classes:
                self.defined.add(node.id)
                self.constants.append(NameUse(node.id, node.lineno))
        else:
            raise Refusal(node, "`del`")

    def _load(self, node: ast.Name) -> None:
        _check_dunder(node, node.id)
        if node.id == "dataclass":
            raise Refusal(node, "`dataclass` other than above a class")
        if node.id in _ONLY_CALLED:
            raise Refusal(node, f"`{node.id}` other than in a call")
        self.loads.append(NameUse(node.id, node.lineno))

    def _bind(self, node: ast.AST, name: str) -> None:
        _check_dunder(node, name)
        if name in _FIXED:
            raise Refusal(node, f"another meaning for `{name}`; take another name")
        if name in self.facts:
            raise Refusal(node, f"another meaning for `{name}`, the facts of the question")
        self.bound.add(name)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not isinstance(node.ctx, ast.Load):
            return self._store(node)
        self._attribute(node)
        self.values.append(NameUse(node.attr, node.lineno, "."))
        if node.attr in GUARDED_METHODS and not _is_module(node.value):
            raise Refusal(node, f"`.{node.attr}` other than in a call")

    def _attribute(self, node: ast.Attribute) -> None:
        """Note an attribute that is read, and what stands before its dot."""
        if is_class_name(node) and self._self == "self":
            return
        if node.attr != "__init__":
            _check_dunder(node, node.attr)
        self._note_attribute(node.attr, node.value, node.lineno)
        if isinstance(node.value, ast.Name):
            self._load(node.value)
        elif isinstance(node.value, ast.Attribute):
            self._attribute(node.value)
        elif not _is_super(node.value):
            self.visit(node.value)

    def _note_attribute(self, name: str, owner: ast.expr, line: int) -> None:
        called = _dotted(owner)
        if called == "self" and (not self._classes or _is_enum(self._classes[-1])):
            called = "member"  # Enums are values, too: their methods may get another self
        if called not in self.facts:
            self.attributes.append(NameUse(name, line, called))

    def _store(self, node: ast.Attribute) -> None:
        if not self._self or _root(node) != self._self:
            raise Refusal(
                node, f"a change of `{ast.unparse(node)[:60]}`; set attributes of self only"
            )
        _check_dunder(node, node.attr)
        if self._method.startswith("answer_"):
            raise Refusal(node, f"a change of self in {self._method}; remember in notice_ methods")
        if _is_enum(self._classes[-1]):
            raise Refusal(node, "a change of the members of an Enum")
        if isinstance(node.value, ast.Attribute):
            self._attribute(node.value)
            self.stored_in_parts.append(NameUse(node.attr, node.lineno, ast.unparse(node)[:60]))
        else:
            self.defined.add(node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Del):
            raise Refusal(node, "`del`")
        if isinstance(node.ctx, ast.Store):
            root: ast.expr = node.value
            while isinstance(root, ast.Subscript):
                root = root.value
            of_self = isinstance(root, ast.Attribute) and _dotted(root.value) == self._self
            if not of_self and not isinstance(root, ast.Name):
                raise Refusal(node, f"a change of `{ast.unparse(node)[:60]}`; change copies")
            if of_self and self._method.startswith("answer_"):
                raise Refusal(node, f"a change of self in {self._method}")
        self._children(node)

    # Statements

    def visit_Assign(self, node: ast.Assign) -> None:
        self._children(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            self._load(target)
        if isinstance(target, ast.Subscript) and any(
            isinstance(part, ast.Call | ast.NamedExpr) for part in ast.walk(target)
        ):
            raise Refusal(
                node, f"a call inside `{ast.unparse(target)[:60]}`; give it a name before"
            )
        self._children(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_For(self, node: ast.For) -> None:
        self._children(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        if node.is_async:
            raise Refusal(node.target, "`async`")
        self._children(node)

    def visit_Try(self, node: ast.Try) -> None:
        for inner in (part for statement in node.finalbody for part in ast.walk(statement)):
            if isinstance(inner, ast.Return | ast.Break | ast.Continue):
                raise Refusal(inner, "`return`, `break` or `continue` inside `finally`")
        self._children(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
        for kind in kinds:
            if kind is not None and not (isinstance(kind, ast.Name) and kind.id in EXCEPTIONS):
                raise Refusal(kind, f"`except {ast.unparse(kind)[:40]}`; name an Exception")
        if node.name:
            self._bind(node, node.name)
        for statement in node.body:
            self.visit(statement)

    def visit_Raise(self, node: ast.Raise) -> None:
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if kind is not None and not (isinstance(kind, ast.Name) and kind.id in EXCEPTIONS):
            raise Refusal(node, "`raise` of anything but one of Python's exceptions")
        self._children(node)

    # Functions and classes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        method = bool(self._classes) and self._self is None
        if node.name not in SPECIAL_METHODS or not method:
            _check_dunder(node, node.name)
        kinds = set(map(_decorator, node.decorator_list))
        if method:
            self.defined.add(node.name)
            if "staticmethod" not in kinds:
                self.methods.add(node.name)
        elif kinds:
            raise Refusal(node, "a decorator of a function that is no method")
        else:
            self._bind(node, node.name)
        self._defaults(node.args)
        outer = self._self, self._method, self.facts
        if method:
            self._enter_method(node, kinds)
        elif self._self is None:
            self._self = ""
        self._arguments(node.args, skip_self=method and "staticmethod" not in kinds)
        for statement in node.body:
            self.visit(statement)
        self._self, self._method, self.facts = outer

    def _enter_method(self, node: ast.FunctionDef, kinds: set[str]) -> None:
        named = node.args.args
        plain = "staticmethod" not in kinds
        if plain and (not named or named[0].arg != "self"):
            raise Refusal(node, f"the method {node.name} without `self` as its first argument")
        self._self = "self" if plain else ""
        self._method = node.name
        if node.name.startswith(("answer_", "notice_")) and len(named) == 2:
            self._facts_are(named[1].arg)

    def _facts_are(self, name: str) -> None:
        self.bound.add(name)
        self.facts = {name}

    def _defaults(self, arguments: ast.arguments) -> None:
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                self.visit(default)

    def _arguments(self, arguments: ast.arguments, *, skip_self: bool) -> None:
        named = [*arguments.posonlyargs, *arguments.args][1 if skip_self else 0 :]
        extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        for one in (*named, *arguments.kwonlyargs, *extra):
            if one.arg not in self.facts:
                self._bind(one, one.arg)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._defaults(node.args)
        self._arguments(node.args, skip_self=False)
        outer, self._self = self._self, self._self or ""
        self.visit(node.body)
        self._self = outer

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._bind(node, node.name)
        if self._classes:
            self.defined.add(node.name)
            self.constants.append(NameUse(node.name, node.lineno))
        if node.keywords:
            raise Refusal(node, f"the keyword {node.keywords[0].arg} of a class")
        if _is_enum(node) and not _MIXED_WITH_ENUM.issuperset(map(_dotted, node.bases)):
            raise Refusal(node, "an Enum with another base")
        for base in node.bases:
            if not isinstance(base, ast.Name):
                raise Refusal(node, f"the base `{ast.unparse(base)[:40]}`; name a class")
            if base.id != "object" and not _is_enum(node):
                self.bases.append(NameUse(base.id, base.lineno))
                self.loads.append(NameUse(base.id, base.lineno, "class"))
        for decorator in node.decorator_list:
            if _decorator(decorator) != "dataclass":
                raise Refusal(
                    decorator, f"the decorator `{ast.unparse(decorator)[:40]}` of a class"
                )
            if isinstance(decorator, ast.Call):
                self._keywords(decorator)
        self._class_body(node)

    def _class_body(self, node: ast.ClassDef) -> None:
        outer = self._self, self._method
        self._self, self._method = None, ""
        self._classes.append(node)
        functions = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        for statement in node.body:
            if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                _check_functions_stay(statement, functions)
            if not isinstance(
                statement,
                ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign | ast.Expr | ast.Pass,
            ):
                what = "a statement in the body of a class that is no assignment"
                raise Refusal(statement, _REFUSED.get(type(statement), what))
            self.visit(statement)
        self._classes.pop()
        self._self, self._method = outer

    # Calls

    def visit_Call(self, node: ast.Call) -> None:
        self._keywords(node)
        function = node.func
        arguments = node.args
        if isinstance(function, ast.Name):
            arguments = self._call_of_name(function, node)
        elif isinstance(function, ast.Attribute):
            self._call_of_attribute(function, node)
        else:
            self.visit(function)
        for argument in arguments:
            self.visit(argument)
        for keyword in node.keywords:
            if keyword.arg == "default_factory" and isinstance(keyword.value, ast.Name):
                self._load(keyword.value)
            elif keyword.arg != "dtype":
                self.visit(keyword.value)

    def _keywords(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg is None:
                raise Refusal(node, "`**` in a call; name the arguments")
            _check_dunder(node, keyword.arg)
            if keyword.arg == "dtype":
                self._dtype(keyword.value)
            if keyword.arg == "default_factory" and not _is_factory(keyword.value):
                raise Refusal(node, "a default_factory that is neither list, dict, set nor lambda")
        if any(one.arg == "where" for one in node.keywords) and not _fills(node):
            raise Refusal(node, "`where` without `out`, which shows old memory; write np.where")

    def _call_of_name(self, function: ast.Name, node: ast.Call) -> list[ast.expr]:
        """Note the call of a name; returns the arguments that remain to be visited."""
        name = function.id
        if name in ("getattr", "hasattr"):
            self._literal_attribute(node)
            return [node.args[0], *node.args[2:]]
        if name in ("isinstance", "issubclass"):
            return self._tested_class(node)
        if name == "super":
            raise Refusal(node, "`super` other than in `super().method(...)`")
        self._load(function)
        self.called.append(NameUse(name, node.lineno))
        return node.args

    def _literal_attribute(self, node: ast.Call) -> None:
        name = node.args[1] if len(node.args) in (2, 3) else None
        if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
            raise Refusal(node, "`getattr` or `hasattr` without a name in quotes")
        _check_dunder(node, name.value)
        if isinstance(node.args[0], ast.Starred):
            raise Refusal(node, "`getattr` or `hasattr` without a name in quotes")
        self._note_attribute(name.value, node.args[0], node.lineno)
        self.values.append(NameUse(name.value, node.lineno, "."))
        if name.value in GUARDED_METHODS:
            raise Refusal(node, f"`.{name.value}` other than in a call")

    def _tested_class(self, node: ast.Call) -> list[ast.expr]:
        if len(node.args) != 2 or node.keywords:
            raise Refusal(node, "isinstance without a value and a class")
        kinds = node.args[1]
        for kind in kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]:
            if isinstance(kind, ast.Name):
                self.loads.append(NameUse(kind.id, kind.lineno, "class"))
            elif isinstance(kind, ast.Attribute):
                self._attribute(kind)
            else:
                raise Refusal(kind, "isinstance of anything but classes that are named")
        return [node.args[0]]

    def _call_of_attribute(self, function: ast.Attribute, node: ast.Call) -> None:
        if function.attr == "__init__":
            return self._call_of_init(function, node)
        if function.attr == "pad" and any(
            isinstance(one, ast.Constant) and one.value == "empty" for one in ast.walk(node)
        ):
            raise Refusal(node, "np.pad with what memory holds; give it values")
        if function.attr == "astype":
            self._dtype(node.args[0] if node.args else None)
        self._attribute(function)
        self.called.append(NameUse(function.attr, node.lineno, "."))

    def _call_of_init(self, function: ast.Attribute, node: ast.Call) -> None:
        """Allow super().__init__(...) and Base.__init__(self, ...)."""
        first = node.args[0] if node.args else None
        bases = {_dotted(base) for base in self._classes[-1].bases} if self._classes else set()
        named = _dotted(function.value) in bases and _dotted(first) == self._self == "self"
        if self._method != "__init__" or not (_is_super(function.value) or named):
            raise Refusal(node, "`__init__` other than in `super().__init__(...)`")
        if named and isinstance(function.value, ast.Name):
            self.loads.append(NameUse(function.value.id, node.lineno, "class"))

    def _dtype(self, node: ast.expr | None) -> None:
        """Allow dtypes that are written out: float, np.float64, "float64", x.dtype."""
        named = isinstance(node, ast.Name) and node.id in ("bool", "float", "int")
        quoted = isinstance(node, ast.Constant) and (node.value is None or node.value in DTYPES)
        dotted = isinstance(node, ast.Attribute) and (
            _is_module(node.value) or (node.attr == "dtype" and _dotted(node.value) != "self")
        )
        if not (named or quoted or dotted):
            raise Refusal(
                node or ast.Pass(lineno=1), "a dtype that is not written out; write float"
            )
        if isinstance(node, ast.Attribute):
            self._attribute(node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> None:
        if node.conversion not in (-1, ord("s")):
            raise Refusal(node, "`!r` or `!a` in an f-string")
        if node.format_spec is not None:
            parts = getattr(node.format_spec, "values", [])
            text = parts[0].value if parts and isinstance(parts[0], ast.Constant) else None
            if len(parts) != 1 or not isinstance(text, str) or not _FORMAT.fullmatch(text):
                raise Refusal(node, "a format in an f-string that is no short number format")
        self.visit(node.value)


def _is_factory(node: ast.expr) -> bool:
    return isinstance(node, ast.Lambda) or _dotted(node) in ("dict", "list", "set")


def _fills(node: ast.Call) -> bool:
    """Tell if a call with `where` gives all values: a sum has no holes, an `out` is made before."""
    outs = [one.value for one in node.keywords if one.arg == "out"]
    made = [one for one in outs if isinstance(one, ast.Call) and _dotted(one.func) in _MADE]
    return bool(made) or (isinstance(node.func, ast.Attribute) and node.func.attr in _REDUCTIONS)


def _check_dunder(node: ast.AST, name: str) -> None:
    if name.startswith("__") and name.endswith("__"):
        raise Refusal(node, f"`{name}`: names with two underscores on both sides")


def _check_functions_stay(statement: ast.stmt, functions: Iterable[str]) -> None:
    """Refuse methods as values in the body of their class, where they have no self yet."""
    inner: Any
    for inner in ast.walk(statement):
        if (
            isinstance(inner, ast.Name)
            and isinstance(inner.ctx, ast.Load)
            and inner.id in functions
        ):
            raise Refusal(inner, f"the method {inner.id} as a value in the body of its class")


def _decorator(node: ast.expr) -> str:
    """Return the name of a decorator that is offered."""
    name = node.func if isinstance(node, ast.Call) else node
    if not isinstance(name, ast.Name) or name.id not in _DECORATORS:
        raise Refusal(node, f"the decorator `{ast.unparse(node)[:40]}`")
    return name.id


def _dotted(node: ast.AST | None) -> str:
    """Return "np.random" for np.random, "x" for x, ".x" for f().x, "" for what has no name."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return ""


def is_class_name(node: ast.Attribute) -> bool:
    """Recognise the name of the class of self."""
    return node.attr == "__name__" and ast.unparse(node.value) in ("type(self)", "self.__class__")


def _root(node: ast.expr) -> str:
    """Return "self" for self.x.y, "" for what is no such path."""
    return _dotted(node).partition(".")[0]


def _is_module(node: ast.expr) -> bool:
    return _dotted(node).partition(".")[0] in MODULES


def _is_super(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "super"
        and not node.args
    )


def _is_enum(node: ast.ClassDef) -> bool:
    return any(isinstance(base, ast.Name) and base.id in ("Enum", "IntEnum") for base in node.bases)
