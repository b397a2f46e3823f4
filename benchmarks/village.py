"""How fast the rule village is: our engine, a bare numpy kernel, and one object per agent.

All three play the same model (see scenarios/fishing_village.py): 1,000 replicates x 50 agents x
100 rounds, no early stop, all seats counted. Figures are agent-rounds per CPU second; the three
take turns, and the best of several turns counts, so that ratios hold on a busy machine.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from society.draws import Array, Draws, Places
from society.scenario_file import load
from society.scenarios.fishing_village import Village
from society.spec import prepared

REPLICATES, AGENTS, ROUNDS, TURNS = 1_000, 50, 100, 5
SETTINGS = {"capacity": 1500, "catchability": 0.01, "ends_on": "horizon"}


def engine() -> int:
    """The whole village in our engine, as at level `summary`: measures and digests every round."""
    sizes = {"replicates": REPLICATES, "agents": AGENTS, "rounds": ROUNDS}
    prepared(load("fishing_village", {"parameters": SETTINGS, **sizes})).gamemaster().play()
    return REPLICATES * AGENTS * ROUNDS


def kernel() -> int:
    """The same model as straight numpy with eleven addressed draws a round, and no engine."""
    p = Village.model_validate(SETTINGS)
    shape = (REPLICATES, AGENTS)
    seat = np.arange(AGENTS)
    row = np.arange(REPLICATES)[:, None]

    def draws(number: int) -> Draws:
        places = Places(0, REPLICATES * AGENTS)
        return Draws(1, "kernel", places, use=number, shape=shape)

    first = draws(0)
    effort, watch = first.uniform("effort"), first.uniform("watch")
    belief = first.between("belief", 2, 8)
    stock, wealth = np.full((REPLICATES, 1), p.capacity), np.full(shape, p.wealth)
    cap = np.median(belief, axis=1, keepdims=True)

    def peer(uniform: Array) -> Array:
        others = (uniform * (AGENTS - 1)).astype(int)
        return others + (others >= seat)

    for number in range(1, ROUNDS + 1):
        chance = draws(number)
        missed = 1 - watch / (AGENTS - 1)
        risk = 1 - missed.prod(1, keepdims=True) / np.maximum(missed, 1e-9)
        full = p.catchability * stock
        gain = effort * full - cap
        lawful = np.minimum(cap / np.maximum(full, 1e-9), 1)
        deterred = (gain > 0) & (gain <= p.fine * risk)
        catch = np.where(deterred, lawful, effort) * full
        victim = peer(chance.uniform("victim"))
        fines = (chance.uniform("fine") < watch) & (catch[row, victim] > cap)
        fined = np.zeros(shape, bool)
        fined[np.broadcast_to(row, shape)[fines], victim[fines]] = True
        wealth = wealth + catch - p.consumption - p.fine * fined
        left = stock - catch.sum(1, keepdims=True)
        stock = left + p.growth * left * (1 - left / p.capacity)
        model = peer(chance.uniform("model"))
        odds = 0.5 * (1 + np.tanh(0.5 * p.selection * (wealth[row, model] - wealth)))
        copies = (chance.uniform("when") < p.revision) & (chance.uniform("copy") < odds)
        for name, column, sigma, top in (
            ("effort", effort, p.effort_noise, 1.0),
            ("watch", watch, p.effort_noise, 1.0),
            ("belief", belief, p.belief_noise, np.inf),
        ):
            noise = sigma * (chance.uniform(name) + chance.uniform(name) - 1)  # two draws a normal
            column[...] = np.where(copies, np.clip(column[row, model] + noise, 0, top), column)
        cap = np.median(belief, axis=1, keepdims=True)
    return REPLICATES * AGENTS * ROUNDS


class Villager:
    """One object per agent, as a straightforward program would have it."""

    def __init__(self, luck: random.Random, p: Village) -> None:
        self.luck, self.p = luck, p
        self.effort, self.watch = luck.random(), luck.random()
        self.belief = luck.uniform(2, 8)
        self.wealth, self.catch, self.fined = p.wealth, 0.0, False

    def fish(self, stock: float, cap: float, missed: float) -> None:
        full = self.p.catchability * stock
        gain = self.effort * full - cap
        deterred = 0 < gain <= self.p.fine * (1 - missed)
        self.catch = cap if deterred else self.effort * full
        self.fined = False

    def punish(self, village: list[Villager], cap: float) -> None:
        victim = self.peer(village)
        if self.luck.random() < self.watch and victim.catch > cap:
            victim.fined = True

    def learn(self, village: list[Villager]) -> tuple[float, float, float] | None:
        model, p = self.peer(village), self.p
        odds = 0.5 * (1 + math.tanh(0.5 * p.selection * (model.wealth - self.wealth)))
        if self.luck.random() < p.revision and self.luck.random() < odds:
            return (
                min(max(model.effort + self.luck.gauss(0, p.effort_noise), 0), 1),
                min(max(model.watch + self.luck.gauss(0, p.effort_noise), 0), 1),
                max(model.belief + self.luck.gauss(0, p.belief_noise), 0),
            )
        return None

    def peer(self, village: list[Villager]) -> Villager:
        return self.luck.choice([one for one in village if one is not self] or [self])


def measured(p: Village, village: list[Villager], cap: float) -> dict[str, float]:
    """The village's measures of one round."""
    wealth = sorted(max(one.wealth, 0) for one in village)
    count, total = len(village), sum(wealth) or 1
    fair = p.growth * p.capacity / 4 / AGENTS
    return {
        "efficiency": sum(one.catch for one in village) / (p.growth * p.capacity / 4),
        "gini": sum((2 * i - count + 1) * w for i, w in enumerate(wealth)) / (count * total),
        "over_use": sum(one.catch > fair for one in village) / count,
        "compliance": sum(one.catch <= cap for one in village) / count,
        "fines": sum(one.fined for one in village) / count,
        "norm": cap,
    }


