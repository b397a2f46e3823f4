"""The parts of a study that need every line of its runs: agents, events, and texts that changed.

Each is gathered run by run and page by page, in pieces that hold one array each, and laid out at
the end: only then it is known which columns there are, and which of them hold text.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from society.engine.rng import Array
from society.errors import InputError, short_path
from society.optional import require
from society.runs.runfile import RunFile

from .events import PageReading
from .frames import (
    Columns,
    FrameColumn,
    LongForm,
    add_column,
    categories,
    categories_in_order,
    column_values,
    strings,
)

if TYPE_CHECKING:
    from .condition import ConditionRun

_KNOWN = "known "  # before names of what agents know, which may be called as other columns are
_OF_ALL = -1  # in place of an agent, where something concerns a whole replicate


def read_pages(run: RunFile) -> Iterator[PageReading]:
    """Read every page; raises InputError if the run file has none of their lines."""
    if run.manifest.level != "full":
        raise InputError(
            f"{short_path(run.path)} was recorded at level {run.manifest.level}, which does not "
            "keep what agents did; play it with --record full (record: full in an experiment)"
        )
    before, owners = None, run.manifest.owners()
    for page in run.pages():
        yield PageReading(page, before, owners)
        before = page


class LongTable(ABC):
    """Rows of some runs in long form; each says which replicate, round and agent it is about."""

    def __init__(self) -> None:
        self.form = LongForm()
        self.sizes: list[int] = []  # rows of each block

    def gather(self, run: ConditionRun) -> None:
        """Take everything that a run holds, as one part of the rows."""
        with run.opened() as file:
            for reading in read_pages(file):
                self.read(reading, run)
        self.form.close_part()

    @abstractmethod
    def read(self, reading: PageReading, run: ConditionRun) -> None:
        """Take what a page holds."""

    @abstractmethod
    def columns(self) -> Columns:
        """Return all columns, in order."""

    def take(
        self, number: int, whom: Array, values: Mapping[str, Array], common: bool = False
    ) -> None:
        """Append a row for each agent in a mask, (R, N), or (R, 1) of whole replicates.

        number: of the round. values: further columns.
        """
        replicate, agent = np.nonzero(whom)
        if common:
            agent = np.full_like(agent, _OF_ALL)
        rounds = np.full(len(agent), number, np.int32)
        seats = {"replicate": replicate.astype(np.int32), "agent": agent.astype(np.int32)}
        self.form.add({"round": rounds, **seats, **values})
        self.sizes.append(len(agent))

    def places(self) -> tuple[Columns, dict[str, Array]]:
        """Return replicate, round and agent of each row, and the other columns."""
        values = self.form.arrays()
        replicate, rounds, agent = (
            values.pop(name, np.empty(0, np.int32)) for name in ("replicate", "round", "agent")
        )
        columns = {
            "replicate": FrameColumn(replicate, "id"),
            "round": FrameColumn(rounds, "number"),
            "agent": FrameColumn(_agents(agent), "id"),
        }
        return columns, values


class Agents(LongTable):
    """Agents that took part in a round, with all that is one number or text about them."""

    def __init__(self) -> None:
        super().__init__()
        self.cohorts: list[str] = []

    def read(self, reading: PageReading, run: ConditionRun) -> None:
        part = reading.part
        replicate, agent = np.nonzero(part)
        numbers = self._cohort_numbers(run)
        cohort = numbers[replicate % len(numbers), agent]
        known = {}
        for name, (values, whom) in reading.known().items():
            unknown: Any = None if values.dtype.kind == "O" else np.nan
            known[_KNOWN + name] = np.where(whom[part], values[part], unknown)
        present = reading.page.present[part]
        columns = {"cohort": cohort, "present": present, **known}
        self.take(reading.page.number, part, columns)

    def _cohort_numbers(self, run: ConditionRun) -> Array:
        """Return the cohort of each seat in the first P replicates, (P, N); -1: nobody's.

        Later replicates repeat these.
        """
        for cohort in run.manifest.cohorts:
            if cohort.name not in self.cohorts:
                self.cohorts.append(cohort.name)
        numbers = [self.cohorts.index(cohort.name) for cohort in run.manifest.cohorts]
        return np.array([*numbers, -1])[run.manifest.types]

    def columns(self) -> Columns:
        """Return all columns, in order."""
        columns, values = self.places()
        cohort = categories(values.pop("cohort", np.empty(0, int)), self.cohorts)
        columns["cohort"] = FrameColumn(cohort, "name")
        present = values.pop("present", np.empty(0, bool))
        columns["present"] = FrameColumn(present, "at the end of the round")
        for name, each in values.items():
            add_column(columns, name.removeprefix(_KNOWN), column_values(each))
        return columns


class Events(LongTable):
    """Questions, answers and facts, each row one value."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[tuple[str, str, str, str]] = []  # sort, kind, scope, name

    def read(self, reading: PageReading, run: ConditionRun) -> None:
        for statement in reading.statements():
            if statement.whom.any():
                values = statement.values[statement.whom]
                columns = {
                    "step": np.full(len(values), statement.place, np.int32),
                    "value": _numbers(values),
                    "text": _texts(values),
                }
                self.take(reading.page.number, statement.whom, columns, statement.of_replicates)
                self._lines.append(
                    (statement.step.sort, statement.step.kind, statement.scope, statement.name)
                )

    def columns(self) -> Columns:
        """Return all columns, in order."""
        columns, values = self.places()
        columns["step"] = FrameColumn(
            values.get("step", np.empty(0, np.int32)), "order in the round"
        )
        for place, name in enumerate(("sort", "kind", "scope", "name")):
            columns[name] = FrameColumn(
                categories_in_order([line[place] for line in self._lines], self.sizes)
            )
        columns["value"] = FrameColumn(values.get("value", np.empty(0)), "number")
        columns["text"] = FrameColumn(strings(values.get("text", np.empty(0, object))), "text")
        return columns


