"""Verdicts on made-up results are as recorded.

`verdicts.json` has, for each paper, sort of minds and seed, the outcome of each claim and a digest
of all words that stand beside it. It was written by judges that were code, and written again when
their rules were mended (2026-11-23; see `changes` in each claims.yaml). What is computed without
results, as theorem 1, has its own tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from society.claims.comparisons import Metric, TypeScores
from society.claims.types import ClaimVerdict, FactorLevels
from society.config.registry import reproduction
from society.engine.rng import Array, generator
from society.reproduction.evidence import Evidence, ExperimentResult
from society.reproduction.judges import judge_claims
from society.reproduction.run import ReproductionRun
from tests.reproduction.made_up import MODELS, MadeUpResult

pytestmark = pytest.mark.thorough

RECORD: Mapping[str, list[list[str]]] = json.loads(
    Path(__file__).with_name("verdicts.json").read_text("utf-8")
)


class MadeUp(MadeUpResult):
    """Eight runs a condition, some far above others; every measure is drawn anew."""

    def rounds(self, name: str, levels: FactorLevels) -> Array:
        """Some of the runs end after fifty rounds."""
        found = super().rounds(name, levels)
        if name not in ("fitness", "phenotype"):
            found[np.arange(len(found)) % 8 % 3 == 0, 50:] = np.nan
        return found

    def draw(self, measure: str, condition: Mapping[str, Any], rounds: int) -> Array:
        """Some shares, some positive numbers; the mean differs by condition."""
        draws = generator(self.seed, self.address(measure, condition))
        if measure.startswith(("norm_never", "norm_always", "policy_")) or self.trial == "neutral":
            return (draws.random((8, rounds)) < draws.random()).astype(float)
        found: Array = draws.choice([0.3, 0.9, 2.0]) * np.exp(0.2 * draws.normal(size=(8, rounds)))
        return found


class Scored(Evidence):
    """Evidence with made-up scores of types, in three repetitions."""

    def __init__(self, results: Mapping[str, MadeUp], types: Sequence[str], seed: int) -> None:
        super().__init__({name: cast(ExperimentResult, one) for name, one in results.items()})
        self.types, self.seed = types, seed

    def type_scores(self, trial: str, metric: Metric, levels: FactorLevels) -> TypeScores:
        draws = generator(self.seed, f"{trial} {metric} {sorted(map(str, levels.items()))}")
        each = {
            name: draws.choice([0.05, 0.5, 0.95]) + 0.02 * draws.random(3) for name in self.types
        }
        return TypeScores(np.mean(list(each.values()), axis=0), each)


def verdicts(name: str, minds: str, seed: int) -> list[list[str]]:
    """Judge all claims that look at results."""
    paper, models = reproduction(name), MODELS[name] if minds == "language" else ()
    run = ReproductionRun(paper, Path("nowhere"), models)
    made_up = {
        trial: MadeUp(trial, result.experiment.levels, 8, seed)
        for trial, result in run.results.items()
    }
    evidence = Scored(made_up, models or ("nice", "nasty"), seed)
    computed = 21 if (name, minds) == ("dilemmas", "rules") else 0  # theorem 1 and what is like it
    return [written(one) for one in judge_claims(run.design.claims[computed:], evidence)]


def written(verdict: ClaimVerdict) -> list[str]:
    words = f"{verdict.found}|{verdict.notes}|{verdict.said}|{verdict.source}|{verdict.ours}"
    return [verdict.claim, verdict.outcome, blake2b(words.encode(), digest_size=6).hexdigest()]


@pytest.mark.parametrize("case", RECORD)
def test_verdicts_are_as_recorded(case: str) -> None:
    name, minds, seed = case.split()
    assert verdicts(name, minds, int(seed)) == RECORD[case]
