"""The keys of the theatre: each turns a view into another one; what they do is shown on screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from .agent_rows import order_of, sortings
from .history import History
from .view import NOBODY_CHOSEN, Typing, View, parse_place

HELP = "help"
STAGE = ""  # the screen on which the theatre opens
Change = Callable[[View, History], View]


class Key(NamedTuple):
    """A key: its names as a terminal sends them, its label, a word for the key line, and its help.

    screens: where it means something; empty: everywhere.
    """

    names: tuple[str, ...]
    label: str
    word: str
    help: str
    change: Change
    screens: tuple[str, ...] = ()


def _move(view: View, history: History, by: int) -> View:
    """Move in the list that has the focus; on other screens, scroll."""
    if view.screen:
        return replace(view, top=max(view.top + by, 0))
    if view.pane == "events":
        return replace(view, event=max(view.event + by, 0))
    order = order_of(history, view)
    if view.agent == NOBODY_CHOSEN:
        return view.choose(order[0 if by > 0 else -1])
    place = order.index(view.agent) + by
    return view.choose(order[min(max(place, 0), len(order) - 1)])


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


# In the order in which the line of keys, which holds only what fits, and the help list them.
KEYS: tuple[Key, ...] = (
    Key(("space",), "space", "play", "play, or pause", lambda v, h: v.toggle_playing(h)),
    Key(("left",), "←", "", "one round back", lambda v, h: v.step(h, -1)),
    Key(("right",), "→", "round", "one round on", lambda v, h: v.step(h, 1)),
    Key(("shift+left", "pageup"), "⇧←", "", "ten rounds back", lambda v, h: v.step(h, -10)),
    Key(("shift+right", "pagedown"), "⇧→", "", "ten rounds on", lambda v, h: v.step(h, 10)),
    Key(("n",), "n", "mark", "next mark", lambda v, h: v.mark(h, 1)),
    Key(("N", "upper_n", "p"), "N", "", "mark before", lambda v, h: v.mark(h, -1)),
    Key(("down",), "↓", "choose", "the row below", lambda v, h: _move(v, h, 1)),
    Key(("up",), "↑", "", "the row above", lambda v, h: _move(v, h, -1)),
    Key(("tab",), "Tab", "events", "choose among events, or among agents", _other_pane, (STAGE,)),
    Key(("s",), "s", "sort", "sort agents by the next column", _next_sort, (STAGE,)),
    Key(("S", "upper_s"), "S", "", "turn the order of agents around",
        lambda v, h: replace(v, reverse=not v.reverse), (STAGE,)),
    Key(("r",), "r", "replicate", "next replicate", lambda v, h: v.other_replicate(h, 1)),
    Key(("R", "upper_r"), "R", "", "replicate before", lambda v, h: v.other_replicate(h, -1)),
    Key(("j", "colon"), "j", "jump", "jump to a round: 30, or 3.1.5", _type("jump")),
    Key(("right_square_bracket",), "]", "lane", "show one lane of marks only: the next one",
        lambda v, h: v.next_lane(h, 1)),
    Key(("left_square_bracket",), "[", "", "show the lane before; all of them before the first",
        lambda v, h: v.next_lane(h, -1)),
    Key(("plus", "equals_sign"), "+", "faster", "play faster", lambda v, h: v.faster(1)),
    Key(("minus",), "-", "slower", "play slower", lambda v, h: v.faster(-1)),
    Key(("home",), "Home", "", "before the first round", lambda v, h: v.at(h, 0)),
    Key(("end",), "End", "", "the last round", lambda v, h: v.at(h, h.last)),
    Key(("escape", "backspace"), "Esc", "back", "close this; let go of what is chosen",
        lambda v, h: v.back()),
    Key(("question_mark", "h"), "?", "help", "this help",
        lambda v, h: v.back() if v.screen == HELP else v.open(HELP)),
)  # fmt: skip
QUIT = Key(("q", "ctrl+q", "ctrl+c"), "q", "quit", "leave the theatre", lambda v, h: v)


def keys_of(screen: str) -> list[Key]:
    """List the keys that mean something on a screen."""
    return [key for key in (*KEYS, QUIT) if not key.screens or screen in key.screens]


def press(history: History, view: View, name: str, character: str | None = None) -> View:
    """Return the view after a key; one that means nothing here changes nothing but the note."""
    view = replace(view, note="")
    if view.typing:
        return _typed(history, view, name, character)
    if character is not None and character.isdecimal() and character.isascii():
        return replace(view, typing="jump", typed=character, playing=False)
    for key in keys_of(view.screen):
        if name in key.names:
            return key.change(view, history)
    return view


def _typed(history: History, view: View, name: str, character: str | None) -> View:
    if name in ("escape", "ctrl+c"):
        return replace(view, typing="", typed="")
    if name == "backspace":
        return replace(view, typed=view.typed[:-1])
    if name == "enter":
        done = replace(view, typing="", typed="")
        place = parse_place(view.typed)
        if place is None:
            return replace(done, note="a round is a number, 30, or a path, 3.1.5")
        return done.jump(history, place)
    if character is not None and character.isprintable():
        return replace(view, typed=view.typed + character)
    return view
