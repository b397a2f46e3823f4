"""The Price equation: what changes the mean of a phenotype from one generation to the next.

    change = Cov(w, z) / w  +  E(w dz) / w  +  entry

z is the phenotype of those who lived before, w how many of those who live now descend from each (an
agent that lives on descends from itself), w without index its mean, and dz how much descendants
differ from those they descend from. A descendant of several elders belongs to each of them in
equal shares. The second term is split by who changed: agents who lived on (their traits are the
same, so that this is what others made of them) and newborn ones (mutation and biased transmission,
and what others make of them). The third is there if somebody descends from nobody: it is the mean
with them less the mean without (immigration).
Sources: Price 1970, Nature 227; Frank 1998, Foundations of Social Evolution, chapter 2; the last
term: Kerr and Godfrey-Smith 2009, Evolution 63, in a form for ancestors and immigrants only.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.engine.rng import Array
from society.lineage import Descents


class PriceTerms(NamedTuple):
    """The change of a mean, and its parts, which add up to it; NaN where none is known.

    selection: Cov(w, z) / w. survivors, newborn: their parts of E(w dz) / w. entry: of those
    without ancestors.
    """

    change: float
    selection: float
    survivors: float
    newborn: float
    entry: float


UNKNOWN = PriceTerms(*[np.nan] * 5)


class MutationBias(NamedTuple):
    """Mean difference of newborn agents from their ancestors; NaN if none have any."""

    newborn: float
    ancestors: float
    bias: float


def split_change(before: Array, after: Array, descents: Descents, newborn: Array) -> PriceTerms:
    """Split the change of the mean from `before`, (N,), to `after`, (M,).

    descents: from whom of before those of now descend. newborn: (M,) of bool; the others lived on.
    Agents without a phenotype (NaN) are left out: those of before from the shares of their
    descendants, which the other ancestors take over; who has no known ancestor counts as having
    entered.

    >>> z, ones = np.array([0.0, 1.0]), np.ones(2)
    >>> heirs, newborn = Descents(np.array([0, 1]), np.array([1, 1])), np.array([True, True])
    >>> split_change(z, ones, heirs, newborn).selection
    0.5
    """
    known = ~np.isnan(before)
    ancestral, fitness = _ancestral_means(before, after, descents)
    descends = ~np.isnan(ancestral)
    if not descends.any():
        return UNKNOWN
    old, fitness, new = before[known], fitness[known], after[~np.isnan(after)]
    differences = after[descends] - ancestral[descends]
    born, count = newborn[descends], len(differences)
    return PriceTerms(
        change=float(new.mean() - old.mean()),
        selection=float(np.mean((fitness - fitness.mean()) * (old - old.mean())) / fitness.mean()),
        survivors=float(differences[~born].sum() / count),
        newborn=float(differences[born].sum() / count),
        entry=float(new.mean() - after[descends].mean()),
    )


def mutation_bias(before: Array, after: Array, descents: Descents, newborn: Array) -> MutationBias:
    """Compare newborn agents, (M,) of bool, with their ancestors; each child counts once.

    >>> heirs = Descents(np.array([0, 1, 1]), np.array([0, 0, 1]))
    >>> mutation_bias(np.array([0.0, 1.0]), np.array([0.0, 0.75]), heirs, np.array([False, True]))
    MutationBias(newborn=0.75, ancestors=0.5, bias=0.25)
    """
    ancestral, _ = _ancestral_means(before, after, descents)
    some = newborn & ~np.isnan(ancestral)
    if not some.any():
        return MutationBias(np.nan, np.nan, np.nan)
    young, old = float(after[some].mean()), float(ancestral[some].mean())
    return MutationBias(young, old, float(np.mean(after[some] - ancestral[some])))


def _ancestral_means(before: Array, after: Array, descents: Descents) -> tuple[Array, Array]:
    """Return the mean phenotype of each agent's ancestors, (M,), and counts of heirs, (N,).

    NaN for those of whom no ancestor is known, or who have no phenotype.
    """
    known = ~np.isnan(before[descents.elders]) & ~np.isnan(after[descents.children])
    children, elders = descents.children[known], descents.elders[known]
    count = np.bincount(children, minlength=len(after))
    total = np.bincount(children, before[elders], len(after))
    ancestral: Array = total / np.where(count, count, np.nan)
    return ancestral, np.bincount(elders, 1 / count[children], len(before))
