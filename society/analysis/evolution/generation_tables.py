"""Rows of the tables of evolution, of one generation of one run each.

Arrays of a generation are (R, N); rows are those of replicates that had not ended before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.correlation import slope
from society.analysis.study.frames import FLAG, ID_OR_NONE, NAMED, FrameHeading
from society.analysis.study.study import Study
from society.engine.graph import NOBODY
from society.engine.rng import Array
from society.engine.scenario import mean_over
from society.lineage import Descents, Generation
from society.runs.agent_names import AgentNames

from .price_equation import MutationBias, PriceTerms
from .records import GenerationRecords, Phenotype

_WORD = re.compile(r"\w+(?:['’.,/-]\w+)*")
_NUMBER = re.compile(r"\d+(?:[.,/]\d+)*")


def count_words(text: str) -> int:
    """Count words; what a hyphen, apostrophe or decimal point joins is one.

    >>> count_words("Give 0.5 of what's left to well-known donors.")
    8
    """
    return len(_WORD.findall(text))


def count_numbers(text: str) -> int:
    """Count numbers in digits; "50 %", "1/2" and "0.5" are one each, "90-100 %" is two.

    >>> count_numbers("Give 50% at first, then 1.5 times as much, up to 90-100 %, but never all.")
    4
    """
    return len(_NUMBER.findall(text))


def mean_distance(vectors: Array) -> float:
    """Return the mean cosine distance of two texts, 1 - cos, over all pairs; (n, d) of vectors.

    Texts without a word (zeros) are left out; NaN for fewer than two others.

    >>> mean_distance(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    0.6666666666666667
    """
    worded = vectors[np.any(vectors != 0, axis=1)].astype(float)
    n = len(worded)
    if n < 2:
        return float("nan")
    directions = worded / np.sqrt(np.square(worded).sum(1, keepdims=True))
    products = np.square(directions.sum(0)).sum()  # of all pairs, n of them of a text with itself
    return float(1 - (products - n) / (n * (n - 1)))


def effective_number(kinds: Sequence[object] | Array) -> float:
    """Return the effective number of kinds: exp of Shannon's entropy; NaN if there are none.

    Hill's number of order 1 (Hill 1973, Ecology 54).

    >>> round(effective_number(["a", "a", "b", "b"]), 12)
    2.0
    >>> round(effective_number(["a"] * 9 + ["b"]), 3)
    1.384
    """
    if not len(kinds):
        return float("nan")
    _, counts = np.unique(np.asarray(kinds), return_counts=True)
    shares = counts / counts.sum()
    return float(np.exp(-np.sum(shares * np.log(shares))))


GenerationRows = Mapping[str, Array]

UNITS = {
    "replicate": "id",
    "agent": "id",
    "life": "id",
    "parent": ID_OR_NONE,
    "generation": "number",
    "agents": "count",
    "newborns": "count",
    "survives": FLAG,
    "strategy_words": "mean count",
    "strategy_numbers": "mean count",
    "strategy_kinds": "effective number",
    "distance": "1 - cosine",
    "slope": "phenotype per generation",
}

COLUMNS = {  # of all frames, without measures, traits and factors; the last four are of over_runs
    *UNITS,
    *("name", "newborn", "fitness", "phenotype", "reaction", "strategy", "encounter", "share"),
    *("first_phenotype", "last_phenotype", "first_fitness", "last_fitness"),
    *PriceTerms._fields,
    *MutationBias._fields,
    *("mean", "low", "high", "n"),
}


class RunGeneration(NamedTuple):
    """One generation of one run. place: in the run, from 0. rows: replicates that went on."""

    past: GenerationRecords
    place: int
    now: Generation
    rows: Array

    @property
    def size(self) -> int:
        """The number of agents in these replicates."""
        return len(self.rows) * int(self.now.life.shape[1])

    def flat(self, values: Array) -> Array:
        """Return one value for each agent; (R, N, ...) -> (rows * N, ...)."""
        there = values[self.rows]
        return there.reshape(-1, *there.shape[2:])


def run_generations(past: GenerationRecords) -> Iterator[RunGeneration]:
    """Return the generations of a run, in order."""
    for place, now in enumerate(past.generations):
        yield RunGeneration(past, place, now, np.flatnonzero(now.running))


def evolution_heading(study: Study) -> FrameHeading:
    """Name factors unlike any column of the frames of evolution."""
    notes = [note for run in study.played for note in run.manifest.columns if note.heritable]
    traits = {f"{note.name}{end}" for note in notes for end in ("", "_sd", "_kinds")}
    taken, names = COLUMNS | traits, dict[str, str]()
    for factor in study.levels:
        name = factor
        while name in taken or (name != factor and name in study.levels):
            name += "_level"
        names[factor] = name
    own = study.heading
    levels = {names[factor]: labels for factor, labels in own.levels.items()}
    labels = [
        {names[each]: levels_of[each] for each in names if each in levels_of}
        for levels_of in own.labels
    ]
    return FrameHeading(own.names, levels, labels)


def agent_columns(era: RunGeneration) -> dict[str, Array]:
    """Return the columns that say which agent a row is about."""
    seats, names = era.now.life.shape[1], AgentNames(era.past.run.manifest)
    return {
        "replicate": np.repeat(era.rows, seats),
        "generation": np.full(era.size, era.now.number),
        "agent": np.tile(np.arange(seats), len(era.rows)),
        "name": np.array([names.of_life(life) for life in era.flat(era.now.life).tolist()], object),
    }


def life_rows(era: RunGeneration) -> GenerationRows:
    """Return one row for each agent; see Evolution.lives."""
    past, now = era.past, era.now
    parent = era.flat(now.parent)
    texts = past.strategies(now)
    survives = np.full(now.life.shape, np.nan) if now.survives is None else now.survives
    columns: dict[str, Array] = {
        **agent_columns(era),
        "life": era.flat(now.life),
        "parent": np.where(parent == NOBODY, np.nan, parent),
        "newborn": era.flat(now.newborn),
        "survives": era.flat(survives),
        "fitness": era.flat(past.value(now, "fitness")),
        "phenotype": era.flat(past.value(now, "phenotype")),
        "reaction": era.flat(past.value(now, "reaction")),
    }
    if texts is not None:
        columns["strategy"] = era.flat(texts)
    for name in past.traits:
        if name != "strategy":
            columns[NAMED + name] = era.flat(past.trait(now, name))
    return columns


def generation_rows(era: RunGeneration) -> GenerationRows:
    """Return one row for each replicate; see Evolution.generations."""
    past, now = era.past, era.now
    columns: dict[str, Array] = {
        "replicate": era.rows,
        "generation": np.full(len(era.rows), now.number),
        "agents": np.full(len(era.rows), now.life.shape[1]),
        "newborns": now.newborn[era.rows].sum(1),
    }
    columns |= {name: values[era.rows] for name, values in past.measures[era.place].items()}
    texts = past.strategies(now)
    if texts is not None:
        there = texts[era.rows]
        columns["strategy_words"] = _mean_count(there, count_words)
        columns["strategy_numbers"] = _mean_count(there, count_numbers)
        columns["strategy_kinds"] = np.array([effective_number(row[row != ""]) for row in there])
    for name, column in past.traits.items():
        if name != "strategy":
            own = past.trait(now, name)[era.rows][:, past.holders[name]]
            columns |= _spread(name, own, labelled=bool(column.labels))
    return columns


def _mean_count(texts: Array, count: Callable[[str], int]) -> Array:
    """Return the mean count over agents who have a strategy, (R, N) of text -> (R,)."""
    counts = [[count(text) for text in row if text] for row in texts.tolist()]
    return np.array([np.mean(row) if row else np.nan for row in counts])


def _spread(name: str, values: Array, *, labelled: bool) -> dict[str, Array]:
    """Summarise a trait over agents, (R, N): number of kinds of labels, or mean and deviation."""
    if labelled or values.dtype.kind == "O":
        return {f"{name}_kinds": np.array([effective_number(row.astype(str)) for row in values])}
    return {NAMED + name: values.mean(1), f"{name}_sd": values.std(1)}


def reaction_rows(era: RunGeneration) -> GenerationRows:
    """Return one row for each agent and encounter; see Evolution.reactions."""
    reaction = era.now.reaction
    if reaction is None:
        return {}
    names, shares = era.past.encounters, era.flat(reaction)
    whom = {name: np.repeat(values, len(names)) for name, values in agent_columns(era).items()}
    return {
        **whom,
        "newborn": np.repeat(era.flat(era.now.newborn), len(names)),
        "encounter": np.array(names * len(shares), object),
        "share": shares.reshape(-1),
    }


Split = Callable[[Array, Array, Descents, Array], PriceTerms | MutationBias]


def step_rows(era: RunGeneration, of: Phenotype, split: Split) -> GenerationRows:
    """Return one row for each replicate, the terms of the step from the generation before."""
    if era.place == 0 or not len(era.rows):
        return {}
    past, now = era.past, era.now
    old, new = past.value(past.generations[era.place - 1], of), past.value(now, of)
    terms = [
        split(
            old[replicate],
            new[replicate],
            past.descents(era.place, replicate),
            now.newborn[replicate],
        )
        for replicate in era.rows.tolist()
    ]
    return {
        "replicate": era.rows,
        "generation": np.full(len(era.rows), now.number),
        **dict(zip(terms[0]._fields, np.array(terms, float).T, strict=True)),
    }


def _mean(values: Array, running: Array) -> Array:
    """Return means over agents whose value is known, (R, N) -> (R,)."""
    return mean_over(running & ~np.isnan(values), values)


def course_rows(past: GenerationRecords) -> GenerationRows:
    """Return one row for each replicate; see Evolution.courses."""
    replicates = past.run.manifest.replicates
    means = {}
    for of in ("phenotype", "fitness"):
        over = [_mean(past.value(now, of), now.running) for now in past.generations]
        means[of] = np.stack(over, axis=1)
    when = [now.number for now in past.generations]
    return {
        "replicate": np.arange(replicates),
        "first_phenotype": means["phenotype"][:, 0],
        "last_phenotype": means["phenotype"][:, -1],
        "first_fitness": means["fitness"][:, 0],
        "last_fitness": means["fitness"][:, -1],
        "slope": slope(when, means["phenotype"]),
    }


def distance_rows(era: RunGeneration, vectors: Mapping[str, Array]) -> GenerationRows:
    """Return one row for each replicate; see Evolution.diversity."""
    texts = era.past.strategies(era.now)
    if texts is None:
        return {}
    apart = [
        mean_distance(np.array([vectors[text] for text in row if text])) for row in texts[era.rows]
    ]
    return {
        "replicate": era.rows,
        "generation": np.full(len(era.rows), era.now.number),
        "distance": np.array(apart, float),
    }
