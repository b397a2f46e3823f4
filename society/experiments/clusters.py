"""Places to play conditions: processes of this machine, or a dask cluster.

dask.distributed is the one engine for several machines: it starts workers by SSH, SLURM or
Kubernetes, gives the job of a worker that died to another one, and its workers share our folder.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from multiprocessing import resource_tracker
from types import ModuleType
from typing import Any, Protocol

from society.errors import InputError
from society.optional import require
from society.runs.slice_worker import end_with_parent
from society.visible import VisibleStream

from .worker import Job, JobResult, interrupt_job, interrupt_jobs, run_job

HERE = "here"  # in place of the address of a scheduler: a cluster of our own on this machine

_PATIENCE = 10  # seconds for a scheduler to answer


class Cluster(Protocol):
    """Workers. slots: jobs that they can do at once. away: whether they may be other machines."""

    slots: int
    away: bool

    def submit(self, job: Job) -> Future[JobResult]: ...


class Processes:
    """Processes of this machine, each begun when there is a job for it.

    Each is a pool of its own: when a process dies, all others of its pool are ended, too.
    """

    away = False

    def __init__(self, workers: int) -> None:
        self.slots = workers
        self._pools: list[ProcessPoolExecutor] = []
        self._idle: list[ProcessPoolExecutor] = []
        self._children: set[Any] = set()

    def submit(self, job: Job) -> Future[JobResult]:
        """Run a job, at most `slots` at once; it fails with a broken pool if its process dies."""
        pool = self._idle.pop() if self._idle else self._fresh()
        before = set(multiprocessing.active_children())
        with _deaf(), _without_script():
            done = pool.submit(run_job, job)
        self._children |= {*multiprocessing.active_children()} - before
        done.add_done_callback(lambda done: self._back(pool, done))
        return done

    def _fresh(self) -> ProcessPoolExecutor:
        # Not forked: a fork of a process with threads (an event loop, BLAS) may hang.
        context = multiprocessing.get_context("spawn")
        pool = ProcessPoolExecutor(1, context, initializer=_begin_process)
        self._pools.append(pool)
        return pool

    def _back(self, pool: ProcessPoolExecutor, done: Future[JobResult]) -> None:
        dead = not done.cancelled() and isinstance(done.exception(), BrokenExecutor)
        if dead:
            self._pools.remove(pool)
        else:
            self._idle.append(pool)

    def close(self) -> None:
        """End; jobs under way are interrupted, and keep what they have."""
        if len(self._idle) < len(self._pools):
            for child in self._children:
                child.terminate()
        for pool in self._pools:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _deaf() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, since their parent heeds it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which would open our ears if it came later
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_script() -> Iterator[None]:
    """Start processes that do not import the script of the user again, which would play it again.

    Jobs name files, and need nothing of it.
    """
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


def _begin_process() -> None:
    """Keep stdout for the parent's results, whatever plays here, and end with the parent."""
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    stream: Any = VisibleStream(sys.stderr)
    sys.stdout = sys.stderr = stream
    threading.Thread(target=end_with_parent, daemon=True).start()


class OwnThread:
    """A thread of this process: nothing has to be begun, and no module is imported again."""

    slots, away = 1, False

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1)
        self._files: dict[Future[JobResult], str] = {}

    def submit(self, job: Job) -> Future[JobResult]:
        """Run a job after those that were submitted before."""
        done = self._pool.submit(run_job, job)
        self._files[done] = job.file
        return done

    def close(self) -> None:
        """End; a job under way is interrupted, and keeps what it has."""
        for done, file in self._files.items():
            if not done.done():
                interrupt_job(file)
        self._pool.shutdown(cancel_futures=True)


class Dask:
    """The workers of a dask.distributed client."""

    away = True

    def __init__(self, client: Any) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        self.slots = sum(client.nthreads().values())
        self._files: dict[Future[JobResult], str] = {}

    def submit(self, job: Job) -> Future[JobResult]:
        """Run a job and return its result."""
        done: Future[JobResult] = self._executor.submit(run_job, job)
        self._files[done] = job.file
        return done

    def close(self) -> None:
        """Interrupt what was left to the workers, and wait until they have kept what they have."""
        left = [file for done, file in self._files.items() if done.cancelled()]
        if left and self._client.status == "running":
            with suppress(OSError):  # the scheduler is gone, or is going
                self._client.run(interrupt_jobs, left, on_error="ignore")


@contextmanager
def local_processes(workers: int) -> Iterator[Processes]:
    """Processes that are ended in the end."""
    pool = Processes(workers)
    try:
        yield pool
    finally:
        pool.close()


@contextmanager
def own_thread() -> Iterator[OwnThread]:
    """A thread that is ended in the end."""
    thread = OwnThread()
    try:
        yield thread
    finally:
        thread.close()


@contextmanager
def dask_cluster(address: str, workers: int) -> Iterator[Dask]:
    """The cluster whose scheduler has that address; HERE makes one of our own.

    Raises InputError if there is none, or if the extra is missing.
    """
    distributed = require("distributed", "distributed")
    # It tells of a lost scheduler by tracebacks; we say it of each condition.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    made = _made(distributed, workers) if address == HERE else nullcontext(address)
    with made as scheduler, _client(distributed, address, scheduler) as client:
        cluster = Dask(client)
        if not cluster.slots:
            words = "it has no workers; start some with `dask worker`"
            raise InputError(f"--dask {address}: {words}")
        try:
            yield cluster
        finally:
            cluster.close()


@contextmanager
def _made(distributed: Any, workers: int) -> Iterator[Any]:
    """A cluster on this machine, for as long as we need it."""
    with ExitStack() as stack:
        with _deaf():  # an interrupt waits until it stands, and can be taken down
            # Without a dashboard, on free ports of this machine: nobody else may send it jobs.
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
            stack.enter_context(cluster)
        yield cluster


def _client(distributed: Any, address: str, scheduler: Any) -> AbstractContextManager[Any]:
    try:
        client: AbstractContextManager[Any] = distributed.Client(scheduler, timeout=_PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"--dask {address}: there is no scheduler ({error}); "
            "start one with `dask scheduler`, or give --dask without an address"
        ) from None
    return client
