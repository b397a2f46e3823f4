"""Which effect do n runs find? Simulated from a pilot, since survival times are seldom normal.

Each simulated experiment draws residuals of the pilot (its values about their condition's mean)
with replacement, adds an effect, and is tested as a real one would be. The answer is the smallest
effect that `power` of the experiments find at `alpha`, two-sided. Residuals of m pilot runs are
widened by sqrt(m / (m - 1)), since their spread is about a mean of their own.
Sources: Efron and Tibshirani 1993, chapter 25 (power by the bootstrap); Cohen 1988.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from society.draws import Array, generator
from society.lab.extra import needed

from .samples import Unanswerable, pairs, sample, varied

_LEAST = 3  # pilot runs of a condition
_HALVINGS = 50  # of the range in which the smallest effect is looked for


class Detectable(NamedTuple):
    """The smallest effect that so many runs of each condition find; None if they find none."""

    runs: int
    effect: float | None


@dataclass(frozen=True)
class Simulation:
    """How experiments are simulated."""

    power: float = 0.8
    alpha: float = 0.05
    experiments: int = 4_000
    seed: int = 0


@dataclass(frozen=True)
class DetectableDifference:
    """Differences of two conditions' means, in the measure's unit."""

    effects: tuple[Detectable, ...]
    pairs: int  # of conditions, that simulated experiments compare in turn
    left_out: tuple[str, ...]  # pairs of conditions whose pilot runs do not vary


class _Noise(NamedTuple):
    """Simulated experiments without an effect: (S,) each."""

    differences: Array  # of the two means
    bounds: Array  # what a difference must exceed; infinite where no value varies: there is no test


class _Design(NamedTuple):
    """What is tested in a balanced design of one or two factors."""

    levels: int
    crossed_with: int
    interaction: bool

    @property
    def df(self) -> int:
        return (self.levels - 1) * (self.crossed_with - 1 if self.interaction else 1)

    @property
    def effect(self) -> Array:
        """Of variance 1 over all conditions, (levels, crossed_with)."""
        steps, other = _steps(self.levels), _steps(self.crossed_with)
        effect: Array = np.outer(steps, other if self.interaction else np.ones(len(other)))
        return effect

    def share(self, means: Array) -> Array:
        """What is tested of the conditions' means, (S, levels, crossed_with) each."""
        rows = means.mean(-1, keepdims=True)
        grand = rows.mean(-2, keepdims=True)
        if not self.interaction:
            return np.broadcast_to(rows - grand, means.shape)
        part: Array = means - rows - means.mean(-2, keepdims=True) + grand
        return part


def detectable_difference(
    pilot: Mapping[str, ArrayLike],
    sizes: Sequence[int],
    *,
    paired: bool,
    simulation: Simulation = Simulation(),
) -> DetectableDifference:
    """The smallest difference between two conditions' means that n runs of each find.

    By the paired t test of replicates that share their luck, or else by Welch's. Of more than two
    conditions every pair is simulated as often: an experiment compares two of them at random.
    pilot: values by condition, (R,) each. sizes: the n to try.
    Raises Unanswerable for a condition with fewer than three runs, and where no pair varies.
    """
    if len(pilot) < 2:
        raise Unanswerable(f"{len(pilot)} condition to compare; at least 2 are needed")
    varying, left_out = [], []
    for first, second in combinations(pilot, 2):
        compared = (_paired if paired else _independent)(pilot, first, second)
        if any(residuals.any() for residuals in compared):
            varying.append(compared)
        else:
            left_out.append(f"{first} and {second}")
    if not varying:
        raise Unanswerable(
            f"no pair of {len(pilot)} conditions varies in the pilot; "
            "without spread there is nothing to simulate"
        )
    effects = tuple(
        Detectable(runs, _smallest_difference(varying, runs, simulation)) for runs in sizes
    )
    return DetectableDifference(effects, len(varying), tuple(left_out))


def detectable_eta_squared(
    pilot: Mapping[str, ArrayLike],
    sizes: Sequence[int],
    *,
    levels: int,
    crossed_with: int = 1,
    interaction: bool = False,
    simulation: Simulation = Simulation(),
) -> tuple[Detectable, ...]:
    """The smallest eta squared of a factor that n runs of each condition find, by its F test.

    The factor has `levels` levels, whose means are equally spaced; each is played with all
    `crossed_with` levels of another factor, which has no effect. interaction: not the factor, but
    its interaction with the other one: its slope changes steadily from level to level of that.
    Runs are independent, as the F test takes them, and the pilot's residuals are pooled over its
    conditions, of which there may be fewer than in the experiment.
    Raises Unanswerable for a condition with fewer than three runs, and where none varies.
    """
    residuals = np.concatenate([_residuals(values, of=name) for name, values in pilot.items()])
    if not residuals.any():
        raise Unanswerable("no condition varies in the pilot; there is nothing to simulate")
    design = _Design(levels, crossed_with, interaction)
    return tuple(
        Detectable(runs, _smallest_eta_squared(residuals, runs, design, simulation))
        for runs in sizes
    )


