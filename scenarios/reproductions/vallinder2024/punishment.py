"""Costly punishment in the donor paper's Figs 3 and 5: how we judge what models make of it.

Rules of judging, set down before any model was asked; differences by Welch's test, corrected by
Holm over a claim, of final resources by logarithms, since they multiply:
    with punishment   final resources, averaged over all generations of a run, against runs without
    little change     no difference of a tenth can be there
    shares            of encounters in which somebody was punished: models in the paper's order,
                      and each more than half and less than twice the paper's
    more runs         that come to twice the first generation's final resources in the last one; by
                      Fisher's exact test

Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 4.2.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from society.claims.comparisons import Comparison
from society.claims.types import Claim, Evidence, Finding, noted, ordered, outcome_of
from society.draws import Array
from society.scenarios.reproductions.vallinder2024.trajectories import (
    CLAUDE,
    GEMINI,
    GPT,
    MODELS,
    RESOURCES,
    by_generation,
    model_named,
    refuted,
    succeeded,
)

PUBLISHED = {GEMINI: 0.1429, GPT: 0.0165, CLAUDE: 0.0006}  # of encounters
LIKE = 2.0  # times as many, or as few


def claims() -> Iterator[Claim]:
    """Of section 4.2."""
    yield Claim(
        "Punishment makes Claude 3.5 Sonnet richer",
        "Fig. 3",
        "Average final resources increase, substantially so in Fig. 3, somewhat in its text.",
        lambda evidence: ordered([_with_punishment(evidence, CLAUDE)]),
    )
    yield Claim(
        "Punishment makes Gemini 1.5 Flash poorer",
        "Fig. 3",
        "Average final resources decrease substantially.",
        lambda evidence: ordered([_without(evidence, GEMINI)]),
    )
    yield Claim(
        "Punishment changes little for GPT-4o",
        "Fig. 3",
        "There is little change; some increase, small in absolute terms.",
        _unchanged,
    )
    yield Claim(
        "Gemini 1.5 Flash punishes in 14.29 % of encounters, GPT-4o in 1.65 %, Claude in 0.06 %",
        "Fig. 5",
        "Gemini over-engages in punishment.",
        _shares,
    )
    yield Claim(
        "With punishment more runs of Claude 3.5 Sonnet improve",
        "Fig. 5",
        "A larger number shows substantial improvement.",
        _more_runs,
    )


def _courses(evidence: Evidence, name: str, *, punishment: bool) -> Array:
    """Mean final resources of each generation, (n, G)."""
    levels = {"model": model_named(evidence, MODELS, name), "punishment": punishment}
    return by_generation(evidence, MODELS, RESOURCES, levels)


def _both(evidence: Evidence, name: str) -> tuple[Array, Array]:
    """Means over the generations of a run, with and without punishment, (n,) each."""
    punished, free = (_courses(evidence, name, punishment=one).mean(1) for one in (True, False))
    return punished, free


def _with_punishment(evidence: Evidence, name: str) -> Comparison:
    pair = {f"{name}: with > without": _both(evidence, name)}
    (compared,) = evidence.independent(pair, logs=pair)
    return compared


def _without(evidence: Evidence, name: str) -> Comparison:
    punished, free = _both(evidence, name)
    pair = {f"{name}: without > with": (free, punished)}
    (compared,) = evidence.independent(pair, logs=pair)
    return compared


def _unchanged(evidence: Evidence) -> Finding:
    compared = _with_punishment(evidence, GPT)
    return Finding(outcome_of([refuted(compared.differs)]), str(compared))


def _shares(evidence: Evidence) -> Finding:
    shares = {
        name: evidence.runs(
            MODELS,
            "punished",
            {"model": model_named(evidence, MODELS, name), "punishment": True},
        )
        for name in PUBLISHED
    }
    compared = evidence.independent(
        {
            f"{one} > {other}": (shares[one], shares[other])
            for one, other in ((GEMINI, GPT), (GPT, CLAUDE))
        }
    )
    bounds = {}
    for name, published in PUBLISHED.items():
        low, high = (np.full_like(shares[name], by) for by in (published / LIKE, published * LIKE))
        bounds[f"{name} > half of {published:.2%}"] = (shares[name], low)
        bounds[f"twice {published:.2%} > {name}"] = (high, shares[name])
    compared += evidence.paired(bounds)
    found = "; ".join(map(str, compared))
    return Finding(outcome_of(one.holds for one in compared), found, noted(compared))


def _more_runs(evidence: Evidence) -> Finding:
    punished, free = (
        succeeded(_courses(evidence, CLAUDE, punishment=one)) for one in (True, False)
    )
    found = f"{punished.sum()} of {len(punished)} with, {free.sum()} of {len(free)} without"
    return ordered([evidence.counted("share of runs: with > without", punished, free)], found)
