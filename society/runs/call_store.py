"""Answers from outside, kept in the run file before they are used.

Answers that arrive while others are being written go into the next transaction together. One that
holds an answer waits for the disk (synchronous FULL), so that what was paid for survives a power
cut; a note that a call is about to go out has to survive a kill only.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import RLock
from typing import Any, NamedTuple

from society.engine.calls import Address, Completion, NoCallStore, Request
from society.engine.rng import Array
from society.errors import Paused, RunFileError, brief
from society.llm.call_tables import CALL, SENT, VECTOR, Call, call_row, found, vector_row, vectors

from .reader import RunFile

_TOGETHER = 0.002  # seconds in which what arrives shares a transaction


class _Row(NamedTuple):
    statement: str
    values: tuple[Any, ...]
    written: asyncio.Future[None] | None  # None: nobody waits for it


class RunFileCallStore:
    """The call store of a run file.

    connection: gives the open file, None before it is published. publish: makes it durable.
    since: what has changed since the run was made, in words. round: that which is being played.
    """

    def __init__(
        self,
        path: object,
        connection: Callable[[], sqlite3.Connection | None],
        publish: Callable[[], sqlite3.Connection],
        since: str = "",
    ) -> None:
        self.path, self.since, self.round = brief(str(path)), since, 0
        self.known: set[Address] = set()  # the calls that were there before
        self.lock = RLock()
        self._connection, self._publish = connection, publish
        self._waiting: list[_Row] = []
        self._writing: asyncio.Task[None] | None = None

    def kept(self, request: Request) -> Completion | None:
        """What was said before to this request; raises RunFileError."""
        if request.address not in self.known:
            return None
        with self.lock, self._reading() as connection:
            call = found(connection, request.address)
        if call is None or same_words(call, request):
            return None if call is None else call.said
        raise RunFileError(
            f"{self.path}, round {call.round}: {reworded(request)}"
            f"{self.since or '; the code has changed'}; go back to what it was, or run again with "
            "another --out"
        )

    async def sending(self, request: Request) -> None:
        """Returns once it is noted."""
        await self._committed(SENT, request.address)

    async def keep(self, request: Request, said: Completion) -> None:
        """Returns once it is on the disk; raises Paused."""
        await self._committed(CALL, call_row(self.round, request, said))

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Those that are in the file; raises RunFileError."""
        if self._connection() is None:
            return {}
        with self.lock, self._reading() as connection:
            return vectors(connection, embedder, texts)

    def keep_vectors(self, embedder: str, vectors: Mapping[str, Array]) -> None:
        """Written at once, before any call whose words depend on them; raises Paused."""
        rows = [_Row(VECTOR, vector_row(embedder, *pair), None) for pair in vectors.items()]
        try:
            self._write(rows)
        except (sqlite3.Error, OSError) as error:
            raise unwritable("an embedding", self.path, error) from error

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        connection = self._connection()
        assert connection is not None, "what is known is in a file"
        try:
            yield connection
        except (sqlite3.Error, ValueError) as error:
            raise RunFileError(f"{self.path}: {error}; take a whole copy of the file") from error

    async def _committed(self, statement: str, values: tuple[Any, ...]) -> None:
        loop = asyncio.get_running_loop()
        written = loop.create_future()
        self._waiting.append(_Row(statement, values, written))
        if self._writing is None:
            self._writing = loop.create_task(self._write_all())
        await written

    async def _write_all(self) -> None:
        while self._waiting:
            paid = any(row.statement == CALL for row in self._waiting)
            await asyncio.sleep(_TOGETHER if paid else 0)
            rows, self._waiting = self._waiting, []
            try:
                await asyncio.to_thread(self._write, rows)
            except (sqlite3.Error, OSError) as error:
                _settle(rows, unwritable("an answer", self.path, error))
            except Exception as error:  # whoever waits must hear of it, or waits for ever
                _settle(rows, error)
            else:
                _settle(rows)
        self._writing = None

    def _write(self, rows: Sequence[_Row]) -> None:
        with self.lock:
            connection = self._connection() or self._publish()
            paid = any(row.statement == CALL for row in rows)
            connection.execute(f"PRAGMA synchronous = {'FULL' if paid else 'NORMAL'}")
            connection.execute("BEGIN")
            try:
                for statement, values, _ in rows:
                    connection.execute(statement, values)
                connection.execute("COMMIT")
            except BaseException:
                connection.rollback()
                raise
            finally:
                connection.execute("PRAGMA synchronous = NORMAL")


class Recorded(NoCallStore):
    """What a run file has, for playing it again without asking anybody."""

    def __init__(self, run: RunFile) -> None:
        self.run = run

    def kept(self, request: Request) -> Completion | None:
        """What was said to this request; raises RunFileError if it is not in the record."""
        address = request.address
        call = self.run.call(address)
        # A component that asked through us has no answer of its own to keep.
        if call is None and address.bare and self.run.call(address._replace(turn=0)):
            return None
        if call is None:
            raise RunFileError(
                f"agent {address.agent} of replicate {address.replicate} is asked "
                f"{address.kind!r}, and the record has no answer"
            )
        if not same_words(call, request):
            raise RunFileError(reworded(request))
        return call.said

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Those that are in the file."""
        return self.run.vectors(embedder, texts)


def same_words(call: Call, request: Request) -> bool:
    """Whether a recorded call was made in the words of a request."""
    return call.request.fingerprint == request.fingerprint


def reworded(request: Request) -> str:
    """What is wrong with a request that differs from the record."""
    _, _, _, replicate, agent, _ = request.address
    kind = request.address.kind
    return (
        f"agent {agent} of replicate {replicate} is not asked {kind!r} in the words of the record"
    )


def _settle(rows: Sequence[_Row], error: Exception | None = None) -> None:
    """Tell those who wait."""
    for row in rows:
        if row.written is None or row.written.done():
            continue
        if error is None:
            row.written.set_result(None)
        else:
            row.written.set_exception(error)


def unwritable(what: str, path: str, error: Exception) -> Paused:
    """What to say when a run file that exists cannot be continued."""
    return Paused(
        f"cannot write {what} to {path}: {error}; what was committed before is kept. Make room, "
        f"then: society resume {path}"
    )
