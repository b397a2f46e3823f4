"""A mean comes with its interval, or with the word that it has none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy import stats

from society.analysis.statistics import NotEstimable, Resampling, bootstrapped_mean, mean, share
from society.engine.rng import generator

pytestmark = pytest.mark.filterwarnings("error")
NAN = math.nan
SKEWED = [1.0, 1, 1, 2, 2, 2, 3, 5, 8, 30]


def test_four_runs_by_hand() -> None:
    """Mean 5, deviations -3 -1 1 3: variance 20/3, standard error sqrt(5/3), t(3) = 3.1824."""
    found = mean([2, 4, NAN, 6, 8])
    assert (found.mean, found.sd, found.se) == pytest.approx((5, (20 / 3) ** 0.5, (5 / 3) ** 0.5))
    reach = 3.182446305284263 * (5 / 3) ** 0.5
    assert found.interval == pytest.approx((5 - reach, 5 + reach, 0.95))
    assert (found.n, found.dropped) == (4, 1)


def test_a_higher_level_is_wider() -> None:
    assert mean(SKEWED, level=0.99).interval.low < mean(SKEWED).interval.low


def test_the_bootstrap_is_that_of_scipy() -> None:
    found = bootstrapped_mean(SKEWED, resampling=Resampling(level=0.9, resamples=999, seed=5))
    library = stats.bootstrap(
        (np.array(SKEWED),),
        np.mean,
        confidence_level=0.9,
        n_resamples=999,
        rng=generator(5, "lab bootstrap mean"),
    ).confidence_interval
    assert found.interval == pytest.approx((library.low, library.high, 0.9), abs=1e-8)
    assert (found.mean, found.se) == (mean(SKEWED).mean, mean(SKEWED).se)


@pytest.mark.parametrize("values", [[30 - one for one in SKEWED], [0.0] * 11 + [1.0], range(40)])
def test_the_bootstrap_is_that_of_scipy_for_other_shapes(values: ArrayLike) -> None:
    found = bootstrapped_mean(values, resampling=Resampling(resamples=1_999, seed=1)).interval
    library = stats.bootstrap(
        (np.array(values, float),),
        np.mean,
        n_resamples=1_999,
        rng=generator(1, "lab bootstrap mean"),
    ).confidence_interval
    assert found[:2] == pytest.approx((library.low, library.high), abs=1e-8)


def test_the_bootstrap_follows_the_skew() -> None:
    low, high, _ = bootstrapped_mean(SKEWED).interval
    assert high - np.mean(SKEWED) > 1.5 * (np.mean(SKEWED) - low)


def test_the_same_seed_gives_the_same_interval_whatever_the_other_replicates_miss() -> None:
    first, again = bootstrapped_mean(SKEWED), bootstrapped_mean([*SKEWED, NAN])
    assert first.interval == again.interval
    assert first.interval != bootstrapped_mean(SKEWED, resampling=Resampling(seed=1)).interval


def test_a_share_of_none_still_has_a_width() -> None:
    found = share(0, 10)
    assert (found.share, found.interval.low) == (0, 0)
    assert found.interval.high == pytest.approx(0.2775327998628892)  # z^2 / (n + z^2)
    assert share(0, 10, level=0.9).interval.high == pytest.approx(2.7055435 / 12.7055435)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([], ": 0 of at least 2 values"),
        ([7], ": 1 of at least 2 values"),
        ([NAN, NAN, NAN], r": 0 of at least 2 values \(3 more are missing\)"),
        ([60] * 5, "all 5 values are 60; without spread"),
        ([0.3, 0.1 + 0.2, 0.3], "all 3 values are 0.3; without spread"),
    ],
)
def test_no_interval_without_spread(values: ArrayLike, words: str) -> None:
    for estimated in (mean, bootstrapped_mean):
        with pytest.raises(NotEstimable, match=words):
            estimated(values)


def test_few_runs_are_not_resampled() -> None:
    with pytest.raises(NotEstimable, match="9 values: a bootstrap of fewer than 10 gives"):
        bootstrapped_mean([*SKEWED[1:], NAN])


def test_a_share_of_nothing_is_no_number() -> None:
    with pytest.raises(NotEstimable, match="a share of 0 replicates"):
        share(0, 0)
    with pytest.raises(ValueError, match="3 of 2 replicates; give a count from 0 to 2"):
        share(3, 2)
