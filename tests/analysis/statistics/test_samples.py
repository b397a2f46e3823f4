"""A sample is what there is of one value per replicate; what it cannot tell, it says in words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from society.analysis.statistics.samples import NotEstimable, has_spread, pairs, sample, samples

NAN = math.nan


def test_replicates_without_a_value_are_left_out_and_counted() -> None:
    found = sample([3, NAN, 5, NAN])
    assert found.values.tolist() == [3, 5]
    assert found.dropped == 2


def test_a_pair_is_left_out_if_either_misses() -> None:
    found = pairs([1, NAN, 3, 4], [5, 6, NAN, 8])
    assert (found.first.tolist(), found.second.tolist(), found.dropped) == ([1, 4], [5, 8], 2)


def test_too_few_values_are_said_with_those_that_are_missing() -> None:
    with pytest.raises(NotEstimable, match=r"lake=harsh: 1 of at least 2 values \(2 more are"):
        sample([3, NAN, NAN], of="lake=harsh")


def test_an_infinite_value_has_no_mean() -> None:
    with pytest.raises(NotEstimable, match="infinite"):
        sample([3, math.inf])


def test_values_by_round_are_no_sample() -> None:
    with pytest.raises(ValueError, match=r"shape \(2, 3\); give one value per replicate"):
        sample(np.zeros((2, 3)))


def test_conditions_of_different_size_make_no_pairs() -> None:
    with pytest.raises(NotEstimable, match="2 and 3 replicates make no pairs"):
        pairs([1, 2], [1, 2, 3])


def test_one_group_compares_with_nothing() -> None:
    with pytest.raises(NotEstimable, match="1 group to compare; at least 2"):
        samples({"only": [1, 2]})


def test_the_rounding_of_last_bits_is_no_spread() -> None:
    assert not has_spread(np.array([0.3, 0.1 + 0.2]))
    assert not has_spread(np.zeros(3))
    assert has_spread(np.array([0.3, 0.3001]))
    assert not has_spread(np.array([0.0, 0.1 + 0.2 - 0.3]), largest=0.3)
