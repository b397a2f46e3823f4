"""Ways through the inspector: from an event or an agent to its page, its exchanges, its eyes."""

from __future__ import annotations

from dataclasses import replace

from society.terminal.console import TerminalStyle

from .agent_rows import order_of
from .events import Event, events
from .exchanges import exchanges
from .history import History
from .view import NOBODY_CHOSEN, View

AGENT, EXCHANGE, EYES = "agent", "exchange", "eyes"  # screens
_NOBODY = "choose an agent first, with the arrows"


def enter(view: View, history: History) -> View:
    """Open what is chosen: the exchange behind an event, an agent's page, one of its exchanges."""
    if view.screen in (AGENT, EYES):
        return view.open(EXCHANGE)
    if view.screen:
        return view
    if view.pane == "agents":
        return view.open(AGENT) if view.agent != NOBODY_CHOSEN else replace(view, note=_NOBODY)
    event = _chosen_event(view, history)
    if event is None or event.agent == NOBODY_CHOSEN:
        return replace(view, note="nobody in particular is behind this; Enter opens agents' deeds")
    chosen = replace(view.choose(event.agent), exchange=0)
    found = exchanges(history, view.round, view.replicate, event.agent)
    kinds = [one.kind if one.hook == "answer" else "" for one in found]
    if event.question not in kinds:
        return chosen.open(AGENT)
    return replace(chosen, exchange=kinds.index(event.question)).open(EXCHANGE)


def _chosen_event(view: View, history: History) -> Event | None:
    found = events(history, view, TerminalStyle("utf-8", 80))
    return found[min(view.event, len(found) - 1)] if found else None


def look_through_eyes(view: View, history: History) -> View:
    """Open the round as the chosen agent was told of it, or close that."""
    if view.agent == NOBODY_CHOSEN:
        return replace(view, note=_NOBODY)
    return view.back() if view.screen == EYES else view.open(EYES)


def next_exchange(view: View, history: History, by: int) -> View:
    """Choose the next exchange of the agent in the round, or with by=-1 the one before."""
    count = len(exchanges(history, view.round, view.replicate, view.agent))
    place = min(view.exchange, max(count - 1, 0)) + by
    return replace(view, exchange=min(max(place, 0), max(count - 1, 0)), top=0)


def next_agent(view: View, history: History, by: int) -> View:
    """Choose the next agent in the order of the stage, or with by=-1 the one before."""
    order = order_of(history, view)
    place = order.index(view.agent) if view.agent in order else 0
    return replace(view, agent=order[(place + by) % len(order)], top=0)


def asks_a_model(view: View, history: History) -> bool:
    """Tell whether a model was asked in the exchange that one looks at."""
    found = exchanges(history, view.round, view.replicate, view.agent)
    return bool(found) and bool(found[min(view.exchange, len(found) - 1)].calls)


def show_changes(view: View, history: History) -> View:
    """Show the changes since the last prompt in place of the prompt, or the prompt again."""
    return replace(view, changes=not view.changes, top=0)
