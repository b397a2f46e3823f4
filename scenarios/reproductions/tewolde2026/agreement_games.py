"""Mediators and contracts as games of several stages, with a deviation at every decision point.

Everybody proposes a design, approves of any of the n proposals, and the winner is drawn among those
with most approvals. Then the game is played once under the winner. A profile a is better for all
than an equilibrium s*; the strategies are

    mediation   propose the design that plays a if all delegate and s* for those who do if not all
                do, approve of it alone, delegate if it has won, play s* if another one has
    contract    propose the design that pays whoever plays its part of a so much by all others that
                this dominates, approve of it alone, sign it alone, play a under it, s* otherwise

No stage is played twice, so no continuation probability is needed. There is one decision point that
the second strategy does not fit: if all have signed another contract, s* need be no equilibrium of
the game that it makes. `mended` plays one there (ours).
Source: Tewolde et al. 2026 (CoopEval), section 3 and appendix D; Monderer and Tennenholtz 2009.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array
from society.scenarios.games.game import Game, NormalForm, Profile


class Deviation(NamedTuple):
    """The gain of a player, in points, from deviating once, and from then on keeping to its plan.

    where: stage and what has happened before. player: its seat, counted from 0.
    """

    where: str
    player: int
    gain: float


def mediator_deviations(game: Game, target: Profile, fallback: Profile) -> Iterator[Deviation]:
    """Every deviation, if anybody may propose any mediator of the form `count`.

    A mediator names one action for all who delegate, by how many do; target and fallback have the
    same action for everybody.
    """
    designs = list(product(range(min(game.sizes)), repeat=game.players))
    best = designs.index((*[fallback[0]] * (game.players - 1), target[0]))
    worth = _worth(game, [target if at == best else fallback for at in range(len(designs))])
    for at, design in enumerate(designs):
        active = game_under_mediator(game, design)
        planned = game.sizes if at == best else fallback  # to delegate is the last action
        yield from _played(active, planned, f"play under the mediator {design}")
    yield from _agreed(game.players, best, worth)


def game_under_mediator(game: Game, design: Sequence[int]) -> NormalForm:
    """The game under a mediator: to delegate to it is the last action of everybody."""
    profiles = np.moveaxis(np.indices([size + 1 for size in game.sizes]), 0, -1)
    delegating = profiles == np.array(game.sizes)
    chosen = np.array([0, *design])[delegating.sum(-1, keepdims=True)]
    labels = tuple((*own, "delegate") for own in game.actions)
    return NormalForm(game.paid(np.where(delegating, chosen, profiles)), labels)


def contract_deviations(
    game: Game, target: Profile, fallback: Profile, *, mended: bool = False
) -> Iterator[Deviation]:
    """Every deviation, if anybody may propose a few contracts of the form `count`.

    Proposed may be the strategy's own contract, none, twice and the opposite of it, and what pays
    for the fallback instead; target and fallback have the same action for everybody.
    """
    designs = _contracts(game, target, fallback)
    worth = _worth(game, [target, *[fallback] * (len(designs) - 1)])
    refused = worth[-1]
    for at, design in enumerate(designs):
        active = game_under_contract(game, design)
        planned = target if at == 0 else fallback
        if mended and at:
            planned = next(active.equilibria())
        yield from _played(active, planned, f"play when all have signed {design.tolist()}")
        # Whoever alone signs what the others reject changes nothing.
        for seat, gain in enumerate((refused - worth[at]).tolist()):
            yield Deviation(f"sign {design.tolist()}, or not", seat, gain)
    yield from _played(game, fallback, "play when not all have signed")
    yield from _agreed(game.players, 0, worth)


def refusal_deviations(game: Game, target: Profile, fallback: Profile) -> Iterator[Deviation]:
    """Every deviation, if nobody delegates or signs, whatever has been proposed and has won.

    So proposals, votes and a signature of one's own change nothing. If all have signed all the
    same, an equilibrium of the game that their contract makes is played. Designs are those that may
    be proposed above.
    """
    for mediator in product(range(min(game.sizes)), repeat=game.players):
        where = f"play under the mediator {mediator}"
        yield from _played(game_under_mediator(game, mediator), fallback, where)
    for contract in _contracts(game, target, fallback):
        active = game_under_contract(game, contract)
        where = f"play when all have signed {contract.tolist()}"
        yield from _played(active, next(active.equilibria()), where)
    yield from _played(game, fallback, "play when not all have signed")


def _contracts(game: Game, target: Profile, fallback: Profile) -> list[Array]:
    """A few contracts, of which the first makes the target dominant."""
    best = dominating_payments(game, target)
    return [best, 0 * best, 2 * best, -best, np.roll(best, fallback[0] - target[0])]


def _worth(game: Game, outcomes: Sequence[Profile]) -> Array:
    """Return the value of designs to everybody, (D, n), by what is played if they win."""
    return game.paid(np.array(outcomes))


def dominating_payments(game: Game, target: Profile) -> Array:
    """Return the payments of the others for each action, (A,), that make the target dominant."""
    most = max(float(table.max() - table.min()) for table in game.payoffs) + 1
    paid: Array = np.zeros(game.sizes[0])
    paid[target[0]] = most * (game.players - 1)
    return paid


def game_under_contract(game: Game, design: Array) -> NormalForm:
    """The game under a contract that all have signed: who gets c gets it from all others alike."""
    profiles = np.moveaxis(np.indices(game.sizes), 0, -1)
    gets = design[profiles]
    pays = (gets.sum(-1, keepdims=True) - gets) / (game.players - 1)
    return NormalForm(game.paid(profiles) + gets - pays, game.actions)


def _played(game: Game, planned: Profile, where: str) -> Iterator[Deviation]:
    """Deviations where all choose once, and nothing follows."""
    for seat, table in enumerate(game.payoffs):
        for action in range(game.sizes[seat]):
            other = (*planned[:seat], action, *planned[seat + 1 :])
            yield Deviation(where, seat, float(table[other] - table[planned]))


def _agreed(players: int, best: int, worth: Array) -> Iterator[Deviation]:
    """Deviations in voting and in proposing; worth: (D, n), of each design if it wins."""
    for proposed in product(range(len(worth)), repeat=players):
        ideal = [[design == best for design in proposed]] * players
        planned = _drawn(proposed, ideal, worth)
        for seat, votes in product(range(players), product((False, True), repeat=players)):
            cast = [*ideal[:seat], list(votes), *ideal[seat + 1 :]]
            gain = _drawn(proposed, cast, worth)[seat] - planned[seat]
            yield Deviation(f"vote on the proposals {proposed}", seat, float(gain))
    for seat, design in product(range(players), range(len(worth))):
        proposed = (*[best] * seat, design, *[best] * (players - seat - 1))
        ideal = [[one == best for one in proposed]] * players
        gain = _drawn(proposed, ideal, worth)[seat] - worth[best][seat]
        yield Deviation("propose", seat, float(gain))


def _drawn(proposed: Sequence[int], votes: Sequence[Sequence[bool]], worth: Array) -> Array:
    """Return the value of a ballot to each player; ties are broken by an even chance."""
    approvals = np.sum(votes, axis=0)
    winners: list[int] = np.flatnonzero(approvals == approvals.max()).tolist()
    mean: Array = worth[[proposed[winner] for winner in winners]].mean(0)
    return mean
