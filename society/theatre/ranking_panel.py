"""A tournament: types from the best to the worst, against whom, and one match move by move."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np
from rich.cells import cell_len, set_cell_size
from rich.text import Text

from society.engine.rng import Array
from society.runs.match_names import MatchNames
from society.terminal.console import TerminalStyle, decimals_for, flow_items
from society.terminal.labels import count_noun, describe_status

from .frame import Panel
from .glyphs import Glyphs
from .standings_data import MatchCourse, TypeStandings, action_signs, option_for

_MOST_NAME, _COLUMN, _BAR = 14, 5, 16  # cells
_LEAST_BAR = 6
_HIGHEST = 16  # lines of a picture of shares
_INKS = ("cyan", "green", "yellow", "magenta", "blue", "red", "bright_cyan", "bright_green")
_MARKS = "123456789abcdefghijklmnopqrstuvwxyz"


def ranking_panel(
    standings: TypeStandings,
    row: int,
    column: int,
    width: int,
    height: int,
    style: TerminalStyle,
) -> Panel:
    """Draw the ranking, and the scores beside as many opponents as there is room for.

    row, column: places in the ranking of the chosen type and of its opponent.
    """
    count = len(standings.names)
    row, column = (min(max(place, 0), count - 1) for place in (row, column))
    table = _RankingTable(standings, column, width, style)
    room = max(height - 2, 1)
    first = min(max(row - room // 2, 0), max(count - room, 0))
    rows = [table.row(place, row) for place in range(first, min(first + room, count))]
    return [table.title(), table.heading(), *rows][:height]


class _RankingTable:
    """The columns of the ranking at one width."""

    def __init__(
        self, standings: TypeStandings, column: int, width: int, style: TerminalStyle
    ) -> None:
        self.standings, self.width, self.style = standings, width, style
        self.column = column
        self.order = standings.ranking.tolist()
        self.names = [style.cut(standings.names[kind], _MOST_NAME) for kind in self.order]
        self.name = max(map(cell_len, self.names)) + 1
        known = standings.score[np.isfinite(standings.score)]
        self.most = float(known.max(initial=0.0))
        self.decimals = max(decimals_for(standings.score), 2)
        self.score = max(len(style.figure(value, self.decimals)) for value in standings.score) + 1
        room = width - 5 - self.name - self.score - 6  # the rank, and the share that cooperates
        self.met = np.empty((0, 0)) if standings.met is None else standings.met
        figures = [len(style.figure(value, 1)) for value in self.met.flat]
        self.cell = max([_COLUMN - 1, *figures]) + 1
        fitting = max((room - _LEAST_BAR - 1) // self.cell, 1)
        first = min(max(column - fitting // 2, 0), max(len(self.met) - fitting, 0))
        self.opponents = range(first, min(first + fitting, len(self.met)))
        self.bar = min(max(room - len(self.opponents) * self.cell - 1, 0), _BAR)
        self.nice = bool(np.isfinite(standings.cooperation).any())

    def title(self) -> Text:
        cell, style = self.standings.cell, self.style
        dot = style.words(" · ")
        matches = len(cell.types) * cell.matches
        played = "1 match" if matches == 1 else f"{matches:,} matches"
        void = int(cell.void.sum())
        words = [count_noun(len(self.names), "type"), played, f"{void} void"]
        if cell.run.status != "finished":
            words.append(f"so far: {describe_status(cell.run.status)}")
        return Text(style.cut(dot.join(words), self.width), "bold")

    def heading(self) -> Text:
        line = Text().append(" " * 5 + "type".ljust(self.name) + "score".rjust(self.score), "dim")
        line.append(" " * (self.bar + 1))
        for place in self.opponents:
            name = self.names[place]
            short = set_cell_size(name, min(cell_len(name), self.cell - 1))
            short = " " * (self.cell - cell_len(short)) + short
            line.append(short, "bold" if place == self.column else "dim")
        if self.nice:
            line.append("coop.".rjust(6), "dim")
        return line

    def row(self, place: int, chosen: int) -> Text:
        standings, style, kind = self.standings, self.style, self.order[place]
        mark = Glyphs(style).chosen
        bold = "bold" if place == chosen else ""
        line = Text().append(mark if place == chosen else " ", "bold cyan")
        line.append(f"{place + 1:>3} ")
        line.append(set_cell_size(self.names[place], self.name), bold)
        line.append(style.figure(standings.score[kind], self.decimals).rjust(self.score), bold)
        share = standings.score[kind] / self.most if self.most > 0 else 0.0
        line.append(" ").append(style.bar(share, self.bar).ljust(self.bar), "blue")
        for other in self.opponents:
            ink = "bold reverse" if (place, other) == (chosen, self.column) else ""
            figure = style.figure(self.met[kind, self.order[other]], 1)
            line.append(" " * (self.cell - len(figure))).append(figure, ink)
        if self.nice:
            line.append(style.figure(standings.cooperation[kind], 2).rjust(6))
        return line


def selection_panel(
    standings: TypeStandings, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw the shares of types under selection from equal shares, stacked.

    Each type is drawn by its place in the ranking, so that it is told apart without colour.
    """
    shares, missing = standings.selection
    style = TerminalStyle(style.encoding, width)
    if missing:
        return list(flow_items([Text(f"selection: {missing}", "dim")], width))[:height]
    order = standings.ranking.tolist()
    legend = list(flow_items(_legend(standings, shares, style), width, gap="  "))
    rows = min(height - len(legend) - 2, _HIGHEST)
    panel: Panel = [Text(style.cut("shares of types under selection, from equal shares", width),
                         "bold")]  # fmt: skip
    if rows >= 3:
        cells = width - 5
        steps = np.linspace(0, len(shares) - 1, cells).round().astype(int)
        picture = stacked(shares[steps][:, order], rows)
        for place, marks in enumerate(picture):
            label = "100%" if place == 0 else "  0%" if place == rows - 1 else ""
            line = Text().append(f"{label:>4} ", "dim")
            for kind, some in groupby(marks):
                line.append(_MARKS[kind % len(_MARKS)] * len(list(some)), _INKS[kind % len(_INKS)])
            panel.append(line)
        last = f"{len(shares) - 1:,}"
        panel.append(Text(f"     0{'steps of selection':^{cells - 1 - len(last)}}{last}", "dim"))
    return [*panel, *legend][:height]


