"""Lives of one replicate, their ancestors, and the likeness of texts.

Likeness is the share of words, and of pairs of words that follow each other, that two texts have in
common: 2 |A and B| / (|A| + |B|), each counted as often as it is there (Dice 1945, Ecology 26).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from society.engine.graph import NOBODY
from society.engine.history import Page
from society.engine.naming import Naming
from society.engine.rng import Array

from .generation_pages import Generation, list_generations
from .inheritance import Heredity, elders


class Wordings:
    """Texts that can be compared with each other; quickly, since there are many pairs of them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._numbers = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        self._parts = list(map(_parts, self._numbers))
        self._sizes = np.array([parts.total() for parts in self._parts], float)
        found: dict[object, list[tuple[int, int]]] = {}
        for number, parts in enumerate(self._parts):
            for part, count in parts.items():
                found.setdefault(part, []).append((number, count))
        # By part, in which texts it is and how often: (2, K).
        self._found = {part: np.array(places).T for part, places in found.items()}

    def most_alike(self, text: str, others: Sequence[str]) -> int:
        """The place of the one that is most like a text; of equally alike ones the first.

        >>> texts = ["keep all", "give all but half", "give half", "give all but a tenth"]
        >>> Wordings(texts).most_alike(texts[3], texts[:3])
        1
        """
        likeness = self._likeness(self._numbers[text])
        return int(np.argmax(likeness[[self._numbers[other] for other in others]]))

    def _likeness(self, number: int) -> Array:
        """Return the likeness of one text to each of them, in [0, 1]."""
        shared = np.zeros(len(self._sizes))
        for part, count in self._parts[number].items():
            places, counts = self._found[part]
            shared[places] += np.minimum(counts, count)
        likeness: Array = 2 * shared / np.maximum(self._sizes + self._sizes[number], 1)
        return likeness


def _parts(text: str) -> Counter[object]:
    words = text.split()
    return Counter([*words, *pairwise(words)])


_NO_MORE, _AS_AGENTS = Heredity(), Naming()
_OF_LIVES = "number", "seat", "born", "last"


def name_life(life: int, agents: int) -> str:
    """Name an agent by GENERATION_INDEX, counted from 1.

    >>> name_life(13, agents=10)  # id 3, born at the beginning of the second generation
    '2_4'
    """
    generation, agent = divmod(life, agents)
    return f"{generation + 1}_{agent + 1}"


