"""What a donor is shown of the recipient: built by the game from what happened, never by agents.

    trace    what the recipient did when it last gave, and to whom; what that one did before that,
             when it last gave; and so on
    record   what the recipient itself did each time it gave, latest first
    review   what those who received from the recipient have written about it, latest first

Each entry is a deed: its sort (DEEDS), the share of what the actor owned then, the units, to whom
(the number of a life), and in which round. Shares are NaN where nothing was given: the actor had
nothing, punished, or the entry is unknown. An entry is unknown to who sees neither of the two on
the graph `hear`; and with chance 1 - q, all entries at once.
Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 3; the record, the graph, q and the
reviews are ours (the latter named there as an open question).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from society.draws import Array
from society.graph import NOBODY, Complete
from society.scenarios.schedules import Pairs
from society.table import Table
from society.talk import Fact, own

DEEDS = ("none", "gave", "had nothing", "punished", "unknown")
NONE, GAVE, HAD_NOTHING, PUNISHED, UNKNOWN = range(len(DEEDS))


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
    def none(cls, shape: tuple[int, ...]) -> Deeds:
        """Nobody has done anything."""
        return cls(
            np.full(shape, NONE, np.int8),
            np.full(shape, np.nan),
            np.zeros(shape),
            np.full(shape, NOBODY),
            np.zeros(shape, np.int64),
        )

    def facts(self, table: Table) -> dict[str, Fact]:
        """As a donor is told them; whom something was done to by the number of the life."""
        replicate = np.arange(len(self.to))[:, None, None]
        life = np.where(self.to == NOBODY, NOBODY, table.lives[replicate, self.to])
        named = {"deed": self.sort, "share": self.share, "units": self.units, "to": life}
        return {f"trace_{name}": own(v) for name, v in (named | {"round": self.when}).items()}


class Trace:
    """What is known of everybody, from the beginning of a game."""

    def __init__(self, table: Table) -> None:
        p = table.params
        lengths = {"trace": p.trace, "record": table.horizon, "review": 0}
        # Entries lead from one agent to the next, or are all of the same one.
        self._table, self._chain = table, p.medium == "trace"
        self.deeds = Deeds.none((*table.present.shape, lengths[p.medium]))

    def facts(self, pairs: Pairs) -> dict[str, Fact]:
        """What donors are told of their recipients; with chance q they learn of it."""
        informed = None
        if self._table.params.known < 1:
            known = self._table.draws("donor_game").uniform("known")
            informed = known < self._table.params.known
        return self.shown(pairs, informed).facts(self._table)

    def add(self, pairs: Pairs, deeds: Deeds) -> None:
        """Those who had a chance to give have done these deeds, (R, N, 1)."""
        length = self.deeds.sort.shape[2]
        acted = pairs.gives[..., None]
        kept = [
            np.where(
                acted,
                np.concatenate([new, (pairs.other(old) if self._chain else old)[..., :-1]], axis=2)[
                    ..., :length
                ],
                old,
            )
            for new, old in zip(deeds, self.deeds, strict=True)
        ]
        self.deeds = Deeds(*kept)

    def shown(self, pairs: Pairs, informed: Array | None) -> Deeds:
        """Of each agent's partner; informed: who learns anything, (R, N); None: everybody."""
        deeds = Deeds(*(pairs.other(part) for part in self.deeds))
        hidden = self._unheard(pairs, deeds)
        if informed is not None:
            hidden = ~informed[..., None] if hidden is None else hidden | ~informed[..., None]
        alone = (pairs.partner == NOBODY)[..., None]
        if hidden is not None:
            deeds = _blotted(deeds, hidden & (deeds.sort != NONE), UNKNOWN)
        return _blotted(deeds, alone, NONE) if alone.any() else deeds

    def _unheard(self, pairs: Pairs, deeds: Deeds) -> Array | None:
        """Which entries nobody could have told the reader, (R, N, K); None: no such entry."""
        graph = self._table.graph("hear")
        if isinstance(graph, Complete):
            return None
        first = pairs.partner[..., None]
        actor = np.broadcast_to(first, deeds.to.shape).copy()
        if self._chain:
            actor[..., 1:] = deeds.to[..., :-1]
        reader = np.arange(pairs.partner.size).reshape(*pairs.partner.shape, 1)
        heard = np.zeros(deeds.to.shape, bool)
        for witness in (actor, deeds.to):
            there = witness != NOBODY
            node = np.broadcast_to(reader, witness.shape)[there]
            seat = witness[there]
            heard[there] |= graph.connects(node, seat) | (node % self._table.agents == seat)
        return ~heard


def _blotted(deeds: Deeds, where: Array, sort: int) -> Deeds:
    """With some entries made illegible."""
    blank = (sort, np.nan, 0.0, NOBODY, 0)
    return Deeds(
        *(
            np.where(where, value, part).astype(part.dtype, copy=False)
            for value, part in zip(blank, deeds, strict=True)
        )
    )
