"""What one agent was told: each line as it heard it, from the facts and their scopes in the record.

    common      everybody hears the value
    own         each agent hears its own entry
    seen GRAPH  each agent hears its own entry, and those of its present neighbours

Whom an agent sees on a graph stands in no record: complete graphs are named in the manifest, others
are drawn again by the program's own code, never by that of a file of the user's, and then follow
the joins, cuts and groups in the record. Where a graph stays unknown, the neighbours' entries are
left out, and the line says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from society.engine.graph import NOBODY, Complete, Graph, LabelGroups
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.errors import SocietyError
from society.runs.manifest import Manifest
from society.runs.trust import refuse_user_code
from society.terminal.round_view import present_at_start
from society.user_code import guard_user_code

from .history import History

_REWIRING = frozenset({"join", "cut", "group", "restored"})
_SEEN = "seen "
Graphs = Mapping[str, Graph]


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


class Neighbourhoods:
    """The graphs of a history, at the beginning of any round."""

    def __init__(self, history: History) -> None:
        self._history = history
        roles = [
            key
            for look in history.run.looks()
            for line in look.lines
            for key in line[3]
            if key[0] in _REWIRING or key[0].startswith(_SEEN)
        ]
        seen = {role.removeprefix(_SEEN) for role, _ in roles if role.startswith(_SEEN)}
        self._rewired = {name for role, name in roles if role in _REWIRING}
        self.first = _first_graphs(history.manifest, seen | self._rewired)
        self._known: tuple[int, Graphs] = 0, self.first

    def before(self, number: int) -> Graphs:
        """Return the graphs before the first line of a round, by name; unknown ones are missing."""
        if not self._rewired:
            return self.first
        start, graphs = self._known
        reset = self._reset(number, start if start <= number else 0)
        if start > number or reset > start:
            start, graphs = reset, self.first
        for at in range(start, number):
            for step in self._history.page(at).steps:
                graphs = rewire(graphs, self.first, step)
        self._known = number, graphs
        return graphs

    def _reset(self, number: int, stop: int) -> int:
        """Return the last round, `stop` at least, whose own lines make up all later graphs."""
        left = set(self._rewired)
        while number > stop and left:
            number -= 1
            for step in self._history.page(number).steps:
                left -= {name for role, name in step.arrays if role in ("group", "restored")}
        return number


_NEIGHBOURHOODS: WeakKeyDictionary[History, Neighbourhoods] = WeakKeyDictionary()


def neighbourhoods(history: History) -> Neighbourhoods:
    """Return the graphs of a history, which are drawn once."""
    if history not in _NEIGHBOURHOODS:
        _NEIGHBOURHOODS[history] = Neighbourhoods(history)
    return _NEIGHBOURHOODS[history]


def _first_graphs(manifest: Manifest, needed: set[str]) -> Graphs:
    ids = np.arange(manifest.agents)
    complete = {name: Complete(manifest.replicates, ids) for name in manifest.complete or ()}
    if needed <= complete.keys():
        return complete
    try:
        with guard_user_code(refuse_user_code):
            return manifest.society().environment().graphs
    except SocietyError:
        return complete


def rewire(graphs: Graphs, first: Graphs, step: Step) -> Graphs:
    """Return the graphs after a line, from those before it and those at the very start."""
    changed = dict(graphs)
    edits: dict[str, dict[str, Array]] = {}
    for (role, name), values in step.arrays.items():
        if role == "restored" and name in first:
            changed[name] = first[name]
        elif role == "group":
            changed[name] = LabelGroups(np.arange(values.shape[1]), values)
        elif role in ("join", "cut"):
            edits.setdefault(name, {})[role] = values
    for name, edit in edits.items():
        if name in changed:
            changed[name] = changed[name].edited(edit.get("join"), edit.get("cut"))
    return changed


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
        known = neighbourhoods(self._history)
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
            elif role.startswith(_SEEN):
                graph = role.removeprefix(_SEEN)
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
