"""Facts about inheritance beside the pages: owners of columns, and the graph of advice."""

from __future__ import annotations

from typing import Any

from society.engine.graph import Complete, Graph
from society.errors import UntrustedCodeError
from society.lineage import Heredity
from society.user_code import guard_user_code

from .manifest import Manifest
from .trust import refuse_user_code

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
    if manifest.complete is not None and _ADVISE in manifest.complete:
        return None
    with guard_user_code(refuse_user_code):
        try:
            setup = manifest.society()
        except UntrustedCodeError:
            # Graphs depend on the scenario, not on the components that cohorts have.
            plain: dict[str, Any] = {
                "cohorts": None,
                "uses": [],
                "models": {},
                "agents": manifest.agents,
            }
            try:
                setup = manifest.society(lambda spec: spec.model_copy(update=plain))
            except UntrustedCodeError:
                # The scenario is the user's. What files of before do not tell: a graph that only
                # the scenario names is taken to be complete there.
                known = manifest.complete is not None
                if known or manifest.config.graph or manifest.config.graphs:
                    raise
                return None
        graph = setup.environment().graphs.get(_ADVISE)
    return None if isinstance(graph, Complete) else graph
