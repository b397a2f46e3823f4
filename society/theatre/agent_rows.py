"""Agents as rows: their columns with the course of each, sorted; the dead with the cause."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from rich.cells import cell_len
from rich.text import Text

from society.engine.rng import Array
from society.terminal.agent_table import CROWD, Traits
from society.terminal.console import BARS, LONGEST_HEADING, TerminalStyle, decimals_for
from society.terminal.labels import Names, spell_kind
from society.terminal.round_view import RoundView, last_common_fact

from .events import names_at, scene_at
from .frame import Panel
from .glyphs import Glyphs
from .history import GONE, History
from .lanes import lanes
from .view import View

_LONGEST_COURSE = 20
_SHORTEST_COURSE = 4
_LONGEST_NAME, _LONGEST_WORDS = 24, 24
_QUANTILES = {"10 %": 0.1, "median": 0.5, "90 %": 0.9}
_GAP = 2  # cells between columns
TYPE = "type"


class _Numbers(NamedTuple):
    """A column of numbers over all rounds: its scale, and how its figures are written."""

    scale: float
    decimals: int
    width: int


class _Rows:
    """The rows of one round: who is there, in which order, and the columns."""

    def __init__(self, history: History, view: View, style: TerminalStyle) -> None:
        self.history, self.view, self.style = history, view, style
        self.glyphs = Glyphs(style)
        self.scene: RoundView = scene_at(history, view.round)
        self.names: Names = names_at(history, view, style)
        self.traits = Traits(history.manifest, view.replicate)
        self.course = history.course(view.replicate)
        self.columns = agent_columns(history, view)
        self.order = order_of(history, view)
        self.dead = _dead(history, view)

    def numbers(self, name: str) -> _Numbers | None:
        """Return how a column of numbers is drawn; None for a column of words."""
        if name not in self.course.own or self.traits.spec(name).labels:
            return None
        return _scale(self.history, self.view.replicate, name, self.history.last, self.style)

    def words(self, name: str) -> list[str]:
        """Return the words of a column for each seat; numbers without a course are words."""
        values = self.scene.column(name)
        if values is None:
            return [""] * self.history.manifest.agents
        shown = self.traits.shown(name, values[self.view.replicate])
        if shown.dtype.kind in "iuf":
            decimals = min(decimals_for(shown), 3)
            return [self.style.figure(value, decimals) for value in shown]
        return [self.style.cut(self.style.figure(value), _LONGEST_WORDS) for value in shown]


@lru_cache(maxsize=256)
def _scale(
    history: History, replicate: int, name: str, last: int, style: TerminalStyle
) -> _Numbers | None:
    values = history.course(replicate).own[name]
    known = values[np.isfinite(values)]
    if not len(known):
        return None
    decimals = decimals_for(known)
    ends = (known.min(), known.max())
    width = max(cell_len(style.figure(value, decimals)) for value in ends)
    return _Numbers(float(known.max()), decimals, width)


def agent_columns(history: History, view: View) -> list[str]:
    """List the columns of agents that this round, or the run, has values for."""
    scene, course = scene_at(history, view.round), history.course(view.replicate)
    names = dict.fromkeys((*scene.stage.columns, *Traits(history.manifest, view.replicate).names))
    return [name for name in names if name in course.own or scene.column(name) is not None]


def sortings(history: History, view: View) -> list[str]:
    """List what agents can be sorted by: "" for seats, the type if there are several, columns."""
    several = [TYPE] if len(history.manifest.cohorts) > 1 else []
    return ["", *several, *agent_columns(history, view)]


def order_of(history: History, view: View) -> list[int]:
    """Return all seats in the order in which they are shown; those who are gone come last."""
    count = history.manifest.agents
    present = history.page(view.round).present[view.replicate]
    key: Array = np.arange(count, dtype=float)
    if view.sort == TYPE:
        types = history.manifest.types
        key = types[view.replicate % len(types)].astype(float)
    elif view.sort:
        key = -_sort_values(history, view)  # the most comes first
    turned = -key if view.reverse else key
    turned = np.where(np.isnan(turned), np.inf, turned)
    return [int(seat) for seat in np.lexsort((np.arange(count), turned, ~present))]


def _sort_values(history: History, view: View) -> Array:
    own = history.course(view.replicate).own.get(view.sort)
    if own is not None and np.isfinite(own[view.round]).any():
        values: Array = own[view.round].astype(float)
        return values
    told = scene_at(history, view.round).column(view.sort)
    if told is None:
        return np.full(history.manifest.agents, np.nan)
    here = told[view.replicate]
    if here.dtype.kind in "biuf":
        return np.asarray(here, float)
    _, place = np.unique(here.astype(str), return_inverse=True)
    return -place.astype(float)


def _dead(history: History, view: View) -> dict[int, tuple[int, str]]:
    """Return when and how those left who are not there at the end of the round."""
    absent = np.flatnonzero(~history.page(view.round).present[view.replicate]).tolist()
    left = lanes(history, view.replicate).get(GONE)
    if not absent or left is None:
        return dict.fromkeys(absent, (0, ""))
    last = {mark.agent: (mark.round, mark.words) for mark in left.until(view.round)}
    return {seat: last.get(seat, (0, "")) for seat in absent}


def agent_rows(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw the agents: a heading, and a row each; of too many the top, quantiles and the bottom."""
    rows = _Rows(history, view, style)
    types = [""] * history.manifest.agents
    if rows.names.several:
        types = rows.names.cohorts
    names = [style.cut(rows.names[seat], _LONGEST_NAME) for seat in range(len(types))]
    stub = max(map(cell_len, names))
    kinds = max((cell_len(kind) for kind in types), default=0)
    left = 2 + stub + (kinds + 2 if kinds else 0)
    plan = _plan(rows, width - left)
    heading = Text("  " + _headed(rows, "", "agent").ljust(stub), "dim")
    if kinds:
        heading.append("  " + _headed(rows, TYPE, "type").ljust(kinds))
    for one in plan:
        heading.append(" " * _GAP + _heading(rows, one.name, one.cells))
    panel = [heading]
    for seat in _shown(rows, height - 1):
        if isinstance(seat, str):
            panel.append(_spread(rows, plan, seat, left))
            continue
        chosen = seat == view.agent
        line = Text(f"{rows.glyphs.chosen if chosen else ' '} ", "bold cyan")
        line.append(names[seat] + " " * (stub - cell_len(names[seat])))
        if kinds:
            line.append("  " + types[seat] + " " * (kinds - cell_len(types[seat])), "dim")
        line.append_text(_cells(rows, plan, seat))
        if chosen and view.pane == "agents":
            line.pad_right(max(width - line.cell_len, 0))
            line.stylize("reverse")
        panel.append(line)
    return panel


