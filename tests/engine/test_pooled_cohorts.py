"""Cohorts of which only the beginning differs are asked in one pass, and nothing else changes."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from society.components.games.classic_strategies import ClassicStrategies
from society.config.build import build
from society.config.run_config import Setting, load_config
from society.engine import population
from society.engine.component import AgentGroup, Component, Question
from society.engine.population import Cohort
from society.runs.fork import Changes, fork
from society.runs.play import play
from society.runs.runfile import open_run_file


def players(name: str, count: int, **given: Any) -> dict[str, Any]:
    return {"name": name, "count": count, "components": [{"classic_strategies": given}]}


def fishers(name: str, count: int, low: float, high: float) -> dict[str, Any]:
    parts: list[Any] = [{"harvest": {"efforts": [[low, high]] * 3}}, "norm_belief", "punishment"]
    return {
        "name": name,
        "count": count,
        "components": ["persona", *parts, "voting", "social_learning"],
    }


ROBIN: Mapping[str, Any] = {
    "cohorts": [
        players("patient", 1, strategy="tit_for_tat"),
        players("mild", 1, strategy="generous_tit_for_tat", generosity=0.7),
        players("stern", 1, strategy="generous_tit_for_tat", generosity=0.1),
    ],
    "mechanisms": ["tournament"],
    "rounds": 8,
}
VILLAGE: Mapping[str, Any] = {
    "cohorts": [fishers("eager", 4, 0.7, 1.0), fishers("idle", 3, 0.0, 0.2)],
    "rounds": 6,
    "replicates": 2,
    "parameters": {"ends_on": "horizon"},
}
LINES = {"generations": {"fitness": "wealth", "fold": "last", "count": 3, "selection": "moran"}}
BORN: Mapping[str, Any] = {**VILLAGE, "mechanisms": [LINES]}


def digest(scenario: str, given: Mapping[str, Any]) -> str:
    return build(load_config(scenario, given)).gamemaster().play().digest


@pytest.mark.parametrize(
    ("scenario", "given"),
    [("prisoners_dilemma", ROBIN), ("fishing_village", VILLAGE), ("fishing_village", BORN)],
    ids=["a round robin", "a village", "a village of several generations"],
)
def test_the_history_is_that_of_cohorts_which_are_asked_one_by_one(
    scenario: str, given: Mapping[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    together = digest(scenario, given)
    monkeypatch.setattr(population, "_live_alike", lambda one, other: False)
    assert digest(scenario, given) == together


def test_types_of_one_component_are_answered_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    passes, answer = Counter[int](), ClassicStrategies.answer

    def counted(self: ClassicStrategies, ask: Question, agents: AgentGroup) -> Any:
        passes[len(agents)] += 1
        return answer(self, ask, agents)

    monkeypatch.setattr(ClassicStrategies, "answer", counted)
    digest("prisoners_dilemma", ROBIN)
    assert passes == {18: 8}  # 9 matches of 2, in each of 8 rounds


def test_each_cohort_begins_with_its_own_parameters() -> None:
    game = build(load_config("fishing_village", VILLAGE)).gamemaster()
    asyncio.run(game.answerer.begin())
    assert isinstance(game.answerer, population.Population)
    (pooled,) = game.answerer.states
    effort = game.answerer.public()["effort"]
    assert (effort[:, :4] >= 0.7).all()
    assert (effort[:, 4:] <= 0.2).all()
    assert pooled.name == "eager and 1 more"
    assert pooled.components[-1].title() == "social_learning"
    assert [len(one.rows.node) for one in pooled.cohorts] == [8, 6]


def test_a_fork_changes_one_of_the_cohorts_alone(tmp_path: Path) -> None:
    """Who has defected for three rounds cooperates from the fourth on; the others stay."""
    lines = [players("first", 2, strategy="always_defect"), players("second", 1, strategy="grim")]
    given = {"cohorts": lines, "parameters": {"players": 3}, "rounds": 6}
    play(build(load_config("public_goods", given)), tmp_path / "a.run")
    kinder = Setting("cohorts.first.parameters.strategy", "always_cooperate", "here")
    fork(tmp_path / "a.run", 3, Changes(settings=[kinder]), tmp_path / "b.run")
    with open_run_file(tmp_path / "b.run") as run:
        told = [step for page in run.pages() for step in page.steps if step.kind == "played"]
    actions = [step.arrays["own", "action"][0].tolist() for step in told]
    assert actions[:3] == [[1, 1, 0], [1, 1, 1], [1, 1, 1]]
    assert actions[3:] == [[0, 0, 1]] * 3


@dataclass(frozen=True)
class PublicMood(Component):
    """Gives what its whole cohort can pay: its size."""

    answers: ClassVar = ("give",)

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        return np.full(len(agents), float(len(agents)))


@dataclass
class CountingGiver(Component):
    """Gives as often as it was asked, which it keeps on `self`."""

    times: list[int] = field(default_factory=list)
    answers: ClassVar = ("give",)

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        self.times.append(1)
        return np.full(len(agents), float(len(self.times)))


class Quarrelsome:
    """Something that cannot be compared."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("never compare me")

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class SomeGiver(Component):
    """Gives one, whatever its field is."""

    what: Any
    answers: ClassVar = ("give",)
    at_birth: ClassVar = ()

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        return np.ones(len(agents))


class Heir(SomeGiver):
    """A subclass, which does not give the word of the author of its base."""


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        (PublicMood(), PublicMood(), False),
        (CountingGiver(), CountingGiver(), False),
        (Heir(1), Heir(1), False),
        (SomeGiver(1), SomeGiver(1), True),
        (SomeGiver(1), SomeGiver(1.0), False),
        (SomeGiver((1, "a")), SomeGiver(("1", "a")), False),
        (SomeGiver(np.arange(3)), SomeGiver(np.arange(3)), True),
        (SomeGiver(np.arange(3)), SomeGiver(np.arange(3.0)), False),
        (SomeGiver([np.arange(2)]), SomeGiver([np.arange(2)]), True),
        (SomeGiver({"a": 1}), SomeGiver({"a": 2}), False),
        (SomeGiver(Quarrelsome()), SomeGiver(Quarrelsome()), False),
    ],
    ids=[
        "the size of the cohort", "state on self", "a subclass that does not say so", "equal",
        "whole and not", "number and text", "arrays", "arrays of other kinds",
        "arrays in lists", "unlike tables", "no comparison",
    ],
)  # fmt: skip
def test_cohorts_are_joined_on_their_authors_word_and_if_all_parameters_are_the_same(
    one: Component, other: Component, joined: bool
) -> None:
    game = build(load_config("public_goods", {"parameters": {"players": 4}})).gamemaster()
    cast = [Cohort("one", 2, (one,)), Cohort("other", 2, (other,))]
    seated = population.Population(cast, game.env)
    asyncio.run(seated.begin())
    assert [len(state.cohorts) for state in seated.states] == ([2] if joined else [1, 1])


def test_a_fork_takes_components_with_equal_arrays_for_the_same() -> None:
    game = build(load_config("public_goods", {"parameters": {"players": 4}})).gamemaster()
    old, new = SomeGiver(np.arange(3)), SomeGiver(np.arange(3))
    seated = population.Population([Cohort("one", 4, (old,))], game.env)
    asyncio.run(seated.begin())
    asyncio.run(seated.recast([Cohort("one", 4, (new,))], None))
    assert seated.states[0].components[0] is old
