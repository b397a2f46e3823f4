"""The keys of the theatre: each turns a view into another one; what they do is shown on screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from society.runs.match_names import has_matches
from society.terminal.console import TerminalStyle

from . import acts
from .agent_rows import order_of, sortings
from .events import events
from .forking import FORK, fork_words
from .history import History
from .inspection import (
    AGENT,
    EXCHANGE,
    EYES,
    asks_a_model,
    enter,
    look_through_eyes,
    next_agent,
    next_exchange,
    show_changes,
)
from .lanes import lanes
from .search import FOUND, find, go_to_hit
from .view import NOBODY_CHOSEN, Typing, View, parse_place

HELP = "help"
STAGE = ""  # the screen on which the theatre opens
Change = Callable[[View, History], View]


class Key(NamedTuple):
    """A key: its names as a terminal sends them, its label, a word for the key line, and its help.

    group: the heading of the help under which it stands. screens: where it means something;
    empty: everywhere. when: says whether it means something here.
    """

    group: str
    names: tuple[str, ...]
    label: str
    word: str
    help: str
    change: Change
    screens: tuple[str, ...] = ()
    when: Callable[[View, History], bool] = lambda view, history: True


def _move(view: View, history: History, by: int) -> View:
    """Move in the list that has the focus; on other screens, scroll."""
    if view.screen in acts.MOVES:
        return acts.MOVES[view.screen](view, history, by)
    if view.screen == AGENT:
        return next_exchange(view, history, by)
    if view.screen:
        last = len(find(history, view).hits) - 1 if view.screen == FOUND else view.top + by
        return view.scroll(min(by, last - view.top))
    if view.pane == "events":
        last = len(events(history, view, TerminalStyle("utf-8", 80))) - 1
        return replace(view, event=max(min(view.event + by, last), 0))
    order = order_of(history, view)
    if view.agent == NOBODY_CHOSEN:
        return view.choose(order[0 if by > 0 else -1])
    place = order.index(view.agent) + by
    return view.choose(order[min(max(place, 0), len(order) - 1)])


def _moves_in_time(view: View, history: History) -> bool:
    return view.screen != acts.RANKING


def _next_sort(view: View, history: History) -> View:
    names = sortings(history, view)
    here = names.index(view.sort) if view.sort in names else 0
    return view.sorted_by(names[(here + 1) % len(names)])


def _other_pane(view: View, history: History) -> View:
    return replace(view, pane="events" if view.pane == "agents" else "agents", event=0)


def _type(mode: Typing) -> Change:
    def begin(view: View, history: History) -> View:
        return replace(view, typing=mode, typed="", playing=False)

    return begin


def _has_replicates(view: View, history: History) -> bool:
    return history.manifest.replicates > 1


def _has_details(view: View, history: History) -> bool:
    return history.manifest.level != "summary"


def _has_agents(view: View, history: History) -> bool:
    """Check if agents are shown; without details, their calls to models are what there is."""
    return _has_details(view, history) or bool(history.manifest.prompts)


def _has_marks(view: View, history: History) -> bool:
    return _has_details(view, history) or bool(lanes(history, view.replicate))


def _has_rows(view: View, history: History) -> bool:
    """Check if there is something to choose, or a page to scroll."""
    return bool(view.screen) or _has_agents(view, history)


TIME, MARKS, CHOICE, MORE = "Time", "Marks", "Agents and events", "More"

# In the order in which the line of keys, which holds only what fits, and the help list them.
KEYS: tuple[Key, ...] = (
    Key(TIME, ("space",), "space", "play", "play, or pause", lambda v, h: v.toggle_playing(h)),
    Key(TIME, ("left",), "←", "", "one round back", lambda v, h: v.step(h, -1),
        when=_moves_in_time),
    Key(TIME, ("right",), "→", "round", "one round on", lambda v, h: v.step(h, 1),
        when=_moves_in_time),
    Key(TIME, ("shift+left", "pageup"), "⇧←", "", "ten rounds back", lambda v, h: v.step(h, -10)),
    Key(TIME, ("shift+right", "pagedown"), "⇧→", "", "ten rounds on", lambda v, h: v.step(h, 10)),
    Key(TIME, ("home",), "Home", "", "before the first round", lambda v, h: v.at(h, 0)),
    Key(TIME, ("end",), "End", "", "the last round", lambda v, h: v.at(h, h.last)),
    Key(TIME, ("full_stop",), ".", "", "the next generation, or game",
        lambda v, h: acts.outer_round(v, h, 1), when=acts.has_levels),
    Key(TIME, ("comma",), ",", "", "the generation, or game, before",
        lambda v, h: acts.outer_round(v, h, -1), when=acts.has_levels),
    Key(MORE, ("T", "upper_t"), "T", "lines", "lines of descent",
        acts.toggle(acts.LINEAGE), when=acts.has_lives),
    Key(MORE, ("m",), "m", "ranking", "ranking of types, matches",
        acts.toggle(acts.RANKING), when=acts.has_types_here),
    Key(MARKS, ("n",), "n", "mark", "next mark", lambda v, h: v.mark(h, 1),
        when=_has_marks),
    Key(MARKS, ("N", "upper_n", "p"), "N", "", "mark before", lambda v, h: v.mark(h, -1),
        when=_has_marks),
    Key(CHOICE, ("down",), "↓", "choose", "the row below", lambda v, h: _move(v, h, 1),
        when=_has_rows),
    Key(CHOICE, ("up",), "↑", "", "the row above", lambda v, h: _move(v, h, -1),
        when=_has_rows),
    Key(CHOICE, ("enter",), "Enter", "go there", "go to what was found", go_to_hit, (FOUND,)),
    Key(CHOICE, ("s",), "s", "sort", "sort founders the other way", acts.rearrange,
        (acts.LINEAGE,)),
    Key(CHOICE, ("d",), "d", "compare", "compare other lives with this one", acts.compare_lives,
        (acts.LINEAGE,)),
    Key(CHOICE, ("right",), "→", "opponent", "the next opponent",
        lambda v, h: acts.move_column(v, h, 1), (acts.RANKING,)),
    Key(CHOICE, ("left",), "←", "", "the opponent before",
        lambda v, h: acts.move_column(v, h, -1), (acts.RANKING,)),
    Key(CHOICE, ("enter",), "Enter", "matches", "matches of these two types",
        lambda v, h: v.open(acts.MATCHES), (acts.RANKING,)),
    Key(CHOICE, ("e",), "e", "selection", "types under selection, or a match", acts.rearrange,
        (acts.RANKING,)),
    Key(CHOICE, ("enter",), "Enter", "rounds", "rounds of this match", acts.open_match,
        (acts.MATCHES,)),
    Key(CHOICE, ("enter",), "Enter", "open", "open an agent, or an exchange",
        enter, (STAGE, AGENT, EYES), _has_agents),
    Key(CHOICE, ("e",), "e", "eyes", "look through an agent's eyes",
        look_through_eyes, (STAGE, AGENT, EXCHANGE, EYES), _has_details),
    Key(CHOICE, ("d",), "d", "changes", "changes since the last prompt",
        show_changes, (EXCHANGE,), asks_a_model),
    Key(CHOICE, ("shift+down", "f"), "⇧↓", "", "ten lines on", lambda v, h: v.scroll(10),
        (AGENT, EXCHANGE, EYES)),
    Key(CHOICE, ("shift+up", "b"), "⇧↑", "", "ten lines back", lambda v, h: v.scroll(-10),
        (AGENT, EXCHANGE, EYES)),
    Key(CHOICE, ("tab",), "Tab", "question", "the agent's next exchange in this round",
        lambda v, h: next_exchange(v, h, 1), (EXCHANGE,)),
    Key(CHOICE, ("shift+tab",), "⇧Tab", "", "the agent's exchange before",
        lambda v, h: next_exchange(v, h, -1), (EXCHANGE,)),
    Key(CHOICE, ("tab",), "Tab", "agent", "the next agent", lambda v, h: next_agent(v, h, 1),
        (AGENT, EYES)),
    Key(CHOICE, ("shift+tab",), "⇧Tab", "", "the agent before", lambda v, h: next_agent(v, h, -1),
        (AGENT, EYES)),
    Key(MORE, ("enter",), "Enter", "run", "run the fork", lambda v, h: v.ask_for("fork"), (FORK,)),
    Key(CHOICE, ("tab",), "Tab", "events", "choose among events, or agents", _other_pane, (STAGE,),
        _has_details),
    Key(CHOICE, ("s",), "s", "sort", "sort agents by the next column", _next_sort, (STAGE,),
        _has_details),
    Key(CHOICE, ("S", "upper_s"), "S", "", "turn that order around",
        lambda v, h: replace(v, reverse=not v.reverse), (STAGE,), _has_details),
    Key(CHOICE, ("slash",), "/", "find", "find agents, words, events", _type("find"),
        when=_has_details),
    Key(MORE, ("r",), "r", "replicate", "next replicate",
        lambda v, h: v.other_replicate(h, 1), when=_has_replicates),
    Key(MORE, ("R", "upper_r"), "R", "", "replicate before",
        lambda v, h: v.other_replicate(h, -1), when=_has_replicates),
    Key(TIME, ("j", "colon"), "j", "jump", "jump: round 30 or 3.1.5, r2", _type("jump")),
    Key(MARKS, ("right_square_bracket",), "]", "lane", "one lane only: the next one",
        lambda v, h: v.next_lane(h, 1), when=_has_marks),
    Key(MARKS, ("left_square_bracket",), "[", "", "the lane before, or all",
        lambda v, h: v.next_lane(h, -1), when=_has_marks),
    Key(MORE, ("g",), "g", "graph", "who did what to whom",
        acts.toggle(acts.GRAPH), when=acts.has_deeds),
    Key(TIME, ("plus", "equals_sign"), "+", "faster", "play faster", lambda v, h: v.faster(1)),
    Key(TIME, ("minus",), "-", "slower", "play slower", lambda v, h: v.faster(-1)),
    Key(MORE, ("c",), "c", "other run", "keys are about the other run",
        lambda v, h: replace(v, second=not v.second), when=lambda v, h: v.beside),
    Key(MORE, ("w",), "w", "parting", "where the two runs part",
        lambda v, h: replace(v, asked="parting"), when=lambda v, h: v.beside),
    Key(MORE, ("F", "upper_f"), "F", "fork", "what if: fork this run here", _type("fork")),
    Key(MORE, ("escape", "backspace"), "Esc", "back", "close, or let go",
        lambda v, h: v.back()),
    Key(MORE, ("question_mark", "h"), "?", "help", "this help",
        lambda v, h: v.back() if v.screen == HELP else v.open(HELP)),
)  # fmt: skip
QUIT = Key(MORE, ("q", "ctrl+q", "ctrl+c"), "q", "quit", "leave the theatre", lambda v, h: v)


def keys_of(history: History, view: View) -> list[Key]:
    """List the keys that mean something where one is; on the screens of acts, their own first."""
    found = [
        key
        for key in (*KEYS, QUIT)
        if (not key.screens or view.screen in key.screens) and key.when(view, history)
    ]
    if view.screen not in acts.MOVES:
        return found
    return sorted(found, key=lambda key: not (key.screens or "down" in key.names))


def press(history: History, view: View, name: str, character: str | None = None) -> View:
    """Return the view after a key; one that means nothing here changes nothing but the note."""
    view = replace(view, note="")
    if view.typing:
        return _typed(history, view, name, character)
    if character is not None and character.isdecimal() and character.isascii():
        return replace(view, typing="jump", typed=character, playing=False)
    for key in keys_of(history, view):
        if name in key.names:
            return key.change(view, history)
    return view


def _typed(history: History, view: View, name: str, character: str | None) -> View:
    if name in ("escape", "ctrl+c"):
        return replace(view, typing="", typed="")
    if name == "backspace":
        return replace(view, typed=view.typed[:-1])
    if name == "enter":
        return _entered(history, replace(view, typing="", typed=""), view.typing, view.typed)
    if character is not None and character.isprintable():
        return replace(view, typed=view.typed + character)
    return view


def _entered(history: History, view: View, mode: Typing, text: str) -> View:
    """Do what was typed in."""
    if mode == "fork":
        forked = replace(view, change=text.strip())
        try:
            fork_words(history, forked)
        except ValueError:
            return replace(view, note=f"the quotation in {text!r} does not end")
        return forked.open(FORK)
    if not text.strip():
        return view
    if mode == "find":
        return replace(view.open(FOUND), found=text, origin=view.round, top=0)
    if found := re.fullmatch(r"r\s*(\d{1,9})", text.strip()):
        return view.in_replicate(history, int(found[1]))
    place = parse_place(text)
    if place is None and has_matches(history.manifest):
        return acts.jump_to_match(view, history, text.strip())
    if place is None:
        words = "a round is a number, 30, or a path, 3.1.5; a replicate is r2"
        return replace(view, note=f"got {text!r}; {words}")
    return view.jump(history, place)