class Quotes(LongTable):
    """The texts that a scenario names, and common facts worth a word.

    What is held or in force counts where it changed; what is answered, every time that it is.
    """

    def __init__(self) -> None:
        super().__init__()
        self._names: list[str] = []
        self._latest: dict[str, Array] = {}

    def read(self, reading: PageReading, run: ConditionRun) -> None:
        if reading.page.number == 0:
            self._latest = {}
        stage, known, common = run.manifest.stage, reading.known(), reading.common()
        for name in stage.quotes:
            answers = reading.answers(name)
            for values, whom in answers:
                self._add(reading, name, _as_words(values), whom)
            if name in known and not answers:
                self._note(reading, name, *known[name])
        for name in stage.notes:
            if name in common:
                self._note(reading, name, *common[name], common=True)

    def _note(
        self, reading: PageReading, name: str, values: Array, whom: Array, common: bool = False
    ) -> None:
        """Append the texts that have changed."""
        texts = _as_words(values)
        latest = self._latest.get(name, np.full(texts.shape, "", object))
        self._latest[name] = np.where(whom, texts, latest)
        self._add(reading, name, texts, whom & (texts != latest), common)

    def _add(
        self, reading: PageReading, name: str, texts: Array, whom: Array, common: bool = False
    ) -> None:
        shown = whom & (texts != "")
        if shown.any():
            self.take(reading.page.number, shown, {"text": texts[shown]}, common)
            self._names.append(name)

    def columns(self) -> Columns:
        """Return all columns, in order."""
        columns, values = self.places()
        columns["name"] = FrameColumn(categories_in_order(self._names, self.sizes))
        columns["text"] = FrameColumn(strings(values.get("text", np.empty(0, object))), "text")
        return columns


def _agents(seats: Array) -> Any:
    """Return seats as whole numbers, missing where a row is about a whole replicate."""
    return require("pandas").arrays.IntegerArray(seats, seats == _OF_ALL)


def _numbers(values: Array) -> Array:
    """Return values as floats; NaN for text."""
    if values.dtype.kind == "O":
        return np.full(len(values), np.nan)
    return values.astype(float)


def _texts(values: Array) -> Array:
    """Return values as text; None for numbers."""
    if values.dtype.kind != "O":
        return np.full(len(values), None, object)
    return np.array([None if value is None else str(value) for value in values], object)


def _as_words(values: Array) -> Array:
    """Return text as it is and numbers in words, of the same shape; "" where there is nothing."""
    cells = values.reshape(-1).tolist()
    if values.dtype.kind == "O":
        shown = ["" if cell is None else str(cell) for cell in cells]
    else:
        shown = [f"{cell:g}" if cell == cell else "" for cell in cells]
    return np.array(shown, object).reshape(values.shape)
