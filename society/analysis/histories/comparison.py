"""Two runs held against each other: what went into them, where they part, and what came of them.

The measures of replicates that share their random numbers are paired: those of the same number, of
runs with the same scenario, seed and number of agents, since a draw belongs to a seat (see
society.analysis.DESIGN, 1). All others are compared as independent runs (Welch).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Literal, NamedTuple

import numpy as np

from society.analysis.statistics import Interval, NotEstimable, paired, welch
from society.analysis.study.frames import FrameColumn, data_frame, strings
from society.engine.game_master import Outcome
from society.engine.rng import Array
from society.errors import InputError
from society.notebook_pages import html_table
from society.runs.runfile import Manifest, RunFile
from society.terminal.labels import count_noun

from .first_difference import FirstDifference, first_difference

_MISSING = "-"


class InputDifference(NamedTuple):
    """An entry of the manifest that differs, such as "parameters.fine"; "-": it is not there."""

    name: str
    first: Any
    second: Any


class MeasureDifference(NamedTuple):
    """A measure in both runs, means over replicates, and the mean of the second less the first.

    pairing: "paired" of replicates with the same random numbers, else "independent". n: replicates
    with a value, in each run (pairs, if paired). interval: of the difference; None where there can
    be none, for the reason in `note`. censored: replicates for which a first time had not come.
    """

    name: str
    unit: str
    means: tuple[float | None, float | None]
    difference: float | None
    interval: Interval | None
    pairing: Literal["paired", "independent"]
    n: tuple[int, int]
    censored: tuple[int, int]
    note: str = ""


class RunSide(NamedTuple):
    """One of two runs: its name in words, what it played, and how it stands."""

    name: str
    scenario: str
    agents: int
    replicates: int
    seed: int
    rounds: int
    status: str
    digest: str
    ends: Mapping[str, int]


@dataclass(frozen=True)
class RunComparison:
    """Two runs held against each other.

    relation: how they belong together, a sentence; "" if in no special way. difference: the first
    line that differs; None if there is none, or if none can be told, for the reason in `apart`.
    """

    sides: tuple[RunSide, RunSide]
    inputs: tuple[InputDifference, ...]
    relation: str
    difference: FirstDifference | None
    apart: str
    measures: tuple[MeasureDifference, ...]

    @property
    def equal(self) -> bool:
        """Whether both histories are the same, to their ends."""
        return self.sides[0].digest == self.sides[1].digest

    @property
    def apart_words(self) -> str:
        """A sentence on where the two histories begin to differ."""
        one, other = self.sides
        if self.difference is not None:
            return self.difference.words
        if self.apart:
            return self.apart
        if one.rounds != other.rounds:
            shorter, longer = sorted(self.sides, key=lambda side: side.rounds)
            return (
                f"They are the same as far as {shorter.name} goes, to round {shorter.rounds}; "
                f"{longer.name} has {count_noun(longer.rounds - shorter.rounds, 'round')} more"
            )
        if self.equal:
            return f"They are the same, line by line, to round {one.rounds}"
        return "They are the same in the replicates that both have"

    def frame(self) -> Any:
        """One row for each measure: both means and their difference; needs the extra `lab`.

        measure, unit       its name, and the unit of the numbers
        first, second       means over replicates
        difference          second less first, with `low` and `high`, its 95 % interval
        pairing             "paired" of replicates with the same random numbers, or "independent"
        """
        ends = [one.interval[:2] if one.interval else (None, None) for one in self.measures]
        words: Mapping[str, list[str]] = {
            "measure": [one.name for one in self.measures],
            "unit": [one.unit for one in self.measures],
            "pairing": [one.pairing for one in self.measures],
            "note": [one.note for one in self.measures],
        }
        numbers = {
            "first": [one.means[0] for one in self.measures],
            "second": [one.means[1] for one in self.measures],
            "difference": [one.difference for one in self.measures],
            "low": [low for low, _ in ends],
            "high": [high for _, high in ends],
        }
        return data_frame(
            {name: FrameColumn(strings(cells), "words") for name, cells in words.items()}
            | {
                name: FrameColumn(np.array(cells, float), "see unit")
                for name, cells in numbers.items()
            }
        )

    def __str__(self) -> str:
        """Say in which round two runs part, then the means of each measure and their difference."""
        first, second = self._names()
        lines = [f"{first} and {second}: {self._caption()}"]
        for one in self.measures:
            means = " and ".join(_figure(mean) or "nothing" for mean in one.means)
            between = "" if one.interval is None else "{:.4g} to {:.4g}".format(*one.interval[:2])
            apart = "" if one.difference is None else f", difference {one.difference:+.4g}"
            lines.append(
                f"  {one.name:24} {means} {one.unit}{apart}" + (between and f" ({between})")
            )
        return "\n".join(lines)

    def _names(self) -> tuple[str, str]:
        # A notebook is sent to others: it names no folder of one machine.
        first, second = (PurePath(side.name).name for side in self.sides)
        return ("first", "second") if first == second else (first, second)

    def _caption(self) -> str:
        return ". ".join(filter(None, [self.relation.rstrip("."), self.apart_words]))

    def _repr_html_(self) -> str:
        first, second = self._names()
        rows = [
            (
                one.name,
                *(_figure(mean) for mean in one.means),
                _figure(one.difference),
                "" if one.interval is None else " to ".join(map(_figure, one.interval[:2])),
                one.unit,
            )
            for one in self.measures
        ]
        head = ("measure", first, second, "difference", "95 %", "unit")
        return html_table(self._caption(), head, rows)


def _figure(number: float | None) -> str:
    return "" if number is None else f"{number:.4g}"


def compare(first: RunFile, second: RunFile) -> RunComparison:
    """Hold two runs against each other; raises RunFileError where one is damaged."""
    outcomes = first.outcome(), second.outcome()
    sides = (
        _side(first, _name(first, second), outcomes[0]),
        _side(second, _name(second, first), outcomes[1]),
    )
    difference, apart = None, ""
    try:
        names = sides[0].name, sides[1].name
        difference = first_difference(first, second, names=names)
    except InputError as reason:
        apart = str(reason)
    return RunComparison(
        sides,
        tuple(_inputs(first.manifest, second.manifest)),
        _relation((first, second), sides),
        difference,
        apart,
        tuple(_measures((first, second), outcomes)),
    )


def _name(run: RunFile, other: RunFile) -> str:
    """Name a run by its file, with the folder where both files have the same name."""
    return str(run.path) if run.path.name == other.path.name else run.path.name


def _side(run: RunFile, name: str, outcome: Outcome) -> RunSide:
    given = run.manifest
    return RunSide(
        name,
        given.scenario,
        given.agents,
        given.replicates,
        given.seed,
        outcome.rounds,
        run.status,
        outcome.digest,
        {cause: count for cause, count in outcome.ends.items() if cause},
    )


def _relation(runs: tuple[RunFile, RunFile], sides: tuple[RunSide, RunSide]) -> str:
    """Say how two runs belong together by forks, if they do: as parent and child, or as siblings.

    A note of a fork names the digest of the rounds that were kept, by which a parent is known.
    """
    for child, parent in ((1, 0), (0, 1)):
        for note in reversed(runs[child].manifest.forks):
            if _digest_after(runs[parent], note.after) == note.digest:
                said = note.changes_words
                return (
                    f"{sides[child].name} is a fork of {sides[parent].name} after round "
                    f"{note.after}: {said}"
                )
    one, other = ([(note.digest, note) for note in run.manifest.forks] for run in runs)
    for digest, note in one:
        if digest in dict(other):
            return f"Both are forks of {note.parent} after round {note.after}"
    return ""


def _digest_after(run: RunFile, number: int) -> str:
    """Return the digest of all rounds up to one; "" if the run has not come so far."""
    record = next(run.records(number, lines=False), None)
    return "" if record is None else record.chain


def _inputs(first: Manifest, second: Manifest) -> Iterator[InputDifference]:
    """Yield what differs in the inputs: what was chosen first, then files and versions."""
    one, other = dict(_flat(_chosen(first))), dict(_flat(_chosen(second)))
    for name in dict.fromkeys([*one, *other]):
        values = one.get(name, _MISSING), other.get(name, _MISSING)
        if values[0] != values[1]:
            yield InputDifference(name, *values)


def _chosen(given: Manifest) -> dict[str, Any]:
    """Return the inputs of a run, in the order in which they are shown."""
    spec = {
        name: value
        for name, value in given.spec.items()
        if name not in ("scenario", "seed", "parameters", "agents", "replicates", "rounds")
    }
    return {
        "scenario": given.scenario,
        "seed": given.seed,
        "agents": given.agents,
        "replicates": given.replicates,
        "rounds": given.horizon,
        "parameters": given.params,
        **spec,
        "record": given.level,
        "files": given.files,
        "words": given.prompts,
        "tables": given.table_hashes,
        "strategies": {path: folder.model_dump() for path, folder in given.programs.items()},
        "versions": given.versions,
    }


def _flat(value: Any, *path: str) -> Iterator[tuple[str, Any]]:
    """Yield the entries of nested values, by dotted name; lists of named things by their names."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from _flat(inner, *path, str(name))
    elif isinstance(value, list | tuple) and value:
        for number, inner in enumerate(value):
            yield from _flat(inner, *path, _entry_name(inner, number))
    elif value not in (None, {}, [], ()):
        yield ".".join(path), value


