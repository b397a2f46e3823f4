"""Make a folder of the strategies that a run has written: files, a manifest, and a report.

    manifest.json            who wrote what, and which descriptions never became a program
    MODEL_ATTITUDE_001.py    one program a file, as it was written
    report.csv               what each program reads and keeps, whether it draws lots, and its cost
    success.csv              how many descriptions became programs, by model, attitude and length

The cost of a call is measured here and now, so that it differs from machine to machine; all else in
the report is found without running a program.
"""

from __future__ import annotations

import csv
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from society.components.programs.program_host import chosen_confinement
from society.sandbox.checker import CheckedProgram, check_programs
from society.sandbox.matches.match_batch import MatchBatch
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.stage_games import GameName, StageGame, stage_game
from society.sandbox.strategy_folder import (
    FailedDescription,
    StrategyAuthor,
    StrategyEntry,
    StrategyManifest,
    write_strategies,
)
from society.sandbox.workers.program_pool import ProgramPool
from society.scenarios.programs.trial_games import prepare

from .written_strategies import WrittenStrategy, success_by_author, success_by_length

REPORT, SUCCESS = "report.csv", "success.csv"
_GAMES = 8  # in which the cost of a call is measured together
_TIMES = 3  # so often, of which the quickest counts
_NO_WORK = "class NoWork:\n    def act(self, history):\n        return C\n"


class ProgramNote(NamedTuple):
    """A row of the report; reads: attributes of the history; microseconds: of one call."""

    file: str
    name: str
    model: str
    attitude: str
    tries: int
    words: int
    lines: int
    reads: str
    random: bool
    keeps_state: bool
    microseconds: float


def write_folder(folder: Path, game: GameName, written: Sequence[WrittenStrategy]) -> None:
    """Write the manifest, the programs and the report of all that was written."""
    accepted = [one for one in written if one.accepted]
    programs = [_only_program(one) for one in accepted]
    names = _file_names(accepted)
    manifest = StrategyManifest(
        game=game,
        interface="society",
        models={one.model: StrategyAuthor() for one in written},
        strategies=tuple(map(_entry, accepted, programs, names)),
        failed=tuple(_failed(one) for one in written if not one.accepted),
    )
    files = dict(zip(names, (one.source for one in accepted), strict=True))
    notes = _notes(manifest.strategies, programs, game)
    _write_table(folder / REPORT, ProgramNote._fields, notes)
    _write_table(folder / SUCCESS, _SUCCESS_FIELDS, _success_rows(written))
    write_strategies(folder, manifest, files)


def _only_program(strategy: WrittenStrategy) -> CheckedProgram:
    (program,) = check_programs(strategy.source)
    return program


def _file_names(written: Iterable[WrittenStrategy]) -> list[str]:
    """Name files after model and attitude, numbered: gpt_4o_mini_collective_001.py."""
    counts = Counter[str]()
    names = []
    for one in written:
        stem = f"{file_word(one.model.rpartition('/')[2])}_{file_word(one.attitude)}"
        counts[stem] += 1
        names.append(f"{stem}_{counts[stem]:03}.py")
    return names


def file_word(text: str) -> str:
    """Turn a name into letters, digits and underscores.

    >>> file_word("gpt-4o.mini")
    'gpt_4o_mini'
    """
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_") or "unnamed"


def _entry(strategy: WrittenStrategy, program: CheckedProgram, file: str) -> StrategyEntry:
    return StrategyEntry(
        file=file,
        name=program.name,
        model=strategy.model,
        attitude=strategy.attitude,
        fallback=strategy.fallback,
        description=strategy.description,
        tries=len(strategy.tries),
    )


def _failed(strategy: WrittenStrategy) -> FailedDescription:
    return FailedDescription(
        model=strategy.model,
        attitude=strategy.attitude,
        description=strategy.description,
        reason=strategy.reason,
        tries=max(1, len(strategy.tries)),
    )


# Report


def _notes(
    entries: Sequence[StrategyEntry], programs: Sequence[CheckedProgram], game: GameName
) -> list[ProgramNote]:
    loaded = [prepare(one, entry.fallback) for one, entry in zip(programs, entries, strict=True)]
    costs = call_costs(loaded, stage_game(game, players=4))
    rows = zip(entries, programs, costs, strict=True)
    return [_note(entry, program, cost) for entry, program, cost in rows]


def _note(entry: StrategyEntry, program: CheckedProgram, cost: float) -> ProgramNote:
    return ProgramNote(
        entry.file,
        entry.name,
        entry.model,
        entry.attitude,
        entry.tries,
        len(entry.description.split()),
        len(program.source.splitlines()),
        " ".join(sorted(program.reads)),
        program.random,
        program.keeps_state,
        round(cost, 1),
    )


def call_costs(programs: Sequence[LoadedProgram], game: StageGame) -> list[float]:
    """Measure a call of each program in the sandbox, in microseconds beyond one that does nothing.

    Each plays some games with itself; what else this machine does only adds to the time.
    """
    (idle,) = check_programs(_NO_WORK)
    # As a program that draws and remembers, each is called in every round by every seat.
    called = [replace(one, random=True, keeps_state=True) for one in programs]
    with ProgramPool(workers=1, confinement=chosen_confinement()) as pool:
        pool.load([*called, replace(prepare(idle, "C"), random=True, keeps_state=True)])
        nothing = min(_measure(pool, len(programs), game) for _ in range(10 * _TIMES))
        costs = [
            min(_measure(pool, number, game) for _ in range(_TIMES))
            for number in range(len(programs))
        ]
    return [max(0.0, cost - nothing) for cost in costs]


def _measure(pool: ProgramPool, number: int, game: StageGame) -> float:
    """Return the microseconds per call of one program, and of all that surrounds it."""
    seats = np.full((_GAMES, game.players), number)
    seeds = np.arange(seats.size, dtype=np.uint64).reshape(seats.shape)
    start = time.perf_counter()
    pool.play(MatchBatch(game, seats, seeds))
    return (time.perf_counter() - start) / (seats.size * game.rounds) * 1e6


_SUCCESS_FIELDS = ("model", "attitude", "words", "described", "accepted", "tries")


def _success_rows(written: Sequence[WrittenStrategy]) -> Iterator[tuple[object, ...]]:
    """Yield success by model and attitude, each altogether and by thirds of length."""
    for whole in success_by_author(written):
        own = [one for one in written if (one.model, one.attitude) == whole.group]
        yield (*whole.group, "all", *whole[1:4])
        for part in success_by_length(own):
            yield (*whole.group, *part.group, *part[1:4])


def _write_table(file: Path, fields: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        writer.writerow(fields)
        writer.writerows(rows)
