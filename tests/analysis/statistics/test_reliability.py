"""Reliability of scales: hand-checked, a published example, and where there is none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from society.analysis.statistics import NotEstimable, cronbachs_alpha, mcdonalds_omega
from society.analysis.statistics.reliability import one_factor_loadings
from society.analysis.statistics.samples import Interval, Resampling
from society.engine.rng import Array

NAN = np.nan
FEW = Resampling(resamples=50)


def sample_of(covariances: Any, n: int = 40) -> Array:
    """Return a sample with exactly these covariances, (n, K)."""
    wanted = np.array(covariances, float)
    noise = np.random.default_rng(1).normal(size=(n, len(wanted)))
    noise -= noise.mean(0)
    white = noise @ np.linalg.inv(np.linalg.cholesky(np.cov(noise.T))).T
    exact: Array = white @ np.linalg.cholesky(wanted).T
    return exact


def test_alpha_of_two_items_by_hand() -> None:
    """Variances 1 and 1, covariance 1/2: alpha = 2 (1 - 2 / 3) = 2/3."""
    found = cronbachs_alpha(sample_of([[1, 0.5], [0.5, 1]]))
    assert found.value == pytest.approx(2 / 3)
    assert (found.items, found.respondents, found.dropped) == (2, 40, 0)


def test_items_that_are_all_the_same_have_an_alpha_of_one() -> None:
    one = np.arange(12.0)
    assert cronbachs_alpha(np.column_stack([one] * 4)).value == pytest.approx(1)


def test_alpha_of_a_published_example() -> None:
    """Five items, N = 10, alpha 0.633 (SPSS) by standard deviations and correlations.

    Source: Denis 2016, Applied Univariate, Bivariate, and Multivariate Statistics (Wiley), the item
    analysis by RELIABILITY. Correlations stand there with three decimals, hence the tolerance.
    """
    deviations = np.array([2.71006, 5.05085, 4.74810, 2.71621, 3.80058])
    correlations = np.array(
        [
            [1.000, 0.679, 0.351, 0.827, 0.022],
            [0.679, 1.000, 0.612, 0.743, -0.463],
            [0.351, 0.612, 1.000, 0.462, -0.129],
            [0.827, 0.743, 0.462, 1.000, -0.011],
            [0.022, -0.463, -0.129, -0.011, 1.000],
        ]
    )
    answers = sample_of(correlations * np.outer(deviations, deviations), n=10)
    assert cronbachs_alpha(answers).value == pytest.approx(0.633, abs=0.001)
    standardised = sample_of(correlations, n=10)
    assert cronbachs_alpha(standardised).value == pytest.approx(0.691, abs=0.001)


def test_omega_of_one_factor_by_hand() -> None:
    """Loadings 1, 2 and 3 and own variances 1, 4 and 4: 36 / (36 + 9)."""
    loading, own = np.array([1.0, 2, 3]), np.array([1.0, 4, 4])
    answers = sample_of(np.outer(loading, loading) + np.diag(own))
    assert mcdonalds_omega(answers, resampling=FEW).value == pytest.approx(0.8, abs=1e-6)
    assert cronbachs_alpha(answers).value < 0.8, "items that load unlike"


def test_omega_is_alpha_where_all_items_load_alike() -> None:
    answers = sample_of(np.full((4, 4), 0.5) + 0.5 * np.eye(4))
    assert mcdonalds_omega(answers, resampling=FEW).value == pytest.approx(
        cronbachs_alpha(answers).value
    )


def test_loadings_are_those_of_statsmodels() -> None:
    factor = pytest.importorskip("statsmodels.multivariate.factor")
    correlation = np.array(
        [[1, 0.5, 0.4, 0.3], [0.5, 1, 0.45, 0.2], [0.4, 0.45, 1, 0.35], [0.3, 0.2, 0.35, 1]]
    )
    theirs = factor.Factor(corr=correlation, n_factor=1, method="pa", smc=True).fit(
        maxiter=500, tol=1e-10
    )
    ours = one_factor_loadings(correlation[None])[0]
    np.testing.assert_allclose(np.abs(theirs.loadings[:, 0]), ours, atol=1e-5)


def test_who_has_left_out_an_item_is_dropped_and_counted() -> None:
    answers = sample_of([[1, 0.5], [0.5, 1]])
    found = cronbachs_alpha(np.vstack([answers, [[1, NAN], [NAN, NAN]]]))
    assert (found.respondents, found.dropped) == (40, 2)
    assert found.value == pytest.approx(2 / 3)


def test_intervals_draw_groups_of_respondents_anew() -> None:
    """Twins answer alike: twice as many respondents tell no more if they are one group."""
    answers = sample_of(np.full((3, 3), 0.5) + 0.5 * np.eye(3))
    alone = cronbachs_alpha(answers).interval
    twins = np.repeat(answers, 2, axis=0)
    together = cronbachs_alpha(twins, np.repeat(np.arange(40), 2)).interval
    apart = cronbachs_alpha(twins).interval
    assert isinstance(alone, Interval)
    assert isinstance(together, Interval)
    assert isinstance(apart, Interval)
    assert alone.low < 0.75 < alone.high
    assert together.high - together.low == pytest.approx(alone.high - alone.low, rel=0.1)
    assert apart.high - apart.low < 0.8 * (together.high - together.low)


@pytest.mark.thorough
def test_the_interval_of_alpha_holds_it_about_as_often_as_it_says() -> None:
    """Of 200 samples of 60 with alpha 0.75, 95 % intervals hold it in 90 to 98 %."""
    covariances = np.full((3, 3), 0.5) + 0.5 * np.eye(3)
    root, chance = np.linalg.cholesky(covariances), np.random.default_rng(3)
    few = Resampling(resamples=400)
    held = 0
    for _ in range(200):
        interval = cronbachs_alpha(chance.normal(size=(60, 3)) @ root.T, resampling=few).interval
        assert isinstance(interval, Interval)
        held += interval.low <= 0.75 <= interval.high
    assert 180 <= held <= 196


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (np.ones((20, 1)), "a scale of a single item has no alpha"),
        (np.ones((4, 3)), "4 respondents answered all items; alpha takes at least 10"),
        (np.ones((20, 3)), "the same answer to 3 items"),
        (np.ones(5), r"shape \(5,\)"),
    ],
)
def test_what_has_no_alpha_says_why(answers: Array, words: str) -> None:
    with pytest.raises(NotEstimable, match=words):
        cronbachs_alpha(answers)


def test_two_items_have_no_omega_and_few_groups_no_interval() -> None:
    answers = sample_of([[1, 0.5], [0.5, 1]])
    with pytest.raises(NotEstimable, match="a scale of 2 items has no omega"):
        mcdonalds_omega(answers)
    found = cronbachs_alpha(answers, np.repeat(np.arange(4), 10))
    assert "4 runs; a bootstrap of fewer than 10" in str(found.interval)
