"""Actors in games under mechanisms: to each kind of question they say what they were told to."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.agent import ANYTHING, Component, Members, Question
from society.calls import Going, Request, Said
from society.cancellation import CancellationToken
from society.replies import Form, Mix
from society.scenario import Scenario, wrapped
from society.scenario_file import load
from society.spec import prepared

if TYPE_CHECKING:
    from tests.conftest import Play, Played

Layers = Sequence[tuple[Any, Mapping[str, Any]]]
Actors = Callable[..., "Played"]


class Actor(Component):
    """By kind of question: an answer for each seat, or a function (question, rows) that gives it.

    An action is its index; a form has one answer for each of its fields, in order.
    """

    answers = ANYTHING

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.said = said

    def answer(self, ask: Question, me: Members) -> Any:
        said, rows = self.said[ask.kind], me.audience.rows
        mine = said(ask, rows) if callable(said) else np.array(said)[rows.seat]
        if isinstance(ask.reply, Form):
            return {name: mine[:, number] for number, name in enumerate(ask.reply.fields)}
        if isinstance(ask.reply, Mix) and mine.ndim == 1:
            return np.eye(ask.reply.width)[np.minimum(mine, ask.reply.width - 1)]
        return mine


@pytest.fixture(scope="session")
def actors(play: Play) -> Actors:
    """`actors(game, (fined, {...}), agents=2, move=[0, 1], fine=[[1], [0]], at={...})` plays.

    The first mechanism is the innermost. at: as `play` takes it.
    """

    def acted(
        scenario: Scenario,
        *layers: tuple[Any, Mapping[str, Any]],
        agents: int = 2,
        at: Mapping[str, Any] | None = None,
        **said: Any,
    ) -> Played:
        for wrap, given in layers:
            scenario = wrapped(scenario, wrap, **given)
        over: Played = play(scenario, Actor(said), agents=agents, **at or {})
        return over

    return acted


@pytest.fixture(scope="session")
def actor() -> type[Actor]:
    """The component that actors are made of."""
    return Actor


class Reader:
    """A mind that keeps what it is asked, and gives the answers that it was told to, as JSON.

    said: by kind of question, for each agent.
    """

    patience = 0.0

    def __init__(self, said: Mapping[str, Sequence[Any]]) -> None:
        self.said, self.asked = said, list[tuple[str, int, str]]()

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Said:
        await going()
        kind, agent = request.address.kind, request.address.agent
        self.asked.append((kind, agent, request.messages[0].content))
        words = json.dumps({"answer": self.said[kind][agent]})
        return Said(words, cost=0.0, prompt_tokens=1, completion_tokens=1)

    async def close(self) -> None: ...


Read = Callable[..., str]


@pytest.fixture(scope="session")
def read() -> Read:
    """`read("trust", ["fined"], "fine", agent=1, move=[...], ...)`: the first such prompt."""

    def reads(
        scenario: str, mechanisms: Sequence[Any], kind: str, *, agent: int, **said: Any
    ) -> str:
        changes = {
            "mechanisms": list(mechanisms),
            "parameters": {"minds": "language", "thinking": False},
        }
        mind = Reader(said)
        prepared(load(scenario, changes)).gamemaster(minds=mind).play()
        return next(words for of, who, words in mind.asked if (of, who) == (kind, agent))

    return reads
