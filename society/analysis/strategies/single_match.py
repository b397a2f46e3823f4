"""One match of programs in a dilemma of several players, with all their moves and payoffs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from society.components.programs.program_files import ReadyProgram
from society.components.programs.program_host import chosen_confinement
from society.engine.rng import generator
from society.errors import SandboxError
from society.sandbox.matches.match_batch import BatchResult, MatchBatch
from society.sandbox.stage_games import GameName, StageGame, stage_game
from society.sandbox.workers.program_pool import ProgramPool

FEWEST = 4  # players, where fewer classes are given than that


class CallTrouble(NamedTuple):
    """A call that gave no move. round: from 1. line: of the program, None if it is unknown."""

    player: str
    round: int
    kind: str
    sentence: str
    line: int | None
    fallback: str

    def describe(self) -> str:
        """Say what went wrong, and what the program plays from then on."""
        out = (
            ""
            if self.kind == "error"
            else f"; it is disqualified, and plays {self.fallback} to the end"
        )
        line = "" if self.line is None else f" (line {self.line})"
        return f"round {self.round}: {self.player}: {self.sentence}{line}{out}"


@dataclass(frozen=True)
class ProgramMatch:
    """A match that was played.

    moves: of each player, "CDDC...", by name. payoffs: the points of each over all rounds.
    efficiency: mean payoff between that of mutual defection, 0, and of cooperation, 1.
    """

    game: str
    players: int
    rounds: int
    seed: int
    open_source: bool
    moves: dict[str, str]
    payoffs: dict[str, float]
    efficiency: float
    troubles: tuple[CallTrouble, ...]

    def facts(self) -> dict[str, Any]:
        """Return the match as JSON has it."""
        troubles = [
            {name: value for name, value in one._asdict().items() if name != "fallback"}
            for one in self.troubles
        ]
        return {**vars(self), "troubles": troubles}


def play_match(
    programs: Sequence[ReadyProgram],
    game: GameName,
    *,
    players: int | None = None,
    rounds: int = 20,
    seed: int = 1,
    open_source: bool = False,
    factor: float | None = None,
    threshold: int | None = None,
    capacity: float | None = None,
) -> ProgramMatch:
    """Play one match in the jail; raises SandboxError for what is no dilemma.

    players: seats, which the programs take in turn; by default one each, and at least four. factor,
    threshold, capacity: k, m and K of the game; None: its usual ones.
    """
    seats = players or max(FEWEST, len(programs))
    if seats < len(programs):
        raise SandboxError(
            f"{len(programs)} classes have no room on {seats} seats; take more --players, or "
            "name some of them by --class"
        )
    try:
        stage = stage_game(
            game, seats, rounds, factor=factor, threshold=threshold, capacity=capacity
        )
    except ValueError as error:
        raise SandboxError(str(error)) from None
    result = _played(programs, stage, seed, open_source=open_source)
    names, payoffs = _seat_names(programs, seats), _payoffs(stage, result)
    moves = ["".join("C" if one else "D" for one in seat) for seat in result.actions[0]]
    return ProgramMatch(
        stage.name,
        stage.players,
        stage.rounds,
        seed,
        open_source,
        dict(zip(names, moves, strict=True)),
        dict(zip(names, payoffs, strict=True)),
        float(stage.efficiency(sum(payoffs) / (stage.players * stage.rounds))),
        tuple(
            CallTrouble(
                names[one.seat],
                one.round + 1,
                one.kind,
                one.sentence,
                one.line,
                programs[one.program].kept.fallback,
            )
            for one in result.troubles
        ),
    )


def describe_seats(programs: int, players: int) -> str:
    """Say that there are more seats than classes; "" where there are not."""
    if players <= programs:
        return ""
    many = f"{programs} classes take {players} seats in turn"
    return f"one class takes all {players} seats" if programs == 1 else many


def _played(
    programs: Sequence[ReadyProgram], game: StageGame, seed: int, *, open_source: bool
) -> BatchResult:
    seats = np.arange(game.players)[None] % len(programs)
    words = generator(seed, "strategies play").integers(2**64, size=seats.shape, dtype=np.uint64)
    with ProgramPool(workers=1, confinement=chosen_confinement()) as pool:
        pool.load([one.loaded for one in programs])
        return pool.play(MatchBatch(game, seats, words, open_source=open_source))


def _seat_names(programs: Sequence[ReadyProgram], players: int) -> list[str]:
    """Name the seats by their classes; those that a class has beyond its first are numbered."""
    names = [one.kept.name for one in programs]
    turns = (divmod(seat, len(names)) for seat in range(players))
    return [f"{names[place]} {turn + 1}" if turn else names[place] for turn, place in turns]


def _payoffs(game: StageGame, result: BatchResult) -> list[float]:
    """Return the points that each seat gets in all rounds."""
    total, stock = np.zeros(game.players), game.first_stock
    for cooperates in result.actions[0].T:
        total += game.paid(cooperates, stock)
        stock = game.next_stock(cooperates, stock)
    return [float(one) for one in total]
