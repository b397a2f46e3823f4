"""Quantiles and tails of the distributions behind the tests of most reports, from scipy.special.

Mostly the functions that scipy.stats calls for these distributions. They stand here on their own
since importing scipy.stats takes longer than any figure of a report, and most reports need no more
of it. The studentized range is the largest less the smallest of k standard normal values, over an
independent estimate s of their standard deviation, with df degrees of freedom:

    P(range / s > q) = integral over s of density(s) (1 - W(q s))
    W(w) = k integral over z of phi(z) (Phi(z) - Phi(z - w))^(k - 1)

Both integrals are sums over Gauss-Legendre nodes here; scipy.stats nests adaptive ones, which takes
ten times as long. Source: Tukey 1953; Copenhaver and Holland 1988.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array
from society.optional import require

_NODES, _FARTHEST, _LEFT_OUT = 128, 9.0, 1e-16
_CLOSE = 1e-10


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


def f_tail(f: float, df: float, df_left: float) -> float:
    """Return the chance of an F at least as large as this one: the p value of an F test.

    >>> round(f_tail(3.94, 1, 98), 3)
    0.05
    """
    return float(_special().fdtrc(df, df_left, f))


def chi_squared_tail(chi_squared: float, df: float) -> float:
    """Return the chance of a chi-squared at least as large as this one.

    >>> round(chi_squared_tail(3.84, 1), 2)
    0.05
    """
    return float(_special().chdtrc(df, chi_squared))


def studentized_range_tail(q: ArrayLike, groups: int, df: float) -> Array:
    """Return the chance of a studentized range of some groups beyond each q, (n,) -> (n,).

    Exact to 1e-9 for up to 40 groups with 4 degrees of freedom or more, else to 1e-4.

    >>> studentized_range_tail([3.36], 3, 114).round(2).tolist()
    [0.05]
    """
    special, wanted = _special(), np.asarray(q, float)
    middle, part = _nodes()
    low, high = np.sqrt(special.chdtri(df, [1 - _LEFT_OUT, _LEFT_OUT]) / df)
    s, ds = low + (middle + 1) / 2 * (high - low), part * (high - low) / 2
    half = df / 2
    log_density = (
        np.log(2) + half * np.log(half) - special.gammaln(half)
        + (df - 1) * np.log(s) - half * s**2
    )  # fmt: skip
    z, dz = _FARTHEST * middle, part * _FARTHEST * np.exp(-((_FARTHEST * middle) ** 2) / 2)
    below = special.ndtr(z)
    weight = np.exp(log_density) * ds

    def tail(one: float) -> float:
        within = below - special.ndtr(z - (one * s)[:, None])
        inside = groups * (within ** (groups - 1)) @ dz / np.sqrt(2 * np.pi)
        return float(weight @ (1 - inside))

    return np.clip([tail(one) for one in wanted.ravel()], 0, 1).reshape(wanted.shape)


@cache
def studentized_range_reach(level: float, groups: int, df: float) -> float:
    """Return the studentized range that some groups stay within with a chance of `level`.

    >>> round(studentized_range_reach(0.95, 3, 114), 2)
    3.36
    """
    low, high = 0.0, 1.0
    while studentized_range_tail([high], groups, df)[0] > 1 - level:
        low, high = high, 2 * high
    while high - low > _CLOSE * high:
        middle = (low + high) / 2
        beyond = studentized_range_tail([middle], groups, df)[0] > 1 - level
        low, high = (middle, high) if beyond else (low, middle)
    return (low + high) / 2


@cache
def _nodes() -> tuple[Array, Array]:
    """Return where a Gauss-Legendre sum over [-1, 1] looks, and what each place counts."""
    return np.polynomial.legendre.leggauss(_NODES)


def _special() -> Any:
    return require("scipy.special")
