"""Notes on the village paper's section 4.2.5: its own tests, which decide nothing here.

The paper tests a part of its runs against the whole that holds it, so that both samples share runs:
its t(898) are 180 runs against all 720, its t(238) are 60 against 180. That is no valid test.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from society.claims.data import LevelsOf, SampleSpec
from society.engine.rng import Array
from society.reproduction.claim_samples import Samples

CONDITIONS = ("full", "only_social_learning", "only_group_decision", "neither")
POPULATIONS = ("altruist", "mixed", "selfish")
LAKES = ("harsh", "rich")


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
