"""Norms in the first and the last round of replicates, with the recorded embeddings.

Nothing is embedded here, so that no model is loaded to read a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array
from society.memory.norm_space import alignment, similarity
from society.runs.agent_names import AgentNames
from society.runs.runfile import RunFile

from .condition import ConditionRun
from .details import read_pages
from .events import PageReading

_NORM = "norm"


class HeldNorms(NamedTuple):
    """The norms that agents hold at the end of a round: seats (n,), texts (n,), vectors (n, d)."""

    round: int
    seats: Array
    texts: tuple[str, ...]
    vectors: Array

    @property
    def alignment(self) -> float:
        """The mean cosine with the mean of all."""
        return alignment(self.vectors)

    @property
    def similarity(self) -> float:
        """The mean cosine over pairs of agents."""
        return similarity(self.vectors)


class NormEnds(NamedTuple):
    """The first and the last round with norms; name: returns that of the agent on a seat."""

    embedder: str
    first: HeldNorms
    last: HeldNorms
    name: Callable[[int], str]


def read_norm_ends(run: ConditionRun, replicates: Sequence[int] = (0,)) -> list[NormEnds]:
    """Read the norms of some replicates, and their embeddings.

    Without norms, or embeddings of them, a replicate is left out. Raises InputError for a run at
    level summary.
    """
    found: dict[int, list[tuple[int, Array, tuple[str, ...]]]] = {}
    with run.opened() as file:
        names = AgentNames.of_run(file)
        for reading in read_pages(file):
            names.meet(reading.page)
            for replicate in replicates:
                held = _held(reading, replicate)
                if held is not None:
                    begun = found.get(replicate, [])[:1]
                    found[replicate] = [*begun, (reading.page.number, *held)]
        texts = {text for ends in found.values() for end in ends for text in end[2]}
        recorded = _recorded(file, sorted(texts)) if found else None
    if recorded is None:
        return []
    embedder, vectors = recorded
    every = []
    for replicate, ends in found.items():
        first, last = (
            HeldNorms(*end, np.stack([vectors[text] for text in end[2]]))
            for end in (ends[0], ends[-1])
        )
        every.append(NormEnds(embedder, first, last, partial(names.name, replicate)))
    return every


def _held(reading: PageReading, replicate: int) -> tuple[Array, tuple[str, ...]] | None:
    """Return seats and norms at the end of a round; None if none was reconsidered in it."""
    told = [one for one in reading.statements if one.name == _NORM and one.of_agents]
    if not told:
        return None
    page, said = reading.page, told[-1].values[replicate]
    kept = page.public[_NORM][replicate] if _NORM in page.public else np.full(len(said), "")
    texts = np.where(kept.astype(bool), kept, said)  # what is held counts before what is said
    there = page.present[replicate] & page.running[replicate] & (texts != "")
    seats = np.flatnonzero(there)
    return (seats, tuple(map(str, texts[seats]))) if len(seats) else None


def _recorded(file: RunFile, texts: Sequence[str]) -> tuple[str, dict[str, Array]] | None:
    """Return the embeddings of all the texts by an embedder that has them all, with its name."""
    for embedder in file.embedders():
        vectors = file.vectors(embedder, texts)
        if len(vectors) == len(texts):
            return embedder, vectors
    return None
