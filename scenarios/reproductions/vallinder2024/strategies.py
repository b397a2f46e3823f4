"""What models donate and which strategies they devise, generation by generation: how we judge it.

Rules of judging, set down before any model was asked. Donation is the share that agents give of
what they own, mean over a generation. The paper looks at each model's best run, that with most
resources in the last generation. One run cannot be tested, so that all runs are; the best one's
number stands beside it.
    generous at first   the first generation's donation; Welch's test
    change              donation of the last generation against the first, run by run
    selection           what survivors give less what the others do, over its mean, mean over the
                        generations of a run: above zero for Claude, below for GPT-4o
    threshold           all runs that come to twice the first generation's final resources gave
                        more in the first generation than all others did; of all ways to part as
                        many runs, one does so by chance
    newborn             what newborn agents would give to a battery of recipients less what those
                        whose children they are would: above zero for Claude, and above GPT-4o's; in
                        runs of their own, of three generations
    complex             words in a strategy, mean over agents: more in the last generation than in
                        the first, run by run, and more are added by Claude than by the others

Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 4.1, Fig. 6 and Table 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from society.claims.types import Claim, Evidence, Finding, ordered
from society.draws import Array
from society.scenarios.reproductions.vallinder2024.trajectories import (
    CLAUDE,
    DONATION,
    GEMINI,
    GPT,
    MODELS,
    RESOURCES,
    SELECTED,
    by_generation,
    model_named,
    rises,
    succeeded,
    unless_by_chance,
)

NEWBORN = "newborn"  # the experiment


class Courses(NamedTuple):
    """A model's runs without punishment, generation by generation, (n, G) each."""

    resources: Array
    donation: Array
    selected: Array

    @property
    def best(self) -> int:
        """The run with most resources in the last generation."""
        return int(self.resources[:, -1].argmax())


def claims() -> Iterator[Claim]:
    """About donations, in the paper's order."""
    yield Claim(
        "Below some first donation a society ends in defection",
        "Section 4.1",
        "Claude's two runs that failed gave 44 % and 47 % in the first generation, its three that "
        "succeeded 50 %, 53 % and 54 %.",
        _threshold,
    )
    yield Claim(
        "Claude 3.5 Sonnet is more generous from the start",
        "Fig. 6",
        "Though it does not greatly exceed Gemini 1.5 Flash.",
        _generous,
    )
    yield Claim(
        "Donations of the best runs rise for Claude and Gemini, and fall for GPT-4o",
        "Fig. 6",
        "By 4.35, 1.23 and -1.65 points a generation.",
        _changes,
    )
    yield Claim(
        "Claude's best run selects for generosity, and GPT-4o's does not",
        "Fig. 6",
        "Survivors gave more than the others in 6 generations of Claude's, in 2 of GPT-4o's.",
        _selection,
    )
    yield Claim(
        "Newborn agents are more generous than survivors with Claude, less so with GPT-4o",
        "Section 4.1",
        "Anecdotally; a test would put both before the same recipients.",
        _newborn,
    )
    yield Claim(
        "Strategies become more complex, Claude's most",
        "Table 1",
        "Claude's first donation increases over time, GPT-4o's decreases; Gemini names no numbers.",
        _complex,
    )


def _of(evidence: Evidence, name: str) -> Courses:
    levels = {"model": model_named(evidence, MODELS, name), "punishment": False}
    measures = (RESOURCES, DONATION, SELECTED)
    return Courses(*(by_generation(evidence, MODELS, one, levels) for one in measures))


def _threshold(evidence: Evidence) -> Finding:
    runs = _of(evidence, CLAUDE)
    good, first = succeeded(runs.resources), runs.donation[:, 0]
    words = "; ".join(
        f"{sort}: {', '.join(f'{one:.0%}' for one in np.sort(first[some])) or 'none'}"
        for sort, some in (("succeeded", good), ("failed", ~good))
    )
    if good.all() or not good.any():
        return Finding("cannot be told", words, "runs of one sort alone show no threshold")
    chance = 1 / math.comb(len(good), int(good.sum()))
    return unless_by_chance(bool(first[good].min() > first[~good].max()), chance, words)


def _generous(evidence: Evidence) -> Finding:
    first = {name: _of(evidence, name).donation[:, 0] for name in (CLAUDE, GEMINI, GPT)}
    return ordered(
        evidence.independent(
            {f"{CLAUDE} > {name}": (first[CLAUDE], first[name]) for name in (GEMINI, GPT)}
        )
    )


def _changes(evidence: Evidence) -> Finding:
    runs = {name: _of(evidence, name) for name in (CLAUDE, GEMINI, GPT)}
    pairs = rises({name: runs[name].donation for name in (CLAUDE, GEMINI)})
    falling = runs[GPT].donation
    pairs[f"{GPT}: first > last generation"] = (falling[:, 0], falling[:, -1])
    best = ", ".join(f"{name} {_points(one):+.2f}" for name, one in runs.items())
    return ordered(evidence.paired(pairs), f"points a generation, best runs: {best}")


def _points(runs: Courses) -> float:
    """By how many points of 100 the best run's donation changes from generation to generation."""
    course = runs.donation[runs.best]
    return 100 * float(course[-1] - course[0]) / (len(course) - 1)


def _selection(evidence: Evidence) -> Finding:
    claude, gpt = _of(evidence, CLAUDE), _of(evidence, GPT)
    means = [np.nanmean(runs.selected, axis=1) for runs in (claude, gpt)]
    nothing = np.zeros_like(means[0])
    pairs = {f"{CLAUDE} > 0": (means[0], nothing), f"0 > {GPT}": (nothing, means[1])}
    best = ", ".join(
        f"{name} {(runs.selected[runs.best] > 0).sum()} of {runs.selected.shape[1]}"
        for name, runs in ((CLAUDE, claude), (GPT, gpt))
    )
    return ordered(evidence.paired(pairs), f"generations above zero, best runs: {best}")


def _newborn(evidence: Evidence) -> Finding:
    claude, gpt = (
        evidence.runs(NEWBORN, "mutation_bias", {"model": model_named(evidence, NEWBORN, name)})
        for name in (CLAUDE, GPT)
    )
    above = evidence.paired({f"{CLAUDE} > 0": (claude, np.zeros_like(claude))})
    return ordered([*above, *evidence.independent({f"{CLAUDE} > {GPT}": (claude, gpt)})])


def _complex(evidence: Evidence) -> Finding:
    words = {
        name: [
            evidence.runs(
                MODELS,
                measure,
                {"model": model_named(evidence, MODELS, name), "punishment": False},
            )
            for measure in ("strategy_words", "first_strategy_words")
        ]
        for name in (CLAUDE, GEMINI, GPT)
    }
    risen = evidence.paired(
        {f"{name}: last > first generation": (last, first) for name, (last, first) in words.items()}
    )
    added = {name: last - first for name, (last, first) in words.items()}
    more = evidence.independent(
        {f"added, {CLAUDE} > {name}": (added[CLAUDE], added[name]) for name in (GEMINI, GPT)}
    )
    return ordered([*risen, *more])
