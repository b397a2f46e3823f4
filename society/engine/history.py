"""The history of a run: its lines as they were played, round by round, and their digest.

Equal runs have equal digests, and a changed byte changes them. A round's digest covers, for every
line in order, sort, kind, form and the canonical bytes of its arrays. Arrays are hashed with
XXH3-128, which is about as fast as memory: the digest tells apart runs and damage; it is no
signature, since whoever can rewrite a run file can rewrite a hash too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from xxhash import xxh3_128, xxh3_128_hexdigest

from .calls import ParseIssue, Usage
from .joined_arrays import JoinedArrays, SplitArray
from .rng import Array


class Step(NamedTuple):
    """One line as it was played, normalised: what replay, digest and run file work on.

    arrays: by (role, name), where role is "common", "own", "seen GRAPH" for facts, and "answer",
    "who", "unread", "void", "gone", "back", "ends", "restored", "group", "join", "cut", "parents",
    "newborn" for the rest.
    """

    sort: Literal["ask", "tell", "inherit"]
    kind: str
    form: str  # the reply as asked for, or the columns inherited
    arrays: Mapping[tuple[str, str], Array]


class Page(NamedTuple):
    """One closed round: its number (0 for what precedes the first), place, lines and measures.

    public: columns declared public, (R, N) each; measures: (R,) each, NaN where not measured.
    ledger: up to and including this round, empty in a page read from a run file; troubles: of this
    round. asides: questions beside the history, which no digest covers.
    """

    number: int
    path: tuple[int, ...]
    steps: tuple[Step, ...]
    digest: bytes
    public: Mapping[str, Array]
    measures: Mapping[str, Array]
    present: Array
    running: Array
    ledger: tuple[Usage, ...] = ()
    troubles: tuple[ParseIssue, ...] = ()
    asides: tuple[Step, ...] = ()


class Recorder(Protocol):
    """Receives every closed round, in order."""

    def page(self, page: Page) -> None: ...


class InMemoryRecorder:
    """A recorder that keeps every page."""

    def __init__(self) -> None:
        self.pages: list[Page] = []

    def page(self, page: Page) -> None:
        self.pages.append(page)


def page_digest(number: int, steps: Sequence[Step]) -> bytes:
    """The digest of one round, 32 bytes; arrays that are one object are hashed once."""
    hashes: dict[int, str] = {}

    canonical = []
    for step in steps:
        arrays = []
        for key in step.arrays:
            values = _array_of(step, key)
            if id(values) not in hashes:
                hashes[id(values)] = _array_hash(values)
            arrays.append((*key, hashes[id(values)]))
        canonical.append((step.sort, step.kind, step.form, arrays))
    return hashlib.sha256(json.dumps([number, canonical]).encode()).digest()


def chain_digest(previous: bytes, digest: bytes) -> bytes:
    """The digest of all rounds so far, from that of the rounds before (b"" for none)."""
    return hashlib.sha256(previous + digest).digest()


def _array_of(step: Step, key: tuple[str, str]) -> Array | SplitArray:
    """Return an array of a line, in parts where it is not joined yet."""
    arrays = step.arrays
    return arrays.split(key) if isinstance(arrays, JoinedArrays) else arrays[key]


def _array_hash(values: Array | SplitArray) -> str:
    """Hash dtype, shape and bytes; an array in parts has the hash of the whole."""
    if isinstance(values, SplitArray):
        return _hash_of_parts(values.parts) if values.alike else _array_hash(values.whole)
    if values.dtype.kind in "OU":
        return xxh3_128_hexdigest(json.dumps(values.tolist()).encode())
    little = _little(values.dtype)
    data = np.ascontiguousarray(values, little).data
    return f"{little.str}{values.shape}{xxh3_128_hexdigest(data)}"


def _hash_of_parts(parts: Sequence[Array]) -> str:
    """Hash numbers as if they were one array."""
    if len(parts) == 1:
        return _array_hash(parts[0])
    little, hashed = _little(parts[0].dtype), xxh3_128()
    for part in parts:
        hashed.update(np.ascontiguousarray(part, little).data)
    shape = (sum(map(len, parts)), *parts[0].shape[1:])
    return f"{little.str}{shape}{hashed.hexdigest()}"


@cache
def _little(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a dtype with the byte order that is hashed."""
    return dtype.newbyteorder("<")
