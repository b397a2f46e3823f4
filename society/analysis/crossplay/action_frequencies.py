"""What types did: how often they submitted and drew each action, and what they had seen before.

Frequencies are means over all moves of a type in matches that are not void, each move with the same
weight. Of submitted ones the mean probability is taken; drawn ones are counted, where delegating to
a mediator is an action of its own. The last actions are those that were really played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from society.draws import Array
from society.runs.rules import GameNote

from .cell import Cell
from .matches import Round

NOTHING_YET = "none yet"


class Frequency(NamedTuple):
    """Of n moves: how often each label was submitted, and drawn; NaN if it was not offered."""

    submitted: Mapping[str, float]
    drawn: Mapping[str, float]
    n: int


@dataclass(frozen=True, eq=False)
class Moves:
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
    def of(cls, *cells: Cell) -> Moves:
        """All that were made in some cells, which have the same game and types."""
        labels = list(dict.fromkeys(label for cell in cells for label in cell.labels))
        blocks = [block for cell in cells for block in _blocks(cell, labels)]
        if not blocks:
            none = np.empty((0, len(labels)))
            return cls(labels, np.empty(0, int), none, none, np.empty(0, int), [NOTHING_YET])
        parts = (np.concatenate(part) for part in zip(*blocks, strict=True))
        types, submitted, drawn, before = parts
        contexts, seen = _named(before, _labels(cells[0].game))
        return cls(labels, types, submitted, drawn, seen, contexts)

    def among(self, some: Array) -> Frequency:
        """Of some moves, (m,) of bool."""
        n = int(some.sum())
        submitted, drawn = (_means(each[some]) for each in (self.submitted, self.drawn))
        return Frequency(
            dict(zip(self.labels, submitted, strict=True)),
            dict(zip(self.labels, drawn, strict=True)),
            n,
        )

    @property
    def in_all(self) -> Frequency:
        """Of all types."""
        return self.among(np.ones(len(self.types), bool))

    def of_type(self, number: int) -> Frequency:
        """Of one type."""
        return self.among(self.types == number)

    def after(self) -> Iterator[tuple[str, Frequency]]:
        """Of all types, in each context that occurred."""
        for number, name in enumerate(self.contexts):
            yield name, self.among(self.seen == number)

    def of_type_after(self, number: int) -> Iterator[tuple[str, Frequency]]:
        """Of one type, in each context that it met."""
        for place, name in enumerate(self.contexts):
            some = (self.types == number) & (self.seen == place)
            if some.any():
                yield name, self.among(some)


def _blocks(cell: Cell, labels: Sequence[str]) -> Iterator[tuple[Array, Array, Array, Array]]:
    """Of each round: types, what was submitted and drawn, what co-players had done before."""
    memory, actions = _Memory(cell), cell.game.actions
    of_seat = np.array([[one in own for one in labels] for own in actions])
    for each in cell.rounds:
        some = each.took & ~cell.void[:, None]
        nothing = np.full(some.shape, np.nan)
        submitted = np.stack([each.submitted.get(one, nothing)[some] for one in labels], 1)
        drawn = np.stack([each.drawn(one, actions)[some] for one in labels], 1)
        possible = of_seat[each.seat[some]] | ~np.isnan(submitted)
        drawn = np.where(possible, drawn, np.nan)
        yield cell.types[some], submitted, drawn, memory.before(each)[some]


def _labels(game: GameNote) -> list[str]:
    """Of all actions."""
    return list(dict.fromkeys(label for own in game.actions for label in own))


class _Memory:
    """What everybody did last, in rounds that came before, as numbers of labels; -1: nothing."""

    def __init__(self, cell: Cell) -> None:
        labels, most = _labels(cell.game), max(map(len, cell.game.actions))
        self._codes = np.full((cell.game.players, most), -1)
        for seat, own in enumerate(cell.game.actions):
            self._codes[seat, : len(own)] = [labels.index(one) for one in own]
        self._known: Array = np.full(cell.types.shape, -1)
        self._latest, self._round, self._cell = self._known, 0, cell

    def before(self, each: Round) -> Array:
        """What one's co-players of a round did last, sorted, (R, N, n - 1)."""
        if each.number != self._round:  # rounds of one page are played at the same time
            self._known, self._round = self._latest, each.number
        done = self._codes[each.seat, each.action]
        self._latest = np.where(each.took, done, self._latest)
        others = self._cell.co_players(each)
        rows = np.arange(len(done)).reshape(-1, 1, 1)
        return np.sort(self._known[rows, others], axis=-1)


def _named(contexts: Array, labels: Sequence[str]) -> tuple[list[str], Array]:
    """Names of contexts, and the number of each; (m, n - 1) -> (m,)."""
    known = np.where((contexts < 0).any(1, keepdims=True), -1, contexts)
    nothing = np.full((1, known.shape[1]), -1)
    distinct, numbers = np.unique(np.vstack([nothing, known]), axis=0, return_inverse=True)
    names = [", ".join(labels[code] for code in one) for one in distinct[1:].tolist()]
    return [NOTHING_YET, *names], numbers.reshape(-1)[1:]


def _means(values: Array) -> Array:
    """Over moves, (m, L) -> (L,), without those to whom a label was not offered."""
    offered = ~np.isnan(values)
    count = offered.sum(0)
    mean: Array = np.nansum(values, 0) / np.where(count, count, np.nan)
    return mean
