"""Everything that can go wrong, as one tree.

SocietyError
├── InputError          what the user gave is wrong; nothing was lost (exit code 2)
│   ├── CatalogueError  a name that is neither a file nor in the catalogue
│   ├── FileError       a path that cannot be read or written, or exists already
│   ├── ScenarioError   a scenario file, parameter or mechanism that does not fit
│   ├── CastError       agents that do not fit the scenario, or each other
│   ├── GraphError      an interaction graph that does not fit the society
│   └── RunFileError    a run file that is truncated, foreign or of another version
├── PartError           a component or script broke its contract (exit code 1)
├── Paused              no answer can be had for now: a limit, an outage, a full disk (exit code 3)
│   └── Exhausted       a limit that the user set allows no further call
└── Unparsed            an outside mind's answer could not be read (settled by `fallback`)
    └── CutOff          it ends before its end (asked again with more room)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from traceback import walk_tb


class SocietyError(Exception):
    """Base of every error that this program raises on purpose."""

    exit_code = 1


class InputError(SocietyError):
    """What the user gave is wrong; the message says what would be right."""

    exit_code = 2


class CatalogueError(InputError):
    """A name that is neither a file nor in the catalogue."""


class FileError(InputError):
    """A path that cannot be read or written, or that exists already."""


class ScenarioError(InputError):
    """A scenario file, a parameter or a mechanism that does not fit."""


class CastError(InputError):
    """Agents that do not fit the scenario, or each other."""


class GraphError(InputError):
    """An interaction graph that does not fit the society."""


class RunFileError(InputError):
    """A file that is no run file, not whole, or of another version."""


class PartError(SocietyError):
    """A component or a script broke its contract with the game master."""


class Paused(SocietyError):
    """No answer can be had for now; what was kept is kept, and the run can be resumed."""

    exit_code = 3


class Exhausted(Paused):
    """A limit that the user set allows no further call."""


class Unparsed(SocietyError):
    """Raised by `consult` when an answer cannot be read; the question's `fallback` settles it."""


class CutOff(Unparsed):
    """An answer ends before its end: at a token limit, or in the middle of an object."""


def short_path(file: Path | str) -> str:
    """A path as messages show it: from the working directory on, if it lies there."""
    path, here = Path(file), Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def describe_user_error(error: BaseException, file: str = "") -> str:
    """What went wrong in a user's file, and in which line of it.

    Without `file`, in the file of the function that was called where the error is caught.
    """
    if isinstance(error, SyntaxError) and error.filename == file:
        return f"{short_path(file)}:{error.lineno}: {error.msg}"
    calls = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    file = file or calls[min(1, len(calls) - 1)][0]
    lines = [line for name, line in calls if name == file]
    return f"{short_path(file)}:{lines[-1] if lines else 1}: {type(error).__name__}: {error}"


def suggest(name: str, legal: Iterable[str]) -> str:
    """Say which legal name was probably meant, or list them all.

    >>> suggest("grwoth", ["growth", "fine"])
    "did you mean 'growth'?"
    >>> suggest("x", ["growth", "fine"])
    'choose one of: fine, growth'
    """
    names = sorted(legal)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"did you mean {close[0]!r}?"
    return f"choose one of: {', '.join(names)}" if names else "there is none"
