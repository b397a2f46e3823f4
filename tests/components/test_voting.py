"""Taking part in collective choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from society.agent import Members
from society.components.norm_belief import NormBelief
from society.components.voting import Voting
from society.replies import Amount, Choice

if TYPE_CHECKING:
    from tests.components.conftest import Answer


class Believing(NormBelief):
    """Beliefs of 1, 5 and 9."""

    def begin(self, me: Members) -> None:
        me["belief"] = 4.0 * me.audience.rows.seat + 1


def test_everybody_proposes_its_own_belief(answer: Answer) -> None:
    assert answer("propose", Amount(0, 99), Believing(), Voting()).tolist() == [[1, 5, 9]]


def test_everybody_votes_for_what_lies_nearest_to_its_belief(answer: Answer) -> None:
    options = np.array([[2.0, 6.0, 8.0]])
    assert answer("vote", Choice(options=options), Believing(), Voting()).tolist() == [[0, 1, 2]]


def test_of_two_options_equally_near_the_first_is_chosen(answer: Answer) -> None:
    options = np.array([[3.0, 7.0]])
    assert answer("vote", Choice(options=options), Believing(), Voting()).tolist() == [[0, 0, 1]]


def test_options_that_are_not_open_are_passed_over(answer: Answer) -> None:
    options = np.array([[np.nan, 7.0, np.nan]])
    assert answer("vote", Choice(options=options), Believing(), Voting()).tolist() == [[1, 1, 1]]
