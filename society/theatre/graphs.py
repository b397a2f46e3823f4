"""The interaction graphs of a run in any round.

Run files keep no edges: complete graphs are named in the manifest; others are drawn again by the
program's own code, never by that of a file of the user's, and then follow the joins, cuts and
groups in the record.
"""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np

from society.engine.graph import Complete, Graph, LabelGroups
from society.engine.history import Step
from society.engine.rng import Array
from society.errors import SocietyError, UntrustedCodeError
from society.runs.trust import refuse_user_code
from society.user_code import guard_user_code

from .history import History

SEEN = "seen "  # the role of facts of which neighbours on a graph see each other's
_REWIRING = frozenset({"join", "cut", "group", "restored"})
Graphs = Mapping[str, Graph]


class RecordedGraphs:
    """The graphs of a history by name; unknown ones are missing.

    first: at the very start. missing: why some are unknown; "" if none is, as far as was asked.
    """

    def __init__(self, history: History) -> None:
        self._history, manifest = history, history.manifest
        roles = [
            key
            for look in history.run.looks()
            for line in look.lines
            for key in line[3]
            if key[0] in _REWIRING or key[0].startswith(SEEN)
        ]
        seen = {role.removeprefix(SEEN) for role, _ in roles if role.startswith(SEEN)}
        self._rewired = {name for role, name in roles if role in _REWIRING}
        ids, complete = np.arange(manifest.agents), manifest.complete or ()
        self.first: Graphs = {name: Complete(manifest.replicates, ids) for name in complete}
        self.missing = ""
        self._known: tuple[int, Graphs] = 0, self.first
        self._drawn = False
        if not seen | self._rewired <= self.first.keys():
            self.draw_all()

    @property
    def rewired(self) -> bool:
        """True if the record changes graphs, so that not the configuration alone tells them."""
        return bool(self._rewired)

    def draw_all(self) -> None:
        """Draw all graphs again, also those on which nothing is seen."""
        if self._drawn:
            return
        self._drawn = True
        try:
            with guard_user_code(refuse_user_code):
                self.first = self._history.manifest.society().environment().graphs
        except UntrustedCodeError:
            self.missing = "graphs are in code of the user that is not trusted here"
        except SocietyError as error:
            self.missing = f"graphs cannot be drawn again: {error}"
        self._known = 0, self.first

    def before(self, number: int) -> Graphs:
        """Return the graphs before the first line of a round."""
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


_GRAPHS: WeakKeyDictionary[History, RecordedGraphs] = WeakKeyDictionary()


def graphs_of(history: History) -> RecordedGraphs:
    """Return the graphs of a history, which are drawn once."""
    if history not in _GRAPHS:
        _GRAPHS[history] = RecordedGraphs(history)
    return _GRAPHS[history]


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
