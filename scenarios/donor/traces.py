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
from society.engine.observations import read_only
from society.engine.rng import Array
from society.engine.script import Fact, own
from society.scenarios.donor.pairing import CHANCE_ID, DonorPairs

DEEDS = ("none", "gave", "had nothing", "punished", "unknown")
NONE, GAVE, HAD_NOTHING, PUNISHED, UNKNOWN = range(len(DEEDS))
_BLANK = (NONE, np.nan, 0.0, NOBODY, 0)
_ILLEGIBLE = (UNKNOWN, np.nan, np.nan, NOBODY, 0)
_DTYPES = (np.int8, float, float, np.int64, np.int64)
_BLANK_AT, _ILLEGIBLE_AT, _FIRST_AT = range(3)  # places in a log
_ROUNDS, _DEEDS = 32, 2**20  # for which a log has room, beyond what may be shown


class Deeds(NamedTuple):
    """Deeds, of any shape: index into DEEDS, share, units, life of whom it was done to, round.

    In a trace, (R, N, K) each, the first entry is the latest.
    """

    sort: Array
    share: Array
    units: Array
    to: Array
    when: Array

    def facts(self) -> dict[str, Fact]:
        """Return the facts for donors."""
        named = {"deed": self.sort, "share": self.share, "units": self.units, "to": self.to}
        return {f"trace_{name}": own(v) for name, v in (named | {"round": self.when}).items()}


def informed_agents(env: Environment) -> Array:
    """Tell who learns of its partner's past in this round, (R, N) of bool."""
    q = env.params.known
    if q == 1:
        return np.ones(env.present.shape, bool)
    learns: Array = env.draws(CHANCE_ID).uniform("known") < q
    return learns


class _DeedLog:
    """Deeds one after the other, each with the place of the deed that precedes it in a trace.

    The first two are no deeds: a blank, which precedes all, and an illegible one. deeds: (L,) each.
    seat: of whom it was done to. before: places.
    """

    def __init__(self, room: int) -> None:
        # Room that is not used yet takes no memory.
        self.deeds = Deeds(*(np.empty(_FIRST_AT + room, of) for of in _DTYPES))
        self.seat, self.before = (np.empty(_FIRST_AT + room, np.int64) for _ in range(2))
        self.size = _FIRST_AT
        for part, *values in zip(self.deeds, _BLANK, _ILLEGIBLE, strict=True):
            part[:_FIRST_AT] = values
        self.seat[:_FIRST_AT], self.before[:_FIRST_AT] = NOBODY, _BLANK_AT

    def add(self, deeds: Deeds, seat: Array, before: Array) -> Array:
        """Add deeds, of any one shape; returns their places, flat, (L,)."""
        start, self.size = self.size, self.size + seat.size
        own, new = (*self.deeds, self.seat, self.before), (*deeds, seat, before)
        for kept, values in zip(own, new, strict=True):
            kept[start : self.size] = values.reshape(-1)
        return np.arange(start, self.size)

    def has_room(self, count: int) -> bool:
        """Tell whether so many deeds can be added."""
        return self.size + count <= len(self.before)

    def at(self, places: Array) -> Deeds:
        """Return the deeds at these places, read-only."""
        return Deeds(*(read_only(part.take(places)) for part in self.deeds))


class DonorTrace:
    """The knowledge of everybody's past, from the beginning of a game.

    An agent's last deed leads to all that it is known for: along the chain under the medium
    `trace`, to its own earlier ones under `record`. Deeds that nobody can be shown any more are let
    go from time to time.
    """

    def __init__(self, env: Environment) -> None:
        self._env, self._medium = env, env.params.medium
        # A record has as many entries as there were rounds: a fixed number would tell how many
        # there are.
        self._length = env.params.trace if self._medium == "trace" else 0
        self._last = np.full(env.present.size, _BLANK_AT)
        self._log = self._new_log()

    def _new_log(self) -> _DeedLog:
        ahead = max(self._length, min(_ROUNDS, _DEEDS // self._last.size), 1)
        return _DeedLog((self._length + ahead) * self._last.size)

    def facts(self, pairs: DonorPairs, learns: Array) -> dict[str, Fact]:
        """Return the facts that donors get about recipients; learns: who gets any, (R, N)."""
        return self.shown(pairs, learns).facts()

    def add(self, pairs: DonorPairs, deeds: Deeds) -> None:
        """Record the deeds, (R, N) each, of those who had a chance to give."""
        if self._medium == "record":
            self._length += 1
        if not self._log.has_room(self._last.size):
            self._forget()
        before = self._last if self._medium == "record" else self._last.take(pairs.row)
        places = self._log.add(deeds, pairs.partner, before)
        self._last = np.where(pairs.gives.reshape(-1), places, self._last)

    def _forget(self) -> None:
        """Keep what may still be shown, in a new log."""
        old, blank = self._log, np.full_like(self._last, _BLANK_AT)
        chain = self._chain(self._last)
        self._log, self._last = self._new_log(), blank
        for place in reversed(np.moveaxis(chain, -1, 0)):  # the earliest first
            self._last = self._log.add(old.at(place), old.seat.take(place), self._last)

    def _chain(self, last: Array) -> Array:
        """Return the places of the deeds in traces that begin at these places, (..., K)."""
        places = np.empty((*last.shape, self._length), np.int64)
        for entry in range(self._length):
            places[..., entry] = last
            last = self._log.before.take(last)
        return places

    def shown(self, pairs: DonorPairs, learns: Array) -> Deeds:
        """Return the trace of each agent's partner; learns: who is shown any, (R, N)."""
        places = self._chain(pairs.other(self._last.reshape(pairs.gives.shape), _BLANK_AT))
        if isinstance(self._env.graph("hear"), Complete) and learns.all():
            return self._log.at(places)
        hidden = ~learns[..., None] | self._unheard(pairs, places)
        hidden &= self._log.deeds.sort.take(places) != NONE
        return self._log.at(np.where(hidden, _ILLEGIBLE_AT, places))

    def _unheard(self, pairs: DonorPairs, places: Array) -> Array:
        """Tell which entries nobody could have told the reader, (R, N, K) of bool; blanks: any."""
        graph, chain = self._env.graph("hear"), self._medium == "trace"
        unheard = np.zeros(places.shape, bool)
        if isinstance(graph, Complete):
            return unheard
        sees = self._sees(graph, pairs.partner)  # who did the deed
        for entry in range(self._length):
            sees_receiver = self._sees(graph, self._log.seat.take(places[..., entry]))
            unheard[..., entry] = ~(sees | sees_receiver)
            if chain:  # who did the next deed is who received this one
                sees = sees_receiver
                if entry:
                    unheard[..., entry] |= unheard[..., entry - 1]
        return unheard

    def _sees(self, graph: Graph, others: Array) -> Array:
        """Tell who is one of these, or sees it, (R, N) of bool; of NOBODY, anything."""
        node, seat = np.arange(others.size), np.arange(self._env.agents)
        connected = graph.connects(node, np.maximum(others, 0).reshape(-1))
        sees: Array = (others == seat) | connected.reshape(others.shape)
        return sees


def blank_deeds(shape: tuple[int, ...]) -> Deeds:
    """Make entries that are blank because nothing was done."""
    return Deeds(*(np.full(shape, value, of) for value, of in zip(_BLANK, _DTYPES, strict=True)))
