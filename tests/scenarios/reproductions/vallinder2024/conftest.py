"""The donor paper's judges shown results that nobody has played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, cast

import numpy as np
import pytest

from society.claims.types import Claim, ClaimVerdict, FactorLevels
from society.config.registry import reproduction
from society.engine.rng import Array
from society.reproduction.evidence import Evidence, ExperimentResult
from society.reproduction.judges import judge_claims
from society.reproduction.run import ReproductionRun

DONOR = reproduction("donor")

Condition = Mapping[str, Any]
Runs = Callable[[Condition, str], Array]  # a measure, (n,)
Found = Mapping[str, ClaimVerdict]  # by claim


# By measure: five runs generation by generation, (5, G); `punished`, a share of encounters, (5,).
Played = Callable[[Condition], Mapping[str, Array]]


class OfRules(Protocol):
    """Verdicts about rules, if they had come to this."""

    def __call__(self, runs: Runs) -> Found: ...


class OfModels(Protocol):
    """Verdicts about language models, if each run had come to this so many times."""

    def __call__(self, played: Played, models: Sequence[str], times: int = 1) -> Found: ...


class MadeUp:
    """The results of an experiment, condition after condition."""

    def __init__(
        self,
        levels: Mapping[str, Sequence[Any]],
        runs: Runs,
        courses: Callable[[Condition, str], Array] | None = None,
    ) -> None:
        self.experiment, self.by_run, self.by_round = SimpleNamespace(levels=levels), runs, courses
        self.conditions = [
            dict(zip(levels, chosen, strict=True)) for chosen in product(*levels.values())
        ]

    def runs(self, name: str, levels: FactorLevels) -> Array:
        return np.concatenate([self.by_run(one, name) for one in self._chosen(levels)])

    def rounds(self, name: str, levels: FactorLevels) -> Array:
        assert self.by_round is not None
        return np.concatenate([self.by_round(one, name) for one in self._chosen(levels)])

    def _chosen(self, levels: FactorLevels) -> Iterator[Condition]:
        for condition in self.conditions:
            if all(condition[name] == level for name, level in levels.items()):
                yield condition


@pytest.fixture
def of_rules() -> OfRules:
    def found(runs: Runs) -> Found:
        played = {name: MadeUp(levels, _in(name, runs)) for name, levels in planned().items()}
        return verdicts(DONOR.rules.claims, played)

    return found


def _in(experiment: str, runs: Runs) -> Runs:
    """Conditions with the name of their experiment."""
    return lambda one, measure: runs({**one, "experiment": experiment}, measure)


@pytest.fixture
def of_models() -> OfModels:
    def found(played: Played, models: Sequence[str], times: int = 1) -> Found:
        assert DONOR.language is not None
        variants = ("multiplier_1.5", "multiplier_3", "trace_1", "trace_2")
        levels: dict[str, dict[str, Sequence[Any]]] = {
            "models": {"model": tuple(models), "punishment": (False, True)},
            "ablations": {"model": tuple(models), "variant": variants},
            "newborn": {"model": tuple(models)},
        }

        made_up = {
            name: MadeUp(
                given,
                lambda one, measure: np.tile(played(one)[measure], times),
                lambda one, measure: np.tile(in_rounds(played(one)[measure], measure), (times, 1)),
            )
            for name, given in levels.items()
        }
        return verdicts(DONOR.language.claims, made_up)

    return found


def in_rounds(values: Array, measure: str) -> Array:
    """Three rounds a generation, (5, G) -> (5, 3 G); gifts from the second on, the rest in one."""
    rounds = np.full((*values.shape, 3), np.nan)
    rounds[..., 1 if measure == "donation" else 2 :] = values[..., None]
    return rounds.reshape(len(values), -1)


@cache
def planned() -> dict[str, Mapping[str, Sequence[Any]]]:
    """The levels of each experiment with rules."""
    results = ReproductionRun(DONOR, Path("nowhere")).results
    return {name: one.experiment.levels for name, one in results.items()}


def verdicts(claims: Iterable[Claim], played: Mapping[str, MadeUp]) -> Found:
    """Return the verdicts by claim."""
    evidence: Evidence = Evidence(
        {name: cast(ExperimentResult, one) for name, one in played.items()}
    )
    return {verdict.claim: verdict for verdict in judge_claims(claims, evidence)}
