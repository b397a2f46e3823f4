"""Effects that a claim is judged by: what was compared, how large it is, and what the paper has.

Whatever was compared stands beside what it is held against: the mean of another sample, chance, the
range or the number that the paper names. So differences of rounds, shares and eta squared have one
scale, on which a difference of MATTERS is the least that counts: how many times as much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

from .comparisons import Comparison, Effect, MeanInterval, Odds

EffectSort = Literal["difference", "share of runs", "mean in a range", "eta squared"]
Expected = Literal["greater", "less", "not greater", "not less", "different", "alike", "in range"]


class PaperValue(NamedTuple):
    """A number of the paper, or a range, and the number that the paper holds it against.

    against: None where that is the range itself. where: table, figure or section of the paper.

    >>> print(PaperValue(0.8, 0.8, 0.59, "Table 2"))
    0.8 against 0.59 (Table 2)
    >>> print(PaperValue(25, 35, None, "section 4.2.2"))
    25 to 35 (section 4.2.2)
    """

    low: float
    high: float
    against: float | None
    where: str

    def __str__(self) -> str:
        if self.against is not None:
            words = f"{self.low:.4g} against {self.against:.4g}"
        elif math.isinf(self.high):
            words = f"at least {self.low:.4g}"
        elif math.isinf(self.low):
            words = f"at most {self.high:.4g}"
        else:
            words = f"{self.low:.4g}" + (f" to {self.high:.4g}" if self.high > self.low else "")
        return f"{words} ({self.where})"


class Times(NamedTuple):
    """A number and its interval, as multiples of what it is held against; 1 is as much."""

    value: float
    low: float
    high: float


class ClaimEffect(NamedTuple):
    """One part of a claim: what was found, and what it is held against.

    expected: by the claim, of `ours` beside `against`. held: the judge's answer; None: not shown.
    difference, low, high: of both, with its interval, of logarithms where `logs` is set. n: runs of
    each sample, of pairs once. paper: what it
    has for the same. untestable: why there is no interval.
    """

    name: str
    sort: EffectSort
    expected: Expected
    held: bool | None
    ours: float = math.nan
    against: float = math.nan
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    logs: bool = False
    n: tuple[int, ...] = ()
    test: str = ""
    p: float | None = None
    paper: PaperValue | None = None
    untestable: str = ""

    @property
    def times(self) -> Times | None:
        """The effect as multiples; None if it has no interval, or is held against nothing.

        >>> one = ClaimEffect("a > b", "difference", "greater", True, 30, 20, 10, 5, 15)
        >>> one.times
        Times(value=1.5, low=1.25, high=1.75)
        """
        found = (self.difference, self.low, self.high)
        if self.untestable or not all(map(math.isfinite, (self.against, *found))):
            return None
        if self.logs:
            return Times(*map(math.exp, found))
        if not self.against:
            return None
        return Times(*(1 + one / abs(self.against) for one in found))

    @property
    def paper_times(self) -> tuple[float, float] | None:
        """The paper's number as multiples, from and to; None without one."""
        if self.paper is None:
            return None
        against = abs(self.against if self.paper.against is None else self.paper.against)
        if not against or math.isnan(against):
            return None
        return self.paper.low / against, self.paper.high / against

    def facts(self) -> dict[str, Any]:
        """Give it as JSON has it, None for what is not known; `times` with its interval."""
        known = {name: _plain(value) for name, value in self._asdict().items()}
        times, paper = self.times, self.paper
        return {
            **known,
            "times": None if times is None else times._asdict(),
            "paper": None
            if paper is None
            else {name: _plain(value) for name, value in paper._asdict().items()},
        }

    @property
    def favour(self) -> float:
        """How far it goes the way that the claim says, on the scale of logarithms."""
        times = self.times
        if times is None:
            return -math.inf
        size = math.log(times.value) if times.value > 0 else -math.inf
        match self.expected:
            case "greater" | "not less":
                return size
            case "less" | "not greater":
                return -size
            case "different":
                return abs(size)
        return -abs(size)


def _plain(value: Any) -> Any:
    """Give None for numbers that JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def effect_of_comparison(
    found: Comparison, expected: Expected, held: bool | None, paper: PaperValue | None = None
) -> ClaimEffect:
    """Give a comparison of two samples as the effect of a claim."""
    if found.untestable:
        bare = ClaimEffect(found.name, "difference", expected, held)
        return bare._replace(untestable=found.untestable, paper=paper)
    return ClaimEffect(
        *(found.name, "difference", expected, held, *found.means),
        *(found.difference, found.low, found.high, found.logs),
        *(found.n, found.test, found.p, paper),
    )


def effect_of_share(found: Odds, expected: Expected, held: bool | None) -> ClaimEffect:
    """Give a share of runs beside chance as the effect of a claim."""
    if found.untestable or not found.n:
        bare = ClaimEffect(found.name, "share of runs", expected, held)
        return bare._replace(untestable=found.untestable or "no run counts")
    share, chance = found.hits / found.n, found.chance
    return ClaimEffect(
        *(found.name, "share of runs", expected, held, share, chance),
        *(share - chance, found.low - chance, found.high - chance, False),
        *((found.n,), "exact binomial", found.p),
    )


def effect_of_mean(
    name: str, found: MeanInterval, bounds: tuple[float, float], held: bool | None, where: str
) -> ClaimEffect:
    """Give a mean beside the range that the paper has it in as the effect of a claim.

    It is held against the middle of the range, or its only end.
    """
    ends = [one for one in bounds if math.isfinite(one)]
    against = sum(ends) / len(ends) if ends else math.nan
    return ClaimEffect(
        *(name, "mean in a range", "in range", held, found.mean, against),
        *(found.mean - against, found.low - against, found.high - against),
        n=(found.n,),
        test="t interval",
        paper=PaperValue(*bounds, None, where),
        untestable=found.untestable,
    )


def effect_of_variance(
    found: Effect, published: float, held: bool | None, where: str, *, shown: bool
) -> ClaimEffect:
    """Give eta squared beside the paper's; shown: whether the paper finds that effect."""
    expected: Expected = "alike" if shown else "not greater"
    return ClaimEffect(
        *(found.name, "eta squared", expected, held, found.eta_squared, published),
        *(found.eta_squared - published, found.low - published, found.high - published, False),
        *((), f"F({found.df:g}, {found.df_residual:g})", found.p),
        PaperValue(published, published, None, where),
    )


def deciding_effect(effects: Sequence[ClaimEffect], *, one_is_enough: bool) -> ClaimEffect | None:
    """Choose the effect that a claim turns on; None if none has an interval.

    Where all parts must hold, it is the one that goes least the claim's way: one that fails before
    one that is not shown; where one is enough, the one that goes furthest.
    """
    known = [one for one in effects if one.times is not None]
    if not known:
        return None
    rank = {False: 0, None: 1, True: 2}
    choose = max if one_is_enough else min
    return choose(known, key=lambda one: (rank[one.held], one.favour))
