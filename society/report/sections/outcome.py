"""The chapter of the outcome: what each condition came to, as a figure and in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from society.analysis.statistics.means import bootstrapped_mean, mean, share
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.analysis.study.frames import CONDITION
from society.draws import Array
from society.experiments.factors import format_label
from society.report.figures.intervals import Dot, Dots, dots
from society.report.figures.scales import LINEAR, TIMES, Scale
from society.report.figures.style import LOOKS
from society.report.layout import Group, Layout
from society.report.page import Chapter, Paragraph, Part
from society.report.sections.tests import Tested
from society.report.tables import Cell, Column, Table, told

_MOST_DOTS = 84  # in one panel
_MOST_PANELS = 12
_BOOTSTRAPPED = 150  # conditions at most for which runs are resampled
_BLOCKS = " Replicates are blocks in that test, since they share their luck."
_NO_LETTERS = " There are no letters where no effect was found."
_LOGARITHMS = (
    f" The largest value is more than {TIMES} times the median, and all are above zero: the figure "
    "and the tests take logarithms, so that their means are geometric ones, and their differences "
    "ratios."
)


def outcome(layout: Layout, found: Sequence[Tested]) -> Chapter:
    """The chapter."""
    unit = layout.measured[layout.outcome]
    lead = f"{layout.outcome}: {unit}. A value is one run; intervals are 95 % intervals."
    lead += _LOGARITHMS if layout.scale.logarithmic else ""
    parts: list[Part] = [Paragraph(lead), *_figure(layout, found), _table(layout)]
    return Chapter("outcome", f"Outcome: {layout.outcome}", parts)


def _figure(layout: Layout, found: Sequence[Tested]) -> Iterator[Part]:
    if layout.alone:
        return
    across = _across(layout)
    if across is None:
        yield Paragraph(
            f"{len(layout.conditions)} conditions are too many for one figure of points; they "
            "stand in the table, and in heat maps where factors are numbers."
        )
        return
    tests = {id(one.panel): one for one in found}
    panels = [_dots(layout, panel, across, tests.get(id(panel))) for panel in layout.panels]
    words = f"Points: {layout.scale.mean}s over runs; bars: 95 % t intervals."
    if any(panel.letters for panel in panels):
        words += f" Levels of {across[0]} that share no letter differ (Tukey)."
        words += _BLOCKS if layout.paired else ""
        words += _NO_LETTERS if len(panels) > 1 else ""
    title = f"{layout.outcome} by {' and '.join(across) or 'condition'}"
    axis = f"{layout.outcome}, {layout.measured[layout.outcome]}"
    yield dots("outcome", title, words, axis, panels, layout.scale)


def _across(layout: Layout) -> list[str] | None:
    """The factors of rows and of series; None if no figure would be readable."""
    sizes = [len(layout.levels[name]) for name in layout.factors]
    if len(layout.panels) > _MOST_PANELS or np.prod(sizes, dtype=int) > _MOST_DOTS:
        return None
    if len(sizes) < 2 or sizes[1] <= len(LOOKS):
        return layout.factors
    return layout.factors[::-1] if sizes[0] <= len(LOOKS) else None


def _dots(layout: Layout, panel: Group, across: Sequence[str], found: Tested | None) -> Dots:
    if not across:
        (values,) = layout.values(layout.outcome)
        return Dots("", [layout.name(0)], {"": [mean_dot(values, layout.scale)]})
    rows = [format_label(level) for level in layout.levels[across[0]]]
    letters = found.letters(across[0]) if found else {}
    series = _series(layout, panel, across)
    named = across[0] if across[0] != CONDITION else ""
    signs = [letters.get(row, "") for row in rows] if letters else []
    return Dots(panel.title, rows, series, signs, named)


def _series(layout: Layout, panel: Group, across: Sequence[str]) -> dict[str, list[Dot | None]]:
    """A dot for each row, by the level of the second factor."""
    row_factor, *others = across
    rows = [format_label(level) for level in layout.levels[row_factor]]
    groups = {"": panel}
    if others:
        groups = {
            f"{others[0]} = {format_label(level)}": Group(
                "", [place for place in panel.places if layout.level(place, others[0]) == level]
            )
            for level in layout.levels[others[0]]
        }
    found = {}
    for name, group in groups.items():
        values = layout.pooled(layout.outcome, group, row_factor)
        found[name] = [
            mean_dot(values[row], layout.scale) if row in values else None for row in rows
        ]
    return found


def mean_dot(values: Array, scale: Scale = LINEAR) -> Dot | None:
    """The mean of runs with its t interval, if it has one; None without any value."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    found = try_compute(mean, scale.on(known))
    if isinstance(found, NotEstimable):
        return Dot(scale.back(scale.on(known).mean()), None, None, known)
    low, high = map(scale.back, found.interval[:2])
    return Dot(scale.back(found.mean), low, high, known)


