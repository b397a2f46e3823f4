"""Digests of arrays, which processes can compute of their rows and join.

Two rules have been used; the manifest of a run says by which its rounds are digested:

1   dtype, shape and XXH3-128 of all bytes
2   the same for text, and for arrays of up to 128 kB; of larger ones their rows are taken in at
    most 32 blocks of ceil(R / 32) rows, each is hashed, and the hash is that of these hashes

So who has some of the blocks can hash them, and the digest of the whole is the same, whoever has
hashed which. Bytes are little-endian; text is hashed as JSON, without dtype and shape.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any, Literal

import numpy as np
from xxhash import xxh3_128, xxh3_128_digest, xxh3_128_hexdigest

from society.errors import PartError

from .rng import Array

DigestRule = Literal[1, 2]
FIRST_RULE: DigestRule = 1
NEWEST_RULE: DigestRule = 2
BLOCKS = 32  # of an array, at most
_IN_ONE = 2**17  # bytes of an array that is hashed in one go


class RowsElsewhere(PartError):
    """Rows of an array are looked at that stayed in another process."""


@dataclass(frozen=True, slots=True)
class HashedRows:
    """Rows of an array whose blocks are hashed; `rows` is None where they stayed elsewhere.

    dtype, shape: of the rows. digests: of their blocks, 16 bytes each, joined.
    """

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    digests: bytes
    rows: Array | None = None

    def __len__(self) -> int:
        return self.shape[0]


Rows = Array | HashedRows


def rows_of(part: Rows) -> Array:
    """Return the rows of a part; raises RowsElsewhere."""
    if not isinstance(part, HashedRows):
        return part
    if part.rows is None:
        raise RowsElsewhere(
            f"an array of {part.dtype} is not of the same kind in all slices of the replicates"
        )
    return part.rows


def block_length(count: int) -> int:
    """Return how many of so many rows are a block; the last one may be shorter."""
    return -(-count // BLOCKS)


def is_hashed_in_blocks(dtype: np.dtype[Any], count: int, nbytes: int) -> bool:
    """Tell whether the second rule takes an array of so many rows and bytes in blocks."""
    return nbytes > _IN_ONE and count > 1 and dtype.kind not in "OU"


def hash_blocks(rows: Array, length: int) -> bytes:
    """Hash each block of some rows, which begin where a block begins; 16 bytes each."""
    data = _canonical(rows).data.cast("B")
    step = len(data) // len(rows) * length
    return b"".join([xxh3_128_digest(data[at : at + step]) for at in range(0, len(data), step)])


def hash_rows(rows: Array, count: int) -> HashedRows | None:
    """Hash rows of an array that has so many in all; None where it is not taken in blocks."""
    if not is_hashed_in_blocks(rows.dtype, count, rows.nbytes // len(rows) * count):
        return None
    return HashedRows(rows.dtype, rows.shape, hash_blocks(rows, block_length(count)), rows)


def array_hash(values: Array, rule: DigestRule = NEWEST_RULE) -> str:
    """Hash an array by a rule."""
    if values.dtype.kind in "OU":
        return xxh3_128_hexdigest(json.dumps(values.tolist()).encode())
    if rule >= NEWEST_RULE and is_hashed_in_blocks(values.dtype, len(values), values.nbytes):
        digests = [hash_blocks(values, block_length(len(values)))]
        return hash_of_blocks(_little(values.dtype).str, values.shape, digests)
    hashed = xxh3_128_hexdigest(_canonical(values).data)
    return f"{_little(values.dtype).str}{values.shape}{hashed}"


def hash_of_parts(parts: Sequence[Rows], rule: DigestRule = NEWEST_RULE) -> str:
    """Hash numbers of one dtype, in parts along their first axis, as if they were one array."""
    if len(parts) == 1 and not isinstance(parts[0], HashedRows):
        return array_hash(parts[0], rule)
    dtype, count = parts[0].dtype, sum(map(len, parts))
    shape = (count, *parts[0].shape[1:])
    nbytes = dtype.itemsize * math.prod(shape)
    if rule == FIRST_RULE or not is_hashed_in_blocks(dtype, count, nbytes):
        stream = xxh3_128()
        for part in parts:
            stream.update(_canonical(rows_of(part)).data)
        return f"{_little(dtype).str}{shape}{stream.hexdigest()}"
    length = block_length(count)
    if any(end % length for end in accumulate(map(len, parts[:-1]))):
        return array_hash(np.concatenate([rows_of(part) for part in parts]), rule)
    digests = [
        part.digests if isinstance(part, HashedRows) else hash_blocks(part, length)
        for part in parts
    ]
    return hash_of_blocks(_little(dtype).str, shape, digests)


def hash_of_blocks(dtype: str, shape: tuple[int, ...], digests: Iterable[bytes]) -> str:
    """Hash an array by the digests of its blocks, in order; dtype: as it is hashed."""
    return f"{dtype}{shape}{xxh3_128_hexdigest(b''.join(digests))}"


def _canonical(values: Array) -> Array:
    """Return an array as it is hashed: contiguous and little-endian."""
    return np.ascontiguousarray(values, _little(values.dtype))


@cache
def _little(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a dtype with the byte order that is hashed."""
    return dtype.newbyteorder("<")
