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
from .frame import Panel, about_agent
from .glyphs import Glyphs
from .history import GONE, VACANT, History, Mark
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

    def __init__(self, history: History, view: View, room: int, style: TerminalStyle) -> None:
        self.history, self.view, self.style = history, view, style
        self.glyphs = Glyphs(style)
        self.scene: RoundView = scene_at(history, view.round)
        self.names: Names = names_at(history, view, style)
        self.traits = Traits(history.manifest, view.replicate)
        self.course = history.course(view.replicate)
        self.columns = agent_columns(history, view)
        self.lines = _chosen_lines(order_of(history, view), view, room)
        self.seats = [line for line in self.lines if isinstance(line, int)]
        self.dead = _dead(history, view)
        self._numbers: dict[str, _Numbers | None] = {}
        self._words: dict[str, dict[int, str]] = {}

    def numbers(self, name: str) -> _Numbers | None:
        """Return how a column of numbers is drawn; None for a column of words."""
        if name not in self._numbers:
            self._numbers[name] = self._measured(name)
        return self._numbers[name]

    def _measured(self, name: str) -> _Numbers | None:
        if self.traits.spec(name).labels:
            return None
        if name in self.course.own:
            rounds = self.history.gathered(self.view.replicate)
            return _scale(self.history, self.view.replicate, name, rounds, self.style)
        return _written(_recent(self.history, self.view, name), self.style)

    def latest(self, name: str, count: int) -> Array:
        """Return the last numbers of a column up to this round, (count or fewer, N)."""
        if name not in self.course.own:
            return _recent(self.history, self.view, name)[-count:]
        begin = max(self.view.round - count + 1, 0)
        return self.course.own[name][begin : self.view.round + 1]

    def words(self, name: str) -> dict[int, str]:
        """Return the words of a column for the seats that are shown."""
        if name not in self._words:
            self._words[name] = self._spelt(name)
        return self._words[name]

    def _spelt(self, name: str) -> dict[int, str]:
        values = self.scene.column(name)
        if values is None:
            return dict.fromkeys(self.seats, "")
        shown = self.traits.shown(name, values[self.view.replicate])
        decimals = min(decimals_for(shown), 3) if shown.dtype.kind in "iuf" else None
        return {
            seat: self.style.cut(self.style.figure(shown[seat], decimals), _LONGEST_WORDS)
            for seat in self.seats
        }


@lru_cache(maxsize=256)
def _scale(
    history: History, replicate: int, name: str, rounds: int, style: TerminalStyle
) -> _Numbers | None:
    return _written(history.course(replicate).own[name], style)


def _recent(history: History, view: View, name: str) -> Array:
    """Return a column that the index does not have, by round up to this one, (T, N)."""
    begin = max(view.round - _LONGEST_COURSE + 1, 0)
    told = [scene_at(history, number).column(name) for number in range(begin, view.round + 1)]
    blank = np.full(history.manifest.agents, np.nan)
    rows = [
        blank if values is None or values.dtype.kind not in "biuf" else values[view.replicate]
        for values in told
    ]
    return np.array(rows, float)


def _written(values: Array, style: TerminalStyle) -> _Numbers | None:
    """Return how numbers are written and drawn; None if there are none."""
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
    columns, meeting = scene.stage.columns, scene.stage.meeting
    if not columns and meeting is not None:
        columns = (meeting.deed, meeting.holds)
    names = dict.fromkeys((*columns, *Traits(history.manifest, view.replicate).names))
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
        less = history.manifest.stage.better.get(view.sort) == "less"
        key = _sort_values(history, view) * (1 if less else -1)  # the best comes first
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


def _dead(history: History, view: View) -> dict[int, Mark]:
    """Return when and how those left, or never came, who are not there at the end of the round."""
    absent = np.flatnonzero(~history.page(view.round).present[view.replicate]).tolist()
    found = lanes(history, view.replicate) if absent else {}
    marks = [
        mark for name in (VACANT, GONE) if name in found for mark in found[name].until(view.round)
    ]
    last = {mark.agent: mark for mark in marks}
    return {seat: last.get(seat, Mark(0, GONE, "", seat)) for seat in absent}


