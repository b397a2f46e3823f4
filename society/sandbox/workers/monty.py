"""Play programs in Monty, an interpreter of a part of Python: the strict mode outside Linux.

Monty (pydantic-monty) offers no files, no network and no other processes, and runs apart, with
limits of memory and time. It knows neither numpy nor inheritance nor generators; programs that need
them are refused. It is slower than the jail, and counts seconds where the jail counts steps, so
that a program at the edge may be stopped on one machine and not on another.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime
from textwrap import indent
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from society.errors import SandboxError
from society.sandbox.matches.match_batch import BatchResult, MatchBatch, Trouble
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.runnable_program import ERRORS_ALLOWED
from society.visible import visible_text

LIMITS = {"max_feed_duration_secs": 5.0, "max_memory": 1 << 30}  # of one program in one round
POLICY = {"datetime": datetime(2000, 1, 1), "sleep": "zero", "random_start": {"seed": 0}}
LONGEST = 300  # signs of a sentence

# All programs of a session share this. They were checked: none can name what is not its own.
DRIVER = """
import math
from random import Random

class Move:
    def __init__(self, name, value):
        self.name = name
        self.value = value

    def flip(self):
        return D if self.value else C

C = Move("C", 1)
D = Move("D", 0)

class Values:
    def __init__(self, values):
        for name in values:
            setattr(self, name, values[name])

makers = {}
seats = {}

def describe(error):
    return "it raised " + type(error).__name__ + ": " + str(error)

def start(program, acts, starts, game):
    found = []
    for seat, seed in starts:
        seats[seat] = None
        try:
            instance = makers[program](C, D, math, Random(seed))(Values(game))
            seats[seat] = instance.act if acts else instance
        except Exception as error:
            found.append((seat, "__init__: " + describe(error)))
    return found

def ask(calls):
    found = []
    for seat, values, more in calls:
        try:
            move = seats[seat](Values(values), *more)
        except Exception as error:
            found.append(describe(error))
        else:
            found.append(1 if move is C else 0 if move is D else "it returned neither C nor D")
    return found
"""


class MontyPool:
    """One interpreter of Monty, which plays batches as a ProgramPool does."""

    def __init__(self) -> None:
        try:
            import pydantic_monty
        except ModuleNotFoundError:
            raise SandboxError(
                "the interpreter Monty is not installed; type: pip install 'society[monty]'"
            ) from None
        self._monty: Any = pydantic_monty
        self._open = ExitStack()
        self._session: Any = None
        self._programs: tuple[LoadedProgram, ...] = ()
        self._defined: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the interpreter; it starts again when it is needed."""
        self._open.close()
        self._session = None
        self._defined.clear()

    def load(self, programs: Sequence[LoadedProgram]) -> None:
        """Take the programs that batches name by their index here."""
        self.close()
        self._programs = tuple(programs)

    def play(self, batch: MatchBatch) -> BatchResult:
        """Play a batch; raises SandboxError for programs that Monty cannot run."""
        guilty: dict[int, str] = {}
        while True:
            left = replace(batch, disqualified=batch.disqualified | guilty.keys())
            game = _MontyGames(left, self._programs)
            try:
                for program in game.playing:
                    self._define(program)
                game.play(self)
            except _Stopped as stopped:
                self.close()
                guilty[stopped.program] = str(stopped)
            else:
                troubles = [_blame(batch, *one) for one in guilty.items()]
                return BatchResult(game.actions, troubles + game.troubles)

    def feed(self, program: int, text: str, values: dict[str, Any]) -> Any:
        """Run trusted text that calls a program; raises _Stopped if a limit ends it."""
        try:
            return self._session.feed_run(text, inputs=values)
        except self._monty.MontyError as error:
            raise _Stopped(program, f"Monty stopped it: {error}"[:LONGEST]) from None

    def _define(self, program: int) -> None:
        if self._session is None:
            pool = self._open.enter_context(self._monty.Monty())
            checkout = pool.checkout(limits=LIMITS, os_policy=POLICY)
            self._session = self._open.enter_context(checkout)
            self._session.feed_run(DRIVER)
        if program in self._defined:
            return
        try:
            self._session.feed_run(write_maker(program, self._programs[program]))
        except self._monty.MontyError as error:
            name = self._programs[program].name
            raise SandboxError(f"Monty cannot run {name}: {error}"[:LONGEST]) from None
        self._defined.add(program)


class _Stopped(Exception):
    """A limit ended a program, and perhaps its interpreter."""

    def __init__(self, program: int, sentence: str) -> None:
        super().__init__(visible_text(sentence))
        self.program = program


def _blame(batch: MatchBatch, program: int, sentence: str) -> Trouble:
    game, seat = (int(place[0]) for place in np.nonzero(batch.seats == program))
    return Trouble(game, seat, 0, program, "jail", sentence, None)


