"""Pages that go from a process to another through memory that both share.

A round of a thousand villages has some megabytes of arrays. Where somebody looks at all of them,
they are copied once, into a slot of memory that was mapped before the process was started; what
goes through the pipe says where they are. Where nobody does, as for a record at level summary, only
the digests of large arrays go over, and their rows stay. Whoever receives pages looks at them in
the slot, which is free again when nobody holds an array of it any more. Text, and what does not
fit, goes through the pipe.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

import numpy as np

from society.engine.array_digests import HashedRows, Rows, hash_rows
from society.engine.calls import ParseIssue, Usage
from society.engine.history import Page, Step
from society.engine.joined_arrays import JoinedArrays, SplitArray
from society.engine.rng import Array

from .encoding import ArrayKey

_ALIGNED = 64  # bytes, a line of the cache
# Arrays of a line that are looked at whatever is recorded: society.runs.schema.endings.
LOOKED_AT = ("ends", "void")

NumberedLine = tuple[Literal["ask", "tell", "inherit"], str, str, tuple[ArrayKey, ...]]


class SlotArray(NamedTuple):
    """An array in a slot. dtype: as numpy's `str` has it. start: byte in the slot."""

    dtype: str
    shape: tuple[int, ...]
    start: int


class SentRows(NamedTuple):
    """Rows whose blocks are hashed; `at` is None where they stay in their process.

    dtype: little-endian, as it is hashed.
    """

    dtype: str
    shape: tuple[int, ...]
    digests: bytes
    at: SlotArray | Array | None


Sent = SlotArray | SentRows | Array


class PageLayout(NamedTuple):
    """The lines of a page, and the questions beside it, with the names of their arrays."""

    steps: tuple[NumberedLine, ...]
    asides: tuple[NumberedLine, ...]
    public: tuple[str, ...]
    measures: tuple[str, ...]


class PageNote(NamedTuple):
    """A page as it is sent.

    layout: the number of its layout. new: the layout, when it is first sent. places: for each array
    of the layout, its place in `arrays`, which has each once. present, running: None where they are
    those of the page before.
    """

    number: int
    path: tuple[int, ...]
    layout: int
    new: PageLayout | None
    places: tuple[int, ...]
    present: SlotArray | Array | None
    running: SlotArray | Array | None
    ledger: tuple[Usage, ...]
    troubles: tuple[ParseIssue, ...]
    arrays: list[Sent]


class PageSender:
    """Writes pages of a slice into slots.

    replicates: of the whole, by which arrays are hashed in blocks; None: not at all. entire:
    whether somebody looks at all of a page; else at its measures and ends only.
    """

    def __init__(self, replicates: int | None, *, entire: bool) -> None:
        self._replicates, self._entire = replicates, entire
        self._layouts: dict[PageLayout, int] = {}
        self._before: tuple[Array | None, Array | None] = None, None  # present and running

    def write(self, page: Page, slot: mmap.mmap, start: int) -> tuple[PageNote, int]:
        """Write the arrays of a page into a slot; return what is to be sent, and their end."""
        kept = _Kept(slot, start)
        steps = tuple(self._line(kept, step, entire=self._entire) for step in page.steps)
        asides = tuple(self._line(kept, step, entire=True) for step in page.asides)
        public = page.public if self._entire else {}
        for values in (*public.values(), *page.measures.values()):
            kept.add(values)
        present, running = (
            None if now is before else kept.placed(now)
            for now, before in zip((page.present, page.running), self._before, strict=True)
        )
        self._before = page.present, page.running
        layout = PageLayout(steps, asides, tuple(public), tuple(page.measures))
        count = len(self._layouts)
        number = self._layouts.setdefault(layout, count)
        note = PageNote(
            page.number,
            page.path,
            number,
            layout if number == count else None,
            tuple(kept.places),
            present,
            running,
            page.ledger,
            page.troubles,
            kept.arrays,
        )
        return note, kept.end

    def _line(self, kept: _Kept, step: Step, *, entire: bool) -> NumberedLine:
        for (role, _), values in step.arrays.items():
            if role in LOOKED_AT or self._replicates is None:
                kept.add(values)
            else:
                kept.add_hashed(values, self._replicates, entire=entire)
        return step.sort, step.kind, step.form, tuple(step.arrays)


