"""Analysis of variance: which part of the spread of all runs goes with which factor.

Type III sums of squares with sum-to-zero contrasts: each factor is tested beside the others, at the
mean of their levels, whether or not all cells have as many runs.

    eta^2 = SS / SS_total        partial eta^2 = SS / (SS + SS_residual)

In a balanced design the sums of squares add up to SS_total; in another they need not.
Runs are taken as independent, unless they are said to share random numbers. Then each replicate is
a block, in which every cell was played,

    value = mean of the cell + effect of the replicate + error

and what the replicates' means differ by is no error. A replicate then adds the same in all cells;
where it moves some more than others, p comes out somewhat too small.
Sources: Fisher 1925; Fisher 1935 (blocks); Yates 1934 (unequal cells); Cohen 1973 (the two eta^2).
The rows are those of Table 1 of Gupta et al. 2026 (AAMAS), whose runs are independent: each factor
and the interaction, with df, F, p and eta^2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array
from society.optional import require

from .samples import NotEstimable, has_spread, sample


@dataclass(frozen=True)
class AnovaRow:
    """One row of the table: a factor, the interaction, the replicates, or the residual.

    df: degrees of freedom. sum_of_squares: in the squared unit of the values; eta_squared: over
    that of all, in [0, 1]; partial_eta_squared: over that of this row and the error. f: ratio
    of mean squares; p: the chance of a statistic as far out, if there is no effect; both None
    for replicates and residual.
    """

    name: str  # "model", "lake", "model × lake", "replicates", "residual"
    df: int
    sum_of_squares: float
    f: float | None  # None for replicates and residual, as p and partial eta squared
    p: float | None
    eta_squared: float
    partial_eta_squared: float | None


class Margin(NamedTuple):
    """A level of a factor, at the mean of the levels of the other one."""

    level: str
    mean: float  # of the means of its cells, each counting the same
    n: int  # runs
    weight: float  # residual mean square / variance of the mean: n, if its cells have as many runs


@dataclass(frozen=True)
class Anova:
    """An analysis of variance of one or two factors.

    n: runs that were analysed. dropped: runs without a value, or in a block that misses one.
    """

    sources: tuple[AnovaRow, ...]  # factors in their order, interaction, replicates, residual
    margins: Mapping[str, tuple[Margin, ...]]  # of each factor, its levels in their order
    balanced: bool  # whether all cells have as many runs
    n: int
    dropped: int  # runs without a value, or in a block that misses one

    def __getitem__(self, name: str) -> AnovaRow:
        """Return the first row of this name; raises KeyError."""
        return {source.name: source for source in reversed(self.sources)}[name]

    @property
    def residual(self) -> AnovaRow:
        """The row of the error, which is the last one."""
        return self.sources[-1]


class _Labels(NamedTuple):
    """The level of each run, (n,), by its place among the words, which stand as they come."""

    places: Array
    words: list[str]


class _Cells(NamedTuple):
    """Runs and means of each combination of levels; (levels, ...) each."""

    counts: Array
    means: Array


def anova(
    values: ArrayLike,
    factors: Mapping[str, Sequence[object]],
    blocks: Sequence[object] | None = None,
) -> Anova:
    """Analyse the variance between levels of one factor, or of two with their interaction.

    values: (n,), one per run. factors: by name, the level of each run; (n,) each. Levels are told
    apart by their words, as str gives them.
    blocks: (n,), the replicate of each run, if replicates share random numbers over all cells;
    those that miss a value in some cell are left out.
    Raises NotEstimable for a factor with one level, a combination of levels without a run, no
    combination with two, and where no combination has any spread (but that of replicates).
    """
    if not 1 <= len(factors) <= 2:
        raise ValueError(f"{len(factors)} factors ({', '.join(factors)}); give one or two")
    given = np.asarray(values, float)
    words = {name: _words(name, levels, len(given)) for name, levels in factors.items()}
    # Independent runs are those of a single block.
    luck = _words("blocks", [""] * len(given) if blocks is None else blocks, len(given))
    given = _without_gaps(given, np.stack(list(words.values())), luck)
    runs, there = sample(given), ~np.isnan(given)
    labels = {name: _number_levels(name, each[there]) for name, each in words.items()}
    block = np.unique(luck[there], return_inverse=True)[1]
    cells = _cells(runs.values, labels)
    apart = runs.values - _luck(runs.values, block)
    shared = "" if blocks is None else ", but for the effect of their replicate"
    _vary(apart, labels, float(np.abs(runs.values).max()), shared)
    return Anova(
        sources=_sources(runs.values, apart, labels, int(block.max())),
        margins={name: _margins(cells, axis, labels[name]) for axis, name in enumerate(labels)},
        balanced=len(np.unique(cells.counts)) == 1,
        n=len(runs.values),
        dropped=runs.dropped,
    )


def _words(name: str, labels: Sequence[object], count: int) -> Array:
    if len(labels) != count:
        raise ValueError(f"{name} has {len(labels)} labels for {count} values; give one each")
    return np.array([str(label) for label in labels])


def _without_gaps(values: Array, factors: Array, blocks: Array) -> Array:
    """Make values NaN all over a block that has fewer of some cell than others have.

    values, blocks: (n,). factors: (factors, n).
    """
    cells, cell = np.unique(factors, axis=1, return_inverse=True)
    names, block = np.unique(blocks, return_inverse=True)
    counts = np.zeros((len(names), cells.shape[1]), int)
    np.add.at(counts, (block, cell.ravel()), ~np.isnan(values))
    whole = (counts == counts.max(0, initial=0)).all(1)
    if len(names) > 1 and not whole.any():
        raise NotEstimable(
            f"none of {len(names)} replicates has a value in all of {cells.shape[1]} conditions"
        )
    without_gaps: Array = np.where(whole[block], values, np.nan)
    return without_gaps


def _number_levels(name: str, words: Array) -> _Labels:
    place = {word: place for place, word in enumerate(dict.fromkeys(words.tolist()))}
    if len(place) < 2:
        raise NotEstimable(f"{name} has one level, {words[0]}; a factor needs at least 2")
    return _Labels(np.array([place[word] for word in words.tolist()]), list(place))


def _cell_numbers(labels: Mapping[str, _Labels]) -> tuple[Array, tuple[int, ...]]:
    """Return the cell of each run, (n,), and the number of levels of each factor."""
    sizes = tuple(len(factor.words) for factor in labels.values())
    return np.ravel_multi_index([factor.places for factor in labels.values()], sizes), sizes


def _cells(values: Array, labels: Mapping[str, _Labels]) -> _Cells:
    cell, sizes = _cell_numbers(labels)
    counts = np.bincount(cell, minlength=math.prod(sizes))
    if empty := int((counts == 0).sum()):
        raise NotEstimable(
            f"{empty} of the {len(counts)} combinations of {' and '.join(labels)} have no run; "
            "their interaction needs at least 1 in each"
        )
    if len(values) == len(counts):
        raise NotEstimable(
            f"1 run in each of {len(counts)} combinations of {' and '.join(labels)}; "
            "without a second one nothing tells effects from chance"
        )
    return _Cells(counts.reshape(sizes), (np.bincount(cell, values) / counts).reshape(sizes))


def _luck(values: Array, block: Array) -> Array:
    """Return the mean of each run's block above that of all runs; (n,)."""
    means = np.bincount(block, values) / np.bincount(block)
    above: Array = means[block] - values.mean()
    return above


