"""Selection between groups and within them add up to selection, and have signs that one expects."""

from __future__ import annotations

import numpy as np
import pytest

from society.analysis.strategies.group_selection import split_selection
from society.engine.rng import generator

GROUPS = np.array([[0, 1, 0, 1, 2, 2, 3, 3]])


def test_both_parts_are_the_covariance_of_points_and_cooperation() -> None:
    draws = generator(3, "points")
    points, cooperation = draws.random((2, 1, 8))
    found = split_selection(points, cooperation, GROUPS)
    whole = np.cov(points[0], cooperation[0], bias=True)[0, 1] / points.mean()
    assert found.between + found.within == pytest.approx([whole])


def test_defectors_gain_within_groups() -> None:
    """Each group has a cooperator with 1 point and a defector with 2."""
    cooperation = np.array([[1, 1, 0, 0, 1, 0, 1, 0.0]])
    found = split_selection(2 - cooperation, cooperation, GROUPS)
    assert found.between == pytest.approx([0])
    assert found.within == pytest.approx([-0.25 / 1.5])


def test_cooperative_groups_gain_over_others() -> None:
    cooperation = np.array([[1, 0, 1, 0, 1, 1, 0, 0.0]])
    found = split_selection(1 + cooperation, cooperation, GROUPS)
    assert found.between == pytest.approx([0.25 / 1.5])
    assert found.within == pytest.approx([0])


def test_nobody_who_has_anything_gives_no_selection() -> None:
    found = split_selection(np.zeros((1, 8)), np.ones((1, 8)), GROUPS)
    assert [*found.between, *found.within] == [0, 0]
