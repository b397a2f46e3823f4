"""The time axis that all rows share: rounds to cells, and values over rounds to bars."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from society.engine.rng import Array
from society.terminal.console import TerminalStyle

from .history import History

_WIDEST_ROUND = 8  # cells
_ROOMY = 100  # cells from which on names of rows may be longer
_NUMBER = 10  # cells at the right, for a number


class TimeAxis(NamedTuple):
    """Rounds 1 to `rounds`, drawn in `cells` cells, at the right of names in `labels` cells."""

    rounds: int
    cells: int
    labels: int = 0

    @classmethod
    def of(cls, rounds: int, room: int, labels: int = 0) -> TimeAxis:
        """Make an axis of at most `room` cells; few rounds take several cells each."""
        rounds = max(rounds, 1)
        return cls(rounds, max(min(room, _WIDEST_ROUND * rounds), 1), labels)

    @classmethod
    def of_frame(cls, history: History, width: int) -> TimeAxis:
        """Make the axis of a frame of this width: of what was played, and what was planned."""
        stage, measures = history.manifest.stage, history.manifest.measures
        names = [*stage.links.values(), *stage.notes, *(one.name for one in measures)]
        longest = max(map(len, [*names, *(stage.gauge or ())[:1]]), default=0)
        labels = min(max(longest + 1, _NUMBER), 18 if width >= _ROOMY else 13)
        return cls.of(max(history.last, history.manifest.most), width - labels - _NUMBER, labels)

    def cell(self, number: int) -> int:
        """Return the first cell of a round; round 0 shares that of the first one."""
        return min(max(number - 1, 0) * self.cells // self.rounds, self.cells - 1)

    def end(self, number: int) -> int:
        """Return the cell after those of a round."""
        return max(self.cell(number + 1), self.cell(number) + 1)

    def sums(self, rounds: Array, times: Array, *, wide: bool = False) -> Array:
        """Count what happened in each cell, (cells,), from rounds and how often it did there.

        wide: in all cells of a round, rather than in its first one.
        """
        if wide and self.cells > self.rounds:
            within = np.arange(1, self.cells + 1) * self.rounds
            counted = np.bincount(np.maximum(rounds, 1), times, minlength=self.rounds + 1)
            return counted[-(-within // self.cells)]
        cells = np.minimum(np.maximum(rounds - 1, 0) * self.cells // self.rounds, self.cells - 1)
        return np.bincount(cells, times, minlength=self.cells)

    def spread(self, values: Array) -> Array:
        """Return a value per cell from values by round, (T + 1,): the last one that was told.

        What comes before the first value, and after the last one, is NaN.
        """
        known = np.flatnonzero(np.isfinite(values))
        if not len(known):
            return np.full(self.cells, np.nan)
        ends = np.ceil(np.arange(1, self.cells + 1) * self.rounds / self.cells).astype(int)
        before = np.searchsorted(known, ends, side="right") - 1
        shown = np.where(before >= 0, values[known[np.maximum(before, 0)]], np.nan)
        shown[ends > known[-1] + max(1, -(-self.rounds // self.cells))] = np.nan
        return shown

    def name(self, style: TerminalStyle, words: str, ink: str = "") -> Text:
        """Draw the name of a row."""
        shown = style.cut(words.replace("_", " "), self.labels - 1)
        return Text().append(shown + " " * (self.labels - cell_len(shown)), ink)

    def bars(self, style: TerminalStyle, values: Array, scale: float, here: int, ink: str) -> Text:
        """Draw values by round as bars; what comes after the round one looks at is dim."""
        line = Text(style.sparkline(self.spread(values).tolist(), scale), ink)
        line.stylize("dim", self.end(here))
        return line
