"""What children have from their parents: heritable public columns, in words where they have any."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from society.draws import Array

if TYPE_CHECKING:
    from society.runs.runfile import Manifest


class Traits:
    """The heritable columns of one replicate."""

    def __init__(self, manifest: Manifest, replicate: int = 0) -> None:
        self._columns = {one.name: one for one in manifest.columns if one.heritable}
        # What is quoted has its own place.
        self.names = tuple(name for name in self._columns if name not in manifest.stage.quotes)
        self._owners = {
            name: manifest.seated(one.cohorts, replicate) for name, one in self._columns.items()
        }

    def shown(self, name: str, values: Array) -> Array:
        """A column, (N,), by its labels; those who do not have it have nothing to show."""
        if name not in self._columns or values.dtype.kind not in "biu":
            return values
        has, labels = self._owners[name], self._columns[name].labels
        if not labels:
            return np.where(has, values, np.nan)
        words: Array = np.array([*labels, None], object)[np.where(has, values, -1)]
        return words
