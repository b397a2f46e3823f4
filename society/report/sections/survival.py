"""The chapter of survival: how long societies lasted until something came, or did not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from society.analysis.statistics.samples import NotEstimable, try_compute
from society.analysis.statistics.survival import (
    SurvivalCurve,
    SurvivalTimes,
    kaplan_meier,
    log_rank,
    restricted_mean,
)
from society.report.figures.curves import Lasting, Survivals, survival_curves
from society.report.layout import Group, Layout, named
from society.report.page import Chapter, Heading, Paragraph, Part
from society.report.sections.over_time import numbered
from society.report.tables import Column, Table, told

_MOST_TESTED = 60  # conditions in one log-rank test


def durations(layout: Layout) -> Chapter | None:
    """The chapter; None if no measure waits for anything."""
    names = [] if layout.alone else layout.times
    parts = [part for name in names for part in _waiting(layout, name)]
    return Chapter("survival", "Survival", parts) if parts else None


def _waiting(layout: Layout, name: str) -> Iterator[Part]:
    lives = [
        SurvivalTimes(*both)
        for both in zip(layout.values(name), layout.censored(name), strict=True)
    ]
    found = [try_compute(kaplan_meier, one) for one in lives]
    if all(isinstance(one, NotEstimable) for one in found):
        yield Paragraph(f"{name}: {found[0]}.")
        return
    if len(layout.times) > 1:
        yield Heading(name)
    panels, words = _panels(layout, lives, found)
    yield survival_curves(
        f"survival_{name}",
        f"{name}: share of runs that lasted",
        words,
        f"{name}, {layout.measured[name]}",
        panels,
    )
    yield _table(layout, name, found)
    yield from _compared(layout, name, lives)


def _panels(
    layout: Layout, lives: Sequence[SurvivalTimes], found: Sequence[SurvivalCurve | NotEstimable]
) -> tuple[list[Survivals], str]:
    groups, lines = layout.drawn()
    words = (
        "Kaplan-Meier estimates with 95 % bands; upright ticks: runs that were still going when "
    )
    words += f"last seen (censored).{named(lines)}"
    if not groups:
        groups = [Group("the lowest and the highest outcomes", layout.extremes())]
        words += f" Of {len(found)} conditions those with the lowest and highest mean outcome."
    numbers = numbered(layout, groups, lines)
    panels = [
        Survivals(
            group.title,
            [
                _lasting(numbers[place], layout.levelled(place, lines), lives[place], curve)
                for place in group.places
                if isinstance(curve := found[place], SurvivalCurve)
            ],
        )
        for group in groups
    ]
    return [panel for panel in panels if panel.curves], words


def _lasting(
    named: tuple[str, int], level: str, lives: SurvivalTimes, curve: SurvivalCurve
) -> Lasting:
    """From round 0 to the last round in which a run was seen."""
    ends = np.asarray(lives.times, float)
    there = ~np.isnan(ends)
    last = curve.survival[-1:], curve.low[-1:], curve.high[-1:]
    share, low, high = (
        np.concatenate([[1.0], steps, end])
        for steps, end in zip((curve.survival, curve.low, curve.high), last, strict=True)
    )
    if not len(curve.times):
        share = low = high = np.ones(2)
    times = np.concatenate([[0.0], curve.times, [curve.seen]])
    lost = np.unique(ends[there & np.asarray(lives.censored)])
    return Lasting(named[0], level, named[1], times, share, low, high, ends[there], lost)


def _table(layout: Layout, name: str, found: Sequence[SurvivalCurve | NotEstimable]) -> Table:
    until = max(one.seen for one in found if isinstance(one, SurvivalCurve))
    means = [
        one if isinstance(one, NotEstimable) else try_compute(restricted_mean, one, until)
        for one in found
    ]
    columns = [
        *layout.columns(),
        Column("runs", told(found, lambda one: one.n), "count"),
        Column("events", told(found, lambda one: one.n - one.censored), "count"),
        Column("censored", told(found, lambda one: one.censored), "count"),
        Column("median", told(found, lambda one: one.median), "figure"),
        Column("median from", told(found, lambda one: one.median_interval[0]), "figure"),
        Column("median to", told(found, lambda one: one.median_interval[1]), "figure"),
        Column("restricted mean", told(means, lambda one: one.mean), "figure"),
        Column("mean from", told(means, lambda one: one.interval.low), "figure"),
        Column("mean to", told(means, lambda one: one.interval.high), "figure"),
    ]
    notes = [
        "from, to: 95 % intervals; –: beyond what was seen. Restricted mean: the mean time up "
        f"to round {until:g}, the last that was seen."
    ]
    return Table(f"survival_{name}", f"{name} by condition", columns, notes)


def _compared(layout: Layout, name: str, lives: Sequence[SurvivalTimes]) -> Iterator[Part]:
    panels = [panel for panel in layout.panels if len(panel.places) > 1]
    if not panels:
        return
    if max(len(panel.places) for panel in panels) > _MOST_TESTED:
        yield Paragraph(f"More than {_MOST_TESTED} conditions: there is no log-rank test.")
        return
    found = [
        try_compute(log_rank, {layout.name(place): lives[place] for place in panel.places})
        for panel in panels
    ]
    notes = ["Runs are taken as independent, which they are not under common random numbers."]
    yield Table(
        f"log_rank_{name}",
        f"Log-rank test of {name} over conditions",
        [
            Column("conditions", [panel.title or "all" for panel in panels]),
            Column("χ²", told(found, lambda one: one.chi_squared), "statistic"),
            Column("df", told(found, lambda one: one.df), "count"),
            Column("p", told(found, lambda one: one.p), "p"),
            Column("events", told(found, lambda one: sum(one.events.values())), "count"),
            Column("runs", told(found, lambda one: one.n), "count"),
        ],
        notes if layout.paired else [],
    )
