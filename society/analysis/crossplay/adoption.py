"""Contracts and mediators in matches: how good they are, who chose and joined them, when they held.

They are voted on once, or anew in every game, as mechanisms are stacked: a ballot holds from the
first round after it until the next one.

Under a contract that all have signed everybody may cooperate, under a mediator delegate, if it then
cooperates for all. A design is good if that is a best action whatever the others do (it is weakly
dominant), or at least if all others do the same (a Nash equilibrium), and if everybody then gets
more than in the equilibrium without it. Gains of up to 1e-9 points are none. Capable minds
(society.components.designs) sign contracts that are dominant and better, and delegate to mediators
that are stable and better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import Any, NamedTuple

import numpy as np

from society.draws import Array
from society.runs.rules import GameNote

from .cell import Cell
from .match_tables import places
from .matches import BALLOTS, Round

_DESIGNED = {"contracted": "contract", "mediated": "mediator"}
_TOLERANCE = 1e-9  # points


class Design(NamedTuple):
    """What one type designed for one seat, from 1; fields: as it was given, None if unreadable.

    dominant, stable: whether to cooperate, or to delegate, is so; better: whether everybody then
    gets more than without it. None where that is not known.
    """

    type: str
    seat: int
    sort: str
    fields: Mapping[str, Any] | None
    dominant: bool | None
    stable: bool | None
    better: bool | None


def designs(cell: Cell) -> list[Design]:
    """Those that were made once for all matches, and given to a mechanism."""
    return list(_designs(cell))


def _designs(cell: Cell) -> Iterator[Design]:
    for sort, by_type in _given(cell.run.manifest.spec):
        for who, own in by_type.items():
            for seat, fields in enumerate(own, 1):
                yield Design(who, seat, sort, fields, *judged(cell.game, sort, fields))


def _given(spec: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Designs by type, of each mechanism that has some, whether said or made before the run."""
    made = spec.get("drafts", {})
    for part in spec["mechanisms"]:
        for name, given in part.items():
            own = given.get("designs") or made.get(name, {}).get("designs")
            if name in _DESIGNED and own:
                yield _DESIGNED[name], own


class Verdict(NamedTuple):
    """As in `Design`."""

    dominant: bool | None
    stable: bool | None
    better: bool | None


def judged(game: GameNote, sort: str, fields: Mapping[str, Any] | None) -> Verdict:
    """How good a contract or a mediator is in a game."""
    if fields is None or game.table is None or game.cooperation is None:
        return Verdict(None, None, None)
    if sort == "mediator":
        payoffs = mediated(game, fields)
        profile = tuple(len(labels) for labels in game.actions)
        if played_for_all(game, fields) != game.cooperation:
            return Verdict(False, False, False)
    else:
        payoffs, profile = contracted(game, fields), game.cooperation
    better = None
    if game.equilibrial is not None:
        then = [own[profile] for own in payoffs]
        better = bool((np.subtract(then, game.equilibrial) > _TOLERANCE).all())
    return Verdict(dominant(payoffs, profile), stable(payoffs, profile), better)


def contracted(game: GameNote, fields: Mapping[str, Any]) -> Array:
    """Payoffs under a contract that all have signed, (n, A_1, ..., A_n)."""
    payoffs = _table(game).copy()
    for payee, labels in enumerate(game.actions):
        shape = [-1 if seat == payee else 1 for seat in range(game.players)]
        due = np.reshape([float(_field(fields, label, payee)) for label in labels], shape)
        for seat in range(game.players):
            payoffs[seat] += due if seat == payee else -due / (game.players - 1)
    return payoffs


def mediated(game: GameNote, fields: Mapping[str, Any]) -> Array:
    """Payoffs where delegating to a mediator is everybody's last action, (n, A_1 + 1, ...)."""
    sizes = [len(labels) + 1 for labels in game.actions]
    cells = np.moveaxis(_table(game), 0, -1)
    paid = np.empty((*sizes, game.players))
    for profile in product(*map(range, sizes)):
        gave = [action == size - 1 for action, size in zip(profile, sizes, strict=True)]
        chosen = _chosen(game, fields, sum(gave))
        done = np.where(gave, chosen, profile).tolist()
        paid[profile] = cells[tuple(done)]
    return np.moveaxis(paid, -1, 0)


def played_for_all(game: GameNote, fields: Mapping[str, Any]) -> tuple[int, ...]:
    """The profile that a mediator plays if all delegate."""
    return tuple(_chosen(game, fields, game.players))


def _chosen(game: GameNote, fields: Mapping[str, Any], count: int) -> list[int]:
    """What a mediator would play on each seat, if so many delegate; 0 if nobody does."""
    if not count:
        return [0] * game.players
    return [
        labels.index(_field(fields, str(count), seat)) for seat, labels in enumerate(game.actions)
    ]


def _table(game: GameNote) -> Array:
    assert game.table is not None
    return game.table


def _field(fields: Mapping[str, Any], name: str, seat: int) -> Any:
    """One entry of a design: the same for all seats, or that of a seat, from 0."""
    return fields[name] if name in fields else fields[f"{name}, seat {seat + 1}"]


def dominant(payoffs: Array, profile: tuple[int, ...]) -> bool:
    """Whether each player's action in a profile is a best one, whatever the others do."""
    return all(
        (own.max(seat) - own.take(action, axis=seat) <= _TOLERANCE).all()
        for seat, (own, action) in enumerate(zip(payoffs, profile, strict=True))
    )


def stable(payoffs: Array, profile: tuple[int, ...]) -> bool:
    """Whether a profile is a Nash equilibrium."""
    for seat, own in enumerate(payoffs):
        at: list[Any] = list(profile)
        at[seat] = slice(None)
        if own[tuple(at)].max() - own[profile] > _TOLERANCE:
            return False
    return True


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
