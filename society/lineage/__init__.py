"""Who descends from whom, read off the pages of a run that has generations.

A life begins where `descended` marks its row as newborn, and lasts while `selected` lets it
survive. It has the heritable traits of its parent. Where newborn agents devise their strategies by
the advice of several elders, the parent is one of them drawn by chance, and no source of the words:
then the advisers are those whose strategies it was shown, and its kin is the one of them whose
wording is most like its own. (Kinship by wording is ours; Vallinder and Hughes 2024 draw lineages
by hand.)
"""

from __future__ import annotations

from .formats import graph, graphml, newick
from .generations import Generation, generations
from .lives import Life, Lineage, descent, lineage

__all__ = [
    "Generation",
    "Life",
    "Lineage",
    "descent",
    "generations",
    "graph",
    "graphml",
    "lineage",
    "newick",
]
