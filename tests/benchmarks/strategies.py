"""How fast strategies written as code evolve: checked programs in batches against a plain engine.

The plain engine calls each strategy in its own Python, unchecked, with numpy arrays as histories:
one object per player, one call per decision. Both play the same strategies; the plain engine plays
every tenth generation of the first evolution. Rates are decisions per CPU second in one process,
those of the pool wall seconds, and ratios are taken within one run of this file. The strategies of
the counts interface all behave differently; those of the full interface may behave alike. How often
strategies see what they have seen before is printed beside what was counted for published ones.
"""

from __future__ import annotations

import enum
import random
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from society.engine.rng import generator
from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.behaviour import behaviour_batch, behaviour_features, opponents_source
from society.sandbox.matches.match_batch import MatchBatch, play_batch
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.stage_games import GameName, StageGame, stage_game
from society.sandbox.workers.program_pool import ProgramPool
from tests.benchmarks.strategy_corpus import HEADER, Kind, deal_plans, strategies, write_strategy
from tests.sandbox.slow_runner import load_programs

STRATEGIES, POPULATION, GENERATIONS, GAMES = 3072, 512, 200, 4
MODELS, ATTITUDES = 8, 2
ELITE, MUTATION = 64, 0.1
TRIES = 30
IN_A_FILE = 512
FEWER_GENERATIONS = 20  # of groups and histories that are slow
# Decisions on histories that published strategies had not met before: 3,072 of them, n = 4.
SAMPLED_GENERATIONS, PUBLISHED_UNMET = (0, 10, 40), "72%, 50%, 24%"
SAMPLED = 10  # the plain engine plays each tenth generation

Seats = NDArray[np.int64]
Play = Callable[[StageGame, Seats, int], NDArray[Any]]


# The plain engine.


class Action(enum.Enum):
    C = 1
    D = 0


@dataclass(frozen=True, slots=True)
class PlayerHistory:
    round_number: int
    my_actions: NDArray[np.bool_]
    my_payoffs: NDArray[np.float64]
    opponent_cooperators: NDArray[np.int64] | None = None
    opponent_actions: NDArray[np.bool_] | None = None
    opponent_payoffs: NDArray[np.float64] | None = None


@dataclass(frozen=True, slots=True)
class GameState:
    round_number: int
    current_stock: float | None


@dataclass(frozen=True, slots=True)
class Description:
    n_players: int
    n_rounds: int
    k: float | None
    m: int | None
    capacity: float | None


class BaseStrategy:
    def __init__(self, game_description: Description) -> None:
        pass


def plain_classes(sources: Sequence[str]) -> list[type[Any]]:
    """Define strategies in plain Python."""
    names = dict.fromkeys(
        ("PublicGoodsDescription", "CollectiveRiskDescription", "CommonPoolDescription"),
        Description,
    )
    own = {one.__name__: one for one in (Action, BaseStrategy, PlayerHistory)}
    given = {"np": np, "random": random, "C": Action.C, "D": Action.D, **names, **own}
    classes = []
    for source in sources:
        namespace: dict[str, Any] = {"__name__": "plain", **given}
        exec(source, namespace)
        classes.append(next(one for name, one in namespace.items() if name.startswith("Strategy_")))
    return classes


