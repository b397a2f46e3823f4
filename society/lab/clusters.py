"""Where conditions are played: in processes of this machine, or on a dask cluster.

dask.distributed is the one engine for several machines: it starts workers by SSH, SLURM or
Kubernetes, gives the job of a worker that died to another one, and its workers share our folder.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import Protocol

from society.errors import InputError

from .extra import needed
from .worker import Done, Job, work

HERE = "here"  # in place of the address of a scheduler: a cluster of our own on this machine

_PATIENCE = 10  # seconds for a scheduler to answer


class Cluster(Protocol):
    """Workers. slots: jobs that they can do at once. away: whether they may be other machines."""

    slots: int
    away: bool

    def submit(self, job: Job) -> Future[Done]: ...


class Processes:
    """Processes of this machine, each begun when there is a job for it."""

    away = False

    def __init__(self, workers: int) -> None:
        self.slots = workers
        self._pool = self._fresh()

    def submit(self, job: Job) -> Future[Done]:
        """What a job comes to; a BrokenExecutor if its process, or that of another job, dies."""
        try:
            return self._pool.submit(work, job)
        except BrokenExecutor:
            self._pool = self._fresh()
            return self._pool.submit(work, job)

    def _fresh(self) -> Executor:
        # Not forked: a fork of a process with threads (an event loop, BLAS) may hang.
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.slots, context, initializer=_leave_interrupts)

    def close(self) -> None:
        """Let jobs under way end; those that wait are not begun."""
        self._pool.shutdown(cancel_futures=True)


class Dask:
    """The workers of a dask.distributed client."""

    away = True

    def __init__(self, client: object) -> None:
        self._executor = client.get_executor(pure=False)  # type: ignore[attr-defined]
        workers = client.scheduler_info(n_workers=-1)["workers"]  # type: ignore[attr-defined]
        self.slots = max(1, len(workers))

    def submit(self, job: Job) -> Future[Done]:
        """What a job comes to."""
        sent: Future[Done] = self._executor.submit(work, job)
        return sent

    def close(self) -> None:
        """Leave what the workers have not done."""
        self._executor.shutdown(wait=False)


@contextmanager
def processes(workers: int) -> Iterator[Processes]:
    """A pool that is closed in the end."""
    pool = Processes(workers)
    try:
        yield pool
    finally:
        pool.close()


@contextmanager
def dask(address: str, workers: int) -> Iterator[Dask]:
    """The cluster whose scheduler has that address; HERE makes one of our own.

    Raises InputError if there is none, or if the extra is missing.
    """
    distributed = needed("distributed", "distributed")
    if address == HERE:
        # Without the dashboard, and bound to this machine: nobody else may send it jobs.
        made = distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=None,
        )
        with made, distributed.Client(made) as client:
            yield from _serving(client)
        return
    try:
        client = distributed.Client(address, timeout=_PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        raise InputError(
            f"--dask {address}: there is no scheduler ({error}); "
            "start one with `dask scheduler`, or give --dask without an address"
        ) from None
    with client:
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise InputError(f"--dask {address}: it has no workers; start some with `dask worker`")
        yield from _serving(client)


def _serving(client: object) -> Iterator[Dask]:
    cluster = Dask(client)
    try:
        yield cluster
    finally:
        cluster.close()


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of a terminal; who has no job leaves it to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
