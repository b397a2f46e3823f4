"""Frames of tournaments: who was of which type, and facts of several entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from society.analysis.study import Study, open_run
from society.cli.main import main

GAME = """
scenario: public_goods
mechanisms: [contracts, tournament]
cohorts:
  - {name: capable, components: [mechanism_use, classic_strategies: {strategy: always_defect}]}
  - {name: stubborn, components: [mechanism_use: {skill: stubborn}, classic_strategies: {strategy:
  always_defect}]} """


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


TALK = """
scenario: prisoners_dilemma
mechanisms: [cheap_talk: {rounds: 2}, repetition: {games: 2}, tournament]
cohorts:
  - {name: spoken, components: [language_policy]}
  - {name: classic, components: [sanctions, classic_strategies: {strategy: tit_for_tat}]}
models: {default: offline}
"""


@pytest.fixture(scope="module")
def talked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run file of a tournament with talk: seats are taken by spoken-spoken first."""
    folder = tmp_path_factory.mktemp("talk")
    (folder / "talk.yaml").write_text(TALK)
    file: Path = folder / "talk.run"
    assert main(["run", str(folder / "talk.yaml"), "--quiet", "--out", str(file)]) == 0
    return file


def test_a_type_has_no_value_in_a_column_that_it_lacks(talked: Path) -> None:
    strategies = open_run(talked).agents.groupby("cohort", observed=True)["strategy"]
    assert strategies.count().tolist() == [0, 12]
    assert set(strategies.get_group("classic")) == {"tit_for_tat"}


def test_what_is_said_again_is_quoted_again(
    talked: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two promises before each of two games, by each of two players, in each of four matches."""
    quotes = open_run(talked).quotes
    classic = quotes[(quotes["replicate"] == 3) & (quotes["agent"] == 0)]
    assert classic["round"].tolist() == [1, 1, 2, 2]
    assert classic["text"].nunique() == 1
    assert len(quotes) == 2 * 2 * 2 * 4
    assert main(["replay", str(talked), "--plain", "--replicate", "3"]) == 0
    assert capsys.readouterr().out.count(" says ") == 2 * 2 * 2
