"""From when on no efforts can save a village: the least wealth with which it lives to its horizon.

n villagers fish alike, and nobody is fined. m_t(S) is the least wealth at the end of round t, with
S fish in the lake, with which all can live through the last round T:
    m_T(S) = 0, and infinite where the lake has collapsed
    m_t(S) = max(0, min over what is left of max(m_t+1(S'), 0) - (S - left) / n + c),
with S' = regrow(left) and S - left at most what all land at full effort. Along wealth this is
exact, so that a grid is needed for the stock alone. The grid is of fish left, so that the stocks
that follow are those that the scenario's own growth gives.

The rules r, c, alpha and R_min may differ from round to round; then S' is what the rules of its own
round leave, and there is a grid of stocks for each. K is the same in all.

As long as the lake regrows to more from more (r <= 1, S <= K), m falls in S, and two functions on
the grid hold it between them:
    high    what is left must lie on the grid: a plan that can be carried out, so that who has as
            much lives
    low     between two points of the grid all is taken as if the lower were fished down to and the
            upper regrew: better than any plan, so that who has less dies
They are read for a stock from the point below (high) or above it (low).

Alike is a restriction: villagers who fish unequally, the poor more, may live where equal efforts
fail. But no efforts at all save a village whose mean wealth is below `low`: the mean of any plan is
that of villagers who fish alike and share all, and these would die. The bounds are ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array
from society.scenarios.village.lake import Lake, land_catch, regrow

_POINTS = 8_001  # of the grid
FASTEST = 1.0  # r beyond which more fish may leave fewer


class LeastWealth(NamedTuple):
    """Bounds of m_t(S) on a grid of stocks.

    stock: (K,), ascending, by the number t of rounds that are over, from 0 to T. low, high:
    (T + 1, K), by t. step: fish between two points of the grid, before growth.
    """

    stock: tuple[Array, ...]
    low: Array
    high: Array
    step: float

    def savable(self, over: int, stock: float, wealth: float) -> bool:
        """Tell whether equal efforts save all for certain, after so many rounds."""
        place = self.place_below(over, stock)
        return place >= 0 and wealth >= float(self.high[over, place])

    def doomed(self, over: int, stock: float, wealth: float) -> bool:
        """Tell whether equal efforts save nobody for certain, after so many rounds."""
        place = min(int(np.searchsorted(self.stock[over], stock)), self.low.shape[1] - 1)
        return wealth < float(self.low[over, place])

    def place_below(self, over: int, stock: float) -> int:
        """Return the place of the last point of the grid that is no larger than a stock, or -1."""
        return int(np.searchsorted(self.stock[over], stock, side="right")) - 1


def least_wealth(rules: Sequence[Lake], villagers: int, points: int = _POINTS) -> LeastWealth:
    """Bound the least wealth with which so many villagers live through all rounds.

    rules: the parameters of each round, with one capacity. Raises ValueError for a growth above
    FASTEST.
    """
    fastest, rounds = max(p.growth for p in rules), len(rules)
    if fastest > FASTEST:
        raise ValueError(f"growth {fastest:g} is above {FASTEST:g}")
    left = np.linspace(0, rules[0].capacity, points)
    grids = {p.growth: regrow(p, left) for p in rules}
    # The stock at the end of no round is that of any grid; it is read from the first round's.
    stock = tuple(grids[p.growth] for p in (rules[0], *rules))
    low = np.empty((rounds + 1, points))
    high = np.empty_like(low)
    low[rounds] = high[rounds] = np.where(_collapsed(rules[-1], stock[-1]), np.inf, 0.0)
    share, reach = left / villagers, None
    for over in range(rounds - 1, -1, -1):
        today = rules[over]  # of round over + 1
        if reach is None or not reach.holds(today, stock[over]):
            reach = _Reach(today, stock[over], left, villagers)
        eaten = today.consumption - stock[over] / villagers
        plans = _Least(high[over + 1] + share)
        high[over] = np.maximum(plans.between(reach.first_on, reach.last) + eaten, 0)
        # Fished down to the lower point, regrown from the upper one.
        upper = np.append(low[over + 1][1:], low[over + 1][-1])
        low[over] = np.maximum(
            _Least(upper + share).between(reach.first_off, reach.last) + eaten, 0
        )
        if over:  # before the first round a lake has not collapsed yet
            gone = _collapsed(rules[over - 1], stock[over])
            low[over, gone] = high[over, gone] = np.inf
    return LeastWealth(stock, low, high, float(left[1]))


def _collapsed(p: Lake, stock: Array) -> Array:
    gone: Array = stock <= p.collapse_at * p.capacity
    return gone


class _Reach:
    """Return what may be left of each stock, as places in the grid: from full effort to none.

    first_on: the first point that can be left. first_off: the one below what full effort leaves.
    """

    def __init__(self, p: Lake, stock: Array, left: Array, villagers: int) -> None:
        self._of = p.catchability, stock
        least = stock - land_catch(p, np.ones((len(stock), villagers)), stock[:, None]).sum(1)
        self.first_on = np.searchsorted(left, least)
        self.first_off = np.maximum(np.searchsorted(left, least, "right") - 1, 0)
        self.last = np.searchsorted(left, stock, "right") - 1

    def holds(self, p: Lake, stock: Array) -> bool:
        """Tell whether it is that of these rules and stocks."""
        return self._of[0] == p.catchability and self._of[1] is stock


class _Least:
    """The least value of any stretch of an array, by stretches of 1, 2, 4, ... entries."""

    def __init__(self, values: Array) -> None:
        self._rows = [values]
        while (reach := 1 << (len(self._rows) - 1)) * 2 <= len(values):
            row = self._rows[-1]
            self._rows.append(np.minimum(row[:-reach], row[reach:]))

    def between(self, first: Array, last: Array) -> Array:
        """Return the least value from `first` to `last`, both included; inf for none, (K,) each."""
        size = last - first + 1
        found = np.full(len(first), np.inf)
        depth = np.log2(np.maximum(size, 1)).astype(int)
        for level in np.unique(depth[size > 0]):
            here = np.flatnonzero((depth == level) & (size > 0))
            row, reach = self._rows[level], 1 << int(level)
            found[here] = np.minimum(row[first[here]], row[last[here] - reach + 1])
        return found