def objects(replicates: int = 2) -> int:
    """The same model with one object per agent, as clear as can be; few replicates: it is slow."""
    p = Village.model_validate(SETTINGS)
    history = []
    for replicate in range(replicates):
        luck = random.Random(replicate)
        village = [Villager(luck, p) for _ in range(AGENTS)]
        stock, cap = p.capacity, median(one.belief for one in village)
        for _ in range(ROUNDS):
            missed = [1 - one.watch / max(len(village) - 1, 1) for one in village]
            all_miss = math.prod(missed)
            for one, own in zip(village, missed, strict=True):
                one.fish(stock, cap, all_miss / max(own, 1e-9))
            for one in village:
                one.punish(village, cap)
            for one in village:
                one.wealth += one.catch - p.consumption - p.fine * one.fined
            history.append(measured(p, village, cap))
            left = stock - sum(one.catch for one in village)
            stock = left + p.growth * left * (1 - left / p.capacity)
            village = [one for one in village if one.wealth >= 0]
            if not village:
                break
            learnt = [one.learn(village) for one in village]
            for one, traits in zip(village, learnt, strict=True):
                if traits is not None:
                    one.effort, one.watch, one.belief = traits
            cap = median(one.belief for one in village)
    return replicates * AGENTS * ROUNDS


def rate(play: Callable[[], int]) -> float:
    """Agent-rounds per CPU second."""
    start = time.process_time()
    done = play()
    return done / (time.process_time() - start)


def main() -> None:
    best = dict.fromkeys(("engine", "kernel", "objects"), 0.0)
    for _ in range(TURNS):
        for play in (engine, kernel, objects):
            best[play.__name__] = max(best[play.__name__], rate(play))
    for name, value in best.items():
        print(f"{name:8} {value / 1e6:6.2f} million agent-rounds per CPU second")
    print(f"engine / kernel  {best['engine'] / best['kernel']:6.2f}")
    print(f"engine / objects {best['engine'] / best['objects']:6.1f}")


if __name__ == "__main__":
    main()
