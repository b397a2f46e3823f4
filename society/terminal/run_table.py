"""The table of the runs in a folder: a line for each file, those that cannot be read included."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from society.engine.scenario import Estimate
from society.runs.run_list import ListedRun

from .console import TerminalStyle, strip_end

_GAP = 2
_LEAST = {"file": 12, "varied": 10, "model": 10, "fork of": 14}  # cells, of columns that may be cut
_FEW = 4  # settings that are named
_FIRST_TO_GO = (
    "size",
    "seed",
    "written",
    "fork of",
    "model",
    "cost",
    "varied",
    "rounds",
    "scenario",
)
_UNITS = ("B", "kB", "MB", "GB")
_COLOURS = {"finished": "", "running": "cyan", "failed": "red", "unreadable": "red"}


class RunTable(NamedTuple):
    """The lines of a table, and the headings of columns for which there was no room."""

    lines: Sequence[Text]
    dropped: Sequence[str]


class _Column(NamedTuple):
    heading: str
    cells: Sequence[str]
    left: bool = False

    @property
    def width(self) -> int:
        return max(cell_len(self.heading), *map(cell_len, self.cells))

    @property
    def least(self) -> int:
        return min(self.width, _LEAST.get(self.heading, self.width))


def run_table(ink: TerminalStyle, runs: Sequence[ListedRun]) -> RunTable:
    """Lay out one or more runs, a line each.

    A column in which all is empty or the same is left out. Where a line is too narrow, long texts
    are cut and then columns dropped, unless `ink` is to show all.
    """
    columns, dropped = [*_columns(ink, runs)], list[str]()
    if not ink.whole:
        for name in _FIRST_TO_GO:
            if sum(one.least + _GAP for one in columns) - _GAP <= ink.width:
                break
            dropped += [one.heading for one in columns if one.heading == name]
            columns = [one for one in columns if one.heading != name]
    widths = _widths(columns, ink.width, whole=ink.whole)
    headings = [one.heading for one in columns]
    lines = [_line(ink, columns, widths, headings, "dim")]
    for place, run in enumerate(runs):
        cells, style = [one.cells[place] for one in columns], _COLOURS.get(run.status, "yellow")
        end = headings.index("status") + 1 if run.problem else len(columns)
        line = _line(ink, columns[:end], widths, cells[:end], style)
        if run.problem:  # in place of the columns that follow, in which such a file has nothing
            line.append(" " * _GAP)
            line.append(ink.cut(run.problem, ink.width - line.cell_len))
        lines.append(line)
    return RunTable(lines, dropped)


def _widths(columns: Sequence[_Column], room: int, *, whole: bool) -> list[int]:
    """Share the room out: what may be cut gets what the others leave, the longest cut first."""
    widths = [one.width for one in columns]
    over = 0 if whole else sum(widths) + _GAP * (len(widths) - 1) - room
    while over > 0:
        spare = [width - one.least for width, one in zip(widths, columns, strict=True)]
        place = max(range(len(widths)), key=lambda at: (spare[at] > 0, widths[at]))
        if spare[place] <= 0:
            break
        widths[place] -= 1
        over -= 1
    return widths


def _line(
    ink: TerminalStyle,
    columns: Sequence[_Column],
    widths: Sequence[int],
    cells: Sequence[str],
    style: str,
) -> Text:
    line = Text()
    for column, width, cell in zip(columns, widths, cells, strict=False):
        # What tells files apart stands at the end of their paths.
        shown = _cut_front(ink, cell, width) if column.heading == "file" else ink.cut(cell, width)
        blanks = " " * (width - cell_len(shown))
        styled = style if column.heading == "status" or style == "dim" else ""
        line.append(" " * (_GAP if line else 0))
        line.append(shown + blanks if column.left else blanks + shown, styled)
    return strip_end(line)


def _cut_front(ink: TerminalStyle, words: str, room: int) -> str:
    if ink.whole or cell_len(words) <= room:
        return words
    return ink.words("…") + set_cell_size(words[::-1], room - 1)[::-1].lstrip()


def _columns(ink: TerminalStyle, runs: Sequence[ListedRun]) -> Iterator[_Column]:
    readable = [one for one in runs if not one.problem]
    measures = {one.measure for one in readable if one.measure}
    (common,) = measures if len(measures) == 1 else ("",)

    def column(
        heading: str, cell: Callable[[ListedRun], str], *, left: bool = False
    ) -> Iterator[_Column]:
        cells = ["" if one.problem else ink.words(cell(one)) for one in runs]
        if any(cells):
            yield _Column(heading, cells, left)

    several = len({one.scenario for one in readable}) > 1
    seeds = len({one.seed for one in readable}) > 1
    yield _Column("file", [ink.words(one.path) for one in runs], left=True)
    yield from column("scenario", lambda one: one.scenario if several else "", left=True)
    yield from column("varied", varied_words, left=True)
    yield from column("model", lambda one: ", ".join(one.models), left=True)
    yield from column("seed", lambda one: str(one.seed) if seeds else "")
    yield _Column("written", [written_words(one) for one in runs])
    yield _Column("status", [one.status for one in runs], left=True)
    yield from column("rounds", lambda one: f"{one.rounds} of {one.horizon}")
    yield from column(common or "measure", lambda one: _measured(ink, one, named=not common))
    yield from column("cost", lambda one: cost_words(one) if one.calls else "")
    yield from column("size", lambda one: size_words(one.size))
    yield from column("fork of", lambda one: one.fork, left=True)


def written_words(run: ListedRun) -> str:
    """Write when the file was last changed, in the time of this place."""
    return f"{run.written.astimezone():%Y-%m-%d %H:%M}" if run.written else ""


def varied_words(run: ListedRun) -> str:
    """Name the first settings by which a run differs from others: "fine 2, growth 0.2"."""
    words = [f"{name} {_value(value)}" for name, value in run.varied.items()]
    more = len(words) - _FEW
    return ", ".join([*words[:_FEW], *([f"and {more} more"] if more > 0 else [])])


def _value(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def estimate_words(run: ListedRun, figure: Callable[[float, int | None], str]) -> str:
    """Write the mean of the run's measure, with its standard error over replicates.

    figure: writes a number with so many decimals, or as many as make sense.
    """
    return mean_words(run.estimate, figure)


def mean_words(found: Estimate | None, figure: Callable[[float, int | None], str]) -> str:
    """Write a mean with its standard error; "" where nothing was measured. See estimate_words."""
    if found is None or found.mean is None:
        return ""
    if not found.se:
        return figure(found.mean, None)
    decimals = min(max(1 - math.floor(math.log10(found.se)), 0), 9)
    return f"{figure(found.mean, decimals)} ± {figure(found.se, decimals)}"


def _measured(ink: TerminalStyle, run: ListedRun, *, named: bool) -> str:
    words = estimate_words(run, ink.figure)
    return f"{run.measure} {words}" if named and words else words


def cost_words(run: ListedRun) -> str:
    """Write what the models of a run have cost, in US dollars."""
    if run.cost is None:
        return "unknown"
    return f"${run.cost:.2f}" if run.cost >= 0.01 or not run.cost else "<$0.01"


def size_words(size: int) -> str:
    """Write a number of bytes with three figures at most.

    >>> [size_words(size) for size in (0, 999, 73728, 6254592)]
    ['0 B', '999 B', '74 kB', '6.3 MB']
    """
    step = 0
    amount = float(size)
    while amount >= 999.5 and step < len(_UNITS) - 1:
        amount, step = amount / 1000, step + 1
    return f"{amount:.{1 if step and amount < 9.95 else 0}f} {_UNITS[step]}"
