"""Norms in the first and the last round of replicates, with the recorded embeddings.

Nothing is embedded here, so that no model is loaded to read a run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array
from society.memory.norm_space import alignment, similarity
from society.runs.agent_names import AgentNames
from society.runs.runfile import RunFile

from .condition import ConditionRun
from .details import require_lines
from .events import PageReading

_NORM = "norm"

_Held = tuple[int, Array, tuple[str, ...]]  # a round, seats and norms


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
    with run.opened() as file:
        require_lines(file)
        names = AgentNames.of_run(file)
        for page in file.pages() if names.of_lives else ():
            names.meet(page)
        first = _first_held(file, range(file.rounds + 1), replicates)
        last = _first_held(file, range(file.rounds, -1, -1), [*first])
        texts = {text for held in (first, last) for _, _, said in held.values() for text in said}
        recorded = _recorded(file, sorted(texts)) if first else None
    if recorded is None:
        return []
    embedder, vectors = recorded
    every = []
    for replicate in first:
        begin, end = (
            HeldNorms(number, seats, said, _stacked(vectors, said))
            for number, seats, said in (first[replicate], last[replicate])
        )
        every.append(NormEnds(embedder, begin, end, partial(names.name, replicate)))
    return every


def _first_held(
    file: RunFile, numbers: Iterable[int], replicates: Sequence[int]
) -> dict[int, _Held]:
    """Find the first of some rounds in which a replicate held norms, if there is one, by id."""
    found, owners = dict[int, _Held](), file.manifest.owners()
    for number in numbers:
        left = [replicate for replicate in replicates if replicate not in found]
        if not left:
            break
        reading = PageReading(next(file.pages(number)), None, owners)
        for replicate in left:
            if (held := _held(reading, replicate)) is not None:
                found[replicate] = number, *held
    return found


def _stacked(vectors: Mapping[str, Array], texts: Sequence[str]) -> Array:
    """Vectors in the order of the texts, (n, d); many may hold the same one."""
    place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    stacked: Array = np.stack([vectors[text] for text in place])
    return stacked[[place[text] for text in texts]]


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
