"""Evolution in the laboratory: what changed from generation to generation, and why.

    evolution    Evolution: lives, generations, reactions, changes, biases, courses, diversity as
                 data frames; over_runs: means over replicates with intervals
    price        the Price equation; bias of newborn agents against those they descend from
    trends       slope; correlation: whether the first generation tells the outcome
    words        length, numbers named, distance and effective number of strategies
    frozen, compared     newborn agents and their ancestors, each alone before a frozen population

Who descends from whom is read by society.lineage.
"""

from __future__ import annotations

from society.analysis.statistics.correlation import Correlation, correlation, slope

from .evolution_study import Evolution, over_runs
from .price_equation import Bias, Change, bias, price
from .records import Past, Phenotype
from .transplant_effects import Compared, Difference, compared, focal
from .transplants import frozen

__all__ = [
    "Bias",
    "Change",
    "Compared",
    "Correlation",
    "Difference",
    "Evolution",
    "Past",
    "Phenotype",
    "bias",
    "compared",
    "correlation",
    "focal",
    "frozen",
    "over_runs",
    "price",
    "slope",
]
