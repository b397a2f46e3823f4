"""Arrays of a script's lines, brought into shape and copied: private and read-only."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from .action_spaces import Value
from .environment import Environment
from .graph import NOBODY
from .rng import Array
from .script import Fact


class WrongShape(Exception):
    """A line of the script holds an array that does not fit the environment."""


def _refuse_unwritable(cells: Array) -> None:
    """Raise WrongShape for objects that a run file cannot keep."""
    for cell in {id(cell): cell for cell in cells.flat}.values():
        if isinstance(cell, str | bool | int | float | None):
            continue
        try:
            json.dumps(cell)
        except (TypeError, ValueError):
            raise WrongShape(
                f"{cell!r:.60}, of type {type(cell).__name__}, which a run file cannot keep; give "
                "numbers or text"
            ) from None


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
        copy = np.array(spread_exactly(values, shape), wanted)
        if wanted.kind == "O":
            _refuse_unwritable(copy)
        copy.flags.writeable = False
        self._copies[id(values), shape, wanted] = values, copy
        return copy

    def options(self, options: Array) -> Array:
        """Options of a choice, (R, K)."""
        return self.kept(options, None, (self.env.replicates, *options.shape[1:]))

    def peers(self, peers: Array) -> Array:
        wide = self.seats(peers, "peer")
        if (wide == np.arange(self.env.agents)).any():
            raise WrongShape("an edge from a seat to itself; name another one, or NOBODY")
        return wide

    def labels(self, labels: Array) -> Array:
        """Labels of groups, (R, N) of integers."""
        if np.asarray(labels).dtype.kind not in "biu":
            raise WrongShape(f"groups of {np.asarray(labels).dtype}; label them by integers")
        try:
            return self.wide(labels, np.int64)
        except WrongShape as error:
            raise WrongShape(f"the array of groups has {error}") from None

    def seats(self, seats: Array, role: str) -> Array:
        try:
            wide = self.wide(seats, np.int64)
        except WrongShape as error:
            raise WrongShape(f"the array of each {role} has {error}") from None
        outside = (wide >= self.env.agents) | (wide < NOBODY)
        if outside.any():
            raise WrongShape(f"seat {wide[outside][0]} as a {role} of {self.env.agents} seats")
        return wide


def fits(given: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Tell whether an array is a scalar, or has all axes of a shape, each whole or of length 1."""
    axes = zip(given, shape, strict=False)
    return not given or (len(given) == len(shape) and all(one in (1, size) for one, size in axes))


def spread_exactly(values: Array, shape: tuple[int, ...]) -> Array:
    """Values in a shape that starts with (R, N) or (R, 1); raises WrongShape.

    A scalar stands for all; else each axis is there, with its length or 1. Five values could be
    those of five replicates or of five agents: which of them is never guessed from the length.
    """
    if values.shape == shape:
        return values
    if fits(values.shape, shape):
        return np.broadcast_to(values, shape)
    words = f"shape {values.shape} where {shape} was expected"
    if values.ndim == 1 and len(shape) == 2:
        ways = "x[:, None] if each replicate has a value of its own"
        if shape[1] != 1:
            ways += ", x[None, :] if each agent has one, the same in all replicates"
        words += f"; a single axis does not say which it is: write {ways}"
    raise WrongShape(words)


def spread_fallback(
    stated: Any, name: str, value: Value, shape: tuple[int, int], unread: Array | None = None
) -> Array:
    """Return a question's fallback for one field of its answer, (R * N, ...); raises WrongShape.

    stated: as in an Ask. name: of the field, "" for an answer without fields. unread: (R, N), where
    it is needed.
    """
    stated = stated() if callable(stated) else stated
    if name and not (isinstance(stated, Mapping) and name in stated):
        raise WrongShape(f"fallback is {stated!r:.60}; expected a value for the field {name!r}")
    width = () if value.width is None else (value.width,)
    asked = np.ones(shape, bool) if unread is None else unread
    try:
        given = np.asarray(stated[name] if name else stated)
        if given.shape != width:  # one answer for all
            given = spread_exactly(given, (*shape, *width))
        wide = np.broadcast_to(given, (*shape, *width)).reshape(-1, *width)
        replicate = np.arange(asked.size) // shape[1]
        return value.flat(wide, asked.reshape(-1), replicate)
    except WrongShape as error:
        raise WrongShape(f"fallback is {error}; expected {value.form()}") from None
    except ValueError:
        said = repr(stated[name] if name else stated)
        raise WrongShape(f"fallback is {said:.60}; expected {value.form()}") from None
