"""The village paper's claims about language models, and how we judge each.

Rules of judging, set down before any model was asked:
    variance     once a lake, over models and populations; see anova.py
    letters      Tukey's test, where the effect of the model is significant
    differences  Welch's test, corrected by Holm over the claim
    plateaus     a mean from 25 to 35 is near 30, one from 45 on near 50
A claim about named models can be told only where those models were asked. Numbers are mean survival
times in rounds; a run that reaches the last round counts with it, as in the paper.

Source: Gupta et al. 2026 (AAMAS), sections 4.2.1 to 4.2.4, Figs 5, 6 and 14. Table 1 is judged in
anova.py, what happens over time in trajectories.py, and the ablations of section
4.2.5 in ablations.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from society.claims.comparisons import ALPHA, Comparison, Ranked
from society.claims.types import (
    Claim,
    Design,
    Evidence,
    Finding,
    Trial,
    Untold,
    asked,
    ordered,
    outcome_of,
)
from society.draws import Array
from society.scenarios.reproductions.gupta2026 import ablations as ablations
from society.scenarios.reproductions.gupta2026 import anova as variance
from society.scenarios.reproductions.gupta2026 import trajectories as courses
from society.scenarios.reproductions.gupta2026.ablations import ABLATIONS, LAKES, MODELS
from society.scenarios.reproductions.gupta2026.anova import LARGER, SMALLER

PLATEAUS = {"claude-sonnet-4": (25, 35), "gpt-4o": (25, 35), "deepseek-r1": (45, 50)}  # rounds

# A look at whether all works; norms are compared by their wording, without a model to load.
QUICK = {"replicates": 2, "rounds": 3, "parameters": {"norm_embedder": "hashing"}}

_SURVIVAL = "survival_time"

JUDGING = (
    "No two conditions share their luck; two are compared by Welch's test. Numbers are mean "
    "survival times in rounds; a run that reaches round 50, the last one, counts with 50. The "
    "rules were set down before any model was asked.",
    "An effect of the paper's analysis of variance reproduces if it is significant, eta squared is "
    "between half and twice the paper's, and means are ordered as the paper has them; where the "
    "paper finds none, if ours is not significant and the interval of eta squared excludes twice "
    "the paper's.",
)


def claims() -> Iterator[Claim]:
    """Of section 4.2, in its order."""
    for lake in LAKES:
        yield from variance.claims(lake)
        yield _letters(lake)
    yield from _of_models()
    yield from _of_norms()
    yield from ablations.claims()


def _letters(lake: str) -> Claim:
    return Claim(
        f"Which models differ in the {lake} lake",
        "Fig. 5" if lake == "harsh" else "Fig. 6",
        "Only llama-3.3-70b differs from gpt-4o."
        if lake == "harsh"
        else "deepseek-r1 outlasts all other models.",
        lambda evidence: _apart(evidence, lake),
    )


def _apart(evidence: Evidence, lake: str) -> Finding:
    models = evidence.levels(MODELS)["model"]
    if len(models) < 2:
        raise Untold(variance.ONE)
    effect = variance.found(evidence, lake)["model"]
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
    yield courses.early_overuse()
    yield Claim(
        "In the rich lake smaller models last longer with selfish villagers",
        "Fig. 6",
        "Altruistic ones sometimes under-harvest and starve.",
        lambda evidence: ordered(_populations(evidence, SMALLER, "rich", "selfish", "altruist")),
    )
    yield from courses.of_starts()
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
            beside=beside,
        )
        for name, title, beside in (
            (MODELS, "Figs 5, 6, 14 and 16: models, lakes and populations", {}),
            (
                ABLATIONS,
                "Figs 7 and 13: without imitation or a common policy, beside villages with both",
                {MODELS: {"channels": "full"}},
            ),
        )
    ),
    claims,
    JUDGING,
)
