"""How far rounds within rounds go: every loop of rounds is entered once, in silence.

A script may open rounds within rounds (generation, game, round), and its horizon says how many only
one of these loops has. Since lines do not depend on answers, the first round of each tells how many
there are, and whether anything is said in it beside what its inner rounds hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import prod
from typing import NamedTuple

from society.table import Table
from society.talk import Script
from society.wrap import PlayFunction, rehearsed


class Extent(NamedTuple):
    """rounds: in all, and so the number of the last one. sizes: by level, from the outermost.

    As far as it goes if nothing ends the run before, and if loops do not change their length.
    """

    rounds: int
    sizes: tuple[int, ...]


class _Opened(NamedTuple):
    """A round: how many there are of it, and of those around it; kinds of lines said in it."""

    sizes: tuple[int, ...]
    said: list[str]


def extent(play: PlayFunction, table: Table) -> Extent:
    """How many rounds a play has at this table."""
    trial = _Trial(play)
    for line in rehearsed(trial, table):
        if trial.opened:
            trial.opened[-1].said.append(line.kind)
    end = _Opened((), [])
    # Rounds that only hold others are none of their own: so counts the game master.
    counted = [
        one.sizes
        for one, after in pairwise([*trial.opened, end])
        if one.said or len(after.sizes) <= len(one.sizes)
    ]
    return Extent(sum(map(prod, counted)), max(counted, key=len, default=()))


class _Trial:
    """A play that leaves each of its loops after the first round."""

    def __init__(self, play: PlayFunction) -> None:
        self._play = play
        self._sizes: tuple[int, ...] = ()  # of the loops that are under way
        self.opened: list[_Opened] = []

    def __call__(self, table: Table) -> Script:
        rounds = table.rounds

        def first(count: int | None = None) -> Iterator[int]:
            size = table.horizon if count is None else count
            self._sizes = (*self._sizes[: len(table.path)], size)
            yield from rounds(min(size, 1))

        table.rounds = first  # type: ignore[method-assign]
        table.turn_page = lambda: self.opened.append(_Opened(self._sizes, []))
        return self._play(table)
