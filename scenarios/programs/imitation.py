"""Rules by which users change their genes after a generation, by what their programs came to.

    proportional             the elite, those who came to most, keep gene and program; every other
                             user takes the gene of a parent, drawn in proportion to fitness
    fermi                    every user looks at one other, and takes its gene with probability
                             1 / (1 + exp(-beta (f_other - f_own)))
    proportional_imitation   likewise, with probability f_other - f_own, if that is above 0

With learning from `others` nobody is its own parent. Without replacement nobody is the parent of
two, or looked at twice. A cost of switching is taken off the fitness of whoever uses another model
than oneself; a loyal user takes over the attitude alone, and stays with its model. Ties are broken
by addressed chance.
Source: Willis et al. 2026, section 6 (proportional: learning from all, with replacement); Traulsen
and Hauert 2009 (fermi); Schlag 1998, Journal of Economic Theory 78 (proportional imitation). Costs
and loyalty are ours, as is what the other two rules do where the paper has one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.errors import ScenarioError
from society.scenarios.mechanisms.generations.selection import Heirs

ImitationRule = Literal["proportional", "fermi", "proportional_imitation"]
Learning = Literal["all", "others"]


@dataclass(frozen=True)
class Imitation:
    """A rule with its parameters; it is called with fitness and models, (R, N) each."""

    rule: ImitationRule
    elite: int
    beta: float
    learning: Learning
    replacement: bool
    switching_cost: float
    chance_id: str

    def refuse_contradictions(self, agents: int) -> None:
        """Raise ScenarioError for parameters that leave no parent, or nobody to learn."""
        if self.rule != "proportional":
            return
        if self.elite >= agents:
            raise ScenarioError(
                f"elite: {self.elite} of {agents} users leaves nobody who learns; take fewer than "
                f"{agents}"
            )
        if self.learning == "others" and not self.replacement:
            raise ScenarioError(
                "learning: others with replacement: false can leave a user no parent but itself; "
                "change one of the two, or take rule: fermi"
            )
        if self.switching_cost and not self.replacement:
            raise ScenarioError(
                "switching_cost with replacement: false is not defined under rule: proportional, "
                "where parents are drawn before it is known who takes their genes; change one"
            )

    def __call__(self, fitness: Array, model: Array, env: Environment) -> Heirs:
        """Say who keeps gene and program, and whose gene the others take."""
        if self.rule == "proportional":
            return self._proportional(fitness, model, env)
        peer, draws = self._peers(env), env.draws(self.chance_id)
        ahead = np.take_along_axis(fitness, peer, 1) - fitness
        ahead -= self.switching_cost * (np.take_along_axis(model, peer, 1) != model)
        copies = (draws.uniform("copy") < self.chance(ahead)) & (peer != np.arange(env.agents))
        return _heirs(~copies, np.where(copies, peer, NOBODY))

    def _peers(self, env: Environment) -> Array:
        """The seat at which each user looks, (R, N)."""
        draws, others = env.draws(self.chance_id), self.learning == "others"
        order = np.argsort(draws.uniform("place"), axis=1, kind="stable")
        uniform = draws.uniform("other")
        if self.replacement:
            return _any_seat(order, uniform, others=others)
        # In another order everybody is looked at once; one place on, and nobody by itself.
        seen = np.roll(order, -1, axis=1) if others else np.argsort(uniform, axis=1, kind="stable")
        return np.take_along_axis(seen, inverse(order), 1)

    def chance(self, ahead: Array) -> Array:
        """The probability of copying somebody whose fitness is so much above one's own."""
        if self.rule == "fermi":
            # The logistic function as a hyperbolic tangent, which cannot overflow.
            return np.asarray(0.5 * (1 + np.tanh(0.5 * self.beta * ahead)))
        return np.clip(ahead, 0, 1)

    def _proportional(self, fitness: Array, model: Array, env: Environment) -> Heirs:
        draws = env.draws(self.chance_id)
        order = np.lexsort((draws.uniform("tie"), -fitness), axis=1)
        place = inverse(order)
        survives = place < self.elite
        uniform = draws.uniform("parent")
        if not self.replacement:
            weight = np.maximum(fitness, 0)
            keys = _race(weight, uniform, draws.uniform("last"))
            rank = np.where(survives, 0, place - self.elite)
            parents = np.take_along_axis(keys, rank, 1)
            return _heirs(survives, np.where(survives, NOBODY, parents))
        parents = np.full(fitness.shape, NOBODY)
        models = range(int(model.max()) + 1) if self.switching_cost else (None,)
        for own in models:
            cost = 0 if own is None else self.switching_cost * (model != own)
            weight = np.maximum(fitness - cost, 0)
            drawn = lottery(weight, order, uniform, others=self.learning == "others")
            parents = drawn if own is None else np.where(model == own, drawn, parents)
        return _heirs(survives, np.where(survives, NOBODY, parents))


def _heirs(survives: Array, parents: Array) -> Heirs:
    return Heirs(survives, parents, survives)


def inverse(order: Array) -> Array:
    """The place of each seat in an order of seats, (R, N)."""
    place = np.empty_like(order)
    np.put_along_axis(place, order, np.arange(order.shape[1])[None], 1)
    return place


def _any_seat(order: Array, uniform: Array, *, others: bool) -> Array:
    """A seat for each seat, all equally likely; others: nobody has its own."""
    agents = order.shape[1]
    step = np.floor(uniform * (agents - others)).astype(np.int64) + others
    seat: Array = np.take_along_axis(order, (inverse(order) + step) % agents, 1)
    return seat


def _race(weight: Array, uniform: Array, last: Array) -> Array:
    """Seats in the order in which draws without replacement take them (Efraimidis, Spirakis 2006).

    Those without weight come last, in an order by chance.
    """
    with np.errstate(divide="ignore"):
        time = np.where(weight > 0, -np.log1p(-uniform) / np.where(weight > 0, weight, 1), np.inf)
    order: Array = np.lexsort((last, time), axis=1)
    return order


def lottery(weight: Array, order: Array, uniform: Array, *, others: bool) -> Array:
    """Draw a seat for each seat, (R, N), with chances as the weights; all alike where all are 0.

    order: in which seats are counted, so that it does not matter who sits where. others: nobody
    draws itself.
    """
    ranked, place = np.take_along_axis(weight, order, 1), inverse(order)
    total = np.cumsum(ranked, axis=1)
    own = weight if others else np.zeros_like(weight)
    before = np.take_along_axis(np.concatenate([0 * total[:, :1], total[:, :-1]], 1), place, 1)
    # Whoever stands last has before it all that it can draw.
    last = others & (place == weight.shape[1] - 1)
    left = np.where(last, before, total[:, -1:] - own)
    # The product may round up to the whole, which is beyond the last prize.
    mark = np.minimum(uniform * left, np.nextafter(left, 0))
    mark = np.where(others & ~last & (mark >= before), mark + own, mark)  # skips one's own prize
    found = np.stack([np.searchsorted(*pair, "right") for pair in zip(total, mark, strict=True)])
    drawn = np.take_along_axis(order, np.minimum(found, weight.shape[1] - 1), 1)
    return np.where(left > 0, drawn, _any_seat(order, uniform, others=others))
