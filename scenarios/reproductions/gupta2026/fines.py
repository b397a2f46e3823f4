"""Fines and growth in the village paper's Fig. 3: how we judge what it claims.

Rules of judging, set down before claims were first judged:
    prolonged     the strongest fine against the weakest, at each moderate growth, .25 to .75
    bent          the middle fine against the mean of both ends, at any moderate growth
    interaction   what the strongest fine gains on the weakest in the middle lake, against the mean
                  of its gains in the poorest and the richest one
    growth        the richest lake against the poorest, under each fine
Numbers are mean survival times in rounds.

Source: Gupta et al. 2026 (AAMAS), section 4.1, Fig. 3.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from society.claims.comparisons import Comparison
from society.claims.types import Claim, Evidence, Finding, any_holds, ordered, outcome_of
from society.draws import Array

MODERATE = (0.25, 0.75)  # growth


def claims(name: str, under: str) -> Iterator[Claim]:
    """Of Fig. 3, under one set of parameters."""
    yield Claim(
        "2. Stronger fines prolong survival",
        "Fig. 3",
        "Generally so where growth is moderate, from 0.25 to 0.75.",
        lambda evidence: ordered(strengthened(evidence, name), _steps(evidence, name)),
        under,
    )
    yield Claim(
        "2b. The effect of fines is not strictly linear",
        "Fig. 3",
        "Survival does not rise along a straight line with the fine.",
        lambda evidence: _bent(evidence, name),
        under,
    )
    yield Claim(
        "2c. Fines and growth interact, and not along a line",
        "Fig. 3",
        "What a stronger fine changes depends on the growth, non-linearly.",
        lambda evidence: _interacting(evidence, name),
        under,
    )
    yield Claim(
        "2d. Growth prolongs survival",
        "Section 4.1, Fig. 3",
        "What becomes of cooperation varies with the growth rate, its axis (b).",
        lambda evidence: ordered(_grown(evidence, name)),
        under,
    )


def strengthened(evidence: Evidence, name: str) -> list[Comparison]:
    """The strongest fine against the weakest, at each moderate growth."""
    pairs = {}
    for growth in _moderate(evidence, name):
        weakest, *_, strongest = _by_fine(evidence, name, growth).items()
        pairs[f"growth {growth}: fine {strongest[0]} > {weakest[0]}"] = strongest[1], weakest[1]
    return evidence.paired(pairs)


def _steps(evidence: Evidence, name: str) -> str:
    """How many steps from one fine to the next raise the mean, over all growths."""
    means = [
        [values.mean() for values in _by_fine(evidence, name, growth).values()]
        for growth in evidence.levels(f"fines_by_growth-{name}")["growth"]
    ]
    rising = np.diff(means, axis=1) > 0
    return f"{rising.sum()} of {rising.size} steps of the fine raise the mean, over all growths"


def _bent(evidence: Evidence, name: str) -> Finding:
    pairs = {}
    for growth in _moderate(evidence, name):
        survival = list(_by_fine(evidence, name, growth).values())
        straight = (survival[0] + survival[-1]) / 2
        pairs[f"growth {growth}: middle fine, mean of both ends"] = (
            survival[len(survival) // 2],
            straight,
        )
    compared = evidence.paired(pairs)
    # One lake in which it is bent is enough.
    bent = any_holds(one.differs for one in compared)
    return Finding(outcome_of([bent]), "; ".join(map(str, compared)))


def _interacting(evidence: Evidence, name: str) -> Finding:
    growths = list(evidence.levels(f"fines_by_growth-{name}")["growth"])
    poorest, middle, richest = growths[0], growths[len(growths) // 2], growths[-1]

    def gain(growth: object) -> Array:
        survival = list(_by_fine(evidence, name, growth).values())
        return survival[-1] - survival[0]

    ends = (gain(poorest) + gain(richest)) / 2
    what = f"gain at growth {middle}, mean of the gains at {poorest} and {richest}"
    (compared,) = evidence.paired({what: (gain(middle), ends)})
    return Finding(outcome_of([compared.differs]), str(compared))


def _grown(evidence: Evidence, name: str) -> list[Comparison]:
    """The richest lake against the poorest, under each fine."""
    levels = evidence.levels(f"fines_by_growth-{name}")
    poorest, *_, richest = levels["growth"]
    rich, poor = (_by_fine(evidence, name, growth) for growth in (richest, poorest))
    return evidence.paired(
        {
            f"fine {fine}: growth {richest} > {poorest}": (rich[fine], poor[fine])
            for fine in levels["fine"]
        }
    )


def _by_fine(evidence: Evidence, name: str, growth: object) -> dict[object, Array]:
    """Survival time by fine, weakest first; (R,) each."""
    trial = f"fines_by_growth-{name}"
    fines = evidence.levels(trial)["fine"]
    return {
        fine: evidence.runs(trial, "survival_time", {"fine": fine, "growth": growth})
        for fine in fines
    }


def _moderate(evidence: Evidence, name: str) -> list[float]:
    low, high = MODERATE
    growths = evidence.levels(f"fines_by_growth-{name}")["growth"]
    return [growth for growth in growths if isinstance(growth, float) and low <= growth <= high]
