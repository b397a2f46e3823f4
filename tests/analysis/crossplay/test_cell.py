"""Cells: who sat where, and what everybody scored."""

from __future__ import annotations

import numpy as np
import pytest

from society.analysis.crossplay import GameCell
from society.errors import InputError

from .conftest import InCell, Tournament


def test_a_match_is_a_replicate_and_types_sit_on_all_seats(in_cell: InCell) -> None:
    cell = in_cell()
    assert cell.names == ("nice", "nasty")
    assert cell.types.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert cell.scores.tolist() == [[2, 2], [0, 3], [3, 0], [1, 1]]
    assert cell.opposed(1, 0) == ["nasty"]


def test_scores_weigh_games_by_the_continuation_probability(in_cell: InCell) -> None:
    """Tit for tat loses the first game to a defector, of weight 1 - d = 0.2."""
    types = {"tit": "tit_for_tat", "nasty": "always_defect"}
    cell = in_cell(
        "prisoners_dilemma", {"repetition": {"games": 3, "continuation": 0.8}}, types=types
    )
    assert cell.scores[1] == pytest.approx([0.8, 0.2 * 3 + 0.8])
    assert cell.continuation == 0.8


def test_repetitions_are_the_same_matches_again(in_cell: InCell) -> None:
    cell = in_cell(repetitions=3)
    assert cell.repetition.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert (cell.types[:4] == cell.types[8:]).all()


def test_where_partners_change_a_replicate_is_a_population(in_cell: InCell) -> None:
    cell = in_cell("prisoners_dilemma", {"reputation": {"games": 2}}, repetitions=2)
    assert cell.matches == 2
    assert cell.types.tolist() == [[0, 0, 1, 1]] * 2
    assert cell.seats.tolist() == [[0, 1, 0, 1]] * 2
    assert cell.repetition.tolist() == [0, 1]


def test_types_on_asymmetric_seats_are_paid_by_seat(in_cell: InCell) -> None:
    """In trust, whoever gives to one who keeps gets nothing, and the other one 20."""
    cell = in_cell("trust")
    assert cell.scores.tolist() == [[10, 10], [0, 20], [6, 2], [4, 4]]


@pytest.mark.parametrize(
    "stack",
    [
        ["baseline"],
        ["peer_punishment"],
        ["peer_reward"],
        ["leadership"],
        ["correlation_device"],
        ["contracts", "repetition"],
        ["mediation", "contracts"],
        ["reputation"],
    ],
    ids=" in ".join,
)
def test_scores_are_what_the_run_measures_as_payoff(
    stack: list[str], tournament: Tournament
) -> None:
    """Whatever mechanisms add to it, in each replicate of a game whose seats differ."""
    types = {"nice": "always_cooperate", "nasty": "always_defect", "random": "random"}
    run = tournament("trust", *({name: {}} for name in stack), types=types)
    with run.opened() as file:
        payoff = file.outcome().values["payoff"]
    assert GameCell.read(run).scores.mean(1) == pytest.approx(payoff)


def test_scores_of_each_seat_are_what_it_was_told_in_each_game(tournament: Tournament) -> None:
    """Recounted from the lines of the run: the weight times the payoff, seat by seat."""
    types = {"nice": "always_cooperate", "nasty": "always_defect", "random": "random"}
    games = {"repetition": {"games": 3, "continuation": 0.5}}
    run = tournament("trust", {"peer_punishment": {}}, games, types=types)
    with run.opened() as file:
        told = [step for page in file.pages() for step in page.steps if step.kind == "played"]
    earned = [step.arrays["common", "weight"] * step.arrays["own", "payoff"] for step in told]
    scores = GameCell.read(run).scores
    assert len(told) == 3
    assert scores == pytest.approx(np.sum(earned, axis=0))
    assert not np.allclose(scores[:, 0], scores[:, 1]), "seats are told apart"


def test_match_ups_are_in_order_of_seat(in_cell: InCell) -> None:
    found = in_cell().matchups(np.array([False, True, True, False]))
    assert found.types == ("nice", "nasty")
    assert found.seats.tolist() == [[0, 1], [1, 0]]
    assert found.payoffs.tolist() == [[0, 3], [3, 0]]


def test_level_summary_does_not_keep_who_earned_what(tournament: Tournament) -> None:
    with pytest.raises(InputError, match=r"`society run --record full`, level='full'"):
        GameCell.read(tournament(level="summary"))


def test_other_scenarios_are_refused(tournament: Tournament) -> None:
    run = tournament()
    other = run.manifest.model_copy(update={"game": None, "scenario": "lake"})
    with pytest.raises(InputError, match="is of lake, no game in normal form"):
        GameCell.read(type(run)(**{**vars(run), "manifest": other}))
