"""Small recorded runs for the theatre, each played once a session."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.runs.runfile import Writer, manifest_of, open_run_file
from society.theatre.history import History

Record = Callable[..., History]


@pytest.fixture(scope="session")
def record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Record]:
    """`record(scenario, changes)` plays a scenario and opens its history; equal ones are shared."""
    made: dict[str, History] = {}

    def recorded(scenario: str, changes: Mapping[str, Any], level: Any = None) -> History:
        named = repr((scenario, changes, level))
        if named not in made:
            path = tmp_path_factory.mktemp("theatre") / "small.run"
            setup = build(load_config(scenario, changes))
            with Writer(path, manifest_of(setup, level)) as writer:
                setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
            made[named] = History(open_run_file(path))
        return made[named]

    yield recorded
    for history in made.values():
        history.run.close()


@pytest.fixture(scope="session")
def village(record: Record) -> History:
    """Four poor villagers, six rounds at most: fines, caps, and one who is fined to death."""
    poor = {"population": "mixed", "wealth": 2, "consumption": 3, "punishers": "text"}
    changes = {"agents": 4, "rounds": 6, "seed": 9, "parameters": {**poor, "effort_rule": "trait"}}
    return record("fishing_village", changes)


@pytest.fixture(scope="session")
def pair(record: Record) -> History:
    """Two replicates of a village of four that lasts for six rounds."""
    changes = {"agents": 4, "rounds": 6, "seed": 9, "replicates": 2}
    return record("fishing_village", {**changes, "parameters": {"population": "mixed"}})
