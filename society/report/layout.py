"""The layout of a report: the design of a study, and how its figures and tables share it out.

Everything is driven by what run files say of measures, so that any scenario has a report.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from society.analysis.study.design import ConditionGroup, StudyDesign
from society.analysis.study.frames import CONDITION
from society.experiments.factors import Label, format_label
from society.terminal.labels import RoundLabels

from .figures.scales import AxisScale
from .figures.style import INK, SERIES, SeriesStyle, ordered_styles, series_style
from .tables import TableColumn, known_mean

_PANELS = 12  # on one figure
_BESIDE = 4  # panels at most that keep one factor a figure of its own
_EXTREMES = 3  # conditions at either end that stand out where there are too many


class Layout(StudyDesign):
    """A design with the panels of its figures and the first columns of its tables."""

    @cached_property
    def scale(self) -> AxisScale:
        """The scale of the outcome in all runs; that of a time is always linear."""
        return AxisScale(super().scale.name)

    @cached_property
    def round_word(self) -> str:
        """What a round is called in all conditions: "day", say; else "round"."""
        words = {RoundLabels(run.manifest).counted for run in self.conditions}
        return words.pop() if len(words) == 1 else "round"

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
        one, others = [self.colour_factor][: len(self.factors)], self._uncoloured
        for lines, panels in (
            (one, _BESIDE),
            (self.factors, _PANELS),
            (one, _PANELS),
            (others, _PANELS),
        ):
            groups = self.group_by([name for name in self.levels if name not in lines])
            most = max(len(group.places) for group in groups)
            if most <= len(SERIES) and len(groups) <= panels and (most > 1 or len(groups) == 1):
                return groups, list(lines)
        return [], []

    def is_ordered(self, factor: str) -> bool:
        """True if the levels of a factor are numbers."""
        levels = self.levels.get(factor, [None])
        return all(isinstance(one, int | float) and not isinstance(one, bool) for one in levels)

    @cached_property
    def colour_factor(self) -> str:
        """The factor whose levels have colours, the same on the whole page; "" without factors."""
        ordered = filter(self.is_ordered, self.factors)
        return next(ordered, self.factors[0] if self.factors else "")

    @property
    def _uncoloured(self) -> list[str]:
        return [name for name in self.factors if name != self.colour_factor]

    def level_style(self, level: Label) -> SeriesStyle:
        """The style of a level of the colour factor: a hue by its rank, if the factor has order."""
        levels = self.levels.get(self.colour_factor, [level])
        if self.is_ordered(self.colour_factor):
            ranks = sorted(levels)  # type: ignore[type-var]
            return ordered_styles(len(levels))[ranks.index(level)]
        return series_style(levels.index(level))

    def style(self, place: int) -> SeriesStyle:
        """The style of a condition, the same in all figures of a page.

        Colour: the level of the colour factor. Marker and dashes: that of the second factor, where
        figures show the lines of both together; else of the colour factor as well.
        """
        return self.style_of_levels(place, [self.colour_factor, *self.figure_panels()[1]])

    def style_of_levels(self, place: int, factors: Sequence[str]) -> SeriesStyle:
        """The style of a condition where no more is told of it than its levels of some factors.

        It is drawn in ink, with a marker, where the colour factor is none of them.
        """
        style = self.level_style(self.level(place, self.colour_factor))
        if self.factors and self.colour_factor not in factors:
            style = series_style(0)._replace(colour=INK)
        for name in factors:
            if name != self.colour_factor:
                second = series_style(self.levels[name].index(self.level(place, name)))
                style = second._replace(colour=style.colour)
        return style

    def label_series(
        self, groups: Sequence[ConditionGroup], lines: Sequence[str]
    ) -> dict[int, tuple[str, SeriesStyle]]:
        """Give each condition of some panels its label and its style.

        Conditions that were chosen out of too many have no factor in common: colours are those of
        their levels all the same, and markers and dashes tell them apart.
        """
        places = [place for group in groups for place in group.places]
        if lines or not self.levels:
            return {place: (self.name(place, lines), self.style(place)) for place in places}
        return {
            place: (
                self.name(place),
                series_style(number)._replace(colour=self.style(place).colour),
            )
            for number, place in enumerate(places)
        }

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
