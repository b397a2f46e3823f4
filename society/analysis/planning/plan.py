"""Plans: which effects n runs of each condition find, and what they cost.

Simulated from a pilot: an effect is found if the experiment's own tests reject chance at ALPHA in
POWER of simulated experiments. Where replicates share random numbers, two conditions are compared
by the paired t test, and replicates are blocks of the analysis of variance; else by Welch's, and
runs are independent. A factor that the analysis leaves out is part of its error: its runs are
pooled.
Source: Cohen 1988, Statistical Power Analysis for the Behavioral Sciences (power, d, eta squared).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from society.analysis.statistics.power import (
    Simulation,
    detectable_difference,
    detectable_partial_eta_squared,
)
from society.analysis.statistics.samples import NotEstimable, pairs, sample
from society.analysis.study.frames import FrameColumn, data_frame, strings
from society.engine.rng import Array
from society.experiments.experiment import Condition, Experiment
from society.experiments.factors import Label
from society.notebook_pages import html_table
from society.terminal.labels import count_noun

from .caveats import PAPERS, list_caveats
from .pilot import Demand, Pilot, PilotRuns, find_pilot

SIZES = (3, 5, 10, 20, 30, 50, 100)  # runs of each condition
POWER, ALPHA = 0.8, 0.05
_SIMULATION = Simulation(power=POWER, alpha=ALPHA, experiments=2_000)

Smallest = tuple[float | None, ...]  # that is found, by size; None: not any, however large


class PlannedContrast(NamedTuple):
    """Two conditions, and the smallest difference of their means that is found.

    sd: pooled, for d; for d_z that of the differences between runs with the same random numbers.
    """

    first: str
    second: str
    sd: float
    differences: Smallest

    @property
    def d(self) -> Smallest:
        """The smallest differences in standard deviations."""
        return tuple(None if each is None else each / self.sd for each in self.differences)


class PlannedTerm(NamedTuple):
    """A factor or the interaction of two, and the smallest partial eta squared that is found.

    In all panels, where the analysis is made once for each level of other factors.
    """

    name: str
    partial_eta_squared: Smallest


@dataclass(frozen=True)
class PowerPlan:
    """The effects that n runs of each condition find, and what these runs take.

    sizes: the n, the experiment's own among them. notes: what to know before it is trusted.
    """

    experiment: Experiment
    sizes: tuple[int, ...]
    pilot: Pilot
    pairs: tuple[PlannedContrast, ...]
    terms: tuple[PlannedTerm, ...]
    notes: tuple[str, ...]

    @property
    def own(self) -> int:
        """The runs of each condition that the experiment asks for."""
        return self.experiment.conditions[0].setup.replicates

    @property
    def paired(self) -> bool:
        """True if conditions are compared run by run, since these share random numbers."""
        return self.experiment.random_numbers == "common"

    @property
    def differences(self) -> Smallest:
        """The median over all pairs of the smallest difference that is found, by size.

        None where no difference can be estimated.
        """
        return _medians([pair.differences for pair in self.pairs], len(self.sizes))

    @property
    def d(self) -> Smallest:
        """The median over all pairs in standard deviations, by size."""
        return _medians([pair.d for pair in self.pairs], len(self.sizes))

    @property
    def noisiest(self) -> PlannedContrast:
        """The pair whose runs differ most."""
        return max(self.pairs, key=lambda pair: pair.sd)

    def frame(self) -> Any:
        """One row for each number of runs and pair of conditions; needs the extra `lab`.

        n                   runs of each condition
        first, second       the conditions
        difference          the smallest difference of their means that is found, NaN for none
        d                   the same in standard deviations
        """
        rows = [
            (size, pair.first, pair.second, pair.differences[place], pair.d[place])
            for place, size in enumerate(self.sizes)
            for pair in self.pairs
        ]
        unit = self.pilot.unit
        return data_frame(
            {
                "n": FrameColumn(np.array([row[0] for row in rows], int), "runs"),
                "first": FrameColumn(strings([row[1] for row in rows]), "name"),
                "second": FrameColumn(strings([row[2] for row in rows]), "name"),
                "difference": FrameColumn(np.array([row[3] for row in rows], float), unit),
                "d": FrameColumn(np.array([row[4] for row in rows], float), "standard deviations"),
            }
        )

    @property
    def _caption(self) -> str:
        words = f"what is found with a power of {POWER:.0%} at p < {ALPHA}, median of all pairs"
        if not self.pairs:  # then the first note says why
            words = self.notes[0]
        return f"{self.experiment.name}: {words}"

    def __repr__(self) -> str:
        unit = f" {self.pilot.unit}" if self.pilot.unit else ""
        found = zip(self.sizes, self.differences, self.d, strict=True)
        lines = [
            f"  {count_noun(size, 'run')} of each condition: "
            + ("nothing" if difference is None else f"{_cell(difference)}{unit}, d = {_cell(d)}")
            for size, difference, d in found
        ]
        return "\n".join([self._caption, *lines])

    def _repr_html_(self) -> str:
        unit = f", {self.pilot.unit}" if self.pilot.unit else ""
        head = ("runs of each condition", f"smallest difference{unit}", "d", "calls", "dollars")
        found = zip(self.sizes, self.differences, self.d, self.demand, strict=True)
        rows = [
            (str(size), *map(_cell, (difference, d, demand.calls, demand.cost)))
            for size, difference, d, demand in found
        ]
        return html_table(self._caption, head, rows)

    @property
    def demand(self) -> tuple[Demand, ...]:
        """The demand of so many runs of each condition, all conditions together, by size."""
        return tuple(self.pilot.demand.times(size) for size in self.sizes)


def _cell(number: float | None) -> str:
    return "" if number is None else f"{number:,.4g}"


def make_plan(experiment: Experiment, folder: Path) -> PowerPlan:
    """Plan from runs in the folder, or from runs that are played now; raises InputError."""
    own = experiment.conditions[0].setup.replicates
    sizes, pilot = tuple(sorted({*SIZES, own})), find_pilot(experiment, folder)
    compared, unpaired = _pairs(experiment, pilot, sizes)
    terms, untested = _terms(experiment, pilot, sizes)
    papers = _beside_papers(terms, sizes, experiment.random_numbers == "common")
    notes = (*unpaired, *untested, *list_caveats(experiment, pilot), papers)
    return PowerPlan(experiment, sizes, pilot, compared, terms, notes)


def _beside_papers(terms: Sequence[PlannedTerm], sizes: Sequence[int], paired: bool) -> str:
    """Describe the number of runs in papers, and the smallest effect that 10 would find here."""
    at = sizes.index(10)
    effects = [term.partial_eta_squared[at] for term in terms]
    known = [effect for effect in effects if effect is not None]
    if not known:
        return PAPERS
    here = "here, where shared random numbers are no error," if paired else "here"
    return f"{PAPERS}; {here} 10 find {min(known):.2g} at the least"


def _pairs(
    experiment: Experiment, pilot: Pilot, sizes: Sequence[int]
) -> tuple[tuple[PlannedContrast, ...], list[str]]:
    """Compare all pairs of a panel; a sentence names those that cannot be compared."""
    contrasts, silent, paired = (
        list[PlannedContrast](),
        list[str](),
        experiment.random_numbers == "common",
    )
    for first, second in itertools.combinations(pilot.trials, 2):
        if _panel(experiment, first.condition) != _panel(experiment, second.condition):
            continue
        try:
            contrasts.append(_contrast(first, second, sizes, paired))
        except NotEstimable as error:
            silent.append(f"{first.condition.name} and {second.condition.name}: {error}")
    if not silent:
        return tuple(contrasts), []
    more = f" (and {count_noun(len(silent) - 1, 'other pair')})" if len(silent) > 1 else ""
    return tuple(contrasts), [f"no difference can be estimated for {silent[0]}{more}"]


def _panel(experiment: Experiment, condition: Condition) -> tuple[Label, ...]:
    """Return the levels that a condition shares with all that it is compared with."""
    return tuple(condition.factors[factor] for factor in experiment.analysis.by or ())


def _contrast(
    first: PilotRuns, second: PilotRuns, sizes: Sequence[int], paired: bool
) -> PlannedContrast:
    """Find the smallest difference between two conditions; raises NotEstimable."""
    first_values, second_values = first.values, second.values
    if paired:
        runs = min(
            len(first_values), len(second_values)
        )  # replicate r has the same random numbers in both
        first_values, second_values = first_values[:runs], second_values[:runs]
    detectable = detectable_difference(
        first_values, second_values, sizes, paired=paired, simulation=_SIMULATION
    )
    if paired:
        matched = pairs(first_values, second_values)
        variance = (matched.first - matched.second).var(ddof=1)
    else:
        variance = np.mean(
            [sample(values).values.var(ddof=1) for values in (first_values, second_values)]
        )
    names = (first.condition.name, second.condition.name)
    return PlannedContrast(*names, math.sqrt(variance), tuple(each.effect for each in detectable))


def _terms(
    experiment: Experiment, pilot: Pilot, sizes: Sequence[int]
) -> tuple[tuple[PlannedTerm, ...], list[str]]:
    """Plan the terms of the analysis of variance; a sentence says why there are none."""
    if not pilot.trials:
        return (), []
    named, blocked = _factors(experiment), experiment.random_numbers == "common"
    tested = [places for few in (1, 2) for places in itertools.combinations(range(len(named)), few)]
    try:
        grids = _grids(experiment, pilot)
        return tuple(
            PlannedTerm(
                " × ".join(named[place] for place in places),
                _everywhere(grids, sizes, places, blocked),
            )
            for places in tested
        ), []
    except NotEstimable as error:
        return (), [f"no partial eta squared can be estimated: {error}"]


def _factors(experiment: Experiment) -> list[str]:
    """List the factors that the analysis of variance compares."""
    return [name for name in experiment.analysis.factors or () if len(experiment.levels[name]) > 1]


def _grids(experiment: Experiment, pilot: Pilot) -> list[Array]:
    """Arrange the panels of the pilot as their analysis takes them: (R, P, *levels).

    P conditions differ by what the analysis leaves out, and are pooled. NaN is what was not played.
    """
    known = {trial.condition.name: trial.values for trial in pilot.trials}
    runs = max(map(len, known.values()))
    named = _factors(experiment)
    panels: dict[tuple[Label, ...], dict[tuple[Label, ...], list[Array]]] = {}
    for condition in experiment.conditions:
        values = known.get(condition.name, np.zeros(0))
        padded = np.pad(values, (0, runs - len(values)), constant_values=np.nan)
        cell = tuple(condition.factors[name] for name in named)
        cells = panels.setdefault(_panel(experiment, condition), {})
        cells.setdefault(cell, []).append(padded)
    levels = [experiment.levels[name] for name in named]
    order, shape = [*itertools.product(*levels)], (runs, -1, *map(len, levels))
    grids = [
        np.array([cells[cell] for cell in order]).T.reshape(shape) for cells in panels.values()
    ]
    return [grid for grid in grids if not np.isnan(grid).all()]


def _everywhere(
    grids: Sequence[Array], sizes: Sequence[int], places: Sequence[int], blocked: bool
) -> Smallest:
    """Return the smallest partial eta squared found in every panel; raises NotEstimable."""
    by_panel = [
        detectable_partial_eta_squared(
            grid, sizes, tested=places, blocked=blocked, simulation=_SIMULATION
        )
        for grid in grids
    ]
    by_size = zip(*([each.effect for each in effects] for effects in by_panel), strict=True)
    return tuple(map(_largest, by_size))


def _largest(effects: Sequence[float | None]) -> float | None:
    known = [effect for effect in effects if effect is not None]
    return max(known) if len(known) == len(effects) else None


def _medians(rows: Sequence[Smallest], sizes: int) -> Smallest:
    """Return medians by size; None, not found, counts as larger than all that are."""
    if not rows:
        return (None,) * sizes
    wide = np.array([[math.inf if each is None else each for each in row] for row in rows])
    return tuple(float(each) if math.isfinite(each) else None for each in np.median(wide, axis=0))
