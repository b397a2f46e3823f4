"""Verdicts on made-up results are as recorded.

`verdicts.json` has, for each paper, sort of minds and seed, the outcome of each claim and a digest
of all words that stand beside it. It was written by judges that were code, and written again when
their rules were mended (2026-11-23; see `changes` in each claims.yaml). What is computed without
results, as theorem 1, has its own tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from itertools import product
from pathlib import Path
from types import SimpleNamespace
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

pytestmark = pytest.mark.thorough

MODELS = {
    "village": (
        "claude-sonnet-4",
        "deepseek-r1",
        "gpt-4o",
        "gpt-4o-mini",
        "llama-3.3-70b",
        "qwen3-32b",
    ),
    "donor": ("claude-3-5-sonnet", "gemini-1.5-flash-002", "gpt-4o"),
    "dilemmas": ("claude-sonnet-4-5", "gemini-3-flash", "gpt-5.2", "gpt-4o", "qwen3-30b-a3b"),
}
RECORD: Mapping[str, list[list[str]]] = json.loads(
    Path(__file__).with_name("verdicts.json").read_text("utf-8")
)


class MadeUp:
    """Eight runs a condition, some far above others; every measure is drawn anew."""

    def __init__(self, name: str, levels: Mapping[str, Sequence[Any]], seed: int) -> None:
        self.experiment, self.name, self.seed = SimpleNamespace(levels=levels), name, seed
        self.conditions = [
            dict(zip(levels, chosen, strict=True)) for chosen in product(*levels.values())
        ]

    def runs(self, name: str, levels: FactorLevels) -> Array:
        return np.concatenate([self._drawn(name, one, 1)[:, 0] for one in self._chosen(levels)])

    def rounds(self, name: str, levels: FactorLevels) -> Array:
        """Sixty rounds; fitness is known in every tenth, and runs end."""
        found = []
        for one in self._chosen(levels):
            course = self._drawn(name, one, 60)
            if name == "fitness":
                course[:, np.arange(60) % 10 < 9] = np.nan
            elif name != "phenotype":
                course[np.arange(8) % 3 == 0, 50:] = np.nan
            found.append(course)
        return np.concatenate(found)

    def labels(self, factor: str, levels: FactorLevels) -> list[object]:
        return [one[factor] for one in self._chosen(levels) for _ in range(8)]

    def _chosen(self, levels: FactorLevels) -> Iterator[Mapping[str, Any]]:
        for one in self.conditions:
            if all(one[factor] == level for factor, level in levels.items()):
                yield one

    def _drawn(self, measure: str, condition: Mapping[str, Any], rounds: int) -> Array:
        """Some shares, some positive numbers; the mean differs by condition."""
        draws = generator(self.seed, f"{self.name} {measure} {sorted(map(str, condition.items()))}")
        if measure.startswith(("norm_never", "norm_always", "policy_")) or self.name == "neutral":
            return (draws.random((8, rounds)) < draws.random()).astype(float)
        found: Array = draws.choice([0.3, 0.9, 2.0]) * np.exp(0.2 * draws.normal(size=(8, rounds)))
        return found


class Scored(Evidence):
    """With made-up scores of types, in three repetitions."""

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
    """Of all claims that look at results."""
    paper, models = reproduction(name), MODELS[name] if minds == "language" else ()
    run = ReproductionRun(paper, Path("nowhere"), models)
    made_up = {
        trial: MadeUp(trial, result.experiment.levels, seed)
        for trial, result in run.results.items()
    }
    evidence = Scored(made_up, models or ("nice", "nasty"), seed)
    computed = 21 if (name, minds) == ("dilemmas", "rules") else 0  # theorem 1 and what is like it
    return [written(one) for one in judge_claims(run.design.claims[computed:], evidence)]


def written(verdict: ClaimVerdict) -> list[str]:
    words = f"{verdict.found}|{verdict.notes}|{verdict.said}|{verdict.source}|{verdict.ours}"
    return [verdict.claim, verdict.outcome, blake2b(words.encode(), digest_size=6).hexdigest()]


@pytest.mark.parametrize("case", RECORD)
def test_verdicts_are_as_recorded(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # statsmodels collects garbage before each correction, which takes more time than all else.
    monkeypatch.setattr("gc.collect", lambda: 0)
    name, minds, seed = case.split()
    assert verdicts(name, minds, int(seed)) == RECORD[case]
