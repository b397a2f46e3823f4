"""Figures in words, for those who hear a page instead of seeing it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from society.engine.rng import Array
from society.text import clean_line

ROUNDS_PLAYED = "rounds played"


def format_axis_number(value: float) -> str:
    """Give a number with three digits, or all that stand before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def prefix_title(title: str, words: str) -> str:
    """Put a title and a colon before some words, if there is a title."""
    return f"{clean_line(title)}: {words}" if title else words


def describe_extremes(values: Mapping[str, float]) -> str:
    """Name the lowest and the highest value, NaN left out.

    >>> describe_extremes({"fine = 2": 15.42, "fine = 10": 18.0})
    'Lowest: 15.4 (fine = 2). Highest: 18 (fine = 10).'
    """
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if not known:
        return "There are no values."
    low, high = min(known, key=lambda name: known[name]), max(known, key=lambda name: known[name])
    if len(known) == 1:
        return prefix_title(low, f"{format_axis_number(known[low])}.")
    if known[low] == known[high]:
        return f"All {len(known)} values are {format_axis_number(known[low])}."
    return (
        f"Lowest: {format_axis_number(known[low])} ({clean_line(low)}). "
        f"Highest: {format_axis_number(known[high])} ({clean_line(high)})."
    )


def describe_curve(name: str, rounds: Array, values: Array, along: str = "round") -> str:
    """Follow a curve from its start to its end, NaN left out; (T,) each.

    along: the unit of rounds, or ROUNDS_PLAYED, where each value stands after so many.

    >>> describe_curve("rich", np.array([1, 2, 3]), np.array([0.5, 0.9, 0.7]))
    'rich: 0.5 in round 1, 0.7 in round 3, lowest 0.5 in round 1, highest 0.9 in round 2.'
    >>> describe_curve("bliss", np.array([0, 1]), np.array([4, 5]), ROUNDS_PLAYED)
    'bliss: 4 after 0 rounds, 5 after 1 round, lowest 4 after 0 rounds, highest 5 after 1 round.'
    """
    there = ~np.isnan(values)
    when, known = rounds[there], values[there]
    if not len(known):
        return prefix_title(name, "no values.")
    if (known == known[0]).all():
        level = format_axis_number(known[0])
        if along == ROUNDS_PLAYED:
            return prefix_title(name, f"{level} after {when[0]:g} to {when[-1]:g} rounds.")
        return prefix_title(name, f"{level} from {along} {when[0]:g} to {when[-1]:g}.")
    start, end, lowest, highest = (
        f"{format_axis_number(known[at])} {_moment(along, when[at])}"
        for at in (0, -1, int(known.argmin()), int(known.argmax()))
    )
    return prefix_title(name, f"{start}, {end}, lowest {lowest}, highest {highest}.")


def _moment(along: str, number: float) -> str:
    if along == ROUNDS_PLAYED:
        return f"after {number:g} {'round' if number == 1 else 'rounds'}"
    return f"in {along} {number:g}"


def describe_curves(curves: Iterable[tuple[str, Array, Array]], along: str = "generation") -> str:
    """Follow several curves: the name, rounds and values of each."""
    return " ".join(describe_curve(*curve, along) for curve in curves)
