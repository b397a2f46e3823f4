"""Lineages as files that other programs draw: GraphML and Newick.

GraphML: Brandes et al. 2002, Graph Drawing, LNCS 2265. Newick: Olsen 1990, its standard of 1986.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from .lives import Life, Lineage

if TYPE_CHECKING:
    import networkx as nx


def graph(lineage: Lineage) -> nx.MultiDiGraph[str]:
    """Lives as nodes, with edges from the elder to the younger.

    kind of an edge: `parent` or `advice`; ancestor: whether the younger one is drawn below this
    elder (see Lineage). alive: whether a life lasts to the end. guessed: whether from whom it
    descends is a guess. Numbers at nodes are means over a life, and left out where there is none.
    """
    import networkx as nx

    made: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    guesses = lineage.guesses
    for life in lineage.lives.values():
        alive, guessed = life.lived_in(lineage.generations), life.number in guesses
        made.add_node(life.name, alive=alive, guessed=guessed, **_attributes(life))
    for life in lineage.lives.values():
        ancestor = lineage.ancestor(life.number)
        # Whoever has advisers does not descend from its parent as such.
        descends = "advice" if life.advisers else "parent"
        parents = () if life.parent is None else (life.parent,)
        for kind, numbers in (("parent", parents), ("advice", life.advisers)):
            for elder in map(lineage.lives.__getitem__, numbers):
                drawn = kind == descends and elder == ancestor
                made.add_edge(elder.name, life.name, kind=kind, ancestor=drawn)
    return made


def _attributes(life: Life) -> dict[str, int | float | str]:
    strategy = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", life.strategy)
    attributes: dict[str, int | float | str] = {
        "seat": life.seat,
        "born": life.born,
        "last": life.last,
        "strategy": strategy,
    }
    for name, values in (("fitness", life.fitness), ("phenotype", life.phenotype)):
        known = [value for value in values if not math.isnan(value)]
        if known:
            attributes[name] = math.fsum(known) / len(known)
    return attributes


# Models may write anything, and XML 1.0 has no words for these.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml(lineage: Lineage) -> str:
    """The graph of a lineage as GraphML."""
    import networkx as nx

    return "\n".join(nx.generate_graphml(graph(lineage))) + "\n"


def newick(lineage: Lineage) -> str:
    """The tree of a lineage as Newick, with lengths in generations.

    A tip is a life, as far from the root as its last generation: those who live in the end are the
    furthest. A fork is a birth, on the line of the one from whom the newborn descends, at the end
    of the generation before. All founders hang from the root, the beginning of the first
    generation, whenever they came.
    """
    trees: dict[int, str] = {}
    for number in sorted(lineage.lives, reverse=True):  # the young before their elders
        life = lineage.lives[number]
        # Unquoted, an underscore would be read as a space.
        tree, at = f"'{life.name}'", life.last
        for forked, young in _forks(lineage.children(number)):
            tree = f"({tree}:{at - forked},{','.join(trees.pop(one.number) for one in young)})"
            at = forked
        begin = 0 if lineage.ancestor(number) is None else life.born - 1
        trees[number] = f"{tree}:{at - begin}"
    return f"({','.join(trees[life.number] for life in lineage.founders)});"


def _forks(children: tuple[Life, ...]) -> Iterator[tuple[int, list[Life]]]:
    """Group children by the generation at whose end they were born, the last ones first."""
    by_birth = sorted(children, key=lambda one: (-one.born, one.number))
    for born, young in groupby(by_birth, key=lambda one: one.born):
        yield born - 1, list(young)
