"""The writer of run files: a recorder that commits every round as it closes."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Self

import numpy as np

from society.engine.history import Page, chain_digest, page_digest
from society.engine.rng import Array
from society.engine.scenario import Finding
from society.errors import FileError, PartError, Paused, RunFileError, short_path
from society.llm.call_tables import (
    FORGET_INHERITED,
    INHERIT,
    INHERITED,
    LOSE,
    VECTOR,
    WITHDRAWN,
    CallRows,
    call_addresses,
    call_row,
    checksum,
    inherits,
    open_batches,
    unanswered_calls,
    usage_entries,
    use_so_far,
)
from society.llm.shared_words import SharedWords, first_free_number, shares_words
from society.slow_work import slow_work

from .call_store import RunFileCallStore, unwritable_error, writing_remedy
from .chunks import compact
from .conclusions import findings_text
from .encoding import ArrayLayout, StoredLine, pack_lines
from .manifest import Manifest
from .moved_files import with_folder
from .parent_answers import ParentAnswers
from .reader import RunFile, open_run_file
from .results import MeasuresSoFar, RecordedLedger, RunResults, write_results
from .schema import SCHEMA, SIDES, Header, RunStanding, Status, endings, side_file

_PAUSES = (0.01, 0.02, 0.04, 0.08, 0.1)  # seconds for which a reader is waited for


class Parent:
    """The run that a fork comes from.

    digests: of its rounds up to the fork. since: what has changed since it was made, in words.
    """

    def __init__(self, answers: ParentAnswers, digests: Sequence[bytes], since: str) -> None:
        self.answers, self._digests, self._since = answers, digests, since

    def check(self, page: Page) -> None:
        """Raise RunFileError if a round that is played again is not as it was."""
        if page.number < len(self._digests) and self._digests[page.number] != page.digest:
            raise RunFileError(
                f"{self.answers.name}: round {page.number} differs from the record when it is "
                f"played again{self._since or '; the code has changed'}; restore the earlier "
                "version"
            )


class Writer:
    """A Recorder that writes a run file; its `call_store` stores the answers of models.

    The file appears with the first committed round or answer: a run that fails before leaves
    nothing behind, and the file that it would have replaced stays. Raises FileError if the file
    cannot be written, or exists and is not to be overwritten. A `with` block that is left without
    `close` closes it as finished, or as what the error says.
    """

    def __init__(
        self,
        path: Path | str,
        manifest: Manifest,
        overwrite: bool = False,
        parent: Parent | None = None,
    ) -> None:
        self.path, self._overwrite = Path(path), overwrite
        self.manifest = with_folder(manifest, self.path)
        self._draft = _claim_draft(self.path, overwrite).absolute()
        self._begin("", parent)

    @classmethod
    def resumed(cls, run: RunFile, since: str = "") -> Self:
        """Continue a run that has not finished; raises RunFileError.

        Its rounds are compared, not written again. since: the changes, in words.
        """
        self = cls.__new__(cls)
        self.path, self.manifest = run.path, run.manifest
        self._begin(since)
        self._connection = _take_over(run.path)
        self._place = _file_identity(run.path)
        looks = run.looks()
        asides = any(sort == "aside" for look in looks for sort, *_ in look.lines)
        for record in run.records(lines=asides):
            self._past.append(_digests(record.page))
            self._chunked_chain = record.chain
        self._looks = looks
        self.call_store.known = call_addresses(self._connection)
        self.call_store.rows = _rows_for(self._connection)
        if inherits(self._connection):
            fork = run.manifest.forks[-1]
            self.call_store.parent = ParentAnswers(fork.parent, fork.after)
        row = (max(len(self._past) - 1, 0), since.removeprefix("; "))
        self._connection.execute("INSERT INTO sittings VALUES (?, ?, ?)", (*row, checksum(*row)))
        return self

    def _begin(self, since: str, parent: Parent | None = None) -> None:
        self._connection: sqlite3.Connection | None = None
        self._parent = parent
        self._past: list[tuple[bytes, bytes]] = []  # digests of the rounds that were there before
        self._waiting: list[Page] = []
        self._looks: dict[ArrayLayout, tuple[int, str]] = {}  # number and seal
        self._running: Array = np.ones((self.manifest.replicates, 1), bool)
        self._measures, self._going = MeasuresSoFar(self.manifest), self._running
        self._chain = b""
        self._chunked_chain = ""  # of the last round that was there before
        self._closed = False
        self._absolute = self.path.absolute()  # code of the user's may change the directory
        self._place: tuple[int, int] | None = None  # device and number of the open file
        self._lost: Paused | None = None  # once the file has lost its name
        self.call_store = RunFileCallStore(
            self.path,
            lambda: self._connection,
            lambda: self._publish(durable=True),
            since,
            self._check_place,
        )
        if parent is not None:
            self.call_store.parent = parent.answers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is None:
            self.close("finished")
        elif issubclass(kind, KeyboardInterrupt | asyncio.CancelledError):
            self.close("interrupted")
        else:
            self.close("paused" if issubclass(kind, Paused) else "failed")

    @property
    def published(self) -> bool:
        """True once the file has its final name."""
        return self._connection is not None

    def page(self, page: Page) -> None:
        """Commit one round, or compare it with the recorded one; raises RunFileError."""
        self._measures.add(page, endings(page, self._going))
        self._going = page.running
        if page.number < len(self._past):
            self._compare(page)
            return
        if self._parent is not None:
            self._parent.check(page)
        with self.call_store.lock, self._writing(f"round {page.number}"):
            self._check_place()
            if self._connection is not None:
                self._connection.execute("BEGIN")
                self._insert(page, self._connection)
                self._connection.execute("COMMIT")
                return
            self._waiting.append(page)
            # Until it has come as far as its parent, a fork leaves nothing behind if it fails.
            if page.number >= max(1, 0 if self._parent is None else self._parent.answers.after):
                self._publish()

    def _compare(self, page: Page) -> None:
        if self._past[page.number] != _digests(page):
            raise RunFileError(
                f"{short_path(self.path)}: round {page.number} differs from the record"
                f"{self.call_store.since or '; the code has changed'}; restore the earlier "
                "version, or run again with another --out"
            )
        self._chain, self._running = chain_digest(self._chain, page.digest), page.running

    def conclude(self, findings: Iterable[Finding]) -> None:
        """Record the findings of the scenario's analysis of the run."""
        words = findings_text(findings)
        with self.call_store.lock, self._writing("the findings"):
            assert self._connection is not None
            self._connection.execute("INSERT INTO findings VALUES (?, ?)", (words, checksum(words)))

    def close(self, status: Status) -> None:
        """State how the run ended and make the record a single file; only once."""
        if self._closed:
            return
        self._closed = True
        with self.call_store.lock, self._writing("the end of the run"):
            if self._connection is None:
                if status in ("failed", "interrupted"):
                    return
                self._publish()
            assert self._connection is not None
            self._connection.rollback()
            self._rescue()
            if status == "finished" and inherits(self._connection):
                self._connection.execute(FORGET_INHERITED)
                self._connection.execute("VACUUM")
            _state(self._connection, RunStanding(status, digest=self._last_chain()))
            self._connection.execute("PRAGMA busy_timeout = 100")
            # A file that stays as it is is whole, too: so neither a full disk nor a reader hinders.
            with suppress(sqlite3.Error), slow_work("packing the run file"):
                self._write_results(self._connection)
                self._compact(self._connection)
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            _end_wal(self._connection)
            self._connection.close()

    def _write_results(self, connection: sqlite3.Connection) -> None:
        """Write the results, unless the file holds more rounds than were played now."""
        if self._chain.hex() == self._last_chain():
            rounds, measures = self._measures.rounds, self._measures.estimates()
            spent, ledger = use_so_far(connection), None
            if shares_words(connection):
                asked = (entry for _, entry in usage_entries(connection))
                unanswered = unanswered_calls(connection)
                ledger = RecordedLedger(self._measures.ledger(asked), unanswered)
            chain = self._chain.hex()
            found = RunResults(rounds, chain, measures, spent.calls, spent.cost, ledger)
            write_results(connection, found)

    def _last_chain(self) -> str:
        """Return the chain of the last committed round, which may not be the last one played."""
        assert self._connection is not None
        query = "SELECT chain FROM rounds ORDER BY round DESC"
        found = self._connection.execute(query).fetchone()
        return str(found[0]) if found else self._chunked_chain

    def _compact(self, connection: sqlite3.Connection) -> None:
        """Pack the rounds of the file into chunks, and free their space; not in format 2."""
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        layouts = {number: look for look, (number, _) in self._looks.items()}
        if version >= 3 and compact(connection, layouts.__getitem__):
            connection.execute("VACUUM")

    @contextmanager
    def _writing(self, what: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if self.published:
                raise unwritable_error(what, short_path(self.path), error) from error
            raise FileError(
                f"cannot write {what} to {self.path}: {error}. {writing_remedy(error)}, name "
                "another --out, or record less with --record summary"
            ) from error
        except TypeError as error:
            raise PartError(
                f"{what} cannot be written to {self.path}: {error}; facts, answers and public "
                "columns must hold numbers or text"
            ) from error

    def _publish(self, *, durable: bool = False) -> sqlite3.Connection:
        """Write all that waits to a draft, and rename the draft to the run file."""
        try:
            self._write_draft()
            _check_free(self._absolute, self._overwrite)
            if durable:
                _sync(self._draft)
            # The side files of an old run would be taken for those of the new one.
            for suffix in ("", *SIDES):
                side_file(self._absolute, suffix).unlink(missing_ok=True)
            self._draft.rename(self._absolute)
            if durable:
                _sync(self._absolute.parent)
        finally:
            self._draft.unlink(missing_ok=True)
        self._connection, self._place = _connected(self._absolute), _file_identity(self._absolute)
        return self._connection

    def _check_place(self) -> None:
        """Raise Paused if the run file was deleted, moved or replaced while it is written."""
        with self.call_store.lock:
            self._rescue()
            if self._lost is not None:
                raise self._lost

    def _rescue(self) -> None:
        """Go on in a new file beside it, with all that is recorded, if the file lost its name.

        The system keeps a deleted file as long as it is open: it is still whole.
        """
        if self._connection is None or self._place == _file_identity(self._absolute):
            return
        was = short_path(self.path)
        reason = f"{was} was deleted, moved or replaced while it was being written"
        try:
            fresh = _fresh_path(self._absolute)
            fresh.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(fresh)) as rescued:
                self._connection.backup(rescued)
            _sync(fresh)
        except (sqlite3.Error, OSError) as error:
            self._lost = Paused(f"{reason}, and its record cannot be saved beside it: {error}")
            raise self._lost from error
        self._connection.close()
        self.path, self._absolute, self._connection = fresh, fresh, _connected(fresh)
        self._place, self.call_store.path = _file_identity(fresh), short_path(fresh)
        self._lost = Paused(
            f"{reason}; no more calls are made, and all that is recorded is saved in "
            f"{short_path(fresh)}"
        )

    def _write_draft(self) -> None:
        draft = sqlite3.connect(self._draft, isolation_level=None)
        draft.executescript(SCHEMA)
        given = self.manifest.model_dump(mode="json")
        rows = {key: json.dumps(value) for key, value in given.items()}
        rows["seal"] = checksum(*sorted(rows.items()))
        draft.executemany("INSERT INTO manifest VALUES (?, ?)", rows.items())
        draft.execute("INSERT INTO status DEFAULT VALUES")
        _state(draft, RunStanding.running())
        if self._parent is not None:
            self._take_over(self._parent.answers, draft)
        for page in self._waiting:
            self._insert(page, draft)
        self._waiting.clear()
        draft.execute("COMMIT")
        draft.execute("PRAGMA journal_mode = WAL")
        draft.close()

    def _take_over(self, answers: ParentAnswers, draft: sqlite3.Connection) -> None:
        """Write the answers that were taken over from the parent of a fork, and those that may be.

        Only where there are any of the latter has the file the table for them.
        """
        for exchange in self.call_store.taken_over:
            for statement, values in self.call_store.rows.write(*exchange):
                draft.execute(statement, values)
        self.call_store.taken_over.clear()
        draft.executemany(VECTOR, answers.vector_rows())
        draft.execute(INHERITED)
        rows = (call_row(call.round, call.request, call.said) for call in answers.calls())
        draft.executemany(INHERIT, rows)

    def _insert(self, page: Page, connection: sqlite3.Connection) -> None:
        self._chain = chain_digest(self._chain, page.digest)
        said = (
            page.number,
            ".".join(map(str, page.path)),
            page.digest.hex(),
            self._chain.hex(),
            json.dumps(endings(page, self._running)),
            json.dumps(page.troubles),
        )
        self._running = page.running
        arrays = {("measure", name): values for name, values in page.measures.items()}
        arrays |= {("present", ""): page.present, ("running", ""): page.running}
        lines: list[StoredLine] = []
        if self.manifest.level == "full":
            public = {("public", name): values for name, values in page.public.items()}
            lines = [*page.steps, ("public", "", "", public)]
        # At any level: they are asked rarely, for their answers.
        lines += [("aside", kind, form, kept) for _, kind, form, kept in page.asides]
        look, look_seal, blob = self._kept(connection, [("round", "", "", arrays)])
        line_look, line_look_seal, line_blob = self._kept(connection, lines)
        line_seal = checksum(line_look_seal, blob=line_blob)
        row = (*said, look, blob, line_seal, checksum(*said, look_seal, line_seal, blob=blob))
        connection.execute(
            f"INSERT INTO rounds VALUES ({', '.join('?' * 12)})",
            (*row, line_look, line_blob),
        )

    def _kept(
        self, connection: sqlite3.Connection, lines: Iterable[StoredLine]
    ) -> tuple[int, str, bytes]:
        """Store the layout of lines if it is new; return its number, its checksum and the bytes."""
        look, blob = pack_lines(lines)
        known = self._looks.get(look)
        if known is None:
            words = json.dumps(look)
            known = self._looks[look] = len(self._looks), checksum(words)
            connection.execute("INSERT INTO looks VALUES (?, ?)", (known[0], words))
        return (*known, blob)


