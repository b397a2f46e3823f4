"""Generations of societies, run by run, as tidy data frames.

Frames begin as those of society.analysis.study do: a column for each factor, then `condition`. A
factor that has the name of a column in any of them gets `_level` behind its name. A row of
`generations` is one replicate in one generation. The units of observation are replicates, so
intervals come from them (`mean_over_runs`), never from agents or generations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from society.analysis.statistics import Mean, mean
from society.analysis.statistics.samples import try_compute
from society.analysis.study.frames import CONDITION, LongForm
from society.analysis.study.study import Study
from society.engine.gateway import TextEmbedder
from society.engine.rng import Array
from society.errors import InputError, suggest
from society.lineage import Lineage
from society.optional import require

from . import generation_tables as rows
from .price_equation import mutation_bias, split_change
from .records import GenerationRecords, Phenotype


@dataclass(frozen=True, eq=False)
class Evolution:
    """A study whose runs all have generations, and were recorded at level full.

    Raises InputError, when it is first used, for other runs.
    """

    study: Study

    @cached_property
    def pasts(self) -> tuple[GenerationRecords, ...]:
        """The records of generations of each run."""
        return tuple(map(GenerationRecords.read, self.study.played))

    @cached_property
    def lives(self) -> Any:
        """One row for each agent in each generation of each replicate.

        replicate, generation, agent    numbers; generations from 1, agents by seat
        name, life          of the one who has the seat, "agent 2_4", and the number of its life
        parent              number of the parent's life; <NA> if there is none
        newborn, survives   whether the life began in this generation, and lives on after it; <NA>
                            if it is not over
        fitness, phenotype  in this generation, as its mechanism says; NaN where there is none
        reaction            mean share given to the battery of encounters; NaN without one
        strategy            in words, if there are any
        TRAIT               a public heritable column as the generation began; declared labels as
                            ordered categories
        """
        return self._gather(rows.life_rows)

    @cached_property
    def generations(self) -> Any:
        """One row for each generation of each replicate.

        replicate, generation, agents, newborns     numbers, how many
        MEASURE             of the run, folded over the rounds of this generation; without those
                            that wait for something
        strategy_words, strategy_numbers    in strategies, mean over agents: words, and numbers
                            named in digits
        strategy_kinds      effective number of different strategies, TRAIT_kinds of labels
        TRAIT, TRAIT_sd     mean and standard deviation over agents
        """
        return self._gather(rows.generation_rows)

    @cached_property
    def reactions(self) -> Any:
        """One row for each encounter that an agent was asked to suppose: its reaction norm.

        replicate, generation, agent, name, newborn
        encounter           as the run names it, or else its number from 1
        share               that it would give
        """
        return self._gather(rows.reaction_rows)

    def changes(self, of: Phenotype = "phenotype") -> Any:
        """Return the terms of the Price equation, one row for each step to a generation.

        replicate, generation
        change              of the mean
        selection, survivors, newborn, entry    parts of it, which add up to it: see
                            society.analysis.evolution.price_equation

        of: what changes; of reactions, survivors change only as far as they are inconsistent, and
        what newborn agents differ is mutation bias. Who devised words of its own by the advice of
        several elders descends from them in equal shares, everybody else from its parent: see
        society.lineage.inheritance.
        """
        return self._gather(partial(rows.step_rows, of=of, split=split_change))

    def biases(self, of: Phenotype = "reaction") -> Any:
        """Return the mutation bias: the phenotype of newborn agents less that of their ancestors.

        replicate, generation       but the first
        newborn, ancestors, bias    means over newborn agents, and the difference; those who descend
                            from nobody are left out

        Before the battery all meet the same recipients, so that the difference is one of strategies
        (Vallinder and Hughes 2024, section 4.1, ask for such a test); in a phenotype, it is one of
        what others made of them, too. It holds no selection, which is in who has descendants.
        """
        return self._gather(partial(rows.step_rows, of=of, split=mutation_bias))

    @cached_property
    def advised(self) -> bool:
        """True if any agent devised its strategy by the advice of elders: it descends from them."""
        return any(past.advised for past in self.pasts)

    @cached_property
    def courses(self) -> Any:
        """One row for each replicate: how it began, and what came of it.

        replicate
        first_phenotype, last_phenotype, first_fitness, last_fitness
                            means over agents, of the first and the last generation of the run
        slope               of the phenotype, per generation, by least squares

        NaN in the last generation, if a replicate had died out by then.
        """
        return self._table(lambda past: [rows.course_rows(past)])

    def diversity(self, embedder: TextEmbedder | str) -> Any:
        """Return how much strategies differ: one row for each generation of each replicate.

        replicate, generation
        distance            mean cosine distance of two strategies, over all pairs of agents

        embedder: one of society.memory.embedders, say, or the name of one whose vectors the run
        files keep; `attrs["embedder"]` says which. Raises InputError for vectors that are missing.
        """

        def distances(past: GenerationRecords) -> Iterator[rows.GenerationRows]:
            vectors = past.vectors(embedder)
            return (rows.distance_rows(era, vectors) for era in rows.run_generations(past))

        frame = self._table(distances)
        frame.attrs["embedder"] = embedder if isinstance(embedder, str) else embedder.name
        return frame

    def lineage(self, condition: str, replicate: int = 0) -> Lineage:
        """Return all lives of one replicate; raises InputError for an unknown condition."""
        known = {past.run.name: past for past in self.pasts}
        if condition not in known:
            raise InputError(f"no condition is called {condition!r}; {suggest(condition, known)}")
        return known[condition].lineage(replicate)

    def _gather(self, of: Callable[[rows.RunGeneration], rows.GenerationRows]) -> Any:
        return self._table(lambda past: map(of, rows.run_generations(past)))

    def _table(self, of: Callable[[GenerationRecords], Iterable[rows.GenerationRows]]) -> Any:
        """Tabulate the rows of each run, one block after another."""
        form = LongForm(map(of, self.pasts))
        return self.study.table(form, rows.UNITS, rows.evolution_heading(self.study))


def mean_over_runs(frame: Any, column: str, by: Sequence[str] = ("generation",)) -> Any:
    """Return the mean of a column over replicates, with its t interval of 95 %.

    One row for each condition and value of `by`: mean, low, high and n; NaN where fewer than two
    runs have a value, or all have the same.
    """
    factors = list(frame.columns[: frame.columns.get_loc(CONDITION) + 1])
    groups = frame.groupby([*factors, *by], observed=True, sort=True, dropna=False)[column]
    bands = groups.apply(lambda values: _mean_band(values.to_numpy(float))).unstack().reset_index()
    return bands.astype({"n": int})


def _mean_band(values: Array) -> Any:
    known = values[~np.isnan(values)]
    estimate = try_compute(mean, known)
    low, high = estimate.interval[:2] if isinstance(estimate, Mean) else (np.nan, np.nan)
    middle = known.mean() if len(known) else np.nan
    return require("pandas").Series({"mean": middle, "low": low, "high": high, "n": len(known)})
