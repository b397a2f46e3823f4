"""What a jailed worker does: read a request, run programs, reply, until the pool hangs up."""

from __future__ import annotations

import marshal
import mmap
import os
from base64 import b64encode
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from society.sandbox.automata import AutomatonTables
from society.sandbox.frames import Request, pack_reply, read_request
from society.sandbox.jail import READS, WRITES, JailReport
from society.sandbox.loaded_program import LoadedProgram
from society.sandbox.match_batch import MatchBatch, Trouble, play_batch
from society.sandbox.stage_games import StageGame, stage_game

SENTENCE = 300  # signs of a sentence that goes to the pool
NOBODY = -1  # the mark while no program runs
OUT_OF_MEMORY = 77  # the status of a worker that has no memory left


def warm_up() -> None:
    """Use what is imported late, while there still are files to import from."""
    np.random.Generator(np.random.Philox(0)).random(2)
    np.linalg.norm(np.dot(np.ones((2, 2)), np.ones(2)))
    np.median(np.sort(np.array([2.0, 1.0])))


def work(report: JailReport, shared: mmap.mmap) -> None:
    """Say which layers hold, then do what the pool asks until it hangs up."""
    worker = Worker(_marker(shared))
    _write(pack_reply({"layers": report.layers, "missing": report.missing}))
    while True:
        try:
            request = read_request(lambda size: os.read(READS, size))
        except EOFError:
            return
        _write(pack_reply(worker.answer(request)))


def _marker(shared: mmap.mmap) -> Callable[[int], None]:
    """Return what notes, for the pool, the program that is about to run."""
    cells = memoryview(shared).cast("q")
    turns = count(1).__next__

    def mark(program: int) -> None:
        cells[0] = program
        cells[1] = turns()

    return mark


def _write(reply: bytes) -> None:
    unsent = memoryview(reply)
    while unsent:
        unsent = unsent[os.write(WRITES, unsent) :]


class Worker:
    """The programs of a worker, and what it remembers of them between requests."""

    def __init__(self, mark: Callable[[int], None]) -> None:
        self._mark = mark
        self._programs: list[LoadedProgram] = []
        self._tables = AutomatonTables()
        self._tasks = {"load": self.load, "play": self.play}

    def answer(self, request: Request) -> dict[str, Any]:
        """Do what is asked; a mistake of ours comes back as text."""
        try:
            done = self._tasks[request.head["task"]](request)
        except MemoryError:
            # Programs have used it up: this worker ends as if the kernel had ended it.
            os._exit(OUT_OF_MEMORY)
        except Exception as error:
            return {"mistake": f"{type(error).__name__}: {error}"[:SENTENCE]}
        self._mark(NOBODY)
        return done

    def load(self, request: Request) -> dict[str, Any]:
        """Take programs; nothing of them is executed yet."""
        self._programs, place = [], 0
        for known in request.head["programs"]:
            size = known.pop("size")
            code = marshal.loads(request.body[place : place + size])
            reads = frozenset(known.pop("reads"))
            self._programs.append(LoadedProgram(**known, code=code, reads=reads))
            place += size
        self._tables = AutomatonTables()
        return {"loaded": len(self._programs)}

    def play(self, request: Request) -> dict[str, Any]:
        """Play a batch of matches."""
        batch = unpack_batch(request)
        result = play_batch(self._programs, batch, self._tables, self._mark)
        bits = np.packbits(np.ascontiguousarray(result.actions, dtype=np.bool_))
        troubles = [_shorten(one)._asdict() for one in result.troubles]
        return {"actions": b64encode(bits.tobytes()).decode(), "troubles": troubles}


def unpack_batch(request: Request) -> MatchBatch:
    """Read a batch as the pool packed it."""
    head = request.head
    seats = np.frombuffer(request.body, np.int32, head["games"] * head["game"]["players"])
    seeds = np.frombuffer(request.body, np.uint64, len(seats), offset=seats.nbytes)
    shape = head["games"], head["game"]["players"]
    return MatchBatch(
        game=unpack_game(head["game"]),
        seats=seats.reshape(shape),
        seeds=seeds.reshape(shape),
        disqualified=frozenset(head["disqualified"]),
    )


def pack_batch(batch: MatchBatch) -> tuple[dict[str, Any], bytes]:
    """Write a batch as a head and a body, for `unpack_batch`."""
    head = {
        "game": pack_game(batch.game),
        "games": len(batch.seats),
        "disqualified": sorted(batch.disqualified),
    }
    seats = np.ascontiguousarray(batch.seats, np.int32)
    return head, seats.tobytes() + np.ascontiguousarray(batch.seeds, np.uint64).tobytes()


def pack_game(game: StageGame) -> dict[str, Any]:
    """Write a game as plain values."""
    names = ("name", "players", "rounds", "factor", "threshold", "capacity")
    return {name: getattr(game, name) for name in names}


def unpack_game(packed: dict[str, Any]) -> StageGame:
    """Read a game as `pack_game` wrote it."""
    return stage_game(**packed)


def _shorten(trouble: Trouble) -> Trouble:
    return trouble._replace(sentence=trouble.sentence[:SENTENCE])
