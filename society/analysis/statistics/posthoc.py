"""Many comparisons at once: which of several conditions differ, and what that costs.

Tukey's honestly significant differences keep the chance of any false alarm among all pairs at
1 - level. Letters display them compactly: conditions that share one do not differ.
Sources: Tukey 1949; Kramer 1956 (unequal sizes); Piepho 2004 (letters, by inserting and absorbing);
Holm 1979; Benjamini and Hochberg 1995.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_letters
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array
from society.optional import require

from .anova import Anova, Margin
from .samples import Interval, NotEstimable, has_spread, samples

Correction = Literal["holm", "benjamini-hochberg", "bonferroni"]


@dataclass(frozen=True)
class Difference:
    """Two groups: the mean of the first less that of the second.

    difference: in the unit of the values. p: adjusted for all pairs.
    """

    first: str
    second: str
    difference: float
    interval: Interval  # all of them hold at once
    p: float  # adjusted for all pairs


@dataclass(frozen=True)
class Tukey:
    """All pairs of groups, and the groups' letters.

    df: degrees of freedom of the error. dropped: runs without a value.
    """

    pairs: tuple[Difference, ...]
    means: dict[str, float]  # the highest first
    letters: dict[str, str]  # in the same order; "a" is with the highest mean
    df: int  # of the error
    n: dict[str, int]
    dropped: int


def tukey(groups: Mapping[str, ArrayLike], *, level: float = 0.95) -> Tukey:
    """Compare all groups, by name, by Tukey's HSD (Tukey-Kramer where sizes differ).

    The error is that of the one-way layout: runs that differ in another factor as well are pooled
    in a group, and that factor's spread is in the error. `tukey_after` takes it out.
    Raises NotEstimable for fewer than two groups, one with fewer than two values, and where no
    group has any spread.
    level: of the interval, in (0, 1).
    """
    taken = samples(groups)
    values = [group.values for group in taken.values()]
    if not any(map(has_spread, values)):
        raise NotEstimable(
            f"all runs of a group have the same value in all {len(values)} groups; "
            "without spread in them there is no test"
        )
    margins = [
        Margin(name, float(group.values.mean()), len(group.values), len(group.values))
        for name, group in taken.items()
    ]
    df = sum(map(len, values)) - len(values)
    mean_square = sum(float(group.var()) * len(group) for group in values) / df
    return _compare_all(
        margins, (mean_square, df), level, sum(group.dropped for group in taken.values())
    )


def tukey_after(analysis: Anova, factor: str, *, level: float = 0.95) -> Tukey:
    """Compare the levels of a factor by Tukey's HSD, with the error of an analysis of variance.

    It compares marginal means, as the F test of the factor does: the spread of another factor, and
    the random numbers of replicates, are no error.
    Raises KeyError for a factor that it does not have, and NotEstimable as `compact_letters` does.
    level: of the interval, in (0, 1).
    """
    left = analysis.residual
    return _compare_all(
        analysis.margins[factor], (left.sum_of_squares / left.df, left.df), level, analysis.dropped
    )


def _compare_all(
    margins: Sequence[Margin], error: tuple[float, int], level: float, dropped: int
) -> Tukey:
    """Compare all pairs; error: the mean square, and its degrees of freedom."""
    (mean_square, df), names = error, [margin.level for margin in margins]
    means, weights = np.array([(margin.mean, margin.weight) for margin in margins]).T
    first, second = np.triu_indices(len(margins), 1)
    difference = means[first] - means[second]
    unit = np.sqrt(mean_square / 2 * (1 / weights[first] + 1 / weights[second]))
    studentised = require("scipy.stats").studentized_range
    reach = studentised.ppf(level, len(margins), df) * unit
    p = np.clip(studentised.sf(np.abs(difference) / unit, len(margins), df), 0, 1)
    differ = np.zeros((len(margins), len(margins)), bool)
    differ[first, second] = differ[second, first] = p < 1 - level
    order = np.argsort(-means, kind="stable").tolist()
    letters = compact_letters(differ[np.ix_(order, order)])
    rows = zip(first, second, difference.tolist(), reach.tolist(), p.tolist(), strict=True)
    return Tukey(
        pairs=tuple(
            Difference(names[i], names[j], apart, Interval(apart - far, apart + far, level), p_of)
            for i, j, apart, far, p_of in rows
        ),
        means={names[place]: margins[place].mean for place in order},
        letters={names[place]: own for place, own in zip(order, letters, strict=True)},
        df=df,
        n={margin.level: margin.n for margin in margins},
        dropped=dropped,
    )


def compact_letters(differ: Array) -> tuple[str, ...]:
    """Give groups letters such that two share one if, and only if, they do not differ.

    differ: (k, k), symmetric, groups in the order of their letters: the first has an "a".
    Raises NotEstimable where more letters would be needed than there are, a to z and A to Z.

    >>> compact_letters(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], bool))
    ('a', 'ab', 'b')
    """
    count = len(differ)
    columns = {frozenset(range(count))}  # the groups of a letter
    for pair in combinations(range(count), 2):
        if differ[pair]:
            columns = _absorb(_insert(columns, pair))
    if len(columns) > len(ascii_letters):
        raise NotEstimable(
            f"{len(columns)} letters would be needed to tell {count} groups apart; compare fewer"
        )
    ordered = sorted(map(sorted, columns))
    return tuple(
        "".join(
            letter for letter, column in zip(ascii_letters, ordered, strict=False) if k in column
        )
        for k in range(count)
    )


def correct_p_values(p_values: Sequence[float], method: Correction = "holm") -> Array:
    """Adjust the p values of several tests for their number; (k,) -> (k,).

    holm, bonferroni: the chance of any false alarm stays below the level at which they are read;
    benjamini-hochberg: the share of false alarms among the findings does.
    Raises NotEstimable for a p value that is missing: leave out what has not been tested.
    """
    given = np.asarray(p_values, float)
    if not len(given):
        return given
    if np.isnan(given).any():
        raise NotEstimable(f"{np.isnan(given).sum()} of {len(given)} p values are missing")
    return _CORRECTIONS[method](given)


def _holm(p_values: Array) -> Array:
    """Multiply the k-th smallest of n by n - k + 1, and let none be below a smaller one.

    That of statsmodels collects all garbage of the process each time, for up to a second.
    """
    order = np.argsort(p_values, kind="stable")
    adjusted = np.empty_like(p_values)
    steps = np.arange(len(p_values), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * steps), 1)
    return adjusted


def _bonferroni(p_values: Array) -> Array:
    adjusted: Array = np.minimum(p_values * len(p_values), 1)
    return adjusted


def _benjamini_hochberg(p_values: Array) -> Array:
    adjusted: Array = require("scipy.stats").false_discovery_control(p_values, method="bh")
    return adjusted


_CORRECTIONS: Mapping[Correction, Callable[[Array], Array]] = {
    "holm": _holm,
    "benjamini-hochberg": _benjamini_hochberg,
    "bonferroni": _bonferroni,
}


def _insert(columns: set[frozenset[int]], pair: tuple[int, int]) -> set[frozenset[int]]:
    """Split each column that holds both of a pair in two, each without one of them."""
    split: set[frozenset[int]] = set()
    for column in columns:
        split |= {column - {member} for member in pair} if column.issuperset(pair) else {column}
    return split


def _absorb(columns: set[frozenset[int]]) -> set[frozenset[int]]:
    """Drop columns that lie in another one."""
    return {column for column in columns if not any(column < other for other in columns)}
