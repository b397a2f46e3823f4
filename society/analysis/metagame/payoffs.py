"""Match-ups: which types sat where, what they scored, and the payoffs of the game among types.

    mean         of all that a type scored, over rows and seats
    S[p, a]      mean score of seat p where types a = (a_1, ..., a_n) sit
    T[i, rest]   mean score of i with these co-players: S averaged over the seat of i and the order
                 of the others, each seat and order with the same weight

A match that was lost (NaN) counts nowhere, and a seating that was played more often than others
has no more weight in S and T than they have. If all matches of a seating were lost, the other
orders of these types stand for it in T only where seats are alike: elsewhere a type would be paid
what its better seat pays.

Tables show payoffs on a common scale, with standard errors. T is the empirical game of Wellman
2006, "Methods for empirical game-theoretic analysis", AAAI; how lost matches count is ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import ArrayLike

from society.analysis.statistics import NotEstimable
from society.engine.rng import Array
from society.errors import InputError

_NAMED = 3  # seatings in a message


@dataclass(frozen=True, eq=False)
class Matchups:
    """Matches among types: M rows of n seats; repetitions of a seating are further rows.

    seats: (M, n) of int, the type at each seat as its place in `types`.
    payoffs: (M, n), what each seat scored; a row with a NaN is a match that was lost.
    Raises InputError where they do not fit together.
    """

    types: tuple[str, ...]
    seats: Array
    payoffs: Array

    def __post_init__(self) -> None:
        twice = sorted({name for name in self.types if self.types.count(name) > 1})
        if twice:
            raise InputError(f"types named twice: {', '.join(twice)}; give each a name of its own")
        if self.seats.ndim != 2 or self.seats.shape != self.payoffs.shape:
            raise InputError(
                f"seats have the shape {self.seats.shape} and payoffs {self.payoffs.shape}; give "
                "both a row per match and a column per seat"
            )
        if not self.seats.shape[1]:
            raise InputError("match-ups without a seat; give a column for each seat")
        strange = self.seats[(self.seats < 0) | (self.seats >= len(self.types))]
        if strange.size:
            raise InputError(
                f"a seat holds type {strange[0]}; there are {len(self.types)} types, from 0 on"
            )
        if np.isinf(self.payoffs).any():
            raise InputError("a payoff is infinite; give finite ones, and NaN for a lost match")

    @property
    def unplayed(self) -> list[tuple[str, ...]]:
        """The seatings without any score, as the names of the types at seats 1 to n."""
        return _names_of(self, np.isnan(_by_seating(self)[0]))

    @property
    def distinct(self) -> Matchups:
        """The match-ups with one row for each seating that has a score, its mean."""
        scores = _by_seating(self)
        seats = np.argwhere(~np.isnan(scores[0]))
        return Matchups(self.types, seats, scores[(slice(None), *seats.T)].T)

    @property
    def lopsided(self) -> list[tuple[str, ...]]:
        """The unplayed seatings whose types have scored together in another order."""
        missing = np.isnan(_by_seating(self)[0])
        met = np.any([~missing.transpose(order) for order in _orders(missing.ndim)], axis=0)
        return _names_of(self, missing & met)


def mean_payoffs(matchups: Matchups, *, by_seat: bool = False) -> Array:
    """Return the mean score of each type, over all rows and seats; (K,).

    by_seat: seat by seat, (n, K). NaN for a type that never played.
    """
    seats, payoffs = _complete(matchups)
    totals, counts = _totals(seats, payoffs, len(matchups.types))
    if by_seat:
        return _means(totals, counts)
    return _means(totals.sum(0), counts.sum(0))


def payoff_tensor(
    matchups: Matchups, *, by_seat: bool = False, exchangeable: bool = False
) -> Array:
    """Return T[i, j, ...], the payoff of type i with co-players j, ..., over all seats; (K,) * n.

    by_seat: S[p, a_1, ..., a_n] instead, what seat p scores where these types sit; (n, K, ..., K).
    exchangeable: seats are alike, so that orders may stand for each other in T.
    Raises NotEstimable, which names them, if seatings are missing; with seats that are alike, if
    types have met in no order.
    """
    scores = _by_seating(matchups)
    missing = matchups.unplayed
    if exchangeable and not by_seat:
        lopsided = set(matchups.lopsided)
        missing = [seating for seating in missing if seating not in lopsided]
    if missing:
        raise NotEstimable(lopsided_seatings(missing))
    if by_seat:
        return scores
    turned = np.stack([scores[order[0]].transpose(order) for order in _orders(len(scores))])
    there = ~np.isnan(turned)
    return _means(turned.sum(0, where=there), there.sum(0))


def lopsided_seatings(seatings: Sequence[tuple[str, ...]]) -> str:
    """Say in the words of a report that seatings have no payoffs."""
    first = "; ".join(", ".join(names) for names in seatings[:_NAMED])
    more = f", and {len(seatings) - _NAMED} more" if len(seatings) > _NAMED else ""
    return (
        f"no payoffs of these types at seats 1, 2, ...: {first}{more}; play the matches that were "
        "lost again, or leave a type out"
    )


def metagame_gap(matches: int) -> str | None:
    """Say in the words of a report why a cell has no meta-game; None if it has one.

    matches: how many go on at once in one replicate. Only a match that is alone there has a payoff
    that belongs to its seating.
    """
    if matches == 1:
        return None
    return (
        f"not defined: {matches} matches share one society and agents change their partners, so "
        "that what a match pays hangs on all types that are there, and not on those who sit in it"
    )


def _complete(matchups: Matchups) -> tuple[Array, Array]:
    """Return seats and payoffs of the matches that were not lost."""
    there = ~np.isnan(matchups.payoffs).any(1)
    return matchups.seats[there], matchups.payoffs[there]


def _by_seating(matchups: Matchups) -> Array:
    """Return S[p, a_1, ..., a_n], (n, K, ..., K); NaN where types never sat so."""
    seats, payoffs = _complete(matchups)
    shape = (len(matchups.types),) * seats.shape[1]
    place = np.ravel_multi_index(tuple(seats.T), shape)
    totals, counts = _totals(np.stack([place] * len(shape), 1), payoffs, math.prod(shape))
    return _means(totals, counts).reshape(-1, *shape)


def _totals(places: Array, payoffs: Array, count: int) -> tuple[Array, Array]:
    """Return sums and counts of payoffs by place, seat by seat; (M, n) -> (n, count) each."""
    columns = list(zip(places.T, payoffs.T, strict=True))
    totals = [np.bincount(place, scores, count) for place, scores in columns]
    counts = [np.bincount(place, minlength=count) for place, _ in columns]
    return np.stack(totals), np.stack(counts)


def _means(totals: Array, counts: Array) -> Array:
    """Divide totals by counts; NaN where the count is 0."""
    means: Array = totals / np.where(counts, counts, np.nan)
    return means


def _names_of(matchups: Matchups, some: Array) -> list[tuple[str, ...]]:
    """Name the types of marked seatings, (K, ..., K) of bool."""
    return [tuple(matchups.types[i] for i in seating) for seating in np.argwhere(some)]


def _orders(seats: int) -> list[tuple[int, ...]]:
    return list(permutations(range(seats)))


def normalise_payoffs(values: ArrayLike, equilibrium: float, cooperation: float) -> Array:
    """Scale payoffs so that the equilibrium is 0 and full cooperation 1; any shape.

    Raises NotEstimable where cooperation pays no more than the equilibrium.

    >>> normalise_payoffs([1, 1.5, 2], equilibrium=1, cooperation=2)
    array([0. , 0.5, 1. ])
    """
    if cooperation <= equilibrium:
        raise NotEstimable(
            f"cooperation pays {cooperation:g} and the equilibrium {equilibrium:g}; without a gain "
            "there is no scale from one to the other"
        )
    scaled: Array = (np.asarray(values, dtype=float) - equilibrium) / (cooperation - equilibrium)
    return scaled


def standard_error(values: ArrayLike, axis: int = 0) -> Array:
    """Return the standard error of means along an axis, sd / sqrt(n) with n - 1 in sd.

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


def check_tensor(tensor: Array, *, by_seat: bool) -> tuple[int, int]:
    """Count the seats and types of a tensor; raises InputError if it is no tensor of payoffs."""
    axes = tensor.shape[1:] if by_seat else tensor.shape
    seats = len(axes)
    if not axes or len(set(axes)) > 1 or 0 in axes or (by_seat and len(tensor) != seats):
        wanted = "(n, K, ..., K), one matrix a seat" if by_seat else "(K, ..., K), one axis a seat"
        raise InputError(f"payoffs have the shape {tensor.shape}; give {wanted}")
    if not np.isfinite(tensor).all():
        raise InputError("a payoff is not finite; play or leave out the match-ups that miss one")
    return seats, axes[0]
