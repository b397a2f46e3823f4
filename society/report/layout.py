"""The layout of a report: the design of a study, and how its figures and tables share it out.

Everything is driven by what run files say of measures, so that any scenario has a report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from society.analysis.study.design import ConditionGroup, StudyDesign
from society.analysis.study.frames import CONDITION
from society.experiments.factors import format_label

from .figures.scales import AxisScale
from .figures.style import SERIES
from .tables import TableColumn, known_mean

_PANELS = 12  # on one figure
_EXTREMES = 3  # conditions at either end that stand out where there are too many


class Layout(StudyDesign):
    """A design with the panels of its figures and the first columns of its tables."""

    @cached_property
    def scale(self) -> AxisScale:
        """The scale of the outcome in all runs; that of a time is always linear."""
        return AxisScale(super().scale.name)

    def axis_label(self, name: str) -> str:
        """Name a measure or finding with its unit, for axes: "survival time, rounds"."""
        label, unit = self.label(name), self.measured[name]
        return f"{label}, {unit}" if unit else label

    def factor_columns(self, places: Iterable[int] | None = None) -> list[TableColumn]:
        """Make the first columns of a table: levels of each factor, or names of conditions."""
        rows = range(len(self.conditions)) if places is None else list(places)
        return [
            TableColumn(factor, [format_label(self.level(place, factor)) for place in rows])
            for factor in self.levels or [CONDITION]
        ]

    def figure_panels(self) -> tuple[list[ConditionGroup], list[str]]:
        """Spread conditions over the panels of a figure; gives the factors of its lines as well.

        No panels if none would be readable.
        """
        for lines in (self.factors, self.factors[1:], self.factors[:1]):
            groups = self.group_by([name for name in self.levels if name not in lines])
            most = max(len(group.places) for group in groups)
            if most <= len(SERIES) and len(groups) <= _PANELS and (most > 1 or len(groups) == 1):
                return groups, list(lines)
        return [], []

    def extreme_conditions(self) -> list[int]:
        """Choose the conditions with the lowest and the highest outcome, lowest first."""
        means = np.array([known_mean(each) for each in self.values(self.outcome)], float)
        order = np.argsort(means, kind="stable")
        order = order[~np.isnan(means[order])]
        ends = [*order[:_EXTREMES].tolist(), *order[-_EXTREMES:].tolist()]
        return list(dict.fromkeys(ends))


def legend_note(lines: Sequence[str]) -> str:
    """Say of which factors a legend gives levels, where it cannot."""
    return f" Names: levels of {', '.join(lines)}." if len(lines) > 1 else ""
