"""Runs aggregated generation by generation: as curves, and in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.bands import FEWEST, UNBOUNDED, Bounds, mean_band
from society.engine.rng import Array
from society.report.figures.curves import Curve, CurvePanel, SingleRun, choose_limits, line_plot
from society.report.figures.scales import LINEAR, AxisScale
from society.report.figures.style import Figure
from society.report.tables import ColumnFormat, Table, TableColumn

from .populations import Populations, Values

_FEW = 10  # runs of a condition that are drawn one by one
_CHOSEN = 5  # generations of a condition whose numbers stand in the page
NO_BOUNDS: Mapping[str, Bounds] = MappingProxyType({})
_LEFT = 0.9  # of the runs that have had a value: with fewer, a mean would be that of a choice
_ENDINGS = {
    ", runs": "runs: runs with a value; means are taken over these.",
    ", se": "se: standard error of the mean over runs.",
    ", geometric": "geometric: mean of logarithms.",
    ", se factor": "se factor: factor by which to multiply and divide the geometric mean.",
}


class RunMean(NamedTuple):
    """Runs with a value, their mean, and its standard error, (G,) each; NaN where unknown."""

    runs: Array
    mean: Array
    error: Array

    @classmethod
    def of(cls, values: Array) -> RunMean:
        """Average over runs, (R, G)."""
        count = (~np.isnan(values)).sum(0)
        nothing = np.full(count.shape, np.nan)
        mean = np.divide(np.nansum(values, 0), count, out=nothing.copy(), where=count > 0)
        square = np.nansum((values - mean) ** 2, 0)
        variance = np.divide(square, count - 1, out=nothing, where=count > 1)
        return cls(count, mean, np.sqrt(variance / np.maximum(count, 1)))

    @property
    def representative(self) -> Array:
        """The mean where nearly all runs still have a value, (G,); else NaN."""
        return np.where(self.enough, self.mean, np.nan)

    @property
    def enough(self) -> Array:
        """The generations in which nearly all runs still have a value, (G,) of bool."""
        enough: Array = self.runs >= _LEFT * self.runs.max(initial=0)
        return enough


def draw_course(
    populations: Populations,
    name: str,
    title: str,
    lead: str,
    quantities: Mapping[str, Values],
    notes: str = "",
    bounds: Mapping[str, Bounds] = NO_BOUNDS,
) -> Figure:
    """Draw quantities generation by generation, a panel each; lead and notes: of the caption.

    bounds: of quantities, as far as they have any; intervals and axes stay within them.
    """
    panels = [
        _panel(populations, quantity, values, bounds.get(quantity, UNBOUNDED))
        for quantity, values in quantities.items()
    ]
    caption = f"{lead}{_curve_note(populations, [*quantities.values()])}{notes}"
    return line_plot(name, title, caption, panels)


def _panel(populations: Populations, quantity: str, values: Values, bounds: Bounds) -> CurvePanel:
    """Make curves of the conditions shown, as far as they have values; of runs, if they are few."""
    some = _shown(populations, values)
    scale = AxisScale.of(join_values(some))
    inside = UNBOUNDED if scale.logarithmic else bounds
    curves = [
        _curve(populations, place, some[place], scale, inside)
        for place in populations.shown
        if place in some
    ]
    panel = CurvePanel(quantity, curves, scale, "generation")
    return panel._replace(limits=choose_limits([panel], inside, scale))


def _shown(populations: Populations, values: Values) -> dict[int, Array]:
    return {place: values[place] for place in populations.shown if place in values}


def _curve(
    populations: Populations, place: int, values: Array, scale: AxisScale, bounds: Bounds
) -> Curve:
    band, when = mean_band(scale.transform(values), bounds), np.arange(1, values.shape[1] + 1)
    enough = RunMean.of(values).enough
    mean, low, high = (np.where(enough, scale.invert(each), np.nan) for each in band[1:])
    causes = populations.layout.endings(place)
    runs = [*map(SingleRun, values, causes)] if _few(values) else []
    label, style = populations.label(place), populations.layout.style(place)
    return Curve(label, style, when, mean, low, high, band.left, runs)


def _few(values: Array) -> bool:
    return 1 < len(values) <= _FEW


def _curve_note(populations: Populations, quantities: Sequence[Values]) -> str:
    """Say what the curves of a figure stand for; begins with a space, if with anything."""
    some = [_shown(populations, values) for values in quantities]
    every = [each for values in some for each in values.values()]
    notes = [
        " On logarithmic axes: geometric means."
        * any(AxisScale.of(join_values(values)).logarithmic for values in some),
        " Bands: 95 % intervals." * any(len(each) >= FEWEST for each in every),
        " Thin lines: single runs." * any(map(_few, every)),
        *map(cut_note, some),
    ]
    return f"{''.join(dict.fromkeys(notes))}{populations.shown_note}"


def cut_note(values: Values) -> str:
    """Say that a mean is not drawn to the end, if so; begins with a space."""
    if all(RunMean.of(each).enough.all() for each in values.values()):
        return ""
    return " No mean is drawn where more than a tenth of the runs have no value."


def generation_table(
    populations: Populations,
    name: str,
    title: str,
    values: Mapping[str, Values],
    form: ColumnFormat = "figure",
    begin: int = 1,
) -> Table:
    """Means and standard errors of quantities by condition and generation, from `begin` on.

    A page shows some generations of each condition.
    """
    rows, chosen, generation = list[int](), list[int](), list[int]()
    for place in next(iter(values.values())):
        when = range(begin, populations.generations(place) + 1)
        ends = np.linspace(0, len(when) - 1, min(_CHOSEN, len(when))).round()
        chosen += [len(rows) + int(each) for each in ends]
        rows += [place] * len(when)
        generation += when
    known = {
        quantity: [block[:, begin - 1 :] for block in each.values()]
        for quantity, each in values.items()
    }
    single = populations.layout.single_run
    columns = [
        *populations.layout.factor_columns(rows),
        TableColumn("generation", generation, "count"),
        *([] if single else _run_counts(known)),
    ]
    for quantity, blocks in known.items():
        columns += _means(quantity, blocks, form, single=single)
    notes = [
        words
        for end, words in _ENDINGS.items()
        if any(one.heading.endswith(end) for one in columns)
    ]
    return Table(name, title, columns, notes, chosen)


def _run_counts(known: Mapping[str, Sequence[Array]]) -> list[TableColumn]:
    """Count the runs with a value; once for all quantities that most of them have."""
    counts = {
        quantity: np.concatenate([(~np.isnan(block)).sum(0) for block in blocks])
        for quantity, blocks in known.items()
    }
    most = np.max([*counts.values()], axis=0)
    fewer = {name: count for name, count in counts.items() if (count < most).any()}
    return [
        TableColumn("runs", most.tolist(), "count"),
        *(TableColumn(f"{name}, runs", count.tolist(), "count") for name, count in fewer.items()),
    ]


def _means(
    quantity: str, blocks: Sequence[Array], form: ColumnFormat, *, single: bool
) -> Iterator[TableColumn]:
    """Means by condition and generation; geometric ones as well, where values multiply."""
    scale = AxisScale.of(np.concatenate([block.ravel() for block in blocks]))
    kinds = [(LINEAR, "", "se"), (scale, ", geometric", "se factor")][: 1 + scale.logarithmic]
    for one, mean, error in kinds:
        found = [RunMean.of(one.transform(block)) for block in blocks]
        means = np.concatenate([one.invert(each.mean) for each in found])
        yield TableColumn(f"{quantity}{mean}", means.tolist(), form)
        if not single:
            errors = np.concatenate([one.invert(each.error) for each in found])
            yield TableColumn(f"{quantity}, {error}", errors.tolist(), form)


def varies(values: Values) -> bool:
    """Check whether there is more than one value."""
    every = join_values(values)
    known = every[~np.isnan(every)]
    return len(known) > 0 and np.ptp(known) > 0


def join_values(values: Values) -> Array:
    """Join the values of all conditions, (K,)."""
    return np.concatenate([each.ravel() for each in values.values()])
