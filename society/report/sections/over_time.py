"""The chapter of measures over time: what happened in each round, in the runs that were left."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from society.draws import Array
from society.optional import require
from society.report.figures.alt_text import figure
from society.report.figures.curves import Course, Courses, courses
from society.report.figures.scales import Scale
from society.report.layout import Group, Layout, named
from society.report.page import Chapter, Fold, Paragraph, Part
from society.report.sections.evolution.populations import Populations
from society.report.tables import Cell, Column, Table
from society.scenario import COURSELESS

_IN_GREY = 100  # conditions behind those that stand out
_LEVEL = 0.95
_FEWEST = 5  # runs of which a band tells anything
_PAGED = 6  # rounds of a curve whose numbers stand in the page


def measures_over_time(
    layout: Layout, chosen: Sequence[str] = (), without: Collection[str] = ()
) -> Chapter | None:
    """The chapter; None if nothing but times was measured.

    chosen: of the measures; none: all. without: those that another chapter shows over time.
    """
    every = chosen or [name for name, fold in layout.folds.items() if fold not in COURSELESS]
    names, populations = [name for name in every if name not in without], Populations(layout)
    flat = {name: value for name in names if (value := _always(layout, name)) is not None}
    parts = [part for name in names if name not in flat for part in _measure(populations, name)]
    lead = (
        "Means over runs with 95 % t bands: in each round over the runs that still go on, bands "
        f"while {_FEWEST} do, or all that there were. Strips show how many are left."
    )
    if any(len(run.manifest.stage.levels) > 1 for run in layout.conditions):
        lead += " Rounds are numbered through; what is measured in some of them is joined by lines."
    if flat:
        said = ", ".join(f"{name} ({figure(value)})" for name, value in flat.items())
        parts.append(Paragraph(f"The same in every round of every run: {said}."))
    return Chapter("time", "Measures over time", [Paragraph(lead), *parts]) if parts else None


def _always(layout: Layout, name: str) -> float | None:
    """The value of a measure that never had another one, in several rounds; else None."""
    every = np.concatenate([values.ravel() for values in layout.by_round(name)])
    known = every[~np.isnan(every)]
    constant = len(known) > 1 and len(every) > len(layout.conditions) and np.ptp(known) == 0
    return float(known[0]) if constant else None


def _measure(of: Populations, name: str) -> Iterator[Part]:
    layout, along = of.layout, "generation" if name in of.once else "round"
    known = [*of.by_generation(name).values()] if name in of.once else layout.by_round(name)
    taken = [_Taken.of(values) for values in known]
    if all(np.isnan(each.values).all() for each in taken):
        return
    scale = Scale.of(np.concatenate([each.values.ravel() for each in taken]))
    words = f"{layout.measured[name]}.".capitalize()
    words += " Geometric means." if scale.logarithmic else ""
    groups, lines = layout.drawn()
    shown = groups or [Group("", layout.extremes())]
    curves = {
        place: _course(label, number, taken[place], scale)
        for place, (label, number) in numbered(layout, shown, lines).items()
    }
    panels = [Courses(one.title, [curves[place] for place in one.places]) for one in shown]
    if not groups:
        panels = [
            _among_all(
                panels[0],
                [_course("", None, one, scale) for at, one in enumerate(taken) if at not in curves],
            )
        ]
        words += (
            f" Of {len(taken)} conditions those with the lowest and the highest mean "
            f"{layout.outcome}; others in grey"
            f"{f' ({_IN_GREY} of them)' if len(taken) - len(curves) > _IN_GREY else ''}."
        )
    words += named(lines) + _left(taken, along)
    yield courses(f"time_{name}", name, words, name, panels, scale, along)
    yield Fold(f"{name} in numbers", [_numbers(layout, name, curves, along, scale)])


class _Taken(NamedTuple):
    """A measure in the rounds in which some run has it, (K,), and its values there, (R, K).

    So what is measured once a game has a line. Rounds after the last one are there, too: they say
    that there is nobody left.
    """

    rounds: Array
    values: Array

    @classmethod
    def of(cls, values: Array) -> _Taken:
        """From all rounds, (R, T)."""
        some: Array = np.any(~np.isnan(values), axis=0)
        last = np.flatnonzero(some)[-1] if some.any() else -1
        places = np.flatnonzero(some | (np.arange(len(some)) > last))
        return cls(places + 1, values[:, places])


def numbered(
    layout: Layout, groups: Sequence[Group], lines: Sequence[str]
) -> dict[int, tuple[str, int]]:
    """The label of each condition in a figure, and the number of its look, as in all panels."""
    labels = {place: layout.name(place, lines) for group in groups for place in group.places}
    names = list(dict.fromkeys(labels.values()))
    return {place: (label, names.index(label)) for place, label in labels.items()}


def _among_all(shown: Courses, others: Sequence[Course]) -> Courses:
    """Some conditions in colour, before the others in grey."""
    step = -(-len(others) // _IN_GREY) or 1
    return Courses("", [*others[::step], *shown.curves])


def _course(label: str, number: int | None, taken: _Taken, scale: Scale) -> Course:
    """Mean and t interval of each round."""
    rounds, values = taken.rounds, scale.on(taken.values)
    left = (~np.isnan(values)).sum(0)
    count = np.maximum(left, 1)
    mean = np.where(left > 0, np.nansum(values, 0) / count, np.nan)
    spread = np.nansum((values - mean) ** 2, 0) / np.maximum(left - 1, 1)
    reach = require("scipy.stats").t.isf((1 - _LEVEL) / 2, np.maximum(left - 1, 1))
    enough = left >= max(min(_FEWEST, left.max(initial=0)), 2)
    half = np.where(enough, reach * np.sqrt(spread / count), np.nan)
    mean, low, high = map(scale.off, (mean, mean - half, mean + half))
    return Course(label, number, rounds, mean, low, high, left)


def _numbers(
    layout: Layout, name: str, curves: Mapping[int, Course], along: str, scale: Scale
) -> Table:
    """All that a figure shows in colour, curve after curve; some rounds of each in a page."""
    lengths = [len(curve.rounds) for curve in curves.values()]
    begins = np.cumsum([0, *lengths[:-1]]).tolist()
    paged = [
        begin + round(place)
        for begin, length in zip(begins, lengths, strict=True)
        for place in np.linspace(0, length - 1, min(_PAGED, length))
    ]
    of = list(curves.values())
    columns = [
        *layout.columns(place for place, curve in curves.items() for _ in curve.rounds),
        Column(along, _joined(curve.rounds for curve in of), "count"),
        Column(scale.mean, _joined(curve.mean for curve in of), "figure"),
        Column("95 % from", _joined(curve.low for curve in of), "figure"),
        Column("95 % to", _joined(curve.high for curve in of), "figure"),
        Column("runs left", _joined(curve.left for curve in of), "count"),
    ]
    return Table(f"time_{name}", f"{name} {along} by {along}", columns, paged=paged)


def _joined(parts: Iterable[Array]) -> list[Cell]:
    return [cell for part in parts for cell in part.tolist()]


def _left(taken: Sequence[_Taken], along: str) -> str:
    """In words, how few the last rounds or generations rest on."""
    first, last = (
        [int((~np.isnan(each.values[:, place])).sum()) for each in taken if len(each.rounds)]
        for place in (0, -1)
    )
    if not last or min(last) >= max(first):
        return ""
    return f" In its last {along} a condition has {min(last)} to {max(last)} runs left."
