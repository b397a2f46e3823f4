"""Lives of one replicate, their ancestors, and the likeness of texts.

Likeness is the share of words, and of pairs of words that follow each other, that two texts have in
common: 2 |A and B| / (|A| + |B|), each counted as often as it is there (Dice 1945, Ecology 26).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from society.engine.graph import NOBODY
from society.engine.history import Page
from society.engine.naming import Naming
from society.engine.rng import Array

from .generation_pages import Generation, list_generations
from .inheritance import Elders, Heredity, elders


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


@dataclass(frozen=True)
class Lineage:
    """All lives of one replicate, by number; elders have smaller numbers than those after them.

    A life descends from its parent; if it devised a strategy by advice, from the adviser with the
    wording most like its own. That is a guess at where words come from, and ours.
    generations: how many have begun.
    """

    lives: Mapping[int, Life]
    generations: int

    def ancestor(self, number: int) -> Life | None:
        """Return the life from which one descends; None for a life that descends from nobody."""
        return self._ancestors[number]

    @cached_property
    def _ancestors(self) -> dict[int, Life | None]:
        return {number: self._ancestor(life) for number, life in self.lives.items()}

    @cached_property
    def _wordings(self) -> Wordings:
        return Wordings(life.strategy for life in self.lives.values())

    def _ancestor(self, life: Life) -> Life | None:
        if life.advisers:
            advisers = [self.lives[number] for number in life.advisers]
            said = [one.strategy for one in advisers]
            return advisers[self._wordings.most_alike(life.strategy, said)]
        return None if life.parent is None else self.lives[life.parent]

    @property
    def guesses(self) -> frozenset[int]:
        """Lives of which it is a guess from whom they descend: they had several advisers."""
        return frozenset(life.number for life in self.lives.values() if len(life.advisers) > 1)

    @property
    def founders(self) -> tuple[Life, ...]:
        """Lives that descend from nobody: the first generation, and whoever entered later."""
        return tuple(life for life in self.lives.values() if self.ancestor(life.number) is None)

    def generation(self, number: int) -> tuple[Life, ...]:
        """Return the lives in a generation, counted from 1; by seat."""
        found = [life for life in self.lives.values() if life.lived_in(number)]
        return tuple(sorted(found, key=lambda life: life.seat))

    def children(self, number: int) -> tuple[Life, ...]:
        """Return the children of a life, by number."""
        return self._children.get(number, ())

    @cached_property
    def _children(self) -> dict[int, tuple[Life, ...]]:
        found: dict[int, list[Life]] = {}
        for life in self.lives.values():
            if elder := self.ancestor(life.number):
                found.setdefault(elder.number, []).append(life)
        return {number: tuple(young) for number, young in found.items()}

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
    lives: dict[int, Life] = {}
    before, number = None, 0
    for now in told:
        if not now.running[replicate, 0]:
            break
        born = elders(before, now, replicate, heredity)
        for seat in range(now.life.shape[1]):
            at = int(now.life[replicate, seat])
            life = lives.get(at) or _born(before, now, (replicate, seat), born, naming)
            lives[at] = _grown(life, now, replicate)
        before, number = now, now.number
    return Lineage(dict(sorted(lives.items())), number)


def _born(
    before: Generation | None,
    now: Generation,
    place: tuple[int, int],
    of: Elders,
    naming: Naming,
) -> Life:
    (replicate, seat), agents = place, now.life.shape[1]
    number, parent = int(now.life[place]), of.parents[seat]
    elders = of.advised.of(seat)
    lives = elders if before is None else before.life[replicate]
    return Life(
        number,
        naming.whole(name_life(number, agents)),
        seat,
        now.number,
        now.number,
        None if parent == NOBODY else int(lives[parent]),
        tuple(sorted(map(int, lives[elders]))),
        "" if now.strategy is None else str(now.strategy[place]),
    )


def _grown(life: Life, now: Generation, replicate: int) -> Life:
    """Return a life, one generation older."""
    life = life._replace(last=now.number)
    if now.fitness is None or now.phenotype is None or now.survives is None:
        return life
    place = replicate, life.seat
    return life._replace(
        fitness=(*life.fitness, float(now.fitness[place])),
        phenotype=(*life.phenotype, float(now.phenotype[place])),
        survives=bool(now.survives[place]),
    )
