"""Time to an event that some runs never see: they are censored when they end.

    S(t) = product over event times s <= t of (1 - d(s) / n(s))     Kaplan and Meier 1958

d(s) events among n(s) runs at risk. Intervals at each time by Greenwood's variance on the log-log
scale (Kalbfleisch and Prentice 1980), which stay within [0, 1]. The mean of a censored time is not
known, but its mean up to a horizon is: the area under S (Royston and Parmar 2013).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array
from society.optional import require

from .quantiles import normal_reach
from .samples import Interval, NotEstimable, sample


class SurvivalTimes(NamedTuple):
    """The time of each run's event, or of its last sight without: (R,), (R,)."""

    times: ArrayLike  # NaN: never observed; left out
    censored: ArrayLike  # True: the event had not come by then


@dataclass(frozen=True)
class SurvivalCurve:
    """The share of runs that live on, as steps: it falls at `times`, and stays until the next.

    K event times, ascending. Before the first, everybody lives. Without any event the arrays are
    empty: everybody lives until `seen`.
    times, survival, low, high, at_risk, events: (K,) each. median: the time by which half have
    had the event, None where more than half live on. level: of the intervals. n: runs;
    censored: runs that the event had not come to; dropped: runs without a time.
    """

    times: Array  # (K,)
    survival: Array  # (K,) from this time on
    low: Array  # (K,) at each time on its own
    high: Array  # (K,)
    at_risk: Array  # (K,) just before
    events: Array  # (K,) at this time
    seen: float  # the last time at which a run was seen, with event or without
    median: float | None  # None: more than half live on
    median_interval: tuple[float | None, float | None]  # None: beyond what was seen
    level: float
    n: int
    censored: int
    dropped: int


@dataclass(frozen=True)
class RestrictedMean:
    """The mean time lived up to a horizon.

    mean, se and until: in the unit of the times; se: standard error of the mean; until: the
    horizon.
    """

    mean: float
    interval: Interval
    se: float
    until: float


@dataclass(frozen=True)
class LogRank:
    """A log-rank test: do several groups live equally long? Only the order of events counts.

    chi_squared: with df degrees of freedom. p: the chance of a statistic as far out, if there
    is no effect. n: runs with a time; dropped: without.
    """

    chi_squared: float
    df: int
    p: float
    events: dict[str, int]
    n: int
    dropped: int


class _Observed(NamedTuple):
    times: Array
    died: Array
    dropped: int


def kaplan_meier(lives: SurvivalTimes, *, level: float = 0.95) -> SurvivalCurve:
    """Estimate the survival curve of one group of runs.

    Raises NotEstimable without a run.
    level: of the interval, in (0, 1).
    """
    seen = _observe(lives, "this group")
    times, events = np.unique(seen.times[seen.died], return_counts=True)
    at_risk = len(seen.times) - np.searchsorted(np.sort(seen.times), times)
    survival = np.cumprod(1 - events / at_risk)
    low, high = _log_log(survival, _greenwood(at_risk, events), level)
    return SurvivalCurve(
        times=times,
        survival=survival,
        low=low,
        high=high,
        at_risk=at_risk,
        events=events,
        seen=float(seen.times.max()),
        median=_first(times, survival),
        median_interval=(_first(times, low), _first(times, high)),
        level=level,
        n=len(seen.times),
        censored=int((~seen.died).sum()),
        dropped=seen.dropped,
    )


def restricted_mean(curve: SurvivalCurve, until: float | None = None) -> RestrictedMean:
    """Return the mean time lived up to `until`, or to the last time at which a run was seen.

    The interval stays within what is possible, [0, until].
    Raises NotEstimable for a horizon later than that (unless nobody lives on), without an event
    before it, and where the only one ends all runs at once.
    """
    horizon = curve.seen if until is None else until
    if horizon > curve.seen and not (len(curve.survival) and curve.survival[-1] == 0):
        raise NotEstimable(
            f"runs were seen up to {curve.seen:g} and some live on; "
            f"their mean up to {horizon:g} is not known"
        )
    before = curve.times < horizon
    if not before.any():
        raise NotEstimable(
            f"no event among {curve.n} runs before {horizon:g}; "
            "their mean is that, and has no interval"
        )
    steps = np.concatenate([[0], curve.times[before], [horizon]])
    areas = np.concatenate([[1], curve.survival[before]]) * np.diff(steps)
    later = areas[::-1].cumsum()[::-1][1:]  # the area from each event time on
    at_risk, events = curve.at_risk[before], curve.events[before]
    se = math.sqrt(float((later**2 * _hazard_variance(at_risk, events)).sum()))
    if not se:
        raise NotEstimable(
            f"all runs that were seen until {curve.times[0]:g} have the event then; without spread "
            "their mean has no interval"
        )
    reach = normal_reach(curve.level) * se
    mean = float(areas.sum())
    interval = Interval(max(mean - reach, 0.0), min(mean + reach, horizon), curve.level)
    return RestrictedMean(mean, interval, se, horizon)


