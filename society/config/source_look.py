"""Find mistakes in a user's Python files by reading them: nothing is run.

A line of a script that is made and never yielded, answers that nothing uses, sums over replicates,
columns that are changed in a copy, state outside of columns, chance that no seed addresses; and the
lines on which names stand.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TypeGuard

from society.errors import missing_yield

from .wiring_issues import WiringIssue

_LINES = ("Ask", "Tell", "Inherit")
_FACTS = ("common", "own", "seen")
_GLOBAL_CHANCE = (
    "numpy.random",
    "random",
    "secrets",
    "os.urandom",
    "os.getrandom",
    "uuid.uuid1",
    "uuid.uuid4",
)
# As the seed of a generator they make it as wild as one without a seed.
_NEVER_THE_SAME = (*_GLOBAL_CHANCE, "time", "datetime", "os.getpid", "builtins.id", "builtins.hash")
_REDUCTIONS = ("sum", "mean", "median", "max", "min", "prod", "std", "var")
_GROUP_HOOKS = ("begin", "answer", "notice", "born")  # they see arrays, one value per member
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class SourceFile:
    """A Python file of the user's, as a tree."""

    def __init__(self, file: str) -> None:
        self.file = file
        try:
            self.tree = ast.parse(Path(file).read_text("utf-8-sig"))
        except (OSError, SyntaxError, ValueError):
            self.tree = ast.Module([], [])
        self._names_read: dict[tuple[str, ...], frozenset[str]] = {}

    @cached_property
    def issues(self) -> tuple[WiringIssue, ...]:
        """The mistakes, in order of their lines."""
        found = [
            *self._unyielded(),
            *self._unused_answers(),
            *self._sums_over_replicates(),
            *self._changed_copies(),
            *self._state_of_its_own(),
            *self._unaddressed_chance(),
            *self._defined_twice(),
        ]
        return tuple(sorted(found, key=lambda issue: issue.line))

    def _defined_twice(self) -> Iterator[WiringIssue]:
        """Find classes and scenarios of one name, of which Python keeps the last alone."""
        first: dict[str, int] = {}
        for node in self.tree.body:
            if not isinstance(node, ast.ClassDef | ast.FunctionDef):
                continue
            is_part = not _marks(node).isdisjoint({"scenario", "mechanism"})
            if not (isinstance(node, ast.ClassDef) or is_part):
                continue
            if node.name in first:
                words = (
                    f"there is a {node.name} in line {first[node.name]} already, and only "
                    "the last one counts; rename one"
                )
                yield WiringIssue(words, "error", self.file, node.lineno)
            first.setdefault(node.name, node.lineno)

    @cached_property
    def scenarios(self) -> tuple[str, ...]:
        """The names of the scripts that stand below @scenario."""
        scripts = [one for one in self.tree.body if isinstance(one, ast.FunctionDef)]
        return tuple(one.name for one in scripts if "scenario" in _marks(one))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the fields of classes that inherit from Params."""
        classes = [one for one in self.tree.body if isinstance(one, ast.ClassDef)]
        return tuple(
            field.target.id
            for one in classes
            if "Params" in map(_last, one.bases)
            for field in one.body
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
        )

    @cached_property
    def lacks_lines(self) -> bool:
        """Whether a line of a script is made and not yielded, so that others will seem wrong."""
        return any(True for _ in self._unyielded())

    @cached_property
    def draws_unaddressed(self) -> bool:
        """Whether the file draws chance that no seed of the run addresses."""
        return any(True for _ in self._unaddressed_chance())

    @cached_property
    def has_chance_of_its_own(self) -> bool:
        """Whether the file draws from, or makes, a generator other than those of the run."""
        return any(self._is_wild(call, _GLOBAL_CHANCE) for call in self._calls)

    @cached_property
    def stated(self) -> frozenset[str]:
        """All texts in the lines of scripts: kinds and names of facts, asked or told or not."""
        lines = (call for call in self._calls if self._is_line(call))
        texts = (one for call in lines for one in ast.walk(call) if isinstance(one, ast.Constant))
        return frozenset(one.value for one in texts if isinstance(one.value, str))

    @cached_property
    def columns_set(self) -> frozenset[str] | None:
        """The names in all `agents["name"] = ...`; None if a name is computed."""
        keys = [
            node.slice
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        ]
        texts = [key.value for key in keys if isinstance(key, ast.Constant)]
        if any(isinstance(key, ast.Name | ast.Attribute) for key in keys):
            return None
        return frozenset(text for text in texts if isinstance(text, str))

    def columns_begun_from(self, owner: str) -> Sequence[str]:
        """List the columns that `begin` of a class surely reads: agents["name"], under no if."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ClassDef) and node.name == owner:
                begins = (one for one in node.body if isinstance(one, _Function))
                function = next((one for one in begins if one.name == "begin"), None)
                return [] if function is None else _columns_read(function)
        return []

    def mentions(self, name: str, *, outside: tuple[str, ...] = ()) -> bool:
        """Tell whether a name is read somewhere: as an attribute, a text, or part of one.

        outside: arguments in which it does not count, by their keyword.
        """
        if outside not in self._names_read:
            self._names_read[outside] = self._find_names_read(outside)
        return name in self._names_read[outside]

    def _find_names_read(self, outside: tuple[str, ...]) -> frozenset[str]:
        found = set[str]()
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.keyword) and node.arg in outside:
                continue
            found.update(_names_in(node))
            waiting += ast.iter_child_nodes(node)
        return frozenset(found)

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
        """Return the line of a text in a call of `inside`; else that of such a call, or 1."""
        calls = [call for call in self._calls if _last(call.func) == inside]
        for call in calls:
            for one in ast.walk(call):
                if isinstance(one, ast.Constant) and one.value == text:
                    return one.lineno
        return calls[0].lineno if calls else 1

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
                named = [(one.asname or one.name, one.name) for one in node.names]
                if named == [("*", "*")] and f"{node.module}.".startswith("society."):
                    named = [(name, name) for name in (*_LINES, *_FACTS)]
                bound |= {name: f"{node.module}.{meant}" for name, meant in named}
        return bound

    @cached_property
    def _sub_scripts(self) -> frozenset[str]:
        """The names of the functions in this file that are parts of scripts."""
        return frozenset(one.name for one in self._functions if _is_generator(one))

    def _makes_script(self, node: ast.AST) -> TypeGuard[ast.Call]:
        """Tell whether an expression calls a part of a script, of this file or of ours."""
        if not isinstance(node, ast.Call):
            return False
        if isinstance(node.func, ast.Name) and node.func.id in self._sub_scripts:
            return True
        module, _, name = self._meaning(node.func).rpartition(".")
        if module.partition(".")[0] not in ("society", "scenarios"):
            return False
        made = getattr(import_module(module), name, None) if find_spec(module) else None
        return inspect.isgeneratorfunction(made)

    def _meaning(self, node: ast.expr) -> str:
        """Return a dotted name with its first part as it was imported; "" for what has none."""
        if isinstance(node, ast.Name):
            return self._imported.get(node.id, f"builtins.{node.id}")
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
                if isinstance(node, ast.Expr) and self._makes_script(node.value):
                    call = ast.unparse(node.value.func)
                    words = (
                        f"`{call}(...)` without `yield from` does nothing, as it is a part of a "
                        f"script; write `yield from {call}(...)`"
                    )
                    yield WiringIssue(words, "error", self.file, node.lineno)
                elif isinstance(node, ast.Expr) and self._is_line(node.value):
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

    def _sums_over_replicates(self) -> Iterator[WiringIssue]:
        """Find sums and means over all that is there: agents, and replicates with them."""
        for function in self._functions:
            answers = {
                target.id
                for node in _body_of(function)
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Yield)
                for target in node.targets
                if isinstance(target, ast.Name) and self._is_line(node.value.value)
            }
            group = _group_of(function)
            for call in (one for one in _body_of(function) if isinstance(one, ast.Call)):
                reduced = self._reduced(call)
                if isinstance(reduced, ast.Name) and reduced.id in answers:
                    words = f"write {reduced.id}.sum(-1, keepdims=True) for one in each replicate"
                elif group and (_is_column(reduced, group) or _is_fact(reduced)):
                    words = "let the answer of a member depend on its own columns and facts"
                else:
                    continue
                words = (
                    f"{ast.unparse(call)} goes over all replicates, which must not meet; {words}"
                )
                yield WiringIssue(words, "warning", self.file, call.lineno)

    def _reduced(self, call: ast.Call) -> ast.expr | None:
        """Return the array of x.sum() or np.sum(x) without an axis; None for other calls."""
        if _last(call.func) not in _REDUCTIONS or call.keywords:
            return None
        if self._meaning(call.func).startswith("numpy."):
            return call.args[0] if len(call.args) == 1 else None
        method = isinstance(call.func, ast.Attribute) and not call.args
        return call.func.value if method else None  # type: ignore[attr-defined]

    def _changed_copies(self) -> Iterator[WiringIssue]:
        """Find agents["hurt"][mask] = ..., which changes a copy of the column."""
        for function in self._functions:
            group = _group_of(function)
            for node in _body_of(function):
                if not group or not isinstance(node, ast.Assign | ast.AugAssign):
                    continue
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Subscript) and _is_column(target.value, group):
                        column = ast.unparse(target.value)
                        words = (
                            f"{ast.unparse(target)} = ... changes a copy, and the column stays as "
                            f"it was; change `values = {column}`, then write {column} = values"
                        )
                        yield WiringIssue(words, "error", self.file, node.lineno)

    def _state_of_its_own(self) -> Iterator[WiringIssue]:
        """Find self.counts[0] = ... in a hook, which outlives the run and knows no replicates."""
        for function in filter(_group_of, self._functions):
            for node in _body_of(function):
                if not isinstance(node, ast.Assign | ast.AugAssign):
                    continue
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    inner = target.value if isinstance(target, ast.Subscript) else target
                    if isinstance(inner, ast.Attribute) and _last(inner.value) == "self":
                        words = (
                            f"{ast.unparse(target)} = ... is shared by replicates and by runs, and "
                            "is not in the run file; keep state in a Column"
                        )
                        yield WiringIssue(words, "warning", self.file, node.lineno)

    def _is_wild(self, call: ast.AST, sources: tuple[str, ...]) -> bool:
        """Tell whether a call is one of a module or function among `sources`."""
        meaning = self._meaning(call.func) if isinstance(call, ast.Call) else ""
        return any(f"{meaning}.".startswith(f"{source}.") for source in sources)

    def _unaddressed_chance(self) -> Iterator[WiringIssue]:
        """Find draws that no seed of the run addresses; a generator with a seed is left alone."""
        for call in self._calls:
            name = self._meaning(call.func).rpartition(".")[2]
            makes = name in ("default_rng", "RandomState", "Random") or name[:1].isupper()
            given = [*call.args, *(one.value for one in call.keywords)]
            inside = (node for one in given for node in ast.walk(one))
            seeded = bool(given) and not any(self._is_wild(one, _NEVER_THE_SAME) for one in inside)
            system = name == "SystemRandom"  # it takes a seed, and does not use it
            if self._is_wild(call, _GLOBAL_CHANCE) and not (makes and seeded and not system):
                words = (
                    f"{ast.unparse(call.func)} draws chance that the seed does not address, so "
                    "the run cannot be repeated; draw by agents.draws in a component, or by "
                    "env.draws(NAME) in a script"
                )
                yield WiringIssue(words, "warning", self.file, call.lineno)


