"""Three social dilemmas, played round by round, in which everybody cooperates or defects.

Of n players n_c cooperate; [D] is 1 for those who defect, and 0 for the others. A round pays

    public_goods      n_c k / n + [D]           1 < k < n
    collective_risk   k [n_c >= m] + [D]        1 < k, 1 <= m <= n
    common_pool       S (1 + [D]) / (2 n)       of a stock S, of which s = n_c S / (2 n) is left;
                      the next one is min(s + 2 s (1 - s / K), K), and the first is K

The bounds of a game are the lowest and the highest mean payoff per round that its players can come
to. In the first two they hold round by round. In the common pool what is spared before the last
round comes back as at least as much: s is at most K / 2, where stocks grow with slope 3 - 4 s / K,
at least 1. So the least is taken by defecting at once, K / n by each, and the most by sparing half
until the last round, when all defect: K / (2 n) by each in r - 1 rounds, and K / n in the last.
Source: Willis et al. 2026; Isaac et al. 1984, Milinski et al. 2008, Levhari and Mirman 1980.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

GameName = Literal["public_goods", "collective_risk", "common_pool"]


class Bounds(NamedTuple):
    """The lowest and the highest mean payoff per round."""

    low: float
    high: float


class StageGame(ABC):
    """A dilemma of n players, repeated for a number of rounds; `stage_game` makes one.

    factor is k, threshold m, and capacity K, or None in a game that has none.
    """

    name: ClassVar[GameName]
    players: int
    rounds: int
    factor: float | None = None
    threshold: int | None = None
    capacity: float | None = None

    @property
    def first_stock(self) -> float | None:
        """The stock before the first round, in a game that has one."""
        return None

    @abstractmethod
    def paid(self, cooperates: NDArray[Any], stock: Any = None) -> NDArray[Any]:
        """Payoffs, (..., n), for who cooperates, (..., n), at a stock of (...)."""

    def next_stock(self, cooperates: NDArray[Any], stock: Any = None) -> Any:
        """The stock, (...), after a round in which (..., n) cooperate; None without a stock."""
        return None

    @abstractmethod
    def bounds(self) -> Bounds:
        """The lowest and the highest mean payoff per round, over players and rounds."""

    def efficiency(self, mean: Any) -> Any:
        """Place mean payoffs per round between the bounds: 0 is the lowest, 1 the highest."""
        low, high = self.bounds()
        return (mean - low) / (high - low)

    def over(self, rounds: int) -> Self:
        """Return the same game, of so many rounds."""
        game: Any = self
        longer: Self = replace(game, rounds=rounds)
        return longer

    def _expect(self, whether: bool, what: str) -> None:
        if not whether:
            given = ", ".join(f"{k}={v}" for k, v in vars(self).items() if k != "rounds")
            raise ValueError(f"{self.name} with {given} is no dilemma: it needs {what}")

    def _expect_repeated(self) -> None:
        self._expect(self.players >= 2, "at least 2 players")
        self._expect(self.rounds >= 1, f"at least 1 round, not {self.rounds}")


@dataclass(frozen=True)
class PublicGoodsGame(StageGame):
    """Contributions are multiplied by k and shared by all.

    >>> game = PublicGoodsGame(players=4, rounds=20, factor=2)
    >>> game.paid(np.array([True, True, False, False])).tolist(), game.bounds()
    ([1.0, 1.0, 2.0, 2.0], Bounds(low=1.0, high=2))
    """

    name = "public_goods"
    players: int
    rounds: int
    factor: float

    def __post_init__(self) -> None:
        self._expect_repeated()
        self._expect(1 < self.factor < self.players, "1 < factor < players")

    def paid(self, cooperates: NDArray[Any], stock: Any = None) -> NDArray[Any]:
        shared = cooperates.sum(-1, keepdims=True) * self.factor / self.players
        return np.asarray(shared + (1 - cooperates))

    def bounds(self) -> Bounds:
        return Bounds(1.0, self.factor)


@dataclass(frozen=True)
class CollectiveRiskGame(StageGame):
    """All benefit by k if at least m cooperate.

    >>> game = CollectiveRiskGame(players=4, rounds=20, factor=2, threshold=2)
    >>> game.paid(np.array([[True, True, False, False], [True, False, False, False]])).tolist()
    [[2.0, 2.0, 3.0, 3.0], [0.0, 1.0, 1.0, 1.0]]
    """

    name = "collective_risk"
    players: int
    rounds: int
    factor: float
    threshold: int

    def __post_init__(self) -> None:
        self._expect_repeated()
        self._expect(1 < self.factor < math.inf, "1 < factor")
        self._expect(1 <= self.threshold <= self.players, "1 <= threshold <= players")

    def paid(self, cooperates: NDArray[Any], stock: Any = None) -> NDArray[Any]:
        met = cooperates.sum(-1, keepdims=True) >= self.threshold
        return np.asarray(self.factor * met + (1.0 - cooperates))

    def bounds(self) -> Bounds:
        defectors = self.players - self.threshold
        return Bounds((defectors + 1) / self.players, self.factor + defectors / self.players)


@dataclass(frozen=True)
class CommonPoolGame(StageGame):
    """A stock is shared by all, and who defects takes twice as much.

    >>> game = CommonPoolGame(players=2, rounds=20, capacity=8)
    >>> one_cooperates = np.array([True, False])
    >>> game.paid(one_cooperates, 8.0).tolist(), float(game.next_stock(one_cooperates, 8.0))
    ([2.0, 4.0], 5.0)
    """

    name = "common_pool"
    players: int
    rounds: int
    capacity: float

    def __post_init__(self) -> None:
        self._expect_repeated()
        self._expect(0 < self.capacity < math.inf, "0 < capacity")

    @property
    def first_stock(self) -> float:
        return float(self.capacity)

    def paid(self, cooperates: NDArray[Any], stock: Any = None) -> NDArray[Any]:
        share = np.asarray(stock)[..., None] / (2 * self.players)
        return np.asarray(share * (2 - cooperates))

    def next_stock(self, cooperates: NDArray[Any], stock: Any = None) -> Any:
        left = stock * (cooperates.sum(-1) / (2 * self.players))
        return np.minimum(left + 2 * left * (1 - left / self.capacity), self.capacity)

    def bounds(self) -> Bounds:
        share = self.capacity / self.players
        # In a single round, the least is half a share: all spare the other half.
        low = share / max(self.rounds, 2)
        return Bounds(low, share * (self.rounds + 1) / (2 * self.rounds))


def stage_game(
    name: GameName,
    players: int,
    rounds: int = 20,
    *,
    factor: float | None = None,
    threshold: int | None = None,
    capacity: float | None = None,
) -> StageGame:
    """Return the game of a name; raises ValueError for parameters that are no dilemma.

    By default factor = 2, threshold = max(2, players // 2), capacity = 4 players.

    >>> stage_game("collective_risk", 5)
    CollectiveRiskGame(players=5, rounds=20, factor=2, threshold=2)
    """
    given = {"factor": factor, "threshold": threshold, "capacity": capacity}
    defaults = {"factor": 2, "threshold": max(2, players // 2), "capacity": 4 * players}
    if name not in _GAMES:
        raise ValueError(f"{name!r} is no stage game; expected one of {', '.join(_GAMES)}")
    game = _GAMES[name]
    asked = signature(game).parameters.keys()
    for parameter, value in given.items():
        if value is not None and parameter not in asked:
            raise ValueError(f"{name} has no {parameter}; leave out {parameter}={value}")
    own = {one: defaults[one] if given[one] is None else given[one] for one in given.keys() & asked}
    return game(players=players, rounds=rounds, **own)


_GAMES: dict[str, Callable[..., StageGame]] = {
    game.name: game for game in (PublicGoodsGame, CollectiveRiskGame, CommonPoolGame)
}
