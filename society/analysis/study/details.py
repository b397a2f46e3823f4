"""The parts of a study that need every line of its runs: agents, events, and texts that changed.

Each is gathered run by run and page by page, in pieces that hold one array each, and laid out at
the end: only then it is known which columns there are, and which of them hold text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from society.draws import Array
from society.errors import InputError, brief
from society.optional import needed
from society.runs.runfile import RunFile

from .events import Reading
from .frames import Column, Columns, add, categories, factorised, joined, words

if TYPE_CHECKING:
    from .condition import Studied

_OF_ALL = -1  # in place of an agent, where something concerns a whole replicate


def readings(run: RunFile) -> Iterator[Reading]:
    """Every page; raises InputError if the run file has none of their lines."""
    if run.manifest.level != "full":
        raise InputError(
            f"{brief(run.path)} was recorded at level {run.manifest.level}, which does not keep "
            "what agents did; play it with --record full (record: full in an experiment)"
        )
    before, owners = None, run.manifest.owners()
    for page in run.pages():
        yield Reading(page, before, owners)
        before = page


class _Rows(NamedTuple):
    """Which rows a piece of a table has: the round they belong to, and whom they are about."""

    round: int
    replicate: Array
    agent: Array

    @classmethod
    def among(cls, number: int, whom: Array, common: bool = False) -> _Rows:
        """Those in a mask, (R, N), or (R, 1) if it is about whole replicates."""
        replicate, agent = np.nonzero(whom)
        return cls(number, replicate, np.full_like(agent, _OF_ALL) if common else agent)


class Gathered(ABC):
    """Rows of some runs; each run is a block of rows, made of pieces."""

    def __init__(self) -> None:
        self.counts: list[int] = []  # rows of each run
        self.sizes: list[int] = []  # rows of each piece
        self.total = 0
        self._rows: list[_Rows] = []

    def gather(self, run: Studied) -> None:
        """Everything that a run has to tell."""
        before = self.total
        with run.opened() as file:
            for reading in readings(file):
                self.read(reading, run)
        self.counts.append(self.total - before)

    @abstractmethod
    def read(self, reading: Reading, run: Studied) -> None:
        """Take what a page has to tell."""

    @abstractmethod
    def columns(self) -> Columns:
        """All columns, in order."""

    def take(self, rows: _Rows) -> None:
        """The rows of one more piece."""
        self._rows.append(rows)
        self.sizes.append(len(rows.replicate))
        self.total += len(rows.replicate)

    def places(self) -> Columns:
        """Replicate, round and agent of each row."""
        rounds = np.array([rows.round for rows in self._rows], np.int32)
        return {
            "replicate": Column(joined([rows.replicate for rows in self._rows], np.int32), "id"),
            "round": Column(np.repeat(rounds, self.sizes), "number"),
            "agent": Column(_agents(joined([rows.agent for rows in self._rows], np.int32)), "id"),
        }


class Agents(Gathered):
    """Whoever took part in a round, with all that is one number or text about it."""

    def __init__(self) -> None:
        super().__init__()
        self.cohorts: list[str] = []
        self._cohort: list[Array] = []
        self._present: list[Array] = []
        self._values: dict[str, list[tuple[int, Array]]] = {}  # by name: first row, and values

    def read(self, reading: Reading, run: Studied) -> None:
        part = reading.part
        rows, first = _Rows.among(reading.page.number, part), self.total
        self.take(rows)
        numbers = self._cohort_numbers(run)
        self._cohort.append(numbers[rows.replicate % len(numbers), rows.agent])
        self._present.append(reading.page.present[part])
        for name, (values, whom) in reading.known().items():
            unknown: Any = None if values.dtype.kind == "O" else np.nan
            known = np.where(whom[part], values[part], unknown)
            self._values.setdefault(name, []).append((first, known))

    def _cohort_numbers(self, run: Studied) -> Array:
        """Of each seat of the first replicates, (P, N), after which they repeat; -1: nobody's."""
        for cohort in run.manifest.cohorts:
            if cohort.name not in self.cohorts:
                self.cohorts.append(cohort.name)
        numbers = [self.cohorts.index(cohort.name) for cohort in run.manifest.cohorts]
        return np.array([*numbers, -1])[run.manifest.types]

    def columns(self) -> Columns:
        """All columns, in order."""
        columns = self.places()
        cohort = categories(joined(self._cohort, int), self.cohorts)
        columns["cohort"] = Column(cohort, "name")
        columns["present"] = Column(joined(self._present, bool), "at the end of the round")
        for name, pieces in self._values.items():
            add(columns, name, self._filled(pieces))
        return columns

    def _filled(self, pieces: Sequence[tuple[int, Array]]) -> Any:
        """A column; one that holds text in some runs and numbers in others is of objects."""
        text = {values.dtype.kind == "O" for _, values in pieces}
        filled: Array = np.full(self.total, *((None, object) if True in text else (np.nan, float)))
        for start, values in pieces:
            filled[start : start + len(values)] = values
        return words(filled) if text == {True} else filled


