"""A slow and obvious runner of matches: each seat has a namespace, an instance, fresh histories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from society.sandbox.checker import CheckedProgram, check_programs
from society.sandbox.matches.match_batch import MatchBatch
from society.sandbox.running import facades
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.step_budget import RuleBroken, budget
from society.sandbox.stage_games import StageGame


def load_programs(text: str) -> list[LoadedProgram]:
    """Check a file; collective strategies fall back on C, all others on D."""
    return [_loaded(one) for one in check_programs(text)]


def load_last(text: str) -> LoadedProgram:
    """Check a file and load its last class; others are what it uses."""
    return _loaded(check_programs(text)[-1])


def _loaded(one: CheckedProgram) -> LoadedProgram:
    return one.loaded("C" if "COLLECTIVE" in one.name else "D")


class Seat:
    """One player of one game."""

    def __init__(self, program: LoadedProgram, game: StageGame, seed: int, out: bool) -> None:
        self.program, self.errors, self.out = program, 0, out
        self.instance: Any = None
        if not out:
            namespace = facades.make_namespace()
            kind = facades.define(program.code, program.name, namespace)
            facades.use_chance(namespace, facades.Chance(seed))
            self.description = facades.describe(game, program.interface)
            self.kind = kind

    def move(self, arguments: tuple[Any, ...]) -> tuple[bool, str]:
        """Return the move, and the kind of trouble, or ""."""
        fallback = self.program.fallback == "C"
        if self.out:
            return fallback, ""
        budget.reset()
        try:
            if self.instance is None:
                self.instance = facades.new_instance(self.kind, self.description)
                budget.reset()
        except Exception:
            self.out = True
            return fallback, "errors"
        try:
            society = self.program.interface == "society"
            answer = (self.instance.act if society else self.instance)(*arguments)
        except RuleBroken:
            self.out = True
            return fallback, "rule"
        except Exception:
            answer = None
        if answer is facades.C or answer is facades.D:
            return answer is facades.C, ""
        self.errors += 1
        self.out = self.errors == 3
        return fallback, "errors" if self.out else "error"


def play_slowly(
    programs: Sequence[LoadedProgram], batch: MatchBatch
) -> tuple[list[Any], list[tuple[Any, ...]]]:
    """Return who cooperated, (G, n, rounds), and troubles as (game, seat, round, program, kind)."""
    moves, troubles = [], []
    for game, (indexes, seeds) in enumerate(zip(batch.seats, batch.seeds, strict=True)):
        seats = [
            Seat(programs[one], batch.game, int(seed), int(one) in batch.disqualified)
            for one, seed in zip(indexes, seeds, strict=True)
        ]
        actions, kinds = _play_game(seats, batch.game)
        moves.append(actions.T.tolist())
        troubles += [
            (game, place, number, int(indexes[place]), kind) for number, place, kind in kinds
        ]
    return moves, troubles


def _play_game(seats: Sequence[Seat], game: StageGame) -> tuple[Any, list[tuple[int, int, str]]]:
    actions, payoffs = np.zeros((0, game.players), bool), np.zeros((0, game.players))
    stocks, kinds = [game.first_stock], []
    for number in range(game.rounds):
        row = []
        for place, seat in enumerate(seats):
            move, kind = seat.move(_arguments(seat.program, place, actions, payoffs, stocks))
            row.append(move)
            if kind:
                kinds.append((number, place, kind))
        stock = None if stocks[0] is None else np.array(stocks[-1])
        paid = game.paid(np.array(row), stock)
        actions, payoffs = np.vstack([actions, row]), np.vstack([payoffs, paid])
        if stock is not None:
            stocks.append(float(game.next_stock(np.array(row), stock)))
    return actions, kinds


def _arguments(
    program: LoadedProgram, place: int, actions: Any, payoffs: Any, stocks: list[Any]
) -> tuple[Any, ...]:
    number, stock = len(actions), stocks[-1]
    others = [one for one in range(actions.shape[1]) if one != place]
    history = facades.new_history(
        round_number=number,
        my_actions=_own(actions[:, place]),
        my_payoffs=_own(payoffs[:, place]),
        opponent_cooperators=_own(actions[:, others].sum(1)),
        opponent_actions=_own(actions[:, others]),
        opponent_payoffs=_own(payoffs[:, others]),
        stock=None if stock is None else _own(np.array(stocks)),
    )
    if program.interface == "society":
        return (history,)
    if program.interface == "counts":
        return (history, stock) if program.takes_stock else (history,)
    state = facades.new_state(round_number=number, current_stock=stock)
    return state, history if number else None


def _own(values: Any) -> Any:
    copied = values.copy()
    copied.flags.writeable = False
    return copied