class PlainEngine:
    """Plays one game after another, one call after another."""

    def __init__(self, sources: Sequence[str], *, full: bool) -> None:
        self.classes = plain_classes(sources)
        self.full = full

    def play(self, game: StageGame, seats: Seats, seed: int) -> NDArray[Any]:
        """Play games; returns who cooperated, (G, n, rounds)."""
        random.seed(seed)
        return np.stack([self._game(game, one) for one in seats.tolist()])

    def _game(self, game: StageGame, seats: Sequence[int]) -> NDArray[Any]:
        described = Description(
            game.players, game.rounds, game.factor, game.threshold, game.capacity
        )
        players = [self.classes[one](described) for one in seats]
        actions = np.zeros((game.players, game.rounds), bool)
        payoffs = np.zeros((game.players, game.rounds))
        counts = np.zeros((game.players, game.rounds), np.int64)
        others = [[j for j in range(game.players) if j != i] for i in range(game.players)]
        stock = game.first_stock
        for number in range(game.rounds):
            moves = []
            for seat, player in enumerate(players):
                if self.full:
                    history = None
                    if number:
                        history = PlayerHistory(
                            number,
                            actions[seat, :number],
                            payoffs[seat, :number],
                            None,
                            actions[others[seat], :number].T,
                            payoffs[others[seat], :number].T,
                        )
                    move = player(GameState(number, stock), history)
                else:
                    history = PlayerHistory(
                        number,
                        actions[seat, :number],
                        payoffs[seat, :number],
                        counts[seat, :number],
                    )
                    move = player(history) if stock is None else player(history, stock)
                if not isinstance(move, Action):
                    raise TypeError(f"{player} returned {move!r}")
                moves.append(move is Action.C)
            cooperates = np.array(moves)
            actions[:, number] = cooperates
            counts[:, number] = cooperates.sum() - cooperates
            payoffs[:, number] = game.paid(cooperates, stock)
            stock = None if stock is None else float(game.next_stock(cooperates, stock))
        return actions


# Ours.


def load(sources: Sequence[str]) -> list[LoadedProgram]:
    """Check strategies, as files of a usual size."""
    files = [sources[start : start + IN_A_FILE] for start in range(0, len(sources), IN_A_FILE)]
    return [one for file in files for one in load_programs("\n\n".join([HEADER, *file]))]


def distinct_strategies(count: int, kind: Kind) -> list[str]:
    """Write strategies until no two behave alike, each made of what its plan says.

    One that behaves like another gets one special rule more for a history that seldom comes.
    Raises RuntimeError when some are still alike after all tries.
    """
    luck = random.Random(f"distinct {kind}")
    plans = deal_plans(count, kind.interface, luck)
    sources, known, alike = [""] * count, set[bytes](), list(range(count))
    for attempt in range(TRIES):
        for place in alike:
            own = random.Random(f"{kind} {place}")
            sources[place] = write_strategy(kind, plans[place], place, own, attempt)
        written, alike = alike, []
        behaviours = _behaviours([sources[place] for place in written], kind)
        for place, behaviour in zip(written, behaviours, strict=True):
            if behaviour in known:
                alike.append(place)
            known.add(behaviour)
        if not alike:
            return sources
    raise RuntimeError(f"{len(alike)} of {count} strategies still behave like others")


def _behaviours(sources: Sequence[str], kind: Kind) -> Iterator[bytes]:
    programs = load(sources)
    everyone = [*programs, *load_programs(opponents_source())]
    game = stage_game(kind.game, 4, 5)
    seeds, tables = np.arange(816, dtype=np.uint64)[None], AutomatonTables()
    for index in range(len(programs)):
        batch = behaviour_batch(game, index, len(programs), seeds)
        result = play_batch(everyone, batch, tables, lambda _: None)
        yield behaviour_features(result.actions).tobytes()


def unmet_histories(batches: Batches, generations: Sequence[int]) -> list[float]:
    """Share of decisions that need a call if nothing but whole histories is looked up.

    A strategy that draws is called each time. For each of these generations of an evolution.
    """
    draws = np.array([program.random for program in batches.programs])
    known, shares = set[tuple[int, bytes]](), []

    def play(game: StageGame, seats: Seats, seed: int) -> NDArray[Any]:
        actions = batches.play(game, seats, seed)
        others = (actions.sum(1, keepdims=True) - actions).astype(np.uint8)
        before = len(known)
        for index, row in zip(seats.ravel().tolist(), others.reshape(-1, game.rounds), strict=True):
            if not draws[index]:
                path = row.tobytes()
                known.update((index, path[:number]) for number in range(game.rounds))
        drawn = draws[seats].mean()
        shares.append(float((len(known) - before) / others.size + drawn))
        return actions

    evolve(play, stage_game(batches.game, 4), max(generations) + 1, 1)
    return [shares[one] for one in generations]


