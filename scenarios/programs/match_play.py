"""Matches of programs, for all replicates of a generation at once, inside the jailed workers.

What a program may do is the same for each replicate, whatever the others are: a program that is
disqualified in one of them goes on in the others. Replicates whose disqualified programs are the
same are played as one batch; if a program then ends its worker, they are played one by one.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import numpy as np

from society.components.programs.program_host import chosen_confinement
from society.engine.environment import Environment
from society.engine.rng import Array
from society.errors import ProgramWarning
from society.sandbox.matches.match_batch import BatchResult, MatchBatch, Trouble
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.stage_games import StageGame
from society.sandbox.workers.program_pool import ProgramPool

_WORD = 2**32


class PlayedMatches(NamedTuple):
    """The moves of some matches in each replicate, and the failures.

    actions: who cooperated, (R, G, n, T) of bool; nobody in replicates that were not played.
    errors: calls that gave no move, (R, G, n).
    """

    actions: Array
    errors: Array


@dataclass
class MatchHall:
    """Programs that meet in matches, in R replicates.

    out: the programs that are disqualified for the rest of the run, (R, P) of bool. silent: nothing
    is played, and nobody cooperates. open_source: whether programs see each other's sources.
    """

    programs: tuple[LoadedProgram, ...]
    names: Sequence[str]
    replicates: int
    silent: bool = False
    open_source: bool = False
    out: Array = field(init=False)

    def __post_init__(self) -> None:
        self.out = np.zeros((self.replicates, len(self.programs)), bool)

    def play(self, game: StageGame, seats: Array, seeds: Array, running: Array) -> PlayedMatches:
        """Play matches of programs, by their numbers, (R, G, n), where replicates are running.

        seeds: of the programs' own chance, (R, G, n) of uint64. running: (R,) of bool.
        """
        actions = np.zeros((*seats.shape, game.rounds), bool)
        errors = np.zeros(seats.shape, np.int64)
        after = self.out.copy()
        running = running & (not self.silent)
        for which in self._alike(np.flatnonzero(running)):
            for some, result in self._played(game, seats, seeds, which):
                games = seats.shape[1]
                actions[some] = result.actions.reshape(len(some), *actions.shape[1:])
                for one in result.troubles:
                    place = some[one.game // games]
                    errors[place, one.game % games, one.seat] += 1
                    if one.kind != "error":
                        self._disqualify(after, place, one)
        self.out = after
        return PlayedMatches(actions, errors)

    def _alike(self, running: Array) -> Iterable[Array]:
        """Group replicates by the programs that are disqualified in them."""
        groups: dict[bytes, list[int]] = {}
        for replicate in running.tolist():
            groups.setdefault(self.out[replicate].tobytes(), []).append(replicate)
        return map(np.array, groups.values())

    def _played(
        self, game: StageGame, seats: Array, seeds: Array, which: Array
    ) -> Iterator[tuple[Array, BatchResult]]:
        """Play some replicates, in one batch if possible, and yield their results."""
        out = frozenset(np.flatnonzero(self.out[which[0]]).tolist())
        shape = -1, seats.shape[2]
        batch = MatchBatch(
            game, seats[which].reshape(shape), seeds[which].reshape(shape), out, self.open_source
        )
        result = play_batches(self.programs, batch)
        if len(which) == 1 or all(one.kind != "jail" for one in result.troubles):
            yield which, result
            return
        for one in which:
            alone = MatchBatch(game, seats[one], seeds[one], out, self.open_source)
            yield np.array([one]), play_batches(self.programs, alone)

    def _disqualify(self, after: Array, replicate: int, trouble: Trouble) -> None:
        """Let a program play its fallback from the next matches on; say so once."""
        if not after[:, trouble.program].any():
            line = "" if trouble.line is None else f" (line {trouble.line} of its text)"
            warnings.warn(
                f"{self.names[trouble.program]} is disqualified, and plays its fallback for the "
                f"rest of the run: {trouble.sentence}{line}",
                ProgramWarning,
                stacklevel=2,
            )
        after[replicate, trouble.program] = True


def play_batches(programs: tuple[LoadedProgram, ...], batch: MatchBatch) -> BatchResult:
    """Play a batch in the workers of this process."""
    return _workers_of(os.getpid()).play(programs, batch)


class _Workers:
    """A pool of workers, told of the programs when they are others than before."""

    def __init__(self) -> None:
        self._pool = ProgramPool(confinement=chosen_confinement())
        self._loaded: tuple[LoadedProgram, ...] = ()

    def play(self, programs: tuple[LoadedProgram, ...], batch: MatchBatch) -> BatchResult:
        if programs is not self._loaded:
            self._pool.load(programs)
            self._loaded = programs
        return self._pool.play(batch)


@cache
def _workers_of(process: int) -> _Workers:
    return _Workers()


def program_seeds(env: Environment, owner: str, channel: str) -> Array:
    """Draw 64 bits for each agent, (R, N) of uint64."""
    draws = env.draws(owner)
    high, low = (draws.integers(channel, _WORD).astype(np.uint64) for _ in range(2))
    seeds: Array = high * np.uint64(_WORD) + low
    return seeds


def random_order(env: Environment, owner: str, channel: str) -> Array:
    """The seats of each replicate in an order by chance, (R, N), whoever sits where."""
    return np.argsort(env.draws(owner).uniform(channel), axis=1, kind="stable")


class MatchPayoffs(NamedTuple):
    """Payoffs of matches, summed over their rounds, and how often each player cooperated."""

    points: Array
    cooperated: Array


def match_payoffs(game: StageGame, actions: Array, lengths: Array | None = None) -> MatchPayoffs:
    """Points and cooperation in matches, (..., n, T) of bool -> (..., n) each.

    lengths: of each match, (...), of which only the first rounds count; None: all of them do.
    """
    points: Array = np.zeros(actions.shape[:-1])
    counted: Array = np.zeros(actions.shape[:-1], np.int64)
    stock = None if game.first_stock is None else np.full(actions.shape[:-2], game.first_stock)
    for number in range(game.rounds):
        cooperates = actions[..., number]
        counts = lengths is None or (number < lengths)[..., None]
        points += np.where(counts, game.paid(cooperates, stock), 0)
        counted += cooperates & counts
        stock = game.next_stock(cooperates, stock)
    return MatchPayoffs(points, counted)


def efficiency_of(game: StageGame, points: Array, lengths: Array) -> Array:
    """Efficiency of the mean points of some matches, by the bounds of as many rounds.

    points: summed over rounds, (R, G); lengths: (R, G).
    """
    rounds = np.unique(lengths).tolist()
    placed = np.full(points.shape, np.nan)
    for one in rounds:
        here = lengths == one
        placed[here] = game.over(int(one)).efficiency(points[here] / one)
    return placed


class GroupResults(NamedTuple):
    """Results of the games of some groupings, for each agent in each of them, (R, N, G).

    group: the number of one's group. failures: calls of one's program that gave no move.
    """

    group: Array
    points: Array
    cooperated: Array
    failures: Array


def play_groups(
    env: Environment,
    hall: MatchHall,
    game: StageGame,
    program: Array,
    owner: str,
    lengths: Array | None = None,
) -> GroupResults:
    """Cut all agents into groups by chance, which play one game each, and do so several times.

    program: of each agent, (R, N). owner: the chance_id of who draws. lengths: of the games of each
    grouping, (R, G), of which only the first rounds count; None: one grouping, and all rounds do.
    """
    groupings = 1 if lengths is None else lengths.shape[1]
    orders = [random_order(env, owner, f"group {k}") for k in range(groupings)]
    seeds = [program_seeds(env, owner, f"seed {k}") for k in range(groupings)]
    seated = np.stack([np.take_along_axis(program, order, 1) for order in orders], axis=1)
    dealt = [np.take_along_axis(*pair, axis=1) for pair in zip(seeds, orders, strict=True)]
    groups = (env.replicates, groupings, env.agents // game.players, game.players)
    seats = (env.replicates, -1, game.players)
    running = env.running[:, 0]
    played = hall.play(game, seated.reshape(seats), np.stack(dealt, 1).reshape(seats), running)
    actions = played.actions.reshape(*groups, game.rounds)
    paid = match_payoffs(game, actions, None if lengths is None else lengths[:, :, None])
    number = np.broadcast_to(np.arange(groups[2])[:, None], groups)
    listed = (number, paid.points, paid.cooperated, played.errors.reshape(groups))
    return GroupResults(*(_by_agent(values, orders) for values in listed))


def _by_agent(values: Array, orders: Sequence[Array]) -> Array:
    """Give agents, (R, N, G), what is listed group by group in G orders of seats, (R, G, ...)."""
    spread = np.empty((*orders[0].shape, len(orders)), values.dtype)
    for k, order in enumerate(orders):
        np.put_along_axis(spread[:, :, k], order, values[:, k].reshape(order.shape), 1)
    return spread
