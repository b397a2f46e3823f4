"""The village paper's Fig. 14: norms of models and of populations."""

from __future__ import annotations

import numpy as np

from society.claims.comparisons import ALPHA
from society.claims.types import ClaimFinding, outcome_of
from society.reproduction.claim_samples import Samples

TRIAL = "models"


def by_model(samples: Samples) -> ClaimFinding:
    """Compare the effect of the model on the similarity of norms with that of the population."""
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
    held = model.p < ALPHA and model.eta_squared > population.eta_squared
    notes = "both are one number, by another formula; it tells likeness of wording, not of value"
    return ClaimFinding(outcome_of([held]), f"{model}; {population}; {words}", notes)


def _average(samples: Samples, model: object, measure: str) -> float:
    """The mean over all runs of a model that have one; NaN if none has."""
    values = samples.evidence.runs(TRIAL, measure, {"model": model})
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan
