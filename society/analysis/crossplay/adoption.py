"""Contracts and mediators: how good they are, who proposed and joined them, when they held.

They are voted on once, or anew in every game, as mechanisms are stacked: a ballot holds from the
first round after it until the next one.

Under a contract that all have signed everybody may cooperate, under a mediator delegate, if it then
cooperates for all. A design is good if that is a best action whatever the others do (it is weakly
dominant), or at least if all others do the same (a Nash equilibrium), and if everybody then gets
more than in the equilibrium without it. Gains of up to 1e-9 points are none. Capable minds
(society.components.games.mechanism_use) sign contracts that are dominant and better, and delegate
to mediators that are stable and better.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from society.analysis.study.frames import LongForm
from society.engine.rng import Array
from society.runs.structure import GameNote

from .cell import GameCell
from .game_decisions import BALLOTS
from .match_tables import match_agent_columns

_DESIGNED = {"contracts": "contract", "mediation": "mediator"}
_TOLERANCE = 1e-9  # points


class JudgedDesign(NamedTuple):
    """A design of one type for one seat, from 1; fields: as it was given, None if unreadable.

    repetition: of the tournament, from 1; those of the first hold for all if there are no others.
    dominant, stable: whether to cooperate, or to delegate, is so; better: whether everybody then
    gets more than without it. None where that is not known.
    """

    type: str
    repetition: int
    seat: int
    sort: str
    fields: Mapping[str, Any] | None
    dominant: bool | None
    stable: bool | None
    better: bool | None


def designs(cell: GameCell) -> list[JudgedDesign]:
    """List designs that were made before all matches, and given to a mechanism."""
    return list(_designs(cell))


def _designs(cell: GameCell) -> Iterator[JudgedDesign]:
    for sort, by_type in _designs_given(cell.run.manifest.spec):
        for who, own in by_type.items():
            for number, fields in enumerate(own):
                repetition, seat = divmod(number, cell.game.players)
                judged = judge_design(cell.game, sort, fields)
                yield JudgedDesign(who, repetition + 1, seat + 1, sort, fields, *judged)


def _designs_given(spec: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Return the designs by type of each mechanism that has some, given or made before the run."""
    made = spec.get("drafts", {})
    for part in spec["mechanisms"]:
        for name, given in part.items():
            own = given.get("designs") or made.get(name, {}).get("designs")
            if name in _DESIGNED and own:
                yield _DESIGNED[name], own


class DesignVerdict(NamedTuple):
    """The verdict on a design, as in `JudgedDesign`."""

    dominant: bool | None
    stable: bool | None
    better: bool | None


def judge_design(game: GameNote, sort: str, fields: Mapping[str, Any] | None) -> DesignVerdict:
    """Judge how good a contract or a mediator is in a game."""
    if fields is None or game.table is None or game.cooperation is None:
        return DesignVerdict(None, None, None)
    if sort == "mediator":
        payoffs = mediator_payoffs(game, fields)
        profile = tuple(len(labels) for labels in game.actions)
        if mediated_profile(game, fields) != game.cooperation:
            return DesignVerdict(False, False, False)
    else:
        payoffs, profile = contract_payoffs(game, fields), game.cooperation
    better = None
    if game.equilibrial is not None:
        then = [own[profile] for own in payoffs]
        better = bool((np.subtract(then, game.equilibrial) > _TOLERANCE).all())
    return DesignVerdict(is_dominant(payoffs, profile), is_equilibrium(payoffs, profile), better)


def contract_payoffs(game: GameNote, fields: Mapping[str, Any]) -> Array:
    """Payoffs under a contract that all have signed, (n, A_1, ..., A_n)."""
    payoffs = _table(game).copy()
    for payee, labels in enumerate(game.actions):
        shape = [-1 if seat == payee else 1 for seat in range(game.players)]
        due = np.reshape([float(_field(fields, label, payee)) for label in labels], shape)
        for seat in range(game.players):
            payoffs[seat] += due if seat == payee else -due / (game.players - 1)
    return payoffs


def mediator_payoffs(game: GameNote, fields: Mapping[str, Any]) -> Array:
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


def mediated_profile(game: GameNote, fields: Mapping[str, Any]) -> tuple[int, ...]:
    """The profile that a mediator plays if all delegate."""
    return tuple(_chosen(game, fields, game.players))


def _chosen(game: GameNote, fields: Mapping[str, Any], count: int) -> list[int]:
    """Return the action of a mediator on each seat if `count` delegate; 0 if nobody does."""
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


def is_dominant(payoffs: Array, profile: tuple[int, ...]) -> bool:
    """Tell whether each player's action in a profile is a best one, whatever the others do."""
    return all(
        (own.max(seat) - own.take(action, axis=seat) <= _TOLERANCE).all()
        for seat, (own, action) in enumerate(zip(payoffs, profile, strict=True))
    )