def stacked(shares: Array, rows: int) -> list[list[int]]:
    """Return which type fills each cell, from the top; shares: (C, K), that sum to 1.

    The first type lies at the bottom.

    >>> stacked(np.array([[0.5, 0.5], [1.0, 0.0]]), 2)
    [[1, 0], [0, 0]]
    """
    ends = shares.cumsum(1)
    middles = (np.arange(rows)[::-1] + 0.5) / rows
    kinds = [[int(np.searchsorted(own, middle)) for own in ends] for middle in middles]
    most = shares.shape[1] - 1
    return [[min(kind, most) for kind in row] for row in kinds]


def _legend(standings: TypeStandings, shares: Array, style: TerminalStyle) -> list[Text]:
    """Name each type with its last share, or when it fell below 1 %."""
    items = []
    for place, kind in enumerate(standings.ranking.tolist()):
        last = shares[-1, kind]
        if last >= 0.01:
            words = f"{100 * last:.0f} %"
        else:
            above = np.flatnonzero(shares[:, kind] >= 0.01)
            words = f"gone at {int(above[-1]) + 1 if above.size else 0}"
        name = style.cut(standings.names[kind], _MOST_NAME)
        items.append(
            Text(f"{_MARKS[place % len(_MARKS)]} {name} {words}", _INKS[place % len(_INKS)])
        )
    return items


def match_panel(
    standings: TypeStandings,
    replicate: int,
    number: int,
    width: int,
    height: int,
    style: TerminalStyle,
) -> Panel:
    """Draw a match: a strip of actions for each player, and its course in words.

    number: the round that one looks at, 0 for none.
    """
    style = TerminalStyle(style.encoding, width)
    cell = standings.cell
    course = standings.course(replicate)
    match = MatchNames(cell.run.manifest)[replicate]
    panel: Panel = [Text(style.cut(f"match {match.words()}", width), "bold")]
    if cell.void[replicate]:
        return [*panel, Text("void: an answer could not be read", "red")][:height]
    if not len(course.rounds):
        return [*panel, Text("nothing has been played yet", "dim")][:height]
    signs = action_signs(cell.game.actions, cell.game.cooperation)
    panel += _strips(course, signs, number, width, style)
    panel.append(Text(style.cut(_sign_words(standings, signs), width), "dim"))
    words = list(flow_items(_course_words(course, signs, style), width, gap="  "))
    panel += words
    if len(panel) > height:
        panel = [*panel[: height - 1], Text("and so on", "dim")]
    return panel


