"""Tidy tables of a study as pandas data frames: how columns are laid out, named, typed, described.

Rows come in blocks, one for each condition. A frame begins with a column for each factor and one
called `condition`. Both are ordered categories, in the order in which the experiment names levels
and conditions; the level None is called "none", and a factor that a condition lacks is missing.
`frame.attrs["units"]` has the unit of every column, `frame.attrs["descriptions"]` what a scenario
says of its own ones. Nothing is filled in: a number or text that is not known is NaN, a whole
number or flag <NA>.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from society.engine.rng import Array
from society.optional import require

if TYPE_CHECKING:
    from society.experiments.factors import Label

CONDITION = "condition"
FLAG, ID_OR_NONE = "yes or no", "id or none"  # units of columns in which something may be missing


class FrameColumn(NamedTuple):
    """Values, one for each row: an array or a pandas one; their unit, and what they are.

    lay_out: makes a pandas array of an array, when a frame is made and not before, so that what
    needs no frame does without pandas, whose import takes longer than all else in `society show`.
    """

    values: Any
    unit: str = ""
    text: str = ""
    lay_out: Callable[[Any], Any] | None = None


Columns = dict[str, FrameColumn]
RowBlock = Mapping[str, Array | str]  # rows by column; the first one is an array
NAMED = "named "  # before a column that a scenario named, which may be called as another one is


class FrameHeading(NamedTuple):
    """The columns that all frames of a study begin with.

    names: of the conditions. levels: of each factor, in order. labels: for each condition, its
    level of the factors that it has.
    """

    names: Sequence[str]
    levels: Mapping[str, Sequence[Label]]
    labels: Sequence[Mapping[str, Label]]

    def columns(self, counts: Sequence[int]) -> Columns:
        """Return these columns for blocks of so many rows, one block for each condition."""
        columns = {
            factor: self._factor(factor, levels, counts) for factor, levels in self.levels.items()
        }
        order = np.repeat(_smallest(np.arange(len(self.names))), counts)
        names = FrameColumn(order, "name", lay_out=partial(categories, names=self.names))
        return {**columns, CONDITION: names}

    def _factor(self, factor: str, levels: Sequence[Label], counts: Sequence[int]) -> FrameColumn:
        codes = [levels.index(labels[factor]) if factor in labels else -1 for labels in self.labels]
        named = ["none" if level is None else level for level in levels]
        numbers = np.repeat(_smallest(np.array(codes, int)), counts)
        return FrameColumn(numbers, "level", lay_out=partial(categories, names=named))


def categories(codes: Array, names: Sequence[Any]) -> Any:
    """Return ordered categories, from the number of each row's name; -1 is missing."""
    return require("pandas").Categorical.from_codes(codes, categories=list(names), ordered=True)


def categories_in_order(names: Iterable[str], counts: Sequence[int]) -> Any:
    """Return categories in order of appearance, from blocks of rows with one name each."""
    names = list(names)
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    codes = _smallest(np.array([places[name] for name in names], int))
    return categories(np.repeat(codes, counts), list(places))


def labelled_categories(values: Array, labels: Sequence[str]) -> Any:
    """Return ordered categories of labels, so that `.cat.codes` are the numbers they stand for.

    What has no label comes after them: other words, and numbers as text.
    """
    codes, distinct = require("pandas").factorize(values)  # -1: missing
    words = [f"{one:g}" if isinstance(one, float) else one for one in distinct]
    names = list(dict.fromkeys([*labels, *words]))
    places = np.array([*map(names.index, words), -1], int)
    return categories(places[codes], names)


def nullable_integers(values: Iterable[int | None]) -> Any:
    """Return whole numbers, of which some may be missing."""
    return require("pandas").array(list(values), dtype="Int64")


def nullable_flags(values: Array) -> Any:
    """Return flags, of which some may be missing: NaN."""
    return require("pandas").array(values, dtype="boolean")


def strings(values: Iterable[str | None]) -> Any:
    """Return text, of which some may be missing."""
    return require("pandas").array(list(values), dtype="str")


