"""Cooperation in a game in normal form, and its payoffs, seat by seat.

What belongs to seats is one value for each of n seats, or a single one if all are the same, as they
mostly are. An action below 0 stands for somebody who takes no part.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from society.engine.component import AgentGroup
from society.engine.rng import Array

PerSeat = Any  # a number, or an array (n,)


@lru_cache(maxsize=64)
def cooperative_actions(rules: Any) -> PerSeat:
    """The action with which each seat cooperates."""
    return _alike(np.array(rules.cooperation))


@lru_cache(maxsize=64)
def of_others(rules: Any) -> list[PerSeat]:
    """Return the cooperative actions of each seat's first co-player, second one, ..., by seat."""
    actions = rules.cooperation
    if len(set(actions)) == 1:
        return list(actions[1:])
    others = [np.delete(actions, seat) for seat in range(rules.players)]
    return [_alike(one) for one in np.stack(others, axis=1)]


@lru_cache(maxsize=64)
def equilibrium_payoffs(rules: Any) -> PerSeat:
    """Return the payoff of each seat in equilibrium; infinity where none is known."""
    if rules.equilibrium is None:
        return np.inf
    return _alike(rules.paid(np.array(rules.equilibrium)))


@lru_cache(maxsize=64)
def action_chances(rules: Any, width: int) -> list[tuple[PerSeat, PerSeat]]:
    """Return, by action, the chance under defection and the change that cooperation makes.

    Actions of a seat that has more are cut off, and those that it lacks are not played.
    """
    unkind, kind = _mixtures(rules, width)
    return [(_alike(low), _alike(high - low)) for low, high in zip(unkind, kind, strict=True)]


def deviation_payoffs(rules: Any, seat: int, profiles: Array) -> Array:
    """Return a seat's payoff by action, given the others' actions, (m, n) -> (m, A_j)."""
    actions = np.arange(rules.sizes[seat])
    varied = np.repeat(profiles[:, None], len(actions), axis=1)
    varied[..., seat] = actions
    paid: Array = rules.paid(varied)[..., seat]
    return paid


def by_seat(values: PerSeat, agents: AgentGroup) -> Any:
    """Return the value of each member's seat, (M,) or a number."""
    return values[game_seats(agents)] if isinstance(values, np.ndarray) else values


def game_seats(agents: AgentGroup) -> Array:
    """Return the seat of each member in its game, counted from 0."""
    taken: Array = agents.agent % agents.rules.players
    return taken


def _mixtures(rules: Any, width: int) -> tuple[Array, Array]:
    """Return the chance of each action if a seat defects, and if it cooperates, (K, n)."""
    sizes = np.minimum(rules.sizes, width)
    even = (np.arange(width)[:, None] < sizes) / sizes
    unkind = even if rules.equilibrium is None else _pure(rules.equilibrium, width)
    if rules.cooperation is None:
        return unkind, unkind
    kind = _pure(rules.cooperation, width)
    if rules.equilibrium is None:
        others = even * (1 - kind)
        unkind = np.where(sizes > 1, others / np.maximum(others.sum(0), even.min()), kind)
    return unkind, kind


def _pure(profile: tuple[int, ...], width: int) -> Array:
    pure: Array = np.arange(width)[:, None] == np.array(profile)
    return pure.astype(float)


def _alike(values: Array) -> PerSeat:
    return values[0].item() if (values == values[0]).all() else values
