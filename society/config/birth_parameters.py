"""Parameters of components that count where a life begins, and never again.

A component that lives on keeps its columns when a fork changes its parameters. What only `begin`
reads changes nothing then, unless the component says how, by `adapt`. Which these are is read from
the source of its class: nothing is run.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator
from functools import cache

from society.engine.component import Component
from society.errors import suggest

from .hook_checks import file_of, part_issue, source_file
from .wiring_issues import WiringIssue

# They say what a component needs, or check what it is given, and are no part of a life.
_DECLARATIONS = {"models", "files", "kept_folders", "kept_tables", "places_of_answers"}
_CHECKS = {"__init__", "__post_init__"}
_Method = ast.FunctionDef | ast.AsyncFunctionDef


@dataclasses.dataclass
class _Reads:
    """The attributes of `self` that methods read; a method that is called counts as one.

    all_of_it: whether `self` is handed on as a whole, so that anything may be read.
    """

    names: set[str] = dataclasses.field(default_factory=set)
    all_of_it: bool = False


def birth_parameters(kind: type[Component]) -> frozenset[str]:
    """Return the parameters of a component that `begin` alone reads, and its `adapt` does not.

    Where `self` is handed on as a whole by another method than `begin`, nothing is known, and none
    is returned.
    """
    if not kind.overrides("begin") or not dataclasses.is_dataclass(kind):
        return frozenset()
    parameters = {field.name for field in dataclasses.fields(kind)}
    methods = _methods(kind)
    begin = _reads_from(["begin"], methods)
    helpers = begin.names & methods.keys()
    rest = methods.keys() - {"begin", "adapt"} - _DECLARATIONS - _CHECKS
    follows = ["adapt"] if kind.overrides("adapt") else []
    later = _reads_from([*(rest - helpers), *follows], methods)
    if later.all_of_it:
        return frozenset()
    read = parameters if begin.all_of_it else parameters & begin.names
    return frozenset(read - later.names)


def at_birth_issues(kind: type[Component]) -> Iterator[WiringIssue]:
    """Find parameters that `at_birth` of a class names though more than its `begin` reads them.

    Cohorts that differ in these alone are asked together, by the parameters of one of them.
    """
    if "at_birth" not in vars(kind) or not dataclasses.is_dataclass(kind):
        return
    parameters = [field.name for field in dataclasses.fields(kind)]
    rest = _methods(kind).keys() - {"begin", "adapt"} - _DECLARATIONS - _CHECKS
    begin = _reads_from(["begin", "adapt"], _methods(kind)).names
    for name in kind.at_birth:
        if name not in parameters:
            words = f"at_birth of {kind.title()} names {name!r}, which is no parameter of it; "
            words += suggest(name, parameters)
            yield part_issue(kind, "at_birth", words, "error")
            continue
        readers = [one for one in rest - begin if name in _reads_from([one], _methods(kind)).names]
        if readers:
            words = (
                f"at_birth of {kind.title()} names {name!r}, which {' and '.join(sorted(readers))} "
                "reads as well, so that cohorts which differ in it must not be asked together; "
                "leave it out of at_birth, or keep it in a column from `begin` on"
            )
            yield part_issue(kind, "at_birth", words, "error")


@cache
def _methods(kind: type[Component]) -> dict[str, _Reads]:
    """Return what each method and property of a component reads, those of its bases included."""
    found: dict[str, _Reads] = {}
    for owner in kind.__mro__:
        if owner is Component or not issubclass(owner, Component):
            continue
        file = file_of(owner)
        tree = source_file(file).tree if file else ast.Module([], [])
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == owner.__name__:
                for method in node.body:
                    if isinstance(method, _Method):
                        found.setdefault(method.name, _read_by(method))
    return found


def _read_by(method: _Method) -> _Reads:
    reads = _Reads()
    own = method.args.args[0].arg if method.args.args else ""
    attributes = [node for node in ast.walk(method) if isinstance(node, ast.Attribute)]
    whole = {id(node.value) for node in attributes}
    for node in attributes:
        if isinstance(node.value, ast.Name) and node.value.id == own:
            reads.names.add(node.attr)
    reads.all_of_it = any(
        isinstance(node, ast.Name) and node.id == own and id(node) not in whole
        for node in ast.walk(method)
    )
    return reads


def _reads_from(names: Iterable[str], methods: dict[str, _Reads]) -> _Reads:
    """Return what some methods read, and those that they call."""
    whole, waiting, been = _Reads(), [*names], set[str]()
    while waiting:
        name = waiting.pop()
        if name in been or name not in methods:
            continue
        been.add(name)
        whole.names |= methods[name].names
        whole.all_of_it |= methods[name].all_of_it
        waiting += methods[name].names
    return whole
