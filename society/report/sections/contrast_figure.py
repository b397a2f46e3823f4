"""The first figure of a report that compares conditions: an estimation plot of its outcome.

Levels of the factor that has colours are compared with the first one of them, at the same levels of
all other factors; replicate by replicate where random numbers are common.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.bands import FEWEST
from society.analysis.statistics.contrasts import Contrast, PairedContrast, paired, welch
from society.analysis.statistics.posthoc import correct_p_values
from society.analysis.statistics.samples import NotEstimable, try_compute
from society.analysis.study.design import ConditionGroup
from society.analysis.study.panel_tests import PanelTests
from society.experiments.factors import format_label
from society.report.figures.estimation import (
    EstimatedDifference,
    EstimationAxes,
    EstimationPanel,
    EstimationRow,
    estimation_plot,
)
from society.report.figures.intervals import Dot
from society.report.figures.style import Figure
from society.report.layout import Layout
from society.report.tables import known_mean

_MOST_ROWS, _MOST_PANELS = 40, 12
_MOST_PAIRS = 40  # lines of pairs in a panel
_LEVEL = 0.05
_BLOCKS = " Replicates are blocks in that test, since their random numbers are common."
_NO_LETTERS = " Where no effect was found, there are no letters."
_ROOM = 0.03  # of the axis, beyond what is possible


class _Compared(NamedTuple):
    """A condition against the first one of its group; p is Holm's, None where there is no test."""

    place: int
    difference: float
    test: Contrast | PairedContrast | NotEstimable
    p: float | None

    @property
    def tested(self) -> bool:
        """True if there are runs enough for a test to be told of."""
        if isinstance(self.test, NotEstimable):
            return False
        return (min(self.test.n) if isinstance(self.test, Contrast) else self.test.n) >= FEWEST

    @property
    def sign(self) -> int:
        """1 above the first one, -1 below it, 0 if no test shows that they differ."""
        shown = self.tested and self.p is not None and self.p < _LEVEL
        return int(np.sign(self.difference)) if shown else 0


def estimation_figure(layout: Layout, tests: Sequence[PanelTests]) -> Figure | None:
    """Compare the outcome over conditions; None where nothing is compared, or too much."""
    if not layout.factors or not layout.outcome:
        return None
    groups = layout.group_by([name for name in layout.levels if name != layout.colour_factor])
    groups = [ConditionGroup(group.title, _in_order(layout, group)) for group in groups]
    rows = sum(len(group.places) for group in groups)
    if max(len(group.places) for group in groups) < 2:
        return None
    if rows > _MOST_ROWS or len(groups) > _MOST_PANELS:
        return None
    found = _compare(layout, groups)
    # Letters of two factors are those of marginal means, which stand in no panel.
    letters = {
        frozenset(one.panel.places): one.letters(layout.colour_factor)
        for one in tests
        if len(layout.factors) == 1
    }
    panels = [
        _panel(layout, group, found, letters.get(frozenset(group.places), {})) for group in groups
    ]
    label = layout.label(layout.outcome)
    label = f"{label[:1].upper()}{label[1:]}"
    return estimation_plot(
        "outcome",
        _title(layout, label, groups, found),
        _caption(layout, groups, found) + _letters_note(layout, panels),
        _axes(layout),
        panels,
    )


def _in_order(layout: Layout, group: ConditionGroup) -> Sequence[int]:
    """Numbers in ascending order; other levels by their means, below the first one."""
    places, factor = list(group.places), layout.colour_factor
    if layout.is_ordered(factor):
        return sorted(places, key=lambda place: layout.level(place, factor))  # type: ignore[arg-type, return-value]
    means = [known_mean(values) for values in layout.values(layout.outcome)]
    rest = sorted(places[1:], key=lambda place: -(means[place] or 0))
    return [places[0], *rest]


def _compare(layout: Layout, groups: Sequence[ConditionGroup]) -> dict[int, _Compared]:
    """Test each condition against the first one of its group; Holm over all of them."""
    values = layout.values(layout.outcome)
    means = [known_mean(layout.scale.transform(each)) for each in values]
    tests = {
        place: (group.places[0], try_compute(_test, layout, group.places[0], place))
        for group in groups
        for place in group.places[1:]
    }
    known = {
        place: test.p for place, (_, test) in tests.items() if not isinstance(test, NotEstimable)
    }
    p = dict(zip(known, correct_p_values([*known.values()]).tolist(), strict=True))
    found = {}
    for place, (first, test) in tests.items():
        one, other = means[place], means[first]
        apart = np.nan if one is None or other is None else one - other
        if not isinstance(test, NotEstimable):
            apart = test.difference
        found[place] = _Compared(place, apart, test, p.get(place))
    return found


def _test(layout: Layout, first: int, place: int) -> Contrast | PairedContrast:
    values = layout.comparable_values([place, first])
    return paired(*values) if layout.paired else welch(*values)


