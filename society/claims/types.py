"""Claims of a paper, and what runs of ours say of each.

A reproduction names experiments, and claims with a judge for each. A judge looks at what was played
through `Evidence` and gives a finding; where the runs cannot tell, it raises InsufficientEvidence.
An ordering

    holds            its corrected p is below ALPHA, and it may be as large as what MATTERS
    does not hold    it is surely the other way round, or its interval excludes all that MATTERS
    is not shown     else: so few runs cannot tell

and of a claim with several parts

    reproduced       all of them hold
    in part          some hold
    not reproduced   none holds, and one surely does not
    cannot be told   nothing is known of any
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from society.engine.rng import Array

from .comparisons import ALPHA, MATTERS, Comparison, Effect, Metric, Odds, Ranked, TypeScores

HOW = (
    "Comparisons are tested two-sided, corrected by Holm over all comparisons of a claim. Their "
    f"intervals are widened by Bonferroni for as many, to {1 - ALPHA:.0%} of all together, so that "
    "one may touch zero though its p is small.",
    f"An ordering does not hold if it is surely the other way round, or if its interval excludes a "
    f"difference of {MATTERS:.0%} of the mean that it is compared with, however significant. Else "
    f"it holds if its corrected p is below {ALPHA}, or it is not shown with so few runs.",
    "Reproduced: all parts of a claim hold; in part: some hold, and others do not or are not "
    "shown; not reproduced: none holds, and one surely does not; cannot be told: nothing is known "
    "of any part.",
)

# What may stand before a model's name: who serves it, and where.
_SERVED = r"([a-z-]+\.)*"
# What may stand behind it: the date of a release, or what it is tuned and priced for.
_RELEASE = r"([-@:](\d{4}.*|instruct.*|preview|versatile|latest|free))?"

M = TypeVar("M")
VerdictOutcome = Literal["reproduced", "in part", "not reproduced", "cannot be told"]
PageSection = Literal[
    "outcome",
    "survival",
    "tests",
    "maps",
    "evolution",
    "lives",
    "strategies",
    "reactions",
    "norms",
    "texts",
    "standings",
    "conduct",
    "agreements",
    "ledger",
]
FactorLevels = Mapping[str, object]  # of some factors: the conditions that have all of them


class InsufficientEvidence(Exception):
    """What was played cannot answer a question; the words say why."""


class ClaimVerdict(NamedTuple):
    """A claim beside our result.

    source: where it stands. said: by the paper, in our words. found: by us, with intervals.
    under: as in Claim; it stands behind the claim's words, too. ours: not claimed by the paper.
    """

    claim: str
    source: str
    said: str
    found: str
    outcome: VerdictOutcome
    notes: str = ""
    under: str = ""
    ours: bool = False

    @property
    def bare(self) -> str:
        """The claim, whatever it was judged under."""
        return self.claim.removesuffix(f" ({self.under})")


class ClaimFinding(NamedTuple):
    """What a judge says of a claim."""

    outcome: VerdictOutcome
    found: str
    notes: str = ""


class Evidence(Protocol):
    """What a judge may look at; every question may raise InsufficientEvidence.

    n is of all replicates of the conditions that have these levels, condition after condition; so
    where luck is common and as many factors are open, two such arrays are pairs.
    """

    def levels(self, trial: str) -> Mapping[str, Sequence[object]]:
        """Of each factor of an experiment, in order."""

    def runs(self, trial: str, measure: str, levels: FactorLevels) -> Array:
        """A measure or finding of each replicate, (n,)."""

    def rounds(self, trial: str, measure: str, levels: FactorLevels) -> Array:
        """A measure round by round, (n, T); NaN after the end."""

    def type_scores(self, trial: str, metric: Metric, levels: FactorLevels) -> TypeScores:
        """How types did that met each other in the one condition with these levels.

        mean: payoff over all match-ups. fitness: payoff against the population to which replicator
        dynamics leads; the average is weighted by it. Both are 0 in the equilibrium of the game and
        1 where all cooperate. rank: by deviation ratings, 1 is best. cooperation: share of moves.
        """

    def paired(
        self, pairs: Mapping[str, tuple[Array, Array]], *, logs: Collection[str] = ()
    ) -> list[Comparison]:
        """Replicate by replicate, (n,) each; corrected by Holm over all that are given.

        logs: names of those to be compared by logarithms: what multiplies has few runs make a mean.
        """

    def independent(
        self, pairs: Mapping[str, tuple[Array, Array]], *, logs: Collection[str] = ()
    ) -> list[Comparison]:
        """By Welch's test, which takes runs as independent; corrected likewise."""

    def chances(self, runs: Mapping[str, Array], chance: float) -> list[Odds]:
        """By the exact binomial test, whether runs are so, (n,) of bool; corrected likewise."""

    def counted(self, name: str, first: Array, second: Array) -> Comparison:
        """By Fisher's exact test, in which share of runs something is true, (n,) of bool each."""

    def pooled(self, name: str, first: Array, second: Array) -> Comparison:
        """By Student's test, of one pair alone."""

    def part_against_whole(self, name: str, part: Array, rest: Array) -> Comparison:
        """By Student's test of a part against all, itself included: not valid, but in papers."""

    def variance(
        self, trial: str, measure: str, factors: Sequence[str], levels: FactorLevels
    ) -> dict[str, Effect]:
        """An analysis of variance over one or two factors, by factor and by "one × other"."""

    def ranked(self, trial: str, measure: str, factor: str, levels: FactorLevels) -> list[Ranked]:
        """Levels of a factor, the highest mean first, with letters by Tukey's test."""


