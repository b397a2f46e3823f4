"""Comparisons that look at the order of values alone: survival times pile up at the horizon.

Mann-Whitney        independent runs of two conditions
Wilcoxon            replicates that share random numbers (common random numbers)
Kruskal-Wallis      independent runs of several conditions
Friedman            replicates that share random numbers, in three conditions or more

Values that differ by the rounding of their last bits are tied.
Sources: Mann and Whitney 1947; Wilcoxon 1945; Kruskal and Wallis 1952; Friedman 1937; Cliff 1993
(delta); McGraw and Wong 1992 (common-language effect); Kerby 2014 (rank-biserial); Tomczak and
Tomczak 2014 (epsilon squared); Kendall and Babington Smith 1939 (W).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array
from society.optional import require

from .samples import NotEstimable, blocks, has_spread, pairs, sample, samples

_DIGITS = 12  # of a value, of the largest one, that count in its rank


@dataclass(frozen=True)
class MannWhitney:
    """A two-sided Mann-Whitney test: does one of two independent samples tend to be larger?

    u: pairs in which the first is larger, ties counting a half. p: the chance of a statistic as
    far out, if there is no effect: exact for small samples without ties, else by the normal
    approximation. common_language: P(first > second) + P(tie) / 2. cliffs_delta: P(first >
    second) - P(first < second), in [-1, 1].
    """

    u: float
    p: float
    common_language: float
    cliffs_delta: float
    n: tuple[int, int]
    dropped: tuple[int, int]


@dataclass(frozen=True)
class Wilcoxon:
    """A two-sided Wilcoxon test: do differences of pairs tend to one side of zero?

    w: the smaller of the two sums of ranks. p: the chance of a statistic as far out, if there
    is no effect: exact for few pairs without ties, else by the normal approximation.
    rank_biserial: share of ranks above zero less that below, in [-1, 1]. n: pairs that differ;
    equal: pairs that do not, which are left out; dropped: pairs that miss a value.
    """

    w: float
    p: float
    rank_biserial: float
    n: int
    equal: int
    dropped: int


@dataclass(frozen=True)
class KruskalWallis:
    """A Kruskal-Wallis test: does one of several independent samples tend to be larger?

    h: corrected for ties; chi squared with df degrees of freedom. p: the chance of a statistic
    as far out, if there is no effect. epsilon_squared: h / (n - 1), in [0, 1]. n: runs with a
    value; dropped: without.
    """

    h: float
    df: int
    p: float
    epsilon_squared: float
    n: int
    dropped: int


@dataclass(frozen=True)
class Friedman:
    """A Friedman test: does one condition tend to be larger, replicate by replicate?

    chi_squared: corrected for ties, with df degrees of freedom. p: the chance of a statistic as
    far out, if there is no effect. kendalls_w: how far replicates order conditions alike, in
    [0, 1]. n: replicates; dropped: replicates that miss a value.
    """

    chi_squared: float
    df: int
    p: float
    kendalls_w: float
    n: int
    dropped: int


def mann_whitney(first: ArrayLike, second: ArrayLike) -> MannWhitney:
    """Compare two independent samples by the Mann-Whitney U test; (R1,), (R2,).

    Raises NotEstimable for an empty sample, and where all values are the same.
    """
    one = sample(first, at_least=1, of="the first sample")
    other = sample(second, at_least=1, of="the second sample")
    n = (len(one.values), len(other.values))
    together = _values_to_rank(np.concatenate([one.values, other.values]))
    test = require("scipy.stats").mannwhitneyu(together[: n[0]], together[n[0] :])
    larger = float(test.statistic) / (n[0] * n[1])
    dropped = (one.dropped, other.dropped)
    return MannWhitney(
        float(test.statistic), float(test.pvalue), larger, 2 * larger - 1, n, dropped
    )


def wilcoxon(first: ArrayLike, second: ArrayLike) -> Wilcoxon:
    """Compare pairs by the signed-rank test, equal ones left out; (R,), (R,).

    Raises NotEstimable for conditions of different size, and where no pair differs.
    """
    one, other, dropped = pairs(first, second, at_least=1)
    differences = _round(one - other, largest=float(np.abs([one, other]).max()))
    differences = differences[differences != 0]
    if not len(differences):
        raise NotEstimable(f"all {len(one)} pairs are equal; there are no ranks to compare")
    stats = require("scipy.stats")
    test = stats.wilcoxon(differences)
    ranks = stats.rankdata(np.abs(differences))
    return Wilcoxon(
        w=float(test.statistic),
        p=float(test.pvalue),
        rank_biserial=float((ranks * np.sign(differences)).sum() / ranks.sum()),
        n=len(differences),
        equal=len(one) - len(differences),
        dropped=dropped,
    )


def kruskal_wallis(groups: Mapping[str, ArrayLike]) -> KruskalWallis:
    """Compare two or more independent samples, by name, by the Kruskal-Wallis test.

    Raises NotEstimable for fewer than two groups, an empty one, and where all values are the same.
    """
    taken = samples(groups, at_least=1)
    together = _values_to_rank(np.concatenate([group.values for group in taken.values()]))
    ends = np.cumsum([len(group.values) for group in taken.values()])
    h, p = require("scipy.stats").kruskal(*np.split(together, ends[:-1]))
    n, df = len(together), len(taken) - 1
    dropped = sum(group.dropped for group in taken.values())
    return KruskalWallis(float(h), df, float(p), float(h) / (n - 1), n, dropped)


def friedman(conditions: Mapping[str, ArrayLike]) -> Friedman:
    """Compare three or more conditions under common random numbers by Friedman's test; (R,) each.

    Raises NotEstimable for fewer conditions, for some of different size, without a replicate that
    has a value in all, and where no replicate tells any two apart.
    """
    if len(conditions) < 3:
        raise NotEstimable(
            f"{len(conditions)} conditions: Friedman's test takes 3 or more; two are pairs"
        )
    table, dropped = blocks(conditions)
    ranked = _round(table, largest=float(np.abs(table).max()))
    if not np.ptp(ranked, axis=0).any():
        raise NotEstimable(
            f"all {len(table)} conditions are equal in all {table.shape[1]} replicates; there are "
            "no ranks to compare"
        )
    chi_squared, p = require("scipy.stats").friedmanchisquare(*ranked)
    n, df = table.shape[1], len(table) - 1
    return Friedman(float(chi_squared), df, float(p), float(chi_squared) / (n * df), n, dropped)


def _values_to_rank(values: Array) -> Array:
    """Round values to be ranked together; raises NotEstimable where all are the same."""
    if not has_spread(values):
        raise NotEstimable(
            f"all {len(values)} values are {values[0]:g}; there are no ranks to compare"
        )
    return _round(values, largest=float(np.abs(values).max()))


def _round(values: Array, largest: float) -> Array:
    """Round values, as shares of the largest that they come from, to drop their last bits."""
    shares: Array = np.round(values / (largest or 1), _DIGITS)
    return shares
