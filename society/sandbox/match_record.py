"""The record of games that are played at the same time, and the histories that players see of it.

G games of n players and T rounds have S = G n seats; seat s = g n + i is player i of game g.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from society.sandbox.facades import SETTERS, STATE_SETTERS, GameState, Interface, PlayerHistory
from society.sandbox.stage_games import StageGame


class MatchRecord:
    """Arrays of a row per seat, (S, T) or (S, T, n - 1); those of opponents if they are asked."""

    def __init__(self, game: StageGame, games: int, *, opponents: bool) -> None:
        players, rounds, seats = game.players, game.rounds, games * game.players
        self.game = game
        self.my_actions = np.zeros((seats, rounds), bool)
        self.my_payoffs = np.zeros((seats, rounds))
        self.opponent_cooperators = np.zeros((seats, rounds), np.int64)
        self.my_total = np.zeros(seats, np.int64)
        self.opponent_total = np.zeros(seats, np.int64)
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
        self.my_total += cooperates
        self.opponent_total += opponents
        if self.sees_opponents:
            shape = (len(cooperates), -1)
            self.opponent_actions[:, number] = actions[:, self._others].reshape(shape)
            self.opponent_payoffs[:, number] = paid[:, self._others].reshape(shape)

    def rows(self, attribute: str, seats: NDArray[Any], rounds: int) -> list[NDArray[Any]]:
        """Private, read-only copies of what these seats saw in the first rounds, one per seat."""
        block = getattr(self, attribute)[seats, :rounds]
        block.flags.writeable = False
        return list(block)

    def stock_rows(self, seats: NDArray[Any], rounds: int) -> list[NDArray[Any]]:
        """Private, read-only copies of the stocks of the seats' games, that of now the last."""
        assert self.stock is not None
        block = self.stock[seats // self.game.players, : rounds + 1]
        block.flags.writeable = False
        return list(block)


class ObservedRounds:
    """What some seats saw of the rounds so far; entry j of each list belongs to the j-th seat."""

    def __init__(
        self, record: MatchRecord, seats: NDArray[Any], rounds: int, attributes: frozenset[str]
    ) -> None:
        self.rounds = rounds
        self.rows = {one: record.rows(one, seats, rounds) for one in attributes}
        self.my_totals: list[int] = record.my_total[seats].tolist()
        self.opponent_totals: list[int] = record.opponent_total[seats].tolist()
        self.stocks: list[NDArray[Any]] | None = None
        if record.stock is not None:
            self.stocks = record.stock_rows(seats, rounds)

    def arguments(
        self, place: int, interface: Interface, rounds: int | None = None
    ) -> tuple[Any, ...]:
        """What the seat's program is called with now, or what it was after fewer rounds."""
        seen = {name: rows[place] for name, rows in self.rows.items()}
        stocks = None if self.stocks is None else self.stocks[place]
        if rounds is None:
            rounds = self.rounds
        else:
            seen = {name: row[:rounds] for name, row in seen.items()}
            stocks = None if stocks is None else stocks[: rounds + 1]
        return _SHOWN[interface](rounds, seen, stocks)


Rows = Mapping[str, NDArray[Any]]


def _history(rounds: int, rows: Rows) -> PlayerHistory:
    history = PlayerHistory()
    _set_round(history, rounds)
    for name, row in rows.items():
        SETTERS[name](history, row)
    return history


def _show_counts(rounds: int, rows: Rows, stocks: NDArray[Any] | None) -> tuple[Any, ...]:
    history = _history(rounds, rows)
    return (history,) if stocks is None else (history, float(stocks[-1]))


def _show_full(rounds: int, rows: Rows, stocks: NDArray[Any] | None) -> tuple[Any, ...]:
    state = GameState()
    STATE_SETTERS["round_number"](state, rounds)
    if stocks is not None:
        STATE_SETTERS["current_stock"](state, float(stocks[-1]))
    return state, _history(rounds, rows) if rounds else None


def _show_all(rounds: int, rows: Rows, stocks: NDArray[Any] | None) -> tuple[Any, ...]:
    history = _history(rounds, rows)
    SETTERS["stock"](history, stocks)
    return (history,)


_set_round = SETTERS["round_number"]
_SHOWN = {"counts": _show_counts, "full": _show_full, "society": _show_all}


def call_arguments(
    interface: Interface, rounds: int, rows: Rows, stocks: NDArray[Any] | None
) -> tuple[Any, ...]:
    """What a program of this interface is called with, if this is what it saw."""
    return _SHOWN[interface](rounds, rows, stocks)
