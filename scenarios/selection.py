"""Who survives a generation, and who becomes whose parent: selection on fitness, (R, N).

    truncation     the best share of all places survives (halves round up, at least one); parents
                   are drawn from it, all equally likely
    proportional   the best few survive (the elite); a parent is drawn in proportion to its fitness
                   above the lowest, which therefore has no child unless all are equal
    tournament     the elite survives; a parent is the best of k drawn at random, with replacement
    fermi          everybody compares itself with one neighbour on the graph `advise`, all at once,
                   and becomes its child with chance 1 / (1 + exp(-s (f_model - f_own)))
    moran          one parent, drawn with weight exp(s f), has one child, who takes the place of one
                   drawn at random, maybe of its parent; with s = 0 a neutral mutant takes over with
                   chance 1 / N
    none           everybody survives
Ties are broken by addressed chance. With overlapping generations the survivors live on; else all
are replaced by children. Who has died neither survives nor has children. Its place goes to a child
as above under the first three rules and moran; under fermi and none, to a child of anybody who
lives, all equally likely.
Source: Traulsen and Hauert 2009, in Reviews of Nonlinear Dynamics and Complexity 2; Moran 1958,
Math. Proc. Camb. Phil. Soc. 54; truncation: Vallinder and Hughes 2024. What becomes of the places
of the dead is ours.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from society.draws import Array
from society.graph import NOBODY, Rows
from society.table import Table

Rule = Literal["truncation", "proportional", "tournament", "fermi", "moran", "none"]


class Heirs(NamedTuple):
    """survives: (R, N) of bool. parents: (R, N), the seat of each newborn's parent, or NOBODY."""

    survives: Array
    parents: Array


class Candidates(NamedTuple):
    """Who may survive and have children, (R, N) each.

    fitness: -inf where it is unknown, and of the dead. best: seats by falling fitness, those alive
    before the others.
    """

    alive: Array
    fitness: Array
    best: Array

    def top(self, count: int) -> Array:
        """The best of those alive, so many of each replicate, (R, N) of bool."""
        chosen = np.zeros_like(self.alive)
        np.put_along_axis(chosen, self.best[:, :count], True, 1)
        return chosen & self.alive

    def ranked(self, place: Array) -> Array:
        """The seats at these places of the ranking, counted from 0; (R, K) -> (R, K)."""
        return np.take_along_axis(self.best, place, 1)

    def lottery(self, weight: Array, uniform: Array) -> Array:
        """A seat for each number in [0, 1), (R, K), with chances as the weights, (R, N).

        Where all weights are 0, all who are alive are equally likely.
        """
        weight = np.where(weight.sum(1, keepdims=True) > 0, weight, self.alive * 1.0)
        # Counted by rank, so that it does not matter who sits where.
        total = np.cumsum(np.take_along_axis(weight, self.best, 1), axis=1)
        # The product may round up to the whole, which is beyond the last prize.
        mark = np.minimum(uniform * total[:, -1:], np.nextafter(total[:, -1:], 0))
        row = np.arange(len(weight))[:, None]
        # Complex numbers are ordered by their real parts first: one search serves all replicates.
        found = np.searchsorted((row + 1j * total).reshape(-1), row + 1j * mark, "right")
        return self.ranked(np.clip(found - row * weight.shape[1], 0, weight.shape[1] - 1))


@dataclass(frozen=True)
class Selection:
    """A rule with its parameters; see society.scenarios.generations."""

    rule: Rule
    share: float
    elite: int
    entrants: int
    strength: float
    overlapping: bool

    def __call__(self, fitness: Array, alive: Array, table: Table) -> Heirs:
        """Of those alive, (R, N); where nobody is, nobody survives and there are no parents.

        fitness: NaN counts as the lowest.
        """
        known = np.where(alive & ~np.isnan(fitness), fitness, -np.inf)
        tie = table.draws("generations").uniform("tie")
        # The last key counts first.
        run = Candidates(alive, known, np.lexsort((tie, -known, ~alive), axis=1))
        stays, parents = self._heirs(run, table)
        survives = stays if self.overlapping else np.zeros_like(stays)
        childless = survives | ~alive.any(1, keepdims=True)
        return Heirs(survives, np.where(childless, NOBODY, parents))

    def _heirs(self, run: Candidates, table: Table) -> Heirs:
        """Who may live on, and a parent for every seat that may need one."""
        draws = table.draws("generations")
        if self.rule == "none":
            return Heirs(run.alive, run.lottery(run.alive, draws.uniform("parent")))
        if self.rule == "fermi":
            return self._imitated(run, table)
        if self.rule == "moran":
            return self._replaced(run, table)
        if self.rule == "truncation":
            kept = run.top(max(math.floor(self.share * table.agents + 0.5), 1))
            count = np.maximum(kept.sum(1, keepdims=True), 1)
            return Heirs(kept, run.ranked(draws.integers("parent", count)))
        if self.rule == "proportional":
            return Heirs(run.top(self.elite), run.lottery(_above(run), draws.uniform("parent")))
        count = np.maximum(run.alive.sum(1, keepdims=True), 1)
        drawn = [draws.integers(f"entrant {k}", count) for k in range(self.entrants)]
        return Heirs(run.top(self.elite), run.ranked(np.minimum.reduce(drawn)))

    def _imitated(self, run: Candidates, table: Table) -> Heirs:
        draws, node = table.draws("generations"), np.arange(run.alive.size)
        rows = Rows(*np.divmod(node, table.agents), node)
        drawn = table.graph("advise").drawn(draws.uniform("model").reshape(-1), rows, run.alive)
        model = drawn.reshape(run.alive.shape)
        seat = np.where(model == NOBODY, 0, model)
        with np.errstate(invalid="ignore", over="ignore"):
            # Of two who have no fitness neither is ahead.
            ahead = np.nan_to_num(np.take_along_axis(run.fitness, seat, 1) - run.fitness, nan=0.0)
            # The logistic function as a hyperbolic tangent, which cannot overflow.
            chance = 0.5 * (1 + np.tanh(0.5 * self.strength * ahead))
        copies = (draws.uniform("copy") < chance) & (model != NOBODY)
        anybody = run.lottery(run.alive, draws.uniform("parent"))
        return Heirs(run.alive & ~copies, np.where(run.alive, model, anybody))

    def _replaced(self, run: Candidates, table: Table) -> Heirs:
        known = np.isfinite(run.fitness)
        top = np.where(known, run.fitness, -np.inf).max(1, keepdims=True)
        with np.errstate(invalid="ignore", over="ignore"):
            ahead = np.where(known, run.fitness - top, -np.inf)
            weight = np.exp(self.strength * ahead) if self.strength else run.alive * 1.0
        parents = run.lottery(weight, table.draws("generations").uniform("parent"))
        place = table.draws("generations", per="replicate").uniform("place")
        dies = np.arange(table.agents) == run.lottery(run.alive, place)
        return Heirs(run.alive & ~dies, parents)


def _above(run: Candidates) -> Array:
    """Fitness above the lowest one that is known, (R, N); 0 where it is unknown."""
    known = np.isfinite(run.fitness)
    lowest = np.where(known, run.fitness, np.inf).min(1, keepdims=True)
    above: Array = np.subtract(run.fitness, lowest, out=np.zeros_like(run.fitness), where=known)
    return above
