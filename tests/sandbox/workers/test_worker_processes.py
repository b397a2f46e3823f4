"""A worker that hangs, floods, lies or dies is ended, and its program is named."""

from __future__ import annotations

import mmap
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

import pytest

from society.errors import SandboxError
from society.sandbox.workers import worker_processes
from society.sandbox.workers.jail_limits import JailLimits
from society.sandbox.workers.worker_messages import REPLY, pack_reply, pack_request, read_request
from society.sandbox.workers.worker_processes import (
    Task,
    WorkerFailure,
    WorkerOutcome,
    WorkerProcess,
    Zygote,
    exchange,
)
from tests.sandbox.workers.kernel_lists import gone, open_sockets, processes_of
from tests.sweeps import all_but

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the jail is one of Linux")

SOON = JailLimits(silence=0.3)
TASK = Task(pack_request("play", {"games": 1}, b"seats"), longest_reply=1000, decisions=1)
NO_END = 1 << 40


class Impostor:
    """A zygote whose one worker is a thread of the test."""

    def __init__(self) -> None:
        self.worker: socket.socket
        self.mark: mmap.mmap

    def fork(self, descriptors: Sequence[int]) -> int:
        connection, mark = map(os.dup, descriptors)
        self.worker = socket.socket(fileno=connection)
        self.mark = mmap.mmap(mark, mmap.PAGESIZE)
        os.close(mark)
        return 1

    def end(self, worker: int) -> int:
        return 3 << 8

    def run(self, program: int, step: int) -> None:
        """Say that a program is about to run."""
        struct.pack_into("=qq", self.mark, 0, program, step)


Behaviour = Callable[[Impostor], object]


def outcome(behaviour: Behaviour, task: Task = TASK, limits: JailLimits = SOON) -> WorkerOutcome:
    """What the pool gets from a worker that behaves so."""
    impostor = Impostor()
    worker = WorkerProcess(impostor)  # type: ignore[arg-type]

    def behave() -> None:
        with suppress(OSError), impostor.worker:
            behaviour(impostor)

    thread = threading.Thread(target=behave)
    thread.start()
    try:
        return exchange({worker: task}, limits)[worker]
    finally:
        worker.connection.close()
        thread.join()


def sends(data: bytes, program: int = 7) -> Behaviour:
    def behave(impostor: Impostor) -> None:
        read_request(impostor.worker.recv)
        impostor.run(program, 1)
        impostor.worker.sendall(data)
        impostor.worker.recv(1)

    return behave


def framed(text: bytes) -> bytes:
    return REPLY.pack(len(text)) + text


def test_an_honest_reply_arrives() -> None:
    assert outcome(sends(pack_reply({"loaded": 3}))) == {"loaded": 3}


def test_a_large_request_and_a_large_reply_pass_each_other() -> None:
    task = Task(pack_request("play", {}, bytes(20 << 20)), 50 << 20, 10**6)
    reply = outcome(sends(pack_reply({"actions": "A" * (20 << 20)})), task)
    assert isinstance(reply, dict)
    assert len(reply["actions"]) == 20 << 20


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (REPLY.pack(NO_END), "its worker wanted to answer with 1099511627776 bytes"),
        (framed(b"no json"), "its worker answered in no JSON"),
        (framed(b"[1, 2]"), "its worker answered in no JSON"),
        (framed(b'{"a": NaN}'), "its worker answered in no JSON"),
        (framed(b'{"a": -Infinity}'), "its worker answered in no JSON"),
        (framed(b"\xff\xfe"), "its worker answered in no JSON"),
        (framed(b"[" * 990), "its worker answered in no JSON"),
        (framed(b'{"a": 1' + b"0" * 900 + b"}") + b"more", "more than it was asked"),
    ],
)
def test_a_worker_that_answers_nonsense_is_ended(data: bytes, sentence: str) -> None:
    found = outcome(sends(data))
    assert isinstance(found, WorkerFailure)
    assert found.program == 7
    assert sentence in found.sentence


def test_a_deeply_nested_reply_is_refused_without_a_crash() -> None:
    deep = framed(b'{"a":' * 100_000)
    found = outcome(sends(deep), Task(b"".join([TASK.request]), 10**6, 1))
    assert found == WorkerFailure(7, "its worker answered in no JSON")


def test_a_worker_that_floods_its_pipe_is_ended_before_it_is_read() -> None:
    def flood(impostor: Impostor) -> None:
        impostor.run(5, 1)
        while True:
            impostor.worker.sendall(b"\xff" * (1 << 20))

    found = outcome(flood)
    assert isinstance(found, WorkerFailure)
    assert found.program == 5
    assert "wanted to answer with 18446744073709551615 bytes" in found.sentence


def test_a_silent_worker_is_ended_and_its_program_named() -> None:
    def hang(impostor: Impostor) -> None:
        impostor.run(2, 1)
        impostor.worker.recv(1 << 20)
        impostor.worker.recv(1)

    assert outcome(hang) == WorkerFailure(2, "a call did not end within 0.3 s")


