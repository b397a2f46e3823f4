"""The donor paper's claims about language models, and how we judge each.

Rules of judging, set down before any model was asked. Resources multiply, so that a mean rests on
the best runs: the paper compares means, we compare logarithms, and means stand in the tables.
    ordering     final resources, averaged over all ten generations of a run; Welch's test
    increase     the last generation's final resources above the first's, run by run
    no increase  a gain of a tenth is excluded, or it surely is a loss
    every run    the slope of a straight line through the logarithms of each run's generations; as
                 many runs fall by chance with 1 / 2^n
    crash        the best generation has at least twice the first's final resources, the last at
                 most half of the best's; several runs are two: counted, without a test
    apart        how far the logarithms of runs are from their median, in the last generation and in
                 the first
A claim about named models can be told only where those models were asked, and what would come about
by chance in more than one of twenty times is not shown.

Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 4.1, Figs 2 and 4. Donations (Fig. 6)
are judged in strategies.py, punishment (Figs 3 and 5) in punishment.py, multipliers and
traces (section 4.3) in ablations.py.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from society.claims.types import (
    Claim,
    Design,
    Evidence,
    Finding,
    Trial,
    ordered,
    outcome_of,
)
from society.draws import Array
from society.scenarios.reproductions.vallinder2024 import ablations as ablations
from society.scenarios.reproductions.vallinder2024 import punishment as punishment
from society.scenarios.reproductions.vallinder2024 import strategies as strategies
from society.scenarios.reproductions.vallinder2024.trajectories import (
    ABLATIONS,
    CLAUDE,
    GEMINI,
    GPT,
    MODELS,
    RESOURCES,
    by_generation,
    model_named,
    refuted,
    rises,
    unless_by_chance,
)

CRASHED = 2.0  # times the first generation, and then of the best
SEVERAL = 2  # runs

# A look at whether all works: two generations of four rounds.
QUICK = {
    "replicates": 2,
    "rounds": 4,
    "mechanisms": [
        {
            "generations": {
                "count": 2,
                "fitness": "final",
                "phenotype": "share",
                "strategies": "advice",
            }
        }
    ],
}

PAIRS = (
    "The paper has twelve agents play twelve rounds, and never meet anybody twice. That cannot be: "
    "donors and recipients swap every round, so that each half meets the other, which has six. We "
    "play ordered-once: everybody gives to everybody of the other half once, in twelve rounds; a "
    "pair meets twice, at least five rounds apart, and no trace leads to its reader."
)
JUDGING = (
    PAIRS,
    "Survivors are the better half by final resources, averaged over both games, as the paper "
    "says. The prompts are ours and give the information of the paper's. An answer that cannot be "
    "read is asked for once more, then counts as no gift, and is counted.",
    "No two conditions share their luck; two are compared by Welch's test, and generations of the "
    "same runs in pairs. Numbers are final resources in units, or the measure that is named.",
    "Resources multiply, so that a mean rests on the best runs. They are compared by logarithms: "
    "means are geometric, and a difference is how many times as much there is.",
    "There are five runs of each condition, as in the paper, and they differ much: in its Fig. 4 "
    "two of Claude's five fail. What would come about by chance in more than one of twenty times "
    "is not shown; that is no failure.",
    "No model was asked before the rules were set down. On 2026-11-21, still before that, means "
    "were replaced by logarithms, counts of few runs were given their chance, and what newborn "
    "agents give and how long strategies are, which could not be told, got trials and rules.",
)


def claims() -> Iterator[Claim]:
    """Of sections 4.1 to 4.3, in their order."""
    yield Claim(
        "Claude 3.5 Sonnet ends richer than Gemini 1.5 Flash, which ends richer than GPT-4o",
        "Abstract, Fig. 2",
        "By final resources.",
        _ranked,
    )
    yield Claim(
        "Only Claude 3.5 Sonnet improves over the generations",
        "Section 4.1, Fig. 2",
        "It reliably does; neither Gemini 1.5 Flash nor GPT-4o does.",
        _improving,
    )
    yield Claim(
        "Every run of GPT-4o declines",
        "Fig. 4",
        "All five, though by little in absolute terms.",
        _declining,
    )
    yield Claim(
        "Several runs of Gemini 1.5 Flash rise, and then crash",
        "Fig. 4",
        "They rise promisingly before cooperation crashes.",
        _crashing,
    )
    yield Claim(
        "Runs of Claude 3.5 Sonnet come to differ",
        "Fig. 4",
        "Substantially, especially in later generations.",
        _diverging,
    )
    yield from strategies.claims()
    yield from punishment.claims()
    yield from ablations.claims()


def resources(evidence: Evidence, name: str) -> Array:
    """Mean final resources of a model's runs in each generation without punishment, (n, G)."""
    levels = {"model": model_named(evidence, MODELS, name), "punishment": False}
    return by_generation(evidence, MODELS, RESOURCES, levels)


