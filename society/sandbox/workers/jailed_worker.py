"""What a jailed worker does: read a request, run programs, reply, until the pool hangs up."""

from __future__ import annotations

import mmap
import os
import warnings
from base64 import b64encode
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any

import numpy as np

from society.sandbox.matches.automata import AutomatonTables
from society.sandbox.matches.live_calls import CallOutcome, LiveInstances
from society.sandbox.matches.match_batch import play_batch
from society.sandbox.running.facades import make_namespace
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.workers.jail import READS, WRITES, JailReport
from society.sandbox.workers.memory_ledger import MemoryLedger
from society.sandbox.workers.request_packing import (
    unpack_answers,
    unpack_batch,
    unpack_decisions,
    unpack_programs,
)
from society.sandbox.workers.worker_messages import WorkerRequest, pack_reply, read_request

SENTENCE = 300  # signs of a sentence that goes to the pool
NOBODY = -1  # the mark while no program runs
OUT_OF_MEMORY = 77  # the status of a worker that has no memory left


# Functions of numpy that import something when they are first called.
FIRST_CALLS = """
values = np.array([2.0, 1.0])
np.median(values), np.std(values), np.percentile(values, 50), np.linalg.norm(values), str(values)
np.random.rand(2), np.random.choice(2), random.random()
"""


def warm_up() -> None:
    """Import what programs will need, while there are files to import from."""
    exec(FIRST_CALLS, make_namespace())


def work(report: JailReport, shared: mmap.mmap) -> None:
    """Say which layers hold, then do what the pool asks until it hangs up."""
    # Programs divide by zero and go on with infinities; nobody reads warnings here.
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    worker = ProgramWorker(_marker(shared))
    _write(pack_reply({"layers": report.layers, "missing": report.missing}))
    while True:
        try:
            request = read_request(lambda size: os.read(READS, size))
        except EOFError:
            return
        _write(pack_reply(worker.obey(request)))


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


class ProgramWorker:
    """The programs of a worker, and what it remembers of them between requests."""

    def __init__(self, mark: Callable[[int], None]) -> None:
        self._mark = mark
        self._take([])
        self._tasks = {
            "load": self.load,
            "play": self.play,
            "decide": self.decide,
            "answer": self.answer,
        }

    def obey(self, request: WorkerRequest) -> dict[str, Any]:
        """Do what is asked; a mistake of ours comes back as text."""
        try:
            done = self._tasks[request.head["task"]](request)
        except MemoryError:
            # Programs have used it up: this worker ends as if the kernel had ended it.
            os._exit(OUT_OF_MEMORY)
        except Exception as error:  # any other is a mistake of ours, which the pool reports
            return {"mistake": _shorten(f"{type(error).__name__}: {error}")}
        self._mark(NOBODY)
        return done

    def load(self, request: WorkerRequest) -> dict[str, Any]:
        """Take programs, and forget those before."""
        self._take(unpack_programs(request))
        return {"loaded": len(self._programs)}

    def _take(self, programs: list[LoadedProgram]) -> None:
        self._programs = programs
        self._tables = AutomatonTables()
        self._live = LiveInstances(programs, self._mark)

    def play(self, request: WorkerRequest) -> dict[str, Any]:
        """Play a batch of matches."""
        batch = unpack_batch(request)
        if request.head["memory"]:
            ledger = MemoryLedger(self._mark, request.head["memory"])
            with ledger.counting():
                result = play_batch(self._programs, batch, self._tables, ledger.mark)
        else:
            result = play_batch(self._programs, batch, self._tables, self._mark)
        bits = np.packbits(np.ascontiguousarray(result.actions, dtype=np.bool_))
        troubles = [
            {**one._asdict(), "sentence": _shorten(one.sentence)} for one in result.troubles
        ]
        return {"actions": b64encode(bits.tobytes()).decode(), "troubles": troubles}

    def decide(self, request: WorkerRequest) -> dict[str, Any]:
        """Ask programs for moves."""
        return _outcomes(map(self._live.decide, unpack_decisions(request)))

    def answer(self, request: WorkerRequest) -> dict[str, Any]:
        """Ask programs for answers."""
        return _outcomes(map(self._live.answer, unpack_answers(request)))


def _outcomes(outcomes: Iterable[CallOutcome]) -> dict[str, Any]:
    return {"outcomes": [_describe_outcome(one) for one in outcomes]}


def _describe_outcome(outcome: CallOutcome) -> dict[str, Any]:
    value, failure = outcome
    if failure is None:
        return {"value": value, "failure": None}
    told = {**failure._asdict(), "sentence": _shorten(failure.sentence)}
    return {"value": value, "failure": told}


def _shorten(sentence: str) -> str:
    return sentence[:SENTENCE]
