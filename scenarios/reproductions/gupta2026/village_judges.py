"""Judges of the village paper's lake, its causes of death and Fig. 14; notes on its other claims.

The notes decide nothing. The paper tests a part of its runs against the whole that holds it, so
that both samples share runs: its t(898) are 180 runs against all 720, its t(238) are 60 against
180. That is no valid test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from society.claims.comparisons import ALPHA
from society.claims.data import LevelsOf, SampleSpec
from society.claims.types import ClaimFinding, order_finding, outcome_of
from society.engine.rng import Array
from society.reproduction.claim_samples import Samples, last_round
from society.scenarios.village.fishing_village import Village
from society.scenarios.village.lake import regrow

CONDITIONS = ("full", "only_social_learning", "only_group_decision", "neither")
POPULATIONS = ("altruist", "mixed", "selfish")
LAKES = ("harsh", "rich")
TRIAL = "models"
FOR_GOOD = 10_000  # rounds
PLENTY = 0.5  # of the lake's capacity, where it grows fastest


def rising_steps(samples: Samples, *, trial: str) -> str:
    """Count the steps from one fine to the next that raise the mean, over all growths."""
    levels = samples.evidence.levels(trial)
    means = [
        [
            samples.mean(SampleSpec(trial=trial, levels={"fine": fine, "growth": growth}), {})
            for fine in levels["fine"]
        ]
        for growth in levels["growth"]
    ]
    rising = np.diff(means, axis=1) > 0
    return f"{rising.sum()} of {rising.size} steps of the fine raise the mean, over all growths"


def overfishing_empties() -> ClaimFinding:
    """Look for the stock that grows most, and catch one hundredth more than that, or as much."""
    parts, words = list[bool | None](), list[str]()
    for lake, growth in (("harsh", 0.2), ("rich", 0.6)):
        params = Village(growth=growth)
        stocks = np.linspace(0, params.capacity, 1001)
        surplus = regrow(params, stocks) - stocks
        best, most = float(stocks[surplus.argmax()]), float(surplus.max())
        parts += [
            bool(np.isclose(best, params.capacity / 2)),
            bool(np.isclose(most, growth * params.capacity / 4)),
        ]
        rounds = _rounds_until_empty(params, 1.01 * most)
        parts += [rounds is not None, _rounds_until_empty(params, most) is None]
        words.append(
            f"{lake}: most, {most:g} fish, at {best:g}; one hundredth more, {rounds} rounds"
        )
    return ClaimFinding(outcome_of(parts), f"until the lake is empty: {'; '.join(words)}")


def _rounds_until_empty(params: Village, catch: float) -> int | None:
    """Count the rounds until a constant catch has emptied a full lake; None if it never does."""
    stock = np.array(params.capacity)
    for number in range(1, FOR_GOOD + 1):
        stock = regrow(params, stock - catch)
        if stock <= 0:
            return number
    return None


def norms_by_model(samples: Samples) -> ClaimFinding:
    """Compare the effect of the model on the similarity of norms with that of the population.

    One is larger than the other if it is significant and their intervals of eta squared are apart.
    """
    evidence = samples.evidence
    words = "; ".join(
        f"{model}: similarity {_average(samples, model, 'norm_similarity'):.3f}, "
        f"alignment {_average(samples, model, 'norm_alignment'):.3f}"
        for model in evidence.levels(TRIAL)["model"]
    )
    if len(evidence.levels(TRIAL)["model"]) < 2:
        return ClaimFinding("cannot be told", words, "one model was asked")
    effects = evidence.variance(TRIAL, "norm_similarity", ("model", "population"), {})
    model, population = effects["model"], effects["population"]
    held = True if model.p < ALPHA and model.low > population.high else None
    if population.p < ALPHA and population.low > model.high:
        held = False
    notes = "both are one number, by another formula; it tells likeness of wording, not of value"
    return ClaimFinding(outcome_of([held]), f"{model}; {population}; {words}", notes)


def starved_in_plenty(
    samples: Samples, *, trial: str, levels: Mapping[str, object], models: Sequence[str] = ()
) -> ClaimFinding:
    """Compare the shares of altruistic and selfish villages that starve beside a full lake.

    models: those whose villages are pooled; none: all villages.
    """
    evidence = samples.evidence
    chosen = [{"model": samples.model(trial, name)} for name in models] or [{}]

    def starved(population: str) -> Array:
        found = list[Array]()
        for model in chosen:
            whom = {**levels, **model, "population": population}
            cause = evidence.runs(trial, "cause", whom)
            left = last_round(evidence.rounds(trial, "stock", whom))
            found.append((cause == "starved") & (left >= PLENTY))
        return np.concatenate(found)

    compared = evidence.counted(
        "share that starves beside a full lake: altruist > selfish",
        *map(starved, ("altruist", "selfish")),
    )
    return order_finding([compared])


def _average(samples: Samples, model: object, measure: str) -> float:
    """The mean over all runs of a model that have one; NaN if none has."""
    values = samples.evidence.runs(TRIAL, measure, {"model": model})
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan


def count_lowest(samples: Samples, *, condition: str) -> str:
    """Count the lakes and populations in which a condition has the lowest mean."""
    cells = list(product(LAKES, POPULATIONS))
    found = 0
    for lake, population in cells:
        means = {
            name: _survival(samples, name, lake=lake, population=population).mean()
            for name in CONDITIONS
        }
        found += min(means, key=means.__getitem__) == condition
    return f"{condition} has the lowest mean in {found} of {len(cells)} lakes and populations"


def against_all(samples: Samples, *, condition: str) -> str:
    """Test a condition against all, itself included."""
    rest = [_survival(samples, name) for name in CONDITIONS if name != condition]
    return _part_against_whole(samples, condition, _survival(samples, condition), rest)


def selfish_against_all(samples: Samples, *, condition: str) -> str:
    """Test the selfish villages of a condition against all of this condition."""
    rest = [_survival(samples, condition, population=name) for name in ("altruist", "mixed")]
    own = _survival(samples, condition, population="selfish")
    return _part_against_whole(samples, "selfish", own, rest)


def gpt_against_others(samples: Samples) -> str:
    """Test gpt-4o against the other models by Student's test."""
    levels = {"channels": "only_group_decision"}
    gpt = SampleSpec(trial="ablations", measure="survival_time", model="gpt-4o", levels=levels)
    others = LevelsOf(**{**_pooled(samples).model_dump(), "without": "gpt-4o"})
    rest = SampleSpec(like="only_group_decision", pool={"model": others})
    own, other = (samples.values(one, {}) for one in (gpt, rest))
    return f"the paper's form: {samples.evidence.pooled('gpt-4o, others', own, other).statistic}"


def pooled_models(samples: Samples) -> str:
    """Name the models that are pooled."""
    (models,) = zip(
        *(one.values() for one in samples.bindings({"model": _pooled(samples)}, {})), strict=True
    )
    known = samples.asked_models("ablations", _pooled(samples).asked)
    whose = "of the paper's models" if known else "none of which the paper ablates"
    return f"models pooled, {whose}: {', '.join(map(str, models))}"


def _pooled(samples: Samples) -> LevelsOf:
    source = samples.design.samples["full"].pool["model"]
    assert isinstance(source, LevelsOf)
    return source


def _survival(samples: Samples, condition: str, **levels: Any) -> Array:
    return samples.values(SampleSpec(like=condition, levels=levels), {})


def _part_against_whole(samples: Samples, name: str, part: Array, rest: list[Array]) -> str:
    theirs = samples.evidence.part_against_whole(f"{name} against all", part, np.concatenate(rest))
    return f"the paper's form, part against whole, which is no valid test: {theirs.statistic}"
