"""Associative memory: what comes to mind is near to the question, recent or important.

    score = similarity + recency + importance

similarity is the cosine between memory and question; recency is 0.995^age, with the age in moments
since the memory was last added; importance is given, in [0, 1]. Each of the three is stretched over
all that is remembered, so that the least gets 0, the greatest 1, and all count alike.
Source: Park et al. 2023, Generative Agents (UIST), section 4.1.

Two choices are ours. Recalling changes nothing, since answering a question must not change an
agent: to keep a memory fresh that was made use of, add it again. And the same text is one memory:
added again it is as recent as the new one, as important as the more important one of both, and
keeps its vector.

When the memory is full, a new text takes the place of the one with the least importance x recency
(of equals: of the one that was added longest ago). Adding so touches a bounded number of rows, and
remembering n texts costs time in proportion to n; recalling reads all rows once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .embedders import Doubles, Vectors, unit

_DECAY = 0.995  # what is left of recency after one moment
_FIRST_ROWS = 16
_SAME = 1e-6  # similarities closer than this differ by rounding only
_ENTRY = np.dtype([("moment", np.int64), ("turn", np.int64), ("importance", np.float64)])
_Number = TypeVar("_Number", bound=np.generic)


class Item(NamedTuple):
    """A memory: when it was last added, its words, how important it is in [0, 1]."""

    moment: int
    text: str
    importance: float


class AssociativeMemory:
    """A store of `limit` texts at most, each with a vector that the caller brings.

    All vectors must come from one embedder.
    """

    def __init__(self, limit: int = 500) -> None:
        if limit < 1:
            raise ValueError(f"an associative memory of {limit} texts; give a limit of at least 1")
        self._limit = limit
        self._texts: list[str] = []
        self._rows: dict[str, int] = {}  # the row of each text
        self._vectors: Vectors = np.empty((0, 0), np.float32)  # longer than texts: room to grow
        self._entries: NDArray[np.void] = np.empty(0, _ENTRY)
        self._turns = 0  # how often something was added
        self._now = 0  # the moment of the last addition
        self._shared = False  # with a copy, until one of both is changed

    def add(self, moment: int, text: str, vector: ArrayLike, importance: float) -> None:
        """Remember a text with its vector (d,), or refresh it if it is known already.

        Raises ValueError for a moment before the last one, an importance outside [0, 1] or a
        vector of another size than the others.
        """
        self._refuse_past(moment)
        if not 0 <= importance <= 1:
            raise ValueError(f"an importance of {importance}; give one from 0 to 1")
        direction = self._direction(vector)
        self._unshare()
        self._now = moment
        self._turns += 1
        row = self._rows.get(text)
        if row is None:
            row = self._place(text, direction)
        else:
            importance = max(importance, float(self._entries["importance"][row]))
        self._entries[row] = moment, self._turns, importance

    def recall(self, query: ArrayLike, now: int, count: int) -> list[Item]:
        """The `count` memories of the highest score at moment `now`, best first; pure.

        `query` (d,) is the vector of the question. Of equal scores the one added last comes first.
        Raises ValueError for a moment before the last addition, or a query of another size.
        """
        self._refuse_past(now)
        if count < 0:
            raise ValueError(f"{count} memories to recall; give 0 or more")
        if not self._texts:
            return []
        entries = self._entries[: len(self)]
        score = self._score(self._direction(query), now)
        best = np.lexsort((-entries["turn"], -score))[:count]
        return [self._item(row) for row in best]

    def copy(self) -> AssociativeMemory:
        """An independent memory of the same; rows are shared until one of both is added to."""
        self._shared = True
        twin = object.__new__(AssociativeMemory)
        vars(twin).update(vars(self))
        return twin

    def __len__(self) -> int:
        return len(self._texts)

    def __iter__(self) -> Iterator[Item]:
        """All memories, the one added longest ago first."""
        return map(self._item, np.argsort(self._entries["turn"][: len(self)]))

    def _score(self, direction: Vectors, now: int) -> Doubles:
        entries = self._entries[: len(self)]
        # Not a BLAS product: its last bits would depend on the row and on the number of threads.
        similarity = np.einsum("nd,d->n", self._vectors[: len(self)], direction)
        near, important = _stretched(similarity), _stretched(entries["importance"])
        return near + _stretched(self._recency(now)) + important

    def _recency(self, now: int) -> Doubles:
        """Score each memory at moment `now`, (n,)."""
        recency: Doubles = _DECAY ** (now - self._entries["moment"][: len(self)])
        return recency

    def _place(self, text: str, direction: Vectors) -> int:
        """Write a new text into a free row, or over the weakest one."""
        row = len(self)
        if row == self._limit:
            row = self._weakest()
            del self._rows[self._texts[row]]
            self._texts[row] = text
        else:
            self._make_room(len(direction))
            self._texts.append(text)
        self._rows[text] = row
        self._vectors[row] = direction
        return row

    def _weakest(self) -> int:
        entries = self._entries[: len(self)]
        strength = entries["importance"] * self._recency(self._now)
        weakest = np.flatnonzero(strength == strength.min())
        return int(weakest[entries["turn"][weakest].argmin()])

    def _make_room(self, size: int) -> None:
        """Double the rows when all are taken."""
        taken = len(self)
        if taken < len(self._vectors):
            return
        rows = min(max(_FIRST_ROWS, 2 * taken), self._limit)
        self._vectors = _grown(self._vectors.reshape(taken, size), rows)
        self._entries = _grown(self._entries, rows)

    def _unshare(self) -> None:
        if self._shared:
            self._texts, self._rows = self._texts.copy(), self._rows.copy()
            self._vectors, self._entries = self._vectors.copy(), self._entries.copy()
            self._shared = False

    def _direction(self, vector: ArrayLike) -> Vectors:
        """The vector at length 1; (d,)."""
        direction = unit(vector).astype(np.float32)
        size = self._vectors.shape[1] if self._texts else direction.size
        if direction.shape != (size,):
            raise ValueError(
                f"a vector of shape {direction.shape} in a memory of ({size},); "
                "take all vectors from one embedder, one text at a time"
            )
        return direction

    def _refuse_past(self, moment: int) -> None:
        if self._texts and moment < self._now:
            raise ValueError(
                f"moment {moment} in a memory that has come to moment {self._now}; "
                "moments never go back"
            )

    def _item(self, row: int) -> Item:
        entry = self._entries[row]
        return Item(int(entry["moment"]), self._texts[row], float(entry["importance"]))


def _grown(table: NDArray[_Number], rows: int) -> NDArray[_Number]:
    """The same table with room for `rows` rows."""
    grown = np.empty((rows, *table.shape[1:]), table.dtype)
    grown[: len(table)] = table
    return grown


def _stretched(values: NDArray[np.floating]) -> Doubles:
    """Values moved and scaled to reach from 0 to 1; all 0 where they are the same."""
    least, most = float(values.min()), float(values.max())
    if most - least < _SAME:
        return np.zeros(len(values))
    stretched: Doubles = (values.astype(np.float64) - least) / (most - least)
    return stretched
