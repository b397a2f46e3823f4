"""Lines as bytes and back: numbers raw, text as JSON, nothing ever pickled.

Lines become a look, which says what they are and what their arrays look like, and a blob:

    blob = size of every part (uint32, little-endian) + the parts

Rounds look alike, so that looks are stored once and referred to: what is left to write per round
is hardly more than its numbers. An array that several lines share is one part. Parts above 4 kB
are compressed where that pays: flags and whole numbers shrink to an eighth, most floats not at all.
"""

from __future__ import annotations

import json
import math
import struct
import zlib
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import numpy as np

from society.draws import Array

# One line: a step, or what the run file adds: a round's own arrays, and public columns.
Sort = Literal["ask", "tell", "inherit", "round", "public"]
Key = tuple[str, str]  # (role, name), as in a Step
Line = tuple[Sort, str, str, Mapping[Key, Array]]
Part = tuple[str, tuple[int, ...], str]

_SHORT = 4096  # bytes; below, an array costs less to write than to compress
_SAMPLE = 1024  # bytes that tell whether compression pays: it does if few different ones occur
_FEW = 128


class Look(NamedTuple):
    """What lines look like.

    lines: sort, kind, form and names of arrays. places: the part of each array of each line.
    parts: dtype, shape and codec. A codec is raw (as in memory), bits (flags, eight to a byte) or
    json (text, one flat list); with `.zlib` where compressed.
    """

    lines: tuple[tuple[Sort, str, str, tuple[Key, ...]], ...]
    places: tuple[int, ...]
    parts: tuple[Part, ...]

    @classmethod
    def read(cls, words: str) -> Look:
        """From its JSON."""
        lines, places, parts = json.loads(words)
        return cls(
            tuple(
                (sort, kind, form, tuple((role, name) for role, name in keys))
                for sort, kind, form, keys in lines
            ),
            tuple(places),
            tuple((dtype, tuple(shape), codec) for dtype, shape, codec in parts),
        )


def packed(lines: Iterable[Line]) -> tuple[Look, bytes]:
    """What the lines look like, and the bytes of their arrays."""
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
    return Look(tuple(said), tuple(places), tuple(parts)), b"".join([sizes, *cells])


def unpacked(look: Look, blob: bytes) -> list[Line]:
    """The lines, arrays read-only; raises ValueError or zlib.error if look and blob differ."""
    head = struct.Struct(f"<{len(look.parts)}I")
    sizes = head.unpack_from(blob) if len(blob) >= head.size else ()
    if head.size + sum(sizes) != len(blob):
        raise ValueError(f"{len(blob)} bytes where {head.size + sum(sizes)} were expected")
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
    else:
        codec, cell = "raw", values.tobytes()
    if len(cell) > _SHORT and len(set(cell[:_SAMPLE])) <= _FEW:
        return f"{codec}.zlib", zlib.compress(cell, 1)
    return codec, cell


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
    else:
        flat = np.frombuffer(cell, np.dtype(dtype))
    values = flat.reshape(shape)
    values.flags.writeable = False
    return values
