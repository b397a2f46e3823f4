"""Matches: who plays with whom, when many play the same game in the same environment.

A game of n players takes agents in order of their ids: those with ids 0 to n - 1 are the first
match, and the agent with id i has the seat i mod n in it, always. A mechanism may seat them anew
each round (`mix_matches`), each in its own seat.
"""

from __future__ import annotations

from functools import cached_property, partial, reduce

import numpy as np

from society.engine.environment import Environment
from society.engine.rng import Array
from society.errors import ScenarioError

_MATCHES = "matches"  # the name under which an environment holds them


class Matches:
    """Matches: rows, (R, M, n), the seat of each player of each match among all agents.

    seat: (R, N), the seat that everybody has in its game, counted from 0.
    """

    def __init__(self, rows: Array) -> None:
        self.rows = rows
        self.replicates, self.count, self.players = rows.shape
        self._shape = self.replicates, self.count * self.players
        flat = rows.reshape(self._shape)
        # Where everybody sits in order, reshaping does what else takes an index.
        self._in_order = bool((flat == np.arange(self._shape[1])).all())
        self._at = np.arange(self.replicates)[:, None], flat

    @cached_property
    def seat(self) -> Array:
        seats = np.broadcast_to(np.arange(self.players, dtype=np.int32), self.rows.shape)
        return self.spread(seats)

    @cached_property
    def number(self) -> Array:
        """The seats, counted from 1 as agents count them, (R, N)."""
        return _private(self.seat + 1)

    @cached_property
    def opposite(self) -> Array:
        """The places of everybody's co-players, in order of seat, (R, N, n - 1)."""
        places = np.broadcast_to(np.arange(self._shape[1], dtype=np.int32), self._shape)
        return self.others(places)

    @cached_property
    def partner(self) -> Array:
        """The place of everybody's only co-player, (R, N)."""
        return _private(self.opposite[..., 0].copy())

    def gathered(self, values: Array) -> Array:
        """Arrange values by match and seat: (R, N, ...) -> (R, M, n, ...)."""
        ordered = values if self._in_order else values[self._at]
        return ordered.reshape(*self.rows.shape, *values.shape[2:])

    def spread(self, values: Array) -> Array:
        """Arrange values by agent again: (R, M, n, ...) -> (R, N, ...)."""
        flat = values.reshape(*self._shape, *values.shape[3:])
        if self._in_order:
            return flat
        placed = np.empty_like(flat)
        placed[self._at] = flat
        return placed

    def profile(self, values: Array) -> Array:
        """Return the values of all players of each agent's match, by seat, (R, N) -> (R, N, n)."""
        together = self.gathered(values)
        return self.spread(np.repeat(together[:, :, None], self.players, axis=2))

    def others(self, values: Array) -> Array:
        """Return the values of each agent's co-players, by seat, (R, N) -> (R, N, n - 1)."""
        together = self.gathered(values)
        if self.players == 2:
            return self.spread(together[..., ::-1, None])
        without = [np.delete(np.arange(self.players), seat) for seat in range(self.players)]
        return self.spread(together[..., np.array(without, int)])


def _private(values: Array) -> Array:
    """Make an array read-only, so that it can be told each round without a copy."""
    values.flags.writeable = False
    return values


def match_players(env: Environment, players: int) -> Matches:
    """Return the matches of this round: in order, for good, unless a mechanism mixes them."""
    if _MATCHES not in env.shared:
        mix_matches(env, in_order(env, players))
    matches: Matches = env.shared[_MATCHES]
    return matches


def mix_matches(env: Environment, matches: Matches) -> None:
    """Let these be the matches from now on; raises ScenarioError where co-players must stay."""
    if getattr(env.params, "open_source", False):
        _refuse_mixed(env, matches)
    env.shared[_MATCHES] = matches


def _refuse_mixed(env: Environment, matches: Matches) -> None:
    """Raise ScenarioError unless everybody has the co-players that it always has."""
    if not np.array_equal(matches.rows, in_order(env, matches.players).rows):
        raise ScenarioError(
            "co-players change from game to game here, and programs read the sources of those that "
            "they keep; set open_source: false, or leave out the mechanism that mixes matches"
        )


def in_order(env: Environment, players: int) -> Matches:
    """Agents in order of their ids; raises ScenarioError if they make no whole matches."""
    refuse_unequal(env, players)
    order = np.argsort(env.ids, kind="stable").reshape(1, -1, players)
    return Matches(np.broadcast_to(order, (env.replicates, *order.shape[1:])))


def mean_over_agents(values: Array) -> Array:
    """Average over agents, (R, N) -> (R, 1)."""
    # One by one where they are few, since numpy is slow along short axes.
    few = values.shape[1] < 8
    total: Array = reduce(partial(np.add, dtype=float), values.T) if few else values.sum(1)
    averaged: Array = total[:, None] / values.shape[1]
    return averaged


def refuse_unequal(env: Environment, players: int) -> None:
    """Raise ScenarioError if those who are there make no whole matches."""
    if env.agents % players:
        more = env.agents + players - env.agents % players
        raise ScenarioError(
            f"{env.agents} agents make no matches of {players}; take {more} agents, or any "
            f"other multiple of {players}"
        )