def _strips(
    course: MatchCourse, signs: list[str], number: int, width: int, style: TerminalStyle
) -> Panel:
    """Draw the actions of each player, one cell a round, and its score."""
    name = min(max(map(cell_len, course.types)), _MOST_NAME) + 1
    room = max(width - name - 13, 8)
    count = len(course.rounds)
    here = int(np.searchsorted(course.rounds, number)) if number else -1
    first = min(max(here - room // 2, 0), max(count - room, 0))
    last = min(first + room, count)
    panel: Panel = []
    decimals = max(decimals_for(course.scores), 2)
    for player, kind in enumerate(course.types):
        line = Text(set_cell_size(style.cut(kind, name - 1), name))
        for place in range(first, last):
            action = int(course.actions[place, player])
            sign = signs[action] if 0 <= action < len(signs) else "?"
            ink = _INKS[action % len(_INKS)]
            line.append(sign, f"{ink} bold reverse" if place == here else ink)
        line.append(" " * (room - (last - first)))
        line.append(f" score {style.figure(course.scores[player], decimals)}")
        panel.append(line)
    begin, end = (f"{course.rounds[place]}" for place in (first, last - 1))
    gap = " " * max(last - first - len(begin) - len(end), 1)
    panel.append(Text(" " * name + begin + (gap + end if last - first > 1 else ""), "dim"))
    return panel


def _sign_words(standings: TypeStandings, signs: list[str]) -> str:
    """Say what each sign stands for, and which action cooperates."""
    game = standings.cell.game
    labels = max(game.actions, key=len)
    kind = [""] * len(labels)
    if game.cooperation is not None and len(set(game.cooperation)) == 1:
        kind[game.cooperation[0]] = " (cooperation)"
    pairs = zip(signs, labels, kind, strict=True)
    return "  ".join(f"{sign} {label}{which}" for sign, label, which in pairs)


def _course_words(course: MatchCourse, signs: list[str], style: TerminalStyle) -> list[Text]:
    """Tell the course of a match: games in a row with the same actions are told together."""
    rows = [tuple(row) for row in course.actions.tolist()]
    items, at = list[Text](), 0
    dash = style.words("–")
    for actions, some in groupby(rows):
        count = len(list(some))
        first, last = course.rounds[at], course.rounds[at + count - 1]
        span = f"{first}" if count == 1 else f"{first}{dash}{last}"
        did = " ".join(signs[one] if 0 <= one < len(signs) else "?" for one in actions)
        items.append(Text.assemble((f"{span} ", "dim"), did))
        at += count
    return items


def meetings_panel(
    standings: TypeStandings,
    found: Sequence[int],
    chosen: int,
    width: int,
    height: int,
    style: TerminalStyle,
) -> Panel:
    """List matches, each a replicate, with what each seat scored; chosen: which is marked."""
    cell = standings.cell
    names = MatchNames(cell.run.manifest)
    panel: Panel = []
    mark = Glyphs(style).chosen
    first = min(max(chosen - height // 2, 0), max(len(found) - height, 0))
    for place in range(first, min(first + height, len(found))):
        replicate = found[place]
        course = standings.course(replicate)
        scores = ", ".join(style.figure(score, 2) for score in course.scores)
        option = option_for(cell.run.manifest, replicate)
        lead = f"{mark if place == chosen else ' '} "
        words = f"{lead}{names[replicate].words()}: {scores}   {option}"
        panel.append(Text(style.cut(words, width), "bold" if place == chosen else ""))
    return panel or [Text(style.cut(no_matches(standings), width), "dim")]


def no_matches(standings: TypeStandings) -> str:
    """Say why there is no match of two types."""
    if standings.cell.matches > 1:
        return "partners change within a replicate, so that there are no matches by type"
    return "these two types have not met"
