"""What the reference shows says shapes of arrays, meanings of numbers, errors, and sources.

The rules are mechanical, so that they hold for what is written tomorrow. Public is what
docs/site/offered.py lists: all that `import society` offers, and what pages name beside it.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from society import errors
from tests.parsed_sources import ONE_WORKER, parsed

pytestmark = ONE_WORKER

ROOT = Path(__file__).parents[1]
MADE = ("__init__", "__post_init__", "__init_subclass__")  # what making an object calls
AXIS = r"(?:[A-Za-z]\d?|\d+|\.\.\.|\*\w+)(?: [*+] \w+)*"
SHAPE = re.compile(rf"\({AXIS}(?:,|(?:, ?{AXIS})+)\)")  # (R, N), (M,), (2, K), (R, P, *levels)
ARRAY = re.compile(r"\bArray\b|\bndarray\b|\bNDArray\b")
NUMBER = re.compile(r"(int|float)( \| None)?")
OF_OURS = {
    name
    for name, value in vars(errors).items()
    if isinstance(value, type) and value.__module__ == errors.__name__
}
BORN_WITH = ("self", "cls", "return")


def _load_offered() -> Any:
    spec = spec_from_file_location("offered", ROOT / "docs" / "site" / "offered.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules["offered"] = module
    spec.loader.exec_module(module)
    return module


offered = _load_offered()


class Public(NamedTuple):
    """A function or method that the reference shows. words: its docstring, or that of its class."""

    name: str
    function: Callable[..., Any]
    words: str

    @property
    def notes(self) -> dict[str, str]:
        """The annotations of its arguments, and of what it returns."""
        return {name: str(note) for name, note in self.function.__annotations__.items()}


@cache
def public() -> list[Public]:
    names = [*offered.offered(), *((module, name) for _, module, name in offered.beside())]
    found: dict[object, Public] = {}
    for module, name in names:
        value = offered.public_object(module, name)
        for one in _parts(name, value):
            found.setdefault(one.function, one)
    return [*found.values()]


def _parts(name: str, value: Any) -> Iterator[Public]:
    """A function; or the making and the public methods of a class, inherited ones included."""
    if inspect.isfunction(value):
        yield Public(name, value, value.__doc__ or "")
    for base in value.__mro__ if isinstance(value, type) else ():
        if not base.__module__.startswith("society."):
            continue
        for member, bound in vars(base).items():
            plain = [getattr(bound, key, None) for key in ("fget", "func", "__func__")]
            function = next((one for one in plain if one is not None), bound)
            if inspect.isfunction(function) and (member in MADE or not member.startswith("_")):
                words = (base if member in MADE else function).__doc__ or ""
                yield Public(f"{base.__name__}.{member}", function, words)


def _raised(function: Callable[..., Any]) -> set[str]:
    """The errors of ours that a body raises by name."""
    if "<string>" in function.__code__.co_filename:  # made by dataclass
        return set()
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)]
    names = [one.func if isinstance(one, ast.Call) else one for one in calls]
    return {one.id for one in names if isinstance(one, ast.Name)} & OF_OURS


def test_the_reference_shows_more_than_a_hundred_things() -> None:
    assert len(public()) > 300
    assert "Measure.__post_init__" in {one.name for one in public()}


def test_whoever_takes_or_gives_an_array_says_its_shape() -> None:
    """In the letters of the glossary: R replicates, N agents, M members, K entries."""
    silent = [
        one.name
        for one in public()
        if ARRAY.search(" ".join(one.notes.values())) and not SHAPE.search(one.words)
    ]
    assert silent == []


def test_whatever_a_body_raises_is_named() -> None:
    silent = {one.name: sorted(_unnamed(one)) for one in public() if _unnamed(one)}
    assert silent == {}


def _unnamed(one: Public) -> set[str]:
    return {name for name in _raised(one.function) if not re.search(rf"\b{name}\b", one.words)}


def test_each_argument_that_is_a_number_is_explained() -> None:
    """Its name stands in the docstring, where its meaning and its unit are said."""
    silent = [
        f"{one.name}: {name}"
        for one in public()
        for name, note in one.notes.items()
        if name not in BORN_WITH and NUMBER.fullmatch(note)
        if not re.search(rf"\b{name}\b", one.words)
    ]
    assert silent == []


# Where formulas are from

FORMULA = re.compile(r"^ {4,}\S.* = (?!yield|[\w.]+\()|\b\w+ = [^\n(]*[-+*/^][^\n]*\(", re.M)
CITED = re.compile(r"\b(1[89]|20)\d\d\b|\b[Oo]urs\b|\bof our\b")


def _docstrings(file: Path) -> Iterator[tuple[str, str]]:
    """The docstrings of a module and what it defines, each behind that of the module."""
    tree = parsed(file)
    whole = ast.get_docstring(tree) or ""
    yield whole, whole
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or "", whole


@pytest.mark.parametrize("folder", ["components", "scenarios", "society/analysis"])
def test_formulas_of_models_and_statistics_name_the_work_they_are_from(folder: str) -> None:
    """Or say that they are ours; the docstring of a module speaks for all that is in it."""
    silent = {
        file.relative_to(ROOT).as_posix()
        for file in (ROOT / folder).rglob("*.py")
        if "strategies" not in file.parts
        for words, whole in _docstrings(file)
        if FORMULA.search(re.sub(r"^\s*(>>>|\.\.\.).*$", "", words, flags=re.M))
        and not CITED.search(words + whole)
    }
    assert silent == set()


def test_pages_import_nothing_that_the_reference_does_not_show() -> None:
    """But for single games and mechanisms, which `society list` describes, and their constants."""
    shown = {(module, name) for _, module, name in offered.beside()} | {*offered.offered()}
    text = "\n".join(page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md"))
    imported = re.findall(r"^from (society\.[\w.]+) import (.+)$", text, re.M)
    missing = {
        f"{module}.{name}"
        for module, names in imported
        for name in re.split(r", ?", names.partition("  #")[0])
        if name[0].isupper() and not name.isupper()
        if not any(home.startswith(module) for home, known in shown if known == name)
    }
    assert missing == set()
