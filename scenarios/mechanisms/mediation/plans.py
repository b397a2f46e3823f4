"""Mediators: what is done on behalf of those who delegate, by how many of them there are.

For the k of n players of a match who delegate, a mediator has (form `count`) one action that it
plays for all of them, or (form `seat`) an action for each seat. Of amounts in place of actions it
takes a share of the legal range, 0 being the least that is legal and 1 the most, that is linear
between a few shares of delegating players.
Source: Monderer and Tennenholtz 2009, Artificial Intelligence 173; Tewolde et al. 2026 (CoopEval),
section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

from society.engine.action_spaces import Choice, Real
from society.engine.rng import Array
from society.engine.script import common
from society.scenarios.games.game import Game
from society.scenarios.mechanisms.agreements.proposals import (
    Blueprint,
    Ground,
    Shape,
    bounded_move,
    interpolate,
    shared_labels,
)

MEDIATION = "mediation"


class Plans(NamedTuple):
    """The meaning of a mediator's numbers.

    done: returns the mediator's action for each delegate, (R, M, n), given mediators, (R, M, K),
    who delegates, and who was asked, (R, M, n) of bool each.
    """

    blueprint: Blueprint
    done: Callable[[Array, Array, Array], Array]


def _by_count(game: Game) -> Plans:
    """Return plans with one action for all who delegate."""
    labels = shared_labels(game, MEDIATION)
    names = [str(count) for count in range(1, game.players + 1)]
    neutral = dict.fromkeys(names, float(_usual(game)[0]))
    entries = dict.fromkeys(names, Choice(*labels))

    def done(mediator: Array, delegate: Array, asked: Array) -> Array:
        count = delegate.sum(-1, keepdims=True)
        action = np.take_along_axis(mediator, np.maximum(count - 1, 0), axis=-1)
        return np.broadcast_to(action, delegate.shape)

    return Plans(Blueprint("mediator", entries, neutral, {"mediator_by_seat": common(False)}), done)


def _by_seat(game: Game) -> Plans:
    """Return plans with an action for each seat."""
    usual, entries, neutral = _usual(game), {}, {}
    for count, (seat, labels) in product(range(1, game.players + 1), enumerate(game.actions)):
        name = f"{count}, seat {seat + 1}"
        entries[name], neutral[name] = Choice(*labels), float(usual[seat])

    def done(mediator: Array, delegate: Array, asked: Array) -> Array:
        players = delegate.shape[-1]
        count = np.maximum(delegate.sum(-1, keepdims=True) - 1, 0)
        return np.take_along_axis(mediator, count * players + np.arange(players), axis=-1)

    return Plans(Blueprint("mediator", entries, neutral, {"mediator_by_seat": common(True)}), done)


def _by_share(knots: int) -> Plans:
    """Return plans with a share of what is legal, by the share of those asked who delegate."""
    at = tuple((np.arange(1, knots + 1) / knots).tolist())
    names = [f"{share:g}" for share in at]
    entries, neutral = dict.fromkeys(names, Real(0, 1)), dict.fromkeys(names, 0.5)
    facts = {"mediator_by_seat": common(False), "mediator_at": common(np.array([[at]]))}

    def done(mediator: Array, delegate: Array, asked: Array) -> Array:
        share = delegate.sum(-1, keepdims=True) / np.maximum(asked.sum(-1, keepdims=True), 1)
        return np.broadcast_to(interpolate(at, mediator, share), delegate.shape)

    return Plans(Blueprint("mediator", entries, neutral, facts), done)


def _usual(game: Game) -> tuple[int, ...]:
    """Return the plan for a mediator that could not be read: the equilibrium of the game."""
    return game.equilibrium or (0,) * game.players


def mediator_plans(ground: Ground, form: Shape, knots: int) -> Plans:
    """Return the plans of mediators in this play; raises ScenarioError."""
    if ground.game is None:
        bounded_move(ground, MEDIATION, form)
        return _by_share(knots)
    return _by_count(ground.game) if form == "count" else _by_seat(ground.game)
