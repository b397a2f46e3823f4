"""The time axis that all rows share: rounds to cells, and values over rounds to bars."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from rich.text import Text

from society.engine.rng import Array
from society.terminal.console import TerminalStyle

_WIDEST_ROUND = 3  # cells


class TimeAxis(NamedTuple):
    """Rounds 1 to `rounds`, drawn in `cells` cells."""

    rounds: int
    cells: int

    @classmethod
    def of(cls, rounds: int, room: int) -> TimeAxis:
        """Make an axis of at most `room` cells; few rounds take several cells each."""
        rounds = max(rounds, 1)
        each = min(room // rounds, _WIDEST_ROUND)
        return cls(rounds, each * rounds if each else max(room, 1))

    def cell(self, number: int) -> int:
        """Return the cell of a round; round 0 shares that of the first one."""
        return min(max(number - 1, 0) * self.cells // self.rounds, self.cells - 1)

    def spread(self, values: Array) -> Array:
        """Return a value per cell from values by round, (T + 1,): the last one that was told.

        What comes after the last value is NaN, and so is what comes before the first one.
        """
        known = np.flatnonzero(np.isfinite(values))
        if not len(known):
            return np.full(self.cells, np.nan)
        ends = np.ceil(np.arange(1, self.cells + 1) * self.rounds / self.cells).astype(int)
        before = np.searchsorted(known, ends, side="right") - 1
        shown = np.where(before >= 0, values[known[np.maximum(before, 0)]], np.nan)
        shown[ends > known[-1] + max(1, -(-self.rounds // self.cells))] = np.nan
        return shown

    def bars(self, style: TerminalStyle, values: Array, scale: float, here: int, ink: str) -> Text:
        """Draw values by round as bars; the round that one looks at stands out."""
        line = Text(style.sparkline(self.spread(values).tolist(), scale), ink)
        at, each = self.cell(here), max(self.cells // self.rounds, 1)
        line.stylize("dim", at + each)
        line.stylize("bold reverse", at, at + each)
        return line
