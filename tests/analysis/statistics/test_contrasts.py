"""Two conditions: the tests are those of scipy, and stay words where there is no spread."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats

from society.analysis.statistics import (
    NotEstimable,
    effect,
    paired,
    part_against_whole,
    student,
    welch,
)
from society.engine.rng import Array, generator

pytestmark = pytest.mark.filterwarnings("error")
NAN = math.nan
SHORT = [3.0, 4, 8, 9, NAN, 11]
LONG = [5.0, 12, 9, 14, 10, 21]

many = st.lists(st.floats(-100, 100).map(lambda value: round(value, 3)), min_size=3, max_size=12)


def ungapped(values: list[float]) -> Array:
    return np.array([value for value in values if value == value])


@pytest.mark.parametrize(("test", "equal"), [(student, True), (welch, False)])
def test_two_samples_as_scipy_compares_them(test: Callable[..., Any], equal: bool) -> None:
    found = test(SHORT, LONG, level=0.9)
    library = stats.ttest_ind(ungapped(SHORT), LONG, equal_var=equal)
    assert (found.t, found.df, found.p) == pytest.approx(
        (library.statistic, library.df, library.pvalue), abs=1e-8
    )
    limits = library.confidence_interval(0.9)
    assert found.interval == pytest.approx((limits.low, limits.high, 0.9), abs=1e-8)
    assert found.difference == pytest.approx(7 - 71 / 6)
    assert (found.n, found.dropped) == ((5, 6), (1, 0))


def test_pairs_as_scipy_compares_them() -> None:
    found = paired(SHORT, LONG, level=0.9)
    kept = np.array([True, True, True, True, False, True])
    library = stats.ttest_rel(np.array(SHORT)[kept], np.array(LONG)[kept])
    assert (found.t, found.df, found.p) == pytest.approx(
        (library.statistic, library.df, library.pvalue), abs=1e-8
    )
    limits = library.confidence_interval(0.9)
    assert found.interval == pytest.approx((limits.low, limits.high, 0.9), abs=1e-8)
    assert (found.n, found.dropped) == (5, 1)


def test_two_pairs_by_hand() -> None:
    """Differences 1 and 3: mean 2, sd sqrt(2), t = 2 / 1; variances 2 and 8 against 2."""
    found = paired([2, 6], [1, 3])
    assert (found.difference, found.t, found.df) == pytest.approx((2, 2, 1))
    assert found.d_z == pytest.approx(2**0.5)
    assert (found.correlation, found.variance_reduction) == pytest.approx((1, (8 + 2) / 2))


def test_pairs_of_correlation_rho_take_a_share_of_one_less_rho_of_the_variance() -> None:
    """Var(x - y) = 2 (1 - rho) s^2, against 2 s^2 for independent runs of the same spread."""
    luck, own = stats.zscore(generator(1, "test pairs").normal(size=(2, 40)), axis=-1)
    own -= luck * (luck @ own) / 40  # uncorrelated, exactly
    own /= own.std()
    found = paired(luck, 0.8 * luck + 0.6 * own)
    assert found.correlation == pytest.approx(0.8)
    assert found.variance_reduction == pytest.approx(1 / (1 - 0.8))


def test_a_condition_in_which_all_live_to_the_horizon_can_be_compared() -> None:
    found = paired([60, 60, 60], [10, 20, 30])
    assert (found.difference, found.correlation) == (40, None)
    assert welch([60, 60, 60], [10, 20, 30]).df == pytest.approx(2)


def test_a_part_against_the_whole_has_the_degrees_of_freedom_of_the_village_paper() -> None:
    """180 of 720 runs: t(898); 60 of 180 runs: t(238) (Gupta et al. 2026, section 4.2.5)."""
    times = generator(2, "test part").normal(20, 10, size=720)
    assert part_against_whole(times[:180], times[180:]).df == 898
    assert part_against_whole(times[:60], times[60:180]).df == 238
    found = part_against_whole(times[:180], times[180:])
    assert found.t == pytest.approx(stats.ttest_ind(times[:180], times).statistic, abs=1e-8)
    assert (found.test, found.n) == ("Student, part against whole", (180, 720))


def test_a_part_differs_less_from_the_whole_than_from_the_rest() -> None:
    found, apart = part_against_whole([1, 2, 3], [7, 8, 9]), welch([1, 2, 3], [7, 8, 9])
    assert (found.difference, apart.difference) == (-3, -6)


def test_an_effect_by_hand() -> None:
    """Means 2 apart, both variances 4/3, eight runs: d = sqrt(3), g = d (1 - 3 / 23), and
    Var(g) = 1/4 + 1/4 + g^2 / (2 (8 - 3.94)) (Hedges and Olkin 1985; z = 1.6449 of 90 %).
    """
    found = effect([2, 2, 4, 4], [0, 0, 2, 2], level=0.9)
    g = 3**0.5 * 20 / 23
    assert (found.d, found.g) == pytest.approx((3**0.5, g))
    reach = 1.6448536 * (0.5 + g**2 / 8.12) ** 0.5
    assert found.interval == pytest.approx((g - reach, g + reach, 0.9))
    assert welch([2, 2, 4, 4], [0, 0, 2, 2], level=0.9).effect == found


def test_an_effect_of_three_runs_has_no_interval() -> None:
    """By the large-sample variance 95 % intervals would hold it in 98 % of cases."""
    found = effect([2, 3, 4], [0, 1, 2, 1])
    assert found.d == pytest.approx(2 / 0.8**0.5)
    assert found.interval is None


@given(first=many, second=many)
def test_swapping_two_conditions_turns_every_sign(first: list[float], second: list[float]) -> None:
    try:
        there, back = welch(first, second), welch(second, first)
    except NotEstimable:
        return
    assert (there.difference, there.t, there.effect.g) == pytest.approx(
        (-back.difference, -back.t, -back.effect.g), abs=1e-9
    )
    assert there.p == pytest.approx(back.p, abs=1e-12)
    assert there.interval[:2] == pytest.approx((-back.interval[1], -back.interval[0]), abs=1e-9)


@pytest.mark.parametrize("test", [student, welch, effect])
@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([60, 60], [60, 60, 60], "all 2 values are 60 and all 3 are 60; without spread"),
        ([60, 60], [20, 20], "all 2 values are 60 and all 2 are 20; without spread"),
        ([NAN, 1], [1, 2], r"the first sample: 1 of at least 2 values \(1 more"),
    ],
)
def test_without_spread_there_is_no_test(
    test: Callable[..., Any], first: ArrayLike, second: ArrayLike, words: str
) -> None:
    with pytest.raises(NotEstimable, match=words):
        test(first, second)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ([1, 2, 3], [1, 2, 3], "all 3 pairs differ by 0"),
        ([1, 2, 3], [3, 4, 5], "all 3 pairs differ by -2"),
        ([0.3, 0.1 + 0.2], [0.1, 0.1], "all 2 pairs differ by 0.2"),
        ([0.1 + 0.2, 0.1 + 0.2], [0.3, 0.3], "all 2 pairs differ by 0"),
        ([1, NAN], [NAN, 1], r"the pairs: 0 of at least 2 values \(2 more"),
    ],
)
def test_pairs_that_all_differ_alike_have_no_test(
    first: ArrayLike, second: ArrayLike, words: str
) -> None:
    with pytest.raises(NotEstimable, match=words):
        paired(first, second)
