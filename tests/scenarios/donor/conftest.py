"""Donors who do as they are told, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Choice, Fields, MixedStrategy
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.component import AgentGroup, Component, Question
from society.engine.graph import NOBODY, Graph, from_networkx
from society.engine.rng import Array
from society.scenarios.donor.donor_game import donor_game

if TYPE_CHECKING:
    from society.engine.game_master import Outcome
    from society.engine.history import Page
    from tests.conftest import Play, Played, Recorded

Rule = Callable[[Question, AgentGroup], Any]


class Puppet(Component):
    """Says what it was told to: a value, one for each seat, or a rule.

    What it does is a number for each kind of question. Of `donate` and `suppose` it is the share of
    what it owns that it gives or, if it is negative, spends on punishing; under a fixed stake its
    sign counts. Gossip is whom it calls bad. If it is told nothing, it accepts, and writes nothing.
    """

    answers = ("donate", "suppose", "accept", "review", "gossip")

    def __init__(self, said: Mapping[str, Any]) -> None:
        self.said = {"suppose": said["donate"], "accept": True, "review": "", **said}

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        said = self.said[ask.kind]
        if callable(said):
            said = said(ask, agents)
        elif np.ndim(said):
            said = np.asarray(said)[agents.audience.rows.seat]
        if ask.kind in ("donate", "suppose"):
            return deed(ask, np.broadcast_to(said, len(agents)))
        if ask.kind == "accept":
            return np.broadcast_to(said, len(agents)) * 1
        return {"about": said, "verdict": "bad"} if ask.kind == "gossip" else said


def deed(ask: Question, share: Array) -> Any:
    """A share of what one owns, in the form that is asked for; negative: on punishing.

    As a chance, if that is asked for.
    """
    if isinstance(ask.reply, MixedStrategy):
        gives, punishes = np.maximum(share, 0), np.maximum(-share, 0)
        chances = [1 - gives - punishes, gives, punishes]
        return np.stack(chances[: ask.reply.width], axis=-1)
    if isinstance(ask.reply, Choice):
        return np.where(share > 0, 1, np.where(share < 0, 2, 0))
    units = np.abs(share) * ask.facts["resources"]
    if isinstance(ask.reply, Fields):
        return {"deed": np.where(share < 0, "punish", "donate"), "amount": units}
    return units


class Donors(NamedTuple):
    """A donor game that is over."""

    over: Played

    @property
    def outcome(self) -> Outcome:
        return self.over.outcome

    @property
    def pages(self) -> list[Page]:
        """Rounds, without what came before the first."""
        return [page for page in self.over.pages if page.path]

    def told(self, name: str) -> list[Array]:
        """A fact of `donated` in every round, (R, N) each."""
        return self._some("donated", name)

    def asked(self, name: str) -> list[Array]:
        """A fact of `donate` in every round, (R, N) or (R, N, K) each."""
        return self._some("donate", name)

    def facts(self, kind: str, name: str) -> list[Array]:
        """A fact of every line of a kind."""
        return [
            values
            for step in self.over.steps
            if step.kind == kind
            for (role, fact), values in step.arrays.items()
            if fact == name and role not in ("answer", "high")
        ]

    def _some(self, kind: str, name: str) -> list[Array]:
        found = self.facts(kind, name)
        assert found, f"no {name} in {kind}, so that a loop over it would check nothing"
        return found

    def mean(self, measure: str) -> float:
        value = self.outcome.measures[measure].mean
        assert value is not None
        return value

    def gifts(self) -> list[list[tuple[int, int]]]:
        """List the pairs of donor and recipient in every round of replicate 0."""
        rounds = zip(self.told("partner"), self.told("donor"), strict=True)
        return [
            [(int(seat), int(partner[0, seat])) for seat in np.flatnonzero(donor[0])]
            for partner, donor in rounds
        ]


class Model:
    """Answers every prompt as it is told to, and keeps what it was asked."""

    patience = 0.0

    def __init__(self, says: Callable[[Request], str]) -> None:
        self.says, self.requests = says, list[Request]()

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        self.requests.append(request)
        return Completion(self.says(request), cost=0.0, prompt_tokens=1, completion_tokens=1)

    async def close(self) -> None: ...


class Spoken(NamedTuple):
    """A game of language minds that is over, and what they were asked."""

    donors: Donors
    requests: list[Request]

    def ledger(self, kind: str) -> tuple[int, int, int]:
        """Calls, repairs and fallbacks of one kind of question."""
        (entry,) = [entry for entry in self.donors.outcome.ledger if entry.kind == kind]
        return entry.calls, entry.repairs, entry.fallbacks


Speaking = Callable[..., Spoken]
Game = Callable[..., Donors]
Net = Callable[..., Graph]


@pytest.fixture(scope="session")
def donors(play: Play) -> Game:
    """`donors(agents=12, rounds=12, donate=1, ..., punishment=True, ...)` plays puppets.

    Others are components beside them; `whispers` is what they answer to `gossip`.
    """

    def played(
        *others: Component, agents: int = 12, rounds: int = 12, at: Any = None, **given: Any
    ) -> Donors:
        kinds = ("donate", "suppose", "accept", "review")
        said = {"donate": 1.0, "gossip": given.pop("whispers", NOBODY)}
        said |= {kind: given.pop(kind) for kind in kinds if kind in given}
        parts = (Puppet(said), *others)
        over = play(donor_game, *parts, params=given, agents=agents, rounds=rounds, **at or {})
        return Donors(over)

    return played


@pytest.fixture(scope="session")
def net() -> Net:
    """`net(graph, replicates=1)`: a graph of networkx over seats 0, 1, 2, ..."""

    def woven(graph: nx.Graph[int], replicates: int = 1) -> Graph:
        return from_networkx([graph] * replicates, np.arange(len(graph)))

    return woven


@pytest.fixture(scope="session")
def speaking(recorded: Recorded) -> Speaking:
    """`speaking(lambda request: "5", agents=2, rounds=1, ...)` plays language minds."""

    def spoke(
        says: Callable[[Request], str], *, agents: int = 2, rounds: int = 1, **params: Any
    ) -> Spoken:
        model, parameters = Model(says), {"games": 1, "minds": "language", **params}
        sizes = {"agents": agents, "rounds": rounds}
        setup = build(load_config("donor_game", {**sizes, "parameters": parameters}))
        return Spoken(Donors(recorded(setup.gamemaster(minds=model))), model.requests)

    return spoke
