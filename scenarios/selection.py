"""Who survives a generation, and who becomes whose parent: selection on fitness, (R, N).

    truncation     the top share survives; parents are drawn from it, all equally likely
    proportional   the best few survive (the elite); a parent is drawn in proportion to its fitness
                   above the lowest
    tournament     the elite survives; a parent is the best of k drawn at random
    fermi          everybody compares itself with one neighbour on the graph `advise` and becomes
                   its child with chance 1 / (1 + exp(-s (f_model - f_own)))
    moran          one parent, drawn with weight exp(s f), has one child, who takes the place of one
                   drawn at random; with s = 0 a neutral mutant takes over with chance 1 / N
    none           everybody survives
Ties are broken by addressed chance. With overlapping generations the survivors live on; else all
are replaced by children. Who has died in the generation neither survives nor has children.
Source: Traulsen and Hauert 2009, in Reviews of Nonlinear Dynamics and Complexity 2; Moran 1958,
Math. Proc. Camb. Phil. Soc. 54; truncation: Vallinder and Hughes 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from society.draws import Array, Draws
from society.graph import NOBODY, Rows
from society.table import Table

Rule = Literal["truncation", "proportional", "tournament", "fermi", "moran", "none"]


class Heirs(NamedTuple):
    """survives: (R, N) of bool. parents: (R, N), the seat of each newborn's parent, or NOBODY."""

    survives: Array
    parents: Array


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
        draws = table.draws("generations")
        known = np.where(alive & ~np.isnan(fitness), fitness, -np.inf)
        if self.rule == "none":
            return Heirs(alive, np.full(alive.shape, NOBODY))
        if self.rule == "fermi":
            return self._imitated(known, alive, table)
        best = _ranked(known, alive, draws.uniform("tie"))
        if self.rule == "moran":
            return self._replaced(known, alive, best, table)
        kept = round(self.share * alive.shape[1]) if self.rule == "truncation" else self.elite
        survives = _top(best, kept) & alive
        parents = self._parents(known, alive, survives, best, draws)
        if not self.overlapping:
            survives = np.zeros_like(survives)
        return Heirs(survives, np.where(survives | ~alive.any(1, keepdims=True), NOBODY, parents))

    def _parents(
        self, known: Array, alive: Array, survives: Array, best: Array, draws: Draws
    ) -> Array:
        """A parent for every seat, (R, N)."""
        if self.rule == "truncation":
            count = np.maximum(survives.sum(1, keepdims=True), 1)
            return np.take_along_axis(best, draws.integers("parent", count), 1)
        if self.rule == "tournament":
            count = np.maximum(alive.sum(1, keepdims=True), 1)
            drawn = [draws.integers(f"entrant {k}", count) for k in range(self.entrants)]
            # Those who are alive stand first in `best`, so that a smaller place is a better one.
            return np.take_along_axis(best, np.minimum.reduce(drawn), 1)
        finite = np.isfinite(known)
        lowest = np.where(finite, known, np.inf).min(1, keepdims=True)
        with np.errstate(invalid="ignore"):
            above = np.where(finite, known - lowest, 0.0)
        return _lottery(above, alive, best, draws.uniform("parent"))

    def _imitated(self, known: Array, alive: Array, table: Table) -> Heirs:
        draws, node = table.draws("generations"), np.arange(alive.size)
        rows = Rows(*np.divmod(node, alive.shape[1]), node)
        drawn = table.graph("advise").drawn(draws.uniform("model").reshape(-1), rows, alive)
        model = drawn.reshape(alive.shape)
        seat = np.where(model == NOBODY, 0, model)
        with np.errstate(invalid="ignore"):  # of two who have no fitness neither is ahead
            ahead = np.nan_to_num(np.take_along_axis(known, seat, 1) - known, nan=0.0)
            # The logistic function as a hyperbolic tangent, which cannot overflow.
            chance = 0.5 * (1 + np.tanh(0.5 * self.strength * ahead))
        copies = ((draws.uniform("copy") < chance) | ~alive) & (model != NOBODY)
        return Heirs(alive & ~copies, np.where(copies, model, NOBODY))

    def _replaced(self, known: Array, alive: Array, best: Array, table: Table) -> Heirs:
        draws, some = table.draws("generations", per="replicate"), alive.any(1, keepdims=True)
        top = np.where(some & np.isfinite(known), known, -np.inf).max(1, keepdims=True)
        with np.errstate(invalid="ignore"):
            ahead = np.where(np.isfinite(known), known - top, -np.inf)
            weight = np.nan_to_num(np.exp(self.strength * ahead)) if self.strength else alive * 1.0
        parent = _lottery(weight, alive, best, draws.uniform("parent"))
        place = _lottery(alive * 1.0, alive, best, draws.uniform("place"))
        dies = (~alive | (np.arange(alive.shape[1]) == place)) & some
        return Heirs(alive & ~dies, np.where(dies, parent, NOBODY))


def _ranked(known: Array, alive: Array, tie: Array) -> Array:
    """Seats by falling fitness, those alive before the others, (R, N)."""
    return np.lexsort((tie, -known, ~alive), axis=1)


def _top(best: Array, count: int) -> Array:
    """Who is among the first in each row, (R, N) of bool."""
    chosen = np.zeros(best.shape, bool)
    np.put_along_axis(chosen, best[:, :count], True, 1)
    return chosen


def _lottery(weight: Array, alive: Array, best: Array, uniform: Array) -> Array:
    """A seat for each number in [0, 1), (R, K), with chances as the weights, (R, N).

    best: seats by rank, so that it does not matter who sits where. Where all weights are 0, all who
    are alive are equally likely.
    """
    weight = np.where(weight.sum(1, keepdims=True) > 0, weight, alive * 1.0)
    total = np.cumsum(np.take_along_axis(weight, best, 1), axis=1)
    row = np.arange(len(weight))[:, None]
    # Complex numbers are ordered by their real parts first: one search serves all replicates.
    place = np.searchsorted(
        (row + 1j * total).reshape(-1), row + 1j * uniform * total[:, -1:], "right"
    )
    place = np.clip(place - row * weight.shape[1], 0, weight.shape[1] - 1)
    return np.take_along_axis(best, place, 1)
