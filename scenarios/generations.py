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
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from society.checks import Positive
from society.draws import Array
from society.errors import ScenarioError, nearest
from society.graph import NOBODY
from society.scenario import Additions, Measure, Told, brings
from society.scenarios.repeated import Recess
from society.scenarios.selection import Rule, Selection
from society.sentence import Sentence
from society.table import Table
from society.talk import HERITABLE, Ask, Fact, Inherit, Line, Script, Tell, common, own, seen
from society.wrap import Play, mechanism, overhear, rehearsed

Count = Annotated[int, Field(ge=1)]
STRATEGY = Sentence(1500, opening="My strategy will be")


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
)


@brings(ADDITIONS)
@mechanism
def generations(
    play: Play,
    *,
    count: Count = 10,
    fitness: str = "payoff",
    fold: Literal["mean", "sum", "last"] = "mean",
    phenotype: str = "",
    selection: Rule = "truncation",
    survivors: Annotated[float, Field(gt=0, le=1)] = 0.5,
    elite: Annotated[int, Field(ge=0)] = 1,
    entrants: Count = 2,
    strength: Positive = 1.0,
    overlapping: bool = True,
    strategies: Literal["none", "advice", "parent"] = "none",
) -> Play:
    """Generations of agents play; those who do well live on, and have children.

    count: generations. fitness: the fact that says how well somebody did, and fold: what becomes
    of its tellings in a generation. phenotype: a fact whose mean over a generation is followed
    besides; none: fitness. survivors: their share under truncation. elite: how many survive under
    proportional and tournament selection. entrants: of each tournament. strength: that of selection
    under fermi and moran. overlapping: whether survivors live on, or all are replaced. strategies:
    whether newborn agents devise one in words, from those of all survivors whom they see on the
    graph `advise` with their fitness, or from their parent's; who says nothing that can be read has
    its parent's. Raises ScenarioError, before the first line, for facts that the play does not
    tell.
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
                yield from lineage.selected(tally, recess.waiting, rule)

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


@dataclass
class Lineage:
    """Who lives, from whom it descends, and which strategy it follows; (R, N) each."""

    table: Table
    strategies: Literal["none", "advice", "parent"]
    scores: Array = field(init=False)
    survives: Array = field(init=False)
    parents: Array = field(init=False)
    strategy: Array = field(init=False)

    def __post_init__(self) -> None:
        shape = self.table.present.shape
        self.scores, self.survives = np.full(shape, np.nan), np.zeros(shape, bool)
        self.parents, self.strategy = np.full(shape, NOBODY), np.full(shape, "", object)

    def begun(self, number: int) -> Script:
        """The children of the last generation are born; survivors go on."""
        table, parent, lives = self.table, self.parents, self.table.lives
        newborn = ~self.survives & table.running
        if number > 1:
            yield Inherit("born", parent, HERITABLE, newborn)
        facts = {
            "generation": common(number),
            "life": own(table.lives),
            "parent": own(_of_parent(parent, lives, NOBODY)),
            "newborn": own(newborn),
        }
        yield Tell("descended", facts, back=~table.present & table.running)
        if self.strategies != "none":
            yield from self._devised(number, newborn)

    def _devised(self, number: int, newborn: Array) -> Script:
        """Newborn agents are asked for a strategy, all are told their own."""
        theirs = _of_parent(self.parents, self.strategy, "")
        facts = {"generation": common(number)} | self._advice(theirs)
        said = yield Ask("devise", STRATEGY, facts, newborn, theirs)
        new = np.where(said == "", theirs, said)
        self.strategy = np.where(newborn, new, self.strategy)
        yield Tell("devised", {"strategy": own(self.strategy)})

    def _advice(self, theirs: Array) -> dict[str, Fact]:
        """What newborn agents hear of strategies, and of what came of them."""
        if self.strategies == "parent":
            score = _of_parent(self.parents, self.scores, np.nan)
            return {"strategy": own(theirs), "score": own(score)}
        # Where all have been replaced, parents advise.
        some = self.survives.any(1, keepdims=True)
        elder = np.where(some, self.survives, self._parental())
        return {
            "elder": seen("advise", elder),
            "strategy": seen("advise", np.where(elder, self.strategy, "")),
            "score": seen("advise", np.where(elder, self.scores, np.nan)),
        }

    def _parental(self) -> Array:
        """Who has children, (R, N) of bool."""
        parental = np.zeros(self.parents.shape, bool)
        replicate, seat = np.nonzero(self.parents != NOBODY)
        parental[replicate, self.parents[replicate, seat]] = True
        return parental

    def selected(self, tally: Tally, waiting: Array, rule: Selection) -> Script:
        """Fitness, and who survives with it; waiting: who would take part if the game went on."""
        table = self.table
        alive = table.running & (table.present | waiting)
        self.scores = np.where(alive, tally.scores(), np.nan)
        self.survives, self.parents = rule(self.scores, alive, table)
        facts = {
            "fitness": own(self.scores),
            "phenotype": own(tally.mean(tally.phenotype)),
            "survives": own(self.survives),
        }
        yield Tell("selected", facts)
        yield Tell("extinct", ends=np.logical_not(alive.any(1, keepdims=True)))


def _of_parent(parents: Array, values: Array, nobody: float | str) -> Array:
    """What everybody's parent has, (R, N); `nobody` for those without one."""
    theirs: Array = np.take_along_axis(values, np.where(parents == NOBODY, 0, parents), 1)
    theirs[parents == NOBODY] = nobody
    return theirs