class Claim(NamedTuple):
    """A claim, as in Verdict, and who judges it.

    under: which parameters or reading of the paper; a claim may stand there once for each.
    """

    claim: str
    source: str
    said: str
    judge: Callable[[Evidence], ClaimFinding]
    under: str = ""
    ours: bool = False


@dataclass(frozen=True)
class Trial:
    """An experiment to be played.

    file: the name of one in the folder `experiments` beside the scenarios. title: on the page of
    the reproduction, which shows these chapters of its report, and measures over_time. instead:
    what stands in place of what the file says under some keys; `factors`: of the levels of some.
    quick: more of that, for a quick look. beside: other trials whose conditions are shown together
    with these, by name, and the levels that they have of factors which they lack.
    """

    name: str
    file: str
    title: str
    chapters: tuple[PageSection, ...] = ("outcome",)
    over_time: tuple[str, ...] = ()
    instead: Mapping[str, Any] = field(default_factory=dict)
    quick: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def as_levels(models: Sequence[str]) -> Mapping[str, Any]:
    """Each model plays alone, as a level of the factor `model`."""
    return {"factors": {"model": list(models)}}


@dataclass(frozen=True)
class ReproductionDesign:
    """What is played with one sort of minds, and claimed of it.

    judging: how, besides what holds of all papers (HOW); a paragraph each. minds: what stands in
    place of what the experiments say, given models to be asked.
    """

    trials: tuple[Trial, ...]
    claims: tuple[Claim, ...] = ()
    judging: tuple[str, ...] = ()
    minds: Callable[[Sequence[str]], Mapping[str, Any]] = as_levels


@dataclass(frozen=True)
class Reproduction:
    """What it takes to hold a paper's claims against runs of ours.

    language: with language models.
    """

    name: str
    paper: str
    rules: ReproductionDesign
    language: ReproductionDesign | None = None


def judge_claims(claims: Iterable[Claim], evidence: Evidence) -> Iterator[ClaimVerdict]:
    """Each claim beside our result."""
    for claim, source, said, judge, under, ours in claims:
        try:
            outcome, found, notes = judge(evidence)
        except InsufficientEvidence as untestable:
            outcome, found, notes = "cannot be told", "", str(untestable)
        words = f"{claim} ({under})" if under else claim
        yield ClaimVerdict(words, source, said, found, outcome, notes, under, ours)


def outcome_of(parts: Iterable[bool | None]) -> VerdictOutcome:
    """Of a claim whose parts hold, do not hold, or are not shown to do either (None).

    >>> outcome_of([True, None]), outcome_of([False, None]), outcome_of([None])
    ('in part', 'not reproduced', 'cannot be told')
    """
    known = list(parts)
    if all(known) and known:
        return "reproduced"
    if any(known):
        return "in part"
    return "not reproduced" if False in known else "cannot be told"


def all_hold(parts: Iterable[bool | None]) -> bool | None:
    """Whether a statement holds that needs all of its parts.

    >>> all_hold([True, True]), all_hold([True, False, None]), all_hold([True, None])
    (True, False, None)
    """
    known = list(parts)
    if False in known:
        return False
    return True if known and all(known) else None


def contrary_holds(held: bool | None) -> bool | None:
    """Whether the contrary of a statement holds.

    >>> contrary_holds(True), contrary_holds(False), contrary_holds(None)
    (False, True, None)
    """
    return None if held is None else not held


def any_holds(parts: Iterable[bool | None]) -> bool | None:
    """Whether a statement holds for which one of its parts is enough.

    >>> any_holds([False, True]), any_holds([False, None]), any_holds([False, False])
    (True, None, False)
    """
    known = list(parts)
    if True in known:
        return True
    return False if known and None not in known else None


def order_finding(comparisons: Sequence[Comparison], notes: str = "") -> ClaimFinding:
    """Whether the first mean is the larger one in each."""
    parts = [one.holds for one in comparisons]
    return ClaimFinding(
        outcome_of(parts), "; ".join(map(str, comparisons)), comparison_notes(comparisons, notes)
    )


def comparison_notes(comparisons: Sequence[Comparison], notes: str = "") -> str:
    """How many orderings are reversed or not shown, and these notes."""
    backwards = sum(one.reversed for one in comparisons)
    unshown = sum(one.holds is None for one in comparisons)
    words = [
        f"{sort}: {count} of {len(comparisons)}"
        for sort, count in (("reversed", backwards), ("not shown", unshown))
        if count
    ]
    return "; ".join([*words, *([notes] if notes else [])])


def asked_model(evidence: Evidence, trial: str, name: str) -> object:
    """The level of the factor `model` that a paper calls so; raises InsufficientEvidence."""
    return find_model(evidence.levels(trial)["model"], name)


def find_model(models: Iterable[M], name: str) -> M:
    """That of some models which a paper calls so; raises InsufficientEvidence.

    A user may name who serves it as well, and the date of a release; a version may be 4-5 or 4.5.
    """
    spelt = re.sub(r"(?<=\d)\\[-.](?=\d)", "[-.]", re.escape(name))
    for model in models:
        last = str(model).lower().rpartition("/")[2]
        if re.fullmatch(_SERVED + spelt + _RELEASE, last):
            return model
    raise InsufficientEvidence(f"{name} was not asked; name it under --model")
