"""How fast donors by rule are: our engine, and one object per agent.

Two societies, of donors by all rules of society.components.donor.donation:

    evolved      12 agents, 12 rounds, 2 games, 10 generations; the better half lives on, traits and
                 policies mutate; our engine plays 1,000 replicates of it
    scale-free   10,000 agents who meet neighbours by chance and hear of neighbours only, 100 rounds

The objects play the same model as plainly as can be, a few replicates of the first and a few rounds
of the second, and keep nothing but mean resources and the mean share given in each round. Figures
are CPU seconds of one core, and agent-rounds in each of them; the programs take turns, and the best
of several turns counts, so that ratios hold on a busy machine.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean as mean
from tempfile import TemporaryDirectory
from typing import Any

import networkx as nx

from society.components.donor.donation import POLICIES, Donation
from society.config.build import build
from society.config.run_config import load_config
from society.runs.runfile import Writer, manifest_of
from society.scenarios.donor.pairing import round_shift

TURNS = 5
AGENTS, ROUNDS, GAMES, GENERATIONS, REPLICATES = 12, 12, 2, 10, 1_000
CROWD, LONG = 10_000, 100
ENDOWMENT, MULTIPLIER, DEPTH, DISCOUNT = 10.0, 2.0, 3, 0.5
EVOLVED: dict[str, Any] = {
    "agents": AGENTS,
    "rounds": ROUNDS,
    "replicates": REPLICATES,
    "mechanisms": [{"generations": {"count": GENERATIONS, "fitness": "final"}}],
}
SCALE_FREE: dict[str, Any] = {
    "agents": CROWD,
    "rounds": LONG,
    "graph": "scale_free",
    "parameters": {"schedule": "random", "games": 1},
}


def engine(given: Mapping[str, Any], rounds: int, *, kept: bool = True) -> int:
    """The donor game in our engine, measured and hashed every round; in a run file if kept."""
    setup = build(load_config("donor_game", given))
    with TemporaryDirectory() as folder:
        if kept:
            with Writer(Path(folder) / "donors.run", manifest_of(setup, "summary")) as writer:
                setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
        else:
            setup.gamemaster().play()
    return setup.replicates * setup.agents * rounds


@dataclass(frozen=True, eq=False)
class Deed:
    """A gift, and the one before it along the chain."""

    share: float | None
    to: Donor
    before: Deed | None


@dataclass(eq=False)
class Donor:
    """One object per agent; friends: whom it hears of, None if of everybody."""

    luck: random.Random
    friends: set[Donor] | None = None
    held: float = ENDOWMENT
    score: float = 0.0
    offered: float | None = None
    last: Deed | None = None

    def __post_init__(self) -> None:
        self.policy = self.luck.choice(POLICIES)
        self.generosity, self.threshold = self.luck.random(), self.luck.random()

    def begin(self) -> None:
        self.held, self.offered, self.last = ENDOWMENT, None, None

    def learn(self, parent: Donor) -> None:
        rule, luck = Donation(), self.luck
        self.policy = luck.choice(POLICIES) if luck.random() < rule.mutation else parent.policy
        self.generosity, self.threshold = (
            1 - abs(1 - abs(trait + luck.gauss(0, rule.noise)) % 2)
            for trait in (parent.generosity, parent.threshold)
        )

    def hears_of(self, one: Donor) -> bool:
        return self.friends is None or one is self or one in self.friends

    def known(self, actor: Donor) -> float | None:
        """The mean share on the recipient's trace, as far as one has heard of it."""
        total = weight = 0.0
        deed = actor.last
        for place in range(DEPTH):
            if deed is None or not (self.hears_of(actor) or self.hears_of(deed.to)):
                break
            if deed.share is not None:
                total, weight = total + DISCOUNT**place * deed.share, weight + DISCOUNT**place
            actor, deed = deed.to, deed.before
        return total / weight if weight else None

    def share(self, recipient: Donor) -> float:
        known = self.known(recipient)
        if self.policy == "reciprocal":
            return self.generosity if known is None else known
        if self.policy == "discriminating":
            return 0.0 if known is not None and known < self.threshold else self.generosity
        if self.policy == "forwarding":
            return self.generosity if self.offered is None else self.offered
        if self.policy == "random":
            return self.luck.random()
        return self.generosity if self.policy == "fixed" else 0.0

    def give(self, recipient: Donor) -> float | None:
        """The share that was given, None of nothing."""
        share = self.share(recipient) if self.held else None
        gift = self.held * (share or 0.0)
        self.held -= gift
        recipient.held += MULTIPLIER * gift
        recipient.offered = recipient.offered if share is None else share
        self.last = Deed(share, recipient, recipient.last)
        return share


