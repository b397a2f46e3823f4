"""The colours of types, genes and the like: given once, so that a type looks alike in all figures.

And the colours of payoffs and cooperation. They run from vermilion, where a game is in equilibrium
or nobody cooperates, to blue, where all do, and get lighter all the way: they differ by hue for
those who see it, and by lightness in grey print and for colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array
from society.optional import require

from .style import SERIES

# After each turn of the colours: the hatch of an area, the marker of a point.
_TURNS = (("", "o"), ("////", "s"), ("....", "^"), ("xxxx", "D"))
# From far below the equilibrium through it, half way, and full cooperation, to far above it.
_ANCHORED = ("#3b1204", "#9c3708", "#a89a92", "#86bfe8", "#e3f2fc")
_NEUTRAL = ("#30343a", "#e6e8eb")
_LOW, _HIGH = 0.25, 0.75  # where equilibrium and cooperation stand on the scale of colours


class TypeStyle(NamedTuple):
    """The colour of a type, and the hatch and marker that tell it from others of the same one."""

    colour: str
    hatch: str
    marker: str


def assign_styles(types: Iterable[str]) -> Mapping[str, TypeStyle]:
    """Give each type a style, in order of first mention."""
    found = {}
    for number, name in enumerate(dict.fromkeys(types)):
        turn, place = divmod(number, len(SERIES))
        found[name] = TypeStyle(SERIES[place].colour, *_TURNS[turn % len(_TURNS)])
    return found


@cache
def payoff_colours(*, anchored: bool) -> Any:
    """Return the map of colours for payoffs and cooperation; neutral greys if without anchors."""
    colours = require("matplotlib.colors").LinearSegmentedColormap
    if anchored:
        return colours.from_list("anchored", _ANCHORED)
    return colours.from_list("neutral", _NEUTRAL)


def place_on_scale(scaled: Array, low: float, high: float) -> Array:
    """Place payoffs, 0 in equilibrium and 1 where all cooperate, on the anchored map, in [0, 1].

    low, high: the least and the largest in the figure. Between the anchors half of the map is
    passed evenly; beyond them a payoff goes on as evenly, or slower if the map would not reach.

    >>> place_on_scale(np.array([-1.0, 0.0, 0.5, 1.0, 1.2]), -1, 1.2).round(2).tolist()
    [0.0, 0.25, 0.5, 0.75, 0.85]
    """
    ends = [min(low, -1e-9), 0, 1, max(high, 1 + 1e-9)]
    even = _HIGH - _LOW
    places = [max(0, _LOW + even * ends[0]), _LOW, _HIGH, min(1, _HIGH + even * (ends[3] - 1))]
    placed: Array = np.interp(scaled, ends, places)
    return placed


def is_dark(colour: Any) -> bool:
    """Tell whether white is read better than black on a colour (relative luminance of WCAG 2)."""
    channels = np.array(require("matplotlib.colors").to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return (luminance + 0.05) ** 2 < 1.05 * 0.05
