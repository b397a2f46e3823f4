"""Small working files to start from: a scenario, a component, a mechanism, an experiment.

They lie in starters/ as they are tested and checked here, each under the name `starter`, and are
written under the name that an author chooses, with the JSON Schema by which editors help beside
them.
"""

from __future__ import annotations

import json
import keyword
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from society.config.registry import components, mechanisms, scenarios
from society.engine.component import snake_case
from society.errors import CatalogueError, FileError, short_path
from society.experiments.experiment import file_schema
from society.index import experiments, presets

StarterKind = Literal["scenario", "component", "mechanism", "experiment"]
STARTER_KINDS: tuple[StarterKind, ...] = get_args(StarterKind)
SCHEMA = "society.schema.json"

_LONGEST_NAME = 60  # characters
_STARTERS = Path(__file__).with_name("starters")


def write_starter(kind: StarterKind, name: str, folder: Path) -> list[Path]:
    """Write the files of a kind under a name, and return their paths; the first is to be edited.

    Raises CatalogueError for a name that cannot be taken, and FileError if a file is there already
    or cannot be written; then nothing is written.
    """
    _refuse_name(kind, name)
    files = {folder / file: text for file, text in _starter_files(kind, name).items()}
    if folder.exists() and not folder.is_dir():
        raise FileError(f"{short_path(folder)} is not a folder; name another --dir")
    there = [path for path in files if path.exists()]
    if there:
        raise FileError(
            f"{short_path(there[0])} exists already; choose another name, or another --dir"
        )
    schema = {folder / SCHEMA: schema_text()}
    for path, text in {**files, **schema}.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        except OSError as error:
            raise FileError(f"cannot write {short_path(path)}: {error.strerror}") from None
    return [*files, *schema]


def schema_text() -> str:
    """The JSON Schema of scenario and experiment files, as `society schema` prints it."""
    return f"{json.dumps(file_schema(), indent=2)}\n"


def _starter_files(kind: StarterKind, name: str) -> dict[str, str]:
    """The texts of a kind's files under a name, by path; the one to be edited comes first."""
    home = _STARTERS / kind
    paths = sorted(
        (path for path in home.rglob("*") if path.is_file() and "__pycache__" not in path.parts),
        key=lambda path: (path.suffix != ".py" or path.name.startswith("test_"), path),
    )
    return {
        _renamed(path.relative_to(home).as_posix(), name): _renamed(path.read_text("utf-8"), name)
        for path in paths
    }


def _renamed(text: str, name: str) -> str:
    """Put a name in the place of `starter`.

    >>> _renamed("class Starter in starter.py", "small_pond")
    'class SmallPond in small_pond.py'
    """
    return text.replace("Starter", _title(name)).replace("starter", name)


def _title(name: str) -> str:
    return name.title().replace("_", "")


def _refuse_name(kind: StarterKind, name: str) -> None:
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name) or keyword.iskeyword(name):
        raise CatalogueError(
            f"got the name {name!r}; expected lower-case words joined by underscores, as in "
            "small_pond"
        )
    if len(name) > _LONGEST_NAME:
        raise CatalogueError(
            f"got a name of {len(name)} characters; expected at most {_LONGEST_NAME}"
        )
    if (back := snake_case(_title(name))) != name:
        raise CatalogueError(
            f"got the name {name!r}, whose class {_title(name)} would be called {back!r} in "
            "scenario files; take longer words, or fewer"
        )
    known: Mapping[StarterKind, Mapping[str, object]] = {
        "scenario": {**scenarios(), **presets()},
        "component": components(),
        "mechanism": mechanisms(),
        "experiment": experiments(),
    }
    if name in known[kind]:
        raise CatalogueError(f"there is a {kind} {name!r} already; choose another name")
