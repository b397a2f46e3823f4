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

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

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


class Terms(ABC):
    """The meaning of a contract's numbers."""

    blueprint: Blueprint

    @abstractmethod
    def due(self, contract: Array, did: Array) -> Array:
        """c(a_i): contracts, (R, M, K), and what all did, (R, M, n) -> (R, M, n)."""


class ByAction(Terms):
    """Payments for the actions of a game."""

    def __init__(self, game: Game, form: Shape, bound: float) -> None:
        if form == "count":
            names = list(shared_labels(game, "contracts"))
            self._first = np.zeros(game.players, np.intp)
        else:
            names = [
                f"{label}, seat {seat}"
                for seat, labels in enumerate(game.actions, 1)
                for label in labels
            ]
            self._first = np.cumsum((0, *game.sizes[:-1]))
        self.blueprint = _blueprint(names, bound, {"contract_by_seat": common(form == "seat")})

    def due(self, contract: Array, did: Array) -> Array:
        return np.take_along_axis(contract, self._first + did, axis=-1)


class ByAmount(Terms):
    """Payments for amounts, linear between some of them."""

    def __init__(self, move: Real, bound: float, knots: int) -> None:
        self._at = tuple(np.linspace(move.low, move.high, knots).tolist())
        at = {"contract_at": common(np.array([[self._at]]))}
        self.blueprint = _blueprint([f"{effort:g}" for effort in self._at], bound, at)

    def due(self, contract: Array, did: Array) -> Array:
        return interpolate(self._at, contract, did)


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
        return ByAction(ground.game, form, bound)
    return ByAmount(bounded_move(ground, "contracts", form), bound, knots)


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
