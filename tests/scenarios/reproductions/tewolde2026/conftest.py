"""The judges of CoopEval shown results that nobody has played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np
import pytest

from society.claims.comparisons import Metric, TypeScores
from society.claims.types import Claim, ClaimVerdict, FactorLevels
from society.engine.rng import Array
from society.reproduction.evidence import Evidence
from society.reproduction.judges import judge_claims

DILEMMAS = ("prisoners_dilemma", "travellers_dilemma", "trust", "public_goods")

Found = Mapping[str, ClaimVerdict]  # by claim
Fares = Callable[[Metric, str, str], Mapping[str, float]]  # by metric, game and mechanism: of each


class MadeUp(Evidence):
    """Evidence by cell: how types fare in each of five repetitions, and measures of runs."""

    def __init__(self, fares: Fares, shares: Mapping[str, float]) -> None:
        super().__init__({})
        self._fares, self._shares = fares, shares

    def levels(self, trial: str) -> Mapping[str, Sequence[object]]:
        games = ("prisoners_dilemma", "trust")
        of_theorem = {"game": games, "mechanism": ("repetition", "contract")}
        return {
            "settings": {"game": games, "setting": ("continuation_0.7", "continuation_0.9")}
        }.get(trial, of_theorem)

    def runs(self, trial: str, measure: str, levels: FactorLevels) -> Array:
        if measure not in self._shares:
            return np.resize([1.0, 0.0], 100)
        # Where a game is named, shares differ a little from game to game, and by measure.
        rank = ("", *DILEMMAS).index(str(levels.get("game", "")))
        return self._some(self._shares[measure] - 0.001 * len(measure) * rank)

    def type_scores(self, trial: str, metric: Metric, levels: FactorLevels) -> TypeScores:
        mechanism = str(levels.get("mechanism", "repetition"))
        given = self._fares(metric, str(levels["game"]), mechanism)
        luck = 0.001 * len(metric) * np.array([-1, -0.5, 0, 0.5, 1])
        each = {name: value + luck for name, value in given.items()}
        return TypeScores(np.mean(list(each.values()), axis=0), each)

    def _some(self, share: float) -> Array:
        """Mark so many of a thousand runs; NaN: none was played to its end."""
        return np.where(np.isnan(share), share, np.arange(1000) < 1000 * share)


class Judged(Protocol):
    """Verdicts by claim, if results had come to this."""

    def __call__(
        self, claims: Iterable[Claim], fares: Fares, shares: Mapping[str, float]
    ) -> Found: ...


@pytest.fixture
def judging() -> Judged:
    def found(claims: Iterable[Claim], fares: Fares, shares: Mapping[str, float]) -> Found:
        return {one.claim: one for one in judge_claims(claims, MadeUp(fares, shares))}

    return found