def log_rank(groups: Mapping[str, SurvivalTimes]) -> LogRank:
    """Compare two or more independent groups, by name, by the log-rank test.

    Raises NotEstimable for fewer than two groups, without an event, and where a group is never seen
    beside another one at an event.
    Source: Mantel 1966; Peto and Peto 1972.
    """
    if len(groups) < 2:
        raise NotEstimable(f"{len(groups)} group to compare; at least 2 are needed")
    seen = {name: _observe(lives, name) for name, lives in groups.items()}
    _check_first_event(seen)
    times = np.concatenate([group.times for group in seen.values()])
    died = np.concatenate([group.died for group in seen.values()])
    member = np.repeat(np.arange(len(seen)), [len(group.times) for group in seen.values()])
    chi_squared, _ = require("statsmodels.duration.survfunc").survdiff(times, died, member)
    df = len(seen) - 1
    return LogRank(
        chi_squared=float(chi_squared),
        df=df,
        # statsmodels gives 1 - cdf, which is 0 where p is small.
        p=float(require("scipy.stats").chi2.sf(chi_squared, df)),
        events={name: int(group.died.sum()) for name, group in seen.items()},
        n=len(times),
        dropped=sum(group.dropped for group in seen.values()),
    )


def _observe(lives: SurvivalTimes, of: str) -> _Observed:
    times, censored = np.asarray(lives.times, float), np.asarray(lives.censored, bool)
    known = sample(times, at_least=1, of=of)
    if times.shape != censored.shape:
        raise ValueError(f"{of}: times {times.shape} and censored {censored.shape}; give (R,) each")
    return _Observed(known.values, ~censored[~np.isnan(times)], known.dropped)


def _check_first_event(groups: Mapping[str, _Observed]) -> None:
    """Raise NotEstimable unless the first event compares groups: all are at risk at the start."""
    events = [group.times[group.died] for group in groups.values()]
    if not any(map(len, events)):
        raise NotEstimable("no run had the event; without events there is nothing to compare")
    first = min(float(times.min()) for times in events if len(times))
    for name, group in groups.items():
        if group.times.max() < first:
            raise NotEstimable(
                f"{name} was last seen at {group.times.max():g}, "
                f"before the first event at {first:g}"
            )
    left = sum(int((group.times >= first).sum()) for group in groups.values())
    if left == sum(int((times == first).sum()) for times in events):
        raise NotEstimable(
            f"all {left} runs had the event at {first:g}; there is nothing to compare"
        )


def _hazard_variance(at_risk: Array, events: Array) -> Array:
    """Return d / (n (n - d)) at each time; 0 for the last run, which leaves nobody to vary."""
    left = at_risk - events
    variance: Array = np.divide(events, at_risk * left, out=np.zeros(len(left)), where=left > 0)
    return variance


def _greenwood(at_risk: Array, events: Array) -> Array:
    """Return the variance of log S at each time."""
    summed: Array = _hazard_variance(at_risk, events).cumsum()
    return summed


def _log_log(survival: Array, variance: Array, level: float) -> tuple[Array, Array]:
    """Return the limits S^exp(+- z sd(log S) / log S).

    Once nobody is left the lower one is 0, and the upper one stays: there is no more to learn.
    """
    z = normal_reach(level)
    living = survival > 0  # all but, perhaps, the last
    logs = np.log(survival[living])
    width = np.exp(z * np.sqrt(variance[living]) / -logs)
    low, high = np.exp(logs * width), np.exp(logs / width)
    if living.all():
        return low, high
    return np.append(low, 0), np.append(high, high[-1] if len(high) else 1)


def _first(times: Array, survival: Array) -> float | None:
    """Return the first time at which at most half live on."""
    halved = survival <= 0.5 + 1e-12  # a product of fractions misses a half by its last bits
    return float(times[halved.argmax()]) if halved.any() else None
