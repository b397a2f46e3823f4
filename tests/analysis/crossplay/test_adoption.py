"""Whose contracts and mediators were taken up, by ballot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society.analysis.crossplay import GameCell
from society.analysis.crossplay.adoption import adoption_rows
from society.analysis.study.condition import ConditionRun
from society.config.build import build
from society.config.run_config import load_config
from society.runs.session import Session

from .conftest import InCell

THREE = {"nice": "always_cooperate", "nasty": "always_defect", "tit": "tit_for_tat"}
ABLE: list[Any] = [
    {"classic_strategies": {"strategy": "always_cooperate"}},
    {"mechanism_use": {"skill": "capable"}},
]


def test_where_partners_change_the_winner_is_one_of_those_who_meet(in_cell: InCell) -> None:
    """It sits on the seat of the proposal: recounted match by match from the lines of the run."""
    cell = in_cell(
        "prisoners_dilemma", {"contracts": {}}, {"reputation": {"games": 4}}, types=THREE
    )
    found = adoption_rows(cell)
    met = 0
    made = cell.decisions
    for number, played in enumerate(np.unique(made.round), 1):
        now = made.round == played
        seats, proposers = made.seat[now], made.facts["contract_proposer"][now]
        for agent, other in enumerate(made.facts["opponents"][now, 0].tolist()):
            on_seat = {seats[one] + 1: one for one in (agent, other)}
            winner = cell.types[0, on_seat[proposers[agent]]]
            row = (found["ballot"] == number) & (found["agent"] == agent)
            assert found["winner"][row].tolist() == [cell.names[winner]]
            met += 1
    assert met == len(found["winner"]) == 4 * 6


def test_a_ballot_that_is_held_in_every_game_has_rows_of_its_own(in_cell: InCell) -> None:
    anew = in_cell("prisoners_dilemma", {"contracts": {}}, {"repetition": {"games": 3}})
    once = in_cell("prisoners_dilemma", {"repetition": {"games": 3}}, {"contracts": {}})
    assert np.unique(adoption_rows(anew)["ballot"], return_counts=True)[1].tolist() == [8, 8, 8]
    assert adoption_rows(once)["ballot"].tolist() == [1] * 8


@pytest.fixture(scope="module")
def chosen(tmp_path_factory: pytest.TempPathFactory) -> GameCell:
    """Some play under contracts, others under a mediator."""
    path: Path = tmp_path_factory.mktemp("institution_choice") / "one.run"
    said = {
        "cohorts": [{"name": "able", "count": 2, "components": [*ABLE, "sanctions"]}],
        "mechanisms": [{"institution_choice": {"options": ["contracts", "mediation"]}}],
        "replicates": 12,
    }
    end = Session.begun(build(load_config("prisoners_dilemma", said)), path).play()
    assert end.status == "finished", end.words
    return GameCell.read(ConditionRun.read(path, "one", {}))


def test_who_plays_under_other_rules_had_no_ballot(chosen: GameCell) -> None:
    """So each is there once: a capable player signs, or delegates, whatever is offered to it."""
    found = adoption_rows(chosen)
    assert set(found["mechanism"]) == {"contract", "mediator"}
    assert len(found["agent"]) == 12 * 2
    assert found["agreed"].tolist() == found["unanimous"].tolist() == [1] * 24
    assert set(found["winner"]) == {"able"}


def test_where_nothing_was_proposed_there_is_nothing_to_agree_to(in_cell: InCell) -> None:
    none = {"able": [None, None]}
    cell = in_cell("prisoners_dilemma", {"contracts": {"designs": none}}, types={"able": ABLE})
    found = adoption_rows(cell)
    assert found["winner"].tolist() == [None, None]
    assert np.isnan([found["agreed"], found["unanimous"], found["approvals"]]).all()
    assert found["active"].tolist() == [0, 0]
