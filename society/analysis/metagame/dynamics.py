"""Replicator dynamics, and evolutionary stability: types that score more than the average spread.

In steps of replicator dynamics

    x_i  <-  x_i exp(rate (f_i - F)) / Z        f_i = E[T(i, others)], others drawn from x
                                                F = sum_i x_i f_i, and Z makes shares sum to 1
One population from which all seats are filled; by seat, each seat p has its own, x_p, and
f_pi = E[S_p(i, others)] with the type of every other seat drawn from the population of that seat.
Exponential weights in place of x_i f_i / F, so that payoffs may be negative. Shares are kept as
logarithms: a type that has all but died out can come back.
Sources: Taylor and Jonker 1978, Math. Biosci. 40; Freund and Schapire 1997, JCSS 55.

Stability asks whether a population of one type keeps rare mutants out. With n seats, a resident i
meets k mutants j among its n - 1 co-players; T(i; k) is what it scores then. i resists j if, for
the smallest k where T(i; k) and T(j; k) differ, T(i; k) is larger: rare mutants meet residents
first of all, and each other only where this decides nothing.
Sources: Maynard Smith and Price 1973, Nature 246, for n = 2; Broom, Cannings and Vickers 1997,
Bull. Math. Biol. 59, for more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from society.engine.rng import Array
from society.errors import InputError

from .payoffs import check_tensor


@dataclass(frozen=True, eq=False)
class ReplicatorOutcome:
    """The course of shares of types; where each seat has its population, (n, K) stands for (K,).

    history: shares after 0, 1, ... steps, (steps + 1, K). fitness: (K,), what each type would
    score among the last of them.
    """

    history: Array
    fitness: Array

    @property
    def population(self) -> Array:
        """The last shares, (K,)."""
        last: Array = self.history[-1]
        return last

    @property
    def average(self) -> Array:
        """The mean score in the last population: fitness weighted by shares; () or (n,)."""
        average: Array = (self.population * self.fitness).sum(-1)
        return average


def replicator_dynamics(
    tensor: Array,
    *,
    rate: float = 0.1,
    steps: int = 1000,
    start: Array | None = None,
    by_seat: bool = False,
) -> ReplicatorOutcome:
    """Let types compete for `steps` steps from `start`, equal shares if not given.

    tensor: of `payoff_tensor`, with the same `by_seat`. rate: per step and unit of payoff.
    start: (K,), or (n, K) by seat; shares of 0 stay 0.
    Raises InputError for a tensor, shares or a rate that cannot be.
    """
    seats, types = check_tensor(tensor, by_seat=by_seat)
    shape = (seats, types) if by_seat else (types,)
    if not (np.isfinite(rate) and rate > 0 and steps >= 0):
        raise InputError(f"rate {rate}, steps {steps}; give a rate above 0 and steps from 0 on")
    fitness = _seat_fitness(tensor) if by_seat else _pooled_fitness(tensor)
    history = np.empty((steps + 1, *shape))
    history[0] = np.full(shape, 1 / types) if start is None else _shares(start, shape)
    with np.errstate(divide="ignore"):  # the logarithm of a share of 0 is -inf, as it should be
        logs = np.log(history[0])
    for step in range(steps):
        logs += rate * fitness(history[step])
        logs -= logs.max(-1, keepdims=True)
        grown = np.exp(logs)
        history[step + 1] = grown / grown.sum(-1, keepdims=True)
    return ReplicatorOutcome(history, fitness(history[-1]))


def _pooled_fitness(tensor: Array) -> Callable[[Array], Array]:
    """Return the fitness of types whose co-players come from one population, (K,) -> (K,)."""
    others = tensor.ndim - 1

    def fitness(shares: Array) -> Array:
        rest = tensor
        for _ in range(others):
            rest = rest @ shares
        return rest

    return fitness


def _seat_fitness(tensor: Array) -> Callable[[Array], Array]:
    """Return the fitness of each type at each seat, (n, K) -> (n, K)."""
    # The focal seat comes first, then the others in order: a product for each but the first.
    turned = [np.ascontiguousarray(np.moveaxis(scores, p, 0)) for p, scores in enumerate(tensor)]

    def fitness(shares: Array) -> Array:
        by_seat = []
        for seat, rest in enumerate(turned):
            for other in reversed(range(len(turned))):
                if other != seat:
                    rest = rest @ shares[other]  # the last axis is that of the last seat left
            by_seat.append(rest)
        return np.stack(by_seat)

    return fitness


def _shares(start: Array, shape: tuple[int, ...]) -> Array:
    if start.shape != shape:
        raise InputError(f"start has the shape {start.shape}; give a share per type, {shape}")
    if not ((start >= 0).all() and np.allclose(start.sum(-1), 1)):
        raise InputError(f"start is {start.tolist()}; give shares from 0 to 1 that sum to 1")
    shares: Array = start / start.sum(-1, keepdims=True)
    return shares


_EQUAL = 1e-9  # scores that differ by less, relative to the largest, are the same


def resistance_matrix(tensor: Array) -> Array:
    """Mark [i, j] where a population of type i keeps rare mutants of type j out; (K, K) of bool.

    tensor: of `payoff_tensor`, seats averaged. True on the diagonal; False for types that score
    the same whatever they meet, since mutants then drift.

    >>> hawk_dove = np.array([[-1.0, 4.0], [0.0, 2.0]])  # each is invaded by the other
    >>> resistance_matrix(hawk_dove).tolist()
    [[True, False], [False, True]]
    """
    seats, types = check_tensor(tensor, by_seat=False)
    equal = _EQUAL * np.abs(tensor).max()
    resident, mutant = np.indices((types, types))
    verdict = np.zeros((types, types))
    for mutants in range(seats):
        members = [mutant] * mutants + [resident] * (seats - 1 - mutants)
        ahead = tensor[(resident, *members)] - tensor[(mutant, *members)]
        verdict = np.where(verdict == 0, np.sign(ahead) * (np.abs(ahead) > equal), verdict)
    return np.asarray((verdict > 0) | (resident == mutant))


def evolutionarily_stable(tensor: Array) -> Array:
    """Mark the types that are evolutionarily stable: they resist every other; (K,) of bool."""
    return np.asarray(resistance_matrix(tensor).all(1))
