"""Claims of a paper, and what runs of ours say of each.

A reproduction names experiments, and claims with a judge for each. A judge reads the results of
runs (society.reproduction.evidence) and gives a finding; where the runs cannot tell, it raises
InsufficientEvidence. An ordering

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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeVar

from .comparisons import ALPHA, MATTERS, Comparison
from .data import Trial

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
FactorLevels = Mapping[str, object]  # of some factors: the conditions that have all of them


class InsufficientEvidence(Exception):
    """The runs cannot answer a question; the message says why."""


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
    """The finding of a judge on a claim."""

    outcome: VerdictOutcome
    found: str
    notes: str = ""


class Claim(NamedTuple):
    """A claim, as in Verdict, and who judges it.

    judge: reads a society.reproduction.evidence.Evidence, which stands above this module. under:
    which parameters or reading of the paper; a claim may stand there once for each.
    """

    claim: str
    source: str
    said: str
    judge: Callable[[Any], ClaimFinding]
    under: str = ""
    ours: bool = False


def as_levels(models: Sequence[str]) -> Mapping[str, Any]:
    """Let each model play alone, as a level of the factor `model`."""
    return {"factors": {"model": list(models)}}


@dataclass(frozen=True)
class ReproductionDesign:
    """The trials to play with one sort of minds, and the claims about them.

    judging: how, besides what holds of all papers (HOW); a paragraph each. minds: what stands in
    place of what the experiments say, given models to be asked.
    """

    trials: tuple[Trial, ...]
    claims: tuple[Claim, ...] = ()
    judging: tuple[str, ...] = ()
    minds: Callable[[Sequence[str]], Mapping[str, Any]] = as_levels


@dataclass(frozen=True)
class Reproduction:
    """A paper to reproduce: its trials and claims, with rules and with language models.

    language: with language models.
    """

    name: str
    paper: str
    rules: ReproductionDesign
    language: ReproductionDesign | None = None


def outcome_of(parts: Iterable[bool | None]) -> VerdictOutcome:
    """Conclude from the parts of a claim: each holds, does not hold, or is not shown (None).

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
    """Decide a statement that needs all of its parts; None if not shown.

    >>> all_hold([True, True]), all_hold([True, False, None]), all_hold([True, None])
    (True, False, None)
    """
    known = list(parts)
    if False in known:
        return False
    return True if known and all(known) else None


def contrary_holds(held: bool | None) -> bool | None:
    """Decide the contrary of a statement; None if not shown.

    >>> contrary_holds(True), contrary_holds(False), contrary_holds(None)
    (False, True, None)
    """
    return None if held is None else not held


def any_holds(parts: Iterable[bool | None]) -> bool | None:
    """Decide a statement that needs one of its parts; None if not shown.

    >>> any_holds([False, True]), any_holds([False, None]), any_holds([False, False])
    (True, None, False)
    """
    known = list(parts)
    if True in known:
        return True
    return False if known and None not in known else None


def order_finding(comparisons: Sequence[Comparison], notes: str = "") -> ClaimFinding:
    """Judge that the first mean is the larger one in each comparison."""
    parts = [one.holds for one in comparisons]
    return ClaimFinding(
        outcome_of(parts), "; ".join(map(str, comparisons)), comparison_notes(comparisons, notes)
    )


def comparison_notes(comparisons: Sequence[Comparison], notes: str = "") -> str:
    """Count the orderings that are reversed or not shown, then add these notes."""
    backwards = sum(one.reversed for one in comparisons)
    unshown = sum(one.holds is None for one in comparisons)
    words = [
        f"{sort}: {count} of {len(comparisons)}"
        for sort, count in (("reversed", backwards), ("not shown", unshown))
        if count
    ]
    return "; ".join([*words, *([notes] if notes else [])])


def find_model(models: Iterable[M], name: str) -> M:
    """Find the model that a paper calls by this name; raises InsufficientEvidence.

    A user may name who serves it as well, and the date of a release; a version may be 4-5 or 4.5.
    """
    spelt = re.sub(r"(?<=\d)\\[-.](?=\d)", "[-.]", re.escape(name))
    for model in models:
        last = str(model).lower().rpartition("/")[2]
        if re.fullmatch(_SERVED + spelt + _RELEASE, last):
            return model
    raise InsufficientEvidence(f"{name} was not asked; name it under --model")
