"""Claims of a paper, and what runs of ours say of each.

A reproduction names experiments, and claims with a judge for each. A judge looks at what was played
through `Evidence` and gives a finding; where the runs cannot tell, it raises Untold. Orderings
and differences count from a corrected p below ALPHA on. Of a claim with several parts

    reproduced       all of them hold
    in part          some hold
    not reproduced   none holds, of those that could be tested
    cannot be told   none could be tested
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from .draws import Array

ALPHA = 0.05

# What may stand behind a model's name: the date of a release, or that it follows instructions.
_RELEASE = r"([-@:](\d{4}.*|instruct.*|latest))?"

Outcome = Literal["reproduced", "in part", "not reproduced", "cannot be told"]
Shown = Literal["outcome", "survival", "tests", "maps", "norms", "texts", "ledger"]
Levels = Mapping[str, object]  # of some factors: the conditions that have all of them


class Untold(Exception):
    """What was played cannot answer a question; the words say why."""


class Verdict(NamedTuple):
    """A claim beside our result.

    source: where it stands. said: by the paper, in our words. found: by us, with intervals.
    """

    claim: str
    source: str
    said: str
    found: str
    outcome: Outcome
    notes: str = ""


class Finding(NamedTuple):
    """What a judge says of a claim."""

    outcome: Outcome
    found: str
    notes: str = ""


class Comparison(NamedTuple):
    """The mean of one sample less that of another, with its 95 % interval.

    name: "altruist > mixed". means: of both. test: its name. p: two-sided, corrected over all that
    was compared together. untold: why there is none of it.

    >>> print(Comparison("one > other", (30.7, 13.4), 17.3, 16.1, 18.5, "paired", 28.4, 99, 2e-9))
    one > other: 30.7 - 13.4 = 17.3 [16.1, 18.5], p < 0.001
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
    untold: str = ""

    @property
    def differs(self) -> bool | None:
        """Whether there is any difference; None if it could not be tested."""
        return None if self.untold else self.p < ALPHA

    @property
    def holds(self) -> bool | None:
        """Whether the first mean is above the second; None if it could not be tested."""
        return self.differs and self.difference > 0

    @property
    def reversed(self) -> bool | None:
        """Whether the second mean is above the first; None if it could not be tested."""
        return self.differs and self.difference < 0

    @property
    def statistic(self) -> str:
        """t with its degrees of freedom."""
        return self.untold or f"t({self.df:.4g}) = {self.t:.2f}, {worded_p(self.p)}"

    def __str__(self) -> str:
        if self.untold:
            return f"{self.name}: {self.untold}"
        first, second = (f"{mean:.3g}" for mean in self.means)
        interval = f"{self.difference:.3g} [{self.low:.3g}, {self.high:.3g}]"
        return f"{self.name}: {first} - {second} = {interval}, {worded_p(self.p)}"


class Effect(NamedTuple):
    """A row of an analysis of variance.

    >>> print(Effect("model", 6, 189, 2.37, 0.031, 0.06))
    model: F(6, 189) = 2.37, p = 0.031, eta squared 0.06
    """

    name: str
    df: float
    df_residual: float
    f: float
    p: float
    eta_squared: float

    def __str__(self) -> str:
        f = f"F({self.df:g}, {self.df_residual:g}) = {self.f:.2f}"
        return f"{self.name}: {f}, {worded_p(self.p)}, eta squared {self.eta_squared:.2g}"


class Ranked(NamedTuple):
    """A level of a factor with its mean; levels that share a letter do not differ (Tukey)."""

    level: object
    mean: float
    letters: str


