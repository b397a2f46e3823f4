"""The reader of run files, whole or cut off, finished or still being written."""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np

from society.engine.calls import Address, ParseIssue, Spent, Usage
from society.engine.game_master import Outcome
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.engine.scenario import Finding, Folded
from society.engine.script import UNREAD
from society.errors import RunFileError
from society.llm.call_tables import (
    Call,
    checksum,
    find_call,
    find_vectors,
    list_calls,
    unanswered_calls,
    usage_entries,
    use_so_far,
)

from .encoding import ArrayLayout, unpack_lines
from .manifest import FORMAT, Manifest
from .schema import Header, RunStanding, Status, side_file


class Record(NamedTuple):
    """A recorded round; ends: the replicates that ended in it, by cause."""

    page: Page
    chain: str
    ends: Mapping[str, list[int]]


class RunFile:
    """A run file, open for reading; `open_run_file` gives one. Nothing is ever written to it.

    Every method raises RunFileError where it meets damage.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path, self._connection = path, connection
        self._looks: dict[int, tuple[ArrayLayout, str]] = {}
        with _reading(path, "the manifest"):
            rows = dict(connection.execute("SELECT key, value FROM manifest").fetchall())
            _check_seal(rows.pop("seal"), *sorted(rows.items()))
            given = {key: json.loads(value) for key, value in rows.items()}
            self.manifest = Manifest.model_validate(given)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    @property
    def standing(self) -> RunStanding:
        """The recorded status: the writing process, and the digest at the end."""
        with _reading(self.path, "the status"):
            *said, sealed = self._connection.execute("SELECT * FROM status").fetchone()
            _check_seal(sealed, *said)
            return RunStanding(*said)

    @property
    def status(self) -> Status:
        """The status of the run; also interrupted if the process that wrote it is gone."""
        standing = self.standing
        gone = standing.status == "running" and not standing.alive
        return "interrupted" if gone else standing.status

    @property
    def rounds(self) -> int:
        """The number of committed rounds."""
        with _reading(self.path, "the list of rounds"):
            last = self._connection.execute("SELECT max(round) FROM rounds").fetchone()[0]
            return int(last or 0)

    def paths(self) -> list[tuple[int, ...]]:
        """Return the path of each round among nested rounds, by number."""
        with _reading(self.path, "the list of rounds"):
            rows = self._connection.execute("SELECT path FROM rounds ORDER BY round").fetchall()
            return [_path(words) for (words,) in rows]

    def looks(self) -> dict[ArrayLayout, tuple[int, str]]:
        """Return the layouts of lines, with number and checksum."""
        with _reading(self.path, "the layouts"):
            rows = self._connection.execute("SELECT look, words FROM looks").fetchall()
            return {ArrayLayout.read(words): (number, checksum(words)) for number, words in rows}

    def calls(self) -> Iterator[Call]:
        """Yield every model call, in the order in which they were recorded."""
        with _reading(self.path, "the calls"):
            yield from list_calls(self._connection)

    def call(self, address: Address) -> Call | None:
        """The call at an address."""
        with _reading(self.path, "a call"):
            return find_call(self._connection, address)

    @property
    def unanswered(self) -> int:
        """The number of calls that were sent and have no recorded answer; they may be billed."""
        with _reading(self.path, "the calls"):
            return unanswered_calls(self._connection)

    @property
    def spent(self) -> Spent:
        """The use of models that counts towards limits."""
        with _reading(self.path, "the calls"):
            return use_so_far(self._connection)

    def findings(self) -> tuple[Finding, ...] | None:
        """Return the recorded findings of the analysis after the run; None if there are none."""
        with _reading(self.path, "the findings"):
            row = self._connection.execute("SELECT findings, seal FROM findings").fetchone()
            if row is None:
                return None
            words, sealed = row
            _check_seal(sealed, words)
            found = json.loads(words)
            return tuple(Finding(name, unit, np.array(values)) for name, unit, values in found)

    def sittings(self) -> list[tuple[int, str]]:
        """List each resumption: the last round before it, and changes since the run was made."""
        with _reading(self.path, "the list of sessions"):
            rows = self._connection.execute("SELECT round, changed, seal FROM sittings").fetchall()
            for number, changed, sealed in rows:
                _check_seal(sealed, number, changed)
            return [(number, changed) for number, changed, _ in rows]

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Return the recorded embeddings, by text."""
        with _reading(self.path, "the embeddings"):
            return find_vectors(self._connection, embedder, texts)

    def ledger(self) -> tuple[Usage, ...]:
        """Return the use of models by component, kind of question and model."""
        return tuple(entry for _, entry in self._entries(per_agent=False))

    def ledger_by_agent(self) -> dict[int, tuple[Usage, ...]]:
        """Return the use of models of each agent."""
        by_agent: dict[int, list[Usage]] = {}
        for agent, entry in self._entries(per_agent=True):
            by_agent.setdefault(agent, []).append(entry)
        return {agent: tuple(entries) for agent, entries in by_agent.items()}

    def _entries(self, per_agent: bool) -> Iterator[tuple[int, Usage]]:
        with _reading(self.path, "the calls"):
            entries = list(usage_entries(self._connection, per_agent))
        fallbacks: Counter[tuple[int | str, ...]] = Counter()
        for record in self.records(lines=False) if entries else ():
            for component, kind, model, _, agent, what, _ in record.page.troubles:
                who = agent if per_agent else -1
                fallbacks[who, component, kind, model] += what == "fallback"
        for agent, entry in entries:
            yield agent, entry._replace(fallbacks=fallbacks[agent, *entry[:3]])

    def pages(self, start: int = 0) -> Iterator[Page]:
        """Yield the rounds from `start` on; at level summary without steps and public columns."""
        return (record.page for record in self.records(start))

    def records(self, start: int = 0, *, lines: bool = True) -> Iterator[Record]:
        """Yield the rounds with their records; reading is faster without lines."""
        while (record := self._record(start, lines)) is not None:
            yield record
            start += 1

    def outcome(self) -> Outcome:
        """Return the outcome of the run so far, from its committed rounds."""
        given = self.manifest
        folded = {
            measure.name: Folded(measure.fold, measure.unit, given.replicates)
            for measure in given.measures
        }
        cause = np.full(given.replicates, "", object)
        record = None
        for record in self.records(lines=False):
            for name, values in record.page.measures.items():
                folded[name].add(record.page.number, values)
            for kind, replicates in record.ends.items():
                cause[replicates] = kind
        for each in folded.values():
            each.strike(cause == UNREAD)
        return Outcome(
            record.page.number if record else 0,
            record.chain if record else "",
            {name: values.estimate() for name, values in folded.items()},
            dict(Counter(cause.tolist())),
            self.ledger(),
            {name: values.values() for name, values in folded.items()},
            {name: each.censored() for name, each in folded.items() if each.fold == "first"},
        )

    def _record(self, number: int, lines: bool) -> Record | None:
        with _reading(self.path, f"round {number}"):
            columns = "round, path, digest, chain, ends, troubles, look, arrays, line_seal, seal"
            query = f"SELECT {columns} FROM rounds WHERE round >= ? ORDER BY round"
            row = self._connection.execute(query, (number,)).fetchone()
            if row is None:
                return None
            *said, look_number, blob, line_seal, sealed = row
            stored, path, digest, chain, ends, troubles = said
            if stored != number:
                raise ValueError("it is missing, though later ones are there")
            look, look_seal = self._look(look_number)
            _check_seal(sealed, *said, look_seal, line_seal, blob=blob)
            ((_, _, _, arrays),) = unpack_lines(look, blob)
            steps, public = self._lines(number, line_seal) if lines else ((), {})
            page = Page(
                number,
                _path(path),
                steps,
                bytes.fromhex(digest),
                public,
                {name: values for (role, name), values in arrays.items() if role == "measure"},
                arrays["present", ""],
                arrays["running", ""],
                troubles=tuple(ParseIssue(*trouble) for trouble in json.loads(troubles)),
            )
            return Record(page, chain, json.loads(ends))

    def _lines(self, number: int, sealed: str) -> tuple[tuple[Step, ...], dict[str, Array]]:
        """Return the steps of a round and its public columns; neither at level summary."""
        query = "SELECT line_look, lines FROM rounds WHERE round = ?"
        look_number, blob = self._connection.execute(query, (number,)).fetchone()
        look, look_seal = self._look(look_number)
        _check_seal(sealed, look_seal, blob=blob)
        steps, public = [], {}
        for sort, kind, form, arrays in unpack_lines(look, blob):
            if sort == "public":
                public = {name: values for (_, name), values in arrays.items()}
            elif sort != "round":
                steps.append(Step(sort, kind, form, arrays))
        return tuple(steps), public

    def _look(self, number: int) -> tuple[ArrayLayout, str]:
        """Return a layout and its checksum."""
        if number not in self._looks:
            query = "SELECT words FROM looks WHERE look = ?"
            (words,) = self._connection.execute(query, (number,)).fetchone()
            self._looks[number] = ArrayLayout.read(words), checksum(words)
        return self._looks[number]


