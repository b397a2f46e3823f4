"""Parties to contracts and mediators, who say to each kind of question what they were told to.

Actors in games under mechanisms: to each kind of question they say what they were told to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Choice, Fields, MixedStrategy
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.component import ANYTHING, AgentGroup, Component, Question
from society.engine.population import Cohort
from society.engine.scenario import Scenario, wrap_scenario
from society.llm.providers.offline import Offline

if TYPE_CHECKING:
    from tests.conftest import Play, Played, Recorded


DESIGNS = ("design_contract", "design_mediator")
VOTES = ("approve_contracts", "approve_mediators")


class Party(Component):
    """Each kind of question has an answer for each seat: a label, an amount, or a design.

    A vote is the numbers of the proposals that are approved of: "13".
    """

    answers = (*DESIGNS, *VOTES, "sign_contract", "delegate", "move", "effort", "propose", "donate")

    def __init__(self, said: Mapping[str, Sequence[Any]]) -> None:
        self.said = said

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        mine = [self.said[ask.kind][seat] for seat in agents.audience.rows.seat]
        if isinstance(ask.reply, Fields):
            if ask.kind in VOTES:
                names = [name.removeprefix("proposal ") for name in ask.reply.fields]
                mine = [{f"proposal {name}": int(name in one) for name in names} for one in mine]
            return {
                name: [
                    field.options[0].tolist().index(one[name])
                    if isinstance(field, Choice) and isinstance(one[name], str)
                    else one[name]
                    for one in mine
                ]
                for name, field in ask.reply.fields.items()
            }
        if isinstance(ask.reply, MixedStrategy):
            labels = ask.reply.actions
            # Who is not asked has other actions than these.
            return np.array([[float(label == one) for label in labels] for one in mine])
        return np.array(mine)


class Listener:
    """Answers as the offline mind does, and keeps the latest prompt of each kind, by agent.

    said: JSON for some kinds of questions in place of what that would say.
    """

    patience = 0.0

    def __init__(self, said: Mapping[str, str]) -> None:
        self.said, self.prompts = said, dict[tuple[str, int], str]()
        self._mind = Offline(1)

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        assert request.question is not None
        kind = request.question.kind
        self.prompts[kind, request.address.agent] = "\n\n".join(
            part.content for part in request.messages
        )
        answer = self._mind(request)
        return answer._replace(text=self.said[kind]) if kind in self.said else answer

    async def close(self) -> None: ...


class Heard(NamedTuple):
    """A game that is over, and the latest prompt of each kind, by agent."""

    over: Played
    prompts: dict[tuple[str, int], str]


Parties = Callable[..., "Played"]
Models = Callable[..., Heard]
Worded = Callable[..., dict[tuple[str, int], str]]
Mechanisms = Sequence[tuple[Any, Mapping[str, Any]]]


@pytest.fixture(scope="session")
def parties(play: Play) -> Parties:
    """`parties(game, [(contracted, {...})], types="ab", move=["A0", "A1"], ...)` plays them all.

    The first mechanism is the innermost. types: a letter for each seat.
    """

    def met(
        scenario: Scenario,
        mechanisms: Mechanisms = (),
        *,
        types: str = "",
        at: Mapping[str, Any] | None = None,
        **said: Sequence[Any],
    ) -> Played:
        for wrap, given in mechanisms:
            scenario = wrap_scenario(scenario, wrap, **given)
        agents = len(next(iter(said.values())))
        letters = np.array(list(types or "a" * agents))
        cast = [
            Cohort(name, int((letters == name).sum()), (Party(said),), where=letters == name)
            for name in dict.fromkeys(letters.tolist())
        ]
        over: Played = play(scenario, cast=cast, agents=agents, **at or {})
        return over

    return met


@pytest.fixture(scope="session")
def models(recorded: Recorded) -> Models:
    """`models("trust", [{"mediation": {}}], {kind: text}, ...)` plays language models offline."""

    def asked(
        scenario: str, mechanisms: Sequence[Any], said: Mapping[str, str] | None = None, **more: Any
    ) -> Heard:
        listener = Listener(said or {})
        setup = build(load_config(scenario, {"mechanisms": list(mechanisms), **more}))
        return Heard(recorded(setup.gamemaster(minds=listener)), listener.prompts)

    return asked


@pytest.fixture(scope="session")
def worded(models: Models) -> Worded:
    """`worded("trust", [{"mediation": {}}], {kind: text}, ...)[kind, agent]` is a prompt."""
    return lambda *given, **more: models(*given, **more).prompts


Layers = Sequence[tuple[Any, Mapping[str, Any]]]
Actors = Callable[..., "Played"]


class Actor(Component):
    """Answers by kind of question: one for each seat, or a function (question, rows) that gives it.

    An action is its index; a form has one answer for each of its fields, in order.
    """

    answers = ANYTHING

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.said = said

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        said, rows = self.said[ask.kind], agents.audience.rows
        mine = said(ask, rows) if callable(said) else np.array(said)[rows.seat]
        if isinstance(ask.reply, Fields):
            return {name: mine[:, number] for number, name in enumerate(ask.reply.fields)}
        if isinstance(ask.reply, MixedStrategy) and mine.ndim == 1:
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
            scenario = wrap_scenario(scenario, wrap, **given)
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

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        kind, agent = request.address.kind, request.address.agent
        self.asked.append((kind, agent, "\n\n".join(part.content for part in request.messages)))
        words = json.dumps({"answer": self.said[kind][agent]})
        return Completion(words, cost=0.0, prompt_tokens=1, completion_tokens=1)

    async def close(self) -> None: ...


Read = Callable[..., str]


@pytest.fixture(scope="session")
def read() -> Read:
    """`read("trust", ["peer_punishment"], "fine", agent=1, move=[...], ...)`: the first one."""

    def reads(
        scenario: str, mechanisms: Sequence[Any], kind: str, *, agent: int, **said: Any
    ) -> str:
        changes = {
            "mechanisms": list(mechanisms),
            "parameters": {"minds": "language", "thinking": False},
        }
        mind = Reader(said)
        build(load_config(scenario, changes)).gamemaster(minds=mind).play()
        return next(words for of, who, words in mind.asked if (of, who) == (kind, agent))

    return reads
