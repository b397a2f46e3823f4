"""Small tournaments of classic minds, as run files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from society.analysis.crossplay import GameCell
from society.analysis.study.condition import ConditionRun
from society.config.build import build
from society.config.run_config import load_config
from society.runs.design_runs import make_designs
from society.runs.runfile import Level, Writer, manifest_of

Tournament = Callable[..., ConditionRun]
InCell = Callable[..., GameCell]

NICE = {"nice": "always_cooperate", "nasty": "always_defect"}


@pytest.fixture(scope="session")
def tournament(tmp_path_factory: pytest.TempPathFactory) -> Tournament:
    """`tournament("trust", {"repetition": {"games": 3}}, types={"nice": "always_cooperate", ...})`.

    Types are classic strategies, all with capable `mechanism_use`, or the components of a cohort.
    """
    folder, kept = tmp_path_factory.mktemp("tournaments"), dict[str, ConditionRun]()

    def play(
        game: str = "prisoners_dilemma",
        *mechanisms: Mapping[str, Any],
        types: Mapping[str, Any] = NICE,
        repetitions: int = 1,
        level: Level = "full",
        **more: Any,
    ) -> ConditionRun:
        stack = [*mechanisms, {"tournament": {"repetitions": repetitions}}]
        said = {"cohorts": [*map(_cohort, types.items())], "mechanisms": stack, **more}
        key = json.dumps([game, said, level])
        if key not in kept:
            path = folder / f"{len(kept)}.run"
            setup = make_designs(build(load_config(game, said)))
            with Writer(path, manifest_of(setup, level)) as writer:
                setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
            kept[key] = ConditionRun.read(path, path.stem, {})
        return kept[key]

    return play


def _cohort(said: tuple[str, Any]) -> dict[str, Any]:
    name, minds = said
    classic = [
        {"classic_strategies": {"strategy": minds}},
        {"mechanism_use": {"skill": "capable"}},
        {"sanctions": {}},
    ]
    return {"name": name, "components": classic if isinstance(minds, str) else minds}


@pytest.fixture(scope="session")
def in_cell(tournament: Tournament) -> InCell:
    """`in_cell(...)`: the same tournament, read as a whole."""
    return lambda *given, **more: GameCell.read(tournament(*given, **more))
