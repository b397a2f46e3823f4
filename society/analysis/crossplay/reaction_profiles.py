"""Reactions of types to what they and their co-players did: cooperation after CC, CD, DC and DD.

Only of games in which everybody has two actions, one of which the game calls cooperation. A context
is the agent's own last action, and how many of its co-players cooperated when they last moved, in
any match: with one co-player CC, CD, DC, DD, own action first. Each move has the same weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from society.engine.rng import Array
from society.runs.structure import GameNote

from .action_frequencies import latest_of_pair
from .cell import GameCell

FIRST_MOVE = "first move"


class ReactionProfile(NamedTuple):
    """The probability of cooperation that K types submit in C contexts, and over how many moves.

    cooperation: (K, C), NaN where a context never came. moves: (K, C).
    """

    contexts: Sequence[str]
    cooperation: Array
    moves: Array

    @classmethod
    def of(cls, cells: Sequence[GameCell]) -> Self | None:
        """Read cells of one game; None for other games, and where nothing was seen."""
        game = cells[0].game
        if cooperative_labels(game) is None:
            return None
        size = len(cells[0].names), 1 + 2 * game.players
        sums, moves = np.zeros(size), np.zeros(size, int)
        for cell in cells:
            type_of, context, gave = _contexts(cell)
            np.add.at(sums, (type_of, context), gave)
            np.add.at(moves, (type_of, context), 1)
        if not moves[:, 1:].any():
            return None
        return cls(context_names(game.players), sums / np.where(moves, moves, np.nan), moves)


def cooperative_labels(game: GameNote) -> Sequence[str] | None:
    """Return each seat's label of cooperation; None unless everybody has two actions."""
    if game.cooperation is None or any(len(own) != 2 for own in game.actions):
        return None
    return [own[at] for own, at in zip(game.actions, game.cooperation, strict=True)]


def cooperation_submitted(cell: GameCell) -> Array:
    """Return the probability of cooperation of each move, (m,); of a game with such labels."""
    made, labels = cell.decisions, cooperative_labels(cell.game) or ()
    nothing = np.full(len(made), np.nan)
    by_seat = np.stack([made.submitted.get(label, nothing) for label in labels])
    submitted: Array = by_seat[made.seat, np.arange(len(made))]
    return submitted


def context_names(players: int) -> list[str]:
    """Name the contexts of a game, the first move before them.

    >>> context_names(2)
    ['first move', 'CC', 'CD', 'DC', 'DD']
    >>> context_names(3)[1:4]
    ['C, 2 of 2', 'C, 1 of 2', 'C, 0 of 2']
    """
    if players == 2:
        return [FIRST_MOVE, "CC", "CD", "DC", "DD"]
    counts = range(players - 1, -1, -1)
    return [FIRST_MOVE, *(f"{own}, {n} of {players - 1}" for own in "CD" for n in counts)]


def _contexts(cell: GameCell) -> tuple[Array, Array, Array]:
    """Return type, context and submitted cooperation of the moves that count, (m,) each."""
    made, players = cell.decisions, cell.game.players
    cooperative = np.array(cell.game.cooperation)[made.seat]
    own, others = latest_of_pair(cell, (made.action == cooperative).astype(int))
    new = (others < 0).any(1)
    defectors = players - 1 - np.where(others > 0, 1, 0).sum(1)
    context = np.where(new, 0, 1 + np.where(own == 1, 0, players) + defectors)
    gave = cooperation_submitted(cell)
    counts = ~cell.void[made.replicate] & ~np.isnan(gave) & (new | (own >= 0))
    type_of = cell.types[made.replicate, made.agent]
    return type_of[counts], context[counts], gave[counts]
