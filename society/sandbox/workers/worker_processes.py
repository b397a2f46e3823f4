"""The pool's side of its workers: start them, exchange messages, watch the clock, end them.

Nothing that a worker sends is trusted: a reply is bounded before it is read, and a worker that does
not answer in time is killed. Its mark, in shared memory, names the program that it was running.
"""

from __future__ import annotations

import json
import mmap
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from society.errors import SandboxError
from society.sandbox.workers.jail_limits import Confinement, JailLimits
from society.sandbox.workers.jailed_worker import OUT_OF_MEMORY
from society.sandbox.workers.worker_messages import REPLY
from society.sandbox.workers.zygote import LONGEST

# OpenBLAS and its kin would start threads. A hash seed, or sets of strings had an order of their
# own in every worker.
ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
START = """
import json, sys
control, pool, confinement, limits, *sys.path[:] = json.loads(sys.argv[1])
from society.sandbox.workers.jailed_worker import OUT_OF_MEMORY
from society.sandbox.workers.zygote import start_keeper
start_keeper(control, pool, confinement, limits)
"""
ZYGOTE_ENDED = "the process that starts workers has ended, or does not answer; begin again"
PATIENCE = 60.0  # seconds in which the zygote starts or forks; it runs no program


_CALLS_TOGETHER = 4  # how much longer than one call those of one program may take together


class Task(NamedTuple):
    """A request for one worker: how long its reply may be, and how much work it is."""

    request: bytes
    longest_reply: int
    decisions: int


class WorkerFailure(NamedTuple):
    """The end of a worker that gave no answer.

    program: in whose call it was, by index, or None.
    """

    program: int | None
    sentence: str

    @property
    def lacks_memory(self) -> bool:
        """Tell if it ended as it had no memory left."""
        return self.sentence == TOO_MUCH_MEMORY


WorkerOutcome = dict[str, Any] | WorkerFailure


class Zygote:
    """The warm process that forks workers; it has no contact with them."""

    def __init__(self, limits: JailLimits, confinement: Confinement) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(PATIENCE)
        self._owner = os.getpid()
        self._turn = 0
        given = [theirs.fileno(), self._owner, confinement, asdict(limits), *sys.path]
        try:
            with theirs:
                self._process = _start_python(json.dumps(given), theirs.fileno())
        except BaseException:  # Ctrl-C, too: nobody else would close it
            self._control.close()
            raise
        try:
            self._receive()
        except BaseException:  # Ctrl-C, too
            self.close()
            raise

    def fork(self, descriptors: Sequence[int]) -> int:
        """Fork a worker that holds copies of these descriptors, and return its number."""
        return self._ask({"fork": True}, descriptors)["worker"]

    def end(self, worker: int) -> int:
        """End a worker, and return its status as waitpid has it."""
        return self._ask({"end": worker})["status"]

    def close(self) -> None:
        """End it and all its workers; a forked copy of this process only lets go of them."""
        self._control.close()
        if os.getpid() != self._owner:
            self._process.poll()  # notes that it is no child of this process
            return
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, request: dict[str, int], descriptors: Sequence[int] = ()) -> dict[str, int]:
        self._turn += 1
        message = json.dumps({**request, "turn": self._turn}).encode()
        try:
            socket.send_fds(self._control, [message], list(descriptors))
        except OSError:
            raise SandboxError(ZYGOTE_ENDED) from None
        # An answer that nobody waited for, since somebody pressed Ctrl-C, may come first.
        while (reply := self._receive())["turn"] != self._turn:
            pass
        return reply

    def _receive(self) -> dict[str, int]:
        try:
            message = self._control.recv(LONGEST)
        except OSError:
            message = b""
        if not message:
            raise SandboxError(ZYGOTE_ENDED)
        reply: dict[str, Any] = json.loads(message)
        if "error" in reply:
            raise SandboxError(f"no worker could be started: {reply['error']}")
        return reply


def _start_python(argument: str, descriptor: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-s", "-P", "-c", START, argument],
            env=_environment(),
            pass_fds=[descriptor],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            # Ctrl-C in a terminal is for the pool alone.
            start_new_session=True,
        )
    except OSError as error:
        raise SandboxError(f"no Python could be started for programs: {error}") from None


def _environment() -> dict[str, str]:
    """Return the environment that Python needs to start here, with nothing of the user's."""
    kept = {name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ}
    return kept | ENVIRONMENT


class WorkerProcess:
    """One jailed worker, while it lives."""

    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self.connection, theirs = socket.socketpair()
        mark = os.memfd_create("mark")
        try:
            os.ftruncate(mark, mmap.PAGESIZE)
            self._mark = np.frombuffer(mmap.mmap(mark, mmap.PAGESIZE), np.int64)
            self._mark[0] = -1
            self._number = zygote.fork([theirs.fileno(), mark])
        except BaseException:  # Ctrl-C, too: nobody else would close it
            self.connection.close()
            raise
        finally:
            os.close(mark)
            theirs.close()
        self.connection.setblocking(False)
        self._end: str | None = None
        self.busy = 0.0  # seconds in which it had something to do
        self.loaded = -1  # which programs it holds, counted by the pool

    @property
    def program(self) -> int | None:
        """Index of the program that it last said to run, if it runs one."""
        index = int(self._mark[0])
        return None if index < 0 else index

    @property
    def steps(self) -> int:
        """A number that changes while it makes progress."""
        return int(self._mark[1])

    def end(self) -> str:
        """End it, and describe how it had ended before, if so."""
        if self._end is None:
            # A worker that saw its connection closed first could end by itself before it is killed.
            try:
                self._end = _describe_status(self._zygote.end(self._number))
            finally:
                self.connection.close()
        return self._end


