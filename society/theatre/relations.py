"""Who sees, hears or learns from whom in a round, where that is not everybody."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from society.engine.graph import Complete, Graph

from .graphs import graphs_of
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


def relations_at(history: History, number: int, replicate: int) -> Relations:
    """Return the edges of all graphs that are not complete, as of the end of a round."""
    manifest = history.manifest
    if manifest.agents * manifest.replicates > _MOST_SEATS:
        return Relations({}, missing=f"graphs of {manifest.agents:,} agents are not drawn")
    return _relations(history, number, replicate)


@lru_cache(64)
def _relations(history: History, number: int, replicate: int) -> Relations:
    known = graphs_of(history)
    known.draw_all()
    if known.missing:
        return Relations({}, missing=known.missing)
    graphs = sorted(known.before(number + 1).items())
    complete = tuple(name for name, graph in graphs if isinstance(graph, Complete))
    drawn = [(name, graph) for name, graph in graphs if name not in complete]
    return Relations({name: tuple(_edges(graph, replicate)) for name, graph in drawn}, complete)


def _edges(graph: Graph, replicate: int) -> list[Edge]:
    seats = range(graph.seats)
    return [(seat, peer) for seat in seats for peer in graph.neighbours(replicate, seat).tolist()]


def describe_degrees(edges: tuple[Edge, ...], agents: int) -> str:
    """Say how many others each agent sees: "2 each", or "1 to 9, 2.0 on average"."""
    counts = np.bincount([seat for seat, _ in edges], minlength=agents)
    least, most = int(counts.min()), int(counts.max())
    if least == most:
        return f"{least} each"
    return f"{least} to {most}, {counts.mean():.1f} on average"
