"""The schema of run files, shared by writer and reader: tables, checksums, endings, status.

    manifest   what was given, by key, as JSON
    status     one row: how the run stands, which process writes it, and the digest it ended on
    looks      what lines look like: kinds, forms, names and types; stored once and referred to
    rounds     one row a round: place, digest, chain, ends, troubles; measures, present and
               running; asides; at level full all lines, and public columns
    chunks     many rounds, compressed together when the file is closed (society.runs.chunks)
    findings   what the scenario concluded when the run was over
    sittings   one row for each time the run was resumed: after which round, what had changed
    and those of society.llm.call_tables, for what came from outside, and of society.runs.results,
    for what a list of runs shows

Every row is sealed with a hash of what it says, and is read only if the seal fits: damage is found,
not shown. `chain` is the digest of all rounds so far, as the game master computes it.
"""

from __future__ import annotations

import os
import platform
import sqlite3
import struct
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any, Literal, NamedTuple, Self, get_args

import numpy as np

from society.engine.history import Page
from society.engine.rng import Array
from society.engine.script import UNREAD
from society.llm.call_tables import BATCHES, INHERITED
from society.llm.call_tables import SCHEMA as CALLS
from society.llm.stored_database import check_types, read_schema

from .chunks import SCHEMA as CHUNKS
from .manifest import FORMAT
from .results import RESULTS

Status = Literal["running", "finished", "interrupted", "failed", "paused"]

OURS = int.from_bytes(b"Scty", "big")  # SQLite's application_id: tells our files from others
SIDES = ("-wal", "-shm", "-journal")  # files that SQLite may keep beside a database

_MAGIC = b"SQLite format 3\0"
_HEADER = struct.Struct(">16sHB9xI28xI4xI28x")

# For a draft, which is thrown away if anything fails: it needs no journal on the disk.
SCHEMA = f"""
PRAGMA journal_mode = MEMORY;
PRAGMA synchronous = OFF;
BEGIN;
PRAGMA application_id = {OURS};
PRAGMA user_version = {FORMAT};
CREATE TABLE manifest (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE status (status TEXT, process INTEGER, host TEXT, born INTEGER, digest TEXT, seal TEXT);
CREATE TABLE looks (look INTEGER PRIMARY KEY, words TEXT);
CREATE TABLE rounds (
    round INTEGER PRIMARY KEY, path TEXT, digest TEXT, chain TEXT, ends TEXT, troubles TEXT,
    look INTEGER, arrays BLOB, line_seal TEXT, seal TEXT, line_look INTEGER, lines BLOB);
CREATE TABLE findings (findings TEXT, seal TEXT);
CREATE TABLE sittings (round INTEGER, changed TEXT, seal TEXT);
{CALLS}{CHUNKS}"""


@cache
def _our_schema() -> frozenset[tuple[str, ...]]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA + BATCHES + INHERITED + RESULTS)
    found = read_schema(connection)
    connection.close()
    return found


_SINCE = {"chunks": 3, "shared": 4}  # the format from which on a file has a table


def check_schema(connection: sqlite3.Connection, version: int) -> None:
    """Raise ValueError if a database has other tables than ours, or anything besides tables.

    version: its format.

    A view or a trigger of a stranger's would run inside our own queries.
    """
    found, ours = read_schema(connection), _our_schema()
    ours = frozenset(one for one in ours if _SINCE.get(one[2], 0) <= version)
    made = {one[2] for one in found}
    absent = {"batches", "inherited", "results"} - made  # they are made when they are needed
    ours = frozenset(one for one in ours if one[2] not in absent)
    other = sorted(found ^ ours)
    if other:
        sort, name, *_ = other[0]
        raise ValueError(f"its {sort} {name!r:.40} is not as `society run` writes it")


def side_file(path: Path, suffix: str) -> Path:
    """Return the path of the side file with a suffix."""
    return path.with_name(path.name + suffix)


def endings(page: Page, running: Array) -> dict[str, list[int]]:
    """List the replicates that ended in a round, by cause; running: those before it, (R, 1)."""
    ended: dict[str, list[int]] = {}
    if page.running.tobytes() == running.tobytes():
        return ended
    for step in page.steps:
        for role, cause in (("void", UNREAD), ("ends", step.kind)):
            if (role, "") in step.arrays:
                ending = step.arrays[role, ""] & running
                ended.setdefault(cause, []).extend(np.flatnonzero(ending).tolist())
                running = running & ~ending
    return ended


class Header(NamedTuple):
    """The header of an SQLite database, as far as run files need it.

    Source: sqlite.org/fileformat.html, section 1.3.
    """

    whole: bool  # whether the file is long enough to have one
    sqlite: bool
    ours: bool
    version: int
    wal: bool
    size: int  # bytes that the file ought to have, unless a -wal holds some

    @classmethod
    def of(cls, path: Path) -> Self:
        """Read the header of a file; raises OSError."""
        with path.open("rb") as file:
            head = file.read(_HEADER.size)
        magic, page, write, count, version, application = _HEADER.unpack(
            head.ljust(_HEADER.size, b"\0")
        )
        return cls(
            len(head) == _HEADER.size,
            _MAGIC.startswith(magic[: len(head)]),
            application == OURS,
            version,
            write == 2,
            count * (65536 if page == 1 else page),
        )


class RunStanding(NamedTuple):
    """The status row.

    process, host, born: the writing process, until the file is closed. digest: set at its end.
    """

    status: Status
    process: int | None = None
    host: str | None = None
    born: int | None = None
    digest: str | None = None

    @classmethod
    def running(cls) -> Self:
        """Return the status of a run that this process writes."""
        return cls("running", os.getpid(), platform.node(), _born(os.getpid()))

    @classmethod
    def read(cls, row: Sequence[Any]) -> Self:
        """Return the standing that a row says; raises ValueError for one that no run writes."""
        whole, text = (int, NoneType), (str, NoneType)
        check_types(row, str, whole, text, whole, text)
        standing = cls(*row)
        if standing.status not in get_args(Status):
            raise ValueError(f"there is no status {standing.status!r:.40}")
        if standing.process is not None and not 0 < standing.process < 2**31:
            raise ValueError(f"there is no process {standing.process}")
        return standing

    @property
    def alive(self) -> bool:
        """Check if the writing process still exists.

        A process on another host counts as gone: a file in WAL mode is written on its own host.
        """
        if self.process is None or self.host != platform.node():
            return False
        if os.name == "nt":  # where a process cannot be asked without ending it
            return True
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
        return _born(self.process) == self.born


def _born(process: int) -> int | None:
    """Return the start of a process, in ticks since the machine started; None if unknown.

    A process that reuses the number of an ended one began later. A zombie counts as gone.
    Source: proc_pid_stat(5), fields 3 and 22.
    """
    try:
        told = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return None
    fields = told.rpartition(")")[2].split()  # a name in brackets comes before, with any blanks
    return None if fields[0] == "Z" else int(fields[19])
