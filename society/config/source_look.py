"""Find mistakes in a user's Python files by reading them: nothing is run.

A line of a script that is made and never yielded, answers that nothing uses, chance that no seed
addresses, and the lines on which names stand.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TypeGuard

from society.errors import missing_yield

from .wiring_issues import WiringIssue

_LINES = ("Ask", "Tell", "Inherit")
_FACTS = ("common", "own", "seen")
_GLOBAL_CHANCE = ("numpy.random", "random", "secrets", "os.urandom", "uuid.uuid4")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class SourceFile:
    """A Python file of the user's, as a tree."""

    def __init__(self, file: str) -> None:
        self.file = file
        try:
            self.tree = ast.parse(Path(file).read_text("utf-8-sig"))
        except (OSError, SyntaxError, ValueError):
            self.tree = ast.Module([], [])

    def issues(self) -> list[WiringIssue]:
        """List the mistakes, in order of their lines."""
        found = [*self._unyielded(), *self._unused_answers(), *self._unaddressed_chance()]
        return sorted(found, key=lambda issue: issue.line)

    @cached_property
    def draws_unaddressed(self) -> bool:
        """Whether the file draws chance that no seed of the run addresses."""
        return any(True for _ in self._unaddressed_chance())

    def function_line(self, name: str) -> int:
        """Return the line of a function, without its decorators; 1 if there is none."""
        return next((one.lineno for one in self._functions if one.name == name), 1)

    def call_line(self, names: tuple[str, ...], first: str, among: int = 1) -> int:
        """Return the line of NAME("first", ...); else the line `among`."""
        for call in self._calls:
            if _last(call.func) in names and call.args and _is_text(call.args[0], first):
                return call.lineno
        return among

    def text_line(self, text: str, inside: str) -> int:
        """Return the line of a text in a call of `inside`; else that of the call, or 1."""
        for call in self._calls:
            if _last(call.func) == inside:
                texts = (one for one in ast.walk(call) if isinstance(one, ast.Constant))
                return next((one.lineno for one in texts if one.value == text), call.lineno)
        return 1

    def key_line(self, key: str, kind: str) -> int:
        """Return the line of a key of a dictionary with calls of `kind`; 0 if there is none."""
        pairs = (
            (name, value)
            for table in ast.walk(self.tree)
            if isinstance(table, ast.Dict)
            for name, value in zip(table.keys, table.values, strict=True)
        )
        lines = (
            name.lineno
            for name, value in pairs
            if isinstance(name, ast.Constant) and isinstance(value, ast.Call)
            if name.value == key and _last(value.func) == kind
        )
        return next(lines, 0)

    def member_line(self, owner: str, name: str) -> int:
        """Return the line of a method or an attribute of a class; else that of the class, or 1."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and node.name == owner:
                for member in node.body:
                    if name in _names_set(member):
                        return member.lineno
                return node.lineno
        return 1

    @cached_property
    def _calls(self) -> list[ast.Call]:
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]

    @cached_property
    def _functions(self) -> list[_Function]:
        return [node for node in ast.walk(self.tree) if isinstance(node, _Function)]

    @cached_property
    def _imported(self) -> dict[str, str]:
        """Names that imports bind, with what each stands for: np -> numpy."""
        bound: dict[str, str] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                for one in node.names:
                    whole = one.name if one.asname else one.name.partition(".")[0]
                    bound[one.asname or whole] = whole
            elif isinstance(node, ast.ImportFrom) and not node.level:
                for one in node.names:
                    bound[one.asname or one.name] = f"{node.module}.{one.name}"
        return bound

    def _meaning(self, node: ast.expr) -> str:
        """Return a dotted name with its first part as it was imported; "" for what has none."""
        if isinstance(node, ast.Name):
            return self._imported.get(node.id, "")
        if isinstance(node, ast.Attribute) and (before := self._meaning(node.value)):
            return f"{before}.{node.attr}"
        return ""

    def _is_line(self, node: ast.AST | None) -> TypeGuard[ast.Call]:
        """Tell whether an expression makes a line of a script."""
        return (
            isinstance(node, ast.Call)
            and self._meaning(node.func).startswith("society")
            and _last(node.func) in _LINES
        )

    def _unyielded(self) -> Iterator[WiringIssue]:
        """Find lines that are made and thrown away, or kept under a name that nothing yields."""
        for function in self._functions:
            for node in _body_of(function):
                if isinstance(node, ast.Expr) and self._is_line(node.value):
                    yield self._unyielded_line(node.value)
                elif isinstance(node, ast.Assign) and self._is_line(node.value):
                    (target, *more) = node.targets
                    name = target.id if isinstance(target, ast.Name) and not more else ""
                    if name and not _is_passed_on(function, name):
                        yield self._unyielded_line(node.value, name)

    def _unyielded_line(self, call: ast.Call, name: str = "") -> WiringIssue:
        return WiringIssue(missing_yield(_last(call.func), name), "error", self.file, call.lineno)

    def _unused_answers(self) -> Iterator[WiringIssue]:
        """Find questions whose answers the script does not keep."""
        for function in self._functions:
            nodes = list(_body_of(function))
            loaded = {
                one.id
                for one in ast.walk(function)
                if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
            }
            for node in nodes:
                if not isinstance(node, ast.Expr | ast.Assign):
                    continue
                asked = node.value.value if isinstance(node.value, ast.Yield) else None
                if not self._is_line(asked) or _last(asked.func) != "Ask":
                    continue
                if isinstance(node, ast.Assign):
                    target = node.targets[0]
                    kept = not isinstance(target, ast.Name) or target.id.startswith("_")
                    if kept or target.id in loaded:  # type: ignore[attr-defined]
                        continue
                words = (
                    f"nothing uses the answers to {_kind_of(asked)}; keep them, as in "
                    f"`answers = yield Ask(...)`, or write `_ = yield Ask(...)` if they are for "
                    "the record only"
                )
                yield WiringIssue(words, "warning", self.file, node.lineno)

    def _unaddressed_chance(self) -> Iterator[WiringIssue]:
        """Find draws that no seed of the run addresses; a generator with a seed is left alone."""
        for call in self._calls:
            meaning = self._meaning(call.func)
            wild = any(f"{meaning}.".startswith(f"{module}.") for module in _GLOBAL_CHANCE)
            seeded = call.args or call.keywords
            made = meaning.rpartition(".")[2] in ("default_rng", "RandomState", "Random")
            makes = made or meaning.rpartition(".")[2][:1].isupper()
            if wild and not (makes and seeded):
                words = (
                    f"{ast.unparse(call.func)} draws chance that the seed does not address, so "
                    "the run cannot be repeated; draw by agents.draws in a component, or by "
                    "env.draws(NAME) in a script"
                )
                yield WiringIssue(words, "warning", self.file, call.lineno)


def _last(name: ast.expr) -> str:
    """Ask, script.Ask -> Ask."""
    return name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")


def _kind_of(call: ast.AST | None) -> str:
    arguments = call.args if isinstance(call, ast.Call) else []
    return ast.unparse(arguments[0]) if arguments else "a question"


def _is_text(node: ast.AST, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _names_set(member: ast.stmt) -> list[str]:
    """Names that a statement of a class body gives a meaning to."""
    if isinstance(member, _Function):
        return [member.name]
    targets = (
        member.targets
        if isinstance(member, ast.Assign)
        else [member.target]
        if isinstance(member, ast.AnnAssign)
        else []
    )
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _body_of(function: _Function) -> Iterator[ast.AST]:
    """Yield what is in a function, but not in functions within it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _Function | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


def _is_passed_on(function: _Function, name: str) -> bool:
    """Tell whether a name is used as a line, and not as an array of answers.

    A line under a name may be yielded, returned, given to a function or put into a list. An array
    is reckoned with, indexed, and stated as a fact.
    """
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute | ast.Subscript | ast.BinOp | ast.Compare):
            continue
        if isinstance(node, ast.Call) and _last(node.func) in _FACTS:
            continue
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Name) and child.id == name and isinstance(child.ctx, ast.Load):
                return True
    return False
