"""Lanes of marks: all marks of one sort in a replicate, ready to be drawn and searched."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array

from .glyphs import Glyphs
from .history import BORDER, BORN, ENDED, GONE, VACANT, History, Mark


class Lane(NamedTuple):
    """Marks of one lane in order; rounds, times: of each mark, (M,)."""

    name: str
    marks: tuple[Mark, ...]
    rounds: Array
    times: Array

    def until(self, number: int) -> tuple[Mark, ...]:
        """Return the marks up to and including a round."""
        return self.marks[: int(np.searchsorted(self.rounds, number, side="right"))]


def lanes(history: History, replicate: int) -> dict[str, Lane]:
    """Return the lanes of a replicate that hold marks, in the order of their first ones."""
    return _gathered(history, replicate, history.gathered(replicate))


def last_round(history: History, replicate: int) -> int:
    """Return the last round that a replicate lived: the one in which it ended, if it did."""
    ended = lanes(history, replicate).get(ENDED)
    return history.last if ended is None else int(ended.rounds[-1])


@lru_cache(maxsize=16)
def _gathered(history: History, replicate: int, rounds: int) -> dict[str, Lane]:
    found: dict[str, list[Mark]] = {}
    for mark in history.course(replicate).marks:
        found.setdefault(mark.lane, []).append(mark)
    return {name: _lane(name, marks) for name, marks in found.items()}


def _lane(name: str, marks: list[Mark]) -> Lane:
    rounds = np.array([mark.round for mark in marks])
    return Lane(name, tuple(marks), rounds, np.array([mark.times for mark in marks]))


def lane_look(history: History, lane: str, glyphs: Glyphs) -> tuple[str, str]:
    """Return the glyph and the colour of a lane."""
    usual = {GONE: (glyphs.gone, "red"), BORN: (glyphs.born, "green")}
    usual |= {VACANT: (glyphs.vacant, "dim")}
    usual |= {ENDED: (glyphs.ended, "bold red"), BORDER: (glyphs.border, "dim")}
    if lane in usual:
        return usual[lane]
    if lane in history.manifest.stage.notes:
        return glyphs.note, "magenta"
    return glyphs.deed, "yellow"
