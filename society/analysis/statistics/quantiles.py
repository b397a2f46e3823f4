"""Quantiles and tails of the normal and of Student's distribution, from scipy.special.

The functions that scipy.stats calls for these distributions. They stand here on their own since
importing scipy.stats takes longer than any figure of a report, and most reports need no more of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array
from society.optional import require


def normal_reach(level: float) -> float:
    """Return the z of an interval at a level, two-sided: 1.96 at 0.95.

    >>> round(normal_reach(0.95), 2)
    1.96
    """
    return float(-_special().ndtri((1 - level) / 2))


def t_reach(level: float, df: ArrayLike) -> Array:
    """Return the t of an interval at a level, two-sided, for each number of degrees of freedom.

    >>> t_reach(0.95, [4, 1000]).round(2).tolist()
    [2.78, 1.96]
    """
    return np.asarray(-_special().stdtrit(df, (1 - level) / 2))


def t_tails(t: float, df: float) -> float:
    """Return the chance of a t as far from 0 as this one or farther: the p value of a t test.

    >>> round(t_tails(2.776, 4), 3)
    0.05
    """
    return float(2 * _special().stdtr(df, -abs(t)))


def _special() -> Any:
    return require("scipy.special")
