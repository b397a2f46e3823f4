"""Courses of measures, which have a value for each round, generation by generation."""

from __future__ import annotations

import numpy as np

from society.draws import Array


def by_generation(values: Array, ended: Array) -> Array:
    """Means over the known values of each generation that is over; (R, T) -> (R, G).

    ended: at the end of which rounds a generation was selected, (T,) of bool. NaN where none is
    known.

    >>> by_generation(np.array([[1.0, 3.0, np.nan, 5.0]]), np.array([False, True, False, True]))
    array([[2., 5.]])
    """
    last = np.flatnonzero(ended)
    if not len(last):
        return np.empty((len(values), 0))
    begins = np.concatenate([[0], last[:-1] + 1])
    within = values[:, : last[-1] + 1]
    known = ~np.isnan(within)
    count = np.add.reduceat(known, begins, axis=1, dtype=int)
    total = np.add.reduceat(np.where(known, within, 0.0), begins, axis=1)
    mean: Array = total / np.where(count, count, np.nan)
    return mean
