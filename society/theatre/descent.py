"""Lines of descent: who comes from whom, what each life gave, and why the mean changed.

A line follows a life and, when it has ended, the child of the next generation with the most living
descendants. Every other child begins a line of its own, below the line that it comes from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

import numpy as np

from society.analysis.evolution.price_equation import PriceTerms, split_change
from society.analysis.evolution.records import GenerationRecords
from society.analysis.study.condition import ConditionRun
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.lineage import DESCENDED, Life, Lineage
from society.runs.manifest import Manifest

from .history import History

LineOrder = Literal["descendants", "phenotype"]


class Line(NamedTuple):
    """One line of descent: the lives in it, and the line that it branches off (-1: none)."""

    lives: tuple[int, ...]
    origin: int


class DescentBranch(NamedTuple):
    """A line that waits to be placed: the place of its first life, and the line it comes from."""

    first: int
    origin: int


@dataclass(frozen=True, eq=False)
class Descent:
    """All lives of one replicate, and what became of them.

    fitness, phenotype: means over agents by generation, (G,), NaN where unknown. price: how the
    mean phenotype changed from each generation to the next. living: descendants of each life in the
    last generation, itself included; ever: all descendants that there have been. firsts: the number
    of the first round of each generation. followed: the facts that are fitness and phenotype.
    """

    lineage: Lineage
    records: GenerationRecords
    replicate: int
    fitness: Array
    phenotype: Array
    price: tuple[PriceTerms, ...]
    living: Mapping[int, int]
    ever: Mapping[int, int]
    firsts: tuple[int, ...]
    followed: Mapping[str, str]

    @cached_property
    def range(self) -> tuple[float, float]:
        """The range of the phenotype: from 0, or the least if that is less, to the largest."""
        told = [
            now.phenotype[self.replicate].reshape(-1)
            for now in self.records.generations[: self.lineage.generations]
            if now.phenotype is not None
        ]
        values = np.concatenate([np.empty(0), *told])
        known = values[np.isfinite(values)]
        return float(known.min(initial=0.0)), float(known.max(initial=0.0))

    @cached_property
    def worded(self) -> bool:
        """True if founders have strategies in words."""
        return any(life.strategy for life in self.lineage.founders)

    @property
    def phenotype_name(self) -> str:
        """The name of the fact that is followed, in words."""
        return self.followed.get("phenotype", "phenotype").replace("_", " ")

    def generation_of(self, number: int) -> int:
        """Return the generation of a round, at least 1."""
        return max(int(np.searchsorted(self.firsts, number, side="right")), 1)

    def life_on(self, seat: int, generation: int) -> Life | None:
        """Return the life that has a seat in a generation."""
        here = self.lineage.generation(generation)
        return next((life for life in here if life.seat == seat), None)

    def phenotype_in(self, life: Life, generation: int) -> float:
        """Return the phenotype of a life in a generation; NaN where it is not known."""
        place = generation - life.born
        return life.phenotype[place] if 0 <= place < len(life.phenotype) else float("nan")

    def traits_of(self, life: Life) -> dict[str, str | float]:
        """Return the public heritable columns of a life as it was born; words or numbers."""
        records, found = self.records, dict[str, str | float]()
        now = records.generations[life.born - 1]
        for name in records.traits:
            value = records.trait(now, name)[self.replicate, life.seat]
            if value is None or value != value:
                continue
            found[name] = value if isinstance(value, str) else float(value)
        return found

    @cached_property
    def lower_survivors(self) -> tuple[int, int]:
        """Count the generations whose survivors had a lower mean phenotype than the others.

        The second number is of how many that is known.
        """
        lower = known = 0
        for now in self.records.generations:
            if now.phenotype is None or now.survives is None:
                continue
            values, lives = now.phenotype[self.replicate], now.survives[self.replicate]
            kept, left = (values[some & np.isfinite(values)] for some in (lives, ~lives))
            if kept.size and left.size:
                known += 1
                lower += bool(kept.mean() < left.mean())
        return lower, known


def has_generations(history: History) -> bool:
    """Check if lives follow one another in a run, and are recorded."""
    if history.manifest.level != "full" or history.last < 1:
        return False
    return any(step.kind == DESCENDED for step in history.page(1).steps)


def read_descent(history: History, replicate: int) -> Descent:
    """Read the lives of a replicate, once for as far as the run has come."""
    return _read(history, replicate, history.last)


@lru_cache(8)
def _read(history: History, replicate: int, last: int) -> Descent:  # last: a run may go on
    records = _records(history, last)
    lineage = records.lineage(replicate)
    eras = records.generations[: lineage.generations]
    phenotype = [records.value(now, "phenotype")[replicate] for now in eras]
    fitness = [records.value(now, "fitness")[replicate] for now in eras]
    price = tuple(
        split_change(
            phenotype[place - 1],
            phenotype[place],
            records.descents(place, replicate),
            eras[place].newborn[replicate],
        )
        for place in range(1, len(eras))
        if np.isfinite(phenotype[place]).any()
    )
    living, ever = _count_descendants(lineage)
    manifest = records.run.manifest
    return Descent(
        lineage,
        records,
        replicate,
        np.array([_mean(values) for values in fitness]),
        np.array([_mean(values) for values in phenotype]),
        price,
        living,
        ever,
        _first_rounds(records),
        _followed(manifest),
    )


@lru_cache(2)
def _records(history: History, last: int) -> GenerationRecords:
    path = history.run.path
    return GenerationRecords.read(ConditionRun.read(path, path.stem, {}))


def _first_rounds(records: GenerationRecords) -> tuple[int, ...]:
    """The number of the first round of each generation."""
    with records.run.opened() as run:
        paths = run.paths()
    firsts = dict[int, int]()
    for number, path in enumerate(paths):
        for generation in path[:1]:
            firsts.setdefault(generation, number)
    return tuple(firsts.values())


def _followed(manifest: Manifest) -> dict[str, str]:
    """The facts that a mechanism was told to take for fitness and phenotype."""
    given = [own for part in manifest.spec["mechanisms"] for own in part.values()]
    names = ("fitness", "phenotype")
    return {name: own[name] for own in given for name in names if isinstance(own.get(name), str)}


def _mean(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else float("nan")


def _count_descendants(lineage: Lineage) -> tuple[dict[int, int], dict[int, int]]:
    """Count, for each life, those of its line in the last generation, and all there have been."""
    table = lineage.table
    living = ((table.born <= lineage.generations) & (lineage.generations <= table.last)).astype(int)
    ever = np.zeros_like(living)
    for born in range(lineage.generations, 1, -1):  # the young before their elders
        young = np.flatnonzero((table.born == born) & (table.ancestor != NOBODY))
        elders = table.ancestor[young]
        np.add.at(living, elders, living[young])
        np.add.at(ever, elders, 1 + ever[young])
    numbers = table.number.tolist()
    return (
        dict(zip(numbers, living.tolist(), strict=True)),
        dict(zip(numbers, ever.tolist(), strict=True)),
    )


class Lines(NamedTuple):
    """Lines of descent in the order of their rows; origins: (L,), of each the row it comes from."""

    rows: tuple[Line, ...]
    origins: Array
    complete: bool  # whether lines that have died out are among them


_MOST_ENDED = 1_000  # lines; of more only those are listed that have not died out


@lru_cache(8)
def lines_of_descent(descent: Descent, order: LineOrder) -> Lines:
    """All lines, those of each founder together; founders come by descendants or phenotype.

    Of very many lines, those alone that have descendants in the last generation.
    """
    lineage = descent.lineage
    table = lineage.table
    young = table.ancestor != NOBODY
    at_once = table.born[young] == table.last[table.ancestor[young]] + 1
    followed = np.unique(table.ancestor[young][at_once])
    complete = len(table.number) - len(followed) <= _MOST_ENDED
    rows = tuple(_arranged(descent, order, complete=complete))
    return Lines(rows, np.array([line.origin for line in rows], int), complete)


def _arranged(descent: Descent, order: LineOrder, *, complete: bool) -> Iterator[Line]:
    """Yield the lines of each founder, those that branch off last coming first."""
    lineage, table = descent.lineage, descent.lineage.table
    numbers, born, last = table.number.tolist(), table.born.tolist(), table.last.tolist()
    living = [*descent.living.values()]  # both by number, as the table
    ever = [*descent.ever.values()]
    ranked = np.argsort(table.ancestor, kind="stable")  # founders come first
    bounds = np.searchsorted(table.ancestor[ranked], np.arange(len(ranked) + 1)).tolist()

    def rank(place: int) -> tuple[float, ...]:
        most = (-living[place], -ever[place], numbers[place])
        if order == "descendants":
            return most
        known = [value for value in lineage.lives[numbers[place]].phenotype if value == value]
        return (-sum(known) / len(known) if known else float("inf"), *most)

    def shown(places: Iterable[int]) -> list[int]:
        return [place for place in places if complete or living[place]]

    def children(place: int) -> list[int]:
        found: list[int] = ranked[bounds[place] : bounds[place + 1]].tolist()
        return found

    placed = 0
    founders = sorted(shown(ranked[: bounds[0]].tolist()), key=rank)
    waiting = [DescentBranch(place, -1) for place in reversed(founders)]
    while waiting:
        place, origin = waiting.pop()
        lives, branches = [place], list[int]()
        while True:
            young = children(lives[-1])
            heirs = [one for one in young if born[one] == last[lives[-1]] + 1]
            heir = min(heirs, key=rank, default=None)
            branches += [one for one in young if one != heir]
            if heir is None:
                break
            lives.append(heir)
        yield Line(tuple(numbers[one] for one in lives), origin)
        # The last one that is put here comes off first; lines then never cross each other.
        branches = sorted(shown(branches), key=rank, reverse=True)
        branches.sort(key=lambda child: born[child])
        waiting += [DescentBranch(child, placed) for child in branches]
        placed += 1
