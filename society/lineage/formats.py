"""Lineages as files that other programs draw: GraphML and Newick.

GraphML: Brandes et al. 2002, Graph Drawing, LNCS 2265. Newick: Olsen 1990, its standard of 1986.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from .lives import Life, Lineage

if TYPE_CHECKING:
    import networkx as nx


def graph(lineage: Lineage) -> nx.MultiDiGraph[str]:
    """Lives as nodes, with edges from the elder to the younger.

    kind of an edge: `parent`; `advice`; `kin` for the advice along which words are thought to have
    come. Numbers at nodes are means over a life, and left out where there is none.
    """
    import networkx as nx

    made: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    for life in lineage.lives.values():
        made.add_node(life.name, **_attributes(life))
    for life in lineage.lives.values():
        kin = lineage.kin(life.number)
        if life.parent is not None:
            made.add_edge(lineage.lives[life.parent].name, life.name, kind="parent")
        for number in life.advisers:
            adviser = lineage.lives[number]
            made.add_edge(adviser.name, life.name, kind="kin" if adviser == kin else "advice")
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
    """The tree of parents and children as Newick, with lengths in generations.

    A node stands where its life began, the root where the first generation did; founders, if there
    are several, are the children of a root without a name.
    """
    trees: dict[int, str] = {}
    for number in sorted(lineage.lives, reverse=True):  # children before their parents
        life = lineage.lives[number]
        young = ",".join(trees.pop(child.number) for child in lineage.children(number))
        since = 1 if life.parent is None else lineage.lives[life.parent].born
        # Unquoted, an underscore would be read as a space.
        trees[number] = f"({young})" * bool(young) + f"'{life.name}':{life.born - since}"
    roots = [trees[life.number] for life in lineage.founders]
    return f"{roots[0]};" if len(roots) == 1 else f"({','.join(roots)});"
