"""What brings norms together, imitation or a common policy: the village paper's ablations judged.

Rules of judging, set down before any model was asked; differences by Welch's test, corrected by
Holm over a claim:
    shortest   the condition against each of the other three
    imitation  claimed to last short, not shortest: against the other three together
    selfish    against altruistic and against mixed villages, under the same condition
    models     the paper's three, deepseek-r1, gpt-4o and qwen3-32b, as far as they were asked; if
               none of them was, all that were; the page says which
The paper tests a part of its runs against the whole that holds it, so that both samples share runs:
its t(898) are 180 runs against all 720, its t(238) are 60 against 180. That is no valid test. It
stands in the notes. Numbers are mean survival times in rounds, over lakes, populations and models.

Source: Gupta et al. 2026 (AAMAS), section 4.2.5, Figs 7 and 13.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from society.claims.types import Claim, Evidence, Finding, Untold, asked, ordered
from society.draws import Array

MODELS, ABLATIONS = "models", "ablations"  # the experiments; the full condition is in the first
CONDITIONS = ("full", "only_social_learning", "only_group_decision", "neither")
POPULATIONS = ("altruist", "mixed", "selfish")
LAKES = ("harsh", "rich")
ABLATED = ("deepseek-r1", "gpt-4o", "qwen3-32b")  # by the paper


def claims() -> Iterator[Claim]:
    """Of section 4.2.5, in its order."""
    yield Claim(
        "Without imitation and common policy societies last shortest",
        "Section 4.2.5",
        "Neither 16.22 against all 20.98, t(898) = -2.78, p = 0.006.",
        lambda evidence: _shortest(evidence, "neither"),
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
        _imitated,
    )
    yield Claim(
        "Imitation without a common policy lasts shortest with selfish villagers",
        "Section 4.2.5",
        "It is often unstable, and most with selfish villagers.",
        _selfish_imitate,
    )
    yield Claim(
        "Under group decision alone gpt-4o falls behind other models",
        "Section 4.2.5",
        "16.65 against 32.33, t(178) = -4.67, p < 0.001.",
        _behind,
    )


def _shortest(evidence: Evidence, condition: str) -> Finding:
    """Whether societies under one condition last shorter than under each other."""
    parts = {name: _under(evidence, name) for name in CONDITIONS}
    own = parts.pop(condition)
    found = ordered(
        evidence.independent({f"{name} > {condition}": (one, own) for name, one in parts.items()})
    )
    return _noted(
        found,
        _lowest(evidence, condition),
        _papers_form(evidence, condition, own, np.concatenate(list(parts.values()))),
        _pooled(evidence),
    )


def _lowest(evidence: Evidence, condition: str) -> str:
    """In how many lakes and populations a condition has the lowest mean."""
    cells = list(product(LAKES, POPULATIONS))
    lowest = 0
    for lake, population in cells:
        means = {
            name: _under(evidence, name, lake=lake, population=population).mean()
            for name in CONDITIONS
        }
        lowest += min(means, key=means.__getitem__) == condition
    return f"{condition} has the lowest mean in {lowest} of {len(cells)} lakes and populations"


def _imitated(evidence: Evidence) -> Finding:
    condition = "only_social_learning"
    parts = {name: _under(evidence, name) for name in CONDITIONS}
    own = parts.pop(condition)
    rest = np.concatenate(list(parts.values()))
    found = ordered(evidence.independent({f"the others > {condition}": (rest, own)}))
    theirs = _papers_form(evidence, condition, own, rest)
    return _noted(found, _lowest(evidence, condition), theirs, _pooled(evidence))


def _selfish_decide(evidence: Evidence) -> Finding:
    parts = _by_population(evidence, "only_group_decision")
    own = parts.pop("selfish")
    found = ordered(
        evidence.independent({f"selfish > {name}": (own, one) for name, one in parts.items()})
    )
    theirs = _papers_form(evidence, "selfish", own, np.concatenate(list(parts.values())))
    return _noted(found, theirs, _pooled(evidence))


def _selfish_imitate(evidence: Evidence) -> Finding:
    parts = _by_population(evidence, "only_social_learning")
    own = parts.pop("selfish")
    found = ordered(
        evidence.independent({f"{name} > selfish": (one, own) for name, one in parts.items()})
    )
    return _noted(found, _pooled(evidence))


def _by_population(evidence: Evidence, condition: str) -> dict[str, Array]:
    return {name: _under(evidence, condition, population=name) for name in POPULATIONS}


def _decided(evidence: Evidence) -> Finding:
    alone, both = (
        _under(evidence, condition, population="selfish")
        for condition in ("only_group_decision", "full")
    )
    found = ordered(evidence.independent({"only_group_decision > full": (alone, both)}))
    return _noted(found, _pooled(evidence))


def _behind(evidence: Evidence) -> Finding:
    behind = asked(evidence, ABLATIONS, "gpt-4o")
    models = [model for model in _models(evidence) if model != behind]
    if not models:
        raise Untold("of the models that the paper ablates gpt-4o alone was asked")
    own = evidence.runs(
        ABLATIONS, "survival_time", {"channels": "only_group_decision", "model": behind}
    )
    others = _under(evidence, "only_group_decision", models)
    found = ordered(evidence.independent({"others > gpt-4o": (others, own)}))
    theirs = evidence.pooled("gpt-4o, others", own, others)
    return _noted(found, f"the paper's form: {theirs.statistic}", _pooled(evidence))


def _papers_form(evidence: Evidence, name: str, part: Array, rest: Array) -> str:
    """The paper's test against the whole, which decides nothing."""
    theirs = evidence.part_against_whole(f"{name} against all", part, rest)
    return f"the paper's form, part against whole, which is no valid test: {theirs.statistic}"


def _noted(found: Finding, *notes: str) -> Finding:
    return found._replace(notes="; ".join(filter(None, [found.notes, *notes])))


def _pooled(evidence: Evidence) -> str:
    models = _models(evidence)
    known = len(set(models) & set(_ablated(evidence)))
    whose = "of the paper's models" if known else "none of which the paper ablates"
    return f"models pooled, {whose}: {', '.join(map(str, models))}"


def _models(evidence: Evidence) -> list[object]:
    """Those that the paper ablates, as far as they were asked; else all that were."""
    return _ablated(evidence) or list(evidence.levels(ABLATIONS)["model"])


def _ablated(evidence: Evidence) -> list[object]:
    found = []
    for name in ABLATED:
        try:
            found.append(asked(evidence, ABLATIONS, name))
        except Untold:
            continue
    return found


def _under(
    evidence: Evidence, condition: str, models: Sequence[object] = (), **levels: object
) -> Array:
    """Survival under a condition; the full one is played with the models."""
    where, known = (MODELS, {}) if condition == "full" else (ABLATIONS, {"channels": condition})
    return np.concatenate(
        [
            evidence.runs(where, "survival_time", {**known, **levels, "model": model})
            for model in models or _models(evidence)
        ]
    )