def _digests(page: Page) -> tuple[bytes, bytes]:
    """Return the digest of a round, and of the questions beside its history."""
    return page.digest, page_digest(page.number, page.asides) if page.asides else b""


def _connected(path: Path) -> sqlite3.Connection:
    # In a notebook, whose event loop is running, pages come from another thread.
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")  # pages; each costs some waiting
    return connection


def _take_over(path: Path) -> sqlite3.Connection:
    """Open a run file for writing; raises RunFileError if another process writes it."""
    connection = _connected(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("BEGIN IMMEDIATE")
        *said, _ = connection.execute("SELECT * FROM status").fetchone()
        if RunStanding(*said).alive:
            raise RunFileError(f"{short_path(path)} is being written right now; wait for that run")
        _state(connection, RunStanding.running())
        for batch in open_batches(connection):
            connection.executemany(WITHDRAWN, [call.address for call in batch.calls])
        for statement in LOSE:
            connection.execute(statement)
        connection.execute("COMMIT")
    except (sqlite3.Error, ValueError) as error:
        connection.close()
        raise unwritable_error("anything", short_path(path), error) from error
    except RunFileError:
        connection.close()
        raise
    return connection


def _rows_for(connection: sqlite3.Connection) -> CallRows:
    """Return what makes the rows of further calls of a file, in the manner of its format."""
    shares = shares_words(connection)
    return CallRows(SharedWords(first_free_number(connection)) if shares else None)


def _file_identity(path: Path) -> tuple[int, int] | None:
    """Return the device and number of a file, which tell it from any other; None if it is gone."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _fresh_path(path: Path) -> Path:
    """Return a path beside a run file at which there is nothing: NAME.rescued.run, or with a 2."""
    names = (f"{path.stem}.rescued{number}{path.suffix}" for number in ("", *range(2, 1000)))
    return next(one for one in map(path.with_name, names) if not one.exists())


def path_before_rescue(path: Path) -> Path:
    """Return the path that a run had before it was rescued; the same path for any other run.

    >>> path_before_rescue(Path("runs/lake.rescued2.run")).name
    'lake.run'
    """
    return path.with_name(re.sub(r"(\.rescued\d*)+$", "", path.stem) + path.suffix)


def _sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    if os.name == "nt" and path.is_dir():  # where folders cannot be opened
        return
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _end_wal(connection: sqlite3.Connection) -> None:
    """Make the record a single file.

    Refused while somebody reads, and SQLite does not wait here. Whoever follows a run reads for
    moments; where somebody stays, the file is whole, too, but an empty -wal stays beside it.
    """
    for pause in _PAUSES:
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = DELETE")
            return
        time.sleep(pause)


def _state(connection: sqlite3.Connection, standing: RunStanding) -> None:
    names = "(status, process, host, born, digest, seal)"
    row = (*standing, checksum(*standing))
    connection.execute(f"UPDATE status SET {names} = (?, ?, ?, ?, ?, ?)", row)


def _claim_draft(path: Path, overwrite: bool) -> Path:
    """Claim a path: make its folder, and return the draft beside it; raises FileError."""
    try:
        _check_free(path, overwrite)
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        draft.touch()
        draft.unlink()
    except (FileExistsError, NotADirectoryError) as error:
        raise FileError(
            f"cannot write {path}: {path.parent} is not a folder; name another --out"
        ) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot write {path}: {reason}; name another --out") from error
    return draft


def _check_free(path: Path, overwrite: bool) -> None:
    """Raise FileError if the path holds anything but a run file that may be replaced."""
    if path.is_dir():
        raise FileError(f"{path} is a folder; name a file, such as {path / 'NAME.run'}")
    if not path.exists():
        return
    if not path.is_file():
        raise FileError(f"{path} is a device or a pipe; name a file to write with --out")
    if not overwrite:
        raise FileError(
            f"{path} already exists; {_resume_hint(path)}name another --out, or replace it with "
            "--overwrite"
        )
    with suppress(RunFileError), open_run_file(path) as old:
        if old.status == "running":
            raise FileError(
                f"{path} is being written right now; stop that run, or name another --out"
            )
        return
    if path.stat().st_size and not Header.of(path).ours:
        raise FileError(
            f"{path} is not a run file, and only run files are overwritten; name another --out"
        )


def _resume_hint(path: Path) -> str:
    """Describe how to continue the run in a file; empty if it has finished."""
    with suppress(RunFileError), open_run_file(path) as old:
        if old.status not in ("finished", "running"):
            return f"it is {old.status}: continue it with `society resume {path}`, or "
    return ""
