"""A paper that nobody has written, and results of experiments that nobody has played."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np

from society.claims.types import FactorLevels
from society.engine.rng import Array

# The claims.yaml of a small paper, as far as the judge of its claim.
PAPER = """
name: small
paper: Nobody 2026
rules:
  trials: [{name: fish, file: village_populations, title: Fish}]
  claims:
    - sample: {trial: fish, measure: catch}
      claims:
        - claim: Nets catch more
          source: Fig. 1
          said: More than rods.
          judge:
"""
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


class MadeUpResult(ABC):
    """The result of a trial, with `count` runs of each combination of levels."""

    def __init__(
        self, trial: str, levels: Mapping[str, Sequence[Any]], count: int, seed: int
    ) -> None:
        self.experiment, self.trial = SimpleNamespace(levels=levels), trial
        self.count, self.seed = count, seed
        self.conditions = [
            dict(zip(levels, chosen, strict=True)) for chosen in product(*levels.values())
        ]

    def runs(self, name: str, levels: FactorLevels) -> Array:
        return np.concatenate([self.draw(name, one, 1)[:, 0] for one in self._chosen(levels)])

    def rounds(self, name: str, levels: FactorLevels) -> Array:
        """Sixty rounds; fitness is known in every tenth."""
        found = np.concatenate([self.draw(name, one, 60) for one in self._chosen(levels)])
        if name == "fitness":
            found[:, np.arange(60) % 10 < 9] = np.nan
        return found

    def endings(self, levels: FactorLevels) -> list[str]:
        """No run has ended before its last round."""
        return ["" for _ in self._chosen(levels) for _ in range(self.count)]

    def labels(self, factor: str, levels: FactorLevels) -> list[object]:
        return [one[factor] for one in self._chosen(levels) for _ in range(self.count)]

    def _chosen(self, levels: FactorLevels) -> Iterator[Mapping[str, Any]]:
        for one in self.conditions:
            if all(one[factor] == level for factor, level in levels.items()):
                yield one

    def address(self, measure: str, condition: Mapping[str, Any]) -> str:
        """The address of the draws of a measure in a condition."""
        return f"{self.trial} {measure} {sorted(map(str, condition.items()))}"

    @abstractmethod
    def draw(self, measure: str, condition: Mapping[str, Any], rounds: int) -> Array:
        """Draw the course of a measure in the runs of a condition, (count, rounds)."""
