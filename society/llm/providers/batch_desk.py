"""The desk of a run for its batches: the record of their jobs, and words about those awaited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from society.llm.call_tables import BatchRecord


class BatchRecords(Protocol):
    """A record of the jobs of one run."""

    def open_batches(self) -> list[BatchRecord]:
        """Return those of earlier sessions whose replies are still to come."""
        ...

    async def keep_batch(self, batch: BatchRecord) -> None:
        """Store a job, or what is new about it; returns once it would survive a power cut."""
        ...

    async def forget_batch(self, batch: BatchRecord) -> None:
        """Remove a job that was never begun."""
        ...


class NoBatchRecords:
    """A record that keeps nothing, for games that are played without a run file."""

    def open_batches(self) -> list[BatchRecord]:
        """Return none."""
        return []

    async def keep_batch(self, batch: BatchRecord) -> None:
        """Do nothing."""

    async def forget_batch(self, batch: BatchRecord) -> None:
        """Do nothing."""


class BatchDesk:
    """The record of a run's batch jobs, shared by its models, and who is told about them.

    announce: takes a line about each job that is begun or found again. changed: called whenever
    there is more to say about the jobs that are awaited.
    """

    def __init__(self) -> None:
        self.records: BatchRecords = NoBatchRecords()
        self.announce: Callable[[str], None] = lambda words: None
        self.changed: Callable[[], None] = lambda: None
        self._open: dict[str, str] = {}  # words about each job that is awaited, by key

    def tell(self, key: str, words: str) -> None:
        """Say how far the job with a key is; nothing, once it is not awaited any more."""
        if self._open.get(key, "") == words:
            return
        if words:
            self._open[key] = words
        else:
            del self._open[key]
        self.changed()

    def awaited(self) -> list[str]:
        """Describe the jobs that are awaited."""
        return [*self._open.values()]
