"""Slopes and correlations over runs: how steep courses are, and how two values go together.

    slope        b of value = a + b time, by least squares, one for each run
    correlation  Pearson's r with Fisher's interval; Spearman's with that of Bonett and Wright,
                 tanh(artanh r +- z sqrt((1 + r^2 / 2) / (n - 3)))
Runs are what is independent; so a slope with its interval is a mean over the slopes of runs.
Sources: Fisher 1921; Bonett and Wright 2000, Psychometrika 65.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from society.optional import require

from .samples import Interval, NotEstimable, has_spread, pairs


@dataclass(frozen=True)
class Correlation:
    """Correlations of two values of each run, in [-1, 1]."""

    pearson: float
    pearson_interval: Interval
    spearman: float
    spearman_interval: Interval
    n: int
    dropped: int  # runs that miss a value


def slope(when: ArrayLike, values: ArrayLike) -> Any:
    """Return the least-squares slope of each run, in units per step; (G,), (..., G) -> (...).

    NaN for fewer than two known values.

    >>> slope([1, 2, 3], [[0.5, np.nan, 0.75], [np.nan, 2, np.nan]])
    array([0.125,   nan])
    """
    courses = np.asarray(values, float)
    known = ~np.isnan(courses)
    count = known.sum(-1, keepdims=True)
    at = np.where(known, np.asarray(when, float), 0)
    apart = np.where(known, at - at.sum(-1, keepdims=True) / np.maximum(count, 1), 0)
    spread = np.square(apart).sum(-1)
    return (apart * np.where(known, courses, 0)).sum(-1) / np.where(spread, spread, np.nan)


def correlation(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Correlation:
    """Correlate two values of each run; (R,), (R,).

    Raises NotEstimable for fewer than four runs, and where either value has no spread.
    """
    one, other, dropped = pairs(first, second, at_least=4)
    if not (has_spread(one) and has_spread(other)):
        raise NotEstimable(
            "one of the two is the same in all runs, which leaves nothing to correlate"
        )
    stats, n = require("scipy.stats"), len(one)
    pearson, spearman = stats.pearsonr(one, other).statistic, stats.spearmanr(one, other).statistic
    z = float(stats.norm.ppf((1 + level) / 2)) / math.sqrt(n - 3)
    return Correlation(
        float(pearson),
        _interval(float(pearson), z, level),
        float(spearman),
        _interval(float(spearman), z * math.sqrt(1 + spearman**2 / 2), level),
        n,
        dropped,
    )


def _interval(r: float, width: float, level: float) -> Interval:
    """Return an interval that is symmetric on the scale of artanh; a point if |r| is 1."""
    if abs(r) >= 1:
        return Interval(r, r, level)
    low, high = np.tanh(np.arctanh(r) + np.array([-width, width]))
    return Interval(float(low), float(high), level)
