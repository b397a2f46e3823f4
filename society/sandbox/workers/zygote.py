"""A warm process that forks workers: numpy is imported once, and a fork takes milliseconds.

    pool -> keeper -> zygote -> workers

The keeper imports, enters the namespaces, forks the zygote and watches over the pool's process. The
zygote, the first process of its namespace, forks and ends workers as the pool asks. Each dies with
the one before it, so that nothing is left when the pool is killed. None of the first two ever runs
a program.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import select
import signal
import socket
import traceback
from contextlib import suppress
from typing import Any

from society.sandbox.workers.jail import (
    JailReport,
    detach,
    die_with_parent,
    isolate,
    lock,
    memory_in_use,
)
from society.sandbox.workers.jail_limits import Confinement, JailLimits
from society.sandbox.workers.jailed_worker import warm_up, work

LONGEST = 1 << 16  # bytes of a message between pool and zygote


def keep(control: int, pool: int, confinement: Confinement, limits: dict[str, Any]) -> None:
    """Be the keeper: start the zygote, and end when it ends or the pool's process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = socket.socket(fileno=control)
    warm_up()
    # What is there now is shared with the workers, as long as no collection touches it.
    gc.freeze()
    used = memory_in_use()
    isolated = JailReport((), {}) if confinement == "none" else isolate()
    zygote = os.fork()
    if zygote == 0:
        die_with_parent()
        _serve(connection, _Nursery(confinement, JailLimits(**limits), used, isolated))
        os._exit(0)
    connection.close()
    _wait_for_either(pool, zygote)
    os._exit(0)


def _wait_for_either(pool: int, zygote: int) -> None:
    """Wait until the pool's process or the zygote has ended."""
    poll = select.poll()
    poll.register(os.pidfd_open(zygote), select.POLLIN)
    with suppress(ProcessLookupError):
        poll.register(os.pidfd_open(pool), select.POLLIN)
        # Its number may have gone to another process before it was opened.
        if os.getppid() == pool:
            poll.poll()


class _Nursery:
    """The workers of a zygote."""

    def __init__(
        self, confinement: Confinement, limits: JailLimits, used: int, isolated: JailReport
    ) -> None:
        self._confinement = confinement
        self._limits = limits
        self._used = used
        self._isolated = isolated

    def fork(self, descriptors: list[int]) -> dict[str, int]:
        """Fork a worker on these descriptors: its end of the connection, and the mark."""
        zygote = os.getpid()
        worker = os.fork()
        if worker == 0:
            self._be_worker(zygote, *descriptors)
        return {"worker": worker}

    def end(self, worker: int) -> dict[str, int]:
        """End a worker, if it has not ended yet, and say how it did."""
        os.kill(worker, signal.SIGKILL)
        return {"status": os.waitpid(worker, 0)[1]}

    def _be_worker(self, zygote: int, connection: int, mark: int) -> None:
        with suppress(BaseException):
            shared = mmap.mmap(mark, mmap.PAGESIZE)
            for descriptor in (0, 1):
                os.dup2(connection, descriptor)
            detach(zygote)
            work(self._lock(), shared)
        os._exit(1)

    def _lock(self) -> JailReport:
        if self._confinement == "none":
            return self._isolated
        locked = lock(self._limits, self._used)
        layers = self._isolated.layers + locked.layers
        return JailReport(layers, {**self._isolated.missing, **locked.missing})


def _serve(connection: socket.socket, nursery: _Nursery) -> None:
    """Do what the pool asks until it hangs up."""
    connection.send(b"{}")
    while True:
        message, descriptors, _, _ = socket.recv_fds(connection, LONGEST, 2)
        if not message:
            return
        asked = json.loads(message)
        connection.send(json.dumps({**_obey(nursery, asked, descriptors), **asked}).encode())
        for descriptor in descriptors:
            os.close(descriptor)


def _obey(nursery: _Nursery, asked: dict[str, int], descriptors: list[int]) -> dict[str, Any]:
    try:
        return nursery.end(asked["end"]) if "end" in asked else nursery.fork(descriptors)
    except OSError as error:
        return {"error": str(error)}


def start_keeper(control: int, pool: int, confinement: Confinement, limits: dict[str, Any]) -> None:
    """Keep a zygote, or say to the pool why that failed."""
    try:
        keep(control, pool, confinement, limits)
    except Exception:  # the pool tells the user of any failure
        words = json.dumps({"error": traceback.format_exc(limit=-3)[-4000:]})
        with suppress(OSError), socket.socket(fileno=control) as connection:
            connection.send(words.encode())
        raise
