"""What one agent was told: each line as it heard it, from the facts and their scopes in the record.

    common      everybody hears the value
    own         each agent hears its own entry
    seen GRAPH  each agent hears its own entry, and those of its present neighbours

Whom an agent sees on a graph is worked out by society.theatre.graphs. Where a graph stays unknown,
the neighbours' entries are left out, and the line says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np

from society.engine.graph import NOBODY, Graph
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.terminal.round_view import present_at_start

from .graphs import SEEN, Graphs, graphs_of, rewire
from .history import History


class KnownFact(NamedTuple):
    """A fact, or one entry of it, as an agent knows it.

    seat: of the agent whom it is about, NOBODY where it is common to all. value: as it was told,
    several entries as a list.
    """

    name: str
    scope: Literal["common", "own", "seen"]
    seat: int
    value: Any


class HeardLine(NamedTuple):
    """An event, or a question to an agent, as this agent heard it.

    place: its number among all lines of the round, -1 for questions beside the history. nth: the
    how-manieth line of its sort and kind in the round. unseen: graphs that are unknown, so that
    what was seen on them is left out.
    """

    sort: Literal["ask", "tell"]
    kind: str
    step: Step
    place: int
    nth: int
    facts: tuple[KnownFact, ...]
    unseen: tuple[str, ...]

    @property
    def aside(self) -> bool:
        """True for a question beside the history, as of a questionnaire."""
        return self.place < 0


def heard_lines(history: History, number: int, replicate: int, seat: int) -> list[HeardLine]:
    """List the lines of a round that reached an agent, as it heard them, in their order.

    Questions beside the history come last. At record level summary there are none.
    """
    page = history.page(number)
    return list(_Ear(history, page, replicate, seat).lines(number))


class _Ear:
    """Hears the lines of a round as one agent does."""

    def __init__(self, history: History, page: Page, replicate: int, seat: int) -> None:
        self._history, self._page = history, page
        self._replicate, self._seat = replicate, seat
        before = history.page(page.number - 1) if page.number else None
        present, running = present_at_start(page, before)
        self._present, self._running = present[replicate].copy(), bool(running[replicate, 0])
        self._counts: dict[tuple[str, str], int] = {}

    def lines(self, number: int) -> Iterator[HeardLine]:
        known = graphs_of(self._history)
        first, graphs = known.first, known.before(number)
        for place, step in enumerate(self._page.steps):
            graphs = rewire(graphs, first, step)
            arrays = step.arrays
            if ("back", "") in arrays:
                self._present |= arrays["back", ""][self._replicate]
            if self._hears(step, running=self._running):
                yield self._line(step, place, graphs)
            else:
                self._nth(step)
            if ("gone", "") in arrays:
                self._present &= ~arrays["gone", ""][self._replicate]
            for role in ("void", "ends"):
                if (role, "") in arrays:
                    self._running &= not arrays[role, ""][self._replicate, 0]
        for step in self._page.asides:
            if self._hears(step, running=True):
                yield self._line(step, -1, graphs)
            else:
                self._nth(step)

    def _hears(self, step: Step, *, running: bool) -> bool:
        if step.sort == "inherit" or not (running and self._present[self._seat]):
            return False
        who = step.arrays.get(("who", ""))
        return who is None or bool(who[self._replicate, self._seat])

    def _nth(self, step: Step) -> int:
        """Count a line; returns how many of its sort and kind were before it."""
        key = step.sort, step.kind
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key] - 1

    def _line(self, step: Step, place: int, graphs: Graphs) -> HeardLine:
        facts, unseen = list[KnownFact](), dict[str, None]()
        for (role, name), values in step.arrays.items():
            here = values[self._replicate]
            if role == "common":
                facts.append(KnownFact(name, "common", NOBODY, _plain(here[0])))
            elif role == "own":
                facts.append(KnownFact(name, "own", self._seat, _plain(here[self._seat])))
            elif role.startswith(SEEN):
                graph = role.removeprefix(SEEN)
                if graph not in graphs:
                    unseen[graph] = None
                facts += self._seen(name, here, graphs.get(graph))
        sort: Literal["ask", "tell"] = "ask" if step.sort == "ask" else "tell"
        return HeardLine(sort, step.kind, step, place, self._nth(step), tuple(facts), tuple(unseen))

    def _seen(self, name: str, values: Array, graph: Graph | None) -> Iterator[KnownFact]:
        """Yield the own entry, then those of the present neighbours."""
        yield KnownFact(name, "seen", self._seat, _plain(values[self._seat]))
        if graph is not None:
            for seat in graph.neighbours(self._replicate, self._seat).tolist():
                if self._present[seat] and seat != self._seat:
                    yield KnownFact(name, "seen", seat, _plain(values[seat]))


def _plain(value: Any) -> Any:
    """Return a number, text or list in place of numpy's own."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
