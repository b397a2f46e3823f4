"""The figure of a paper's claims: marks by reading, beside them the effects that verdicts turn on.

Marks differ by shape and by colour. Each leads to the detail of its claim in the page. Effects of
rounds, shares and eta squared stand on one scale, as multiples of what they are held against.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from society.claims.comparisons import MATTERS
from society.claims.types import VerdictOutcome
from society.report.figures.read_out import name_series
from society.report.figures.style import FAINT, INK, PAPER, WIDTH, Figure, render_figure, wrap_label

from .claim_grid import ClaimGrid, GridCell, GridRow

_COLUMN = 0.17  # inches, a reading
_LINE, _EFFECT, _GAP = 0.115, 0.1, 0.06  # inches: of a name, of an effect, between rows
_SIGNS_AN_INCH, _NAMES = 15.5, 0.42  # of a name; the share of the width that names take
_NAMES_ALONE = 0.62  # where there is no forest beside them
_HEADING = 0.13  # inches, the line of a reading
_FEWEST_LINES = 3  # effects with an interval that are worth a third of the figure
_FURTHEST, _NEAREST = 8.0, 2.2  # times: ends of the axis
_TICKS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
_SIZE = 5.5  # points, a mark


class OutcomeStyle(NamedTuple):
    """How an outcome is marked: its colour, and a marker that is full, half full or empty."""

    colour: str
    marker: str
    fill: str = "full"
    face: str = ""

    def marks(self) -> dict[str, Any]:
        """The settings of matplotlib's `plot`."""
        return {
            "color": self.colour,
            "linestyle": "none",
            "marker": self.marker,
            "fillstyle": self.fill,
            "markerfacecolor": self.face or self.colour,
            "markerfacecoloralt": PAPER,
            "markeredgecolor": self.colour,
            "markeredgewidth": 1.2,
            "markersize": _SIZE,
        }


OUTCOMES: Mapping[VerdictOutcome, OutcomeStyle] = MappingProxyType(
    {
        "reproduced": OutcomeStyle("#0072b2", "o"),
        "in part": OutcomeStyle("#a3328c", "o", "left"),
        "not reproduced": OutcomeStyle("#d55e00", "o", face=PAPER),
        "cannot be told": OutcomeStyle("#70767f", "_"),
    }
)


class EffectLine(NamedTuple):
    """The effect of a verdict in the forest plot, as multiples; y: its height."""

    cell: GridCell
    y: float
    value: float
    low: float
    high: float


class RowPlace(NamedTuple):
    """A row of the grid, from its top downwards, in inches."""

    row: GridRow
    name: str
    top: float
    height: float

    @property
    def middle(self) -> float:
        return self.top + self.height / 2

    def effects(self) -> Iterator[EffectLine]:
        """The effects of its verdicts that have an interval, below each other."""
        count = len(self.row.cells)
        for place, cell in enumerate(self.row.cells):
            effect = cell.verdict.main_effect
            if effect is not None and (times := effect.times) is not None:
                y = self.middle + (place - (count - 1) / 2) * _EFFECT
                yield EffectLine(cell, y, *times)


def claims_figure(grid: ClaimGrid, page: str) -> Figure:
    """Draw the grid beside the forest plot; page: the file that details of claims stand in."""
    lines = _count_effects(grid)

    def draw(figure: Any) -> None:
        width = figure.get_figwidth()
        places = _places(grid, width)
        columns = len(grid.readings) * _COLUMN
        right = width * (1 - _names_share(grid, width)) - columns
        own = figure.subplots(1, 2, sharey=True, width_ratios=[columns, max(right, columns)])
        _draw_marks(own[0], grid, places, page)
        if lines >= _FEWEST_LINES:
            _draw_forest(own[1], places)
        else:
            own[1].set_axis_off()  # headings of the grid stand there
        headings = _headings(grid, width)
        _draw_headings(own[0], headings)
        own[0].set_ylim(places[-1].top + places[-1].height, -_headings_height(headings))

    return render_figure(
        "claims",
        "Verdicts on the claims, and the effects that they turn on",
        _caption(grid, lines),
        " ".join(f"{one.claim}: {_in_words(one)}." for one in grid.rows),
        draw,
        lambda width: _height(grid, width),
    )


def _in_words(row: GridRow) -> str:
    return ", ".join(dict.fromkeys(cell.verdict.outcome for cell in row.cells))


