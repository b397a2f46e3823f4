"""Runs summed up generation by generation: as a curve, and in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from society.draws import Array
from society.report.figures.curves import Course
from society.report.figures.scales import LINEAR, Scale
from society.report.figures.trends import Trend, Trends
from society.report.sections.evolution.populations import Populations
from society.report.tables import Cell, Column, Form, Table

Values = Mapping[int, Array]  # of each condition by its place, (R, G)

_FEW = 10  # runs of a condition that are drawn one by one
_PAGED = 5  # generations of a condition whose numbers stand in the page
_LEFT = 0.9  # of the runs that have had a value: with fewer, a mean would be that of a choice


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

    @property
    def drawn(self) -> Array:
        """The mean where nearly all runs still have a value, (G,); else NaN."""
        return np.where(self.enough, self.mean, np.nan)

    @property
    def enough(self) -> Array:
        """Where that is so, (G,) of bool."""
        enough: Array = self.runs >= _LEFT * self.runs.max(initial=0)
        return enough


def panel(of: Populations, axis: str, values: Values) -> Trends:
    """The trends of the conditions shown, as far as they have values; runs too, if they are few."""
    some = _shown(of, values)
    scale = Scale.of(joined(some))
    found = [
        Trend(_course(of.named(place), number, some[place], scale), _single(some[place]))
        for number, place in enumerate(of.shown)
        if place in some
    ]
    return Trends(axis, found, scale)


def drawn_from(of: Populations, quantities: Sequence[Values]) -> str:
    """In words, what the curves of a figure stand for; begins with a space, if with anything."""
    some = [_shown(of, values) for values in quantities]
    every = [each for values in some for each in values.values()]
    said = [
        *[" On logarithmic axes: geometric means."] * any(map(_multiplies, some)),
        *[" Bands: one standard error."] * any(len(each) > 1 for each in every),
        *[" Thin lines: single runs."] * any(_single(each) is not None for each in every),
        *map(cut, some),
    ]
    return f"{''.join(dict.fromkeys(said))}{of.whose}"


def cut(values: Values) -> str:
    """In words, that a mean is not drawn to the end, if so; begins with a space."""
    if all(Summed.of(each).enough.all() for each in values.values()):
        return ""
    return " Where more than a tenth of the runs have no value, no mean is drawn."


def _shown(of: Populations, values: Values) -> dict[int, Array]:
    return {place: values[place] for place in of.shown if place in values}


def _multiplies(values: Values) -> bool:
    return Scale.of(joined(values)).logarithmic


def _single(values: Array) -> Array | None:
    return values if 1 < len(values) <= _FEW else None


def _course(label: str, number: int, values: Array, scale: Scale) -> Course:
    summed = Summed.of(scale.on(values))
    mean, when = summed.drawn, np.arange(1, values.shape[1] + 1)
    mean, low, high = map(scale.off, (mean, mean - summed.error, mean + summed.error))
    return Course(label, number, when, mean, low, high, summed.runs)


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
    for place in next(iter(values.values())):
        when = range(begin, of.generations(place) + 1)
        chosen = np.linspace(0, len(when) - 1, min(_PAGED, len(when))).round()
        paged += [len(rows) + int(each) for each in chosen]
        rows += [place] * len(when)
        generation += when
    known = {
        quantity: [block[:, begin - 1 :] for block in each.values()]
        for quantity, each in values.items()
    }
    columns = [
        *of.layout.columns(rows),
        Column("generation", generation, "count"),
        *([] if of.layout.alone else _runs(known)),
    ]
    for quantity, blocks in known.items():
        columns += _means(quantity, blocks, form, alone=of.layout.alone)
    return Table(name, caption, columns, _notes(columns), paged)


def _runs(known: Mapping[str, Sequence[Array]]) -> list[Column]:
    """How many runs have a value; once for all quantities that most of them have."""
    counts = {
        quantity: np.concatenate([(~np.isnan(block)).sum(0) for block in blocks])
        for quantity, blocks in known.items()
    }
    most = np.max([*counts.values()], axis=0)
    fewer = {name: count for name, count in counts.items() if (count < most).any()}
    return [
        Column("runs", most.tolist(), "count"),
        *(Column(f"{name}, runs", count.tolist(), "count") for name, count in fewer.items()),
    ]


def _means(quantity: str, blocks: Sequence[Array], form: Form, *, alone: bool) -> Iterator[Column]:
    """By condition and generation; of what multiplies, geometric ones as well."""
    scale = Scale.of(np.concatenate([block.ravel() for block in blocks]))
    for one, mean, error in [(LINEAR, "", "se"), (scale, ", geometric", "se factor")][
        : 1 + scale.logarithmic
    ]:
        summed = [Summed.of(one.on(block)) for block in blocks]
        means = np.concatenate([one.off(each.mean) for each in summed])
        yield Column(f"{quantity}{mean}", means.tolist(), form)
        if not alone:
            errors = np.concatenate([one.off(each.error) for each in summed])
            yield Column(f"{quantity}, {error}", errors.tolist(), form)


def _notes(columns: Sequence[Column]) -> list[str]:
    """What endings of headings mean."""
    said = {
        ", runs": "runs: with a value; where fewer, the mean is that of those that are left.",
        ", se": "se: standard error of the mean over runs.",
        ", geometric": "geometric: mean of logarithms.",
        ", se factor": "se factor: of the geometric mean; times it, and divided by it.",
    }
    return [
        words for end, words in said.items() if any(one.heading.endswith(end) for one in columns)
    ]


def varies(values: Values) -> bool:
    """Whether there is more than one value."""
    every = joined(values)
    known = every[~np.isnan(every)]
    return len(known) > 0 and np.ptp(known) > 0


def joined(values: Values) -> Array:
    """All of them, (K,)."""
    return np.concatenate([each.ravel() for each in values.values()])
