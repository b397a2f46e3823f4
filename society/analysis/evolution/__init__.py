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

from .evolution_study import Evolution, mean_over_runs
from .price_equation import MutationBias, PriceTerms, mutation_bias, split_change
from .records import GenerationRecords, Phenotype
from .transplant_effects import (
    TransplantDifference,
    TransplantEffects,
    focal_agents,
    transplant_effects,
)
from .transplants import transplant_experiment

__all__ = [
    "Correlation",
    "Evolution",
    "GenerationRecords",
    "MutationBias",
    "Phenotype",
    "PriceTerms",
    "TransplantDifference",
    "TransplantEffects",
    "correlation",
    "focal_agents",
    "mean_over_runs",
    "mutation_bias",
    "slope",
    "split_change",
    "transplant_effects",
    "transplant_experiment",
]
