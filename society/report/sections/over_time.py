"""The section of measures over time: their course in the runs that were left in each round."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from society.analysis.study.design import ConditionGroup
from society.engine.rng import Array
from society.engine.scenario import COURSELESS
from society.optional import require
from society.report.figures.alt_text import format_axis_number
from society.report.figures.curves import Curve, CurvePanel, line_plot
from society.report.figures.scales import AxisScale
from society.report.layout import Layout, legend_note
from society.report.page import Section, SectionPart, folded_section
from society.report.tables import CellValue, Head, Table

from .evolution.aggregates import RunMean
from .evolution.populations import Populations

_IN_GREY = 100  # conditions behind those that stand out
_LEVEL = 0.95
_FEWEST = 5  # runs for which a band means anything
_CHOSEN = 6  # rounds of a curve whose numbers stand in the page
_LEAD = (
    "Means over runs with 95 % t bands. The mean of a round is taken over the runs that still go "
    f"on; bands need at least {_FEWEST} of them, or all runs if there were fewer. Strips show how "
    "many runs are left."
)
_NUMBERED = " Rounds are numbered throughout; lines bridge rounds in which a measure is not taken."


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
    parts = [part for name in names if name not in flat for part in _measure(populations, name)]
    if flat:
        values = ", ".join(f"{name} ({format_axis_number(value)})" for name, value in flat.items())
        parts.append(f"The same in every round of every run: {values}.")
    nested = any(len(run.manifest.stage.levels) > 1 for run in layout.conditions)
    lead = _LEAD + _NUMBERED * nested
    return Section("Measures over time", [lead, *parts] if parts else [], "time")


def _constant(layout: Layout, name: str) -> float | None:
    """The value of a measure that never had another one, in several rounds; else None."""
    every = np.concatenate([values.ravel() for values in layout.by_round(name)])
    known = every[~np.isnan(every)]
    constant = len(known) > 1 and len(every) > len(layout.conditions) and np.ptp(known) == 0
    return float(known[0]) if constant else None


def _measure(populations: Populations, name: str) -> Iterator[SectionPart]:
    layout, once = populations.layout, name in populations.once
    along = "generation" if once else "round"
    known = [*populations.by_generation(name).values()] if once else layout.by_round(name)
    taken = [_Series.of(values) for values in known]
    every = np.concatenate([each.values.ravel() for each in taken])
    if np.isnan(every).all():
        return
    scale = AxisScale.of(every)
    unit = layout.measured[name]
    caption = f"{unit[:1].upper()}{unit[1:]}."
    caption += " Geometric means." if scale.logarithmic else ""
    groups, lines = layout.figure_panels()
    shown = groups or [ConditionGroup("", layout.extreme_conditions())]
    curves = {
        place: taken[place].curve(label, number, scale)
        for place, (label, number) in number_series(layout, shown, lines).items()
    }
    grey: list[Curve] = []
    if not groups:
        others = [one for at, one in enumerate(taken) if at not in curves]
        some = others[:: -(-len(others) // _IN_GREY) or 1]
        grey = [one.curve("", None, scale) for one in some]
        caption += (
            f" Of {len(taken)} conditions those with the lowest and the highest mean "
            f"{layout.outcome}; others in grey"
            f"{f' ({_IN_GREY} of them)' if len(others) > _IN_GREY else ''}."
        )
    panels = [
        CurvePanel(one.title, [*grey, *(curves[at] for at in one.places)], scale, along)
        for one in shown
    ]
    caption += legend_note(lines) + _runs_left(taken, along)
    yield line_plot(f"time_{name}", name, caption, panels, name)
    yield folded_section(f"{name} in numbers", _numbers(layout, name, curves, along, scale))


class _Series(NamedTuple):
    """A measure in the rounds in which some run has it, (K,), and its values there, (R, K).

    So what is measured once a game has a line. Rounds after the last one are there, too: they say
    that there is nobody left.
    """

    rounds: Array
    values: Array

    @classmethod
    def of(cls, values: Array) -> _Series:
        """Take the rounds with values from all rounds, (R, T)."""
        some: Array = np.any(~np.isnan(values), axis=0)
        last = np.flatnonzero(some)[-1] if some.any() else -1
        places = np.flatnonzero(some | (np.arange(len(some)) > last))
        return cls(places + 1, values[:, places])

    def curve(self, label: str, number: int | None, scale: AxisScale) -> Curve:
        """Mean and t interval of each round."""
        left, mean, error = RunMean.of(scale.transform(self.values))
        reach = require("scipy.stats").t.isf((1 - _LEVEL) / 2, np.maximum(left - 1, 1))
        enough = left >= max(min(_FEWEST, left.max(initial=0)), 2)
        half = np.where(enough, reach * error, np.nan)
        mean, low, high = map(scale.invert, (mean, mean - half, mean + half))
        return Curve(label, number, self.rounds, mean, low, high, left)


def number_series(
    layout: Layout, groups: Sequence[ConditionGroup], lines: Sequence[str]
) -> dict[int, tuple[str, int]]:
    """Give each condition its label and the number of its style, the same in all panels."""
    labels = {place: layout.name(place, lines) for group in groups for place in group.places}
    names = list(dict.fromkeys(labels.values()))
    return {place: (label, names.index(label)) for place, label in labels.items()}


def _numbers(
    layout: Layout, name: str, curves: Mapping[int, Curve], along: str, scale: AxisScale
) -> Table:
    """Tabulate the coloured curves one after another; some rounds of each in a page."""
    rows, places, chosen = list[tuple[CellValue, ...]](), list[int](), list[int]()
    for place, curve in curves.items():
        length = len(curve.rounds)
        ends = np.linspace(0, length - 1, min(_CHOSEN, length)).round()
        chosen += [len(rows) + int(at) for at in ends]
        columns = curve.rounds, curve.mean, curve.low, curve.high, curve.left
        rows += list(zip(*(column.tolist() for column in columns), strict=True))
        places += [place] * length
    head: Head = [
        ("count", along),
        ("figure", scale.mean_name, "95 % from", "95 % to"),
        ("count", "runs left"),
    ]
    first, title = layout.factor_columns(places), f"{name} {along} by {along}"
    return Table.of(f"time_{name}", title, head, rows, first=first, chosen=chosen)


def _runs_left(taken: Sequence[_Series], along: str) -> str:
    """Say how few the last rounds or generations rest on; begins with a space."""
    first, last = (
        [int((~np.isnan(each.values[:, place])).sum()) for each in taken if len(each.rounds)]
        for place in (0, -1)
    )
    if not last or min(last) >= max(first):
        return ""
    return f" In its last {along} a condition has {min(last)} to {max(last)} runs left."
