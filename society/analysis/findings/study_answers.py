"""Sentences on what a study found, the most important first, and a title that says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

import numpy as np

from society.analysis.crossplay import CrossPlay
from society.analysis.statistics.contrasts import PairedContrast, paired
from society.analysis.statistics.posthoc import correct_p_values
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.analysis.study.design import ConditionGroup, StudyDesign
from society.engine.rng import Array
from society.engine.scenario import mean_over
from society.runs.design_runs import is_drafting
from society.terminal.labels import count_noun, spell_kind
from society.text import shorten

from .comparisons import Cell, ComparedConditions, compare_conditions
from .contest_findings import contest_findings, cooperation_finding
from .descriptions import (
    describe_absent,
    describe_condition,
    describe_course,
    describe_single,
    lasted_all,
    quantity_of,
)
from .generation_findings import (
    counts_generations,
    evolves,
    generation_findings,
    round_findings,
)
from .idle_factors import idle_factor_findings
from .norm_findings import norm_findings
from .statements import Basis, StudyFinding
from .troubles import trouble_findings
from .wording import FEWEST, format_decimals, format_interval, format_p, join_words, shared_decimals

LEVEL = 0.05
_BEFORE, _END = "_before", "_end"  # behind the scales of a questionnaire
_MOST_PANELS = 12
_LONGEST_TITLE = 160


@dataclass(frozen=True, eq=False)
class StudyAnswers:
    """The findings of a study; cross_play: of the same study, if it has been read already."""

    design: StudyDesign
    cross_play: CrossPlay | None = None

    @cached_property
    def findings(self) -> tuple[StudyFinding, ...]:
        """All findings: troubles first, then effects, then what cannot be told or is described."""
        design = self.design
        said = list(trouble_findings(design.study))
        if not design.conditions:
            return tuple(said)
        if not design.of_matches:
            said += idle_factor_findings(design)
        if design.of_matches:
            said += self._contests()
        elif evolves(design):
            said += generation_findings(design)
            if len(design.conditions) > 1:
                said += _compared(design)
        elif design.single_run:
            said += _single(design)
        elif counts_generations(design):
            said += round_findings(design)
            if len(design.conditions) > 1:
                said += _compared(design)
            else:
                said.append(describe_course(design.conditions[0]))
        elif len(design.conditions) == 1:
            described = [*describe_condition(design, 0)]
            course = [] if lasted_all(design, 0) else [describe_course(design.conditions[0])]
            said += [*described[:1], *course, *described[1:], *_earlier(design, [*design.measured])]
        else:
            said += _compared(design)
        return (*said, *norm_findings(design), *_questionnaires(design))

    @property
    def title(self) -> str:
        """The scenario, and the first thing that was found; else what was compared."""
        design = self.design
        claims = [one for one in self.findings if one.short and one.kind != "trouble"]
        claims.sort(key=lambda one: one.kind != "effect")
        if claims:
            words = claims[0].short
        elif len(design.conditions) > 1 and design.outcome:
            words = f"{design.label(design.outcome)} by {' and '.join(design.factors)}"
        else:
            words = count_noun(sum(run.manifest.replicates for run in design.conditions), "run")
        return self.with_scenario(words)

    def with_scenario(self, words: str) -> str:
        """Put the name of what was played before some words, as a title."""
        runs = self.design.conditions
        names = dict.fromkeys(spell_kind(run.manifest.scenario) for run in runs)
        scenario = " and ".join(list(names)[:3]) or self.design.study.name
        scenario = scenario[:1].upper() + scenario[1:]
        return shorten(f"{scenario}: {words}", _LONGEST_TITLE)

    def _contests(self) -> list[StudyFinding]:
        """Say who scored how much in matches between types, and how much was cooperated."""
        design = self.design
        if any(is_drafting(run.manifest.spec.get("mechanisms", ())) for run in design.conditions):
            return [describe_course(run) for run in design.conditions[:1]]
        said = contest_findings(self.cross_play or CrossPlay(design.study))
        said += cooperation_finding(design)
        if len(design.conditions) == 1 and (design.causes()[0] != "").any():
            said.append(describe_course(design.conditions[0]))  # matches that could not be read
        return said


def study_findings(design: StudyDesign) -> list[StudyFinding]:
    """Return the findings of a study."""
    return list(StudyAnswers(design).findings)


def _single(design: StudyDesign) -> Iterator[StudyFinding]:
    (run,) = design.conditions
    yield describe_course(run)
    if counts_generations(design):
        yield from round_findings(design)
    yield from describe_absent(run)
    yield from describe_single(design)


def _compared(design: StudyDesign) -> list[StudyFinding]:
    """Compare the outcome between conditions, panel by panel."""
    if not design.outcome:
        return [
            StudyFinding(
                f"{count_noun(len(design.conditions), 'condition')} without any measure: nothing "
                "can be compared.",
                Basis("counted", len(design.conditions)),
            )
        ]
    groups = [panel for panel in design.panels if len(panel.places) > 1]
    panels = [compared_conditions(design, panel) for panel in groups[:_MOST_PANELS]]
    said = compare_conditions(quantity_of(design, design.outcome), panels)
    if (left := len(groups) - len(panels)) > 0:
        words = f"{left} of {len(groups)} groups of conditions are left out here: see the tables."
        said.append(StudyFinding(words, Basis("counted", len(groups))))
    return [*said, *_censored(design), *_earlier(design, [design.outcome])]


def compared_conditions(design: StudyDesign, panel: ConditionGroup) -> ComparedConditions:
    """Take the conditions of a panel with the values of their outcome."""
    labels = {
        name: [design.level(place, name) for place in panel.places] for name in design.factors
    }
    varied = [name for name, own in labels.items() if len(set(own)) > 1]
    values: dict[Cell, list[Array]] = {}
    outcomes = design.values(design.outcome)
    for at, place in enumerate(panel.places):
        cell = tuple(labels[name][at] for name in varied)
        values.setdefault(cell, []).append(outcomes[place].astype(float))
    testable = try_compute(design.comparable_values, panel.places)
    untested = str(testable) if isinstance(testable, NotEstimable) else ""
    if not varied:
        untested = untested or f"{' and '.join(design.factors)} does not vary here"
    return ComparedConditions(
        {
            name: [level for level in design.levels[name] if level in labels[name]]
            for name in varied
        },
        {cell: np.concatenate(own) for cell, own in values.items()},
        design.paired,
        panel.title,
        untested,
    )


def _censored(design: StudyDesign) -> Iterator[StudyFinding]:
    """Say in how many runs a time was cut off by the last round."""
    if design.outcome not in design.times:
        return
    flags = design.censored(design.outcome)
    count, runs = sum(int(each.sum()) for each in flags), sum(len(each) for each in flags)
    if count:
        label = design.label(design.outcome)
        yield StudyFinding(
            f"{_of_runs(count, runs)} {label} had not ended by the last round, which counts as "
            "their time: true means are no lower than these.",
            Basis("counted", runs, count / runs),
        )


def _earlier(design: StudyDesign, names: Sequence[str]) -> Iterator[StudyFinding]:
    """Say in how many runs the last value of measures is from before the last round."""
    runs = sum(run.manifest.replicates for run in design.conditions)
    by_count: dict[int, list[str]] = {}
    for name in names:
        by_count.setdefault(design.earlier(name), []).append(design.label(name))
    by_count.pop(0, None)
    for count, labels in by_count.items():
        yield StudyFinding(
            f"{_of_runs(count, runs)} the last round has no value of {join_words(labels)}, as "
            "where nobody is there any more: what counts is the last round that has one.",
            Basis("counted", runs, count / runs),
        )


def _of_runs(count: int, runs: int) -> str:
    """Begin a sentence with how many of the runs it is about."""
    return f"In all {runs:,} runs" if count == runs > 1 else f"In {count:,} of {runs:,} runs"


def _questionnaires(design: StudyDesign) -> list[StudyFinding]:
    """Compare the scales of questionnaires at the end with what they were before."""
    stems = [
        name.removesuffix(_END)
        for name in design.measured
        if name.endswith(_END) and f"{name.removesuffix(_END)}{_BEFORE}" in design.measured
    ]
    pairs = {stem: _before_and_end(design, stem) for stem in stems}
    found = {stem: try_compute(_change, *both) for stem, both in pairs.items()}
    tested = {stem: one for stem, one in found.items() if isinstance(one, PairedContrast)}
    adjusted = dict(zip(tested, correct_p_values([one.p for one in tested.values()]), strict=True))
    return [
        _scale_change(design, stem, tested[stem], float(adjusted[stem]))
        if stem in tested
        else _scale_described(design, stem, *both)
        for stem, both in pairs.items()
        if _both_known(*both).any()
    ]


def _before_and_end(design: StudyDesign, stem: str) -> tuple[Array, Array]:
    """The values of a scale on both occasions, one for each sample of random numbers, (B,) each.

    Runs that share random numbers are one observation: the mean of those that have both values, so
    that the same runs are compared.
    """
    both = [design.values(f"{stem}{when}") for when in (_BEFORE, _END)]
    if not design.paired:
        before, end = map(np.concatenate, both)
        return before, end
    before, end = (np.array([*zip_longest(*each, fillvalue=np.nan)], float) for each in both)
    known = _both_known(before, end)
    return mean_over(known, before), mean_over(known, end)


def _both_known(before: Array, after: Array) -> Array:
    known: Array = ~(np.isnan(before) | np.isnan(after))
    return known


def _averages(design: StudyDesign) -> bool:
    """Tell whether an observation is the mean of several runs."""
    return design.paired and len(design.conditions) > 1


def _change(before: Array, after: Array) -> PairedContrast:
    if int(_both_known(before, after).sum()) < FEWEST:
        raise NotEstimable("too few runs")
    return paired(after, before)


def _scale_described(design: StudyDesign, stem: str, before: Array, after: Array) -> StudyFinding:
    """Give the means of a scale where nothing can be tested."""
    known = _both_known(before, after)
    n = int(known.sum())
    why = "too few to conclude anything" if n < FEWEST else "all changed by the same"
    means = f"{before[known].mean():.2f} before to {after[known].mean():.2f} at the end"
    label, what = stem.replace("_", " "), "replicate" if _averages(design) else "run"
    return StudyFinding(
        f"On the scale {label}, answers went from {means} ({count_noun(n, what)}: {why}).",
        Basis("values of runs", n),
    )


def _scale_change(design: StudyDesign, stem: str, found: PairedContrast, p: float) -> StudyFinding:
    label = stem.replace("_", " ")
    before, after = (f"{mean:.2f}" for mean in reversed(found.means))
    decimals = shared_decimals([(found.interval.high - found.interval.low) / 2])
    of = "replicates, averaged over conditions" if _averages(design) else "runs"
    words = (
        f"{format_decimals(found.difference, decimals)} (95 % interval "
        f"{format_interval(found.interval, decimals)}; paired t test, {found.n} {of}, "
        f"{format_p(p)})"
    )
    basis = Basis("paired t test over runs", found.n, found.difference, found.interval, p)
    begin = f"On the scale {label}, answers went from {before} before to {after} at the end"
    if p >= LEVEL:
        return StudyFinding(
            f"{begin}; whether that is a change cannot be told: {words}.", basis, "no effect"
        )
    return StudyFinding(f"{begin}, a change of {words}.", basis, "effect")
