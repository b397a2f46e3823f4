"""Evolutionary stability: classic games of two players, and one that only third players decide."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from society.analysis.metagame import (
    evolutionarily_stable,
    normalise_payoffs,
    resistance_matrix,
    standard_error,
)
from society.analysis.statistics import NotEstimable
from society.errors import InputError


def test_defectors_keep_cooperators_out() -> None:
    assert_array_equal(
        resistance_matrix(np.array([[2.0, 0.0], [3.0, 1.0]])), [[True, False], [True, True]]
    )


def test_both_conventions_are_stable() -> None:
    assert_array_equal(evolutionarily_stable(np.array([[5.0, 0.0], [3.0, 3.0]])), [True, True])


def test_neither_hawks_nor_doves_are() -> None:
    assert_array_equal(evolutionarily_stable(np.array([[-1.0, 4.0], [0.0, 2.0]])), [False, False])


def test_a_tie_among_residents_is_decided_by_those_who_meet_a_mutant() -> None:
    """A and B both score 1 against A; against B it is A who scores more, or B, or neither."""
    assert evolutionarily_stable(np.array([[1.0, 2.0], [1.0, 0.0]]))[0]
    assert not evolutionarily_stable(np.array([[1.0, 0.0], [1.0, 2.0]]))[0]
    assert not evolutionarily_stable(np.array([[1.0, 2.0], [1.0, 2.0]]))[0]


def test_with_three_seats_a_tie_is_decided_by_meeting_one_mutant_before_two() -> None:
    tensor = np.ones((2, 2, 2))
    tensor[0, 0, 1] = tensor[0, 1, 0] = 1.5  # A scores more with one mutant B
    tensor[0, 1, 1] = -9  # and much less with two
    assert_array_equal(resistance_matrix(tensor)[0], [True, True])


def test_shares_of_seats_are_no_population() -> None:
    with pytest.raises(InputError, match="one axis a seat"):
        resistance_matrix(np.zeros((2, 3, 3)))


def test_payoffs_are_scaled_from_equilibrium_to_cooperation() -> None:
    """The traveller's dilemma: claims of 2 at equilibrium, and 5 in cooperation."""
    assert_array_equal(normalise_payoffs([2, 3.5, 5, 0.5], 2, 5), [0, 0.5, 1, -0.5])
    with pytest.raises(NotEstimable, match="cooperation pays 0 and the equilibrium 0"):
        normalise_payoffs([1.0], equilibrium=0, cooperation=0)


def test_standard_errors_leave_out_what_is_missing() -> None:
    table = np.array([[1.0, 4.0, 7.0], [2.0, 4.0, np.nan], [3.0, 4.0, np.nan]])
    assert_allclose(standard_error(table), [1 / np.sqrt(3), 0, np.nan])
    assert_allclose(standard_error(table[:, :2], axis=1), [1.5, 1, 0.5])
