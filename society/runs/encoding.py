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
import struct
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from society.engine.rng import Array

# One line: a step, or what the run file adds: a round's own arrays, and public columns.
LineSort = Literal["ask", "tell", "inherit", "round", "public"]
ArrayKey = tuple[str, str]  # (role, name), as in a Step
StoredLine = tuple[LineSort, str, str, Mapping[ArrayKey, Array]]
LinePart = tuple[str, tuple[int, ...], str]

_SHORT = 4096  # bytes; below, an array costs less to write than to compress
_SAMPLE = 1024  # bytes that tell whether compression pays: it does if few different ones occur
_FEW = 128
_VALUES = 16  # at most, of arrays of few values


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
        lines, places, parts = json.loads(words)
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
    said, places, parts = [], [], []
    cells: list[bytes] = []
    for sort, kind, form, arrays in lines:
        said.append((sort, kind, form, tuple(arrays)))
        for values in arrays.values():
            place = known.get(id(values))
            if place is None:
                place = known[id(values)] = len(cells)
                codec, cell = _encoded(values)
                parts.append((values.dtype.str, values.shape, codec))
                cells.append(cell)
            places.append(place)
    sizes = struct.pack(f"<{len(cells)}I", *map(len, cells))
    return ArrayLayout(tuple(said), tuple(places), tuple(parts)), b"".join([sizes, *cells])


def unpack_lines(look: ArrayLayout, blob: bytes) -> list[StoredLine]:
    """Decode lines, arrays read-only; raises ValueError or zlib.error if layout and blob differ."""
    head = struct.Struct(f"<{len(look.parts)}I")
    sizes = head.unpack_from(blob) if len(blob) >= head.size else ()
    if head.size + sum(sizes) != len(blob):
        raise ValueError(f"got {len(blob)} bytes; expected {head.size + sum(sizes)}")
    arrays, start = [], head.size
    for part, size in zip(look.parts, sizes, strict=True):
        arrays.append(_decoded(*part, blob[start : start + size]))
        start += size
    places = iter(look.places)
    return [
        (sort, kind, form, {key: arrays[next(places)] for key in keys})
        for sort, kind, form, keys in look.lines
    ]


def _encoded(values: Array) -> tuple[str, bytes]:
    if values.dtype.kind in "OU":
        codec, cell = "json", json.dumps(values.reshape(-1).tolist()).encode()
    elif values.nbytes <= _SHORT:
        return "raw", values.tobytes()
    elif values.dtype.kind == "b":
        codec, cell = "bits", np.packbits(values).tobytes()
    elif (few := _of_few(values)) is not None:
        codec, cell = "few", few
    else:
        codec, cell = "raw", values.tobytes()
    if len(cell) > _SHORT and len(set(cell[:_SAMPLE])) <= _FEW:
        return f"{codec}.zlib", zlib.compress(cell, 1)
    return codec, cell


def _of_few(values: Array) -> bytes | None:
    """Encode few distinct values: their number, the values, then the index of each entry, bitwise.

    Returns None if there are more than a few.
    """
    entries = values.reshape(-1).view(f"u{values.itemsize}")  # so that NaN equals itself
    if np.unique(entries[:_SAMPLE:8]).size > _VALUES:
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
        cell = zlib.decompress(cell)
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
