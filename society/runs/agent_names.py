"""Names of the agents of a run, as its prompts have them: "villager 2", "agent 2_4", "the referee".

Where lives take turns on a seat, the pages of the run tell who has it; see society.engine.naming.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from society.engine.history import Page
from society.engine.rng import Array
from society.lineage import DESCENDED
from society.lineage.lives import name_life

if TYPE_CHECKING:
    from .manifest import Manifest
    from .reader import RunFile


class AgentNames:
    """Names of agents by replicate and seat, as of the page that was met last."""

    def __init__(self, manifest: Manifest) -> None:
        self.naming, self._agents = manifest.naming, manifest.agents
        self._types = manifest.types
        self._cohorts = [cohort.name for cohort in manifest.cohorts]
        self._lives: Array | None = None  # (R, N), where lives take turns on a seat
        self._known: dict[tuple[int, int], str] = {}

    @classmethod
    def of_run(cls, run: RunFile) -> AgentNames:
        """The names before the first round."""
        names = cls(run.manifest)
        # Founders are told of in the first round, and have their names before it.
        for first in islice(run.pages(1), 1):
            names.meet(first)
        return names

    def meet(self, page: Page) -> None:
        """Learn which lives have the seats from this page on."""
        for step in page.steps:
            if step.kind == DESCENDED and ("own", "life") in step.arrays:
                self._lives, self._known = step.arrays["own", "life"], {}

    def name(self, replicate: int, seat: int) -> str:
        """Return the name of the agent on a seat."""
        place = replicate, seat
        if place not in self._known:
            self._known[place] = self._name(*place)
        return self._known[place]

    @property
    def of_lives(self) -> bool:
        """Whether lives take turns on a seat, and have the names."""
        return self.naming.by_life or self._lives is not None

    def of_unknown(self, seat: int) -> str:
        """Name the seat, where no page tells which life has it."""
        return f"{self.naming.noun} on seat {seat}"

    def _name(self, replicate: int, seat: int) -> str:
        if self._lives is None and self.naming.by_life:  # at record level summary
            return self.of_unknown(seat)
        if self._lives is None:
            short = self.naming.short(seat, self._agents)
        else:
            short = name_life(int(self._lives[replicate, seat]), self._agents)
        types = self._types[replicate % len(self._types)]
        alone = bool((types == types[seat]).sum() == 1)
        return self.naming.whole(short, self._cohort(replicate, seat), alone=alone)

    def _cohort(self, replicate: int, seat: int) -> str:
        number = self._types[replicate % len(self._types), seat]
        return self._cohorts[number] if number >= 0 else ""

    def with_type(self, replicate: int, seat: int) -> str:
        """Return the name with its type, if there are several: "agent 2 (tit_for_tat)"."""
        name, cohort = self.name(replicate, seat), self._cohort(replicate, seat)
        plain = len(self._cohorts) < 2 or not cohort or cohort in self.naming.of_cohorts
        return name if plain else f"{name} ({cohort})"

    def of_life(self, life: int) -> str:
        """Return the name of a life, there or not."""
        return self.naming.whole(name_life(life, self._agents))

    def of_seats(self, replicates: Iterable[int], seats: Iterable[int]) -> Array:
        """Return the name of each agent, by replicate and seat."""
        places = zip(replicates, seats, strict=True)
        return np.array([self.name(int(one), int(seat)) for one, seat in places], object)


def names_by_round(
    run: RunFile,
    places: Sequence[tuple[int, int, int]],
    name: Callable[[AgentNames, int, int], str] = AgentNames.name,
) -> list[str]:
    """Return the names of agents by round, replicate and seat, in the same order."""
    names, found = AgentNames.of_run(run), dict[tuple[int, int, int], str]()
    wanted: dict[int, list[tuple[int, int, int]]] = {}
    for place in dict.fromkeys(places):
        wanted.setdefault(place[0], []).append(place)
    for page in run.pages() if names.of_lives else ():
        names.meet(page)
        found |= {place: name(names, *place[1:]) for place in wanted.pop(page.number, ())}
    # A round that is not over has no page yet, which would tell who was born in it.
    for place in (place for rest in wanted.values() for place in rest):
        found[place] = names.of_unknown(place[2]) if names.of_lives else name(names, *place[1:])
    return [found[place] for place in places]
