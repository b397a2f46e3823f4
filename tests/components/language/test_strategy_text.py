"""A strategy in words: kept, inherited, and shown to the mind that is to follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.strategy_text import Strategy
from society.engine.action_spaces import Real
from society.engine.component import AgentGroup, Column, Component
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.script import HERITABLE, Ask, Inherit, Script, Tell, own

if TYPE_CHECKING:
    from tests.components.conftest import Column as ColumnOf
    from tests.components.conftest import Talking
    from tests.conftest import Play


def devised(*sentences: str) -> Tell:
    return Tell("devised", {"strategy": own(np.array([sentences], object))})


def asking(env: Environment) -> Script:
    yield devised("Give.", "", "Never «give».")
    for kind in ("donate", "devise"):
        yield Ask(kind, Real(0, 1), fallback=0.0)


def test_what_was_devised_is_kept_and_nothing_said_changes_nothing(play: Play) -> None:
    def script(env: Environment) -> Script:
        yield devised("Give.", "", "Keep.")
        yield devised("", "", "Share.")

    over = play(script, Strategy("Wait."))
    assert over.column("strategy") == ["Give.", "Wait.", "Share."]


def test_there_is_none_to_begin_with_unless_it_is_given(column: ColumnOf) -> None:
    assert column("strategy", Strategy()).tolist() == [["", "", ""]]
    assert column("strategy", Strategy("Wait.")).tolist() == [["Wait."] * 3]


def test_a_newborn_agent_has_its_parents_strategy_until_it_devises_one(play: Play) -> None:
    def script(env: Environment) -> Script:
        yield devised("Give.", "Keep.", "Share.")
        parents, newborn = np.array([[NOBODY, 0, NOBODY]]), np.array([[False, True, True]])
        yield Inherit("born", parents, HERITABLE, newborn)

    assert play(script, Strategy("Wait.")).column("strategy") == ["Give.", "Give.", "Wait."]


def test_a_mind_reads_its_strategy_in_every_question_but_that_for_a_new_one(talk: Talking) -> None:
    prompts = talk(asking, Strategy(), LanguagePolicy(), says="0").prompts
    shown = [[line for line in prompt.splitlines() if "strategy" in line] for prompt in prompts]
    give, never = ["Your strategy: «Give.»"], ["Your strategy: «Never ‹give›.»"]
    assert shown == [give, [], never, [], [], []]


def test_a_strategy_that_has_grown_long_is_shown_whole(talk: Talking) -> None:
    long = f"My strategy will be to {'give and ' * 160}wait."

    def script(env: Environment) -> Script:
        yield devised(long)
        yield Ask("donate", Real(0, 1), fallback=0.0)

    assert 1400 < len(long) <= 1500
    assert f"«{long}»" in talk(script, Strategy(), LanguagePolicy(), says="0", agents=1).prompts[0]


class Gene(Component):
    """Names a model for each agent."""

    columns = (Column("model_gene", object, heritable=True),)

    def begin(self, agents: AgentGroup) -> None:
        agents["model_gene"] = np.array(["small", "large", ""], object)[agents.agent]


@pytest.mark.parametrize(
    ("questions", "models"),
    [({}, ["small", "large", "default"]), ({"donate": "judge"}, ["judge"] * 3)],
    ids=["each asks the model it has inherited", "unless the question has one of its own"],
)
def test_a_mind_may_be_inherited(talk: Talking, questions: Any, models: list[str]) -> None:
    def script(env: Environment) -> Script:
        yield Ask("donate", Real(0, 1), fallback=0.0)

    held = talk(script, Gene(), LanguagePolicy(questions=questions), says="0")
    assert [request.model for request in held.requests] == models
