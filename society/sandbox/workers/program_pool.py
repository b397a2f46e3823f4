"""A pool of jailed workers that play whole batches of matches, and give single answers.

    with ProgramPool(workers=2) as pool:
        pool.load(programs)
        result = pool.play(batch)

A program can end its worker, silence it, or speak for it; it cannot reach the pool. It is then
disqualified by one sentence, and the batch is played again without it. Results depend on the
arguments alone: not on the number of workers, nor on what was played before.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import Any, Generic, NamedTuple, Self, TypeVar
from zlib import crc32

import numpy as np

from society.errors import SandboxError
from society.sandbox.matches.live_calls import AnswerCall, CallOutcome, DecisionCall
from society.sandbox.matches.match_batch import BatchResult, MatchBatch, Trouble
from society.sandbox.running.loaded_program import LoadedProgram
from society.sandbox.running.runnable_program import Failure
from society.sandbox.workers.jail import JailReport
from society.sandbox.workers.jail_limits import Confinement, JailLimits
from society.sandbox.workers.replies import (
    LONGEST_OUTCOME,
    AnswersReply,
    HelloReply,
    LoadReply,
    MovesReply,
    ReplyKind,
    WorkerLie,
    longest_play_reply,
    parse_outcomes,
    parse_play,
    parse_reply,
)
from society.sandbox.workers.request_packing import (
    pack_answers,
    pack_batch,
    pack_decisions,
    pack_programs,
)
from society.sandbox.workers.worker_processes import (
    Task,
    WorkerFailure,
    WorkerProcess,
    Zygote,
    exchange,
)

SHORT_REPLY = 1 << 16  # bytes
LOADING = 100  # decisions that take as long as loading a program
REPLAYED = 1000  # decisions that an instance may have to make again before one
_Found = TypeVar("_Found")
_Call = TypeVar("_Call", DecisionCall, AnswerCall)


class WorkerJob(NamedTuple, Generic[_Found]):
    """A task for a worker, and how its reply is read."""

    task: Task
    parse: Callable[[dict[str, Any]], _Found]


class ProgramPool:
    """Jailed workers, started when they are first needed, and ended with the pool.

    confinement: "strict" refuses to run programs where a layer of the jail is missing; "any" makes
    do with the layers that this machine has; "none" is a process of its own and nothing else.
    """

    def __init__(
        self,
        workers: int | None = None,
        limits: JailLimits | None = None,
        confinement: Confinement = "strict",
    ) -> None:
        if sys.platform != "linux":
            raise SandboxError(NO_LINUX.format(sys.platform))
        self._limits = limits or JailLimits()
        self._confinement: Confinement = confinement
        self._workers: list[WorkerProcess | None] = [None] * (workers or _processors())
        self._zygote: Zygote | None = None
        self._programs: tuple[LoadedProgram, ...] = ()
        self._seeing: set[int] = set()  # programs that make use of open sources
        self._loads = 0
        self._in_use = threading.RLock()  # workers hold one conversation at a time
        self._warned = False
        self.jail: JailReport | None = None  # of the worker that was started last

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
        """End all processes of the pool; it can be used again, and starts new ones."""
        if self._zygote is not None:
            atexit.unregister(self.close)
            self._zygote.close()
        for worker in filter(None, self._workers):
            worker.connection.close()
        self._zygote = None
        self._workers = [None] * len(self._workers)

    def load(self, programs: Sequence[LoadedProgram]) -> None:
        """Take the programs that batches and calls name by their index here."""
        with self._in_use:
            self._programs = tuple(programs)
            self._seeing = {number for number, one in enumerate(programs) if one.sees_sources}
            self._loads += 1

    def play(self, batch: MatchBatch) -> BatchResult:
        """Play a batch of matches, split over the workers."""
        if self._seeing and not batch.open_source:
            self._refuse_closed(np.unique(batch.seats).tolist())
        with self._in_use:
            results = self._play_shares(_split(batch, len(self._workers)))
            if any(isinstance(one, WorkerFailure) for one in results):
                return self._play_alone(batch)
        return _join([one for one in results if isinstance(one, BatchResult)])

    def _play_alone(self, batch: MatchBatch) -> BatchResult:
        """Play a batch in one fresh worker at a time, until no program ends it.

        Games are played in the same order whatever the number of workers, so that the same programs
        are disqualified.
        """
        guilty: dict[int, str] = {}
        counted = False
        while True:
            self._end_workers()
            left = replace(batch, disqualified=batch.disqualified | guilty.keys())
            (result,) = self._play_shares([left], counted=counted)
            if isinstance(result, WorkerFailure) and result.lacks_memory and not counted:
                # The program that found no memory may not be the one that took it.
                counted = True
                continue
            if isinstance(result, BatchResult):
                troubles = [self._trouble(batch, *one) for one in guilty.items()]
                return BatchResult(result.actions, troubles + result.troubles)
            program = result.program
            if program is None or program in left.disqualified or program not in batch.seats:
                raise SandboxError(NOBODY_TO_BLAME.format(result.sentence))
            guilty[program] = result.sentence

    def _trouble(self, batch: MatchBatch, program: int, sentence: str) -> Trouble:
        """Say that a program was disqualified, at the first seat that it has."""
        game, seat = (int(place[0]) for place in np.nonzero(batch.seats == program))
        return Trouble(game, seat, 0, program, "jail", sentence, None)

    def _play_shares(
        self, shares: Sequence[MatchBatch], *, counted: bool = False
    ) -> list[BatchResult | WorkerFailure]:
        memory = self._limits.memory if counted else None
        found = self._ask({place: _play_job(one, memory) for place, one in enumerate(shares)})
        return [found[place] for place in range(len(shares))]

    def _refuse_closed(self, programs: Iterable[int]) -> None:
        """Raise SandboxError for programs that need sources, in a game that does not open them."""
        for program in self._seeing.intersection(programs):
            raise SandboxError(SOURCES_CLOSED.format(self._programs[program].name))

    def decide(self, calls: Sequence[DecisionCall]) -> list[CallOutcome]:
        """Ask programs for single moves: True is C, and the fallback stands where one fails."""
        self._refuse_closed(one.program for one in calls if one.opponents is None)
        found = self._answer_calls(
            calls, lambda some: _call_job(pack_decisions(some), MovesReply, some)
        )
        return [
            one if one.value is not None else one._replace(value=self._fallback(call))
            for one, call in zip(found, calls, strict=True)
        ]

    def _fallback(self, call: DecisionCall) -> bool:
        return self._programs[call.program].fallback == "C"

    def answer(self, calls: Sequence[AnswerCall]) -> list[CallOutcome]:
        """Ask programs single questions: None stands where one fails."""
        return self._answer_calls(
            calls, lambda some: _call_job(pack_answers(some), AnswersReply, some)
        )

    def _answer_calls(
        self, calls: Sequence[_Call], job: Callable[[Sequence[_Call]], WorkerJob[list[CallOutcome]]]
    ) -> list[CallOutcome]:
        """Send calls where their instances wait; those of a worker that fails are made alone."""
        shares = _share_calls(calls, len(self._workers))
        jobs = {place: job([calls[one] for one in share]) for place, share in shares.items()}
        outcomes: dict[int, CallOutcome] = {}
        with self._in_use:
            for place, found in self._ask(jobs).items():
                came = (
                    [self._answer_alone(calls[one], job) for one in shares[place]]
                    if isinstance(found, WorkerFailure)
                    else found
                )
                outcomes |= zip(shares[place], came, strict=True)
        return [outcomes[one] for one in range(len(calls))]

    def _answer_alone(
        self, call: _Call, job: Callable[[Sequence[_Call]], WorkerJob[list[CallOutcome]]]
    ) -> CallOutcome:
        found = self._ask({0: job([call])})[0]
        if isinstance(found, WorkerFailure) and found.lacks_memory:
            # Instances of others may have taken it: in a new worker there are none.
            found = self._ask({0: job([call])})[0]
        if not isinstance(found, WorkerFailure):
            return found[0]
        if found.program != call.program:
            raise SandboxError(NOBODY_TO_BLAME.format(found.sentence))
        return CallOutcome(None, Failure("jail", found.sentence))

    def _ask(self, jobs: Mapping[int, WorkerJob[_Found]]) -> dict[int, _Found | WorkerFailure]:
        """Give workers, by their places, a job each; those that fail are ended.

        An error ends all processes, so that the next job finds new ones.
        """
        try:
            workers = {place: self._ready(place) for place in jobs}
            tasks = {workers[place]: job.task for place, job in jobs.items()}
            replies = exchange(tasks, self._limits)
        except BaseException:  # Ctrl-C, too: what they were doing cannot be taken up again
            self.close()
            raise
        return {
            place: self._judge(worker, replies[worker], jobs[place].parse)
            for place, worker in workers.items()
        }

    def _judge(
        self,
        worker: WorkerProcess,
        reply: dict[str, Any] | WorkerFailure,
        parse: Callable[[dict[str, Any]], _Found],
    ) -> _Found | WorkerFailure:
        """Read a reply; who failed, or lied, is not asked again."""
        if isinstance(reply, WorkerFailure):
            self._forget([worker])
            return reply
        try:
            return parse(reply)
        except WorkerLie as lie:
            failure = WorkerFailure(worker.program, f"its worker answered what cannot be: {lie}")
            worker.end()
            self._forget([worker])
            return failure

    def _ready(self, place: int) -> WorkerProcess:
        """Return the worker of this place, with the programs loaded."""
        worker = self._workers[place]
        if worker is not None and worker.busy > self._limits.processor / 2:
            worker.end()
            worker = None
        if worker is None:
            worker = self._start(place)
        if worker.loaded != self._loads:
            self._load(worker)
        return worker

    def _start(self, place: int) -> WorkerProcess:
        if self._zygote is None:
            self._zygote = Zygote(self._limits, self._confinement)
            atexit.register(self.close)
        worker = self._workers[place] = WorkerProcess(self._zygote)
        hello = self._tell(worker, b"", HelloReply)
        self.jail = JailReport(tuple(hello.layers), hello.missing)
        self._check_jail(self.jail)
        return worker

    def _check_jail(self, jail: JailReport) -> None:
        lacking = jail.lacks()
        if self._confinement == "none" or not lacking:
            return
        missing = "; ".join(
            f"{layer} ({jail.missing.get(layer, 'not tried')})" for layer in lacking
        )
        if self._confinement == "strict":
            raise SandboxError(NOT_CONFINED.format(missing))
        if not self._warned:
            warnings.warn(f"programs run without a layer of the jail: {missing}", stacklevel=4)
            self._warned = True

    def _load(self, worker: WorkerProcess) -> None:
        self._tell(worker, pack_programs(self._programs), LoadReply)
        worker.loaded = self._loads

    def _tell(self, worker: WorkerProcess, request: bytes, kind: type[ReplyKind]) -> ReplyKind:
        """Exchange what no program takes part in; raises SandboxError where that fails."""
        task = Task(request, SHORT_REPLY, len(self._programs) * LOADING)
        said = exchange({worker: task}, self._limits)[worker]
        reply = self._judge(worker, said, partial(parse_reply, kind))
        if isinstance(reply, WorkerFailure):
            raise SandboxError(f"a worker failed before it ran a program: {reply.sentence}")
        return reply

    def _end_workers(self) -> None:
        for worker in filter(None, self._workers):
            worker.end()
        self._workers = [None] * len(self._workers)

    def _forget(self, ended: Sequence[WorkerProcess]) -> None:
        self._workers = [None if one in ended else one for one in self._workers]


NO_LINUX = (
    "programs run in a jail on Linux only, and this is {}; install the extra `monty` "
    "(pip install 'society[monty]'), whose interpreter is the strict mode elsewhere"
)
SOURCES_CLOSED = (
    "{} reads or simulates its co-players, and the sources of this game are closed; let it be a "
    "game of open source (--open-source, or the parameter open_source: true), or leave it out"
)
NOBODY_TO_BLAME = "a worker failed, and it cannot be told by which program's fault: {}"
NOT_CONFINED = (
    "programs are not run here, since a layer of their jail is missing: {}; run them on a newer "
    'Linux, or accept the other layers alone with confinement="any"'
)


def _processors() -> int:
    return len(os.sched_getaffinity(0))


def _play_job(batch: MatchBatch, memory: int | None) -> WorkerJob[BatchResult]:
    decisions = batch.seats.size * batch.game.rounds
    task = Task(pack_batch(batch, memory=memory), longest_play_reply(batch), decisions)
    return WorkerJob(task, partial(parse_play, batch))


def _call_job(
    request: bytes, kind: type[MovesReply] | type[AnswersReply], calls: Sequence[_Call]
) -> WorkerJob[list[CallOutcome]]:
    task = Task(request, len(calls) * LONGEST_OUTCOME + SHORT_REPLY, len(calls) * REPLAYED)
    return WorkerJob(task, partial(parse_outcomes, kind, len(calls)))


def _share_calls(calls: Sequence[_Call], workers: int) -> dict[int, list[int]]:
    """Choose a worker for each call, the same for all calls of an instance."""
    shares: dict[int, list[int]] = {}
    for number, call in enumerate(calls):
        instance = f"{call.program} {call.seed} {call.key}"
        shares.setdefault(crc32(instance.encode()) % workers, []).append(number)
    return shares


def _split(batch: MatchBatch, workers: int) -> list[MatchBatch]:
    """Cut a batch into a share of about as many games for each worker."""
    shares = min(workers, len(batch.seats)) or 1
    seats, seeds = np.array_split(batch.seats, shares), np.array_split(batch.seeds, shares)
    return [
        replace(batch, seats=some, seeds=theirs) for some, theirs in zip(seats, seeds, strict=True)
    ]


def _join(results: Sequence[BatchResult]) -> BatchResult:
    """Put shares together again, in their order."""
    troubles, before = [], 0
    for result in results:
        troubles += [one._replace(game=one.game + before) for one in result.troubles]
        before += len(result.actions)
    return BatchResult(np.concatenate([one.actions for one in results]), troubles)
