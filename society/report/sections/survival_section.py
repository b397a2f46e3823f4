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
from society.report.figures.style import SeriesStyle
from society.report.layout import Layout, legend_note
from society.report.page import Section, SectionPart
from society.report.tables import Head, Table, read_fields

_MOST_TESTED = 60  # conditions in one log-rank test
_DEPENDENT = "The test takes runs as independent; with common random numbers they are not."
_CAPTION = (
    "Kaplan-Meier estimates with 95 % bands; upright strokes: runs that were still going when last "
    "seen (censored). Below: runs at risk at the ticks of the axis."
)


def survival_section(layout: Layout) -> Section:
    """Show for each measure that waits for something how long it took."""
    names = [] if layout.single_run else layout.times
    parts: list[SectionPart] = [
        Section(layout.heading(name), list(_survival(layout, name))) for name in names
    ]
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
        yield f"{layout.heading(name)}: {found[0]}."
        return
    panels, words = _panels(layout, lives, found)
    axis = layout.axis_label(name)
    axis = f"{axis[:1].upper()}{axis[1:]}"
    counts = [one.n for one in found if isinstance(one, SurvivalCurve)]
    words = f"{_CAPTION} {_count_runs(counts)}{words}"
    title = survival_title(layout.label(name), panels)
    yield survival_plot(f"survival_{name}", title, words, axis, panels)
    yield _table(layout, name, found)
    yield from _comparison(layout, name, lives)


def survival_title(label: str, panels: Sequence[SurvivalPanel]) -> str:
    """Say by when a time was over in half of the runs, in the first and the last condition."""
    medians = []
    for panel in panels:
        for curve in panel.curves:
            half = curve.times[curve.share <= 0.5]
            name = ", ".join(filter(None, (curve.label, panel.title)))
            medians.append((float(half[0]) if len(half) else np.inf, name))
    first, last = min(medians), max(medians)
    label = f"{label[:1].upper()}{label[1:]}"
    if np.isinf(first[0]):
        came = any((curve.share < 1).any() for panel in panels for curve in panel.curves)
        runs = "more than half of the runs" if came else "any run"
        return f"{label}: not over in {runs} by the last round"
    if len(medians) == 1:
        return f"{label}: over in half of the runs by round {first[0]:g}"
    until = "never" if np.isinf(last[0]) else f"by round {last[0]:g}"
    return (
        f"{label}: over in half of the runs by round {first[0]:g} with {first[1]}, "
        f"{until} with {last[1]}"
    )


def _count_runs(counts: Sequence[int]) -> str:
    """Say how many runs a curve is estimated from."""
    least, most = min(counts), max(counts)
    runs = f"{most}" if least == most else f"{least} to {most}"
    return f"n = {runs} runs {'a curve' if len(counts) > 1 else 'in all'}."


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
    named = layout.label_series(groups, lines)
    panels = [
        SurvivalPanel(
            group.title,
            [
                _line(*named[place], layout.level_names(place, lines), lives[place], curve)
                for place in group.places
                if isinstance(curve := found[place], SurvivalCurve)
            ],
        )
        for group in groups
    ]
    return [panel for panel in panels if panel.curves], words


def _line(
    label: str, style: SeriesStyle, level: str, lives: SurvivalTimes, curve: SurvivalCurve
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
    return SurvivalLine(label, level, style, times, share, low, high, ends[there], lost)


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
    first, title = layout.factor_columns(), f"{layout.heading(name)} by condition"
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
    title = f"Log-rank test of {layout.label(name)} over conditions"
    if rows:
        yield Table.of(f"log_rank_{name}", title, head, rows, *notes)
