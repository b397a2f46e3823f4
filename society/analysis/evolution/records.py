"""What one run file keeps of evolution, read once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from society.analysis.study.condition import Studied
from society.draws import Array
from society.errors import InputError, brief
from society.history import Page
from society.lineage import (
    Descents,
    Generation,
    Heredity,
    Lineage,
    descent,
    descents,
    elders,
    generations,
)
from society.outside import Embedder
from society.runs.heredity import heredity
from society.runs.manifest import ColumnNote, Manifest
from society.scenario import Folded

Phenotype = Literal["phenotype", "fitness", "reaction"]


@dataclass(frozen=True, eq=False)
class Past:
    """The generations of a run.

    measures: of each generation, (R,) each, folded over its rounds as a run folds them; without
    those that wait for something. encounters: names of what reactions are to, or their numbers.
    traits: heritable columns that are public. holders: seats that have them, (N,) of bool each.
    """

    run: Studied
    generations: tuple[Generation, ...]
    measures: tuple[Mapping[str, Array], ...]
    encounters: tuple[str, ...]
    traits: Mapping[str, ColumnNote]
    holders: Mapping[str, Array]

    @classmethod
    def read(cls, run: Studied) -> Past:
        """From a run file; raises InputError if it has no generations, or no lines are kept."""
        tally, manifest = _Tally(run.manifest), run.manifest
        with run.opened() as file:
            try:
                told = tuple(generations(tally.overheard(file.pages())))
            except InputError as error:
                raise InputError(f"{brief(run.path)}: {error}") from None
        traits = {note.name: note for note in manifest.columns if note.heritable}
        holders = {name: manifest.seated(note.cohorts) for name, note in traits.items()}
        return cls(run, told, tuple(tally.folded(told)), tuple(tally.encounters), traits, holders)

    @cached_property
    def heredity(self) -> Heredity:
        """Who has which heritable columns, and who saw whose strategies."""
        return heredity(self.run.manifest)

    def lineage(self, replicate: int = 0) -> Lineage:
        """All lives of one replicate."""
        return descent(self.generations, replicate, self.heredity)

    def descents(self, place: int, replicate: int) -> Descents:
        """From whom those of a generation descend; place: its own in the run, from 1."""
        before, now = self.generations[place - 1 : place + 1]
        return descents(before, now, replicate, self.heredity)

    @cached_property
    def advised(self) -> bool:
        """Whether anybody devised words of its own by the advice of elders."""
        steps = pairwise(self.generations)
        return any(
            len(elders(before, now, replicate, self.heredity).advised.children)
            for before, now in steps
            for replicate in np.flatnonzero(now.running).tolist()
        )

    def value(self, now: Generation, of: Phenotype) -> Array:
        """What is followed of each agent, (R, N); NaN where it is not known.

        reaction: the mean over all encounters.
        """
        told = {"phenotype": now.phenotype, "fitness": now.fitness, "reaction": now.reaction}[of]
        if told is None:
            return np.full(now.life.shape, np.nan)
        return told.mean(2) if told.ndim > 2 else told

    def trait(self, now: Generation, name: str) -> Array:
        """A trait of each agent as the generation began, (R, N): labels in words, or numbers.

        NaN, or None for words, where agents do not have it.
        """
        values, labels, held = now.public[name], self.traits[name].labels, self.holders[name]
        if not labels and values.dtype.kind in "biuf":
            numbers: Array = np.where(held, values, np.nan)
            return numbers
        words: Array = np.array(labels, object)[values] if labels else values.astype(object)
        words[:, ~held] = None
        return words

    def strategies(self, now: Generation) -> Array | None:
        """Everybody's strategy in words, (R, N) of text; "" for those without one."""
        texts = now.public.get("strategy") if now.strategy is None else now.strategy
        if texts is None or texts.dtype.kind not in "OU":
            return None
        words = [text if isinstance(text, str) else "" for text in texts.reshape(-1).tolist()]
        return np.array(words, object).reshape(texts.shape)

    def vectors(self, embedder: Embedder | str) -> dict[str, Array]:
        """Of every strategy that anybody had, by text.

        embedder: or the name of one whose vectors are kept in the run file; raises InputError for
        those that are not.
        """
        told = [self.strategies(now) for now in self.generations]
        texts = sorted({text for each in told if each is not None for text in each.flat if text})
        if not isinstance(embedder, str):
            return dict(zip(texts, embedder.embed(texts), strict=True)) if texts else {}
        with self.run.opened() as file:
            known = file.vectors(embedder, texts)
        missing = sum(text not in known for text in texts)
        if missing:
            raise InputError(
                f"{brief(self.run.path)} keeps no vectors by {embedder} of {missing} of its "
                f"{len(texts)} strategies; give an embedder in place of a name"
            )
        return known


class _Tally:
    """Overhears the pages of a run, and folds its measures by generation."""

    def __init__(self, manifest: Manifest) -> None:
        self._manifest = manifest
        self._folds: dict[int, dict[str, Folded]] = {}
        self.encounters: list[str] = []

    def overheard(self, pages: Iterable[Page]) -> Iterator[Page]:
        """The same pages."""
        for page in pages:
            if page.path:
                for name, fold in self._of(page.path[0]).items():
                    if name in page.measures:
                        fold.add(page.number, page.measures[name])
            for step in page.steps:
                if ("own", "reaction") in step.arrays:
                    self.encounters = _names(step.arrays)
            yield page

    def _of(self, generation: int) -> dict[str, Folded]:
        notes, replicates = self._manifest.measures, self._manifest.replicates
        if generation not in self._folds:
            self._folds[generation] = {
                note.name: Folded(note.fold, note.unit, replicates)
                for note in notes
                if note.fold != "first"
            }
        return self._folds[generation]

    def folded(self, told: Iterable[Generation]) -> Iterator[Mapping[str, Array]]:
        """Of each generation."""
        for now in told:
            yield {name: fold.values() for name, fold in self._of(now.number).items()}


def _names(arrays: Mapping[tuple[str, str], Array]) -> list[str]:
    """Of encounters: as told, or else their numbers from 1."""
    told = arrays.get(("common", "encounter"))
    if told is not None:
        return [str(name) for name in told[0, 0]]
    return [str(number + 1) for number in range(arrays["own", "reaction"].shape[2])]
