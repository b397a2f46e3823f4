"""The course of a number over rounds, for sparklines."""

from __future__ import annotations

import math


class Trace:
    """The course of a number over rounds in bounded memory: when full, neighbours are averaged."""

    _ROOM = 512

    def __init__(self) -> None:
        self.samples: list[float] = []
        self.step = 1  # rounds per sample
        self._pending: list[float] = []

    def add(self, value: float) -> None:
        """Add the number of the next round."""
        self._pending.append(value)
        if len(self._pending) == self.step:
            self.samples.append(math.fsum(self._pending) / self.step)
            self._pending = []
        if len(self.samples) == self._ROOM:
            pairs = zip(self.samples[::2], self.samples[1::2], strict=True)
            self.samples = [(early + late) / 2 for early, late in pairs]
            self.step *= 2

    @property
    def rounds(self) -> int:
        """Return the number of rounds that the samples stand for."""
        return self.step * len(self.samples)

    def spread(self, rounds: int, cells: int) -> list[float]:
        """Resample the course to `cells` that stretch over `rounds`; future cells are left out.

        >>> trace = Trace()
        >>> for value in (9, 8, 7): trace.add(value)
        >>> trace.spread(rounds=6, cells=4)
        [9.0, 7.0]
        """
        samples = self.samples  # which another thread may replace while this one draws
        places = (int((cell + 0.5) / cells * rounds / self.step) for cell in range(cells))
        return [samples[place] for place in places if place < len(samples)]