def _ranked(evidence: Evidence) -> Finding:
    means = {name: resources(evidence, name).mean(1) for name in (CLAUDE, GEMINI, GPT)}
    pairs = {
        f"{one} > {other}": (means[one], means[other])
        for one, other in ((CLAUDE, GEMINI), (GEMINI, GPT))
    }
    return ordered(evidence.independent(pairs, logs=pairs))


def _improving(evidence: Evidence) -> Finding:
    courses = {name: resources(evidence, name) for name in (CLAUDE, GEMINI, GPT)}
    pairs = rises(courses)
    compared = evidence.paired(pairs, logs=pairs)
    claude, *others = [one.holds for one in compared]
    parts = [claude, *map(refuted, others)]
    return Finding(outcome_of(parts), "; ".join(map(str, compared)))


def _declining(evidence: Evidence) -> Finding:
    course = resources(evidence, GPT)
    slopes = np.polyfit(np.arange(course.shape[1]), np.log(course.T), 1)[0]
    words = ", ".join(f"{factor:.3g}" for factor in np.exp(slopes))
    return unless_by_chance(
        bool((slopes < 0).all()), 0.5 ** len(slopes), f"times as much each generation: {words}"
    )


def _crashing(evidence: Evidence) -> Finding:
    course = resources(evidence, GEMINI)
    first, best, last = course[:, 0], course.max(1), course[:, -1]
    crashed = (best >= CRASHED * first) & (last <= best / CRASHED)
    words = ", ".join(
        f"{one:.3g} to {other:.3g} to {end:.3g}"
        for one, other, end in zip(first, best, last, strict=True)
    )
    found = f"{crashed.sum()} of {len(course)} runs; first, best and last generation: {words}"
    return Finding(outcome_of([bool(crashed.sum() >= SEVERAL)]), found)


def _diverging(evidence: Evidence) -> Finding:
    course = resources(evidence, CLAUDE)
    logs = np.log(course)
    apart = np.abs(logs - np.median(logs, axis=0))
    return ordered(evidence.paired(rises({"distance of logarithms from their median": apart})))


def _trial(name: str, title: str) -> Trial:
    return Trial(
        name,
        f"donor_{name}",
        title,
        chapters=("outcome", "evolution", "lives", "strategies", "texts", "ledger"),
        over_time=("fitness", "phenotype", "selection_differential"),
        quick=QUICK,
    )


LANGUAGE = Design(
    (
        _trial(MODELS, "Figs 2 to 6: models, with and without punishment"),
        _trial(ABLATIONS, "Figs 7 to 10: multipliers and traces"),
        Trial(
            strategies.NEWBORN,
            "donor_newborn",
            "Newborn agents before a battery of recipients",
            chapters=("outcome", "evolution", "reactions", "ledger"),
            quick={**QUICK, "replicates": 1},
        ),
    ),
    tuple(claims()),
    JUDGING,
)