def draw_seeds(seats: Seats, seed: int) -> NDArray[np.uint64]:
    """Draw the seed of each seat."""
    return generator(seed, "benchmark seats").integers(0, 2**63, seats.shape, np.uint64)


class Batches:
    """Plays all games of a generation in one batch, and remembers what programs do."""

    def __init__(self, programs: Sequence[LoadedProgram], game: GameName = "public_goods") -> None:
        self.programs, self.tables, self.calls = programs, AutomatonTables(), 0
        self.game = game

    def _mark(self, _: int) -> None:
        self.calls += 1

    def play(self, game: StageGame, seats: Seats, seed: int) -> NDArray[Any]:
        """Play games; returns who cooperated, (G, n, rounds)."""
        batch = MatchBatch(game, seats, draw_seeds(seats, seed))
        return play_batch(self.programs, batch, self.tables, self._mark).actions


# Cultural evolution: genes are sets of strategies, models by attitudes.


def evolve(
    play: Play, game: StageGame, generations: int, seed: int, keep: list[Seats] | None = None
) -> None:
    """Evolve a population; `keep` collects the seats of each tenth generation."""
    luck = generator(seed, "benchmark evolution")
    genes = MODELS * ATTITUDES
    gene = luck.permutation(np.resize(np.arange(genes), POPULATION))
    strategy = _draw(gene, luck)
    for generation in range(generations):
        order = np.stack([luck.permutation(POPULATION) for _ in range(GAMES)])
        seats = strategy[order].reshape(-1, game.players)
        if keep is not None and generation % SAMPLED == 0:
            keep.append(seats)
        actions = play(game, seats, seed * generations + generation)
        fitness = np.zeros(POPULATION)
        np.add.at(fitness, order.reshape(-1, game.players), _totals(game, actions))
        best = np.argsort(-fitness, kind="stable")[:ELITE]
        parents = luck.choice(POPULATION, POPULATION - ELITE, p=fitness / fitness.sum())
        born = _mutated(gene[parents], luck)
        gene, strategy = (
            np.concatenate([gene[best], born]),
            np.concatenate([strategy[best], _draw(born, luck)]),
        )


