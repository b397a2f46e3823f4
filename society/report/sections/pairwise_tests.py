"""Tests of single conditions: each against the first one, and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from society.analysis.statistics.contrasts import Contrast, paired, welch
from society.analysis.statistics.posthoc import correct_p_values
from society.analysis.statistics.ranks import friedman, kruskal_wallis, mann_whitney, wilcoxon
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.analysis.study.design import ConditionGroup
from society.report.layout import Layout
from society.report.page import SectionPart
from society.report.tables import Head, Table, read_fields

_MOST_CONTRASTS = 150
_PAIRED = (
    "Replicate r draws the same random numbers in both conditions, so differences are taken pair "
    "by pair: paired t test; p of ranks: Wilcoxon's signed-rank test."
)
_EFFECTS = (
    "d_z: difference in standard deviations of the differences. gain: factor by which pairing "
    "reduces the variance."
)
_WELCH = (
    "Welch's t test; g: Hedges' standardised difference with its 95 % interval, if both conditions "
    "have 4 runs; p of ranks: Mann-Whitney."
)
_HOLM = " p (Holm): adjusted for all contrasts of this table."
_RATIO = " ratio: of geometric means; all tests but those of ranks take logarithms."


def contrasts(layout: Layout) -> Iterator[SectionPart]:
    """Compare each condition with the first one of its panel."""
    pairs = [(panel.places[0], place) for panel in layout.panels for place in panel.places[1:]]
    if len(pairs) > _MOST_CONTRASTS:
        yield (
            f"{len(pairs)} contrasts are left out: more than {_MOST_CONTRASTS} would say little."
        )
        return
    test, by_rank = (paired, wilcoxon) if layout.paired else (welch, mann_whitney)
    found = [try_compute(_contrast, layout, test, *pair) for pair in pairs]
    adjusted = iter(
        correct_p_values([one.p for one in found if not isinstance(one, NotEstimable)]).tolist()
    )
    rows = [
        (
            layout.level_names(pair[0], layout.factors),
            *_difference(one, layout),
            *read_fields(one, "t", "df", "p"),
            one if isinstance(one, NotEstimable) else next(adjusted),
            *_effect(one, layout),
            *read_fields(try_compute(_contrast, layout, by_rank, *pair), "p"),
        )
        for pair, one in zip(pairs, found, strict=True)
    ]
    how, notes = "Welch", [_WELCH + _HOLM + _RATIO * layout.scale.logarithmic]
    effects: Head = [("statistic", "g", "g from", "g to"), ("text", "runs")]
    if layout.paired:
        how, notes = "paired", [_PAIRED, _EFFECTS + _HOLM + _RATIO * layout.scale.logarithmic]
        effects = [("statistic", "d_z", "r of pairs", "gain"), ("count", "pairs")]
    head: Head = [
        ("text", "against"),
        ("figure", layout.scale.contrast_name, "95 % from", "95 % to"),
        ("statistic", "t"),
        ("figure", "df"),
        ("p", "p", "p (Holm)"),
        *effects,
        ("p", "p of ranks"),
    ]
    title = f"{layout.heading(layout.outcome)}: {how} contrasts"
    first = layout.factor_columns(b for _, b in pairs)
    yield Table.of("contrasts", title, head, rows, *notes, first=first)


def _contrast(layout: Layout, test: Callable[..., Any], first: int, place: int) -> Any:
    return test(*layout.comparable_values([place, first]))


def _difference(found: Any, layout: Layout) -> list[Any]:
    values = read_fields(found, "difference", "interval.low", "interval.high")
    return values if isinstance(found, NotEstimable) else [*map(layout.scale.invert, values)]


def _effect(found: Any, layout: Layout) -> list[Any]:
    if layout.paired:
        return read_fields(found, "d_z", "correlation", "variance_reduction", "n")
    if not isinstance(found, Contrast):
        return [found] * 4
    low, high = found.effect.interval[:2] if found.effect.interval else (None, None)
    return [found.effect.g, low, high, f"{found.n[0]}, {found.n[1]}"]


def rank_tests(layout: Layout) -> Iterator[SectionPart]:
    """Test whether any condition of a panel tends to other values than the rest."""
    least = 3 if layout.paired else 2  # two paired conditions are ranked among the contrasts
    panels = [panel for panel in layout.panels if len(panel.places) >= least]
    if not panels:
        return
    notes = ["The test uses ranks alone, which suits times that pile up at the horizon."]
    name, statistic, effect, count = "Kruskal-Wallis", "H", "ε²", "runs"
    fields = ["h", "df", "p", "epsilon_squared", "n"]
    if layout.paired:
        notes.append("The test ranks conditions within each replicate. W: agreement of replicates.")
        name, statistic, effect, count = "Friedman", "χ²", "Kendall's W", "replicates"
        fields = ["chi_squared", "df", "p", "kendalls_w", "n"]
    rows = [
        (panel.title or "all", *read_fields(try_compute(_rank, layout, panel), *fields))
        for panel in panels
    ]
    head: Head = [
        *(("text", "conditions"), ("statistic", statistic), ("count", "df"), ("p", "p")),
        *(("share", effect), ("count", count)),
    ]
    title = f"{name} test of {layout.label(layout.outcome)} over conditions"
    yield Table.of("ranks", title, head, rows, *notes)


def _rank(layout: Layout, panel: ConditionGroup) -> Any:
    values = layout.comparable_values(panel.places)
    groups = {
        layout.conditions[place].name: row for place, row in zip(panel.places, values, strict=True)
    }
    return friedman(groups) if layout.paired else kruskal_wallis(groups)
