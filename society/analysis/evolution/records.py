"""Records of the generations of one run, read once from its file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from society.analysis.study.condition import ConditionRun
from society.engine.gateway import TextEmbedder
from society.engine.history import Page
from society.engine.rng import Array
from society.engine.scenario import Folded
from society.errors import InputError, short_path
from society.lineage import (
    Descents,
    Generation,
    Heredity,
    Lineage,
    descents,
    elders,
    lineage_of,
    list_generations,
)
from society.runs.heritable import run_heredity
from society.runs.manifest import ColumnNote

Phenotype = Literal["phenotype", "fitness", "reaction"]


@dataclass(frozen=True, eq=False)
class GenerationRecords:
    """The generations of a run.

    measures: of each generation, (R,) each, folded over its rounds as a run folds them; without
    those that wait for something. traits: heritable columns that are public. holders: seats that
    have them, (N,) of bool each.
    """

    run: ConditionRun
    generations: tuple[Generation, ...]
    measures: tuple[Mapping[str, Array], ...]
    traits: Mapping[str, ColumnNote]
    holders: Mapping[str, Array]

    @classmethod
    def read(cls, run: ConditionRun) -> GenerationRecords:
        """Read a run file; raises InputError if it has no generations, or no lines are kept."""
        manifest, folds = run.manifest, dict[int, dict[str, Folded]]()
        notes = [note for note in manifest.measures if note.fold != "first"]

        def fold_measures(pages: Iterable[Page]) -> Iterator[Page]:
            for page in pages:
                for generation in page.path[:1]:
                    fresh = {
                        note.name: Folded(note.fold, note.unit, manifest.replicates)
                        for note in notes
                    }
                    for name, fold in folds.setdefault(generation, fresh).items():
                        if name in page.measures:
                            fold.add(page.number, page.measures[name])
                yield page

        with run.opened() as file:
            try:
                generations = tuple(list_generations(fold_measures(file.pages())))
            except InputError as error:
                raise InputError(f"{short_path(run.path)}: {error}") from None
        measures = tuple(
            {name: fold.values() for name, fold in folds.get(now.number, {}).items()}
            for now in generations
        )
        traits = {note.name: note for note in manifest.columns if note.heritable}
        holders = {name: manifest.seated(note.cohorts) for name, note in traits.items()}
        return cls(run, generations, measures, traits, holders)

    @property
    def encounters(self) -> tuple[str, ...]:
        """The names of the encounters that reactions are to."""
        return next((now.encounters for now in reversed(self.generations) if now.encounters), ())

    @cached_property
    def heredity(self) -> Heredity:
        """The heritable columns by seat, and the relation along which strategies are seen."""
        return run_heredity(self.run.manifest)

    def lineage(self, replicate: int = 0) -> Lineage:
        """Return all lives of one replicate."""
        naming = self.run.manifest.naming
        return lineage_of(self.generations, replicate, self.heredity, naming)

    def descents(self, place: int, replicate: int) -> Descents:
        """Return the descent of one generation from the one before; place: in the run, from 1."""
        before, now = self.generations[place - 1 : place + 1]
        return descents(before, now, replicate, self.heredity)

    @cached_property
    def advised(self) -> bool:
        """True if any agent devised its strategy by the advice of elders."""
        steps = pairwise(self.generations)
        return any(
            len(elders(before, now, replicate, self.heredity).advised.children)
            for before, now in steps
            for replicate in np.flatnonzero(now.running).tolist()
        )

    def value(self, now: Generation, of: Phenotype) -> Array:
        """Return the phenotype, fitness or mean reaction of each agent, (R, N); NaN if unknown.

        reaction: the mean over all encounters.
        """
        values = {"phenotype": now.phenotype, "fitness": now.fitness, "reaction": now.reaction}[of]
        if values is None:
            return np.full(now.life.shape, np.nan)
        return values.mean(2) if values.ndim > 2 else values

    def trait(self, now: Generation, name: str) -> Array:
        """Return a trait of each agent as the generation began, (R, N): words, or numbers.

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
        """Return the strategy of each agent, (R, N) of text; "" for agents without one."""
        texts = now.public.get("strategy") if now.strategy is None else now.strategy
        if texts is None or texts.dtype.kind not in "OU":
            return None
        words = [text if isinstance(text, str) else "" for text in texts.reshape(-1).tolist()]
        return np.array(words, object).reshape(texts.shape)

    def vectors(self, embedder: TextEmbedder | str) -> dict[str, Array]:
        """Return the vector of every strategy in the run, by text.

        embedder: or the name of one whose vectors are kept in the run file; raises InputError for
        those that are not.
        """
        strategies = [self.strategies(now) for now in self.generations]
        texts = sorted(
            {text for each in strategies if each is not None for text in each.flat if text}
        )
        if not isinstance(embedder, str):
            return dict(zip(texts, embedder.embed(texts), strict=True)) if texts else {}
        with self.run.opened() as file:
            known = file.vectors(embedder, texts)
        missing = sum(text not in known for text in texts)
        if missing:
            raise InputError(
                f"{short_path(self.run.path)} keeps no vectors by {embedder} of {missing} of its "
                f"{len(texts)} strategies; give an embedder in place of a name"
            )
        return known
