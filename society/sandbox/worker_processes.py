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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from society.errors import SandboxError
from society.sandbox.frames import REPLY
from society.sandbox.jail_limits import Confinement, JailLimits
from society.sandbox.zygote import LONGEST

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
control, pool, confinement, limits, sys.path[:] = json.loads(sys.argv[1])
from society.sandbox.zygote import main
main(control, pool, confinement, limits)
"""
PATIENCE = 60.0  # seconds in which the zygote starts or forks; it runs no program


class Task(NamedTuple):
    """A request for one worker: how long its reply may be, and how much work it is."""

    request: bytes
    longest_reply: int
    decisions: int


class Failure(NamedTuple):
    """The end of a worker that gave no answer.

    program: in whose call it was, by index, or None.
    """

    program: int | None
    sentence: str


class Zygote:
    """The warm process that forks workers; it has no contact with them."""

    def __init__(self, limits: JailLimits, confinement: Confinement) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(PATIENCE)
        given = [theirs.fileno(), os.getpid(), confinement, asdict(limits), *sys.path]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-s", "-P", "-c", START, json.dumps(given)],
                env=_environment(),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Ctrl-C in a terminal is for the pool alone.
                start_new_session=True,
            )
        self._receive()

    def fork(self, descriptors: Sequence[int]) -> int:
        """Fork a worker that holds copies of these descriptors, and return its number."""
        socket.send_fds(self._control, [b'{"fork": true}'], list(descriptors))
        return self._receive()["worker"]

    def end(self, worker: int) -> int:
        """End a worker, and return its status as waitpid has it."""
        self._control.send(json.dumps({"end": worker}).encode())
        return self._receive()["status"]

    def close(self) -> None:
        """End it and all its workers."""
        self._control.close()
        try:
            self._process.wait(2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _receive(self) -> dict[str, int]:
        try:
            message = json.loads(self._control.recv(LONGEST))
        except (OSError, ValueError) as error:
            raise SandboxError(f"the process that forks workers has ended ({error})") from None
        if "error" in message:
            raise SandboxError(f"no worker could be started: {message['error']}")
        return dict(message)


def _environment() -> dict[str, str]:
    """What Python needs to start here, and nothing of the user's."""
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
        finally:
            os.close(mark)
            theirs.close()
        self.connection.setblocking(False)
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
        self.connection.close()
        status = self._zygote.end(self._number)
        if os.WIFSIGNALED(status):
            return _SIGNALS.get(os.WTERMSIG(status), f"signal {os.WTERMSIG(status)} ended it")
        return f"it ended with status {os.WEXITSTATUS(status)}"


_SIGNALS = {
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
        self._quiet = limits.quiet(task.decisions)
        self._longest = limits.longest(task.decisions)

    @property
    def events(self) -> int:
        """What to wait for."""
        return selectors.EVENT_READ | (selectors.EVENT_WRITE if self._unsent else 0)

    def send(self) -> None:
        """Send as much as the worker takes."""
        with suppress(BlockingIOError, BrokenPipeError, ConnectionResetError):
            self._unsent = self._unsent[self.worker.connection.send(self._unsent) :]

    def receive(self) -> dict[str, Any] | Failure | None:
        """Take what came; None until all is there."""
        try:
            part = self.worker.connection.recv(1 << 20)
        except BlockingIOError:
            return None
        except ConnectionResetError:
            part = b""
        if not part:
            return Failure(self.worker.program, self.worker.end())
        self._received += part
        return self._parse()

    def check_clock(self) -> Failure | None:
        """Fail if the worker hangs."""
        self._watch()
        silence = self._watched - self._alive
        if silence > self._quiet or self._watched > self._longest:
            return self._end(f"no answer came for {silence:.0f} s")
        return None

    def _watch(self) -> None:
        now = time.monotonic()
        # While the pool itself was stopped, nobody looked: that is not the worker's silence.
        self._watched += min(now - self._seen, 1.0)
        self._seen = now
        if self.worker.steps != self._steps:
            self._steps, self._alive = self.worker.steps, self._watched

    def _parse(self) -> dict[str, Any] | Failure | None:
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

    def _end(self, sentence: str) -> Failure:
        self.worker.end()
        return Failure(self.worker.program, sentence)


def _parse_json(text: bytes) -> dict[str, Any]:
    found = json.loads(text, parse_constant=_refuse_constant)
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def exchange(
    tasks: Mapping[WorkerProcess, Task], limits: JailLimits
) -> dict[WorkerProcess, dict[str, Any] | Failure]:
    """Give each worker its task and wait for all; those that failed have been ended."""
    done: dict[WorkerProcess, dict[str, Any] | Failure] = {}
    with selectors.DefaultSelector() as selector:
        for worker, task in tasks.items():
            talk = _Conversation(task, worker, limits)
            selector.register(worker.connection, talk.events, talk)
        try:
            while len(done) < len(tasks):
                done |= _advance(selector)
        except BaseException:
            # Interrupted: what they are doing cannot be taken up again.
            for worker in tasks.keys() - done.keys():
                worker.end()
            raise
    return done


def _advance(selector: selectors.BaseSelector) -> dict[WorkerProcess, dict[str, Any] | Failure]:
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


def _advance_one(talk: _Conversation, events: int) -> dict[str, Any] | Failure | None:
    if events & selectors.EVENT_WRITE:
        talk.send()
    if events & selectors.EVENT_READ and (outcome := talk.receive()) is not None:
        return outcome
    return talk.check_clock()