def _entry_name(entry: Any, number: int) -> str:
    named = entry.get("name") if isinstance(entry, Mapping) else None
    return named if isinstance(named, str) else str(number)


class _Values(NamedTuple):
    """A measure of a run: its unit, a value per replicate, (R,), and which are censored, (R,)."""

    unit: str
    values: Array
    censored: Array


def _values(run: RunFile, outcome: Outcome) -> dict[str, _Values]:
    """Return measures and recorded findings, by name."""
    none = np.zeros(run.manifest.replicates, bool)
    found = {
        name: _Values(outcome.measures[name].unit, values, outcome.censored.get(name, none))
        for name, values in outcome.values.items()
    }
    return found | {one.name: _Values(one.unit, one.values, none) for one in run.findings() or ()}


def _measures(
    runs: tuple[RunFile, RunFile], outcomes: tuple[Outcome, Outcome]
) -> Iterator[MeasureDifference]:
    """Yield the difference of every measure that both runs have."""
    one, other = map(_values, runs, outcomes)
    first, second = (run.manifest for run in runs)
    same = ("scenario", "seed", "agents")
    alike = all(getattr(first, name) == getattr(second, name) for name in same)
    for name in (name for name in one if name in other):
        yield _measure(name, one[name], other[name], paired_up=alike)


