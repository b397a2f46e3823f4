"""Lines as bytes and back: numbers raw, text as JSON, nothing ever pickled.

Lines become a look, which says what they are and what their arrays look like, and a blob:

    blob = size of every part (uint32, little-endian) + the parts

Rounds look alike, so that looks are stored once and referred to: what is left to write per round
is hardly more than its numbers. An array that several lines share is one part. Parts above 4 kB
are compressed where that pays: flags and whole numbers shrink to an eighth, most floats not at all;
what takes few values, as payoffs and moves do, to the values and some bits for each entry, which is
ten times as fast.
"""

from __future__ import annotations

import json
import math
import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from society.engine.rng import Array
from society.errors import FileError
from society.llm.stored_database import load_json

# One line: a step, a question beside the history, or what the run file adds: a round's own arrays,
# and public columns.
LineSort = Literal["ask", "tell", "inherit", "aside", "round", "public"]
ArrayKey = tuple[str, str]  # (role, name), as in a Step
StoredLine = tuple[LineSort, str, str, Mapping[ArrayKey, Array]]
LinePart = tuple[str, tuple[int, ...], str]

_SHORT = 4096  # bytes; below, an array costs less to write than to compress
_SMALL = 2**16  # bytes of an array, up to which those of many rounds are compressed together
_SAMPLE = 1024  # bytes that tell whether compression pays: it does if few different ones occur
_FEW = 128
_SEVERAL = 512  # entries that mostly tell whether an array has few values
_FIRST = 64  # of these, which tell it of most arrays
_VALUES = 16  # at most, of arrays of few values
_DICTIONARY = 1 + 8 * _VALUES  # bytes, at most, in which they are listed
_MOST = 2**26  # bytes of the arrays of a round that are read whatever their code; else 16 for each
_DTYPE = re.compile(r"\|b1|\|O|[<>|][iuf][1248]|[<>|]f16|<U\d{1,4}")
_CODECS = ("raw", "bits", "few", "json")
_DEEPEST = 8  # dimensions


class ArrayLayout(NamedTuple):
    """The layout of the lines of a round.

    lines: sort, kind, form and names of arrays. places: the part of each array of each line.
    parts: dtype, shape and codec. A codec is raw (as in memory), bits (flags, eight to a byte), few
    (see _of_few) or json (text, one flat list); with `.zlib` where compressed.
    """

    lines: tuple[tuple[LineSort, str, str, tuple[ArrayKey, ...]], ...]
    places: tuple[int, ...]
    parts: tuple[LinePart, ...]

    @classmethod
    def read(cls, words: str) -> ArrayLayout:
        """Parse a layout from its JSON."""
        lines, places, parts = load_json(words)
        count = sum(len(keys) for _, _, _, keys in lines)
        if len(places) != count or any(one not in range(len(parts)) for one in places):
            raise ValueError(f"a layout of {count} arrays names {len(places)} places")
        return cls(
            tuple(
                (sort, kind, form, tuple((role, name) for role, name in keys))
                for sort, kind, form, keys in lines
            ),
            tuple(places),
            tuple((dtype, tuple(shape), codec) for dtype, shape, codec in parts),
        )


def pack_lines(lines: Iterable[StoredLine]) -> tuple[ArrayLayout, bytes]:
    """Encode lines: their layout, and the bytes of their arrays."""
    known: dict[int, int] = {}  # the place of an array, by its identity
    said, places, different = [], [], list[Array]()
    for sort, kind, form, arrays in lines:
        said.append((sort, kind, form, tuple(arrays)))
        for values in arrays.values():
            place = known.get(id(values))
            if place is None:
                place = known[id(values)] = len(different)
                different.append(values)
            places.append(place)
    encoded = [_encoded(values) for values in different]
    _keep_readable(different, encoded)
    parts = tuple(
        (values.dtype.str, values.shape, codec)
        for values, (codec, _) in zip(different, encoded, strict=True)
    )
    return ArrayLayout(tuple(said), tuple(places), parts), join_cells([one for _, one in encoded])


