"""The section of strategies in words: how they change, and the best of them as written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from society.analysis.statistics.bands import Bounds
from society.errors import InputError
from society.lineage import Life, Lineage
from society.report.page import Chronicle, ChronicleEntry, Section, SectionPart, folded_section
from society.report.sections.word_chronicle import word_changes
from society.report.tables import Head, Table

from .aggregates import draw_course, generation_table, varies
from .populations import Populations, Values

# By which run files may keep vectors, the better one first.
_EMBEDDERS = ("all-MiniLM-L6-v2", "hashing")
_COUNTS = {
    "strategy_kinds": "different strategies, effective number",
    "strategy_words": "words in a strategy",
    "strategy_numbers": "numbers named in a strategy",
}
_KINDS = " Effective number: how many equally frequent strategies would be as diverse (Hill 1973)."
_DISTANCE = (
    " Distance: 1 - cosine, the mean over all pairs of agents; embeddings show what sentences are "
    "about, not which side they take."
)
_NO_VECTORS = "The run files keep no embeddings of strategies, so distances in meaning are unknown."
_DESCENT = (
    "The words of the fittest agent of the last generation, and of those from whom it descends, by "
    "the generation in which each was born. Marked: words that are new, or gone, since the parent."
)


def strategies_section(populations: Populations) -> Section:
    """Show strategies; empty if nobody has one in words, or runs do not keep them."""
    known = populations.places and not populations.trouble
    best = list(_best(populations)) if known else []
    parts: list[SectionPart] = []
    if best:
        parts = [
            *_changes(populations),
            _best_table(populations, best),
            *_descent(populations, best),
        ]
    return Section("Strategies in words", parts, "strategies")


def _changes(populations: Populations) -> Iterator[SectionPart]:
    distance, frame = _distance(populations), populations.evolution.generations
    if not distance:
        yield _NO_VECTORS
    counts = {name: populations.from_frame(frame, column) for column, name in _COUNTS.items()}
    known = distance | counts
    shown = {name: values for name, values in known.items() if varies(values)}
    if shown:
        lead = (
            f"Means over agents and runs.{_KINDS if _COUNTS['strategy_kinds'] in shown else ''}"
            f"{_DISTANCE if distance else ''}"
        )
        title = "Strategies over generations"
        yield draw_course(populations, "sentences", title, lead, shown, bounds=_bounds(shown))
    table = generation_table(populations, "sentences", "Strategies by generation", known)
    yield folded_section("Strategies in numbers", table)


def _bounds(shown: Iterable[str]) -> dict[str, Bounds]:
    """No count or distance is below zero, and no effective number of strategies below one."""
    return {name: (float(name == _COUNTS["strategy_kinds"]), None) for name in shown}


def _distance(populations: Populations) -> dict[str, Values]:
    """The mean distance of strategies by its name, if run files keep what it takes."""
    for embedder in _EMBEDDERS:
        try:
            frame = populations.evolution.diversity(embedder)
        except InputError:
            continue
        name = f"cosine distance of strategies, by {embedder}"
        return {name: populations.from_frame(frame, "distance")}
    return {}


def _best(populations: Populations) -> Iterator[tuple[int, int, Life]]:
    """The fittest life of the first and the last generation that is over, by condition."""
    for place, lineage in populations.lineages.items():
        for generation in dict.fromkeys((1, populations.generations(place))):
            if life := _fittest(lineage, generation):
                yield place, generation, life


def _fittest(lineage: Lineage, generation: int) -> Life | None:
    """The fittest of a generation among those with a strategy; of equals the first."""
    fitness = {
        life: life.fitness[generation - life.born]
        for life in lineage.generation(generation)
        if life.strategy and len(life.fitness) > generation - life.born
    }
    known = {life: value for life, value in fitness.items() if not np.isnan(value)}
    return max(known, key=lambda life: known[life], default=None)


def _best_table(populations: Populations, best: list[tuple[int, int, Life]]) -> Table:
    rows = [
        (
            *(generation, life.name, life.fitness[generation - life.born]),
            *(life.phenotype[generation - life.born], life.strategy),
        )
        for _, generation, life in best
    ]
    head: Head = [
        ("count", "generation"),
        ("text", "agent"),
        ("figure", "fitness", "phenotype"),
        ("words", "strategy"),
    ]
    notes, conditions = ["In the words of agents and models."], populations.layout.conditions
    if any(conditions[place].manifest.replicates > 1 for place in populations.detailed):
        notes.append("Of each condition the replicate whose last generation was the fittest.")
    first = populations.layout.factor_columns(place for place, *_ in best)
    title = "The fittest of the first and of the last generation"
    return Table.of("strategies", title, head, rows, *notes, first=first)


def _descent(populations: Populations, best: list[tuple[int, int, Life]]) -> Iterator[SectionPart]:
    """Follow the words of the fittest at the end through its ancestors, with what each changed."""
    groups = []
    for place, generation, life in best:
        if generation == populations.generations(place) > 1:
            entries = line_of_words(populations.lineages[place], life.number)
            title = ", ".join(filter(None, [populations.label(place), f"the line of {life.name}"]))
            groups.append((title, entries))
    if groups:
        yield _DESCENT
        yield Chronicle(groups)


def line_of_words(lineage: Lineage, number: int) -> list[ChronicleEntry]:
    """List the strategies of a life and of its ancestors, the founder first, changes marked."""
    line = [life for life in lineage.line(number) if life.strategy][::-1]
    texts = [None, *(life.strategy for life in line)]
    return [
        ChronicleEntry(life.born, life.name, "strategy", word_changes(before, life.strategy))
        for before, life in zip(texts, line, strict=False)
    ]
