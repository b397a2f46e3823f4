"""Claims of a paper, and what runs of ours say of each.

A reproduction names experiments, and claims with a judge for each. A judge reads the results of
runs (society.reproduction.evidence) and gives a finding; where the runs cannot tell, it raises
InsufficientEvidence. The rules of judging are HOW; each part of a claim holds (True), does not hold
(False), or is not shown (None).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from .comparisons import ALPHA, FEWEST, MATTERS, Comparison
from .coverage import CoverageEntry
from .data import MindKind, RuleChange, Trial
from .effects import ClaimEffect, deciding_effect, effect_of_comparison

# The rules of judging, by their headings: on the page of every reproduction, and, word for word, in
# docs/verdict-rules.md.
HOW: Mapping[str, str] = {
    "Outcomes": (
        "Reproduced: all parts of a claim hold; in part: some hold, and others do not or are not "
        "shown; not reproduced: none holds, and one surely does not; cannot be told: no part is "
        "shown to hold, and none to fail. Where a paper leaves parameters open and ours were "
        "searched for, reproduced means that there is a set of parameters, found for this purpose, "
        "with which the claim holds."
    ),
    "Evidence": (
        "Absence of evidence decides nothing. A part that is not significant is not shown, unless "
        "its interval excludes what matters; a point estimate alone never decides. Fewer than "
        f"{FEWEST} runs of a condition show nothing, except that one run refutes what is claimed "
        "of every run; a claim that is told over several conditions, as games, has one number for "
        "each of them. Runs that are all alike have no spread, and so no test and no interval: "
        "nothing is shown of their mean, nor of the difference between two such conditions. Tests "
        "and intervals of means take runs as nearly normal, which few runs cannot check: where "
        "most runs are nearly alike and some would be far off, three runs claim too much."
    ),
    "Tests and intervals": (
        "Comparisons are tested two-sided, in pairs where conditions share their random numbers, "
        "by Welch's test where they do not, and corrected by Holm over all comparisons of a claim, "
        "whatever their tests; shares likewise. Two samples of the same runs, as a type's payoff "
        "and the mean of all types, depend on each other and are always compared in pairs. "
        f"Intervals are widened by Bonferroni for as many, to {1 - ALPHA:.0%} of all together, so "
        "that one may touch zero though its p is small. What multiplies is compared by logarithms; "
        "where some run has nothing, the least that any other has is added to all."
    ),
    "Orderings": (
        "An ordering does not hold if it is surely the other way round, or if it is not "
        f"significant and its interval excludes a difference of {MATTERS:.0%} of the mean that it "
        f"is compared with. It holds if its corrected p is below {ALPHA}, unless its interval "
        f"excludes as much: such a difference is real but small, 'less than {MATTERS:.0%}' stands "
        "beside it, and the ordering is neither shown nor refuted. Else it is not shown with so "
        "few runs. That something does not rise is the contrary of an ordering."
    ),
    "Differences and equalities": (
        f"Two means are alike if the whole interval of their difference is within {MATTERS:.0%} of "
        f"the second: two one-sided tests of equivalence, each at {ALPHA / 2:g}. They differ if "
        f"the corrected p is below {ALPHA} and they are not alike. That they differ is refuted if "
        "they are alike and the difference is not significant, and cannot be told of one that is "
        "real but small. Else neither is shown."
    ),
    "Shares": (
        "A share of runs is held against a stated chance by the exact binomial test, with the "
        "interval of Clopper and Pearson. It is above or below if that is significant; it is not "
        "above, or not below, if it is surely on the other side, or if it is not significant and "
        f"its interval excludes a difference of {MATTERS:.0%} of the chance, or of the rest to one "
        "where that is less. A difference that is real but small decides nothing, as in orderings. "
        f"A share is as by chance if its whole interval is within {MATTERS:.0%} of the chance, or "
        "within the margin that the claim states, and is not if it is significant and beyond. Two "
        "shares of runs are compared by Fisher's exact test."
    ),
    "Ranges and plateaus": (
        "A mean is within a range if all of its interval is, and not if all of its interval is "
        f"outside. That all means of a claim are within is told by intervals of {1 - ALPHA:.0%} "
        "each, since each of them must be; where it is not shown, single means are within or "
        "outside by intervals that are widened for their number. Runs that are all alike show "
        "nothing of their mean."
    ),
    "Every run": (
        "A run that does not keep what is claimed of every run refutes it, however few there are, "
        "unless the claim says that such runs leave it open; then it is refuted only if no run "
        "keeps it. It holds if all runs keep it and are five at least: of fewer, all would do so "
        "by chance too often where half of all runs do. Where chance has no part, one run is "
        "enough; the claim then says why."
    ),
    "Generally, most, comfortably": (
        "'Generally' and 'most' are judged part by part: all parts must hold, and the notes count "
        "those that do. 'Comfortably' means with room to spare: a value that is "
        f"{MATTERS:.0%} less favourable does as well. 'Several' runs are surely more than "
        f"{MATTERS:.0%} of them."
    ),
    "Analysis of variance": (
        f"An effect has three parts: p is below {ALPHA}; the whole interval of eta squared is "
        "between half and twice the paper's; means are ordered as in the paper, by a test. Where "
        "the paper finds no effect, ours must have an interval of eta squared that excludes twice "
        "the paper's, and fails if it is significant and does not. One effect is larger than "
        "another if their intervals are apart. That one group differs from others is told by "
        "Tukey's test, and that others do not differ by its intervals."
    ),
    "Exact claims": (
        "Theorems and arithmetic are computed, to a billionth, at every decision point or in every "
        "run; no chance is in them, so that one counterexample refutes and no test is needed."
    ),
    "Untestable claims": (
        "A claim cannot be told if the paper names no measure for it, if the models that it names "
        "were not asked, or if our minds ignore what is changed."
    ),
}

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
    departures: how our experiment differs from the paper's, a sentence each. effects: what was
    compared, part by part; main_effect: the one that the verdict turns on.
    """

    claim: str
    source: str
    said: str
    found: str
    outcome: VerdictOutcome
    notes: str = ""
    under: str = ""
    ours: bool = False
    departures: tuple[str, ...] = ()
    effects: tuple[ClaimEffect, ...] = ()
    main_effect: ClaimEffect | None = None

    @property
    def bare(self) -> str:
        """The claim, whatever it was judged under."""
        return self.claim.removesuffix(f" ({self.under})")

    def facts(self) -> dict[str, Any]:
        """Give it as JSON has it, with all of its effects and the place of the main one."""
        main = None if self.main_effect is None else self.effects.index(self.main_effect)
        effects = [one.facts() for one in self.effects]
        return {**self._asdict(), "effects": effects, "main_effect": main}


