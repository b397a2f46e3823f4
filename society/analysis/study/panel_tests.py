"""Tests of the panels of a study: which levels differ by more than chance.

Once for each panel: an analysis of variance over the factors of the analysis, and Tukey's
comparison of the levels of each factor whose effect it finds (with its error). Contrasts are those
of each condition with the first one of its panel. Where replicates share random numbers they are
blocks, and pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from society.analysis.statistics.anova import Anova, anova
from society.analysis.statistics.posthoc import Tukey, tukey_after
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.experiments.factors import format_label

from .design import ConditionGroup, StudyDesign

LEVEL = 0.05
_MOST_CELLS = 130  # of an analysis of variance: its design matrix has a column for each
_MOST_LEVELS = 16  # of Tukey's comparison: the p value of each of their 120 pairs takes 20 ms


@dataclass(frozen=True)
class PanelTests:
    """The analysis of variance of a panel, and Tukey's comparison for each factor with an effect.

    Instead of either, why there is none.
    """

    panel: ConditionGroup
    anova: Anova | NotEstimable
    tukeys: Mapping[str, Tukey | NotEstimable]

    def letters(self, factor: str) -> Mapping[str, str]:
        """The letters of each level; none without an effect of the factor."""
        found = self.tukeys.get(factor)
        return found.letters if isinstance(found, Tukey) else {}

    def title(self, subject: str) -> str:
        return f"{subject}, {self.panel.title}" if self.panel.title else subject


def compare_panels(design: StudyDesign) -> list[PanelTests]:
    """Test each panel that has something to compare; none without an outcome."""
    panels = design.panels if design.outcome else []
    return [_compare_panel(design, panel) for panel in panels if len(panel.places) > 1]


def _compare_panel(design: StudyDesign, panel: ConditionGroup) -> PanelTests:
    found = try_compute(_anova, design, panel)
    if isinstance(found, NotEstimable):
        return PanelTests(panel, found, {})
    effects = {one.name for one in found.sources if one.p is not None and one.p < LEVEL}
    varied = [name for name in design.factors if name in effects]
    return PanelTests(panel, found, {name: try_compute(_tukey, found, name) for name in varied})


def _anova(design: StudyDesign, panel: ConditionGroup) -> Anova:
    levels = {
        name: [design.level(place, name) for place in panel.places] for name in design.factors
    }
    factors = [name for name, own in levels.items() if len(set(own)) > 1]
    if not factors:
        raise NotEstimable(f"{' and '.join(design.factors)} does not vary here")
    if len(panel.places) > _MOST_CELLS:
        raise NotEstimable(
            f"{len(panel.places):,} conditions are too many for an analysis of variance here; at "
            f"most {_MOST_CELLS}"
        )
    values = design.comparable_values(panel.places)
    sizes = [len(each) for each in values]
    named = {
        name: np.repeat([*map(format_label, levels[name])], sizes).tolist() for name in factors
    }
    replicates = [replicate for size in sizes for replicate in range(size)]
    return anova(np.concatenate(values), named, replicates if design.paired else None)


def _tukey(found: Anova, factor: str) -> Tukey:
    levels = len(found.margins[factor])
    if levels > _MOST_LEVELS:
        raise NotEstimable(
            f"{levels} levels of {factor} are too many to compare all pairs here; at most "
            f"{_MOST_LEVELS}"
        )
    return tukey_after(found, factor)
