"""How many runs? Which effects n runs of each condition find, and what they take.

Simulated from a pilot: an effect is found if the experiment's own tests reject
chance at ALPHA in POWER of simulated experiments. Two conditions are compared by the paired t test
where replicates share their luck, else by Welch's; factors by the analysis of variance.
Source: Cohen 1988, Statistical Power Analysis for the Behavioral Sciences (power, d, eta squared).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from society.draws import Array
from society.lab.experiment import Experiment
from society.lab.naming import Label
from society.lab.statistics.power import Simulation, detectable_difference, detectable_eta_squared
from society.lab.statistics.samples import Unanswerable, pairs, sample

from .caveats import PAPERS, caveats
from .pilot import Pilot, Use, pilot

SIZES = (3, 5, 10, 20, 30, 50, 100)  # runs of each condition
POWER, ALPHA = 0.8, 0.05
_SIMULATION = Simulation(power=POWER, alpha=ALPHA, experiments=2_000)

Values = Mapping[str, Array]  # of the outcome, by condition
Smallest = tuple[float | None, ...]  # that is found, by size; None: not any, however large


class Pair(NamedTuple):
    """Two conditions, and the smallest difference of their means that is found.

    sd: pooled, for d; for d_z that of the differences between runs with the same luck.
    """

    first: str
    second: str
    sd: float
    differences: Smallest

    @property
    def d(self) -> Smallest:
        """In standard deviations."""
        return tuple(None if each is None else each / self.sd for each in self.differences)


class Term(NamedTuple):
    """A factor or the interaction of two, and the smallest eta squared that is found.

    In all panels, where the analysis is made once for each level of other factors.
    """

    name: str
    eta_squared: Smallest


@dataclass(frozen=True)
class Plan:
    """What n runs of each condition find, and what they take.

    sizes: the n, the experiment's own among them. notes: what to know before it is trusted.
    """

    experiment: Experiment
    sizes: tuple[int, ...]
    pilot: Pilot
    pairs: tuple[Pair, ...]
    terms: tuple[Term, ...]
    notes: tuple[str, ...]

    @property
    def own(self) -> int:
        """Runs of each condition, as the experiment says."""
        return self.experiment.conditions[0].setup.replicates

    @property
    def paired(self) -> bool:
        """Whether conditions are compared run by run, since these share their luck."""
        return self.experiment.random_numbers == "common"

    @property
    def differences(self) -> Smallest:
        """Of all pairs, the median."""
        return _medians(pair.differences for pair in self.pairs)

    @property
    def d(self) -> Smallest:
        """The median in standard deviations."""
        return _medians(pair.d for pair in self.pairs)

    @property
    def noisiest(self) -> Pair:
        """The pair whose runs differ most."""
        return max(self.pairs, key=lambda pair: pair.sd)

    @property
    def use(self) -> tuple[Use, ...]:
        """What so many runs of each condition take, all conditions together."""
        return tuple(self.pilot.use.times(size) for size in self.sizes)


def planned(experiment: Experiment, folder: Path) -> Plan:
    """From runs in the folder, or from runs that are played now; raises InputError."""
    own = experiment.conditions[0].setup.replicates
    sizes, found = tuple(sorted({*SIZES, own})), pilot(experiment, folder)
    panels = _panels(experiment, found)
    compared, unpaired = _pairs(panels, sizes, experiment.random_numbers == "common")
    terms, untested = _terms(experiment, panels, sizes)
    notes = (*unpaired, *untested, *caveats(experiment, found), _beside_papers(terms, sizes))
    return Plan(experiment, sizes, found, compared, terms, notes)


def _beside_papers(terms: Sequence[Term], sizes: Sequence[int]) -> str:
    """What others rest on, and what as many runs as the most of theirs would find here."""
    at = sizes.index(10)
    found = [term.eta_squared[at] for term in terms]
    known = [eta_squared for eta_squared in found if eta_squared is not None]
    return f"{PAPERS}; here 10 find {min(known):.2g} at the least" if known else PAPERS


def _panels(experiment: Experiment, found: Pilot) -> list[Values]:
    """The pilot by what is compared: conditions that share the levels of all other factors."""
    panels: dict[tuple[Label, ...], dict[str, Array]] = {}
    for trial in found.trials:
        condition = trial.condition
        key = tuple(condition.factors[factor] for factor in experiment.analysis.by or ())
        panels.setdefault(key, {})[condition.name] = trial.values
    return list(panels.values())


def _pairs(
    panels: Sequence[Values], sizes: Sequence[int], paired: bool
) -> tuple[tuple[Pair, ...], list[str]]:
    """All pairs of a panel, and a sentence about those of which nothing can be told."""
    told, silent = list[Pair](), list[str]()
    for panel in panels:
        for first, second in itertools.combinations(panel, 2):
            two = {name: panel[name] for name in (first, second)}
            try:
                told.append(_pair(_side_by_side(two) if paired else two, sizes, paired))
            except Unanswerable as error:
                silent.append(f"{first} and {second}: {error}")
    if not silent:
        return tuple(told), []
    more = f" (and {len(silent) - 1} other pairs)" if len(silent) > 1 else ""
    return tuple(told), [f"no difference can be told for {silent[0]}{more}"]


def _side_by_side(two: Values) -> Values:
    """As many runs of each: replicate r has the same luck, however many there are."""
    runs = min(map(len, two.values()))
    return {name: values[:runs] for name, values in two.items()}


def _pair(two: Values, sizes: Sequence[int], paired: bool) -> Pair:
    """Raises Unanswerable."""
    (first, one), (second, other) = two.items()
    found = detectable_difference(two, sizes, paired=paired, simulation=_SIMULATION)
    if paired:
        matched = pairs(one, other)
        variance = (matched.first - matched.second).var(ddof=1)
    else:
        variance = np.mean([sample(values).values.var(ddof=1) for values in (one, other)])
    sd = math.sqrt(variance)
    return Pair(first, second, sd, tuple(each.effect for each in found.effects))


def _terms(
    experiment: Experiment, panels: Sequence[Values], sizes: Sequence[int]
) -> tuple[tuple[Term, ...], list[str]]:
    """Of the analysis of variance, and a sentence if nothing can be told of them."""
    if not panels:
        return (), []
    try:
        return tuple(
            Term(name, _everywhere(panels, sizes, shape)) for name, shape in _shapes(experiment)
        ), []
    except Unanswerable as error:
        return (), [f"no eta squared can be told: {error}"]


class _Shape(NamedTuple):
    levels: int
    crossed_with: int = 1
    interaction: bool = False


def _shapes(experiment: Experiment) -> Iterator[tuple[str, _Shape]]:
    """Each main effect, and the interaction of two factors."""
    counts = {name: len(labels) for name, labels in experiment.levels.items() if len(labels) > 1}
    match [(name, counts[name]) for name in experiment.analysis.factors or () if name in counts]:
        case [(one, levels)]:
            yield one, _Shape(levels)
        case [(one, levels), (other, crossed)]:
            yield one, _Shape(levels, crossed)
            yield other, _Shape(crossed, levels)
            yield f"{one} × {other}", _Shape(levels, crossed, interaction=True)


def _everywhere(panels: Sequence[Values], sizes: Sequence[int], shape: _Shape) -> Smallest:
    """The smallest eta squared that is found in every panel; raises Unanswerable."""
    found = [
        detectable_eta_squared(
            panel,
            sizes,
            levels=shape.levels,
            crossed_with=shape.crossed_with,
            interaction=shape.interaction,
            simulation=_SIMULATION,
        )
        for panel in panels
    ]
    by_size = zip(*([each.effect for each in effects] for effects in found), strict=True)
    return tuple(map(_largest, by_size))


def _largest(effects: Sequence[float | None]) -> float | None:
    known = [effect for effect in effects if effect is not None]
    return max(known) if len(known) == len(effects) else None


def _medians(rows: Iterable[Smallest]) -> Smallest:
    """By size; what is not found counts as larger than all that are."""
    wide = np.array([[math.inf if each is None else each for each in row] for row in rows])
    return tuple(float(each) if math.isfinite(each) else None for each in np.median(wide, axis=0))
