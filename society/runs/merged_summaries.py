"""Rounds of slices, merged to what a record at level summary keeps.

It looks at measures, ends and digests, so that most arrays of a round are known by their hashes
alone, and no line is built that nobody reads. What it needs to know of the lines is found once for
all rounds with the same ones. Rounds whose slices have different arrays are merged as they are
where all is looked at, and come to the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from society.engine.array_digests import DigestRule, hash_of_blocks, hash_of_parts, rows_of
from society.engine.gateway import add_usage
from society.engine.history import Page, Step
from society.engine.joined_arrays import SplitArray
from society.engine.rng import Array
from society.engine.slices import merge_pages

from .encoding import ArrayKey
from .shared_pages import LOOKED_AT, PageLayout, SentRows, SlicePage

Places = tuple[int, ...]


class _Lines(NamedTuple):
    """The lines of rounds that are alike.

    words: what a digest says before the hash of each array, and after the last one. hashed: the
    places of these arrays. ends: lines by which replicates may end, with the places of their
    arrays. measures: the place of each.
    """

    words: tuple[str, ...]
    hashed: Places
    ends: tuple[tuple[Step, dict[ArrayKey, int]], ...]
    measures: dict[str, int]


class SummaryMerger:
    """Merges rounds of the same slices, one after another."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, Places], _Lines] = {}
        self._standing: tuple[Array, Array] | None = None  # present and running

    def merge(self, pages: Sequence[SlicePage], rule: DigestRule) -> Page:
        """Merge a round; its steps are those by which replicates end. Raises UnlikeSlices."""
        note, layout, *_ = pages[0]
        if layout.asides or any(
            page.layout is not layout
            or (page.note.number, page.note.path, page.note.places)
            != (note.number, note.path, note.places)
            for page in pages
        ):
            self._standing = None  # it may change in this round
            return merge_pages([page.whole() for page in pages], rule)
        key = id(layout), note.places  # layouts live as long as the receivers of the slices
        lines = self._known.get(key) or self._known.setdefault(key, _lines(layout, note.places))
        present, running = self._stand(pages)
        return Page(
            note.number,
            note.path,
            tuple(
                step._replace(arrays={key: _joined_at(at, pages) for key, at in places.items()})
                for step, places in lines.ends
            ),
            _digest(note.number, lines, pages, rule),
            {},
            {name: _joined_at(at, pages) for name, at in lines.measures.items()},
            present,
            running,
            add_usage(entry for page in pages for entry in page.note.ledger),
            tuple(sorted(trouble for page in pages for trouble in page.note.troubles)),
        )

    def _stand(self, pages: Sequence[SlicePage]) -> tuple[Array, Array]:
        """Return who is present and which replicates run; the same objects until that changes."""
        notes = [page.note for page in pages]
        same = all(note.present is None and note.running is None for note in notes)
        if self._standing is None or not same:
            self._standing = (
                _joined([page.present for page in pages]),
                _joined([page.running for page in pages]),
            )
        return self._standing


def _joined_at(place: int, pages: Sequence[SlicePage]) -> Array:
    return _joined([rows_of(page.rows(place)) for page in pages])


def _joined(parts: Sequence[Array]) -> Array:
    joined: Array = np.concatenate(parts)
    joined.flags.writeable = False
    return joined


def _lines(layout: PageLayout, places: Places) -> _Lines:
    at = iter(places)
    said, hashed, ends = "[", list[int](), []
    words: list[str] = []
    for count, (sort, kind, form, keys) in enumerate(layout.steps):
        numbers = {key: next(at) for key in keys}
        said += ", " * bool(count) + json.dumps([sort, kind, form])[:-1] + ", ["
        for number, key in enumerate(keys):
            words.append(said + ", " * bool(number) + json.dumps(key)[:-1] + ', "')
            said = '"]'
        said += "]]"
        hashed += numbers.values()
        looked_at = {key: place for key, place in numbers.items() if key[0] in LOOKED_AT}
        if looked_at:
            ends.append((Step(sort, kind, form, {}), looked_at))
    measures = {name: next(at) for name in layout.measures}
    return _Lines((*words, said + "]"), tuple(hashed), tuple(ends), measures)


def _digest(number: int, lines: _Lines, pages: Sequence[SlicePage], rule: DigestRule) -> bytes:
    """Digest a round, as society.engine.history.page_digest does."""
    hashes = {place: _hash(place, pages, rule) for place in set(lines.hashed)}
    said = [f"[{number}, "]
    for words, place in zip(lines.words, lines.hashed, strict=False):
        said += words, hashes[place]
    said += lines.words[-1], "]"
    return hashlib.sha256("".join(said).encode()).digest()


def _hash(place: int, pages: Sequence[SlicePage], rule: DigestRule) -> str:
    """Hash an array, in most cases by the digests of its blocks alone."""
    sent = [page.note.arrays[place] for page in pages]
    first = sent[0]
    if isinstance(first, SentRows):
        hashed = [one for one in sent if isinstance(one, SentRows)]
        kind = first.dtype, first.shape[1:]
        if len(hashed) == len(sent) and all((one[0], one[1][1:]) == kind for one in hashed):
            shape = (sum(one.shape[0] for one in hashed), *first.shape[1:])
            return hash_of_blocks(first.dtype, shape, [one.digests for one in hashed])
    split = SplitArray([page.rows(place) for page in pages])
    return hash_of_parts(split.parts if split.alike else [split.whole], rule)
