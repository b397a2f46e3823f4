"""What is to be seen in a figure, in words: for those who hear a page instead of seeing it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from society.draws import Array
from society.wording import clean


def extremes(values: Mapping[str, float]) -> str:
    """The lowest and the highest, NaN left out.

    >>> extremes({"fine = 2": 15.42, "fine = 10": 18.0})
    'Lowest: 15.4 (fine = 2). Highest: 18 (fine = 10).'
    """
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if not known:
        return "There are no values."
    low, high = min(known, key=lambda name: known[name]), max(known, key=lambda name: known[name])
    if len(known) == 1:
        return f"{_called(low)}{figure(known[low])}."
    if known[low] == known[high]:
        return f"All {len(known)} values are {figure(known[low])}."
    return (
        f"Lowest: {figure(known[low])} ({clean(low)}). "
        f"Highest: {figure(known[high])} ({clean(high)})."
    )


def course(name: str, rounds: Array, values: Array, along: str = "round") -> str:
    """A curve from its start to its end, NaN left out; (T,) each. along: what rounds are.

    >>> course("rich", np.array([1, 2, 3]), np.array([0.5, 0.9, 0.7]))
    'rich: 0.5 in round 1, 0.7 in round 3, lowest 0.5 in round 1, highest 0.9 in round 2.'
    """
    there = ~np.isnan(values)
    when, known = rounds[there], values[there]
    if not len(known):
        return f"{_called(name)}no values."
    if (known == known[0]).all():
        return f"{_called(name)}{figure(known[0])} from {along} {when[0]:g} to {when[-1]:g}."
    start, end, lowest, highest = (
        f"{figure(known[at])} in {along} {when[at]:g}"
        for at in (0, -1, int(known.argmin()), int(known.argmax()))
    )
    return f"{_called(name)}{start}, {end}, lowest {lowest}, highest {highest}."


def paneled(panels: Sequence[tuple[str, str]]) -> str:
    """What is said of each panel, after its title."""
    return " ".join(f"{_called(title)}{said}" for title, said in panels)


def figure(value: float) -> str:
    """Three digits, or all that stand before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _called(name: str) -> str:
    return f"{clean(name)}: " if name else ""