def is_equilibrium(payoffs: Array, profile: tuple[int, ...]) -> bool:
    """Tell whether a profile is a Nash equilibrium."""
    for seat, own in enumerate(payoffs):
        at: list[Any] = list(profile)
        at[seat] = slice(None)
        if own[tuple(at)].max() - own[profile] > _TOLERANCE:
            return False
    return True


_AGREED = {"contract": "signs", "mediator": "delegated"}
_ACTIVE = {"contract": "active", "mediator": "count"}


def adoption_rows(cell: GameCell) -> Mapping[str, Array]:
    """Return one row for each ballot and agent in matches that count; see CrossPlay.adoption."""
    form = LongForm()
    for sort in agreement_kinds(cell):
        form.add(_adoption_of(cell, sort))
    return form.arrays()


def agreement_kinds(cell: GameCell) -> list[str]:
    """List which of contract and mediator a cell has."""
    return [sort for sort in BALLOTS if f"{sort}_proposer" in cell.decisions.facts]


def _adoption_of(cell: GameCell, sort: str) -> dict[str, Array]:
    """Return the rows of one sort, of the agents who could vote on proposals."""
    made = cell.decisions
    facts = {name.removeprefix(f"{sort}_"): values for name, values in made.facts.items()}
    proposer = facts["proposer"]  # its seat in the match, from 1; NaN: played under other rules
    some = np.flatnonzero((proposer >= 0) & ~cell.void[made.replicate])
    _, ballot = np.unique(made.ballots[sort][some], return_inverse=True)
    keys = ballot * cell.types.size + cell.agents[some]
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    held = some[first]  # the first round of each ballot and agent
    size = np.bincount(group)
    proposed = proposer[held] > 0

    def share(name: str) -> Array:
        """Return the share of the rounds of each ballot in which a fact was not 0."""
        return np.bincount(group, facts[name][some] > 0) / size

    def known(values: Array) -> Array:
        return np.where(proposed, values, np.nan)

    return {
        **match_agent_columns(cell, made.replicate[held], made.agent[held], made.seat[held]),
        "mechanism": np.full(len(held), sort, object),
        "ballot": ballot[first] + 1,
        "winner": _winners(cell, held, proposer[held]),
        "approvals": known(facts["approvals"][held]),
        "unanimous": known(facts["unanimous"][held]),
        "agreed": known(share(_AGREED[sort])),
        "active": share(_ACTIVE[sort]),
    }


def _winners(cell: GameCell, held: Array, proposer: Array) -> Array:
    """Return the type of the agent whose proposal won, (rows,); None if there was no proposal."""
    made, others = cell.decisions, cell.co_players[held]
    ahead = made.seat[held] - (proposer - 1)  # co-players stand in order of seat, without oneself
    at = np.clip(proposer.astype(int) - 1 - (ahead < 0), 0, others.shape[1] - 1)
    theirs = np.take_along_axis(others, at[:, None], 1)[:, 0]
    agent = np.where(ahead == 0, made.agent[held], theirs)
    number = np.where(proposer > 0, cell.types[made.replicate[held], agent], -1)
    return np.array([*cell.names, None], object)[number]


class AdoptionShares(NamedTuple):
    """How agreements of one sort were taken up by a type, or by "all"; None: it had no chance to.

    unanimous: the winner was approved by all; won: the type's own proposal won; agreed: it signed,
    or the share of its moves that it delegated; active: the agreement was in force. seats: that it
    had in ballots; proposals: those of them in which anything was proposed.
    """

    type: str
    unanimous: float | None
    won: float | None
    agreed: float | None
    active: float | None
    seats: int
    proposals: int


def adoption_shares(cells: Sequence[GameCell], sort: str) -> list[AdoptionShares]:
    """Average the ballots of some cells of the same types: over all, then for each type."""
    blocks = [adoption_rows(cell) for cell in cells]
    facts = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    of_sort = facts["mechanism"] == sort
    proposed = of_sort & ~np.isnan(facts["approvals"])
    winners = facts["winner"][proposed]
    found = []
    for one in ("all", *cells[0].names):
        some = of_sort & ((facts["type"] == one) | (one == "all"))
        had = some & proposed
        shares = (
            _share_of(facts["unanimous"][had]),
            None if one == "all" else _share_of(winners == one),
            _share_of(facts["agreed"][had]),
            _share_of(facts["active"][some]),
        )
        found.append(AdoptionShares(one, *shares, int(some.sum()), int(had.sum())))
    return found


def _share_of(values: Array) -> float | None:
    return float(values.mean()) if values.size else None
