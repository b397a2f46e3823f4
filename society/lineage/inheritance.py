"""Sources of what an agent is: itself, its parent, or those whose words it took up.

Who lives on descends from itself. A newborn agent has the heritable columns of its parent; but
where it was asked for a strategy in words, and keeps them in the column `strategy`, it may have
devised them by the advice of several elders. Then the parent is one of them drawn by chance and no
source of the words, and the agent descends from all of them in equal shares. Not so those who found
no words and follow their parent's, and those who do not do what they say, as rules. Who shares no
heritable column with its parent has nothing of it, and descends from nobody: it has entered.
(Descent from advisers is ours; Vallinder and Hughes 2024 draw lineages by hand.)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from society.engine.graph import NOBODY, Graph
from society.engine.rng import Array

from .generation_pages import Generation

STRATEGY = "strategy"  # the column in which those who devise a strategy keep it


class Heredity(NamedTuple):
    """Facts about inheritance that pages do not tell.

    holders: by heritable column, who has it, (N,) of bool; None: everybody has the same. advise:
    the graph on which elders were seen; None: everybody saw everybody.
    """

    holders: Mapping[str, Array] | None = None
    advise: Graph | None = None

    def writes(self, agents: int) -> Array:
        """Mark the agents that follow a strategy in words, (N,) of bool."""
        nobody = np.zeros(agents, bool)
        return ~nobody if self.holders is None else self.holders.get(STRATEGY, nobody)

    def alike(self, one: Array, other: Array) -> Array:
        """Tell if seats have a heritable column in common, (K,), (K,) -> (K,) of bool."""
        if self.holders is None:
            return np.ones(len(one), bool)
        shared = np.zeros(len(one), bool)
        for holds in self.holders.values():
            shared |= holds[one] & holds[other]
        return shared


class Descents(NamedTuple):
    """Pairs of a seat now and a seat before from which it descends, (K,) each.

    Children are in order. One of several elders has an equal share in the child; without any, it
    has entered.
    """

    children: Array
    elders: Array

    def of(self, child: int) -> Array:
        """The elders of one seat."""
        begin, end = np.searchsorted(self.children, [child, child + 1])
        return self.elders[begin:end]


class Elders(NamedTuple):
    """The elders of the newborn agents of one replicate.

    parents: seats in the generation before, NOBODY where there is none, or nothing is inherited;
    (N,). advised: those who devised their words by advice, and by whose.
    """

    parents: Array
    advised: Descents


def elders(before: Generation | None, now: Generation, replicate: int, by: Heredity) -> Elders:
    """Parents and advisers of those born in a generation; before: the one that precedes it."""
    agents = now.life.shape[1]
    if before is None:
        nobody = np.empty(0, np.int64)
        return Elders(np.full(agents, NOBODY), Descents(nobody, nobody))
    parents = _parents(before, now, replicate)
    advised = _advised(before, now, replicate, parents, by)
    children = np.flatnonzero(parents != NOBODY)
    strange = children[~by.alike(children, parents[children])]
    parents[strange] = NOBODY
    return Elders(parents, advised)


def descents(before: Generation, now: Generation, replicate: int, by: Heredity) -> Descents:
    """Return from whom everybody in a generation descends."""
    parents, advised = elders(before, now, replicate, by)
    newborn = now.newborn[replicate]
    stayed = np.flatnonzero(~newborn)
    single = newborn & (parents != NOBODY)
    single[advised.children] = False
    begotten = np.flatnonzero(single)
    children = np.concatenate([stayed, begotten, advised.children])
    sources = np.concatenate([stayed, parents[begotten], advised.elders])
    order = np.argsort(children, kind="stable")
    return Descents(children[order], sources[order])


def _parents(before: Generation, now: Generation, replicate: int) -> Array:
    """Seats of the parents of newborn agents in the generation before, (N,)."""
    lives, parent = before.life[replicate], now.parent[replicate]
    order = np.argsort(lives, kind="stable")
    found = order[np.minimum(np.searchsorted(lives[order], parent), len(lives) - 1)]
    there = now.newborn[replicate] & (parent != NOBODY) & (lives[found] == parent)
    seats: Array = np.where(there, found, NOBODY)
    return seats


def _advised(
    before: Generation, now: Generation, replicate: int, parents: Array, by: Heredity
) -> Descents:
    """Return those who devised words of their own, with those whose words they were shown."""
    none = np.empty(0, np.int64)
    if now.elder is None or now.devising is None or now.strategy is None or before.strategy is None:
        return Descents(none, none)
    said, earlier = now.strategy[replicate], before.strategy[replicate]
    own = now.devising[replicate] & by.writes(len(said)) & (said != "")
    # Who cannot be read follows the parent's words, which are as they were.
    own &= (parents == NOBODY) | (said != earlier[parents])
    advisers = np.flatnonzero(now.elder[replicate] & (earlier != ""))
    pairs = [
        (child, _seen(advisers, replicate, child, by)) for child in np.flatnonzero(own).tolist()
    ]
    children = [np.full(len(seen), child) for child, seen in pairs]
    return Descents(
        np.concatenate([none, *children]), np.concatenate([none, *(seen for _, seen in pairs)])
    )


def _seen(advisers: Array, replicate: int, child: int, by: Heredity) -> Array:
    if by.advise is not None:
        advisers = np.intersect1d(advisers, by.advise.neighbours(replicate, child))
    others: Array = advisers[advisers != child]
    return others
