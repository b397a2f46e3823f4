"""The order of types by score: who stands where, who ties, and what may be said of the first.

A tie is a difference that is no more than an error of rounding. Of runs that differ by chance, the
type with the highest mean is said to be ahead only if it is so in a paired t test over runs against
each other type, by Bonferroni's rule. One test for each other type is enough, though the data have
chosen the first: a wrong first one must be ahead of the truly best type, in one of these tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.contrasts import paired
from society.analysis.statistics.samples import NotEstimable
from society.engine.rng import Array

from .standings import MeanOverRuns

FEWEST = 5  # runs that differ; with fewer, none of them is said to be ahead
_EQUAL = 1e-9  # of the largest score: what differs by less is the same
_LEVEL = 0.05


class Ranking(NamedTuple):
    """Types by their mean scores, the highest first; those without a score stand last.

    order: their numbers. places: the place of each in this order, from 1; ties share the first of
    theirs. leaders: the type with the highest score, then those that have the same, or that runs do
    not tell apart from it. tied: True if their scores are equal. p: the largest of the tests of the
    first type, adjusted; None where scores do not differ by chance.
    """

    order: Sequence[int]
    places: Sequence[int]
    leaders: Sequence[int]
    tied: bool
    p: float | None = None

    @classmethod
    def of(cls, scores: Array) -> Ranking:
        """Rank types by their scores in some runs, (runs, K); NaN stands last."""
        means = np.nan_to_num(MeanOverRuns.of(scores).mean, nan=-np.inf)
        order = np.argsort(-means, kind="stable").tolist()
        ranked = means[order]
        same = _EQUAL * np.abs(means[np.isfinite(means)]).max(initial=0)
        places = [1]
        for at in range(1, len(order)):
            places.append(places[-1] if ranked[at - 1] - ranked[at] <= same else at + 1)
        if places.count(1) > 1:
            return cls(order, places, order[: places.count(1)], tied=True)
        first, others = order[0], [number for number in order[1:] if np.isfinite(means[number])]
        found = {
            number: _ahead_by_chance(scores[:, first], scores[:, number], len(others))
            for number in others
        }
        known = [p for p in found.values() if p is not None]
        near = [number for number, p in found.items() if p is not None and p >= _LEVEL]
        return cls(order, places, [first, *near], False, max(known, default=None))

    @property
    def names_of_places(self) -> list[str]:
        """The places in words of a table of results: "1", "2=" for those who tie, "4"."""
        return [f"{place}{'=' * (self.places.count(place) > 1)}" for place in self.places]

    def claim(self, types: Sequence[str]) -> str:
        """Say who scores highest, as far as it can be said.

        >>> Ranking.of(np.array([[2.0, 1.0, 3.0]])).claim(["nice", "tit", "nasty"])
        'nasty scores highest'
        >>> Ranking.of(np.array([[2.0, 2.0, 1.0]])).claim(["nice", "tit", "nasty"])
        'nice and tit tie for the highest score'
        """
        leaders = [types[number] for number in self.leaders]
        if len(leaders) == len(self.order) > 1:
            return "All types tie" if self.tied else "Runs do not tell the types apart"
        if len(leaders) == 1:
            return f"{leaders[0]} scores highest"
        names = _enumerate(leaders)
        if self.tied:
            return f"{names} tie for the highest score"
        return f"{leaders[0]} has the highest mean, but runs do not tell {names} apart"


def _ahead_by_chance(first: Array, other: Array, comparisons: int) -> float | None:
    """Return the adjusted p of the first of two types being ahead; None if no chance is in it."""
    known = ~(np.isnan(first) | np.isnan(other))
    if not known.any():
        return None
    apart = first[known] - other[known]
    if np.ptp(apart) <= _EQUAL * np.abs(first[known]).max():
        return None
    if known.sum() < FEWEST:
        return 1.0
    try:
        return min(paired(first[known], other[known]).p * comparisons, 1.0)
    except NotEstimable:
        return 1.0


def _enumerate(names: Sequence[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
