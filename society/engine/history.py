"""The history of a run: its lines as they were played, round by round, and their digest.

Equal runs have equal digests, and a changed byte changes them. A round's digest covers, for every
line in order, sort, kind, form and the canonical bytes of its arrays (`array_digests`). Arrays are
hashed with XXH3-128, which is about as fast as memory: the digest tells apart runs and damage; it
is no signature, since whoever can rewrite a run file can rewrite a hash too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol

from .array_digests import NEWEST_RULE, DigestRule, array_hash, hash_of_parts
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


def page_digest(number: int, steps: Sequence[Step], rule: DigestRule = NEWEST_RULE) -> bytes:
    """The digest of one round, 32 bytes; arrays that are one object are hashed once.

    rule: by which arrays are hashed, see `array_digests`.
    """
    hashes: dict[int, str] = {}
    canonical = []
    for step in steps:
        arrays = []
        for key in step.arrays:
            values = _array_of(step, key)
            if id(values) not in hashes:
                hashes[id(values)] = _hash(values, rule)
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


def _hash(values: Array | SplitArray, rule: DigestRule) -> str:
    """Hash an array; one in parts has the hash of the whole."""
    if isinstance(values, SplitArray):
        return hash_of_parts(values.parts if values.alike else [values.whole], rule)
    return array_hash(values, rule)
