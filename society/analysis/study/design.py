"""A study as arrays by condition, and its conditions in panels that are compared.

A panel holds the conditions that share the levels of all factors but the two of the analysis: what
differs inside of it is what is compared. Everything is driven by what run files say of measures,
so that any scenario has tests and findings.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.bands import UNBOUNDED, Bounds
from society.analysis.statistics.samples import NotEstimable
from society.analysis.statistics.value_scale import ValueScale
from society.engine.rng import Array
from society.engine.scenario import mean_over
from society.errors import InputError, suggest
from society.experiments.analysis_plan import AnalysisPlan
from society.experiments.factors import Label, format_label
from society.terminal.labels import describe_ending

from .frames import CONDITION
from .study import Study

FITNESS, PHENOTYPE = "fitness", "phenotype"  # measures of societies that evolve
# Heads of units that say how a number was taken, and not in what.
_NO_UNITS = ("mean", "sum", "total", "share", "number", "count", "median", "ratio")
_LONGEST_UNIT = 12


def short_unit(unit: str) -> str:
    """Keep of a unit what can stand behind a number: "rounds", and nothing of "share of players".

    >>> short_unit("points, mean over players"), short_unit("mean, last generation")
    ('points', '')
    """
    head = unit.split(",")[0].strip()
    return head if len(head) <= _LONGEST_UNIT and head.isalpha() and head not in _NO_UNITS else ""


def is_share(unit: str) -> bool:
    """Tell whether a unit is that of shares, from 0 to 1."""
    return unit.partition(" ")[0].rstrip(",") == "share"


class ConditionGroup(NamedTuple):
    """Some conditions, by their places in the study, and what they have in common."""

    title: str
    places: Sequence[int]


class StudyDesign:
    """A study with its outcome, and the factors over which it is compared.

    outcome: a measure or finding, "" if runs have none. factors: one or two over which it is
    tested; by: the others.
    Factors with a single level compare nothing, and are no part; without any, conditions are
    the levels of one. Raises InputError for an outcome that the study does not have.
    """

    def __init__(self, study: Study) -> None:
        self.study, self.conditions = study, study.played
        self.units = {name: column.unit for name, column in study.run_columns.items()}
        self.folds = {
            note.name: note.fold for run in self.conditions for note in run.manifest.measures
        }
        self.levels = self._levels()
        self._notes = {note.name: note for run in self.conditions for note in run.manifest.measures}
        said = study.analysis or AnalysisPlan()
        self.outcome = self._outcome(said.outcome)
        self.factors = self._varied(said.factors or ()) or list(self.levels)[:2]
        others = [name for name in self.levels if name not in self.factors]
        self.by = others if said.by is None else self._varied(said.by)

    def _levels(self) -> dict[str, list[Label]]:
        """The levels of each factor that differs, in order; None where a condition lacks it."""
        several = {}
        for name, known in self.study.levels.items():
            here = [self.level(place, name) for place in range(len(self.conditions))]
            levels = [level for level in dict.fromkeys([*known, *here]) if level in here]
            if len(levels) > 1:
                several[name] = levels
        if several or len(self.conditions) == 1:
            return several
        return {CONDITION: [run.name for run in self.conditions]}

    def _outcome(self, said: str | None) -> str:
        if said is None:
            return next(iter(self.measured), "")
        if said not in self.measured:
            raise InputError(
                f"analysis.outcome: no run has measured {said!r}; {suggest(said, self.measured)}"
            )
        return said

    def _varied(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name in self.levels]

    @cached_property
    def measured(self) -> dict[str, str]:
        """Measures and findings with their units, in order; not what is said about a measure."""
        columns = list(self.study.run_columns)
        names = columns[columns.index("cause") + 1 :]
        flags = {f"{name}_censored" for name, fold in self.folds.items() if fold == "first"}
        flags |= {f"{name}_round" for name, fold in self.folds.items() if fold == "last"}
        return {name: self.units[name] for name in names if name not in flags}

    @cached_property
    def scale(self) -> ValueScale:
        """The scale of the outcome in all runs; that of a time is always linear."""
        if self.outcome in self.times:
            return ValueScale("linear")
        return ValueScale.of(np.concatenate(self.values(self.outcome)).astype(float))

    @property
    def times(self) -> list[str]:
        """Measures that wait for something: the first round in which it happened."""
        return [name for name, fold in self.folds.items() if fold == "first"]

    @property
    def single_run(self) -> bool:
        """True if there is a single run: nothing to be compared, and no spread."""
        return sum(self._replicates) == 1

    @property
    def of_matches(self) -> bool:
        """True if replicates are matches of other types, and so no sample of one society."""
        given = [run.manifest for run in self.conditions]
        return bool(given) and all(one.game is not None and len(one.types) > 1 for one in given)

    @property
    def paired(self) -> bool:
        """True if replicate r draws the same random numbers in all conditions."""
        return self.study.random_numbers == "common"

    def label(self, name: str) -> str:
        """Name a measure or finding in words, for sentences and titles: "survival time"."""
        return self.study.label(name)

    def heading(self, name: str) -> str:
        """Name a measure or finding with its unit, for headings: "Survival time (rounds)"."""
        label, unit = self.label(name), short_unit(self.measured.get(name, ""))
        return f"{label[:1].upper()}{label[1:]}{f' ({unit})' if unit else ''}"

    def level(self, place: int, factor: str) -> Label:
        """The level of a factor in a condition."""
        run = self.conditions[place]
        return run.name if factor == CONDITION else run.factors.get(factor)

    def values(self, name: str) -> list[Array]:
        """The values of each condition, one per replicate (R,), NaN where there is none."""
        return self._split(self.study.run_columns[name].values, self._replicates)

    def comparable_values(self, places: Sequence[int]) -> list[Array]:
        """Take the outcome of conditions to test them against each other, (R,) each.

        Logarithms of it, where they are its scale. Raises NotEstimable for one that is not
        finished, and where some may last longer than others: a difference may come from that alone.
        """
        horizons: dict[int, str] = {}
        for run in (self.conditions[place] for place in places):
            if run.status != "finished":
                raise NotEstimable(f"{run.name} is {run.status}; tests take finished conditions")
            horizons.setdefault(run.manifest.most, run.name)
        if len(horizons) > 1:
            said = ", ".join(f"{most} ({name})" for most, name in horizons.items())
            raise NotEstimable(f"horizons of {said} rounds; tests take conditions of the same one")
        values = self.values(self.outcome)
        return [self.scale.transform(values[place]) for place in places]

    def bounds(self, name: str) -> Bounds:
        """The least and the most that is possible for a measure; of a time, the last round."""
        if name in self.times:
            return 0, max(run.manifest.most for run in self.conditions)
        declared = self._notes[name].bounds if name in self._notes else UNBOUNDED
        if declared == UNBOUNDED and is_share(self.measured[name]):
            return 0, 1
        return declared

    def ended(self, name: str) -> float | None:
        """The value of a measure in rounds after a run has ended; None if it has none."""
        return self._notes[name].ended

    def running(self) -> list[Array]:
        """Whether each run of a condition had not ended before a round, (R, T)."""
        rounds = [run.rounds for run in self.conditions]
        sizes = [r * t for r, t in zip(self._replicates, rounds, strict=True)]
        flat = self._split(self.study.round_columns["running"].values, sizes)
        shapes = zip(self._replicates, rounds, strict=True)
        return [values.reshape(shape) for values, shape in zip(flat, shapes, strict=True)]

    def endings(self, place: int) -> list[str]:
        """The reason why each run of a condition ended, as a clause; "" if it did not, (R,)."""
        stage, causes = self.conditions[place].manifest.stage, self.causes()[place]
        return [describe_ending(stage, cause) if cause else "" for cause in causes]

    def causes(self) -> list[Array]:
        """The kind of what ended each run, (R,) for each condition; "" if nothing did."""
        return self._causes

    @cached_property
    def _causes(self) -> list[Array]:
        return self._split(self.study.run_columns["cause"].values, self._replicates)

    def censored(self, name: str) -> list[Array]:
        """Runs in which the event of a measure has not come, (R,) for each condition."""
        flags = self.study.run_columns[f"{name}_censored"].values
        return self._split(flags == 1, self._replicates)  # NaN: it was not waited for

    def earlier(self, name: str) -> int:
        """Count the runs in which the value of a measure is from before their last round."""
        columns = self.study.run_columns
        if f"{name}_round" not in columns:
            return 0
        return int((columns[f"{name}_round"].values < columns["rounds"].values).sum())

    def by_round(self, name: str) -> list[Array]:
        """The values of each condition, (R, T), NaN where it was not measured."""
        rounds = [run.rounds for run in self.conditions]
        sizes = [r * t for r, t in zip(self._replicates, rounds, strict=True)]
        flat = self._split(self.study.round_columns[name].values, sizes)
        shapes = zip(self._replicates, rounds, strict=True)
        return [values.reshape(shape) for values, shape in zip(flat, shapes, strict=True)]

    def generation_ends(self, place: int) -> Array:
        """Mark the rounds of a condition at whose end a generation was selected, (T,) of bool."""
        run = self.conditions[place]
        if FITNESS not in self.folds or run.manifest.stage.levels[0] != "generation":
            return np.zeros(run.rounds, bool)
        ends: Array = np.asarray((~np.isnan(self.by_round(FITNESS)[place])).any(0))
        return ends

    def by_generation(self, name: str, place: int) -> Array:
        """Average a measure over the rounds of each generation that is over, (R, G); NaN: none."""
        cuts = np.flatnonzero(self.generation_ends(place)) + 1
        eras = np.split(self.by_round(name)[place], cuts, axis=1)[:-1]
        if not eras:
            return np.full((self.conditions[place].manifest.replicates, 0), np.nan)
        return np.stack([mean_over(~np.isnan(era), era) for era in eras], axis=1)

    @cached_property
    def _replicates(self) -> list[int]:
        return [run.manifest.replicates for run in self.conditions]

    @staticmethod
    def _split(column: Array, sizes: Sequence[int]) -> list[Array]:
        return np.split(column, np.cumsum(sizes)[:-1])

    def pooled(self, name: str, panel: ConditionGroup, factor: str) -> dict[str, Array]:
        """Pool the values of a panel's runs by the level of one factor, in words."""
        values, found = self.values(name), dict[str, list[Array]]()
        for place in panel.places:
            found.setdefault(format_label(self.level(place, factor)), []).append(values[place])
        return {level: np.concatenate(parts) for level, parts in found.items()}

    def name(self, place: int, among: Sequence[str] = ()) -> str:
        """Name a condition by its levels of some factors: "fine = 2", "2, harsh"."""
        chosen = [name for name in among or self.levels if name != CONDITION]
        if not chosen:
            return self.conditions[place].name
        if len(chosen) == 1:
            return f"{chosen[0]} = {format_label(self.level(place, chosen[0]))}"
        return ", ".join(format_label(self.level(place, name)) for name in chosen)

    def level_names(self, place: int, factors: Sequence[str]) -> str:
        """Name a condition in a narrow column: "2", "2, harsh"."""
        return ", ".join(
            format_label(self.level(place, factor)) for factor in factors or self.levels
        )

    def panel_title(self, place: int, factors: Sequence[str]) -> str:
        """Name the levels that a panel shares: "fine = 2, lake = harsh"."""
        return ", ".join(self.name(place, [factor]) for factor in factors)

    @cached_property
    def panels(self) -> list[ConditionGroup]:
        """Conditions by the levels that they share of the factors that are not compared."""
        return self.group_by(self.by)

    def group_by(self, factors: Sequence[str]) -> list[ConditionGroup]:
        """Group conditions by their levels of some factors, in order."""
        found: dict[tuple[Label, ...], list[int]] = {}
        for place in range(len(self.conditions)):
            key = tuple(self.level(place, factor) for factor in factors)
            found.setdefault(key, []).append(place)
        return [
            ConditionGroup(self.panel_title(places[0], factors), places)
            for places in found.values()
        ]

    def numeric(self) -> list[str]:
        """Factors with three or more levels, all of them numbers."""
        return [
            name
            for name, levels in self.levels.items()
            if len(levels) > 2 and all(_is_number(level) for level in levels)
        ]


def _is_number(level: Label) -> bool:
    return isinstance(level, int | float) and not isinstance(level, bool)