def test_a_worker_that_goes_on_calling_programs_has_time() -> None:
    def slow(impostor: Impostor) -> None:
        read_request(impostor.worker.recv)
        for step in range(8):
            impostor.run(1, step)
            time.sleep(0.1)
        impostor.worker.sendall(pack_reply({"loaded": 1}))

    task = TASK._replace(decisions=1000)
    assert outcome(slow, task) == {"loaded": 1}


@pytest.mark.thorough
def test_a_worker_that_only_feigns_progress_is_ended_in_the_end() -> None:
    def feign(impostor: Impostor) -> None:
        for step in range(200):
            impostor.run(4, step)
            time.sleep(0.01)

    found = outcome(feign, limits=JailLimits(silence=0.3, longest_per_decision=0.1))
    assert isinstance(found, WorkerFailure)
    assert found.program == 4


def test_a_worker_that_dies_names_its_program() -> None:
    def die(impostor: Impostor) -> None:
        read_request(impostor.worker.recv)
        impostor.run(9, 1)

    assert outcome(die) == WorkerFailure(9, "it ended its worker, with status 3")


def test_a_worker_that_runs_no_program_names_none() -> None:
    found = outcome(lambda impostor: impostor.worker.close())
    assert isinstance(found, WorkerFailure)
    assert found.program is None


def test_a_worker_is_killed_before_its_connection_is_closed() -> None:
    """Or it could end by itself, and be blamed for that."""
    readable = []

    class Watching(Impostor):
        def end(self, worker: int) -> int:
            readable.extend(select.select([self.worker], [], [], 0)[0])
            return super().end(worker)

    impostor = Watching()
    worker = WorkerProcess(impostor)  # type: ignore[arg-type]
    with impostor.worker:
        worker.end()
        assert readable == []
        assert impostor.worker.recv(1) == b""


class Refusing:
    """A zygote that forks nothing and ends nothing."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error
        self.able = False

    def fork(self, descriptors: Sequence[int]) -> int:
        if self.able:
            return 1
        raise self.error

    def end(self, worker: int) -> int:
        raise self.error


@pytest.mark.parametrize("error", [SandboxError, KeyboardInterrupt])
def test_a_failed_start_or_end_leaves_no_socket(error: type[BaseException]) -> None:
    before = open_sockets()
    zygote = Refusing(error)
    with pytest.raises(error) as failed_start:  # kept: a traceback keeps what is not closed
        WorkerProcess(zygote)  # type: ignore[arg-type]
    assert open_sockets() <= before
    zygote.able = True
    worker = WorkerProcess(zygote)  # type: ignore[arg-type]
    with pytest.raises(error):
        worker.end()
    assert open_sockets() <= before
    assert failed_start.type is error


@pytest.mark.parametrize("error", [SandboxError, KeyboardInterrupt])
@pytest.mark.parametrize("step", ["_receive", "_start_python"])
def test_a_zygote_that_fails_to_start_leaves_no_socket(
    monkeypatch: pytest.MonkeyPatch, step: str, error: type[BaseException]
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    home = Zygote if step == "_receive" else worker_processes
    monkeypatch.setattr(home, step, fail)
    before = open_sockets()
    with pytest.raises(error):
        Zygote(JailLimits(), "none")
    assert open_sockets() <= before


@pytest.fixture
def zygote() -> Iterator[Zygote]:
    started = Zygote(JailLimits(), "strict")
    yield started
    started.close()


def test_workers_are_ended_with_the_process_that_forked_them(zygote: Zygote) -> None:
    before = processes_of(os.getpid())
    workers = [WorkerProcess(zygote) for _ in range(3)]
    family = processes_of(os.getpid())
    assert len(family - before) == 3
    zygote.close()
    assert all(map(gone, family - before))
    assert workers[0].program is None
    for worker in workers:
        worker.connection.close()


def test_an_ended_zygote_is_an_error_that_says_so(zygote: Zygote) -> None:
    zygote.close()
    with pytest.raises(SandboxError, match="the process that starts workers has ended"):
        WorkerProcess(zygote)


def test_a_worker_can_be_ended_twice(zygote: Zygote) -> None:
    worker = WorkerProcess(zygote)
    assert worker.end() == "it was killed, or the machine had no memory left"
    assert worker.end() == "it was killed, or the machine had no memory left"


OWNER = """
import sys, time
from society.sandbox.workers.jail_limits import JailLimits
from society.sandbox.workers.worker_processes import WorkerProcess, Zygote
zygote = Zygote(JailLimits(), sys.argv[1])
workers = [WorkerProcess(zygote) for _ in range(2)]
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("confinement", ["strict", "none"])
@pytest.mark.parametrize(
    "by", all_but([signal.SIGKILL], [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
)
def test_no_process_outlives_a_pool_that_is_killed(by: signal.Signals, confinement: str) -> None:
    """With namespaces the kernel ends them all; without, each dies with its parent."""
    words = [sys.executable, "-c", OWNER, confinement]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"ready\n"
        family = processes_of(owner.pid)
        assert len(family) == 4, "a keeper, a zygote, two workers"
        owner.send_signal(by)
    assert all(map(gone, family))
