"""Facts about inheritance beside the pages: owners of columns, and the graph of advice."""

from __future__ import annotations

from society.engine.graph import Complete, Graph
from society.lineage import Heredity

from .manifest import Manifest

_ADVISE = "advise"  # the relation along which newborn agents see the strategies of elders


def run_heredity(manifest: Manifest) -> Heredity:
    """Return the heredity of a run; raises SocietyError if a graph file of the user is missing.

    A run that was played from a tape has no components: then all agents count as having the same.
    """
    if not manifest.cohorts:
        return Heredity(advise=_advise(manifest))
    owners: dict[str, list[str]] = {}
    for note in manifest.cohorts:
        for name in note.heritable:
            owners.setdefault(name, []).append(note.name)
    by = Heredity({name: manifest.seated(cohorts) for name, cohorts in owners.items()})
    # A graph takes time to draw, and advice is for those who follow words.
    return by._replace(advise=_advise(manifest)) if by.writes(manifest.agents).any() else by


def _advise(manifest: Manifest) -> Graph | None:
    """Return the graph on which newborn agents saw their elders; None if it was complete."""
    graph = manifest.society().environment().graphs.get(_ADVISE)
    return None if isinstance(graph, Complete) else graph
