"""A tape answers what was asked, as it was asked, and nothing else."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.engine.calls import Completion, Request
from society.errors import InputError, RunFileError
from society.llm.call_tables import CALL, SCHEMA, call_row
from society.llm.providers.pool import ModelPool
from society.llm.providers.settings import ModelSpec

if TYPE_CHECKING:
    from tests.llm.providers.conftest import Ask, Asked

SAID = Completion("0.4", "stop", 7, 2, 0.01, 1.5, 3, "gpt", {"temperature": 1.0})


def recorded(folder: Path, *requests: Request) -> ModelSpec:
    """A file in which each request was answered by SAID."""
    file = folder / "a.run"
    with sqlite3.connect(file) as connection:
        connection.executescript(SCHEMA)
        for request in requests:
            connection.execute(CALL, call_row(1, request, SAID))
    connection.close()
    return ModelSpec(model=f"tape:{file}")


def test_it_says_what_was_said_and_costs_nothing_now(
    tmp_path: Path, ask: Ask, asked: Asked
) -> None:
    spec = recorded(tmp_path, ask("what now?"))
    [said] = asked(spec, ask("what now?"))
    assert said == SAID._replace(cost=0.0, latency=0.0, retries=0)


def test_what_was_not_asked_then_has_no_answer(tmp_path: Path, ask: Ask, asked: Asked) -> None:
    spec = recorded(tmp_path, ask("what now?", 0))
    with pytest.raises(
        InputError, match=r"has no answer for 'effort' .* of agent 1 of replicate 0"
    ):
        asked(spec, ask("what now?", 1))


def test_other_words_are_another_question(tmp_path: Path, ask: Ask, asked: Asked) -> None:
    spec = recorded(tmp_path, ask("what now?"))
    with pytest.raises(InputError, match="was asked in other words for 'effort'"):
        asked(spec, ask("what then?"))


def test_an_empty_tape_is_refused_before_play(tmp_path: Path) -> None:
    spec = recorded(tmp_path)
    with pytest.raises(InputError, match=r"a\.run holds no answers"):
        ModelPool({"default": spec}).check(["default"])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, r"there is no run file .*b\.run"),
        (b"", r"b\.run cannot be read as a tape"),
        (b"no run file at all", r"b\.run cannot be read as a tape"),
    ],
)
def test_what_is_no_run_file_is_refused_before_play(
    content: bytes | None, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "b.run"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(RunFileError, match=words):
        ModelPool({"default": ModelSpec(model=f"tape:{file}")}).check(["default"])
