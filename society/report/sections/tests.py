"""The chapter of tests: what differs by more than chance, and how sure that is.

Once for each panel: an analysis of variance over the factors of the analysis, Tukey's comparison of
the levels of each factor whose effect it finds (with its error), contrasts of each condition with
the first one, and rank tests. Where replicates share their luck they are blocks, and pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from society.analysis.statistics.anova import Anova, AnovaRow, anova
from society.analysis.statistics.posthoc import Tukey, tukey_after
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.experiments.factors import format_label
from society.report.figures.scales import Scale
from society.report.layout import Group, Layout
from society.report.page import Chapter, Fold, Heading, Paragraph, Part
from society.report.sections.pairwise_tests import contrasts, ranks
from society.report.tables import Cell, Column, Table

ALPHA = 0.05
_MOST_CELLS = 130  # of an analysis of variance: its design matrix has a column for each
_MOST_LEVELS = 16  # of Tukey's comparison: the p value of each of their 120 pairs takes 20 ms


@dataclass(frozen=True)
class Tested:
    """One panel: its analysis of variance, and Tukey's comparison for each factor with an effect.

    Instead of either, why there is none.
    """

    panel: Group
    anova: Anova | NotEstimable
    tukeys: Mapping[str, Tukey | NotEstimable]

    def letters(self, factor: str) -> Mapping[str, str]:
        """Of each level in words; none without an effect of the factor."""
        found = self.tukeys.get(factor)
        return found.letters if isinstance(found, Tukey) else {}


def tested(layout: Layout) -> list[Tested]:
    """Each panel that has something to compare."""
    panels = [panel for panel in layout.panels if len(panel.places) > 1]
    return [_tested(layout, panel) for panel in panels]


def _tested(layout: Layout, panel: Group) -> Tested:
    found = try_compute(_anova, layout, panel)
    if isinstance(found, NotEstimable):
        return Tested(panel, found, {})
    effects = {one.name for one in found.sources if one.p is not None and one.p < ALPHA}
    varied = [name for name in layout.factors if name in effects]
    tukeys = {name: try_compute(_tukey, found, name) for name in varied}
    return Tested(panel, found, tukeys)


def _anova(layout: Layout, panel: Group) -> Anova:
    factors = [
        name
        for name in layout.factors
        if len({layout.level(place, name) for place in panel.places}) > 1
    ]
    if not factors:
        raise NotEstimable(f"{' and '.join(layout.factors)} does not vary here")
    if len(panel.places) > _MOST_CELLS:
        raise NotEstimable(
            f"{len(panel.places)} conditions are too many for an analysis of variance here; at "
            f"most {_MOST_CELLS}"
        )
    values = layout.tested(panel.places)
    sizes = [len(each) for each in values]
    runs = np.repeat(panel.places, sizes).tolist()
    levels = {name: [format_label(layout.level(place, name)) for place in runs] for name in factors}
    replicates = [replicate for size in sizes for replicate in range(size)]
    return anova(np.concatenate(values), levels, replicates if layout.paired else None)


def _tukey(found: Anova, factor: str) -> Tukey:
    levels = len(found.margins[factor])
    if levels > _MOST_LEVELS:
        raise NotEstimable(
            f"{levels} levels of {factor} are too many to compare all pairs here; at most "
            f"{_MOST_LEVELS}"
        )
    return tukey_after(found, factor)


def tests(layout: Layout, found: Sequence[Tested]) -> Chapter | None:
    """The chapter; None if there is nothing to compare."""
    if not found:
        return None
    parts: list[Part] = [*_variances(layout, found), *_pairs(layout, found)]
    parts += [*contrasts(layout), *ranks(layout)]
    return Chapter("tests", "Tests", parts)


def _titled(caption: str, panel: Group) -> str:
    return f"{caption}, {panel.title}" if panel.title else caption


def _variances(layout: Layout, found: Sequence[Tested]) -> Iterator[Part]:
    ways = "Two-way" if len(layout.factors) == 2 else "One-way"
    yield Heading(f"{ways} analysis of variance")
    for number, one in enumerate(found, 1):
        caption = _titled(f"Analysis of variance of {layout.outcome}", one.panel)
        if isinstance(one.anova, NotEstimable):
            yield Paragraph(f"{caption}: {one.anova}.")
        else:
            yield _variance_table(f"anova_{number}", caption, one.anova, layout)


def _variance_table(name: str, caption: str, found: Anova, layout: Layout) -> Table:
    def column(heading: str, of: Callable[[AnovaRow], Cell], form: Any) -> Column:
        return Column(heading, [of(source) for source in found.sources], form)

    missing = "of replicates that miss a value" if layout.paired else "without a value"
    dropped = f"; {found.dropped} {missing} are left out" if found.dropped else ""
    design = "balanced" if found.balanced else "unbalanced"
    taken = " Of logarithms." if layout.scale.logarithmic else ""
    luck = (
        " Replicates are blocks, since they share their luck: it is taken to add the same in every "
        "condition, and is no part of the residual. Where it does not, p is somewhat too small."
    )
    return Table(
        name,
        caption,
        [
            column("source", lambda source: source.name, "text"),
            column("df", lambda source: source.df, "count"),
            column("F", lambda source: source.f, "statistic"),
            column("p", lambda source: source.p, "p"),
            column("η²", lambda source: source.eta_squared, "share"),
            column("partial η²", lambda source: source.partial_eta_squared, "share"),
        ],
        [
            f"Type III sums of squares, {design}, {found.n} runs{dropped}. η² = SS / SS total, "
            f"partial η² = SS / (SS + SS residual).{taken}{luck if layout.paired else ''}"
        ],
    )


def _pairs(layout: Layout, found: Sequence[Tested]) -> Iterator[Part]:
    """Tukey's comparison, level by level, with all pairs on request."""
    compared = [(one, factor) for one in found for factor in one.tukeys]
    if not compared:
        return
    yield Heading("Which levels differ (Tukey)")
    for number, (one, factor) in enumerate(compared, 1):
        caption = _titled(f"{layout.outcome} by {factor}", one.panel)
        result = one.tukeys[factor]
        if isinstance(result, NotEstimable):
            yield Paragraph(f"{caption}: {result}.")
            continue
        marginal = isinstance(one.anova, Anova) and len(one.anova.margins) > 1
        yield _letter_table(f"tukey_{number}", caption, factor, result, marginal, layout.scale)
        pairs = _pair_table(f"tukey_{number}_pairs", f"All pairs: {caption}", result, layout.scale)
        yield Fold("All pairs", [pairs])


