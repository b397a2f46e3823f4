"""Comparisons that look at the order of values alone: survival times pile up at the horizon.

Mann-Whitney        independent runs of two conditions
Wilcoxon            replicates that share their luck (common random numbers)
Kruskal-Wallis      independent runs of several conditions

Sources: Mann and Whitney 1947; Wilcoxon 1945; Kruskal and Wallis 1952; Cliff 1993 (delta); McGraw
and Wong 1992 (common-language effect); Kerby 2014 (rank-biserial); Tomczak and Tomczak 2014
(epsilon squared).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from society.lab.extra import needed

from .samples import Unanswerable, pairs, sample, samples, varied


@dataclass(frozen=True)
class MannWhitney:
    """Whether one of two independent samples tends to be larger; two-sided."""

    u: float  # of the first sample: pairs in which it is larger, ties counting a half
    p: float  # exact for small samples without ties, else by the normal approximation
    common_language: float  # P(first > second) + P(tie) / 2
    cliffs_delta: float  # P(first > second) - P(first < second), in [-1, 1]
    n: tuple[int, int]
    dropped: tuple[int, int]


@dataclass(frozen=True)
class Wilcoxon:
    """Whether the differences of pairs tend to one side of zero; two-sided."""

    w: float  # the smaller of the two sums of ranks
    p: float  # exact for few pairs without ties, else by the normal approximation
    rank_biserial: float  # share of ranks above zero less that below, in [-1, 1]
    n: int  # pairs that differ
    equal: int  # pairs that do not, which are left out
    dropped: int  # pairs that miss a value


@dataclass(frozen=True)
class KruskalWallis:
    """Whether one of several independent samples tends to be larger."""

    h: float  # corrected for ties; chi squared with df degrees of freedom
    df: int
    p: float
    epsilon_squared: float  # h / (n - 1), in [0, 1]
    n: int
    dropped: int


def mann_whitney(first: ArrayLike, second: ArrayLike) -> MannWhitney:
    """The Mann-Whitney U test; (R1,), (R2,).

    Raises Unanswerable for an empty sample, and where all values are the same.
    """
    one = sample(first, at_least=1, of="the first sample")
    other = sample(second, at_least=1, of="the second sample")
    _ordered(np.concatenate([one.values, other.values]))
    n = (len(one.values), len(other.values))
    found = needed("scipy.stats").mannwhitneyu(one.values, other.values)
    larger = float(found.statistic) / (n[0] * n[1])
    dropped = (one.dropped, other.dropped)
    return MannWhitney(
        float(found.statistic), float(found.pvalue), larger, 2 * larger - 1, n, dropped
    )


def wilcoxon(first: ArrayLike, second: ArrayLike) -> Wilcoxon:
    """The signed-rank test of pairs, equal ones left out; (R,), (R,).

    Raises Unanswerable for conditions of different size, and where no pair differs.
    """
    one, other, dropped = pairs(first, second, at_least=1)
    differences = (one - other)[one != other]
    if not len(differences):
        raise Unanswerable(f"all {len(one)} pairs are equal; there are no ranks to compare")
    stats = needed("scipy.stats")
    found = stats.wilcoxon(differences)
    ranks = stats.rankdata(np.abs(differences))
    return Wilcoxon(
        w=float(found.statistic),
        p=float(found.pvalue),
        rank_biserial=float((ranks * np.sign(differences)).sum() / ranks.sum()),
        n=len(differences),
        equal=len(one) - len(differences),
        dropped=dropped,
    )


def kruskal_wallis(groups: Mapping[str, ArrayLike]) -> KruskalWallis:
    """The Kruskal-Wallis test of two or more independent samples, by name.

    Raises Unanswerable for fewer than two groups, an empty one, and where all values are the same.
    """
    found = samples(groups, at_least=1)
    values = [one.values for one in found.values()]
    _ordered(np.concatenate(values))
    h, p = needed("scipy.stats").kruskal(*values)
    n = sum(map(len, values))
    dropped = sum(one.dropped for one in found.values())
    return KruskalWallis(float(h), len(values) - 1, float(p), float(h) / (n - 1), n, dropped)


def _ordered(values: ArrayLike) -> None:
    together = np.asarray(values)
    if not varied(together):
        raise Unanswerable(
            f"all {len(together)} values are {together[0]:g}; there are no ranks to compare"
        )