def _residuals(values: ArrayLike, of: str, largest: float | None = None) -> Array:
    found = sample(values, at_least=_LEAST, of=f"the pilot of {of}").values
    if not varied(found, largest):
        return np.zeros(len(found))  # and not the rounding of the mean
    widened: Array = (found - found.mean()) * math.sqrt(len(found) / (len(found) - 1))
    return widened


def _paired(pilot: Mapping[str, ArrayLike], first: str, second: str) -> tuple[Array, ...]:
    one, other, _ = pairs(pilot[first], pilot[second], at_least=_LEAST)
    largest = float(np.abs([one, other]).max())
    return (_residuals(one - other, f"{first} and {second}", largest),)


def _independent(pilot: Mapping[str, ArrayLike], first: str, second: str) -> tuple[Array, ...]:
    return _residuals(pilot[first], first), _residuals(pilot[second], second)


def _smallest_difference(
    compared: Sequence[tuple[Array, ...]], runs: int, simulation: Simulation
) -> float | None:
    if runs < 2:
        return None
    draws = generator(simulation.seed, f"lab power difference {runs}")
    each = math.ceil(simulation.experiments / len(compared))
    noise = [_noise(residuals, (each, runs), simulation.alpha, draws) for residuals in compared]
    differences, bounds = (np.concatenate(parts) for parts in zip(*noise, strict=True))
    if not (tested := np.isfinite(bounds)).any():
        return None

    def found(shift: float) -> float:
        # Nobody knows which of the two has the higher mean: either, in half of the experiments.
        hits = [np.abs(differences + sign * shift) > bounds for sign in (-1, 1)]
        return float(np.mean(hits))

    return _smallest(found, float((bounds + np.abs(differences))[tested].max()), simulation.power)


def _noise(
    residuals: tuple[Array, ...], shape: tuple[int, int], alpha: float, draws: np.random.Generator
) -> _Noise:
    """Of one sample of differences, or of two independent samples; shape: experiments, runs.

    Welch's test of one sample is the paired one: Satterthwaite's degrees of freedom are n - 1.
    """
    drawn = [one[draws.integers(len(one), size=shape)] for one in residuals]
    means = [values.mean(-1) for values in drawn]
    variances = np.stack([values.var(-1, ddof=1) for values in drawn])
    varies = np.any([np.ptp(values, axis=-1) > 0 for values in drawn], axis=0)
    total, runs = variances.sum(0)[varies], shape[1]
    df = total**2 * (runs - 1) / (variances[:, varies] ** 2).sum(0)
    bounds = np.full(shape[0], np.inf)
    bounds[varies] = needed("scipy.stats").t.isf(alpha / 2, df) * np.sqrt(total / runs)
    return _Noise(means[0] - sum(means[1:]), bounds)


def _smallest_eta_squared(
    residuals: Array, runs: int, design: _Design, simulation: Simulation
) -> float | None:
    if runs < 2:
        return None
    means, bounds = _cells(residuals, runs, design, simulation)
    effect = design.effect * residuals.std()
    chance = design.share(means)
    # The sum of squares of chance + size * effect, without adding them up for each size.
    alone, both = (chance**2).sum((-2, -1)), 2 * (chance * effect).sum((-2, -1))

    def found(eta_squared: float) -> float:
        size = math.sqrt(eta_squared / (1 - eta_squared))
        between = runs * (alone + size * both + size**2 * (effect**2).sum())
        return float((between > bounds).mean())

    return _smallest(found, 1 - 1e-9, simulation.power)


def _cells(
    residuals: Array, runs: int, design: _Design, simulation: Simulation
) -> tuple[Array, Array]:
    """Conditions' means without an effect, and what the sum of squares that is tested must exceed.

    (S, levels, crossed_with), and (S,): infinite where no value varies: there is no test.
    """
    cells, shape = design.levels * design.crossed_with, (simulation.experiments, runs)
    draws = generator(simulation.seed, f"lab power eta squared {runs}")
    means, within = np.empty((shape[0], cells)), np.zeros(shape[0])
    varies = np.zeros(shape[0], bool)
    for cell in range(cells):
        values = residuals[draws.integers(len(residuals), size=shape)]
        means[:, cell] = values.mean(-1)
        within += values.var(-1) * runs
        varies |= np.ptp(values, axis=-1) > 0  # a variance may be the rounding of a mean
    df = (design.df, cells * (runs - 1))
    critical = needed("scipy.stats").f.isf(simulation.alpha, *df)
    bounds = np.where(varies, critical * df[0] * within / df[1], np.inf)
    return means.reshape(-1, design.levels, design.crossed_with), bounds


def _steps(levels: int) -> Array:
    """Equally spaced about 0, of variance 1; of a single level 0."""
    steps = np.linspace(-1, 1, levels)
    return steps / steps.std() if levels > 1 else np.zeros(1)


def _smallest(found: Callable[[float], float], highest: float, power: float) -> float | None:
    """The effect in [0, highest] from which on `power` of the experiments find it."""
    if found(highest) < power:
        return None
    low, high = 0.0, highest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) >= power else (middle, high)
    return high
