"""The Price equation: cases that can be checked by hand, and sums that are always exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from society.draws import Array
from society.lab.evolution import price

NOBODY_STAYS = np.array([False, False])


def test_pure_selection_changes_the_mean_by_the_covariance() -> None:
    """Both children are like the second of their elders: Cov(w, z) / w = 0.5."""
    heirs = np.array([[0, 1], [0, 1]])
    change = price(np.array([0.0, 1.0]), np.array([1.0, 1.0]), heirs, NOBODY_STAYS)
    assert change == (0.5, 0.5, 0.0, 0.0, 0.0)


def test_without_selection_the_mean_changes_by_what_children_differ() -> None:
    change = price(np.array([0.0, 1.0]), np.array([0.5, 1.5]), np.eye(2), NOBODY_STAYS)
    assert change == (0.5, 0.0, 0.0, 0.5, 0.0)


def test_survivors_are_told_from_newborn_agents() -> None:
    stayed = np.array([True, False])
    change = price(np.array([0.0, 1.0]), np.array([0.5, 2.5]), np.eye(2), stayed)
    assert change == (1.0, 0.0, 0.25, 0.75, 0.0)


def test_who_descends_from_nobody_has_entered() -> None:
    """The mean is 1 with the newcomer and 0.5 without."""
    heirs = np.array([[0.5, 0.5], [0, 0]])
    change = price(np.array([0.0, 1.0]), np.array([0.5, 1.5]), heirs, NOBODY_STAYS)
    assert change == (0.5, 0.0, 0.0, 0.0, 0.5)


def test_an_unknown_ancestor_leaves_its_share_to_the_others() -> None:
    heirs = np.array([[0.5, 0.5], [1, 0]])
    change = price(np.array([np.nan, 1.0]), np.array([1.5, 4.5]), heirs, NOBODY_STAYS)
    assert change == (2.0, 0.0, 0.0, 0.5, 1.5)


def test_who_has_no_phenotype_is_left_out() -> None:
    change = price(np.array([0.0, 1.0]), np.array([0.5, np.nan]), np.eye(2), NOBODY_STAYS)
    assert change == (0.0, -0.5, 0.0, 0.5, 0.0)


def test_without_any_descent_there_is_nothing_to_split() -> None:
    unknown = np.full(2, np.nan)
    assert all(np.isnan(price(unknown, np.ones(2), np.eye(2), NOBODY_STAYS)))


MOST = 8
VALUES = arrays(float, st.integers(1, MOST), elements=st.floats(0, 1) | st.just(np.nan))
CHANCES = arrays(float, (MOST, MOST), elements=st.floats(0, 1))


@given(VALUES, VALUES, CHANCES, arrays(bool, MOST))
def test_the_parts_always_add_up(before: Array, after: Array, drawn: Array, stayed: Array) -> None:
    shares = drawn[: len(after), : len(before)]
    total = shares.sum(1, keepdims=True)
    ancestry = np.divide(shares, total, out=np.zeros_like(shares), where=total > 1e-3)
    change, *parts = price(before, after, ancestry, stayed[: len(after)])
    if not np.isnan(change):
        assert sum(parts) == pytest.approx(change, abs=1e-12)
