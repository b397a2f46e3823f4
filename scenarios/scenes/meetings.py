"""Meetings: what it is worth to be where the others are, and the best that could be done.

In an hour each is worth the number of others in its place, and `bonus` more in its favourite one.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from society.engine.rng import Array
from society.engine.scenario import Direction, Measure
from society.engine.script import Fact, common, own

JOYS: dict[str, Direction] = {"joy": "more", "coordinated": "more", "welfare": "more"}


def tell_meeting(place: Array, favourite: Array, who: Array, bonus: float) -> dict[str, Fact]:
    """Facts about those in `who`, at places from 1 on; 0 or less is nowhere. All (R, N)."""
    count = int(max(np.nanmax(favourite, initial=0), place.max()))
    here = who & (place > 0)
    sizes = np.stack([(here & (place == k)).sum(1) for k in range(1, count + 1)], axis=1)
    others = np.take_along_axis(sizes, np.maximum(place - 1, 0), 1) - 1
    joy = np.where(here, others + bonus * (place == favourite), 0.0)
    fans = np.stack([(who & (favourite == k)).sum(1) for k in range(1, count + 1)], axis=1)
    friends = who.sum(1)
    return {
        "joy": own(joy),
        "together": common((sizes.max(1) / friends)[:, None]),
        "welfare": common((joy.sum(1) / best_welfare(fans, bonus))[:, None]),
    }


def best_welfare(fans: Array, bonus: float) -> Array:
    """The most that all can have together, from the number of fans of each place; (R, K) -> (R,).

    The worth of a place grows with the square of those in it, so that in the best case the fans of
    a place are all in it, or all in the place where the most are.

    >>> best_welfare(np.array([[2, 2]]), 1.0), best_welfare(np.array([[2, 2]]), 9.0)
    (array([14.]), array([40.]))
    """
    best = np.zeros(len(fans))
    for hub in range(fans.shape[1]):
        for stays in product((False, True), repeat=fans.shape[1]):
            at_home = np.array(stays) | (np.arange(fans.shape[1]) == hub)
            sizes = np.where(at_home, fans, 0)
            sizes[:, hub] += np.where(at_home, 0, fans).sum(1)
            worth = (sizes * (sizes - 1)).sum(1) + bonus * np.where(at_home, fans, 0).sum(1)
            best = np.maximum(best, worth)
    return np.where(best > 0, best, np.nan)


MEETING_MEASURES = (
    Measure(
        "coordinated",
        "share in the fullest pub",
        lambda told, env: told["together"],
        label="coordination",
    ),
    Measure("welfare", "joy / most that is possible", lambda told, env: told["welfare"]),
)
