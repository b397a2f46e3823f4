"""The chapter of reaction norms: what strategies would do before recipients that stay the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from society.draws import Array
from society.lab.report.comparison import mean_dot
from society.lab.report.dots import Dots, dots
from society.lab.report.figures import Heat, heat_maps
from society.lab.report.page import Chapter, Paragraph, Part
from society.lab.report.tables import Column, Table, told
from society.lab.statistics.means import mean
from society.lab.statistics.samples import answered
from society.lab.study.frames import CONDITION

from .populations import Populations

_MOST = 6  # conditions
_LEAD = (
    "Before they play, all agents of a generation are asked what they would give to each of the "
    "same recipients, of whom different things are known, and nothing comes of it. So a strategy "
    "is a function of what is known of a recipient, and strategies of all generations can be "
    "compared."
)


def reaction_norms(of: Populations) -> Chapter | None:
    """The chapter; None if no strategy was put before a battery of encounters."""
    if not of.places or of.trouble or "share" not in (frame := of.evolution.reactions):
        return None
    parts = [Paragraph(_LEAD + of.whose), _norms(of, frame), *_young_and_old(of, frame)]
    return Chapter("reactions", "Reaction norms", parts)


def _norms(of: Populations, frame: Any) -> Part:
    encounters = _encounters(frame)
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


def _encounters(frame: Any) -> list[str]:
    """In the order of the battery."""
    return list(dict.fromkeys(frame["encounter"].tolist()))


def _heat(of: Populations, place: int, frame: Any, encounters: Sequence[str]) -> Heat:
    """The first encounter stands at the top; (B, G)."""
    run = of.layout.conditions[place]
    own = frame[frame[CONDITION] == run.name]
    means = own.groupby(["encounter", "generation"], sort=False)["share"].mean().unstack()
    rows = list(reversed(encounters))
    values = means.reindex(index=rows).to_numpy(float)
    return Heat(of.named(place), rows, [str(each) for each in means.columns], values)


def _young_and_old(of: Populations, frame: Any) -> Iterator[Part]:
    """Newborn agents beside survivors: what mutation and transmission add, before selection."""
    later = frame[frame["generation"] > 1]
    places = [place for place in of.followed if _both(_own(of, place, later))]
    if not places:
        return
    encounters = _encounters(later)
    runs = {place: _runs(_own(of, place, later), encounters) for place in places}
    panels = [
        Dots(
            of.named(place),
            encounters,
            {name: [*map(mean_dot, each)] for name, each in own.items()},
        )
        for place, own in runs.items()
    ]
    words = (
        "Means over the generations after the first, of newborn agents and of survivors, in each "
        f"run. Points: means over runs; bars: 95 % t intervals.{_left_out(of)}"
    )
    axis = "share that would be given"
    yield dots("newborn", "Newborn agents and survivors", words, axis, panels[:_MOST])
    yield _differences(of, runs, encounters)


def _own(of: Populations, place: int, frame: Any) -> Any:
    return frame[frame[CONDITION] == of.layout.conditions[place].name]


def _both(own: Any) -> bool:
    newborn = own["newborn"].to_numpy(bool)
    return bool(newborn.any() and not newborn.all())


def _runs(own: Any, encounters: Sequence[str]) -> dict[str, Array]:
    """Mean shares of newborn agents and of survivors in each run, (B, R) each."""
    found = {}
    for name, some in (("newborn", True), ("survivors", False)):
        part = own[own["newborn"].astype(bool) == some]
        means = part.groupby(["replicate", "generation", "encounter"], sort=True)["share"].mean()
        runs = means.groupby(level=["encounter", "replicate"]).mean().unstack()
        found[name] = runs.reindex(index=encounters).to_numpy(float)
    return found


def _differences(
    of: Populations, runs: Mapping[int, Mapping[str, Array]], encounters: Sequence[str]
) -> Table:
    """How much more newborn agents would give than survivors, for each encounter."""
    rows = [(place, name, at) for place in runs for at, name in enumerate(encounters)]
    both = [(runs[place]["newborn"][at], runs[place]["survivors"][at]) for place, _, at in rows]
    apart = [young - old for young, old in both]
    found = [answered(mean, each) for each in apart]
    columns = [
        *of.layout.columns(place for place, _, _ in rows),
        Column("recipient", [name for _, name, _ in rows]),
        Column("newborn", [_mean(young) for young, _ in both], "share"),
        Column("survivors", [_mean(old) for _, old in both], "share"),
        Column("difference", [_mean(each) for each in apart], "share"),
        Column("95 % from", told(found, lambda one: one.interval.low), "share"),
        Column("95 % to", told(found, lambda one: one.interval.high), "share"),
    ]
    notes = ["Means over runs; t intervals of the differences within runs."]
    return Table("newborn", "Newborn agents less survivors, by recipient", columns, notes)


def _mean(values: Array) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None
