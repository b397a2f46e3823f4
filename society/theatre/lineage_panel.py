"""The lives of a replicate as lines of descent over generations, and how the mean changed.

A cell is what a life gave in a generation, as a shade; a line turns into the next life at a birth
mark, and ends where nobody came of it.
"""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from society.analysis.evolution.price_equation import PriceTerms
from society.engine.rng import Array
from society.lineage import Life
from society.lineage.lives import name_life
from society.terminal.console import TerminalStyle, decimals_for
from society.terminal.labels import count_noun

from .descent import Descent, Line, LineOrder, Lines, lines_of_descent
from .frame import Panel

_COUNT = 8  # cells of the number of living descendants
_WORDS = 36  # cells that a strategy needs to be worth showing
_LONGEST_STEP, _LEAST_STEP = 6, 1  # cells for a generation, with the link behind it
_STYLES = ("dim cyan", "cyan", "cyan", "bold cyan")


class Pens(NamedTuple):
    """The glyphs of lines of descent."""

    shades: str
    unknown: str
    link: str
    birth: str
    lost: str
    fork: str
    corner: str
    passing: str
    chosen: str
    now: str

    @classmethod
    def of(cls, style: TerminalStyle) -> Pens:
        if style.blocks:
            return cls("░▒▓█", "·", "─", "┊", "✕", "├", "└", "│", "▸", "▾")
        return cls(".:*#", "?", "-", ":", "x", "+", "`", "|", ">", "v")