def _measure(name: str, one: _Values, other: _Values, *, paired_up: bool) -> MeasureDifference:
    values = one.values, other.values
    if paired_up:  # replicates that only one run has are left out
        shared = min(len(row) for row in values)
        both = ~np.isnan(values[0][:shared]) & ~np.isnan(values[1][:shared])
        kept = tuple(np.flatnonzero(both) for _ in values)
    else:
        kept = tuple(np.flatnonzero(~np.isnan(row)) for row in values)
    taken = tuple(row[where] for row, where in zip(values, kept, strict=True))
    censored = tuple(
        int(side.censored[where].sum()) for side, where in zip((one, other), kept, strict=True)
    )
    means = tuple(float(row.mean()) if len(row) else None for row in taken)
    difference, interval, note = None, None, "it was not measured in both"
    if means[0] is not None and means[1] is not None:
        difference = means[1] - means[0]
        interval, note = _interval(*taken, paired_up=paired_up)
    return MeasureDifference(
        name,
        one.unit,
        (means[0], means[1]),
        difference,
        interval,
        "paired" if paired_up else "independent",
        (len(taken[0]), len(taken[1])),
        (censored[0], censored[1]),
        note,
    )


def _interval(one: Array, other: Array, *, paired_up: bool) -> tuple[Interval | None, str]:
    """Return the interval of a difference, or None and the reason."""
    if min(len(one), len(other)) < 2:
        return None, "one replicate has no interval; play more with --replicates"
    try:
        return (paired if paired_up else welch)(other, one).interval, ""
    except NotEstimable as reason:
        return None, str(reason)
