"""Matches of programs, all rounds of many games at once, inside a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from numpy.typing import NDArray

from society.sandbox.automata import AutomatonTables
from society.sandbox.loaded_program import LoadedProgram
from society.sandbox.stage_games import StageGame


@dataclass(frozen=True)
class MatchBatch:
    """Games of one kind: seats[g, i] is the index of the program that plays seat i of game g.

    seeds, (G, n) of uint64, are those of the programs' generators. The disqualified programs (by
    index) are not run: they play their fallback.
    """

    game: StageGame
    seats: NDArray[Any]
    seeds: NDArray[Any]
    disqualified: frozenset[int] = frozenset()


class Trouble(NamedTuple):
    """A call that gave no move: an error, a broken rule, the third error of one game, or a jail broken."""

    game: int
    seat: int
    round: int
    program: int
    kind: Literal["error", "rule", "errors", "jail"]
    sentence: str
    line: int | None


class BatchResult(NamedTuple):
    """Who cooperated, (G, n, rounds) of bool, and every call that gave no move, in order."""

    actions: NDArray[Any]
    troubles: list[Trouble]


def play_batch(
    programs: Sequence[LoadedProgram],
    batch: MatchBatch,
    tables: AutomatonTables,
    mark: Callable[[int], object],
) -> BatchResult:
    """Play all games of a batch; `mark` is called with a program's index before it is run."""
    raise NotImplementedError
