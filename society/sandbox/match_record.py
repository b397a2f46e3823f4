"""The record of games that are played at the same time, and the histories that players see of it.

G games of n players and T rounds have S = G n seats; seat s = g n + i is player i of game g.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from society.sandbox.facades import SETTERS, STATE_SETTERS, GameState, Interface, PlayerHistory
from society.sandbox.loaded_program import LoadedProgram
from society.sandbox.stage_games import StageGame


class MatchRecord:
    """Arrays of a row per seat, (S, T) or (S, T, n - 1); those of opponents if they are asked."""

    def __init__(self, game: StageGame, games: int, *, opponents: bool) -> None:
        players, rounds, seats = game.players, game.rounds, games * game.players
        self.game = game
        self.my_actions = np.zeros((seats, rounds), bool)
        self.my_payoffs = np.zeros((seats, rounds))
        self.opponent_cooperators = np.zeros((seats, rounds), np.int64)
        self.totals = {
            "my_actions": np.zeros(seats, np.int64),
            "my_payoffs": np.zeros(seats),
            "opponent_cooperators": np.zeros(seats, np.int64),
        }
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
        for name, total in self.totals.items():
            total += getattr(self, name)[:, number]
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


class ObservedRounds:
    """What some seats saw of the rounds so far; entry j of each list belongs to the j-th seat."""

    def __init__(
        self, record: MatchRecord, seats: NDArray[Any], rounds: int, attributes: frozenset[str]
    ) -> None:
        self.rounds = rounds
        self.rows = {one: record.rows(one, seats, rounds) for one in attributes}
        self.totals = {name: total[seats].tolist() for name, total in record.totals.items()}
        self.stocks: list[NDArray[Any]] | None = None
        if record.stock is not None:
            self.stocks = record.stock_rows(seats, rounds)
        self._sets = [(SETTERS[one], rows) for one, rows in self.rows.items()]

    def arguments(self, place: int, program: LoadedProgram) -> tuple[Any, ...]:
        """Return the arguments for the seat's program."""
        history = PlayerHistory()
        _set_round(history, self.rounds)
        for set_row, rows in self._sets:
            set_row(history, rows[place])
        if program.interface != "counts":
            return self._other_arguments(history, place, program.interface)
        if program.takes_stock and self.stocks is not None:
            return history, float(self.stocks[place][-1])
        return (history,)

    def _other_arguments(
        self, history: PlayerHistory, place: int, interface: Interface
    ) -> tuple[Any, ...]:
        stocks = None if self.stocks is None else self.stocks[place]
        if interface == "society":
            SETTERS["stock"](history, stocks)
            return (history,)
        state = GameState()
        STATE_SETTERS["round_number"](state, self.rounds)
        if stocks is not None:
            STATE_SETTERS["current_stock"](state, float(stocks[-1]))
        return state, history if self.rounds else None


_set_round = SETTERS["round_number"]
