"""The past that agents are shown where partners change, as strategies read it.

Shown is a tree of rounds, all alike for everybody: first the reader's own ones, then those of each
co-player, newest first; below a round, for each co-player in it, that one's rounds before
(society.scenarios.mechanisms.reputation.reputation). A round is known by its entry in arrays (M,
K).

By the norm of standing everybody is good at first, and bad for good after a round in which it
defected though all its co-players were good. What is not shown is taken to have been well, and so
is a round in which somebody took no part (an action below 0).
Source of the norm: Tewolde et al. 2026 (CoopEval), appendix D, after Sugden 1986.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from society.engine.rng import Array


class ShownMoves(NamedTuple):
    """The past, (M,) of bool each.

    kind: no co-player defected in its last round; kind_before: nor in the one before that. clean:
    no defection is shown. standing: all co-players are good. own_standing: and so is the reader.
    """

    kind: Array
    kind_before: Array
    clean: Array
    standing: Array
    own_standing: Array


def observed_moves(facts: Mapping[str, Array], rules: Any) -> ShownMoves:
    """Read the facts of a question about a game with cooperation."""
    wanted, seat = np.array(rules.cooperation), facts["past_seat"] - 1
    action, with_action = facts["past_action"], facts["past_with_action"]
    cooperated = (action == wanted[seat]) | (action < 0)
    expected = np.stack([np.delete(wanted, one) for one in range(len(wanted))])[seat]
    others = with_action.reshape(expected.shape)
    tree = Tree(facts["past_depth"][0].tolist(), rules.players, cooperated)
    own, *roots = tree.split(1, range(len(tree.depth)), rules.players)
    well, standing = np.ones(len(seat), bool), ~tree.lost(roots)
    return ShownMoves(
        np.logical_and.reduce([cooperated[:, root[0]] for root in roots]),
        np.logical_and.reduce([well, *(cooperated[:, root[1]] for root in roots if root[1:])]),
        cooperated.all(1) & ((others == expected) | (others < 0)).all((1, 2)),
        standing,
        standing & ~tree.lost([own]),
    )


class Tree(NamedTuple):
    """depth: of each entry, from 1. cooperated: whether whose round it is did, (M, K) of bool."""

    depth: list[int]
    players: int
    cooperated: Array

    def split(self, depth: int, among: Sequence[int], parts: int) -> list[list[int]]:
        """The entries of one depth, as many for each agent whose rounds they are."""
        entries = [entry for entry in among if self.depth[entry] == depth]
        size = len(entries) // parts
        return [entries[part * size : (part + 1) * size] for part in range(parts)]

    def below(self, entry: int) -> list[list[int]]:
        """The earlier rounds of each co-player in a round."""
        depth, rest = self.depth[entry], range(entry + 1, len(self.depth))
        end = next((later for later in rest if self.depth[later] <= depth), len(self.depth))
        return self.split(depth + 1, range(entry + 1, end), self.players - 1)

    def lost(self, histories: Sequence[Sequence[int]]) -> Array:
        """Tell who has lost its standing, given the histories of all, (M,) of bool."""
        bad: Array = np.zeros(len(self.cooperated), bool)
        for history in histories:
            for entry in history:
                bad |= ~self.cooperated[:, entry] & ~self.lost(self.below(entry))
        return bad
