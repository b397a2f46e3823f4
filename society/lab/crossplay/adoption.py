"""Contracts and mediators in matches: whose was chosen, who agreed to it, when it was in force.

They are voted on once, or anew in every game, as mechanisms are stacked: a ballot holds from the
first round after it until the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

import numpy as np

from society.draws import Array

from .cell import Cell
from .rounds import BALLOTS, Round
from .rows import places

_AGREED = {"contract": "contract_signs", "mediator": "mediator_delegated"}
_ACTIVE = {"contract": "contract_active", "mediator": "mediator_count"}


def adopted(cell: Cell) -> Mapping[str, Array]:
    """One row for each ballot and agent, of what is not void; see CrossPlay.adoption."""
    blocks = [
        _adopted(cell, sort, number, told)
        for sort in sorts(cell)
        for number, told in _ballots(cell, sort)
    ]
    names = [*blocks[0]] if blocks else []
    return {name: np.concatenate([own[name] for own in blocks]) for name in names}


def sorts(cell: Cell) -> list[str]:
    """Which of contract and mediator a cell has."""
    known = {name for each in cell.rounds for name in each.facts}
    return [sort for sort in BALLOTS if f"{sort}_proposer" in known]


def _ballots(cell: Cell, sort: str) -> Iterator[tuple[int, Sequence[Round]]]:
    """Ballots from 1, and the rounds for which each holds."""
    told = [each for each in cell.rounds if f"{sort}_proposer" in each.facts]
    held = groupby(told, lambda each: each.ballots[sort])
    return ((number, [*own]) for number, (_, own) in enumerate(held, 1))


def _adopted(cell: Cell, sort: str, number: int, told: Sequence[Round]) -> dict[str, Array]:
    """Rows of one ballot: of those to whom there was something to vote on, or might have been."""
    facts = told[0].facts
    proposer = facts[f"{sort}_proposer"]
    some = (proposer >= 0) & ~cell.void[:, None]  # NaN: played under other rules
    approvals, unanimous = facts[f"{sort}_approvals"], facts[f"{sort}_unanimous"]
    return {
        **places(cell, some),
        "mechanism": np.full(int(some.sum()), sort, object),
        "ballot": np.full(int(some.sum()), number),
        "winner": _winners(cell, told[0], proposer)[some],
        **{
            name: np.where(proposer > 0, values, np.nan)[some]
            for name, values in (
                ("approvals", approvals),
                ("unanimous", unanimous),
                ("agreed", _mean(told, _AGREED[sort])),
            )
        },
        "active": _mean(told, _ACTIVE[sort])[some],
    }


def _mean(told: Sequence[Round], name: str) -> Array:
    """The share of rounds, of those in which somebody took part, in which a fact was not 0."""
    took = np.sum([each.took for each in told], axis=0)
    true = np.sum([each.took & (each.facts[name] > 0) for each in told], axis=0)
    share: Array = true / np.where(took, took, np.nan)
    return share


def _winners(cell: Cell, each: Round, proposer: Array) -> Array:
    """The type of whoever proposed what was chosen; None if nobody did; (R, N) of names.

    proposer: the seat in the match, from 1, so one of those who meet there.
    """
    own = np.broadcast_to(np.arange(cell.types.shape[1]), cell.types.shape)
    members = np.concatenate([own[..., None], cell.co_players(each)], axis=2)
    rows = np.arange(len(own)).reshape(-1, 1, 1)
    wins = each.seat[rows, members] == np.nan_to_num(proposer)[..., None] - 1
    winner = np.take_along_axis(members, wins.argmax(2)[..., None], 2)[..., 0]
    types = np.take_along_axis(cell.types, winner, 1)
    names = np.array([*cell.names, None], object)
    return names[np.where(proposer > 0, types, -1)]
