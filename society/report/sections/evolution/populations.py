"""The conditions of a study in which societies evolve, generation by generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from society.analysis.evolution import Evolution
from society.analysis.study.frames import CONDITION
from society.draws import Array
from society.errors import SocietyError
from society.lineage import Lineage
from society.report.figures.style import LOOKS
from society.report.layout import Layout, named
from society.scenario import mean_over

FITNESS, PHENOTYPE = "fitness", "phenotype"
_NO_AGENTS = (
    "Runs at level summary do not keep what single agents did, nor who descends from whom; play "
    "with record: full."
)
_MECHANISM = "generations"


class Populations:
    """Conditions with generations, by their places in the layout.

    shown: those that figures show in colour; where there are too many, the ones with the lowest
    and the highest outcome.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.places = [
            place
            for place, run in enumerate(layout.conditions)
            if run.manifest.stage.levels[0] == "generation" and self._ends[place].any()
        ]
        self.shown = self.places
        if len(self.places) > len(LOOKS):
            self.shown = [place for place in layout.extremes() if place in self.places]

    @cached_property
    def _ends(self) -> list[Array]:
        """Of each condition, the rounds at whose end a generation was selected, (T,) of bool."""
        if FITNESS not in self.layout.folds:
            return [np.zeros(1, bool) for _ in self.layout.conditions]
        return [np.any(~np.isnan(each), axis=0) for each in self.layout.by_round(FITNESS)]

    def generations(self, place: int) -> int:
        """How many a condition has finished."""
        return int(self._ends[place].sum())

    @cached_property
    def once(self) -> frozenset[str]:
        """Measures that are taken once in a generation at most, where all conditions evolve."""
        if len(self.places) < len(self.layout.conditions):
            return frozenset()
        return frozenset(name for name in self.layout.folds if self._rare(name))

    def _rare(self, name: str) -> bool:
        taken = [int((~np.isnan(each)).any(0).sum()) for each in self.layout.by_round(name)]
        return all(taken[place] <= self.generations(place) for place in self.places)

    def by_generation(self, name: str) -> dict[int, Array]:
        """A measure's mean over the rounds of each generation, (R, G), NaN where there is none."""
        values = self.layout.by_round(name)
        return {place: _folded(values[place], self._ends[place]) for place in self.places}

    @cached_property
    def best(self) -> Mapping[int, int]:
        """Of each condition, the replicate whose last generation was the fittest."""
        last = {place: values[:, -1] for place, values in self.by_generation(FITNESS).items()}
        return {
            place: int(np.argmax(np.nan_to_num(each, nan=-np.inf))) for place, each in last.items()
        }

    def named(self, place: int) -> str:
        """A condition in a legend or above a panel; "" if there is no other."""
        return self.layout.name(place) if len(self.places) > 1 else ""

    def trait(self, use: str) -> str:
        """What fitness or phenotype is the mean of, as far as all runs say the same: " (share)"."""
        said = {_setting(self.layout.conditions[place].manifest.spec, use) for place in self.places}
        return f" ({one})" if len(said) == 1 and (one := said.pop()) else ""

    @property
    def whose(self) -> str:
        """In words, what names of conditions mean, and which are shown, if not all."""
        names = named(list(self.layout.levels)) if len(self.places) > 1 else ""
        if self.shown is self.places:
            return names
        return (
            f"{names} Of {len(self.places)} conditions those with the lowest and the highest mean "
            f"{self.layout.outcome}."
        )

    @cached_property
    def followed(self) -> list[int]:
        """Those of the conditions shown whose runs keep what single agents did."""
        conditions = self.layout.conditions
        return [place for place in self.shown if conditions[place].manifest.level == "full"]

    @cached_property
    def evolution(self) -> Evolution:
        """Of those."""
        runs = tuple(self.layout.conditions[place] for place in self.followed)
        return Evolution(replace(self.layout.study, played=runs))

    @cached_property
    def trouble(self) -> str:
        """Why nothing can be said of single agents; "" if it can."""
        try:
            found = self.lineages
        except SocietyError as error:  # a graph of the user's that is not where it was, say
            return f"What single agents did cannot be told: {error}."
        return "" if found else _NO_AGENTS

    @cached_property
    def lineages(self) -> Mapping[int, Lineage]:
        """Of the best replicate of each condition that is followed."""
        return {
            place: self.evolution.lineage(self.layout.conditions[place].name, self.best[place])
            for place in self.followed
        }

    def framed(self, frame: Any, column: str) -> dict[int, Array]:
        """A column of a frame of evolution, (R, G) for each condition followed; NaN: no row."""
        found = {}
        for place in self.followed:
            run = self.layout.conditions[place]
            own = frame[frame[CONDITION] == run.name]
            values = np.full((run.manifest.replicates, self.generations(place)), np.nan)
            generation = own["generation"].to_numpy(int) - 1
            over = generation < values.shape[1]  # the last one may not be over
            at = own["replicate"].to_numpy(int)[over], generation[over]
            values[at] = own[column].to_numpy(float)[over]
            found[place] = values
        return found


def _folded(values: Array, ends: Array) -> Array:
    """Means over rounds (R, T) up to each end (T,)."""
    eras = np.split(values, np.flatnonzero(ends) + 1, axis=1)[:-1]  # the last one is not over
    return np.stack([mean_over(~np.isnan(era), era) for era in eras], axis=1)


def _setting(spec: Mapping[str, object], use: str) -> str:
    """The fact that the mechanism takes for fitness or phenotype; "" if a spec does not say."""
    mechanisms = spec.get("mechanisms", [])
    for part in mechanisms if isinstance(mechanisms, list) else []:
        if isinstance(part, Mapping) and isinstance(own := part.get(_MECHANISM), Mapping):
            return str(own.get(use) or own.get(FITNESS) or "")
    return ""
