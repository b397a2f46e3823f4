"""The chapter of measures over time: what happened in each round, in the runs that were left."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from society.draws import Array
from society.lab.extra import needed

from .curves import Course, Courses, courses
from .layout import Group, Layout, named
from .page import Chapter, Fold, Paragraph, Part
from .tables import Cell, Column, Table

_IN_GREY = 100  # conditions behind those that stand out
_LEVEL = 0.95
_FEWEST = 5  # runs of which a band tells anything
_PAGED = 6  # rounds of a curve whose numbers stand in the page


def measures_over_time(layout: Layout, chosen: Sequence[str] = ()) -> Chapter | None:
    """The chapter; None if nothing but times was measured. chosen: of the measures; none: all."""
    names = chosen or [name for name, fold in layout.folds.items() if fold != "first"]
    parts = [part for name in names for part in _measure(layout, name)]
    lead = (
        "Means over runs with 95 % t bands: in each round over the runs that still go on, bands "
        f"while {_FEWEST} do, or all that there were. Strips show how many are left."
    )
    return Chapter("time", "Measures over time", [Paragraph(lead), *parts]) if parts else None


def _measure(layout: Layout, name: str) -> Iterator[Part]:
    values = layout.by_round(name)
    if all(np.isnan(each).all() for each in values):
        return
    words = f"{layout.measured[name]}.".capitalize()
    groups, lines = layout.drawn()
    shown = groups or [Group("", layout.extremes())]
    curves = {
        place: _course(label, number, values[place])
        for place, (label, number) in numbered(layout, shown, lines).items()
    }
    panels = [Courses(one.title, [curves[place] for place in one.places]) for one in shown]
    if not groups:
        panels = [
            _among_all(
                panels[0], [each for place, each in enumerate(values) if place not in curves]
            )
        ]
        words += (
            f" Of {len(values)} conditions those with the lowest and the highest mean "
            f"{layout.outcome}; others in grey"
            f"{f' ({_IN_GREY} of them)' if len(values) - len(curves) > _IN_GREY else ''}."
        )
    words += named(lines) + _left(values)
    yield courses(f"time_{name}", name, words, name, panels)
    yield Fold(f"{name} in numbers", [_numbers(layout, name, curves)])


def numbered(
    layout: Layout, groups: Sequence[Group], lines: Sequence[str]
) -> dict[int, tuple[str, int]]:
    """The label of each condition in a figure, and the number of its look, as in all panels."""
    labels = {place: layout.name(place, lines) for group in groups for place in group.places}
    names = list(dict.fromkeys(labels.values()))
    return {place: (label, names.index(label)) for place, label in labels.items()}


def _among_all(shown: Courses, others: Sequence[Array]) -> Courses:
    """Some conditions in colour, before the others in grey."""
    step = -(-len(others) // _IN_GREY) or 1
    grey = [_course("", None, values) for values in others[::step]]
    return Courses("", [*grey, *shown.curves])


def _course(label: str, number: int | None, values: Array) -> Course:
    """Mean and t interval of each round; (R, T)."""
    left = (~np.isnan(values)).sum(0)
    count = np.maximum(left, 1)
    mean = np.where(left > 0, np.nansum(values, 0) / count, np.nan)
    spread = np.nansum((values - mean) ** 2, 0) / np.maximum(left - 1, 1)
    reach = needed("scipy.stats").t.isf((1 - _LEVEL) / 2, np.maximum(left - 1, 1))
    enough = left >= max(min(_FEWEST, left.max(initial=0)), 2)
    half = np.where(enough, reach * np.sqrt(spread / count), np.nan)
    rounds = np.arange(1, values.shape[1] + 1)
    return Course(label, number, rounds, mean, mean - half, mean + half, left)


def _numbers(layout: Layout, name: str, curves: Mapping[int, Course]) -> Table:
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
        Column("round", _joined(curve.rounds for curve in of), "count"),
        Column("mean", _joined(curve.mean for curve in of), "figure"),
        Column("95 % from", _joined(curve.low for curve in of), "figure"),
        Column("95 % to", _joined(curve.high for curve in of), "figure"),
        Column("runs left", _joined(curve.left for curve in of), "count"),
    ]
    return Table(f"time_{name}", f"{name} round by round", columns, paged=paged)


def _joined(parts: Iterable[Array]) -> list[Cell]:
    return [cell for part in parts for cell in part.tolist()]


def _left(values: Sequence[Array]) -> str:
    """In words, how few the last rounds rest on."""
    first, last = (
        [int((~np.isnan(each[:, place])).sum()) for each in values if each.shape[1]]
        for place in (0, -1)
    )
    if not last or min(last) >= max(first):
        return ""
    return f" In its last round a condition has {min(last)} to {max(last)} runs left."
