"""Scores of types in one run of a cell, and their means over runs and games.

    Mean      average over match-ups and seats
    Fitness   payoff against the population to which replicator dynamics leads from equal shares
    DevRank   rank by deviation ratings, 1 is best; ties share the average rank

A run is one repetition of a cell, or a cell with another seed. A standard error is that of runs in
tables of one game, and that of games in tables over games. What is not finished is left out.
Source: Tewolde et al. 2026 (CoopEval), section 5 and appendix F.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

import numpy as np

from society.analysis.metagame import (
    ReplicatorOutcome,
    Rule,
    dev_ranks,
    deviation_ratings,
    lopsided_seatings,
    mean_payoffs,
    metagame_gap,
    normalise_payoffs,
    payoff_tensor,
    replicator_dynamics,
    standard_error,
)
from society.analysis.statistics.samples import NotEstimable
from society.engine.rng import Array
from society.errors import SocietyError

from .cell import GameCell

T = TypeVar("T")

METRICS = ("Mean", "Fitness", "DevRank")
MOST_SEATINGS = 1_000  # types^players; beyond, linear programs of ratings take minutes


class MeanOverRuns(NamedTuple):
    """A mean over some runs or games, its standard error, and how many have a value.

    NaN: no value; a single one has no error.
    """

    mean: Array
    error: Array
    n: Array

    @classmethod
    def of(cls, values: Array) -> MeanOverRuns:
        """Average over rows, (rows, ...); NaN are left out."""
        n = (~np.isnan(values)).sum(0)
        mean = np.nansum(values, 0) / np.where(n, n, np.nan)
        return cls(mean, standard_error(values), n)


class RunStandings:
    """Scores of the K types of a cell in one of its runs; raises NotEstimable where it is unknown.

    replicates: those of the run, (R,) of bool. rule: of deviation ratings.
    """

    def __init__(self, cell: GameCell, replicates: Array, rule: Rule = "strict") -> None:
        self.cell, self._replicates, self._rule = cell, replicates, rule

    def value(self, metric: str) -> Array:
        """Return the score of the average type, then of each, (1 + K,).

        The average of Fitness is weighted by population.
        """
        if metric == "Fitness":
            average, each = float(self.selection.average), self.selection.fitness
        else:
            each = self.mean if metric == "Mean" else self.ranks
            average = float(np.nanmean(each)) if not np.isnan(each).all() else np.nan
        return np.concatenate([[average], each])

    @cached_property
    def mean(self) -> Array:
        """The mean score of each type, in points, (K,)."""
        if self.cell.matches == 1:
            matchups = self.cell.matchups(self._replicates)
            lost = self.cell.void[self._replicates].any() and not self.cell.exchangeable
            if lost and matchups.lopsided:
                raise NotEstimable(lopsided_seatings(matchups.lopsided))
            return mean_payoffs(matchups.distinct)
        of_types = self.cell.by_type(self.cell.scores, self._replicates[:, None])
        return np.array([own.mean() if own.size else np.nan for own in of_types])

    @cached_property
    def tensor(self) -> Array:
        """The payoff of each type by its own and its co-players' types, (K, ..., K)."""
        why = metagame_gap(self.cell.matches)
        if why is not None:
            raise NotEstimable(why)
        matchups = self.cell.matchups(self._replicates)
        return payoff_tensor(matchups, exchangeable=self.cell.exchangeable)

    @cached_property
    def by_seat(self) -> Array:
        """Return the payoff of each seat by the types that sit in all of them, (n, K, ..., K)."""
        why = metagame_gap(self.cell.matches)
        if why is not None:
            raise NotEstimable(why)
        return payoff_tensor(self.cell.matchups(self._replicates), by_seat=True)

    @cached_property
    def selection(self) -> ReplicatorOutcome:
        """The outcome of replicator dynamics from equal shares."""
        return _select(self.tensor.tobytes(), self.tensor.shape)

    @cached_property
    def ranks(self) -> Array:
        """The rank of each type by deviation ratings, 1 is best, (K,)."""
        if self.tensor.size > MOST_SEATINGS:
            raise NotEstimable(
                f"{self.tensor.shape[0]} types on {self.tensor.ndim} seats: ratings of more than "
                f"{MOST_SEATINGS:,} seatings take too long for a report; see "
                "society.analysis.metagame.deviation_ratings"
            )
        try:
            return _rank(self.tensor.tobytes(), self.tensor.shape, self._rule)
        except SocietyError as error:
            raise NotEstimable(str(error)) from error