class _Column(NamedTuple):
    """A column as it is drawn: its cells, those of its figures, and those of its course."""

    name: str
    cells: int
    figures: int
    course: int


def _plan(rows: _Rows, room: int) -> list[_Column]:
    """Choose the columns that fit, and how long the course of each may be."""
    columns = list[_Column]()
    for name in rows.columns:
        numbers = rows.numbers(name)
        if numbers is None:
            width = max(map(cell_len, rows.words(name)), default=0)
        else:
            width = numbers.width + 1
        cells = max(width, _least_heading(rows, name))
        columns.append(_Column(name, cells, width, 0))
    while columns and sum(one.cells + _GAP for one in columns) > room:
        columns.pop()
    drawn = [one for one in columns if rows.numbers(one.name) is not None]
    spare = room - sum(one.cells + _GAP for one in columns)
    free = spare + sum(one.cells - one.figures - 1 for one in drawn)
    course = min(free // len(drawn), _LONGEST_COURSE) if drawn else 0
    if course < _SHORTEST_COURSE:
        return columns
    return [
        one._replace(cells=max(one.cells, one.figures + 1 + course), course=course)
        if one in drawn
        else one
        for one in columns
    ]


def _least_heading(rows: _Rows, name: str) -> int:
    return min(cell_len(rows.style.words(spell_kind(name))), LONGEST_HEADING) + 1


def _headed(rows: _Rows, name: str, words: str) -> str:
    """Mark the heading of the column that agents are sorted by."""
    if rows.view.sort != name or (name == "" and not rows.view.reverse):
        return words
    return words + (rows.glyphs.rising if rows.view.reverse else rows.glyphs.falling)


def _heading(rows: _Rows, name: str, cells: int) -> str:
    words = _headed(rows, name, rows.style.cut(spell_kind(name), cells - 1))
    unit = rows.style.words(rows.traits.spec(name).unit)
    if unit and cell_len(words) + cell_len(unit) + 3 <= cells:
        words = f"{words} ({unit})"
    return words + " " * (cells - cell_len(words))


def _cells(rows: _Rows, plan: list[_Column], seat: int) -> Text:
    if seat in rows.dead:
        when, cause = rows.dead[seat]
        since = f" {when}" if when else ""
        words = f"{rows.glyphs.gone}{since} {rows.style.words(cause)}"
        return Text(" " * _GAP + words.rstrip(), "dim red")
    line = Text()
    for one in plan:
        line.append(" " * _GAP)
        numbers = rows.numbers(one.name)
        if numbers is None:
            words = rows.words(one.name)[seat]
            line.append(words + " " * (one.cells - cell_len(words)))
            continue
        series = rows.course.own[one.name][:, seat]
        value = series[rows.view.round]
        above = _above(rows, one.name, value)
        figure = rows.style.figure(value, numbers.decimals).rjust(numbers.width)
        line.append(figure + ("!" if above else " "), "bold yellow" if above else "")
        begin = max(rows.view.round - one.course + 1, 0)
        window = series[begin : rows.view.round + 1] if one.course else series[:0]
        bars = rows.style.sparkline(window.tolist(), numbers.scale)
        line.append(f" {bars}".ljust(one.cells - one.figures), BARS)
    return line


def _above(rows: _Rows, name: str, value: float) -> bool:
    limit = last_common_fact(rows.scene.page, rows.scene.stage.limits.get(name, ""))
    return limit is not None and bool(value > float(limit[rows.view.replicate, 0]))


def _shown(rows: _Rows, room: int) -> list[int | str]:
    """Choose the rows: all seats, or the top and the bottom; around the chosen one.

    Of a crowd, quantiles stand between the top and the bottom.
    """
    order, view = rows.order, rows.view
    if len(order) <= room:
        return list(order)
    if view.agent in order:
        place = order.index(view.agent)
        start = min(max(place - room // 2, 0), len(order) - room)
        return list(order[start : start + room])
    spread = list(_QUANTILES) if len(order) > CROWD and room >= 2 * len(_QUANTILES) else []
    free = room - len(spread) - 1
    top, bottom = order[: free - free // 3], order[len(order) - free // 3 :]
    more = f"{len(order) - len(top) - len(bottom):,} more"
    return [*top, more, *spread, *bottom]


def _spread(rows: _Rows, plan: list[_Column], label: str, left: int) -> Text:
    """Draw a quantile of all who are there, or how many rows are left out."""
    line = Text(f"  {label}".ljust(left), "dim italic")
    if label not in _QUANTILES:
        return line
    for one in plan:
        numbers = rows.numbers(one.name)
        shown = ""
        if numbers is not None:
            values = rows.course.own[one.name][rows.view.round]
            known = values[np.isfinite(values)]
            value = np.quantile(known, _QUANTILES[label]) if len(known) else np.nan
            shown = rows.style.figure(value, numbers.decimals).rjust(numbers.width)
        line.append(" " * _GAP + shown.ljust(one.cells), "dim")
    return line
