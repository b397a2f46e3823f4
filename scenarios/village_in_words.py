"""The village paper's claims about language models, and how we judge each.

Rules of judging, set down before any model was asked:
    variance     once a lake, over models and populations (over populations alone for one model); an
                 effect reproduces if it is significant where the paper's is, and not where not
    letters      Tukey's test, where the effect of the model is significant
    differences  Welch's test, corrected by Holm over the claim
    plateaus     a mean from 25 to 35 is near 30, one from 45 on near 50
A claim about named models can be told only where those models were asked. Numbers are mean survival
times in rounds; a run that reaches the last round counts with it, as in the paper.

Source: Gupta et al. 2026 (AAMAS), sections 4.2.1 to 4.2.4, Table 1, Figs 5, 6 and 14; the ablations
of section 4.2.5 are in village_ablations.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from society.claims import (
    ALPHA,
    Claim,
    Comparison,
    Design,
    Effect,
    Evidence,
    Finding,
    Ranked,
    Trial,
    Untold,
    asked,
    ordered,
    outcome_of,
)
from society.draws import Array
from society.scenarios import village_ablations as ablations
from society.scenarios.village_ablations import ABLATIONS, MODELS

LARGER = ("claude-sonnet-4", "deepseek-r1", "gpt-4o")
SMALLER = ("gpt-4o-mini", "llama-3.3-70b", "qwen3-32b")
PLATEAUS = {"claude-sonnet-4": (25, 35), "gpt-4o": (25, 35), "deepseek-r1": (45, 50)}  # rounds
LAKES = ("harsh", "rich")

# A look at whether all works; norms are compared by their wording, without a model to load.
QUICK = {"replicates": 2, "rounds": 3, "parameters": {"norm_embedder": "hashing"}}

_SURVIVAL = "survival_time"


class Published(NamedTuple):
    """A row of the paper's Table 1; its residual has 189 degrees of freedom."""

    df: int
    f: float
    p: float
    eta_squared: float

    def __str__(self) -> str:
        p = "p < 0.001" if self.p < 0.001 else f"p = {self.p}"
        return f"F({self.df}, 189) = {self.f}, {p}, eta squared {self.eta_squared}"


TABLE_1 = {
    "harsh": {
        "model": Published(6, 2.37, 0.031, 0.06),
        "population": Published(2, 2.28, 0.106, 0.02),
        "model × population": Published(12, 2.24, 0.012, 0.11),
    },
    "rich": {
        "model": Published(6, 13.61, 0.0, 0.28),
        "population": Published(2, 3.57, 0.030, 0.02),
        "model × population": Published(12, 1.00, 0.449, 0.04),
    },
}
_EFFECTS = {
    "model": "survival differs between models",
    "population": "survival differs with the share of altruists",
    "model × population": "survival differs with this share otherwise in each model",
}


def claims() -> Iterator[Claim]:
    """Of section 4.2, in its order."""
    for lake in LAKES:
        yield from _of_variance(lake)
    yield from _of_models()
    yield from _of_norms()
    yield from ablations.claims()


def _of_variance(lake: str) -> Iterator[Claim]:
    for effect, published in TABLE_1[lake].items():
        yield _of_effect(lake, effect, published)
    yield Claim(
        f"Which models differ in the {lake} lake",
        "Fig. 5" if lake == "harsh" else "Fig. 6",
        "Only llama-3.3-70b differs from gpt-4o."
        if lake == "harsh"
        else "deepseek-r1 outlasts all other models.",
        lambda evidence: _apart(evidence, lake),
    )


def _of_effect(lake: str, effect: str, published: Published) -> Claim:
    shown = "" if published.p < ALPHA else "no sign that "
    return Claim(
        f"In the {lake} lake {shown}{_EFFECTS[effect]}",
        "Table 1",
        str(published),
        lambda evidence: _like(published, _variance(evidence, lake), effect),
    )


def _variance(evidence: Evidence, lake: str) -> dict[str, Effect]:
    several = len(evidence.levels(MODELS)["model"]) > 1
    factors = ("model", "population") if several else ("population",)
    return evidence.variance(MODELS, _SURVIVAL, factors, {"lake": lake})


def _like(published: Published, found: Mapping[str, Effect], name: str) -> Finding:
    if name not in found:
        raise Untold("one model was asked; differences between models need two")
    effect = found[name]
    same = (effect.p < ALPHA) == (published.p < ALPHA)
    notes = "" if effect.p < ALPHA else "what is not significant may still be there"
    return Finding(outcome_of([same]), str(effect), notes)


def _apart(evidence: Evidence, lake: str) -> Finding:
    models = evidence.levels(MODELS)["model"]
    if len(models) < 2:
        raise Untold("one model was asked; differences between models need two")
    effect = _variance(evidence, lake)["model"]
    if effect.p >= ALPHA:
        return Finding("cannot be told", str(effect), "no test after an effect that is not shown")
    ranked = evidence.ranked(MODELS, _SURVIVAL, "model", {"lake": lake})
    words = "; ".join(f"{one.level} {one.mean:.1f} ({one.letters})" for one in ranked)
    judge = _alone if lake == "rich" else _only_two
    try:
        return Finding(outcome_of([judge(evidence, ranked)]), words)
    except Untold as untold:
        return Finding("cannot be told", words, str(untold))


