"""Rows of the tables of cross-play, of one cell each, in columns of one length."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from society.engine.rng import Array
from society.runs.agent_names import AgentNames

from .cell import GameCell

TableRows = Mapping[str, Array]
_TEXTS = ("who", "type", "opponents", "action", "others", "mechanism", "winner", "model")
UNITS = dict.fromkeys(_TEXTS, "name")


def match_rows(cell: GameCell) -> TableRows:
    """Return one row for each agent in each replicate; see CrossPlay.matches."""
    agents = cell.types.shape[1]
    replicate, agent = np.indices(cell.types.shape).reshape(2, -1)
    opponents = np.full(cell.types.size, None, object)
    if cell.matches == 1:
        pairs = zip(replicate.tolist(), agent.tolist(), strict=True)
        opponents[:] = [", ".join(cell.opposed(*pair)) for pair in pairs]
    return {
        **match_agent_columns(cell, replicate, agent, cell.seats.reshape(-1)),
        "repetition": np.repeat(cell.repetition, agents),
        "opponents": opponents,
        "void": np.repeat(cell.void, agents),
        "score": cell.scores.reshape(-1),
    }


def decision_rows(cell: GameCell) -> TableRows:
    """Return one row for each move; see CrossPlay.decisions."""
    made, actions = cell.decisions, cell.game.actions
    if not len(made):
        return {}
    labels = np.full((len(actions), max(map(len, actions))), None, object)
    for seat, own in enumerate(actions):
        labels[seat, : len(own)] = own
    nothing = np.full(len(made), np.nan)
    return {
        **match_agent_columns(cell, made.replicate, made.agent, made.seat),
        "round": made.round,
        "void": cell.void[made.replicate],
        "action": labels[made.seat, made.action],
        "others": _others(actions, made.seat, made.facts["others"]),
        "delegated": made.delegated,
        "payoff": made.facts["payoff"],
        **{f"p_{label}": made.submitted.get(label, nothing) for label in cell.labels},
    }


def match_agent_columns(
    cell: GameCell, replicate: Array, agent: Array, seat: Array
) -> dict[str, Array]:
    """Return the columns that say which agent a row is about; seat: from 0."""
    return {
        "replicate": replicate,
        "agent": agent,
        "who": AgentNames(cell.run.manifest).of_seats(replicate, agent),
        "type": np.array(cell.names, object)[cell.types[replicate, agent]],
        "seat": seat + 1,
    }


def _others(actions: tuple[tuple[str, ...], ...], seats: Array, others: Array) -> Array:
    """Name the actions of the co-players of each move; (m,), (m, n - 1) -> (m,).

    Whoever plays under other rules, and did nothing here (-1), is a dash.
    """
    sizes = [len(actions), *[max(map(len, actions)) + 1] * others.shape[1]]
    codes = np.ravel_multi_index((seats, *(others.T + 1)), sizes)
    distinct, place = np.unique(codes, return_inverse=True)
    names = np.empty(len(distinct), object)
    for number, (seat, *theirs) in enumerate(zip(*np.unravel_index(distinct, sizes), strict=True)):
        labels = [("-", *own) for other, own in enumerate(actions) if other != seat]
        names[number] = ", ".join(own[at] for own, at in zip(labels, theirs, strict=True))
    return names[place]