class _MontyGames:
    """The games of a batch, round by round; a seat is one number, game * players + place."""

    def __init__(self, batch: MatchBatch, programs: Sequence[LoadedProgram]) -> None:
        self._batch = batch
        self._programs = programs
        self._who: NDArray[Any] = batch.seats.ravel()
        self._errors = np.zeros(len(self._who), int)
        self._out = np.isin(self._who, list(batch.disqualified))
        games, players = batch.seats.shape
        self.actions = np.zeros((games, players, batch.game.rounds), bool)
        self._payoffs = np.zeros(self.actions.shape)
        first = batch.game.first_stock
        self._stocks: list[NDArray[Any]] | None = None if first is None else [np.full(games, first)]
        self.troubles: list[Trouble] = []
        self.playing = [int(one) for one in np.unique(self._who[~self._out])]

    def play(self, pool: MontyPool) -> None:
        """Play all rounds."""
        for program in self.playing:
            self._start(pool, program)
        for number in range(self._batch.game.rounds):
            moves = np.array([self._programs[one].fallback == "C" for one in self._who])
            for program in self.playing:
                self._ask(pool, program, number, moves)
            self._close_round(number, moves.reshape(self._batch.seats.shape))

    def _seats(self, program: int) -> list[int]:
        found: list[int] = np.flatnonzero((self._who == program) & ~self._out).tolist()
        return found

    def _start(self, pool: MontyPool, program: int) -> None:
        game, seeds = self._batch.game, self._batch.seeds.ravel()
        told = {
            "name": game.name,
            "n_players": game.players,
            "n_rounds": game.rounds,
            "k": game.factor,
            "m": game.threshold,
            "capacity": game.capacity,
        }
        starts = [(seat, int(seeds[seat])) for seat in self._seats(program)]
        acts = self._programs[program].interface == "society"
        values = {"program": program, "acts": acts, "starts": starts, "game": told}
        for seat, why in pool.feed(program, "start(program, acts, starts, game)", values):
            self._errors[seat] = ERRORS_ALLOWED
            self._report(seat, 0, why)

    def _ask(self, pool: MontyPool, program: int, number: int, moves: NDArray[Any]) -> None:
        seats = self._seats(program)
        calls = [(seat, self._history(seat, number), self._more(seat)) for seat in seats]
        for seat, move in zip(
            seats, pool.feed(program, "ask(calls)", {"calls": calls}), strict=True
        ):
            if isinstance(move, str):
                self._report(seat, number, move)
            else:
                moves[seat] = move == 1

    def _report(self, seat: int, number: int, why: str) -> None:
        """Note that a seat gave no move; one time too many, and it is asked no more."""
        self._out[seat] = self._errors[seat] >= ERRORS_ALLOWED
        self._errors[seat] += 1
        game, place = divmod(seat, self._batch.game.players)
        sentence = visible_text(why[:LONGEST])
        kind: Any = "errors" if self._out[seat] else "error"
        program = int(self._who[seat])
        self.troubles.append(Trouble(game, place, number, program, kind, sentence, None))

    def _history(self, seat: int, rounds: int) -> dict[str, Any]:
        """List what a seat has seen, as far as its program reads it."""
        game, place = divmod(seat, self._batch.game.players)
        actions, payoffs = self.actions[game, :, :rounds], self._payoffs[game, :, :rounds]
        others, earned = np.delete(actions, place, 0), np.delete(payoffs, place, 0)
        seen = {
            "my_actions": actions[place],
            "my_payoffs": payoffs[place],
            "opponent_cooperators": others.sum(0),
            "opponent_actions": others.T,
            "opponent_payoffs": earned.T,
        }
        reads = self._programs[self._who[seat]].reads
        told = {name: values.tolist() for name, values in seen.items() if name in reads}
        stocks = None if self._stocks is None else [float(one[game]) for one in self._stocks]
        return {"round_number": rounds, **told, "stock": stocks}

    def _more(self, seat: int) -> list[float]:
        takes = self._programs[self._who[seat]].takes_stock
        game = seat // self._batch.game.players
        return [float(self._stocks[-1][game])] if takes and self._stocks is not None else []

    def _close_round(self, number: int, moves: NDArray[Any]) -> None:
        game, stock = self._batch.game, None if self._stocks is None else self._stocks[-1]
        self.actions[:, :, number] = moves
        self._payoffs[:, :, number] = game.paid(moves, stock)
        if self._stocks is not None:
            self._stocks.append(game.next_stock(moves, stock))


def write_maker(index: int, program: LoadedProgram) -> str:
    """Write a function that defines a program's class; raises SandboxError if Monty cannot.

    Chance, and all that the source defines, are its own each time that it is called.
    """
    tree = ast.parse(program.source)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if program.sees_sources:
        raise SandboxError(
            f"Monty cannot run {program.name}, which sees the sources of its co-players; run it on "
            "Linux, in the jail"
        )
    if program.interface == "full" or names & {"np", "numpy"}:
        raise SandboxError(
            f"Monty cannot run {program.name}, which needs numpy; run it on Linux, in the jail"
        )
    body = indent(ast.unparse(_Plain().visit(tree)), "    ")
    head = "def make(C, D, math, random):"
    return f"{head}\n{body}\n    return {program.name}\nmakers[{index}] = make\n"


class _Plain(ast.NodeTransformer):
    """Writes a program without what Monty lacks: annotations, and the published base class."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        value = node.value or ast.Constant(None)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        self.generic_visit(node)
        node.bases = [base for base in node.bases if ast.unparse(base) != "BaseStrategy"]
        if not any(
            isinstance(one, ast.FunctionDef) and one.name == "__init__" for one in node.body
        ):
            node.body.extend(ast.parse(_INIT).body)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__":
            kept = call.args[0] if call.args else ast.Constant(None)
            text = f"self.game_description = {ast.unparse(kept)}"
            return ast.copy_location(ast.parse(text).body[0], node)
        return node


_INIT = """
def __init__(self, game_description):
    self.game_description = game_description
"""
