"""The section of measures over time, as small multiples: their course, and where runs end."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.bands import FEWEST, UNBOUNDED, Bounds, mean_band
from society.analysis.study.design import ConditionGroup, is_share
from society.engine.rng import Array
from society.engine.scenario import COURSELESS
from society.report.figures.alt_text import format_axis_number
from society.report.figures.curves import (
    Curve,
    CurvePanel,
    SingleRun,
    choose_limits,
    choose_runs,
    course_grid,
)
from society.report.figures.scales import AxisScale
from society.report.figures.style import SeriesStyle
from society.report.layout import Layout, legend_note
from society.report.page import Section, SectionPart, folded_section
from society.report.tables import CellValue, Head, Table
from society.terminal.labels import count_noun

from .evolution.populations import Populations

_IN_GREY = 100  # conditions behind those that stand out
_CHOSEN = 6  # rounds of a curve whose numbers stand in the page
_MOST_PANELS = 15  # on one figure
_MOST_COLUMNS = 4  # of groups of conditions, side by side
_LEAD = (
    "A mean of a round is taken over the runs that still go on. It becomes thinner as they become "
    f"fewer, and stops where fewer than {FEWEST} are left; bands are 95 % intervals."
)
_COUNTED = (
    " Where a measure is marked with †, runs that have ended count with the value that their "
    "scenario declares for them."
)
_OPEN = 3  # figures that stand open on the page
_NUMBERED = " Rounds are numbered throughout; lines bridge rounds in which a measure is not taken."
_LOGIT = " Bands of shares are those of logits (of Wilson where each run is all or nothing)."


def over_time_section(
    populations: Populations, measures: Sequence[str] = (), without: Collection[str] = ()
) -> Section:
    """Show measures round by round.

    measures: none: all. without: those that another section shows over time.
    """
    layout = populations.layout
    every = measures or [name for name, kind in layout.folds.items() if kind not in COURSELESS]
    names = [name for name in every if name not in without]
    flat = {name: value for name in names if (value := _constant(layout, name)) is not None}
    courses = [
        course
        for name in names
        if name not in flat and (course := _Course.of(populations, name)) is not None
    ]
    parts = [
        part
        for along in dict.fromkeys(one.along for one in courses)
        for part in _figures(layout, [one for one in courses if one.along == along], along)
    ]
    if flat:
        values = ", ".join(
            f"{layout.label(name)} ({format_axis_number(value)})" for name, value in flat.items()
        )
        parts.append(f"The same in every round of every run: {values}.")
    nested = any(len(run.manifest.stage.levels) > 1 for run in layout.conditions)
    averaged = _LEAD + _COUNTED * any(one.ended is not None for one in courses)
    lead = (averaged * (not layout.single_run) + _NUMBERED * nested).strip()
    return Section("Measures over time", [*filter(None, [lead]), *parts] if parts else [], "time")


def _constant(layout: Layout, name: str) -> float | None:
    """The value of a measure that never had another one, in several rounds; else None."""
    every = np.concatenate([values.ravel() for values in layout.by_round(name)])
    known = every[~np.isnan(every)]
    constant = len(known) > 1 and len(every) > len(layout.conditions) and np.ptp(known) == 0
    return float(known[0]) if constant else None


class _Course(NamedTuple):
    """A measure over time: its series by condition, and how it is averaged and drawn."""

    name: str
    along: str
    taken: Sequence[_Series]
    scale: AxisScale
    bounds: Bounds
    ended: float | None

    @classmethod
    def of(cls, populations: Populations, name: str) -> _Course | None:
        """Take a measure from all conditions; None if no run has a value of it."""
        layout, once = populations.layout, name in populations.once
        ended = None if once else layout.ended(name)
        if once:
            blocks = [*populations.by_generation(name).values()]
            taken = [
                _Series.of(each, ~np.isnan(each), layout.endings(place))
                for place, each in zip(populations.places, blocks, strict=True)
            ]
        else:
            taken = [
                _Series.of(values, running, layout.endings(place), ended)
                for place, (values, running) in enumerate(
                    zip(layout.by_round(name), layout.running(), strict=True)
                )
            ]
        every = np.concatenate([each.values.ravel() for each in taken])
        if np.isnan(every).all():
            return None
        scale = AxisScale.of(every)
        bounds = UNBOUNDED if scale.logarithmic else layout.bounds(name)
        along = "generation" if once else layout.round_word
        return cls(name, along, taken, scale, bounds, ended)


def _figures(layout: Layout, courses: Sequence[_Course], along: str) -> Iterator[SectionPart]:
    """Draw some measures on one axis of time, as many to a figure as it has room for."""
    groups, lines = layout.figure_panels()
    shown = groups or [ConditionGroup("", layout.extreme_conditions())]
    beside = len(shown) if len(shown) <= _MOST_COLUMNS else 1
    named = layout.label_series(shown, lines)
    step = max(_MOST_PANELS // beside, 1)
    beside_each_other = [shown] if beside > 1 or len(shown) == 1 else [[one] for one in shown]
    rows = [_row(layout, course, shown, named, all_shown=bool(groups)) for course in courses]
    pages = [
        (columns, slice(start, start + step))
        for columns in beside_each_other
        for start in range(0, len(courses), step)
    ]
    figures = []
    for number, (columns, some) in enumerate(pages, 1):
        kind = "time_generations" if along == "generation" else "time"
        name = f"{kind}_{number}" if len(pages) > 1 else kind
        places = [shown.index(group) for group in columns]
        panels = [row[place] for row in rows[some] for place in places]
        figures.append(_figure(layout, name, courses[some], panels, columns, named, bool(groups)))
    yield from figures[:_OPEN]
    if more := figures[_OPEN:]:
        yield folded_section(count_noun(len(more), "more figure"), *more)
    if courses:
        tables = [_numbers(layout, course, named) for course in courses]
        yield folded_section(f"Measures by {along} in numbers", *tables)


Named = Mapping[int, tuple[str, SeriesStyle]]  # label and style of conditions by place


def _figure(
    layout: Layout,
    name: str,
    courses: Sequence[_Course],
    panels: Sequence[CurvePanel],
    columns: Sequence[ConditionGroup],
    named: Named,
    all_shown: bool,
) -> SectionPart:
    if len(columns) == 1:
        titles = (_title(layout, course) for course in courses)
        panels = [own._replace(title=title) for own, title in zip(panels, titles, strict=True)]
    going = _going(courses[0], columns, named)
    caption = _caption(layout, courses, columns, named, all_shown, bool(going))
    return course_grid(
        name,
        _figure_title(courses, columns),
        caption,
        panels,
        columns=len(columns),
        going=going,
    )


def _row(
    layout: Layout,
    course: _Course,
    groups: Sequence[ConditionGroup],
    named: Named,
    *,
    all_shown: bool,
) -> list[CurvePanel]:
    """The panels of a measure, all of them on the same axis, on one figure or on several."""
    row = [_panel(layout, course, group, named, all_shown=all_shown) for group in groups]
    limits = choose_limits(row, course.bounds, course.scale)
    return [panel._replace(limits=limits) for panel in row]


def _title(layout: Layout, course: _Course) -> str:
    marked = course.ended is not None and not layout.single_run
    label = layout.label(course.name) + " †" * marked
    return f"{label[:1].upper()}{label[1:]}"


def _panel(
    layout: Layout, course: _Course, group: ConditionGroup, named: Named, *, all_shown: bool
) -> CurvePanel:
    curves = [
        course.taken[place].curve(*named[place], course, len(group.places))
        for place in group.places
    ]
    if not all_shown:
        others = [one for at, one in enumerate(course.taken) if at not in group.places]
        some = others[:: -(-len(others) // _IN_GREY) or 1]
        curves = [*(one.curve("", None, course, len(named)) for one in some), *curves]
    title = ", ".join(filter(None, (_title(layout, course), group.title)))
    unit, label = _axis_unit(layout.measured[course.name]), layout.label(course.name)
    return CurvePanel(title, curves, course.scale, course.along, unit=unit, quantity=label)


def _axis_unit(unit: str) -> str:
    """Keep of a unit what has room beside an axis; the caption has all of it.

    >>> _axis_unit("share of catches within the cap"), _axis_unit("units, mean over agents")
    ('share', 'units')
    """
    return "share" if is_share(unit) else unit.partition(",")[0]


def _going(course: _Course, columns: Sequence[ConditionGroup], named: Named) -> list[CurvePanel]:
    """Panels of how many runs still go on; none where all go on to the end."""
    counts = {place: course.taken[place].going for group in columns for place in group.places}
    if all(len(each) == 0 or each.min() == each.max() for each in counts.values()):
        return []
    panels = []
    for group in columns:
        curves = [_count_curve(course.taken[place], *named[place]) for place in group.places]
        title = ", ".join(filter(None, ("Runs that go on", group.title)))
        panels.append(CurvePanel(title, curves, along=course.along, unit="runs"))
    return panels


def _count_curve(series: _Series, label: str, style: SeriesStyle) -> Curve:
    counts = series.going.astype(float)
    return Curve(label, style, series.rounds, counts, counts, counts, counts)


def _figure_title(courses: Sequence[_Course], columns: Sequence[ConditionGroup]) -> str:
    """Say how many measures a figure follows, and how many runs it follows to the end."""
    series = [courses[0].taken[place] for group in columns for place in group.places]
    runs = sum(len(each.values) for each in series)
    left = sum(int(each.going[-1]) for each in series if len(each.going))
    last = max((int(each.rounds[-1]) for each in series if len(each.rounds)), default=0)
    what = count_noun(len(courses), "measure")
    until = f"{what} over {last} {courses[0].along}s" if last > 1 else what
    if runs == 1:
        return until
    if left == runs:
        return f"{until}, to whose end all {runs} runs last"
    return f"{until}, to whose end {left} of {runs} runs last"


def _caption(
    layout: Layout,
    courses: Sequence[_Course],
    columns: Sequence[ConditionGroup],
    named: Named,
    all_shown: bool,
    ending: bool,
) -> str:
    """Say what is drawn, of how many runs, and what bands are."""
    units = "; ".join(f"{layout.label(one.name)}: {layout.measured[one.name]}" for one in courses)
    said = [f"{units[:1].upper()}{units[1:]}."]
    logs = [layout.label(one.name) for one in courses if one.scale.logarithmic]
    if logs:
        said.append(f"Geometric means: {', '.join(logs)}.")
    places = [place for group in columns for place in group.places]
    sizes = [len(courses[0].taken[place].values) for place in places]
    most, least = max(sizes), min(sizes)
    count = f"n = {most}" if most == least else f"n = {least} to {most}"
    if most > 1:
        said.append(f"{count} runs a condition.")
    drawn = len(choose_runs(most, max(len(group.places) for group in columns)))
    if most >= FEWEST:
        said.append("Thick lines: means, thinner with the share of runs that they rest on;")
        said.append("bands: 95 % intervals of the mean.")
        said.append(f"Thin lines: the first {drawn} runs of each condition" + "." * (not ending))
    elif most > 1:
        said.append(f"Fewer than {FEWEST} runs have no mean and no band: lines are single runs.")
    if ending and most > 1:
        said[-1] = said[-1].rstrip(".") + ", each with a mark where it ended."
    if any(one.bounds[0] is not None and one.bounds[1] is not None for one in courses):
        said[-1] += _LOGIT * (most >= FEWEST)
    if not all_shown:
        total = len(layout.conditions)
        said.append(
            f"Of {total} conditions those with the lowest and the highest mean "
            f"{layout.label(layout.outcome)}; others in grey"
            f"{f' ({_IN_GREY} of them)' if total - len(named) > _IN_GREY else ''}."
        )
    return " ".join(said) + legend_note(layout.figure_panels()[1])


class _Series(NamedTuple):
    """A measure in the rounds in which some run has it, (K,), and its values there, (R, K).

    So what is measured once a game has a line. Rounds after the last one are there, too: they say
    that there is nobody left. counted: the values that means are taken of. causes: why each run
    ended, (R,). going: runs that go on, (K,).
    """

    rounds: Array
    values: Array
    counted: Array
    causes: Sequence[str]
    going: Array

    @classmethod
    def of(
        cls, values: Array, running: Array, causes: Sequence[str], ended: float | None = None
    ) -> _Series:
        """Take the rounds with values from all rounds, (R, T).

        ended: the value in rounds after a run's end, if those count.
        """
        some: Array = np.any(~np.isnan(values), axis=0)
        last = np.flatnonzero(some)[-1] if some.any() else -1
        places = np.flatnonzero(some | (np.arange(len(some)) > last))
        counted = values
        if ended is not None:
            over = ~running & np.array([bool(cause) for cause in causes])[:, None]
            counted = np.where(over & np.isnan(values), ended, values)
        going = running.sum(0)[places]
        return cls(places + 1, values[:, places], counted[:, places], causes, going)

    def curve(self, label: str, style: SeriesStyle | None, course: _Course, beside: int) -> Curve:
        """Mean and interval of each round, and some runs; beside: curves in the same panel."""
        scale = course.scale
        band = mean_band(scale.transform(self.counted), course.bounds)
        mean, low, high = map(scale.invert, band[1:])
        runs = [
            SingleRun(self.values[run], self.causes[run])
            for run in choose_runs(len(self.values), beside)
        ]
        if style is None:
            return Curve(label, None, self.rounds, mean, low, high, band.left)
        size = len(self.values)
        return Curve(label, style, self.rounds, mean, low, high, band.left, runs, size)


def _numbers(layout: Layout, course: _Course, named: Named) -> Table:
    """Tabulate the coloured curves one after another; some rounds of each in a page."""
    rows, places, chosen = list[tuple[CellValue, ...]](), list[int](), list[int]()
    for place in named:
        series = course.taken[place]
        curve = series.curve(*named[place], course, 1)
        length = len(curve.rounds)
        ends = np.linspace(0, length - 1, min(_CHOSEN, length)).round()
        chosen += [len(rows) + int(at) for at in ends]
        columns = curve.rounds, curve.mean, curve.low, curve.high, curve.left, series.going
        rows += list(zip(*(column.tolist() for column in columns), strict=True))
        places += [place] * length
    head: Head = [
        ("count", course.along),
        ("figure", course.scale.mean_name, "95 % from", "95 % to"),
        ("count", "runs in the mean", "runs that go on"),
    ]
    first = layout.factor_columns(places)
    title = f"{layout.heading(course.name)} {course.along} by {course.along}"
    return Table.of(f"time_{course.name}", title, head, rows, first=first, chosen=chosen)
