"""Rows of the frames of cross-play: what one cell adds to each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from society.draws import Array

from .cell import Cell
from .matches import Round

Rows = Mapping[str, Array]  # columns of one length


def matches(cell: Cell) -> Rows:
    """One for each agent in each replicate; see CrossPlay.matches."""
    replicates, agents = cell.types.shape
    alone = cell.matches == 1
    opponents = [
        ", ".join(cell.opposed(replicate, agent)) if alone else None
        for replicate in range(replicates)
        for agent in range(agents)
    ]
    return {
        **places(cell, np.ones(cell.types.shape, bool)),
        "repetition": np.repeat(cell.repetition, agents),
        "opponents": np.array(opponents, object),
        "void": np.repeat(cell.void, agents),
        "score": cell.scores.ravel(),
    }


def decisions(cell: Cell) -> Rows:
    """One for each move; see CrossPlay.decisions."""
    blocks = [_moves(cell, each) for each in cell.rounds]
    return {
        name: np.concatenate([own[name] for own in blocks])
        for name in dict.fromkeys(name for own in blocks for name in own)
    }


def places(cell: Cell, some: Array) -> dict[str, Array]:
    """Whom rows are about: those who are marked, (R, N) of bool."""
    replicate, agent = np.nonzero(some)
    names = np.array([*cell.names, None], object)
    return {
        "replicate": replicate,
        "agent": agent,
        "type": names[cell.types[some]],
        "seat": cell.seats[some] + 1,
    }


def _moves(cell: Cell, each: Round) -> dict[str, Array]:
    took, actions = each.took, cell.game.actions
    seats = each.seat[took]
    chosen = zip(seats.tolist(), each.action[took].tolist(), strict=True)
    met = zip(seats.tolist(), each.others[took].tolist(), strict=True)
    nothing = np.full(took.shape, np.nan)
    return {
        **places(cell, took),
        "round": np.full(int(took.sum()), each.number),
        "void": np.broadcast_to(cell.void[:, None], took.shape)[took],
        "action": np.array([actions[seat][own] for seat, own in chosen], object),
        "others": np.array([_others(actions, seat, theirs) for seat, theirs in met], object),
        "delegated": each.delegated[took],
        "payoff": each.facts["payoff"][took],
        **{f"p_{label}": each.submitted.get(label, nothing)[took] for label in cell.labels},
    }


def _others(actions: tuple[tuple[str, ...], ...], seat: int, theirs: list[int]) -> str:
    """In words, what the co-players of a seat did."""
    labels = [own for other, own in enumerate(actions) if other != seat]
    return ", ".join(own[action] for own, action in zip(labels, theirs, strict=True))
