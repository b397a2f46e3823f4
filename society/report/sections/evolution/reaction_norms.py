"""The chapter of reaction norms: what strategies would do before recipients that stay the same."""

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
from society.draws import Array
from society.report.figures.heatmaps import Heat, heat_maps
from society.report.figures.intervals import Dots, dots
from society.report.page import Chapter, Paragraph, Part
from society.report.sections.evolution.populations import Populations
from society.report.sections.evolution.price_equation import split
from society.report.sections.outcome import mean_dot
from society.report.tables import Column, Table, told

_MOST = 6  # conditions
_LEAD = (
    "Before they play, all agents of a generation are asked what they would give to each of the "
    "same recipients, of whom different things are known, and nothing comes of it. So a strategy "
    "is a function of what is known of a recipient, and strategies of all generations can be "
    "compared."
)

_CHANGE = (
    "What changed the reaction norms",
    "change of the mean share that would be given",
    "The change of the mean over all encounters and agents to each generation, split exactly by "
    "the Price equation (1970). All generations are asked the same, so that survivors change only "
    "as far as they answer by chance. Selection: those with many descendants, or who live on, "
    "would give more or less than the others. Newborn agents: how much more they would give than "
    "those they descend from, times their share of all: mutation, or biased transmission",
)


def reaction_norms(of: Populations) -> Chapter | None:
    """The chapter; None if no strategy was put before a battery of encounters."""
    if not of.places or of.trouble or "share" not in (frame := of.evolution.reactions):
        return None
    encounters = list(dict.fromkeys(frame["encounter"].tolist()))  # as in the battery
    parts = [
        Paragraph(_LEAD + of.whose),
        _norms(of, frame, encounters),
        *split(of, "reaction", "transmission", *_CHANGE),
        *_children(of),
    ]
    return Chapter("reactions", "Reaction norms", parts)


def _norms(of: Populations, frame: Any, encounters: Sequence[str]) -> Part:
    panels = [_heat(of, place, frame, encounters) for place in of.followed[:_MOST]]
    words = (
        f"Share that would be given to each recipient, mean over agents and runs.{_left_out(of)}"
    )
    axes = ("recipient", "generation")
    return heat_maps("reactions", "Reaction norms over generations", words, axes, "share", panels)


def _left_out(of: Populations) -> str:
    if len(of.followed) <= _MOST:
        return ""
    return f" The first {_MOST} of {len(of.followed)} conditions."


def _heat(of: Populations, place: int, frame: Any, encounters: Sequence[str]) -> Heat:
    """The first encounter stands at the top; (B, G)."""
    run = of.layout.conditions[place]
    own = frame[frame[CONDITION] == run.name]
    means = own.groupby(["encounter", "generation"], sort=False)["share"].mean().unstack()
    rows = list(reversed(encounters))
    values = means.reindex(index=rows).to_numpy(float)
    return Heat(of.named(place), rows, [str(each) for each in means.columns], values)


def _children(of: Populations) -> Iterator[Part]:
    """Newborn agents beside those they descend from: what mutation and transmission add."""
    pasts = dict(zip(of.followed, of.evolution.pasts, strict=True))
    runs = {
        place: found for place, past in pasts.items() if (found := _inherited(past)) is not None
    }
    if not runs:
        return
    encounters = list(dict.fromkeys(name for place in runs for name in pasts[place].encounters))
    series = {}
    for place in [*runs][:_MOST]:
        apart = dict(zip(pasts[place].encounters, runs[place][-1], strict=True))
        series[of.named(place)] = [
            mean_dot(apart[name]) if name in apart else None for name in encounters
        ]
    words = (
        "How much more newborn agents would give than those they descend from, who were asked in "
        "the generation before; means over the generations of each run. They differ by mutation "
        "and transmission alone, since whoever is chosen for a parent stands on both sides. "
        f"Points: means over runs; bars: 95 % t intervals.{_left_out(of)}"
    )
    axis = "share that would be given, newborn agents less their ancestors"
    panels = [Dots("", encounters, series)]
    yield dots("newborn", "Newborn agents and their ancestors", words, axis, panels)
    yield _differences(of, {place: (pasts[place].encounters, runs[place]) for place in runs})


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


def _differences(of: Populations, runs: Mapping[int, tuple[Sequence[str], Array]]) -> Table:
    """How much more newborn agents would give than those they descend from, by encounter."""
    rows = [(place, name) for place, (encounters, _) in runs.items() for name in encounters]
    young, old, apart = (
        [each for _, found in runs.values() for each in found[part]] for part in range(3)
    )
    found = [try_compute(mean, each) for each in apart]
    columns = [
        *of.layout.columns(place for place, _ in rows),
        Column("recipient", [name for _, name in rows]),
        Column("newborn", [*map(_mean, young)], "share"),
        Column("ancestors", [*map(_mean, old)], "share"),
        Column("difference", [*map(_mean, apart)], "share"),
        Column("95 % from", told(found, lambda one: one.interval.low), "share"),
        Column("95 % to", told(found, lambda one: one.interval.high), "share"),
    ]
    notes = ["Means over runs; t intervals of the differences within runs."]
    return Table("newborn", "Newborn agents less their ancestors, by recipient", columns, notes)


def _mean(values: Array) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