# Repetitions among rules are often alike, and sections of a page ask for the same run.
_REMEMBERED = 256


@lru_cache(_REMEMBERED)
def _select(payoffs: bytes, shape: tuple[int, ...]) -> ReplicatorOutcome:
    return replicator_dynamics(np.frombuffer(payoffs).reshape(shape))


@lru_cache(_REMEMBERED)
def _rank(payoffs: bytes, shape: tuple[int, ...], rule: Rule) -> Array:
    return dev_ranks(deviation_ratings(np.frombuffer(payoffs).reshape(shape), rule=rule))


class Contest:
    """A game under a mechanism, as often as it was played: cells that differ by seed alone."""

    def __init__(
        self, game: str, mechanism: str, cells: Sequence[GameCell], rule: Rule = "strict"
    ) -> None:
        self.game, self.mechanism, self.cells, self._rule = game, mechanism, tuple(cells), rule

    @property
    def first(self) -> GameCell:
        """The first cell of the contest; all have the same game and types."""
        return self.cells[0]

    @property
    def types(self) -> tuple[str, ...]:
        """The names of the types."""
        return self.first.names

    @property
    def finished(self) -> tuple[GameCell, ...]:
        """The cells that were played to the end: scores of others are parts of sums."""
        return tuple(cell for cell in self.cells if cell.run.status == "finished")

    @cached_property
    def standings(self) -> tuple[RunStandings, ...]:
        """The standings of each run."""
        return tuple(
            RunStandings(cell, cell.repetition == number, self._rule)
            for cell in self.finished
            for number in range(int(cell.repetition.max(initial=0)) + 1)
        )

    @cached_property
    def _pooled(self) -> tuple[RunStandings, ...]:
        """The standings of each cell, all its repetitions taken as one run."""
        return tuple(
            RunStandings(cell, np.ones(len(cell.void), bool), self._rule) for cell in self.finished
        )

    def _known(self, of: Callable[[RunStandings], T]) -> list[T]:
        """Return a score of each run that has one, or else of pooled repetitions.

        Raises NotEstimable where there is none.
        One may have lost the matches that another one has.
        """
        if not self.finished:
            raise NotEstimable(f"{self.first.run.name} is {self.first.run.status}; let it finish")
        try:
            return _known(of, self.standings)
        except NotEstimable:
            return _known(of, self._pooled)

    def summed(self, metric: str) -> MeanOverRuns:
        """Return means over runs of the average type, then of each, (1 + K,).

        Raises NotEstimable.
        Runs of which it is unknown are left out, as long as it is known of one; if it is of none,
        their repetitions count together.
        """
        return MeanOverRuns.of(self.by_run(metric))

    def by_run(self, metric: str) -> Array:
        """Return the score of the average type, then of each, in each known run, (runs, 1 + K).

        Raises NotEstimable.
        """
        return np.stack(self._known(lambda run: run.value(metric)))

    def tensors(self) -> list[Array]:
        """Return the payoffs of each run that has them, (K, ..., K) each; raises NotEstimable."""
        return self._known(lambda run: run.tensor)

    def by_seat(self) -> list[Array]:
        """Return what each seat is paid in each seating of the same runs, (n, K, ..., K) each.

        Raises NotEstimable.
        """
        return self._known(lambda run: run.by_seat)

    def selections(self) -> list[ReplicatorOutcome]:
        """Return the replicator dynamics of the same runs; raises NotEstimable."""
        return self._known(lambda run: run.selection)

    def scaled(self, metric: str) -> Array:
        """Return the mean over runs on the scale of tables over games, (1 + K,).

        Raises NotEstimable.
        Payoffs are 0 in equilibrium and 1 where all cooperate; ranks stay what they are.
        """
        mean, game = self.summed(metric).mean, self.first.game
        if metric == "DevRank":
            return mean
        if game.equilibrial is None or game.cooperative is None:
            raise NotEstimable(f"{self.game} names no cooperation with which to compare")
        low, high = np.mean(game.equilibrial), np.mean(game.cooperative)
        return normalise_payoffs(mean, float(low), float(high))


def _known(of: Callable[[RunStandings], T], runs: Sequence[RunStandings]) -> list[T]:
    """Return the scores of the runs that have one; raises NotEstimable if none has."""
    scores, why = list[T](), NotEstimable("no run")
    for run in runs:
        try:
            scores.append(of(run))
        except NotEstimable as error:
            why = error
    if not scores:
        raise why
    return scores
