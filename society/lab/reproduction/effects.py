"""Effects of an analysis of variance with how large they may be.

F of an effect follows the noncentral F distribution; the noncentralities that put the observed F at
either end of its middle 95 % bound partial eta squared, lambda / (lambda + n). Eta squared is that
of what is left when the other effects, taken as they were found, are out of the total.
Source: Steiger 2004, Psychological Methods 9.
"""

from __future__ import annotations

from society.analysis.statistics.anova import Anova, AnovaRow
from society.comparisons import ALPHA, Effect
from society.optional import require


def effects(table: Anova) -> dict[str, Effect]:
    """By name, with the interval of eta squared."""
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
    """That which puts the observed F at this chance of smaller ones; 0 if none does."""
    distribution = require("scipy.stats").ncf

    def beyond(noncentrality: float) -> float:
        return float(distribution.cdf(effect.f, effect.df, df, noncentrality)) - chance

    if beyond(0) <= 0:
        return 0.0
    most = 10.0
    while beyond(most) > 0:
        most *= 2
    return float(require("scipy.optimize").brentq(beyond, 0, most))
