"""Evolution: what changed from generation to generation, and why.

    evolution_study      Evolution: lives, generations, reactions, changes, biases, courses,
                         diversity as data frames; mean_over_runs: means with intervals
    price_equation       the Price equation; bias of newborn agents against their ancestors
    generation_tables    rows of these frames; length, numbers and diversity of strategies
    transplants          newborn agents and their ancestors, each alone in the same population
    transplant_effects   what they do and earn there, compared

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
    compare_transplants,
    focal_agents,
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
    "compare_transplants",
    "correlation",
    "focal_agents",
    "mean_over_runs",
    "mutation_bias",
    "slope",
    "split_change",
    "transplant_experiment",
]
