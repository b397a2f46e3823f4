"""How donors fare generation by generation, as judges of claims about their evolution see it.

A course has one value for each line of rounds: the page on which a generation is born, then the
rounds of its games. Fitness, the resources at the end averaged over its games, is known on the last
page of each generation alone, and so tells where one ends.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from society.claims.comparisons import ALPHA
from society.claims.types import Evidence, Finding, Levels, Untold, asked, outcome_of
from society.draws import Array

MODELS, ABLATIONS = "models", "ablations"  # the experiments
SUCCESS = 2.0  # times
# Measures: of all rules, and what the paper looks at, of those who live on.
RESOURCES, DONATION, SELECTION = "fitness", "phenotype", "selection"
SELECTED = "selection_differential"

CLAUDE, GEMINI, GPT = "claude-3.5-sonnet", "gemini-1.5-flash", "gpt-4o"
# What providers call them as well.
_ALIASES = {
    CLAUDE: ("claude-3-5-sonnet",),
    GEMINI: ("gemini-1.5-flash-001", "gemini-1.5-flash-002"),
}


def model_named(evidence: Evidence, trial: str, name: str) -> object:
    """The level of the factor `model` that is this model of the paper; raises Untold."""
    for alias in (name, *_ALIASES.get(name, ())):
        try:
            return asked(evidence, trial, alias)
        except Untold:
            continue
    raise Untold(f"{name} was not asked; name it under --model")


def by_generation(evidence: Evidence, trial: str, measure: str, levels: Levels) -> Array:
    """The mean of a measure over the rounds of each generation, (n, G); NaN where none has any."""
    ended = ~np.isnan(evidence.courses(trial, RESOURCES, levels))
    values = evidence.courses(trial, measure, levels)
    ends = np.flatnonzero(ended.any(0)) + 1
    blocks = np.split(values, ends, axis=1)[: len(ends)]
    return np.stack([_mean(block) for block in blocks], axis=1)


def _mean(values: Array) -> Array:
    """Over the rounds in which there is any, (n, T) -> (n,)."""
    known = ~np.isnan(values)
    total, count = np.where(known, values, 0).sum(1), known.sum(1)
    mean: Array = np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)
    return mean


def rises(courses: Mapping[str, Array]) -> dict[str, tuple[Array, Array]]:
    """The last generation beside the first, run by run; courses: (n, G), by name."""
    return {
        f"{name}: last > first generation": (course[:, -1], course[:, 0])
        for name, course in courses.items()
    }


def refuted(held: bool | None) -> bool | None:
    """Whether the contrary holds.

    >>> refuted(True), refuted(False), refuted(None)
    (False, True, None)
    """
    return None if held is None else not held


def unless_by_chance(held: bool, chance: float, words: str) -> Finding:
    """What was counted; it is not shown if as much comes about by chance too often."""
    found = f"{words}; by chance in {chance:.1%} of times"
    if held and chance > ALPHA:
        return Finding("cannot be told", found, "more runs would show it")
    return Finding(outcome_of([held]), found)


def succeeded(resources: Array) -> Array:
    """Runs that come to SUCCESS times what the first generation has, (n, G) -> (n,) of bool."""
    good: Array = resources[:, -1] >= SUCCESS * resources[:, 0]
    return good
