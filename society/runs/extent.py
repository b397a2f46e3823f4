"""How far rounds within rounds go: every loop of rounds is entered once, in silence.

A script may open rounds within rounds (generation, game, round), and its horizon says how many only
one of these loops has. Since lines do not depend on answers, the first round of each tells how many
there are, and whether anything is said in it beside what its inner rounds hold.
"""

from __future__ import annotations

from itertools import pairwise
from math import prod
from typing import NamedTuple

from society.table import Table
from society.wrap import PlayFunction, aside, silent_lines


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
    alone = aside(table, first_rounds_only=True)
    opened: list[_Opened] = []
    for line in silent_lines(play, alone):
        opened += [_Opened(one.sizes, []) for one in alone.newly_opened()]
        if opened:
            opened[-1].said.append(line.kind)
    opened += [_Opened(one.sizes, []) for one in alone.newly_opened()]
    end = _Opened((), [])
    # Rounds that only hold others are none of their own: so counts the game master.
    counted = [
        one.sizes
        for one, after in pairwise([*opened, end])
        if one.said or len(after.sizes) <= len(one.sizes)
    ]
    return Extent(sum(map(prod, counted)), max(counted, key=len, default=()))
