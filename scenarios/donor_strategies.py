"""What models donate, generation by generation: how we judge what the donor paper says of it.

Rules of judging, set down before any model was asked. Donation is the share that agents give of
what they own, mean over a generation.
    generous at first   the first generation's donation of all runs; Welch's test
    best run            that with most resources in the last generation: one run a model, so that
                        there is no test
    change              from the first to the last generation, over the steps between: the same way
                        as in the paper, and from half to twice as much
    selection           generations in which survivors gave more than the others: at least half of
                        Claude's, fewer than half of GPT-4o's
    threshold           all runs that come to twice the first generation's final resources gave
                        more in the first generation than all others did

Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 4.1, Fig. 6 and Table 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from society.claims import Claim, Evidence, Finding, Untold, ordered, outcome_of
from society.draws import Array
from society.scenarios.donor_courses import (
    CLAUDE,
    DONATION,
    GEMINI,
    GPT,
    MODELS,
    RESOURCES,
    SELECTED,
    by_generation,
    model_named,
    succeeded,
)

CHANGES = {CLAUDE: 0.0435, GEMINI: 0.0123, GPT: -0.0165}  # per generation, of the best run
LIKE = 2.0  # times as large, or as small


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
        lambda evidence: _untold(
            "played without that test, which would double the calls; `society run "
            "donor_generations --set probe=true` measures it as mutation_bias"
        ),
    )
    yield Claim(
        "Strategies become more complex, Claude's most",
        "Table 1",
        "Claude's first donation increases over time, GPT-4o's decreases; Gemini names no numbers.",
        lambda evidence: _untold("the paper shows examples and gives no rule; they stand below"),
    )


def _untold(words: str) -> Finding:
    raise Untold(words)


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
    return Finding(outcome_of([bool(first[good].min() > first[~good].max())]), words)


def _generous(evidence: Evidence) -> Finding:
    first = {name: _of(evidence, name).donation[:, 0] for name in (CLAUDE, GEMINI, GPT)}
    return ordered(
        evidence.independent(
            {f"{CLAUDE} > {name}": (first[CLAUDE], first[name]) for name in (GEMINI, GPT)}
        )
    )


def _changes(evidence: Evidence) -> Finding:
    parts, words = list[bool | None](), list[str]()
    for name, published in CHANGES.items():
        runs = _of(evidence, name)
        steps = runs.donation.shape[1] - 1
        change = (runs.donation[:, -1] - runs.donation[:, 0]) / steps
        times = float(change[runs.best]) / published
        parts += [times > 0, 1 / LIKE <= times <= LIKE]
        points = 100 * change
        words.append(f"{name} {points[runs.best]:+.2f} points, all runs {points.mean():+.2f}")
    return Finding(outcome_of(parts), "; ".join(words))


def _selection(evidence: Evidence) -> Finding:
    parts, words = list[bool | None](), list[str]()
    for name, most in ((CLAUDE, True), (GPT, False)):
        runs = _of(evidence, name)
        rising = (runs.selected > 0).sum(1)
        generations = runs.selected.shape[1]
        parts.append(bool(2 * rising[runs.best] >= generations) == most)
        words.append(f"{name} {rising[runs.best]} of {generations}, all runs {rising.mean():.1f}")
    return Finding(outcome_of(parts), "; ".join(words))
