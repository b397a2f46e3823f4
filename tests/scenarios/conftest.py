"""Games to look at: of puppets that move as they were told, and prompts as somebody gets them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import MixedStrategy
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.component import AgentGroup, Column, Component, News, Question
from society.engine.rng import Array
from society.engine.scenario import Scenario

if TYPE_CHECKING:
    from tests.conftest import Play, Played, Recorded


class Puppet(Component):
    """Takes the actions of a plan, (N, T), one after the other."""

    answers = ("move",)
    notices = ("played",)
    columns = (Column("turn", int),)

    def __init__(self, plan: Sequence[Sequence[int]]) -> None:
        self.plan = np.array(plan)

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        assert isinstance(ask.reply, MixedStrategy)
        taken = self.plan[agents.audience.rows.seat, agents["turn"]]
        # Who is not asked has more actions than there are here.
        return np.eye(ask.reply.width)[np.minimum(taken, ask.reply.width - 1)]

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["turn"] = (agents["turn"] + 1) % self.plan.shape[1]


class Model:
    """Takes the action with the number that its plan for this agent and game names."""

    patience = 0.0

    def __init__(self, plan: Sequence[str]) -> None:
        self.plan, self.requests = plan, list[Request]()

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        self.requests.append(request)
        plan = self.plan[request.address.agent]
        assert request.question is not None
        assert isinstance(request.question.reply, MixedStrategy)
        taken = int(plan[request.address.use % len(plan)])
        labels = request.question.reply.actions
        said = {label: 100 * (number == taken) for number, label in enumerate(labels)}
        return Completion(json.dumps(said), cost=0.0, prompt_tokens=1, completion_tokens=1)

    async def close(self) -> None: ...


Puppets = Callable[..., "Played"]
Shown = Callable[["Played", str], list[Array]]
Prompted = Callable[..., list[str]]


@pytest.fixture(scope="session")
def puppets(play: Play) -> Puppets:
    """`puppets(scenario, ["01", "11"], ...)` plays these actions, a string for each agent."""

    def danced(scenario: Scenario, plan: Sequence[str], **given: Any) -> Played:
        actions = [[int(action) for action in one] for one in plan]
        over: Played = play(scenario, Puppet(actions), **{"agents": len(plan), **given})
        return over

    return danced


@pytest.fixture(scope="session")
def shown() -> Shown:
    """`shown(over, "past_own")`: the fact at each move, in the games in which it is shown."""

    def facts(over: Played, name: str) -> list[Array]:
        moves = [step for step in over.steps if (step.sort, step.kind) == ("ask", "move")]
        return [
            values
            for step in moves
            for (role, fact), values in step.arrays.items()
            if fact == name and role in ("common", "own")
        ]

    return facts


@pytest.fixture(scope="session")
def prompted(recorded: Recorded) -> Prompted:
    """`prompted("trust", ["01", "11"], agent=1, mechanisms=[...])`: its prompts, game by game."""

    def rendered(scenario: str, plan: Sequence[str], agent: int = 0, **changes: Any) -> list[str]:
        usual = {} if "cohorts" in changes else {"minds": "language", "thinking": False}
        minds = {**usual, **changes.pop("parameters", {})}
        setup = build(load_config(scenario, {"agents": len(plan), "parameters": minds, **changes}))
        model = Model(plan)
        recorded(setup.gamemaster(minds=model))
        asked = [one for one in model.requests if one.address.agent == agent]
        asked.sort(key=lambda one: one.address)
        return ["\n\n".join(part.content for part in one.messages) for one in asked]

    return rendered