def _panel(
    layout: Layout,
    group: ConditionGroup,
    found: dict[int, _Compared],
    letters: Mapping[str, str],
) -> EstimationPanel:
    rows = list[EstimationRow]()
    values = layout.values(layout.outcome)
    for place in group.places:
        name = layout.name(place, [layout.colour_factor])
        style = layout.level_style(layout.level(place, layout.colour_factor))
        signs = letters.get(format_label(layout.level(place, layout.colour_factor)), "")
        apart = _difference(layout, found, place)
        dot = Dot.of(values[place], layout.scale, layout.bounds(layout.outcome))
        rows.append(EstimationRow(name, style, dot, apart, signs))
    pairs = np.empty((0, len(rows)))
    if layout.paired and len({len(values[place]) for place in group.places}) == 1:
        pairs = np.stack([values[place] for place in group.places], axis=1)[:_MOST_PAIRS]
    return EstimationPanel(group.title, rows, pairs)


def _letters_note(layout: Layout, panels: Sequence[EstimationPanel]) -> str:
    """Say what letters mean, if there are any; begins with a space."""
    if not any(row.letters for panel in panels for row in panel.rows):
        return ""
    note = f" Levels of {layout.colour_factor} that share no letter differ (Tukey)."
    note += _BLOCKS if layout.paired else ""
    return note + (_NO_LETTERS if len(panels) > 1 else "")


def _difference(
    layout: Layout, found: dict[int, _Compared], place: int
) -> EstimatedDifference | None:
    if place not in found or np.isnan(found[place].difference):
        return None
    one = found[place]
    value = float(layout.scale.invert(one.difference))
    if isinstance(one.test, NotEstimable) or not one.tested:
        return EstimatedDifference(value, None, None)
    low, high = (float(layout.scale.invert(end)) for end in one.test.interval[:2])
    return EstimatedDifference(value, low, high)


def _axes(layout: Layout) -> EstimationAxes:
    unit, scale = layout.measured[layout.outcome], layout.scale
    axis = layout.axis_label(layout.outcome)
    difference = f"{scale.contrast_name} of means" + f", {unit}" * (not scale.logarithmic)
    least, most = layout.bounds(layout.outcome)
    values = None
    if least is not None and most is not None and not scale.logarithmic:
        room = _ROOM * (most - least)
        values = least - room, most + room
    difference = f"{difference[:1].upper()}{difference[1:]}"
    axis = f"{axis[:1].upper()}{axis[1:]}"
    return EstimationAxes(axis, difference, scale, values, 1 if scale.logarithmic else 0)


def _title(
    layout: Layout,
    label: str,
    groups: Sequence[ConditionGroup],
    found: dict[int, _Compared],
) -> str:
    """Say that levels lie above or below the first one, if all tests agree on it."""
    factor = layout.colour_factor
    others = [name for name in layout.levels if name != factor]
    plain = f"{label} by {' and '.join([factor, *others])}"
    signs = {one.sign for one in found.values()}
    if signs not in ({1}, {-1}):
        return plain
    way = "higher" if signs == {1} else "lower"
    first = layout.name(groups[0].places[0], [factor])
    if len({layout.level(group.places[0], factor) for group in groups}) > 1:
        return plain
    levels = {layout.level(place, factor) for place in found}
    every = f"each other {factor}" if len(levels) > 1 else layout.name(next(iter(found)), [factor])
    where = f", at every {' and '.join(others)}" if others else ""
    return f"{label}: {way} with {every} than with {first}{where}"


def _caption(layout: Layout, groups: Sequence[ConditionGroup], found: dict[int, _Compared]) -> str:
    """Say what is drawn, n, what intervals are, and which test."""
    return " ".join(_sentences(layout, groups, found))


def _sentences(
    layout: Layout, groups: Sequence[ConditionGroup], found: dict[int, _Compared]
) -> Iterator[str]:
    sizes = [
        int((~np.isnan(values)).sum())
        for place, values in enumerate(layout.values(layout.outcome))
        if any(place in group.places for group in groups)
    ]
    least, most = min(sizes), max(sizes)
    yield f"Left: {layout.scale.mean_name}s over runs"
    if most < FEWEST:
        yield f"(fewer than {FEWEST} have no interval)."
    elif any(_spread(layout, group) for group in groups):
        yield "with 95 % intervals."
    else:
        yield "(no interval: all runs of a condition are alike)."
    runs = f"{most}" if least == most else f"{least} to {most}"
    yield f"n = {runs} runs a condition."
    yield f"Right: {layout.scale.contrast_name}s from the first level"
    tested = [one for one in found.values() if one.tested]
    if tested:
        yield "with 95 % intervals, not adjusted for their number;"
        kind = "paired t tests" if layout.paired else "Welch's t tests"
        yield f"two-sided {kind}, Holm's p < .05: {_count_found(tested)}."
    else:
        yield "without a test."
    if layout.paired:
        shown = min(most, _MOST_PAIRS)
        what = "runs" if shown == most else f"the first {shown} runs"
        yield f"Thin lines join {what} that share random numbers."


def _spread(layout: Layout, group: ConditionGroup) -> bool:
    """Tell whether runs of any condition of a group differ, so that its mean has an interval."""
    samples = (layout.values(layout.outcome)[place] for place in group.places)
    known = (values[~np.isnan(values)] for values in samples)
    return any(len(own) >= FEWEST and np.ptp(own) > 0 for own in known)


def _count_found(tested: Sequence[_Compared]) -> str:
    return f"{sum(one.sign != 0 for one in tested)} of {len(tested)}"
