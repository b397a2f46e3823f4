"""Statistics of runs: what a notebook imports, and where to look for it.

    means       mean, bootstrapped_mean, share       how sure a mean, or a share of runs, is
    contrasts   welch, student, paired, effect       how far apart two conditions are
                part_against_whole                   the village paper's test of its ablations
    ranks       mann_whitney, wilcoxon, kruskal_wallis
    survival    kaplan_meier, restricted_mean, log_rank      times to an event, with censoring
    anova       anova                                one or two factors, with eta squared
    posthoc     tukey, compact_letters, corrected    many comparisons at once
    agreement   percent_agreement, cohens_kappa, krippendorffs_alpha    raters of texts
    power       detectable_difference, detectable_eta_squared           how many runs?

A sample is an array with one value per replicate (run); NaN stands where a run has none, and is
counted as dropped. Two conditions under common random numbers are pairs: `paired` and `wilcoxon`
are for them, all others take runs as independent. What cannot be answered (too few values, no
spread, no event) raises Unanswerable, whose words stand in place of the number.
All of it rests on the extra `lab`.
"""

from __future__ import annotations

from .agreement import (
    Agreement,
    Scale,
    Weights,
    cohens_kappa,
    krippendorffs_alpha,
    percent_agreement,
)
from .anova import RESIDUAL, Anova, Source, anova
from .contrasts import (
    Contrast,
    Effect,
    PairedContrast,
    effect,
    paired,
    part_against_whole,
    student,
    welch,
)
from .means import Mean, Share, bootstrapped_mean, mean, share
from .posthoc import Comparison, Correction, Tukey, compact_letters, corrected, tukey
from .power import (
    Detectable,
    DetectableDifference,
    Simulation,
    detectable_difference,
    detectable_eta_squared,
)
from .ranks import KruskalWallis, MannWhitney, Wilcoxon, kruskal_wallis, mann_whitney, wilcoxon
from .samples import Interval, Resampling, Unanswerable
from .survival import (
    Lives,
    LogRank,
    RestrictedMean,
    SurvivalCurve,
    kaplan_meier,
    log_rank,
    restricted_mean,
)

__all__ = [
    "RESIDUAL",
    "Agreement",
    "Anova",
    "Comparison",
    "Contrast",
    "Correction",
    "Detectable",
    "DetectableDifference",
    "Effect",
    "Interval",
    "KruskalWallis",
    "Lives",
    "LogRank",
    "MannWhitney",
    "Mean",
    "PairedContrast",
    "Resampling",
    "RestrictedMean",
    "Scale",
    "Share",
    "Simulation",
    "Source",
    "SurvivalCurve",
    "Tukey",
    "Unanswerable",
    "Weights",
    "Wilcoxon",
    "anova",
    "bootstrapped_mean",
    "cohens_kappa",
    "compact_letters",
    "corrected",
    "detectable_difference",
    "detectable_eta_squared",
    "effect",
    "kaplan_meier",
    "krippendorffs_alpha",
    "kruskal_wallis",
    "log_rank",
    "mann_whitney",
    "mean",
    "paired",
    "part_against_whole",
    "percent_agreement",
    "restricted_mean",
    "share",
    "student",
    "tukey",
    "welch",
    "wilcoxon",
]
