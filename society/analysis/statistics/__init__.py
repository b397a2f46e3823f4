"""Statistics of runs: what a notebook imports, and where to look for it.

    means       mean, bootstrapped_mean, share       how sure a mean, or a share of runs, is
    contrasts   welch, student, paired, effect       how far apart two conditions are
                part_against_whole                   the village paper's test of its ablations
    ranks       mann_whitney, wilcoxon, kruskal_wallis, friedman
    proportions binomial, fisher                     shares of runs, exactly
    survival    kaplan_meier, restricted_mean, log_rank      times to an event, with censoring
    anova       anova                                one or two factors, with eta squared
    posthoc     tukey, tukey_after, compact_letters, correct_p_values   many comparisons at once
    agreement   percent_agreement, cohens_kappa, krippendorffs_alpha    raters of texts
    reliability cronbachs_alpha, mcdonalds_omega     items of a scale
    power       detectable_difference, detectable_partial_eta_squared   how many runs?

A sample is an array with one value per replicate (run); NaN stands where a run has none, and is
counted as dropped. For conditions under common random numbers there are `paired`, `wilcoxon`,
`friedman` and `anova` with `blocks`; all others take runs as independent. What cannot be estimated
(too few values, no spread, no event) raises NotEstimable, whose words stand in place of the number.
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
from .anova import Anova, AnovaRow, Margin, anova
from .contrasts import (
    Contrast,
    PairedContrast,
    Standardised,
    effect,
    paired,
    part_against_whole,
    student,
    welch,
)
from .means import Mean, ShareEstimate, bootstrapped_mean, mean, share
from .posthoc import (
    Correction,
    Difference,
    Tukey,
    compact_letters,
    correct_p_values,
    tukey,
    tukey_after,
)
from .power import Detectable, Simulation, detectable_difference, detectable_partial_eta_squared
from .proportions import Binomial, Fisher, SuccessCount, binomial, fisher
from .ranks import (
    Friedman,
    KruskalWallis,
    MannWhitney,
    Wilcoxon,
    friedman,
    kruskal_wallis,
    mann_whitney,
    wilcoxon,
)
from .reliability import Reliability, cronbachs_alpha, mcdonalds_omega
from .samples import Interval, NotEstimable, Resampling
from .survival import (
    LogRank,
    RestrictedMean,
    SurvivalCurve,
    SurvivalTimes,
    kaplan_meier,
    log_rank,
    restricted_mean,
)

__all__ = [
    "Agreement",
    "Anova",
    "AnovaRow",
    "Binomial",
    "Contrast",
    "Correction",
    "Detectable",
    "Difference",
    "Fisher",
    "Friedman",
    "Interval",
    "KruskalWallis",
    "LogRank",
    "MannWhitney",
    "Margin",
    "Mean",
    "NotEstimable",
    "PairedContrast",
    "Reliability",
    "Resampling",
    "RestrictedMean",
    "Scale",
    "ShareEstimate",
    "Simulation",
    "Standardised",
    "SuccessCount",
    "SurvivalCurve",
    "SurvivalTimes",
    "Tukey",
    "Weights",
    "Wilcoxon",
    "anova",
    "binomial",
    "bootstrapped_mean",
    "cohens_kappa",
    "compact_letters",
    "correct_p_values",
    "cronbachs_alpha",
    "detectable_difference",
    "detectable_partial_eta_squared",
    "effect",
    "fisher",
    "friedman",
    "kaplan_meier",
    "krippendorffs_alpha",
    "kruskal_wallis",
    "log_rank",
    "mann_whitney",
    "mcdonalds_omega",
    "mean",
    "paired",
    "part_against_whole",
    "percent_agreement",
    "restricted_mean",
    "share",
    "student",
    "tukey",
    "tukey_after",
    "welch",
    "wilcoxon",
]
