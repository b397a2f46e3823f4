"""Chunks: many rounds of a run file in one compressed block, made when the file is closed.

While a run is played, each round is a row of its own, one transaction. Arrays of few entries then
cost more than they say: the same ones come again in many lines and rounds. A chunk takes the rows
of some rounds apart into the cells of their arrays, keeps equal cells once, cells of one layout
beside each other, and compresses all of them together. It gives back the rows as they were, but for
the seals of rows, in whose place the chunk has one.

    data = size of the head and of the cells (uint32, little-endian) + LZMA of head and cells
    head = JSON: what _Head lists
"""

from __future__ import annotations

import json
import lzma
import os
import sqlite3
import struct
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from society.engine.history import chain_digest
from society.llm.call_tables import checksum
from society.llm.stored_database import load_json

from .encoding import ArrayLayout, inflate_cells, join_cells, split_cells

SCHEMA = """
CREATE TABLE chunks (first INTEGER PRIMARY KEY, last INTEGER, data BLOB, seal TEXT);"""

_ROUNDS, _BYTES = 256, 8 * 2**20  # of a chunk, at most, before it is compressed
_FIRST = 2 * 2**20  # of the first chunk, which tells whether packing pays
_WORTH_IT = 2**17  # bytes of rows; fewer are left as they are
_PROBE = 2**17  # bytes of arrays that tell whether the first chunk is worth a try
_SHARE = 0.4  # of the bytes of its rows, at most, that the first chunk may have
_MARGIN = 1.5  # the share that a sample tells may be so much too large
# The fastest search for repetitions: large ones are found before, as equal cells.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 0, "depth": 1}]
_MOST = 64 * 2**20  # bytes that a chunk may hold: a round may be larger than _BYTES
_MOST_REMEMBERED = 4 * 2**20  # bytes of a chunk that stay decompressed
_SIZES = struct.Struct("<II")
_SIZE = "length(arrays) + length(lines)"
_ROW = "round, path, digest, ends, troubles, look, arrays, line_look, lines"

LayoutOf = Callable[[int], ArrayLayout]


class ChunkRow(NamedTuple):
    """A round in a chunk, as the table of rounds has it."""

    round: int
    path: str
    digest: str
    ends: str
    troubles: str
    look: int
    arrays: bytes
    line_look: int
    lines: bytes
    chain: str = ""


class _Head(NamedTuple):
    """The head of a chunk.

    rows: what is no array. before: the chain before the first row. groups: number and sizes of the
    different cells, layout by layout; sizes is one number if all are equal. refs: the cells of all
    rows, by their number.
    """

    rows: list[list[Any]]
    before: str
    groups: list[list[Any]]
    refs: list[int]


def compact(connection: sqlite3.Connection, layout: LayoutOf) -> bool:
    """Move the rows of rounds into chunks, in one transaction; False if that is not worth it.

    It is worth it if the first chunk has at most two fifths of the bytes of its rows: arrays of
    many different numbers, as those of a thousand villages, hardly shrink, and take seconds.
    """
    query = f"SELECT coalesce(sum({_SIZE}), 0), coalesce(max({_SIZE}), 0), min(round) FROM rounds"
    together, largest, start = connection.execute(query).fetchone()
    # Large arrays are compressed one by one already, and reading a chunk takes all its memory.
    if together < _WORTH_IT or largest > _MOST // 2:
        return False
    connection.execute("BEGIN IMMEDIATE")
    try:
        for first, last, data in _packed(connection, _Inflation(connection, layout)):
            rows = _stored(connection, first, last)
            if not data or (first == start and len(data) > _SHARE * rows):
                connection.rollback()
                return False
            row = (first, last, data, checksum(first, last, blob=data))
            connection.execute("INSERT INTO chunks VALUES (?, ?, ?, ?)", row)
        connection.execute("DELETE FROM rounds")
        connection.execute("COMMIT")
    except BaseException:  # an interrupt, too, must leave the rounds where they are
        connection.rollback()
        raise
    return True


