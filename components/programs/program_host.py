"""The jailed workers of this process, which all components share that run programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from threading import Lock

from society.errors import SandboxError, suggest
from society.sandbox.matches.live_calls import AnswerCall, CallOutcome, DecisionCall
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.workers.jail_limits import Confinement
from society.sandbox.workers.program_pool import ProgramPool

CONFINEMENT = "SOCIETY_CONFINEMENT"  # how strictly this user wants programs to be confined
_LEVELS: dict[str, Confinement] = {"strict": "strict", "any": "any"}


class ProgramHost:
    """Programs in one pool of workers, which is told of each of them once.

    What was asked last is remembered: a component asks the same again when it takes notice of what
    came of it.
    """

    def __init__(self, pool: ProgramPool) -> None:
        self._pool = pool
        self._programs: list[LoadedProgram] = []
        self._numbers: dict[LoadedProgram, int] = {}
        self._last: tuple[object, list[CallOutcome]] = (None, [])
        self._loading = Lock()  # runs of a notebook may share a process

    def numbers(self, programs: Sequence[LoadedProgram]) -> list[int]:
        """Return the numbers by which the pool knows programs; new ones are loaded."""
        with self._loading:
            new = [one for one in dict.fromkeys(programs) if one not in self._numbers]
            if new:
                self._numbers |= {one: len(self._programs) + k for k, one in enumerate(new)}
                self._programs += new
                self._pool.load(self._programs)
            return [self._numbers[one] for one in programs]

    def decide(self, calls: Sequence[DecisionCall]) -> list[CallOutcome]:
        """Ask programs for moves."""
        asked = [(c.program, c.seed, c.key, c.game, c.opponents, *_seen(c)) for c in calls]
        before, outcomes = self._last
        if before != asked:
            outcomes = self._pool.decide(calls)
            self._last = asked, outcomes
        return outcomes

    def answer(self, calls: Sequence[AnswerCall]) -> list[CallOutcome]:
        """Ask programs for answers to questions."""
        return self._pool.answer(calls)


def _seen(call: DecisionCall) -> tuple[bytes, ...]:
    """Return what a program has seen, in a form in which equal paths are equal."""
    stock = b"" if call.stock is None else call.stock.tobytes()
    return call.actions.tobytes(), call.payoffs.tobytes(), stock


def host_of_this_process() -> ProgramHost:
    """Return the host of this process: a process that was forked has one of its own."""
    return _host(os.getpid())


@cache
def _host(process: int) -> ProgramHost:
    return ProgramHost(ProgramPool(confinement=chosen_confinement()))


def chosen_confinement() -> Confinement:
    """Return how strictly programs are confined; raises SandboxError.

    The user's environment decides that, and never a file, which a stranger may have made.
    """
    said = os.environ.get(CONFINEMENT, "strict")
    if said not in _LEVELS:
        raise SandboxError(f"{CONFINEMENT} is {said!r:.40}; {suggest(said, _LEVELS)}")
    return _LEVELS[said]
