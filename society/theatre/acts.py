"""Screens for what a run has beside its rounds: a network, lines of descent, a ranking of types.

Whether a run has them follows from what is recorded: generations, types on seats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from rich.text import Text

from society.errors import InputError
from society.lineage import Life
from society.runs.match_names import MatchNames, has_matches
from society.terminal.console import TerminalStyle

from .descent import Descent, LineOrder, has_generations, lines_of_descent, read_descent
from .events import names_at
from .frame import Panel
from .history import History
from .lineage_panel import lineage_panel, price_panel
from .network_panel import network_panel
from .ranking_panel import (
    match_panel,
    meetings_panel,
    no_matches,
    ranking_panel,
    selection_panel,
)
from .relations import relations_at
from .round_deeds import deeds_in
from .standings_data import TypeStandings, has_types, read_standings
from .strategy_panel import strategy_panel
from .view import NOBODY_CHOSEN, View

GRAPH, LINEAGE, RANKING, MATCHES = "graph", "lineage", "ranking", "matches"
_BY_PHENOTYPE, _SELECTION = "phenotype", "selection"  # arrangements of a screen
_TALL = 30  # lines from which on more is told of a life
_LOW = 18  # lines below which a life has three of them
_PRICE = 57  # cells of the table of changes
_WIDE = 110  # cells from which on two panels stand side by side


def has_types_here(view: View, history: History) -> bool:
    """Check if a run has a ranking of types."""
    return has_types(history.manifest)


def has_lives(view: View, history: History) -> bool:
    """Check if a run has lines of descent."""
    return has_generations(history)


def has_deeds(view: View, history: History) -> bool:
    """Check if a run can tell who did what to whom."""
    return history.manifest.level == "full" and history.manifest.agents > 1


def first_screens(history: History) -> tuple[str, ...]:
    """Return the screens that are open at first: the ranking of a tournament, or none."""
    shown = has_types(history.manifest) and has_matches(history.manifest)
    return (RANKING,) if shown else ()


def network_screen(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw who did what to whom in this round."""
    names = names_at(history, view, style)
    return network_panel(
        deeds_in(history, view.round, view.replicate, names, style),
        relations_at(history, view.round, view.replicate),
        history.page(view.round).present[view.replicate].tolist(),
        names,
        width,
        height,
        style,
        view.agent,
    )


