"""The digest of what happened: equal runs have equal digests, and a changed byte changes it.

A round's digest covers, for every line in order, sort, kind, form and the canonical bytes of its
arrays. Arrays are hashed with XXH3-128, which is about as fast as memory: the digest tells apart
runs and damage; it is no signature, since whoever can rewrite a run file can rewrite a hash too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

import numpy as np
from xxhash import xxh3_128_hexdigest

from .draws import Array
from .talk import Step


def page_digest(number: int, steps: Sequence[Step]) -> bytes:
    """The digest of one round, 32 bytes; arrays that are one object are hashed once."""
    hashes: dict[int, str] = {}

    def hashed(values: Array) -> str:
        if id(values) not in hashes:
            hashes[id(values)] = _array_hash(values)
        return hashes[id(values)]

    canonical = [
        (step.sort, step.kind, step.form, [(*key, hashed(a)) for key, a in step.arrays.items()])
        for step in steps
    ]
    return hashlib.sha256(json.dumps([number, canonical]).encode()).digest()


def chained(previous: bytes, digest: bytes) -> bytes:
    """The digest of all rounds so far, from that of the rounds before (b"" for none)."""
    return hashlib.sha256(previous + digest).digest()


def _array_hash(values: Array) -> str:
    if values.dtype.kind in "OU":
        return xxh3_128_hexdigest(json.dumps(values.tolist()).encode())
    little = values.dtype.newbyteorder("<")
    data = np.ascontiguousarray(values, little).data
    return f"{little.str}{values.shape}{xxh3_128_hexdigest(data)}"
