"""Arrays of a script's lines, brought into shape and copied: private and read-only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .environment import Environment
from .graph import NOBODY
from .rng import Array
from .script import Fact


class WrongShape(Exception):
    """A line of the script holds an array that does not fit the environment."""


class ArrayNormaliser:
    """Shapes and keeps the arrays of one page."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self._copies: dict[tuple[int, tuple[int, ...], np.dtype[Any]], tuple[Array, Array]] = {}

    def facts(
        self, facts: Mapping[str, Fact]
    ) -> tuple[dict[str, Fact], dict[tuple[str, str], Array]]:
        """Facts with their arrays in shape, and these arrays by role and name, as in a Step."""
        normal, arrays = {}, {}
        for name, fact in facts.items():
            if not isinstance(fact, Fact):
                raise WrongShape(
                    f"fact {name!r} is a plain value; wrap it in common(), own() or seen()"
                )
            if fact.graph:
                self.env.graph(fact.graph)
            if fact.scope == "seen" and fact.values.ndim > 2:
                raise WrongShape(f"fact {name!r} has several values per agent; wrap it in own()")
            env = self.env
            shape = (env.running if fact.scope == "common" else env.present).shape
            try:
                shape = (*shape, *fact.values.shape[2:])
                values = self.kept(fact.values, None, shape)
            except WrongShape as error:
                raise WrongShape(f"fact {name!r} has {error}") from None
            normal[name] = Fact(fact.scope, values, fact.graph)
            role = f"seen {fact.graph}" if fact.scope == "seen" else fact.scope
            arrays[role, name] = values
        return normal, arrays

    def wide(self, values: Array, dtype: Any) -> Array:
        return self.kept(values, dtype, self.env.present.shape)

    def tall(self, values: Array, dtype: Any) -> Array:
        return self.kept(values, dtype, self.env.running.shape)

    def kept(self, values: Array, dtype: Any, shape: tuple[int, ...]) -> Array:
        """A private read-only copy, so that a script may go on changing its own array.

        The same array told twice in a round is kept (and hashed) once.
        """
        values = np.asarray(values)
        wanted = values.dtype if dtype is None else np.dtype(dtype)
        private = not values.flags.writeable and values.flags.owndata
        if private and values.shape == shape and values.dtype == wanted:
            return values
        # The script's own array is kept too: while it lives, nothing else can have its id.
        known = self._copies.get((id(values), shape, wanted))
        if known is not None and np.array_equal(known[1], values):
            return known[1]
        try:
            wide = values if values.shape == shape else np.broadcast_to(values, shape)
            copy = np.array(wide, wanted)
        except ValueError:
            raise WrongShape(f"shape {values.shape} where {shape} was expected") from None
        copy.flags.writeable = False
        self._copies[id(values), shape, wanted] = values, copy
        return copy

    def peers(self, peers: Array) -> Array:
        wide = self.seats(peers, "peer")
        if (wide == np.arange(self.env.agents)).any():
            raise WrongShape("an edge from a seat to itself; name another one, or NOBODY")
        return wide

    def seats(self, seats: Array, role: str) -> Array:
        wide = self.wide(seats, np.int64)
        outside = (wide >= self.env.agents) | (wide < NOBODY)
        if outside.any():
            raise WrongShape(f"seat {wide[outside][0]} as a {role} of {self.env.agents} seats")
        return wide
