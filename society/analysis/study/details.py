"""Rows of the tables that need every line of a run: agents, events, and texts that changed.

Each page is a few blocks of rows; which columns there are, and which of them hold text, is known
when all are there (see LongForm).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from society.engine.fact_specs import UNSPECIFIED, FactSpec
from society.engine.rng import Array
from society.errors import InputError, short_path
from society.lineage import TELL_LIVES
from society.optional import require
from society.runs.agent_names import AgentNames
from society.runs.manifest import HOW_TO_RECORD
from society.runs.runfile import RunFile

from .events import PageReading, fact_of
from .frames import NAMED, RowBlock

if TYPE_CHECKING:
    from society.engine.history import Page

    from .condition import ConditionRun

_OF_ALL = -1  # in place of an agent, where something concerns a whole replicate

_PLACE = dict.fromkeys(("replicate", "round", "agent"), np.int32)
AGENTS = {**_PLACE, "name": np.object_, "cohort": np.int64, "present": np.bool_}
EVENTS = {**_PLACE, "who": np.object_, "step": np.int32}
EVENTS |= dict.fromkeys(("sort", "kind", "scope", "name"), str)
EVENTS |= {"value": np.float64, "text": np.object_}
QUOTES = {**_PLACE, "who": np.object_, "name": str, "text": np.object_}
UNITS = {
    "replicate": "id",
    "round": "number",
    "agent": "id",
    "name": "name",
    "who": "name",
    "cohort": "name",
    "present": "at the end of the round",
    "step": "order in the round",
    "value": "number",
    "text": "text",
}


def require_lines(run: RunFile) -> None:
    """Raise InputError if a run file has none of the lines of its rounds."""
    if run.manifest.level != "full":
        raise InputError(
            f"{short_path(run.path)} was recorded at level {run.manifest.level}, which does not "
            f"keep what agents did; {HOW_TO_RECORD}"
        )


def read_pages(run: RunFile) -> Iterator[PageReading]:
    """Read every page; raises InputError if the run file has none of their lines."""
    require_lines(run)
    before, owners = None, run.manifest.owners()
    for page in run.pages():
        yield PageReading(page, before, owners)
        before = page


def agent_rows(run: ConditionRun, cohorts: Sequence[str]) -> Iterator[RowBlock]:
    """Return one row for each agent that took part in a round; see Study.agents.

    cohorts: names by number, for the column `cohort`; -1 is nobody's.
    """
    numbers = [cohorts.index(cohort.name) for cohort in run.manifest.cohorts]
    by_seat = np.array([*numbers, _OF_ALL])[run.manifest.types]  # (P, N), which then repeat
    specs = run.manifest.specs
    with run.opened() as file:
        names = AgentNames.of_run(file)
        for reading in read_pages(file):
            part = reading.part
            names.meet(reading.page)
            replicate, agent = np.nonzero(part)
            known: dict[str, Array] = {}
            for name, (values, whom) in reading.known().items():
                values = _with_labels(specs, name, values)
                unknown: Any = None if values.dtype.kind == "O" else np.nan
                known[NAMED + name] = np.where(whom[part], values[part], unknown)
            yield {
                **_places(reading, part),
                "name": names.of_seats(replicate, agent),
                "cohort": by_seat[replicate % len(by_seat), agent],
                "present": reading.page.present[part],
                **known,
            }


def _with_labels(specs: Mapping[str, FactSpec], name: str, values: Array) -> Array:
    """Return labels in place of numbers, where they are declared; text stays as it is."""
    spec = specs.get(fact_of(name), UNSPECIFIED)
    return spec.labelled(values) if spec.labels and values.dtype.kind != "O" else values


def event_rows(run: ConditionRun) -> Iterator[RowBlock]:
    """Return one row for each value that was asked, answered or told; see Study.events."""
    specs = run.manifest.specs
    with run.opened() as file:
        names = AgentNames.of_run(file)
        for reading in read_pages(file):
            names.meet(reading.page)
            told = _lives_told(reading.page)
            for statement in reading.statements:
                if not statement.whom.any():
                    continue
                # Who left before newcomers came had the seat that one of them may have by now.
                made_room = statement.scope == "gone" and statement.place < told
                who = names.before() if made_room else names
                values, step = statement.values[statement.whom], statement.step
                text = values.dtype.kind == "O"
                shown = _with_labels(specs, statement.name, values)
                worded = shown.dtype.kind == "O"
                yield {
                    **_places(reading, statement.whom, common=statement.of_replicates),
                    "who": _named(who, statement.whom, common=statement.of_replicates),
                    "step": np.full(len(values), statement.place, np.int32),
                    "sort": step.sort,
                    "kind": step.kind,
                    "scope": statement.scope,
                    "name": statement.name,
                    "value": np.full(len(values), np.nan) if text else values.astype(float),
                    "text": _texts(shown) if worded else np.full(len(values), None, object),
                }


def _lives_told(page: Page) -> int:
    """Return the place of the step that tells whose lives these are; 0 if none does."""
    places = (
        place
        for place, step in enumerate(page.steps)
        if step.kind in TELL_LIVES and ("own", "life") in step.arrays
    )
    return next(places, 0)


def quote_rows(run: ConditionRun) -> Iterator[RowBlock]:
    """Return one row for each text that a scenario names, and common fact; see Study.quotes.

    A value that is held or in force counts where it changed; an answer, every time it is given.
    """
    stage, latest = run.manifest.stage, dict[str, Array]()
    with run.opened() as file:
        names = AgentNames.of_run(file)
        for reading in read_pages(file):
            known, common = reading.known(), reading.common()
            names.meet(reading.page)
            for name in stage.quotes:
                answers = reading.answers(name)
                for values, whom in answers:
                    yield from _quoted_rows(reading, names, name, values, whom)
                if name in known and not answers:
                    yield from _quoted_rows(reading, names, name, *known[name], latest=latest)
            for name in stage.notes:
                if name in common:
                    yield from _quoted_rows(
                        reading, names, name, *common[name], latest=latest, common=True
                    )


def _quoted_rows(
    reading: PageReading,
    names: AgentNames,
    name: str,
    values: Array,
    whom: Array,
    *,
    latest: dict[str, Array] | None = None,
    common: bool = False,
) -> Iterator[RowBlock]:
    """Return the rows of one value, (R, N); with `latest`, of those that it has changed for."""
    texts = _as_words(values)
    shown = whom & (texts != "")
    if latest is not None:
        before = latest.get(name, np.full(texts.shape, "", object))
        latest[name] = np.where(whom, texts, before)
        shown = shown & (texts != before)
    if shown.any():
        yield {
            **_places(reading, shown, common=common),
            "who": _named(names, shown, common=common),
            "name": name,
            "text": texts[shown],
        }


def _places(reading: PageReading, whom: Array, *, common: bool = False) -> dict[str, Array]:
    """Return replicate, round and agent of marked agents, (R, N), or of replicates, (R, 1)."""
    replicate, agent = np.nonzero(whom)
    return {
        "replicate": replicate.astype(np.int32),
        "round": np.full(len(agent), reading.page.number, np.int32),
        "agent": np.full(len(agent), _OF_ALL, np.int32) if common else agent.astype(np.int32),
    }


def _named(names: AgentNames, whom: Array, *, common: bool) -> Array:
    """Return the names of marked agents, (R, N); None for replicates, (R, 1)."""
    if common:
        return np.full(np.count_nonzero(whom), None, object)
    return names.of_seats(*np.nonzero(whom))


def nullable_seats(seats: Array) -> Any:
    """Return seats as whole numbers, missing where a row is about a whole replicate."""
    return require("pandas").arrays.IntegerArray(seats, seats == _OF_ALL)


def _texts(cells: Array) -> Array:
    """Return cells as text; None where there is nothing."""
    return np.array([None if cell is None else str(cell) for cell in cells.tolist()], object)


def _as_words(values: Array) -> Array:
    """Return text as it is and numbers in words, of the same shape; "" where there is nothing."""
    cells = values.reshape(-1).tolist()
    if values.dtype.kind == "O":
        shown = ["" if cell is None else str(cell) for cell in cells]
    else:
        shown = [f"{cell:g}" if cell == cell else "" for cell in cells]
    return np.array(shown, object).reshape(values.shape)
