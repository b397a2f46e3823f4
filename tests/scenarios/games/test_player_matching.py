"""What matches make of arrays, whoever sits where."""

from __future__ import annotations

import numpy as np
import pytest

from society.scenarios.games.player_matching import Matches, mean_over_agents

# Two replicates of two matches of three; in the second one the seats are mixed.
ROWS = np.array([[[0, 1, 2], [3, 4, 5]], [[3, 1, 5], [0, 4, 2]]])


@pytest.mark.parametrize("agents", [1, 2, 7, 8, 50])
def test_the_mean_over_agents_is_numpys(agents: int) -> None:
    values = np.random.default_rng(agents).random((20, agents))
    assert mean_over_agents(values).tolist() == (values.sum(1, keepdims=True) / agents).tolist()
    flags = values < 0.5
    assert mean_over_agents(flags).tolist() == flags.mean(1, keepdims=True).tolist()


def test_seats_and_partners_are_told_without_being_copied() -> None:
    """The keeper keeps what is read-only and owns its memory."""
    matches = Matches(np.array([[[0, 1]], [[0, 1]]]))
    for told in (matches.number, matches.partner):
        assert told.flags.owndata
        assert not told.flags.writeable
    assert matches.number.tolist() == [[1, 2], [1, 2]]
    assert matches.partner.tolist() == [[1, 0], [1, 0]]


def test_everybody_keeps_its_seat_and_meets_those_of_its_row() -> None:
    matches = Matches(ROWS)
    assert matches.seat.tolist() == [[0, 1, 2] * 2] * 2
    assert matches.opposite[1].tolist() == [[4, 2], [3, 5], [0, 4], [1, 5], [0, 2], [3, 1]]