def _stored(connection: sqlite3.Connection, first: int, last: int) -> int:
    """Return how many bytes the rows of some rounds have."""
    query = f"SELECT sum({_SIZE}) FROM rounds WHERE round BETWEEN ? AND ?"
    (size,) = connection.execute(query, (first, last)).fetchone()
    return int(size)


def _packed(
    connection: sqlite3.Connection, inflate: _Inflation
) -> Iterator[tuple[int, int, bytes]]:
    """Yield first and last round of each chunk and its data, b"" if that does not give them back.

    Chunks are made in threads, since compressing lets others run: one for each core.
    """
    cores = os.cpu_count() or 1
    before = _chain_before(connection)
    waiting = deque[tuple[int, int, Future[bytes]]]()
    most = 0  # the first chunk tells whether there will be others
    pool = ThreadPoolExecutor(cores)
    try:
        for rows in _bundles(connection, inflate):
            first, last = rows[0].round, rows[-1].round
            if not (waiting or most or _promising(rows, _stored(connection, first, last), inflate)):
                yield first, last, b""
                return
            job = pool.submit(_pack_and_check, rows, before, inflate.layouts())
            waiting.append((first, last, job))
            before = rows[-1].chain
            if len(waiting) > most:  # rows of more chunks would fill the memory
                yield _done(waiting)
                most = cores
        while waiting:
            yield _done(waiting)
    finally:
        pool.shutdown(cancel_futures=True)


def _done(waiting: deque[tuple[int, int, Future[bytes]]]) -> tuple[int, int, bytes]:
    first, last, job = waiting.popleft()
    return first, last, job.result()


def last_of_chunks(connection: sqlite3.Connection) -> int | None:
    """Return the last round that is in a chunk; None if there are no chunks."""
    found: int | None = connection.execute("SELECT max(last) FROM chunks").fetchone()[0]
    return found


def rows_around(
    connection: sqlite3.Connection, number: int, layout: LayoutOf
) -> dict[int, ChunkRow]:
    """Return the rows of the chunk that holds a round, by number; raises ValueError."""
    query = "SELECT first, last, data, seal FROM chunks WHERE first <= ? ORDER BY first DESC"
    row = connection.execute(query, (number,)).fetchone()
    if row is None or row[0] <= row[1] < number:
        return {}
    first, last, data, seal = row
    if checksum(first, last, blob=data) != seal:
        raise ValueError("its checksum does not match")
    rows = {one.round: one for one in _unpack(data, layout)}
    if len(rows) != last + 1 - first or list(rows) != list(range(first, last + 1)):
        raise ValueError("its chunk holds other rounds than it says")
    return rows


