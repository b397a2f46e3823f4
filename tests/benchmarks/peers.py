"""The same models on known frameworks, where these are installed: pip install 'society[bench]'.

Mesa      the village of village.py, an agent object each, measured in every round
Axelrod   a round robin of the classic strategies of dilemmas.py
"""

from __future__ import annotations

import importlib
import math
import random
from statistics import median
from typing import Any

from society.scenarios.village.fishing_village import Village
from tests.benchmarks.dilemmas import LENGTH
from tests.benchmarks.village import AGENTS, ROUNDS, SETTINGS, QuickVillager, measured

PLAYERS = (
    "Cooperator",
    "Defector",
    "TitForTat",
    "SuspiciousTitForTat",
    "GTFT",
    "TitFor2Tats",
    "Grudger",
    "WinStayLoseShift",
    "Random",
)


def find_peer(name: str) -> Any:
    """Import a framework; None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def axelrod_round_robin(types: int = 9) -> int:
    """Play each strategy against each, itself included; returns the number of moves."""
    axelrod: Any = importlib.import_module("axelrod")
    players = [getattr(axelrod, PLAYERS[place % len(PLAYERS)])() for place in range(types)]
    tournament = axelrod.Tournament(players, turns=LENGTH, repetitions=1, seed=1)
    tournament.play(progress_bar=False)
    return types * (types + 1) // 2 * 2 * LENGTH


def mesa_village(replicates: int = 1) -> int:
    """Play some villages; returns the number of agent-rounds."""
    for replicate in range(replicates):
        village: Any = _village_of_mesa()(replicate)
        for _ in range(ROUNDS):
            village.step()
    return replicates * AGENTS * ROUNDS


def _village_of_mesa() -> Any:
    """Write the village as a model of Mesa; its classes exist only where Mesa does."""
    mesa: Any = importlib.import_module("mesa")

    class Fisher(mesa.Agent):  # type: ignore[misc]
        """One villager, which keeps what an object of ours would."""

        def __init__(self, model: Any) -> None:
            super().__init__(model)
            self.mind = QuickVillager(model.luck, model.p)

        def fish(self) -> None:
            model = self.model
            missed = 1 - self.mind.watch / max(model.count - 1, 1)
            self.mind.fish(model.stock, model.cap, model.all_miss / max(missed, 1e-9))

        def punish(self) -> None:
            self.mind.punish(self.model.minds, self.model.cap)

        def settle(self) -> None:
            mind, p = self.mind, self.model.p
            mind.wealth += mind.catch - p.consumption - p.fine * mind.fined

        def learn(self) -> None:
            self.traits = self.mind.learn(self.model.minds)

        def change(self) -> None:
            if self.traits is not None:
                self.mind.effort, self.mind.watch, self.mind.belief = self.traits

    class Lake(mesa.Model):  # type: ignore[misc]
        """The lake, and those who fish it."""

        def __init__(self, seed: int) -> None:
            super().__init__(seed=seed)
            self.luck, self.p = random.Random(seed), Village.model_validate(SETTINGS)
            for _ in range(AGENTS):
                Fisher(self)
            self.stock, self.history = self.p.capacity, list[dict[str, float]]()
            self.cap = median(one.mind.belief for one in self.agents)

        def step(self) -> None:
            self.minds = [one.mind for one in self.agents]
            self.count = len(self.minds)
            self.all_miss = math.prod(1 - one.watch / max(self.count - 1, 1) for one in self.minds)
            for deed in ("fish", "punish", "settle"):
                self.agents.do(deed)
            self.history.append(measured(self.p, self.minds, self.cap))
            left = self.stock - sum(one.catch for one in self.minds)
            self.stock = left + self.p.growth * left * (1 - left / self.p.capacity)
            for one in [one for one in self.agents if one.mind.wealth < 0]:
                one.remove()
            self.minds = [one.mind for one in self.agents]
            for deed in ("learn", "change"):
                self.agents.do(deed)
            self.cap = median(one.belief for one in self.minds)

    return Lake
