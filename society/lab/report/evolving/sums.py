"""Runs summed up generation by generation: as a curve, and in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from society.draws import Array
from society.lab.report.curves import Course
from society.lab.report.tables import Cell, Column, Form, Table

from .populations import Populations
from .trends import Trend, Trends

Values = Mapping[int, Array]  # of each condition by its place, (R, G)

_FEW = 10  # runs of a condition that are drawn one by one
_PAGED = 5  # generations of a condition whose numbers stand in the page


class Summed(NamedTuple):
    """Runs with a value, their mean, and its standard error, (G,) each; NaN where unknown."""

    runs: Array
    mean: Array
    error: Array

    @classmethod
    def of(cls, values: Array) -> Summed:
        """Over runs, (R, G)."""
        count = (~np.isnan(values)).sum(0)
        nothing = np.full(count.shape, np.nan)
        mean = np.divide(np.nansum(values, 0), count, out=nothing.copy(), where=count > 0)
        square = np.nansum((values - mean) ** 2, 0)
        variance = np.divide(square, count - 1, out=nothing, where=count > 1)
        return cls(count, mean, np.sqrt(variance / np.maximum(count, 1)))


def panel(of: Populations, axis: str, values: Values) -> Trends:
    """The trends of the conditions shown, as far as they have values; runs too, if they are few."""
    found = [
        Trend(_course(of.named(place), number, values[place]), _single(values[place]))
        for number, place in enumerate(of.shown)
        if place in values
    ]
    return Trends(axis, found)


def drawn_from(of: Populations, values: Values) -> str:
    """In words, what curves stand for; begins with a space, if there are several runs."""
    some = [each for place, each in values.items() if place in of.shown]
    bands = " Bands: one standard error." if any(len(each) > 1 for each in some) else ""
    thin = " Thin lines: single runs." if any(_single(each) is not None for each in some) else ""
    return f"{bands}{thin}{of.whose}"


def _single(values: Array) -> Array | None:
    return values if 1 < len(values) <= _FEW else None


def _course(label: str, number: int, values: Array) -> Course:
    count, mean, error = Summed.of(values)
    when = np.arange(1, values.shape[1] + 1)
    return Course(label, number, when, mean, mean - error, mean + error, count)


def numbers(
    of: Populations,
    name: str,
    caption: str,
    values: Mapping[str, Values],
    form: Form = "figure",
    begin: int = 1,
) -> Table:
    """Means and standard errors of some quantities by condition and generation, from `begin` on.

    A page shows some generations of each condition.
    """
    rows, paged, generation = list[int](), list[int](), list[Cell]()
    cells: dict[str, list[Cell]] = {}
    for place in next(iter(values.values())):
        when = range(begin, of.generations(place) + 1)
        chosen = np.linspace(0, len(when) - 1, min(_PAGED, len(when))).round()
        paged += [len(rows) + int(each) for each in chosen]
        rows += [place] * len(when)
        generation += when
        for quantity, each in values.items():
            summed = Summed.of(each[place][:, begin - 1 :])
            cells.setdefault(quantity, []).extend(summed.mean.tolist())
            if not of.layout.alone:
                cells.setdefault(f"{quantity}, se", []).extend(summed.error.tolist())
    columns = [
        *of.layout.columns(rows),
        Column("generation", generation, "count"),
        *(Column(quantity, column, form) for quantity, column in cells.items()),
    ]
    notes = [] if of.layout.alone else ["se: standard error of the mean over runs."]
    return Table(name, caption, columns, notes, paged)


def varies(values: Values) -> bool:
    """Whether there is more than one value."""
    every = joined(values)
    known = every[~np.isnan(every)]
    return len(known) > 0 and np.ptp(known) > 0


def joined(values: Values) -> Array:
    """All of them, (K,)."""
    return np.concatenate([each.ravel() for each in values.values()])
