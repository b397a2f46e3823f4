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
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

from society.analysis.statistics.samples import NotEstimable
from society.report.latex import tabular
from society.wording import clean

# figure: as many decimals as the column's largest number makes sense of. statistic: two decimals.
# share: three. words: long text.
Form = Literal["text", "words", "count", "tokens", "figure", "statistic", "share", "p", "dollars"]
Cell = str | int | float | None | NotEstimable

NOTHING = "–"
UNKNOWN = "unknown"
_MARKS = "abcdefghijklmnopqrstuvwxyz"
_LEAST: dict[Form, float] = {"p": 0.001, "dollars": 0.0001}  # what is less is said to be less
_DECIMALS: dict[Form, int] = {"statistic": 2, "share": 3, "p": 3, "dollars": 4}
_LEFT: tuple[Form, ...] = ("text", "words")

_MARKDOWN = re.compile(r"([\\|`*_<>\[\]])")
# A spreadsheet takes a text that begins so for a formula, unless it is a number.
_FORMULA = re.compile(r"[=+\-@\t\r](?!\.?\d[\d.]*(?:e[+-]?\d+)?$)")


class Column(NamedTuple):
    """One cell for each row of a table; None is nothing, unknown in tokens and dollars."""

    heading: str
    cells: Sequence[Cell]
    form: Form = "text"

    @property
    def left(self) -> bool:
        """Whether it is text, which stands at the left."""
        return self.form in _LEFT

    def shown(self) -> list[str]:
        """Its cells rounded; what could not be computed as nothing."""
        decimals = _DECIMALS.get(self.form, _decimals(self.cells))
        return [self._shown(cell, decimals) for cell in self.cells]

    def _shown(self, cell: Cell, decimals: int) -> str:
        if cell is None and self.form in ("tokens", "dollars"):
            return UNKNOWN
        if isinstance(cell, str):
            return clean(cell)
        if cell is None or isinstance(cell, NotEstimable) or math.isnan(cell):
            return NOTHING
        least = _LEAST.get(self.form, 0)
        if 0 <= cell < least:
            return f"<{least}" if cell or self.form == "p" else "0"
        if self.form in ("count", "tokens"):
            return f"{cell:,.0f}"
        return f"{round(cell, decimals) + 0.0:,.{decimals}f}" if math.isfinite(cell) else str(cell)


@dataclass(frozen=True)
class Table:
    """A table of a report; name: of its files. paged: the rows of a page; none: the first ones."""

    name: str
    caption: str
    columns: Sequence[Column]
    notes: Sequence[str] = ()
    paged: Sequence[int] = ()
    sort: ClassVar = "table"

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Why cells are empty: mark and sentence, each sentence once."""
        said = dict.fromkeys(
            str(cell) for row in self._rows() for cell in row if isinstance(cell, NotEstimable)
        )
        return [(_mark(number), sentence) for number, sentence in enumerate(said)]

    def shown(self) -> list[tuple[str, ...]]:
        """Its rows as text, rounded, with marks of the reasons."""
        return self._shown

    def in_page(self, most: int) -> list[tuple[str, ...]]:
        """So many of them at most."""
        chosen = [self._shown[row] for row in self.paged] or self._shown
        return chosen[:most]

    @cached_property
    def _shown(self) -> list[tuple[str, ...]]:
        marks = {sentence: mark for mark, sentence in self.reasons}
        columns = [
            [
                f"{text} [{marks[str(cell)]}]" if isinstance(cell, NotEstimable) else text
                for cell, text in zip(column.cells, column.shown(), strict=True)
            ]
            for column in self.columns
        ]
        return list(zip(*columns, strict=True))

    @property
    def remarks(self) -> list[str]:
        """What stands below it: reasons, then notes."""
        return [*(f"[{mark}] {sentence}" for mark, sentence in self.reasons), *self.notes]

    def csv(self) -> str:
        """Numbers in full, nothing as an empty cell, an apostrophe before formulas."""
        out = io.StringIO()
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(_raw(column.heading) for column in self.columns)
        rows.writerows(map(_raw, row) for row in self._rows())
        return out.getvalue()

    def markdown(self) -> str:
        """A pipe table between caption and remarks."""
        head = [column.heading for column in self.columns]
        rules = [":--" if column.left else "--:" for column in self.columns]
        rows = [[_in_markdown(cell) for cell in row] for row in [tuple(head), *self.shown()]]
        rows.insert(1, rules)
        lines = [f"| {' | '.join(row)} |" for row in rows]
        remarks = [_in_markdown(remark) + "  " for remark in self.remarks]
        return "\n".join([f"**{_in_markdown(self.caption)}**", "", *lines, "", *remarks]) + "\n"

    def latex(self) -> str:
        """A table with the rules of the package booktabs."""
        head = tuple(column.heading for column in self.columns)
        forms = "".join(map(_position, self.columns))
        return tabular(self.caption, forms, [head, *self.shown()], self.remarks)

    def _rows(self) -> Iterator[tuple[Cell, ...]]:
        return zip(*(column.cells for column in self.columns), strict=True)


def _decimals(cells: Sequence[Cell]) -> int:
    """Three digits of the largest number, one decimal at least; none if all are whole."""
    numbers = [abs(cell) for cell in cells if isinstance(cell, int | float) and math.isfinite(cell)]
    if not any(numbers) or all(float(number).is_integer() for number in numbers):
        return 0
    return min(max(2 - math.floor(math.log10(max(numbers))), 1), 6)


def _mark(number: int) -> str:
    """a to z, then aa: marks of reasons."""
    more, last = divmod(number, len(_MARKS))
    return (_mark(more - 1) if more else "") + _MARKS[last]


def _raw(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, int | float):
        return repr(float(cell)) if isinstance(cell, float) else str(cell)
    text = str(cell)
    return f"'{text}" if _FORMULA.match(text) else text


def _position(column: Column) -> str:
    if column.form == "words":
        return "p"
    return "l" if column.left else "r"


def _in_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text)


def told(results: Iterable[Any], of: Callable[[Any], Cell]) -> list[Cell]:
    """A cell of each result; where there is none, the reason."""
    return [result if isinstance(result, NotEstimable) else of(result) for result in results]
