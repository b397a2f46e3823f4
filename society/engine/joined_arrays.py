"""Arrays of all replicates that are joined from those of slices when they are looked at.

A round of slices has some megabytes of them, of which a record at level summary reads next to none,
and a digest can be computed part by part: so the rows of most may stay where they were computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np

from .array_digests import Rows, rows_of
from .rng import Array

K = TypeVar("K")


class SplitArray:
    """One array, (R, ...), in parts along its first axis; `whole` joins them, once."""

    def __init__(self, parts: Sequence[Rows]) -> None:
        self.parts = tuple(parts)

    @property
    def alike(self) -> bool:
        """Whether its bytes are those of its parts, one after the other: numbers of one dtype."""
        first = self.parts[0]
        form = first.dtype, first.shape[1:]
        return len(self.parts) == 1 or (
            first.dtype.kind not in "OU"
            and all((one.dtype, one.shape[1:]) == form for one in self.parts)
        )

    @property
    def whole(self) -> Array:
        """The joined array, read-only; the parts are let go. Raises RowsElsewhere."""
        if len(self.parts) > 1:
            joined = np.concatenate([rows_of(part) for part in self.parts])
            joined.flags.writeable = False
            self.parts = (joined,)
        return rows_of(self.parts[0])


class JoinedArrays(Mapping[K, Array]):
    """Arrays by key, each of which is joined when it is first looked at."""

    def __init__(self, split: Mapping[K, SplitArray]) -> None:
        self._split = split

    def __getitem__(self, key: K) -> Array:
        return self._split[key].whole

    def __contains__(self, key: object) -> bool:
        return key in self._split

    def __iter__(self) -> Iterator[K]:
        return iter(self._split)

    def __len__(self) -> int:
        return len(self._split)

    def split(self, key: K) -> SplitArray:
        """Return an array as it is, joined or in parts."""
        return self._split[key]