class Grid(NamedTuple):
    """Generations as cells: `step` cells each, or `each` generations in one cell."""

    step: int
    each: int

    @classmethod
    def of(cls, generations: int, room: int) -> Grid:
        step = min(room // generations, _LONGEST_STEP)
        return cls(step, 1) if step >= _LEAST_STEP else cls(1, -(-generations // room))

    @property
    def cell(self) -> int:
        """The cells that a shade takes."""
        return max(self.step - 1, 1)

    def column(self, generation: int) -> int:
        """Return where a generation begins."""
        return (generation - 1) // self.each * self.step

    def width(self, generations: int) -> int:
        return self.column(generations) + self.cell


def lineage_panel(
    descent: Descent,
    generation: int,
    chosen: int,
    order: LineOrder,
    width: int,
    height: int,
    style: TerminalStyle,
) -> Panel:
    """Draw lines of descent; chosen: the line that is marked, which stays in sight."""
    style = TerminalStyle(style.encoding, width)
    head = [*course_lines(descent, generation, width, style), Text()]
    head = head if height >= _ROOMY else head[:2]
    lines = lines_of_descent(descent, order)
    foot = _legend(descent, lines, order, width, style)
    room, count = max(height - len(head) - len(foot) - 1, 1), len(lines.rows)
    chosen = min(max(chosen, 0), count - 1)
    first = min(max(chosen - room // 2, 0), max(count - room, 0))
    table = _LineTable(descent, lines, generation, width, style)
    return [*head, table.heading(), *table.rows(first, first + room, chosen), *foot]


class _LineTable:
    """Rows of lines, a column for each generation."""

    def __init__(
        self,
        descent: Descent,
        lines: Lines,
        generation: int,
        width: int,
        style: TerminalStyle,
    ) -> None:
        self.descent, self.lines, self.generation = descent, lines, generation
        self.style, self.pens = style, Pens.of(style)
        self.worded = descent.worded
        last = descent.lineage.generations
        self.name = len(f"{last}_{descent.records.run.manifest.agents}") + 2
        room = width - 2 - self.name - _COUNT
        self.grid = Grid.of(last, room - (_WORDS + 2 if self.worded and room >= 2 * _WORDS else 0))
        self.cells = self.grid.width(last)
        self.words = room - self.cells - 2
        self.low, self.high = descent.range

    def heading(self) -> Text:
        """Draw the numbers of generations; a mark stands before that of this round."""
        grid, last = self.grid, self.descent.lineage.generations
        cells = [" "] * self.cells
        free = 0
        for number in [self.generation, *range(1, last + 1)]:
            at, label = grid.column(number), str(number)
            if number == self.generation:
                label = self.pens.now + label
                at = max(min(at, self.cells - len(label)), 0)
            elif at < free or any(cell != " " for cell in cells[max(at - 1, 0) : at + 4]):
                continue
            free = at + len(label) + 1 if number != self.generation else 0
            cells[at : at + len(label)] = label
        line = Text().append("  " + "life".ljust(self.name), "dim").append("".join(cells), "bold")
        line.append("living".rjust(_COUNT), "dim")
        return line.append("  strategy" if self._quotes else "", "dim")

    @property
    def _quotes(self) -> bool:
        return self.worded and self.words >= _WORDS

    def rows(self, first: int, end: int, chosen: int) -> Panel:
        """Draw the lines from `first` to before `end`."""
        lines = self.lines.rows[first:end]
        canvas = [[" "] * self.cells for _ in lines]
        inks = [[""] * self.cells for _ in lines]
        self._draw_forks(canvas, inks, first)
        for place, line in enumerate(lines):
            self._draw_line(canvas[place], inks[place], line)
        return [
            self._row(line, canvas[place], inks[place], first + place == chosen)
            for place, line in enumerate(lines)
        ]

    def _draw_forks(self, canvas: list[list[str]], inks: list[list[str]], first: int) -> None:
        """Draw from each line down to those that branch off it."""
        pens, lives = self.pens, self.descent.lineage.lives
        end = first + len(canvas)
        origins = self.lines.origins
        numbers = np.arange(len(origins))
        for number in np.flatnonzero((origins >= 0) & (origins < end) & (numbers >= first)):
            born = lives[self.lines.rows[number].lives[0]].born
            at = self.grid.column(born - 1) + (self.grid.cell - 1) // 2
            for place in range(max(int(origins[number]) + 1, first), min(int(number), end)):
                forked = canvas[place - first][at] in (pens.corner, pens.fork)
                canvas[place - first][at] = pens.fork if forked else pens.passing
                inks[place - first][at] = "dim"
            if number < end:
                own = canvas[number - first]
                begin = self.grid.column(born)
                own[at], inks[number - first][at] = pens.corner, "dim"
                for cell in range(at + 1, begin):
                    own[cell], inks[number - first][cell] = pens.link, "dim"

    def _draw_line(self, cells: list[str], inks: list[str], line: Line) -> None:
        grid, pens, lineage = self.grid, self.pens, self.descent.lineage
        for number in line.lives:
            life = lineage.lives[number]
            for generation in range(life.born, life.last + 1):
                at = grid.column(generation)
                glyph, ink = self._shade(life, generation)
                for cell in range(at, min(at + grid.cell, self.cells)):
                    cells[cell], inks[cell] = glyph, ink
                if grid.step > 1 and at:
                    born = generation == life.born and life.born > 1
                    cells[at - 1] = pens.birth if born else pens.link
                    inks[at - 1] = "bold" if born else "dim"
        last = lineage.lives[line.lives[-1]]
        ended = grid.column(last.last) + grid.cell
        if grid.step > 1 and last.last < lineage.generations and ended < self.cells:
            cells[ended], inks[ended] = pens.lost, "red"

    def _shade(self, life: Life, generation: int) -> tuple[str, str]:
        level = shade_of(self.descent.phenotype_in(life, generation), self.low, self.high)
        if level is None:
            return self.pens.unknown, "dim"
        return self.pens.shades[level], _STYLES[level]

    def _row(self, line: Line, cells: list[str], inks: list[str], chosen: bool) -> Text:
        descent, pens, style = self.descent, self.pens, self.style
        first, last = (descent.lineage.lives[line.lives[place]] for place in (0, -1))
        row = Text().append(f"{pens.chosen if chosen else ' '} ", "bold cyan")
        name = short_name(first, descent)
        row.append(name.ljust(self.name), "bold" if chosen else "")
        at = 0
        for ink, some in groupby(inks):
            end = at + len(list(some))
            row.append("".join(cells[at:end]), ink)
            at = end
        living = descent.living[first.number]
        row.append(f"{living or '':>{_COUNT}}", "" if living else "dim")
        if self._quotes:
            row.append("  ")
            shown = last if living else first
            row.append(style.quoted(shown.strategy, self.words), "" if living else "dim")
        return row


def shade_of(value: float, low: float, high: float) -> int | None:
    """Return the shade of a value, 0 to 3 by quarters of a range; None for no number.

    >>> [shade_of(value, 0.0, 1.0) for value in (0.0, 0.3, 0.5, 1.0)]
    [0, 1, 2, 3]
    """
    if not np.isfinite(value):
        return None
    share = (value - low) / (high - low) if high > low else 0.0
    return min(max(int(4 * share), 0), 3)


def short_name(life: Life, descent: Descent) -> str:
    """Name a life without its noun: 2_4."""
    return name_life(life.number, descent.records.run.manifest.agents)


def _legend(
    descent: Descent, lines: Lines, order: LineOrder, width: int, style: TerminalStyle
) -> Panel:
    pens, (low, high) = Pens.of(style), descent.range
    name = descent.phenotype_name
    steps = [low + quarter * (high - low) / 4 for quarter in range(4)]
    shades = " ".join(
        f"{shade} {style.figure(step)}" for shade, step in zip(pens.shades, steps, strict=True)
    )
    by = {"descendants": "most descendants", "phenotype": f"highest {name}"}[order]
    count = count_noun(len(lines.rows), "line" if lines.complete else "living line")
    signs = f"; {name} from {shades}" if high > low else ""
    signs += f"; {pens.birth} born {pens.lost} ended"
    words = f"{count}, {by} first{signs}"
    if cell_len(words) > width:  # signs are told nowhere else
        words = f"{count} by {name if order == 'phenotype' else order}{signs}"
    return [Text(style.cut(words, width), "dim")]


def course_lines(descent: Descent, generation: int, width: int, style: TerminalStyle) -> Panel:
    """Draw fitness and phenotype over generations, and the Price split of the next step."""
    panel = [
        _course(descent, name, values, generation, width, style)
        for name, values in (("fitness", descent.fitness), ("phenotype", descent.phenotype))
    ]
    panel.append(Text(style.cut(_price_words(descent, generation, style), width)))
    lower, known = descent.lower_survivors
    if known:
        name = descent.phenotype_name
        words = (
            f"survivors had a lower {name} than the others in {lower} of "
            f"{count_noun(known, 'generation')}"
        )
        panel.append(Text(style.cut(words, width), "dim"))
    return panel


_TITLE, _BARS = 20, 40
_PRICE = 11  # cells of a term
_ROOMY = 12  # lines from which on the Price equation stands above the lines of descent


def _course(
    descent: Descent, name: str, values: Array, generation: int, width: int, style: TerminalStyle
) -> Text:
    """Draw a mean over generations, its first, present and last value."""
    fact = descent.followed.get(name)
    title = f"{name} ({fact.replace('_', ' ')})" if fact else name
    line = Text().append(style.cut(title, _TITLE - 1).ljust(_TITLE), "bold")
    known = values[np.isfinite(values)]
    cells = min(len(values), _BARS, width - _TITLE - 30)
    groups = np.array_split(values, cells)
    means = [float(own[np.isfinite(own)].mean()) if np.isfinite(own).any() else np.nan
             for own in groups]  # fmt: skip
    line.append(style.sparkline(means, float(known.max(initial=0.0))), "cyan")
    here = values[generation - 1] if generation <= len(values) else np.nan
    now = f"  now {style.figure(here)}"
    line.append(now, "bold")
    if known.size > 1:
        arrow = style.words("→")
        line.append(f"   {style.figure(known[0])} {arrow} {style.figure(known[-1])}", "dim")
    return line


def _price_words(descent: Descent, generation: int, style: TerminalStyle) -> str:
    """Say how the mean phenotype changed to the next generation, or else from the last one."""
    if not descent.price:
        return "Price: the first generation is not over"
    step = min(generation, len(descent.price))
    change, *parts = zip(PriceTerms._fields, descent.price[step - 1], strict=True)
    decimals = decimals_for(np.array(descent.price[step - 1]))

    def signed(value: float) -> str:
        figure = style.figure(value, decimals)
        return f"+{figure}" if value > 0 else figure

    split = ", ".join(f"{name} {signed(value)}" for name, value in parts if value)
    arrow = style.words("→")
    return f"Price {step} {arrow} {step + 1}: change {signed(change[1])}" + (
        f" = {split}" if split else ""
    )


def price_panel(
    descent: Descent, generation: int, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw the parts of the change of the mean phenotype from each generation to the next.

    The step that begins in this generation is marked.
    """
    style = TerminalStyle(style.encoding, width)
    title = Text(style.cut(f"Price: changes of the mean {descent.phenotype_name}", width), "bold")
    if not descent.price or height < 3:
        return []
    room, count = height - 2, len(descent.price)
    here = min(generation, count) - 1
    first = min(max(here - room // 2, 0), max(count - room, 0))
    shown = range(first, min(first + room, count))
    terms = np.array([descent.price[step] for step in shown])
    names = [name for name in PriceTerms._fields if name != "entry" or np.any(terms[:, -1])]
    decimals = max(decimals_for(terms), 3)
    arrow, panel = style.words("→"), [title, Text().append(" " * 11, "dim")]
    for name in names:
        panel[1].append(name.rjust(_PRICE), "dim")
    for place, step in enumerate(shown):
        marked = step == here
        line = Text().append(Pens.of(style).chosen if marked else " ", "bold cyan")
        line.append(f" {step + 1} {arrow} {step + 2}".ljust(10))
        for value in terms[place, : len(names)]:
            line.append(style.figure(value, decimals).rjust(_PRICE), "bold" if marked else "")
        panel.append(line)
    for line in panel:
        line.truncate(width)
    return panel
