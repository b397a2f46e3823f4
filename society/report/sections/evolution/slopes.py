"""Whether runs of a condition go the same way: slopes of the phenotype, what beginnings tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from society.analysis.evolution import correlation, slope
from society.analysis.statistics.means import mean
from society.analysis.statistics.samples import try_compute
from society.draws import Array
from society.report.figures.intervals import Dots, dots
from society.report.figures.scales import Scale
from society.report.figures.scatter import Cloud, scatter
from society.report.page import Heading, Paragraph, Part
from society.report.sections.evolution.populations import FITNESS, PHENOTYPE, Populations
from society.report.sections.outcome import mean_dot
from society.report.tables import Column, Table, told

_MOST_DOTS = 40  # conditions


def tendencies(of: Populations) -> Iterator[Part]:
    """Nothing for a single run, or where a generation is all there is."""
    if of.layout.alone or max(map(of.generations, of.places)) < 2:
        return
    yield Heading("Run by run")
    courses = of.by_generation(PHENOTYPE)
    slopes = {place: slope(np.arange(each.shape[1]), each) for place, each in courses.items()}
    yield from _steepness(of, slopes)
    yield from _foretold(of)


def _steepness(of: Populations, slopes: Mapping[int, Array]) -> Iterator[Part]:
    known = {place: each[~np.isnan(each)] for place, each in slopes.items()}
    if not any(map(len, known.values())):
        yield Paragraph("No run has a phenotype in two generations.")
        return
    means = [try_compute(mean, each) for each in known.values()]
    trait = of.trait(PHENOTYPE)
    if len(known) <= _MOST_DOTS:
        drawn = [mean_dot(each) for each in known.values()]
        panel = Dots("", [of.layout.name(place) for place in known], {"": drawn})
        words = "Least-squares slope of each run. Points: means over runs; bars: 95 % t intervals."
        axis = f"change of the phenotype{trait} per generation"
        yield dots("slopes", "Slope of the phenotype", words, axis, [panel])
    columns = [
        *of.layout.columns(known),
        Column("runs", [len(each) for each in known.values()], "count"),
        Column(
            "slope", [float(each.mean()) if len(each) else None for each in known.values()], "share"
        ),
        Column("95 % from", told(means, lambda one: one.interval.low), "share"),
        Column("95 % to", told(means, lambda one: one.interval.high), "share"),
        Column("runs that rise", [int((each > 0).sum()) for each in known.values()], "count"),
    ]
    notes = [f"slope: of the mean phenotype{trait} per generation, by least squares in each run."]
    yield Table("slopes", "Slope of the phenotype by condition", columns, notes)


def _foretold(of: Populations) -> Iterator[Part]:
    """The first generation's phenotype and the last one's fitness, run by run."""
    began, ended = of.by_generation(PHENOTYPE), of.by_generation(FITNESS)
    runs = {place: Cloud(began[place][:, 0], ended[place][:, -1]) for place in of.places}
    clouds = {of.named(place): runs[place] for place in of.shown}
    if all(np.isnan(cloud.across * cloud.upwards).all() for cloud in clouds.values()):
        return
    axes = (
        f"phenotype{of.trait(PHENOTYPE)} of the first generation",
        f"fitness{of.trait(FITNESS)} of the last generation",
    )
    words = f"A point is a run.{of.whose}"
    yield scatter("foretold", "First generation and final outcome", words, axes, clouds)
    across, upwards = (
        Scale.of(np.concatenate(every)) for every in zip(*runs.values(), strict=True)
    )
    found = [
        try_compute(correlation, across.on(cloud.across), upwards.on(cloud.upwards))
        for cloud in runs.values()
    ]
    columns = [
        *of.layout.columns(runs),
        Column("runs", told(found, lambda one: one.n), "count"),
        Column("Pearson's r", told(found, lambda one: one.pearson), "statistic"),
        Column("r from", told(found, lambda one: one.pearson_interval.low), "statistic"),
        Column("r to", told(found, lambda one: one.pearson_interval.high), "statistic"),
        Column("Spearman's ρ", told(found, lambda one: one.spearman), "statistic"),
        Column("ρ from", told(found, lambda one: one.spearman_interval.low), "statistic"),
        Column("ρ to", told(found, lambda one: one.spearman_interval.high), "statistic"),
    ]
    notes = [
        "95 % intervals over runs: of r by Fisher's transformation (1921), of ρ by Bonett and "
        "Wright (2000)."
    ]
    if across.logarithmic or upwards.logarithmic:
        notes.append("Where an axis is logarithmic, r is that of logarithms.")
    caption = "Whether the first generation's phenotype goes with the final fitness"
    yield Table("foretold", caption, columns, notes)
