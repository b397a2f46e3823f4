"""Files of programs: what they hold, checked, with the text of each program on its own."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Self

from society.errors import FileError, SandboxError, short_path, suggest
from society.sandbox.checker import CheckedProgram, check_programs
from society.sandbox.kept_programs import KeptProgram
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.source.program_text import CHARACTERS

_MOST_BYTES = 4 * CHARACTERS


@dataclass(frozen=True)
class ReadyProgram:
    """A program that was checked: as a run file keeps it, and as a worker loads it.

    answers, hears: kinds of questions and of events for which it has a method.
    """

    kept: KeptProgram
    loaded: LoadedProgram
    answers: frozenset[str]
    hears: frozenset[str]

    @classmethod
    def of(cls, kept: KeptProgram, checked: CheckedProgram) -> Self:
        """Make a checked program ready; raises SandboxError for one that was refused."""
        if checked.code is None:
            raise SandboxError(f"{kept.name} is refused: {checked.reason}")
        methods = _methods(checked.source)
        moves = {"move"} if methods & {"act", "__call__"} else set()
        return cls(
            kept,
            checked.loaded(kept.fallback),
            frozenset(moves.union(checked.answers)),
            frozenset(name[7:] for name in methods if name.startswith("notice_")),
        )


def _methods(source: str) -> frozenset[str]:
    """Return the names of all methods in the text of a program."""
    nodes = ast.walk(ast.parse(source))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))


def find_class(programs: Sequence[CheckedProgram], name: str, path: str) -> CheckedProgram:
    """Return the program of a name; raises SandboxError if there is none."""
    for one in programs:
        if one.name == name:
            return one
    hint = suggest(name, (one.name for one in programs))
    raise SandboxError(f"{short_path(path)} holds no class {name!r}; {hint}")


class ProgramFile:
    """A file of a folder: its programs, checked."""

    def __init__(self, path: Path, allow: Sequence[str]) -> None:
        self._name = short_path(path)
        text = read_text(path)
        self.sha256 = sha256(text.encode()).hexdigest()
        self.checked = check_programs(text, filename=self._name, allow=allow)
        imports = (
            ast.unparse(node)
            for node in ast.parse(text).body
            if isinstance(node, ast.Import | ast.ImportFrom)
        )
        self._head = "\n".join([*imports, ""])

    def ready(self, entry: KeptProgram) -> ReadyProgram:
        """Return the program of an entry, with a text that stands on its own."""
        checked = find_class(self.checked, entry.class_name, self._name)
        source = f"{self._head}\n{checked.source}\n".lstrip()
        return ReadyProgram.of(entry.model_copy(update={"source": source}), checked)


def read_text(path: Path) -> str:
    """Read a file of programs; raises FileError."""
    try:
        if path.exists() and not path.is_file():
            raise FileError(f"{short_path(path)} is no file; give FILE.py")
        if path.exists() and (size := path.stat().st_size) > _MOST_BYTES:
            raise FileError(
                f"{short_path(path)} has {size:,} bytes, and at most {_MOST_BYTES:,} are read; "
                "split it"
            )
        return path.read_text("utf-8")
    except OSError as error:
        raise FileError(f"cannot read {short_path(path)}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise FileError(f"{short_path(path)} is no text in UTF-8: {error}") from None
