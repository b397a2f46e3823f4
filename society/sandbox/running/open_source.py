"""Games of open source: programs read each other's texts, and may run each other in simulations.

A program that plays against a text can do better than one that plays against a stranger: if both
cooperate only with a text equal to their own, neither gains by another program (Howard 1988;
Tennenholtz 2004, Program equilibrium: CliqueBot). If both do what a simulation of the other does,
but cooperate at once with a small probability, simulations end with probability 1, and they
cooperate with any program of that sort, whatever its text (Oesterheld 2019, Robust program
equilibrium: grounded FairBot).

`simulate` is the one name that programs are given for that. Left out is what needs proofs instead
of runs: modal agents, which cooperate if they prove that the other one will (LaVictoire et al.
2014; Critch 2019).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, Protocol

from society.sandbox.running.frozen import Frozen
from society.sandbox.running.step_budget import LimitReached, budget

DEPTH = 100  # of simulations inside each other
CLOSED = (
    "simulate runs while a game of open source is played, and not here; sources are open in games "
    "that say so"
)


class SimulationsTooDeep(LimitReached):
    """Programs that simulate each other came to no end."""

    def __init__(self, rule: str = f"more than {DEPTH} simulations inside each other") -> None:
        super().__init__(rule)


class Simulated(Frozen):
    """A game that was simulated.

    moves: of the program, one for each round. against_moves: those that it saw, one fewer; of
    several co-players a tuple for each. fallbacks, against_fallbacks: how many of these moves are
    the fallback of a program that gave none.
    """

    moves: tuple[Any, ...]
    against_moves: tuple[Any, ...]
    fallbacks: int
    against_fallbacks: int | tuple[int, ...]


def new_simulated(**values: Any) -> Simulated:
    """Make the record of a simulated game; values that can change must not be among them."""
    record = Simulated()
    record.__dict__.update(values)
    return record


class SimulatingSeat(Protocol):
    """A seat whose program may simulate."""

    def simulate(self, program: Any, against: Any, rounds: Any) -> Simulated: ...


class Turn:
    """The seat whose program runs, if it may simulate; there is one, as programs take turns.

    depth: how many simulations it runs inside.
    """

    __slots__ = ("depth", "seat")

    def __init__(self) -> None:
        self.seat: SimulatingSeat | None = None
        self.depth = 0

    @contextmanager
    def of(self, seat: SimulatingSeat | None) -> Iterator[None]:
        """Let what runs meanwhile simulate in the name of this seat; None: not at all."""
        before, self.seat = self.seat, seat
        try:
            yield
        finally:
            self.seat = before


turn = Turn()


def simulate(program: Any, against: Any, rounds: Any = 1) -> Simulated:
    """Play the first rounds of the same game between programs that are given by their texts.

    program: the text of a player of this game. against: that of its co-player, or a list with one
    for each; a single one among several players stands for all.
    """
    if turn.seat is None:
        raise RuntimeError(CLOSED)
    return turn.seat.simulate(program, against, rounds)


def reach_limit_again(limit: LimitReached) -> NoReturn:
    """Raise a limit that was reached inside a simulation where the simulation was asked for."""
    budget.broken = None
    raise type(limit)(limit.rule) from None