def _caption(grid: ClaimGrid, lines: int) -> str:
    marks = (
        "● reproduced, ◐ in part, ○ not reproduced, – cannot be told; a mark leads to its claim."
    )
    if not lines:
        return f"{marks} No effect has an interval."
    if lines < _FEWEST_LINES:
        effects = "effect has an interval, which stands" if lines == 1 else (
            "effects have intervals, which stand")  # fmt: skip
        return f"{marks} {lines} {effects} under the claims."
    order = " One line for each mark, in their order." if len(grid.readings) > 1 else ""
    return (
        f"{marks} Right: the effect that each verdict turns on, with its interval (95 % of all "
        "comparisons of a claim together), as a multiple of what it is held against: another "
        "mean, chance, or the paper's own number. Where all comparisons must hold it is the one "
        "that goes least the claim's way; all of them stand under the claim. Grey: less than "
        f"{MATTERS:.0%} more or less, which does not count. Diamonds and bars in black: the "
        f"paper's number or range, where it gives one.{order} Arrows: beyond the axis. No line: "
        "computed exactly, or no interval."
    )


def _count_effects(grid: ClaimGrid) -> int:
    """Count the effects with an interval."""
    effects = (cell.verdict.main_effect for row in grid.rows for cell in row.cells)
    return sum(1 for effect in effects if effect is not None and effect.times is not None)


def _names_share(grid: ClaimGrid, width: float) -> float:
    """The share of the width that claims have: more of a wide figure where there is no forest."""
    forest = _count_effects(grid) >= _FEWEST_LINES
    return _NAMES if forest or width < WIDTH else _NAMES_ALONE


def _places(grid: ClaimGrid, width: float) -> list[RowPlace]:
    """Place the rows of a figure of this width below each other."""
    signs = int(width * _names_share(grid, width) * _SIGNS_AN_INCH)
    found, top = list[RowPlace](), _GAP
    for row in grid.rows:
        name = wrap_label(f"{row.claim}{' (ours)' if row.ours else ''}", signs, 6)
        lines, effects = name.count("\n") + 1, len(row.cells)
        height = max(lines * _LINE, effects * _EFFECT) + _GAP
        found.append(RowPlace(row, name, top, height))
        top += height
    return found


def _height(grid: ClaimGrid, width: float) -> float:
    last = _places(grid, width)[-1]
    return last.top + last.height + _headings_height(_headings(grid, width)) + 0.5


def _headings(grid: ClaimGrid, width: float) -> list[str]:
    """Break the readings into as many lines as they need beside their columns, two at most."""
    if len(grid.readings) < 2:
        return []
    room = width * (1 - _names_share(grid, width))
    rooms = [room - place * _COLUMN for place in range(len(grid.readings))]
    return [
        wrap_label(heading, max(int(room * _SIGNS_AN_INCH), 8))
        for heading, room in zip(grid.headings, rooms, strict=True)
    ]


def _headings_height(headings: Sequence[str]) -> float:
    return _HEADING * sum(heading.count("\n") + 1 for heading in headings)


def _draw_headings(axes: Any, headings: Sequence[str]) -> None:
    """Write each reading above the next, a stroke leads from it to its column."""
    for place, heading in enumerate(headings):
        top = -_headings_height(headings[place:])
        axes.plot([place, place], [top + 0.4 * _HEADING, -0.01], color=FAINT, linewidth=0.6)
        words = axes.text(place + 0.2, top, heading, va="top", ha="left", linespacing=1)
        # Beyond these axes, above the forest: there is room, which the layout need not make.
        words.set_in_layout(False)


def _draw_marks(axes: Any, grid: ClaimGrid, places: Sequence[RowPlace], page: str) -> None:
    """Draw a mark for each verdict, in the middle of the readings that it counts for."""
    for place in places:
        for cell in place.row.cells:
            outcome = cell.verdict.outcome
            if cell.first < cell.last:
                ends = [cell.first - 0.25, cell.last + 0.25]
                wide = {"color": FAINT, "alpha": 0.25, "linewidth": 6, "solid_capstyle": "round"}
                axes.plot(ends, [place.middle] * 2, **wide)
            at = (cell.first + cell.last) / 2
            (mark,) = axes.plot([at], [place.middle], **OUTCOMES[outcome].marks())
            mark.set_url(f"{page}#{place.row.anchor}")
            name_series(mark, outcome, names=[cell.verdict.claim], values=np.ones(1))
    axes.set_yticks([place.middle for place in places], [place.name for place in places])
    for label, place in zip(axes.get_yticklabels(), places, strict=True):
        label.set_url(f"{page}#{place.row.anchor}")
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.set_xlim(-0.6, len(grid.readings) - 0.4)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)


