"""Donors by rule in the donor paper's experiment: what evolves, and how we judge it.

Rules take the place of language models; the paper claims nothing of them, and so all is ours.
Everybody has any of six rules with any traits at first, children have a survivor's with some noise,
and now and then another rule (society.components.donation). Replicates share their luck over
conditions and are compared in pairs.

Rules of judging; donation is the share that donors give of what they own, mean over the last
generation. Resources multiply, so that few runs make their mean: they are compared by logarithms,
and how many runs rise, and the means, stand beside it.
    rise         final resources of the last generation against the first, run by run
    selection    what selection makes of donation, Cov(w, z) / mean w, mean over generations: above
                 zero
    knowledge    donation with a trace against that without, and with each longer trace
    multiplier   donation with each larger multiplier against the one before
    punishment   donation, and final resources, with punishment against without
    protocol     any difference in donation or final resources that the notebook's pairs, or its way
                 to select, make

Source: the experiment: Vallinder and Hughes 2024, arXiv 2412.10270, Figs 2, 3, 6 to 10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from society.claims.comparisons import Comparison
from society.claims.types import Claim, Evidence, Finding, any_holds, ordered, outcome_of
from society.draws import Array
from society.scenarios.reproductions.vallinder2024.trajectories import (
    DONATION,
    RESOURCES,
    SELECTION,
)

Pairs = Mapping[str, tuple[Array, Array]]

RULES, PROTOCOLS = "rules", "protocols"  # the experiments
USUAL: dict[str, object] = {"multiplier": 2, "trace": 3, "punishment": False}


def claims() -> Iterator[Claim]:
    """In the order of the paper's figures."""
    for multiplier in (1.5, 2, 3):
        yield _of_rise(multiplier)
    yield Claim(
        "Generous rules are selected for",
        "Ours, as Fig. 6",
        "As in most generations of Claude's best run.",
        _selected,
        "multiplier 2, trace 3, no punishment",
        ours=True,
    )
    yield Claim(
        "Rules give more if they know something of the recipient",
        "Ours, as Figs 9 and 10",
        "Without a trace nobody can be told from a free rider.",
        lambda evidence: ordered(_stepped(evidence, "trace", [(0, 1), (0, 2), (0, 3)])),
        ours=True,
    )
    yield Claim(
        "Rules give more with each longer trace",
        "Ours, as Figs 9 and 10",
        "Claude and Gemini are said to profit from a trace of 3 against one of 1.",
        lambda evidence: ordered(_stepped(evidence, "trace", [(1, 2), (2, 3)])),
        ours=True,
    )
    yield Claim(
        "Rules give more with each larger multiplier",
        "Ours, as Figs 7 and 8",
        "There is more to gain; the paper finds the same outcomes with all multipliers.",
        lambda evidence: ordered(_stepped(evidence, "multiplier", [(1.5, 2), (2, 3)])),
        ours=True,
    )
    yield Claim(
        "Rules that may punish give more, and end richer",
        "Ours, as Fig. 3",
        "As Claude 3.5 Sonnet does; Gemini 1.5 Flash ends poorer.",
        _punishing,
        ours=True,
    )
    yield Claim(
        "The notebook's pairs or its way to select change what evolves",
        "Ours",
        "Survivors by the second game alone, and pairs that break turns once.",
        _otherwise,
        ours=True,
    )


def _of_rise(multiplier: float) -> Claim:
    return Claim(
        "Rules grow richer over ten generations",
        "Ours, as Figs 2, 7 and 8",
        "As Claude 3.5 Sonnet does, whatever the multiplier.",
        lambda evidence: _rise(evidence, multiplier),
        f"multiplier {multiplier}, trace 3, no punishment",
        ours=True,
    )


def _of(evidence: Evidence, measure: str, **levels: object) -> Array:
    """A measure of the rules' runs, under the paper's usual parameters but for these levels."""
    return evidence.runs(RULES, measure, {**USUAL, **levels})


def _rise(evidence: Evidence, multiplier: float) -> Finding:
    last, first = (
        _of(evidence, measure, multiplier=multiplier) for measure in (RESOURCES, "first_fitness")
    )
    words = (
        f"{(last > first).mean():.1%} of runs end richer; "
        f"arithmetic means {last.mean():.3g} and {first.mean():.3g}"
    )
    pair = {"last > first generation": (last, first)}
    return ordered(evidence.paired(pair, logs=pair), words)


def _selected(evidence: Evidence) -> Finding:
    found = _of(evidence, SELECTION)
    return ordered(evidence.paired({"mean over generations > 0": (found, np.zeros_like(found))}))


def _stepped(
    evidence: Evidence, factor: str, steps: Sequence[tuple[float, float]]
) -> list[Comparison]:
    """Donation at the higher level of a factor against the lower one."""
    return evidence.paired(
        {
            f"{factor} {high} > {low}": (
                _of(evidence, DONATION, **{factor: high}),
                _of(evidence, DONATION, **{factor: low}),
            )
            for low, high in steps
        }
    )


def _punishing(evidence: Evidence) -> Finding:
    given, owned = (
        [_of(evidence, measure, punishment=one) for one in (True, False)]
        for measure in (DONATION, RESOURCES)
    )
    compared = _twice(
        evidence,
        {"donation: with > without": (given[0], given[1])},
        {"final resources: with > without": (owned[0], owned[1])},
    )
    punished = _of(evidence, "punished", punishment=True).mean()
    return ordered(compared, f"{punished:.1%} of encounters are punished")


def _otherwise(evidence: Evidence) -> Finding:
    given, owned = (
        {
            str(name): evidence.runs(PROTOCOLS, measure, {"condition": name})
            for name in evidence.levels(PROTOCOLS)["condition"]
        }
        for measure in (DONATION, RESOURCES)
    )
    paper, *others = given
    compared = _twice(
        evidence,
        {f"donation, {name}, {paper}": (given[name], given[paper]) for name in others},
        {f"final resources, {name}, {paper}": (owned[name], owned[paper]) for name in others},
    )
    outcome = outcome_of([any_holds(one.differs for one in compared)])
    return Finding(outcome, "; ".join(map(str, compared)))


def _twice(evidence: Evidence, shares: Pairs, resources: Pairs) -> list[Comparison]:
    """Shares as they are and resources by logarithms, corrected over all of them."""
    return evidence.paired({**shares, **resources}, logs=resources)
