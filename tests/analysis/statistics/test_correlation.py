"""Slopes and correlations of runs, against numbers that are known."""

from __future__ import annotations

import numpy as np
import pytest

from society.analysis.evolution import correlation, slope
from society.analysis.evolution.generation_tables import mean_distance
from society.analysis.statistics import NotEstimable


def test_the_slope_of_a_line_is_its_slope_whatever_is_missing() -> None:
    assert slope([1, 2, 3, 4], [0.1, 0.3, 0.5, 0.7]) == pytest.approx(0.2)
    assert slope([1, 2, 3, 4], [0.1, np.nan, np.nan, 0.7]) == pytest.approx(0.2)


@pytest.mark.parametrize("values", [[], [0.5], [0.5, np.nan]])
def test_one_value_has_no_slope(values: list[float]) -> None:
    assert np.isnan(slope(range(len(values)), values))


def test_fishers_interval_of_pearsons_r() -> None:
    """r = 0.8 of 5: tanh(artanh 0.8 -+ 1.96 / sqrt 2) = -0.280, 0.986."""
    found = correlation([1, 2, 3, 4, 5], [1, 3, 2, 5, 4])
    assert found.pearson == pytest.approx(0.8)
    assert (found.n, found.dropped) == (5, 0)
    assert found.pearson_interval[:2] == pytest.approx((-0.2797, 0.9862), abs=1e-4)


def test_spearmans_interval_is_wider() -> None:
    """Ranks are the values: r = 0.8, and the deviation is sqrt(1.32 / 2)."""
    found = correlation([1, 2, 3, 4, 5], [1, 3, 2, 5, 4])
    assert found.spearman == pytest.approx(0.8)
    assert found.spearman_interval[:2] == pytest.approx((-0.4571, 0.9908), abs=1e-4)


def test_a_perfect_correlation_has_an_interval_of_no_width() -> None:
    found = correlation([1, 2, 3, np.nan, 4, 5], [1, 4, 9, 16, 16, 25])
    assert found.spearman == pytest.approx(1)
    assert found.dropped == 1


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [([1, 2, 3], [3, 1, 2], "3 of at least 4"), ([1, 2, 3, 4], [1, 1, 1, 1], "same in all runs")],
)
def test_too_few_runs_and_equal_ones_tell_nothing(
    first: list[float], second: list[float], why: str
) -> None:
    with pytest.raises(NotEstimable, match=why):
        correlation(first, second)


def test_equal_strategies_are_at_no_distance_and_wordless_ones_nowhere() -> None:
    vectors = np.array([[0.6, 0.8], [0.6, 0.8], [0.0, 0.0]], np.float32)
    assert mean_distance(vectors) == pytest.approx(0, abs=1e-15)
    assert np.isnan(mean_distance(vectors[1:]))


def test_each_run_has_a_slope_of_its_own() -> None:
    values = [[1, 2, np.nan], [2, np.nan, 0], [np.nan, 5, np.nan]]
    assert slope([1, 2, 3], values) == pytest.approx([1, -1, np.nan], nan_ok=True)
