"""The chapter of strategies in words: how they change, and the best of them as written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from society.errors import InputError
from society.lineage import Life, Lineage
from society.report.figures.trends import trends
from society.report.page import Chapter, Fold, Paragraph, Part
from society.report.sections.evolution.aggregates import Values, drawn_from, numbers, panel, varies
from society.report.sections.evolution.populations import Populations
from society.report.tables import Column, Table

_EMBEDDERS = (
    "all-MiniLM-L6-v2",
    "hashing",
)  # by which run files may keep vectors, the better first
_COUNTS = {
    "strategy_kinds": "different strategies, effective number",
    "strategy_words": "words in a strategy",
    "strategy_numbers": "numbers named in a strategy",
}
_KINDS = " Effective number: how many equally frequent strategies would be as diverse (Hill 1973)."
_DISTANCE = (
    " Distance: 1 - cosine, the mean over all pairs of agents; embeddings tell what sentences are "
    "about, not which side they take."
)
_NO_VECTORS = (
    "The run files keep no embeddings of strategies, so that how far apart in meaning they are is "
    "not told."
)


class _Best(NamedTuple):
    """The life that did best in a generation of a condition."""

    place: int
    generation: int
    life: Life

    def told(self, values: tuple[float, ...]) -> float:
        """What it had in this generation."""
        return values[self.generation - self.life.born]


def strategies(of: Populations) -> Chapter | None:
    """The chapter; None if nobody has a strategy in words, or runs do not keep them."""
    if not of.places or of.trouble:
        return None
    best = list(_best(of))
    parts = [*_changes(of), *_quoted(of, best)] if best else []
    return Chapter("strategies", "Strategies in words", parts) if parts else None


def _changes(of: Populations) -> Iterator[Part]:
    distance, frame = _distance(of), of.evolution.generations
    if not distance:
        yield Paragraph(_NO_VECTORS)
    known = distance | {name: of.framed(frame, column) for column, name in _COUNTS.items()}
    shown = {name: values for name, values in known.items() if varies(values)}
    if shown:
        words = (
            f"Means over agents and runs.{_KINDS if _COUNTS['strategy_kinds'] in shown else ''}"
            f"{_DISTANCE if distance else ''}{drawn_from(of, [*shown.values()])}"
        )
        panels = [panel(of, name, values) for name, values in shown.items()]
        yield trends("sentences", "Strategies over generations", words, panels)
    table = numbers(of, "sentences", "Strategies by generation", known)
    yield Fold("Strategies in numbers", [table])


def _distance(of: Populations) -> dict[str, Values]:
    """By its name, the mean distance of strategies, if run files keep what it takes."""
    for embedder in _EMBEDDERS:
        try:
            frame = of.evolution.diversity(embedder)
        except InputError:
            continue
        return {f"cosine distance of strategies, by {embedder}": of.framed(frame, "distance")}
    return {}


def _best(of: Populations) -> Iterator[_Best]:
    """Of the first and the last generation that is over, in the replicates that are shown."""
    for place, lineage in of.lineages.items():
        for generation in dict.fromkeys((1, of.generations(place))):
            if life := _fittest(lineage, generation):
                yield _Best(place, generation, life)


def _fittest(lineage: Lineage, generation: int) -> Life | None:
    """Who did best in a generation among those with a strategy; of equals the first."""
    done = {
        life: life.fitness[generation - life.born]
        for life in lineage.generation(generation)
        if life.strategy and len(life.fitness) > generation - life.born
    }
    known = {life: fitness for life, fitness in done.items() if not np.isnan(fitness)}
    return max(known, key=lambda life: known[life], default=None)


def _quoted(of: Populations, best: list[_Best]) -> Iterator[Table]:
    columns = [
        *of.layout.columns(one.place for one in best),
        Column("generation", [one.generation for one in best], "count"),
        Column("agent", [one.life.name for one in best]),
        Column("fitness", [one.told(one.life.fitness) for one in best], "figure"),
        Column("phenotype", [one.told(one.life.phenotype) for one in best], "figure"),
        Column("strategy", [one.life.strategy for one in best], "words"),
    ]
    notes = ["In the words of agents and models."]
    if any(of.layout.conditions[place].manifest.replicates > 1 for place in of.followed):
        notes.append("Of each condition the replicate whose last generation was the fittest.")
    caption = "Who did best in the first and in the last generation"
    yield Table("strategies", caption, columns, notes)
