"""Comparisons that judges of claims read: of two samples, shares of runs, several levels.

A difference is shown from a corrected p below ALPHA on, unless its interval excludes all that
MATTERS: then it is real but small, which neither shows nor refutes a claim. Means are alike if the
whole interval excludes what matters. Fewer than FEWEST runs show nothing. The rules for readers:
docs/verdict-rules.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, NamedTuple

from society.engine.rng import Array

Metric = Literal["mean", "fitness", "rank", "cooperation", "first_cooperation", "delegation"]

ALPHA = 0.05
MATTERS = 0.1  # of the mean or chance compared with: the least difference that counts
FEWEST = 3  # runs of each condition, below which nothing is judged
_ROUNDING = 1e-12  # of floats
_SMALL = f", less than {MATTERS:.0%}"  # behind a difference that is real but small


class Comparison(NamedTuple):
    """The mean of one sample less that of another.

    name: "altruist > mixed". means: of both. low, high: of an interval. test: its name. p:
    two-sided. Interval and p are corrected over all that was compared together. untestable: why
    there is none of it. logs: what multiplies was compared by its logarithms; then means are
    geometric, and the difference and its interval are of logarithms, and said as how many times as
    much.

    >>> print(Comparison("one > other", (30.7, 13.4), 17.3, 16.1, 18.5, "paired", 28.4, 99, 2e-9))
    one > other: 30.7 - 13.4 = 17.3 [16.1, 18.5], p < 0.001
    >>> print(Comparison("one > other", (30, 10), 1.1, 0.69, 1.5, "paired", p=0.02, logs=True))
    one > other: 30 / 10 = 3 [1.99, 4.48], p = 0.020
    >>> print(Comparison("one > other", (105, 100), 5, 4.68, 5.44, "paired", p=2e-9))
    one > other: 105 - 100 = 5 [4.68, 5.44], p < 0.001, less than 10%
    """

    name: str
    means: tuple[float, float] = (0.0, 0.0)
    difference: float = 0.0
    low: float = 0.0
    high: float = 0.0
    test: str = ""
    t: float = 0.0
    df: float = 0.0
    p: float = 1.0
    untestable: str = ""
    logs: bool = False
    n: tuple[int, ...] = ()

    @property
    def differs(self) -> bool | None:
        """True if means differ, False if they are alike; None if not shown, or real but small."""
        if self.untestable or self.real_but_small:
            return None
        if self.p < ALPHA:
            return True
        return False if self._excludes_what_matters else None

    @property
    def alike(self) -> bool | None:
        """True if no difference that matters is possible, False if means differ; else None."""
        if self.untestable:
            return None
        if self._excludes_what_matters:
            return True
        return False if self.p < ALPHA else None

    @property
    def holds(self) -> bool | None:
        """True if the first mean is above the second, False if it is not; None if not shown.

        A first mean that is surely above, but by less than what matters, is neither.
        """
        if self.untestable:
            return None
        small = self.high < self._matters
        return _decided(sure=self.p < ALPHA, more=self.difference > 0, small=small)

    @property
    def real_but_small(self) -> bool:
        """True if means surely differ, and surely by less than what matters."""
        return not self.untestable and self.p < ALPHA and self._excludes_what_matters

    @property
    def reversed(self) -> bool:
        """True if the second mean is surely above the first."""
        return not self.untestable and self.p < ALPHA and self.difference < 0

    @property
    def _excludes_what_matters(self) -> bool:
        return -self._matters < self.low and self.high < self._matters

    @property
    def _matters(self) -> float:
        return math.log1p(MATTERS) if self.logs else MATTERS * abs(self.means[1])

    @property
    def statistic(self) -> str:
        """t with its degrees of freedom."""
        return self.untestable or f"t({self.df:.4g}) = {self.t:.2f}, {p_in_words(self.p)}"

    def __str__(self) -> str:
        if self.untestable:
            return f"{self.name}: {self.untestable}"
        first, second = map(three_figures, self.means)
        found = (self.difference, self.low, self.high)
        apart, low, high = (three_figures(math.exp(one) if self.logs else one) for one in found)
        sign = "/" if self.logs else "-"
        numbers = f"{first} {sign} {second} = {apart} [{low}, {high}], {p_in_words(self.p)}"
        return f"{self.name}: {numbers}{_SMALL if self.real_but_small else ''}"


class Odds(NamedTuple):
    """The count of runs of which something is true, beside the count expected by chance.

    low, high: of their share (Clopper and Pearson). p: two-sided, exact. Interval and p are
    corrected as in Comparison.

    >>> print(Odds("heads", 2, 20, 0.5, 0.01, 0.32, 0.0004))
    heads: in 2 of 20 runs, 10.0% [1.0%, 32.0%], by chance 50.0%, p < 0.001
    """

    name: str
    hits: int
    n: int
    chance: float
    low: float = 0.0
    high: float = 1.0
    p: float = 1.0
    untestable: str = ""

    @property
    def above(self) -> bool | None:
        """True if more runs than by chance, False if not; None if not shown, or real but small."""
        return self._beyond(self.hits > self.n * self.chance, self.high - self.chance)

    @property
    def below(self) -> bool | None:
        """True if fewer runs than by chance, False if not; None if not shown, or real but small."""
        return self._beyond(self.hits < self.n * self.chance, self.chance - self.low)

    @property
    def real_but_small(self) -> bool:
        """True if surely more or fewer, and surely by less than what matters."""
        sure = not self.untestable and self.p < ALPHA
        return sure and True not in (self.above, self.below)

    def _beyond(self, more: bool, most: float) -> bool | None:
        """Decide for one side; most: the largest difference to this side that is possible."""
        if self.untestable:
            return None
        # Of the rest to one where that is less: a chance of 0.95 leaves no room for a tenth more,
        # and "above 0.95" says the same of runs as "below 0.05" of all other runs.
        small = most < MATTERS * min(self.chance, 1 - self.chance)
        return _decided(sure=self.p < ALPHA, more=more, small=small)

    def alike(self, margin: float) -> bool | None:
        """True if the share is surely within so much of the chance; None if that is not shown."""
        if self.untestable:
            return None
        if self.chance * (1 - margin) < self.low and self.high < self.chance * (1 + margin):
            return True
        return False if self.p < ALPHA else None

    def __str__(self) -> str:
        if self.untestable:
            return f"{self.name}: {self.untestable}"
        share = f"{self.hits / self.n:.1%} [{self.low:.1%}, {self.high:.1%}]"
        words = f"in {self.hits} of {self.n} runs, {share}, by chance {self.chance:.1%}"
        return f"{self.name}: {words}, {p_in_words(self.p)}{_SMALL if self.real_but_small else ''}"


class MeanInterval(NamedTuple):
    """A mean over runs with its interval.

    widest: corrected over all that was estimated together; if not given, the interval itself. n:
    runs.

    >>> print(MeanInterval(30.25, 27.1, 33.4))
    [27.1, 33.4]
    """

    mean: float
    low: float
    high: float
    widest: tuple[float, float] | None = None
    untestable: str = ""
    n: int = 0

    def within(self, low: float, high: float) -> bool | None:
        """True if the interval is in this range, False if it is outside, else None.

        >>> MeanInterval(30.25, 27.1, 33.4).within(25, 35)
        True
        >>> MeanInterval(34, 27.1, 41.4).within(25, 35) is None
        True
        """
        if self.untestable:
            return None
        if low <= self.low and self.high <= high:
            return True
        return False if self.high < low or high < self.low else None

    @property
    def widened(self) -> MeanInterval:
        """The same mean with the widest interval."""
        if self.widest is None:
            return self
        low, high = self.widest
        return self._replace(low=low, high=high)

    def __str__(self) -> str:
        return (
            f"({self.untestable})"
            if self.untestable
            else f"[{three_figures(self.low)}, {three_figures(self.high)}]"
        )


class TypeScores(NamedTuple):
    """Scores of types of agents that met each other, in each of n repetitions.

    average: of all types, (n,). each: by the name of a type, (n,).
    """

    average: Array
    each: Mapping[str, Array]


class Effect(NamedTuple):
    """A row of an analysis of variance; low, high: the 95 % interval of eta squared.

    >>> print(Effect("model", 6, 189, 2.37, 0.031, 0.06, 0.0, 0.11))
    model: F(6, 189) = 2.37, p = 0.031, eta squared 0.06 [0, 0.11]
    """

    name: str
    df: float
    df_residual: float
    f: float
    p: float
    eta_squared: float
    low: float
    high: float

    def __str__(self) -> str:
        f = f"F({self.df:g}, {self.df_residual:g}) = {self.f:.2f}"
        size = f"{self.eta_squared:.2g} [{self.low:.2g}, {self.high:.2g}]"
        return f"{self.name}: {f}, {p_in_words(self.p)}, eta squared {size}"


def _decided(*, sure: bool, more: bool, small: bool) -> bool | None:
    """Decide that something is more; small: all differences that matter are excluded."""
    if sure and more:
        return None if small else True
    return False if sure or small else None


def three_figures(value: float) -> str:
    """Write a number with three figures; what only rounding of floats tells from 0 is 0.

    >>> three_figures(-5.55e-17), three_figures(0.12345)
    ('0', '0.123')
    """
    return "0" if abs(value) < _ROUNDING else f"{value:.3g}"


def p_in_words(p: float) -> str:
    """A p value in words.

    >>> p_in_words(0.0312), p_in_words(2e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
