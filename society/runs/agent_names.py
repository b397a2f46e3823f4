"""Names of the agents of a run, as its prompts have them: "villager 2", "agent 2_4", "the referee".

Where lives take turns on a seat, the pages of the run tell who has it; see society.engine.naming.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from society.engine.history import Page
from society.engine.rng import Array
from society.lineage import TELL_LIVES
from society.lineage.lives import name_life

if TYPE_CHECKING:
    from .manifest import Manifest
    from .reader import RunFile


class AgentNames:
    """Names of agents by replicate and seat, as of the page that was met last."""

    def __init__(self, manifest: Manifest) -> None:
        self.naming, self._agents = manifest.naming, manifest.agents
        self._types, self._shape = manifest.types, (manifest.replicates, manifest.agents)
        self._cohorts = [cohort.name for cohort in manifest.cohorts]
        self._lives: Array | None = None  # (R, N), where lives take turns on a seat
        self._before: Array | None = None  # those of the page before

    @classmethod
    def of_run(cls, run: RunFile) -> AgentNames:
        """The names before the first round."""
        names = cls(run.manifest)
        # Lives are told from the first round on; before it founders have the seats, by number.
        for first in islice(run.pages(1), 1):
            names.meet(first)
        if names._lives is not None:
            names._lives = np.broadcast_to(np.arange(names._agents), names._shape)
        return names

    def meet(self, page: Page) -> None:
        """Learn which lives have the seats from this page on."""
        self._before = self._lives
        for step in page.steps:
            lives = step.arrays.get(("own", "life")) if step.kind in TELL_LIVES else None
            # A file that somebody else made may say anything.
            if lives is not None and lives.shape == self._shape and lives.dtype.kind in "iu":
                self._lives = lives

    def name(self, replicate: int, seat: int) -> str:
        """Return the name of the agent on a seat."""
        if not (0 <= replicate < self._shape[0] and 0 <= seat < self._shape[1]):
            return self.of_unknown(seat)
        return self._name(replicate, seat)

    def former(self, replicate: int, seat: int) -> str:
        """Return the name of the agent who had a seat until this page."""
        return self.before().name(replicate, seat)

    def before(self) -> AgentNames:
        """The names as of the page before."""
        names = copy(self)
        names._lives = self._before
        return names

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
        cohort, types = self.cohort(replicate, seat), self._types[replicate % len(self._types)]
        alone = cohort in self.naming.of_cohorts and (types == types[seat]).sum() == 1
        return self.naming.whole(short, cohort, alone=bool(alone))

    def cohort(self, replicate: int, seat: int) -> str:
        """Return the cohort on a seat; "" if there is none."""
        number = self._types[replicate % len(self._types), seat]
        return self._cohorts[number] if number >= 0 else ""

    def with_type(self, replicate: int, seat: int) -> str:
        """Return the name with its type, if there are several: "agent 2 (tit_for_tat)"."""
        name = self.name(replicate, seat)
        if self.of_unknown(seat) == name:
            return name
        cohort = self.cohort(replicate, seat)
        plain = len(self._cohorts) < 2 or not cohort or cohort in self.naming.of_cohorts
        return name if plain else f"{name} ({cohort})"

    def of_life(self, life: int) -> str:
        """Return the name of a life, there or not."""
        return self.naming.whole(name_life(life, self._agents))

    def of_seats(self, replicates: Array, seats: Array) -> Array:
        """Return the name of each agent, by replicate and seat."""
        numbers = seats if self._lives is None else self._lives[replicates, seats]
        if self.naming.of_cohorts:  # the same number may be of another type elsewhere
            numbers = numbers * len(self._types) + replicates % len(self._types)
        _, first, place = np.unique(numbers, return_index=True, return_inverse=True)
        pairs = zip(replicates[first].tolist(), seats[first].tolist(), strict=True)
        names: Array = np.array([self._name(*pair) for pair in pairs], object)
        return names[place]


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