def _draw(gene: Seats, luck: np.random.Generator) -> Seats:
    """A strategy of each gene."""
    genes = MODELS * ATTITUDES
    return gene + genes * luck.integers(0, STRATEGIES // genes, len(gene))


def _mutated(gene: Seats, luck: np.random.Generator) -> Seats:
    """With a small chance another model, or the other attitude."""
    mutates, model = luck.random(len(gene)) < MUTATION, luck.random(len(gene)) < 0.5
    moved = (gene + ATTITUDES * luck.integers(1, MODELS, len(gene))) % (MODELS * ATTITUDES)
    return np.where(mutates, np.where(model, moved, gene ^ 1), gene)


def _totals(game: StageGame, actions: NDArray[Any]) -> NDArray[Any]:
    rounds, stock = np.moveaxis(actions, -1, 0), game.first_stock
    stocks = None if stock is None else np.full(len(actions), stock)
    total = np.zeros(actions.shape[:-1])
    for cooperates in rounds:
        total += game.paid(cooperates, stocks)
        stocks = game.next_stock(cooperates, stocks)
    return total


class Rates(NamedTuple):
    """Decisions per CPU second.

    first: of a first evolution. second: of another one over the same set. again: of the second one
    once more. plain: of the plain engine. calls: share of decisions that called a program, in the
    first three.
    """

    first: float
    second: float
    again: float
    plain: float
    calls: tuple[float, float, float]

    def __str__(self) -> str:
        rates = {"first": self.first, "second": self.second, "the second again": self.again}
        ours = (
            f"{name} {rate:,.0f}/s {rate / self.plain:.2f} x ({calls:.1%} called)"
            for (name, rate), calls in zip(rates.items(), self.calls, strict=True)
        )
        return f"{', '.join(ours)}; plain {self.plain:,.0f}/s, {1e6 / self.plain:.1f} us a call"


class LoadedCorpus:
    """A corpus, checked; its strategies behave differently if it is asked."""

    def __init__(self, kind: Kind, *, distinct: bool) -> None:
        self.kind = kind
        write = distinct_strategies if distinct else strategies
        self.sources = list(write(STRATEGIES, kind))
        start = time.process_time()
        self.programs = load(self.sources)
        self.checking = time.process_time() - start

    def measure(self, players: int, generations: int) -> Rates:
        """Evolve in batches, and play samples of the first evolution in the plain engine."""
        game = stage_game(self.kind.game, players)
        keep: list[Seats] = []
        batches = Batches(self.programs)
        times, calls = [], []
        for seed, kept in ((1, keep), (2, None), (2, None)):
            before = batches.calls
            evolution = partial(evolve, batches.play, game, generations, seed, kept)
            times.append(_seconds(evolution))
            calls.append(batches.calls - before)
        plain = PlainEngine(self.sources, full=self.kind.interface == "full")
        slow = _seconds(lambda: _play_plainly(plain, game, keep))
        decisions = generations * GAMES * POPULATION * game.rounds
        return Rates(
            decisions / times[0],
            decisions / times[1],
            decisions / times[2],
            sum(seats.size for seats in keep) * game.rounds / slow,
            (calls[0] / decisions, calls[1] / decisions, calls[2] / decisions),
        )

    def time_pool(self) -> tuple[float, float]:
        """Wall seconds until two jailed workers have played a first game, and of an evolution."""
        game = stage_game(self.kind.game, 4)
        start = time.perf_counter()
        with ProgramPool(workers=2) as pool:
            pool.load(self.programs)
            seats = np.arange(4)[None]
            pool.play(MatchBatch(game, seats, seats.astype(np.uint64)))
            started = time.perf_counter()

            def play(game: StageGame, seats: Seats, seed: int) -> NDArray[Any]:
                return pool.play(MatchBatch(game, seats, draw_seeds(seats, seed))).actions

            evolve(play, game, GENERATIONS, 1)
        return started - start, time.perf_counter() - started


def _play_plainly(plain: PlainEngine, game: StageGame, keep: Sequence[Seats]) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        for seats in keep:
            plain.play(game, seats, 1)


def _seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    """Print rates and ratios for small and large groups, and both published interfaces."""
    counts = LoadedCorpus(Kind("counts", "public_goods"), distinct=True)
    print(f"checked and compiled: {1000 * counts.checking / STRATEGIES:.2f} ms a class", flush=True)
    unmet = unmet_histories(Batches(counts.programs), SAMPLED_GENERATIONS)
    print(
        f"histories not met before in generations {SAMPLED_GENERATIONS}: "
        + ", ".join(f"{one:.0%}" for one in unmet)
        + f"; published strategies: {PUBLISHED_UNMET}",
        flush=True,
    )
    print(f"counts n =  4  {counts.measure(4, GENERATIONS)}", flush=True)
    print(f"counts n = 64  {counts.measure(64, FEWER_GENERATIONS)}", flush=True)
    cold, evolution = counts.time_pool()
    print(f"pool of two workers: first game after {cold:.1f} s, 200 generations {evolution:.1f} s")
    full = LoadedCorpus(Kind("full", "public_goods"), distinct=False)
    print(f"full   n =  4  {full.measure(4, FEWER_GENERATIONS)}", flush=True)


if __name__ == "__main__":
    main()
