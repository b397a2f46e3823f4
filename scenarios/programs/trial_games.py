"""Judge programs that authors have written: are they within the rules, and do they play?

A program is checked first, and then plays short games in the sandbox: against itself, against
programs that always cooperate, always defect and draw lots, in two sizes. It is refused for what it
breaks or fails at, never for how it plays: its logic is nobody's business here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from society.components.programs.program_files import ReadyProgram
from society.components.programs.program_host import chosen_confinement
from society.errors import SandboxError
from society.sandbox.checker import CheckedProgram, check_programs
from society.sandbox.kept_programs import KeptProgram
from society.sandbox.matches.match_batch import MatchBatch, Trouble
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.stage_games import GameName, StageGame, stage_game
from society.sandbox.strategy_folder import Fallback
from society.sandbox.workers.program_pool import ProgramPool
from society.scenarios.programs.written_texts import NoProgram, find_program

TRIALS = ((4, 20), (9, 5))  # players, rounds
AT_ONCE = 256  # programs; one that ends its worker has the games of all of them played again
_PARTNERS = """
class AlwaysCooperates:
    def act(self, history):
        return C


class AlwaysDefects:
    def act(self, history):
        return D


class DrawsLots:
    def act(self, history):
        return C if random.random() < 0.5 else D
"""


class ProgramVerdict(NamedTuple):
    """The judgement of a reply: whether its program can play, and the reason if it cannot."""

    accepted: bool
    reason: str = ""


@dataclass(frozen=True)
class WrittenReply:
    """A reply to be judged, and the move of its program where that fails."""

    reply: str
    fallback: Fallback


class TrialGames:
    """The judge of replies. It starts the sandbox when a program is first to be tried.

    tried: whether programs play; otherwise they are checked only.
    """

    def __init__(self, game: GameName, *, tried: bool = True) -> None:
        self._games = [stage_game(game, players, rounds) for players, rounds in TRIALS]
        self._tried = tried
        self._pool: ProgramPool | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.close()

    def judge(self, replies: Sequence[WrittenReply]) -> list[ProgramVerdict]:
        """Judge replies, each by itself."""
        checked = [check_reply(one.reply) for one in replies]
        playable = {
            number: prepare(one, replies[number].fallback)
            for number, one in enumerate(checked)
            if isinstance(one, CheckedProgram)
        }
        failures = self._play([*playable.values()]) if self._tried and playable else {}
        reasons = dict(zip(playable, map(failures.get, range(len(playable))), strict=True))
        return [
            one if isinstance(one, ProgramVerdict) else _verdict(reasons[number])
            for number, one in enumerate(checked)
        ]

    def _play(self, programs: Sequence[LoadedProgram]) -> dict[int, Trouble]:
        """Play the trial games of all programs; the first failure of each that fails."""
        if self._pool is None:
            self._pool = ProgramPool(confinement=chosen_confinement())
        self._pool.load([*programs, *_partners()])
        failures: dict[int, Trouble] = {}
        for start, game in product(range(0, len(programs), AT_ONCE), self._games):
            some = np.arange(start, min(start + AT_ONCE, len(programs)))
            for trouble in self._pool.play(_trial_batch(game, some, len(programs))).troubles:
                failures.setdefault(trouble.program, trouble)
        return failures


def check_reply(reply: str) -> CheckedProgram | ProgramVerdict:
    """Return the program of a reply, or the reason why it is refused."""
    try:
        programs = check_programs(find_program(reply), filename="program")
    except (NoProgram, SandboxError) as error:
        return ProgramVerdict(False, str(error))
    if len(programs) > 1:
        names = ", ".join(one.name for one in programs)
        return ProgramVerdict(
            False, f"several classes could be the strategy: {names}; give one class"
        )
    (program,) = programs
    if not program.accepted:
        where = f" (line {program.line})" if program.line else ""
        return ProgramVerdict(False, f"{program.reason}{where}")
    if program.interface != "society" or "def act(" not in program.source:
        return ProgramVerdict(False, f"{program.name} has no method act(self, history); write it")
    if program.reads_sources or program.simulates:
        return ProgramVerdict(
            False,
            f"{program.name} reads or simulates its co-players, whose sources are closed; let it "
            "decide by the history alone",
        )
    return program


def prepare(program: CheckedProgram, fallback: Fallback) -> LoadedProgram:
    """Make an accepted program ready for the sandbox."""
    kept = KeptProgram(name=program.name, number=0, source=program.source, fallback=fallback)
    return ReadyProgram.of(kept, program).loaded


def _partners() -> list[LoadedProgram]:
    return [prepare(one, "C") for one in check_programs(_PARTNERS)]


def _trial_batch(game: StageGame, programs: NDArray[Any], partner: int) -> MatchBatch:
    """Seat each program with itself, and alone among partners of each kind.

    partner: the number of the first of the three.

    All programs meet the same chance, so that no author's luck depends on another's.
    """
    partners = partner + np.arange(3)
    seats = np.empty((len(programs), 1 + len(partners), game.players), np.int64)
    seats[:, 0] = programs[:, None]
    seats[:, 1:] = partners[:, None]
    seats[:, 1:, 0] = programs[:, None]
    one = np.arange(seats[0].size, dtype=np.uint64).reshape(seats[0].shape)
    seeds = np.broadcast_to(one, seats.shape)
    flat = (-1, game.players)
    return MatchBatch(game, seats.reshape(flat), np.ascontiguousarray(seeds).reshape(flat))


def _verdict(trouble: Trouble | None) -> ProgramVerdict:
    if trouble is None:
        return ProgramVerdict(True)
    where = f" (line {trouble.line})" if trouble.line else ""
    return ProgramVerdict(
        False, f"it failed in round {trouble.round + 1} of a trial game: {trouble.sentence}{where}"
    )
