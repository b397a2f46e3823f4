"""Selection on fitness, (R, N): survivors of a generation, and parents of the next.

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
are replaced by children. Elders, by whose strategies newborn agents may be advised, are the best
share under truncation, whether they live on or not; else those who live on, and where nobody does,
those who have children. Who has died neither survives nor has children. Its place goes to a child
as above under the first three rules and moran; under fermi and none, to a child of anybody who
lives, all equally likely.
Source: Traulsen and Hauert 2009, in Reviews of Nonlinear Dynamics and Complexity 2; Moran 1958,
Math. Proc. Camb. Phil. Soc. 54; truncation: Vallinder and Hughes 2024. Who is an elder
where nobody lives on, and what becomes of the places of the dead, is ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from society.engine.environment import Environment
from society.engine.graph import NOBODY, AgentRows
from society.engine.rng import Array
from society.errors import ScenarioError

SelectionRule = Literal["truncation", "proportional", "tournament", "fermi", "moran", "none"]
# Parameters of generations that only some rules look at, and what they are called here.
_OF_RULES: Mapping[str, tuple[str, tuple[SelectionRule, ...]]] = {
    "survivors": ("share", ("truncation",)),
    "elite": ("elite", ("proportional", "tournament")),
    "entrants": ("entrants", ("tournament",)),
    "strength": ("strength", ("fermi", "moran")),
}

CHANCE_ID = "generations"


class SelectedParents(NamedTuple):
    """The candidates for survival, and a parent for every seat that may need one; (R, N) each."""

    stays: Array
    parents: Array


class Heirs(NamedTuple):
    """The successors of a generation, (R, N) each.

    survives, elders: of bool. parents: the seat of each newborn's parent, or NOBODY.
    """

    survives: Array
    parents: Array
    elders: Array

    @property
    def descendants(self) -> Array:
        """Count each agent's places in the next generation, its own and its children's, (R, N)."""
        return self.survives + children(self.parents)


def children(parents: Array) -> Array:
    """Count the children of each seat, (R, N)."""
    replicate, seat = np.nonzero(parents != NOBODY)
    parent = replicate * parents.shape[1] + parents[replicate, seat]
    return np.bincount(parent, minlength=parents.size).reshape(parents.shape)


class Candidates(NamedTuple):
    """The candidates for survival and parenthood, (R, N) each.

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
    """A rule with its parameters; see society.scenarios.mechanisms.generations.generations."""

    rule: SelectionRule = "truncation"
    share: float = 0.5
    elite: int = 1
    entrants: int = 2
    strength: float = 1.0
    overlapping: bool = True

    def refuse_idle(self) -> None:
        """Raise ScenarioError for parameters that make no difference under this rule."""
        if not self.overlapping and self.rule in ("fermi", "moran", "none"):
            raise ScenarioError(
                f"under selection {self.rule} it is children that replace some of the "
                "agents, so that generations overlap; leave out overlapping: false"
            )
        for name, (field, rules) in _OF_RULES.items():
            said = getattr(self, field)
            if self.rule not in rules and said != getattr(Selection, field):
                raise ScenarioError(
                    f"{name}: {said} makes no difference under selection {self.rule}; leave it "
                    f"out, or take {' or '.join(rules)}"
                )
        if self.elite > Selection.elite and not self.overlapping:
            raise ScenarioError(
                f"elite: {self.elite} makes no difference where nobody lives on; leave it out, or "
                "leave out overlapping: false"
            )

    def refuse_all_elite(self, agents: int) -> None:
        """Raise ScenarioError where so many survive that nobody is ever replaced."""
        _, rules = _OF_RULES["elite"]
        if self.rule in rules and self.overlapping and self.elite >= agents:
            raise ScenarioError(
                f"an elite of {self.elite} among {agents} agents leaves no place for a child; "
                + (f"take at most {agents - 1}" if agents > 1 else "take more agents, or elite: 0")
            )

    def __call__(self, fitness: Array, alive: Array, env: Environment) -> Heirs:
        """Select among those alive, (R, N); where nobody is, there are no survivors and no parents.

        fitness: NaN counts as the lowest.
        """
        known = np.where(alive & ~np.isnan(fitness), fitness, -np.inf)
        tie = env.draws(CHANCE_ID).uniform("tie")
        # The last key counts first.
        run = Candidates(alive, known, np.lexsort((tie, -known, ~alive), axis=1))
        stays, parents = self._chosen(run, env)
        survives = stays if self.overlapping else np.zeros_like(stays)
        childless = survives | ~alive.any(1, keepdims=True)
        parents = np.where(childless, NOBODY, parents)
        best = stays if self.rule == "truncation" else survives
        elders = np.where(best.any(1, keepdims=True), best, children(parents) > 0)
        return Heirs(survives, parents, elders)

    def _chosen(self, run: Candidates, env: Environment) -> SelectedParents:
        draws = env.draws(CHANCE_ID)
        if self.rule == "none":
            return SelectedParents(run.alive, run.lottery(run.alive, draws.uniform("parent")))
        if self.rule == "fermi":
            return self._imitated(run, env)
        if self.rule == "moran":
            return self._replaced(run, env)
        if self.rule == "truncation":
            kept = run.top(max(math.floor(self.share * env.agents + 0.5), 1))
            count = np.maximum(kept.sum(1, keepdims=True), 1)
            return SelectedParents(kept, run.ranked(draws.integers("parent", count)))
        if self.rule == "proportional":
            return SelectedParents(
                run.top(self.elite), run.lottery(_above(run), draws.uniform("parent"))
            )
        count = np.maximum(run.alive.sum(1, keepdims=True), 1)
        drawn = [draws.integers(f"entrant {k}", count) for k in range(self.entrants)]
        return SelectedParents(run.top(self.elite), run.ranked(np.minimum.reduce(drawn)))

    def _imitated(self, run: Candidates, env: Environment) -> SelectedParents:
        draws, node = env.draws(CHANCE_ID), np.arange(run.alive.size)
        rows = AgentRows(*np.divmod(node, env.agents), node)
        drawn = env.graph("advise").drawn(draws.uniform("model").reshape(-1), rows, run.alive)
        model = drawn.reshape(run.alive.shape)
        seat = np.where(model == NOBODY, 0, model)
        with np.errstate(invalid="ignore", over="ignore"):
            # Of two who have no fitness neither is ahead.
            ahead = np.nan_to_num(np.take_along_axis(run.fitness, seat, 1) - run.fitness, nan=0.0)
            # The logistic function as a hyperbolic tangent, which cannot overflow.
            chance = 0.5 * (1 + np.tanh(0.5 * self.strength * ahead))
        copies = (draws.uniform("copy") < chance) & (model != NOBODY)
        anybody = run.lottery(run.alive, draws.uniform("parent"))
        return SelectedParents(run.alive & ~copies, np.where(run.alive, model, anybody))

    def _replaced(self, run: Candidates, env: Environment) -> SelectedParents:
        known = np.isfinite(run.fitness)
        top = np.where(known, run.fitness, -np.inf).max(1, keepdims=True)
        with np.errstate(invalid="ignore", over="ignore"):
            ahead = np.where(known, run.fitness - top, -np.inf)
            weight = np.exp(self.strength * ahead) if self.strength else run.alive * 1.0
        parents = run.lottery(weight, env.draws(CHANCE_ID).uniform("parent"))
        place = env.draws(CHANCE_ID, per="replicate").uniform("place")
        dies = np.arange(env.agents) == run.lottery(run.alive, place)
        return SelectedParents(run.alive & ~dies, parents)


def _above(run: Candidates) -> Array:
    """Fitness above the lowest one that is known, (R, N); 0 where it is unknown."""
    known = np.isfinite(run.fitness)
    lowest = np.where(known, run.fitness, np.inf).min(1, keepdims=True)
    above: Array = np.subtract(run.fitness, lowest, out=np.zeros_like(run.fitness), where=known)
    return above