def paths_in_chunks(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield the paths of the rounds in chunks, which their heads say; raises ValueError."""
    number = 0
    query = "SELECT first, last, data, seal FROM chunks ORDER BY first"
    for first, last, data, seal in connection.execute(query):
        if checksum(first, last, blob=data) != seal:
            raise ValueError(f"the chunk of round {first}: its checksum does not match")
        for row in _decompress_head(data).rows:
            if row[0] != number:
                raise ValueError(f"round {number} is missing, though later ones are there")
            yield row[1]
            number += 1
        if number != last + 1:
            raise ValueError(f"round {number} is missing, though its chunk says that it has it")


def _chain_before(connection: sqlite3.Connection) -> str:
    """Return the chain at the end of the chunks that are there; empty if there are none."""
    row = connection.execute("SELECT last FROM chunks ORDER BY first DESC").fetchone()
    if row is None:
        return ""
    # The first row after them continues it, but does not say it: so it is kept with the chunks.
    query = "SELECT data FROM chunks ORDER BY first DESC"
    (data,) = connection.execute(query).fetchone()
    head, _ = _decompress(data)
    return _chains(head)[-1]


def _chains(head: _Head) -> list[str]:
    chain, found = bytes.fromhex(head.before), []
    for row in head.rows:
        chain = chain_digest(chain, bytes.fromhex(row[2]))
        found.append(chain.hex())
    return found


class _Inflation:
    """Undoes the compression of small arrays in rows, which a chunk compresses together.

    Their layouts are added to the table of layouts.
    """

    def __init__(self, connection: sqlite3.Connection, layout: LayoutOf) -> None:
        self._connection = connection
        numbers = connection.execute("SELECT look FROM looks").fetchall()
        self._layouts = {number: layout(number) for (number,) in numbers}
        self._numbers = {one: number for number, one in self._layouts.items()}

    def layouts(self) -> LayoutOf:
        """Return the layouts by number, as they are known now: for another thread."""
        return self._layouts.copy().__getitem__

    def __call__(self, row: ChunkRow) -> ChunkRow:
        look, arrays = self._inflate_blob(row.look, row.arrays)
        line_look, lines = self._inflate_blob(row.line_look, row.lines)
        return row._replace(look=look, arrays=arrays, line_look=line_look, lines=lines)

    def _inflate_blob(self, number: int, blob: bytes) -> tuple[int, bytes]:
        if not any(codec.endswith(".zlib") for _, _, codec in self._layouts[number].parts):
            return number, blob
        look, cells = inflate_cells(self._layouts[number], blob)
        if look not in self._numbers:
            new = self._numbers[look] = 1 + max(self._layouts)
            self._layouts[new] = look
            self._connection.execute("INSERT INTO looks VALUES (?, ?)", (new, json.dumps(look)))
        return self._numbers[look], join_cells(cells)


def _bundles(
    connection: sqlite3.Connection, inflate: Callable[[ChunkRow], ChunkRow]
) -> Iterator[list[ChunkRow]]:
    """Yield the rows of each chunk to be made."""
    bundle: list[ChunkRow] = []
    size, most = 0, _FIRST
    found = connection.execute(f"SELECT {_ROW}, chain FROM rounds ORDER BY round")
    for row in map(inflate, map(ChunkRow._make, found)):
        here = len(row.arrays) + len(row.lines)
        if bundle and (len(bundle) == _ROUNDS or size + here > most):
            yield bundle
            bundle, size, most = [], 0, _BYTES
        bundle.append(row)
        size += here
    if bundle:
        yield bundle


def _promising(rows: Sequence[ChunkRow], stored: int, inflate: _Inflation) -> bool:
    """Tell whether a chunk may be small enough, by some of its arrays; packing all takes longer.

    stored: the bytes of the rows as they are in the file.
    """
    layout = inflate.layouts()
    blobs = [blob for row in rows for blob in ((row.look, row.arrays), (row.line_look, row.lines))]
    cells = {cell for look, blob in blobs for cell in split_cells(len(layout(look).parts), blob)}
    size, different = sum(map(len, cells)), sorted(cells, key=lambda cell: (len(cell), cell))
    sample = b"".join(different[:: max(size // _PROBE, 1)])
    packed = len(lzma.compress(sample, format=lzma.FORMAT_XZ, filters=_FILTERS))
    return packed * size <= _MARGIN * _SHARE * stored * max(len(sample), 1)


def _pack(rows: Sequence[ChunkRow], before: str, layout: LayoutOf) -> bytes:
    numbers: dict[tuple[Any, bytes], tuple[int, int]] = {}  # cell -> group, place in it
    groups: dict[Any, list[bytes]] = {}
    places = list[tuple[Any, int]]()
    for row in rows:
        for look, blob in ((row.look, row.arrays), (row.line_look, row.lines)):
            parts = layout(look).parts
            for part, cell in zip(parts, split_cells(len(parts), blob), strict=True):
                known = numbers.get((part, cell))
                if known is None:
                    group = groups.setdefault(part, [])
                    known = numbers[part, cell] = (len(groups), len(group))
                    group.append(cell)
                places.append((part, known[1]))
    starts, total = {}, 0
    for part, cells in groups.items():
        starts[part], total = total, total + len(cells)
    sizes = [sorted(set(map(len, cells))) for cells in groups.values()]
    head = _Head(
        [[*row[:6], row.line_look] for row in rows],
        before,
        [
            [len(cells), one[0] if len(one) == 1 else [*map(len, cells)]]
            for cells, one in zip(groups.values(), sizes, strict=True)
        ],
        [starts[part] + place for part, place in places],
    )
    words = json.dumps(head, separators=(",", ":")).encode()
    body = b"".join(cell for cells in groups.values() for cell in cells)
    packed = lzma.compress(
        words + body, format=lzma.FORMAT_XZ, check=lzma.CHECK_NONE, filters=_FILTERS
    )
    return _SIZES.pack(len(words), len(body)) + packed


def _pack_and_check(rows: Sequence[ChunkRow], before: str, layout: LayoutOf) -> bytes:
    """Pack a chunk; b"" if it does not give its rows back, since they are deleted for it."""
    data = _pack(rows, before, layout)
    try:
        return data if list(_unpack(data, layout)) == rows else b""
    except ValueError:  # more than may be read at once
        return b""


def _decompress(data: bytes) -> tuple[_Head, bytes]:
    """Decompress a chunk, to no more than it says and may; raises ValueError."""
    words, body = _sizes(data)
    found = _decompressed(data, words + body)
    return _Head(*load_json(found[:words])), found[words:]


def _decompress_head(data: bytes) -> _Head:
    """Decompress the head of a chunk, which is faster than all of it; raises ValueError."""
    words, _ = _sizes(data)
    return _Head(*load_json(_decompressed(data, words)))


def _sizes(data: bytes) -> tuple[int, int]:
    """Return the bytes of the head and of the body of a chunk; raises ValueError for too many."""
    words, body = _SIZES.unpack_from(data)
    if words + body > max(_MOST, 4 * len(data)):
        raise ValueError(f"a chunk of {len(data):,} bytes says that it holds {words + body:,}")
    return words, body


def _decompressed(data: bytes, most: int) -> bytes:
    """Return the first `most` bytes of a chunk decompressed; raises ValueError."""
    return (_remembered if most <= _MOST_REMEMBERED else _decompress_anew)(data, most)


def _decompress_anew(data: bytes, most: int) -> bytes:
    try:
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=2**26)
        found = stream.decompress(data[_SIZES.size :], most)
    except lzma.LZMAError as error:
        raise ValueError(f"its chunk is damaged: {error}") from error
    if len(found) != most:
        raise ValueError("its chunk is cut off")
    return found


# A summary opens a file some times, and goes through its rounds each time.
_remembered = lru_cache(maxsize=4)(_decompress_anew)


def _unpack(data: bytes, layout: LayoutOf) -> Iterator[ChunkRow]:
    head, body = _decompress(data)
    cells, at = list[bytes](), 0
    total = sum(count for count, _ in head.groups)
    for count, size in head.groups:
        # Each array is in some row, so that there are no more than the rows refer to.
        if count < 0 or total > len(head.refs):
            raise ValueError(f"its chunk has {total:,} arrays for {len(head.refs):,} places")
        for one in [size] * count if isinstance(size, int) else size:
            if one < 0:
                raise ValueError(f"an array of {one} bytes")
            cells.append(body[at : at + one])
            at += one
    refs, room = iter(head.refs), _MOST

    def blob(look: int) -> bytes:
        nonlocal room
        chosen = [*islice(refs, len(layout(look).parts))]
        if chosen and min(chosen) < 0:
            raise ValueError(f"there is no array {min(chosen)}")
        found = [cells[one] for one in chosen]
        room -= sum(map(len, found)) + 4 * len(found)
        if room < 0:
            raise ValueError(f"its rounds have more than {_MOST:,} bytes")
        return join_cells(found)

    for (number, path, digest, ends, troubles, look, line_look), chain in zip(
        head.rows, _chains(head), strict=True
    ):
        arrays = blob(look)
        yield ChunkRow(
            number, path, digest, ends, troubles, look, arrays, line_look, blob(line_look), chain
        )
