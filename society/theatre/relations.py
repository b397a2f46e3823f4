"""The interaction graphs of a run in a round: who sees, hears or learns from whom.

A run file keeps edits of graphs, and which of them are complete; others are drawn again from the
configuration. Complete ones are left out, since they say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from society.engine.environment import Environment
from society.engine.graph import Complete, Graph, LabelGroups
from society.engine.rng import Array
from society.errors import SocietyError, UntrustedCodeError
from society.runs.trust import refuse_user_code
from society.user_code import guard_user_code

from .history import History

_MOST_SEATS = 5_000  # over all replicates: what is larger is not drawn again for a look
Edge = tuple[int, int]


class Relations(NamedTuple):
    """Edges by relation, from who sees to who is seen, of graphs that are not complete.

    complete: the relations in which everybody sees everybody. missing: why there are no edges, "".
    """

    edges: Mapping[str, tuple[Edge, ...]]
    complete: tuple[str, ...] = ()
    missing: str = ""


class GraphEdit(NamedTuple):
    """One line that changed a graph: its round, the relation, and arrays by role."""

    round: int
    relation: str
    arrays: Mapping[str, Array]


def relations_at(history: History, number: int, replicate: int) -> Relations:
    """Return the edges of all graphs that are not complete, as of the end of a round."""
    manifest = history.manifest
    if manifest.agents * manifest.replicates > _MOST_SEATS:
        return Relations({}, missing=f"graphs of {manifest.agents:,} agents are not drawn")
    return _relations(history, history.last, number, replicate)


@lru_cache(64)
def _relations(history: History, last: int, number: int, replicate: int) -> Relations:
    edits = [edit for edit in _edits(history, last) if edit.round <= number]
    try:
        first = _first_graphs(history)
        graphs = dict(first.graphs)
        for edit in edits:
            graphs[edit.relation] = _edited(graphs[edit.relation], edit, first)
    except UntrustedCodeError:
        return Relations({}, missing="graphs are in code of the user that is not trusted here")
    except (SocietyError, KeyError) as error:
        return Relations({}, missing=f"graphs cannot be drawn again: {error}")
    complete = [name for name, graph in sorted(graphs.items()) if isinstance(graph, Complete)]
    found = {
        name: tuple(_edges(graph, replicate))
        for name, graph in sorted(graphs.items())
        if name not in complete
    }
    return Relations(found, tuple(complete))


def _edited(graph: Graph, edit: GraphEdit, first: Environment) -> Graph:
    arrays = edit.arrays
    if "restored" in arrays:
        graph = first.first_graphs[edit.relation]
    if "group" in arrays:
        graph = LabelGroups(first.ids, arrays["group"])
    if "join" in arrays or "cut" in arrays:
        graph = graph.edited(arrays.get("join"), arrays.get("cut"))
    return graph


def _edges(graph: Graph, replicate: int) -> list[Edge]:
    seats = range(graph.seats)
    return [(seat, peer) for seat in seats for peer in graph.neighbours(replicate, seat).tolist()]


@lru_cache(4)
def _first_graphs(history: History) -> Environment:
    with guard_user_code(refuse_user_code):
        return history.manifest.society().environment()


@lru_cache(4)
def _edits(history: History, last: int) -> tuple[GraphEdit, ...]:
    """List all changes of graphs in a run."""
    found, roles = list[GraphEdit](), ("restored", "group", "join", "cut")
    for page in history.run.pages():
        for step in page.steps:
            for name in dict.fromkeys(name for role, name in step.arrays if role in roles):
                arrays = {role: values for (role, of), values in step.arrays.items() if of == name}
                found.append(GraphEdit(page.number, name, arrays))
    return tuple(found)


def describe_degrees(edges: tuple[Edge, ...], agents: int) -> str:
    """Say how many others each agent sees: "2 each", or "1 to 9, 2.0 on average"."""
    counts = np.bincount([seat for seat, _ in edges], minlength=agents)
    least, most = int(counts.min()), int(counts.max())
    if least == most:
        return f"{least} each"
    return f"{least} to {most}, {counts.mean():.1f} on average"
