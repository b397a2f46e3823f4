"""The sections of the outcome: each condition in a figure and in numbers, and heat maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from society.analysis.statistics.bands import UNBOUNDED
from society.analysis.statistics.means import bootstrapped_mean, mean, share
from society.analysis.statistics.samples import try_compute
from society.analysis.statistics.value_scale import TIMES
from society.analysis.study.design import ConditionGroup
from society.analysis.study.frames import CONDITION
from society.analysis.study.panel_tests import PanelTests
from society.experiments.factors import Label, format_label
from society.report.figures.heatmaps import HeatPanel, heatmap
from society.report.figures.intervals import Dot, DotPanel, dot_plot
from society.report.figures.scales import AxisScale
from society.report.figures.style import SERIES, Figure, SeriesStyle
from society.report.layout import Layout
from society.report.page import Section, SectionPart, folded_section
from society.report.tables import Head, Table, known_mean, read_fields

from .contrast_figure import estimation_figure
from .evolution.populations import Populations

_MOST_DOTS = 84  # in one panel
_MOST_PANELS = 12
_BOOTSTRAPPED = 150  # conditions at most for which runs are resampled
_BLOCKS = " Replicates are blocks in that test, since their random numbers are common."
_NO_LETTERS = " Where no effect was found, there are no letters."
_LOGARITHMS = (
    f" The largest value is more than {TIMES} times the median, and all values are above zero. So "
    "the figure and the tests take logarithms: means are geometric means, and differences are "
    "ratios."
)
_LASTED = (
    "lasted: share of runs in which the event had not come by the last round (censored), with "
    "its 95 % Wilson interval; the mean counts the last round as their time."
)
_LAST_GENERATION = (
    "The figure shows the last generation, on the scale of the figure by generation; the table and "
    "all tests take means over all generations."
)
_ALL_GENERATIONS = (
    " It is a mean over all generations, in the figure, the table and all tests; how it ends "
    "stands under Evolution."
)
_MEAN_OF_RUN = " It is a mean over all generations; how it ends stands under Evolution."
_NO_MEASURES = (
    "These runs have no measures, so there is no outcome to show or to test. Measures are declared "
    "with the scenario: @scenario(..., measures=(Measure(...),))."
)


def outcome_section(populations: Populations, tests: Sequence[PanelTests]) -> Section:
    """Show the outcome of each condition, as a figure and in numbers; else say what is missing.

    Of a single condition that evolves, the last generation is shown first, which a mean over all
    generations would hide.
    """
    layout = populations.layout
    if not layout.outcome:
        return Section("Outcome", [_NO_MEASURES], "outcome")
    axis = layout.axis_label(layout.outcome)
    title = f"Outcome: {layout.label(layout.outcome)}"
    lead = f"{axis[:1].upper()}{axis[1:]}."
    lead += "" if layout.single_run else " A value is one run; intervals are 95 % intervals."
    lead += _LOGARITHMS if layout.scale.logarithmic else ""
    table = _table(layout)
    evolves = len(populations.places) == len(layout.conditions) and layout.outcome in layout.folds
    if evolves and len(layout.conditions) == 1 and not layout.single_run:
        folded = folded_section("Over all generations, in numbers", table)
        figure, lead = _last_generation(populations), f"{lead} {_LAST_GENERATION}"
        return Section(title, [lead, figure, folded], "outcome")
    shown = folded_section("In numbers", table) if layout.single_run else table
    if evolves:
        lead += _MEAN_OF_RUN if layout.single_run else _ALL_GENERATIONS
    parts: list[SectionPart] = [lead, *_figure(layout, tests), shown]
    return Section(title, parts, "outcome")


def _last_generation(populations: Populations) -> Figure:
    """Draw the last generation of each run of the only condition, on the scale of its course."""
    layout = populations.layout
    (course,) = populations.by_generation(layout.outcome).values()
    scale, last = AxisScale.of(course.ravel()), course.shape[1]
    bounds = UNBOUNDED if scale.logarithmic else layout.bounds(layout.outcome)
    dot = Dot.of(course[:, -1], scale, bounds)
    panel = DotPanel("", [layout.name(0)], {"": [dot]}, styles=[layout.style(0)])
    label = layout.label(layout.outcome)
    title = f"{label[:1].upper()}{label[1:]} in the last generation ({last} of {last})"
    bar = " Bar: 95 % interval." if dot is not None and dot.low is not None else ""
    caption = f"Point: {scale.mean_name} over runs.{bar}"
    axis = layout.axis_label(layout.outcome)
    return dot_plot("outcome", title, caption, axis, [panel], scale, bounds)


def _figure(layout: Layout, tests: Sequence[PanelTests]) -> Iterator[SectionPart]:
    if layout.single_run:
        return
    if compared := estimation_figure(layout, tests):
        yield compared
        return
    across = _across(layout)
    if across is None:
        yield (
            f"{len(layout.conditions):,} conditions are too many for one figure of points; "
            "see the table, and the heat maps if factors are numbers."
        )
        return
    found = {id(one.panel): one for one in tests}
    panels = [_dots(layout, panel, across, found.get(id(panel))) for panel in layout.panels]
    caption = f"Points: {layout.scale.mean_name}s over runs; bars: 95 % intervals."
    if any(panel.letters for panel in panels):
        caption += f" Levels of {across[0]} that share no letter differ (Tukey)."
        caption += _BLOCKS if layout.paired else ""
        caption += _NO_LETTERS if len(panels) > 1 else ""
    title = f"{layout.heading(layout.outcome)} by {' and '.join(across) or 'condition'}"
    axis = layout.axis_label(layout.outcome)
    bounds = layout.bounds(layout.outcome)
    yield dot_plot("outcome", title, caption, axis, panels, layout.scale, bounds)


def _across(layout: Layout) -> list[str] | None:
    """The factors of rows and of series; None if no figure would be readable."""
    sizes = [len(layout.levels[name]) for name in layout.factors]
    if len(layout.panels) > _MOST_PANELS or np.prod(sizes, dtype=int) > _MOST_DOTS:
        return None
    if len(sizes) < 2 or sizes[1] <= len(SERIES):
        return layout.factors
    return layout.factors[::-1] if sizes[0] <= len(SERIES) else None


def _dots(
    layout: Layout, panel: ConditionGroup, across: Sequence[str], tests: PanelTests | None
) -> DotPanel:
    if not across:
        (values,) = layout.values(layout.outcome)
        return DotPanel(
            "",
            [layout.name(0)],
            {"": [Dot.of(values, layout.scale, layout.bounds(layout.outcome))]},
            styles=[layout.style(0)],
        )
    rows = [format_label(level) for level in layout.levels[across[0]]]
    letters = tests.letters(across[0]) if tests else {}
    signs = [letters.get(row, "") for row in rows] if letters else []
    factor = across[0] if across[0] != CONDITION else ""
    series = _series(layout, panel, across, rows)
    styles = _styles(layout, across)
    return DotPanel(panel.title, rows, series, signs, factor, styles)


def _series(
    layout: Layout, panel: ConditionGroup, across: Sequence[str], rows: Sequence[str]
) -> dict[str, list[Dot | None]]:
    """A dot for each row, by the level of the second factor."""
    groups = {"": panel}
    for other in across[1:]:
        groups = {
            f"{other} = {format_label(level)}": ConditionGroup(
                "", [place for place in panel.places if layout.level(place, other) == level]
            )
            for level in layout.levels[other]
        }
    bounds = layout.bounds(layout.outcome)
    values = {
        name: layout.pooled(layout.outcome, group, across[0]) for name, group in groups.items()
    }
    return {
        name: [Dot.of(own[row], layout.scale, bounds) if row in own else None for row in rows]
        for name, own in values.items()
    }


def _styles(layout: Layout, across: Sequence[str]) -> list[SeriesStyle]:
    """The styles of series: of the levels of the second factor, or of all rows."""
    found = dict[Label, SeriesStyle]()
    for place in range(len(layout.conditions)):
        level = layout.level(place, across[1]) if across[1:] else None
        found.setdefault(level, layout.style_of_levels(place, across[1:]))
    return [found[level] for level in (layout.levels[across[1]] if across[1:] else [None])]


def _table(layout: Layout) -> Table:
    """Means with their intervals; geometric ones, where the mean is that of a few runs."""
    values, scale = layout.values(layout.outcome), layout.scale
    known = [row[~np.isnan(row)] for row in values]
    bounds = "interval.low", "interval.high"
    rows = [
        [len(own), known_mean(own), *read_fields(try_compute(mean, own), *bounds)] for own in known
    ]
    head: Head = [("count", "runs"), ("figure", "mean", "95 % from", "95 % to")]
    notes = ["95 %: t interval of the mean."]
    if scale.logarithmic:
        head += [("figure", "geometric mean", "geometric from", "geometric to")]
        notes.append("geometric: mean of logarithms with its 95 % t interval.")
        for row, own in zip(rows, known, strict=True):
            row += (Dot.of(own, scale) or (None, None, None))[:3]
    if len(values) <= _BOOTSTRAPPED:
        head += [("figure", "bootstrap 95 % from", "bootstrap 95 % to")]
        notes.append("bootstrap 95 %: BCa interval of the mean, 9,999 resamples, fixed seed.")
        for row, own in zip(rows, values, strict=True):
            row += read_fields(try_compute(bootstrapped_mean, own), *bounds)
    head += [("figure", "sd")]
    for row, own in zip(rows, known, strict=True):
        row.append(float(own.std(ddof=1)) if len(own) > 1 else None)
    if layout.outcome in layout.times:
        head += [("count", "censored"), ("share", "lasted", "lasted from", "lasted to")]
        notes.append(_LASTED)
        for row, own, flags in zip(rows, values, layout.censored(layout.outcome), strict=True):
            count = int((flags & ~np.isnan(own)).sum())
            lasted = try_compute(share, count, int((~np.isnan(own)).sum()))
            row += [count, *read_fields(lasted, "share", *bounds)]
    title = f"{layout.heading(layout.outcome)} by condition"
    return Table.of("outcome", title, head, rows, *notes, first=layout.factor_columns())


def maps_section(layout: Layout) -> Section:
    """Map the outcome over two parameters that are numbers, with three levels each at least."""
    numeric = layout.numeric()[:2]
    parts = [_map(layout, *numeric)] if len(numeric) == 2 and layout.outcome else []
    return Section("Over two parameters", parts, "maps")


def _map(layout: Layout, *numeric: str) -> SectionPart:
    rows, columns = sorted(numeric, key=lambda name: len(layout.levels[name]))
    groups = layout.group_by([name for name in layout.levels if name not in numeric])
    panels = [_heat(layout, group, rows, columns) for group in groups[:_MOST_PANELS]]
    if all(np.isnan(panel.values).all() for panel in panels):
        return f"No run has a value of {layout.label(layout.outcome)}."
    caption = f"{layout.scale.mean_name.capitalize()}s over runs, at the levels that were played."
    if len(groups) > _MOST_PANELS:
        caption += f" The first {_MOST_PANELS} of {len(groups)} maps."
    title = f"{layout.heading(layout.outcome)} over {rows} and {columns}"
    unit = layout.axis_label(layout.outcome)
    return heatmap("map", title, caption, unit, panels)


def _heat(layout: Layout, group: ConditionGroup, rows: str, columns: str) -> HeatPanel:
    """Arrange means in ascending order of both factors, (rows, columns)."""
    down, along = (sorted(layout.levels[name]) for name in (rows, columns))  # type: ignore[type-var]
    values, scale = np.full((len(down), len(along)), np.nan), layout.scale
    runs = layout.values(layout.outcome)
    for place in group.places:
        at = down.index(layout.level(place, rows)), along.index(layout.level(place, columns))
        mean = known_mean(scale.transform(runs[place]))
        values[at] = np.nan if mean is None else scale.invert(mean)
    names = [*map(format_label, down)], [*map(format_label, along)]
    return HeatPanel(group.title, (rows, columns), *names, values)
