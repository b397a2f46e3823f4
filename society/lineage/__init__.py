"""Lineages: who descends from whom, read off the pages of a run that has generations.

    generations   what pages tell of each generation, for all replicates at once
    elders, descents    whom newborn agents have what they are from: of one step, as seats
    lineage, descent    all lives of one replicate
    graph, graphml, newick      lineages as files
    by_generation               means of measures

A life begins where `descended` marks its row as newborn, and lasts while `selected` lets it
survive. From whom it descends is decided in one place, society.lineage.inheritance: whoever draws a
tree, splits a change or writes a file of a lineage has it from there.
"""

from __future__ import annotations

from .formats import graph, graphml, newick
from .generation_pages import (
    ARRIVED,
    DESCENDED,
    SELECTED,
    TELL_LIVES,
    Generation,
    by_generation,
    list_generations,
)
from .inheritance import Descents, Elders, Heredity, descents, elders
from .lives import Life, Lineage, lineage, lineage_of

__all__ = [
    "ARRIVED",
    "DESCENDED",
    "SELECTED",
    "TELL_LIVES",
    "Descents",
    "Elders",
    "Generation",
    "Heredity",
    "Life",
    "Lineage",
    "by_generation",
    "descents",
    "elders",
    "graph",
    "graphml",
    "lineage",
    "lineage_of",
    "list_generations",
    "newick",
]
