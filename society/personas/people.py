"""People in a table: one person a row, one trait a column, as comma-separated values.

    age,trade,temper
    41,miller,patient
    23,weaver,quick to anger

The first line names the columns; no cell is empty. A run file keeps the text of the tables whose
people took part, so that a run is played again with the same people when a table has changed, or is
gone; within `kept_tables` these texts stand for the files.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from society.engine.rng import Array
from society.errors import FileError, short_path, suggest
from society.text import clean_line

MOST_KEPT = 2**22  # bytes of all tables that one run file keeps
_LARGEST = 2**26  # bytes of a table
_LONGEST = 4000  # characters of a cell
_HEADING = re.compile(r"[^\W\d][\w .()%/'-]{0,59}")
_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")  # 02134 is a code

DESCRIPTION = "description"  # the column in which a person is put into sentences
NUMBER = "person"  # the column of agents with the number of their person; no trait is called so
TABLES = Path(__file__).parent / "tables"  # examples, whose people are invented


@dataclass(frozen=True)
class PeopleTable:
    """The people of a file. cells: a tuple for each person; lines: where each of them stands.

    text: the file as it was read.
    """

    path: str
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    text: str = ""

    def __len__(self) -> int:
        return len(self.cells)

    def place(self, column: str) -> int:
        """The place of a column; raises FileError if there is none."""
        if column not in self.columns:
            raise self.wrong(1, f"there is no column {column!r}; {suggest(column, self.columns)}")
        return self.columns.index(column)

    def column(self, name: str) -> list[str]:
        """The cells of a column, (P,); raises FileError if there is none."""
        place = self.place(name)
        return [row[place] for row in self.cells]

    def numbers(self, name: str) -> Array | None:
        """The numbers of a column, (P,); None if a cell holds none."""
        cells = self.column(name)
        if not all(map(_NUMBER.fullmatch, cells)):
            return None
        numbers = np.array(cells, float)
        return numbers if np.isfinite(numbers).all() else None

    def weights(self, name: str = "") -> Array:
        """The weights in a column, (P,); ones without a name.

        Raises FileError for weights that are negative, no numbers, or all 0.
        """
        if not name:
            return np.ones(len(self))
        for line, cell in zip(self.lines, self.column(name), strict=True):
            if not _NUMBER.fullmatch(cell) or not 0 <= float(cell) < np.inf:
                raise self.wrong(
                    line, f"the weight in column {name!r} is {cell!r:.40}; expected a number from 0"
                )
        weights = np.array(self.column(name), float)
        if not weights.any():
            raise self.wrong(1, f"all weights in column {name!r} are 0; give some people more")
        return weights

    def wrong(self, line: int, words: str) -> FileError:
        """Make an error about a line of the file."""
        return FileError(f"{short_path(self.path)}, line {line}: {words}")


def read_people(path: str | Path, largest: int = _LARGEST) -> PeopleTable:
    """Read a table, or what stands for it; raises FileError."""
    kept = _KEPT.get({}).get(str(path))
    return parse_people(_read(Path(path), largest) if kept is None else kept, str(path))


def _read(file: Path, largest: int) -> str:
    shown = short_path(file)
    try:
        if file.exists() and not file.is_file():
            raise FileError(f"{shown} is no file; give a table of people, FILE.csv")
        if file.exists() and (size := file.stat().st_size) > largest:
            raise FileError(
                f"{shown} has {size:,} bytes, and at most {largest:,} are read here; draw some of "
                "its people into a file of their own: society personas draw"
            )
        return file.read_bytes().decode()
    except OSError as error:
        raise FileError(f"cannot read {shown}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise FileError(
            f"{shown} is no CSV: it is no text in UTF-8 ({error.reason}); save it as one"
        ) from None


def parse_people(text: str, path: str) -> PeopleTable:
    """Parse the text of a table; raises FileError with the line that is wrong."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    table = PeopleTable(path, (), (), (), text)
    try:
        rows = list(_numbered(reader))
    except csv.Error as error:
        words = f"this is no CSV: {error}; expected cells between commas, quoted where needed"
        raise table.wrong(reader.line_num, words) from None
    if not rows:
        raise FileError(
            f"{short_path(path)} is empty; expected a line with the names of the columns, and a "
            "line for each person"
        )
    (first, headings), people = rows[0], rows[1:]
    columns = _columns(table, first, headings)
    if not people:
        raise table.wrong(first, "there are columns but no people; add a line for each person")
    cells = tuple(_person(table, columns, line, row) for line, row in people)
    return PeopleTable(path, columns, cells, tuple(line for line, _ in people), text)


def _numbered(reader: Any) -> Iterator[tuple[int, list[str]]]:
    """Yield each row that is not blank, after the line where it begins."""
    line = 1
    for row in reader:
        if any(cell.strip() for cell in row) or len(row) > 1:
            yield line, row
        line = reader.line_num + 1


def _columns(table: PeopleTable, line: int, headings: Sequence[str]) -> tuple[str, ...]:
    columns = tuple(map(str.strip, headings))
    for number, name in enumerate(columns, 1):
        if not name:
            raise table.wrong(line, f"column {number} has no name; give it one")
        if not is_heading(name):
            raise table.wrong(
                line,
                f"{name!r:.60} is no name of a column; expected a CSV whose first line has names "
                "of letters, digits, blanks and _ . ( ) % / ' -, with commas between them",
            )
        if columns.index(name) < number - 1:
            raise table.wrong(line, f"two columns are called {name!r}; rename one")
    return columns


def is_heading(name: str) -> bool:
    """Tell whether a column may have this name."""
    return _HEADING.fullmatch(name) is not None


def _person(
    table: PeopleTable, columns: Sequence[str], line: int, row: Sequence[str]
) -> tuple[str, ...]:
    if len(row) != len(columns):
        raise table.wrong(
            line,
            f"got {len(row)} {'cell' if len(row) == 1 else 'cells'}; expected {len(columns)}, one "
            "for each column (cells that have commas stand between quotation marks)",
        )
    cells = tuple(map(clean_line, row))
    for name, cell in zip(columns, cells, strict=True):
        if not cell:
            raise table.wrong(line, f"column {name!r} is empty; fill it, or leave the person out")
        if len(cell) > _LONGEST:
            raise table.wrong(
                line, f"column {name!r} has {len(cell):,} characters; expected at most {_LONGEST:,}"
            )
    return cells


def write_people(
    path: Path, columns: Sequence[str], cells: Iterable[Sequence[str]], *, overwrite: bool = False
) -> None:
    """Write a table; raises FileError if it cannot be written, or exists already."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if overwrite else "x", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([columns, *cells])
    except FileExistsError:
        raise FileError(
            f"{short_path(path)} exists already; name another --out, or replace it by --overwrite"
        ) from None
    except OSError as error:
        raise FileError(f"cannot write {short_path(path)}: {error.strerror}") from None


_KEPT: ContextVar[Mapping[str, str]] = ContextVar("kept_tables")


@contextmanager
def kept_tables(texts: Mapping[str, str]) -> Iterator[None]:
    """Let these texts, by path, stand for tables of people until the block is left."""
    token = _KEPT.set(texts)
    try:
        yield
    finally:
        _KEPT.reset(token)