def _letter_table(
    name: str, caption: str, factor: str, found: Tukey, marginal: bool, scale: Scale
) -> Table:
    return Table(
        name,
        caption,
        [
            Column(factor, list(found.means)),
            Column("runs", [found.n[level] for level in found.means], "count"),
            Column(scale.mean, [scale.back(mean) for mean in found.means.values()], "figure"),
            Column("letters", list(found.letters.values())),
        ],
        [
            "Levels that share no letter differ (Tukey-Kramer, all pairs at a level of "
            f"{ALPHA}; error of the analysis of variance above, with {found.df} degrees of "
            "freedom).",
            *(
                ["Means are marginal: levels of the other factor count the same."]
                if marginal
                else []
            ),
        ],
    )


def _pair_table(name: str, caption: str, found: Tukey, scale: Scale) -> Table:
    return Table(
        name,
        caption,
        [
            Column("first", [pair.first for pair in found.pairs]),
            Column("second", [pair.second for pair in found.pairs]),
            Column(scale.contrast, [scale.back(pair.difference) for pair in found.pairs], "figure"),
            Column("95 % from", [scale.back(pair.interval.low) for pair in found.pairs], "figure"),
            Column("95 % to", [scale.back(pair.interval.high) for pair in found.pairs], "figure"),
            Column("p", [pair.p for pair in found.pairs], "p"),
        ],
        ["p values and intervals are adjusted for all pairs."],
    )
