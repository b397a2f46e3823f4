"""Check a file of programs, and compile those that keep to the rules.

A file holds classes, helpers that they share, and constants. Each class is checked with the
helpers and constants that it needs, so that one bad class refuses only itself.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import ItemsView, Iterable, KeysView, Sequence, ValuesView
from dataclasses import Field, dataclass, field
from functools import cache, cached_property
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MappingProxyType,
    MethodType,
    ModuleType,
    TracebackType,
)
from typing import Literal, NamedTuple

import numpy as np

from society.errors import SandboxError, suggest
from society.sandbox.call_signatures import Misfit, read_signature
from society.sandbox.running.facades import Action, Interface, PlayerHistory
from society.sandbox.running.frozen import Frozen
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.offered_numpy import openable_method, openable_numpy
from society.sandbox.running.seeded_random import Chance
from society.sandbox.running.step_budget import PROGRAM
from society.sandbox.source.instrument import instrument
from society.sandbox.source.names import (
    BUILTINS,
    DESCRIPTION,
    HISTORY,
    IMPORTS,
    MATH,
    METHODS,
    MODULES,
    NEVER,
    NEVER_OF_ARRAYS,
    NUMPY,
    NUMPY_LINALG,
    NUMPY_RANDOM,
    OFFERED,
    OFFERED_CLASSES,
    RANDOM,
    SIMULATED,
)
from society.sandbox.source.number_inference import Numbers
from society.sandbox.source.often_done import KnownValues, done_often
from society.sandbox.source.play_analysis import analyse_play
from society.sandbox.source.program_report import (
    ProgramFunction,
    call_themselves,
    draws_at_random,
    history_read,
    remembers,
    sources_read,
)
from society.sandbox.source.program_text import Refusal, parse_text
from society.sandbox.source.small_values import SmallValues
from society.sandbox.source.syntax_rules import NameUse, Survey


@dataclass(frozen=True)
class CheckedProgram:
    """A class of a file: accepted, with its code, or refused, with the reason.

    line: where in the file; source: the class with the helpers and constants that it needs; reads:
    attributes of the history; random: whether it can draw; keeps_state: whether a decision can
    depend on what it has stored after __init__; takes_stock: whether it is called with the stock of
    a common pool, too; answers: kinds of questions that it answers; reads_sources, simulates:
    whether it can read its co-players, and run them; head: what stands before the source where
    co-players read it.
    """

    name: str
    accepted: bool
    reason: str = ""
    line: int | None = None
    interface: Interface = "society"
    source: str = ""
    reads: frozenset[str] = HISTORY
    random: bool = False
    keeps_state: bool = True
    takes_stock: bool = False
    answers: tuple[str, ...] = ()
    reads_sources: bool = False
    simulates: bool = False
    head: str = ""
    code: CodeType | None = field(default=None, repr=False)

    def loaded(self, fallback: Literal["C", "D"]) -> LoadedProgram:
        """Return the program as a worker holds it; raises SandboxError for one that was refused."""
        if self.code is None:
            raise SandboxError(f"{self.name} is refused: {self.reason}")
        return LoadedProgram(
            name=self.name,
            code=self.code,
            source=self.source,
            interface=self.interface,
            fallback=fallback,
            random=self.random,
            keeps_state=self.keeps_state,
            reads=self.reads,
            analysis=analyse_play(self.source, self.name),
            takes_stock=self.takes_stock,
            sees_sources=self.reads_sources or self.simulates,
            head=self.head,
        )


def check_programs(
    text: str, *, filename: str = "<text>", allow: Sequence[str] = ()
) -> list[CheckedProgram]:
    """Check all programs of a file, in its order.

    allow: names to open, as "numpy.kaiser" of numpy or "ndarray.put" of arrays.

    Raises SandboxError for a file that is no Python, too large, or holds no class.
    """
    opened = _opened(allow)
    programs = _ProgramFile(parse_text(text, filename), text, filename, opened)
    return [programs.check(node) for node in programs.candidates()]


class _Opened(NamedTuple):
    """The names that the user opens, of numpy and of arrays."""

    numpy: frozenset[str]
    methods: frozenset[str]


def _opened(allow: Sequence[str]) -> _Opened:
    """Sort the names that the user opens; raises SandboxError for one that stays closed."""
    numpy, methods = set[str](), set[str]()
    for name in allow:
        owner, _, inner = name.rpartition(".")
        if owner in ("numpy", "np") and openable_numpy(inner):
            numpy.add(inner)
        elif owner in ("ndarray", "numpy.ndarray", "np.ndarray") and openable_method(inner):
            methods.add(inner)
        elif owner.endswith("ndarray") and inner in METHODS:
            raise SandboxError(f"--allow {name}: programs may use it anyway; leave it out")
        else:
            raise SandboxError(
                f"--allow {name}: only functions and numbers of numpy, and methods of arrays, can "
                "be opened, and none that reaches files, memory or settings; leave it out, or name "
                "one such as numpy.kaiser or ndarray.put"
            )
    return _Opened(frozenset(numpy), frozenset(methods))


@cache
def _inner_attributes() -> frozenset[str]:
    """Attributes of objects that programs meet, and that are not offered."""
    kinds = (
        *(type, object, bool, int, float, str, bytes, tuple, list, dict, set, frozenset, range),
        *(slice, property, staticmethod, classmethod, map, zip, filter, enumerate, reversed),
        *(FunctionType, BuiltinFunctionType, MethodType, ModuleType, CodeType, FrameType),
        *(TracebackType, GeneratorType, CoroutineType, AsyncGeneratorType, MappingProxyType),
        *(KeysView, ValuesView, ItemsView, np.ndarray, np.ufunc, np.dtype, np.flatiter),
        *(np.float64, np.int64, np.bool, np.str_, np.random.Generator, np.random.RandomState),
        *(Frozen, Chance, PlayerHistory, Action, Field),
    )
    errors = (OSError, SyntaxError, UnicodeError, AttributeError, NameError, ImportError)
    made = (error() for error in errors if error is not UnicodeError)
    every = {base for kind in (*kinds, *errors, type(Action)) for base in type.mro(kind)}
    found = {name for kind in every for name in vars(kind)}
    found |= {name for one in (*made, *Action, np) for name in dir(one)}
    return frozenset(found - METHODS - HISTORY - DESCRIPTION - RANDOM - NUMPY_RANDOM)


class _ProgramFile:
    """A parsed file: what stands at its top, by name."""

    def __init__(self, tree: ast.Module, text: str, filename: str, opened: _Opened) -> None:
        self.filename = filename
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        self.opened = opened
        self.top: dict[str, ast.stmt] = {}
        self.imported: dict[str, tuple[str, str]] = {}  # name -> module, name there
        self.refusal: Refusal | None = None  # of an import or statement: refuses every class
        self.surveys: dict[str, Survey] = {}
        last = 0
        for node in tree.body:
            self._place(node)
            if node.lineno <= last:
                self._refuse(node, "two statements in one line at the top of the file")
            last = node.end_lineno or node.lineno
        if not self.candidates():
            raise SandboxError(
                f"{filename}: there is no class that plays; write a class with the methods "
                "__init__(self, game) and act(self, history)"
            )

    def _place(self, node: ast.stmt) -> None:
        """Sort one statement at the top of the file."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            self._place_import(node)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            if isinstance(self.top.get(node.name), ast.ClassDef | ast.FunctionDef):
                raise SandboxError(
                    f"{self.filename}:{node.lineno}: {node.name} is defined twice, first in line "
                    f"{self.top[node.name].lineno}; give one another name"
                )
            self.top[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            self._place_constant(node)
        elif not _is_idle(node):
            self._refuse(
                node,
                "a statement at the top of the file that is no import, constant or "
                "definition; move it into a class",
            )

    def _place_constant(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if not isinstance(target, ast.Name) or target.id in self.top:
                self._refuse(
                    node, "an assignment at the top of the file to anything but a new name"
                )
            else:
                self.top[target.id] = node

    def _place_import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            module = alias.name if isinstance(node, ast.Import) else node.module or ""
            offered = IMPORTS.get(module) if not getattr(node, "level", 0) else None
            if offered is None or (isinstance(node, ast.Import) and module not in MODULES):
                self._refuse(
                    node,
                    f"`import {module or '.'}`; delete the line, or use math, random "
                    "and numpy, which are there",
                )
            elif isinstance(node, ast.Import):
                self.imported[alias.asname or module] = (module, "")
            elif alias.name not in offered | (self.opened.numpy if module == "numpy" else set()):
                self._refuse(node, _not_offered(module, alias.name))
            elif alias.asname not in (None, alias.name) and module not in ("math", "random"):
                self._refuse(node, f"another name for `{alias.name}`; import it under its own name")
            elif alias.asname in BUILTINS and alias.asname != alias.name:
                self._refuse(
                    node,
                    f"`{alias.name}` under the name of Python's `{alias.asname}`; use another name",
                )
            elif module == "numpy" and alias.name in BUILTINS:
                self._refuse(
                    node, f"numpy's `{alias.name}` in place of Python's; write np.{alias.name}"
                )
            elif module != "__future__":
                self.imported[alias.asname or alias.name] = (module, alias.name)

    def _refuse(self, node: ast.stmt, reason: str) -> None:
        self.refusal = self.refusal or Refusal(node, reason)

    def candidates(self) -> list[ast.ClassDef]:
        """Return the classes that are programs: those that play, and those nobody else uses."""
        classes = [node for node in self.top.values() if isinstance(node, ast.ClassDef)]
        used = {
            use.name for name in self.top for use in self.survey(name).loads if use.name != name
        }
        return [one for one in classes if self._is_program(one, used=one.name in used)]

    def _is_program(self, node: ast.ClassDef, *, used: bool) -> bool:
        plays = not {"act", "__call__"}.isdisjoint(self.methods(node))
        if _is_enum_class(node):
            return False
        return (plays and not used) if _is_data(node) else (plays or not used)

    def methods(self, node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
        """Return a class's methods by name, inherited ones included."""
        found: dict[str, ast.FunctionDef] = {}
        seen: set[str] = set()
        waiting = [node]
        while waiting:
            kind = waiting.pop(0)
            if kind.name in seen:
                continue
            seen.add(kind.name)
            for part in kind.body:
                if isinstance(part, ast.FunctionDef):
                    found.setdefault(part.name, part)
            bases = [self.top.get(base.id) for base in kind.bases if isinstance(base, ast.Name)]
            waiting += [base for base in bases if isinstance(base, ast.ClassDef)]
        return found

    def survey(self, name: str) -> Survey:
        """Return what a class, function or constant at the top uses."""
        if name not in self.surveys:
            node = self.top[name]
            self.surveys[name] = Survey(node, len(self.text_of(node)))
        return self.surveys[name]

    def text_of(self, node: ast.stmt) -> str:
        """Return the lines of a statement at the top, decorators included."""
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(one.lineno for one in decorators)])
        return "\n".join(self.lines[first - 1 : node.end_lineno])

    def own_copy(self, node: ast.stmt) -> ast.stmt:
        """Return a statement at the top to be rewritten: itself if nobody else will read it."""
        users = self.users.get(getattr(node, "name", ""), 2)
        return node if users == 1 else copy.deepcopy(node)

    @cached_property
    def users(self) -> Counter[str]:
        """Count the programs that need each name at the top."""
        return Counter(name for node in self.candidates() for name in self.needed(node.name))

    def needed(self, name: str) -> list[str]:
        """Return the names at the top that a class needs, itself included, in their order."""
        found, waiting = {name}, [name]
        while waiting:
            loads = {use.name for use in self.survey(waiting.pop()).loads}
            more = (loads & self.top.keys()) - found
            found |= more
            waiting += more
        return [one for one in self.top if one in found]

    def check(self, node: ast.ClassDef) -> CheckedProgram:
        """Check one program."""
        try:
            if self.refusal:
                raise self.refusal
            return _Program(self, node).checked()
        except Refusal as refusal:
            what, _, advice = refusal.reason.partition("; ")
            reason = f"not allowed in {node.name}: {what}" + (f"; {advice}" if advice else "")
            return CheckedProgram(node.name, False, reason, refusal.line, source=self.text_of(node))
        except Misfit as misfit:
            return CheckedProgram(
                node.name, False, f"{node.name} {misfit}", misfit.line, source=self.text_of(node)
            )


class _Program:
    """One class of a file with all that it needs."""

    def __init__(self, file: _ProgramFile, node: ast.ClassDef) -> None:
        self.file = file
        self.node = node
        self.names = file.needed(node.name)
        self.parts = [file.survey(name) for name in self.names]
        self.nodes = list({id(file.top[name]): file.top[name] for name in self.names}.values())

    def checked(self) -> CheckedProgram:
        """Return the accepted program; raises Refusal or Misfit."""
        self._check_syntax()
        self._check_names()
        self._check_attributes()
        self._check_classes()
        signature = read_signature(self.node, self.file.methods(self.node))
        open_source = signature.interface == "society"
        for use in self._uses("loads"):
            if use.name == "simulate" and not open_source and use.name not in self.bound:
                raise _refusal(use, "`simulate`; only programs with act(self, history) have it")
        chance = [
            name for name, (module, _) in self.file.imported.items() if "random" in module
        ] + [name for name, (_, inner) in self.file.imported.items() if inner == "random"]
        return CheckedProgram(
            self.node.name,
            accepted=True,
            line=self.node.lineno,
            interface=signature.interface,
            source="\n\n".join(map(self.file.text_of, self.nodes)),
            reads=history_read(self.syntax, signature.interface),
            random=draws_at_random(self.syntax, chance),
            keeps_state=remembers(self.nodes, self.syntax, self.functions),
            takes_stock=signature.takes_stock,
            answers=signature.answers,
            reads_sources=open_source and sources_read(self.syntax, own=self.defined),
            simulates=any(one.name == "simulate" for one in self._uses("loads"))
            and "simulate" not in self.bound,
            head=self._head(),
            code=self._compile(),
        )

    @cached_property
    def syntax(self) -> list[ast.AST]:
        """All syntax of the program, in no order."""
        return [node for part in self.parts for node in part.nodes]

    @cached_property
    def functions(self) -> list[ProgramFunction]:
        """All functions of the program, those inside others included."""
        return [ProgramFunction(one) for one in self.syntax if isinstance(one, ast.FunctionDef)]

    def _check_syntax(self) -> None:
        for part in self.parts:
            if part.refusal:
                raise part.refusal

    @cached_property
    def bound(self) -> frozenset[str]:
        """Names to which the program gives a meaning."""
        own = (part.bound for part in self.parts)
        return frozenset(self.names).union(self.file.imported, *own)

    @cached_property
    def defined(self) -> frozenset[str]:
        """Attributes of the program's own classes."""
        return frozenset[str]().union(*(part.defined for part in self.parts))

    def _uses(self, kind: str) -> Iterable[NameUse]:
        return (use for part in self.parts for use in getattr(part, kind))

    def _check_names(self) -> None:
        for part in self.parts:
            for name in part.bound & self.file.imported.keys():
                raise Refusal(self.node, f"another meaning for `{name}`, which is imported")
        known = self.bound | OFFERED | {"self"}
        for use in self._uses("loads"):
            if use.name not in known:
                raise _refusal(use, f"`{use.name}`; {_name_advice(use.name)}")

    def _check_attributes(self) -> None:
        for use in self._uses("stored_in_parts"):
            if use.name not in self.defined or use.name in _inner_attributes():
                raise _refusal(
                    use,
                    f"a change of `{use.owner}`; set attributes of self, or those that a class of "
                    "this file sets on its own instances",
                )
        for use in self._uses("attributes"):
            self._check_attribute(use)

    def _check_attribute(self, use: NameUse) -> None:
        if use.name.startswith(("answer_", "notice_")):
            raise _refusal(use, f"`.{use.name}`; only the scenario calls it")
        owner = use.owner
        if owner in self.file.imported:
            module, inner = self.file.imported[owner]
            owner = module if not inner else f"{module}.{inner}"
        owner = "numpy" + owner[2:] if owner.split(".")[0] == "np" else owner
        if owner in _MODULE_NAMES:
            offered = _MODULE_NAMES[owner] | (self.file.opened.numpy if owner == "numpy" else set())
            if use.name not in offered:
                raise _refusal(use, _not_offered(owner, use.name))
        elif use.name in self.file.opened.methods:
            return
        elif use.name not in _ATTRIBUTES | self.defined:
            raise _refusal(use, f"the attribute `.{use.name}`; {_about_attribute(use.name)}")
        elif use.owner != "self" and use.name in _inner_attributes():
            raise _refusal(
                use, f"the attribute `.{use.name}` other than of self; other objects have it, too"
            )

    def _check_classes(self) -> None:
        """Let no method be called with a self that is no instance of its class."""
        for use in self._uses("called"):
            if use.name in OFFERED_CLASSES and not use.owner:
                raise _refusal(use, f"a call of `{use.name}`; name it as a base or in isinstance")
        for use in self._uses("bases"):
            if use.name in OFFERED - {"BaseStrategy", "Enum", "IntEnum"}:
                raise _refusal(use, f"the base `{use.name}`; derive from classes of this file")
        protected = OFFERED_CLASSES | {
            node.name
            for node in self.syntax
            if isinstance(node, ast.ClassDef) and not _is_enum_class(node)
        }
        methods = {name for part in self.parts for name in part.methods}
        for use in self._uses("values"):
            if use.name in protected:
                raise _refusal(
                    use, f"the class `{use.name}` as a value; call it, or test isinstance"
                )
        for use in self._uses("attributes"):
            if use.owner.rpartition(".")[2] in protected and use.name in methods:
                raise _refusal(use, f"`{use.owner}.{use.name}`; call self.{use.name}")

    def _head(self) -> str:
        """Write what the source needs to be understood: its imports, and which class plays."""
        loads = {use.name for use in self._uses("loads")}
        lines = [
            _import_line(name, module, inner)
            for name, (module, inner) in sorted(self.file.imported.items())
            if name in loads and module in _WITH_DOTS
        ]
        last = [one.name for one in self.nodes if isinstance(one, ast.ClassDef)][-1]
        return "\n".join(
            [*lines, *([f"# {self.node.name} plays"] if last != self.node.name else [])]
        )

    # Code

    def _compile(self) -> CodeType:
        recursive = call_themselves(self.functions)
        of_classes = {use.name for use in self._uses("constants")}
        of_classes |= {one.name for one in self.functions}
        values = KnownValues(
            Numbers(self.syntax, bound=self.bound, class_names=of_classes),
            SmallValues(self.syntax, bound=self.bound, class_names=of_classes),
        )
        loads = {use.name for use in self._uses("loads")} - {"np", "numpy"}
        renamed = any(
            self.file.imported.get(name, ("",))[0] in ("numpy", "numpy.random") for name in loads
        )
        often = done_often(self.functions, self.syntax, recursive, values, renamed=renamed)
        tosses = self.file.imported.get("random", _RANDOM) == _RANDOM and not any(
            "random" in part.bound for part in self.parts
        )
        body = [
            instrument(self.file.own_copy(node), values, recursive, often, tosses=tosses)
            for node in self.nodes
        ]
        tree = ast.Module([*self._imports(), *body], type_ignores=[])
        file = f"{PROGRAM}{self.node.name}>"
        try:
            return compile(tree, file, "exec", dont_inherit=True)
        except SyntaxError as error:  # as of a `break` outside a loop, which the parser lets pass
            place = ast.Pass(lineno=error.lineno or self.node.lineno)
            raise Refusal(place, f"what is not Python: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            raise Refusal(self.node, f"what Python cannot compile: {error}") from None

    def _imports(self) -> list[ast.stmt]:
        """Assign names that are imported to what stands for them."""
        loads = {use.name for use in self._uses("loads")}
        where = self.node
        lines: list[ast.stmt] = []
        if self.file.opened.numpy:
            names: list[ast.expr] = [ast.Constant(name) for name in sorted(self.file.opened.numpy)]
            opened = ast.Call(ast.Name(".opened", ast.Load()), names, [])
            lines += [_assignment(name, opened) for name in (".numpy", "np", "numpy")]
        for name, (module, inner) in self.file.imported.items():
            if name in loads and module in _WITH_DOTS:
                lines.append(_assignment(name, _imported_value(module, inner)))
        return [ast.fix_missing_locations(ast.copy_location(line, where)) for line in lines]


_RANDOM = ("random", "")  # the module itself, imported or offered
_WITH_DOTS = frozenset({"math", "random", "numpy", "numpy.random"})
_MODULE_NAMES = {
    "math": MATH,
    "random": RANDOM,
    "numpy": NUMPY | {"linalg", "random"},
    "numpy.random": NUMPY_RANDOM,
    "numpy.linalg": NUMPY_LINALG,
}
_ATTRIBUTES = METHODS | HISTORY | DESCRIPTION | SIMULATED | RANDOM | NUMPY_RANDOM
_ABOUT_ATTRIBUTES = (
    "programs may use those of numbers, texts, lists and arrays, of the history and the game, and "
    "their own"
)
_ABOUT_FILES = frozenset({"open", "exec", "eval", "compile", "input", "globals", "locals", "vars"})


def _assignment(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _import_line(name: str, module: str, inner: str) -> str:
    """Write the import that gives this name a meaning."""
    plain = inner or module
    renamed = "" if name == plain else f" as {name}"
    return f"from {module} import {inner}{renamed}" if inner else f"import {module}{renamed}"


def _imported_value(module: str, name: str) -> ast.expr:
    """Return what stands for a module or one of its names, whatever `random` means by now."""
    parts = [*module.split("."), *([name] if name else [])]
    value: ast.expr = ast.Name(f".{parts[0]}", ast.Load())
    for part in parts[1:]:
        value = ast.Attribute(value, part, ast.Load())
    return value


def _refusal(use: NameUse, reason: str) -> Refusal:
    return Refusal(ast.Pass(lineno=use.line), reason)


def _not_offered(module: str, name: str) -> str:
    """Say that a module does not offer a name, and what can be done."""
    if module == "numpy" and (name in NEVER or not openable_numpy(name)):
        if not hasattr(np, name):
            return f"numpy.{name}; numpy has no such name"
        return f"numpy.{name}; it reaches files, memory or settings, and no option adds it"
    if module == "numpy":
        return f"numpy.{name}; --allow numpy.{name} adds it"
    return f"{module}.{name}; {suggest(name, _MODULE_NAMES.get(module, IMPORTS.get(module, ())))}"


def _about_attribute(name: str) -> str:
    """Say what can be done about an attribute that is not offered."""
    if name in NEVER_OF_ARRAYS:
        return "it reaches the memory of arrays or files, and no option adds it"
    if openable_method(name):
        return f"--allow ndarray.{name} adds it, as a method of arrays"
    return _ABOUT_ATTRIBUTES


def _name_advice(name: str) -> str:
    if name in _ABOUT_FILES:
        return "programs reach no files, and read no code"
    return "it is neither defined nor offered"


def _is_idle(node: ast.stmt) -> bool:
    """Tell if a statement does nothing when a file is imported."""
    if isinstance(node, ast.If):
        return _asks_if_main(node.test) and not node.orelse
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _asks_if_main(test: ast.expr) -> bool:
    """Recognise `__name__ == "__main__"`, under which nothing runs when a file is imported."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
        and isinstance(test.ops[0], ast.Eq)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value == "__main__"
    )


def _bases(node: ast.ClassDef) -> set[str]:
    return {base.id for base in node.bases if isinstance(base, ast.Name)}


def _is_enum_class(node: ast.ClassDef) -> bool:
    return bool(_bases(node) & {"Enum", "IntEnum"})


def _is_data(node: ast.ClassDef) -> bool:
    """Tell if a class is a dataclass."""
    called = (one.func if isinstance(one, ast.Call) else one for one in node.decorator_list)
    return any(isinstance(one, ast.Name) and one.id == "dataclass" for one in called)
