"""Many comparisons at once: which of several conditions differ, and what that costs.

Tukey's honestly significant differences keep the chance of any false alarm among all pairs at
1 - level. Letters display them compactly: conditions that share one do not differ.
Sources: Tukey 1949; Kramer 1956 (unequal sizes); Piepho 2004 (letters, by inserting and absorbing);
Holm 1979; Benjamini and Hochberg 1995.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_letters
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from society.draws import Array
from society.lab.extra import needed

from .samples import Interval, Unanswerable, samples, varied

Correction = Literal["holm", "benjamini-hochberg", "bonferroni"]

_NAMES: Mapping[Correction, str] = {
    "holm": "holm",
    "benjamini-hochberg": "fdr_bh",
    "bonferroni": "bonferroni",
}


@dataclass(frozen=True)
class Comparison:
    """Two groups: the mean of the first less that of the second."""

    first: str
    second: str
    difference: float
    interval: Interval  # all of them hold at once
    p: float  # adjusted for all pairs
    significant: bool


@dataclass(frozen=True)
class Tukey:
    """All pairs of groups, and the groups' letters."""

    pairs: tuple[Comparison, ...]
    means: dict[str, float]  # the highest first
    letters: dict[str, str]  # in the same order; "a" is with the highest mean
    df: int  # of the error: the spread within the groups, pooled over them, and nothing else
    mean_square_error: float
    n: dict[str, int]
    dropped: int


def tukey(groups: Mapping[str, ArrayLike], *, level: float = 0.95) -> Tukey:
    """Tukey's HSD (Tukey-Kramer where sizes differ) of independent groups, by name.

    The error is that of the one-way layout: runs that differ in another factor as well are pooled
    in a group, and that factor's spread is in the error.
    Raises Unanswerable for fewer than two groups, one with fewer than two values, and where no
    group has any spread.
    """
    found = samples(groups)
    values = [one.values for one in found.values()]
    if not any(map(varied, values)):
        raise Unanswerable(
            f"all runs of a group have the same value in all {len(values)} groups; "
            "without spread in them there is no test"
        )
    tested = needed("scipy.stats").tukey_hsd(*values)
    means = {name: float(one.values.mean()) for name, one in found.items()}
    order = np.argsort([-mean for mean in means.values()], kind="stable")
    letters = compact_letters(tested.pvalue[np.ix_(order, order)] < 1 - level)
    ranked = [list(means)[place] for place in order]
    df = sum(map(len, values)) - len(values)
    return Tukey(
        pairs=_compared(means, tested, level),
        means={name: means[name] for name in ranked},
        letters=dict(zip(ranked, letters, strict=True)),
        df=df,
        mean_square_error=sum(float(one.var()) * len(one) for one in values) / df,
        n={name: len(one.values) for name, one in found.items()},
        dropped=sum(one.dropped for one in found.values()),
    )


def compact_letters(differ: Array) -> tuple[str, ...]:
    """Letters such that two groups share one if, and only if, they do not differ.

    differ: (k, k), symmetric, groups in the order of their letters: the first has an "a".
    Raises Unanswerable where more letters would be needed than there are, a to z and A to Z.

    >>> compact_letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    ('a', 'ab', 'b')
    """
    count = len(differ)
    columns = {frozenset(range(count))}  # the groups of a letter
    for pair in combinations(range(count), 2):
        if differ[pair]:
            columns = _absorbed(_inserted(columns, pair))
    if len(columns) > len(ascii_letters):
        raise Unanswerable(
            f"{len(columns)} letters would be needed to tell {count} groups apart; compare fewer"
        )
    ordered = sorted(map(sorted, columns))
    return tuple(
        "".join(
            letter for letter, column in zip(ascii_letters, ordered, strict=False) if k in column
        )
        for k in range(count)
    )


def corrected(p_values: Sequence[float], method: Correction = "holm") -> Array:
    """The p values of several tests, adjusted for their number; (k,) -> (k,).

    holm, bonferroni: the chance of any false alarm stays below the level at which they are read;
    benjamini-hochberg: the share of false alarms among the findings does.
    Raises Unanswerable for a p value that is missing: leave out what has not been tested.
    """
    given = np.asarray(p_values, float)
    if not len(given):
        return given
    if np.isnan(given).any():
        raise Unanswerable(f"{np.isnan(given).sum()} of {len(given)} p values are missing")
    multitest = needed("statsmodels.stats.multitest")
    adjusted: Array = multitest.multipletests(given, method=_NAMES[method])[1]
    return adjusted


def _compared(means: Mapping[str, float], tested: Any, level: float) -> tuple[Comparison, ...]:
    """All pairs of groups, from scipy's table of them."""
    limits = tested.confidence_interval(level)
    return tuple(
        Comparison(
            first=first,
            second=second,
            difference=means[first] - means[second],
            interval=Interval(float(limits.low[i, j]), float(limits.high[i, j]), level),
            p=float(tested.pvalue[i, j]),
            significant=bool(tested.pvalue[i, j] < 1 - level),
        )
        for (i, first), (j, second) in combinations(enumerate(means), 2)
    )


def _inserted(columns: set[frozenset[int]], pair: tuple[int, int]) -> set[frozenset[int]]:
    """Split each column that holds both of a pair in two, each without one of them."""
    split: set[frozenset[int]] = set()
    for column in columns:
        split |= {column - {one} for one in pair} if column.issuperset(pair) else {column}
    return split


def _absorbed(columns: set[frozenset[int]]) -> set[frozenset[int]]:
    """Drop columns that lie in another one."""
    return {column for column in columns if not any(column < other for other in columns)}
