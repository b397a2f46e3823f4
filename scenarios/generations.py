"""Generations: any scenario played again and again by those who did well and by their children.

In every generation
    1. newborn agents begin their lives: they have the heritable traits of a parent, mutated as
       their components see fit, and may devise a strategy in words by the advice of their elders;
    2. the scenario is played, from its beginning;
    3. fitness is read off what it tells, and selection (society.scenarios.selection) says who lives
       on, and whose children take the places of the others.
Survivors keep their names, traits and strategies. A child belongs to the cohort of its seat; of a
parent in another one it has the traits that both have, and keeps its own first ones else. Whoever
dies in the scenario, dies; where the scenario ends before its horizon, its agents wait for the next
generation. A replicate in which nobody is left is over. The lineage is told: `descended` has the
number of everybody's life and of its parent's, `selected` its fitness, and whether it survives.
Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 3; the other rules: see selection.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from society.components.recall import EmbedderName
from society.draws import Array
from society.errors import ScenarioError, nearest
from society.scenario import Additions, Measure, Told, brings
from society.scenarios.descent import Lineage, Strategies
from society.scenarios.repeated import Recess
from society.scenarios.selection import Rule, Selection
from society.scenarios.strategies import told_by_strategies
from society.table import Table
from society.talk import Fact, Line, Script, Tell
from society.wrap import Play, mechanism, overhear, rehearsed


def over_survivors(told: Told, table: Table) -> Array:
    """What survivors do less what the others do, over the mean, (R,); NaN if there is no other."""
    value, survives = told["phenotype"], told["survives"]
    known = ~np.isnan(value)
    with np.errstate(invalid="ignore", divide="ignore"):
        kept, lost, all_ = (
            np.where(some & known, value, 0).sum(1) / (some & known).sum(1)
            for some in (survives, ~survives, np.ones_like(survives))
        )
        differential: Array = (kept - lost) / all_
    return np.where(np.isfinite(differential), differential, np.nan)


def mean_of(name: str, told: Told) -> Array:
    """Over those for whom there is any, (R,)."""
    known = ~np.isnan(told[name])
    count = known.sum(1)
    total: Array = np.where(known, told[name], 0).sum(1)
    return total / np.where(count, count, np.nan)


def first_of(name: str, told: Told, table: Table) -> Array:
    """The mean in the first generation, NaN later, (R,)."""
    mean = mean_of(name, told)
    return mean if table.births == 0 else np.full_like(mean, np.nan)


ADDITIONS = Additions(
    measures=(
        Measure(
            "fitness", "mean, last generation", lambda told, t: mean_of("fitness", told), "last"
        ),
        Measure(
            "first_fitness", "mean, first generation", lambda told, t: first_of("fitness", told, t)
        ),
        Measure(
            "phenotype", "mean, last generation", lambda told, t: mean_of("phenotype", told), "last"
        ),
        Measure(
            "selection_differential",
            "phenotype of survivors less that of the others, over its mean",
            over_survivors,
        ),
    ),
    relations=("advise",),
    levels=("generation",),
    quotes={"strategy": "follows"},
    endings={"extinct": "nobody was left"},
    afterword=told_by_strategies,
)


@brings(ADDITIONS)
@mechanism
def generations(
    play: Play,
    *,
    count: Annotated[int, Field(ge=1, description="generations")] = 10,
    fitness: Annotated[
        str, Field(description="the fact that says how well somebody did")
    ] = "payoff",
    fold: Annotated[
        Literal["mean", "sum", "last"],
        Field(description="what becomes of the tellings of fitness in a generation"),
    ] = "mean",
    phenotype: Annotated[
        str, Field(description="a fact whose mean over a generation is followed; none: fitness")
    ] = "",
    selection: Annotated[Rule, Field(description="who lives on, and who has children")] = (
        "truncation"
    ),
    survivors: Annotated[
        float, Field(gt=0, le=1, description="share of places, under truncation")
    ] = 0.5,
    elite: Annotated[
        int, Field(ge=0, description="how many survive, under proportional and tournament")
    ] = 1,
    entrants: Annotated[int, Field(ge=1, description="of each tournament")] = 2,
    strength: Annotated[
        float, Field(ge=0, description="s, of selection, under fermi and moran")
    ] = 1.0,
    overlapping: Annotated[
        bool, Field(description="whether survivors live on, or children replace all")
    ] = True,
    strategies: Annotated[
        Strategies,
        Field(description="devised by newborn agents in words, from whose they are shown"),
    ] = "none",
    embedder: Annotated[
        EmbedderName | None,
        Field(description="what tells, at the end, how different strategies are; none: nothing"),
    ] = None,
) -> Play:
    """Generations of agents play; those who do well live on, and have children.

    Under strategies `advice` newborn agents are shown the strategies of all survivors whom they see
    on the graph `advise`, with their fitness, under `parent` that of their parent; who says nothing
    that can be read has its parent's. Raises ScenarioError, before the first line, for facts that
    the play does not tell.
    """
    rule = Selection(selection, survivors, elite, entrants, strength, overlapping)
    if not overlapping and selection in ("fermi", "moran", "none"):
        raise ScenarioError(
            f"under selection {selection} it is children that replace some of the "
            "agents, so that generations overlap; leave out overlapping: false"
        )

    @functools.wraps(play)
    def evolving(table: Table) -> Script:
        _find(play, table, {"fitness": fitness, "phenotype": phenotype})
        table.succession = rule

        def script() -> Script:
            lineage = Lineage(table, strategies)
            for number in table.rounds(count):
                yield from lineage.begun(number)
                tally, recess = Tally(table, fitness, phenotype or fitness, fold), Recess(table)
                yield from tally.overheard(recess.played(play))
                yield from lineage.selected(
                    tally.scores(), tally.mean(tally.phenotype), recess.waiting, rule
                )

        return script()

    return evolving


def _find(play: Play, table: Table, wanted: dict[str, str]) -> None:
    """Raises ScenarioError unless the play tells each fact of each agent."""
    told = {
        name
        for line in rehearsed(play, table)
        if isinstance(line, Tell)
        for name, fact in line.facts.items()
        if fact.scope != "common" and fact.values.dtype.kind in "biuf" and fact.values.ndim <= 2
    }
    for use, name in wanted.items():
        if name and name not in told:
            raise ScenarioError(
                f"generations: the play tells no number {name!r} of each agent, which is to be its "
                f"{use}; {nearest(name, told)}"
            )


@dataclass
class Tally:
    """What was told in one generation that matters for the next."""

    table: Table
    fitness: str
    phenotype: str
    fold: Literal["mean", "sum", "last"]

    def __post_init__(self) -> None:
        shape = self.table.present.shape
        self._sums = {name: np.zeros(shape) for name in {self.fitness, self.phenotype}}
        self._counts = {name: np.zeros(shape, np.int64) for name in self._sums}
        self._last = np.full(shape, np.nan)

    def overheard(self, script: Script) -> Script:
        """Drive the script of a generation."""
        return overhear(script, line=self._heard)

    def _heard(self, said: Line) -> Line:
        if isinstance(said, Tell):
            for name in self._sums:
                if name in said.facts:
                    self._add(name, said.facts[name])
        return said

    def _add(self, name: str, fact: Fact) -> None:
        values = np.where(self.table.active, fact.values, np.nan)
        known = ~np.isnan(values)
        self._sums[name] += np.where(known, values, 0)
        self._counts[name] += known
        if name == self.fitness:
            self._last = np.where(known, values, self._last)

    def mean(self, name: str) -> Array:
        """Of each agent over the generation, (R, N); NaN where nothing was told."""
        count = self._counts[name]
        nothing = np.full(count.shape, np.nan)
        mean: Array = np.divide(self._sums[name], count, out=nothing, where=count > 0)
        return mean

    def scores(self) -> Array:
        """The fitness of each agent, (R, N)."""
        if self.fold == "last":
            return self._last
        if self.fold == "mean":
            return self.mean(self.fitness)
        told = self._counts[self.fitness] > 0
        return np.where(told, self._sums[self.fitness], np.nan)
