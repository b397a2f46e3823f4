"""How fast the rule village is: our engine, a bare numpy kernel, and one object per agent.

All play the same model (see scenarios/village/fishing_village.py) with 50 agents for 100 rounds, no
early stop, all seats counted; the kernel leaves out deaths and measures. Engine and kernel play
1,000 replicates, the objects two. Figures are agent-rounds per CPU second of one core; the programs
take turns, and the best of several turns counts, so that ratios hold on a busy machine.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from society.config.build import build
from society.config.run_config import load_config
from society.engine.rng import Array, DrawPlaces, Draws
from society.runs.runfile import Writer, manifest_of
from society.scenarios.village.fishing_village import Village

REPLICATES, AGENTS, ROUNDS, TURNS = 1_000, 50, 100, 5
SETTINGS = {"capacity": 1500, "catchability": 0.01, "ends_on": "horizon"}


def engine(
    *, kept: bool = True, graph: str = "complete", parameters: Mapping[str, Any] | None = None
) -> int:
    """The whole village in our engine: measures and digests every round, in a run file if kept."""
    sizes = {"replicates": REPLICATES, "agents": AGENTS, "rounds": ROUNDS}
    given = {"parameters": {**SETTINGS, **(parameters or {})}, "graph": graph, **sizes}
    setup = build(load_config("fishing_village", given))
    if not kept:
        setup.gamemaster().play()
        return REPLICATES * AGENTS * ROUNDS
    with TemporaryDirectory() as folder:
        path = Path(folder) / "village.run"
        with Writer(path, manifest_of(setup, "summary")) as writer:
            setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
    return REPLICATES * AGENTS * ROUNDS


def kernel() -> int:
    """The same model as straight numpy with eleven addressed draws a round, and no engine."""
    p = Village.model_validate(SETTINGS)
    shape = (REPLICATES, AGENTS)
    seat = np.arange(AGENTS)
    row = np.arange(REPLICATES)[:, None]

    def draws(number: int) -> Draws:
        places = DrawPlaces(0, REPLICATES * AGENTS)
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
    """One object per agent, as clear as can be."""

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


class QuickVillager(Villager):
    """A villager without a list for every peer: it draws until it meets somebody else."""

    def peer(self, village: list[Villager]) -> Villager:
        one = self.luck.choice(village)
        while one is self and len(village) > 1:
            one = self.luck.choice(village)
        return one


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


def objects(villager: type[Villager], replicates: int = 2) -> int:
    """The same model with one object per agent; few replicates: it is slow."""
    p = Village.model_validate(SETTINGS)
    history = []
    for replicate in range(replicates):
        luck = random.Random(replicate)
        village = [villager(luck, p) for _ in range(AGENTS)]
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


RIVALS: dict[str, Callable[[], int]] = {
    "engine, run file at level summary": engine,
    "numpy kernel without an engine": kernel,
    "one object per agent": partial(objects, Villager),
    "one object per agent, peers by rejection": partial(objects, QuickVillager),
}
BEYOND: dict[str, Callable[[], int]] = {
    "no run file": partial(engine, kept=False),
    "a mixed population": partial(engine, parameters={"population": "mixed"}),
    "a ring": partial(engine, graph="ring"),
    "a vote by plurality": partial(engine, parameters={"vote": "plurality"}),
}


def measured_in_turns(plays: Mapping[str, Callable[[], int]]) -> dict[str, float]:
    """The best rate of each, printed."""
    best = dict.fromkeys(plays, 0.0)
    for _ in range(TURNS):
        for name, play in plays.items():
            best[name] = max(best[name], rate(play))
    for name, value in best.items():
        print(f"{name:41} {value / 1e6:5.2f} million agent-rounds per CPU second")
    return best


def main() -> None:
    ours, *others = measured_in_turns(RIVALS).items()
    for name, value in others:
        print(f"engine / {name:41} {ours[1] / value:5.2f}")
    print("settings beyond the target:")
    measured_in_turns(BEYOND)


if __name__ == "__main__":
    main()
