"""Tests for the chapter of tests: each condition against the first one, and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from society.analysis.statistics.contrasts import Contrast, paired, welch
from society.analysis.statistics.posthoc import corrected
from society.analysis.statistics.ranks import friedman, kruskal_wallis, mann_whitney, wilcoxon
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.report.layout import Group, Layout
from society.report.page import Heading, Paragraph, Part
from society.report.tables import Cell, Column, Table, told

_MOST_CONTRASTS = 150


def contrasts(layout: Layout) -> Iterator[Part]:
    """Each condition against the first one of its panel."""
    pairs = [(panel.places[0], place) for panel in layout.panels for place in panel.places[1:]]
    yield Heading("Contrasts with the first condition")
    if len(pairs) > _MOST_CONTRASTS:
        yield Paragraph(
            f"{len(pairs)} contrasts would say little: left out, since there are more than "
            f"{_MOST_CONTRASTS}."
        )
        return
    tests = (paired, wilcoxon) if layout.paired else (welch, mann_whitney)
    found, ranks = (
        [try_compute(_tested, layout, test, place, first) for first, place in pairs]
        for test in tests
    )
    yield _contrast_table(layout, pairs, found, ranks)


def _tested(layout: Layout, test: Callable[..., Any], place: int, first: int) -> Any:
    return test(*layout.tested([place, first]))


def _contrast_table(
    layout: Layout, pairs: Sequence[tuple[int, int]], found: list[Any], ranks: list[Any]
) -> Table:
    how, back = "paired" if layout.paired else "Welch", layout.scale.back
    columns = [
        *layout.columns(place for _, place in pairs),
        Column("against", [layout.levelled(first, layout.factors) for first, _ in pairs]),
        Column(layout.scale.contrast, told(found, lambda one: back(one.difference)), "figure"),
        Column("95 % from", told(found, lambda one: back(one.interval.low)), "figure"),
        Column("95 % to", told(found, lambda one: back(one.interval.high)), "figure"),
        Column("t", told(found, lambda one: one.t), "statistic"),
        Column("df", told(found, lambda one: one.df), "figure"),
        Column("p", told(found, lambda one: one.p), "p"),
        Column("p (Holm)", _holm(found), "p"),
        *(_paired_columns(found) if layout.paired else _welch_columns(found)),
        Column("p of ranks", told(ranks, lambda one: one.p), "p"),
    ]
    return Table("contrasts", f"{layout.outcome}: {how} contrasts", columns, _notes(layout))


def _paired_columns(found: Sequence[Any]) -> list[Column]:
    return [
        Column("d_z", told(found, lambda one: one.d_z), "statistic"),
        Column("r of pairs", told(found, lambda one: one.correlation), "statistic"),
        Column("gain", told(found, lambda one: one.variance_reduction), "statistic"),
        Column("pairs", told(found, lambda one: one.n), "count"),
    ]


def _welch_columns(found: Sequence[Any]) -> list[Column]:
    return [
        Column("g", told(found, lambda one: one.effect.g), "statistic"),
        Column("g from", told(found, lambda one: _of_g(one)[0]), "statistic"),
        Column("g to", told(found, lambda one: _of_g(one)[1]), "statistic"),
        Column("runs", told(found, lambda one: f"{one.n[0]}, {one.n[1]}")),
    ]


def _of_g(one: Contrast) -> tuple[float | None, float | None]:
    return (None, None) if one.effect.interval is None else one.effect.interval[:2]


def _notes(layout: Layout) -> list[str]:
    holm = "p (Holm): adjusted for all contrasts of this table."
    if layout.scale.logarithmic:
        holm += " ratio: of geometric means; all but ranks is of logarithms."
    if layout.paired:
        return [
            "Replicate r of both conditions has the same luck, so that differences are taken pair "
            "by pair: paired t test; p of ranks: Wilcoxon's signed-rank test.",
            "d_z: difference in standard deviations of the differences. gain: how many times "
            f"smaller the variance is than that of unpaired runs would be. {holm}",
        ]
    return [
        "Welch's t test; g: Hedges' standardised difference with its 95 % interval, if both "
        f"conditions have 4 runs; p of ranks: Mann-Whitney. {holm}"
    ]


def _holm(found: Sequence[Any]) -> list[Cell]:
    """Adjusted p values of the contrasts that have one."""
    adjusted = iter(
        corrected([one.p for one in found if not isinstance(one, NotEstimable)]).tolist()
    )
    return told(found, lambda one: next(adjusted))


def ranks(layout: Layout) -> Iterator[Part]:
    """Whether any condition of a panel tends to other values than the rest."""
    least = 3 if layout.paired else 2  # two paired conditions are ranked among the contrasts
    panels = [panel for panel in layout.panels if len(panel.places) >= least]
    if not panels:
        return
    found = [try_compute(_ranked, layout, panel) for panel in panels]
    columns = [
        Column("conditions", [panel.title or "all" for panel in panels]),
        *(_friedman_columns(found) if layout.paired else _kruskal_columns(found)),
    ]
    name = "Friedman" if layout.paired else "Kruskal-Wallis"
    notes = ["It looks at the order of values alone, as suits times that pile up at the horizon."]
    if layout.paired:
        notes.append("It ranks conditions within each replicate. W: how far replicates agree.")
    yield Heading("Ranks")
    yield Table("ranks", f"{name} test of {layout.outcome} over conditions", columns, notes)


def _ranked(layout: Layout, panel: Group) -> Any:
    values = layout.tested(panel.places)
    groups = {
        layout.conditions[place].name: row for place, row in zip(panel.places, values, strict=True)
    }
    return friedman(groups) if layout.paired else kruskal_wallis(groups)


def _friedman_columns(found: Sequence[Any]) -> list[Column]:
    return [
        Column("χ²", told(found, lambda one: one.chi_squared), "statistic"),
        Column("df", told(found, lambda one: one.df), "count"),
        Column("p", told(found, lambda one: one.p), "p"),
        Column("Kendall's W", told(found, lambda one: one.kendalls_w), "share"),
        Column("replicates", told(found, lambda one: one.n), "count"),
    ]


def _kruskal_columns(found: Sequence[Any]) -> list[Column]:
    return [
        Column("H", told(found, lambda one: one.h), "statistic"),
        Column("df", told(found, lambda one: one.df), "count"),
        Column("p", told(found, lambda one: one.p), "p"),
        Column("ε²", told(found, lambda one: one.epsilon_squared), "share"),
        Column("runs", told(found, lambda one: one.n), "count"),
    ]
