"""How types of agents did that met each other in one condition, as judges of claims see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from society.analysis.crossplay import Cell, Standing, plays
from society.analysis.metagame import normalised
from society.analysis.statistics.samples import Unanswerable
from society.analysis.study.condition import Studied
from society.claims import Untold
from society.comparisons import Fared, Metric
from society.draws import Array


def read(run: Studied) -> Cell:
    """A condition; raises Untold if its run does not keep who did what."""
    if not plays(run):
        raise Untold(f"the run of {run.name} does not keep what everybody did in a game")
    return Cell.read(run)


def fared(cell: Cell, metric: Metric) -> Fared:
    """In each of its n repetitions; raises Untold, as for fitness where partners change."""
    try:
        rows = np.stack([MEASURED[metric](cell, some) for some in _repetitions(cell)])
    except Unanswerable as reason:
        raise Untold(str(reason)) from None
    average, *each = rows.T
    return Fared(average, dict(zip(cell.names, each, strict=True)))


def _repetitions(cell: Cell) -> list[Array]:
    """The replicates of each, (R,) of bool."""
    return [cell.repetition == number for number in range(int(cell.repetition.max()) + 1)]


def _scaled(metric: str) -> Callable[[Cell, Array], Array]:
    def of(cell: Cell, some: Array) -> Array:
        low, high = cell.game.equilibrial, cell.game.cooperative
        if low is None or high is None:
            raise Unanswerable("a game without cooperation has nothing to compare payoffs with")
        points = Standing(cell, some).value(metric)
        return normalised(points, float(np.mean(low)), float(np.mean(high)))

    return of


def _cooperation(cell: Cell, some: Array) -> Array:
    """Share of moves, that were really made, in which a player cooperates."""
    if cell.game.cooperation is None:
        raise Unanswerable("there is no cooperation in this game")
    wanted = np.array(cell.game.cooperation)
    kept: Array = some[:, None] & ~cell.void[:, None]
    shares = []
    for number in (None, *range(len(cell.names))):
        mine = kept if number is None else kept & (cell.types == number)
        moves = [(each.action == wanted[each.seat])[mine & each.took] for each in cell.rounds]
        made = np.concatenate(moves)
        shares.append(made.mean() if made.size else np.nan)
    return np.array(shares)


MEASURED: Mapping[Metric, Callable[[Cell, Array], Array]] = {
    "mean": _scaled("Mean"),
    "fitness": _scaled("Fitness"),
    "rank": lambda cell, some: Standing(cell, some).value("DevRank"),
    "cooperation": _cooperation,
}
