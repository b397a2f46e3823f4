"""A reef, a component for it, a mechanism, a graph, an embedder, a model and a perturbation."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from society import Ask, Cohort, Component, Environment, FactSpec, Measure, Params, Real, Script

from society import Perturbation, Tell, common, mechanism, scenario, seen  # isort: skip


class Reef(Params):
    """Parameters of the reef."""

    fish: float = 90.0


class HalfCatch(Component):
    """Lands half of what it may."""

    answers = ("land",)

    def answer(self, ask: Any, agents: Any) -> Any:
        """Half of the greatest catch."""
        return ask.reply.high / 2


class Persona(Component):
    """Has a name that society has, too."""


def divers(params: Reef, count: int) -> list[Cohort]:
    """Divers of one kind."""
    return [Cohort("diver", count, (HalfCatch(),))]


LEFT = Measure("left", "fish, last round", lambda told, env: told["fish"], fold="last")
FACTS = {"fish": FactSpec("Fish at the reef", unit="fish"), "landed": FactSpec("Fish landed")}


@scenario(
    params=Reef, cast=divers, measures=(LEFT,), relations=("see",), facts=FACTS, agents=3, rounds=2
)
def reef(env: Environment) -> Script:
    """Divers share the fish of a reef."""
    fish = np.full((env.replicates, 1), env.params.fish)
    for _ in env.rounds():
        landed = yield Ask("land", Real(0, fish / env.agents), {"fish": common(fish)}, fallback=0)
        fish = fish - landed.sum(1, keepdims=True)
        yield Tell("landed", {"landed": seen("see", landed), "fish": common(fish)})


@mechanism
class Levy:
    """Everybody pays a flat levy each round."""

    amount: float = 1.0

    def on_payoff(self, tell: Any, payoff: Any) -> Any:
        """The same amount from everybody."""
        return np.full_like(payoff, -self.amount)


levy = Levy


def star(agents: int, *, centre: int = 0) -> nx.Graph[int]:
    """One agent sees everybody, everybody sees that one."""
    net: nx.Graph[int] = nx.Graph()
    net.add_nodes_from(range(agents))
    net.add_edges_from((centre, other) for other in range(agents) if other != centre)
    return net


class Letters:
    """An embedder that counts letters."""

    name, size = "letters", 26

    def embed(self, texts: Any) -> Any:
        """Counts of a to z, of length 1."""
        codes = [[text.lower().count(chr(97 + place)) for place in range(26)] for text in texts]
        counts = np.array(codes, dtype=np.float32).reshape(-1, 26)
        return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1)


def letters() -> Letters:
    """Counts of letters."""
    return Letters()


def frugal() -> Any:
    """A mind that lands three fish."""
    return lambda asked: 3


tides = Perturbation(
    "tides", "the tide is told first", reword=lambda words, known: f"The tide is low.\n{words}"
)
