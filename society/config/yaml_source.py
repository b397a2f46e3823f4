"""YAML with the position of every value, so that messages can point at it.

YAML 1.2: `no` is a text, `12:30` is not a number, and a repeated key is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from society.engine.parameters import Issue, Keys, dotted_path
from society.errors import FileError, ScenarioError, short_path, suggest_file

_LISTED = 5  # faults that one message names
_MOST = 100_000  # values in a file
_LARGEST = 1_000_000  # bytes of a file
_DEEPEST = 100  # brackets around a value
_SEPARATOR = re.compile(r"[,\n]|[-?:] ")  # a value follows


class Position(NamedTuple):
    """The positions of a value and of its name: "village.yaml:4:10" each."""

    value: str
    name: str


@dataclass(frozen=True)
class Source:
    """The positions of the values of a spec. found: the file or built-in, in words."""

    found: str = ""
    positions: Mapping[Keys, Position] = field(default_factory=dict)

    def said_again(self, keys: Keys, where: str = "") -> Source:
        """Move the value at `keys`, and all in it, to another place, such as "--set fine=3"."""
        others = {
            other: position
            for other, position in self.positions.items()
            if other[: len(keys)] != keys
        }
        return Source(self.found, others | {keys: Position(where, where)})

    def refusal(self, faults: Iterable[Issue]) -> ScenarioError:
        """Make the error that lists all faults, a line each."""
        lines = list(dict.fromkeys(map(self.line, faults)))
        more = [f"and {len(lines) - _LISTED} more"] if len(lines) > _LISTED else []
        return ScenarioError("\n".join(lines[:_LISTED] + more))

    def line(self, fault: Issue) -> str:
        """Return a fault in words, after the position of the innermost value around it."""
        keys = fault.path
        while keys and keys not in self.positions:
            keys = keys[:-1]
        position = self.positions.get(keys, Position("", ""))
        where = position.name if fault.name and keys == fault.path else position.value
        if where.startswith("--"):
            parts = [where, dotted_path(fault.path[len(keys) :])]
        else:
            parts = [f"{where} {dotted_path(fault.path)}".strip()]
        return ": ".join([part for part in parts if part] + [fault.words])


def read_yaml(file: Path) -> tuple[Any, dict[Keys, Position]]:
    """Read the values of a YAML file and their positions; raises FileError, ScenarioError."""
    shown = short_path(file)
    if shown.startswith("-"):
        shown = f"./{shown}"  # or it could be taken for an option
    try:
        if file.exists() and not (file.is_file() or file.is_dir()):
            raise FileError(f"cannot read {shown}: it is a device or a pipe; name a file")
        with file.open("rb") as opened:
            said = opened.read(_LARGEST + 1)
        if len(said) > _LARGEST:
            raise ScenarioError(
                f"{shown}: more than {_LARGEST:,} bytes; write fewer values, or divide the file"
            )
        text = said.decode("utf-8-sig")
    except OSError as error:
        raise FileError(f"cannot read {shown}: {error.strerror}{suggest_file(file)}") from None
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{shown} is not text in UTF-8: {error.reason}") from None
    return _parse(text, shown)


def value_of(text: str, label: str) -> Any:
    """Parse a YAML value such as 0.2 or {kind: ring}; raises ScenarioError, with the label."""
    return _parse(text, label)[0]


# What to do about complaints of the parser that users cannot read.
_HINTS = {
    "mapping values are not allowed": "; put the values of a name into braces, as in "
    "`- miser: {need: 3}`, and a text with a colon into quotes",
    "expected <block end>": "; keys that belong together stand equally far to the right",
    "that cannot start any token": "; indent by spaces, and put such a sign into quotes",
}


def _parse(text: str, shown: str) -> tuple[Any, dict[Keys, Position]]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    _refuse_endless(text, shown)
    yaml = YAML(typ="safe", pure=True)
    try:
        # Anchors and merges are counted before they are carried out.
        root = yaml.compose(text)
        count = sum(1 for _ in islice(_find_positions(root, (), shown), _MOST + 1)) if root else 0
        if count > _MOST:
            raise _too_many(shown)
        positions = dict(_find_positions(root, (), shown)) if root else {}
        value = yaml.constructor.construct_document(root) if root else None
    except MarkedYAMLError as error:
        hint = next((words for sign, words in _HINTS.items() if sign in str(error.problem)), "")
        raise ScenarioError(f"{_at(shown, error.problem_mark)}: {error.problem}{hint}") from None
    except YAMLError as error:
        raise ScenarioError(f"{shown}: {str(error).partition(chr(10))[0]}") from None
    except RecursionError:
        raise ScenarioError(
            f"{shown}: a value contains itself, or has too many levels; write it with fewer levels"
        ) from None
    except (TypeError, ValueError) as error:  # a key that is a list; a number of 5,000 digits
        raise ScenarioError(
            f"{shown}: {error}; expected texts as keys, and numbers of usual size"
        ) from None
    return value, positions or {(): Position(shown, shown)}


def _refuse_endless(text: str, shown: str) -> None:
    """Raise ScenarioError for a text that would take long to parse, before it is parsed."""
    if sum(1 for _ in islice(_SEPARATOR.finditer(text), _MOST + 1)) > _MOST:
        raise _too_many(shown)
    depth = 0
    for bracket in re.finditer(r"[][{}]", text):
        depth = depth + 1 if bracket[0] in "[{" else max(depth - 1, 0)
        if depth > _DEEPEST:
            raise ScenarioError(
                f"{shown}: brackets within more than {_DEEPEST} others; write it with fewer levels"
            )


def _too_many(shown: str) -> ScenarioError:
    return ScenarioError(
        f"{shown}: more than {_MOST:,} values, including those that anchors repeat; "
        "write fewer values"
    )


def _find_positions(
    node: Any, keys: Keys, shown: str, name: str = ""
) -> Iterator[tuple[Keys, Position]]:
    empty = node.start_mark.index == node.end_mark.index
    here = name if name and empty else _at(shown, node.start_mark)
    yield keys, Position(here, name or here)
    if node.id == "mapping":
        for key, value in node.value:
            yield from _find_positions(value, (*keys, key.value), shown, _at(shown, key.start_mark))
    elif node.id == "sequence":
        for index, entry in enumerate(node.value):
            yield from _find_positions(entry, (*keys, index), shown)


def _at(shown: str, mark: Any) -> str:
    return shown if shown.startswith("--") else f"{shown}:{mark.line + 1}:{mark.column + 1}"
