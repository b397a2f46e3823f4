"""What a study says, as arrays by condition, and how its conditions stand beside each other.

A panel holds the conditions that share the levels of all factors but the two of the analysis: what
differs inside of it is what is compared. Everything is driven by what run files say of measures,
so that any scenario has a report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.samples import NotEstimable
from society.analysis.study.frames import CONDITION
from society.analysis.study.study import Study
from society.draws import Array
from society.errors import InputError, nearest
from society.experiments.analysis_plan import AnalysisPlan
from society.experiments.factors import Label, format_label
from society.report.figures.scales import LINEAR, Scale
from society.report.figures.style import LOOKS
from society.report.tables import Column

_PANELS = 12  # on one figure
_EXTREMES = 3  # conditions at either end that stand out where there are too many


class Group(NamedTuple):
    """Some conditions, by their places in the study, and what they have in common."""

    title: str
    places: Sequence[int]


class Layout:
    """A study with its outcome, and the factors over which it is compared.

    outcome: a measure or finding. factors: one or two over which it is tested; by: the others.
    Factors with a single level compare nothing, and are no part; without any, conditions are
    the levels of one. Raises InputError for an outcome that the study does not have.
    """

    def __init__(self, study: Study) -> None:
        self.study, self.conditions = study, study.played
        self.units: Mapping[str, str] = study.runs.attrs["units"]
        self.folds = {
            note.name: note.fold for run in self.conditions for note in run.manifest.measures
        }
        self.levels = self._levels()
        said = study.analysis or AnalysisPlan()
        self.outcome = self._outcome(said.outcome)
        self.factors = self._varied(said.factors or ()) or list(self.levels)[:2]
        others = [name for name in self.levels if name not in self.factors]
        self.by = others if said.by is None else self._varied(said.by)

    def _levels(self) -> dict[str, list[Label]]:
        """Of each factor that tells conditions apart, in order; None where one lacks it."""
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
            return next(iter(self.measured))
        if said not in self.measured:
            raise InputError(
                f"analysis.outcome: no run has measured {said!r}; {nearest(said, self.measured)}"
            )
        return said

    def _varied(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name in self.levels]

    @cached_property
    def measured(self) -> dict[str, str]:
        """Measures and findings with their units, in order; no flags of censoring."""
        begin = list(self.study.runs.columns).index("cause") + 1
        names = list(self.study.runs.columns)[begin:]
        flags = {f"{name}_censored" for name, fold in self.folds.items() if fold == "first"}
        return {name: self.units[name] for name in names if name not in flags}

    @cached_property
    def scale(self) -> Scale:
        """Of the outcome, as all runs have it; a time is never one that multiplies."""
        if self.outcome in self.times:
            return LINEAR
        return Scale.of(np.concatenate(self.values(self.outcome)).astype(float))

    @property
    def times(self) -> list[str]:
        """Measures that wait for something: the first round in which it was so."""
        return [name for name, fold in self.folds.items() if fold == "first"]

    @property
    def alone(self) -> bool:
        """Whether there is a single run: nothing to be compared, and no spread."""
        return sum(self._replicates) == 1

    @property
    def paired(self) -> bool:
        """Whether replicate r of all conditions has the same luck."""
        return self.study.random_numbers == "common"

    def level(self, place: int, factor: str) -> Label:
        """The level of a factor that a condition has."""
        run = self.conditions[place]
        return run.name if factor == CONDITION else run.factors.get(factor)

    def values(self, name: str) -> list[Array]:
        """Of each condition, one per replicate (R,), NaN where there is none."""
        return self._split(self.study.runs[name].to_numpy(), self._replicates)

    def tested(self, places: Sequence[int]) -> list[Array]:
        """The outcome of conditions that are to be tested against each other, (R,) each.

        Logarithms of it, where they are its scale. Raises Unanswerable for one that is not
        finished, and where some may last longer than others: a difference may be that, and nothing
        else.
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
        return [self.scale.on(values[place]) for place in places]

    def censored(self, name: str) -> list[Array]:
        """Of a measure that waits for something: where it has not come, (R,)."""
        flags = self.study.runs[f"{name}_censored"].to_numpy(bool, na_value=False)
        return self._split(flags, self._replicates)

    def by_round(self, name: str) -> list[Array]:
        """Of each condition (R, T), NaN where it was not measured."""
        rounds = [run.rounds for run in self.conditions]
        sizes = [r * t for r, t in zip(self._replicates, rounds, strict=True)]
        flat = self._split(self.study.rounds[name].to_numpy(), sizes)
        return [
            values.reshape(shape)
            for values, shape in zip(flat, zip(self._replicates, rounds, strict=True), strict=True)
        ]

    @property
    def _replicates(self) -> list[int]:
        return [run.manifest.replicates for run in self.conditions]

    @staticmethod
    def _split(column: Array, sizes: Sequence[int]) -> list[Array]:
        return np.split(column, np.cumsum(sizes)[:-1])

    def pooled(self, name: str, panel: Group, factor: str) -> dict[str, Array]:
        """The values of a panel's runs by the level of one factor, in words."""
        values, found = self.values(name), dict[str, list[Array]]()
        for place in panel.places:
            found.setdefault(format_label(self.level(place, factor)), []).append(values[place])
        return {level: np.concatenate(parts) for level, parts in found.items()}

    def name(self, place: int, among: Sequence[str] = ()) -> str:
        """A condition by its levels of some factors: "fine = 2", "2, harsh"."""
        chosen = [name for name in among or self.levels if name != CONDITION]
        if not chosen:
            return self.conditions[place].name
        if len(chosen) == 1:
            return f"{chosen[0]} = {format_label(self.level(place, chosen[0]))}"
        return ", ".join(format_label(self.level(place, name)) for name in chosen)

    def levelled(self, place: int, factors: Sequence[str]) -> str:
        """The same in a narrow column: "2", "2, harsh"."""
        return ", ".join(
            format_label(self.level(place, factor)) for factor in factors or self.levels
        )

    def title(self, place: int, factors: Sequence[str]) -> str:
        """What conditions share, for a panel: "fine = 2, lake = harsh"."""
        return ", ".join(self.name(place, [factor]) for factor in factors)

    def columns(self, places: Iterable[int] | None = None) -> list[Column]:
        """The first columns of a table: levels of each factor, or names; of all conditions."""
        rows = range(len(self.conditions)) if places is None else list(places)
        return [
            Column(factor, [format_label(self.level(place, factor)) for place in rows])
            for factor in self.levels or [CONDITION]
        ]

    @cached_property
    def panels(self) -> list[Group]:
        """Conditions by the levels that they share of the factors that are not compared."""
        return self.grouped(self.by)

    def grouped(self, factors: Sequence[str]) -> list[Group]:
        """Conditions by their levels of some factors, in order."""
        found: dict[tuple[Label, ...], list[int]] = {}
        for place in range(len(self.conditions)):
            key = tuple(self.level(place, factor) for factor in factors)
            found.setdefault(key, []).append(place)
        return [Group(self.title(places[0], factors), places) for places in found.values()]

    def drawn(self) -> tuple[list[Group], list[str]]:
        """How conditions are spread over the panels of a figure, and the factors of its lines.

        No panels if no way of it is readable.
        """
        for lines in (self.factors, self.factors[1:], self.factors[:1]):
            groups = self.grouped([name for name in self.levels if name not in lines])
            most = max(len(group.places) for group in groups)
            if most <= len(LOOKS) and len(groups) <= _PANELS and (most > 1 or len(groups) == 1):
                return groups, list(lines)
        return [], []

    def extremes(self) -> list[int]:
        """The conditions with the lowest and the highest outcome, lowest first."""
        means = np.array([_mean(values) for values in self.values(self.outcome)])
        order = np.argsort(means, kind="stable")
        order = order[~np.isnan(means[order])]
        ends = [*order[:_EXTREMES].tolist(), *order[-_EXTREMES:].tolist()]
        return list(dict.fromkeys(ends))

    def numeric(self) -> list[str]:
        """Factors whose levels are numbers, three at least."""
        return [
            name
            for name, levels in self.levels.items()
            if len(levels) > 2 and all(_is_number(level) for level in levels)
        ]


def named(lines: Sequence[str]) -> str:
    """Says of which factors a legend gives levels, where it cannot."""
    return f" Names: levels of {', '.join(lines)}." if len(lines) > 1 else ""


def _is_number(level: Label) -> bool:
    return isinstance(level, int | float) and not isinstance(level, bool)


def _mean(values: Array) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else np.nan
