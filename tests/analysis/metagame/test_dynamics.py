"""Replicator dynamics: one step by hand, where it leads, and how it stays exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from society.analysis.metagame import replicator_dynamics
from society.engine.rng import Array
from society.errors import InputError

PRISONERS = np.array([[2.0, 0.0], [3.0, 1.0]])  # cooperators, defectors
PAYOFFS = st.integers(-3, 3).map(float)


def test_one_step_multiplies_shares_by_the_exponential_of_their_lead() -> None:
    """Half and half, cooperators score 1 and defectors 2; the average is 1.5."""
    grown = np.array([0.5 * np.exp(0.1 * (1 - 1.5)), 0.5 * np.exp(0.1 * (2 - 1.5))])
    step = replicator_dynamics(PRISONERS, steps=1)
    assert_allclose(step.history, [[0.5, 0.5], grown / grown.sum()], rtol=1e-15)


def test_defectors_take_over_and_their_fitness_is_what_they_leave() -> None:
    end = replicator_dynamics(PRISONERS)
    assert_allclose(end.population, [0, 1], atol=1e-40)
    assert_allclose(end.fitness, [0, 1], atol=1e-40)
    assert end.average == pytest.approx(1)
    assert end.history.shape == (1001, 2)


def test_with_three_seats_both_co_players_come_from_the_population() -> None:
    """Who is alone scores 6: of three equal types, i meets j and k, in either order, with 2/9."""
    alone = np.zeros((3, 3, 3))
    for i in range(3):
        j, k = {0, 1, 2} - {i}
        alone[i, j, k] = alone[i, k, j] = 6
    assert_allclose(replicator_dynamics(alone, steps=0).fitness, [6 * 2 / 9] * 3)


def test_a_type_that_all_but_died_out_comes_back() -> None:
    """C ruins A until C itself has died out; by then the share of A is far below 1e-308."""
    tensor = np.array([[0.0, 100.0, -10_000.0], [0.0, 0.0, 0.0], [-5.0, -5.0, -5.0]])
    shares = replicator_dynamics(tensor).history[:, 0]
    assert shares.min() == 0
    assert shares[-1] > 0.9


def test_shares_of_nothing_stay_nothing() -> None:
    end = replicator_dynamics(PRISONERS, start=np.array([1.0, 0.0]))
    assert_array_equal(end.population, [1, 0])
    assert_array_equal(end.fitness, [2, 3])


@given(tensor=arrays(float, (3, 3), elements=PAYOFFS), gift=PAYOFFS)
def test_what_all_types_gain_alike_changes_nothing(tensor: Array, gift: float) -> None:
    end = replicator_dynamics(tensor, steps=50)
    assert_allclose(replicator_dynamics(tensor + gift, steps=50).history, end.history, atol=1e-12)
    assert_allclose(end.history.sum(1), 1)


@given(tensor=arrays(float, (2, 2, 2), elements=PAYOFFS))
def test_populations_of_alike_seats_go_as_one_does(tensor: Array) -> None:
    alike = tensor + tensor.swapaxes(1, 2)  # whichever seat the co-players have
    seats = np.stack([alike, alike.swapaxes(0, 1), np.moveaxis(alike, 0, 2)])
    apart = replicator_dynamics(seats, by_seat=True, steps=20)
    pooled = replicator_dynamics(alike, steps=20)
    for seat in range(3):
        assert_allclose(apart.history[:, seat], pooled.history, atol=1e-12)
    assert_allclose(apart.average, [pooled.average] * 3, atol=1e-12)


def test_each_seat_may_have_a_type_of_its_own() -> None:
    """At seat 1 A scores 1 more, at seat 2 B does, whoever sits opposite."""
    seats = np.array([[[1.0, 1.0], [0.0, 0.0]], [[0.0, 1.0], [0.0, 1.0]]])
    end = replicator_dynamics(seats, by_seat=True)
    assert_allclose(end.population, [[1, 0], [0, 1]], atol=1e-40)
    assert_allclose(end.fitness, [[1, 0], [0, 1]], atol=1e-40)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match=r"shape \(2, 3\); give \(K, ..., K\), one axis a seat"):
        replicator_dynamics(np.zeros((2, 3)))
    with pytest.raises(InputError, match=r"shape \(3, 2, 2\); give \(n, K, ..., K\)"):
        replicator_dynamics(np.zeros((3, 2, 2)), by_seat=True)
    with pytest.raises(InputError, match="a payoff is not finite"):
        replicator_dynamics(np.array([[0.0, np.nan], [0.0, 0.0]]))
    with pytest.raises(InputError, match=r"start is \[0.5, 0.6\]; give shares"):
        replicator_dynamics(PRISONERS, start=np.array([0.5, 0.6]))
    with pytest.raises(InputError, match=r"start has the shape \(3,\); give a share per type"):
        replicator_dynamics(PRISONERS, start=np.ones(3) / 3)
    with pytest.raises(InputError, match="rate -1, steps 1000; give a rate above 0"):
        replicator_dynamics(PRISONERS, rate=-1)