def _keep_readable(arrays: Sequence[Array], encoded: list[tuple[str, bytes]]) -> None:
    """Replace codes of large arrays by longer ones, until the round may be read.

    Reading refuses rounds that say to hold far more than their bytes, as those of an attacker do.
    """
    total, stored = sum(one.nbytes for one in arrays), sum(len(cell) for _, cell in encoded)
    for place in sorted(range(len(arrays)), key=lambda place: -arrays[place].nbytes):
        if total <= _most_of(stored):
            return
        plain = _plain(arrays[place])
        stored += len(plain[1]) - len(encoded[place][1])
        encoded[place] = plain
    if total > _most_of(stored):
        raise FileError(
            f"a round has {total:,} bytes of text, which would not be read again; record less, "
            "with --record summary"
        )


def _most_of(stored: int) -> int:
    """Return how many bytes the arrays of a round may have, by their bytes in the file."""
    return _MOST + 16 * stored


def _plain(values: Array) -> tuple[str, bytes]:
    """Encode an array without compression."""
    if values.dtype.kind in "OU":
        return "json", json.dumps(values.reshape(-1).tolist()).encode()
    return "raw", values.tobytes()


def join_cells(cells: Sequence[bytes]) -> bytes:
    """Join the parts of a blob, after their sizes."""
    return b"".join([struct.pack(f"<{len(cells)}I", *map(len, cells)), *cells])


def split_cells(count: int, blob: bytes) -> list[bytes]:
    """Split a blob into its parts; raises ValueError if it has not so many."""
    head = struct.Struct(f"<{count}I")
    sizes = head.unpack_from(blob) if len(blob) >= head.size else ()
    if head.size + sum(sizes) != len(blob):
        raise ValueError(f"got {len(blob)} bytes; expected {head.size + sum(sizes)}")
    ends = [*accumulate(sizes, initial=head.size)]
    return [blob[start:end] for start, end in pairwise(ends)]


def inflate_cells(look: ArrayLayout, blob: bytes) -> tuple[ArrayLayout, list[bytes]]:
    """Return a layout and its parts, with small arrays as they are before compression."""
    parts, cells = [], []
    for part, cell in zip(look.parts, split_cells(len(look.parts), blob), strict=True):
        dtype, shape, codec = part
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if codec.endswith(".zlib") and size <= _SMALL and not codec.startswith("json"):
            part, cell = (
                (dtype, shape, codec.removesuffix(".zlib")),
                _inflate(cell, size + _DICTIONARY),
            )
        parts.append(part)
        cells.append(cell)
    return look._replace(parts=tuple(parts)), cells


def unpack_lines(look: ArrayLayout, blob: bytes) -> list[StoredLine]:
    """Decode lines, arrays read-only; raises ValueError or zlib.error if layout and blob differ."""
    cells = split_cells(len(look.parts), blob)
    _check_sizes(look.parts, cells)
    arrays = [_decoded(*part, cell) for part, cell in zip(look.parts, cells, strict=True)]
    places = iter(look.places)
    return [
        (sort, kind, form, {key: arrays[next(places)] for key in keys})
        for sort, kind, form, keys in look.lines
    ]


def _check_sizes(parts: Sequence[LinePart], cells: Sequence[bytes]) -> None:
    """Raise ValueError for arrays that no run has, before memory is taken for them."""
    total, flags = _sizes_of(tuple(parts))
    for place, size in flags:
        if len(cells[place]) != size:
            raise ValueError(f"{len(cells[place])} bytes of flags for the shape {parts[place][1]}")
    if total > _most_of(sum(map(len, cells))):
        raise ValueError(f"arrays of {total:,} bytes, which is more than any round needs")


