"""The order of types by score: who stands where, who ties, and what may be said of the first.

A tie is a difference that is no more than an error of rounding. Of runs that differ by chance, the
type with the highest mean is said to be ahead only if it is so in a paired t test over runs against
each other type, by Bonferroni's rule, since the data have chosen whom to test.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.contrasts import paired
from society.analysis.statistics.samples import NotEstimable
from society.engine.rng import Array

from .standings import MeanOverRuns

_EQUAL = 1e-9  # of the largest score: what differs by less is the same
_LEVEL = 0.05


class Ranking(NamedTuple):
    """Types by their mean scores, the highest first.

    order: their numbers. places: the place of each in this order, from 1; ties share the first of
    theirs. level: how many have the highest score, or cannot be told apart from the one that has.
    tied: True if their scores are equal, False if it is runs that do not tell them apart.
    """

    order: Sequence[int]
    places: Sequence[int]
    level: int
    tied: bool

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
        level = places.count(1)
        if level > 1:
            return cls(order, places, level, tied=True)
        first, *others = (scores[:, number] for number in order)
        apart = [_is_ahead(first, other, len(others)) for other in others]
        return cls(order, places, 1 + apart.count(False), tied=False)

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
        leaders = [types[number] for number in self.order[: self.level]]
        if self.level == len(self.order) and self.level > 1:
            return "All types tie" if self.tied else "Runs do not tell the types apart"
        if self.level == 1:
            return f"{leaders[0]} scores highest"
        names = _enumerate(leaders)
        if self.tied:
            return f"{names} tie for the highest score"
        return f"{leaders[0]} has the highest mean, but runs do not tell {names} apart"


def _is_ahead(first: Array, other: Array, comparisons: int) -> bool:
    """Tell whether the first of two types is ahead of the other one; both have a mean."""
    known = ~(np.isnan(first) | np.isnan(other))
    if not known.any():
        return not np.isnan(first).all()
    apart = first[known] - other[known]
    if np.ptp(apart) <= _EQUAL * np.abs(first[known]).max():
        return True  # nothing in it is chance
    try:
        return paired(first[known], other[known]).p * comparisons < _LEVEL
    except NotEstimable:
        return False


def _enumerate(names: Sequence[str]) -> str:
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
