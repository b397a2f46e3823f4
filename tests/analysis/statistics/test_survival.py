"""Survival: runs that outlive what was seen count as long as they were seen."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.duration.survfunc import SurvfuncRight

from society.analysis.statistics import (
    NotEstimable,
    SurvivalTimes,
    kaplan_meier,
    log_rank,
    restricted_mean,
)
from society.engine.rng import generator

pytestmark = pytest.mark.filterwarnings("error")
NAN = math.nan

ages = st.lists(st.integers(1, 9).map(float), min_size=2, max_size=15)


def lives(channel: str, mean: float, horizon: float = 50, runs: int = 40) -> SurvivalTimes:
    """Exponential times in whole rounds, censored at the horizon."""
    times = np.ceil(generator(3, channel).exponential(mean, runs))
    return SurvivalTimes(np.minimum(times, horizon), times > horizon)


def test_five_runs_by_hand() -> None:
    """Two die at 2, one is last seen at 3, one dies at 5, one lives on: 3/5, then 3/5 of 1/2."""
    curve = kaplan_meier(
        SurvivalTimes([2, 2, 3, 5, 6, NAN], [False, False, True, False, True, False])
    )
    assert curve.times.tolist() == [2, 5]
    assert curve.survival.tolist() == pytest.approx([0.6, 0.3])
    assert (curve.at_risk.tolist(), curve.events.tolist()) == ([5, 2], [2, 1])
    assert (curve.n, curve.censored, curve.dropped, curve.seen) == (5, 2, 1, 6)
    assert curve.median == 5


def test_the_area_under_five_runs_by_hand() -> None:
    """2 x 1 + 3 x .6 + 1 x .3; variance 2.1^2 x 2 / (5 x 3) + .3^2 x 1 / (2 x 1)."""
    curve = kaplan_meier(SurvivalTimes([2, 2, 3, 5, 6], [False, False, True, False, True]))
    found = restricted_mean(curve)
    assert (found.mean, found.until) == pytest.approx((4.1, 6))
    assert found.se == pytest.approx((2.1**2 * 2 / 15 + 0.3**2 / 2) ** 0.5)
    assert found.interval == pytest.approx(
        (4.1 - 1.959964 * found.se, 4.1 + 1.959964 * found.se, 0.95)
    )
    assert restricted_mean(curve, until=4).mean == pytest.approx(2 + 2 * 0.6)


def test_a_mean_of_few_times_stays_within_what_is_possible() -> None:
    """One of two dies at 1, the other lives to 10: 5.5, of standard error 9 sqrt(1 / 2) / 2."""
    found = restricted_mean(kaplan_meier(SurvivalTimes([1, 10], [False, True])))
    assert (found.mean, found.interval) == (5.5, (0, 10, 0.95))
    half = restricted_mean(kaplan_meier(SurvivalTimes([1, 10], [False, True]), level=0.5))
    reach = 0.67448975 * found.se
    assert half.interval == pytest.approx((5.5 - reach, 5.5 + reach, 0.5))


def test_limits_and_median_are_those_of_the_libraries() -> None:
    times, censored = lives("limits", 30)
    curve = kaplan_meier(SurvivalTimes(times, censored), level=0.9)
    sample = stats.CensoredData.right_censored(times, censored)
    library = stats.ecdf(sample).sf
    limits = library.confidence_interval(0.9, method="log-log")
    assert curve.survival == pytest.approx(library.evaluate(curve.times), abs=1e-8)
    assert curve.low == pytest.approx(limits.low.evaluate(curve.times), abs=1e-8)
    assert curve.high == pytest.approx(limits.high.evaluate(curve.times), abs=1e-8)
    other = SurvfuncRight(times, ~np.asarray(censored))
    assert curve.median == other.quantile(0.5)
    assert kaplan_meier(SurvivalTimes(times, censored)).median_interval == pytest.approx(
        other.quantile_ci(0.5, method="cloglog")
    )


@given(times=ages)
def test_without_censoring_the_curve_is_the_share_that_lives(times: list[float]) -> None:
    curve = kaplan_meier(SurvivalTimes(times, [False] * len(times)))
    shares = [float(np.mean(np.array(times) > time)) for time in curve.times]
    assert curve.survival.tolist() == pytest.approx(shares, abs=1e-12)
    assert ((curve.low <= curve.survival) & (curve.survival <= curve.high)).all()
    if len(set(times)) > 1:
        found = restricted_mean(curve)
        assert found.mean == pytest.approx(np.mean(times))
        assert found.se == pytest.approx(np.std(times) / len(times) ** 0.5)


def test_after_the_last_run_has_died_the_upper_limit_has_no_more_to_learn() -> None:
    curve = kaplan_meier(SurvivalTimes([1, 2], [False, False]))
    assert (curve.survival[-1], curve.low[-1]) == (0, 0)
    assert curve.high[-1] == curve.high[0] < 1


def test_a_village_where_all_live_on_is_a_flat_line() -> None:
    curve = kaplan_meier(SurvivalTimes([60, 60, 60], [True, True, True]))
    assert (len(curve.times), curve.seen, curve.censored) == (0, 60, 3)
    assert (curve.median, curve.median_interval) == (None, (None, None))


def test_two_groups_as_scipy_compares_them() -> None:
    short, long = lives("short", 20), lives("long", 45)
    found = log_rank({"short": short, "long": long})
    library = stats.logrank(
        stats.CensoredData.right_censored(*short), stats.CensoredData.right_censored(*long)
    )
    assert found.chi_squared == pytest.approx(library.statistic**2, abs=1e-8)
    assert found.p == pytest.approx(library.pvalue, abs=1e-8)
    assert found.n == 80


def test_three_groups_of_one_run_by_hand() -> None:
    """Deaths at 1, 2, 3. Seen less expected: a 2/3, b 1/6. Their variances 2/9 and 17/36,
    covariance -1/9: chi squared 2.6, and with 2 degrees of freedom p = exp(-1.3).
    """
    found = log_rank({name: SurvivalTimes([time], [False]) for time, name in enumerate("abc", 1)})
    assert (found.chi_squared, found.p) == pytest.approx((2.6, math.exp(-1.3)))


def test_three_groups_do_not_depend_on_their_order() -> None:
    groups = {"a": lives("a", 20), "b": lives("b", 30), "c": lives("c", 45)}
    found = log_rank(groups)
    turned = log_rank({name: groups[name] for name in "cab"})
    assert (found.df, turned.df) == (2, 2)
    assert found.chi_squared == pytest.approx(turned.chi_squared)
    assert found.events == {name: 40 - int(np.sum(groups[name].censored)) for name in "abc"}


def test_a_tiny_p_is_not_zero() -> None:
    """1 - cdf would be."""
    soon, late = (
        SurvivalTimes(np.arange(1, 201), [False] * 200),
        SurvivalTimes(np.arange(201, 401), [False] * 200),
    )
    assert 0 < log_rank({"soon": soon, "late": late}).p < 1e-30


ALIVE = SurvivalTimes([60, 60], [True, True])
DEAD = SurvivalTimes([3, 5], [False, False])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (lambda: log_rank({"a": ALIVE, "b": ALIVE}), "no run had the event"),
        (lambda: log_rank({"a": DEAD}), "1 group to compare"),
        (
            lambda: log_rank({"a": DEAD, "b": SurvivalTimes([1, 2], [True, True])}),
            "b was last seen at 2, before the first event at 3",
        ),
        (
            lambda: log_rank({"a": SurvivalTimes([3], [False]), "b": SurvivalTimes([3], [False])}),
            "all 2 runs had the event at 3",
        ),
        (lambda: kaplan_meier(SurvivalTimes([NAN], [False])), "this group: 0 of at least 1 values"),
        (lambda: restricted_mean(kaplan_meier(ALIVE)), "no event among 2 runs before 60"),
        (
            lambda: restricted_mean(kaplan_meier(SurvivalTimes([5], [False])), until=60),
            "all runs that were seen until 5 have the event then; without spread",
        ),
        (
            lambda: restricted_mean(kaplan_meier(ALIVE), until=90),
            "runs were seen up to 60 and some live on; their mean up to 90 is not known",
        ),
    ],
)
def test_what_was_not_seen_is_said(question: Callable[[], object], words: str) -> None:
    with pytest.raises(NotEstimable, match=words):
        question()


def test_once_all_are_dead_every_later_horizon_is_known() -> None:
    assert restricted_mean(kaplan_meier(DEAD), until=100).mean == 4


def test_a_time_without_its_flag_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match=r"times \(2,\) and censored \(1,\)"):
        kaplan_meier(SurvivalTimes([1, 2], [False]))
