"""Numbers as tables show them: on a common scale, and with how sure they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from society.draws import Array
from society.lab.statistics import Unanswerable


def normalised(values: ArrayLike, equilibrium: float, cooperation: float) -> Array:
    """Payoffs on the scale where the equilibrium pays 0 and full cooperation 1; any shape.

    Raises Unanswerable where cooperation pays no more than the equilibrium.

    >>> normalised([1, 1.5, 2], equilibrium=1, cooperation=2)
    array([0. , 0.5, 1. ])
    """
    if cooperation <= equilibrium:
        raise Unanswerable(
            f"cooperation pays {cooperation:g} and the equilibrium {equilibrium:g}; without a gain "
            "there is no scale from one to the other"
        )
    scaled: Array = (np.asarray(values, dtype=float) - equilibrium) / (cooperation - equilibrium)
    return scaled


def standard_error(values: ArrayLike, axis: int = 0) -> Array:
    """The standard error of means along an axis, sd / sqrt(n) with n - 1 in sd.

    NaN are left out; where fewer than two values are left, it is NaN itself. Unlike an interval
    it may be 0: values without spread are common where types play pure strategies.

    >>> float(standard_error([1, 2, 3, np.nan]).round(3))
    0.577
    """
    given = np.asarray(values, dtype=float)
    there = ~np.isnan(given)
    n = there.sum(axis, keepdims=True)
    mean = given.sum(axis, keepdims=True, where=there) / np.maximum(n, 1)
    squares = ((given - mean) ** 2).sum(axis, where=there)
    n = n.squeeze(axis)
    error: Array = np.sqrt(squares / np.where(n > 1, n * (n - 1), np.nan))
    return error
