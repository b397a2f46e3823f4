"""How types of agents did that met each other in one condition, as judges of claims see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from society.analysis.crossplay import GameCell, RunStandings, has_game_moves
from society.analysis.metagame import normalised
from society.analysis.statistics.samples import NotEstimable
from society.analysis.study.condition import ConditionRun
from society.claims import Untold
from society.comparisons import Fared, Metric
from society.draws import Array


def read(run: ConditionRun) -> GameCell:
    """A condition; raises Untold if its run does not keep who did what."""
    if not has_game_moves(run):
        raise Untold(f"the run of {run.name} does not keep what everybody did in a game")
    return GameCell.read(run)


def fared(cell: GameCell, metric: Metric) -> Fared:
    """In each of its n repetitions; raises Untold, as for fitness where partners change."""
    try:
        rows = np.stack([MEASURED[metric](cell, some) for some in _repetitions(cell)])
    except NotEstimable as reason:
        raise Untold(str(reason)) from None
    average, *each = rows.T
    return Fared(average, dict(zip(cell.names, each, strict=True)))


def _repetitions(cell: GameCell) -> list[Array]:
    """The replicates of each, (R,) of bool."""
    return [cell.repetition == number for number in range(int(cell.repetition.max()) + 1)]


def _scaled(metric: str) -> Callable[[GameCell, Array], Array]:
    def of(cell: GameCell, some: Array) -> Array:
        low, high = cell.game.equilibrial, cell.game.cooperative
        if low is None or high is None:
            raise NotEstimable("a game without cooperation has nothing to compare payoffs with")
        points = RunStandings(cell, some).value(metric)
        return normalised(points, float(np.mean(low)), float(np.mean(high)))

    return of


def _cooperation(cell: GameCell, some: Array) -> Array:
    """Share of moves, that were really made, in which a player cooperates."""
    if cell.game.cooperation is None:
        raise NotEstimable("there is no cooperation in this game")
    wanted = np.array(cell.game.cooperation)
    made = cell.decisions
    cooperates, types = made.action == wanted[made.seat], cell.types[made.replicate, made.agent]
    kept = (some & ~cell.void)[made.replicate]
    shares = []
    for number in (None, *range(len(cell.names))):
        moves = cooperates[kept if number is None else kept & (types == number)]
        shares.append(moves.mean() if moves.size else np.nan)
    return np.array(shares)


MEASURED: Mapping[Metric, Callable[[GameCell, Array], Array]] = {
    "mean": _scaled("Mean"),
    "fitness": _scaled("Fitness"),
    "rank": lambda cell, some: RunStandings(cell, some).value("DevRank"),
    "cooperation": _cooperation,
}
