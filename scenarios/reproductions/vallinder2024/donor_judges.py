"""Judges of what the donor paper says of few runs: each is counted, or the best one looked at.

    every run    the slope of a straight line through the logarithms of each run's generations; as
                 many runs fall by chance with 1 / 2^n. It fails if a run surely rises
    crash        the best generation has at least twice the first's final resources, the last at
                 most half of the best's, and logarithms rise and fall by four times their noise
                 from one generation to the next (by its median); several are surely more than what
                 MATTERS of all, by the interval of Clopper and Pearson
    threshold    all runs that come to twice the first generation's final resources gave more in the
                 first generation than all others did; of all ways to part as many runs, one does so
                 by chance. It fails if their mean is surely not higher (Welch)
    more runs    come to twice the first generation's final resources in the last one, with
                 punishment than without; by Fisher's exact test
    best run     that with most resources in the last generation
What would come about by chance in more than one of twenty times is not shown. At the end, notes on
runs of rules.

Source: Vallinder and Hughes 2024, arXiv 2412.10270, sections 4.1 and 4.2, Figs 4 to 6.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from society.claims.comparisons import ALPHA, FEWEST, MATTERS
from society.claims.data import SampleSpec
from society.claims.types import ClaimFinding, order_finding, outcome_of
from society.engine.rng import Array
from society.optional import require
from society.reproduction.claim_samples import Samples, samples_by_generation

CLAUDE, GEMINI, GPT = "claude-3.5-sonnet", "gemini-1.5-flash", "gpt-4o"
TRIAL = "models"
NORMAL_MEDIAN = 0.6745  # of absolute values, in standard deviations
MORE = "more runs would show it"

CRASHED = 2.0  # times the first generation, and then of the best
OUTSTANDING = 4.0  # standard deviations of noise
SUCCESS = 2.0  # times


def all_runs_decline(samples: Samples) -> ClaimFinding:
    """Does every run of GPT-4o decline?"""
    course = np.log(_by_generation(samples, "fitness", GPT))
    fits = [fit_slope(run, level=1 - ALPHA / len(course)) for run in course]
    chance = 0.5 ** len(course)
    words = ", ".join(f"{math.exp(one.slope):.3g}" for one in fits)
    found = f"times as much each generation: {words}; by chance in {chance:.1%} of times"
    held: bool | None = None
    if len(course) >= FEWEST and any(one.low > 0 for one in fits):
        held = False
    elif all(one.slope < 0 for one in fits) and chance < ALPHA:
        held = True
    return ClaimFinding(outcome_of([held]), found, "" if held is not None else MORE)


def some_runs_crash(samples: Samples) -> ClaimFinding:
    """Do several runs of Gemini rise, and then crash?"""
    course = _by_generation(samples, "fitness", GEMINI)
    first, best, last = course[:, 0], course.max(1), course[:, -1]
    peaked = (best >= CRASHED * first) & (last <= best / CRASHED)
    logs = np.log(course)
    noise = np.median(np.abs(np.diff(logs, axis=1)), axis=1) / (math.sqrt(2) * NORMAL_MEDIAN)
    risen = logs.max(1) - np.maximum(logs[:, 0], logs[:, -1])
    sure = peaked & (risen > OUTSTANDING * noise)
    words = ", ".join(
        f"{one:.3g} to {other:.3g} to {end:.3g}"
        for one, other, end in zip(first, best, last, strict=True)
    )
    (at_least,) = samples.evidence.chances({"rise and crash": sure}, MATTERS)
    (at_most,) = samples.evidence.chances({"rise and crash, or seem to": peaked}, MATTERS)
    held = None
    if not at_least.untestable:
        held = True if at_least.low > MATTERS else (False if at_most.high < MATTERS else None)
    found = f"{at_least}; first, best and last generation: {words}"
    return ClaimFinding(outcome_of([held]), found, "" if held is not None else MORE)


def success_threshold(samples: Samples) -> ClaimFinding:
    """Do runs of Claude that succeed begin with more generous donors than all others?"""
    good = _succeeded(_by_generation(samples, "fitness", CLAUDE))
    first = _by_generation(samples, "phenotype", CLAUDE)[:, 0]
    words = "; ".join(
        f"{sort}: {', '.join(f'{one:.0%}' for one in np.sort(first[some])) or 'none'}"
        for sort, some in (("succeeded", good), ("failed", ~good))
    )
    if good.all() or not good.any():
        return ClaimFinding("cannot be told", words, "runs of one sort alone show no threshold")
    chance = 1 / math.comb(len(good), int(good.sum()))
    (compared,) = samples.evidence.independent({"succeeded > failed": (first[good], first[~good])})
    held = False if compared.holds is False else None
    if held is None and chance <= ALPHA and first[good].min() > first[~good].max():
        held = True
    found = f"{words}; by chance in {chance:.1%} of times"
    return ClaimFinding(outcome_of([held]), found, "" if held is not None else MORE)


def first_donations(samples: Samples) -> ClaimFinding:
    """Compare the donations of the first round, in the last generation and in the first."""
    begun = {name: _first_rounds(samples, name) for name in (CLAUDE, GPT)}
    pairs = {
        f"{CLAUDE}: last > first generation": (begun[CLAUDE][:, -1], begun[CLAUDE][:, 0]),
        f"{GPT}: first > last generation": (begun[GPT][:, 0], begun[GPT][:, -1]),
    }
    return order_finding(samples.evidence.paired(pairs))


def more_improve(samples: Samples) -> ClaimFinding:
    """Do more runs of Claude succeed with punishment than without?"""
    punished, free = (
        _succeeded(_by_generation(samples, "fitness", CLAUDE, punishment=one))
        for one in (True, False)
    )
    found = f"{punished.sum()} of {len(punished)} with, {free.sum()} of {len(free)} without"
    compared = samples.evidence.counted("share of runs: with > without", punished, free)
    return order_finding([compared], found)


def donations_of_best_runs(samples: Samples) -> str:
    """Return the change by generation, in points of 100, of donations in each model's best run."""
    words = []
    for name in (CLAUDE, GEMINI, GPT):
        course = _best(samples, "phenotype", name)
        points = 100 * float(course[-1] - course[0]) / (len(course) - 1)
        words.append(f"{name} {points:+.2f}")
    return f"points a generation, best runs: {', '.join(words)}"


