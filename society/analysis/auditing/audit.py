"""Reads the runs in the folder of an audit, and says which conclusions a perturbation changes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from society.analysis.findings.wording import format_p
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.analysis.study import Study, open_sweep
from society.analysis.study.design import StudyDesign, short_unit
from society.errors import InputError, short_path
from society.experiments.factors import format_label
from society.llm.perturbations import perturbations
from society.terminal.labels import count_noun

from .arms import FACTOR, UNPERTURBED, describe_pack
from .effects import (
    AuditedConclusion,
    ConditionPair,
    EstimatedEffect,
    PerturbedEffect,
    Verdict,
    audit_conclusions,
    name_pair,
)

_UNADJUSTED = ", not adjusted for the number of conclusions"


@dataclass(frozen=True)
class AuditResults:
    """The conclusions of an experiment under perturbations.

    outcome: in words. unit: of it, "" if it needs none. summaries: of what perturbations change.
    untested: why others cannot be tested, by their titles.
    """

    outcome: str
    unit: str
    conclusions: tuple[AuditedConclusion, ...]
    summaries: Mapping[str, str]
    untested: Mapping[str, str] = field(default_factory=dict)

    @property
    def headline(self) -> str:
        """A clause on how many conclusions hold: "3 of 4 conclusions hold under all 7 ..."."""
        if not any(one.effect.verdict for one in self.conclusions) and not any(
            each.changed or each.effect.verdict
            for one in self.conclusions
            for each in one.perturbed
        ):
            return "no effect is told apart, with or without perturbations"
        tried = [each.perturbation for one in self.conclusions for each in one.perturbed]
        names, held = [*dict.fromkeys(tried)], sum(one.holds for one in self.conclusions)
        every = "both perturbations" if len(names) == 2 else f"all {len(names)} perturbations"
        under = f"the perturbation {names[0]}" if len(names) == 1 else every
        if len(self.conclusions) == 1 and (held or len(names) == 1):
            return f"the conclusion {'holds' if held else 'does not hold'} under {under}"
        if len(self.conclusions) == 1:
            changed = sum(each.changed for each in self.conclusions[0].perturbed)
            return f"the conclusion changes under {changed} of {len(names)} perturbations"
        verb = "holds" if held == 1 else "hold"
        return f"{held} of {len(self.conclusions)} conclusions {verb} under {under}"

    def sentences(self) -> Iterator[str]:
        """Yield how many conclusions hold, then what was found of each, and what changes it."""
        yield f"{self.headline[0].upper()}{self.headline[1:]}."
        for one in self.conclusions:
            yield self._conclusion(one)
            yield from (self._change(one, each) for each in one.perturbed if each.changed)
        yield from (f"Not tested: {title} ({why})." for title, why in self.untested.items())

    def _conclusion(self, one: AuditedConclusion) -> str:
        compared = f"{one.title}: {self.outcome}"
        direction = {
            1: "is higher by",
            -1: "is lower by",
            0: "is not told apart; the difference is",
        }
        size = size_in_words(one.effect, self._unit, signed=one.effect.verdict == 0)
        found = f"{compared} {direction[one.effect.verdict]} {size}"
        kept = sum(not each.changed for each in one.perturbed)
        count = count_noun(len(one.perturbed), "perturbation")
        p = f"{format_p(one.effect.p)}{_UNADJUSTED * (len(self.conclusions) > 1)}"
        return f"{found}; {p}. No change of this effect is found under {kept} of {count}."

    def _change(self, one: AuditedConclusion, each: PerturbedEffect) -> str:
        more = "more" if each.change.mean > 0 else "less"
        summary = self.summaries.get(each.perturbation, "")
        where = f"{each.perturbation} ({summary})" if summary else each.perturbation
        direction = _direction_in_words(one.effect.verdict, each.effect.verdict)
        low, high = each.flips.interval.low, each.flips.interval.high
        return (
            f"Under {where} the effect of {one.title} is "
            f"{size_in_words(each.effect, self._unit, signed=True)}, "
            f"{size_in_words(each.change)} {more} than without ({format_p(each.p)} by Holm), "
            f"and {direction}; the direction flips in "
            f"{each.flips.count} of {count_noun(each.flips.n, 'set')} of runs "
            f"({100 * low:.0f} % to {100 * high:.0f} %)."
        )

    @property
    def _unit(self) -> str:
        return f" {self.unit}" if self.unit else ""

    def as_json(self) -> dict[str, Any]:
        """Return all numbers as plain data."""
        return {
            "outcome": self.outcome,
            "unit": self.unit,
            "sentences": [*self.sentences()],
            "conclusions": [
                {
                    "first": one.first,
                    "second": one.second,
                    "effect": _numbers(one.effect),
                    "perturbations": [
                        {
                            "name": each.perturbation,
                            "effect": _numbers(each.effect),
                            "change": _numbers(each.change),
                            "p_holm": each.p,
                            "changed": each.changed,
                            "flips": {
                                "share": each.flips.share,
                                "interval": each.flips.interval[:2],
                                "sets": each.flips.n,
                            },
                        }
                        for each in one.perturbed
                    ],
                }
                for one in self.conclusions
            ],
            "untested": dict(self.untested),
        }


def open_audit(folder: Path) -> AuditResults:
    """Read what the runs of an audit have found; raises InputError unless all are finished."""
    study = open_sweep(folder)
    if not is_audit(study):
        raise InputError(f"{short_path(folder)} is no audit; `society audit FILE.yaml` makes one")
    if left := unfinished_conditions(study):
        raise InputError(
            f"{short_path(folder)}: {count_noun(len(left), 'run')} of this audit did not finish, "
            f"such as {left[0]}; repeat the command to play on"
        )
    try:
        return find_audit(StudyDesign(study))
    except NotEstimable as reason:
        raise InputError(f"{short_path(folder)}: no conclusion can be tested: {reason}") from None


def is_audit(study: Study) -> bool:
    """Tell whether all conditions of a study are arms of an audit, one of them unperturbed."""
    arms = {run.factors.get(FACTOR) for run in study.played}
    return len(arms) > 1 and None not in arms and UNPERTURBED in study.levels[FACTOR]


def find_audit(design: StudyDesign) -> AuditResults:
    """Test the conclusions of an audit whose runs are all finished.

    Those that cannot be tested are named with the reason; raises NotEstimable if all are such.
    """
    audited = partial(audit_conclusions, paired=design.paired)
    every = _conclusions(design)
    tried = {names: try_compute(audited, {names: arms}) for names, arms in every.items()}
    untested = {names: why for names, why in tried.items() if isinstance(why, NotEstimable)}
    if untested and len(untested) == len(every):
        raise next(iter(untested.values()))
    found = audited({names: arms for names, arms in every.items() if names not in untested})
    return AuditResults(
        design.label(design.outcome),
        short_unit(design.measured.get(design.outcome, "")),
        tuple(found),
        _summaries(design),
        {name_pair(*names): str(why) for names, why in untested.items()},
    )


def try_audit(design: StudyDesign) -> AuditResults | None:
    """Test the conclusions of an audit; None for what is none, or not finished, or untestable."""
    study = design.study
    if not is_audit(study) or unfinished_conditions(study):
        return None
    try:
        return find_audit(design)
    except NotEstimable:
        return None


def unfinished_conditions(study: Study) -> list[str]:
    """Name the conditions of a study that have not been played to their end."""
    return [*(run.name for run in study.played if run.status != "finished"), *study.missing]


def _summaries(design: StudyDesign) -> dict[str, str]:
    """Say what each perturbation of an audit changes, by its name."""
    known, found = perturbations(), {}
    for run in design.conditions:
        arm, pack = str(run.factors[FACTOR]), run.manifest.spec.get("prompts")
        if arm in known:
            found[arm] = known[arm].summary
        elif arm != UNPERTURBED and pack:
            found[arm] = describe_pack(str(pack))
    return found


def _conclusions(design: StudyDesign) -> dict[tuple[str, str], dict[str, ConditionPair]]:
    """Collect the outcomes of all pairs of conditions that are compared, by perturbation."""
    factors = [name for name in design.levels if name != FACTOR]
    tested = [name for name in design.factors if name != FACTOR]
    values = dict(zip(map(_key, _levels(design)), design.values(design.outcome), strict=True))
    arms = [*design.levels[FACTOR]]
    found: dict[tuple[str, str], dict[str, ConditionPair]] = {}
    for factor in tested:
        others = [name for name in factors if name != factor]
        first, *rest = design.levels[factor]
        for held in itertools.product(*(design.levels[name] for name in others)):
            same = dict(zip(others, held, strict=True))
            for level in rest:
                one, other = {**same, factor: first}, {**same, factor: level}
                pairs = {
                    str(arm): ConditionPair(
                        values[_key({**one, FACTOR: arm})].astype(float),
                        values[_key({**other, FACTOR: arm})].astype(float),
                    )
                    for arm in arms
                    if _key({**one, FACTOR: arm}) in values
                    and _key({**other, FACTOR: arm}) in values
                }
                if UNPERTURBED in pairs:
                    names = (_named(one, factors), _named(other, factors))
                    found[names] = {UNPERTURBED: pairs.pop(UNPERTURBED), **pairs}
    return found


def _levels(design: StudyDesign) -> list[dict[str, Any]]:
    """The levels of each condition, of all factors that differ."""
    return [
        {name: design.level(place, name) for name in design.levels}
        for place in range(len(design.conditions))
    ]


def _key(levels: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(levels.items()))


def _named(levels: Mapping[str, Any], order: list[str]) -> str:
    return ", ".join(f"{name} {format_label(levels[name])}" for name in order)


def size_in_words(effect: EstimatedEffect, unit: str = "", *, signed: bool = False) -> str:
    """Write a difference with its interval: "12 rounds (3 to 21)"; unit: behind a space."""
    turn = -1 if effect.mean < 0 and not signed else 1
    if effect.interval is None:
        return f"{turn * effect.mean:.3g}{unit} (in all runs)"
    low, high = sorted((turn * effect.interval.low, turn * effect.interval.high))
    return f"{turn * effect.mean:.3g}{unit} ({low:.3g} to {high:.3g})"


def _direction_in_words(without: Verdict, under: Verdict) -> str:
    """Say what becomes of the direction of an effect under a perturbation, a clause."""
    if under == without:
        return "its direction stays" if under else "neither is told apart from none"
    if under == 0:
        return "it is no longer told apart from none"
    return "it has the opposite direction" if without else "it is told apart from none there alone"


def _numbers(effect: EstimatedEffect) -> dict[str, Any]:
    interval = None if effect.interval is None else effect.interval[:2]
    return {"mean": effect.mean, "interval": interval, "p": effect.p}
