"""Judges of what the donor paper says of few runs: each is counted, or the best one looked at.

    every run    the slope of a straight line through the logarithms of each run's generations; as
                 many runs fall by chance with 1 / 2^n
    crash        the best generation has at least twice the first's final resources, the last at
                 most half of the best's; several runs are two: counted, without a test
    threshold    all runs that come to twice the first generation's final resources gave more in the
                 first generation than all others did; of all ways to part as many runs, one does so
                 by chance
    more runs    come to twice the first generation's final resources in the last one, with
                 punishment than without; by Fisher's exact test
    best run     that with most resources in the last generation
What would come about by chance in more than one of twenty times is not shown. At the end, notes on
runs of rules.

Source: Vallinder and Hughes 2024, arXiv 2412.10270, sections 4.1 and 4.2, Figs 4 to 6.
"""

from __future__ import annotations

import math

import numpy as np

from society.claims.comparisons import ALPHA
from society.claims.data import SampleSpec
from society.claims.types import ClaimFinding, order_finding, outcome_of
from society.engine.rng import Array
from society.reproduction.claim_samples import Samples, samples_by_generation

CLAUDE, GEMINI, GPT = "claude-3.5-sonnet", "gemini-1.5-flash", "gpt-4o"
TRIAL = "models"

CRASHED = 2.0  # times the first generation, and then of the best
SEVERAL = 2  # runs
SUCCESS = 2.0  # times


def all_runs_decline(samples: Samples) -> ClaimFinding:
    """Does every run of GPT-4o decline?"""
    course = _by_generation(samples, "fitness", GPT)
    slopes = np.polyfit(np.arange(course.shape[1]), np.log(course.T), 1)[0]
    words = ", ".join(f"{factor:.3g}" for factor in np.exp(slopes))
    return _unless_by_chance(
        bool((slopes < 0).all()), 0.5 ** len(slopes), f"times as much each generation: {words}"
    )


def some_runs_crash(samples: Samples) -> ClaimFinding:
    """Do several runs of Gemini rise, and then crash?"""
    course = _by_generation(samples, "fitness", GEMINI)
    first, best, last = course[:, 0], course.max(1), course[:, -1]
    crashed = (best >= CRASHED * first) & (last <= best / CRASHED)
    words = ", ".join(
        f"{one:.3g} to {other:.3g} to {end:.3g}"
        for one, other, end in zip(first, best, last, strict=True)
    )
    found = f"{crashed.sum()} of {len(course)} runs; first, best and last generation: {words}"
    return ClaimFinding(outcome_of([bool(crashed.sum() >= SEVERAL)]), found)


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
    return _unless_by_chance(bool(first[good].min() > first[~good].max()), chance, words)


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


def _succeeded(resources: Array) -> Array:
    """Tell which runs reach SUCCESS times the level of their first generation, (n, G) -> (n,)."""
    good: Array = resources[:, -1] >= SUCCESS * resources[:, 0]
    return good


def _unless_by_chance(held: bool, chance: float, words: str) -> ClaimFinding:
    """Give the count as a verdict: not shown if chance does as much too often."""
    found = f"{words}; by chance in {chance:.1%} of times"
    if held and chance > ALPHA:
        return ClaimFinding("cannot be told", found, "more runs would show it")
    return ClaimFinding(outcome_of([held]), found)


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
