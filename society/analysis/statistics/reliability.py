"""Reliability of a scale: do its items measure one thing?

Of K items with covariances c_jk, of which reversed ones have been turned round,

    alpha = K / (K - 1) (1 - sum_j c_jj / sum_jk c_jk)
    omega = (sum_j l_j)^2 / ((sum_j l_j)^2 + sum_j u_j)

where l_j is the loading of item j on the one factor and u_j what is its own: the items' covariances
off the diagonal are l_j l_k as nearly as can be (principal axes, iterated; least squares). If all
items load alike, both are the same; else alpha is less. Neither says that there is one factor.
Intervals come from drawing groups of respondents anew, such as the agents of a run, who depend on
each other; their ends are percentiles.
Sources: Cronbach 1951, Psychometrika 16; McDonald 1999, Test Theory, chapter 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array, generator

from .samples import RESAMPLING, Interval, NotEstimable, Resampling

OMEGA_RESAMPLING = Resampling(resamples=999)  # each takes a factor analysis
_LEAST = 10  # respondents, and groups of them that are drawn anew
_ROUNDS, _CLOSE = 500, 1e-9  # of the iteration of principal axes


@dataclass(frozen=True)
class Reliability:
    """A coefficient of reliability; interval: NotEstimable where groups are too few.

    value: the coefficient, at most 1. items, respondents: numbers of these. dropped:
    respondents who have left out an item.
    """

    value: float
    interval: Interval | NotEstimable
    items: int
    respondents: int
    dropped: int  # respondents who have left out an item


def cronbachs_alpha(
    answers: ArrayLike, groups: ArrayLike | None = None, *, resampling: Resampling = RESAMPLING
) -> Reliability:
    """Compute Cronbach's alpha of answers to K items, (n, K), NaN where there is none.

    groups: of each respondent, (n,); of those in one group none is independent; None: all are.
    Raises NotEstimable for fewer than two items or ten respondents, and where all score the same.
    """
    return _reliability(answers, groups, _alpha, 2, resampling, "alpha")


def mcdonalds_omega(
    answers: ArrayLike,
    groups: ArrayLike | None = None,
    *,
    resampling: Resampling = OMEGA_RESAMPLING,
) -> Reliability:
    """Compute McDonald's omega (total, one factor) of answers to K items, (n, K).

    Otherwise as cronbachs_alpha. Raises NotEstimable for fewer than three items, whose loadings
    could be any, and for an item that all have answered alike.
    """
    return _reliability(answers, groups, _omega, 3, resampling, "omega")


def _reliability(
    answers: ArrayLike,
    groups: ArrayLike | None,
    coefficient: Callable[[Array], Array],
    fewest: int,
    resampling: Resampling,
    name: str,
) -> Reliability:
    given = np.asarray(answers, float)
    if given.ndim != 2:
        raise NotEstimable(f"answers of shape {given.shape}; expected (respondents, items)")
    whole = ~np.isnan(given).any(1)
    taken, items = given[whole], given.shape[1]
    if items < fewest:
        counted = "a single item" if items == 1 else f"{items} items"
        raise NotEstimable(f"a scale of {counted} has no {name}; it takes at least {fewest}")
    if len(taken) < _LEAST:
        raise NotEstimable(
            f"{len(taken)} respondents answered all items; {name} takes at least {_LEAST}"
        )
    value = float(coefficient(np.cov(taken.T)[None])[0])
    if np.isnan(value):
        raise NotEstimable(_no_spread(taken, name))
    of = np.arange(len(given)) if groups is None else np.asarray(groups)
    interval = _interval(taken, of[whole], coefficient, resampling, name)
    return Reliability(value, interval, items, len(taken), int((~whole).sum()))


def _no_spread(taken: Array, name: str) -> str:
    constant = int((np.ptp(taken, axis=0) == 0).sum())
    if constant:
        same = "one item" if constant == 1 else f"{constant} items"
        return f"all respondents gave the same answer to {same}; {name} takes some spread"
    return f"the answers to these items have nothing in common; there is no {name}"


def _interval(
    taken: Array,
    groups: Array,
    coefficient: Callable[[Array], Array],
    resampling: Resampling,
    name: str,
) -> Interval | NotEstimable:
    """Return the percentile interval over groups drawn anew."""
    _, number = np.unique(groups, return_inverse=True)
    count = int(number.max()) + 1
    if count < _LEAST:
        return NotEstimable(
            f"{count} runs; a bootstrap of fewer than {_LEAST} gives intervals that are too short"
        )
    drawn = generator(resampling.seed, f"lab bootstrap {name}").multinomial(
        count, np.full(count, 1 / count), resampling.resamples
    )
    values = coefficient(_covariances(taken, number, drawn))
    known = values[~np.isnan(values)]
    if len(known) < resampling.resamples / 2:
        return NotEstimable(f"most resamples of {count} runs have no {name}")
    tail = (1 - resampling.level) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return Interval(float(low), float(high), resampling.level)


def _covariances(taken: Array, number: Array, drawn: Array) -> Array:
    """Return the covariances of each resample, (B, K, K); drawn: how often each group, (B, G)."""
    centred = taken - taken.mean(0)
    groups, items = drawn.shape[1], taken.shape[1]
    size = np.bincount(number, minlength=groups).astype(float)
    sums, products = np.zeros((groups, items)), np.zeros((groups, items, items))
    np.add.at(sums, number, centred)
    np.add.at(products, number, centred[:, :, None] * centred[:, None, :])
    n = (drawn @ size)[:, None, None]
    total = drawn @ sums
    squares = np.einsum("bg,gjk->bjk", drawn, products)
    covariances: Array = (squares - total[:, :, None] * total[:, None, :] / n) / (n - 1)
    return covariances


def _alpha(covariances: Array) -> Array:
    """Return alpha of covariances, (B, K, K) -> (B,); NaN where the score has no spread."""
    items = covariances.shape[-1]
    own, total = np.trace(covariances, axis1=1, axis2=2), covariances.sum((1, 2))
    spread = total > 1e-12 * np.maximum(own, 1e-300)
    share = np.divide(own, total, out=np.full(len(own), np.nan), where=spread)
    found: Array = items / (items - 1) * (1 - share)
    return found


def _omega(covariances: Array) -> Array:
    """Return omega of covariances, (B, K, K) -> (B,); NaN where an item has no spread."""
    variance = np.diagonal(covariances, axis1=1, axis2=2)
    usable = (variance > 1e-12 * variance.max(axis=1, keepdims=True)).all(1)
    found = np.full(len(covariances), np.nan)
    if not usable.any():
        return found
    deviation = np.sqrt(variance[usable])
    correlation = covariances[usable] / (deviation[:, :, None] * deviation[:, None, :])
    loading = one_factor_loadings(correlation)
    common = (loading * deviation).sum(1) ** 2
    own = ((1 - loading**2) * deviation**2).sum(1)
    found[usable] = np.divide(common, common + own, out=np.full(len(own), np.nan), where=own >= 0)
    return found


def one_factor_loadings(correlation: Array) -> Array:
    """Return the loadings of items on one factor, (B, K, K) -> (B, K), by principal axes.

    Communalities are at most 1 (a Heywood case ends there). The sum of the loadings is positive.
    """
    size = correlation.shape[-1]
    place = np.arange(size)
    off = correlation - np.eye(size) * correlation
    communality = np.abs(off).max(-1)
    loading = np.zeros(communality.shape)
    for _ in range(_ROUNDS):
        reduced = correlation.copy()
        reduced[:, place, place] = communality
        values, vectors = np.linalg.eigh(reduced)
        loading = vectors[:, :, -1] * np.sqrt(np.maximum(values[:, -1:], 0))
        again = np.minimum(loading**2, 1.0)
        moved = np.abs(again - communality).max()
        communality = again
        if moved < _CLOSE:
            break
    loading = np.sign(loading) * np.sqrt(communality)
    turned: Array = loading * np.where(loading.sum(1, keepdims=True) < 0, -1, 1)
    return turned