class ClaimFinding(NamedTuple):
    """The finding of a judge on a claim.

    effects: what was compared, part by part. one_is_enough: a single part that holds decides.
    """

    outcome: VerdictOutcome
    found: str
    notes: str = ""
    effects: tuple[ClaimEffect, ...] = ()
    one_is_enough: bool = False

    @property
    def main_effect(self) -> ClaimEffect | None:
        """The effect that the outcome turns on."""
        return deciding_effect(self.effects, one_is_enough=self.one_is_enough)


class Claim(NamedTuple):
    """A claim, as in Verdict, and who judges it.

    judge: reads a society.reproduction.evidence.Evidence, which stands above this module. under:
    which parameters or reading of the paper; a claim may stand there once for each. departures: as
    in ClaimVerdict.
    """

    claim: str
    source: str
    said: str
    judge: Callable[[Any], ClaimFinding]
    under: str = ""
    ours: bool = False
    departures: tuple[str, ...] = ()


def as_levels(models: Sequence[str], *, quick: bool) -> Mapping[str, Any]:
    """Let each model play alone, as a level of the factor `model`, quick or not."""
    return {"factors": {"model": list(models)}}


class LevelsOfMinds(Protocol):
    """Turns minds into what stands in place of what experiments say; quick: for a quick look."""

    def __call__(self, models: Sequence[str], *, quick: bool) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class ReproductionDesign:
    """The trials to play with one sort of minds, and the claims about them.

    judging: how, besides what holds of all papers (HOW); a paragraph each. changes: of claims and
    judges after results were known. sections: further ones of the page, each made from the
    evidence. minds: what stands in place of what the experiments say, given models to be asked or
    folders of strategies, as `asks` says. main_claims: by their words.
    """

    trials: tuple[Trial, ...]
    claims: tuple[Claim, ...] = ()
    judging: tuple[str, ...] = ()
    changes: tuple[RuleChange, ...] = ()
    sections: tuple[Callable[[Any], Any], ...] = ()  # from Evidence to a Section of reports
    minds: LevelsOfMinds = as_levels
    asks: MindKind = "models"
    main_claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Reproduction:
    """A paper to reproduce: its trials and claims, with rules and with language models.

    language: with language models. institutions: of ours, on rules that the paper does not have,
    and institutions_language: the same with language models.
    coverage: of the claims, figures and tables of the paper.
    """

    name: str
    paper: str
    rules: ReproductionDesign
    language: ReproductionDesign | None = None
    coverage: tuple[CoverageEntry, ...] = ()
    institutions: ReproductionDesign | None = None
    institutions_language: ReproductionDesign | None = None

    @property
    def designs(self) -> tuple[ReproductionDesign, ...]:
        """The designs that there are: with rules, and with language models."""
        return (self.rules,) if self.language is None else (self.rules, self.language)


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
    effects = tuple(effect_of_comparison(one, "greater", one.holds) for one in comparisons)
    found, notes = "; ".join(map(str, comparisons)), comparison_notes(comparisons, notes)
    return ClaimFinding(outcome_of(parts), found, notes, effects)


def comparison_notes(comparisons: Sequence[Comparison], notes: str = "") -> str:
    """Count the orderings that are reversed, small or not shown, then add these notes."""
    backwards = sum(one.reversed for one in comparisons)
    small = sum(one.holds is None and one.real_but_small for one in comparisons)
    unshown = sum(one.holds is None for one in comparisons) - small
    sorts = {"reversed": backwards, f"less than {MATTERS:.0%}": small, "not shown": unshown}
    words = [f"{sort}: {count} of {len(comparisons)}" for sort, count in sorts.items() if count]
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