def measured(donors: Sequence[Donor], shares: Sequence[float | None]) -> tuple[float, float]:
    """Mean resources, and the mean share that was given."""
    known = [share for share in shares if share is not None]
    return mean(one.held for one in donors), mean(known) if known else 0.0


def evolved_objects(replicates: int = 2) -> int:
    """Some replicates of the evolved society."""
    half, history = AGENTS // 2, []
    for replicate in range(replicates):
        luck = random.Random(replicate)
        donors = [Donor(luck) for _ in range(AGENTS)]
        for _ in range(GENERATIONS):
            order = luck.sample(donors, AGENTS)
            for game in range(GAMES):
                for one in donors:
                    one.begin()
                for number in range(1, ROUNDS + 1):
                    turn, first_gives = round_shift("ordered-once", number, half)
                    pairs = [(order[i], order[half + (i + turn) % half]) for i in range(half)]
                    if first_gives == (game % 2 == 1):
                        pairs = [(other, one) for one, other in pairs]
                    history.append(measured(donors, [one.give(other) for one, other in pairs]))
                for one in donors:
                    one.score += one.held
            best = sorted(donors, key=lambda one: -one.score)
            for one in best[half:]:
                one.learn(luck.choice(best[:half]))
            for one in donors:
                one.score = 0.0
    return replicates * AGENTS * ROUNDS * GAMES * GENERATIONS


def scale_free_objects(rounds: int = 10) -> int:
    """Some rounds of the scale-free society."""
    luck, history = random.Random(1), []
    donors = [Donor(luck) for _ in range(CROWD)]
    graph = nx.barabasi_albert_graph(CROWD, 2, seed=1)
    for seat, one in enumerate(donors):
        one.friends = {donors[other] for other in graph[seat]}
    for _ in range(rounds):
        free, shares = set(donors), []
        for one in luck.sample(donors, CROWD):
            met = [other for other in one.friends or () if other in free] if one in free else []
            if met:
                pair = [one, luck.choice(met)]
                free.difference_update(pair)
                luck.shuffle(pair)
                shares.append(pair[0].give(pair[1]))
        history.append(measured(donors, shares))
    return CROWD * rounds


def in_turns(plays: Mapping[str, Callable[[], int]]) -> None:
    """The best time and rate of each, printed; the last is what the others are compared with."""
    best: dict[str, tuple[float, float]] = {}
    for _ in range(TURNS):
        for name, play in plays.items():
            start = time.process_time()
            done = play()
            seconds = time.process_time() - start
            best[name] = max(best.get(name, (0.0, 0.0)), (done / seconds, seconds))
    slowest = min(rate for rate, _ in best.values())
    for name, (rate, seconds) in best.items():
        print(f"{name:42} {seconds:6.2f} s {rate / 1e6:7.3f} M/s {rate / slowest:6.1f} x")


def main() -> None:
    print("evolved: agent-rounds per CPU second")
    rounds = ROUNDS * GAMES * GENERATIONS
    in_turns(
        {
            "engine, run file at level summary": partial(engine, EVOLVED, rounds),
            "engine, no run file": partial(engine, EVOLVED, rounds, kept=False),
            "one object per agent, 2 replicates": evolved_objects,
        }
    )
    print("scale-free, the drawing of the graph included:")
    in_turns(
        {
            "engine, run file at level summary": partial(engine, SCALE_FREE, LONG),
            "engine, no run file": partial(engine, SCALE_FREE, LONG, kept=False),
            "one object per agent, 10 rounds": scale_free_objects,
        }
    )


if __name__ == "__main__":
    main()
