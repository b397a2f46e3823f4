"""Frames of tournaments: who was of which type, and facts of several entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from society.cli import main
from society.lab.study import Study, open_run

GAME = """
scenario: public_goods
mechanisms: [contracted, tournament]
cohorts:
  - {name: capable, components: [designs, moves: {strategy: always_defect}]}
  - {name: stubborn, components: [designs: {skill: stubborn}, moves: {strategy: always_defect}]}
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("tournament")
    (folder / "game.yaml").write_text(GAME)
    file: Path = folder / "game.run"
    assert main(["run", str(folder / "game.yaml"), "--quiet", "--out", str(file)]) == 0
    return open_run(file)


def test_an_agent_is_of_the_type_that_sits_there_in_its_match(played: Study) -> None:
    first = played.agents[played.agents["round"] == 1]
    seated = first.groupby("replicate")["cohort"].agg("-".join).tolist()
    assert seated[0] == "capable-capable-capable"
    assert seated[1] == "capable-capable-stubborn"
    assert seated[7] == "stubborn-stubborn-stubborn"


def test_entries_of_a_fact_are_numbered(played: Study) -> None:
    agents = played.agents
    one = agents[(agents["replicate"] == 1) & (agents["round"] == 1)]
    assert one["others 1"].tolist() == [1, 1, 1]
    assert one["others 2"].tolist() == [1, 1, 1]
    names = set(played.events["name"])
    assert {"contract_proposals 1 1", "contract_proposals 3 2"} <= names
