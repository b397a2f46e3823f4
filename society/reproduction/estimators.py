"""Sizes of effects, and scores of types in a game, for judges of claims.

F of an effect follows the noncentral F distribution; the noncentralities that put the observed F at
either end of its middle 95 % bound partial eta squared, lambda / (lambda + n). Eta squared is that
of what is left when the other effects, taken as they were found, are out of the total.
Source: Steiger 2004, Psychological Methods 9.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from society.analysis.crossplay import GameCell, RunStandings, has_game_moves
from society.analysis.metagame import normalise_payoffs
from society.analysis.statistics.anova import Anova, AnovaRow
from society.analysis.statistics.samples import NotEstimable
from society.analysis.study.condition import ConditionRun
from society.claims.comparisons import ALPHA, Effect, Metric, TypeScores
from society.claims.types import InsufficientEvidence
from society.engine.rng import Array
from society.optional import require


def effects_by_name(table: Anova) -> dict[str, Effect]:
    """The effects of an analysis by name, with the interval of eta squared."""
    residual = table.residual
    return {
        row.name: Effect(
            row.name, row.df, residual.df, row.f, row.p, row.eta_squared, *_sizes(row, residual)
        )
        for row in table.sources
        if row.f is not None and row.p is not None
    }


def _sizes(effect: AnovaRow, residual: AnovaRow) -> tuple[float, float]:
    """The interval of eta squared."""
    own = effect.eta_squared + residual.eta_squared
    runs = effect.df + residual.df + 1
    bounds = (_noncentrality(effect, residual.df, chance) for chance in (1 - ALPHA / 2, ALPHA / 2))
    low, high = (own * bound / (bound + runs) for bound in bounds)
    return low, high


def _noncentrality(effect: AnovaRow, df: int, chance: float) -> float:
    """Find the noncentrality under which a smaller F has this chance; 0 if there is none."""
    distribution = require("scipy.stats").ncf

    def beyond(noncentrality: float) -> float:
        return float(distribution.cdf(effect.f, effect.df, df, noncentrality)) - chance

    if beyond(0) <= 0:
        return 0.0
    most = 10.0
    while beyond(most) > 0:
        most *= 2
    return float(require("scipy.optimize").brentq(beyond, 0, most))


def read_cell(run: ConditionRun) -> GameCell:
    """Read a condition as a game among types.

    Raises InsufficientEvidence if its run does not keep who did what.
    """
    if not has_game_moves(run):
        why = f"the run of {run.name} does not keep what everybody did in a game"
        raise InsufficientEvidence(why)
    return GameCell.read(run)


def type_scores(cell: GameCell, metric: Metric) -> TypeScores:
    """Score the types in each of n repetitions.

    Raises InsufficientEvidence, as for fitness where partners change.
    """
    try:
        rows = np.stack([MEASURED[metric](cell, some) for some in _repetitions(cell)])
    except NotEstimable as reason:
        raise InsufficientEvidence(str(reason)) from None
    average, *each = rows.T
    return TypeScores(average, dict(zip(cell.names, each, strict=True)))


def _repetitions(cell: GameCell) -> list[Array]:
    """The replicates of each, (R,) of bool."""
    return [cell.repetition == number for number in range(int(cell.repetition.max()) + 1)]


def _scaled(metric: str) -> Callable[[GameCell, Array], Array]:
    def of(cell: GameCell, some: Array) -> Array:
        low, high = cell.game.equilibrial, cell.game.cooperative
        if low is None or high is None:
            raise NotEstimable("a game without cooperation has nothing to compare payoffs with")
        points = RunStandings(cell, some).value(metric)
        return normalise_payoffs(points, float(np.mean(low)), float(np.mean(high)))

    return of


def _cooperates(cell: GameCell) -> Array:
    """Mark the moves in which a player cooperates, (m,) of bool; raises NotEstimable."""
    if cell.game.cooperation is None:
        raise NotEstimable("there is no cooperation in this game")
    wanted = np.array(cell.game.cooperation)
    made = cell.decisions
    cooperates: Array = made.action == wanted[made.seat]
    return cooperates


def _cooperation(cell: GameCell, some: Array) -> Array:
    """Share of moves, that were really made, in which a player cooperates."""
    return _share_of_moves(cell, some, _cooperates(cell))


def _first_cooperation(cell: GameCell, some: Array) -> Array:
    """Share of moves of the first round, before there is any history, that cooperate."""
    rounds = cell.decisions.round
    return _share_of_moves(cell, some, _cooperates(cell), rounds == rounds.min(initial=1))


def _delegation(cell: GameCell, some: Array) -> Array:
    """Share of moves that are left to a mediator."""
    return _share_of_moves(cell, some, cell.decisions.delegated)


def _share_of_moves(
    cell: GameCell, some: Array, marked: Array, counted: Array | bool = True
) -> Array:
    """Share of the counted moves that are marked, of all and of each type; both (m,) of bool."""
    made = cell.decisions
    types = cell.types[made.replicate, made.agent]
    kept = (some & ~cell.void)[made.replicate] & counted
    shares = []
    for number in (None, *range(len(cell.names))):
        moves = marked[kept if number is None else kept & (types == number)]
        shares.append(moves.mean() if moves.size else np.nan)
    return np.array(shares)


MEASURED: Mapping[Metric, Callable[[GameCell, Array], Array]] = {
    "mean": _scaled("Mean"),
    "fitness": _scaled("Fitness"),
    "rank": lambda cell, some: RunStandings(cell, some).value("DevRank"),
    "cooperation": _cooperation,
    "first_cooperation": _first_cooperation,
    "delegation": _delegation,
}
