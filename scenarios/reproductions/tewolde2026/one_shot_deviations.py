"""One-shot deviations: when keeping to a plan is optimal, now and in whatever may come.

One player decides again and again while all others keep to their strategies, and a round follows
with chance d, the continuation probability. What others do depends on the history through finitely
many states. Keeping to its plan is worth, from each state on,

    V = (1 - d) u + d P V,    V = (1 - d) (I - d P)^-1 u

and a plan is optimal everywhere if, at no decision, another action taken once pays. Strategies of
which that is true of all players are a subgame perfect equilibrium; they are a Nash equilibrium if
no plan at all is better from the first state on.
Source: the one-shot deviation principle, Blackwell 1965; Mailath and Samuelson 2006, Repeated Games
and Reputations, section 2.2; policy iteration, Howard 1960.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array

CLOSE = 1e-9  # points: what is gained by rounding
_PATIENT = 0.999  # as high as thresholds are sought


class Decisions(NamedTuple):
    """The plan of one player, in S states with H decisions in all, among A actions each.

    chance: (S, H), of each decision in a state. points: (H, A), of this round. then: (H, A, S), the
    chance of each next state. plan: (H, A), the probabilities with which it is to choose. The first
    state is the one before the first round.
    """

    chance: Array
    points: Array
    then: Array
    plan: Array

    def values(self, d: float) -> Array:
        """Return the value of the plan from each state on, in points a round, (S,)."""
        return self._values(self.plan, d)

    def gains(self, d: float) -> Array:
        """Return the gain of taking an action once, in points of this round, (H, A)."""
        worth = self._worth(self.values(d), d)
        planned = (self.plan * worth).sum(1, keepdims=True)
        gains: Array = (worth - planned) / (1 - d)
        return gains

    def best(self, d: float) -> Array:
        """Return the value of the best plan of all from each state on, (S,)."""
        plan = self.plan
        while True:
            values = self._values(plan, d)
            worth = self._worth(values, d)
            if (worth - (plan * worth).sum(1, keepdims=True)).max() <= CLOSE * (1 - d):
                return values
            plan = np.eye(worth.shape[1])[worth.argmax(1)]

    def _values(self, plan: Array, d: float) -> Array:
        points = self.chance @ (plan * self.points).sum(1)
        then = self.chance @ (plan[..., None] * self.then).sum(1)
        values: Array = np.linalg.solve(np.eye(len(then)) - d * then, (1 - d) * points)
        return values

    def _worth(self, values: Array, d: float) -> Array:
        worth: Array = (1 - d) * self.points + d * self.then @ values
        return worth


def subgame_perfect(players: Iterable[Decisions], d: float) -> bool:
    """Tell whether no deviation at any decision of any player pays."""
    return all(one.gains(d).max() <= CLOSE for one in players)


def is_nash(players: Iterable[Decisions], d: float) -> bool:
    """Tell whether no player has a better plan before the first round."""
    return all(one.best(d)[0] - one.values(d)[0] <= CLOSE * (1 - d) for one in players)


def lowest_threshold(holds: Callable[[float], bool]) -> float | None:
    """The lowest continuation probability from which on something holds; None if it never does.

    >>> round(lowest_threshold(lambda d: d >= 0.25), 6), lowest_threshold(lambda d: d > 2)
    (0.25, None)
    """
    if holds(0):
        return 0.0
    if not holds(_PATIENT):
        return None
    low, high = 0.0, _PATIENT
    while high - low > CLOSE:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
