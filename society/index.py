"""An index of what comes with the program: definitions, prompts, presets and the like.

It is made by reading file names and the first words of lines, so that nothing is imported. Only
six folder names have a meaning: `presets`, `experiments` and `instruments` hold YAML files,
`strategies` holds programs, which are for the sandbox alone, `prompts` holds templates as
OWNER/NAME.md, and `packs` holds others that can take their places, as PACK/OWNER/NAME.md. Where a
folder is called like a module in it, that module is the one owner of its templates:
mechanisms/contracts/{contracts.py, prompts/terms.md}.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, NamedTuple

Room = Literal["components", "scenarios"]

_DEFINITION = re.compile(r"^(class |def |async def )?([A-Za-z]\w*)\s*([(:=\[])", re.M)
_SCRIPT = re.compile(r"^(?:@.*|\))\ndef (\w+)\(env: Environment\) -> Script:", re.M)


class Definition(NamedTuple):
    """A public name at the top of a module."""

    name: str
    module: str
    is_class: bool


@cache
def definitions(room: Room) -> tuple[Definition, ...]:
    """List the definitions in the modules of a room, in order of paths.

    Reproductions and programs are left out.

    Candidates: a line inside a long string can look like a definition.
    """
    home = folder_of(f"society.{room}")
    return tuple(
        Definition(name, _module(room, file.relative_to(home)), start == "class ")
        for file in sorted(home.rglob("*.py"))
        if not _set_apart(file.relative_to(home))
        for start, name, follows in _DEFINITION.findall(file.read_text("utf-8"))
        if start or follows in ":="
    )


@cache
def modules(room: Room) -> tuple[str, ...]:
    """All modules of a room."""
    return tuple(dict.fromkeys(one.module for one in definitions(room)))


@cache
def scenario_names() -> tuple[str, ...]:
    """The names of our scenarios, read off their files: decorated functions that give a script."""
    home = folder_of("society.scenarios")
    files = (file for file in home.rglob("*.py") if not _set_apart(file.relative_to(home)))
    return tuple(
        sorted(name for file in files for name in _SCRIPT.findall(file.read_text("utf-8")))
    )


def _set_apart(file: Path) -> bool:
    return not {"reproductions", "strategies"}.isdisjoint(file.parts)


@cache
def presets() -> Mapping[str, Path]:
    """The scenario files that come with the program, by name."""
    return _yaml_files("presets")


@cache
def experiments() -> Mapping[str, Path]:
    """The experiment files that come with the program, by name."""
    return _yaml_files("experiments")


@cache
def instruments() -> Mapping[str, Path]:
    """The questionnaires that come with the program, by name."""
    return _yaml_files("instruments")


@cache
def prompts() -> Mapping[str, Path]:
    """The templates that come with the program, by name: "fishing_village/effort.md"."""
    return {
        f"{_sole_owner(folder)}{name}": file
        for folder in _template_folders("prompts")
        for name, file in prompts_in(folder)
    }


@cache
def packs() -> Mapping[str, Mapping[str, Path]]:
    """The prompt packs that come with the program: by name, their templates by name."""
    found: dict[str, dict[str, Path]] = {}
    for home in _template_folders("packs"):
        for folder in sorted(filter(Path.is_dir, home.iterdir())):
            found.setdefault(folder.name, {}).update(prompts_in(folder))
    return found


def _template_folders(called: str) -> Iterator[Path]:
    for package in map(folder_of, ("society.llm", "society.scenarios")):
        homes = os.walk(package)
        yield from sorted(Path(home, called) for home, folders, _ in homes if called in folders)


def prompts_in(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files of a folder of templates, in order, each with its name."""
    homes = os.walk(folder)
    for file in sorted(Path(home, name) for home, _, names in homes for name in names):
        name = file.relative_to(folder)
        if file.is_file() and not any(part.startswith(".") for part in name.parts):
            yield name.as_posix(), file


def _sole_owner(folder: Path) -> str:
    """Return the prefix of template names: "contracts/" in mechanisms/contracts/prompts."""
    name = folder.parent.name
    module = folder.parent / f"{name}.py"
    named = rf"^(def {name}|class {name.title().replace('_', '')})\b"
    sole = module.is_file() and re.search(named, module.read_text("utf-8"), re.M)
    return f"{name}/" if sole else ""


def folder_of(package: str) -> Path:
    """Return the folder of a package without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{package} is missing from this installation; install it anew")
    return Path(spec.submodule_search_locations[0])


def _module(room: Room, file: Path) -> str:
    parts = file.with_suffix("").parts
    return ".".join(("society", room, *(parts[:-1] if parts[-1] == "__init__" else parts)))


def _yaml_files(kind: str) -> dict[str, Path]:
    found = folder_of("society.scenarios").rglob(f"{kind}/*.yaml")
    return {file.stem: file for file in sorted(found, key=lambda file: file.stem)}