def _alone(evidence: Evidence, ranked: Sequence[Ranked]) -> bool:
    """Whether deepseek-r1 lasts longest, and shares its letters with nobody."""
    best = asked(evidence, MODELS, "deepseek-r1")
    first, *others = ranked
    return first.level == best and not any(set(first.letters) & set(one.letters) for one in others)


def _only_two(evidence: Evidence, ranked: Sequence[Ranked]) -> bool:
    """Whether llama-3.3-70b and gpt-4o are the only two that share no letter."""
    names = {asked(evidence, MODELS, name) for name in ("llama-3.3-70b", "gpt-4o")}
    apart = [
        {one.level, other.level}
        for one, other in combinations(ranked, 2)
        if not set(one.letters) & set(other.letters)
    ]
    return apart == [names]


def _of_models() -> Iterator[Claim]:
    yield Claim(
        "In the harsh lake larger models last longer with altruists than with selfish villagers",
        "Fig. 5",
        f"So do {', '.join(LARGER)}.",
        lambda evidence: ordered(_populations(evidence, LARGER, "harsh", "altruist", "selfish")),
    )
    yield Claim(
        "In the harsh lake smaller models collapse earlier than larger ones",
        "Fig. 5",
        "Whatever the villagers hold at first.",
        _smaller,
    )
    yield Claim(
        "In the rich lake smaller models last longer with selfish villagers",
        "Fig. 6",
        "Altruistic ones sometimes under-harvest and starve.",
        lambda evidence: ordered(_populations(evidence, SMALLER, "rich", "selfish", "altruist")),
    )
    yield Claim(
        "In the rich lake claude-sonnet-4 and gpt-4o end near round 30, deepseek-r1 near round 50",
        "Section 4.2.3",
        "Largely whatever the villagers hold at first; 50 is the last round.",
        _plateaus,
    )
    yield Claim(
        "deepseek-r1 explores, where claude-sonnet-4 and gpt-4o hold back",
        "Section 4.2.3, Table 4",
        "By their efficiency over time and the words of their policies.",
        _untestable,
    )


def _populations(
    evidence: Evidence, models: Sequence[str], lake: str, longer: str, shorter: str
) -> list[Comparison]:
    return evidence.independent(
        {
            f"{model}: {longer} > {shorter}": (
                _survival(evidence, MODELS, model=model, lake=lake, population=longer),
                _survival(evidence, MODELS, model=model, lake=lake, population=shorter),
            )
            for model in (asked(evidence, MODELS, name) for name in models)
        }
    )


def _smaller(evidence: Evidence) -> Finding:
    larger, smaller = (
        np.concatenate(
            [
                _survival(evidence, MODELS, model=asked(evidence, MODELS, name), lake="harsh")
                for name in names
            ]
        )
        for names in (LARGER, SMALLER)
    )
    return ordered(evidence.independent({"larger > smaller": (larger, smaller)}))


def _plateaus(evidence: Evidence) -> Finding:
    means = {
        name: _survival(evidence, MODELS, model=asked(evidence, MODELS, name), lake="rich").mean()
        for name in PLATEAUS
    }
    held = [low <= means[name] <= high for name, (low, high) in PLATEAUS.items()]
    return Finding(
        outcome_of(held), "; ".join(f"{name} {mean:.1f}" for name, mean in means.items())
    )


def _untestable(evidence: Evidence) -> Finding:
    raise Untold("the paper gives no rule for it; the report shows both figures for your models")


def _of_norms() -> Iterator[Claim]:
    yield Claim(
        "Norms differ between models more than between populations",
        "Fig. 14",
        "Similarity and alignment cluster by the family of models; initial norms come second.",
        _norms,
    )


def _norms(evidence: Evidence) -> Finding:
    measured = [
        f"{model}: similarity {_average(evidence, model, 'norm_similarity'):.3f}, "
        f"alignment {_average(evidence, model, 'norm_alignment'):.3f}"
        for model in evidence.levels(MODELS)["model"]
    ]
    words = "; ".join(measured)
    if len(measured) < 2:
        return Finding("cannot be told", words, "one model was asked")
    effects = evidence.variance(MODELS, "norm_similarity", ("model", "population"), {})
    model, population = effects["model"], effects["population"]
    held = model.p < ALPHA and model.eta_squared > population.eta_squared
    notes = "both are one number, by another formula; it tells likeness of wording, not of value"
    return Finding(outcome_of([held]), f"{model}; {population}; {words}", notes)


def _average(evidence: Evidence, model: object, finding: str) -> float:
    """Over all runs of a model that have one; NaN if none has."""
    values = evidence.runs(MODELS, finding, {"model": model})
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def _survival(evidence: Evidence, trial: str, **levels: object) -> Array:
    return evidence.runs(trial, _SURVIVAL, levels)


LANGUAGE = Design(
    tuple(
        Trial(
            name,
            f"village_{name}",
            title,
            chapters=("outcome", "tests", "norms", "texts", "ledger"),
            over_time=("efficiency",),
            quick=QUICK,
        )
        for name, title in (
            (MODELS, "Figs 5, 6, 14 and 16: models, lakes and populations"),
            (ABLATIONS, "Figs 7 and 13: without imitation or a common policy"),
        )
    ),
    claims,
)
