"""The section of endings: how runs ended, and who left them, when and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from society.analysis.histories.explanation import NOTHING, explain
from society.analysis.study.condition import ConditionRun
from society.analysis.study.departures import read_departures
from society.errors import InputError
from society.report.layout import Layout
from society.report.page import Section, SectionPart
from society.report.tables import CellValue, Head, Table
from society.terminal.labels import RoundLabels, describe_ending, spell_kind

_MOST_RUNS = 12  # of which single ends and departures are listed
_CAME = "went on to its last round"
_CAUSES = (
    "Rounds: in which these runs ended. What ended a run is the first such event; others of the "
    "same round are not counted."
)


def endings_section(layout: Layout) -> Section:
    """Say how runs ended, and who had left them; nothing where rounds stand within rounds."""
    flat = all(len(run.manifest.stage.levels) == 1 for run in layout.conditions)
    ended = flat and any((causes != "").any() for causes in layout.causes())
    parts = list(_parts(layout, ended=ended)) if flat else []
    return Section("How runs ended", parts, "endings")


def _parts(layout: Layout, *, ended: bool) -> Iterator[SectionPart]:
    few = sum(map(len, layout.causes())) <= _MOST_RUNS
    if ended and layout.single_run:
        yield from _explained(layout.conditions[0], str(layout.causes()[0][0]))
    elif ended:
        yield _each(layout) if few else _causes(layout)
    if few and layout.study.detailed:
        yield from _departures(layout)


def _explained(run: ConditionRun, cause: str) -> Iterator[SectionPart]:
    """Say how the only run ended, and what its scenario tells of it."""
    ending = describe_ending(run.manifest.stage, cause)
    counted = RoundLabels(run.manifest).counted
    yield f"The run ended in {counted} {run.rounds}: {ending}."
    with run.opened() as file:
        try:
            told = explain(file).statements
        except InputError:  # a record that the post-mortem cannot read
            return
    words = [one.words for one in told if one.name != NOTHING]
    if words:
        yield Section("What the record tells of it", words)


def _each(layout: Layout) -> Table:
    rows = []
    columns = zip(layout.conditions, layout.values("rounds"), layout.causes(), strict=True)
    for run, lived, causes in columns:
        for replicate, (rounds, cause) in enumerate(zip(lived, causes, strict=True)):
            rows.append((run.name, str(replicate), int(rounds), _ending(run, str(cause))))
    head: Head = [("text", "condition", "run"), ("count", "rounds"), ("text", "how it ended")]
    return Table.of("endings", "How each run ended", head, rows)


def _causes(layout: Layout) -> Table:
    """Count causes by condition, the most frequent first."""
    rows = list[tuple[CellValue, ...]]()
    places = list[int]()
    lived = layout.values("rounds")
    for place, (run, causes) in enumerate(zip(layout.conditions, layout.causes(), strict=True)):
        counts = Counter(map(str, causes))
        for cause, count in sorted(counts.items(), key=lambda one: (-one[1], one[0])):
            rounds = lived[place][causes == cause].astype(float)
            ends = (float(np.median(rounds)), rounds.min(), rounds.max())
            rows.append((_ending(run, cause), count, count / len(causes), *ends))
            places.append(place)
    head: Head = [
        ("text", "how runs ended"),
        ("count", "runs"),
        ("share", "share"),
        ("figure", "median round"),
        ("count", "first", "last"),
    ]
    first = layout.factor_columns(places)
    return Table.of("endings", "How runs ended", head, rows, _CAUSES, first=first)


def _ending(run: ConditionRun, cause: str) -> str:
    return describe_ending(run.manifest.stage, cause) if cause else _CAME


def _departures(layout: Layout) -> Iterator[Table]:
    """List who left for good."""
    rows = [
        (run.name, str(one.replicate), one.round, one.who, spell_kind(one.kind))
        for run in layout.conditions
        for one in read_departures(run)
    ]
    if not rows:
        return
    noun = layout.conditions[0].manifest.stage.noun
    head: Head = [
        ("text", "condition", "run"),
        ("count", "round"),
        ("text", noun, "why"),
    ]
    agents = sum(run.manifest.agents * run.manifest.replicates for run in layout.conditions)
    note = f"{len(rows)} of {agents}; those who came back by the end are not listed."
    yield Table.of("departures", "Who left, when and why", head, rows, note, whole=len(rows) < 200)
