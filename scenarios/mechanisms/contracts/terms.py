"""Contracts: zero-sum payments for what everybody does.

A contract c names a payment for each action (form `count`: the same for all who play; `seat`: for
each seat its own). Where i does a_i, the other n - 1 pay it c(a_i) in equal parts, and where that
is negative it pays them:

    transfer_i = c(a_i) - sum over j != i of c(a_j) / (n - 1)

For amounts in place of actions c is linear between a few of them, evenly spaced. All transfers of a
match sum to 0; who has left neither pays nor is paid.
Source: Coase 1960, The Problem of Social Cost; Tewolde et al. 2026 (CoopEval), section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from society.engine.action_spaces import Real
from society.engine.rng import Array
from society.engine.script import Fact, common
from society.scenarios.games.game import Game
from society.scenarios.mechanisms.agreements.proposals import (
    Blueprint,
    Ground,
    Shape,
    bounded_move,
    interpolate,
    shared_labels,
)


class Terms(NamedTuple):
    """The meaning of a contract's numbers.

    due: returns c(a_i) for contracts, (R, M, K), and what all did, (R, M, n) -> (R, M, n).
    """

    blueprint: Blueprint
    due: Callable[[Array, Array], Array]


def _by_action(game: Game, form: Shape, bound: float) -> Terms:
    """Return terms with payments for the actions of a game."""
    if form == "count":
        names = list(shared_labels(game, "contracts"))
        first = np.zeros(game.players, np.intp)
    else:
        seats = enumerate(game.actions, 1)
        names = [f"{label}, seat {seat}" for seat, labels in seats for label in labels]
        first = np.cumsum((0, *game.sizes[:-1]))
    blueprint = _blueprint(names, bound, {"contract_by_seat": common(form == "seat")})
    return Terms(blueprint, lambda paid, did: np.take_along_axis(paid, first + did, axis=-1))


def _by_amount(move: Real, bound: float, knots: int) -> Terms:
    """Return terms with payments for amounts, linear between some of them."""
    at = tuple(np.linspace(move.low, move.high, knots).tolist())
    facts = {"contract_at": common(np.array([[at]]))}
    return Terms(
        _blueprint([f"{effort:g}" for effort in at], bound, facts), partial(interpolate, at)
    )


def _blueprint(names: Sequence[str], bound: float, more: Mapping[str, Fact]) -> Blueprint:
    """A contract that cannot be read pays nobody anything."""
    return Blueprint(
        "contract",
        dict.fromkeys(names, Real(-bound, bound)),
        dict.fromkeys(names, 0.0),
        {"contract_bound": common(bound), **more},
    )


def contract_terms(ground: Ground, form: Shape, bound: float, knots: int) -> Terms:
    """Return the terms of contracts in this play; raises ScenarioError."""
    if ground.game is not None:
        return _by_action(ground.game, form, bound)
    return _by_amount(bounded_move(ground, "contracts", form), bound, knots)


def net_transfers(due: Array, present: Array) -> Array:
    """Return the net receipts of all, from what the others owe to each; (..., n) each.

    >>> net_transfers(np.array([2.0, 2.0, -3.0]), np.array([True, True, True])).tolist()
    [2.5, 2.5, -5.0]
    """
    others = present.sum(-1, keepdims=True) - 1
    due = np.where(present & (others > 0), due, 0)
    from_others = (due.sum(-1, keepdims=True) - due) / np.maximum(others, 1)
    net: Array = np.where(present, due - from_others, 0)
    return net
