"""Specification curves: how the effects of the main claims depend on how a paper is read.

For each claim all of its comparisons under all readings stand in the order of their size; below,
dots mark which reading and which comparison each is (Simonsohn, Simmons and Nelson 2020, Nature
Human Behaviour 4).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from society.claims.comparisons import MATTERS
from society.claims.effects import ClaimEffect, Times
from society.claims.types import ClaimVerdict
from society.report.figures.read_out import name_series
from society.report.figures.style import FAINT, INK, Figure, render_panels, shorten_label
from society.report.page import Section

from .claims_figure import OUTCOMES, OutcomeStyle

_NO_MAIN = (
    "There is no specification curve: no main claims are named here that two readings of the paper "
    "would judge. Whatever else claims were judged under stands side by side in the grid above."
)
_UNREADABLE = (
    "There is no specification curve: no main claim has an effect with an interval under two "
    "readings of the paper."
)
_TALL, _ROW = 1.15, 0.125  # inches: the curve, a line of dots
_LONGEST_ROW = 30  # characters of its name
_OF_TITLE = 0.5  # of the width of a character of a title that one of a line's name takes
_MOST_COMPARISONS = 6  # of a claim, that have lines of their own
_NEAREST, _FURTHEST = 2.1, 8.0
_TICKS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
_HELD: Mapping[bool | None, tuple[str, OutcomeStyle]] = MappingProxyType(
    {
        True: ("as claimed", OUTCOMES["reproduced"]),
        False: ("not as claimed", OUTCOMES["not reproduced"]),
        None: ("not shown", OUTCOMES["cannot be told"]._replace(marker="|")),
    }
)


class Specification(NamedTuple):
    """One comparison under one reading, with its effect as multiples."""

    reading: str
    effect: ClaimEffect
    times: Times


class SpecificationPanel(NamedTuple):
    """The specifications of a claim, the smallest effect first, and the lines of dots below."""

    title: str
    ordered: Sequence[Specification]
    rows: Sequence[str]

    def describe(self) -> str:
        held = [one.effect.held for one in self.ordered]
        return (
            f"{len(held)} comparisons, {held.count(True)} as claimed, {held.count(False)} not, "
            f"from {self.ordered[0].times.value:.2g} to {self.ordered[-1].times.value:.2g} times."
        )

    def marked(self, row: str) -> list[int]:
        """The places of the specifications that a line of dots marks."""
        return [
            place
            for place, one in enumerate(self.ordered)
            if row in one.reading.split(", ") or row == one.effect.name
        ]


def specification_section(
    verdicts: Sequence[ClaimVerdict], main_claims: Sequence[str]
) -> Iterator[Section]:
    """Draw the curves of the main claims that are judged by several readings, or say why not."""
    panels = [panel for claim in main_claims for panel in _panel(claim, verdicts)]
    if panels:
        lead = (
            "The paper can be read in several ways, and no reading is singled out here: every "
            "comparison of its main claims stands beside the others, under each reading."
        )
        title = "Effects by reading"
        yield Section(title, [lead, specification_curves(panels)], "readings")
    elif verdicts:
        why = _UNREADABLE if main_claims else _NO_MAIN
        yield Section("Effects by reading", [why], "readings")


def _panel(claim: str, verdicts: Sequence[ClaimVerdict]) -> Iterator[SpecificationPanel]:
    """Sort the comparisons of a claim; none if one reading alone has an effect."""
    own = [one for one in verdicts if one.bare == claim]
    found = [
        Specification(one.under, effect, times)
        for one in own
        for effect in one.effects
        if (times := effect.times) is not None
    ]
    readings = list(dict.fromkeys(one.reading for one in found))
    if len(readings) < 2:
        return
    parts = dict.fromkeys(part for one in readings for part in one.split(", ") if part)
    varied = [part for part in parts if any(part not in one.split(", ") for one in readings)]
    # What a reading says first (its parameters) before what it says next.
    varied.sort(
        key=lambda part: min(
            one.split(", ").index(part) for one in readings if part in one.split(", ")
        )
    )
    names = list(dict.fromkeys(one.effect.name for one in found))
    rows = [*varied, *(names if 1 < len(names) <= _MOST_COMPARISONS else [])]
    yield SpecificationPanel(claim, sorted(found, key=lambda one: one.times.value), rows)


def specification_curves(panels: Sequence[SpecificationPanel]) -> Figure:
    """Draw a curve for each claim, and lines of dots below it."""
    rows = max(len(panel.rows) for panel in panels)
    ends = [end for panel in panels for one in panel.ordered for end in one.times if end > 0]
    furthest = max(math.exp(abs(math.log(end))) for end in ends) * 1.1
    reach = min(max(furthest, _NEAREST), _FURTHEST)
    longest = max(len(row) for panel in panels for row in panel.rows)
    return render_panels(
        "specifications",
        "Effects of the main claims, by reading and comparison",
        "Above: effects with their intervals, as multiples of what they are held against, the "
        f"smallest first. Grey: less than {MATTERS:.0%} more or less. Below: dots mark the reading "
        "and the comparison of each.",
        panels,
        lambda own, panel: _draw(own, panel, reach),
        across=min(len(panels), 2),
        beside_axes=int(_OF_TITLE * min(longest, _LONGEST_ROW)),
        heights=[_TALL, max(rows * _ROW, 0.3)],
        labels=[words for words, _ in _HELD.values()],
        ylabels=["times"],
        sharex=False,
    )


def _draw(own: Sequence[Any], panel: SpecificationPanel, reach: float) -> Mapping[str, Any]:
    curve, dots = own
    handles = _draw_curve(curve, panel, reach)
    for line, row in enumerate(panel.rows):
        places = panel.marked(row)
        dots.plot(range(len(panel.ordered)), [line] * len(panel.ordered), ".", color=FAINT, ms=2)
        dots.plot(places, [line] * len(places), "o", color=INK, markersize=3.2)
    dots.set_yticks(
        range(len(panel.rows)), [shorten_label(row, _LONGEST_ROW) for row in panel.rows]
    )
    dots.set_ylim(len(panel.rows) - 0.4, -0.6)
    for axes in own:
        axes.set_xlim(-0.6, len(panel.ordered) - 0.4)
        axes.set_xticks([])
    dots.tick_params(length=0)
    dots.grid(visible=False)
    dots.spines[:].set_visible(False)
    return handles


def _draw_curve(axes: Any, panel: SpecificationPanel, reach: float) -> dict[str, Any]:
    axes.set_yscale("log")
    axes.set_ylim(1 / reach, reach)
    axes.axhspan(1 - MATTERS, 1 + MATTERS, color=FAINT, alpha=0.25, linewidth=0)
    axes.axhline(1, color=INK, linewidth=0.7)
    low, high = axes.get_ylim()
    shown = [tick for tick in _TICKS if low <= tick <= high]
    axes.set_yticks(shown, [f"1/{1 / tick:.0f}" if tick < 1 else f"{tick:.0f}" for tick in shown])
    axes.set_yticks([], minor=True)
    axes.grid(axis="x", visible=False)
    handles = dict[str, Any]()
    for held, (words, style) in _HELD.items():
        there = [(at, one) for at, one in enumerate(panel.ordered) if one.effect.held is held]
        if there:
            handles[words] = _draw_points(axes, there, words, style)
    return handles


def _draw_points(
    axes: Any, there: Sequence[tuple[int, Specification]], words: str, style: OutcomeStyle
) -> Any:
    at = [place for place, _ in there]
    value, low, high = np.array([one.times for _, one in there]).T
    lowest = np.maximum(low, axes.get_ylim()[0])
    axes.vlines(at, lowest, high, color=style.colour, linewidth=1.2)
    (points,) = axes.plot(at, value, **style.marks() | {"markersize": 4})
    names = [", ".join(filter(None, [one.reading, one.effect.name])) for _, one in there]
    name_series(points, words, values=value, low=low, high=high, names=names)
    return points
