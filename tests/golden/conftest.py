"""How the tests of this folder play a society; all that they know of the program stands here."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from society.config.build import Society, build
from society.config.run_config import load_config
from society.engine.calls import Minds
from society.engine.game_master import Outcome
from society.engine.history import InMemoryRecorder, Page
from society.runs.design_runs import make_designs

HERE = Path(__file__).parent
REWRITE = os.environ.get("SOCIETY_GOLDEN") == "rewrite"

# Digests and draws are promised for one version of these.
VERSIONS = {name: version(name) for name in ("numpy", "networkx")}

# Stands in kept changes for a graph function that is a file of the tests.
PATCHY = {"function": f"{HERE.parent / 'conformance' / 'patchy.py'}:patchy"}


class Over(NamedTuple):
    """A game that is over; designs: those made before a tournament, by mechanism."""

    outcome: Outcome
    pages: Sequence[Page]
    designs: Mapping[str, Any]


def _placed(value: Any) -> Any:
    """Replace the name of a file of the tests by its path."""
    if value == "PATCHY":
        return PATCHY
    if isinstance(value, Mapping):
        return {key: _placed(part) for key, part in value.items()}
    return [_placed(part) for part in value] if isinstance(value, list) else value


def _perform(
    source: str, changes: Mapping[str, Any], minds: Callable[[Society], Minds | None] | None = None
) -> Over:
    """Play a society; its files are looked up in the working directory.

    minds: who answers for language minds, called once for the designs and once for the game.
    """
    setup = build(load_config(source, _placed(changes)))
    setup = make_designs(setup, minds(setup) if minds else None)
    recorder = InMemoryRecorder()
    game = setup.gamemaster([recorder], minds=minds(setup) if minds else None)
    return Over(game.play(), recorder.pages, setup.spec.drafts)


Perform = Callable[..., Over]


@pytest.fixture(scope="session")
def perform() -> Perform:
    """`perform(source, changes, minds)` plays a society and keeps every page."""
    return _perform


@pytest.fixture(scope="session")
def users_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files in users_files.md, as a user would have written them."""
    folder = tmp_path_factory.mktemp("user")
    text = (HERE / "users_files.md").read_text(encoding="utf-8")
    for name, block in re.findall(r"^```\w+\n(?=# (\S+)\n)(.*?)^```$", text, re.DOTALL | re.M):
        (folder / name).write_text(block, encoding="utf-8")
    return folder


@pytest.fixture
def among_users_files(users_files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory is the folder of the user."""
    monkeypatch.chdir(users_files)


@pytest.fixture(scope="session")
def versions() -> dict[str, str]:
    """The versions of the libraries that draw numbers and graphs."""
    return VERSIONS


@pytest.fixture(scope="session")
def rewrite() -> bool:
    """True if kept files are to be rewritten."""
    return REWRITE
