"""Names of agents from a run file, round by round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.lineage import DESCENDED
from society.runs.agent_names import AgentNames, names_by_round
from society.runs.manifest import Level, Manifest
from society.runs.runfile import RunFile, Writer, manifest_of, open_run_file
from society.terminal.round_view import facts_told

EVOLVING = {
    "agents": 4,
    "rounds": 2,
    "seed": 4,
    "parameters": {"games": 1},
    "mechanisms": [{"generations": {"count": 2, "fitness": "final", "phenotype": "share"}}],
}


def recorded(folder: Path, level: Level) -> RunFile:
    setup = build(load_config("donor_game", EVOLVING))
    with Writer(folder / "a.run", manifest_of(setup, level)) as writer:
        setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return open_run_file(folder / "a.run")


def test_a_seat_has_the_name_of_the_life_that_has_it_in_that_round(tmp_path: Path) -> None:
    run = recorded(tmp_path, "full")
    told = [facts_told(page, DESCENDED, "life") for page in run.pages()]
    lives = [life for life in told if life is not None]
    born, last = int(np.argmax(lives[-1][0] >= 4)), run.rounds
    assert names_by_round(run, [(last, 0, born), (1, 0, born), (0, 0, born)]) == [
        f"agent 2_{born + 1}",
        f"agent 1_{born + 1}",
        f"agent 1_{born + 1}",
    ]


def test_in_a_round_that_is_not_over_nobody_knows_who_was_born(tmp_path: Path) -> None:
    run = recorded(tmp_path, "full")
    assert names_by_round(run, [(run.rounds + 1, 0, 2)]) == ["agent on seat 2"]


def test_at_level_summary_lives_are_not_told_apart(tmp_path: Path) -> None:
    run = recorded(tmp_path, "summary")
    assert names_by_round(run, [(1, 0, 2)]) == ["agent on seat 2"]


@pytest.mark.parametrize(
    ("stage", "names", "expected"),
    [
        ({"noun": "villager"}, None, "villager 1 (selfish)"),  # a file of before
        ({}, {"noun": "villager"}, "villager 1 (selfish)"),
        ({}, {"noun": "villager", "of_cohorts": {"selfish": "miser"}}, "the miser"),
    ],
)
def test_a_type_stands_behind_the_name(stage: Any, names: Any, expected: str) -> None:
    cohorts = [{"name": "altruist", "seats": [0, 2]}, {"name": "selfish", "seats": [1]}]
    given: dict[str, Any] = {key: {} for key in ("params", "versions", "files")}
    given |= {"scenario": "lake", "spec": {"scenario": "lake"}, "level": "full", "measures": []}
    size = {"seed": 7, "agents": 3, "replicates": 1, "horizon": 10}
    more = {
        "scenario": "lake",
        "spec": {"scenario": "lake"},
        "level": "full",
        "measures": [],
        "stage": stage,
        "names": names,
    }
    manifest = Manifest.model_validate({**given, **size, **more, "cohorts": cohorts})
    assert AgentNames(manifest).with_type(0, 1) == expected


def test_a_trouble_of_somebody_who_is_not_there_has_a_name_too(tmp_path: Path) -> None:
    names = AgentNames(recorded(tmp_path, "full").manifest)
    assert [names.name(0, 9), names.with_type(7, 9)] == ["agent on seat 9", "agent on seat 9"]