def agent_rows(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw the agents: a heading, and a row each; of too many the top, quantiles and the bottom."""
    rows = _Rows(history, view, height - 1, style)
    # Of all names the last is among the longest, so that widths stay when others are shown.
    last = history.manifest.agents - 1
    names = {seat: style.cut(rows.names[seat], _LONGEST_NAME) for seat in (*rows.seats, last)}
    types = rows.names.cohorts if rows.names.several else [""] * len(rows.names.cohorts)
    stub = max(map(cell_len, names.values()))
    kinds = max(map(cell_len, dict.fromkeys(types)))
    left = 2 + stub + (kinds + 2 if kinds else 0)
    plan = _plan(rows, width - left)
    heading = Text("  " + _headed(rows, "", "agent").ljust(stub), "dim")
    if kinds:
        heading.append("  " + _headed(rows, TYPE, "type").ljust(kinds))
    for one in plan:
        heading.append(" " * _GAP + _heading(rows, one.name, one.cells))
    panel = [heading]
    for seat in rows.lines:
        if isinstance(seat, str):
            panel.append(_spread(rows, plan, seat, left))
            continue
        chosen = seat == view.agent
        focused = chosen and view.pane == "agents"
        line = Text().append(f"{rows.glyphs.chosen if chosen else ' '} ", "bold cyan")
        line.append(names[seat], "bold reverse" if focused else "")
        line.append(" " * (stub - cell_len(names[seat])))
        if kinds:
            line.append("  " + types[seat] + " " * (kinds - cell_len(types[seat])), "dim")
        line.append_text(_cells(rows, plan, seat))
        if focused:
            line.stylize("bold")
        panel.append(about_agent(line, seat))
    return panel


class _Column(NamedTuple):
    """A column as it is drawn: its cells, those of its figures, and those of its course."""

    name: str
    cells: int
    figures: int
    course: int


def _plan(rows: _Rows, room: int) -> list[_Column]:
    """Choose the columns that fit; courses are worth more than what agents were born with."""
    plan = _fitting(rows, rows.columns, room)
    if any(one.course for one in plan):
        return plan
    return _fitting(rows, [name for name in rows.columns if name in rows.scene.stage.columns], room)


def _fitting(rows: _Rows, names: list[str], room: int) -> list[_Column]:
    """Choose how wide columns are, and how long the course of each may be."""
    columns = list[_Column]()
    for name in names:
        numbers = rows.numbers(name)
        if numbers is None:
            width = max(map(cell_len, rows.words(name).values()), default=0)
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
    if unit and unit != name and cell_len(words) + cell_len(unit) + 3 <= cells:
        words = f"{words} ({unit})"
    return words + " " * (cells - cell_len(words))


def _cells(rows: _Rows, plan: list[_Column], seat: int) -> Text:
    if seat in rows.dead:
        mark = rows.dead[seat]
        if mark.lane == VACANT:
            return Text(f"{' ' * _GAP}{rows.glyphs.vacant} {rows.style.words(mark.words)}", "dim")
        since = f" {mark.round}" if mark.round else ""
        words = f"{rows.glyphs.gone}{since} {rows.style.words(mark.words)}"
        return Text(" " * _GAP + words.rstrip(), "dim red")
    line = Text()
    for one in plan:
        line.append(" " * _GAP)
        numbers = rows.numbers(one.name)
        if numbers is None:
            words = rows.words(one.name)[seat]
            line.append(words + " " * (one.cells - cell_len(words)))
            continue
        series = rows.latest(one.name, max(one.course, 1))[:, seat]
        value = series[-1]
        above = _above(rows, one.name, value)
        figure = rows.style.figure(value, numbers.decimals).rjust(numbers.width)
        line.append(figure + ("!" if above else " "), "bold yellow" if above else "")
        window = series.tolist() if one.course else []
        bars = rows.style.sparkline(window, numbers.scale)
        line.append(f" {bars}".ljust(one.cells - one.figures), BARS)
    return line


def _above(rows: _Rows, name: str, value: float) -> bool:
    limit = last_common_fact(rows.scene.page, rows.scene.stage.limits.get(name, ""))
    return limit is not None and bool(value > float(limit[rows.view.replicate, 0]))


def _chosen_lines(order: list[int], view: View, room: int) -> list[int | str]:
    """Choose the rows: all seats, or the top and the bottom; around the chosen one.

    Of a crowd, quantiles stand between the top and the bottom.
    """
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
            values = rows.latest(one.name, 1)[-1]
            known = values[np.isfinite(values)]
            value = np.quantile(known, _QUANTILES[label]) if len(known) else np.nan
            shown = rows.style.figure(value, numbers.decimals).rjust(numbers.width)
        line.append(" " * _GAP + shown.ljust(one.cells), "dim")
    return line
