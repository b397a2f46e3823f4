"""Findings about conditions one by one: a run, or the runs of a condition, without a comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.means import Mean, share
from society.analysis.statistics.samples import Interval, NotEstimable, try_compute
from society.analysis.statistics.survival import SurvivalCurve, SurvivalTimes, kaplan_meier
from society.analysis.statistics.value_scale import ValueScale
from society.analysis.study.condition import ConditionRun
from society.analysis.study.design import StudyDesign
from society.engine.history import Page
from society.engine.rng import Array
from society.runs.agent_names import AgentNames
from society.runs.manifest import Manifest
from society.runs.runfile import RunFile
from society.terminal.labels import RoundLabels, count_noun, spell_kind
from society.terminal.summary import course_sentence

from .generation_findings import evolves
from .statements import Basis, StudyFinding
from .wording import (
    FEWEST,
    Quantity,
    estimate_mean,
    format_decimals,
    format_interval,
    half_width,
    join_words,
    shared_decimals,
)

_OTHERS = 4  # measures beside the outcome
_NAMED = 4  # agents who left


def describe_course(run: ConditionRun) -> StudyFinding:
    """Say how long the societies of a run lasted, and what ended them."""
    with run.opened() as file:
        path = (file.paths() or [()])[-1]
        words = course_sentence(run.manifest, file.outcome(), run.status, path)
    subject, short = f"The {spell_kind(run.manifest.scenario)} ", ""
    if words.startswith(subject):
        short = words.removeprefix(subject).rstrip(".")
    return StudyFinding(words, Basis("counted", run.manifest.replicates), short=short)


def describe_absent(run: ConditionRun) -> Iterator[StudyFinding]:
    """Name those who were gone when a single run was over, and their last round."""
    names, left = AgentNames(run.manifest), list[str]()
    present: Array = np.zeros(run.manifest.agents, bool)
    with run.opened() as file:
        for page in _pages_if_anybody_left(file):
            names.meet(page)
            for seat in np.flatnonzero(present & ~page.present[0]):
                left.append(f"{names.name(0, int(seat))} (since round {page.number})")
            present = page.present[0]
    count = int(present.sum())
    if left and not names.of_lives:
        more = [f"{len(left) - _NAMED} more"] if len(left) > _NAMED else []
        word = run.manifest.stage.presence
        words = join_words([*left[:_NAMED], *more])
        were = "was" if len(left) == 1 else "were"
        yield StudyFinding(
            f"{count} of {run.manifest.agents} were {word} at the end; {words} {were} not.",
            Basis("counted", 1),
        )


def _pages_if_anybody_left(file: RunFile) -> Iterator[Page]:
    """Yield the pages that tell who was gone when; none where nobody was, who is not named."""
    there = [record.page.present[0] for record in file.records(lines=False)]
    if any((before & ~after).any() for before, after in pairwise(there)):
        yield from file.pages()


def describe_single(design: StudyDesign) -> Iterator[StudyFinding]:
    """Give the measures of a single run."""
    words = [
        f"{design.label(name)} {own.with_unit(own.value(float(value)))}"
        for name in _measures(design)[: _OTHERS + 1]
        for own in [quantity_of(design, name)]
        if name not in design.times and not np.isnan(value := design.values(name)[0][0])
    ]
    if words:
        sentence = f"Of its measures: {join_words(words)}"
        yield StudyFinding(
            f"{sentence}. This is one run: how others would go, it cannot tell.",
            Basis("values of one run", 1),
        )


def describe_condition(design: StudyDesign, place: int) -> Iterator[StudyFinding]:
    """Describe the outcome of one condition with several runs, then its other measures."""
    if design.outcome:
        yield from describe_outcome(design, place)
    others = [name for name in _measures(design) if name != design.outcome]
    found = {name: _short_mean(design, name, place) for name in others[:_OTHERS]}
    told = {name: one for name, one in found.items() if one.n}
    words = [
        f"{design.label(name)} {'averaged ' if not at else ''}{one.words}"
        for at, (name, one) in enumerate(told.items())
    ]
    if words:
        sentence = join_words(words)
        more = len(others) - _OTHERS
        left = f" {count_noun(more, 'more measure')} below." if more > 0 else ""
        note, test = _interval_note([*told.values()])
        yield StudyFinding(
            f"{sentence[:1].upper()}{sentence[1:]} ({note}).{left}",
            Basis(test, max(one.n for one in told.values())),
        )


def describe_outcome(design: StudyDesign, place: int) -> Iterator[StudyFinding]:
    """Give the mean of the outcome with its interval; of times, medians and shares as well."""
    name, values = design.outcome, design.values(design.outcome)[place]
    timed = name in design.times
    horizon = design.conditions[place].manifest.most
    censored = design.censored(name)[place] if timed else np.zeros(len(values), bool)
    if lasted_all(design, place):
        yield _lasted(len(values), design.conditions[place].manifest)
        return
    yield mean_finding(quantity_of(design, name), values, int(censored.sum()), horizon)
    known = values[~np.isnan(values)]
    if timed and len(known) >= FEWEST and (censored.any() or np.ptp(known)):
        ended: Array = design.causes()[place] != ""
        subject = "runs" if (ended == ~censored).all() else design.label(name)
        yield from _survival(subject, SurvivalTimes(values, censored))


def lasted_all(design: StudyDesign, place: int) -> bool:
    """Tell whether no run of a condition ended, nor came to what its outcome waits for."""
    name, ended = design.outcome, design.causes()[place] != ""
    if name not in design.times or ended.any():
        return False
    censored = design.censored(name)[place]
    return len(censored) >= FEWEST and bool(censored.all())


def _lasted(runs: int, manifest: Manifest) -> StudyFinding:
    """Say that all runs went on to the last round, and what that tells of others."""
    low, high, _ = share(runs, runs).interval
    every = RoundLabels(manifest).all()
    return StudyFinding(
        f"All {runs:,} runs lasted all {every} (95 % interval of their share: {100 * low:.0f} to "
        f"{100 * high:.0f} %).",
        Basis("Wilson interval of the share that lasted", runs, 1.0, share(runs, runs).interval),
        short=f"all {runs:,} runs lasted all {every}",
    )


def mean_finding(
    quantity: Quantity, values: Array, censored: int = 0, horizon: int = 0
) -> StudyFinding:
    """Give the mean of a sample, (R,), with its interval; of few runs, their values.

    censored: values that are no more than the last round, the horizon.
    """
    known = values[~np.isnan(values)]
    n, found = len(known), estimate_mean(quantity, values)
    if not n:
        return StudyFinding(f"{quantity.subject} was measured in no run.", Basis("values of runs"))
    if isinstance(found, NotEstimable) and n > 1:
        number = quantity.with_unit(quantity.value(float(known[0])))
        return StudyFinding(
            f"{quantity.subject} was {number} in all {n} runs.", Basis("values of runs", n)
        )
    if isinstance(found, NotEstimable) or n < FEWEST:
        listed = quantity.with_unit(join_words([quantity.value(float(one)) for one in known]))
        few = "1 run" if n == 1 else f"{n} runs"
        return StudyFinding(
            f"{quantity.subject} was {listed} in {few}: too few for an interval, and nothing is "
            "concluded.",
            Basis("values of runs", n),
        )
    number, limits = _mean_words(quantity, found)
    number += f" of {horizon}" if censored else ""
    counted = ""
    if censored:
        counted = (
            f", where {'that' if censored == 1 else f'each of the {censored}'} in which it had not "
            f"come counts as {horizon}"
        )
    mean_name = "a geometric mean of " if quantity.scale.logarithmic else ""
    return StudyFinding(
        f"{quantity.subject} averaged {mean_name}{quantity.with_unit(number)} (95 % interval "
        f"{limits}; {n} runs{counted}).",
        Basis(f"{quantity.scale.mean_name} with t interval", n, found.mean, found.interval),
        short=f"{quantity.label} {quantity.with_unit(number)}",
    )


def _survival(subject: str, lives: SurvivalTimes) -> Iterator[StudyFinding]:
    """Say by when half of the runs had come to what a measure waits for, and how many never did.

    subject: the measure that waits, or "runs" if it is their end.
    """
    curve = try_compute(kaplan_meier, lives)
    if not isinstance(curve, SurvivalCurve):
        return
    runs = subject == "runs"
    come, never = ("had ended", "never ended") if runs else ("had come to it", "never came to it")
    parts, interval = [], None
    if curve.median is not None:
        low, high = curve.median_interval
        limits = f"{low:g} or later" if high is None else f"{low or 0:g} to {high:g}"
        parts.append(f"half of the runs {come} by round {curve.median:g} (95 % interval {limits})")
    lasted = try_compute(share, curve.censored, curve.n)
    if curve.censored and not isinstance(lasted, NotEstimable):
        interval = lasted.interval
        limits = " to ".join(f"{100 * limit:.0f}" for limit in interval[:2])
        parts.append(f"{curve.censored} of {curve.n} {never} before the last round ({limits} %)")
    words = "; ".join(parts)
    first = words if runs else f"{subject}: {words}"
    if parts:
        test = "Kaplan-Meier estimate of the median, Wilson interval of the share that lasted"
        yield StudyFinding(
            f"{first[:1].upper()}{first[1:]}.", Basis(test, curve.n, curve.median, interval)
        )


def quantity_of(design: StudyDesign, name: str) -> Quantity:
    """Return a measure in words, on the scale of the outcome if it is that.

    A mean over generations says so: they are not alike.
    """
    scale = ValueScale(design.scale.name if name == design.outcome else "linear")
    label, unit = design.label(name), design.measured[name]
    if design.folds.get(name) == "mean" and evolves(design):
        label = f"mean {label} over all generations"
    return Quantity.of(label, unit, scale)


def _measures(design: StudyDesign) -> list[str]:
    """Return the names of measures that some run has a value of."""
    return [name for name in design.measured if _known(design.values(name))]


def _known(samples: Sequence[Array]) -> bool:
    return any(values.dtype.kind == "f" and not np.isnan(values).all() for values in samples)


class _ShortMean(NamedTuple):
    """A mean in a few words, the number of runs with a value, and whether it has an interval."""

    words: str
    n: int
    interval: bool = False


def _short_mean(design: StudyDesign, name: str, place: int) -> _ShortMean:
    """Write the mean of a measure in a condition, with its interval if five runs or more differ."""
    quantity, values = quantity_of(design, name), design.values(name)[place]
    known = values[~np.isnan(values)]
    n, found = len(known), estimate_mean(quantity, values)
    if not n:
        return _ShortMean("", 0)
    if isinstance(found, NotEstimable) or n < FEWEST:
        middle = float(known[0] if isinstance(found, NotEstimable) else found.mean)
        return _ShortMean(quantity.with_unit(quantity.value(middle)), n)
    number, limits = _mean_words(quantity, found)
    return _ShortMean(f"{quantity.with_unit(number)} ({limits})", n, True)


def _interval_note(told: Sequence[_ShortMean]) -> tuple[str, str]:
    """Say which of some means have intervals; gives how numbers were taken, too."""
    if all(one.interval for one in told):
        return "95 % intervals", "means with t intervals"
    if any(one.interval for one in told):
        return f"95 % intervals where {FEWEST} runs or more differ", "means with t intervals"
    most = max(one.n for one in told)
    if most < FEWEST:
        return f"{count_noun(most, 'run')}: too few for intervals", "means of runs"
    return f"no intervals: fewer than {FEWEST} runs, or runs that do not differ", "means of runs"


def _mean_words(quantity: Quantity, found: Mean) -> tuple[str, str]:
    """Write a mean, and the ends of its interval."""
    factor = quantity.factor
    decimals = shared_decimals([factor * (half_width(found) or 0)])
    low, high, level = found.interval
    limits = format_interval(Interval(factor * low, factor * high, level), decimals)
    return format_decimals(factor * found.mean, decimals), limits
