"""The trends of single runs: slopes of the phenotype, and whether beginnings predict ends."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from society.analysis.evolution import correlation, slope
from society.analysis.statistics.means import mean
from society.analysis.statistics.samples import try_compute
from society.analysis.study.design import FITNESS, PHENOTYPE
from society.report.figures.intervals import Dot, DotPanel, dot_plot
from society.report.figures.scales import AxisScale
from society.report.figures.scatter import PointCloud, scatter_plot
from society.report.page import Section, SectionPart
from society.report.tables import Head, Table, known_mean, read_fields
from society.terminal.labels import count_noun

from .populations import Populations

_MOST_DOTS = 40  # conditions
_FEWEST = 8  # runs for a scatter: of fewer, r may be nearly anything
_CAPTION = "Least-squares slope of each run. Points: means over runs; bars: 95 % intervals."
_INTERVALS = (
    "95 % intervals over runs: of r by Fisher's transformation (1921), of ρ by Bonett and Wright "
    "(2000)."
)


def run_by_run(populations: Populations) -> Section:
    """Compare runs; empty for a single run, or where a generation is all there is."""
    parts: list[SectionPart] = []
    generations = max(map(populations.generations, populations.places))
    if generations > 1 and not populations.layout.single_run:
        parts = [*_slopes(populations), *_prediction(populations)]
    return Section("Run by run", parts)


def _slopes(populations: Populations) -> Iterator[SectionPart]:
    layout, trait, slopes = populations.layout, populations.trait(PHENOTYPE), {}
    for place, values in populations.by_generation(PHENOTYPE).items():
        each = slope(np.arange(values.shape[1]), values)
        slopes[place] = each[~np.isnan(each)]
    if not any(map(len, slopes.values())):
        yield "No run has a phenotype in two generations."
        return
    if len(slopes) <= _MOST_DOTS:
        dots = [Dot.of(each) for each in slopes.values()]
        names, ink = [layout.name(place) for place in slopes], [layout.style_of_levels(0, [])]
        panel = DotPanel("", names, {"": dots}, styles=ink)
        axis = f"change of the {populations.quantity(PHENOTYPE)} per generation"
        yield dot_plot("slopes", "Slope of the phenotype", _CAPTION, axis, [panel])
    bounds = "interval.low", "interval.high"
    rows = [
        (
            len(own),
            known_mean(own),
            *read_fields(try_compute(mean, own), *bounds),
            int((own > 0).sum()),
        )
        for own in slopes.values()
    ]
    head: Head = [
        ("count", "runs"),
        ("share", "slope", "95 % from", "95 % to"),
        ("count", "runs that rise"),
    ]
    note = f"slope: of the mean phenotype{trait} per generation, by least squares in each run."
    first, title = layout.factor_columns(slopes), "Slope of the phenotype by condition"
    yield Table.of("slopes", title, head, rows, note, first=first)


def _prediction(populations: Populations) -> Iterator[SectionPart]:
    """The first generation's phenotype and the last one's fitness, run by run."""
    began, ended = populations.by_generation(PHENOTYPE), populations.by_generation(FITNESS)
    runs = {
        place: PointCloud(began[place][:, 0], ended[place][:, -1], populations.layout.style(place))
        for place in populations.places
    }
    most = max(cloud.known for cloud in runs.values())
    if not most:
        return
    enough = [place for place, cloud in runs.items() if cloud.known >= _FEWEST]
    clouds = {
        populations.label(place): runs[place] for place in populations.shown if place in enough
    }
    if not clouds:
        yield (
            f"With {count_noun(most, 'run')} a condition it cannot be told whether beginnings "
            f"predict ends: a correlation takes {_FEWEST} runs at least, so none is drawn."
        )
        return
    axes = (
        f"{populations.quantity(PHENOTYPE)} of the first generation",
        f"{populations.quantity(FITNESS)} of the last generation",
    )
    few = [populations.label(place) for place in populations.shown if place not in enough]
    caption = f"A point is a run.{populations.shown_note}{_left_out(few)}"
    title = "First generation and final outcome"
    yield scatter_plot("foretold", title, caption, axes, clouds)
    yield _correlations(populations, {place: runs[place] for place in enough}, clouds.values())


def _correlations(
    populations: Populations, runs: Mapping[int, PointCloud], drawn: Collection[PointCloud]
) -> Table:
    """Correlate the runs of each condition, by place; drawn: the clouds that the figure shows."""
    across, upwards = (
        AxisScale.of(np.concatenate(every))
        for every in zip(*(cloud.runs for cloud in drawn), strict=True)
    )
    fields = [
        *("n", "pearson", "pearson_interval.low", "pearson_interval.high"),
        *("spearman", "spearman_interval.low", "spearman_interval.high"),
    ]
    rows = [
        read_fields(
            try_compute(correlation, across.transform(one), upwards.transform(other)), *fields
        )
        for one, other in (cloud.runs for cloud in runs.values())
    ]
    head: Head = [
        ("count", "runs"),
        ("statistic", "Pearson's r", "r from", "r to"),
        ("statistic", "Spearman's ρ", "ρ from", "ρ to"),
    ]
    logarithms = across.logarithmic or upwards.logarithmic
    notes = [_INTERVALS, *["Where an axis is logarithmic, r is that of logarithms."] * logarithms]
    title = "Correlation of the first generation's phenotype with the final fitness"
    first = populations.layout.factor_columns(runs)
    return Table.of("foretold", title, head, rows, *notes, first=first)


def _left_out(few: Sequence[str]) -> str:
    """Name the conditions with too few runs; begins with a space, if there are any."""
    if not few:
        return ""
    return f" Left out, with fewer than {_FEWEST} runs: {', '.join(few)}."
