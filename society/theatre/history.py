"""A recorded history, to be looked at anywhere: rounds, series over rounds, and marks.

Series and marks of a replicate are gathered in one pass over its rounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from society.engine.graph import NOBODY
from society.engine.history import Page
from society.engine.rng import Array
from society.runs.reader import RunFile
from society.terminal.labels import describe_ending, spell_kind
from society.terminal.round_view import RoundView, last_common_fact

GONE, BORN, ENDED, BORDER = "gone", "born", "ended", "border"
_PAGES_KEPT = 64


class Mark(NamedTuple):
    """Something worth a mark on the time line: its round, its lane, and the seats (none: -1).

    lane: the verb of a link ("fined"), the name of a note that changed, or GONE, BORN, ENDED, or
    BORDER for the first round of an outer level. times: how often it happened in that round.
    """

    round: int
    lane: str
    words: str
    agent: int = -1
    times: int = 1


class Course(NamedTuple):
    """All rounds of one replicate: numbers over rounds, by name, and marks in order.

    common: facts and measures, (T + 1,). own: columns, (T + 1, N). NaN where nothing was told.
    """

    common: dict[str, Array]
    own: dict[str, Array]
    marks: tuple[Mark, ...]


class History:
    """The history in a run file that is open. Raises RunFileError where the file is damaged."""

    def __init__(self, run: RunFile) -> None:
        self.run, self.manifest = run, run.manifest
        self.paths = run.paths()
        self._page = lru_cache(_PAGES_KEPT)(self._read)
        self._courses: dict[int, Course] = {}

    @property
    def last(self) -> int:
        """The number of the last recorded round; 0 is what precedes the first."""
        return len(self.paths) - 1

    def _read(self, number: int) -> Page:
        return next(self.run.pages(number))

    def page(self, number: int) -> Page:
        """Return a round."""
        return self._page(number)

    def scene(self, number: int) -> RoundView:
        """Return a round as the display of its scenario reads it."""
        before = self.page(number - 1) if number else None
        return RoundView(self.page(number), before, self.manifest.stage)

    def course(self, replicate: int) -> Course:
        """Return series and marks of a replicate."""
        if replicate not in self._courses:
            self._courses[replicate] = self._gather(replicate)
        return self._courses[replicate]

    def _gather(self, replicate: int) -> Course:
        stage, rounds = self.manifest.stage, len(self.paths)
        notes = [*([stage.gauge[0]] if stage.gauge else []), *stage.notes, *stage.limits.values()]
        names = dict.fromkeys([*notes, *(measure.name for measure in self.manifest.measures)])
        common = {name: np.full(rounds, np.nan) for name in names}
        own = {name: np.full((rounds, self.manifest.agents), np.nan) for name in stage.columns}
        marks: list[Mark] = []
        before: Page | None = None
        for page in self.run.pages():
            scene, at = RoundView(page, before, stage), page.number
            for name in common:
                told = last_common_fact(page, name)
                told = page.measures.get(name) if told is None else told[:, 0]
                if told is not None and told.dtype.kind in "biuf":
                    common[name][at] = told[replicate]
            for name, values in own.items():
                column = scene.column(name)
                if column is not None and column.dtype.kind in "biuf":
                    values[at] = np.where(scene.present, column, np.nan)[replicate]
            marks += self._marks(scene, replicate)
            before = page
        return Course(common, own, tuple(marks))

    def _marks(self, scene: RoundView, replicate: int) -> Iterator[Mark]:
        """Yield the marks of one round."""
        at, stage = scene.page.number, self.manifest.stage
        path, before = scene.page.path, self.paths[at - 1] if at else ()
        if at > 1 and len(path) > 1 and path[:-1] != before[:-1]:
            yield Mark(at, BORDER, ".".join(map(str, path[:-1])))
        for verb, peers in scene.links():
            count = int((peers[replicate] != NOBODY).sum())
            if count:
                yield Mark(at, verb, f"{verb} {count} times", times=count)
        for note in stage.notes:
            stated = scene.stated(note)
            if stated is not None and stated[0][replicate, 0] != stated[1][replicate, 0]:
                yield Mark(at, note, str(stated[1][replicate, 0]))
        for kind, going in scene.gone:
            for seat in np.flatnonzero(going[replicate]):
                yield Mark(at, GONE, spell_kind(kind), int(seat))
        if scene.newborn is not None:
            for seat in np.flatnonzero(scene.newborn[replicate]):
                yield Mark(at, BORN, "born", int(seat))
        for kind, over in scene.ended:
            if over[replicate]:
                yield Mark(at, ENDED, describe_ending(stage, kind))
