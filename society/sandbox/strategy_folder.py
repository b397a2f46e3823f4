"""Read and write folders of strategies: Python files, and a manifest that says what they are.

    strategies/manifest.json    game, interface, models, and for each strategy who wrote it
    strategies/gpt.py           classes

The manifest is JSON, as programs write it more often than people, and its errors have a line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from society.errors import SandboxError, short_path, suggest
from society.sandbox.checker import CheckedProgram, check_programs
from society.sandbox.running.facades import Interface
from society.sandbox.stage_games import GameName

MANIFEST = "manifest.json"
Fallback = Literal["C", "D"]
FALLBACKS: Mapping[str, Fallback] = {"collective": "C", "exploitative": "D"}

_PUBLISHED_NAME = re.compile(r"Strategy_([A-Za-z]+)_\d+")
_Text = Annotated[str, Field(min_length=1, max_length=200)]
_Description = Annotated[str, Field(max_length=1_000_000)]


class _Part(BaseModel):
    """A part of a manifest; a key that is not known is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class StrategyAuthor(_Part):
    """A language model that wrote strategies, by its name in the manifest.

    release: the day it came out; reasons: whether it thinks in words before it answers.
    """

    release: date | None = None
    reasons: bool = False


class StrategyEntry(_Part):
    """One strategy: the class of a file, who wrote it in which attitude, and from what words.

    fallback: the move that is played where the program gives none; tries: how often a model was
    asked until this code was accepted.
    """

    file: _Text
    name: _Text = Field(alias="class")
    model: _Text
    attitude: _Text
    fallback: Fallback
    description: _Description = ""
    tries: int = Field(default=1, ge=1)

    @model_validator(mode="after")
    def _file_is_in_the_folder(self) -> Self:
        if Path(self.file).name != self.file or not self.file.endswith(".py"):
            raise ValueError(f"file {self.file!r} must be a .py file of this folder")
        return self


class FailedDescription(_Part):
    """A strategy in words that never became code, and why the last try was refused."""

    model: _Text
    attitude: _Text
    description: _Description
    reason: Annotated[str, Field(min_length=1)]
    tries: int = Field(default=1, ge=1)


class StrategyManifest(_Part):
    """The content of a folder of strategies.

    game: a dilemma, or the scenario whose questions they answer.
    """

    game: _Text
    interface: Interface
    models: dict[str, StrategyAuthor]
    strategies: tuple[StrategyEntry, ...]
    failed: tuple[FailedDescription, ...] = ()

    @model_validator(mode="after")
    def _models_are_listed(self) -> Self:
        named = [*(one.model for one in self.strategies), *(one.model for one in self.failed)]
        for name in named:
            if name not in self.models:
                raise ValueError(f"the model {name!r} is not among `models`; add it there")
        return self

    @model_validator(mode="after")
    def _strategies_are_listed_once(self) -> Self:
        seen: set[tuple[str, str]] = set()
        for one in self.strategies:
            if (one.file, one.name) in seen:
                raise ValueError(f"the class {one.name} of {one.file} is listed twice; delete one")
            seen.add((one.file, one.name))
        return self


@dataclass(frozen=True)
class StrategyFolder:
    """A folder of strategies that was read."""

    path: Path
    manifest: StrategyManifest

    def text(self, file: str) -> str:
        """Return the text of one of its files."""
        return _read(self.path / file)

    @cached_property
    def _files(self) -> list[str]:
        return list(dict.fromkeys(one.file for one in self.manifest.strategies))

    def programs(self, *, allow: Sequence[str] = ()) -> list[CheckedProgram]:
        """Check all strategies, in the order of the manifest; some may be refused.

        Raises SandboxError for a class that its file has not, or of another interface.
        """
        checked = {
            (file, one.name): one
            for file in self._files
            for one in check_programs(
                self.text(file), filename=short_path(self.path / file), allow=allow
            )
        }
        return [self._find(one, checked) for one in self.manifest.strategies]

    def _find(
        self, entry: StrategyEntry, checked: Mapping[tuple[str, str], CheckedProgram]
    ) -> CheckedProgram:
        program = checked.get((entry.file, entry.name))
        place = short_path(self.path / entry.file)
        if program is None:
            raise SandboxError(
                f"{place}: there is no program {entry.name}, which {MANIFEST} lists; write it, or "
                "delete its entry"
            )
        if program.accepted and program.interface != self.manifest.interface:
            raise SandboxError(
                f"{place}:{program.line}: {entry.name} has the interface {program.interface}, and "
                f"{MANIFEST} says {self.manifest.interface}; keep each interface in its own folder"
            )
        return program


def read_strategies(folder: Path) -> StrategyFolder:
    """Read the manifest of a folder of strategies; raises SandboxError."""
    file = folder / MANIFEST
    if not folder.is_dir():
        raise SandboxError(f"there is no folder {short_path(folder)}; name a folder of strategies")
    if not file.is_file():
        raise SandboxError(
            f"{short_path(folder)}: there is no {MANIFEST}, which says who wrote which strategy; "
            "`society strategies write` makes one with its strategies, and `society strategies "
            "adopt FILE... --game G --model M` for files that you have"
        )
    text = _read(file)
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise SandboxError(
            f"{short_path(file)}:{error.lineno}: this is not JSON: {error.msg}"
        ) from None
    except RecursionError:
        raise SandboxError(
            f"{short_path(file)}: this is nested too deeply for a manifest"
        ) from None
    try:
        manifest = StrategyManifest.model_validate(given)
    except ValidationError as error:
        raise SandboxError(f"{short_path(file)}: {_first_fault(error, given)}") from None
    for name in dict.fromkeys(one.file for one in manifest.strategies):
        if not (folder / name).is_file():
            raise SandboxError(
                f"{short_path(folder / name)}: there is no such file, which {MANIFEST} lists; "
                "write it, or delete its entries"
            )
    return StrategyFolder(folder, manifest)


