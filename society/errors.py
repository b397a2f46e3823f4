"""Everything that can go wrong, as one tree.

SocietyError
├── InputError          what the user gave is wrong; nothing was lost (exit code 2)
│   ├── CatalogueError  a name that is neither a file nor in the catalogue
│   ├── FileError       a path that cannot be read or written, or exists already
│   ├── ScenarioError   a scenario file, parameter or mechanism that does not fit
│   ├── CastError       agents that do not fit the scenario, or each other
│   ├── GraphError      an interaction graph that does not fit the society
│   ├── RunFileError    a run file that is truncated, foreign or of another version
│   ├── UntrustedCodeError  a run file names Python code that is not to be executed
│   └── SandboxError    programs that cannot be read, or cannot be run safely here
├── PartError           a component or script broke its contract (exit code 2)
├── Paused              no answer can be had for now: a limit, an outage, a full disk (exit code 3)
│   └── Exhausted       a limit that the user set allows no further call
└── Unparsed            an outside mind's answer could not be read (settled by `fallback`)
    ├── CutOff          it ends before its end (asked again with more room)
    └── ContextOverflow the prompt does not fit into the model (asked again with fewer memories)
"""

from __future__ import annotations

import difflib
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable
from functools import cache, partial
from inspect import signature, unwrap
from linecache import getline
from pathlib import Path
from traceback import walk_tb
from typing import Any


class SocietyError(Exception):
    """Base of every error that this program raises on purpose."""

    exit_code = 1


class InputError(SocietyError):
    """A mistake in the user's input; the message says what would be right."""

    exit_code = 2


class CatalogueError(InputError):
    """A name that is neither a file nor in the catalogue."""


class FileError(InputError):
    """A path that cannot be read or written, or that exists already."""


class MissingLibraryError(InputError):
    """A library of an extra that is not installed."""


class ScenarioError(InputError):
    """A scenario file, a parameter or a mechanism that does not fit."""


class CastError(InputError):
    """Agents that do not fit the scenario, or each other."""


class GraphError(InputError):
    """An interaction graph that does not fit the society."""


class RunFileError(InputError):
    """A file that is no run file, not whole, or of another version."""


class UntrustedCodeError(InputError):
    """A run file names Python code that is not to be executed."""


class SandboxError(InputError):
    """Strategies written as programs that cannot be read, or cannot be run safely here."""


class ArgumentError(ValueError):
    """A value that one of our constructors does not take; a message names the user's line."""


class PartError(SocietyError):
    """A component or a script broke its contract with the game master."""

    exit_code = 2


class Paused(SocietyError):
    """A pause, since no answer can be had now: the record stays, and the run can be resumed.

    refused: whether a call was sent and refused each time, so that it neither cost anything nor can
    be answered any more.
    """

    exit_code = 3
    refused = False


class Exhausted(Paused):
    """A limit that the user set allows no further call."""


class Unparsed(SocietyError):
    """An answer that cannot be read; the question's `fallback` settles it. `consult` raises it."""


class CutOff(Unparsed):
    """An answer ends before its end: at a token limit, or in the middle of an object."""


class ContextOverflow(Unparsed):
    """A prompt, with the room of its reply, does not fit into the context of a model."""


class WiringWarning(UserWarning):
    """A part of a society that is probably not wired as it was meant."""


class ProgramWarning(UserWarning):
    """A program that was disqualified, or that runs less confined than it should."""


