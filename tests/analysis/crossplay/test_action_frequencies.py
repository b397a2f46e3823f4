"""How often what was done, and what had been seen before."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from society.analysis.crossplay import CrossPlay
from society.analysis.crossplay.action_frequencies import NOTHING_YET, MoveTable
from society.analysis.study.condition import ConditionRun
from society.analysis.study.study import Study
from society.config.build import build
from society.config.run_config import load_config
from society.runs.session import Session

from .conftest import InCell, Tournament

TWO = {"tit": "tit_for_tat", "nasty": "always_defect"}
TIMES = {"repetition": {"games": 4}}


def test_tit_for_tat_does_what_its_co_player_did_last(in_cell: InCell) -> None:
    moves = MoveTable.of(in_cell("prisoners_dilemma", TIMES, types=TWO))
    after = dict(moves.of_type_after(0))
    assert after[NOTHING_YET].drawn == {"A0": 1, "A1": 0}
    assert after["A0"].drawn == {"A0": 1, "A1": 0}
    assert after["A1"].drawn == {"A0": 0, "A1": 1}
    # First games: 2 seats beside itself, 2 beside the other; then 3 games of each of these.
    assert [after[seen].n for seen in (NOTHING_YET, "A0", "A1")] == [4, 6, 6]


def test_what_is_submitted_and_what_is_drawn_are_two_things(tournament: Tournament) -> None:
    """A player by chance submits one half, and draws what the frame says that it did."""
    times = {"repetition": {"games": 5}}
    run = tournament("prisoners_dilemma", times, types={"random": "random"}, seed=2)
    play = CrossPlay(Study("one", (run,)))
    often = MoveTable.of(*play.cells).of_type(0)
    assert often.submitted == {"A0": 0.5, "A1": 0.5}
    assert often.n == 10
    gave = int((play.decisions["action"] == "A0").sum())
    assert often.drawn == {"A0": gave / 10, "A1": 1 - gave / 10}
    assert gave != 5, "else it could be what was submitted: take another seed"


def test_of_several_co_players_the_order_does_not_matter(in_cell: InCell) -> None:
    types = {"nice": "always_cooperate", "nasty": "always_defect"}
    moves = MoveTable.of(in_cell("public_goods", {"repetition": {"games": 2}}, types=types))
    assert moves.contexts == [NOTHING_YET, "A0, A0", "A0, A1", "A1, A1"]
    # Every seat of the 8 matches has one second game; co-players are of each kind in 1, 2, 1 of 4.
    assert [often.n for _, often in moves.after()] == [24, 6, 12, 6]


def test_where_partners_change_their_last_action_counts_whomever_they_met(
    tournament: Tournament,
) -> None:
    """Recounted from the frame: the last action of an agent's opponent in the round before."""
    types = {"random": "random", "nasty": "always_defect"}
    run = tournament("prisoners_dilemma", {"reputation": {"games": 6}}, types=types)
    play = CrossPlay(Study("one", (run,)))
    (cell,) = play.cells
    expected: dict[str, int] = {}
    made = cell.decisions
    games = [
        np.flatnonzero((made.replicate == 0) & (made.round == number)) for number in range(1, 7)
    ]
    for before, now in pairwise(games):
        for agent, other in enumerate(made.facts["opponents"][now, 0].tolist()):
            if cell.types[0, agent] == 0:
                seen = f"A{made.action[before][other]}"
                expected[seen] = expected.get(seen, 0) + 1
    found = {seen: often.n for seen, often in MoveTable.of(cell).of_type_after(0)}
    assert found == {NOTHING_YET: 2, **expected}


@pytest.mark.parametrize("by", ["vote", "feet"])
def test_moves_under_each_of_several_rules_are_there_once(by: str, tmp_path: Path) -> None:
    """Options are played one after the other, and told of together."""
    types = [
        {
            "name": name,
            "count": count,
            "components": [{"classic_strategies": {"strategy": name}}, "sanctions"],
        }
        for name, count in (("random", 2), ("always_cooperate", 1))
    ]
    rules = {"institution_choice": {"options": ["baseline", "peer_punishment"], "by": by}}
    said = {"cohorts": types, "mechanisms": [rules], "replicates": 9}
    end = Session.begun(build(load_config("public_goods", said)), tmp_path / "one.run").play()
    assert end.status == "finished"
    run = ConditionRun.read(tmp_path / "one.run", "one", {})
    play = CrossPlay(Study("one", (run,)))
    frame, often = play.decisions, MoveTable.of(*play.cells).in_all
    assert often.n == len(frame) == 3 * 9
    assert frame["p_A0"].isna().sum() == 0
    assert often.submitted["A0"] == pytest.approx(2 / 3), "two of three give half of the time"
    assert often.drawn["A0"] == (frame["action"] == "A0").mean()


def test_delegating_is_what_was_drawn_and_not_what_the_mediator_then_did(in_cell: InCell) -> None:
    able = [
        {"classic_strategies": {"strategy": "always_cooperate"}},
        {"mechanism_use": {"skill": "capable"}},
    ]
    cell = in_cell("prisoners_dilemma", {"mediation": {}}, types={"able": able})
    often = MoveTable.of(cell).of_type(0)
    assert often.drawn == {"A0": 0, "A1": 0, "delegate": 1}
    assert often.submitted["delegate"] == 1
    assert np.unique(cell.decisions.action).tolist() == [0], "the mediator cooperates for both"
