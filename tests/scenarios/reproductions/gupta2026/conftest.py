"""The village paper's judges shown results that nobody has played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, cast

import numpy as np
import pytest

from society.claims.types import ClaimVerdict, FactorLevels, ReproductionDesign
from society.config.registry import reproduction
from society.engine.rng import Array, generator
from society.reproduction.evidence import Evidence, ExperimentResult
from society.reproduction.judges import judge_claims
from society.reproduction.run import ReproductionRun

VILLAGE = reproduction("village")

Condition = Mapping[str, Any]
Lasting = Callable[[Condition], float]  # mean survival time
Course = Callable[[Condition, str], Sequence[float]]  # a measure round by round
Found = Mapping[str, ClaimVerdict]  # by claim


class OfRules(Protocol):
    """Verdicts about rules, if villages lasted so long under both sets of parameters."""

    def __call__(self, lasting: Lasting, course: Course = ...) -> Found: ...


class OfModels(Protocol):
    """Verdicts about language models, if they lasted so long."""

    def __call__(
        self,
        lasting: Lasting,
        models: Sequence[str],
        course: Course = ...,
        by_prompts: Lasting | None = ...,
    ) -> Found: ...


class MadeUp:
    """The results of an experiment: ten runs a condition.

    lasting: mean survival time by the levels of a condition; runs differ from it by some rounds.
    course: a measure in each round; runs differ from it by a little.
    """

    def __init__(
        self, lasting: Lasting, levels: Mapping[str, Sequence[Any]], course: Course
    ) -> None:
        self.experiment, self.course = SimpleNamespace(levels=levels), course
        draws = generator(1, "made up")
        self.conditions = [
            dict(zip(levels, chosen, strict=True)) for chosen in product(*levels.values())
        ]
        self.luck = [draws.normal(0, 3, 10) for _ in self.conditions]
        self.values = [
            lasting(one) + luck for one, luck in zip(self.conditions, self.luck, strict=True)
        ]

    def runs(self, name: str, levels: FactorLevels) -> Array:
        """Survival times for any measure, but for norms what the course says of the last round."""
        if name == "cause":
            return np.repeat("starved", 10 * len(list(self._chosen(levels))))
        if name.startswith("norm_"):
            return self.rounds(name, levels)[:, -1]
        return np.concatenate([self.values[place] for place in self._chosen(levels)])

    def rounds(self, name: str, levels: FactorLevels) -> Array:
        return np.concatenate(
            [
                np.asarray(self.course(self.conditions[place], name))
                + self.luck[place][:, None] / 10_000
                for place in self._chosen(levels)
            ]
        )

    def labels(self, factor: str, levels: FactorLevels) -> list[object]:
        chosen = self._chosen(levels)
        return [self.conditions[place][factor] for place in chosen for _ in self.values[place]]

    def _chosen(self, levels: FactorLevels) -> Iterator[int]:
        """The places of conditions with these levels."""
        for place, condition in enumerate(self.conditions):
            if all(condition[name] == level for name, level in levels.items()):
                yield place


@pytest.fixture
def of_rules() -> OfRules:
    """Judges of section 4.1; a course is flat unless given."""

    def found(lasting: Lasting, course: Course = flat) -> Found:
        played = {name: MadeUp(lasting, levels, course) for name, levels in planned().items()}
        return Verdicts(VILLAGE.rules, played)

    return found


@pytest.fixture
def of_models() -> OfModels:
    """Judges of section 4.2; likewise. by_prompts: under that reading, else the same."""

    def found(
        lasting: Lasting,
        models: Sequence[str],
        course: Course = flat,
        by_prompts: Lasting | None = None,
    ) -> Found:
        usual = {
            "model": tuple(models),
            "lake": ("harsh", "rich"),
            "population": ("altruist", "mixed", "selfish"),
        }
        channels = ("only_social_learning", "only_group_decision", "neither")
        readings = {"": lasting, "-prompts": by_prompts or lasting}
        played = {
            name: one
            for reading, last in readings.items()
            for name, one in {
                f"models{reading}": MadeUp(last, usual, course),
                f"ablations{reading}": MadeUp(last, {"channels": channels, **usual}, course),
            }.items()
        }
        return Verdicts(VILLAGE.language, played)

    return found


def flat(condition: Condition, name: str) -> list[float]:
    """Return the same value for all rounds."""
    return [0.5] * 100


@cache
def planned() -> dict[str, Mapping[str, Sequence[Any]]]:
    """The levels of each experiment with rules."""
    results = ReproductionRun(VILLAGE, Path("nowhere")).results
    return {name: one.experiment.levels for name, one in results.items()}


class Verdicts(Mapping[str, ClaimVerdict]):
    """Verdicts by claim; each is judged once it is looked up: a test looks at few of many."""

    def __init__(self, design: ReproductionDesign | None, played: Mapping[str, MadeUp]) -> None:
        assert design is not None
        self.results = Evidence({name: cast(ExperimentResult, one) for name, one in played.items()})
        claims = list(design.claims)
        self.claims = {f"{c.claim} ({c.under})" if c.under else c.claim: c for c in claims}
        assert len(self.claims) == len(claims)
        self.known: dict[str, ClaimVerdict] = {}

    def __getitem__(self, name: str) -> ClaimVerdict:
        if name not in self.known:
            (self.known[name],) = judge_claims([self.claims[name]], self.results)
            assert self.known[name].claim == name
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)