class _Kept:
    """Arrays of one page, each once, and their places in the order in which they are named."""

    def __init__(self, slot: mmap.mmap, start: int) -> None:
        self.arrays: list[Sent] = []
        self.places: list[int] = []
        self.end = start
        self._slot = slot
        self._known: dict[tuple[int, bool], int] = {}

    def add(self, values: Array) -> None:
        """Keep an array, which the page holds meanwhile."""
        if not self._found(values):
            self.arrays.append(self.placed(values))

    def add_hashed(self, values: Array, replicates: int, *, entire: bool) -> None:
        """Keep an array of a line, or only its hashes where it is large enough for blocks."""
        if self._found(values, stays=not entire):
            return
        rows = hash_rows(values, replicates)
        if rows is None:
            self.arrays.append(self.placed(values))
        else:
            at = self.placed(values) if entire else None
            little = rows.dtype.newbyteorder("<").str
            self.arrays.append(SentRows(little, rows.shape, rows.digests, at))

    def _found(self, values: Array, *, stays: bool = False) -> bool:
        """Note the place of an array; return whether it is there already.

        stays: without its rows, so that who needs them has another place for it.
        """
        new = len(self.arrays)
        self.places.append(self._known.setdefault((id(values), stays), new))
        return self.places[-1] != new

    def placed(self, values: Array) -> SlotArray | Array:
        """Copy an array into the slot, if it fits."""
        start, end = self.end, self.end + values.nbytes
        if values.dtype.kind == "O" or end > len(self._slot):
            return values
        np.ndarray(values.shape, values.dtype, self._slot, start)[...] = values
        self.end = -(-end // _ALIGNED) * _ALIGNED
        return SlotArray(values.dtype.str, values.shape, start)


class SlicePage(NamedTuple):
    """A page of a slice as it was received, whose arrays lie in a slot.

    before: who was present, and which replicates ran, where its note does not say it.
    """

    note: PageNote
    layout: PageLayout
    lease: Array
    before: tuple[Array | None, Array | None]

    @property
    def present(self) -> Array:
        return self._standing(self.note.present, self.before[0])

    @property
    def running(self) -> Array:
        return self._standing(self.note.running, self.before[1])

    def _standing(self, sent: SlotArray | Array | None, before: Array | None) -> Array:
        if sent is not None:
            return array_of(sent, self.lease)
        assert before is not None
        return before

    def rows(self, place: int) -> Rows:
        """Return one of its arrays, whose rows may have stayed elsewhere."""
        sent = self.note.arrays[place]
        if isinstance(sent, SentRows):
            rows = None if sent.at is None else array_of(sent.at, self.lease)
            return HashedRows(np.dtype(sent.dtype), sent.shape, sent.digests, rows)
        return array_of(sent, self.lease)

    def whole(self) -> Page:
        """Return it as a page without a digest."""
        note, layout = self.note, self.layout
        arrays = [SplitArray([self.rows(place)]) for place in range(len(note.arrays))]
        placed = iter([arrays[place] for place in note.places])
        return Page(
            note.number,
            note.path,
            tuple(_step(line, placed) for line in layout.steps),
            b"",
            asides=tuple(_step(line, placed) for line in layout.asides),
            public=JoinedArrays({name: next(placed) for name in layout.public}),
            measures=JoinedArrays({name: next(placed) for name in layout.measures}),
            present=self.present,
            running=self.running,
            ledger=note.ledger,
            troubles=note.troubles,
        )


class PageReceiver:
    """Takes in the pages that a PageSender has written.

    known: layouts that were received, from any slice; equal ones become one object.
    """

    def __init__(self, known: dict[PageLayout, PageLayout]) -> None:
        self._known = known
        self._layouts: list[PageLayout] = []
        self._before: tuple[Array | None, Array | None] = None, None

    def receive(self, note: PageNote, lease: Array) -> SlicePage:
        """Return a page whose arrays lie in a slot, and hold its lease, (bytes,) of the slot."""
        if note.new is not None:
            self._layouts.append(self._known.setdefault(note.new, note.new))
        page = SlicePage(note, self._layouts[note.layout], lease, self._before)
        if note.present is not None or note.running is not None:
            # Copies, so that the slot need not be kept for them.
            self._before = page.present.copy(), page.running.copy()
        return page


def _step(line: NumberedLine, placed: Iterator[SplitArray]) -> Step:
    sort, kind, form, keys = line
    arrays: Mapping[ArrayKey, Array] = JoinedArrays({key: next(placed) for key in keys})
    return Step(sort, kind, form, arrays)


def array_of(placed: SlotArray | Array, lease: Array) -> Array:
    """Return an array that lies in a slot, or was sent."""
    values: Array = (
        np.ndarray(placed.shape, placed.dtype, lease, placed.start)
        if isinstance(placed, SlotArray)
        else placed
    )
    values.flags.writeable = False
    return values
