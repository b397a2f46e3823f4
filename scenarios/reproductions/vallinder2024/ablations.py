"""Other multipliers and traces in the donor paper's section 4.3: how we judge what they change.

Rules of judging, set down before any model was asked:
    increase, decrease   final resources of the last generation against the first, run by run
    little change        no difference of a tenth can be there
    less pronounced      how many times the first generation's the last one's are with a trace of 3,
                         against the same with a trace of 1; Welch's test
    disappears           with a trace of 1 a gain of a tenth is excluded, or it surely is a loss
All by logarithms, since resources multiply. A trace of 2 (Fig. 10) is shown; the paper claims
nothing of it.

Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 4.3, Figs 7 to 10.
"""

from __future__ import annotations

from collections.abc import Iterator

from society.claims.types import Claim, Evidence, Finding, ordered, outcome_of
from society.draws import Array
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
)

MULTIPLIERS = (1.5, 3)


def claims() -> Iterator[Claim]:
    """Of section 4.3."""
    for multiplier in MULTIPLIERS:
        yield _of_multiplier(multiplier)
    yield Claim(
        "With a trace of 1 cooperation emerges less with Claude 3.5 Sonnet",
        "Section 4.3, Fig. 9",
        "The emergence of cooperation is less pronounced than with a trace of 3.",
        _less,
    )
    yield Claim(
        "With a trace of 1 cooperation does not emerge with Gemini 1.5 Flash",
        "Section 4.3, Fig. 9",
        "Its emergence disappears completely.",
        _gone,
    )


def _of_multiplier(multiplier: float) -> Claim:
    return Claim(
        "Claude rises, Gemini changes little and GPT-4o falls with other multipliers, too",
        "Section 4.3, Figs 7 and 8",
        "Multipliers of 1.5 and 3 do not change qualitative outcomes.",
        lambda evidence: _as_before(evidence, f"multiplier_{multiplier}"),
        f"multiplier {multiplier}",
    )


def _courses(evidence: Evidence, name: str, variant: str) -> Array:
    """Mean final resources of each generation, (n, G)."""
    levels = {"model": model_named(evidence, ABLATIONS, name), "variant": variant}
    return by_generation(evidence, ABLATIONS, RESOURCES, levels)


def _as_before(evidence: Evidence, variant: str) -> Finding:
    courses = {name: _courses(evidence, name, variant) for name in (CLAUDE, GEMINI, GPT)}
    falling = courses.pop(GPT)
    pairs = rises(courses)
    pairs[f"{GPT}: first > last generation"] = (falling[:, 0], falling[:, -1])
    claude, gemini, gpt = evidence.paired(pairs, logs=pairs)
    parts = [claude.holds, refuted(gemini.differs), gpt.holds]
    return Finding(outcome_of(parts), "; ".join(map(str, (claude, gemini, gpt))))


def _less(evidence: Evidence) -> Finding:
    levels = {"model": model_named(evidence, MODELS, CLAUDE), "punishment": False}
    long = by_generation(evidence, MODELS, RESOURCES, levels)
    short = _courses(evidence, CLAUDE, "trace_1")
    gains = {
        "times as much with a trace of 3 > with 1": (
            long[:, -1] / long[:, 0],
            short[:, -1] / short[:, 0],
        )
    }
    return ordered(evidence.independent(gains, logs=gains))


def _gone(evidence: Evidence) -> Finding:
    course = _courses(evidence, GEMINI, "trace_1")
    pair = rises({f"{GEMINI}, trace of 1": course})
    (compared,) = evidence.paired(pair, logs=pair)
    return Finding(outcome_of([refuted(compared.holds)]), str(compared))
