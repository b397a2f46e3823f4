"""Matches: who plays with whom, when many play the same game in the same environment.

A game of n players takes agents in order of their ids: those with ids 0 to n - 1 are the first
match, and the agent with id i has the seat i mod n in it, always. A mechanism may seat them anew
each round (env.meetings), each in its own seat.
"""

from __future__ import annotations

from functools import partial, reduce

import numpy as np

from society.engine.environment import Environment
from society.engine.matching import Matches
from society.engine.rng import Array
from society.errors import ScenarioError


def match_players(env: Environment, players: int) -> Matches:
    """Who meets whom in this round; in order, for good, unless a mechanism says otherwise."""
    if env.meetings is None:
        env.meetings = in_order(env, players)
    return env.meetings


def in_order(env: Environment, players: int) -> Matches:
    """Agents in order of their ids; raises ScenarioError if they make no whole matches."""
    refuse_unequal(env, players)
    order = np.argsort(env.ids, kind="stable").reshape(1, -1, players)
    return Matches(np.broadcast_to(order, (env.replicates, *order.shape[1:])))


def mean_over_agents(values: Array) -> Array:
    """Over agents, (R, N) -> (R, 1)."""
    # One by one where they are few, since numpy is slow along short axes.
    few = values.shape[1] < 8
    total: Array = reduce(partial(np.add, dtype=float), values.T) if few else values.sum(1)
    averaged: Array = total[:, None] / values.shape[1]
    return averaged


def refuse_unequal(env: Environment, players: int) -> None:
    """Raises ScenarioError if those who are there make no whole matches."""
    if env.agents % players:
        more = env.agents + players - env.agents % players
        raise ScenarioError(
            f"{env.agents} agents make no matches of {players}; take {more} agents, or any "
            f"other multiple of {players}"
        )
