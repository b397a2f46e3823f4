"""Deviation ratings: how little types gain when a player deviates to them from an equilibrium.

The gain of type s at seat p where types a sit, and where they are drawn from a distribution z:

    gain_ps(a) = G_p(s, a_-p) - G_p(a)          gain_ps(z) = sum_a z(a) gain_ps(a)

z is a coarse correlated equilibrium if no gain is above 0. Of all distributions take those whose
largest gain is smallest; types whose gain is there in all of them are rated with it. Among these
distributions make the largest gain of the other types as small as possible, and so on until all
are rated. The higher the rating, the less a player minds to change to this type.

Where seats are averaged, all seats must gain alike. Then z may be taken as symmetric (the average
over orders has the same gains), so that only compositions count: for 6 types and 3 seats, 56
in place of 216 seatings, and one row a type.

`strict` rates what is tight in every optimum. This has one answer, whatever the solver: the gains
which, sorted from the largest down, are the smallest in the order of a dictionary, as excesses are
in the nucleolus (Maschler, Peleg and Shapley 1979, Math. Oper. Res. 4). `tight` rates whatever is
tight at the one optimum that the solver returns, as CoopEval does: where there are several optima,
another solver, or order of types, may lead to other ratings from the second level on.
Source: Marris, Liu, Gemp, Piliouras and Lanctot 2025, arXiv:2502.11645.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from typing import Any, Literal, NamedTuple

import numpy as np

from society.engine.rng import Array
from society.errors import SocietyError
from society.optional import require

from .payoffs import check_tensor

Rule = Literal["strict", "tight"]

_EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
_TIGHT = 1e-9  # gains that differ by less, relative to the largest, are the same to this solver
_DECIMALS = 10  # to which ratings are told apart in ranks
# What was an optimum a moment ago may be none to the solver after rounding: beside payoffs of a
# million it may need some room, and to look at all of the program.
_ROOM = (0.0, 1e-10, 1e-9)
_INSTEAD = (
    "leave out types with payoffs that are many orders of magnitude larger than those of the others"
)


class _Optimum(NamedTuple):
    """A distribution of least cost, by the gains that it gives.

    largest: no unrated gain is above it. gains: of all rows at this distribution, (rows,).
    """

    largest: float
    gains: Array


def deviation_ratings(tensor: Array, *, rule: Rule = "strict", by_seat: bool = False) -> Array:
    """Return the deviation rating of each type, in units of payoff; (K,), by seat (n, K).

    tensor: of `payoff_tensor`, with the same `by_seat`.
    Raises InputError for a tensor that cannot be, SocietyError where rounding leaves no answer: so
    in 5 of 900 random games of five types with payoffs a million times as large as others.
    """
    _, types = check_tensor(tensor, by_seat=by_seat)
    gains = _gains_by_seat(tensor) if by_seat else _gains(tensor)
    scale = float(np.abs(gains).max()) or 1.0  # the solver's tolerances are absolute
    ratings = scale * _rate_levels(gains / scale, rule) + 0.0  # no -0
    return ratings.reshape(-1, types) if by_seat else ratings


def dev_ranks(ratings: Array) -> Array:
    """Rank ratings along the last axis, 1 for the highest; ties share the mean of their ranks.

    >>> dev_ranks(np.array([0.0, -0.5, 0.0, -1.0]))
    array([1.5, 3. , 1.5, 4. ])
    """
    ranks: Array = require("scipy.stats").rankdata(-ratings.round(_DECIMALS), axis=-1)
    return ranks


def _gains(tensor: Array) -> Array:
    """Return the gain by changing to type s, over the players of a composition; (K, C)."""
    seats, types = tensor.ndim, len(tensor)
    members = np.array(list(combinations_with_replacement(range(types), seats))).T  # (n, C)
    total = np.zeros((types, members.shape[1]))
    for seat in range(seats):
        others = tuple(np.delete(members, seat, 0))
        total += tensor[(slice(None), *others)] - tensor[(members[seat], *others)]
    return total / seats


def _gains_by_seat(tensor: Array) -> Array:
    """Return the gain of seat p by changing to type s, at each seating; (n * K, K ** n)."""
    seats, types = len(tensor), tensor.shape[1]
    seating = np.array(list(product(range(types), repeat=seats))).T  # (n, K ** n)
    rows = []
    for seat, type_ in product(range(seats), range(types)):
        deviating = seating.copy()
        deviating[seat] = type_
        rows.append(tensor[(seat, *deviating)] - tensor[(seat, *seating)])
    return np.array(rows)


def _rate_levels(gains: Array, rule: Rule) -> Array:
    """Rate row after row, from the largest gain down; (rows, outcomes) -> (rows,)."""
    ratings = np.full(len(gains), np.nan)
    while (unrated := np.isnan(ratings)).any():
        optimum = _optimum(gains, ratings, np.zeros(gains.shape[1]))
        tight = unrated & (optimum.gains > optimum.largest - _TIGHT)
        if rule == "strict":
            tight = _always_tight(gains, ratings, optimum.largest, tight)
        ratings[tight] = optimum.largest
    return ratings


def _always_tight(gains: Array, ratings: Array, largest: float, tight: Array) -> Array:
    """Select the rows, tight at one optimum, that are tight in every one; (rows,) of bool.

    Asks for the optimum where these rows have most room in all. Those with any are struck, and the
    question is put again: if the most is nothing, none of the rest ever has room.
    """
    while tight.any():
        optimum = _optimum(gains, ratings, gains[tight].sum(0), largest)
        loose = tight & (optimum.gains < largest - _TIGHT)
        if not loose.any():
            return tight
        tight = tight & ~loose
    raise SocietyError(f"no gain is tight in every optimum, which only rounding can do; {_INSTEAD}")


def _optimum(gains: Array, ratings: Array, cost: Array, largest: float | None = None) -> _Optimum:
    """Find the distribution of least cost at which rated rows gain their ratings.

    Unrated rows gain at most `largest`; if that is not given, it is an unknown as well, and added
    to the cost. gains: (rows, outcomes). cost: (outcomes,).
    """
    for room, presolve in product(_ROOM, (True, False)):
        done = _solve(gains, ratings, cost, largest, room, presolve)
        if done.x is not None:
            return _Optimum(float(done.x[-1]), gains @ done.x[:-1])
    raise SocietyError(
        f"the solver found no ratings, though there are always some: {done.message}; {_INSTEAD}"
    )


def _solve(
    gains: Array, ratings: Array, cost: Array, largest: float | None, room: float, presolve: bool
) -> Any:
    """Ask the solver, which may miss `largest` and ratings by `room`."""
    unrated = np.isnan(ratings)
    below = np.hstack([gains[unrated], -np.ones((unrated.sum(), 1))])
    rated = np.hstack([gains[~unrated], np.zeros(((~unrated).sum(), 1))])
    known, limits = ratings[~unrated], np.zeros(len(below))
    if room:  # both sides of each, in place of equations
        below = np.vstack([below, rated, -rated])
        limits = np.concatenate([limits, known + room, room - known])
        rated, known = rated[:0], known[:0]
    most = None if largest is None else largest + room
    return require("scipy.optimize").linprog(
        np.append(cost, 1.0),
        A_ub=below,
        b_ub=limits,
        A_eq=np.vstack([rated, np.append(np.ones_like(cost), 0.0)]),
        b_eq=np.append(known, 1.0),
        bounds=[(0, None)] * len(cost) + [(largest, most)],
        method="highs-ds",
        options=_EXACT | {"presolve": presolve},
    )
