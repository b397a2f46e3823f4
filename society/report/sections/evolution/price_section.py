"""The Price equation in figures: what changed a trait from one generation to the next."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from society.analysis.evolution import Phenotype
from society.analysis.study.design import PHENOTYPE
from society.report.figures.bars import BarPanel, stacked_bars
from society.report.page import Section, folded_section

from .aggregates import RunMean, cut_note, generation_table
from .populations import MOST_PANELS, Populations

_PARTS: Mapping[str, str] = {
    "selection": "selection",
    "survivors": "change of survivors",
    "newborn": "newborn agents",
    "entry": "entry",
}
_CAPTION = (
    "The change of the mean to each generation, split exactly by the Price equation (1970). "
    "Selection: agents with many descendants, and agents who live on, differ from the others. "
    "Change of survivors: they act differently than in the generation before, as they meet other "
    "agents. Newborn agents: they differ from those they descend from (mutation, or biased "
    "transmission)"
)
_BY_ADVICE = (
    "; agents who devised words of their own after advice descend in equal shares from all their "
    "advisers"
)


def phenotype_change_section(populations: Populations) -> Section:
    """Split the change of the phenotype into its causes."""
    axis = f"change of the {populations.quantity(PHENOTYPE)}"
    title = "What changed the phenotype"
    return split_change_section(populations, "phenotype", "price", title, axis, _CAPTION)


def split_change_section(
    populations: Populations, trait: Phenotype, name: str, title: str, axis: str, caption: str
) -> Section:
    """Show a change in the parts of the Price equation, as a figure and in numbers.

    Empty where runs do not keep single agents, or one generation is all there is.
    """
    places = populations.detailed
    if populations.trouble or max(map(populations.generations, places)) < 2:
        return Section(title, [])
    frame = populations.evolution.changes(trait)
    parts = {label: populations.from_frame(frame, part) for part, label in _PARTS.items()}
    if all(np.isnan(each).all() for each in parts["selection"].values()):
        return Section(title, [])
    if not any(np.nan_to_num(each).any() for each in parts["entry"].values()):
        del parts["entry"]
    panels = [
        BarPanel(
            populations.label(place),
            np.arange(2, populations.generations(place) + 1),
            {label: RunMean.of(each[place][:, 1:]).representative for label, each in parts.items()},
        )
        for place in places[:MOST_PANELS]
    ]
    caption += f"{_BY_ADVICE if populations.evolution.advised else ''}. Means over runs."
    caption += cut_note(parts["selection"]) + populations.shown_note + populations.panel_note
    whole = {**parts, "sum": populations.from_frame(frame, "change")}
    heading = f"{axis.capitalize()} to each generation, by cause"
    table = generation_table(populations, name, heading, whole, "share", begin=2)
    figure = stacked_bars(name, "Selection and transmission", caption, axis, panels)
    return Section(title, [figure, folded_section("Changes in numbers", table)])
