"""Tables of a report, as Markdown, CSV, LaTeX and cells of a page.

Cells keep their numbers: CSV gives them in full, the other forms rounded as the column asks. What
could not be computed stands there as the sentence that says why: in CSV in its cell, elsewhere
below the table, where a mark leads.

Where a reader looks, an interval stands beside its number, "62.0 [56.1, 68.0]": two columns
called "X from" and "X to" are the interval of the column before them. CSV has all three as numbers.
A column has the decimals that its intervals deserve, and no more than its numbers have.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from society.analysis.statistics.samples import NotEstimable
from society.engine.rng import Array
from society.text import clean_line, decimals_of_error
from society.visible import visible_text

from .latex import latex_table

# figure: as many decimals as the column's largest number makes sense of. statistic: two decimals at
# most. share: three at most. words: long text. command: of a shell, to be copied.
ColumnFormat = Literal[
    "text", "words", "command", "count", "tokens", "figure", "statistic", "share", "p", "dollars"
]
CellValue = str | int | float | None | NotEstimable
Head = list[tuple[ColumnFormat, *tuple[str, ...]]]  # ("share", "mean", "standard error")

_NOTHING = "–"
_UNKNOWN = "unknown"
_MARKS = "abcdefghijklmnopqrstuvwxyz"
_LEAST: dict[ColumnFormat, float] = {
    "p": 0.001,
    "dollars": 0.0001,
}  # what is less is said to be less
_DECIMALS: dict[ColumnFormat, int] = {"statistic": 2, "share": 3, "p": 3, "dollars": 4}
_LEFT: tuple[ColumnFormat, ...] = ("text", "words", "command")
_FROM, _TO = " from", " to"  # how headings of intervals end
_MOST_DECIMALS = 6
_HALF_WIDTH = 1.96  # standard errors, of an interval of 95 %
_SAME = 1e-9  # relative differences that are errors of rounding

_MARKDOWN = re.compile(r"([\\|`*_<>\[\]])")
# A spreadsheet takes a text that begins so for a formula, unless it is a number.
_FORMULA = re.compile(r"[=+\-@\t\r＝＋－＠](?!\.?\d[\d.]*(?:e[+-]?\d+)?$)")


class TableColumn(NamedTuple):
    """One cell for each row of a table; None is nothing, unknown in tokens and dollars."""

    heading: str
    cells: Sequence[CellValue]
    form: ColumnFormat = "text"

    @property
    def left(self) -> bool:
        """True if it holds text, which stands at the left."""
        return self.form in _LEFT

    @property
    def numbers(self) -> list[float]:
        """Its finite numbers."""
        known = (cell for cell in self.cells if isinstance(cell, int | float))
        return [cell for cell in known if math.isfinite(cell)]

    @property
    def decimals(self) -> int:
        """As many as its numbers need, and its form allows."""
        most = _DECIMALS.get(self.form, _decimals(self.numbers))
        return most if self.form == "dollars" else _needed(self.numbers, most)

    def rounded(self, decimals: int | None = None) -> list[str]:
        """Round its cells; what could not be computed is nothing. decimals: as others need them."""
        if decimals is None:
            decimals = self.decimals
        return [self._round(cell, decimals) for cell in self.cells]

    def _round(self, cell: CellValue, decimals: int) -> str:
        if cell is None and self.form in ("tokens", "dollars"):
            return _UNKNOWN
        if isinstance(cell, str):
            return clean_line(cell)
        if cell is None or isinstance(cell, NotEstimable) or math.isnan(cell):
            return _NOTHING
        least = _LEAST.get(self.form, 0)
        if 0 <= cell < least:
            return f"<{least}" if cell or self.form == "p" else "0"
        if self.form in ("count", "tokens") or not cell:
            return f"{cell:,.0f}"
        return f"{round(cell, decimals) + 0.0:,.{decimals}f}" if math.isfinite(cell) else str(cell)


class ShownColumn(NamedTuple):
    """A column as it is read: text in its cells, an interval beside its number."""

    heading: str
    cells: Sequence[str]
    form: ColumnFormat

    @property
    def left(self) -> bool:
        """True if it holds text, which stands at the left."""
        return self.form in _LEFT


@dataclass(frozen=True)
class Table:
    """A table of a report.

    name: of its files. title: what it shows. notes: sentences below it. chosen: the rows that a
    page shows; none: the first ones. whole: a page shows all rows, however many. page_only: it has
    no files, since those of another table have its rows, or its page stands alone. links: where
    cells lead, by their text.
    """

    name: str
    title: str
    columns: Sequence[TableColumn]
    notes: Sequence[str] = ()
    chosen: Sequence[int] = ()
    whole: bool = False
    page_only: bool = False
    links: Mapping[str, str] = field(default_factory=dict)
    kind: ClassVar = "table"

    @classmethod
    def of(
        cls,
        name: str,
        title: str,
        head: Head,
        rows: Iterable[Sequence[CellValue]],
        *notes: str,
        first: Sequence[TableColumn] = (),
        chosen: Sequence[int] = (),
        whole: bool = False,
    ) -> Table:
        """Make a table from its rows.

        head: the headings of columns after their format. first: columns that stand before them.
        """
        headings = [(heading, form) for form, *own in head for heading in own]
        cells = list(zip(*rows, strict=True)) or [()] * len(headings)
        columns = [
            TableColumn(heading, own, form)
            for (heading, form), own in zip(headings, cells, strict=True)
        ]
        return cls(name, title, [*first, *columns], notes, chosen, whole)

    @property
    def paths(self) -> list[str]:
        """Its files beside the page, none if it is of the page only."""
        return (
            []
            if self.page_only
            else [f"tables/{self.name}.{suffix}" for suffix in ("csv", "md", "tex")]
        )

    @cached_property
    def reasons(self) -> list[tuple[str, str]]:
        """The reasons for empty cells: mark and sentence, each sentence once."""
        every = (cell for row in self._cells() for cell in row)
        sentences = dict.fromkeys(str(cell) for cell in every if isinstance(cell, NotEstimable))
        return [(_mark(number), sentence) for number, sentence in enumerate(sentences)]

    @cached_property
    def shown(self) -> list[ShownColumn]:
        """The columns as they are read: rounded, with marks of the reasons, intervals in one."""
        found, rest = list[ShownColumn](), list(self.columns)
        while rest:
            first = rest.pop(0)
            if first.heading.endswith(_FROM) and len(rest) and _is_end(first, rest[0]):
                found.append(self._interval(first, rest.pop(0)))
            elif len(rest) > 1 and first.form == rest[0].form and _is_end(*rest[:2]):
                found.append(self._with_interval(first, rest.pop(0), rest.pop(0)))
            else:
                found.append(ShownColumn(first.heading, self._marked(first), first.form))
        return found

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The rows as they are read."""
        return list(zip(*(column.cells for column in self.shown), strict=True))

    def _with_interval(self, main: TableColumn, low: TableColumn, high: TableColumn) -> ShownColumn:
        """Put an interval beside its number, as far as there is one."""
        decimals = _of_interval(low, high, main)
        numbers, ends = self._marked(main, decimals), self._ends(low, high, decimals)
        cells = [
            number if number.startswith(_NOTHING) or not end else f"{number} {end}"
            for number, end in zip(numbers, ends, strict=True)
        ]
        prefix = low.heading.removesuffix(_FROM)
        ending = "from, to" if prefix in main.heading else prefix
        return ShownColumn(f"{main.heading} [{ending}]", cells, main.form)

    def _interval(self, low: TableColumn, high: TableColumn) -> ShownColumn:
        """Make a column of intervals whose number stands elsewhere."""
        ends = self._ends(low, high, _of_interval(low, high))
        return ShownColumn(
            low.heading.removesuffix(_FROM), [end or _NOTHING for end in ends], low.form
        )

    def _ends(self, low: TableColumn, high: TableColumn, decimals: int) -> list[str]:
        """Write intervals; the mark of a reason in place of one, nothing where both are missing."""
        both = TableColumn("", [*low.cells, *high.cells], low.form)
        said = self._marked(both, decimals)
        ends = zip(said[: len(low.cells)], said[len(low.cells) :], strict=True)
        return [
            begin.removeprefix(_NOTHING).strip()
            if begin.startswith(_NOTHING) and begin == end
            else f"[{begin}, {end}]"
            for begin, end in ends
        ]

    def _marked(self, column: TableColumn, decimals: int | None = None) -> list[str]:
        """Round the cells of a column, with marks of the reasons."""
        marks = {sentence: mark for mark, sentence in self.reasons}
        return [
            f"{text} [{marks[str(cell)]}]" if isinstance(cell, NotEstimable) else text
            for cell, text in zip(column.cells, column.rounded(decimals), strict=True)
        ]

    def excerpt(self, most: int) -> list[tuple[str, ...]]:
        """Choose so many rows at most for a page, or all of a table that is shown whole."""
        if self.whole:
            return self.rows
        return ([self.rows[row] for row in self.chosen] or self.rows)[:most]

    @property
    def remarks(self) -> list[str]:
        """The reasons and notes that stand below it."""
        return [*(f"[{mark}] {sentence}" for mark, sentence in self.reasons), *self.notes]

    def csv(self) -> str:
        """Write numbers in full, nothing as an empty cell, an apostrophe before formulas."""
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(_raw(column.heading) for column in self.columns)
        rows.writerows(map(_raw, row) for row in self._cells())
        return out.getvalue()

    def markdown(self) -> str:
        """Write a pipe table between title and remarks."""
        head = [column.heading for column in self.shown]
        rules = [":--" if column.left else "--:" for column in self.shown]
        rows = [[_in_markdown(cell) for cell in row] for row in [tuple(head), *self.rows]]
        rows.insert(1, rules)
        lines = [f"| {' | '.join(row)} |" for row in rows]
        remarks = [_in_markdown(remark) + "  " for remark in self.remarks]
        return "\n".join([f"**{_in_markdown(self.title)}**", "", *lines, "", *remarks]) + "\n"

    def latex(self) -> str:
        """Write a table with the rules of the package booktabs."""
        head = tuple(column.heading for column in self.shown)
        forms = "".join(map(_position, self.shown))
        return latex_table(self.title, forms, [head, *self.rows], self.remarks)

    def _cells(self) -> Iterator[tuple[CellValue, ...]]:
        return zip(*(column.cells for column in self.columns), strict=True)


