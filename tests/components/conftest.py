"""Agents of a single faculty, and the columns and answers that they come to."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from society.engine.action_spaces import ActionSpace
from society.engine.agents import OptionOrder, RunContext
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.component import Component
from society.engine.environment import Environment, complete_graphs
from society.engine.game_master import GameMaster
from society.engine.gateway import ModelGateway
from society.engine.population import Cohort, Population
from society.engine.rng import Array
from society.engine.scenario import Params, Scenario
from society.engine.script import Ask, Fact, Inherit, Script
from society.llm.prompt_files import Prompts

if TYPE_CHECKING:
    from tests.conftest import Play, Played, Recorded

Answer = Callable[..., Array]
Column = Callable[..., Array]


class Talk(NamedTuple):
    """A game with a model that has been played, and what the model was asked, in order of ids."""

    over: Played
    requests: list[Request]

    @property
    def prompts(self) -> list[str]:
        return [message.content for request in self.requests for message in request.messages]

    @property
    def ledger(self) -> dict[str, Any]:
        """Calls, repairs, cut and fallbacks, by kind of line."""
        return {
            entry.kind: (entry.calls, entry.repairs, entry.cut, entry.fallbacks)
            for entry in self.over.outcome.ledger
        }


Talking = Callable[..., Talk]
Says = Callable[[Request], str | Completion]


class Scripted:
    """A model that says what it is told to say, and keeps what it was asked."""

    patience = 0.0

    def __init__(self, says: Says) -> None:
        self.says, self.requests = says, list[Request]()

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        self.requests.append(request)
        said = self.says(request)
        return said if isinstance(said, Completion) else Completion(said, cost=0.0)

    async def close(self) -> None: ...


def _recited(says: str | Sequence[str | Completion]) -> Says:
    """The same words each time, or one after the other."""
    left = itertools.repeat(says) if isinstance(says, str) else iter(says)
    return lambda request: next(left)


@pytest.fixture(scope="session")
def talk(recorded: Recorded) -> Talking:
    """`talk(script, *components, says=...)` plays in the parlour with the scripted model."""

    def talked(
        script: Callable[[Environment], Script],
        *parts: Component,
        says: Says | Sequence[str | Completion] | str = "",
        agents: int = 3,
        rounds: int = 1,
        folders: Sequence[Path] = (),
        option_order: OptionOrder = "fixed",
    ) -> Talk:
        minds, ids = Scripted(says if callable(says) else _recited(says)), np.arange(agents)
        env = Environment(
            Params(),
            seed=1,
            ids=ids,
            replicate_ids=np.arange(1),
            horizon=rounds,
            graphs=complete_graphs(("all",), 1, ids),
        )
        world = RunContext(
            env, ModelGateway(lambda: minds), Prompts("parlour", folders), option_order
        )
        population = Population([Cohort("everybody", agents, parts)], world)
        parlour = Scenario("parlour", script, cast=lambda p, n: [], relations=("all",))
        return Talk(recorded(GameMaster(parlour, env, population)), minds.requests)

    return talked


class Staked(Params):
    """Parameters that donors by rule look at when they put things into words."""

    stake: str = "share"


@pytest.fixture(scope="session")
def answer(play: Play) -> Answer:
    """`answer(kind, reply, *components, agents=..., facts=...)` to one question, (R, N)."""

    def asked(
        kind: str,
        reply: ActionSpace,
        *parts: Component,
        facts: dict[str, Fact] | None = None,
        stake: str = "share",
        **at: Any,
    ) -> Array:
        def script(env: Environment) -> Script:
            yield Ask(kind, reply, facts or {})

        parlour = Scenario(
            "parlour", script, params=Staked, cast=lambda p, n: [], relations=("all",)
        )
        answers: Array = play(parlour, *parts, params={"stake": stake}, **at).answers(kind)[0]
        return answers

    return asked


@pytest.fixture(scope="session")
def column(play: Play) -> Column:
    """`column(name, *components)` as it begins; with `parents`, after one imitation; (R, N)."""

    def kept(name: str, *parts: Component, parents: Any = None, **at: Any) -> Array:
        def script(env: Environment) -> Script:
            if parents is not None:
                yield Inherit("imitated", parents, (name,))

        values: Array = play(script, *parts, **at).pages[-1].public[name]
        return values

    return kept
