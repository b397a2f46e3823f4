"""Components may ask models when a life begins: before the script starts, or at a birth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.components.language.llm_policy import LanguagePolicy, ShownFacts, ask_model
from society.engine.action_spaces import Legal, Text
from society.engine.calls import Request
from society.engine.component import Agent, AgentGroup, Column, Component
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.script import Inherit, Script, Tell
from society.errors import CastError

if TYPE_CHECKING:
    from tests.components.conftest import Talking


class Name(Component):
    """Asks a model for a name."""

    columns = (Column("called", object, public=True),)

    async def begin(self, agents: AgentGroup) -> None:
        agents["called"] = await agents.each(self.name)

    async def name(self, agent: Agent) -> str:
        answer = await ask_model(
            agent.inquiry("name", Text()), agent, "default", ShownFacts({}, Legal())
        )
        return str(answer)


class Initial(Component):
    """The first letter of the name."""

    columns = (Column("initial", object, public=True),)

    def begin(self, agents: AgentGroup) -> None:
        agents["initial"] = [name[:1] for name in agents["called"]]


def silence(env: Environment) -> Script:
    for _ in env.rounds():
        yield Tell("passed")


def birth(env: Environment) -> Script:
    for _ in env.rounds():
        newborn = np.array([[False, True, False]])
        yield Inherit("bred", np.array([[NOBODY, 0, NOBODY]]), (), newborn=newborn)


def says(request: Request) -> str:
    address = request.address
    return f"{'ABC'[address.agent]}{address.use}"


def test_the_next_component_reads_what_a_model_has_said(talk: Talking) -> None:
    over = talk(silence, Name(), Initial(), LanguagePolicy(), says=says).over
    assert over.column("called") == ["A0", "B0", "C0"]
    assert over.column("initial") == ["A", "B", "C"]


def test_calls_at_the_beginning_have_an_address_of_their_own(talk: Talking) -> None:
    asked = talk(silence, Name(), LanguagePolicy(), says=says).requests
    assert [request.address for request in asked] == [
        ("name", "begin", 0, 0, agent, 0) for agent in range(3)
    ]
    assert {(request.address.kind, request.round) for request in asked} == {("begin", 0)}


def test_whoever_is_born_begins_as_well(talk: Talking) -> None:
    held = talk(birth, Name(), Initial(), LanguagePolicy(), says=says, rounds=2)
    assert held.over.column("called") == ["A0", "B2", "C0"]
    assert [request.address[2:5] for request in held.requests[3:]] == [(1, 0, 1), (2, 0, 1)]
    assert [request.round for request in held.requests[3:]] == [1, 2]


def test_a_column_that_a_model_is_still_filling_is_not_read(talk: Talking) -> None:
    with pytest.raises(CastError, match="put name before it"):
        talk(silence, Initial(), Name(), LanguagePolicy(), says=says)


def test_who_has_a_component_is_known_by_seat(talk: Talking) -> None:
    env = talk(silence, Name(), LanguagePolicy(), says=says).over.game.env
    assert env.seats_with("name", {}).tolist() == [[True] * 3]
    assert env.seats_with("initial", {}).tolist() == [[False] * 3]
