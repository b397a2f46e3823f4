"""The Price equation: cases that can be checked by hand, and sums that are always exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from society.analysis.evolution import mutation_bias, split_change
from society.engine.rng import Array
from society.lineage import Descents

ALL_BORN = np.array([True, True])
EACH_ITSELF = Descents(np.array([0, 1]), np.array([0, 1]))
BOTH_OF_THE_SECOND = Descents(np.array([0, 1]), np.array([1, 1]))


def test_pure_selection_changes_the_mean_by_the_covariance() -> None:
    """Both children are like the second of their elders: Cov(w, z) / w = 0.5."""
    change = split_change(np.array([0.0, 1.0]), np.array([1.0, 1.0]), BOTH_OF_THE_SECOND, ALL_BORN)
    assert change == (0.5, 0.5, 0.0, 0.0, 0.0)


def test_without_selection_the_mean_changes_by_what_children_differ() -> None:
    change = split_change(np.array([0.0, 1.0]), np.array([0.5, 1.5]), EACH_ITSELF, ALL_BORN)
    assert change == (0.5, 0.0, 0.0, 0.5, 0.0)


def test_survivors_are_told_from_newborn_agents() -> None:
    newborn = np.array([False, True])
    change = split_change(np.array([0.0, 1.0]), np.array([0.5, 2.5]), EACH_ITSELF, newborn)
    assert change == (1.0, 0.0, 0.25, 0.75, 0.0)


def test_who_descends_from_nobody_has_entered() -> None:
    """The mean is 1 with the newcomer and 0.5 without."""
    heir = Descents(np.array([0, 0]), np.array([0, 1]))
    change = split_change(np.array([0.0, 1.0]), np.array([0.5, 1.5]), heir, ALL_BORN)
    assert change == (0.5, 0.0, 0.0, 0.0, 0.5)


def test_an_unknown_ancestor_leaves_its_share_to_the_others() -> None:
    heirs = Descents(np.array([0, 0, 1]), np.array([0, 1, 0]))
    change = split_change(np.array([np.nan, 1.0]), np.array([1.5, 4.5]), heirs, ALL_BORN)
    assert change == (2.0, 0.0, 0.0, 0.5, 1.5)


def test_who_has_no_phenotype_is_left_out() -> None:
    change = split_change(np.array([0.0, 1.0]), np.array([0.5, np.nan]), EACH_ITSELF, ALL_BORN)
    assert change == (0.0, -0.5, 0.0, 0.5, 0.0)


def test_without_any_descent_there_is_nothing_to_split() -> None:
    unknown = np.full(2, np.nan)
    assert all(np.isnan(split_change(unknown, np.ones(2), EACH_ITSELF, ALL_BORN)))


def test_bias_holds_no_selection() -> None:
    """Both are as their parent, who gives more than the other elder did."""
    copies = mutation_bias(np.array([0.0, 1.0]), np.array([1.0, 1.0]), BOTH_OF_THE_SECOND, ALL_BORN)
    assert copies == (1.0, 1.0, 0.0)


def test_bias_is_of_newborn_agents_alone() -> None:
    newborn = np.array([False, True])
    found = mutation_bias(np.array([0.0, 0.5]), np.array([0.75, 0.75]), EACH_ITSELF, newborn)
    assert found == (0.75, 0.5, 0.25)
    assert np.isnan(mutation_bias(np.zeros(2), np.ones(2), EACH_ITSELF, ~ALL_BORN)).all()


MOST = 8
VALUES = arrays(float, st.integers(1, MOST), elements=st.floats(0, 1) | st.just(np.nan))
FAMILIES = arrays(bool, (MOST, MOST))


@given(VALUES, VALUES, FAMILIES, arrays(bool, MOST))
def test_the_parts_always_add_up(before: Array, after: Array, drawn: Array, newborn: Array) -> None:
    children, elders = np.nonzero(drawn[: len(after), : len(before)])
    change, *parts = split_change(before, after, Descents(children, elders), newborn[: len(after)])
    if not np.isnan(change):
        assert sum(parts) == pytest.approx(change, abs=1e-12)