class Events(Gathered):
    """Everything that was asked, answered and told, each row one value."""

    def __init__(self) -> None:
        super().__init__()
        self._steps: list[int] = []
        self._said: list[tuple[str, str, str, str]] = []  # sort, kind, scope, name
        self._values: list[Array] = []

    def read(self, reading: Reading, run: Studied) -> None:
        for said in reading.said():
            rows = _Rows.among(reading.page.number, said.whom, said.of_replicates)
            if len(rows.agent):
                step = said.step
                self.take(rows)
                self._steps.append(said.place)
                self._said.append((step.sort, step.kind, said.scope, said.name))
                self._values.append(said.values[said.whom])

    def columns(self) -> Columns:
        """All columns, in order."""
        columns = self.places()
        steps = np.repeat(np.array(self._steps, np.int32), self.sizes)
        columns["step"] = Column(steps, "order in the round")
        for place, name in enumerate(("sort", "kind", "scope", "name")):
            columns[name] = Column(factorised([said[place] for said in self._said], self.sizes))
        numbers = [_numbers(values) for values in self._values]
        texts = [_texts(values) for values in self._values]
        columns["value"] = Column(joined(numbers, float), "number")
        columns["text"] = Column(words(joined(texts, object)), "text")
        return columns


class Quotes(Gathered):
    """Texts that the stage names, and common facts worth a word.

    What is held or in force counts where it changed; what is answered, every time that it is.
    """

    def __init__(self) -> None:
        super().__init__()
        self._names: list[str] = []
        self._texts: list[Array] = []
        self._latest: dict[str, Array] = {}

    def read(self, reading: Reading, run: Studied) -> None:
        if reading.page.number == 0:
            self._latest = {}
        stage, known, common = run.manifest.stage, reading.known(), reading.common()
        for name in stage.quotes:
            answers = reading.answers(name)
            for values, whom in answers:
                self._add(reading, name, _shown(values), whom)
            if name in known and not answers:
                self._note(reading, name, *known[name])
        for name in stage.notes:
            if name in common:
                self._note(reading, name, *common[name], common=True)

    def _note(
        self, reading: Reading, name: str, values: Array, whom: Array, common: bool = False
    ) -> None:
        """What has changed."""
        texts = _shown(values)
        latest = self._latest.get(name, np.full(texts.shape, "", object))
        self._latest[name] = np.where(whom, texts, latest)
        self._add(reading, name, texts, whom & (texts != latest), common)

    def _add(
        self, reading: Reading, name: str, texts: Array, whom: Array, common: bool = False
    ) -> None:
        said = whom & (texts != "")
        if said.any():
            self.take(_Rows.among(reading.page.number, said, common))
            self._names.append(name)
            self._texts.append(texts[said])

    def columns(self) -> Columns:
        """All columns, in order."""
        return {
            **self.places(),
            "name": Column(factorised(self._names, self.sizes)),
            "text": Column(words(joined(self._texts, object)), "text"),
        }


def _agents(seats: Array) -> Any:
    """Whole numbers; missing where a row is about a whole replicate."""
    return needed("pandas").arrays.IntegerArray(seats, seats == _OF_ALL)


def _numbers(values: Array) -> Array:
    """As floats; NaN for text."""
    if values.dtype.kind == "O":
        return np.full(len(values), np.nan)
    return values.astype(float)


def _texts(values: Array) -> Array:
    """As text; None for numbers."""
    if values.dtype.kind != "O":
        return np.full(len(values), None, object)
    return np.array([None if value is None else str(value) for value in values], object)


def _shown(values: Array) -> Array:
    """Text as it is and numbers in words, of the same shape; "" where there is nothing."""
    cells = values.reshape(-1).tolist()
    if values.dtype.kind == "O":
        shown = ["" if cell is None else str(cell) for cell in cells]
    else:
        shown = [f"{cell:g}" if cell == cell else "" for cell in cells]
    return np.array(shown, object).reshape(values.shape)
