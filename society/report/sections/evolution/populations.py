"""The conditions of a study in which societies evolve, generation by generation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from society.analysis.evolution import Evolution
from society.analysis.findings.generation_findings import generation_quantity
from society.analysis.statistics.bands import UNBOUNDED, Bounds
from society.analysis.study.design import FITNESS, PHENOTYPE
from society.analysis.study.frames import CONDITION
from society.engine.fact_specs import UNSPECIFIED
from society.engine.rng import Array
from society.errors import SocietyError
from society.lineage import Lineage
from society.report.figures.scales import LINEAR
from society.report.figures.style import SERIES
from society.report.layout import Layout, legend_note

MOST_PANELS = 6  # conditions that figures of single agents and of causes show
_NO_AGENTS = (
    "Runs at level summary do not keep what single agents did, nor who descends from whom; run "
    "with record: full."
)
_MECHANISM = "generations"

Values = Mapping[int, Array]  # of each condition by its place, (R, G)


class Populations:
    """Conditions with generations, by their places in the layout.

    shown: those that figures show in colour; where there are too many, the ones with the lowest
    and the highest outcome.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.places = [
            place for place in range(len(layout.conditions)) if layout.generation_ends(place).any()
        ]
        self.shown = self.places
        if len(self.places) > len(SERIES):
            self.shown = [place for place in layout.extreme_conditions() if place in self.places]

    def generations(self, place: int) -> int:
        """Count the generations that a condition has finished."""
        return int(self.layout.generation_ends(place).sum())

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
        """Average a measure over the rounds of each generation, (R, G), NaN where there is none."""
        return {place: self.layout.by_generation(name, place) for place in self.places}

    @cached_property
    def best(self) -> Mapping[int, int]:
        """The replicate of each condition whose last generation was the fittest."""
        last = {place: values[:, -1] for place, values in self.by_generation(FITNESS).items()}
        return {
            place: int(np.argmax(np.nan_to_num(each, nan=-np.inf))) for place, each in last.items()
        }

    def label(self, place: int) -> str:
        """Name a condition in a legend or above a panel; "" if there is no other."""
        return self.layout.name(place) if len(self.places) > 1 else ""

    def trait(self, use: str) -> str:
        """Say what fitness or phenotype is the mean of, if all runs agree on it: " (share)"."""
        fact = self._fact(use)
        return f" ({fact})" if fact else ""

    def quantity(self, use: str) -> str:
        """Name fitness or phenotype with its fact and unit, for axes: "fitness (final, units)"."""
        fact = self._fact(use)
        unit = self.layout.study.specs.get(fact, UNSPECIFIED).unit
        about = ", ".join(filter(None, (fact, unit)))
        return f"{use} ({about})" if about else use

    def bounds(self, name: str) -> Bounds:
        """What is possible of a measure; of fitness and phenotype, of the fact that they are."""
        if name not in (FITNESS, PHENOTYPE):
            return self.layout.bounds(name)
        shares = generation_quantity(self.layout, name, LINEAR).factor != 1
        return (0, 1) if shares else UNBOUNDED

    def _fact(self, use: str) -> str:
        """Return the fact that all runs take for fitness or phenotype; "" if they differ."""
        said = {_trait(self.layout.conditions[place].manifest.spec, use) for place in self.places}
        return said.pop() if len(said) == 1 else ""

    @property
    def shown_note(self) -> str:
        """Say what names of conditions mean, and which are shown, if not all."""
        names = legend_note(list(self.layout.levels)) if len(self.places) > 1 else ""
        if self.shown is self.places:
            return names
        return (
            f"{names} Of {len(self.places)} conditions those with the lowest and the highest mean "
            f"{self.layout.label(self.layout.outcome)}."
        )

    @property
    def panel_note(self) -> str:
        """Say that further conditions have no panel, if so."""
        if len(self.detailed) <= MOST_PANELS:
            return ""
        return f" The first {MOST_PANELS} of {len(self.detailed)} conditions."

    @cached_property
    def detailed(self) -> list[int]:
        """The shown conditions whose runs keep what single agents did."""
        conditions = self.layout.conditions
        return [place for place in self.shown if conditions[place].manifest.level == "full"]

    @cached_property
    def evolution(self) -> Evolution:
        """The evolution of the detailed conditions."""
        runs = tuple(self.layout.conditions[place] for place in self.detailed)
        return Evolution(replace(self.layout.study, played=runs))

    @cached_property
    def trouble(self) -> str:
        """The reason why single agents are unknown; "" if they are known."""
        try:
            found = self.lineages
        except SocietyError as error:  # a graph of the user's that is not where it was, say
            return f"What single agents did is unknown: {error}."
        return "" if found else _NO_AGENTS

    @cached_property
    def lineages(self) -> Mapping[int, Lineage]:
        """The lineage in the best replicate of each detailed condition."""
        return {
            place: self.evolution.lineage(self.layout.conditions[place].name, self.best[place])
            for place in self.detailed
        }

    def from_frame(self, frame: Any, column: str) -> dict[int, Array]:
        """Take a column of a frame, (R, G) for each detailed condition; NaN: no row."""
        found = {}
        for place in self.detailed:
            run = self.layout.conditions[place]
            own = frame[frame[CONDITION] == run.name]
            values = np.full((run.manifest.replicates, self.generations(place)), np.nan)
            generation = own["generation"].to_numpy(int) - 1
            over = generation < values.shape[1]  # the last one may not be over
            at = own["replicate"].to_numpy(int)[over], generation[over]
            values[at] = own[column].to_numpy(float)[over]
            found[place] = values
        return found


def _trait(spec: Mapping[str, object], use: str) -> str:
    """The fact that the mechanism takes for fitness or phenotype; "" if a spec does not say."""
    mechanisms = spec.get("mechanisms", [])
    for part in mechanisms if isinstance(mechanisms, list) else []:
        if isinstance(part, Mapping) and isinstance(own := part.get(_MECHANISM), Mapping):
            return str(own.get(use) or own.get(FITNESS) or "")
    return ""
