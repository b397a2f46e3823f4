"""Do raters agree on texts, beyond what chance would give?

Every text becomes a table of the pairs of codes that it was given, (K, K) for K categories. All
coefficients are read off the sum of these tables: the share of pairs that agree, and, with each
code weighing the same, however many others its text has,

    1 - observed disagreement / disagreement by chance

where chance deals out each rater's own codes anew (Cohen's kappa), or the codes of all raters
together (Krippendorff's alpha). Intervals come from drawing texts anew, with all that was said of
them; their ends are percentiles. Perfect agreement has the interval [1, 1], however few the texts.
Sources: Cohen 1960; Cohen 1968 (weights); Krippendorff 2011, "Computing Krippendorff's
Alpha-Reliability".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from society.engine.rng import Array, generator

from .samples import RESAMPLING, Interval, NotEstimable, Resampling

CodeValue = str | float | int | bool | None  # None or NaN: this rater did not code this text
Scale = Literal["nominal", "ordinal", "interval"]
Weights = Literal["none", "linear", "quadratic"]

_UNCODED = -1


@dataclass(frozen=True)
class Agreement:
    """Agreement of raters: 1 is always, 0 (but for the share of pairs) as often as by chance.

    value: the coefficient, at most 1. texts: that at least two raters coded; dropped: texts
    that fewer did.
    """

    value: float
    interval: Interval
    raters: int
    texts: int  # that at least two raters coded
    dropped: int  # that fewer did


def percent_agreement(
    ratings: Sequence[Sequence[CodeValue]], *, resampling: Resampling = RESAMPLING
) -> Agreement:
    """Return the share of pairs of codes of a text that are the same; one row per rater, (M, U).

    Raises NotEstimable for fewer than two texts that two raters coded.
    """
    codes, categories = _place_codes(ratings, None)
    return _agreement(codes, _pair_tables(codes, len(categories)), _same, resampling)


def cohens_kappa(
    first: Sequence[CodeValue],
    second: Sequence[CodeValue],
    *,
    weights: Weights = "none",
    categories: Sequence[CodeValue] | None = None,
    resampling: Resampling = RESAMPLING,
) -> Agreement:
    """Compute Cohen's kappa of two raters; (U,), (U,).

    weights: none, all disagreements count the same; linear or quadratic, by how many categories
    two codes are apart, or by the square of that.
    categories: all that there are, in their order; by default the numbers that were given.
    Raises NotEstimable for fewer than two texts that both coded, and where all codes are the same.
    """
    codes, order = _place_codes([first, second], categories, ordered=weights != "none")
    place = np.arange(len(order))
    apart = np.abs(place[:, None] - place)
    distance = {"none": apart > 0, "linear": apart, "quadratic": apart**2}[weights]

    def kappa(table: Array) -> Array:
        by_chance = table.sum(-1)[..., :, None] * table.sum(-2)[..., None, :]
        return _beyond_chance(table, by_chance / table.sum((-2, -1), keepdims=True), distance)

    return _agreement(codes, _cross_tables(codes, len(order)), kappa, resampling)


def krippendorffs_alpha(
    ratings: Sequence[Sequence[CodeValue]],
    *,
    scale: Scale = "nominal",
    categories: Sequence[CodeValue] | None = None,
    resampling: Resampling = RESAMPLING,
) -> Agreement:
    """Compute Krippendorff's alpha of two or more raters; one row per rater, (M, U).

    Codes may be missing.
    categories: all that there are, in their order; by default the numbers that were given.
    Raises NotEstimable for fewer than two texts that two raters coded, and where all codes are the
    same; ValueError for an interval scale whose codes are no numbers.
    """
    codes, order = _place_codes(ratings, categories, ordered=scale != "nominal")
    values = np.array(order, float) if scale == "interval" else np.arange(len(order))

    def alpha(table: Array) -> Array:
        given = table.sum(-1)
        # Ranks of ordinal codes are those among all codes, ties sharing the middle one.
        place = given.cumsum(-1) - given / 2 if scale == "ordinal" else values
        apart = place[..., :, None] - place[..., None, :]
        distance = apart != 0 if scale == "nominal" else apart**2
        by_chance = given[..., :, None] * given[..., None, :]
        return _beyond_chance(table, by_chance / (given.sum(-1)[..., None, None] - 1), distance)

    # Each code weighs 1, in equal parts as one of a pair with each other code of its text.
    others = np.maximum((codes != _UNCODED).sum(0) - 1, 1)
    tables = _pair_tables(codes, len(order)) / others[:, None, None]
    return _agreement(codes, tables, alpha, resampling)


def _place_codes(
    ratings: Sequence[Sequence[CodeValue]],
    categories: Sequence[CodeValue] | None,
    ordered: bool = False,
) -> tuple[Array, Sequence[CodeValue]]:
    """Return codes as places among the categories, (M, U), and these categories, (K,)."""
    if len({len(row) for row in ratings}) != 1 or len(ratings) < 2:
        raise ValueError(
            f"rows of {', '.join(str(len(row)) for row in ratings) or 'no'} codes; "
            "give two raters or more, one code per text each"
        )
    given = {code for row in ratings for code in row if not _missing(code)}
    order = _ascending(given, ordered) if categories is None else list(categories)
    if strange := given.difference(order):
        raise ValueError(f"{min(strange, key=str)!r} is no category; choose from {order}")
    place = {code: k for k, code in enumerate(order)}
    codes = [[_UNCODED if _missing(code) else place[code] for code in row] for row in ratings]
    return np.array(codes, dtype=np.int64), order


def _missing(code: CodeValue) -> bool:
    return code is None or code != code


def _ascending(given: set[CodeValue], ordered: bool) -> list[CodeValue]:
    words = sorted(code for code in given if isinstance(code, str))
    if words and ordered:
        raise ValueError(f"{words[0]!r} has no place in an order; give the categories in theirs")
    return [*sorted(code for code in given if isinstance(code, float | int)), *words]


def _cross_tables(codes: Array, categories: int) -> Array:
    """Tabulate the code of the first rater by that of the second; (2, U) -> (U, K, K)."""
    one_hot = _one_hot(codes, categories)
    tables: Array = one_hot[0][:, :, None] * one_hot[1][:, None, :]
    return tables


def _pair_tables(codes: Array, categories: int) -> Array:
    """Count all ordered pairs of codes of a text; (M, U) -> (U, K, K)."""
    given = _one_hot(codes, categories).sum(0)
    itself = given[:, :, None] * np.eye(categories)
    tables: Array = given[:, :, None] * given[:, None, :] - itself
    return tables


def _one_hot(codes: Array, categories: int) -> Array:
    """Mark the category of each code with 1; (M, U) -> (M, U, K)."""
    counted: Array = (codes[..., None] == np.arange(categories)).astype(float)
    return counted


def _same(table: Array) -> Array:
    shares: Array = np.trace(table, axis1=-2, axis2=-1) / table.sum((-2, -1))
    return shares


def _beyond_chance(observed: Array, by_chance: Array, distance: Array) -> Array:
    """Return 1 - disagreement / disagreement by chance, NaN if that is 0; (..., K, K) -> (...)."""
    wrong, expected = ((table * distance).sum((-2, -1)) for table in (observed, by_chance))
    ratio = np.full(np.shape(wrong), np.nan)
    beyond: Array = 1 - np.divide(wrong, expected, out=ratio, where=expected > 0)
    return beyond


def _agreement(
    codes: Array, tables: Array, statistic: Callable[[Array], Array], resampling: Resampling
) -> Agreement:
    coded = (codes != _UNCODED).sum(0) >= 2
    tables, texts = tables[coded], int(coded.sum())
    if texts < 2:
        raise NotEstimable(f"{texts} of {len(coded)} texts have two codes; at least 2 are needed")
    value = float(statistic(tables.sum(0)))
    if np.isnan(value):
        raise NotEstimable(
            f"all codes of {texts} texts are the same; with one category nothing tells agreement "
            "from chance"
        )
    drawn = statistic(_redraw(tables, resampling))
    defined = drawn[~np.isnan(drawn)]  # resamples of a single category tell nothing
    tail = (1 - resampling.level) / 2
    low, high = np.quantile(defined, [tail, 1 - tail])
    return Agreement(
        value=value,
        interval=Interval(float(low), float(high), resampling.level),
        raters=len(codes),
        texts=texts,
        dropped=len(coded) - texts,
    )


def _redraw(tables: Array, resampling: Resampling) -> Array:
    """Sum as many tables as there are, drawn with replacement; (U, K, K) -> (B, K, K)."""
    draws = generator(resampling.seed, "lab agreement")
    texts, flat = len(tables), tables.reshape(len(tables), -1)
    sums = [
        np.bincount(draws.integers(texts, size=texts), minlength=texts) @ flat
        for _ in range(resampling.resamples)
    ]
    return np.stack(sums).reshape(-1, *tables.shape[1:])
