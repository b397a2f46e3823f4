"""Draws of people from a table: by weight, with or without replacement, by strata.

Without replacement, person i gets the key -log(1 - u_i) / w_i, and the people come in the order of
their keys: the next one is always i with chance w_i / (sum of the weights that are left). With
replacement, each draw takes i with chance w_i / (sum of all weights).

u_i has an address, so that the same seed gives the same people, and the first ten of twenty drawn
are the ten that are drawn alone. With strata, each combination of values of some columns gets
its share of the people, or its quota, as whole numbers that add up (the largest remainders are
rounded up); within a stratum people are drawn as above, and the strata take turns.

Source: Efraimidis and Spirakis 2006, "Weighted random sampling with a reservoir", Information
Processing Letters 97.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from society.engine.rng import Array, DrawPlaces, Draws
from society.errors import InputError, suggest

from .people import PeopleTable

Stratum = tuple[str, ...]  # a value for each column of the strata


@dataclass(frozen=True)
class TableDraw:
    """A way to draw people. weight: a column, "" for equal weights. strata: columns.

    quotas: the number of people of each stratum; if there are any, others get none.
    """

    count: int
    weight: str = ""
    replacement: bool = False
    strata: tuple[str, ...] = ()
    quotas: Mapping[Stratum, int] = field(default_factory=dict)


def draw_people(table: PeopleTable, draw: TableDraw, seed: int) -> Array:
    """Draw people; returns their rows, (count,). Raises FileError, InputError."""
    weights = table.weights(draw.weight)
    if not draw.strata:
        return _drawn(table, weights, draw.count, draw, seed, ())
    members = _strata(table, draw.strata)
    counts = _counts(table, members, weights, draw)
    rows, turns = [], []
    for stratum, count in counts.items():
        inside = np.where(members[stratum], weights, 0)
        rows.append(_drawn(table, inside, count, draw, seed, stratum))
        start = Draws(seed, _address("turn", stratum), DrawPlaces(0, 1)).uniform("start")
        turns.append((np.arange(count) + start) / max(count, 1))
    together, turn = np.concatenate(rows), np.concatenate(turns)
    return together[np.argsort(turn, kind="stable")]


def _drawn(
    table: PeopleTable, weights: Array, count: int, draw: TableDraw, seed: int, stratum: Stratum
) -> Array:
    """Draw among all people, or those of a stratum."""
    if draw.replacement:
        draws = Draws(seed, _address("again", stratum), DrawPlaces(0, count))
        return weighted_rows(draws.uniform("person"), weights)
    order = weighted_order(Draws(seed, _address("once", ()), DrawPlaces(0, len(table))), weights)
    if count > len(order):
        of = f" with {_named(draw.strata, stratum)}" if stratum else ""
        wanted = f"{count} people{of} are asked for, and the table has {len(order)}"
        heavy = " whose weight is above 0" if draw.weight else ""
        raise table.wrong(
            table.lines[-1], f"{wanted}{heavy}; ask for fewer, or draw with replacement"
        )
    return order[:count]


def _address(purpose: str, stratum: Stratum) -> str:
    return "\0".join(("personas", purpose, *stratum))


def weighted_order(draws: Draws, weights: Array) -> Array:
    """The order of people who are drawn by weight without replacement, as rows.

    draws: one for each person, (P,). People whose weight is 0 are left out.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        keys = -np.log1p(-draws.uniform("key")) / weights
    order = np.argsort(np.where(weights > 0, keys, np.inf), kind="stable")
    return order[: np.count_nonzero(weights)]


def weighted_rows(uniform: Array, weights: Array) -> Array:
    """Rows drawn by weight with replacement, from uniform numbers in [0, 1); of the same shape."""
    ends = np.cumsum(weights)
    rows = np.searchsorted(ends, uniform * ends[-1], side="right")
    # u * total can round up to the total itself, which lies behind the last person.
    last = np.flatnonzero(weights)[-1]
    below: Array = np.minimum(rows, last)
    return below


def _strata(table: PeopleTable, columns: Sequence[str]) -> dict[Stratum, Array]:
    """Mark the people of each combination of values, (P,) of bool, in order of appearance."""
    keys = list(zip(*(table.column(name) for name in columns), strict=True))
    return {key: np.array([other == key for other in keys]) for key in dict.fromkeys(keys)}


def _counts(
    table: PeopleTable, members: Mapping[Stratum, Array], weights: Array, draw: TableDraw
) -> dict[Stratum, int]:
    """How many people each stratum gets; raises InputError for quotas that do not fit."""
    if not draw.quotas:
        shares = [float(weights[inside].sum()) for inside in members.values()]
        return dict(zip(members, largest_remainders(shares, draw.count), strict=True))
    for stratum in draw.quotas:
        if stratum not in members:
            legal = [",".join(one) for one in members]
            named = _named(draw.strata, stratum)
            raise table.wrong(1, f"nobody has {named}; {suggest(','.join(stratum), legal)}")
    total = sum(draw.quotas.values())
    if total != draw.count:
        raise InputError(
            f"the quotas add up to {total}, and {draw.count} people are asked for; change --count "
            "or a --quota"
        )
    return dict(draw.quotas)


def _named(columns: Sequence[str], stratum: Stratum) -> str:
    if len(columns) != len(stratum):
        return f"{len(stratum)} values ({','.join(stratum)}) for {len(columns)} columns"
    return " and ".join(f"{name} {value!r}" for name, value in zip(columns, stratum, strict=True))


def largest_remainders(shares: Sequence[float], count: int) -> list[int]:
    """Whole numbers that add up to `count`, as near to the shares as they can be.

    Of equal remainders the first is rounded up.

    >>> largest_remainders([0.5, 0.25, 0.25], 7)
    [3, 2, 2]
    """
    exact = np.array(shares) * count / np.sum(shares)
    whole = np.floor(exact).astype(int)
    order = np.argsort(-(exact - whole).round(9), kind="stable")
    whole[order[: count - whole.sum()]] += 1
    found: list[int] = whole.tolist()
    return found