def _table(layout: Layout) -> Table:
    values = layout.values(layout.outcome)
    known = [row[~np.isnan(row)] for row in values]
    found = [try_compute(mean, row) for row in values]
    columns = [
        *layout.columns(),
        Column("runs", [len(row) for row in known], "count"),
        Column("mean", [float(row.mean()) if len(row) else None for row in known], "figure"),
        Column("t from", told(found, lambda one: one.interval.low), "figure"),
        Column("t to", told(found, lambda one: one.interval.high), "figure"),
        *_geometric(values, layout.scale),
        *_resampled(values),
        Column("sd", [_spread(row) for row in known], "figure"),
    ]
    notes = ["t: 95 % t interval of the mean."]
    if layout.scale.logarithmic:
        notes.append("geometric: mean of logarithms with its 95 % t interval.")
    if len(values) <= _BOOTSTRAPPED:
        notes.append("bootstrap: 95 % BCa interval of the mean, 9,999 resamples, fixed seed.")
    if layout.outcome in layout.times:
        columns += _lasted(layout)
        notes.append(
            "lasted: share of runs in which it had not come by the last round (censored), with its "
            "95 % Wilson interval; their times count as that round in the mean."
        )
    return Table("outcome", f"{layout.outcome} by condition", columns, notes)


def _geometric(values: Sequence[Array], scale: Scale) -> list[Column]:
    """Where the mean is that of a few runs: the geometric mean with its interval."""
    if not scale.logarithmic:
        return []
    means = [mean_dot(row, scale) for row in values]
    return [
        Column("geometric mean", [one.mean if one else None for one in means], "figure"),
        Column("geometric from", [one.low if one else None for one in means], "figure"),
        Column("geometric to", [one.high if one else None for one in means], "figure"),
    ]


def _spread(known: Array) -> float | None:
    return float(known.std(ddof=1)) if len(known) > 1 else None


def _resampled(values: Sequence[Array]) -> list[Column]:
    if len(values) > _BOOTSTRAPPED:
        return []
    found = [try_compute(bootstrapped_mean, row) for row in values]
    return [
        Column("bootstrap from", told(found, lambda one: one.interval.low), "figure"),
        Column("bootstrap to", told(found, lambda one: one.interval.high), "figure"),
    ]


def _lasted(layout: Layout) -> list[Column]:
    flags = layout.censored(layout.outcome)
    times = layout.values(layout.outcome)
    counts = [
        (int((flag & ~np.isnan(row)).sum()), int((~np.isnan(row)).sum()))
        for flag, row in zip(flags, times, strict=True)
    ]
    found = [try_compute(share, *count) for count in counts]

    def column(heading: str, of: Any) -> Column:
        return Column(heading, told(found, of), "share")

    censored: list[Cell] = [count for count, _ in counts]
    return [
        Column("censored", censored, "count"),
        column("lasted", lambda one: one.share),
        column("lasted from", lambda one: one.interval.low),
        column("lasted to", lambda one: one.interval.high),
    ]
