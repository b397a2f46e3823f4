"""Findings about generations: what became of the outcome, of phenotype and of fitness.

A run is one line of generations, and the last generation of it is compared with its first, by a
paired t test over runs; of numbers that multiply, logarithms. All conditions and all quantities
are one family (Holm).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from society.analysis.statistics.contrasts import PairedContrast, paired
from society.analysis.statistics.posthoc import correct_p_values
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.analysis.statistics.value_scale import ValueScale
from society.analysis.study.design import FITNESS, PHENOTYPE, StudyDesign
from society.engine.fact_specs import UNSPECIFIED
from society.engine.rng import Array
from society.terminal.labels import count_noun

from .statements import Basis, StudyFinding
from .wording import (
    FEWEST,
    Averages,
    Quantity,
    WordedDifference,
    at_level,
    format_adjusted_p,
)

LEVEL = 0.05
_MECHANISM = "generations"
_MOST_CONDITIONS = 4
_MOST_MEASURES = 2  # that are followed where each round is a generation


@dataclass(frozen=True)
class GenerationCourse:
    """One quantity over the generations of a condition, (R, G); NaN where a society has died out.

    where: names the condition behind a statement; "" if there is no other. began, ended: when the
    first and the last value were taken, if not in generations. left_out: runs that ended with their
    first generation, so that nothing of them can have changed.
    """

    quantity: Quantity
    values: Array
    where: str = ""
    began: str = "generation 1"
    ended: str = ""
    left_out: int = 0

    @property
    def omission(self) -> str:
        """Say how many runs are left out, as a sentence behind another; "" for none."""
        if not self.left_out:
            return ""
        verb = "is" if self.left_out == 1 else "are"
        ended = f"{count_noun(self.left_out, 'run')} ended with generation 1 and {verb} left out"
        return f" {ended[0].upper()}{ended[1:]}."

    @property
    def last(self) -> str:
        """When the last value was taken."""
        return self.ended or f"generation {self.values.shape[1]}"

    @property
    def ends(self) -> tuple[Array, Array]:
        """The first and the last generation of each run that has both, (n,) each."""
        first, last = self.values[:, 0], self.values[:, -1]
        there = ~(np.isnan(first) | np.isnan(last))
        return first[there], last[there]

    def contrast(self) -> PairedContrast:
        """The last generation less the first; raises NotEstimable."""
        first, last = self.ends
        if len(first) < FEWEST:
            raise NotEstimable("too few runs for a test")
        transform = self.quantity.scale.transform
        return paired(transform(last), transform(first))


def evolves(design: StudyDesign) -> bool:
    """Tell whether all conditions have generations of which more than one is over."""
    levels = {run.manifest.stage.levels[0] for run in design.conditions}
    return levels == {"generation"} and any(
        design.generation_ends(place).sum() > 1 for place in range(len(design.conditions))
    )


def generation_findings(design: StudyDesign) -> list[StudyFinding]:
    """Say how the outcome, phenotype and fitness changed over the generations of each condition."""
    places = range(min(len(design.conditions), _MOST_CONDITIONS))
    courses = [
        course for name in _followed(design, places) for course in _courses(design, name, places)
    ]
    said = describe_courses(courses)
    said += [one for place in places for one in _ended(design, place)]
    return [*said, *_left_out(design)]


def _left_out(design: StudyDesign) -> Iterator[StudyFinding]:
    """Count the conditions of which nothing is said."""
    if (left := len(design.conditions) - _MOST_CONDITIONS) > 0:
        words = f"{count_noun(left, 'more condition')} with generations: see the figures."
        yield StudyFinding(words, Basis("counted", len(design.conditions)))


def _followed(design: StudyDesign, places: range) -> Iterator[str]:
    """Name the outcome, if it has values in the generations of its own, then what is selected."""
    own = [name for name in (PHENOTYPE, FITNESS) if name in design.folds]
    outcome = design.outcome
    if outcome in design.folds and outcome not in own and design.folds[outcome] != "first":
        values = [design.by_generation(outcome, place) for place in places]
        others = [[design.by_generation(name, place) for place in places] for name in own]
        ends = all(not np.isnan(each[:, [0, -1]]).all(0).any() for each in values if each.size)
        if ends and not any(_equal(values, other) for other in others):
            yield outcome
    yield from own


def _equal(some: list[Array], others: list[Array]) -> bool:
    pairs = zip(some, others, strict=True)
    return all(np.allclose(one, other, equal_nan=True) for one, other in pairs)


def _courses(design: StudyDesign, name: str, places: range) -> Iterator[GenerationCourse]:
    every = {place: design.by_generation(name, place) for place in places}
    found = {place: values for place, values in every.items() if values.shape[1] > 1}
    if not found:
        return
    scale = ValueScale.of(np.concatenate([each.ravel() for each in found.values()]))
    quantity = generation_quantity(design, name, scale)
    for place, each in found.items():
        where = f" with {_condition(design, place)}" if len(design.conditions) > 1 else ""
        yield GenerationCourse(quantity, each, where)


def _condition(design: StudyDesign, place: int) -> str:
    """Name a condition by all its levels: "multiplier = 2, trace = 0"."""
    return design.panel_title(place, list(design.levels)) or design.name(place)


def generation_quantity(design: StudyDesign, name: str, scale: ValueScale) -> Quantity:
    """Name fitness or phenotype with the fact that the mechanism takes for it; else the measure."""
    if name not in (FITNESS, PHENOTYPE):
        return Quantity.of(design.label(name), design.measured[name], scale)
    facts = {_fact(run.manifest.spec, name) for run in design.conditions}
    fact = facts.pop() if len(facts) == 1 else ""
    spec = design.study.specs.get(fact, UNSPECIFIED)
    # Facts that are shares have no unit beside them in prompts; their words say it.
    unit = spec.unit or ("share" if spec.text.startswith("Share ") else "")
    return Quantity.of(f"{name} ({fact.replace('_', ' ')})" if fact else name, unit, scale)


def _fact(spec: Mapping[str, object], use: str) -> str:
    """The fact that the mechanism takes for fitness or phenotype; "" if a spec does not say."""
    mechanisms = spec.get("mechanisms", [])
    for part in mechanisms if isinstance(mechanisms, list) else []:
        if isinstance(part, Mapping) and isinstance(own := part.get(_MECHANISM), Mapping):
            return str(own.get(use) or own.get(FITNESS) or "")
    return ""


def describe_courses(courses: list[GenerationCourse]) -> list[StudyFinding]:
    """Compare the last generation with the first one, in each course."""
    found = [try_compute(course.contrast) for course in courses]
    tested = [one.p for one in found if isinstance(one, PairedContrast)]
    adjusted = iter(correct_p_values(tested).tolist())
    return [
        _changed(course, one, next(adjusted))
        if isinstance(one, PairedContrast)
        else _described(course)
        for course, one in zip(courses, found, strict=True)
    ]


def _numbers(course: GenerationCourse) -> tuple[str, str]:
    """Write the means of the first and the last generation."""
    quantity = course.quantity
    averages = Averages.of(quantity, list(course.ends))
    first_words, last_words = averages.number(0), quantity.with_unit(averages.number(1))
    if quantity.factor != 1:
        first_words = quantity.with_unit(first_words)
    return first_words, last_words


def _changed(course: GenerationCourse, found: PairedContrast, p: float) -> StudyFinding:
    quantity, scale = course.quantity, course.quantity.scale
    first, last = _numbers(course)
    change = WordedDifference.of(quantity, found.difference, found.interval)
    geometric = "geometric means; " if scale.logarithmic else ""
    basis = Basis("paired t test over runs", found.n, change.value, change.interval, p)
    span = f"from {first} in {course.began} to {last} in {course.last}"
    test = f"paired t test, {found.n} runs, {format_adjusted_p(p, found.p, LEVEL)}"
    if p >= LEVEL:
        return StudyFinding(
            f"Whether {quantity.label}{course.where} changed cannot be told: {span}; the "
            f"{scale.contrast_name} is between {change.joined(' and ')}{change.points} ({geometric}"
            f"95 % interval, {test}).{course.omission}",
            basis,
            "no effect",
        )
    verb = "rose" if found.difference > 0 else "fell"
    size = f"{'times' if scale.logarithmic else 'by'} {change.size.number}"
    return StudyFinding(
        f"{quantity.subject}{course.where} {verb} {span}, {size} ({geometric}95 % interval "
        f"{change.size.limits}; {test}).{course.omission}",
        basis,
        "effect",
        f"{quantity.label} {verb}{course.where}",
    )


def _described(course: GenerationCourse) -> StudyFinding:
    quantity, (first, last) = course.quantity, course.ends
    begin = f"{quantity.subject}{course.where}"
    if not len(first):
        words = f"{begin} has no values to describe.{course.omission}"
        return StudyFinding(words, Basis("values of runs"))
    early, late = _numbers(course)
    span = f"{early} in {course.began} and {late} in {course.last}"
    runs = count_noun(len(first), "run")
    if len(first) < FEWEST:
        mean = f"{quantity.scale.mean_name} of {runs}" if len(first) > 1 else runs
        why = f"{mean}: too few to conclude anything"
    else:
        why = f"all {runs} changed by the same"
    gone = ""
    if first.any() and not last.any():
        gone = f" It was 0 in {course.last} of all {runs}."
    return StudyFinding(
        f"{begin} was {span} ({why}).{gone}{course.omission}",
        Basis("values of runs", len(first)),
        short=f"{quantity.label}{course.where} was {early}, then {late}",
    )


def counts_generations(design: StudyDesign) -> bool:
    """Tell whether each round is a generation, in all conditions, and several have been played."""
    levels = {tuple(run.manifest.stage.levels) for run in design.conditions}
    return levels == {("generation",)} and all(run.rounds > 1 for run in design.conditions)


def round_findings(design: StudyDesign) -> list[StudyFinding]:
    """Compare measures in the last generation of each run with the first, by condition.

    For scenarios in which each round is a generation, such as the evolution of programs: fitness
    and phenotype are no measures there, and runs may end as soon as one gene dominates.
    """
    places = range(min(len(design.conditions), _MOST_CONDITIONS))
    courses = [
        course
        for name in _followed_by_round(design)
        for course in _round_courses(design, name, places)
    ]
    return [*describe_courses(courses), *_left_out(design)] if courses else []


def _followed_by_round(design: StudyDesign) -> list[str]:
    """Name the first measures that tell a state of each generation, the outcome before others."""
    names = [name for name, kind in design.folds.items() if kind in ("last", "mean")]
    graded = [name for name in names if not _is_flag(design, name)]
    graded.sort(key=lambda name: name != design.outcome)
    return graded[:_MOST_MEASURES]


def _is_flag(design: StudyDesign, name: str) -> bool:
    """Tell whether a measure says yes or no, or nothing at all."""
    every = np.concatenate([values.ravel() for values in design.by_round(name)])
    return bool(np.isin(every[~np.isnan(every)], (0, 1)).all())


def _round_courses(design: StudyDesign, name: str, places: range) -> Iterator[GenerationCourse]:
    """Take the first value of each run and the last one, of runs with several generations."""
    every = design.by_round(name)
    scale = ValueScale.of(np.concatenate([each.ravel() for each in every]))
    quantity = Quantity.of(design.label(name), design.measured[name], scale)
    for place in places:
        values = every[place]
        known = ~np.isnan(values)
        last = values.shape[1] - 1 - known[:, ::-1].argmax(1)
        several = known.any(1) & (last > 0)
        if not several.any():
            continue
        ends = np.stack([values[:, 0], values[np.arange(len(values)), last]], axis=1)[several]
        generations = {int(one) + 1 for one in last[several]}
        ended = (
            f"generation {generations.pop()}"
            if len(generations) == 1
            else f"the last generation of each run ({min(generations)} to {max(generations)})"
        )
        where = f" with {_condition(design, place)}" if len(design.conditions) > 1 else ""
        single = int((known.any(1) & (last == 0)).sum())
        yield GenerationCourse(quantity, ends, where, ended=ended, left_out=single)


def _ended(design: StudyDesign, place: int) -> Iterator[StudyFinding]:
    """Count the societies that died out, and those in which nothing of the phenotype was left."""
    run = design.conditions[place]
    causes = design.causes()[place]
    ended = sum(bool(cause) for cause in causes)
    if ended:
        where = f" with {at_level('condition', run.name)}" if len(design.conditions) > 1 else ""
        yield StudyFinding(
            f"{ended} of {count_noun(len(causes), 'line')} of generations{where} ended before the "
            "last generation.",
            Basis("counted", len(causes), ended / len(causes)),
        )
