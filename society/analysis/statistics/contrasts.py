"""Two conditions: how far apart their means are, how sure that is, and how large.

Student  t = (m1 - m2) / (s sqrt(1/n1 + 1/n2)), s pooled, n1 + n2 - 2 degrees of freedom
Welch    t = (m1 - m2) / sqrt(s1^2/n1 + s2^2/n2), degrees of freedom by Satterthwaite
paired   t = m(d) / (s(d) / sqrt(n)), d the differences of replicates that share random numbers

The first two take all runs as independent. Under common random numbers they are not: the paired
contrast is then the one that holds, and mostly the sharper one.
Sources: Student 1908; Welch 1947; Hedges and Olkin 1985 (g and its large-sample interval).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array
from society.optional import require

from .quantiles import normal_reach, t_reach, t_tails
from .samples import Interval, NotEstimable, Sample, has_spread, pairs, sample

_LEAST = 4  # values of either sample for an interval of g: with fewer it covers far too much


class Standardised(NamedTuple):
    """A difference in pooled standard deviations."""

    d: float  # Cohen's
    g: float  # Hedges': d without its bias in small samples
    interval: Interval | None  # of g, by its large-sample variance; None below 4 values of either


@dataclass(frozen=True)
class Contrast:
    """The mean of the first less that of the second, of independent runs; two-sided.

    difference: in the unit of the values. t, df: Student's statistic and its degrees of
    freedom. p: the chance of a statistic as far out, if there is no effect.
    """

    test: Literal["Student", "Welch", "Student, part against whole"]
    difference: float
    interval: Interval
    t: float
    df: float
    p: float
    effect: Standardised
    means: tuple[float, float]
    n: tuple[int, int]
    dropped: tuple[int, int]  # replicates without a value


@dataclass(frozen=True)
class PairedContrast:
    """The mean of the first less that of the second, of replicates with the same random numbers.

    difference: in the unit of the values. t, df: Student's statistic and its degrees of
    freedom. p: the chance of a statistic as far out, if there is no effect. d_z: the difference
    in standard deviations of the differences. correlation: of the pairs, in [-1, 1].
    variance_reduction: variance of the difference if unpaired, over the paired one. n: pairs;
    dropped: pairs that miss a value.
    """

    difference: float
    interval: Interval
    t: float
    df: float
    p: float
    d_z: float  # the difference in standard deviations of the differences
    correlation: float | None  # of the pairs; None where one condition has no spread
    variance_reduction: float  # variance of the difference if unpaired, over the paired one
    means: tuple[float, float]
    n: int  # pairs
    dropped: int  # pairs that miss a value


def student(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Contrast:
    """Compare two conditions by Student's t test, which takes variances as equal; (R1,), (R2,).

    Raises NotEstimable for fewer than two values each, and where neither has any spread.
    level: of the interval, in (0, 1).
    """
    return _contrast("Student", _spread(first, second), level)


def welch(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Contrast:
    """Compare two conditions by Welch's t test, which lets variances differ; (R1,), (R2,).

    Raises NotEstimable for fewer than two values each, and where neither has any spread.
    level: of the interval, in (0, 1).
    """
    return _contrast("Welch", _spread(first, second), level)


def part_against_whole(part: ArrayLike, rest: ArrayLike, *, level: float = 0.95) -> Contrast:
    """Compare some runs with all runs, themselves included, by Student's t; (R1,), (R2,).

    Not a valid test: the part stands on both sides, so that the two samples are not independent,
    the difference is drawn towards zero, and t does not follow its distribution. It is here because
    the village paper tests its ablations so: 180 runs against all 720 give its t(898), 60 against
    all 180 its t(238). To conclude anything use `welch(part, rest)`.
    Raises NotEstimable as `student` does.
    Source: Gupta et al. 2026 (AAMAS), section 4.2.5.
    level: of the interval, in (0, 1).
    """
    whole = np.concatenate([np.asarray(part, float), np.asarray(rest, float)])
    return _contrast("Student, part against whole", _spread(part, whole), level)


def paired(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> PairedContrast:
    """Compare two conditions under common random numbers by the paired t test; (R,), (R,).

    Raises NotEstimable for conditions of different size, fewer than two pairs, and where all pairs
    differ by the same.
    level: of the interval, in (0, 1).
    """
    one, other, dropped = pairs(first, second)
    differences, largest = one - other, float(np.abs([one, other]).max())
    if not has_spread(differences, largest=largest):
        shift = differences[0] if has_spread(np.array([0, differences[0]]), largest=largest) else 0
        raise NotEstimable(
            f"all {len(one)} pairs differ by {shift:g}; "
            "without spread their mean has no interval and no test"
        )
    difference, df = float(differences.mean()), len(one) - 1
    variance = float(differences.var(ddof=1))
    se = math.sqrt(variance / len(one))
    reach = float(t_reach(level, df)) * se
    return PairedContrast(
        difference=difference,
        interval=Interval(difference - reach, difference + reach, level),
        t=difference / se,
        df=float(df),
        p=t_tails(difference / se, df),
        d_z=float(differences.mean()) / math.sqrt(variance),
        correlation=_correlation(one, other),
        variance_reduction=float(one.var(ddof=1) + other.var(ddof=1)) / variance,
        means=(float(one.mean()), float(other.mean())),
        n=len(one),
        dropped=dropped,
    )


def effect(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Standardised:
    """Return Cohen's d and Hedges' g of two independent samples; (R1,), (R2,).

    Raises NotEstimable for fewer than two values each, and where neither has any spread.
    level: of the interval, in (0, 1).
    """
    one, other = (taken.values for taken in _spread(first, second))
    stats = require("statsmodels.stats.meta_analysis")
    g, variance = stats.effectsize_smd(
        *(one.mean(), one.std(ddof=1), len(one)), *(other.mean(), other.std(ddof=1), len(other))
    )
    df = len(one) + len(other) - 2
    pooled = (one.var() * len(one) + other.var() * len(other)) / df
    reach = normal_reach(level) * math.sqrt(variance)
    enough = min(len(one), len(other)) >= _LEAST
    interval = Interval(float(g - reach), float(g + reach), level) if enough else None
    return Standardised(float(one.mean() - other.mean()) / math.sqrt(pooled), float(g), interval)


def _spread(first: ArrayLike, second: ArrayLike) -> tuple[Sample, Sample]:
    one, other = sample(first, of="the first sample"), sample(second, of="the second sample")
    if not has_spread(one.values) and not has_spread(other.values):
        raise NotEstimable(
            f"all {len(one.values)} values are {one.values[0]:g} and all {len(other.values)} are "
            f"{other.values[0]:g}; without spread their difference has no interval and no test"
        )
    return one, other


def _contrast(
    test: Literal["Student", "Welch", "Student, part against whole"],
    compared: tuple[Sample, Sample],
    level: float,
) -> Contrast:
    weightstats = require("statsmodels.stats.weightstats")
    one, other = (taken.values for taken in compared)
    # Not scipy's ttest_ind, which warns where one of the two samples has no spread.
    both = weightstats.CompareMeans(weightstats.DescrStatsW(one), weightstats.DescrStatsW(other))
    variances = "unequal" if test == "Welch" else "pooled"
    t, p, df = both.ttest_ind(usevar=variances)
    low, high = both.tconfint_diff(1 - level, usevar=variances)
    return Contrast(
        test=test,
        difference=float(one.mean() - other.mean()),
        interval=Interval(float(low), float(high), level),
        t=float(t),
        df=float(df),
        p=float(p),
        effect=effect(one, other, level=level),
        means=(float(one.mean()), float(other.mean())),
        n=(len(one), len(other)),
        dropped=(compared[0].dropped, compared[1].dropped),
    )


def _correlation(one: Array, other: Array) -> float | None:
    if not has_spread(one) or not has_spread(other):
        return None
    return float(np.corrcoef(one, other)[0, 1])
