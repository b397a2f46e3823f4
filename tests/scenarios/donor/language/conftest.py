"""Donors whose mind is a model that answers as it is told; what it was asked is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken

if TYPE_CHECKING:
    from tests.conftest import Played, Recorded

EVOLVING = {"count": 2, "fitness": "final", "phenotype": "share", "strategies": "advice"}

Says = Callable[[Request], str]


class Model:
    """Answers every question as `says` tells."""

    patience = 0.0

    def __init__(self, says: Says) -> None:
        self.says, self.requests = says, list[Request]()

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        self.requests.append(request)
        return Completion(self.says(request), cost=0.0, prompt_tokens=1, completion_tokens=1)

    async def close(self) -> None: ...


class Spoken(NamedTuple):
    """A game that has been played, and what its model was asked."""

    over: Played
    requests: list[Request]

    def prompts(self, kind: str, agent: int | None = None) -> list[str]:
        """The words of all questions of a kind, of one agent or of all, by when they were asked."""
        asked = [one for one in self.requests if one.address.kind == kind]
        asked = [one for one in asked if agent is None or one.address.agent == agent]
        return [
            "\n\n".join(part.content for part in one.messages)
            for one in sorted(asked, key=lambda one: one.address)
        ]

    def row(self, name: str, time: int = 0) -> list[Any]:
        """A fact of replicate 0, the time-th time it was told."""
        listed: list[Any] = self.over.told(name)[time][0].tolist()
        return listed


def owned(request: Request) -> float:
    """Read the wealth of the donor in its prompt."""
    found = re.search(
        r"You own ([\d.]+) unit", "\n\n".join(part.content for part in request.messages)
    )
    assert found is not None, "a donor knows what it owns"
    return float(found[1])


def sensible(request: Request) -> str:
    """Answer as a model that gives a quarter less the higher its id, and has a plan."""
    agent = request.address.agent
    plan = f"{'abcdef'[agent]}{'xyz'[request.address.use % 3]}"  # by row and generation
    usual = {
        "devise": f"My strategy will be to follow plan {plan}.",
        "accept": "accept",
        "review": f"A line by {agent}.",
        "gossip": '{"about": "nobody", "verdict": "good"}',
    }
    if request.address.kind in usual:
        return usual[request.address.kind]
    return f'{{"answer": {owned(request) * max(1 - agent / 4, 0):.6g}}}'


Speaking = Callable[..., Spoken]


@pytest.fixture(scope="session")
def speaking(recorded: Recorded) -> Speaking:
    """`speaking(says, agents=4, rounds=4, evolving={...}, medium=..., ...)` plays donors.

    says: by request, or for some kinds of questions what is said instead of something sensible.
    evolving: settings of generations beyond EVOLVING; None: none at all. at: of a scenario file.
    """

    def spoke(
        says: Says | Mapping[str, str] | None = None,
        *,
        source: str = "donor_game",
        agents: int | None = 4,
        rounds: int = 4,
        evolving: Mapping[str, Any] | None = None,
        at: Mapping[str, Any] | None = None,
        **params: Any,
    ) -> Spoken:
        changes: dict[str, Any] = {"rounds": rounds, "option_order": "fixed", **(at or {})}
        if agents is not None:
            changes["agents"] = agents
        if evolving is not None:
            changes["mechanisms"] = [{"generations": {**EVOLVING, **evolving}}]
        minds = {} if "cohorts" in changes or source != "donor_game" else {"minds": "language"}
        changes["parameters"] = {**minds, **params}
        model = Model(says if callable(says) else _saying(says or {}))
        setup = build(load_config(source, changes))
        return Spoken(recorded(setup.gamemaster(minds=model)), model.requests)

    return spoke


def _saying(said: Mapping[str, str]) -> Says:
    def says(request: Request) -> str:
        kind = request.address.kind
        return said[kind] if kind in said else sensible(request)

    return says
