"""Play one program against stated others, in this process."""

from __future__ import annotations

import ast
from types import CodeType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from society.sandbox.checker import CheckedProgram, check_programs
from society.sandbox.running import facades
from society.sandbox.running.step_budget import STEPS, budget
from society.sandbox.stage_games import (
    CollectiveRiskGame,
    CommonPoolGame,
    PublicGoodsGame,
    StageGame,
)

from .harmless_programs import OTHERS, PUBLISHED


def four_players(name: str, rounds: int = len(OTHERS) + 1) -> StageGame:
    """Make a game of four by name."""
    if name == "collective_risk":
        return CollectiveRiskGame(players=4, rounds=rounds, factor=2, threshold=3)
    if name == "common_pool":
        return CommonPoolGame(players=4, rounds=rounds, capacity=16)
    return PublicGoodsGame(players=4, rounds=rounds, factor=2)


def only_program(text: str, name: str = "") -> CheckedProgram:
    """Check a file and return its one program, or that of a name."""
    found = [one for one in check_programs(text) if name in ("", one.name)]
    assert len(found) == 1, [one.name for one in found]
    return found[0]


def plain_code(program: CheckedProgram, text: str) -> CodeType:
    """Compile a program's file as Python does, without the header of published files."""
    tree = ast.parse(text.removeprefix(PUBLISHED))
    return compile(tree, f"plain {program.name}", "exec", dont_inherit=True)


def _read_only(values: Any, kind: type[Any]) -> NDArray[Any]:
    array: NDArray[Any] = np.array(values, dtype=kind)
    array.flags.writeable = False
    return array


class Table:
    """One game of four, in which the other three cooperate as OTHERS says."""

    def __init__(self, game: StageGame, interface: str) -> None:
        self.game = game
        self.interface = interface
        self.actions: list[list[bool]] = []
        self.payoffs: list[list[float]] = []
        self.stocks: list[Any] = [game.first_stock]

    def note(self, cooperates: bool) -> None:
        """Play one round."""
        count = OTHERS[len(self.actions)] if len(self.actions) < len(OTHERS) else 0
        moves = np.array([cooperates, *(seat < count for seat in range(3))])
        stock = None if self.stocks[0] is None else np.array(self.stocks[-1])
        self.actions.append(moves.tolist())
        self.payoffs.append(self.game.paid(moves, stock).tolist())
        after = self.game.next_stock(moves, stock)
        self.stocks.append(None if after is None else float(after))

    def call(self, program: Any) -> Any:
        """Ask a program for its move."""
        actions = _read_only(self.actions, bool).reshape(-1, 4)
        payoffs = _read_only(self.payoffs, float).reshape(-1, 4)
        own = {"my_actions": actions[:, 0], "my_payoffs": payoffs[:, 0]}
        counts = {"opponent_cooperators": _read_only(actions[:, 1:].sum(1), int)}
        others = {"opponent_actions": actions[:, 1:], "opponent_payoffs": payoffs[:, 1:]}
        played = len(self.actions)
        stock = self.stocks[-1]
        if self.interface == "society":
            stocks = None if stock is None else _read_only(self.stocks, float)
            everything = {**own, **counts, **others, "round_number": played, "stock": stocks}
            return program.act(facades.new_history(**everything))
        if self.interface == "counts":
            history = facades.new_history(round_number=played, **own, **counts)
            return program(history) if stock is None else program(history, stock)
        state = {"round_number": played} | ({} if stock is None else {"current_stock": stock})
        history_or_none = facades.new_history(**own, **others) if played else None
        return program(facades.new_state(**state), history_or_none)


def start(program: CheckedProgram, code: CodeType, game: StageGame, seed: int = 5) -> Any:
    """Make an instance of a program; code: its own, or that of plain Python."""
    namespace = facades.make_namespace(seed)
    interface: Any = program.interface
    description = facades.describe(game, interface)
    budget.reset(STEPS)
    if code is program.code:
        return facades.new_instance(facades.define(code, program.name, namespace), description)
    namespace["__builtins__"]["__import__"] = __import__
    exec(code, namespace)
    kind = namespace[program.name]
    return kind() if kind.__init__ is object.__init__ else kind(description)


def play(program: CheckedProgram, code: CodeType | None, game: StageGame, seed: int = 5) -> str:
    """Play all rounds and return the moves, "CDDC..."; what is no Action is shown as it is."""
    assert code is not None, program.reason
    instance = start(program, code, game, seed)
    table = Table(game, program.interface)
    moves = ""
    for _ in range(game.rounds):
        budget.reset(STEPS)
        move = table.call(instance)
        if budget.broken is not None:
            raise budget.broken
        if move is not facades.C and move is not facades.D:
            return f"{moves}<{type(move).__name__}>"
        moves += move.name
        table.note(move is facades.C)
    return moves
