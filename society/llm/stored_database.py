"""SQLite files that somebody else may have made, opened for reading within limits.

The size of a value is limited, and so are the steps of a query: tables whose pages point at one
another can hold more rows than the world, in a small file.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

_MOST_OF_ONE = 256 * 2**20  # bytes of one value
# Of JSON: a list takes 64 bytes and more, another value up to 32 and its characters.
_MOST_WORDS, _MOST_BRACKETS, _MOST_VALUES = 16 * 2**20, 2**19, 2**21
_TICK = 50_000  # steps of SQLite's machine between two looks at the clock; about a millisecond
_LEAST, _PER_BYTE = 10**7, 10  # steps of a query: at least, and for each byte of the file


class StoredDatabase:
    """A database that is only read; `connection` is open until `close`."""

    def __init__(self, path: Path, how: str) -> None:
        sizes = [path, path.with_name(f"{path.name}-wal")]
        size = sum(one.stat().st_size for one in sizes if one.exists())
        self._most, self._ticks = (_LEAST + _PER_BYTE * size) // _TICK, 0
        # A reader is handed to whatever thread shows it.
        address = f"{path.resolve().as_uri()}?{how}"
        self.connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_OF_ONE)
        self.connection.set_progress_handler(self._tick, _TICK)
        with self.limited():
            self.connection.execute("PRAGMA trusted_schema = OFF")
            self.connection.execute("PRAGMA cell_size_check = ON")

    def close(self) -> None:
        self.connection.close()

    @contextmanager
    def limited(self) -> Iterator[None]:
        """Limit the steps of reading in this block; raises ValueError where it takes more.

        An interrupt by the user leaves the block at once.
        """
        self._ticks = 0
        try:
            yield
        except sqlite3.OperationalError as error:
            # Python's own complaints, such as of text that is no UTF-8, have no code.
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_INTERRUPT:
                raise
            if self._ticks > self._most:
                raise ValueError("it takes more steps than a file of its size can need") from None
            # Python looks for signals as it enters `_tick`; sqlite3 drops what they raise there.
            raise KeyboardInterrupt from None

    def _tick(self) -> int:
        self._ticks += 1
        return int(self._ticks > self._most)


def load_json(words: str | bytes, most: int = _MOST_WORDS) -> Any:
    """Parse stored JSON; raises ValueError if it would take far more memory than a run needs.

    most: characters that it may have.
    """
    words = words.decode() if isinstance(words, bytes) else words
    brackets, values = words.count("[") + words.count("{"), words.count(",")
    if len(words) > most or brackets > _MOST_BRACKETS or values > _MOST_VALUES:
        raise ValueError(
            f"{len(words):,} characters of JSON with {brackets:,} lists and mappings and "
            f"{values:,} values"
        )
    return json.loads(words)


def read_schema(connection: sqlite3.Connection) -> frozenset[tuple[str, ...]]:
    """Return the type, name, table and normalised SQL of all that a database defines."""
    query = "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master"
    return _normalise(tuple(connection.execute(query)))


@lru_cache(maxsize=16)  # of a thousand files that one version has written, all are the same
def _normalise(rows: tuple[tuple[str, ...], ...]) -> frozenset[tuple[str, ...]]:
    return frozenset((*said, " ".join(sql.split())) for *said, sql in rows)


def check_types(row: Any, *types: type | tuple[type, ...]) -> None:
    """Raise ValueError if the values of a row are of other types than a run writes."""
    for value, one in zip(row, types, strict=True):
        if not isinstance(value, one):
            raise ValueError(f"it has {value!r:.40} where a run has another type of value")
