"""What language villages do over time, and from which start: how we judge it in the village paper.

Rules of judging, set down before any model was asked; differences by Welch's test, corrected by
Holm over a claim:
    overuse    in the harsh lake catches of rounds 1 to 5 above the sustainable yield (efficiency
               above 1), and the lake then below half its capacity, where it grows fastest, at the
               end of the last round; run by run, all models together
    settled    mean efficiency from round 21 on, after deepseek-r1 is said to have settled (rounds
               15 to 20), of runs that live so long
    starts     selfish against mixed and against altruistic villages of a model
    mixed      not consistently best: in some model mixed villages last surely shorter than others

Source: Gupta et al. 2026 (AAMAS), sections 4.2.1 to 4.2.3, Figs 6, 15 and 16.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from society.claims.comparisons import Comparison
from society.claims.types import (
    Claim,
    Evidence,
    Finding,
    any_holds,
    asked,
    noted,
    ordered,
    outcome_of,
)
from society.draws import Array

EARLY, SETTLED = 5, 20  # rounds
BEST_GROWTH = 0.5  # of the capacity

_MODELS = "models"  # the experiment


def early_overuse() -> Claim:
    """In the harsh lake."""
    return Claim(
        "In the harsh lake early overuse is followed by a rapid collapse of the stock",
        "Section 4.2.1, Figs 15, 16",
        "Efficiency is high at first, and then the population collapses.",
        _overused,
    )


def of_starts() -> Iterator[Claim]:
    """In the rich lake."""
    yield Claim(
        "In the rich lake mixed villages are not consistently best",
        "Section 4.2.2",
        "Behaviour sticks to the initial norms, unlike that of rules.",
        _mixed,
    )
    yield Claim(
        "In the rich lake deepseek-r1 lasts longest with selfish villagers",
        "Section 4.2.3, Fig. 6",
        "It often reaches the last round, 50, especially from selfish starts.",
        _selfish_start,
    )
    yield Claim(
        "In the rich lake claude-sonnet-4 and gpt-4o settle at a lower efficiency than deepseek-r1",
        "Section 4.2.3, Fig. 16",
        "And remain there.",
        _settled,
    )


def _overused(evidence: Evidence) -> Finding:
    efficiency = evidence.courses(_MODELS, "efficiency", {"lake": "harsh"})
    stock = evidence.courses(_MODELS, "stock", {"lake": "harsh"})
    early, last = _mean(efficiency[:, :EARLY]), _last(stock)
    return ordered(
        evidence.paired(
            {
                f"efficiency of rounds 1 to {EARLY} > 1": (early, np.ones_like(early)),
                "half the capacity > last stock": (np.full_like(last, BEST_GROWTH), last),
            }
        )
    )


def _mixed(evidence: Evidence) -> Finding:
    pairs = {
        f"{model}: {other} > mixed": (
            _survival(evidence, model, other),
            _survival(evidence, model, "mixed"),
        )
        for model in evidence.levels(_MODELS)["model"]
        for other in ("selfish", "altruist")
    }
    compared = evidence.independent(pairs)
    found = "; ".join(map(str, compared))
    return Finding(outcome_of([any_holds(one.holds for one in compared)]), found, noted(compared))


def _selfish_start(evidence: Evidence) -> Finding:
    model = asked(evidence, _MODELS, "deepseek-r1")
    selfish = _survival(evidence, model, "selfish")
    compared = evidence.independent(
        {
            f"selfish > {other}": (selfish, _survival(evidence, model, other))
            for other in ("mixed", "altruist")
        }
    )
    return ordered(compared, "none can outlast a run that reaches the last round")


def _settled(evidence: Evidence) -> Finding:
    best = _late(evidence, "deepseek-r1")
    compared: list[Comparison] = evidence.independent(
        {
            f"deepseek-r1 > {other}": (best, _late(evidence, other))
            for other in ("claude-sonnet-4", "gpt-4o")
        }
    )
    return ordered(compared, f"runs that end by round {SETTLED} are left out")


def _late(evidence: Evidence, name: str) -> Array:
    """Mean efficiency of a model in the rich lake once settled, (n,); NaN of runs ended before."""
    levels = {"model": asked(evidence, _MODELS, name), "lake": "rich"}
    return _mean(evidence.courses(_MODELS, "efficiency", levels)[:, SETTLED:])


def _mean(course: Array) -> Array:
    """Over the rounds that there are, (n, T) -> (n,); NaN where there is none."""
    known = ~np.isnan(course)
    total, count = np.where(known, course, 0).sum(1), known.sum(1)
    mean: Array = np.divide(total, count, out=np.full(len(course), np.nan), where=count > 0)
    return mean


def _last(course: Array) -> Array:
    """The last value that there is, (n, T) -> (n,); a run has one at least."""
    rounds = (~np.isnan(course)).sum(1)
    last: Array = course[np.arange(len(course)), rounds - 1]
    return last


def _survival(evidence: Evidence, model: object, population: str) -> Array:
    levels = {"model": model, "lake": "rich", "population": population}
    return evidence.runs(_MODELS, "survival_time", levels)
