"""How the types of a tournament fare: scores, against whom, and what selection would make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from society.analysis.crossplay.cell import GameCell
from society.analysis.crossplay.scoreboard import scores_with
from society.analysis.metagame.dynamics import replicator_dynamics
from society.analysis.metagame.payoffs import metagame_gap, payoff_tensor
from society.analysis.statistics.samples import NotEstimable
from society.analysis.study.condition import ConditionRun
from society.engine.rng import Array
from society.runs.design_runs import is_drafting
from society.runs.manifest import Manifest
from society.runs.match_names import MatchNames, has_matches

from .history import History

_MOST_PAYOFFS = 200_000  # entries of the game among types


class MatchCourse(NamedTuple):
    """A match, seat by seat.

    types: on its seats. rounds: their numbers, (T,). actions: what each seat did, (T, n), -1 for
    nothing. scores: (n,), NaN if the match is void.
    """

    types: tuple[str, ...]
    rounds: Array
    actions: Array
    scores: Array


class SharesUnderSelection(NamedTuple):
    """Shares of types under selection from equal shares, (S, K); missing: why there are none."""

    shares: Array
    missing: str = ""


@dataclass(frozen=True, eq=False)
class TypeStandings:
    """The scores of K types. score: (K,). met: beside each type, (K, K); None in one society."""

    cell: GameCell
    score: Array
    met: Array | None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the types."""
        return self.cell.names

    @cached_property
    def ranking(self) -> Array:
        """The types from the highest score to the lowest; those without one come last."""
        return np.argsort(np.where(np.isnan(self.score), np.inf, -self.score), kind="stable")

    @cached_property
    def cooperation(self) -> Array:
        """The share of moves of each type that cooperate, (K,); NaN if the game has no such."""
        game, made = self.cell.game, self.cell.decisions
        if game.cooperation is None or not len(made):
            return np.full(len(self.names), np.nan)
        kind = made.action == np.array(game.cooperation)[made.seat]
        types = self.cell.types[made.replicate, made.agent]
        counts = ~self.cell.void[made.replicate]
        total = np.bincount(types[counts], kind[counts], len(self.names))
        moves = np.bincount(types[counts], minlength=len(self.names))
        share: Array = total / np.where(moves, moves, np.nan)
        return share

    @cached_property
    def selection(self) -> SharesUnderSelection:
        """The shares of types under replicator dynamics, if the game among them is known."""
        gap = metagame_gap(self.cell.matches)
        if gap is None and len(self.names) ** self.cell.game.players > _MOST_PAYOFFS:
            gap = "not computed: the game among types is too large"
        if gap is not None:
            return SharesUnderSelection(np.empty((0, len(self.names))), gap)
        try:
            tensor = payoff_tensor(self.cell.matchups(), exchangeable=self.cell.exchangeable)
        except NotEstimable as error:
            return SharesUnderSelection(np.empty((0, len(self.names))), str(error))
        return SharesUnderSelection(replicator_dynamics(tensor).history)

    def replicates_of(self, row: int, column: int) -> list[int]:
        """List the matches of two types, each a replicate; those with the first on seat 1 first.

        None where a replicate holds several matches at a time, whose partners change.
        """
        types = self.cell.types
        if self.cell.matches > 1:
            return []
        both = [
            replicate
            for replicate in range(len(types))
            if (row in types[replicate] and column in types[replicate])
            and (row != column or (types[replicate] == row).sum() > 1)
        ]
        return sorted(both, key=lambda replicate: (types[replicate][0] != row, replicate))

    def course(self, replicate: int) -> MatchCourse:
        """Return what happened in a match."""
        made = self.cell.decisions
        rows = np.flatnonzero(made.replicate == replicate)
        agents = self.cell.types.shape[1]
        rounds = np.unique(made.round[rows])
        at = np.searchsorted(rounds, made.round[rows]), made.agent[rows]
        actions = np.full((len(rounds), agents), -1)
        actions[at] = made.action[rows]
        order = np.argsort(self.cell.seats[replicate], kind="stable")
        names = tuple(self.names[self.cell.types[replicate, agent]] for agent in order.tolist())
        return MatchCourse(names, rounds, actions[:, order], self.cell.scores[replicate, order])


def has_types(manifest: Manifest) -> bool:
    """Check if types of agents meet in a game, with all moves kept; not if they make designs."""
    kept = manifest.level == "full" and manifest.game is not None
    drafting = is_drafting(manifest.spec.get("mechanisms", ()))
    return kept and len(manifest.cohorts) > 1 and not drafting


def read_standings(history: History) -> TypeStandings:
    """Read the scores of a run of types, once for as far as it has come."""
    return _read(history, history.last)


@lru_cache(4)
def _read(history: History, last: int) -> TypeStandings:  # last: a run may go on
    path = history.run.path
    cell = GameCell.read(ConditionRun.read(path, path.stem, {}))
    means = [float(own.mean()) if own.size else np.nan for own in cell.by_type(cell.scores)]
    met = scores_with(cell) if cell.matches == 1 else None
    return TypeStandings(cell, np.array(means), met)


def option_for(manifest: Manifest, replicate: int) -> str:
    """Return the option that opens a replicate: --match patient-rogue:2, or --replicate 3."""
    if not has_matches(manifest):
        return f"--replicate {replicate}"
    match = MatchNames(manifest)[replicate]
    which = f":{match.repetition}" if match.repetitions > 1 else ""
    return f"--match {match.key}{which}"


def action_signs(labels: Sequence[Sequence[str]], cooperation: Sequence[int] | None) -> list[str]:
    """Return one sign for each action: C and D where one of two cooperates, else from its label.

    >>> action_signs([("A0", "A1"), ("A0", "A1")], (0, 0))
    ['C', 'D']
    >>> action_signs([("A0", "A1", "A2")], None)
    ['0', '1', '2']
    """
    own = max(labels, key=len)
    alike = all(tuple(each) == tuple(own) for each in labels)
    if cooperation is not None and alike and len(own) == 2 and len(set(cooperation)) == 1:
        return ["C" if place == cooperation[0] else "D" for place in range(2)]
    ends = [label[-1:] for label in own]
    if len(set(ends)) == len(ends) and all(end.isascii() and end.isalnum() for end in ends):
        return ends
    return [_SIGNS[place] if place < len(_SIGNS) else "?" for place in range(len(own))]


_SIGNS = "abcdefghijklmnopqrstuvwxyz"