class Life(NamedTuple):
    """One agent from its birth on.

    name: as agents know it, "agent 2_4". born, last: generations in which it lived, from 1.
    parent: number of the life whose heritable columns it has. advisers: numbers of the lives by
    whose strategies it devised words of its own. strategy: in words, "" if it has none. fitness,
    phenotype: of each generation that it has finished, NaN where it had none. survives: whether the
    last of these let it live on.
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


class LifeTable(NamedTuple):
    """Who descends from whom, as arrays over lives, (L,) each.

    number: ascending. ancestor: the place of the life from which one descends, NOBODY for none.
    """

    number: Array
    seat: Array
    born: Array
    last: Array
    ancestor: Array


@dataclass(frozen=True)
class Lineage:
    """All lives of one replicate, by number; elders have smaller numbers than those after them.

    A life descends from its parent; if it devised a strategy by advice, from the adviser with the
    wording most like its own. That is a guess at where words come from, and ours.
    generations: how many have begun. known: the same as arrays, where that is known already.
    """

    lives: Mapping[int, Life]
    generations: int
    known: LifeTable | None = field(default=None, repr=False, compare=False)

    @cached_property
    def table(self) -> LifeTable:
        """Who descends from whom, as arrays."""
        if self.known is not None:
            return self.known
        lives = [self.lives[number] for number in sorted(self.lives)]
        place = {life.number: at for at, life in enumerate(lives)}
        above = [self._elder(life) for life in lives]
        number, seat, born, last = (
            np.array([getattr(life, name) for life in lives], int) for name in _OF_LIVES
        )
        return LifeTable(
            number,
            seat,
            born,
            last,
            np.array([NOBODY if one is None else place[one] for one in above], int),
        )

    @cached_property
    def _places(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.table.number.tolist())}

    def _at(self, places: Array) -> tuple[Life, ...]:
        return tuple(self.lives[number] for number in self.table.number[places].tolist())

    def ancestor(self, number: int) -> Life | None:
        """Return the life from which one descends; None for a life that descends from nobody."""
        place = int(self.table.ancestor[self._places[number]])
        return None if place == NOBODY else self.lives[int(self.table.number[place])]

    @cached_property
    def _wordings(self) -> Wordings:
        return Wordings(life.strategy for life in self.lives.values())

    def _elder(self, life: Life) -> int | None:
        """Return the number of the life from which one descends."""
        if not life.advisers:
            return life.parent
        said = [self.lives[number].strategy for number in life.advisers]
        return life.advisers[self._wordings.most_alike(life.strategy, said)]

    @property
    def guesses(self) -> frozenset[int]:
        """Lives of which it is a guess from whom they descend: they had several advisers."""
        return frozenset(life.number for life in self.lives.values() if len(life.advisers) > 1)

    @cached_property
    def founders(self) -> tuple[Life, ...]:
        """Lives that descend from nobody: the first generation, and whoever entered later."""
        return self._at(np.flatnonzero(self.table.ancestor == NOBODY))

    def generation(self, number: int) -> tuple[Life, ...]:
        """Return the lives in a generation, counted from 1; by seat."""
        known = self.table
        found = np.flatnonzero((known.born <= number) & (number <= known.last))
        return self._at(found[np.argsort(known.seat[found], kind="stable")])

    def children(self, number: int) -> tuple[Life, ...]:
        """Return the children of a life, by number."""
        ranked, ancestors = self._by_ancestor
        place = self._places[number]
        first, end = np.searchsorted(ancestors, (place, place + 1)).tolist()
        return self._at(ranked[first:end])

    @cached_property
    def _by_ancestor(self) -> tuple[Array, Array]:
        """Places of lives, those with one ancestor together, and the places of their ancestors."""
        ranked = np.argsort(self.table.ancestor, kind="stable")
        return ranked, self.table.ancestor[ranked]

    def line(self, number: int) -> Iterator[Life]:
        """A life and its ancestors, from the latest to the earliest."""
        at: Life | None = self.lives[number]
        while at is not None:
            yield at
            at = self.ancestor(at.number)

    def common_ancestor(self) -> Life | None:
        """The last life from which all who lived in the last generation descend, if there is one.

        One of them may be the ancestor of the others.
        """
        living = self.generation(self.generations)
        lines = [{life.number for life in self.line(one.number)} for one in living]
        shared = set.intersection(*lines) if lines else set()
        return self.lives[max(shared)] if shared else None


def lineage(
    pages: Iterable[Page],
    replicate: int = 0,
    heredity: Heredity = _NO_MORE,
    naming: Naming = _AS_AGENTS,
) -> Lineage:
    """All lives of one replicate of a run.

    heredity: what its pages do not tell; see society.runs.heritable. naming: as its manifest has
    it. Raises InputError if pages have no lines, or the run has no generations.
    """
    return lineage_of(list_generations(pages), replicate, heredity, naming)


def lineage_of(
    told: Iterable[Generation],
    replicate: int = 0,
    heredity: Heredity = _NO_MORE,
    naming: Naming = _AS_AGENTS,
) -> Lineage:
    """Return all lives of one replicate from generations that have been read."""
    eras = list[Generation]()
    for now in told:
        if not now.running[replicate, 0]:
            break
        eras.append(now)
    if not eras:
        return Lineage({}, 0)
    lives = _LivesOnDemand(eras, replicate, heredity, naming)
    return Lineage(lives, eras[-1].number, lives.table())


class _LivesOnDemand(Mapping[int, Life]):
    """The lives of all generations, by number; each is made when it is asked for first."""

    def __init__(
        self, eras: Sequence[Generation], replicate: int, heredity: Heredity, naming: Naming
    ) -> None:
        self._eras, self._replicate, self._naming = eras, replicate, naming
        self._lives = np.array([now.life[replicate] for now in eras])
        self._elders = [
            elders(before, now, replicate, heredity)
            for before, now in pairwise((None, *eras))
            if now is not None
        ]
        begins = np.ones(self._lives.shape, bool)
        begins[1:] = self._lives[1:] != self._lives[:-1]
        # A seat is had until the next life on it begins: by seat, then by generation.
        seat, first = np.nonzero(begins.T)
        end = np.append(first[1:], len(eras))
        end[np.flatnonzero(np.diff(seat, append=-1))] = len(eras)
        numbers = self._lives[first, seat]
        order = np.argsort(numbers, kind="stable")
        self._numbers, self._seat, self._first, self._end = (
            one[order] for one in (numbers, seat, first, end)
        )
        self._places = {number: place for place, number in enumerate(self._numbers.tolist())}
        # Of generations that are over: fitness, phenotype and survival, (N,) each.
        self._over = {
            place: (now.fitness[replicate], now.phenotype[replicate], now.survives[replicate])
            for place, now in enumerate(eras)
            if now.fitness is not None and now.phenotype is not None and now.survives is not None
        }
        self._made = dict[int, Life]()

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: int) -> Life:
        life = self._made.get(number)
        if life is None:
            life = self._made[number] = self._life(number, self._places[number])
        return life

    def table(self) -> LifeTable | None:
        """Return who descends from whom, if that is by parents alone: else words must be read."""
        if any(len(one.advised.children) for one in self._elders):
            return None
        parents = np.array([one.parents for one in self._elders])[self._first, self._seat]
        before = self._lives[np.maximum(self._first - 1, 0), np.maximum(parents, 0)]
        place = np.searchsorted(self._numbers, before)
        born, last = (
            np.array([now.number for now in self._eras])[at] for at in (self._first, self._end - 1)
        )
        ancestor = np.where(parents == NOBODY, NOBODY, place)
        return LifeTable(self._numbers, self._seat, born, last, ancestor)

    def _life(self, number: int, place: int) -> Life:
        seat, first, end = (int(one[place]) for one in (self._seat, self._first, self._end))
        now, of = self._eras[first], self._elders[first]
        parent, advisers = of.parents[seat], of.advised.of(seat)
        earlier = self._lives[max(first - 1, 0)]
        deeds = [self._over[at] for at in range(first, end) if at in self._over]
        return Life(
            number,
            self._naming.whole(name_life(number, self._lives.shape[1])),
            seat,
            now.number,
            self._eras[end - 1].number,
            None if parent == NOBODY else int(earlier[parent]),
            tuple(sorted(earlier[advisers].tolist())),
            "" if now.strategy is None else str(now.strategy[self._replicate, seat]),
            tuple(float(fitness[seat]) for fitness, _, _ in deeds),
            tuple(float(phenotype[seat]) for _, phenotype, _ in deeds),
            bool(deeds and deeds[-1][2][seat]),
        )
