"""Analysis of variance: which part of the spread of all runs goes with which factor.

Type III sums of squares with sum-to-zero contrasts: each factor is tested beside the others, at the
mean of their levels, whether or not all cells have as many runs.

    eta^2 = SS / SS_total        partial eta^2 = SS / (SS + SS_residual)

In a balanced design the sums of squares add up to SS_total; in another they need not.
Runs are taken as independent, which they are not under common random numbers.
Sources: Fisher 1925; Yates 1934 (unequal cells); Cohen 1973 (the two eta^2). The rows are those of
Table 1 of Gupta et al. 2026 (AAMAS): each factor and the interaction, with df, F, p and eta^2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from society.draws import Array
from society.lab.extra import needed

from .samples import Unanswerable, sample, varied

RESIDUAL = "residual"


@dataclass(frozen=True)
class Source:
    """One row of the table: a factor, the interaction, or the residual."""

    name: str  # "model", "lake", "model × lake", "residual"
    df: int
    sum_of_squares: float
    f: float | None  # None for the residual, as p and partial eta squared
    p: float | None
    eta_squared: float
    partial_eta_squared: float | None


@dataclass(frozen=True)
class Anova:
    """An analysis of variance of one or two factors."""

    sources: tuple[Source, ...]  # in the order of the factors; interaction and residual last
    total_sum_of_squares: float  # about the mean of all runs
    balanced: bool  # whether all cells have as many runs
    n: int
    dropped: int

    def __getitem__(self, name: str) -> Source:
        """The row of this name; raises KeyError."""
        return {source.name: source for source in self.sources}[name]


def anova(values: ArrayLike, factors: Mapping[str, Sequence[object]]) -> Anova:
    """The analysis of variance of one factor, or of two with their interaction.

    values: (n,), one per run. factors: by name, the level of each run; (n,) each.
    Raises Unanswerable for a factor with one level, a combination of levels without a run, no
    combination with two, and where no combination has any spread.
    """
    if not 1 <= len(factors) <= 2:
        raise ValueError(f"{len(factors)} factors ({', '.join(factors)}); give one or two")
    given = np.asarray(values, float)
    found = sample(given)
    there = ~np.isnan(given)
    codes = {name: _codes(name, levels, there) for name, levels in factors.items()}
    cells = _cells(found.values, codes)
    total = float(((found.values - found.values.mean()) ** 2).sum())
    return Anova(
        sources=_sources(_fitted(found.values, list(codes.values())), list(factors), total),
        total_sum_of_squares=total,
        balanced=len({len(cell) for cell in cells}) == 1,
        n=len(found.values),
        dropped=found.dropped,
    )


def _codes(name: str, levels: Sequence[object], there: Array) -> Array:
    """Levels numbered by their first run, so that a label may be any word; (n,)."""
    if len(levels) != len(there):
        raise ValueError(f"{name} has {len(levels)} labels for {len(there)} values; give one each")
    kept = [level for level, known in zip(levels, there, strict=True) if known]
    number = {level: code for code, level in enumerate(dict.fromkeys(kept))}
    if len(number) < 2:
        raise Unanswerable(f"{name} has one level, {kept[0]}; a factor needs at least 2")
    return np.array([number[level] for level in kept])


def _cells(values: Array, codes: Mapping[str, Array]) -> list[Array]:
    """The runs of each combination of levels."""
    sizes = [int(code.max()) + 1 for code in codes.values()]
    cells = []
    for levels in product(*map(range, sizes)):
        inside = np.all([code == k for code, k in zip(codes.values(), levels, strict=True)], axis=0)
        cells.append(values[inside])
    if empty := sum(not len(cell) for cell in cells):
        raise Unanswerable(
            f"{empty} of the {len(cells)} combinations of {' and '.join(codes)} have no run; "
            "their interaction needs at least 1 in each"
        )
    if len(values) == len(cells):
        raise Unanswerable(
            f"1 run in each of {len(cells)} combinations of {' and '.join(codes)}; "
            "without a second one nothing tells effects from chance"
        )
    if not any(varied(cell) for cell in cells):
        raise Unanswerable(
            f"all runs of a combination of {' and '.join(codes)} have the same value; "
            "without spread in them there is no test"
        )
    return cells


def _fitted(values: Array, codes: Sequence[Array]) -> Array:
    """Rows (SS, df, F, p) of each factor, the interaction, the residual; (factors + 1 or 2, 4)."""
    terms = [f"C(factor{k}, Sum)" for k in range(len(codes))]
    columns = {f"factor{k}": code for k, code in enumerate(codes)}
    frame = needed("pandas").DataFrame({"value": values, **columns})
    fit = needed("statsmodels.formula.api").ols(f"value ~ {' * '.join(terms)}", frame).fit()
    table = needed("statsmodels.stats.anova").anova_lm(fit, typ=3)
    rows: Array = table.drop("Intercept").to_numpy()
    return rows


def _sources(rows: Array, names: list[str], total: float) -> tuple[Source, ...]:
    labels = [*names, *([" × ".join(names)] if len(names) > 1 else [])]
    left = float(rows[-1, 0])
    tested = (
        Source(label, int(df), float(ss), float(f), float(p), float(ss) / total, ss / (ss + left))
        for label, (ss, df, f, p) in zip(labels, rows[:-1].tolist(), strict=True)
    )
    residual = Source(RESIDUAL, int(rows[-1, 1]), left, None, None, left / total, None)
    return (*tested, residual)
