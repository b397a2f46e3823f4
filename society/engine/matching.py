"""Who plays with whom, when many play the same game at the same env."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .rng import Array


class Matches:
    """Who meets whom: rows, (R, M, n), the place at the environment of each player of each match.

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
        """Everybody's seat, counted from 1, as agents count them, (R, N)."""
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
        """By match and seat: (R, N, ...) -> (R, M, n, ...)."""
        ordered = values if self._in_order else values[self._at]
        return ordered.reshape(*self.rows.shape, *values.shape[2:])

    def spread(self, values: Array) -> Array:
        """Back to everybody's own place: (R, M, n, ...) -> (R, N, ...)."""
        flat = values.reshape(*self._shape, *values.shape[3:])
        if self._in_order:
            return flat
        placed = np.empty_like(flat)
        placed[self._at] = flat
        return placed

    def profile(self, values: Array) -> Array:
        """What all players of everybody's match have, in order of seat, (R, N) -> (R, N, n)."""
        together = self.gathered(values)
        return self.spread(np.repeat(together[:, :, None], self.players, axis=2))

    def others(self, values: Array) -> Array:
        """What everybody's co-players have, in order of seat, (R, N) -> (R, N, n - 1)."""
        together = self.gathered(values)
        if self.players == 2:
            return self.spread(together[..., ::-1, None])
        without = [np.delete(np.arange(self.players), seat) for seat in range(self.players)]
        return self.spread(together[..., np.array(without, int)])


def _private(values: Array) -> Array:
    """Read-only, so that it can be told each round without being copied."""
    values.flags.writeable = False
    return values
