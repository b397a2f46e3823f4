"""Frequencies of actions, submitted and drawn, by type and by what co-players did last.

Frequencies are means over all moves of a type in matches that are not void, each move with the same
weight. Of submitted ones the mean probability is taken; drawn ones are counted, where delegating to
a mediator is an action of its own. The last actions are those that were really played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array
from society.runs.structure import GameNote

from .cell import GameCell

NOTHING_YET = "none yet"


class Frequency(NamedTuple):
    """Frequencies among n moves of each label, submitted and drawn; NaN if it was not offered."""

    submitted: Mapping[str, float]
    drawn: Mapping[str, float]
    n: int


@dataclass(frozen=True, eq=False)
class MoveTable:
    """All m moves of a cell, in L labels.

    types: (m,). submitted, drawn: (m, L), NaN where a label was not offered. seen: (m,), the number
    of the context in which each was made; contexts: their names, the first one before anything was
    seen.
    """

    labels: list[str]
    types: Array
    submitted: Array
    drawn: Array
    seen: Array
    contexts: list[str]

    @classmethod
    def of(cls, *cells: GameCell) -> MoveTable:
        """Collect the moves of some cells, which have the same game and types."""
        labels = list(dict.fromkeys(label for cell in cells for label in cell.labels))
        blocks = [_block(cell, labels) for cell in cells if len(cell.decisions)]
        if not blocks:
            none = np.empty((0, len(labels)))
            return cls(labels, np.empty(0, int), none, none, np.empty(0, int), [NOTHING_YET])
        parts = (np.concatenate(part) for part in zip(*blocks, strict=True))
        types, submitted, drawn, before = parts
        contexts, seen = _name_contexts(before, _labels(cells[0].game))
        return cls(labels, types, submitted, drawn, seen, contexts)

    def among(self, some: Array) -> Frequency:
        """Return the frequencies of actions among marked moves, (m,) of bool."""
        n = int(some.sum())
        submitted, drawn = (_means(each[some]) for each in (self.submitted, self.drawn))
        return Frequency(
            dict(zip(self.labels, submitted, strict=True)),
            dict(zip(self.labels, drawn, strict=True)),
            n,
        )

    @property
    def in_all(self) -> Frequency:
        """The frequencies of actions among the moves of all types."""
        return self.among(np.ones(len(self.types), bool))

    def of_type(self, number: int) -> Frequency:
        """Return the frequencies of actions among the moves of one type."""
        return self.among(self.types == number)

    def after(self) -> Iterator[tuple[str, Frequency]]:
        """Return the frequencies among the moves of all types, in each context that occurred."""
        for number, name in enumerate(self.contexts):
            yield name, self.among(self.seen == number)

    def of_type_after(self, number: int) -> Iterator[tuple[str, Frequency]]:
        """Return the frequencies among the moves of one type, in each context that it met."""
        for place, name in enumerate(self.contexts):
            some = (self.types == number) & (self.seen == place)
            if some.any():
                yield name, self.among(some)


def _block(cell: GameCell, labels: Sequence[str]) -> tuple[Array, Array, Array, Array]:
    """Return type, submitted and drawn labels, and last actions of co-players of each move."""
    made, actions = cell.decisions, cell.game.actions
    of_seat = np.array([[label in own for label in labels] for own in actions])
    nothing = np.full(len(made), np.nan)
    submitted = np.stack([made.submitted.get(label, nothing) for label in labels], 1)
    drawn = np.stack([made.drawn(label, actions) for label in labels], 1)
    drawn = np.where(of_seat[made.seat] | ~np.isnan(submitted), drawn, np.nan)
    counts = ~cell.void[made.replicate]
    types = cell.types[made.replicate, made.agent]
    return types[counts], submitted[counts], drawn[counts], _seen_before(cell)[counts]


def _labels(game: GameNote) -> list[str]:
    """List the labels of all actions of a game, each once."""
    return list(dict.fromkeys(label for own in game.actions for label in own))


def _seen_before(cell: GameCell) -> Array:
    """Return the last action of each co-player in earlier rounds, (m, n - 1); -1: none yet.

    Sorted, so that the order of co-players makes no difference.
    """
    made, labels = cell.decisions, _labels(cell.game)
    codes = np.full((cell.game.players, max(map(len, cell.game.actions))), -1)
    for seat, own in enumerate(cell.game.actions):
        codes[seat, : len(own)] = [labels.index(label) for label in own]
    _, seen = latest_of_pair(cell, codes[made.seat, made.action])
    return np.sort(seen, axis=1)


def latest_of_pair(cell: GameCell, done: Array) -> tuple[Array, Array]:
    """Return the last value of each agent and of its co-players before every move; -1: none yet.

    done: a value from 0 on for each move, (m,). Returns (m,) and (m, n - 1), of earlier rounds.
    """
    made, own, seen = cell.decisions, np.empty(len(done), int), np.empty(cell.co_players.shape, int)
    latest: Array = np.full(cell.types.shape, -1)
    for rows in np.split(np.arange(len(made)), np.flatnonzero(np.diff(made.round)) + 1):
        own[rows] = latest[made.replicate[rows], made.agent[rows]]
        seen[rows] = latest[made.replicate[rows, None], cell.co_players[rows]]
        latest[made.replicate[rows], made.agent[rows]] = done[rows]
    return own, seen


def _name_contexts(contexts: Array, labels: Sequence[str]) -> tuple[list[str], Array]:
    """Name the contexts, and return the number of each move's; (m, n - 1) -> (m,)."""
    known = np.where((contexts < 0).any(1, keepdims=True), -1, contexts)
    sizes = [len(labels) + 1] * known.shape[1]
    distinct, numbers = np.unique(
        [0, *np.ravel_multi_index(tuple(known.T + 1), sizes).tolist()], return_inverse=True
    )
    each = np.transpose(np.unravel_index(distinct[1:], sizes)) - 1
    names = [", ".join(labels[code] for code in codes) for codes in each.tolist()]
    return [NOTHING_YET, *names], numbers[1:]


def _means(values: Array) -> Array:
    """Return means over moves, (m, L) -> (L,); NaN, a label that was not offered, is left out."""
    offered = ~np.isnan(values)
    count = offered.sum(0)
    mean: Array = np.nansum(values, 0) / np.where(count, count, np.nan)
    return mean
