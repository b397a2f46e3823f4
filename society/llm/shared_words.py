"""The words of prompts, of which those about one question are kept once.

A society is asked one question in nearly the same words by each agent: the setting, the rules and
the form of the answer are said a thousand times, and what differs are a few names and numbers. So a
prompt is kept as what it adds to another one:

    shared    prompts in full to which others refer, by number
    a cell    number of one of them (uint32, little-endian) + the words as DEFLATE has them (RFC
              1951) when that prompt is its preset dictionary

Short prompts, and all in files of formats before 4, are kept as they are, as text.
"""

from __future__ import annotations

import sqlite3
import struct
import zlib
from collections.abc import Hashable
from typing import Any

from xxhash import xxh3_128_hexdigest

SCHEMA = "CREATE TABLE shared (shared INTEGER PRIMARY KEY, words TEXT, seal TEXT);"
SHARE = "INSERT INTO shared VALUES (?, ?, ?)"

_NUMBER = struct.Struct("<I")
_SHORT = 400  # characters of a prompt that is kept as it is
_NEAR = 2**13  # bytes of prompt and dictionary for which a small window, which is faster, suffices
_LEVEL = 1  # a sixth more bytes than at level 6, in two thirds of the time
_FIRST = 8  # cells that tell what those with one dictionary usually take
_SLACK = 1.25  # times what they usually take, which a change of the question has to exceed
_MOST = 16 * 2**20  # bytes of the words of one call
MOST_WORDS = _MOST - 2**20  # that are asked: tapes read no rows beyond, which hold the reply, too
_AT_HAND = 64  # dictionaries that are kept while calls are read


class _Dictionary:
    """A prompt in full, and what the cells that refer to it have cost."""

    def __init__(self, number: int, words: bytes) -> None:
        self.number, self.words = number, words
        self._cells, self._usual, self._excess = 0, 0.0, 0.0

    def cell(self, words: bytes) -> bytes:
        """Return the cell for a prompt."""
        bits = 13 if len(words) + len(self.words) < _NEAR else 15
        packer = zlib.compressobj(
            _LEVEL, zlib.DEFLATED, -bits, 8, zlib.Z_DEFAULT_STRATEGY, self.words
        )
        return _NUMBER.pack(self.number) + packer.compress(words) + packer.flush()

    def wears_out(self, size: int) -> bool:
        """Count a cell; true once cells have cost a prompt in full more than the first ones would.

        Rent or buy: who changes then never pays twice as much as with the best of all changes.
        Names and numbers get longer as more agents are asked, which is no reason to change.
        """
        self._cells += 1
        if self._cells <= _FIRST:
            self._usual += (size - self._usual) / self._cells
        self._excess = max(0.0, self._excess + size - _SLACK * self._usual)
        return self._excess > len(self.words)


class SharedWords:
    """Packs the prompts of one session; first: the number of its first prompt in full."""

    def __init__(self, first: int) -> None:
        self._next = first
        self._latest: dict[Hashable, _Dictionary] = {}

    def pack(self, question: Hashable, words: str) -> tuple[str | bytes, tuple[Any, ...] | None]:
        """Return the cell of a prompt, and the row that SHARE inserts before it, if there is one.

        question: which prompts are alike.
        """
        if len(words) <= _SHORT:
            return words, None
        plain = words.encode("ascii")  # JSON is
        known = self._latest.get(question)
        if known is not None:
            cell = known.cell(plain)
            if not known.wears_out(len(cell)):
                return cell, None
        new = self._latest[question] = _Dictionary(self._next, plain)
        self._next += 1
        return new.cell(plain), (new.number, words, _seal(new.number, words))

    def forget(self) -> None:
        """Refer to no prompt that was packed before."""
        self._latest.clear()


class WordsReader:
    """Reads cells of one database; what they refer to is kept at hand."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._found: dict[int, bytes] = {}

    def unpack(self, cell: object) -> Any:
        """Return the words of a cell, and text as it is; raises ValueError for damage."""
        if not isinstance(cell, bytes):
            return cell
        if len(cell) < _NUMBER.size:
            raise ValueError("a prompt is cut off")
        shared = self._shared(*_NUMBER.unpack_from(cell))
        stream = zlib.decompressobj(-15, shared)
        try:
            plain = stream.decompress(cell[_NUMBER.size :], _MOST + 1)
        except zlib.error as error:
            raise ValueError(f"a prompt is damaged: {error}") from None
        if len(plain) > _MOST or not stream.eof:
            raise ValueError(f"a prompt is cut off, or has more than {_MOST:,} bytes")
        return plain.decode("ascii")

    def _shared(self, number: int) -> bytes:
        if number not in self._found:
            query = "SELECT words, seal FROM shared WHERE shared = ?"
            row = self._connection.execute(query, (number,)).fetchone()
            if row is None or row[1] != _seal(number, row[0]) or not isinstance(row[0], str):
                raise ValueError(f"the prompt {number} to which others refer is damaged or missing")
            if len(self._found) >= _AT_HAND:
                self._found.clear()
            self._found[number] = row[0].encode("ascii")
        return self._found[number]


def shares_words(connection: sqlite3.Connection) -> bool:
    """Tell whether a file has room for prompts to which others refer: since format 4."""
    query = "SELECT 1 FROM sqlite_schema WHERE name = 'shared'"
    return connection.execute(query).fetchone() is not None


def first_free_number(connection: sqlite3.Connection) -> int:
    """Return the number of the next prompt in full."""
    (last,) = connection.execute("SELECT max(shared) FROM shared").fetchone()
    return 0 if last is None else int(last) + 1


def _seal(number: int, words: object) -> str:
    return xxh3_128_hexdigest(f"{number}\x1f{words}".encode("utf-8", "surrogatepass"))