def short_path(file: Path | str) -> str:
    """A path as messages show it: from the working directory on, if it lies there."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def suggest_file(file: Path) -> str:
    """Name the file of the same kind beside a missing one that was probably meant; "" for none."""
    there = [one.name for one in file.parent.glob(f"*{file.suffix}")] if file.suffix else []
    close = [] if file.exists() else difflib.get_close_matches(file.name, there, n=1)
    return "".join(f"; did you mean {short_path(file.with_name(one))!r}?" for one in close)


def page_path(file: Path | str) -> str:
    """A path as pages show it, which others read: at most its last two parts.

    >>> page_path("/home/ann/strategies/public_goods"), page_path("strategies")
    ('strategies/public_goods', 'strategies')
    """
    return "/".join([part for part in Path(file).parts if part != Path(file).anchor][-2:])


def _words(error: BaseException) -> str:
    """An error in one line, with its type if Python or a library raised it, and a hint."""
    if isinstance(error, SocietyError | ArgumentError):
        return str(error)
    if getattr(error, "code", "") == "model-field-missing-annotation":  # by pydantic
        mend = r"parameter `\1 = \2` has no type; write, for example, `\1: float = \2`"
        return _UNTYPED.sub(mend, str(error).splitlines()[0])
    text = _OUR_PATH.sub("", str(error))
    return f"{type(error).__name__}: {text}{_hint(error)}"


def _hint(error: BaseException) -> str:
    """Return advice on an error, after a semicolon; "" if there is none."""
    if isinstance(error, ValueError) and "truth value of an array" in str(error):
        return (
            "; `if` cannot decide for many agents at once: write np.where(condition, a, b), or "
            "answer for one agent at a time under @per_agent"
        )
    if found := _NOT_OFFERED.search(str(error)):
        offered = sys.modules["society"].__all__  # its import would be a circle
        return f"; {suggest(found[1], offered)}"
    if found := _UNEXPECTED.search(str(error)):
        return _keyword_hint(error, found[1], found[2])
    if isinstance(error, TypeError) and "indices must be" in str(error):
        return _facts_hint(error)
    if not isinstance(error, AttributeError) or not error.name:
        return ""
    return _attribute_hint(error.obj, error.name)


def _attribute_hint(thing: object, name: str) -> str:
    """Advise on an attribute that is not there; things of ours list what they have."""
    if getattr(thing, "__qualname__", "") == "Environment.draws":
        return f'; say who draws: env.draws("NAME").{name}(...)'
    ours = type(thing).__module__.startswith("society.")
    if ours and hasattr(getattr(thing, "params", None), name):
        return f"; it is a parameter: write params.{name}"
    public = [one for one in dir(thing) if not one.startswith("_")]
    if ours or difflib.get_close_matches(name, public, n=1):
        return f"; {suggest(name, public)}"
    return ""


def _keyword_hint(error: BaseException, called: str, keyword: str) -> str:
    """Advise on an argument that a class does not take, if the user's file knows the class."""
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    known = [frame.f_globals[called] for frame in frames if called in frame.f_globals]
    if not known or not isinstance(known[-1], type):
        return ""
    names = [name for name in signature(known[-1]).parameters if name != "otherwise"]
    return f"; {suggest(keyword, names)}"


def _facts_hint(error: BaseException) -> str:
    """Advise on a line that looks for a fact in what holds the facts."""
    place = user_place(error)
    found = _FACT_OF_LINE.search(getline(*place)) if place else None
    return f"; facts stand in .facts: write {found[1]}.facts[{found[2]}]" if found else ""


