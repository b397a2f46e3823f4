"""Traces of the recipient for its donor: built by the game from what happened, never by agents.

    trace    what the recipient did when it last gave, and to whom; what that one did before that,
             when it last gave; and so on
    record   what the recipient itself did each time it gave, latest first
    review   what those who received from the recipient have written about it, latest first

Each entry is a deed: its sort (DEEDS), the share of what the actor owned then, the units, to whom
(the number of a life), and in which round. Who punishes gives nothing, so that the share is 0; it
is NaN where the actor had nothing, and where the entry is unknown. An entry is unknown to who sees
neither of the two on the graph `hear`, and so are those that follow it in a trace, since nobody can
say whose they are; with chance 1 - q all is unknown at once. Nothing of one game is known in the
next.

A trace is about others than its reader as long as it is short: with halves of h agents (schedules)
the reader itself may come first as entry 4 floor((h - 1) / 2) + 1, that is 9 for 12 agents, 5 for 6
and 8, and 1 for 2 and 4. Under `no-repeat` it never comes, and under `random` anywhere, even first:
who has just given to the reader may be its recipient.
Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 3; the record, the graph, q and the
reviews are ours (the latter named there as an open question).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.engine.environment import Environment
from society.engine.graph import NOBODY, Complete, Graph
from society.engine.rng import Array
from society.engine.script import Fact, own
from society.scenarios.donor.pairing import CHANCE_ID, DonorPairs

DEEDS = ("none", "gave", "had nothing", "punished", "unknown")
NONE, GAVE, HAD_NOTHING, PUNISHED, UNKNOWN = range(len(DEEDS))
_BLANK = (NONE, np.nan, 0.0, NOBODY, 0)
_ILLEGIBLE = (UNKNOWN, np.nan, np.nan, NOBODY, 0)
_PARTS = len(_BLANK)


class Deeds(NamedTuple):
    """Entries, (R, N, K) each: index into DEEDS, share, units, seat of whom it was done to, round.

    The first entry is the latest.
    """

    sort: Array
    share: Array
    units: Array
    to: Array
    when: Array

    @classmethod
    def of(cls, entries: Array) -> Deeds:
        """Read traces out of one array of numbers, (R, N, K, 5)."""
        sort, share, units, to, when = np.moveaxis(entries, 3, 0)
        return cls(sort.astype(np.int8), share, units, to.astype(int), when.astype(int))

    @property
    def entries(self) -> Array:
        """Pack traces into one array of numbers, (R, N, K, 5), which is moved as a whole."""
        return np.stack([part.astype(float) for part in self], axis=3)

    def facts(self, env: Environment) -> dict[str, Fact]:
        """Return the facts for donors; recipients of deeds go by the number of their lives."""
        row = self.to + np.arange(len(self.to))[:, None, None] * env.agents
        life = env.lives.reshape(-1).take(row, mode="clip")
        life = np.where(self.to == NOBODY, NOBODY, life)
        named = {"deed": self.sort, "share": self.share, "units": self.units, "to": life}
        return {f"trace_{name}": own(v) for name, v in (named | {"round": self.when}).items()}


def informed_agents(env: Environment) -> Array:
    """Tell who learns of its partner's past in this round, (R, N) of bool."""
    q = env.params.known
    if q == 1:
        return np.ones(env.present.shape, bool)
    learns: Array = env.draws(CHANCE_ID).uniform("known") < q
    return learns


class DonorTrace:
    """The knowledge of everybody's past, from the beginning of a game."""

    def __init__(self, env: Environment) -> None:
        self._env, self._medium = env, env.params.medium
        self._entries = blank_trace(env, env.params.trace if self._medium == "trace" else 0)

    def facts(self, pairs: DonorPairs, learns: Array) -> dict[str, Fact]:
        """Return the facts that donors get about recipients; learns: who gets any, (R, N)."""
        return self.shown(pairs, learns).facts(self._env)

    def add(self, pairs: DonorPairs, deeds: Deeds) -> None:
        """Record the deeds, (R, N, 1), of those who had a chance to give."""
        if self._medium == "record":
            # As many entries as there were rounds: a fixed number would tell how many there are.
            self._entries = np.concatenate([self._entries, blank_trace(self._env, 1)], axis=2)
        donor = np.flatnonzero(pairs.gives)
        before = pairs.row.reshape(-1)[donor] if self._medium == "trace" else donor
        new = deeds.entries.reshape(-1, _PARTS)
        old = self._entries.reshape(len(new), -1)
        longer = np.concatenate([new.take(donor, axis=0), old.take(before, axis=0)], axis=1)
        old[donor] = longer[:, : old.shape[1]]

    def shown(self, pairs: DonorPairs, learns: Array) -> Deeds:
        """Return the trace of each agent's partner; learns: who is shown any, (R, N)."""
        entries = pairs.other(self._entries, _BLANK)
        deeds = Deeds.of(entries)
        hidden = ~learns[..., None] | self._unheard(pairs, deeds)
        hidden &= deeds.sort != NONE
        if not hidden.any():
            return deeds
        entries[hidden] = _ILLEGIBLE
        return Deeds.of(entries)

    def _unheard(self, pairs: DonorPairs, deeds: Deeds) -> Array:
        """Tell which entries nobody could have told the reader, (R, N, K) of bool."""
        graph, chain = self._env.graph("hear"), self._medium == "trace"
        unheard = np.zeros(deeds.to.shape, bool)
        if isinstance(graph, Complete):
            return unheard
        done = deeds.sort != NONE
        sees_receiver = self._sees(graph, deeds.to, done)
        sees_doer = self._sees(graph, pairs.partner[..., None], done.any(axis=2, keepdims=True))
        if chain:  # who did the next deed is who received the one before it
            sees_doer = np.concatenate([sees_doer, sees_receiver[..., :-1]], axis=2)
        unheard[done] = ~(sees_doer | sees_receiver)[done]
        return np.logical_or.accumulate(unheard, axis=2) if chain else unheard

    def _sees(self, graph: Graph, others: Array, where: Array) -> Array:
        """Tell who is one of these, or sees it, (R, N, K) of bool; False elsewhere."""
        sees, at = np.zeros(where.shape, bool), np.flatnonzero(where)
        node, witness = at // where.shape[2], others.reshape(-1)[at]
        oneself = witness == node % self._env.agents
        sees.reshape(-1)[at] = oneself | graph.connects(node, witness)
        return sees


def blank_trace(env: Environment, length: int) -> Array:
    """Make `length` entries for each agent, blank because nothing was done, (R, N, K, 5)."""
    return np.full((*env.present.shape, length, _PARTS), _BLANK)
