"""Means over replicates, column by column, with intervals inside of what is possible.

a share or another quantity in [a, b]   logit of the mean, +- t(n - 1) times its standard error
                                        s / sqrt(n) / (m (1 - m)) by the delta method
all values are a or b                   Wilson 1927, each replicate one trial
any other quantity                      m +- t(n - 1) s / sqrt(n), cut at a bound that it has
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.engine.rng import Array

from .means import wilson
from .quantiles import t_reach

Bounds = tuple[float | None, float | None]  # the least and the most that is possible
UNBOUNDED: Bounds = (None, None)
FEWEST = 5  # values for which an interval means anything


class MeanBand(NamedTuple):
    """Values that are there, their mean and its interval, (T,) each; NaN where there is none."""

    left: Array
    mean: Array
    low: Array
    high: Array


def mean_band(values: Array, bounds: Bounds = UNBOUNDED, *, level: float = 0.95) -> MeanBand:
    """Average over replicates, (R, T), NaN left out; no interval of fewer than FEWEST values.

    >>> band = mean_band(np.array([[0.0], [0], [0], [0], [1]]), (0, 1))
    >>> band.mean.round(2).tolist(), band.low.round(2).tolist(), band.high.round(2).tolist()
    ([0.2], [0.04], [0.62])
    """
    count = (~np.isnan(values)).sum(0)
    nothing = np.full(count.shape, np.nan)
    mean = np.divide(np.nansum(values, 0), count, out=nothing.copy(), where=count > 0)
    squares = np.nansum((values - mean) ** 2, 0)
    variance = np.divide(squares, count - 1, out=nothing.copy(), where=count > 1)
    half = t_reach(level, np.maximum(count - 1, 1))
    half = half * np.sqrt(variance / np.maximum(count, 1))
    least, most = bounds
    if least is not None and most is not None and not _outside(values, least, most):
        share, half = (mean - least) / (most - least), half / (most - least)
        low, high = _share_interval(share, half)
        binary = np.all(np.isnan(values) | (values == least) | (values == most), axis=0)
        low, high = (
            least + (most - least) * np.where(binary, *both)
            for both in zip(wilson(share, np.maximum(count, 1), level), (low, high), strict=True)
        )
    else:
        low, high = np.clip(mean - half, least, None), np.clip(mean + half, None, most)
    enough = count >= FEWEST
    return MeanBand(count, mean, np.where(enough, low, np.nan), np.where(enough, high, np.nan))


def _outside(values: Array, least: float, most: float) -> bool:
    """Check whether a bound was declared that does not hold; then it cuts nothing."""
    return bool(np.nanmin(values, initial=least) < least or np.nanmax(values, initial=most) > most)


def _share_interval(share: Array, half: Array) -> tuple[Array, Array]:
    """The interval of means in (0, 1) by their logits; `half` of a t interval, (T,) each."""
    inner = (share > 0) & (share < 1)
    inside = np.where(inner, share, 0.5)
    logit, reach = np.log(inside / (1 - inside)), half / (inside * (1 - inside))
    low, high = (1 / (1 + np.exp(-(logit + sign * reach))) for sign in (-1, 1))
    return np.where(inner, low, share), np.where(inner, high, share)