def lineage_screen(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw lines of descent, and below them the chosen life beside the one it comes from."""
    descent = read_descent(history, view.replicate)
    generation = descent.generation_of(view.round)
    below = 10 if height >= _TALL else 6 if height >= _LOW else 3
    panel = lineage_panel(
        descent, generation, view.row, order_of_lines(view), width, height - below - 1, style
    )
    panel += [Text() for _ in range(height - below - 1 - len(panel))]
    life = chosen_life(descent, view)
    beside, rule = descent.lineage.lives.get(view.life), Text(style.words("─") * width, "dim")
    if width < _WIDE or below < 10:
        told = strategy_panel(descent, life, generation, width, below, style, beside)
        return [*panel, rule, *told]
    left = width - _PRICE - 3
    told = strategy_panel(descent, life, generation, left, below, style, beside)
    price = price_panel(descent, generation, _PRICE, below, style)
    return [*panel, rule, *_beside(told, price, left, below)]


def order_of_lines(view: View) -> LineOrder:
    """Return how lines of descent are sorted."""
    return "phenotype" if view.arranged == _BY_PHENOTYPE else "descendants"


def chosen_life(descent: Descent, view: View) -> Life:
    """Return the life of the chosen line that lived in this generation, or nearest to it."""
    rows = lines_of_descent(descent, order_of_lines(view)).rows
    line = rows[min(max(view.row, 0), len(rows) - 1)]
    generation = descent.generation_of(view.round)
    lives = [descent.lineage.lives[number] for number in line.lives]
    return next((life for life in lives if life.last >= generation), lives[-1])


def ranking_screen(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """Draw the ranking; below it a match of the chosen two, and what selection would do."""
    standings = read_standings(history)
    row, column = chosen_types(standings, view)
    room = max(height // 2, min(len(standings.names) + 2, height - 8))
    panel = ranking_panel(standings, row, column, width, room, style)
    panel.append(Text())
    left = height - len(panel)
    found = _matches(standings, row, column)

    def match(cells: int) -> Panel:
        if not found:
            return [Text(style.cut(no_matches(standings), cells), "dim")]
        return match_panel(standings, found[0], 0, cells, left, style)

    if width < _WIDE:
        selected = view.arranged == _SELECTION
        return [*panel, *(selection_panel(standings, width, left, style) if selected
                          else match(width))]  # fmt: skip
    half = width // 2 - 2
    one = selection_panel(standings, half, left, style)
    return [*panel, *_beside(one, match(width - half - 3), half, left)]


def _beside(one: Panel, other: Panel, width: int, height: int) -> Panel:
    """Put two panels side by side; width: of the left one."""
    lines = []
    for place in range(height):
        line = one[place].copy() if place < len(one) else Text()
        line.truncate(width, overflow="crop", pad=True)
        line.append("   ").append_text(other[place] if place < len(other) else Text())
        lines.append(line)
    return lines


def matches_screen(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """List the matches of the chosen two types, and draw the one that is marked."""
    standings = read_standings(history)
    row, column = chosen_types(standings, view)
    found = _matches(standings, row, column)
    place = min(view.top, max(len(found) - 1, 0))
    room = height // 2
    panel = meetings_panel(standings, found, place, width, room, style)
    if found:
        panel.append(Text())
        panel += match_panel(standings, found[place], 0, width, height - len(panel), style)
    return panel


def chosen_types(standings: TypeStandings, view: View) -> tuple[int, int]:
    """Return the places of the chosen type and its opponent in the ranking."""
    count = len(standings.names)
    return min(max(view.row, 0), count - 1), min(max(view.column, 0), count - 1)


def _matches(standings: TypeStandings, row: int, column: int) -> list[int]:
    order = standings.ranking.tolist()
    return standings.replicates_of(order[row], order[column])


# What keys do on these screens.


def move_row(view: View, history: History, by: int) -> View:
    """Choose the line, or the type, that many rows below."""
    if view.screen == LINEAGE:
        descent = read_descent(history, view.replicate)
        count = len(lines_of_descent(descent, order_of_lines(view)).rows)
    else:
        count = len(history.manifest.cohorts)
    return replace(view, row=min(max(view.row + by, 0), count - 1))


def move_column(view: View, history: History, by: int) -> View:
    """Choose the opponent that many columns to the right."""
    return replace(view, column=min(max(view.column + by, 0), len(history.manifest.cohorts) - 1))


def move_match(view: View, history: History, by: int) -> View:
    """Choose the match that many rows below."""
    standings = read_standings(history)
    found = _matches(standings, *chosen_types(standings, view))
    return replace(view, top=min(max(view.top + by, 0), max(len(found) - 1, 0)))


def open_match(view: View, history: History) -> View:
    """Show the rounds of the chosen match."""
    standings = read_standings(history)
    found = _matches(standings, *chosen_types(standings, view))
    if not found:
        return replace(view, note=no_matches(standings))
    replicate = found[min(view.top, len(found) - 1)]
    name = MatchNames(history.manifest)[replicate].words()
    return replace(view, replicate=replicate, screens=(), top=0, note=f"match {name}").at(
        history, 0
    )


def jump_to_match(view: View, history: History, name: str) -> View:
    """Show the rounds of the match with this name; a note says if there is none."""
    try:
        replicate = MatchNames(history.manifest).find(name)
    except InputError as error:
        return replace(view, note=str(error))
    return replace(view, replicate=replicate, screens=(), top=0).at(history, view.round)


def rearrange(view: View, history: History) -> View:
    """Sort lines of descent the other way, or show the other panel below a ranking."""
    other = _BY_PHENOTYPE if view.screen == LINEAGE else _SELECTION
    return replace(view, arranged="" if view.arranged == other else other, row=view.row
                   if view.screen == RANKING else 0)  # fmt: skip


def compare_lives(view: View, history: History) -> View:
    """Keep the chosen life to compare others with it, or let go of it."""
    if view.life >= 0:
        return replace(view, life=-1, note="each life beside the one that it comes from")
    life = chosen_life(read_descent(history, view.replicate), view)
    return replace(view, life=life.number, note=f"others are compared with {life.name}")


def next_agent(view: View, history: History, by: int) -> View:
    """Show the deeds of the next agent alone; after the last one those of all."""
    count = history.manifest.agents
    place = (view.agent + 1 + by) % (count + 1) - 1
    return replace(view, agent=place if place >= 0 else NOBODY_CHOSEN)


def outer_round(view: View, history: History, by: int) -> View:
    """Go to the first round of the next generation, or game, or whatever holds the rounds."""
    path = history.paths[view.round]
    outer = path[0] + by if path else 1
    number = next((place for place, one in enumerate(history.paths) if one[:1] == (outer,)), None)
    return view if number is None else view.at(history, number)


def toggle(screen: str) -> Callable[[View, History], View]:
    """Return what opens a screen, or closes it if it is open."""

    def change(view: View, history: History) -> View:
        return view.back() if view.screen == screen else view.open(screen)

    return change


def has_levels(view: View, history: History) -> bool:
    """Check if rounds lie within others."""
    return len(history.paths[-1]) > 1


MOVES: Mapping[str, Callable[[View, History, int], View]] = {
    GRAPH: next_agent,
    LINEAGE: move_row,
    RANKING: move_row,
    MATCHES: move_match,
}
