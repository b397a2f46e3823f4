"""The chapter of measures over time: what happened in each round, in the runs that were left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from society.draws import Array
from society.lab.extra import needed

from .curves import Course, Courses, courses
from .layout import Group, Layout, named
from .page import Chapter, Paragraph, Part

_IN_GREY = 100  # conditions behind those that stand out
_LEVEL = 0.95
_FEWEST = 5  # runs of which a band tells anything


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
    if groups:
        panels = [_courses(layout, group, lines, values) for group in groups]
    else:
        ends = layout.extremes()
        panels = [_among_all(layout, ends, values)]
        words += (
            f" Of {len(values)} conditions those with the lowest and the highest mean "
            f"{layout.outcome}; others in grey"
            f"{f' ({_IN_GREY} of them)' if len(values) - len(ends) > _IN_GREY else ''}."
        )
    words += named(lines) + _left(values)
    yield courses(f"time_{name}", name, words, name, panels)


def _courses(
    layout: Layout, group: Group, lines: Sequence[str], values: Sequence[Array]
) -> Courses:
    curves = [
        _course(layout.name(place, lines), number, values[place])
        for number, place in enumerate(group.places)
    ]
    return Courses(group.title, curves)


def _among_all(layout: Layout, ends: Sequence[int], values: Sequence[Array]) -> Courses:
    """Some conditions in colour, before the others in grey."""
    others = [place for place in range(len(values)) if place not in ends]
    step = -(-len(others) // _IN_GREY) or 1
    grey = [_course("", None, values[place]) for place in others[::step]]
    shown = [
        _course(layout.name(place), number, values[place]) for number, place in enumerate(ends)
    ]
    return Courses("", [*grey, *shown])


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


def _left(values: Sequence[Array]) -> str:
    """In words, how few the last rounds rest on."""
    first, last = (
        [int((~np.isnan(each[:, place])).sum()) for each in values if each.shape[1]]
        for place in (0, -1)
    )
    if not last or min(last) >= max(first):
        return ""
    return f" In its last round a condition has {min(last)} to {max(last)} runs left."
