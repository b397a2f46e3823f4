"""Lives of one replicate, with their parents, advisers and kin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from society.graph import NOBODY, Graph
from society.talk import Page

from .generations import Generation, generations


class Life(NamedTuple):
    """One agent from its birth on.

    name: GENERATION_INDEX, as agents know it. born, last: generations in which it lived, from 1.
    parent: number of the parent's life. advisers: numbers of the lives whose strategies it was
    shown. strategy: in words, "" if it has none. fitness, phenotype: of each generation that it has
    finished, NaN where it had none. survives: whether the last of these let it live on.
    """

    number: int
    name: str
    seat: int
    born: int
    last: int
    parent: int | None
    advisers: tuple[int, ...]
    strategy: str
    fitness: tuple[float, ...] = ()
    phenotype: tuple[float, ...] = ()
    survives: bool = False

    def lived_in(self, generation: int) -> bool:
        return self.born <= generation <= self.last


@dataclass(frozen=True)
class Lineage:
    """All lives of one replicate, by number; parents have smaller numbers than their children.

    generations: how many have begun.
    """

    lives: Mapping[int, Life]
    generations: int

    @property
    def founders(self) -> tuple[Life, ...]:
        """Lives without a parent: the first generation, and whoever was born to nobody."""
        return tuple(life for life in self.lives.values() if life.parent is None)

    def generation(self, number: int) -> tuple[Life, ...]:
        """Who lived in a generation, counted from 1; by seat."""
        found = [life for life in self.lives.values() if life.lived_in(number)]
        return tuple(sorted(found, key=lambda life: life.seat))

    def children(self, number: int) -> tuple[Life, ...]:
        """Those of a life, by number."""
        return self._children.get(number, ())

    @cached_property
    def _children(self) -> dict[int, tuple[Life, ...]]:
        found: dict[int, tuple[Life, ...]] = {}
        for life in self.lives.values():
            if life.parent is not None:
                found[life.parent] = (*found.get(life.parent, ()), life)
        return found

    def line(self, number: int) -> Iterator[Life]:
        """A life and its ancestors, from the latest to the earliest."""
        at: int | None = number
        while at is not None:
            yield self.lives[at]
            at = self.lives[at].parent

    def common_ancestor(self) -> Life | None:
        """The last life from which all who lived in the last generation descend, if there is one.

        One of them may be the ancestor of the others.
        """
        living = self.generation(self.generations)
        lines = [{life.number for life in self.line(one.number)} for one in living]
        shared = set.intersection(*lines) if lines else set()
        return self.lives[max(shared)] if shared else None

    def kin(self, number: int) -> Life | None:
        """The adviser whose strategy is most like that of a life, word by word; None without one.

        Of equally alike ones the first. This is a guess at where words come from: ours.
        """
        life = self.lives[number]
        if not (life.advisers and life.strategy):
            return None
        likeness = SequenceMatcher(None, b=life.strategy.split(), autojunk=False)

        def alike(adviser: Life) -> float:
            likeness.set_seq1(adviser.strategy.split())
            return likeness.ratio()

        return max((self.lives[one] for one in life.advisers), key=alike)


def lineage(pages: Iterable[Page], replicate: int = 0, advise: Graph | None = None) -> Lineage:
    """All lives of one replicate of a run.

    advise: the graph on which elders were seen; None: everybody saw everybody. Raises InputError
    if pages have no lines, or the run has no generations.
    """
    return descent(generations(pages), replicate, advise)


def descent(told: Iterable[Generation], replicate: int = 0, advise: Graph | None = None) -> Lineage:
    """The same from generations that have been read."""
    lives: dict[int, Life] = {}
    before, number = None, 0
    for now in told:
        if not now.running[replicate, 0]:
            break
        for seat in range(now.life.shape[1]):
            life = lives.get(int(now.life[replicate, seat])) or _born(
                now, before, replicate, seat, advise
            )
            lives[life.number] = _grown(life, now, replicate)
        before, number = now, now.number
    return Lineage(dict(sorted(lives.items())), number)


def _born(
    now: Generation, before: Generation | None, replicate: int, seat: int, advise: Graph | None
) -> Life:
    place, agents = (replicate, seat), now.life.shape[1]
    number, parent = int(now.life[place]), int(now.parent[place])
    elders = [] if before is None else before.life[replicate, now.advisers(*place, advise)]
    return Life(
        number,
        f"{number // agents + 1}_{number % agents + 1}",
        seat,
        now.number,
        now.number,
        None if parent == NOBODY else parent,
        tuple(sorted(map(int, elders))),
        "" if now.strategy is None else str(now.strategy[place]),
    )


def _grown(life: Life, now: Generation, replicate: int) -> Life:
    """One generation older."""
    life = life._replace(last=now.number)
    if now.fitness is None or now.phenotype is None or now.survives is None:
        return life
    place = replicate, life.seat
    return life._replace(
        fitness=(*life.fitness, float(now.fitness[place])),
        phenotype=(*life.phenotype, float(now.phenotype[place])),
        survives=bool(now.survives[place]),
    )
