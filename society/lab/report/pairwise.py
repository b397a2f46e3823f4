"""Tests for the chapter of tests: each condition against the first one, and ranks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from society.lab.statistics.contrasts import paired, welch
from society.lab.statistics.posthoc import corrected
from society.lab.statistics.ranks import kruskal_wallis, mann_whitney, wilcoxon
from society.lab.statistics.samples import Unanswerable, answered

from .layout import Layout
from .page import Heading, Paragraph, Part
from .tables import Cell, Column, Table, told

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
    values = layout.values(layout.outcome)
    test = paired if layout.paired else welch
    found = [answered(test, values[place], values[first]) for first, place in pairs]
    ranked = wilcoxon if layout.paired else mann_whitney
    ranks = [answered(ranked, values[place], values[first]) for first, place in pairs]
    yield _contrast_table(layout, pairs, found, ranks)


def _contrast_table(
    layout: Layout, pairs: Sequence[tuple[int, int]], found: list[Any], ranks: list[Any]
) -> Table:
    how = "paired" if layout.paired else "Welch"
    columns = [
        *layout.columns(place for _, place in pairs),
        Column("against", [layout.levelled(first, layout.factors) for first, _ in pairs]),
        Column("difference", told(found, lambda one: one.difference), "figure"),
        Column("95 % from", told(found, lambda one: one.interval.low), "figure"),
        Column("95 % to", told(found, lambda one: one.interval.high), "figure"),
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
        Column("g from", told(found, lambda one: one.effect.interval.low), "statistic"),
        Column("g to", told(found, lambda one: one.effect.interval.high), "statistic"),
        Column("runs", told(found, lambda one: f"{one.n[0]}, {one.n[1]}")),
    ]


def _notes(layout: Layout) -> list[str]:
    holm = "p (Holm): adjusted for all contrasts of this table."
    if layout.paired:
        return [
            "Replicate r of both conditions has the same luck, so that differences are taken pair "
            "by pair: paired t test; p of ranks: Wilcoxon's signed-rank test.",
            "d_z: difference in standard deviations of the differences. gain: how many times "
            f"smaller the variance is than that of unpaired runs would be. {holm}",
        ]
    return [
        "Welch's t test; g: Hedges' standardised difference with its 95 % interval; p of ranks: "
        f"Mann-Whitney. {holm}"
    ]


def _holm(found: Sequence[Any]) -> list[Cell]:
    """Adjusted p values of the contrasts that have one."""
    adjusted = iter(
        corrected([one.p for one in found if not isinstance(one, Unanswerable)]).tolist()
    )
    return told(found, lambda one: next(adjusted))


def ranks(layout: Layout) -> Iterator[Part]:
    """Whether any condition of a panel tends to other values than the rest."""
    values = layout.values(layout.outcome)
    panels = [panel for panel in layout.panels if len(panel.places) > 1]
    found = [
        answered(kruskal_wallis, {str(place): values[place] for place in panel.places})
        for panel in panels
    ]
    yield Heading("Ranks")
    yield Table(
        "ranks",
        f"Kruskal-Wallis test of {layout.outcome} over conditions",
        [
            Column("conditions", [panel.title or "all" for panel in panels]),
            Column("H", told(found, lambda one: one.h), "statistic"),
            Column("df", told(found, lambda one: one.df), "count"),
            Column("p", told(found, lambda one: one.p), "p"),
            Column("ε²", told(found, lambda one: one.epsilon_squared), "share"),
            Column("runs", told(found, lambda one: one.n), "count"),
        ],
        ["It looks at the order of values alone, as suits times that pile up at the horizon."],
    )
