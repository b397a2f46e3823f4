"""Evolution in the laboratory: what changed from generation to generation, and why.

    evolution    Evolution: lives, generations, reactions, changes, biases, courses, diversity as
                 data frames; over_runs: means over replicates with intervals
    price        the Price equation
    trends       slope; correlation: whether the first generation tells the outcome
    words        length, numbers named, distance and effective number of strategies
    frozen       newborn agents and survivors, each alone before a frozen population

Who descends from whom is read by society.lineage.
"""

from __future__ import annotations

from .evolution import Evolution, over_runs
from .frozen import Compared, compared, focal, frozen
from .past import Ancestry, Past, Phenotype
from .price import Change, price
from .trends import Correlation, correlation, slope

__all__ = [
    "Ancestry",
    "Change",
    "Compared",
    "Correlation",
    "Evolution",
    "Past",
    "Phenotype",
    "compared",
    "correlation",
    "focal",
    "frozen",
    "over_runs",
    "price",
    "slope",
]
