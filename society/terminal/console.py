"""Words, figures, bars and tables that are safe to print on a terminal.

Words of agents, models and files are data: what controls a terminal, turns the direction of text or
cannot be seen is spelt out (`\\x1b`), and nothing is read as markup. Where the encoding lacks a
glyph, ASCII stands in for it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from rich.cells import cell_len, chop_cells, set_cell_size
from rich.console import Console, OverflowMethod
from rich.segment import Segment, Segments
from rich.text import Span, Text

from society.engine.fact_specs import FactSpec
from society.engine.rng import Array
from society.visible import visible_text

_EIGHTHS = " ▏▎▍▌▋▊▉█"
_LEVELS = "▁▂▃▄▅▆▇█"
_ASCII_LEVELS = "_.:-=+*#"
_ASCII = {
    "·": "|",
    "–": "-",
    "…": "~",
    "→": "->",
    "↔": "<->",
    "─": "-",
    "│": "|",
    "━": "=",
    "∞": "inf",
}
_ASCII |= {"▲": "+", "▼": "-"}
_NARROWEST = 20  # what is narrower still is cut off at the right
_LONGEST_CELL = 24
LONGEST_HEADING = 14
_LONGEST_BAR = 10
_SHORTEST_BAR = 4
_GAP = 2
BARS = "blue"


class TerminalStyle:
    """The glyphs and the room that one console has. whole: shorten nothing, whatever the room.

    >>> TerminalStyle("ascii", 80).words("tea → \\x1b[31mred\\x1b[0m")
    'tea -> \\\\x1b[31mred\\\\x1b[0m'
    """

    gutter = 11  # cells that labels take at the left

    def __init__(self, encoding: str, width: int, *, whole: bool = False) -> None:
        self.encoding, self.width, self.whole = encoding, max(width, _NARROWEST), whole
        self.blocks = self._knows(_EIGHTHS + _LEVELS + "░━╸")

    def words(self, said: object) -> str:
        """Any text as one harmless line that this console can encode."""
        text = str(said)
        if text.isascii() and text.isprintable():
            return text
        if text.isprintable() and self._knows(text):
            return visible_text(text)
        return "".join(map(self._harmless, text))

    def text(self, said: object, style: str = "") -> Text:
        return Text(self.words(said), style)

    def cut(self, said: object, room: int) -> str:
        """Words in at most `room` cells; an ellipsis says that there was more."""
        words = self.words(said)
        if self.whole or cell_len(words) <= room:
            return words
        return set_cell_size(words, room - 1).rstrip() + self.words("…") if room > 0 else ""

    def quoted(self, said: object, room: int) -> str:
        """Words in quotation marks, in at most `room` cells; whole words in their middle make way.

        What counts in a rule often stands at its end.
        """
        words = self.words(said)
        if not self.whole and cell_len(words) > room - 2:
            head = max(room - 5, 2) // 2
            start = _first_words(words, head)
            end = _first_words(words[::-1], max(room - 5, 2) - head)[::-1]
            words = f"{start} {self.words('…')} {end}"
        return f'"{words}"'

    def most(self, few: int) -> int:
        """The number of items of a list that are shown: a few, or all."""
        return sys.maxsize if self.whole else few

    def figure(self, value: Any, decimals: int | None = None) -> str:
        """A number, flag, text or anything else that a history tells, in short."""
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        if value is not None and not isinstance(value, int | float | np.number):
            return self.cut(value, _LONGEST_CELL)
        if value is None or math.isnan(value):
            return self.words("–")
        if math.isinf(value):
            return self.words("∞" if value > 0 else "-∞")
        size = abs(float(value))
        places = _decimals(size, whole=size == round(size)) if decimals is None else decimals
        return f"{round(float(value), places) + 0.0:,.{places}f}"  # + 0.0: never "-0.00"

    def quantity(self, value: Any, spec: FactSpec, decimals: int | None = None) -> str:
        """A value as `figure` has it, with its unit, or its label: "84.3 litres", "open".

        What is no finite number has no unit.
        """
        if label := spec.label(value):
            return self.cut(label, _LONGEST_CELL)
        figure = self.figure(value, decimals)
        is_flag = isinstance(value, bool | np.bool_)
        if is_flag or not isinstance(value, int | float | np.number) or not math.isfinite(value):
            return figure
        return self.words(spec.with_unit(figure))

    def gauge(self, share: float, cells: int) -> str:
        """A share in [0, 1] as a bar that many cells long; what is out of range is cut."""
        eighths = _steps(share, 8 * cells)
        if not self.blocks:
            return ("#" * round(eighths / 8)).ljust(cells, ".")
        whole, part = divmod(eighths, 8)
        return ("█" * whole + _EIGHTHS[part].strip()).ljust(cells, "░")

    def bar(self, share: float, cells: int) -> str:
        """A share in [0, 1] as a thin bar, beside a figure."""
        halves = _steps(share, 2 * cells)
        if not self.blocks:
            return "=" * (halves // 2)
        return "━" * (halves // 2) + "╸" * (halves % 2)

    def bars(self, shares: Array, cells: int) -> list[str]:
        """Shares as bars of the same width, each after a blank."""
        lengths = [f" {self.bar(halves / (2 * cells), cells):{cells}}"
                   for halves in range(2 * cells + 1)]  # fmt: skip
        halves = np.rint(2 * cells * np.clip(np.nan_to_num(shares), 0, 1)).astype(int)
        return [lengths[one] for one in halves.tolist()]

    def progress(self, share: float, cells: int) -> Text:
        """A share in [0, 1] as a thin bar on its track."""
        full = _steps(share, cells)
        track = self.words("─") * (cells - full)
        return Text.assemble((self.words("━") * full, "cyan"), (track, "dim"))

    def sparkline(self, values: Sequence[float], scale: float) -> str:
        """Each value as a block of height 0 to 7, of full height at `scale`.

        >>> TerminalStyle("utf-8", 80).sparkline([0, 150, 300], 300)
        '▁▅█'
        """
        levels = _LEVELS if self.blocks else _ASCII_LEVELS
        shares = (value / scale if scale > 0 else 0.0 for value in values)
        return "".join(
            levels[min(max(round(7 * share), 0), 7)] if math.isfinite(share) else " "
            for share in shares
        )

    def _knows(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def _harmless(self, glyph: str) -> str:
        if not glyph.isprintable():
            return glyph.encode("unicode_escape").decode()
        if self._knows(glyph):
            return visible_text(glyph)
        return _ASCII.get(glyph, glyph.encode("unicode_escape").decode())


def _first_words(text: str, room: int) -> str:
    """Cut a text after the last whole word that fits into `room` cells, or else within a word."""
    fitting = set_cell_size(text, room + 1).rpartition(" ")[0]
    return (fitting or set_cell_size(text, room)).strip()


def _steps(share: float, steps: int) -> int:
    return 0 if math.isnan(share) else round(steps * min(max(share, 0.0), 1.0))


def decimals_for(values: Array) -> int:
    """Return the number of decimals for values: 2 below ten, 1 below a thousand, else none.

    >>> [decimals_for(np.array(x)) for x in (7.0, 0.5, 12.5, 1250.4, 0.004)]
    [0, 2, 1, 0, 4]
    """
    sizes = np.abs(values[np.isfinite(values)])
    return _decimals(float(sizes.max(initial=0)), whole=bool((sizes == np.rint(sizes)).all()))


def _decimals(largest: float, *, whole: bool) -> int:
    if whole:
        return 0
    magnitude = math.floor(math.log10(largest))
    if magnitude >= 0:
        return 2 if magnitude == 0 else 1 if magnitude < 3 else 0
    return min(max(2, 1 - magnitude), 9)


@dataclass(frozen=True)
class TerminalColumn:
    """A heading and cells; shares, in [0, 1] or NaN, are drawn as bars where there is room.

    unit: stands on a line of its own, below the heading.
    """

    heading: str
    cells: Sequence[Text]
    shares: Array | None = None
    unit: str = ""

    @cached_property
    def lengths(self) -> list[int]:
        """The width of each cell."""
        return [cell.cell_len for cell in self.cells]

    @cached_property
    def width(self) -> int:
        return max(cell_len(self.heading), cell_len(self.unit), *self.lengths, 1)


def number_column(ink: TerminalStyle, heading: str, values: Array) -> TerminalColumn:
    """Make a column of numbers; the largest has the longest bar."""
    decimals = decimals_for(values)
    cells = [Text(ink.figure(value, decimals)) for value in values]
    return TerminalColumn(ink.cut(heading, LONGEST_HEADING), cells, shares(values, largest(values)))


def largest(values: Array) -> float:
    """Return the largest finite value, at least 0."""
    return float(values[np.isfinite(values)].max(initial=0.0))


def shares(values: Array, whole: float) -> Array:
    """Return the lengths of bars, in [0, 1]; negative values have none."""
    return np.maximum(values, 0) / whole if whole > 0 else np.zeros(len(values))


def layout_table(
    ink: TerminalStyle, stub: Sequence[Text], columns: Sequence[TerminalColumn]
) -> Iterator[Text]:
    """Lay out a table; columns that do not fit beside the others follow below them."""
    names = max((name.cell_len for name in stub), default=0)
    room = ink.width - names
    while columns:
        widths = np.array([column.width for column in columns])
        # Closer together, if that brings more of them side by side.
        count, gap = max((_fitting(widths + gap, room), gap) for gap in (1, _GAP))
        beside, columns = columns[:count], columns[count:]
        spare = room - int(widths[:count].sum()) - gap * count
        bars = min(spare // count - 1, _LONGEST_BAR)
        yield from _block(ink, stub, beside, names, gap, bars if bars >= _SHORTEST_BAR else 0)


def _fitting(widths: Array, room: int) -> int:
    """Count the columns of these widths that fit side by side; at least one."""
    return max(int((np.cumsum(widths) <= room).sum()), 1)


def _block(
    ink: TerminalStyle,
    stub: Sequence[Text],
    columns: Sequence[TerminalColumn],
    names: int,
    gap: int,
    bars: int,
) -> Iterator[Text]:
    headings = [[column.heading for column in columns], [column.unit for column in columns]]
    for words in headings[: 2 if any(headings[1]) else 1]:
        line = Text(" " * names)
        for column, word in zip(columns, words, strict=True):
            line.append(" " * gap + word.rjust(column.width), "dim")
            line.append(" " * (bars + 1 if bars and column.shares is not None else 0))
        yield strip_end(line)
    drawn = [ink.bars(one.shares, bars) if bars and one.shares is not None else None
             for one in columns]  # fmt: skip
    for number, name in enumerate(stub):
        row, spans = name.plain + " " * (names - name.cell_len), list[Span]()
        for column, lines in zip(columns, drawn, strict=True):
            cell = column.cells[number]
            row += " " * (gap + column.width - column.lengths[number])
            at = len(row)
            row += cell.plain
            if cell.style:
                spans.append(Span(at, len(row), cell.style))
            spans += [span.move(at) for span in cell.spans]
            if lines is not None:
                at = len(row)
                row += lines[number]
                spans.append(Span(at, len(row), BARS))
        row = row.rstrip()
        spans = [span._replace(end=min(span.end, len(row))) for span in spans]
        # Far faster than appending each, and cutting the end off.
        yield Text(row, name.style, spans=[span for span in spans if span.start < len(row)])


def strip_end(line: Text) -> Text:
    """Remove the blanks at the end of a line."""
    line.rstrip()
    return line


def flow_items(
    items: Iterable[Text], width: int, *, label: Text | None = None, gutter: int = 0, gap: str = " "
) -> Iterator[Text]:
    """Lay out items one after another in lines that begin at the gutter; a label comes first.

    An item moves to the next line as a whole; one that is longer than a line is broken at blanks.
    """
    line = Text().append_text(label or Text())
    line.append(" " * max(gutter - line.cell_len, _GAP if line else 0))
    empty, used = True, line.cell_len  # counted along, since a line measures itself anew each time
    for item in items:
        for lead, piece in _pieces(item, gap, width - gutter):
            length = piece.cell_len
            if used + (0 if empty else len(lead)) + length > width:
                yield strip_end(line)
                line, empty, used = Text(" " * gutter), True, gutter
            if not empty:
                line.append(lead)
                used += len(lead)
            line.append_text(piece)
            empty, used = False, used + length
    yield strip_end(line)


def first_items(items: Iterable[Text], count: int, most: int, noun: str = "more") -> Iterator[Text]:
    """Yield the first items, then a note on how many of all `count` are left out."""
    yield from islice(items, most)
    if count > most:
        yield Text(f"and {count - most:,} {noun}", "dim")


def labelled_row(
    ink: TerminalStyle, label: str, items: Iterable[Text], style: str = "bold", gap: str = "   "
) -> Iterator[Text]:
    """Lay out items in a row, with a label in the gutter."""
    name = Text(ink.cut(label, ink.width // 2), style)
    yield from flow_items(items, ink.width, label=name, gutter=ink.gutter, gap=gap)


def labelled_lines(
    ink: TerminalStyle, label: str, items: Iterable[Text], style: str = "bold"
) -> Iterator[Text]:
    """Lay out each item on a line of its own, with a label before the first one."""
    for item in items:
        yield from labelled_row(ink, label, [item], style)
        label = ""


def _pieces(item: Text, gap: str, room: int) -> Iterator[tuple[str, Text]]:
    """Yield pieces that are not broken, each with the gap before it."""
    if item.cell_len <= room:
        yield gap, item
        return
    for word in item.plain.split(" "):
        for number, piece in enumerate(chop_cells(word, room)):
            yield gap if number == 0 else "", Text(piece, item.style)
            gap = " "


def print_lines(console: Console, lines: Iterable[Text], *, whole: bool = False) -> None:
    """Print lines as they are: the layout is done, rich only colours.

    All at once, since each print costs as much as many lines. whole: do not cut off what is wider
    than the console, such as a name of 200 letters in a table.
    """
    said = [*lines]
    if console.color_system is None:
        words = (line.plain for line in said)
        if not whole:
            room = console.width
            words = (one if cell_len(one) <= room else set_cell_size(one, room) for one in words)
        plain = Segment("".join(f"{one}\n" for one in words))
        console.print(Segments([plain]), end="", crop=False)
    elif said:
        overflow: OverflowMethod = "ignore" if whole else "crop"
        console.print(Text("\n").join(said), no_wrap=True, overflow=overflow, crop=False)
