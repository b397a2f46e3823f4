"""Bands of means stay inside of what is possible, and few runs have none."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from society.analysis.statistics.bands import mean_band
from society.analysis.statistics.means import mean, share

SHARES = arrays(float, (6, 3), elements=st.floats(0, 1))


@given(SHARES)
def test_bands_of_shares_lie_between_0_and_1_around_their_mean(values: np.ndarray) -> None:
    band = mean_band(values, (0, 1))
    assert ((band.low >= 0) & (band.high <= 1)).all()
    assert ((band.low <= band.mean + 1e-9) & (band.high >= band.mean - 1e-9)).all()


def test_without_bounds_a_band_is_that_of_t() -> None:
    values = np.array([3.0, 5, 6, 8, 9])
    band, found = mean_band(values[:, None]), mean(values)
    assert (band.low[0], band.high[0]) == pytest.approx(found.interval[:2])


def test_a_band_is_cut_where_nothing_is_possible() -> None:
    """Of a stock that five of six runs have lost, the t interval would begin below zero."""
    values = np.array([[0.0], [0], [0], [0], [0], [30]])
    assert mean_band(values).low[0] < 0
    assert mean_band(values, (0, None)).low[0] == 0


def test_runs_that_are_all_or_nothing_have_the_interval_of_wilson() -> None:
    values = np.array([[1.0]] * 7 + [[0.0]] * 2)
    band, found = mean_band(values, (0, 1)), share(7, 9)
    assert (band.low[0], band.high[0]) == pytest.approx(found.interval[:2])


def test_fewer_than_five_runs_have_a_mean_and_no_band() -> None:
    values = np.array([[1.0, 1], [2, 2], [3, 3], [4, 4], [np.nan, 5]])
    band = mean_band(values)
    assert band.left.tolist() == [4, 5]
    assert band.mean.tolist() == [2.5, 3]
    assert np.isnan(band.low).tolist() == [True, False]


def test_a_bound_that_does_not_hold_hides_nothing() -> None:
    values = np.array([[0.5], [0.9], [1.1], [1.4], [1.6]])
    assert mean_band(values, (0, 1)).mean[0] == pytest.approx(1.1)
    assert mean_band(values, (0, 1)).high[0] < 2