def selection_in_best_runs(samples: Samples) -> str:
    """Count the generations of the best runs in which survivors gave more than the others."""
    courses = {name: _best(samples, "selection_differential", name) for name in (CLAUDE, GPT)}
    words = [f"{name} {(course > 0).sum()} of {len(course)}" for name, course in courses.items()]
    return f"generations above zero, best runs: {', '.join(words)}"


def _best(samples: Samples, measure: str, name: str) -> Array:
    """A measure in each generation of a model's best run, (G,)."""
    best = _by_generation(samples, "fitness", name)[:, -1].argmax()
    course: Array = _by_generation(samples, measure, name)[best]
    return course


def _by_generation(samples: Samples, measure: str, name: str, *, punishment: bool = False) -> Array:
    """A measure of a model's runs in each generation, (n, G)."""
    levels = {"model": samples.model(TRIAL, name), "punishment": punishment}
    return samples_by_generation(samples.evidence, TRIAL, measure, levels)


def _first_rounds(samples: Samples, name: str) -> Array:
    """Return the share that donors give in the first round of gifts of each generation, (n, G)."""
    levels = {"model": samples.model(TRIAL, name), "punishment": False}
    ended: Array = ~np.isnan(samples.evidence.rounds(TRIAL, "fitness", levels))
    ends = np.flatnonzero(ended.any(0)) + 1
    given = samples.evidence.rounds(TRIAL, "donation", levels)
    blocks = np.split(given, ends, axis=1)[: len(ends)]
    first = [block[:, (~np.isnan(block)).any(0).argmax()] for block in blocks]
    return np.stack(first, axis=1)


def _succeeded(resources: Array) -> Array:
    """Tell which runs reach SUCCESS times the level of their first generation, (n, G) -> (n,)."""
    good: Array = resources[:, -1] >= SUCCESS * resources[:, 0]
    return good


class Slope(NamedTuple):
    """The slope of a straight line, and the lower end of its interval."""

    slope: float
    low: float


def fit_slope(course: Array, *, level: float = 1 - ALPHA) -> Slope:
    """Fit a straight line through a run's generations by least squares; (G,), of three at least.

    >>> [round(number, 2) for number in fit_slope(np.array([1.0, 2.1, 2.9, 4.0]))]
    [0.98, 0.86]
    """
    stats = require("scipy.stats")
    fit = stats.linregress(np.arange(len(course)), course)
    reach = stats.t.isf((1 - level) / 2, len(course) - 2) * fit.stderr
    return Slope(float(fit.slope), float(fit.slope - reach))


def runs_that_rise(samples: Samples, *, multiplier: float) -> str:
    """Share of runs that end richer than they began, and the means, which few runs make."""
    last, first = (
        samples.values(SampleSpec(measure=measure, levels={"multiplier": multiplier}), {})
        for measure in ("fitness", "first_fitness")
    )
    return (
        f"{(last > first).mean():.1%} of runs end richer; "
        f"arithmetic means {last.mean():.3g} and {first.mean():.3g}"
    )


def share_punished(samples: Samples) -> str:
    """Share of encounters that are punished, where they may be."""
    punished = samples.mean(SampleSpec(measure="punished", levels={"punishment": True}), {})
    return f"{punished:.1%} of encounters are punished"
