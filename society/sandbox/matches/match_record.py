"""The record of games that are played at the same time, and the histories that players see of it.

G games of n players and T rounds have S = G n seats; seat s = g n + i is player i of game g.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from society.sandbox.running.facades import (
    SETTERS,
    STATE_SETTERS,
    GameState,
    Interface,
    PlayerHistory,
    Setter,
)
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.source.sufficient_history import ARRAYS, OPPONENTS
from society.sandbox.stage_games import StageGame

MOST_OPPONENTS_IN_SETS = 5  # of 2 ** 5 sets


class MatchRecord:
    """Arrays of a row per seat, (S, T) or (S, T, n - 1); those of opponents if they are asked."""

    def __init__(self, game: StageGame, games: int, *, opponents: bool) -> None:
        players, rounds, seats = game.players, game.rounds, games * game.players
        self.game = game
        self.my_actions = np.zeros((seats, rounds), bool)
        self.my_payoffs = np.zeros((seats, rounds))
        self.opponent_cooperators = np.zeros((seats, rounds), np.int64)
        self._counts = np.zeros((seats, rounds), np.min_scalar_type(players))
        self.stock: NDArray[Any] | None = None
        if game.first_stock is not None:
            self.stock = np.full((games, rounds + 1), game.first_stock)
        self._others = np.array(
            [[j for j in range(players) if j != i] for i in range(players)], np.intp
        )
        self.sees_opponents = opponents
        if opponents:
            self.opponent_actions = np.zeros((seats, rounds, players - 1), bool)
            self.opponent_payoffs = np.zeros((seats, rounds, players - 1))
        self._sets: NDArray[Any] | None = None
        if opponents and players <= MOST_OPPONENTS_IN_SETS + 1:
            self._sets = np.zeros((seats, rounds), np.uint8)

    def add_round(self, number: int, cooperates: NDArray[Any]) -> None:
        """Add a round in which the seats cooperate or defect, (S,) of bool."""
        actions = cooperates.reshape(-1, self.game.players)
        stock = None if self.stock is None else self.stock[:, number]
        paid = self.game.paid(actions, stock)
        if self.stock is not None:
            self.stock[:, number + 1] = self.game.next_stock(actions, stock)
        opponents = (actions.sum(-1, keepdims=True) - actions).ravel()
        self.my_actions[:, number] = cooperates
        self.my_payoffs[:, number] = paid.ravel()
        self.opponent_cooperators[:, number] = opponents
        self._counts[:, number] = opponents
        if self.sees_opponents:
            shape = (len(cooperates), -1)
            theirs = actions[:, self._others].reshape(shape)
            self.opponent_actions[:, number] = theirs
            self.opponent_payoffs[:, number] = paid[:, self._others].reshape(shape)
            if self._sets is not None:
                self._sets[:, number] = theirs @ (1 << np.arange(theirs.shape[1]))

    def seen(self, attribute: str, seats: NDArray[Any], rounds: int) -> NDArray[Any]:
        """A private, read-only copy of what these seats saw in the first rounds, a row each."""
        if attribute == "stock":
            assert self.stock is not None
            block = self.stock[seats // self.game.players, : rounds + 1]
        else:
            block = getattr(self, attribute)[seats, :rounds]
        block.flags.writeable = False
        return block

    def symbols(self, number: int, sees_sets: NDArray[Any]) -> NDArray[Any]:
        """Number what each seat saw of a round: the count, or the set, of those who cooperated."""
        counts: NDArray[Any] = self.opponent_cooperators[:, number]
        return counts if self._sets is None else np.where(sees_sets, self._sets[:, number], counts)

    def kept(self, seats: NDArray[Any], rounds: int) -> dict[str, NDArray[Any]]:
        """Return the arrays that keys of these seats are packed from, (seats, rounds) each."""
        found = {"counts": self._counts[seats, :rounds], "moves": self.my_actions[seats, :rounds]}
        if self.stock is not None:
            found["payoffs"] = self.my_payoffs[seats, :rounds]
        if self._sets is not None:
            found["sets"] = self._sets[seats, :rounds]
        return found

    def stock_of(self, seats: NDArray[Any], rounds: int) -> NDArray[Any]:
        """The stock before a round."""
        assert self.stock is not None
        stock: NDArray[Any] = self.stock[seats // self.game.players, rounds]
        return stock


def has_exact_sums(game: StageGame) -> bool:
    """Check whether sums of payoffs are exact in any order: all are multiples of 2 ** -20.

    >>> from society.sandbox.stage_games import stage_game
    >>> [has_exact_sums(stage_game("public_goods", players)) for players in (4, 7)]
    [True, False]
    """
    if game.first_stock is not None:
        return False
    some = np.tri(game.players + 1, game.players, -1, dtype=bool)
    parts = game.paid(some) * 2.0**20
    return bool((parts == np.floor(parts)).all() and parts.max() * game.rounds < 2.0**53)


class HistoryView(NamedTuple):
    """A choice of what to show; programs of the same view are shown the same things."""

    interface: Interface
    arrays: tuple[str, ...]
    stock: bool  # the game has one, and the program is told


def history_view(program: LoadedProgram, game: StageGame) -> HistoryView:
    """Return the view of a program: the arrays that it reads, and the stock of a common pool."""
    told = ARRAYS - OPPONENTS if program.interface == "counts" else ARRAYS
    stock = game.first_stock is not None and (program.interface != "counts" or program.takes_stock)
    return HistoryView(program.interface, tuple(sorted(told & program.reads)), stock)


class ObservedRounds:
    """The rounds so far as some seats saw them; entry j of each list belongs to the j-th seat."""

    def __init__(self, record: MatchRecord, seats: NDArray[Any], rounds: int) -> None:
        self.record, self.seats, self.rounds = record, seats, rounds
        self._blocks: dict[str, NDArray[Any]] = {}
        self._stocks: list[float] | None = None

    def block(self, attribute: str) -> NDArray[Any]:
        """Return what the seats saw, a row each."""
        if attribute not in self._blocks:
            self._blocks[attribute] = self.record.seen(attribute, self.seats, self.rounds)
        return self._blocks[attribute]

    def stocks(self) -> list[float]:
        """The stocks of now."""
        if self._stocks is None:
            self._stocks = self.record.stock_of(self.seats, self.rounds).tolist()
        return self._stocks

    def arguments(self, view: HistoryView) -> list[tuple[Any, ...]]:
        """The arguments for the seats' programs, which have one view."""
        if view.interface == "full":
            return list(zip(self._states(view), self._histories(view), strict=True))
        if view.interface == "counts" and view.stock:
            return list(zip(self._histories(view), self.stocks(), strict=True))
        return list(zip(self._histories(view), strict=True))

    def _histories(self, view: HistoryView) -> Sequence[PlayerHistory | None]:
        if view.interface == "full" and not self.rounds:
            return [None] * len(self.seats)
        histories = [PlayerHistory() for _ in self.seats]
        _set_all(SETTERS["round_number"], histories, repeat(self.rounds))
        for attribute in view.arrays:
            _set_all(SETTERS[attribute], histories, self.block(attribute))
        if view.interface == "society":
            stocks = self.block("stock") if view.stock else repeat(None)
            _set_all(SETTERS["stock"], histories, stocks)
        return histories

    def _states(self, view: HistoryView) -> list[GameState]:
        states = [GameState() for _ in self.seats]
        _set_all(STATE_SETTERS["round_number"], states, repeat(self.rounds))
        if view.stock:
            _set_all(STATE_SETTERS["current_stock"], states, self.stocks())
        return states


def _set_all(setter: Setter, targets: Sequence[Any], values: Iterable[Any]) -> None:
    deque(map(setter, targets, values), maxlen=0)  # a loop that runs in C
