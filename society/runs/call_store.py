"""The call store of a run file: answers of models are written before they are used.

Answers that arrive while others are being written go into the next transaction together. A
transaction with an answer waits for the disk (synchronous FULL), so that paid answers survive a
power cut; a note that a call is about to be sent only has to survive a kill.
"""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from threading import RLock
from typing import Any, NamedTuple

from society.engine.calls import Address, Completion, NoCallStore, Request
from society.engine.rng import Array
from society.errors import InputError, Paused, RunFileError, short_path
from society.llm.call_tables import (
    BATCH,
    CALL,
    FORGET_BATCH,
    MAKE_BATCHES,
    SENT,
    WITHDRAWN,
    BatchRecord,
    CallRows,
    Exchange,
    Write,
    batch_row,
    find_call,
    find_inherited,
    find_vectors,
    open_batches,
)
from society.llm.shared_words import MOST_WORDS, SharedWords

from .parent_answers import ParentAnswers, reworded_error, same_words
from .reader import RunFile

_DURABLE = (CALL, BATCH)
_LONGEST_LETTER = len(r"\ud83d\ude00")  # bytes of one letter in JSON
_TOGETHER = 0.002  # seconds in which what arrives shares a transaction


class _Row(NamedTuple):
    """What to write: a statement and its values; for CALL the round, the request and the reply."""

    statement: str
    values: tuple[Any, ...]
    written: asyncio.Future[None] | None  # None: nobody waits for it


class RunFileCallStore:
    """The call store of a run file.

    connection: returns the open file, None before it is published. publish: makes it durable.
    since: changes since the run was made, in words. check_place: raises Paused if the file has lost
    its name.
    """

    def __init__(
        self,
        path: object,
        connection: Callable[[], sqlite3.Connection | None],
        publish: Callable[[], sqlite3.Connection],
        since: str = "",
        check_place: Callable[[], None] = lambda: None,
    ) -> None:
        self.path, self.since = short_path(str(path)), since
        self.known: set[Address] = set()  # the calls that were there before
        self.parent: ParentAnswers | None = None  # of a fork
        self.taken_over: list[Exchange] = []  # before there is a file
        self.lock = RLock()
        self.rows = CallRows(SharedWords(0))  # of a file that is new
        self._connection, self._publish, self._check_place = connection, publish, check_place
        self._waiting: list[_Row] = []
        self._writing: asyncio.Task[None] | None = None

    def kept(self, request: Request) -> Completion | None:
        """Return the recorded answer to this request, if there is one; raises RunFileError."""
        if request.address not in self.known:
            return None if self.parent is None else self._inherited(request, self.parent)
        with self.lock, self._reading() as connection:
            call = find_call(connection, request.address)
        if call is None or same_words(call, request):
            return None if call is None else call.said
        raise RunFileError(
            f"{self.path}, round {call.round}: {reworded_error(request)}"
            f"{self.since or '; the code has changed'}; restore the earlier version, or run again "
            "with another --out"
        )

    def _inherited(self, request: Request, parent: ParentAnswers) -> Completion | None:
        """Take over what the parent of a fork has answered to this request; raises RunFileError."""
        connection = self._connection()
        if connection is None:
            call = parent.answer(request)
        else:
            with self.lock, self._reading():
                call = parent.answer(request, partial(find_inherited, connection))
        if call is None:
            return None
        bare = request.address.bare
        said = call.said if bare else call.said.copy_of(call.said.sent)
        exchange = request.round, call.request, said
        if connection is None:
            self.taken_over.append(exchange)
        else:
            self._write([_Row(CALL, exchange, None)])
        return said

    async def sending(self, request: Request) -> None:
        """Note that a call is about to be sent; returns once the note is written.

        Raises Paused, and InputError for words that are too many to be read from the file again.
        """
        _refuse_too_long(request)
        await self._committed(SENT, request.address)

    async def withdraw(self, request: Request) -> None:
        """Take back the note on a call that was refused; returns once that is written."""
        await self._committed(WITHDRAWN, request.address)

    async def keep(self, request: Request, said: Completion) -> None:
        """Store an answer; returns once it is on the disk. Raises Paused."""
        await self._committed(CALL, (request.round, request, said))

    def open_batches(self) -> list[BatchRecord]:
        """Return the jobs whose replies are still to come; raises RunFileError."""
        if self._connection() is None:
            return []
        with self.lock, self._reading() as connection:
            return open_batches(connection)

    async def keep_batch(self, batch: BatchRecord) -> None:
        """Store a job, or what is new about it; returns once it is on the disk. Raises Paused."""
        self._waiting.append(_Row(MAKE_BATCHES, (), None))
        await self._committed(BATCH, batch_row(batch))

    async def forget_batch(self, batch: BatchRecord) -> None:
        """Remove a job that was never begun; returns once that is written."""
        await self._committed(FORGET_BATCH, (batch.key,))

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Return the embeddings that are in the file; raises RunFileError."""
        if self._connection() is None:
            return {} if self.parent is None else self.parent.vectors(embedder, texts)
        with self.lock, self._reading() as connection:
            return find_vectors(connection, embedder, texts)

    def keep_vectors(self, embedder: str, vectors: Mapping[str, Array]) -> None:
        """Write embeddings at once, before any call that depends on them; raises Paused."""
        rows = [_Row(*self.rows.vector(embedder, *pair), None) for pair in vectors.items()]
        try:
            self._write(rows)
        except (sqlite3.Error, OSError) as error:
            raise unwritable_error("an embedding", self.path, error) from error

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
            slow = any(row.statement in _DURABLE for row in rows)
            try:
                # A note takes less time than to find a thread for it, which waits for a pause of
                # this one: calls would go out only when all prompts have been written.
                lost = await asyncio.to_thread(self._save, rows) if slow else self._save(rows)
            except (sqlite3.Error, OSError) as error:
                _settle(rows, unwritable_error("an answer", self.path, error))
            except Exception as error:  # whoever waits must hear of it, or waits for ever
                _settle(rows, error)
            else:
                for row in rows:
                    _settle([row], lost if row.statement == SENT else None)
        self._writing = None

    def _save(self, rows: Sequence[_Row]) -> Paused | None:
        """Write rows; but none on calls to be sent if the file has lost its name: return that."""
        safe = [row for row in rows if row.statement != SENT]
        try:
            if len(safe) < len(rows):
                self._check_place()
        except Paused as lost:
            if safe:
                self._write(safe)
            return lost
        self._write(rows)
        return None

    def _write(self, rows: Sequence[_Row]) -> None:
        with self.lock:
            connection = self._connection() or self._publish()
            paid = any(row.statement in _DURABLE and row.written for row in rows)
            connection.execute(f"PRAGMA synchronous = {'FULL' if paid else 'NORMAL'}")
            connection.execute("BEGIN")
            try:
                for row in rows:
                    for statement, values in self._statements(row):
                        connection.execute(statement, values)
                connection.execute("COMMIT")
            except BaseException:  # an interrupt, too, must not leave a transaction open
                connection.rollback()
                self.rows.forget()
                raise
            finally:
                connection.execute("PRAGMA synchronous = NORMAL")

    def _statements(self, row: _Row) -> Iterable[Write]:
        """Yield what a row writes; only now, since calls refer to others that were written."""
        return self.rows.write(*row.values) if row.statement == CALL else [row[:2]]


class RecordedCalls(NoCallStore):
    """The recorded calls of a run file, for playing the run again without model calls."""

    def __init__(self, run: RunFile) -> None:
        self.run = run

    def kept(self, request: Request) -> Completion | None:
        """Return the recorded answer to a request; raises RunFileError if there is none."""
        address = request.address
        call = self.run.call(address)
        # The answer of a component that called a model through us is not recorded itself.
        if call is None and address.bare and self.run.call(address._replace(turn=0)):
            return None
        if call is None:
            raise RunFileError(
                f"{request.agent} is asked {address.kind!r}, but the record has no answer"
            )
        if not same_words(call, request):
            raise RunFileError(reworded_error(request))
        return call.said

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Return the embeddings that are in the file."""
        return self.run.vectors(embedder, texts)