def add_column(columns: Columns, name: str, column: FrameColumn) -> None:
    """Add a column that a scenario named; `_value` stands behind a name that is taken."""
    while name in columns:
        name += "_value"
    columns[name] = column


def data_frame(columns: Columns) -> Any:
    """Return a data frame that holds the arrays as they are, with units and descriptions."""
    values = {
        name: column.lay_out(column.values) if column.lay_out else column.values
        for name, column in columns.items()
    }
    made = require("pandas").DataFrame(values, copy=False)
    made.attrs["units"] = {name: column.unit for name, column in columns.items()}
    made.attrs["descriptions"] = {
        name: column.text for name, column in columns.items() if column.text
    }
    return made


class LongForm:
    """Columns that are filled block by block; each row names the agent it is about.

    A block may lack columns of others: its rows are missing there, NaN or None. A text in place of
    an array is the name of all its rows. dtypes: of columns that are there in any case, and come
    first; str for names. counts: the rows of each part, such as a run.
    """

    def __init__(
        self,
        parts: Iterable[Iterable[RowBlock]] = (),
        dtypes: Mapping[str, type] = MappingProxyType({}),
    ) -> None:
        self.counts: list[int] = []
        self._dtypes, self._total = dtypes, 0
        self._blocks: dict[str, list[_Block]] = {name: [] for name in dtypes}
        for blocks in parts:
            before = self._total
            for block in blocks:
                self.add(block)
            self.counts.append(self._total - before)

    def add(self, block: RowBlock) -> None:
        """Append rows: columns of one length; entries of a row may be arrays themselves."""
        size = len(next(iter(block.values()), ()))
        for name, values in block.items() if size else ():
            self._blocks.setdefault(name, []).append(_Block(self._total, size, values))
        self._total += size

    def arrays(self) -> dict[str, Any]:
        """Return all columns, in order of appearance; names as categories."""
        return {name: self._column(name, blocks) for name, blocks in self._blocks.items()}

    def _column(self, name: str, blocks: Sequence[_Block]) -> Any:
        """Join one column; text in some blocks and numbers in others make one of objects."""
        if self._dtypes.get(name) is str:
            return categories_in_order(
                [block.values for block in blocks], [block.size for block in blocks]
            )
        if not blocks:
            return np.empty(0, self._dtypes[name])
        if sum(block.size for block in blocks) == self._total:
            return np.concatenate([block.values for block in blocks])
        text = any(block.values.dtype.kind == "O" for block in blocks)
        shape = self._total, *blocks[0].values.shape[1:]
        column: Array = np.full(shape, None, object) if text else np.full(shape, np.nan)
        for start, size, values in blocks:
            column[start : start + size] = values
        return column


class _Block(NamedTuple):
    """The rows of one column from `start` on: an array, or a name of all."""

    start: int
    size: int
    values: Any


def column_values(values: Any, unit: str = "") -> Any:
    """Return values as a frame holds them: text as such, flags and ids with gaps by unit."""
    if not isinstance(values, np.ndarray):  # laid out already
        return values
    if values.dtype.kind == "O":
        text = all(value is None or isinstance(value, str) for value in values.tolist())
        return strings(values) if text else values
    if unit == FLAG:
        return nullable_flags(values.astype(float))
    if unit == ID_OR_NONE:
        missing = np.isnan(values)
        numbers = np.where(missing, 0, values).astype(np.int64)
        return require("pandas").arrays.IntegerArray(numbers, missing)
    return values


def concatenate(blocks: Sequence[Array], dtype: Any = None) -> Array:
    """Join blocks of rows; none make an empty column."""
    return np.concatenate(blocks, dtype=dtype) if blocks else np.empty(0, dtype or float)


def _smallest(codes: Array) -> Array:
    """Return the same numbers in as few bytes as they need, since there is one for each row."""
    return codes.astype(np.min_scalar_type(-max(len(codes), int(codes.max(initial=0)) + 1)))
