"""Tidy tables of a study as pandas data frames: how columns are laid out, named, typed, described.

Rows come in blocks, one for each condition. A frame begins with a column for each factor and one
called `condition`. Both are ordered categories, in the order in which the experiment names levels
and conditions; the level None is called "none", and a factor that a condition lacks is missing.
`frame.attrs["units"]` has the unit of every column. Nothing is filled in: a number or text that is
not known is NaN, a whole number or flag <NA>.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from society.draws import Array
from society.optional import needed

if TYPE_CHECKING:
    from society.experiments.factors import Label

CONDITION = "condition"


class Column(NamedTuple):
    """Values, one for each row: an array or a pandas one, and what they are counted in."""

    values: Any
    unit: str = ""


Columns = dict[str, Column]


class Heading(NamedTuple):
    """The columns that all frames of a study begin with.

    names: of the conditions. levels: of each factor, in order. labels: for each condition, its
    level of the factors that it has.
    """

    names: Sequence[str]
    levels: Mapping[str, Sequence[Label]]
    labels: Sequence[Mapping[str, Label]]

    def columns(self, counts: Sequence[int]) -> Columns:
        """For blocks of so many rows, one for each condition."""
        columns = {
            factor: Column(self._factor(factor, levels, counts), "level")
            for factor, levels in self.levels.items()
        }
        order = _smallest(np.arange(len(self.names)))
        names = categories(np.repeat(order, counts), self.names)
        return {**columns, CONDITION: Column(names, "name")}

    def _factor(self, factor: str, levels: Sequence[Label], counts: Sequence[int]) -> Any:
        codes = [levels.index(labels[factor]) if factor in labels else -1 for labels in self.labels]
        named = ["none" if level is None else level for level in levels]
        return categories(np.repeat(_smallest(np.array(codes, int)), counts), named)


def categories(codes: Array, names: Sequence[Any]) -> Any:
    """Ordered categories, from the number of each row's name; -1 is missing."""
    return needed("pandas").Categorical.from_codes(codes, categories=list(names), ordered=True)


def factorised(names: Iterable[str], counts: Sequence[int]) -> Any:
    """Categories in order of appearance, from blocks of rows that have one name each."""
    names = list(names)
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = _smallest(np.array([places[name] for name in names], int))
    return categories(np.repeat(codes, counts), list(places))


def whole(values: Iterable[int | None]) -> Any:
    """Whole numbers, of which some may be missing."""
    return needed("pandas").array(list(values), dtype="Int64")


def flags(values: Array) -> Any:
    """Yes or no, of which some may be missing: NaN."""
    return needed("pandas").array(values, dtype="boolean")


def words(values: Iterable[str | None]) -> Any:
    """Text, of which some may be missing."""
    return needed("pandas").array(list(values), dtype="str")


def add(columns: Columns, name: str, values: Any, unit: str = "") -> None:
    """A column that a scenario named: `_value` stands behind a name that is already there."""
    while name in columns:
        name += "_value"
    columns[name] = Column(values, unit)


def frame(columns: Columns) -> Any:
    """A data frame that holds the arrays as they are, with the units of its columns."""
    values = {name: column.values for name, column in columns.items()}
    made = needed("pandas").DataFrame(values, copy=False)
    made.attrs["units"] = {name: column.unit for name, column in columns.items()}
    return made


def joined(blocks: Sequence[Array], dtype: Any = None) -> Array:
    """Blocks of rows one after another; none make an empty column."""
    return np.concatenate(blocks, dtype=dtype) if blocks else np.empty(0, dtype or float)


def _smallest(codes: Array) -> Array:
    """The same numbers in as few bytes as they need, since there is one for each row."""
    return codes.astype(np.min_scalar_type(-max(len(codes), int(codes.max(initial=0)) + 1)))
