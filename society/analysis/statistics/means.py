"""Means and shares over replicates, with intervals that say how sure they are.

mean   m +- t(n - 1) s / sqrt(n)   Student 1908; where means are nearly normal
       bootstrap, bias-corrected and accelerated (BCa)   Efron 1987; follows a skewed sample
share  Wilson 1927; stays within [0, 1], and has a width at 0 and 1 as well
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array, generator
from society.optional import require

from .quantiles import normal_reach, t_reach
from .samples import RESAMPLING, Interval, NotEstimable, Resampling, Sample, has_spread, sample

_AT_ONCE = 2_000_000  # resampled values in memory
_LEAST = 10  # values to be resampled


@dataclass(frozen=True)
class Mean:
    """A mean over replicates, in the measure's unit.

    sd: standard deviation of the replicates, with n - 1; se: standard error of the mean. n:
    replicates with a value; dropped: without.
    """

    mean: float
    interval: Interval
    sd: float  # of the replicates, with n - 1
    se: float  # of the mean
    n: int
    dropped: int  # replicates without a value


@dataclass(frozen=True)
class ShareEstimate:
    """A share of n replicates, in [0, 1].

    count: of how many it is true.
    """

    share: float
    interval: Interval
    count: int
    n: int


def mean(values: ArrayLike, *, level: float = 0.95) -> Mean:
    """Return the mean with its t interval; (R,).

    Raises NotEstimable for fewer than two values, and for values without spread.
    level: of the interval, in (0, 1).
    """
    taken = _spread(values)
    n, middle = len(taken.values), float(taken.values.mean())
    half = float(t_reach(level, n - 1)) * float(taken.values.std(ddof=1)) / math.sqrt(n)
    return _mean(taken, Interval(middle - half, middle + half, level))


def bootstrapped_mean(values: ArrayLike, *, resampling: Resampling = RESAMPLING) -> Mean:
    """Return the mean with its BCa bootstrap interval; (R,).

    Raises NotEstimable for fewer than ten values, of which resamples say too little (an interval
    of 95 % from five normal ones holds the mean in 83 % of cases), and for values without spread.
    """
    taken = _spread(values)
    if len(taken.values) < _LEAST:
        raise NotEstimable(
            f"{len(taken.values)} values: a bootstrap of fewer than {_LEAST} gives intervals that "
            "are too short"
        )
    drawn = _resampled_means(taken.values, resampling)
    low, high = _bca(drawn, taken.values, resampling.level)
    return _mean(taken, Interval(low, high, resampling.level))


def _resampled_means(values: Array, resampling: Resampling) -> Array:
    """Return the means of samples drawn from these values with replacement; (n,) -> (B,)."""
    chance, n = generator(resampling.seed, "lab bootstrap mean"), len(values)
    most = max(1, _AT_ONCE // n)
    sizes = [min(most, resampling.resamples - at) for at in range(0, resampling.resamples, most)]
    return np.concatenate([values[chance.integers(0, n, (size, n))].mean(-1) for size in sizes])


def _bca(drawn: Array, values: Array, level: float) -> tuple[float, float]:
    """Return the ends of the BCa interval of a mean, from means of resamples; (B,), (n,).

    The share of resamples at an end is Phi(z0 + (z0 + z) / (1 - a (z0 + z))), where z is the
    normal quantile of that end, z0 that of the share of resamples below the mean, which corrects
    for bias, and a, from the skewness, corrects for an error that grows with the mean.
    """
    centre, special = values.mean(), require("scipy.special")
    below = ((drawn < centre).mean() + (drawn <= centre).mean()) / 2
    z0, z = special.ndtri(below), normal_reach(level)
    # Leaving one value out moves the mean in proportion to that value's deviation.
    away = values - centre
    skew = (away**3).sum() / (6 * (away**2).sum() ** 1.5)
    ends = z0 + np.array([-z, z])
    low, high = np.quantile(drawn, special.ndtr(z0 + ends / (1 - skew * ends)))
    return float(low), float(high)


def share(count: int, n: int, *, level: float = 0.95) -> ShareEstimate:
    """Return the share of replicates of which something is true, with its Wilson interval.

    Raises NotEstimable without a replicate.
    level: of the interval, in (0, 1).
    count: of how many it is true; n: replicates.
    """
    if not n:
        raise NotEstimable("a share of 0 replicates; at least 1 is needed")
    if not 0 <= count <= n:
        raise ValueError(f"{count} of {n} replicates; give a count from 0 to {n}")
    low, high = wilson(np.array(count / n), np.array(n), level)
    return ShareEstimate(count / n, Interval(float(low), float(high), level), count, n)


def wilson(share: Array, n: Array, level: float) -> tuple[Array, Array]:
    """Return the ends of Wilson's intervals of shares of n trials, in [0, 1]; (...), (...)."""
    z = normal_reach(level)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


def _spread(values: ArrayLike) -> Sample:
    taken = sample(values)
    if not has_spread(taken.values):
        raise NotEstimable(
            f"all {len(taken.values)} values are {taken.values[0]:g}; "
            "without spread their mean has no interval"
        )
    return taken


def _mean(taken: Sample, interval: Interval) -> Mean:
    n = len(taken.values)
    sd = float(taken.values.std(ddof=1))
    return Mean(float(taken.values.mean()), interval, sd, sd / math.sqrt(n), n, taken.dropped)
