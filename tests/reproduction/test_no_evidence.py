"""No claim of any paper is decided without evidence.

Two runs of a condition tell nothing, whatever they are; and many runs in which nothing has an
effect, and noise is huge, decide no claim either way. Left out is what needs no statistics: what is
computed, and what is claimed of a game without chance, or of every run, so that one run refutes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from society.claims.comparisons import Metric, TypeScores
from society.claims.data import Always, Coded, Judge
from society.claims.types import Claim, ClaimVerdict, FactorLevels
from society.config.registry import reproduction
from society.engine.rng import Array, generator
from society.reproduction.evidence import Evidence, ExperimentResult
from society.reproduction.judges import judge_claims
from society.reproduction.run import ReproductionRun
from tests.reproduction.made_up import MODELS, MadeUpResult

pytestmark = pytest.mark.thorough

# What comes about by chance in the runs that judges count, and the values that they compare with.
CHANCES = {"norm_never": 1 / 12, "norm_always": 0.5, "policy_fixed": 0.5}
TAKEN_OVER = ("image_scoring", "neutral", "drift")
CENTRES = {
    "efficiency": 1.0,
    "stock": 0.5,
    "selection_differential": 0.0,
    "mutation_bias": 0.0,
    "survival_time": 40.0,
}
DESIGNS = [(name, minds) for name in MODELS for minds in ("rules", "language")]
DECIDED = {"reproduced", "not reproduced", "in part"}


class Noise(MadeUpResult):
    """Runs of which no condition differs from another: only noise, and much of it."""

    def draw(self, measure: str, condition: Mapping[str, Any], rounds: int) -> Array:
        draws = generator(self.seed, self.address(measure, condition))
        shape = (self.count, rounds)
        if measure in CHANCES or self.trial in TAKEN_OVER:
            chance = CHANCES.get(measure, 1 / 12)
            one: Array = (draws.random(shape) < chance).astype(float)
            return 1 - one if measure == "phenotype" else one
        noise: Array = draws.normal(size=shape)
        if "fitness" in measure or measure.endswith("resources"):
            found: Array = np.exp(2 * noise)
            return found
        return CENTRES.get(measure, 0.5) + 60 * noise


class NoisyScores(Evidence):
    """Evidence with scores of types that differ by noise alone."""

    def __init__(
        self, results: Mapping[str, Noise], types: Sequence[str], runs: int, seed: int
    ) -> None:
        super().__init__({name: cast(ExperimentResult, one) for name, one in results.items()})
        self.types, self.count, self.seed = types, runs, seed

    def type_scores(self, trial: str, metric: Metric, levels: FactorLevels) -> TypeScores:
        draws = generator(self.seed, f"{trial} {metric} {sorted(map(str, levels.items()))}")
        each = {name: draws.normal(0.5, 20, self.count) for name in self.types}
        return TypeScores(np.mean(list(each.values()), axis=0), each)


def decided(name: str, minds: str, runs: int) -> set[str]:
    """Find the claims that each of three draws decides: chance may decide one of twenty in one."""
    found: set[str] | None = None
    for seed in (1, 2, 3):
        some = {one.claim for one in verdicts(name, minds, runs, seed) if one.outcome in DECIDED}
        found = some if found is None else found & some
        if not found:
            return set()
    assert found is not None
    return found


def verdicts(name: str, minds: str, runs: int, seed: int) -> Iterator[ClaimVerdict]:
    """Judge all claims but those that need no statistics.

    Shares of variance are left out: many runs of noise exclude a large one, and rightly.
    """
    models = MODELS[name] if minds == "language" else ()
    run = ReproductionRun(reproduction(name), Path("nowhere"), models)
    results = {
        trial: Noise(trial, result.experiment.levels, runs, seed)
        for trial, result in run.results.items()
    }
    claims = [one for one in run.design.claims if not needs_no_statistics(one)]
    assert claims
    evidence = NoisyScores(results, models or ("nice", "nasty"), runs, seed)
    return judge_claims([one for one in claims if "eta squared" not in one.said], evidence)


def needs_no_statistics(claim: Claim) -> bool:
    judge: Judge = claim.judge.args[1].judge  # type: ignore[attr-defined]
    if isinstance(judge, Coded):
        return judge.kind == "computed" or judge.code.startswith("arithmetic.")
    some_open = isinstance(judge, Always) and all(rule.either for rule in judge.rules)
    return isinstance(judge, Always) and (bool(judge.exact) or not some_open)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    # statsmodels collects garbage before each correction, which takes more time than all else.
    monkeypatch.setattr("gc.collect", lambda: 0)


@pytest.mark.parametrize(("name", "minds"), DESIGNS)
def test_two_runs_decide_no_claim(name: str, minds: str) -> None:
    assert decided(name, minds, 2) == set()


@pytest.mark.parametrize(("name", "minds"), DESIGNS)
def test_huge_noise_without_any_effect_decides_no_claim(name: str, minds: str) -> None:
    assert decided(name, minds, 8) == set()
