"""How much strategies of a set differ from each other, and two sets from one another.

    MPD  mean Euclidean distance of two strategies; divided by that of uniform random vectors
    d    distance of two centroids / sqrt(pooled variance of a feature * number of features)
    PR   (sum of l)^2 / sum of l^2 over the eigenvalues l of the features' covariance

d is Cohen's d for features together, PR an effective number of dimensions. Features are those of
society.sandbox.matches.behaviour. Source: Willis et al. 2026, section 4.2 and table 1.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.samples import NotEstimable
from society.engine.rng import Array, generator
from society.optional import require
from society.sandbox.matches.behaviour import behaviour_classes

from .measured_behaviour import StrategySet
from .principal_plane import responsiveness

_UNIFORM = 512  # vectors whose distances stand for those of uniform ones
_NO_VARIANCE = 1e-10  # eigenvalues below are errors of rounding


class SetShift(NamedTuple):
    """The difference of two centroids: as a distance, and as Cohen's d."""

    distance: float
    effect: float | NotEstimable


def mean_pairwise_distance(features: Array) -> float | NotEstimable:
    """Average the distances of all pairs, (S, F); NotEstimable for less than two strategies.

    >>> float(mean_pairwise_distance(np.array([[0.0, 0], [3, 4]])))
    5.0
    """
    if len(features) < 2:
        return NotEstimable("one strategy has no distance to another")
    return float(_pairwise_distances(features).mean())


def _pairwise_distances(features: Array) -> Array:
    """The distance of each pair, (S (S - 1) / 2,)."""
    distances: Array = require("scipy.spatial.distance").pdist(features)
    return distances


@cache
def uniform_distance(dimensions: int, seed: int = 0) -> float:
    """The mean distance of vectors that are uniform in [0, 1]; about sqrt(dimensions / 6)."""
    draws = generator(seed, f"uniform vectors of {dimensions}")
    return float(_pairwise_distances(draws.random((_UNIFORM, dimensions))).mean())


def normalised_distance(features: Array, seed: int = 0) -> float | NotEstimable:
    """Divide the mean pairwise distance by that of uniform vectors."""
    raw = mean_pairwise_distance(features)
    if isinstance(raw, NotEstimable):
        return raw
    return raw / uniform_distance(features.shape[1], seed)


def participation_ratio(features: Array) -> float | NotEstimable:
    """Count dimensions by the eigenvalues of the covariance; NotEstimable if nothing varies."""
    if len(features) < 2:
        return NotEstimable("one strategy does not vary")
    eigenvalues = np.linalg.svd(features - features.mean(0), compute_uv=False) ** 2
    eigenvalues = eigenvalues[eigenvalues / (len(features) - 1) > _NO_VARIANCE]
    if not eigenvalues.size:
        return NotEstimable("all strategies behave alike")
    return float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


def set_shift(first: Array, second: Array) -> SetShift:
    """Measure how far two sets, (S, F) each, are apart; no effect size where none varies."""
    distance = float(np.linalg.norm(first.mean(0) - second.mean(0)))
    weights = np.array([len(first) - 1, len(second) - 1])
    if not weights.sum():
        return SetShift(distance, NotEstimable("two sets of one strategy have no variance"))
    variances = np.array([first.var(0).mean(), second.var(0).mean()])
    pooled = float(weights @ variances / weights.sum())
    if pooled < _NO_VARIANCE:
        return SetShift(distance, NotEstimable("strategies within each set behave alike"))
    return SetShift(distance, distance / float(np.sqrt(pooled * first.shape[1])))


def nearest_to_centroid(features: Array) -> int:
    """Find the strategy that stands for its set best; the first one of equals."""
    return int(np.linalg.norm(features - features.mean(0), axis=1).argmin())


class SetSummary(NamedTuple):
    """A set of strategies in numbers.

    behaviours: how many of them are distinct. mpd: raw, and normalised. cooperation,
    responsiveness: means over strategies. typical: the name of the one nearest to the centroid.
    """

    strategies: int
    behaviours: int
    mpd: float | NotEstimable
    normalised_mpd: float | NotEstimable
    participation_ratio: float | NotEstimable
    cooperation: float
    responsiveness: float
    typical: str


def summarise_set(measured: StrategySet, seed: int = 0) -> SetSummary:
    """Compute how diverse a set is, and what its strategies are like."""
    features = measured.features
    return SetSummary(
        strategies=len(features),
        behaviours=int(behaviour_classes(features).max()) + 1,
        mpd=mean_pairwise_distance(features),
        normalised_mpd=normalised_distance(features, seed),
        participation_ratio=participation_ratio(features),
        cooperation=float(features.mean()),
        responsiveness=float(responsiveness(features).mean()),
        typical=measured.names[nearest_to_centroid(features)],
    )
