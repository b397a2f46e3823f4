"""The effect that n runs find, simulated from a pilot: survival times are seldom normal.

Each simulated experiment draws residuals of the pilot (its values about their mean) with
replacement, adds an effect, and is tested as a real one would be. Where replicates share random
numbers a draw takes all conditions of one. The answer is the smallest effect that `power` of the
experiments find at `alpha`, two-sided. Residuals of m pilot runs are widened by sqrt(m / (m - 1)),
since their spread is about a mean of their own.
Sources: Efron and Tibshirani 1993, chapter 25 (power by the bootstrap); Cohen 1988; Fisher 1935
(blocks).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array, generator
from society.optional import require

from .samples import NotEstimable, has_spread, pairs, sample

_LEAST = 3  # pilot runs of a condition
_HALVINGS = 50  # of the range in which the smallest effect is looked for


class Detectable(NamedTuple):
    """The smallest effect that so many runs of each condition find; None if they find none."""

    runs: int
    effect: float | None


@dataclass(frozen=True)
class Simulation:
    """Settings of simulated experiments.

    power: the share of experiments that shall find it; alpha: the level at which p values are
    read. experiments: how many are simulated; seed: of their chance.
    """

    power: float = 0.8
    alpha: float = 0.05
    experiments: int = 4_000
    seed: int = 0


class _Noise(NamedTuple):
    """Simulated experiments without an effect: (S,) each."""

    differences: Array  # of the two means
    bounds: Array  # what a difference must exceed; infinite where no value varies: there is no test


class _Cells(NamedTuple):
    """A pilot as an analysis of variance sees it: residuals of each of C conditions.

    columns: (m,) each. levels: of each factor. together: whether row r of all columns is one
    replicate. spread: the sum of squares of the error for each run.
    """

    columns: Sequence[Array]
    levels: tuple[int, ...]
    blocked: bool
    together: bool
    spread: float

    def df(self, runs: int) -> int:
        """Return the degrees of freedom of the error: runs less cells, less further blocks."""
        left = runs * len(self.columns) - math.prod(self.levels)
        return left - (runs - 1) if self.blocked else left


def detectable_difference(
    first: ArrayLike,
    second: ArrayLike,
    sizes: Sequence[int],
    *,
    paired: bool,
    simulation: Simulation = Simulation(),
) -> tuple[Detectable, ...]:
    """Return the smallest difference between two conditions' means that n runs of each find.

    By the paired t test of replicates that share random numbers, or else by Welch's.
    first, second: pilot runs, (R,) each, in the unit of the difference. sizes: the n to try.
    Raises NotEstimable for fewer than three runs of a condition, and where nothing varies.
    """
    if paired:
        one, other, _ = pairs(first, second, at_least=_LEAST)
        residuals = [_residuals(one - other, float(np.abs([one, other]).max()))]
    else:
        residuals = [_residuals(values) for values in (first, second)]
    if not any(each.any() for each in residuals):
        varies = "the difference does not vary" if paired else "neither condition varies"
        raise NotEstimable(f"{varies} in the pilot; without spread there is nothing to simulate")
    return tuple(
        Detectable(runs, _smallest_difference(residuals, runs, simulation)) for runs in sizes
    )


def detectable_partial_eta_squared(
    pilot: ArrayLike,
    sizes: Sequence[int],
    *,
    tested: Collection[int],
    blocked: bool,
    simulation: Simulation = Simulation(),
) -> tuple[Detectable, ...]:
    """Return the smallest partial eta squared that n runs of each condition find, by the F test.

    SS / (SS + SS of the error), of means that are equally spaced over the levels of a factor, or
    whose slope over one factor changes steadily from level to level of the other.
    pilot: (R, P, *levels), the runs of the P conditions that the analysis pools at each combination
    of levels; NaN where there is none. Where a condition has none at all, the residuals of the
    others stand for those of all. tested: the factors' places, (0,) or (1,), (0, 1) for their
    interaction. blocked: replicate r of all conditions shares its random numbers, and is a block.
    Raises NotEstimable for a factor of one level, a condition with fewer than three runs, and where
    none varies.
    """
    if min(np.shape(pilot)[2 + place] for place in tested) < 2:
        raise NotEstimable("a factor that is tested needs at least 2 levels")
    cells = _cells(np.asarray(pilot, float), blocked=blocked)
    return tuple(
        Detectable(runs, _smallest_share(cells, runs, tested, simulation)) for runs in sizes
    )


def _residuals(values: ArrayLike, largest: float | None = None) -> Array:
    values_of_runs = sample(values, at_least=_LEAST, of="a condition of the pilot").values
    if not has_spread(values_of_runs, largest):
        return np.zeros(len(values_of_runs))  # and not the rounding of the mean
    widened: Array = (values_of_runs - values_of_runs.mean()) * math.sqrt(
        len(values_of_runs) / (len(values_of_runs) - 1)
    )
    return widened


def _cells(pilot: Array, *, blocked: bool) -> _Cells:
    """Return residuals about the mean of each cell, which keep differences of pooled conditions."""
    levels = pilot.shape[2:]
    runs = pilot.reshape(len(pilot), -1)
    there = ~np.isnan(runs).all(0)
    whole, known = bool(there.all()), runs[:, there]
    if blocked:
        known = known[~np.isnan(known).any(1)]
    chance = [_residuals(column) for column in known.T]
    if blocked and chance:
        chance = _without_luck(chance, float(np.abs(known).max()))
    if not any(column.any() for column in chance):
        besides = ", but for random numbers that all share" if blocked else ""
        raise NotEstimable(f"no condition varies in the pilot{besides}; nothing can be simulated")
    means = np.array([np.nanmean(column) for column in known.T])
    cell = np.flatnonzero(there) % math.prod(levels)
    apart = means - (np.bincount(cell, means)[cell] / np.bincount(cell)[cell])
    columns = [residuals + offset for residuals, offset in zip(chance, apart, strict=True)]
    if not whole:
        columns = [np.concatenate(columns)] * runs.shape[1]
    spread = float(np.mean([(column**2).mean() for column in columns]))
    if blocked and not whole:
        spread *= 1 - 1 / len(columns)  # the mean of a block takes its share
    return _Cells(columns, levels, blocked, blocked and whole, spread)


def _without_luck(chance: Sequence[Array], largest: float) -> list[Array]:
    """Return deviations from the mean of each block."""
    rows = np.array(chance)
    rows -= rows.mean(0)
    return [*(rows if has_spread(rows, largest) else np.zeros_like(rows))]


def _smallest_difference(
    residuals: Sequence[Array], runs: int, simulation: Simulation
) -> float | None:
    if runs < 2:
        return None
    draws = generator(simulation.seed, f"lab power difference {runs}")
    differences, bounds = _noise(residuals, (simulation.experiments, runs), simulation.alpha, draws)
    if not (tested := np.isfinite(bounds)).any():
        return None

    def share_found(shift: float) -> float:
        # Nobody knows which of the two has the higher mean: either, in half of the experiments.
        hits = [np.abs(differences + sign * shift) > bounds for sign in (-1, 1)]
        return float(np.mean(hits))

    return _smallest(
        share_found, float((bounds + np.abs(differences))[tested].max()), simulation.power
    )


def _noise(
    residuals: Sequence[Array], shape: tuple[int, int], alpha: float, draws: np.random.Generator
) -> _Noise:
    """Simulate one sample of differences, or two independent ones; shape: experiments, runs.

    Welch's test of one sample is the paired one: Satterthwaite's degrees of freedom are n - 1.
    """
    drawn = [sample_of[draws.integers(len(sample_of), size=shape)] for sample_of in residuals]
    means = [values.mean(-1) for values in drawn]
    variances = np.stack([values.var(-1, ddof=1) for values in drawn])
    varies = np.any([np.ptp(values, axis=-1) > 0 for values in drawn], axis=0)
    total, runs = variances.sum(0)[varies], shape[1]
    df = total**2 * (runs - 1) / (variances[:, varies] ** 2).sum(0)
    bounds = np.full(shape[0], np.inf)
    bounds[varies] = require("scipy.stats").t.isf(alpha / 2, df) * np.sqrt(total / runs)
    return _Noise(means[0] - sum(means[1:]), bounds)


def _smallest_share(
    cells: _Cells, runs: int, tested: Collection[int], simulation: Simulation
) -> float | None:
    if not cells.df(runs):
        return None
    means, errors = _simulate_cells(cells, runs, simulation)
    steps = [
        _steps(count) if k in tested else np.ones(count) for k, count in enumerate(cells.levels)
    ]
    effect = functools.reduce(np.multiply.outer, steps) * math.sqrt(cells.spread)
    axes = tuple(range(1, means.ndim))
    chance = _share(means, tested)
    # The sum of squares of chance + size * effect, without adding them up for each size.
    alone, both = (chance**2).sum(axes), 2 * (chance * effect).sum(axes)
    df = math.prod(cells.levels[k] - 1 for k in tested)
    critical = require("scipy.stats").f.isf(simulation.alpha, df, cells.df(runs))
    bounds = critical * df * errors
    each = runs * len(cells.columns) // effect.size  # runs of a cell

    def share_found(eta_squared: float) -> float:
        size = math.sqrt(eta_squared / (1 - eta_squared))
        between = each * (alone + size * both + size**2 * (effect**2).sum())
        return float((between > bounds).mean())

    return _smallest(share_found, 1 - 1e-9, simulation.power)


def _simulate_cells(cells: _Cells, runs: int, simulation: Simulation) -> tuple[Array, Array]:
    """Simulate the cell means and the mean square of the error, without an effect.

    (S, *levels), and (S,): infinite where no value varies: there is no test.
    """
    shape, count = (simulation.experiments, runs), len(cells.columns)
    draws = generator(simulation.seed, f"lab power eta squared {runs}")
    replicates = draws.integers(len(cells.columns[0]), size=shape)
    means, squares, luck = np.empty((shape[0], count)), np.zeros(shape[0]), np.zeros(shape)
    for place, column in enumerate(cells.columns):
        drawn = column[replicates if cells.together else draws.integers(len(column), size=shape)]
        means[:, place] = drawn.mean(-1)
        squares += (drawn**2).sum(-1)
        luck += drawn
    pooled = means.reshape(shape[0], -1, *cells.levels).mean(1)
    axes = tuple(range(1, pooled.ndim))
    errors = squares - runs * count * (pooled**2).mean(axes)
    if cells.blocked:
        errors -= (luck**2).sum(-1) / count - runs * count * means.mean(-1) ** 2
    rounding = 1e-9 * runs * count * cells.spread
    return pooled, np.where(errors > rounding, errors / cells.df(runs), np.inf)


def _share(means: Array, tested: Collection[int]) -> Array:
    """Return the part of the means of cells that is tested, (S, *levels) each."""
    for axis in range(1, means.ndim):
        average = means.mean(axis, keepdims=True)
        means = means - average if axis - 1 in tested else np.broadcast_to(average, means.shape)
    return means


def _steps(levels: int) -> Array:
    """Return equally spaced values about 0, of variance 1."""
    steps: Array = np.linspace(-1, 1, levels)
    steps /= steps.std()
    return steps


def _smallest(share_found: Callable[[float], float], highest: float, power: float) -> float | None:
    """Return the effect in [0, highest] from which on `power` of the experiments find it."""
    if share_found(highest) < power:
        return None
    low, high = 0.0, highest
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if share_found(middle) >= power else (middle, high)
    return high
