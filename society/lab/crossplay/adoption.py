"""Contracts and mediators in matches: whose was chosen, who agreed to it, when it was in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from society.draws import Array

from .cell import Cell
from .rounds import Round
from .rows import places

SORTS = ("contract", "mediator")
_AGREED = {"contract": "contract_signs", "mediator": "mediator_delegated"}
_ACTIVE = {"contract": "contract_active", "mediator": "mediator_count"}


def adopted(cell: Cell) -> Mapping[str, Array]:
    """One row for each agent of a replicate that is not void; see CrossPlay.adoption."""
    blocks = [_adopted(cell, sort) for sort in sorts(cell)]
    names = [*blocks[0]] if blocks else []
    return {name: np.concatenate([own[name] for own in blocks]) for name in names}


def sorts(cell: Cell) -> list[str]:
    """Which of contract and mediator a cell has."""
    known = {name for each in cell.rounds for name in each.facts}
    return [sort for sort in SORTS if f"{sort}_proposer" in known]


def _adopted(cell: Cell, sort: str) -> dict[str, Array]:
    some = np.repeat(~cell.void[:, None], cell.types.shape[1], axis=1)
    told = [each for each in cell.rounds if f"{sort}_proposer" in each.facts]
    first = told[0].facts
    proposer = first[f"{sort}_proposer"]
    return {
        **places(cell, some),
        "mechanism": np.full(int(some.sum()), sort, object),
        "winner": _winners(cell, proposer)[some],
        "approvals": first[f"{sort}_approvals"][some],
        "unanimous": first[f"{sort}_unanimous"][some].astype(bool),
        "agreed": _mean(told, _AGREED[sort])[some],
        "active": _mean(told, _ACTIVE[sort])[some],
    }


def _mean(told: Sequence[Round], name: str) -> Array:
    """The share of rounds, of those in which somebody took part, in which a fact was not 0."""
    took = np.sum([each.took for each in told], axis=0)
    true = np.sum([each.took & (each.facts[name] > 0) for each in told], axis=0)
    share: Array = true / np.where(took, took, np.nan)
    return share


def _winners(cell: Cell, proposer: Array) -> Array:
    """The type of whoever proposed what was chosen; None if nobody did; (R, N) of names."""
    order = np.argsort(cell.seats, axis=1)
    at = np.take_along_axis(order, np.maximum(proposer.astype(int) - 1, 0), 1)
    names = np.array([*cell.names, None], object)
    types = np.take_along_axis(cell.types, at, 1)
    return names[np.where(proposer > 0, types, -1)]