_UNEXPECTED = re.compile(r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'")
_FACT_OF_LINE = re.compile(r"\b(ask|tell)\[([^]]*)\]")
_FEW, _NEAREST, _ALIKE = 20, 3, 0.4  # names that are listed; that are near; from what likeness on
_UNTYPED = re.compile(r"A non-annotated attribute was detected: `(\w+) = (.*?)`\..*")
_NOT_OFFERED = re.compile(r"cannot import name '(\w+)' from 'society'")
_OUR_PATH = re.compile(r" \(\S*society/__init__\.py\)")


def describe_user_error(error: BaseException, file: str = "") -> str:
    """Describe an error in a user's file, with the line of it.

    Without `file`, in the file of the function that was called where the error is caught.
    """
    if isinstance(error, SyntaxError) and error.filename == file:
        return f"{short_path(file)}:{error.lineno}: {error.msg}"
    calls = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    if not file and (place := user_place(error)):
        return f"{show_place(*place)}: {_words(error)}"
    file = file or calls[min(1, len(calls) - 1)][0]
    lines = [line for name, line in calls if name == file]
    return f"{show_place(file, lines[-1] if lines else 1)}: {_words(error)}"


@cache
def _library_folders() -> tuple[Path, ...]:
    """The folders of this program, of Python and of installed packages, none of them the user's."""
    ours = Path(__file__).resolve().parent
    beside = (ours.parent / name for name in ("components", "scenarios", "memory"))
    paths = sysconfig.get_paths()
    installed = (paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib"))
    # Of a parent environment, too, where one is made with --system-site-packages.
    found = (one for one in sys.path if Path(one).name in ("site-packages", "dist-packages"))
    return (ours, *beside, *(Path(path).resolve() for path in (*installed, *found)))


@cache
def is_users_file(file: str) -> bool:
    """Tell if code of this file is the user's, a notebook's cell included."""
    if file.startswith(("<frozen", "<string>", "<__array")):
        return False
    path = Path(file).resolve()
    return not any(path.is_relative_to(folder) for folder in _library_folders())


def user_place(error: BaseException) -> tuple[str, int] | None:
    """Return file and line of the innermost call in a user's file; None if there is none."""
    calls = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    return next((call for call in reversed(calls) if is_users_file(call[0])), None)


def definition_place(function: Callable[..., Any]) -> str:
    """Return where a function is defined, "wood.py:12"; "" if it is not written in Python."""
    while isinstance(function, partial):
        function = function.func
    code = getattr(unwrap(function), "__code__", None)
    return "" if code is None else show_place(code.co_filename, code.co_firstlineno)


_LINE_CLASS = re.compile(r"'(Ask|Tell|Inherit)'")
_UNHEARD = {"Ask": "asks nobody", "Tell": "tells nobody", "Inherit": "copies nothing"}
_NOT_YIELDED = re.compile(r"(\w+)\s*=\s*(Ask|Tell|Inherit)\(")


def explain_user_error(error: BaseException) -> SocietyError | None:
    """Return the mistake in a user's file behind an error; None if it is not a known one.

    Known are a warning that was made an error, a line of a script that was not yielded, a
    StopIteration that leaves a script, and what this program refused when it was called from the
    user's file.
    """
    if isinstance(error, WiringWarning):  # it was made an error by --strict
        return InputError(str(error))
    if isinstance(error, MemoryError):
        words = f": {error}" if str(error) else ""
        return InputError(f"out of memory{words}; take fewer agents or replicates")
    if isinstance(error, RuntimeError) and isinstance(error.__cause__, StopIteration):
        place = user_place(error.__cause__)
        words = "next() found nothing more; loop with `for`, or give next() a default"
        return None if place is None else InputError(f"{show_place(*place)}: {words}")
    place = user_place(error)
    if place is None:
        return None
    if isinstance(error, AttributeError | TypeError) and (found := _LINE_CLASS.search(str(error))):
        return InputError(_missing_yield(place, found[1]))
    if isinstance(error, ArgumentError):
        return InputError(f"{show_place(*place)}: {error}")
    if isinstance(error, PartError):
        return PartError(f"{show_place(*place)}: {error}")
    return None


def show_place(file: str, line: int) -> str:
    """A line of a file as messages show it: "wood.py:12"."""
    return f"{short_path(file)}:{line}"


def missing_yield(line_class: str, name: str = "") -> str:
    """Describe a line that a script makes and does not yield; name: the variable that keeps it.

    >>> missing_yield("Ask", "cut")
    '`cut = Ask(...)` without `yield` asks nobody; write `cut = yield Ask(...)`'
    """
    kept = f"{name} = " if name else ""
    return (
        f"`{kept}{line_class}(...)` without `yield` {_UNHEARD[line_class]}; "
        f"write `{kept}yield {line_class}(...)`"
    )


def _missing_yield(place: tuple[str, int], line_class: str) -> str:
    """Describe a line that was made and not yielded, at the last such line before an error."""
    file, number = place
    for line in range(number, 0, -1):
        found = _NOT_YIELDED.search(getline(file, line))
        if found and found[2] == line_class:
            return f"{show_place(file, line)}: {missing_yield(line_class, found[1])}"
    return f"{show_place(*place)}: {missing_yield(line_class)}"


def suggest(name: str, legal: Iterable[str], listed: str = "") -> str:
    """Say which legal name was probably meant, or list them all.

    listed: a command that lists them; where they are many, it is named beside the nearest few.

    >>> suggest("grwoth", ["growth", "fine"])
    "did you mean 'growth'?"
    >>> suggest("x", ["growth", "fine"])
    'choose one of: fine, growth'
    >>> suggest("pond", [f"lake_{n}" for n in range(30)] + ["pound_of_flesh"], "society list lakes")
    'the nearest is pound_of_flesh; `society list lakes` names all 31'
    """
    names = sorted(legal)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    if listed and len(names) > _FEW:
        near = difflib.get_close_matches(name, names, n=_NEAREST, cutoff=_ALIKE)
        verb = "is" if len(near) == 1 else "are"
        nearest = f"the nearest {verb} {', '.join(near)}; " if near else ""
        return f"{nearest}`{listed}` names all {len(names)}"
    return f"choose one of: {', '.join(names)}" if names else "there is none"
