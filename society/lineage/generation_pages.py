"""Generations as the pages of a run tell of them, for all replicates at once.

Courses of measures, which have a value for each round, generation by generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from society.engine.history import Page, Step
from society.engine.rng import Array
from society.errors import InputError

# The kinds of the lines that begin and end a generation.
DESCENDED, SELECTED = "descended", "selected"
ARRIVED = "arrived"  # tells lives in each round of a play in which people come and go
TELL_LIVES = DESCENDED, ARRIVED


class Generation(NamedTuple):
    """One generation as pages tell of it; (R, N) each, or None if it was not told (yet).

    life, parent: numbers of lives; NOBODY for those without parents. running: (R, 1), replicates
    that had not ended before. elder: whose strategies were shown to those who look at them, by
    their seats in the generation before; devising: who was asked for a strategy; strategy:
    everybody's text. reaction: (R, N, B); encounters: names of what it is to, or numbers. public:
    columns as the generation began.
    """

    number: int
    life: Array
    parent: Array
    newborn: Array
    running: Array
    public: Mapping[str, Array]
    elder: Array | None = None
    devising: Array | None = None
    strategy: Array | None = None
    reaction: Array | None = None
    encounters: tuple[str, ...] = ()
    fitness: Array | None = None
    phenotype: Array | None = None
    survives: Array | None = None


def list_generations(pages: Iterable[Page]) -> Iterator[Generation]:
    """Each generation of a run, as far as it has come.

    Raises InputError if pages have no lines, or the run has no generations.
    """
    now: Generation | None = None
    running, lines = None, False
    for page in pages:
        for step in page.steps:
            lines = True
            if step.kind == DESCENDED:
                if now is not None:
                    yield now
                now = _begun(step, page, running)
            elif now is not None:
                now = _noted(now, step)
        running = page.running
    if now is None:
        raise InputError(_NO_GENERATIONS if lines else _NO_LINES)
    yield now


_NO_LINES = (
    "this run was recorded at level summary, which does not keep who descends from whom; play it "
    "with --record full"
)
_NO_GENERATIONS = (
    "this run has no generations; wrap its scenario in them, as in mechanisms: [generations: "
    "{fitness: payoff}]"
)


def _begun(step: Step, page: Page, running: Array | None) -> Generation:
    life, parent, newborn = (step.arrays["own", name] for name in ("life", "parent", "newborn"))
    number = int(step.arrays["common", "generation"][0, 0])
    at_first: Array = np.ones((len(life), 1), bool)
    running = at_first if running is None else running.reshape(-1, 1)
    return Generation(number, life, parent, newborn, running, page.public)


def _noted(now: Generation, step: Step) -> Generation:
    """Add what one more line says of the generation; a play may have lines of the same kind."""
    told = {name: values for (role, name), values in step.arrays.items() if role == "own"}
    if ("seen advise", "elder") in step.arrays:
        elder, devising = step.arrays["seen advise", "elder"], step.arrays["who", ""]
        return now._replace(elder=elder, devising=devising)
    if step.kind == "devised":
        return now._replace(strategy=told.get("strategy", now.strategy))
    if step.kind == SELECTED and "survives" in told:
        fitness, phenotype, survives = told["fitness"], told["phenotype"], told["survives"]
        return now._replace(fitness=fitness, phenotype=phenotype, survives=survives)
    if "reaction" in told:
        return now._replace(reaction=told["reaction"], encounters=_encounters(step))
    return now


def _encounters(step: Step) -> tuple[str, ...]:
    """Names of encounters, as told, or else their numbers from 1."""
    names = step.arrays.get(("common", "encounter"))
    if names is not None:
        return tuple(str(name) for name in names[0, 0])
    return tuple(str(number + 1) for number in range(step.arrays["own", "reaction"].shape[2]))


def by_generation(values: Array, ended: Array) -> Array:
    """Means over the known values of each generation that is over; (R, T) -> (R, G).

    ended: at the end of which rounds a generation was selected, (T,) of bool. NaN where none is
    known.

    >>> by_generation(np.array([[1.0, 3.0, np.nan, 5.0]]), np.array([False, True, False, True]))
    array([[2., 5.]])
    """
    last = np.flatnonzero(ended)
    if not len(last):
        return np.empty((len(values), 0))
    begins = np.concatenate([[0], last[:-1] + 1])
    within = values[:, : last[-1] + 1]
    known = ~np.isnan(within)
    count = np.add.reduceat(known, begins, axis=1, dtype=int)
    total = np.add.reduceat(np.where(known, within, 0.0), begins, axis=1)
    mean: Array = total / np.where(count, count, np.nan)
    return mean
