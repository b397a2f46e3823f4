"""Normal-form games: what each player may do, and what everybody gets for it.

n players choose at the same time, player j one of its A_j actions; a profile names the action of
each by its index. Payoffs are in points. Agents see the game as `rules`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array

REPAIRS = 5  # of an answer that cannot be read: six attempts, as in the study of Tewolde et al.
ABSENT = -1  # in place of an action: of who does not take part, or plays in another group
_MOST = 1_000_000  # payoffs of a table
Profile = tuple[int, ...]


class GameOutcome(NamedTuple):
    """One cell of a game, as one of its players sees it.

    mine, theirs: labels of actions; the co-players' in order of seat. points, their_points: what
    they come to.
    """

    mine: str
    theirs: tuple[str, ...]
    points: float
    their_points: tuple[float, ...]


class Game(ABC):
    """A normal-form game.

    actions: labels, by seat. cooperation: the profile in which everybody cooperates; equilibrium:
    the Nash equilibrium with which it is compared. None where a game has none that matters.
    """

    actions: tuple[tuple[str, ...], ...]
    cooperation: Profile | None
    equilibrium: Profile | None

    @property
    def players(self) -> int:
        return len(self.actions)

    @abstractmethod
    def paid(self, profile: Array) -> Array:
        """Return the points of all players, (..., n), for indices of actions, (..., n).

        Where somebody is ABSENT, it is NaN in a game that must have all its players.
        """

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of actions of each player."""
        return tuple(len(labels) for labels in self.actions)

    @cached_property
    def payoff_span(self) -> tuple[float, float] | None:
        """Mean payoffs in equilibrium and where all cooperate; None where that is not more."""
        if self.cooperation is None or self.equilibrium is None:
            return None
        low, high = (
            self.paid(np.array(one)).mean() for one in (self.equilibrium, self.cooperation)
        )
        return (low, high) if high > low else None

    @cached_property
    def payoffs(self) -> Array:
        """The array of payoffs, (n, A_1, ..., A_n); raises ValueError for one that is too large."""
        if self.players * np.prod(self.sizes, dtype=float) > _MOST:
            raise ValueError(f"{self.players} players have too many profiles to be listed")
        profiles = np.moveaxis(np.indices(self.sizes), 0, -1)
        return np.ascontiguousarray(np.moveaxis(self.paid(profiles), -1, 0))

    def listed(self, seat: int) -> Iterator[GameOutcome]:
        """Every cell, as the player on a seat, counted from 0, sees it; the own action first."""
        others = [j for j in range(self.players) if j != seat]
        for own, *theirs in product(*(range(self.sizes[j]) for j in (seat, *others))):
            profile = dict(zip((seat, *others), (own, *theirs), strict=True))
            at = tuple(profile[j] for j in range(self.players))
            points = [float(one[at]) for one in self.payoffs]
            labels = [self.actions[j][profile[j]] for j in range(self.players)]
            yield GameOutcome(
                labels[seat],
                tuple(labels[j] for j in others),
                points[seat],
                tuple(points[j] for j in others),
            )

    def best(self, seat: int, profile: Sequence[int]) -> list[int]:
        """The best actions of one player against what the others do in a profile."""
        at: list[Any] = [*profile[:seat], slice(None), *profile[seat + 1 :]]
        own = self.payoffs[seat][tuple(at)]
        return np.flatnonzero(own >= own.max()).tolist()

    def equilibria(self) -> Iterator[Profile]:
        """All Nash equilibria in pure strategies."""
        for profile in product(*map(range, self.sizes)):
            if all(profile[j] in self.best(j, profile) for j in range(self.players)):
                yield profile


@dataclass(frozen=True, eq=False)
class NormalForm(Game):
    """A game by its table.

    cells: (A_1, ..., A_n, n), the payoffs of all in each cell.

    >>> game = NormalForm(np.array([[[2, 2], [0, 3]], [[3, 0], [1, 1]]]), number_labels(2, 2))
    >>> game.paid(np.array([1, 0])).tolist(), list(game.equilibria())
    ([3.0, 0.0], [(1, 1)])
    """

    cells: Array
    actions: tuple[tuple[str, ...], ...]
    cooperation: Profile | None = None
    equilibrium: Profile | None = None

    @cached_property
    def _columns(self) -> tuple[Array, ...]:
        return tuple(
            np.ascontiguousarray(self.cells[..., j], float).reshape(-1) for j in range(self.players)
        )

    @cached_property
    def _strides(self) -> tuple[int, ...]:
        """The distance of each player's next action in the flat table."""
        sizes = (*self.sizes[1:], 1)
        return tuple(int(step) for step in np.cumprod(sizes[::-1])[::-1])

    def paid(self, profile: Array) -> Array:
        cell: Array = np.zeros(profile.shape[:-1], np.intp)
        for j, stride in enumerate(self._strides):
            cell += profile[..., j] * np.intp(stride)
        paid = np.empty(profile.shape)
        for j, column in enumerate(self._columns):
            paid[..., j] = column.take(cell)
        if (absent := profile == ABSENT).any():
            paid[absent.any(-1)] = np.nan
        return paid


def number_labels(*sizes: int) -> tuple[tuple[str, ...], ...]:
    """Labels that say nothing: A0, A1, ... for each player."""
    return tuple(tuple(f"A{action}" for action in range(size)) for size in sizes)
