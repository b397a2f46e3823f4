"""Simulations: a program runs others inside its own call, in the game that it plays.

A simulated game has instances and chance of its own, and begins at its first round, whatever has
happened in the game that is played. Its programs are told the same game, so nothing tells them that
they are simulated. Two limits are shared with the program that asked, however deep simulations lie
inside each other: its steps, and DEPTH. Who reaches one of them, even inside, ends the call of the
program that plays. All else that a simulated program does wrong is its own: it plays its fallback,
as in a game.

Chance has an address: the seed of the seat, its call, the simulation in that call, the player in
it. So a simulation shifts nobody's draws, and comes out the same wherever it is played.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from society.sandbox.matches.call_arguments import call_arguments
from society.sandbox.running.facades import AnyDescription, C, Chance, D, GameDescription
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.open_source import (
    DEPTH,
    Simulated,
    SimulationsTooDeep,
    new_simulated,
    reach_limit_again,
    turn,
)
from society.sandbox.running.runnable_program import ERRORS_ALLOWED, Failure, RunnableProgram
from society.sandbox.running.step_budget import LimitReached, RuleBroken, budget
from society.sandbox.stage_games import StageGame

# What a simulation costs: once, for each of its players, and for each call of a program in it.
SIMULATION_STEPS = 100
PLAYER_STEPS = 5
CALL_STEPS = 50
_SHOWN = 50  # entries of a history that cost as much as a step
_NONE = Chance(0)
# Frames of Python's stack. Those that lie in sort keys take 2.5 KB of the 8 MB of C's stack each.
_FRAMES = 2_000

Table = Sequence[RunnableProgram | None]  # one's own program, then the co-players in order of seat


class OpenSeat:
    """A seat of a game of open source: its program sees the sources, and may simulate.

    It stands in for the RunnableProgram of a program that makes use of that. None at a table is a
    player that is no program.
    """

    def __init__(self, table: Table, game: StageGame, seed: int) -> None:
        assert table[0] is not None
        self.runnable, self._table, self._game, self._seed = table[0], table, game, seed
        self._calls = self._simulations = 0

    @property
    def description(self) -> AnyDescription:
        """The game, with the sources."""
        plain = self.runnable.description
        assert isinstance(plain, GameDescription)
        mine, *others = (None if one is None else one.program.text for one in self._table)
        return replace(plain, my_source=mine, opponent_sources=tuple(others))

    def start(self, chance: Chance) -> tuple[Any, Failure | None]:
        """Make an instance, as RunnableProgram.start does."""
        with turn.of(self.in_next_call()):
            return self.runnable.start(chance, self.description)

    def move(
        self, instance: Any, arguments: tuple[Any, ...], errors: int, chance: Chance | None = None
    ) -> tuple[bool, Failure | None]:
        """Ask for a move, as RunnableProgram.move does; simulations without end are an error."""
        with turn.of(self.in_next_call()):
            move, failure = self.runnable.move(instance, arguments, errors, chance)
        if failure and isinstance(budget.broken, SimulationsTooDeep):
            kind = failure._replace(kind="error" if errors < ERRORS_ALLOWED else "errors")
            return move, kind._replace(sentence=f"it came to no end: {budget.broken.rule}")
        return move, failure

    def in_next_call(self) -> Self:
        """Begin the next call of the program, whose simulations are counted anew."""
        self._calls, self._simulations = self._calls + 1, 0
        return self

    def simulate(self, program: Any, against: Any, rounds: Any) -> Simulated:
        """Play the first rounds between programs of this table; the facade `simulate`."""
        if budget.broken is not None:
            raise budget.broken
        table = [self._program_of(program), *self._programs_of(against)]
        number = _whole_number(rounds, self._game.rounds)
        if turn.depth >= DEPTH:
            raise SimulationsTooDeep
        budget.charge(SIMULATION_STEPS + PLAYER_STEPS * len(table))
        self._simulations += 1
        address = f"{self._seed} {self._calls} {self._simulations}"
        if turn.depth:
            return _play(table, self._game, number, address)
        with _room_for_frames():
            return _play(table, self._game, number, address)

    def _programs_of(self, against: Any) -> list[RunnableProgram]:
        """Return the programs of the co-players, one for each."""
        count = len(self._table) - 1
        if type(against) is str:
            return [self._program_of(against)] * count
        if type(against) not in (list, tuple):
            raise TypeError(_NO_TEXT.format(type(against).__name__))
        if len(against) != count:
            raise ValueError(f"simulate took {len(against)} co-players; in this game are {count}")
        return [self._program_of(one) for one in against]

    def _program_of(self, text: Any) -> RunnableProgram:
        if type(text) is not str:
            raise TypeError(_NO_TEXT.format(type(text).__name__))
        found = self._by_text.get(text)
        if found is None:
            raise ValueError("simulate runs programs of this game, and none has the text it took")
        return found

    @cached_property
    def _by_text(self) -> dict[str, RunnableProgram]:
        """The programs by their texts; of equal ones the first."""
        return {one.program.text: one for one in reversed(self._table) if one is not None}


_NO_TEXT = (
    "simulate takes the text of a program of this game: game.my_source, or one of "
    "game.opponent_sources; not {}"
)


def _whole_number(rounds: Any, most: int) -> int:
    if type(rounds) is not int and not isinstance(rounds, np.integer):
        raise TypeError(f"simulate takes a whole number of rounds, not {type(rounds).__name__}")
    if not 1 <= rounds <= most:
        raise ValueError(f"simulate took {rounds} rounds; this game has 1 to {most}")
    return int(rounds)


class _Seen(NamedTuple):
    """The rounds of a simulated game as one of its players sees them."""

    actions: NDArray[Any]
    payoffs: NDArray[Any]
    stock: NDArray[Any] | None


class _SimulatedGame:
    """The rounds of a simulated game so far."""

    def __init__(self, game: StageGame) -> None:
        self.game = game
        self._actions: list[NDArray[Any]] = []
        self._payoffs: list[NDArray[Any]] = []
        self._stock = None if game.first_stock is None else [game.first_stock]

    def add(self, moves: Sequence[bool]) -> None:
        """Add a round."""
        actions = np.array(moves, bool)
        stock = None if self._stock is None else np.array(self._stock[-1])
        self._actions.append(actions)
        self._payoffs.append(self.game.paid(actions, stock))
        if self._stock is not None:
            self._stock.append(float(self.game.next_stock(actions, stock)))

    def seen_from(self, place: int) -> _Seen:
        """Return what a player has seen, its own part first."""
        shape = len(self._actions), self.game.players
        actions = np.array(self._actions, bool).reshape(shape)
        payoffs = np.array(self._payoffs, float).reshape(shape)
        if place:
            order = [place, *(one for one in range(self.game.players) if one != place)]
            actions, payoffs = actions[:, order], payoffs[:, order]
        return _Seen(actions, payoffs, None if self._stock is None else np.array(self._stock))


class _SimulatedPlayer:
    """A player of a simulated game; its program is started when its first move is asked for."""

    def __init__(
        self, place: int, seated: Sequence[RunnableProgram], game: StageGame, address: str
    ) -> None:
        self._place, self._seated, self._game, self._address = place, seated, game, address
        self.runnable = seated[place]
        self.program: LoadedProgram = self.runnable.program
        self._seat: OpenSeat | None = None
        self._chance = _NONE
        self._instance: Any = None
        self._errors = 0
        self._out = False
        self.moves: list[bool] = []
        self.fallbacks = 0

    def decide(self, seen: _Seen) -> bool:
        """Ask for the next move; the fallback where there is none."""
        move = self._asked(seen)
        self.moves.append(self.runnable.fallback if move is None else move)
        self.fallbacks += move is None
        return self.moves[-1]

    def _asked(self, seen: _Seen) -> bool | None:
        if self._instance is None and not self._out:
            self._start()
        if self._out:
            return None
        rounds, players = seen.actions.shape
        budget.charge(CALL_STEPS + rounds * players // _SHOWN)
        arguments = call_arguments(self.program, seen, rounds)
        act = self._instance.act if self.program.interface == "society" else self._instance
        answer = self._run(lambda: act(*arguments))
        if answer is C or answer is D:
            return answer is C
        if self._errors >= ERRORS_ALLOWED:
            self._out = True
        self._errors += 1
        return None

    def _start(self) -> None:
        budget.charge(CALL_STEPS + PLAYER_STEPS * len(self._seated))
        address = f"{self._address} {self._place}"
        seed = int.from_bytes(blake2b(address.encode(), digest_size=8).digest(), "big")
        self._chance = Chance(seed)
        if self.program.sees_sources:
            others = [*self._seated[: self._place], *self._seated[self._place + 1 :]]
            self._seat = OpenSeat([self.runnable, *others], self._game, seed)
        undefined = self._defined()
        here = self.runnable.description if self._seat is None else self._seat.description
        if undefined is None:
            self._instance = self._run(lambda: self.runnable.new_instance(here))
        self._out = self._instance is None

    def _defined(self) -> Failure | None:
        """Define the program at nobody's cost, as whoever comes first does it for all."""
        steps, chance = (budget.left, budget.steps, budget.depth), self.runnable.use_chance(_NONE)
        try:
            return self.runnable.define()
        finally:
            budget.broken = None
            budget.left, budget.steps, budget.depth = steps
            self.runnable.use_chance(chance)

    def _run(self, call: Callable[[], Any]) -> Any:
        """Run a program inside the call of the one that asked; None if it fails."""
        value = None
        chance, seat, depth = self.runnable.use_chance(self._chance), turn.seat, budget.depth
        turn.seat = None if self._seat is None else self._seat.in_next_call()
        turn.depth, budget.depth = turn.depth + 1, 0
        try:
            value = call()
        except (RecursionError, MemoryError) as error:
            raise LimitReached(f"{type(error).__name__} in a simulation") from None
        except (RuleBroken, Exception):  # a program may raise anything
            pass
        finally:
            turn.depth, turn.seat, budget.depth = turn.depth - 1, seat, depth
            self.runnable.use_chance(chance)
        if isinstance(budget.broken, LimitReached):
            reach_limit_again(budget.broken)
        if budget.broken is not None:  # a rule of its own, whatever it returned
            budget.broken, self._out, value = None, True, None
        return value


