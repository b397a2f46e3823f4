"""Counts of runs: whether something is true of more of them, or of fewer, than by chance.

binomial    of n runs, against a chance that is known: exact, with the interval of Clopper and
            Pearson
fisher      of the runs of two conditions, which are independent: exact, with Newcombe's interval
Sources: Clopper and Pearson 1934, Biometrika 26; Fisher 1935; Newcombe 1998, Statistics in
Medicine 17.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from society.optional import require

from .samples import Interval, NotEstimable


class SuccessCount(NamedTuple):
    """A count among n runs."""

    hits: int
    n: int


@dataclass(frozen=True)
class Binomial:
    """A share of runs beside the chance that each had; two-sided.

    p: the chance of a count as unlikely or more so, under the known chance.
    """

    share: float
    interval: Interval
    p: float


@dataclass(frozen=True)
class Fisher:
    """The share of runs of one condition less that of another; two-sided.

    difference: of the shares, in [-1, 1]. p: the chance of a table as unlikely or more so, if
    both are alike.
    """

    shares: tuple[float, float]
    difference: float
    interval: Interval
    p: float


def binomial(count: SuccessCount, chance: float, *, level: float = 0.95) -> Binomial:
    """Test a count against a known chance, exactly; raises NotEstimable without a run.

    level: of the interval, in (0, 1).
    """
    _refuse(count)
    test = require("scipy.stats").binomtest(count.hits, count.n, chance)
    low, high = test.proportion_ci(level, method="exact")
    return Binomial(
        count.hits / count.n, Interval(float(low), float(high), level), float(test.pvalue)
    )


def fisher(first: SuccessCount, second: SuccessCount, *, level: float = 0.95) -> Fisher:
    """Compare two counts by Fisher's exact test; raises NotEstimable without runs.

    level: of the interval, in (0, 1).
    """
    _refuse(first, second)
    table = [[count.hits, count.n - count.hits] for count in (first, second)]
    p = require("scipy.stats").fisher_exact(table).pvalue
    low, high = require("statsmodels.stats.proportion").confint_proportions_2indep(
        *first, *second, method="newcomb", compare="diff", alpha=1 - level
    )
    shares = (first.hits / first.n, second.hits / second.n)
    interval = Interval(float(low), float(high), level)
    return Fisher(shares, shares[0] - shares[1], interval, float(p))


def _refuse(*counts: SuccessCount) -> None:
    for hits, n in counts:
        if not n:
            raise NotEstimable("a share of 0 runs; at least 1 is needed")
        if not 0 <= hits <= n:
            raise ValueError(f"{hits} of {n} runs; give a count from 0 to {n}")