def _marks(node: ast.ClassDef | ast.FunctionDef) -> set[str]:
    """The names of the decorators above a class or function, without their modules."""
    marks = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return set(map(_last, marks))


def _last(name: ast.expr) -> str:
    """Ask, script.Ask -> Ask."""
    return name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")


def _kind_of(call: ast.AST | None) -> str:
    arguments = call.args if isinstance(call, ast.Call) else []
    return ast.unparse(arguments[0]) if arguments else "a question"


def _is_text(node: ast.AST, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text


def _names_in(node: ast.AST) -> list[str]:
    """List the names that a node reads: its attribute or keyword, or a text and its braces."""
    if isinstance(node, ast.Attribute):
        return [node.attr]
    if isinstance(node, ast.keyword):
        return [node.arg] if node.arg else []
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value, *re.findall(r"\{(\w+)", node.value)]
    return []


def _group_of(function: _Function) -> str:
    """The argument of a hook that holds the members, such as `agents`; "" for other functions.

    A hook with a decorator, or async, sees one agent at a time.
    """
    hook = function.name.partition("_")[0]
    names = [one.arg for one in function.args.args]
    sized = len(names) == (2 if hook in ("begin", "born") else 3) and names[0] == "self"
    plain = not function.decorator_list and isinstance(function, ast.FunctionDef)
    return names[-1] if hook in _GROUP_HOOKS and sized and plain else ""


def _is_column(node: ast.AST | None, group: str) -> bool:
    """Tell whether an expression is agents["name"]."""
    named = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)
    return named and isinstance(node.value, ast.Name) and node.value.id == group  # type: ignore[union-attr]


def _columns_read(function: _Function) -> list[str]:
    """List the columns that a hook reads whenever it is called, before it sets them."""
    group, found, own = function.args.args[-1].arg, list[str](), set[str]()
    certain = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Expr | ast.Return
    for statement in function.body:
        if not isinstance(statement, certain):
            break
        for node in ast.walk(statement):
            if _is_column(node, group) and isinstance(node, ast.Subscript):
                name = ast.literal_eval(node.slice)
                if isinstance(node.ctx, ast.Store):
                    own.add(name)
                elif name not in own:
                    found.append(name)
    return found


def _is_fact(node: ast.AST | None) -> bool:
    """Tell whether an expression is ask.facts["name"]."""
    facts = node.value if isinstance(node, ast.Subscript) else None
    return isinstance(facts, ast.Attribute) and facts.attr == "facts"


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


def _is_generator(function: _Function) -> bool:
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _body_of(function))


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