@lru_cache(maxsize=256)
def _sizes_of(parts: tuple[LinePart, ...]) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Return the bytes of all arrays, and place and bytes of each cell of flags.

    Raises ValueError for arrays that no run has.
    """
    total, flags = 0, []
    for place, (dtype, shape, codec) in enumerate(parts):
        if not _DTYPE.fullmatch(dtype) or codec.partition(".")[0] not in _CODECS:
            raise ValueError(f"an array of {dtype!r:.20} in the code {codec!r:.20}")
        if len(shape) > _DEEPEST or not all(type(one) is int and one >= 0 for one in shape):
            raise ValueError(f"an array of the shape {shape!r:.60}")
        total += math.prod(shape) * np.dtype(dtype).itemsize
        if codec == "bits":
            flags.append((place, math.ceil(math.prod(shape) / 8)))
    return total, tuple(flags)


def _inflate(cell: bytes, most: int) -> bytes:
    """Decompress to no more than `most` bytes; raises ValueError."""
    stream = zlib.decompressobj()
    found = stream.decompress(cell, most + 1)
    if len(found) > most or not stream.eof:
        raise ValueError(f"a compressed array is cut off, or holds more than {most:,} bytes")
    return found


def _encoded(values: Array) -> tuple[str, bytes]:
    if values.dtype.kind in "OU":
        codec, cell = _plain(values)
    elif values.nbytes <= _SHORT:
        return _plain(values)
    elif values.dtype.kind == "b":
        codec, cell = "bits", np.packbits(values).tobytes()
    elif (few := _of_few(values)) is not None:
        codec, cell = "few", few
    else:
        codec, cell = _plain(values)
    if codec == "json" and len(cell) > _MOST:
        return codec, cell
    if len(cell) > _SHORT and len(set(cell[:_SAMPLE])) <= _FEW:
        return f"{codec}.zlib", zlib.compress(cell, 1)
    return codec, cell


def _of_few(values: Array) -> bytes | None:
    """Encode few distinct values: their number, the values, then the index of each entry, bitwise.

    Returns None if there are more than a few.
    """
    entries = values.reshape(-1).view(f"u{values.itemsize}")  # so that NaN equals itself
    sample = entries[:: entries.size // _SEVERAL or 1]
    first = set(sample[:_FIRST].tolist())
    if len(first) == 1 and (entries == entries[0]).all():
        return b"\1" + entries[:1].tobytes()
    if len(first) > _VALUES or len(set(sample.tolist())) > _VALUES:
        return None
    which, left = np.zeros(entries.size, np.uint8), np.ones(entries.size, bool)
    known: list[Any] = []
    while left[at := left.argmax()]:
        if len(known) == _VALUES:
            return None
        here = entries == entries[at]
        which += here * np.uint8(len(known))
        left &= ~here
        known.append(entries[at])
    bits = [np.packbits(which >> bit & 1) for bit in range((len(known) - 1).bit_length())]
    table = np.array(known, entries.dtype)
    return bytes([len(known)]) + b"".join(part.tobytes() for part in (table, *bits))


def _from_few(dtype: np.dtype[Any], size: int, cell: bytes) -> Array:
    end = 1 + cell[0] * dtype.itemsize
    table, which = np.frombuffer(cell[1:end], dtype), np.zeros(size, np.uint8)
    bits = np.frombuffer(cell[end:], np.uint8)
    bits = bits.reshape((cell[0] - 1).bit_length(), math.ceil(size / 8))
    for bit, plane in enumerate(bits):
        which |= np.unpackbits(plane, count=size) << np.uint8(bit)
    if which.max(initial=0) >= len(table) > 0:
        raise ValueError(f"entry {which.max()} of {len(table)} values")
    return table[which]


def _decoded(dtype: str, shape: tuple[int, ...], codec: str, cell: bytes) -> Array:
    codec, _, compressed = codec.partition(".")
    if compressed:
        # An array of text has no fixed size, whatever its dtype says.
        room = math.prod(shape) * np.dtype(dtype).itemsize + _DICTIONARY
        cell = _inflate(cell, _MOST if codec == "json" else room)
    if codec == "json":
        words = json.loads(cell)
        flat = np.fromiter(words, np.dtype(dtype), len(words))
    elif codec == "bits":
        bits = np.frombuffer(cell, np.uint8)
        flat = np.unpackbits(bits, count=math.prod(shape)).view(bool)
    elif codec == "few":
        flat = _from_few(np.dtype(dtype), math.prod(shape), cell)
    else:
        flat = np.frombuffer(cell, np.dtype(dtype))
    values = flat.reshape(shape)
    values.flags.writeable = False
    return values
