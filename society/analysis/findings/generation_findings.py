"""Findings about generations: what became of fitness and phenotype from the first to the last.

A run is one line of generations, and the last generation of it is compared with its first, by a
paired t test over runs; of numbers that multiply, logarithms. All conditions and both quantities
are one family (Holm).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from society.analysis.statistics.contrasts import PairedContrast, paired
from society.analysis.statistics.posthoc import correct_p_values
from society.analysis.statistics.samples import Interval, NotEstimable, try_compute
from society.analysis.statistics.value_scale import ValueScale
from society.analysis.study.design import StudyDesign
from society.engine.fact_specs import UNSPECIFIED
from society.engine.rng import Array
from society.terminal.labels import count_noun

from .statements import Basis, StudyFinding
from .wording import (
    FEWEST,
    Averages,
    Quantity,
    at_level,
    format_decimals,
    format_interval,
    format_p,
    shared_decimals,
)

LEVEL = 0.05
FITNESS, PHENOTYPE = "fitness", "phenotype"
_MECHANISM = "generations"
_MOST_CONDITIONS = 4


@dataclass(frozen=True)
class GenerationCourse:
    """One quantity over the generations of a condition, (R, G); NaN where a society has died out.

    where: names the condition behind a statement; "" if there is no other.
    """

    quantity: Quantity
    values: Array
    where: str = ""

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
    if FITNESS not in design.folds or not design.conditions:
        return False
    levels = {run.manifest.stage.levels[0] for run in design.conditions}
    return levels == {"generation"} and any(
        (~np.isnan(each)).any(0).sum() > 1 for each in design.by_round(FITNESS)
    )


def generation_findings(design: StudyDesign) -> list[StudyFinding]:
    """Say how fitness and phenotype changed over the generations of each condition."""
    places = range(min(len(design.conditions), _MOST_CONDITIONS))
    courses = [
        course
        for name in (PHENOTYPE, FITNESS)
        if name in design.folds
        for course in _courses(design, name, places)
    ]
    said = describe_courses(courses)
    said += [one for place in places for one in _ended(design, place)]
    if (left := len(design.conditions) - _MOST_CONDITIONS) > 0:
        words = f"{count_noun(left, 'more condition')} with generations: see the figures."
        said.append(StudyFinding(words, Basis("counted", len(design.conditions))))
    return said


def _courses(design: StudyDesign, name: str, places: range) -> Iterator[GenerationCourse]:
    fitness, values = design.by_round(FITNESS), design.by_round(name)
    found = {}
    for place in places:
        over = (~np.isnan(fitness[place])).any(0)
        if over.sum() > 1:
            found[place] = values[place][:, over]
    if not found:
        return
    scale = ValueScale.of(np.concatenate([each.ravel() for each in found.values()]))
    quantity = _quantity(design, name, scale)
    for place, each in found.items():
        where = f" with {design.name(place)}" if len(design.conditions) > 1 else ""
        yield GenerationCourse(quantity, each, where)


def _quantity(design: StudyDesign, name: str, scale: ValueScale) -> Quantity:
    """Name fitness or phenotype with the fact that the mechanism takes for it."""
    facts = {_fact(run.manifest.spec, name) for run in design.conditions}
    fact = facts.pop() if len(facts) == 1 else ""
    unit = design.study.specs.get(fact, UNSPECIFIED).unit
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


def _numbers(course: GenerationCourse) -> tuple[str, str, int]:
    """Write the means of the first and the last generation, and count generations."""
    quantity = course.quantity
    averages = Averages.of(quantity, list(course.ends))
    last = course.values.shape[1]
    first_words, last_words = averages.number(0), quantity.with_unit(averages.number(1))
    return first_words, last_words, last


def _changed(course: GenerationCourse, found: PairedContrast, p: float) -> StudyFinding:
    quantity, scale = course.quantity, course.quantity.scale
    first, last, generations = _numbers(course)
    values = [float(scale.invert(one)) for one in (found.difference, *found.interval[:2])]
    difference, interval = values[0], Interval(values[1], values[2], found.interval.level)
    decimals = shared_decimals([(interval.high - interval.low) / 2])
    limits = format_interval(interval, decimals)
    geometric = "geometric means; " if scale.logarithmic else ""
    basis = Basis("paired t test over runs", found.n, difference, interval, p)
    span = f"from {first} in generation 1 to {last} in generation {generations}"
    test = f"paired t test, {found.n} runs, {format_p(p)}"
    if p >= LEVEL:
        return StudyFinding(
            f"Whether {quantity.label}{course.where} changed cannot be told: {span}; the "
            f"{scale.contrast_name} is between {limits.replace(' to ', ' and ')} ({geometric}"
            f"95 % interval, {test}).",
            basis,
            "no effect",
        )
    verb = "rose" if found.difference > 0 else "fell"
    size = difference if scale.logarithmic else abs(difference)
    change = f"{'times' if scale.logarithmic else 'by'} {format_decimals(size, decimals)}"
    if not scale.logarithmic and difference < 0:
        limits = format_interval(Interval(-interval.high, -interval.low), decimals)
    return StudyFinding(
        f"{quantity.subject}{course.where} {verb} {span}, {change} ({geometric}95 % interval "
        f"{limits}; {test}).",
        basis,
        "effect",
        f"{quantity.label} {verb}{course.where}",
    )


def _described(course: GenerationCourse) -> StudyFinding:
    quantity, (first, last) = course.quantity, course.ends
    begin = f"{quantity.subject}{course.where}"
    if not len(first):
        return StudyFinding(f"{begin} has no last generation to describe.", Basis("values of runs"))
    early, late, generations = _numbers(course)
    span = f"{early} in generation 1 and {late} in generation {generations}"
    runs = count_noun(len(first), "run")
    if len(first) < FEWEST:
        mean = f"{quantity.scale.mean_name} of {runs}" if len(first) > 1 else runs
        why = f"{mean}: too few to conclude anything"
    else:
        why = f"all {runs} changed by the same"
    gone = ""
    if first.any() and not last.any():
        gone = f" It was 0 in the last generation of all {runs}."
    return StudyFinding(
        f"{begin} was {span} ({why}).{gone}",
        Basis("values of runs", len(first)),
        short=f"{quantity.label}{course.where} was {early}, then {late}",
    )


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
