"""Tables of a report, as Markdown, CSV, LaTeX and cells of a page.

Cells keep their numbers: CSV gives them in full, the other forms rounded as the column asks. What
could not be computed stands there as the sentence that says why: in CSV in its cell, elsewhere
below the table, where a mark leads.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from society.analysis.statistics.samples import NotEstimable
from society.engine.rng import Array
from society.text import clean_line
from society.visible import visible_text

from .latex import latex_table

# figure: as many decimals as the column's largest number makes sense of. statistic: two decimals.
# share: three. words: long text.
ColumnFormat = Literal[
    "text", "words", "count", "tokens", "figure", "statistic", "share", "p", "dollars"
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
_LEFT: tuple[ColumnFormat, ...] = ("text", "words")

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

    def rounded(self) -> list[str]:
        """Round its cells; what could not be computed is nothing."""
        decimals = _DECIMALS.get(self.form, _decimals(self.cells))
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
        if self.form in ("count", "tokens"):
            return f"{cell:,.0f}"
        return f"{round(cell, decimals) + 0.0:,.{decimals}f}" if math.isfinite(cell) else str(cell)


@dataclass(frozen=True)
class Table:
    """A table of a report.

    name: of its files. title: what it shows. notes: sentences below it. chosen: the rows that a
    page shows; none: the first ones. whole: a page shows all rows, however many. page_only: it has
    no files, since those of another table have its rows.
    """

    name: str
    title: str
    columns: Sequence[TableColumn]
    notes: Sequence[str] = ()
    chosen: Sequence[int] = ()
    whole: bool = False
    page_only: bool = False
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
    def reasons(self) -> list[tuple[str, str]]:
        """The reasons for empty cells: mark and sentence, each sentence once."""
        every = (cell for row in self._cells() for cell in row)
        sentences = dict.fromkeys(str(cell) for cell in every if isinstance(cell, NotEstimable))
        return [(_mark(number), sentence) for number, sentence in enumerate(sentences)]

    @cached_property
    def rows(self) -> list[tuple[str, ...]]:
        """The rows as text, rounded, with marks of the reasons."""
        marks = {sentence: mark for mark, sentence in self.reasons}
        columns = [
            [
                f"{text} [{marks[str(cell)]}]" if isinstance(cell, NotEstimable) else text
                for cell, text in zip(column.cells, column.rounded(), strict=True)
            ]
            for column in self.columns
        ]
        return list(zip(*columns, strict=True))

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
        head = [column.heading for column in self.columns]
        rules = [":--" if column.left else "--:" for column in self.columns]
        rows = [[_in_markdown(cell) for cell in row] for row in [tuple(head), *self.rows]]
        rows.insert(1, rules)
        lines = [f"| {' | '.join(row)} |" for row in rows]
        remarks = [_in_markdown(remark) + "  " for remark in self.remarks]
        return "\n".join([f"**{_in_markdown(self.title)}**", "", *lines, "", *remarks]) + "\n"

    def latex(self) -> str:
        """Write a table with the rules of the package booktabs."""
        head = tuple(column.heading for column in self.columns)
        forms = "".join(map(_position, self.columns))
        return latex_table(self.title, forms, [head, *self.rows], self.remarks)

    def _cells(self) -> Iterator[tuple[CellValue, ...]]:
        return zip(*(column.cells for column in self.columns), strict=True)


def _decimals(cells: Sequence[CellValue]) -> int:
    """Three digits of the largest number, one decimal at least; none if all are whole."""
    numbers = [abs(cell) for cell in cells if isinstance(cell, int | float) and math.isfinite(cell)]
    if not any(numbers) or all(float(number).is_integer() for number in numbers):
        return 0
    return min(max(2 - math.floor(math.log10(max(numbers))), 1), 6)


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


def _position(column: TableColumn) -> str:
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
