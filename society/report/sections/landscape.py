"""The chapter of heat maps: the outcome over two parameters that are numbers."""

from __future__ import annotations

import numpy as np

from society.experiments.factors import format_label
from society.report.figures.heatmaps import Heat, heat_maps
from society.report.layout import Group, Layout
from society.report.page import Chapter, Paragraph

_MOST_PANELS = 12


def landscape(layout: Layout) -> Chapter | None:
    """The chapter; None if fewer than two factors have three numbers each."""
    numeric = layout.numeric()[:2]
    if len(numeric) < 2:
        return None
    rows, columns = sorted(numeric, key=lambda name: len(layout.levels[name]))
    groups = layout.grouped([name for name in layout.levels if name not in numeric])
    panels = [_heat(layout, group, rows, columns) for group in groups[:_MOST_PANELS]]
    mean = layout.scale.mean.capitalize()
    words = f"{mean} over runs of {layout.outcome}, in steps of the levels that were played."
    if len(groups) > _MOST_PANELS:
        words += f" The first {_MOST_PANELS} of {len(groups)} maps."
    title = f"{layout.outcome} over {rows} and {columns}"
    unit = f"{layout.outcome}, {layout.measured[layout.outcome]}"
    if all(np.isnan(panel.values).all() for panel in panels):
        words = f"No run has a value of {layout.outcome}."
        return Chapter("maps", "Over two parameters", [Paragraph(words)])
    picture = heat_maps("map", title, words, (rows, columns), unit, panels)
    return Chapter("maps", "Over two parameters", [picture])


def _heat(layout: Layout, group: Group, rows: str, columns: str) -> Heat:
    """In ascending order of both, (rows, columns)."""
    down, along = (sorted(layout.levels[name]) for name in (rows, columns))  # type: ignore[type-var]
    values = np.full((len(down), len(along)), np.nan)
    runs = layout.values(layout.outcome)
    for place in group.places:
        at = (
            down.index(layout.level(place, rows)),
            along.index(layout.level(place, columns)),
        )
        known = runs[place][~np.isnan(runs[place])]
        mean = layout.scale.on(known).mean() if len(known) else np.nan
        values[at] = layout.scale.back(mean)
    return Heat(group.title, [*map(format_label, down)], [*map(format_label, along)], values)