def _first_fault(error: ValidationError, given: object) -> str:
    """Say where a manifest is wrong first, and how often besides; a misspelt key comes first."""
    faults = error.errors(include_url=False)
    fault = next((one for one in faults if one["type"] == "extra_forbidden"), faults[0])
    *path, last = fault["loc"] or ("",)
    if fault["type"] == "extra_forbidden":
        missing = (one["loc"] for one in faults if one["type"] == "missing")
        legal = [str(name) for *there, name in missing if there == path]
        hint = suggest(str(last), legal) if legal else "delete it"
        words = f"there is no key {last!r}; {hint}"
    elif fault["type"] == "missing":
        words = f"the key {last!r} is missing"
    else:
        path, words = [*path, last], _lower_first(fault["msg"].removeprefix("Value error, "))
    others = f" ({len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{_place(path, given)}{words}{others}"


def _lower_first(words: str) -> str:
    return words[:1].lower() + words[1:]


def _place(path: Sequence[str | int], given: object) -> str:
    """Name a place in a manifest, and the class that is meant, if it is one of its strategies."""
    words = ".".join(map(str, path))
    match path, given:
        case ["strategies", int(number), *_], {"strategies": list(entries)}:
            entry = entries[number]
            if isinstance(entry, dict) and isinstance(entry.get("class"), str):
                words += f" (class {entry['class']:.60})"
    return f"{words}: " if words else ""


def write_strategies(
    folder: Path, manifest: StrategyManifest, files: Mapping[str, str] | None = None
) -> StrategyFolder:
    """Write a manifest, and files by name if they are given; existing ones are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (files or {}).items():
        (folder / name).write_text(text, encoding="utf-8")
    whole = manifest.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    text = json.dumps(whole, indent=2, ensure_ascii=False)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")
    return StrategyFolder(folder, manifest)


def adopt_files(
    folder: Path,
    game: GameName,
    *,
    files: Sequence[Path] = (),
    model: str | None = None,
    author: StrategyAuthor | None = None,
    fallbacks: Mapping[str, Fallback] = FALLBACKS,
) -> StrategyManifest:
    """Make the manifest of files with classes named Strategy_<ATTITUDE>_<number>.

    files: of the folder; none: all. model: who wrote them; without it each file is named after its
    model. Raises SandboxError for other names, attitudes without a fallback, and interfaces that
    differ.
    """
    files = files or sorted(folder.glob("*.py"))
    if not files:
        raise SandboxError(f"{short_path(folder)}: there are no .py files; name another folder")
    interfaces: dict[str, str] = {}
    entries: list[StrategyEntry] = []
    for file in files:
        for program in check_programs(_read(file), filename=short_path(file)):
            entries.append(_adopted(program, file, model or file.stem, fallbacks))
            if program.accepted:
                interfaces.setdefault(program.interface, f"{short_path(file)}:{program.line}")
    return StrategyManifest(
        game=game,
        interface=_only_interface(interfaces, folder),
        models={entry.model: author or StrategyAuthor() for entry in entries},
        strategies=tuple(entries),
    )


def _adopted(
    program: CheckedProgram, file: Path, model: str, fallbacks: Mapping[str, Fallback]
) -> StrategyEntry:
    """Make the entry of a class by its name."""
    place = f"{short_path(file)}:{program.line}"
    named = _PUBLISHED_NAME.match(program.name)
    if named is None:
        raise SandboxError(
            f"{place}: {program.name} does not say its attitude; name it "
            "Strategy_<ATTITUDE>_<number>"
        )
    attitude = named[1].lower()
    if attitude not in fallbacks:
        raise SandboxError(
            f"{place}: the attitude {attitude!r} has no fallback; say whether C or D is played "
            f"where its strategies fail (known: {', '.join(sorted(fallbacks))})"
        )
    return StrategyEntry(
        file=file.name,
        name=program.name,
        model=model,
        attitude=attitude,
        fallback=fallbacks[attitude],
    )


def _only_interface(interfaces: Mapping[str, str], folder: Path) -> Interface:
    """Return the interface of all accepted programs, given the place of the first of each."""
    if not interfaces:
        raise SandboxError(
            f"{short_path(folder)}: no class is accepted; `society strategies check` says why"
        )
    if len(interfaces) > 1:
        found = "; ".join(f"{name} in {place}" for name, place in sorted(interfaces.items()))
        raise SandboxError(
            f"{short_path(folder)}: strategies of several interfaces: {found}; keep each interface "
            "in its own folder"
        )
    return next(one for one in ("counts", "full", "society") if one in interfaces)


def _read(file: Path) -> str:
    """Read a text; raises SandboxError where it is none, or not there."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SandboxError(f"{short_path(file)}: cannot be read: {reason}") from None