def _draw_forest(axes: Any, places: Sequence[RowPlace]) -> None:
    """Draw effects with intervals on the scale of multiples, and the paper's numbers."""
    lines = [line for place in places for line in place.effects()]
    reach = _reach(lines)
    axes.set_xscale("log")
    axes.set_xlim(1 / reach, reach)
    bottom = places[-1].top + places[-1].height
    small = [1 - MATTERS, 1 + MATTERS]
    axes.fill_between(small, 0, bottom, color=FAINT, alpha=0.25, linewidth=0)
    axes.vlines(1, 0, bottom, color=INK, linewidth=0.7)
    for place in places:
        axes.axhline(place.top, color=FAINT, linewidth=0.3)
    for line in lines:
        _draw_paper(axes, line, reach)
        _draw_effect(axes, line, reach)
    shown = [tick for tick in _TICKS if 1 / reach <= tick <= reach]
    axes.vlines(shown, 0, bottom, color=FAINT, linewidth=0.3)
    axes.set_xticks(shown, [f"1/{1 / tick:.0f}" if tick < 1 else f"{tick:.0f}" for tick in shown])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("times what it is held against")
    axes.tick_params(axis="y", length=0, labelleft=False)
    axes.grid(visible=False)
    axes.patch.set_visible(False)  # headings of the grid stand behind it
    axes.spines["left"].set_visible(False)


def _reach(lines: Sequence[EffectLine]) -> float:
    """Choose the end of the axis for all numbers, as far as they are within its furthest end."""
    ends = [end for line in lines for end in (line.value, line.low, line.high) if end > 0]
    ends += [end for line in lines for end in _paper_ends(line) if end > 0 and math.isfinite(end)]
    furthest = max((abs(math.log(end)) for end in ends), default=0.0)
    return float(np.clip(math.exp(furthest) * 1.08, _NEAREST, _FURTHEST))


def _paper_ends(line: EffectLine) -> tuple[float, ...]:
    effect = line.cell.verdict.main_effect
    return () if effect is None else effect.paper_times or ()


def _within(value: float, reach: float) -> float:
    return min(max(value, 1 / reach), reach)


def _draw_effect(axes: Any, line: EffectLine, reach: float) -> None:
    """Draw one effect; what lies beyond the axis is an arrow at its end."""
    outcome = line.cell.verdict.outcome
    style, effect = OUTCOMES[outcome], line.cell.verdict.main_effect
    low, high = _within(line.low, reach), _within(line.high, reach)
    axes.plot([low, high], [line.y] * 2, color=style.colour, linewidth=1.4, solid_capstyle="butt")
    for end, marker, beyond in ((low, "<", line.low < low), (high, ">", line.high > high)):
        if beyond:
            ends = {"color": style.colour, "markersize": 3.5, "clip_on": False}
            axes.plot([end], [line.y], marker, **ends)
    at = _within(line.value, reach)
    if at != line.value:
        return
    along = {"marker": "|"} if style.marker == "_" else {}  # a dash would be lost on its interval
    (mark,) = axes.plot([at], [line.y], **style.marks() | {"markersize": 4.2} | along)
    words = f"{line.cell.verdict.claim}: {effect.name if effect else ''}"
    value, lowest, highest = (np.array([end]) for end in (line.value, line.low, line.high))
    name_series(mark, outcome, names=[words], values=value, low=lowest, high=highest)


def _draw_paper(axes: Any, line: EffectLine, reach: float) -> None:
    """Draw the paper's number as a diamond, its range as a bar."""
    ends = _paper_ends(line)
    if not ends:
        return
    low, high = (_within(end, reach) for end in ends)
    if low < high:
        axes.plot([low, high], [line.y] * 2, color=INK, linewidth=3.4, alpha=0.35)
    elif ends[0] == low:
        shape = {"marker": "D", "markersize": 5.5, "markerfacecolor": "none"}
        axes.plot([low], [line.y], color=INK, linestyle="none", markeredgewidth=0.9, **shape)
