"""How fast classic strategies play: our engine, and one object per player.

Two tournaments of the repeated prisoner's dilemma:

    batch        9 strategies in any mixture, 40,000 matches of 200 moves; measured and hashed in
                 every round
    round robin  60 strategies, each a cohort, against all, themselves included, on both seats:
                 3,600 matches of 200 moves

The objects play the same model as plainly as can be, some matches of the first and of the second:
mixed strategies are submitted, and drawn from; payoff, cooperation and efficiency are kept of each
round. Figures are CPU seconds of one core, and moves in each of them; the programs take turns, and
the best of several turns counts, so that ratios hold on a busy machine.
Round robins of a known library (Axelrod) make about 88,000 moves a second on such a machine.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Any

from society.components.games.classic_strategies import STRATEGIES, StrategyName
from society.config.build import build
from society.config.run_config import load_config
from society.runs.runfile import Writer, manifest_of
from society.runs.session import keep_freed_memory

TURNS = 5
LENGTH, MATCHES, TYPES, KNOWN = 200, 40_000, 60, 88_000
PAYOFF = {(0, 0): (2, 2), (0, 1): (0, 3), (1, 0): (3, 0), (1, 1): (1, 1)}
CLASSIC: tuple[StrategyName, ...] = tuple(
    strategy
    for strategy in STRATEGIES
    if strategy not in ("standing", "own_standing", "best_response", "fictitious_play")
)


def engine(given: Mapping[str, Any], *, kept: bool = True) -> int:
    """Repeated prisoner's dilemmas in our engine; in a run file at level summary if kept."""
    setup = build(load_config("prisoners_dilemma", {"rounds": LENGTH, **given}))
    with TemporaryDirectory() as folder:
        if kept:
            with Writer(Path(folder) / "moves.run", manifest_of(setup, "summary")) as writer:
                setup.gamemaster([writer], outside=setup.outside(writer.call_store)).play()
        else:
            setup.gamemaster().play()
    return setup.replicates * setup.agents * LENGTH


def cohort(name: str, count: int, strategy: str | tuple[StrategyName, ...], **more: Any) -> Any:
    parts = [{"classic_strategies": {"strategy": strategy, **more}}]
    return {"name": name, "count": count, "components": parts}


BATCH = {"replicates": MATCHES, "cohorts": [cohort("players", 2, CLASSIC)]}
ROUND_ROBIN = {
    "cohorts": [
        cohort(f"type {place}", 1, CLASSIC[place % len(CLASSIC)], generosity=place / TYPES)
        for place in range(TYPES)
    ],
    "mechanisms": ["tournament"],
}


class Player:
    """One object per player."""

    def __init__(self, strategy: StrategyName, generosity: float = 1 / 3) -> None:
        self.strategy, self.generosity = strategy, generosity
        self.own: list[int] = []
        self.other: list[int] = []

    def mix(self) -> list[float]:
        """The mixed strategy that it submits."""
        chance = self.chance()
        return [chance, 1 - chance]

    def chance(self) -> float:
        """The chance to cooperate, which is 0."""
        strategy, other = self.strategy, self.other
        last = other[-1] if other else 0
        if strategy == "always_cooperate":
            return 1.0
        if strategy == "always_defect":
            return 0.0
        if strategy == "tit_for_tat":
            return 1.0 - last
        if strategy == "suspicious_tit_for_tat":
            return 1.0 - last if other else 0.0
        if strategy == "generous_tit_for_tat":
            return self.generosity if last else 1.0
        if strategy == "tit_for_two_tats":
            return 0.0 if other[-2:] == [1, 1] else 1.0
        if strategy == "grim":
            return 0.0 if 1 in other or 1 in self.own else 1.0
        if strategy == "win_stay_lose_shift":
            return 1.0 if not other or self.own[-1] == last else 0.0
        return 0.5

    def learn(self, own: int, other: int) -> None:
        self.own.append(own)
        self.other.append(other)


def drawn(mix: Sequence[float]) -> int:
    """An action."""
    luck = random.random()
    for action, chance in enumerate(mix):
        luck -= chance
        if luck < 0:
            return action
    return len(mix) - 1


def match(one: Player, other: Player) -> tuple[float, float, float]:
    """Payoff, cooperation and efficiency, means over rounds."""
    history = []
    for _ in range(LENGTH):
        actions = drawn(one.mix()), drawn(other.mix())
        points = PAYOFF[actions]
        one.learn(actions[0], actions[1])
        other.learn(actions[1], actions[0])
        payoff = (points[0] + points[1]) / 2
        history.append((payoff, actions.count(0) / 2, (payoff - 1) / (2 - 1)))
    payoffs, cooperation, efficiency = zip(*history, strict=True)
    return fmean(payoffs), fmean(cooperation), fmean(efficiency)


def batch_objects(matches: int = 400) -> int:
    """Some matches of the batch."""
    for _ in range(matches):
        match(Player(random.choice(CLASSIC)), Player(random.choice(CLASSIC)))
    return matches * 2 * LENGTH


def round_robin_objects(types: int = 20) -> int:
    """Some matches of the round robin."""
    played = [(CLASSIC[place % len(CLASSIC)], place / types) for place in range(types)]
    for one, other in product(played, played):
        match(Player(*one), Player(*other))
    return types**2 * 2 * LENGTH


def in_turns(plays: Mapping[str, Callable[[], int]]) -> float:
    """The best time and rate of each, printed beside that of the last; gives that of the first."""
    best: dict[str, tuple[float, float]] = {}
    for _ in range(TURNS):
        for name, play in plays.items():
            start = time.process_time()
            done = play()
            seconds = time.process_time() - start
            best[name] = max(best.get(name, (0.0, 0.0)), (done / seconds, seconds))
    last = list(best.values())[-1][0]
    for name, (rate, seconds) in best.items():
        print(f"{name:36} {seconds:6.2f} s {rate / 1e6:7.3f} M/s {rate / last:6.1f} x")
    return next(iter(best.values()))[0]


def main() -> None:
    keep_freed_memory()  # as sessions of the program do
    print("batch: moves per CPU second")
    in_turns(
        {
            "engine, run file at level summary": partial(engine, BATCH),
            "engine, no run file": partial(engine, BATCH, kept=False),
            "one object per player, 400 matches": batch_objects,
        }
    )
    print("round robin of 60 strategies:")
    rate = in_turns(
        {
            "engine, run file at level summary": partial(engine, ROUND_ROBIN),
            "one object per player, 20 strategies": round_robin_objects,
        }
    )
    print(f"that is {rate / KNOWN:.1f} times {KNOWN:,} moves a second")


if __name__ == "__main__":
    main()
