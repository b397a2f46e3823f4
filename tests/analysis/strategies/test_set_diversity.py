"""Diversity of sets has the closed forms of two points, of isotropic clouds and of shifted ones."""

from __future__ import annotations

import numpy as np
import pytest

from society.analysis.statistics.samples import NotEstimable
from society.analysis.strategies.measured_behaviour import StrategySet
from society.analysis.strategies.set_diversity import (
    mean_pairwise_distance,
    nearest_to_centroid,
    normalised_distance,
    participation_ratio,
    set_shift,
    summarise_set,
    uniform_distance,
)
from society.engine.rng import generator

FEATURES = 961


def test_two_points_are_as_far_apart_as_pythagoras_says() -> None:
    assert mean_pairwise_distance(np.array([[0.0, 0, 0], [2, 3, 6]])) == 7


def test_three_points_average_over_three_pairs() -> None:
    corners = np.array([[0.0, 0], [3, 0], [0, 4]])
    assert mean_pairwise_distance(corners) == pytest.approx((3 + 4 + 5) / 3)


def test_uniform_vectors_are_as_far_apart_as_in_theory() -> None:
    """The mean of the squared distance is F / 6; the distance itself varies little."""
    assert uniform_distance(FEATURES) == pytest.approx(np.sqrt(FEATURES / 6), rel=0.003)


def test_uniform_vectors_are_seeded() -> None:
    assert uniform_distance(9, 1) == uniform_distance(9, 1) != uniform_distance(9, 2)


def test_uniform_strategies_have_a_normalised_distance_of_one() -> None:
    strategies = generator(5, "strategies").random((300, FEATURES))
    assert normalised_distance(strategies) == pytest.approx(1, abs=0.01)


def test_always_cooperate_and_always_defect_are_two_and_a_half_times_as_far_apart() -> None:
    both = np.stack([np.ones(FEATURES), np.zeros(FEATURES)])
    assert normalised_distance(both) == pytest.approx(31 / np.sqrt(FEATURES / 6), rel=0.003)


def test_a_single_strategy_has_no_distance() -> None:
    assert str(mean_pairwise_distance(np.ones((1, 4)))) == "one strategy has no distance to another"


@pytest.mark.parametrize("dimensions", [1, 3, 8])
def test_isotropic_strategies_fill_all_dimensions(dimensions: int) -> None:
    """The corners of a cross have the same variance along each axis."""
    cross = np.concatenate([np.eye(dimensions), -np.eye(dimensions)])
    assert participation_ratio(cross) == pytest.approx(dimensions)


def test_two_unequal_axes_count_for_less_than_two() -> None:
    """Variances of 4 and 1 give 25 / 17."""
    points = np.array([[2.0, 0], [-2, 0], [0, 1], [0, -1]])
    assert participation_ratio(points) == pytest.approx(25 / 17)


def test_strategies_that_behave_alike_have_no_dimension() -> None:
    assert str(participation_ratio(np.ones((3, 4)))) == "all strategies behave alike"


def test_shifted_clouds_have_the_effect_size_of_their_shift() -> None:
    """Variances of 1 in both features, and 3 between the centroids: d = 3 / sqrt(1 * 2)."""
    square = np.array([[1.0, 1], [1, -1], [-1, 1], [-1, -1]])
    shift = set_shift(square, square + np.array([3.0, 0]))
    assert shift.distance == pytest.approx(3)
    assert shift.effect == pytest.approx(3 / np.sqrt(2))


def test_variances_are_pooled_by_degrees_of_freedom() -> None:
    """Variances of 1 (three strategies too many by one) and 4: (3 * 1 + 1 * 4) / 4."""
    four, two = np.array([[1.0], [-1], [1], [-1]]), np.array([[7.0], [11]])
    assert set_shift(four, two).effect == pytest.approx(9 / np.sqrt(7 / 4))


def test_sets_without_variance_have_a_distance_and_no_effect_size() -> None:
    shift = set_shift(np.zeros((2, 4)), np.ones((3, 4)))
    assert shift.distance == 2
    assert isinstance(shift.effect, NotEstimable)


def test_the_typical_strategy_is_the_nearest_to_the_middle() -> None:
    assert nearest_to_centroid(np.array([[0.0], [0.4], [1.0]])) == 1


def test_a_summary_counts_strategies_and_distinct_behaviours() -> None:
    features = np.zeros((3, FEATURES))
    features[2] = 1
    found = summarise_set(StrategySet(["one", "same", "other"], features, []))
    assert (found.strategies, found.behaviours, found.typical) == (3, 2, "one")
    assert found.cooperation == pytest.approx(1 / 3)
    assert found.participation_ratio == pytest.approx(1)
