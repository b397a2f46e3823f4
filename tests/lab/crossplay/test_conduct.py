"""How often what was done, and what had been seen before."""

from __future__ import annotations

import numpy as np
import pytest

from society.lab.crossplay import CrossPlay
from society.lab.crossplay.conduct import NOTHING_YET, Moves
from society.lab.study.tidy import Study

from .conftest import InCell, Tournament

TWO = {"tit": "tit_for_tat", "nasty": "always_defect"}
TIMES = {"repeated": {"games": 4}}


def test_tit_for_tat_does_what_its_co_player_did_last(in_cell: InCell) -> None:
    moves = Moves.of(in_cell("prisoners_dilemma", TIMES, types=TWO))
    after = dict(moves.of_type_after(0))
    assert after[NOTHING_YET].drawn == {"A0": 1, "A1": 0}
    assert after["A0"].drawn == {"A0": 1, "A1": 0}
    assert after["A1"].drawn == {"A0": 0, "A1": 1}
    # First games: 2 seats beside itself, 2 beside the other; then 3 games of each of these.
    assert [after[seen].n for seen in (NOTHING_YET, "A0", "A1")] == [4, 6, 6]


def test_what_is_submitted_and_what_is_drawn_are_two_things(in_cell: InCell) -> None:
    """A player by chance submits one half, and draws what it draws."""
    moves = Moves.of(in_cell("prisoners_dilemma", TIMES, types={"random": "random"}))
    often = moves.of_type(0)
    assert often.submitted == {"A0": 0.5, "A1": 0.5}
    assert often.n == 8
    assert often.drawn["A0"] * 8 == pytest.approx(round(often.drawn["A0"] * 8))


def test_of_several_co_players_the_order_does_not_matter(in_cell: InCell) -> None:
    types = {"nice": "always_cooperate", "nasty": "always_defect"}
    moves = Moves.of(in_cell("public_goods", {"repeated": {"games": 2}}, types=types))
    assert moves.contexts == [NOTHING_YET, "A0, A0", "A0, A1", "A1, A1"]
    # Every seat of the 8 matches has one second game; co-players are of each kind in 1, 2, 1 of 4.
    assert [often.n for _, often in moves.after()] == [24, 6, 12, 6]


def test_where_partners_change_their_last_action_counts_whomever_they_met(
    tournament: Tournament,
) -> None:
    """Recounted from the frame: the last action of an agent's opponent in the round before."""
    types = {"random": "random", "nasty": "always_defect"}
    run = tournament("prisoners_dilemma", {"reputed": {"games": 6}}, types=types)
    play = CrossPlay(Study("one", (run,)))
    (cell,) = play.cells
    expected: dict[str, int] = {}
    for before, now in zip(cell.rounds, cell.rounds[1:], strict=False):
        for agent, other in enumerate(now.facts["opponents"][0, :, 0].tolist()):
            if cell.types[0, agent] == 0:
                seen = f"A{before.action[0, other]}"
                expected[seen] = expected.get(seen, 0) + 1
    found = {seen: often.n for seen, often in Moves.of(cell).of_type_after(0)}
    assert found == {NOTHING_YET: 2, **expected}


def test_delegating_is_what_was_drawn_and_not_what_the_mediator_then_did(in_cell: InCell) -> None:
    able = [{"moves": {"strategy": "always_cooperate"}}, {"designs": {"skill": "capable"}}]
    cell = in_cell("prisoners_dilemma", {"mediated": {}}, types={"able": able})
    often = Moves.of(cell).of_type(0)
    assert often.drawn == {"A0": 0, "A1": 0, "delegate": 1}
    assert often.submitted["delegate"] == 1
    assert np.unique(cell.rounds[0].action).tolist() == [0], "the mediator cooperates for both"