@contextmanager
def _room_for_frames() -> Iterator[None]:
    """Let simulations inside each other have as much of the stack as DEPTH asks for."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _play(
    table: Sequence[RunnableProgram], game: StageGame, rounds: int, address: str
) -> Simulated:
    """Play a simulated game; in its last round only the first player moves.

    Nobody sees what the others do in that round, and asking them would let mutual simulations
    branch without end, where each of them now leads to one other.
    """
    places = range(len(table))
    players = [_SimulatedPlayer(place, table, game, address) for place in places]
    played = _SimulatedGame(game)
    for _ in range(rounds - 1):
        seen = [played.seen_from(place) for place in places]
        played.add([one.decide(view) for one, view in zip(players, seen, strict=True)])
    players[0].decide(played.seen_from(0))
    first, *others = players
    moves = [_actions(one.moves) for one in others]
    fallbacks = [one.fallbacks for one in others]
    return new_simulated(
        moves=_actions(first.moves),
        fallbacks=first.fallbacks,
        against_moves=moves[0] if len(others) == 1 else tuple(moves),
        against_fallbacks=fallbacks[0] if len(others) == 1 else tuple(fallbacks),
    )


def _actions(moves: Sequence[bool]) -> tuple[Any, ...]:
    return tuple(C if move else D for move in moves)
