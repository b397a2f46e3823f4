"""The section of tests: which conditions differ by more than chance, and how certain that is.

Once for each panel: an analysis of variance over the factors of the analysis, Tukey's comparison of
the levels of each factor whose effect it finds (with its error), contrasts of each condition with
the first one, and rank tests. Where replicates share random numbers they are blocks, and pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from society.analysis.statistics.anova import Anova
from society.analysis.statistics.posthoc import Tukey
from society.analysis.statistics.samples import NotEstimable
from society.analysis.study.panel_tests import LEVEL, PanelTests
from society.report.figures.scales import AxisScale
from society.report.layout import Layout
from society.report.page import Section, SectionPart, folded_section
from society.report.tables import CellValue, Head, Table, TableColumn, read_fields

from .pairwise_tests import contrasts, rank_tests

_BLOCKS = (
    " Replicates are blocks, since their random numbers are common: a block is taken to add the "
    "same amount in every condition, and is not part of the residual. If it does not add the "
    "same, p is somewhat too small."
)
_MARGINAL = "Means are marginal: all levels of the other factor have the same weight."


def hypothesis_tests_section(layout: Layout, tests: Sequence[PanelTests]) -> Section:
    """Test what differs between conditions; empty if there is nothing to compare."""
    if not tests:
        return Section("Tests", [], "tests")
    ways = "Two-way" if len(layout.factors) == 2 else "One-way"
    variances = [_variance(f"anova_{number}", one, layout) for number, one in enumerate(tests, 1)]
    parts = [
        Section(f"{ways} analysis of variance", variances),
        Section("Which levels differ (Tukey)", list(_comparisons(layout, tests))),
        Section("Contrasts with the first condition", list(contrasts(layout))),
        Section("Ranks", list(rank_tests(layout))),
    ]
    return Section("Tests", parts, "tests")


def _variance(name: str, one: PanelTests, layout: Layout) -> SectionPart:
    title, found = one.title(f"Analysis of variance of {layout.label(layout.outcome)}"), one.anova
    if isinstance(found, NotEstimable):
        return f"{title}: {found}."
    missing = "of replicates that miss a value" if layout.paired else "without a value"
    note = (
        f"Type III sums of squares, {'balanced' if found.balanced else 'unbalanced'}, "
        f"{found.n} runs{f'; {found.dropped} {missing} are left out' if found.dropped else ''}. "
        "η² = SS / SS total, partial η² = SS / (SS + SS residual)."
        f"{' Of logarithms.' * layout.scale.logarithmic}{_BLOCKS * layout.paired}"
    )
    rows = [
        read_fields(source, "name", "df", "f", "p", "eta_squared", "partial_eta_squared")
        for source in found.sources
    ]
    head: Head = [
        ("text", "source"),
        ("count", "df"),
        ("statistic", "F"),
        ("p", "p"),
        ("share", "η²", "partial η²"),
    ]
    return Table.of(name, title, head, rows, note)


def _comparisons(layout: Layout, tests: Sequence[PanelTests]) -> Iterator[SectionPart]:
    """Tukey's comparison, level by level, with all pairs on request."""
    compared = [(one, factor) for one in tests for factor in one.tukeys]
    for number, (one, factor) in enumerate(compared, 1):
        title = one.title(f"{layout.heading(layout.outcome)} by {factor}")
        found = one.tukeys[factor]
        if isinstance(found, NotEstimable):
            yield f"{title}: {found}."
            continue
        marginal = isinstance(one.anova, Anova) and len(one.anova.margins) > 1
        yield _letter_table(f"tukey_{number}", title, factor, found, marginal, layout.scale)
        pairs = _pair_table(f"tukey_{number}_pairs", f"All pairs: {title}", found, layout.scale)
        yield folded_section("All pairs", pairs)


def _letter_table(
    name: str, title: str, factor: str, found: Tukey, marginal: bool, scale: AxisScale
) -> Table:
    rows = [
        (found.n[level], scale.invert(mean), found.letters[level])
        for level, mean in found.means.items()
    ]
    note = (
        f"Levels that share no letter differ (Tukey-Kramer, all pairs at a level of {LEVEL}; "
        f"error of the analysis of variance above, with {found.df} degrees of freedom)."
    )
    head: Head = [("count", "runs"), ("figure", scale.mean_name), ("text", "letters")]
    notes = [note, *([_MARGINAL] if marginal else [])]
    first = [TableColumn(factor, [*found.means])]
    return Table.of(name, title, head, rows, *notes, first=first)


def _pair_table(name: str, title: str, found: Tukey, scale: AxisScale) -> Table:
    rows: list[tuple[CellValue, ...]] = [
        (pair.first, pair.second, *map(scale.invert, (pair.difference, *pair.interval[:2])), pair.p)
        for pair in found.pairs
    ]
    head: Head = [
        ("text", "first", "second"),
        ("figure", scale.contrast_name, "95 % from", "95 % to"),
        ("p", "p"),
    ]
    note = "p values and intervals are adjusted for all pairs."
    return Table.of(name, title, head, rows, note)