def _refuse_too_long(request: Request) -> None:
    letters = sum(len(message.content) for message in request.messages)
    if letters * _LONGEST_LETTER > MOST_WORDS and len(request.words) > MOST_WORDS:
        raise InputError(
            f"the prompt of {request.agent} for {request.address.kind!r} has "
            f"{len(request.words):,} bytes; a run file takes {MOST_WORDS:,}; shorten what its "
            "template, persona or memory adds"
        )


def _settle(rows: Sequence[_Row], error: Exception | None = None) -> None:
    """Wake the calls that wait for these rows."""
    for row in rows:
        if row.written is None or row.written.done():
            continue
        if error is None:
            row.written.set_result(None)
        else:
            row.written.set_exception(error)


def unwritable_error(what: str, path: str, error: Exception) -> Paused:
    """Make the error for a run file that cannot be written any more."""
    return Paused(
        f"cannot write {what} to {path}: {error}; everything committed before is saved. "
        f"{writing_remedy(error)}, then: society resume {path}"
    )


def writing_remedy(error: Exception) -> str:
    """Name the cure for a failure to write a file.

    >>> writing_remedy(sqlite3.OperationalError("attempt to write a readonly database"))
    'Make the file and its folder writable'
    """
    number, words = getattr(error, "errno", None), str(error)
    if number in (errno.ENOSPC, errno.EDQUOT) or "is full" in words:
        return "Free some disk space"
    if number in (errno.EROFS, errno.EACCES, errno.EPERM) or "readonly" in words:
        return "Make the file and its folder writable"
    if "locked" in words:
        return "End the other program that is writing the file"
    return "Check that the disk is there, writable and not full"