def _vary(apart: Array, labels: Mapping[str, _Labels], largest: float, shared: str) -> None:
    """Raise NotEstimable if nothing is left but effects and replicates."""
    cell, _ = _cell_numbers(labels)
    if not any(has_spread(apart[cell == place], largest) for place in range(int(cell.max()) + 1)):
        cells = f"each combination of {' and '.join(labels)}" if len(labels) > 1 else "each level"
        raise NotEstimable(
            f"all runs of {cells} have the same value{shared}; "
            "without spread in them there is no test"
        )


def _margins(cells: _Cells, axis: int, labels: _Labels) -> tuple[Margin, ...]:
    counts, means = (np.moveaxis(each, axis, 0).reshape(len(labels.words), -1) for each in cells)
    weights = counts.shape[1] ** 2 / (1 / counts).sum(1)
    columns = means.mean(1).tolist(), counts.sum(1).tolist(), weights.tolist()
    return tuple(Margin(*row) for row in zip(labels.words, *columns, strict=True))


def _sources(
    values: Array, apart: Array, labels: Mapping[str, _Labels], replicates: int
) -> tuple[AnovaRow, ...]:
    """Return the rows of runs less their replicate's effect, which costs degrees of freedom.

    So the fit is the same as with a column for each replicate: in whole blocks the replicate has
    nothing in common with any factor.
    """
    rows = _fit(apart, labels)
    total = float(((values - values.mean()) ** 2).sum())
    left, df_left = float(rows[-1, 0]), int(rows[-1, 1]) - replicates
    names = [*labels, *([" × ".join(labels)] if len(labels) > 1 else [])]
    rows_of_table = []
    for name, (ss, df) in zip(names, rows[:-1].tolist(), strict=True):
        f = (ss / df) / (left / df_left)
        p = float(require("scipy.stats").f.sf(f, df, df_left))
        rows_of_table.append(AnovaRow(name, int(df), ss, f, p, ss / total, ss / (ss + left)))
    if replicates:
        luck = float(((values - apart) ** 2).sum())
        rows_of_table.append(
            AnovaRow("replicates", replicates, luck, None, None, luck / total, None)
        )
    return (*rows_of_table, AnovaRow("residual", df_left, left, None, None, left / total, None))


def _fit(values: Array, labels: Mapping[str, _Labels]) -> Array:
    """Return (SS, df) of each factor, the interaction, the residual; (factors + 1 or 2, 2)."""
    columns = {f"factor{place}": factor.places for place, factor in enumerate(labels.values())}
    terms = " * ".join(f"C({name}, Sum)" for name in columns)
    frame = require("pandas").DataFrame({"value": values, **columns})
    fit = require("statsmodels.formula.api").ols(f"value ~ {terms}", frame).fit()
    table = require("statsmodels.stats.anova").anova_lm(fit, typ=3)
    rows: Array = table.drop("Intercept")[["sum_sq", "df"]].to_numpy()
    return rows
