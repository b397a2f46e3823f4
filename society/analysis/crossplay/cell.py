"""One cell of a study of cross-play: a game under some mechanisms, played by types of agents.

A match is a replicate, and types sit on its seats as the run says; where partners change, a
replicate is a population of several matches. The score of an agent is the sum over rounds of
weight x points. A replicate in which an answer could not be read is void, and has no scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from society.analysis.metagame import Matchups
from society.analysis.study.condition import ConditionRun
from society.analysis.study.details import read_pages
from society.engine.rng import Array
from society.engine.script import UNREAD
from society.errors import InputError, short_path
from society.runs.manifest import HOW_TO_RECORD
from society.runs.structure import GameNote

from .game_decisions import GameDecisions

# Mechanisms under which seats that were alike stay so, if they have no form by seat.
_EVEN = {"contracts", "cheap_talk", "peer_punishment", "peer_reward", "mediation", "repetition"}
_EVEN |= {"tournament", "baseline"}


def has_game_moves(run: ConditionRun) -> bool:
    """Tell whether a run is of a game in normal form, recorded with all moves."""
    return run.manifest.game is not None and run.manifest.level == "full"


@dataclass(frozen=True, eq=False)
class GameCell:
    """One cell of cross-play; R replicates, N agents, K types, n players of a match.

    types: the number of the type of each agent, (R, N). void: (R,) of bool. decisions: as far as it
    has been played.
    """

    run: ConditionRun
    game: GameNote
    types: Array
    void: Array
    decisions: GameDecisions

    @classmethod
    def read(cls, run: ConditionRun) -> Self:
        """Read a run file; raises InputError for another scenario, or level summary."""
        manifest = run.manifest
        if manifest.game is None:
            raise InputError(
                f"{short_path(run.path)} is of {manifest.scenario}, no game in normal form"
            )
        if manifest.level != "full":
            raise InputError(
                f"{short_path(run.path)} was recorded at level {manifest.level}, which does not "
                f"keep who earned what; {HOW_TO_RECORD}"
            )
        with run.opened() as file:
            void = np.zeros(manifest.replicates, bool)
            for record in file.records(lines=False):
                void[record.ends.get(UNREAD, [])] = True
            played = GameDecisions.read(read_pages(file))
        period = manifest.types
        types = period[np.arange(manifest.replicates) % len(period)]
        return cls(run, manifest.game, types, void, played)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the types."""
        return tuple(cohort.name for cohort in self.run.manifest.cohorts)

    @property
    def matches(self) -> int:
        """The number of matches that a replicate holds at a time."""
        return self.run.manifest.agents // self.game.players

    @property
    def labels(self) -> list[str]:
        """The labels that can be submitted: actions in order, then those that mechanisms add."""
        actions = (label for own in self.game.actions for label in own)
        return list(dict.fromkeys([*actions, *self.decisions.submitted]))

    @cached_property
    def seats(self) -> Array:
        """The seat of each agent in its game, from 0, (R, N)."""
        if self.decisions.first_seats is not None:
            return self.decisions.first_seats
        return np.broadcast_to(np.arange(self.types.shape[1]) % self.game.players, self.types.shape)

    @cached_property
    def scores(self) -> Array:
        """The score of each agent up to the last round played, (R, N); NaN where it is void."""
        if not len(self.decisions):
            return np.full(self.types.shape, np.nan)
        summed = np.bincount(self.agents, self.decisions.earned, self.types.size)
        scores: Array = summed.reshape(self.types.shape)
        scores[self.void] = np.nan
        return scores

    @cached_property
    def agents(self) -> Array:
        """The agent of each decision, numbered over all replicates, (m,)."""
        agents: Array = self.decisions.replicate * self.types.shape[1] + self.decisions.agent
        return agents

    @cached_property
    def continuation(self) -> float | None:
        """The probability of another game, where there is one."""
        probabilities = self.decisions.facts.get("continuation", np.empty(0))
        known = probabilities[~np.isnan(probabilities)]
        return float(known[0]) if known.size else None

    @cached_property
    def exchangeable(self) -> bool:
        """True if seats are alike in the game, and its mechanisms keep them so."""
        parts = [part for part in self.run.manifest.spec["mechanisms"] for part in part.items()]
        even = (name in _EVEN and given.get("form") != "seat" for name, given in parts)
        return self.game.symmetric and all(even)

    @property
    def repetition(self) -> Array:
        """The repetition of the same matches to which each replicate belongs, from 0, (R,)."""
        return np.arange(len(self.types)) // len(self.run.manifest.types)

    def matchups(self, replicates: Array | slice = slice(None)) -> Matchups:
        """Return seats and scores of the matches; only where a match is a replicate."""
        order = np.argsort(self.seats[replicates], axis=1)
        types = np.take_along_axis(self.types[replicates], order, 1)
        return Matchups(self.names, types, np.take_along_axis(self.scores[replicates], order, 1))

    @cached_property
    def co_players(self) -> Array:
        """The places of the co-players in each decision, in order of seat, (m, n - 1)."""
        fixed = self._together[self.decisions.replicate, self.decisions.agent]
        met = self.decisions.facts.get("opponents", fixed)
        return np.where(np.isnan(met), fixed, met).astype(int)

    @cached_property
    def _together(self) -> Array:
        """The co-players of each agent where partners do not change, (R, N, n - 1)."""
        n = self.game.players
        order = np.argsort(self.seats, axis=1, kind="stable")
        if self.matches > 1:  # agents in order are matches
            order = np.broadcast_to(np.arange(self.types.shape[1]), self.types.shape)
        together = order.reshape(len(order), -1, n)
        others = np.stack([np.delete(together, seat, axis=2) for seat in range(n)], axis=2)
        co_players = np.empty((*self.types.shape, n - 1), int)
        rows = np.arange(len(order))[:, None]
        co_players[rows, order] = others.reshape(*self.types.shape, n - 1)
        return co_players

    def by_type(self, values: Array, some: Array | bool = True) -> list[Array]:
        """Return the known values of marked agents for each type; (R, N) -> K times (n,)."""
        marked = ~np.isnan(values) & some
        return [values[marked & (self.types == number)] for number in range(len(self.names))]

    def opposed(self, replicate: int, agent: int) -> Sequence[str]:
        """The types of an agent's co-players in a match that is a replicate, in order of seat."""
        order = np.argsort(self.seats[replicate])
        return [self.names[self.types[replicate, j]] for j in order.tolist() if j != agent]
