"""Which parameters of a component count only where a life begins, by the source of its class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from society.config.birth_parameters import birth_parameters
from society.config.registry import components
from society.engine.component import AgentGroup, Component, Question


@dataclass(frozen=True)
class Thrifty(Component):
    start: float = 0.5
    step: float = 0.1
    scale: float = 1.0
    model: str = "default"
    answers = ("effort",)

    def __post_init__(self) -> None:
        assert self.start >= 0

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,)

    def begin(self, agents: AgentGroup) -> None:
        agents["thrift"] = self._first() + self._scaled(self.step)

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        return self._scaled(agents["thrift"])

    def _first(self) -> float:
        return self.start if self.model else 0.0

    def _scaled(self, value: Any) -> Any:
        return self.scale * value


class Louder(Thrifty):
    def born(self, agents: AgentGroup) -> None:
        agents["thrift"] += self.step


class Handing(Thrifty):
    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        return rule(self, agents)


class Adapting(Thrifty):
    def adapt(self, before: Any, agents: AgentGroup) -> None:
        agents["thrift"] += self.start - before.start


def rule(part: Thrifty, agents: AgentGroup) -> Any:
    return agents["thrift"] * part.step


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Thrifty, {"start", "step", "model"}),
        (Louder, {"start", "model"}),
        (Handing, set()),  # who knows what the function reads
        (Adapting, {"step", "model"}),  # which `adapt` does not follow
    ],
)
def test_they_are_those_that_only_begin_reads(kind: type[Component], expected: set[str]) -> None:
    assert birth_parameters(kind) == expected


@pytest.mark.parametrize("name", [name for name, kind in components().items() if kind.at_birth])
def test_cohorts_are_joined_by_what_begin_alone_reads(name: str) -> None:
    kind = components()[name]
    unadapted = type(kind.__name__, (kind,), {"adapt": Component.adapt})
    assert set(kind.at_birth) <= birth_parameters(unadapted)


def test_of_ours_they_are_these() -> None:
    """A new component whose parameters count at birth only stands here, or has `adapt`."""
    found = {name: birth_parameters(kind) for name, kind in components().items()}
    assert {name: sorted(names) for name, names in found.items() if names} == {
        "attitude": ["first"],
        "canal_farmer": ["honest"],
        "formative_memories": ["ages", "model", "places", "ties", "ties_each"],
        "harvest": ["efforts"],
        "mechanism_use": ["skill"],
        "model_gene": ["first"],
        "norm_belief": ["beliefs"],
        "observation": ["limit"],
        "opinions": ["norm"],
        "persona": ["temper"],
        "personal_norm": ["altruistic", "selfish"],
        "punishment": ["punishers"],
        "reflection": ["keep"],
        "strategy": ["strategy"],
        "striker": ["bold"],
    }
