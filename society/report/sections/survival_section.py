"""The section of survival: how long societies lasted until something came, or did not."""

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
from society.analysis.study.design import ConditionGroup
from society.report.figures.curves import SurvivalLine, SurvivalPanel, survival_plot
from society.report.layout import Layout, legend_note
from society.report.page import Section, SectionPart
from society.report.tables import Head, Table, read_fields

from .over_time import number_series

_MOST_TESTED = 60  # conditions in one log-rank test
_DEPENDENT = "The test takes runs as independent; with common random numbers they are not."
_CAPTION = (
    "Kaplan-Meier estimates with 95 % bands; ticks: runs that were still going when last seen "
    "(censored)."
)


def survival_section(layout: Layout) -> Section:
    """Show for each measure that waits for something how long it took."""
    names = [] if layout.single_run else layout.times
    parts: list[SectionPart] = [Section(name, list(_survival(layout, name))) for name in names]
    if len(names) == 1:
        parts = list(_survival(layout, names[0]))
    return Section("Survival", parts, "survival")


def _survival(layout: Layout, name: str) -> Iterator[SectionPart]:
    lives = [
        SurvivalTimes(*both)
        for both in zip(layout.values(name), layout.censored(name), strict=True)
    ]
    found = [try_compute(kaplan_meier, one) for one in lives]
    if all(isinstance(one, NotEstimable) for one in found):
        yield f"{name}: {found[0]}."
        return
    panels, words = _panels(layout, lives, found)
    axis = f"{name}, {layout.measured[name]}"
    title = f"{name}: share of runs that lasted"
    yield survival_plot(f"survival_{name}", title, _CAPTION + words, axis, panels)
    yield _table(layout, name, found)
    yield from _comparison(layout, name, lives)


def _panels(
    layout: Layout, lives: Sequence[SurvivalTimes], found: Sequence[SurvivalCurve | NotEstimable]
) -> tuple[list[SurvivalPanel], str]:
    """The panels of the figure, and which conditions they show."""
    groups, lines = layout.figure_panels()
    words = legend_note(lines)
    if not groups:
        places = layout.extreme_conditions()
        groups = [ConditionGroup("the lowest and the highest outcomes", places)]
        words += f" Of {len(found)} conditions those with the lowest and the highest mean outcome."
    numbers = number_series(layout, groups, lines)
    panels = [
        SurvivalPanel(
            group.title,
            [
                _line(*numbers[place], layout.level_names(place, lines), lives[place], curve)
                for place in group.places
                if isinstance(curve := found[place], SurvivalCurve)
            ],
        )
        for group in groups
    ]
    return [panel for panel in panels if panel.curves], words


def _line(
    label: str, number: int, level: str, lives: SurvivalTimes, curve: SurvivalCurve
) -> SurvivalLine:
    """Extend a curve from round 0 to the last round in which a run was seen."""
    ends = np.asarray(lives.times, float)
    there = ~np.isnan(ends)
    share, low, high = (
        np.concatenate([[1.0], steps, steps[-1:]])
        for steps in (curve.survival, curve.low, curve.high)
    )
    if not len(curve.times):
        share = low = high = np.ones(2)
    times = np.concatenate([[0.0], curve.times, [curve.seen]])
    lost = np.unique(ends[there & np.asarray(lives.censored)])
    return SurvivalLine(label, level, number, times, share, low, high, ends[there], lost)


def _table(layout: Layout, name: str, found: Sequence[SurvivalCurve | NotEstimable]) -> Table:
    until = max(one.seen for one in found if isinstance(one, SurvivalCurve))
    rows = []
    for one in found:
        runs, censored, median, interval = read_fields(
            one, "n", "censored", "median", "median_interval"
        )
        known = isinstance(one, SurvivalCurve)
        mean = try_compute(restricted_mean, one, until) if isinstance(one, SurvivalCurve) else one
        rows.append(
            (
                *(runs, runs - censored if known else one, censored),
                *(median, *(interval[:2] if known else (one, one))),
                *read_fields(mean, "mean", "interval.low", "interval.high"),
            )
        )
    head: Head = [
        ("count", "runs", "events", "censored"),
        ("figure", "median", "median from", "median to"),
        ("figure", "restricted mean", "mean from", "mean to"),
    ]
    note = (
        "from, to: 95 % intervals; –: beyond the last round seen. Restricted mean: the mean time "
        f"up to round {until:g}, the last round seen."
    )
    first, title = layout.factor_columns(), f"{name} by condition"
    return Table.of(f"survival_{name}", title, head, rows, note, first=first)


def _comparison(layout: Layout, name: str, lives: Sequence[SurvivalTimes]) -> Iterator[SectionPart]:
    panels = [panel for panel in layout.panels if len(panel.places) > 1]
    if max((len(panel.places) for panel in panels), default=0) > _MOST_TESTED:
        yield f"More than {_MOST_TESTED} conditions: there is no log-rank test."
        return
    rows = []
    for panel in panels:
        found = try_compute(log_rank, {layout.name(place): lives[place] for place in panel.places})
        chi, df, p, events, runs = read_fields(found, "chi_squared", "df", "p", "events", "n")
        events = events if isinstance(found, NotEstimable) else sum(events.values())
        rows.append((panel.title or "all", chi, df, p, events, runs))
    head: Head = [
        ("text", "conditions"),
        ("statistic", "χ²"),
        ("count", "df"),
        ("p", "p"),
        ("count", "events", "runs"),
    ]
    notes = [_DEPENDENT] if layout.paired else []
    title = f"Log-rank test of {name} over conditions"
    if rows:
        yield Table.of(f"log_rank_{name}", title, head, rows, *notes)