def _decimals(numbers: Sequence[float]) -> int:
    """Three digits of the largest number, one decimal at least; none if all are whole."""
    largest = max(map(abs, numbers), default=0.0)
    if not largest or all(float(number).is_integer() for number in numbers):
        return 0
    return min(max(2 - math.floor(math.log10(largest)), 1), _MOST_DECIMALS)


def _needed(numbers: Sequence[float], most: int) -> int:
    """The fewest decimals, up to `most`, that say no less of these numbers: 1.5 and not 1.500."""
    for decimals in range(most):
        if all(
            math.isclose(round(one, decimals), round(one, most), rel_tol=_SAME) for one in numbers
        ):
            return decimals
    return most


def _is_end(low: TableColumn, high: TableColumn) -> bool:
    """Check whether two columns are the ends of one interval."""
    name = low.heading.removesuffix(_FROM)
    return low.heading == name + _FROM and high.heading == name + _TO and low.form == high.form


def _of_interval(low: TableColumn, high: TableColumn, main: TableColumn | None = None) -> int:
    """The decimals that most of the intervals deserve, or those of numbers without a width."""
    halves = [
        (end - begin) / 2
        for begin, end in zip(low.cells, high.cells, strict=True)
        if isinstance(begin, int | float) and isinstance(end, int | float) and end > begin
    ]
    known = sorted(half for half in halves if math.isfinite(half))
    numbers = [one for column in (low, high, main) if column for one in column.numbers]
    if not known:
        return _needed(numbers, _DECIMALS.get(low.form, _decimals(numbers)))
    error = known[(len(known) - 1) // 2] / _HALF_WIDTH
    return _needed(numbers, min(decimals_of_error(error), _MOST_DECIMALS))


def _mark(number: int) -> str:
    """Mark a reason: a to z, then aa."""
    more, last = divmod(number, len(_MARKS))
    return (_mark(more - 1) if more else "") + _MARKS[last]


def _raw(cell: CellValue) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, int | float):
        return repr(float(cell)) if isinstance(cell, float) else str(cell)
    text = str(cell)
    return f"'{visible_text(text)}" if _FORMULA.match(text) else visible_text(text)


def _position(column: ShownColumn) -> str:
    if column.form == "words":
        return "p"
    return "l" if column.left else "r"


def _in_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)


def read_fields(result: Any, *paths: str) -> list[Any]:
    """Read attributes of a result, "interval.low" say; where there is no result, the reason."""
    if isinstance(result, NotEstimable):
        return [result] * len(paths)
    return [attrgetter(path)(result) for path in paths]


def known_mean(values: Array) -> float | None:
    """Average the values that are there; None without any."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