def _path(words: str) -> tuple[int, ...]:
    """Parse a path such as 3.1.5."""
    return tuple(int(part) for part in words.split(".") if part)


def open_run_file(path: Path | str) -> RunFile:
    """Open a run file.

    Raises RunFileError if there is none, or it is foreign, cut off or of another format.
    """
    path = Path(path)
    held_aside = _check_file(path)
    if not held_aside:
        # Nobody writes it, so that reading needs no locks and makes no side files; unless a
        # process has just begun and its -wal is about to come.
        run = _open_database(path, "immutable=1")
        if not run.standing.alive:
            return run
        run.close()
    return _open_database(path, "mode=ro")


def _open_database(path: Path, how: str) -> RunFile:
    with _reading(path, "the file"):
        # A reader is handed to whatever thread shows it.
        address = f"{path.resolve().as_uri()}?{how}"
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    try:
        return RunFile(path, connection)
    except RunFileError:
        connection.close()
        raise


def _check_file(path: Path) -> bool:
    """Check the file, and if a -wal holds part of it; raises RunFileError for no run file."""
    try:
        header, size = Header.of(path), path.stat().st_size
        wal = side_file(path, "-wal")
        held_aside = wal.exists() and wal.stat().st_size > 0
    except FileNotFoundError:
        raise RunFileError(
            f"there is no file {path}; `society run --out {path}` makes one"
        ) from None
    except IsADirectoryError:
        raise RunFileError(f"{path} is a folder; name a run file in it") from None
    except (OSError, ValueError) as error:
        raise RunFileError(f"{path} cannot be read: {error}") from error
    if not header.sqlite:
        raise RunFileError(f"{path} is not a run file; name a file that `society run` has written")
    cut = "take a whole copy, or run again"
    if not header.whole:
        raise RunFileError(f"{path} is cut off after {size} bytes; {cut}")
    if not header.ours:
        raise RunFileError(
            f"{path} is an SQLite database, but not a run file; "
            "name a file that `society run` has written"
        )
    if header.version != FORMAT:
        raise RunFileError(
            f"{path} is a run file of format {header.version}, and this program reads format "
            f"{FORMAT}; read it with the version of society that wrote it, or run again"
        )
    if held_aside and not header.wal:
        raise RunFileError(
            f"{wal} does not belong to {path}, which is complete without it; "
            f"remove {wal} and try again"
        )
    if size < header.size and not held_aside:
        raise RunFileError(f"{path} is cut off: {size:,} of {header.size:,} bytes; {cut}")
    return held_aside


@contextmanager
def _reading(path: Path, what: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise RunFileError(
            f"{path}: {what} cannot be read ({error}); take a whole copy of the file, or run again"
        ) from error


# What decoding bytes that nobody wrote can raise.
_DAMAGE = (sqlite3.Error, zlib.error, struct.error, ValueError, TypeError, LookupError)


def _check_seal(sealed: object, *words: object, blob: bytes = b"") -> None:
    if checksum(*words, blob=blob) != sealed:
        raise ValueError("its checksum does not match")