class Evidence(Protocol):
    """What a judge may look at; every question may raise Untold.

    n is of all replicates of the conditions that have these levels, condition after condition; so
    where luck is common and as many factors are open, two such arrays are pairs.
    """

    def levels(self, trial: str) -> Mapping[str, Sequence[object]]:
        """Of each factor of an experiment, in order."""

    def runs(self, trial: str, measure: str, levels: Levels) -> Array:
        """A measure or finding of each replicate, (n,)."""

    def courses(self, trial: str, measure: str, levels: Levels) -> Array:
        """A measure round by round, (n, T); NaN after the end."""

    def paired(self, pairs: Mapping[str, tuple[Array, Array]]) -> list[Comparison]:
        """Replicate by replicate, (n,) each; corrected by Holm over all that are given."""

    def independent(self, pairs: Mapping[str, tuple[Array, Array]]) -> list[Comparison]:
        """By Welch's test, which takes runs as independent; corrected likewise."""

    def pooled(self, name: str, first: Array, second: Array) -> Comparison:
        """By Student's test, of one pair alone."""

    def part_against_whole(self, name: str, part: Array, rest: Array) -> Comparison:
        """By Student's test of a part against all, itself included: not valid, but in papers."""

    def variance(
        self, trial: str, measure: str, factors: Sequence[str], levels: Levels
    ) -> dict[str, Effect]:
        """An analysis of variance over one or two factors, by factor and by "one × other"."""

    def ranked(self, trial: str, measure: str, factor: str, levels: Levels) -> list[Ranked]:
        """Levels of a factor, the highest mean first, with letters by Tukey's test."""


class Claim(NamedTuple):
    """A claim, as in Verdict, and who judges it."""

    claim: str
    source: str
    said: str
    judge: Callable[[Evidence], Finding]


@dataclass(frozen=True)
class Trial:
    """An experiment to be played.

    file: the name of one in the folder `experiments` beside the scenarios. title: on the page of
    the reproduction, which shows these chapters of its report, and measures over_time. instead:
    what stands in place of what the file says under some keys; `factors`: of the levels of some.
    quick: more of that, for a quick look.
    """

    name: str
    file: str
    title: str
    chapters: tuple[Shown, ...] = ("outcome",)
    over_time: tuple[str, ...] = ()
    instead: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Design:
    """What is played with one sort of minds, and claimed of it."""

    trials: tuple[Trial, ...]
    claims: Callable[[], Iterable[Claim]]


@dataclass(frozen=True)
class Reproduction:
    """What it takes to hold a paper's claims against runs of ours.

    language: with language models, each of which becomes a level of the factor `model`.
    """

    name: str
    paper: str
    rules: Design
    language: Design | None = None


def judged(claims: Iterable[Claim], evidence: Evidence) -> Iterator[Verdict]:
    """Each claim beside our result."""
    for claim, source, said, judge in claims:
        try:
            outcome, found, notes = judge(evidence)
        except Untold as untold:
            outcome, found, notes = "cannot be told", "", str(untold)
        yield Verdict(claim, source, said, found, outcome, notes)


def outcome_of(parts: Iterable[bool | None]) -> Outcome:
    """Of a claim whose parts hold, do not hold, or could not be tested (None).

    >>> outcome_of([True, None]), outcome_of([False, None]), outcome_of([None])
    ('in part', 'not reproduced', 'cannot be told')
    """
    known = list(parts)
    if all(known) and known:
        return "reproduced"
    if any(known):
        return "in part"
    return "not reproduced" if False in known else "cannot be told"


def ordered(comparisons: Sequence[Comparison], notes: str = "") -> Finding:
    """Whether the first mean is the larger one in each."""
    backwards = sum(one.reversed is True for one in comparisons)
    words = f"reversed: {backwards} of {len(comparisons)}" if backwards else ""
    return Finding(
        outcome_of(one.holds for one in comparisons),
        "; ".join(map(str, comparisons)),
        "; ".join(note for note in (words, notes) if note),
    )


def asked(evidence: Evidence, trial: str, name: str) -> object:
    """The level of the factor `model` that a paper calls so; raises Untold.

    A user may name its provider as well, and the date of a release.
    """
    for model in evidence.levels(trial)["model"]:
        last = str(model).lower().rpartition("/")[2]
        if re.fullmatch(re.escape(name) + _RELEASE, last):
            return model
    raise Untold(f"{name} was not asked; name it under --model")


def worded_p(p: float) -> str:
    """A p value in words.

    >>> worded_p(0.0312), worded_p(2e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