TOO_MUCH_MEMORY = "it used more memory than a worker may"


def _describe_status(status: int) -> str:
    if os.WIFSIGNALED(status):
        return _SIGNALS.get(os.WTERMSIG(status), f"signal {os.WTERMSIG(status)} ended it")
    if os.WEXITSTATUS(status) == OUT_OF_MEMORY:
        return TOO_MUCH_MEMORY
    return f"it ended its worker, with status {os.WEXITSTATUS(status)}"


_SIGNALS: dict[int, str] = {
    signal.SIGXCPU: "it used more processor time than a worker may",
    signal.SIGKILL: "it was killed, or the machine had no memory left",
    signal.SIGSEGV: "it crashed Python",
    signal.SIGSYS: "it called the kernel in a foreign way",
}


class _Conversation:
    """A task under way: what is still to be sent, and what has come back."""

    def __init__(self, task: Task, worker: WorkerProcess, limits: JailLimits) -> None:
        self.worker = worker
        self._task = task
        self._unsent = memoryview(task.request)
        self._received = bytearray()
        self._steps = worker.steps
        self._seen = time.monotonic()
        self._watched = self._alive = 0.0  # seconds, of the whole and of the last progress
        self._limits = limits
        self._waited: dict[int | None, float] = defaultdict(float)  # seconds, by program

    @property
    def events(self) -> int:
        """Return the events of the connection to wait for, as selectors name them."""
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)

    def send(self) -> None:
        """Send as much as the worker takes."""
        with suppress(BlockingIOError, BrokenPipeError, ConnectionResetError):
            self._unsent = self._unsent[self.worker.connection.send(self._unsent) :]

    def receive(self) -> WorkerOutcome | None:
        """Take what came; None until all is there."""
        try:
            part = self.worker.connection.recv(1 << 20)
        except BlockingIOError:
            return None
        except ConnectionResetError:
            part = b""
        if not part:
            return WorkerFailure(self.worker.program, self.worker.end())
        self._received += part
        return self._parse()

    def check_clock(self) -> WorkerFailure | None:
        """Fail if the worker hangs."""
        self._watch()
        if self._watched - self._alive > self._limits.quiet(self._task.decisions):
            return self._end(f"a call did not end within {self._limits.silence:g} s")
        slowest, waited = max(self._waited.items(), key=itemgetter(1), default=(None, 0.0))
        if waited > _CALLS_TOGETHER * self._limits.quiet(self._task.decisions):
            return self._end(f"its calls took more than {waited:.3g} s together", slowest)
        longest = self._limits.longest(self._task.decisions)
        if self._watched > longest:
            return self._end(f"its worker did not answer within {longest:.3g} s", slowest)
        return None

    def _watch(self) -> None:
        now = time.monotonic()
        # While the pool itself was stopped, nobody looked: that is not the worker's silence.
        passed = min(now - self._seen, 1.0)
        self._watched += passed
        self._seen = now
        if self.worker.steps == self._steps:
            self._waited[self.worker.program] += passed
        if self.worker.steps != self._steps:
            self._steps, self._alive = self.worker.steps, self._watched

    def _parse(self) -> WorkerOutcome | None:
        if len(self._received) < REPLY.size:
            return None
        (size,) = REPLY.unpack_from(self._received)
        if size > self._task.longest_reply:
            return self._end(f"its worker wanted to answer with {size} bytes")
        if len(self._received) < REPLY.size + size:
            return None
        if len(self._received) > REPLY.size + size or self._unsent:
            return self._end("its worker answered more than it was asked")
        self.worker.busy += self._watched
        try:
            return _parse_json(bytes(self._received[REPLY.size :]))
        except (ValueError, RecursionError):
            return self._end("its worker answered in no JSON")

    def _end(self, sentence: str, culprit: int | None = None) -> WorkerFailure:
        self.worker.end()
        return WorkerFailure(self.worker.program if culprit is None else culprit, sentence)


def _parse_json(text: bytes) -> dict[str, Any]:
    found = json.loads(text, parse_constant=_refuse_constant)
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def exchange(
    tasks: Mapping[WorkerProcess, Task], limits: JailLimits
) -> dict[WorkerProcess, WorkerOutcome]:
    """Give each worker its task and wait for all; those that failed have been ended."""
    done: dict[WorkerProcess, WorkerOutcome] = {}
    with selectors.DefaultSelector() as selector:
        for worker, task in tasks.items():
            talk = _Conversation(task, worker, limits)
            selector.register(worker.connection, talk.events, talk)
        while len(done) < len(tasks):
            done |= _advance(selector)
    return done


def _advance(
    selector: selectors.BaseSelector,
) -> dict[WorkerProcess, WorkerOutcome]:
    """Move every conversation on by what can be sent and received now."""
    done = {}
    ready = {key.fd: events for key, events in selector.select(0.25)}
    for key in list(selector.get_map().values()):
        events = ready.get(key.fd, 0)
        outcome = _advance_one(key.data, events)
        if outcome is not None:
            selector.unregister(key.fileobj)
            done[key.data.worker] = outcome
        elif events & selectors.EVENT_WRITE:
            selector.modify(key.fileobj, key.data.events, key.data)
    return done


def _advance_one(talk: _Conversation, events: int) -> WorkerOutcome | None:
    if events & selectors.EVENT_WRITE:
        talk.send()
    if events & selectors.EVENT_READ and (outcome := talk.receive()) is not None:
        return outcome
    return talk.check_clock()
