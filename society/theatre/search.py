"""Search a history: agents by name, and whatever was said or done in any round."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from rich.text import Text

from society.terminal.console import TerminalStyle
from society.terminal.labels import RoundLabels, count_noun

from .events import events, names_in
from .frame import Panel
from .glyphs import Glyphs
from .history import History
from .view import View

FOUND = "found"  # the screen that lists what was found
_MOST = 200  # that are listed
_ROUNDS = 2_000  # that are searched, the next ones first
_BEFORE = 24  # cells that are shown before what was searched for


class Hit(NamedTuple):
    """A place where a text occurs: the round, the agent (-1: nobody), the event, and its words.

    event: its place in the round; -1 for the name of an agent.
    """

    round: int
    agent: int
    event: int
    words: str


class Hits(NamedTuple):
    """All places that were found. searched: rounds that were looked through; more: left out."""

    hits: tuple[Hit, ...]
    searched: int
    more: bool


def find(history: History, view: View) -> Hits:
    """Find the text that the view names, in the replicate that it shows."""
    return _find(history, history.last, view.replicate, view.found.casefold(), view.origin)


@lru_cache(maxsize=8)
def _find(history: History, last: int, replicate: int, text: str, start: int) -> Hits:
    style = TerminalStyle("utf-8", 200, whole=True)
    names = names_in(history, replicate, start, style)
    found = [
        Hit(start, seat, -1, names.with_type(seat))
        for seat in range(history.manifest.agents)
        if text in names.with_type(seat).casefold()
    ][:_MOST]
    rounds = [*range(start, last + 1), *range(start)][:_ROUNDS]
    for number in rounds:
        there = events(history, View(round=number, replicate=replicate), style)
        for place, event in enumerate(there):
            words = event.words.plain.strip()
            if text in words.casefold():
                found.append(Hit(number, event.agent, place, words))
        if len(found) > _MOST:
            break
    return Hits(tuple(found[:_MOST]), len(rounds), len(found) > _MOST)


def found_panel(
    history: History, view: View, width: int, height: int, style: TerminalStyle
) -> Panel:
    """List what was found, a line each; Enter goes there."""
    hits, searched, more = find(history, view)
    count = f"more than {len(hits)}" if more else f"{len(hits)}"
    head = f' {count} found for "{view.found}"'
    if not more and searched <= history.last:
        head += f" in the next {count_noun(searched, 'round')}"
    panel: Panel = [style.text(head, "bold"), Text()]
    room = height - len(panel)
    chosen = min(view.top, max(len(hits) - 1, 0))
    start = min(max(chosen - room // 2, 0), max(len(hits) - room, 0))
    labels = RoundLabels(history.manifest)
    for place, hit in enumerate(hits[start : start + room], start):
        when = labels.label(history.page(hit.round))
        at = max(hit.words.casefold().find(view.found.casefold()) - _BEFORE, 0)
        words = hit.words if at == 0 else f"… {hit.words[at:]}"
        line = Text().append(f"{Glyphs(style).chosen if place == chosen else ' '} ", "bold cyan")
        line.append(style.cut(f"{when}  {words}", width - 3), "bold" if place == chosen else "")
        line.highlight_regex(f"(?i){re.escape(style.words(view.found))}", "bold yellow")
        panel.append(line)
    return panel


def go_to_hit(view: View, history: History) -> View:
    """Go to the place that is chosen in the list; stay if nothing was found."""
    hits = find(history, view).hits
    if not hits:
        return view.back()
    hit = hits[min(view.top, len(hits) - 1)]
    there = view.back().at(history, hit.round)
    if hit.event < 0:
        return replace(there, agent=hit.agent, pane="agents")
    return replace(there, agent=hit.agent, event=hit.event, pane="events")
