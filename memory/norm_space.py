"""Norm space: what the vectors of norm sentences tell about a society; the vectors are given.

For unit vectors n_i of N agents, section 4.2.4 of Gupta et al. 2026 (AAMAS) defines

    S_ind   = mean of n_i . n_j over pairs i < j            individual similarity
    S_align = mean of n_i . m,  m = sum n / |sum n|         alignment with the group's norm

Since sum_i n_i . m = |sum n|, and |sum n|^2 = N + N (N - 1) S_ind,

    S_align = |sum n| / N = sqrt((1 + (N - 1) S_ind) / N):

the two are one number, told twice. What they leave open is ours: closeness to a norm that is named
(the policy in force, an own proposal), likeness along the edges of a graph, drift, clusters.

None of this measures valence: a norm and its negation lie close together, so alignment with an
altruistic sentence is not altruism. See embedders.py.

Everywhere a row of zeros (a text without words) is an agent without a norm: it is left out, and
what is undefined without it is NaN. Vectors are scaled to unit length here, so any may be given.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .embedders import Doubles, MissingExtra, unit

Mask = NDArray[np.bool_]
ClusterLabels = NDArray[np.int64]
NONE = -1  # the cluster of an agent without a norm
_AT_ONCE = 4096  # edges, so that (E, d) is never in memory as a whole


class Edges(NamedTuple):
    """Mean cosine of pairs that are joined by an edge, and of those that are not."""

    joined: float
    apart: float


def similarity(vectors: ArrayLike) -> float:
    """S_ind, the mean cosine over pairs of agents, in [-1 / (N - 1), 1]; (N, d) -> float.

    NaN below two agents. Costs O(N d), by the square of the sum.
    """
    norms = unit(vectors)
    count = _count(norms)
    return _per(_pairs(norms), count * (count - 1) / 2)


def alignment(vectors: ArrayLike) -> float:
    """S_align, the mean cosine with the group's norm, in [0, 1]; (N, d) -> float.

    NaN below one agent. The same number as `similarity`: sqrt((1 + (N - 1) S_ind) / N). So at equal
    S_ind it is the greater the fewer agents there are, and at S_ind = 0 it is 1 / sqrt(N).
    """
    norms = unit(vectors)
    return _per(float(np.linalg.norm(norms.sum(0))), _count(norms))


def closeness(vectors: ArrayLike, target: ArrayLike) -> Doubles:
    """Cosine of each norm with a target, one for all (d,) or one each (N, d); (N, d) -> (N,).

    NaN where either is missing.
    """
    norms, aims = unit(vectors), unit(target)
    both = _there(norms) & _there(aims)
    return np.where(both, (norms * aims).sum(-1), np.nan)


def along_edges(vectors: ArrayLike, edges: ArrayLike) -> Edges:
    """Compare the norms of neighbours with those of others; edges (E, 2) of rows.

    Direction does not matter, nor does an edge given twice; NaN where there is no such pair. Costs
    O(E d + N d): pairs without an edge are what all pairs leave over.
    Raises ValueError for an edge to a row that is not there.
    """
    norms = unit(vectors)
    one, other = _joined(np.asarray(edges, np.int64).reshape(-1, 2), norms)
    count = _count(norms)
    joined = 0.0
    for start in range(0, len(one), _AT_ONCE):
        batch = slice(start, start + _AT_ONCE)
        joined += float((norms[one[batch]] * norms[other[batch]]).sum())
    others = count * (count - 1) // 2 - len(one)
    return Edges(_per(joined, len(one)), _per(_pairs(norms) - joined, others))


def drift(before: ArrayLike, after: ArrayLike) -> Doubles:
    """Measure the drift of each norm between two rounds, 1 - cosine; (N, d) each -> (N,)."""
    return 1 - closeness(after, before)


def clusters(vectors: ArrayLike, likeness: float) -> ClusterLabels:
    """Group norms so that any two of a group have at least this cosine; (N, d) -> (N,).

    Labels count from 0, the largest group first (of equals: that of the first row); NONE for agents
    without a norm. Complete linkage over the K different norms: O(K^2) time and memory, so for
    villages, where agents share norms, and not for thousands of different sentences.
    Raises ValueError for a likeness that is no cosine, and MissingExtra without scipy, which comes
    with the extra.
    """
    if not -1 <= likeness <= 1:
        raise ValueError(f"a likeness of {likeness}; give a cosine from -1 to 1")
    norms = unit(vectors)
    there = _there(norms)
    different, norm_of = np.unique(norms[there], axis=0, return_inverse=True)
    labels = np.full(len(norms), NONE, np.int64)
    groups = _linked(different, likeness)[norm_of.reshape(-1)]  # numpy 2.0 gives them as (N, 1)
    labels[there] = _by_size(groups)
    return labels


def _there(norms: Doubles) -> Mask:
    """Tell who has a norm: (N, d) -> (N,)."""
    return np.asarray(norms.any(-1))


def _count(norms: Doubles) -> int:
    return int(_there(norms).sum())


def _pairs(norms: Doubles) -> float:
    """The sum of cosines over all pairs i < j."""
    total = norms.sum(0)
    return (float((total * total).sum()) - _count(norms)) / 2


def _per(total: float, count: float) -> float:
    return total / count if count else float("nan")


def _joined(edges: ClusterLabels, norms: Doubles) -> tuple[ClusterLabels, ClusterLabels]:
    """The two ends of each different pair of agents with a norm; (E,) each."""
    seats = len(norms)
    if edges.size and (edges.min() < 0 or edges.max() >= seats):
        raise ValueError(
            f"edges from row {edges.min()} to row {edges.max()} among {seats} rows; "
            f"give pairs of rows from 0 to {seats - 1}"
        )
    low, high = edges.min(1), edges.max(1)
    there = _there(norms)
    kept = there[low] & there[high] & (low != high)
    pairs = np.unique(low[kept] * seats + high[kept])
    return pairs // seats, pairs % seats


def _linked(norms: Doubles, likeness: float) -> ClusterLabels:
    """The number of each norm's group, in no particular order; (K, d) -> (K,)."""
    if len(norms) < 2:
        return np.zeros(len(norms), np.int64)
    try:
        from scipy.cluster import hierarchy
        from scipy.spatial import distance
    except ModuleNotFoundError as missing:
        raise MissingExtra("clusters") from missing
    tree = hierarchy.linkage(distance.pdist(norms, "cosine"), method="complete")
    groups: ClusterLabels = hierarchy.fcluster(tree, t=1 - likeness, criterion="distance")
    return groups


def _by_size(groups: ClusterLabels) -> ClusterLabels:
    """Number groups anew, the largest 0; of equals the one that comes first."""
    _, first, group, size = np.unique(
        groups, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(size), np.int64)
    rank[np.lexsort((first, -size))] = np.arange(len(size))
    return rank[group]
