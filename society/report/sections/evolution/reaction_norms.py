"""The section of reaction norms: what strategies would do before recipients that stay the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from society.analysis.evolution import GenerationRecords
from society.analysis.evolution.price_equation import MutationBias, mutation_bias
from society.analysis.statistics.means import mean
from society.analysis.statistics.samples import try_compute
from society.analysis.study.frames import CONDITION
from society.engine.rng import Array
from society.report.figures.heatmaps import HeatPanel, heatmap
from society.report.figures.intervals import Dot, DotPanel, dot_plot
from society.report.figures.style import Figure
from society.report.page import Section, SectionPart
from society.report.tables import Head, Table, known_mean, read_fields

from .populations import MOST_PANELS, Populations
from .price_section import split_change_section

_LEAD = (
    "Before they play, all agents of a generation are asked how much they would give to each of "
    "the same recipients, about whom different things are known. Their answers have no "
    "consequences. So a strategy is a function of the information about a recipient, and "
    "strategies of all generations can be compared."
)
_CHANGE = (
    "What changed the reaction norms",
    "change of the mean share that would be given",
    "The change of the mean over all encounters and agents to each generation, split exactly by "
    "the Price equation (1970). All generations are asked the same, so that survivors change only "
    "as far as they answer by chance. Selection: agents with many descendants, or who live on, "
    "would give more or less than the others. Newborn agents: how much more they would give than "
    "those they descend from, times their share of all: mutation, or biased transmission",
)
_NEWBORN = (
    "How much more newborn agents would give than those they descend from, who were asked in the "
    "generation before; means over the generations of each run. They differ by mutation and "
    "transmission alone, since a chosen parent counts on both sides. Points: means over runs; "
    "bars: 95 % intervals."
)


def reaction_norms_section(populations: Populations) -> Section:
    """Show reaction norms; empty if no strategy was put before a battery of encounters."""
    parts: list[SectionPart] = []
    if populations.places and not populations.trouble:
        frame = populations.evolution.reactions
        parts = _parts(populations, frame) if "share" in frame else []
    return Section("Reaction norms", parts, "reactions")


def _parts(populations: Populations, frame: Any) -> list[SectionPart]:
    return [
        _LEAD + populations.shown_note,
        _norms(populations, frame),
        split_change_section(populations, "reaction", "transmission", *_CHANGE),
        *_newborn(populations),
    ]


def _norms(populations: Populations, frame: Any) -> Figure:
    """Map shares by encounter and generation; the first encounter stands at the top."""
    rows, panels = list(reversed(dict.fromkeys(frame["encounter"].tolist()))), []
    for place in populations.detailed[:MOST_PANELS]:
        own = frame[frame[CONDITION] == populations.layout.conditions[place].name]
        means = own.groupby(["encounter", "generation"], sort=False)["share"].mean().unstack()
        values = means.reindex(index=rows).to_numpy(float)
        axes, generations = ("recipient", "generation"), [str(each) for each in means.columns]
        panels.append(HeatPanel(populations.label(place), axes, rows, generations, values))
    caption = "Share that would be given to each recipient, mean over agents and runs."
    caption += populations.panel_note
    return heatmap("reactions", "Reaction norms over generations", caption, "share", panels)


def _newborn(populations: Populations) -> Iterator[SectionPart]:
    """Newborn agents beside those they descend from: what mutation and transmission add."""
    pasts = dict(zip(populations.detailed, populations.evolution.pasts, strict=True))
    runs = {
        place: found for place, past in pasts.items() if (found := _inherited(past)) is not None
    }
    if not runs:
        return
    encounters = list(dict.fromkeys(name for place in runs for name in pasts[place].encounters))
    series, shown = {}, [*runs][:MOST_PANELS]
    styles = [populations.layout.style(place) for place in shown]
    for place in shown:
        apart = dict(zip(pasts[place].encounters, runs[place][-1], strict=True))
        series[populations.label(place)] = [
            Dot.of(apart[name]) if name in apart else None for name in encounters
        ]
    axis = "share that would be given, newborn agents less their ancestors"
    title, caption = "Newborn agents and their ancestors", _NEWBORN + populations.panel_note
    panel = DotPanel("", encounters, series, styles=styles)
    yield dot_plot("newborn", title, caption, axis, [panel])
    yield _newborn_table(populations, {place: pasts[place].encounters for place in runs}, runs)


def _inherited(past: GenerationRecords) -> Array | None:
    """Mean shares of newborn agents, of their ancestors, and the difference; (3, B, R).

    Over the generations of each run; None if nobody descends from anybody.
    """
    size = past.run.manifest.replicates, len(past.encounters), len(MutationBias._fields)
    steps = np.full((len(past.generations), *size), np.nan)
    for place, (before, now) in enumerate(pairwise(past.generations), 1):
        if before.reaction is None or now.reaction is None:
            continue
        for run in np.flatnonzero(now.running).tolist():
            descents = past.descents(place, run)
            for at in range(len(past.encounters)):
                old, new = before.reaction[run, :, at], now.reaction[run, :, at]
                steps[place, run, at] = mutation_bias(old, new, descents, now.newborn[run])
    known = ~np.isnan(steps)
    if not known.any():
        return None
    count = known.sum(0)
    means: Array = np.where(known, steps, 0).sum(0) / np.where(count, count, np.nan)
    return means.transpose(2, 1, 0)


def _newborn_table(
    populations: Populations, encounters: Mapping[int, Sequence[str]], runs: Mapping[int, Array]
) -> Table:
    """Differences between newborn agents and those they descend from, by encounter."""
    bounds, keys, rows = ("interval.low", "interval.high"), list[int](), []
    for place, found in runs.items():
        for at, name in enumerate(encounters[place]):
            keys.append(place)
            interval = read_fields(try_compute(mean, found[-1, at]), *bounds)
            rows.append((name, *map(known_mean, found[:, at]), *interval))
    head: Head = [
        ("text", "recipient"),
        ("share", "newborn", "ancestors", "difference", "95 % from", "95 % to"),
    ]
    note = "Means over runs; t intervals of the differences within runs."
    title = "Newborn agents less their ancestors, by recipient"
    first = populations.layout.factor_columns(keys)
    return Table.of("newborn", title, head, rows, note, first=first)
