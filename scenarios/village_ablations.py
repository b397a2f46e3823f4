"""What brings norms together, imitation or a common policy: the village paper's ablations judged.

The paper tests a part of its runs against the whole that holds it, so that both samples share runs:
its t(898) are 180 runs against all 720, its t(238) are 60 against 180. That is no valid test. It
stands beside ours, and the verdict rests on Welch's test of the part against the rest. Numbers are
mean survival times in rounds, over lakes, populations and models alike.

Source: Gupta et al. 2026 (AAMAS), section 4.2.5, Figs 7 and 13.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from society.claims import Claim, Evidence, Finding, Untold, asked, ordered
from society.draws import Array

MODELS, ABLATIONS = "models", "ablations"  # the experiments; the full condition is in the first
CONDITIONS = ("full", "only_social_learning", "only_group_decision", "neither")
POPULATIONS = ("altruist", "mixed", "selfish")


def claims() -> Iterator[Claim]:
    """Of section 4.2.5, in its order."""
    yield Claim(
        "Without imitation and common policy societies last shortest",
        "Section 4.2.5",
        "Neither 16.22 against all 20.98, t(898) = -2.78, p = 0.006.",
        lambda evidence: _ablated(evidence, "neither"),
    )
    yield Claim(
        "Under group decision alone selfish villages last longest",
        "Section 4.2.5",
        "Selfish 38.21 against all 27.1 of this condition, t(238) = 3.44, p < 0.001.",
        _selfish_decide,
    )
    yield Claim(
        "Selfish villages last longer under group decision alone than with imitation as well",
        "Section 4.2.5",
        "Sometimes group decision alone does even better than both.",
        _decided,
    )
    yield Claim(
        "Imitation without a common policy lasts short",
        "Section 4.2.5",
        "Only social learning 17.56 against all 20.98, t(898) = -1.96, p = 0.050.",
        lambda evidence: _ablated(evidence, "only_social_learning"),
    )
    yield Claim(
        "Under group decision alone gpt-4o falls behind other models",
        "Section 4.2.5",
        "16.65 against 32.33, t(178) = -4.67, p < 0.001.",
        _behind,
    )


def _ablated(evidence: Evidence, condition: str) -> Finding:
    """Whether societies under one condition last shorter than under the others."""
    parts = {name: _under(evidence, name) for name in CONDITIONS}
    rest = np.concatenate([values for name, values in parts.items() if name != condition])
    means = ", ".join(f"{name} {values.mean():.1f}" for name, values in parts.items())
    return _part(evidence, (condition, parts[condition]), ("the others", rest), -1, means)


def _selfish_decide(evidence: Evidence) -> Finding:
    parts = {name: _under(evidence, "only_group_decision", population=name) for name in POPULATIONS}
    rest = np.concatenate([parts["altruist"], parts["mixed"]])
    return _part(evidence, ("selfish", parts["selfish"]), ("the others", rest), 1)


def _part(
    evidence: Evidence,
    part: tuple[str, Array],
    rest: tuple[str, Array],
    sign: int,
    means: str = "",
) -> Finding:
    """A part against the rest, which decides, and the paper's test against the whole.

    sign: 1 if the part is claimed to last longer, -1 shorter.
    """
    ours = (part, rest) if sign > 0 else (rest, part)
    (first, one), (second, other) = ours
    found = ordered(evidence.independent({f"{first} > {second}": (one, other)}), means)
    theirs = evidence.part_against_whole(f"{part[0]} against all", part[1], rest[1])
    words = f"the paper's form, part against whole, which is no valid test: {theirs.statistic}"
    return found._replace(found=f"{found.found}; {words}")


def _decided(evidence: Evidence) -> Finding:
    alone, both = (
        _under(evidence, condition, population="selfish")
        for condition in ("only_group_decision", "full")
    )
    return ordered(evidence.independent({"only_group_decision > full": (alone, both)}))


def _behind(evidence: Evidence) -> Finding:
    behind = asked(evidence, ABLATIONS, "gpt-4o")
    models = [model for model in evidence.levels(ABLATIONS)["model"] if model != behind]
    if not models:
        raise Untold("no other model than gpt-4o was asked")
    own = _under(evidence, "only_group_decision", model=behind)
    others = np.concatenate(
        [_under(evidence, "only_group_decision", model=model) for model in models]
    )
    found = ordered(evidence.independent({"others > gpt-4o": (others, own)}))
    theirs = evidence.pooled("gpt-4o, others", own, others)
    return found._replace(found=f"{found.found}; the paper's form: {theirs.statistic}")


def _under(evidence: Evidence, condition: str, **levels: object) -> Array:
    """Survival under a condition; the full one is played with the models."""
    if condition == "full":
        return evidence.runs(MODELS, "survival_time", levels)
    return evidence.runs(ABLATIONS, "survival_time", {"condition": condition, **levels})
