"""A fishing village, small enough for tests, played into a run file."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from society.cli.main import main
from society.config.build import build
from society.config.run_config import load_config
from society.engine.game_master import Outcome
from society.engine.history import Page
from society.runs.runfile import Level, RunFile, Writer, manifest_of, open_run_file

PRELOAD = [
    "society.cli.main",
    "society.runs.session",
    "society.llm.providers.pool",
    "society.llm.providers.openai_compatible",
    "society.llm.templates",
    "society.scenarios.village.language_village",
    "society.components.language.llm_policy",
]
VILLAGE = {"agents": 6, "replicates": 4, "rounds": 12}


class Kept(NamedTuple):
    """A run and its file."""

    path: Path
    outcome: Outcome
    pages: list[Page]


Keep = Callable[..., Kept]
Reading = Callable[[Path], RunFile]
Launch = Callable[[list[str]], Any]


@pytest.fixture(scope="session")
def launch() -> Launch:
    """`launch(words)` starts the program in a process of its own, which has its imports by then."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)

    def launched(words: list[str]) -> Any:
        process = context.Process(target=main, args=(words,))
        process.start()
        return process

    return launched


@pytest.fixture
def keep(tmp_path: Path) -> Keep:
    """`keep()` plays the village into a.run; changes are those of a scenario file.

    told: what becomes of each page before it is written; None leaves it out.
    """

    def kept(
        source: str = "fishing_village",
        name: str = "a.run",
        level: Level = "full",
        told: Callable[[Page], Page | None] = lambda page: page,
        **changes: Any,
    ) -> Kept:
        given = VILLAGE | changes if source == "fishing_village" else changes
        setup = build(load_config(source, given))
        pages: list[Page] = []

        class Both:
            def page(self, page: Page) -> None:
                pages.append(page)
                written = told(page)
                if written is not None:
                    writer.page(written)

        with Writer(tmp_path / name, manifest_of(setup, level)) as writer:
            outside = setup.outside(writer.call_store)
            outcome = setup.gamemaster([Both()], outside=outside).play()
        return Kept(tmp_path / name, outcome, pages)

    return kept


@pytest.fixture
def reading() -> Iterator[Reading]:
    """`reading(path)` opens a run file until the test is over."""
    opened: list[RunFile] = []

    def opening(path: Path) -> RunFile:
        opened.append(open_run_file(path))
        return opened[-1]

    yield opening
    for run in opened:
        run.close()
