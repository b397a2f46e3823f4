"""A run of cross-play on a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from society.draws import Array
from society.lab.study.played import Studied
from society.theatre.crossplay import scoreboard

from .cell import Cell, plays

if TYPE_CHECKING:
    from rich.console import Console


def shown(path: Path, console: Console) -> None:
    """Print who scored what against whom; nothing for a run of another kind."""
    run = Studied.read(path, path.stem, {})
    if len(run.manifest.cohorts) < 2 or not plays(run):
        return
    cell = Cell.read(run)
    means = [own.mean() if own.size else np.nan for own in cell.by_type(cell.scores)]
    met = _met(cell) if cell.matches == 1 else None
    scoreboard(cell.names, np.array(means), met, int(cell.void.sum()), console)


def _met(cell: Cell) -> Array:
    """The mean score of each type beside a co-player of each, (K, K); NaN if they never met."""
    found = cell.matchups()
    there = ~np.isnan(found.payoffs).any(1)
    seats, payoffs = found.seats[there], found.payoffs[there]
    types = len(cell.names)
    total, count = np.zeros((2, types, types))
    for own in range(seats.shape[1]):
        for other in range(seats.shape[1]):
            if own != other:
                pair = seats[:, own], seats[:, other]
                np.add.at(total, pair, payoffs[:, own])
                np.add.at(count, pair, 1)
    met: Array = total / np.where(count, count, np.nan)
    return met
