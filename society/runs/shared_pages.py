"""Pages that go from a process to another through memory that both share.

A round of a thousand villages has some megabytes of arrays. They are copied once, into a slot of
memory that was mapped before the process was started; what goes through the pipe says where they
are. Whoever receives the page looks at them in the slot, which is free again when nobody holds an
array of it any more. Text, and what does not fit, goes through the pipe.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from society.engine.calls import ParseIssue, Usage
from society.engine.history import Page, Step
from society.engine.rng import Array

from .encoding import ArrayKey

_ALIGNED = 64  # bytes, a line of the cache

NumberedLine = tuple[Literal["ask", "tell", "inherit"], str, str, dict[ArrayKey, int]]
Placed = tuple[str, tuple[int, ...], int] | Array  # dtype, shape and offset in a slot


class PageNote(NamedTuple):
    """A page whose arrays are numbers: the places of different arrays in `arrays`."""

    number: int
    path: tuple[int, ...]
    steps: list[NumberedLine]
    asides: list[NumberedLine]
    public: dict[str, int]
    measures: dict[str, int]
    present: int
    running: int
    ledger: tuple[Usage, ...]
    troubles: tuple[ParseIssue, ...]
    arrays: list[Placed]


def write_page(page: Page, slot: mmap.mmap) -> PageNote:
    """Write the arrays of a page into a slot; return what is to be sent to its reader."""
    kept = _Kept(slot)
    return PageNote(
        page.number,
        page.path,
        [(step.sort, step.kind, step.form, kept.numbers(step.arrays)) for step in page.steps],
        [(step.sort, step.kind, step.form, kept.numbers(step.arrays)) for step in page.asides],
        kept.numbers(page.public),
        kept.numbers(page.measures),
        kept.number(page.present),
        kept.number(page.running),
        page.ledger,
        page.troubles,
        kept.arrays,
    )


class _Kept:
    """Arrays of one page, each once."""

    def __init__(self, slot: mmap.mmap) -> None:
        self.arrays: list[Placed] = []
        self._slot, self._end = slot, 0
        self._known: dict[int, int] = {}

    def numbers(self, arrays: Mapping[Any, Array]) -> dict[Any, int]:
        return {key: self.number(values) for key, values in arrays.items()}

    def number(self, values: Array) -> int:
        """Keep an array, which the page holds meanwhile; return its number."""
        found = self._known.setdefault(id(values), len(self.arrays))
        if found == len(self.arrays):
            self.arrays.append(self._placed(values))
        return found

    def _placed(self, values: Array) -> Placed:
        start, end = self._end, self._end + values.nbytes
        if values.dtype.kind == "O" or end > len(self._slot):
            return values
        np.ndarray(values.shape, values.dtype, self._slot, start)[...] = values
        self._end = -(-end // _ALIGNED) * _ALIGNED
        return values.dtype.str, values.shape, start


def read_page(note: PageNote, lease: Array) -> Page:
    """Return a page whose arrays lie in a slot, and hold its lease, (bytes,) of the whole slot."""
    arrays = [_array(placed, lease) for placed in note.arrays]
    return Page(
        note.number,
        note.path,
        _steps(note.steps, arrays),
        b"",
        {name: arrays[number] for name, number in note.public.items()},
        {name: arrays[number] for name, number in note.measures.items()},
        arrays[note.present],
        arrays[note.running],
        note.ledger,
        note.troubles,
        _steps(note.asides, arrays),
    )


def _steps(lines: Iterable[NumberedLine], arrays: list[Array]) -> tuple[Step, ...]:
    return tuple(
        Step(sort, kind, form, {key: arrays[number] for key, number in numbers.items()})
        for sort, kind, form, numbers in lines
    )


def _array(placed: Placed, lease: Array) -> Array:
    if isinstance(placed, np.ndarray):
        placed.flags.writeable = False
        return placed
    dtype, shape, start = placed
    values: Array = np.ndarray(shape, dtype, lease, start)
    values.flags.writeable = False
    return values
