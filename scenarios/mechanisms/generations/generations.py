"""Generations: any scenario played again and again by those who did well and by their children.

In every generation
    1. newborn agents begin their lives: they have the heritable traits of a parent, mutated as
       their components see fit, and may devise a strategy in words by the advice of their elders;
    2. the scenario is played, from its beginning;
    3. fitness is read off what it tells, as long as somebody lives, and selection
       (society.scenarios.mechanisms.generations.selection) says who lives on, and whose children
       take the places of the others.
Survivors keep their names, traits and strategies. A child belongs to the cohort of its seat; of a
parent in another one it has the traits that both have, and keeps its own first ones else. Whoever
dies in the scenario, dies; where the scenario ends before its horizon, its agents wait for the next
generation. A replicate in which nobody is left is over. The lineage is told: `descended` has the
number of everybody's life and of its parent's; `selected` its fitness and phenotype, whether it is
alive and whether it survives, and how many in the next generation are itself or its children, w,
which is 0 for the dead. Of a phenotype z

    selection              = Cov(w, z) / mean w, what differences in w make of the mean of z: the
                             first term of Price's equation (1972, Annals of Human Genetics 35)
    selection_differential = (mean z of survivors - mean z of the others) / |mean z|, the paper's;
                             only under truncation, where survivors live on
Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 3; the other rules: see selection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from society.components.language.recall import EmbedderName
from society.engine.environment import Environment
from society.engine.fact_specs import FactSpec
from society.engine.mechanism import Play, dry_run, intercept
from society.engine.rng import Array
from society.engine.scenario import Brought, Measure, RoundFacts, mean_over, mechanism
from society.engine.script import Fact, Line, Script, Tell
from society.errors import ScenarioError, suggest
from society.lineage.lives import name_life
from society.scenarios.mechanisms.generations.diversity import refuse_missing, told_by_strategies
from society.scenarios.mechanisms.generations.lineage_recorder import (
    LineageRecorder,
    Strategies,
    Succession,
)
from society.scenarios.mechanisms.generations.selection import CHANCE_ID, Selection, SelectionRule
from society.scenarios.mechanisms.repetition.repetition import Recess


def selection_term(told: RoundFacts, env: Environment) -> Array:
    """Cov(w, z) / mean w over those whose phenotype is known, (R,)."""
    z, w = told["phenotype"], told["descendants"]
    known = ~np.isnan(z)
    mean_w, mean_z = mean_over(known, w), mean_over(known, z)
    with np.errstate(invalid="ignore", divide="ignore"):
        covariance = mean_over(known, (w - mean_w[:, None]) * (z - mean_z[:, None]))
        term: Array = covariance / mean_w
    return np.where(np.isfinite(term), term, np.nan)


def over_survivors(told: RoundFacts, env: Environment) -> Array:
    """The selection differential, (R,); NaN if there is none, or nobody but survivors."""
    z, survives, rule = told["phenotype"], told["survives"], env.public["succession"].selection
    if rule.rule != "truncation" or not rule.overlapping:
        return np.full(len(z), np.nan)
    known = ~np.isnan(z)
    with np.errstate(invalid="ignore", divide="ignore"):
        ahead = mean_over(survives & known, z) - mean_over(~survives & known, z)
        differential: Array = ahead / abs(mean_over(known, z))
    return np.where(np.isfinite(differential), differential, np.nan)


def mean_of(name: str, told: RoundFacts) -> Array:
    """Average over those for whom there is a value, (R,)."""
    return mean_over(~np.isnan(told[name]), told[name])


def first_of(name: str, told: RoundFacts, env: Environment) -> Array:
    """The mean in the first generation, NaN later, (R,)."""
    mean = mean_of(name, told)
    return mean if env.births == 0 else np.full_like(mean, np.nan)


ADDITIONS = Brought(
    chance_id=CHANCE_ID,
    measures=(
        Measure(
            "fitness",
            "mean, last generation",
            lambda told, t: mean_of("fitness", told),
            "last",
            label="fitness of the last generation",
        ),
        Measure(
            "first_fitness",
            "mean, first generation",
            lambda told, t: first_of("fitness", told, t),
            label="fitness of the first generation",
        ),
        Measure(
            "phenotype",
            "mean, last generation",
            lambda told, t: mean_of("phenotype", told),
            "last",
            label="phenotype of the last generation",
        ),
        Measure(
            "selection",
            "Cov(w, z) / mean w of descendants w and phenotype z, mean over generations",
            selection_term,
            label="selection (covariance)",
        ),
        Measure(
            "selection_differential",
            "phenotype of survivors less that of the others, over its absolute mean",
            over_survivors,
        ),
    ),
    facts={
        "life": FactSpec("Number of a life"),
        "parent": FactSpec("Number of the parent's life; -1: none"),
        "newborn": FactSpec("Whether a life has just begun"),
        "strategy": FactSpec("Strategy of an agent"),
        "score": FactSpec("Fitness of an elder, or of the parent"),
        "elder": FactSpec("Whether its strategy can be read"),
        "fitness": FactSpec("Success in a generation"),
        "phenotype": FactSpec("What is followed over generations"),
        "alive": FactSpec("Whether an agent took part to the end of the generation"),
        "survives": FactSpec("Whether an agent lives on in the next generation"),
        "descendants": FactSpec("Children, and one more for a survivor"),
    },
    relations=("advise",),
    levels=("generation",),
    quotes={"strategy": "follows"},
    endings={"extinct": "nobody was left"},
    post_analysis=told_by_strategies,
)


@mechanism(**ADDITIONS)
def generations(
    play: Play,
    *,
    count: Annotated[int, Field(ge=1, description="number of generations")] = 10,
    fitness: Annotated[str, Field(description="the fact that measures success")] = "payoff",
    fold: Annotated[
        Literal["mean", "sum", "last"],
        Field(description="how the values of fitness in a generation are combined"),
    ] = "mean",
    phenotype: Annotated[
        str, Field(description="the fact whose mean is followed over generations; none: fitness")
    ] = "",
    selection: Annotated[
        SelectionRule, Field(description="the rule that says who survives and who reproduces")
    ] = Selection.rule,
    survivors: Annotated[
        float, Field(gt=0, le=1, description="share of agents who survive, under truncation")
    ] = Selection.share,
    elite: Annotated[
        int, Field(ge=0, description="number of survivors, under proportional and tournament")
    ] = Selection.elite,
    entrants: Annotated[
        int, Field(ge=1, description="agents in each tournament")
    ] = Selection.entrants,
    strength: Annotated[
        float, Field(ge=0, description="s, strength of selection, under fermi and moran")
    ] = Selection.strength,
    overlapping: Annotated[
        bool, Field(description="true: survivors live on; false: children replace everybody")
    ] = Selection.overlapping,
    strategies: Annotated[
        Strategies,
        Field(description="newborn agents write a strategy, after reading advice or the parent's"),
    ] = "none",
    embedder: Annotated[
        EmbedderName | None,
        Field(description="embedder that measures how strategies differ; none: the run's, if any"),
    ] = None,
) -> Play:
    """Generations of agents play; those who do well live on, and have children.

    Under strategies `advice` newborn agents are shown the strategies of all elders whom they see on
    the graph `advise`, with their fitness, under `parent` that of their parent; who says nothing
    that can be read has its parent's. Raises ScenarioError, before the first line, for parameters
    that make no difference, for facts that the play does not tell, and for a play that has
    generations already.
    """
    rule = Selection(selection, survivors, elite, entrants, strength, overlapping)
    rule.refuse_idle()
    if embedder and strategies == "none":
        raise ScenarioError(
            "the embedder tells how different strategies are, and nobody devises any; leave it "
            "out, or take strategies: advice or parent"
        )
    refuse_missing(embedder)

    def evolving(env: Environment) -> Script:
        _refuse_lives(play)
        rule.refuse_all_elite(env.agents)
        _find(play, env, {"fitness": fitness, "phenotype": phenotype})

        def script() -> Script:
            lineage = LineageRecorder(env, strategies)
            for number in env.rounds(count):
                yield from lineage.begun(number)
                tally, recess = Tally(env, fitness, phenotype or fitness, fold), Recess(env)
                yield from tally.overheard(recess.played(play))
                yield from lineage.selected(
                    tally.scores(), tally.mean(tally.phenotype), recess.waiting, rule
                )

        return script()

    public = {**play.public, "succession": Succession(rule, fitness, fold)}
    return replace(play, script=evolving, public=public, name_life=name_life)


def _refuse_lives(play: Play) -> None:
    """Raise ScenarioError for a play that begins and ends lives itself."""
    if "succession" in play.public:
        raise ScenarioError(
            "generations: what each generation is to play has generations already; name the "
            "mechanism once, with as many of them as you want (count)"
        )
    if "turnover" in play.public:
        raise ScenarioError(
            "generations: people come and go in what each generation is to play (turnover), so "
            "that a seat would have several lives in each; take one of the two"
        )


def _find(play: Play, env: Environment, wanted: dict[str, str]) -> None:
    """Raise ScenarioError unless the play tells each fact of each agent."""
    missed, told = set(filter(None, wanted.values())), set[str]()
    for numbers in _numbers(play, env):
        told |= numbers
        missed -= numbers
        if not missed:
            return
    for use, name in wanted.items():
        if name in missed:
            raise ScenarioError(
                f"generations: the play tells no number {name!r} of each agent, which is to be its "
                f"{use}; {suggest(name, told)}"
            )


def _numbers(play: Play, env: Environment) -> Iterator[set[str]]:
    """Yield the names of the agents' own numbers that a play tells, line by line."""
    for line in dry_run(play, env):
        if isinstance(line, Tell):
            yield {
                name
                for name, fact in line.facts.items()
                if fact.scope != "common"
                and fact.values.dtype.kind in "biuf"
                and fact.values.ndim <= 2
            }


@dataclass
class Tally:
    """The facts of one generation that matter for the next."""

    env: Environment
    fitness: str
    phenotype: str
    fold: Literal["mean", "sum", "last"]

    def __post_init__(self) -> None:
        shape = self.env.present.shape
        self._sums = {name: np.zeros(shape) for name in {self.fitness, self.phenotype}}
        self._counts = {name: np.zeros(shape, np.int64) for name in self._sums}
        self._last = np.full(shape, np.nan)

    def overheard(self, script: Script) -> Script:
        """Drive the script of a generation."""
        return intercept(script, line=self._heard)

    def _heard(self, line: Line) -> Line:
        if isinstance(line, Tell):
            for name in self._sums:
                if name in line.facts:
                    self._add(name, line.facts[name])
        return line

    def _add(self, name: str, fact: Fact) -> None:
        values = np.where(self.env.active, fact.values, np.nan)
        known = ~np.isnan(values)
        self._sums[name] += np.where(known, values, 0)
        self._counts[name] += known
        if name == self.fitness:
            self._last = np.where(known, values, self._last)

    def mean(self, name: str) -> Array:
        """Average a value of each agent over the generation, (R, N); NaN where nothing was told."""
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
