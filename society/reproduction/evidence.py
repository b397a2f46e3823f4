"""The results of experiments, as judges of claims ask for them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import compress
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol

import numpy as np

from society.analysis.crossplay import CrossPlay, GameCell
from society.analysis.statistics.anova import anova
from society.analysis.statistics.contrasts import (
    Contrast,
    PairedContrast,
    paired,
    part_against_whole,
    student,
    welch,
)
from society.analysis.statistics.means import mean
from society.analysis.statistics.posthoc import Tukey, correct_p_values, tukey
from society.analysis.statistics.proportions import SuccessCount, binomial, fisher
from society.analysis.statistics.samples import NotEstimable
from society.analysis.study import Study, open_sweep
from society.analysis.study.condition import ConditionRun
from society.analysis.study.design import StudyDesign
from society.claims.comparisons import (
    ALPHA,
    FEWEST,
    Comparison,
    Effect,
    MeanInterval,
    Metric,
    Odds,
    TypeScores,
)
from society.claims.data import Reading
from society.claims.types import FactorLevels, InsufficientEvidence
from society.engine.rng import Array
from society.experiments.experiment import Condition, Experiment
from society.experiments.factors import format_label

from .estimators import effects_by_name, read_cell, type_scores

ArrayPair = tuple[Array, Array]
TestName = Literal["paired", "independent"]


class Tested(Protocol):
    """A test of two samples."""

    def __call__(
        self, first: Array, second: Array, /, *, level: float
    ) -> Contrast | PairedContrast: ...


_TESTS: Mapping[TestName, Tested] = MappingProxyType({"paired": paired, "independent": welch})


class SamplePair(NamedTuple):
    """Two samples to compare, (n,) each; logs: by logarithms, as of what multiplies."""

    first: Array
    second: Array
    test: TestName = "paired"
    logs: bool = False


class ExperimentResult:
    """An experiment and the folder in which it was played, as far as it was."""

    def __init__(self, experiment: Experiment, folder: Path) -> None:
        self.experiment, self.folder = experiment, folder
        self._columns: dict[tuple[str, str], dict[str, Array]] = {}
        self._cells: dict[str, GameCell] = {}

    @property
    def begun(self) -> bool:
        """True if any condition has a run file."""
        return any((self.folder / one.file).exists() for one in self.experiment.conditions)

    @cached_property
    def study(self) -> Study:
        """The study of all finished and unfinished runs; raises InputError if there are none."""
        return open_sweep(self.folder)

    @cached_property
    def cross_play(self) -> CrossPlay:
        """All runs of games, as types met each other in them."""
        return CrossPlay(self.study)

    def runs(self, name: str, levels: FactorLevels) -> Array:
        """A column of the frame of runs, condition after condition; (n,)."""
        chosen = self.chosen(levels)
        columns = self._by_condition("runs", name)
        return np.concatenate([columns[one.name] for one in chosen])

    def rounds(self, name: str, levels: FactorLevels) -> Array:
        """A column of the frame of rounds, (n, T); NaN behind the last round of a condition."""
        chosen = self.chosen(levels)
        columns = self._by_condition("rounds", name)
        tables = [columns[one.name].reshape(one.setup.replicates, -1) for one in chosen]
        longest = max(table.shape[1] for table in tables)
        wide = [np.full((len(table), longest), np.nan) for table in tables]
        for room, table in zip(wide, tables, strict=True):
            room[:, : table.shape[1]] = table
        return np.concatenate(wide)

    def endings(self, levels: FactorLevels) -> list[str]:
        """Why each replicate ended, as a clause, condition after condition; "" if it did not."""
        names = {one.name for one in self.chosen(levels)}
        design = StudyDesign(self.study)
        return [
            why
            for place, run in enumerate(design.conditions)
            if run.name in names
            for why in design.endings(place)
        ]

    def played(self, levels: FactorLevels) -> list[ConditionRun]:
        """The conditions with these levels, as they were played."""
        names = {one.name for one in self.chosen(levels)}
        return [run for run in self.study.played if run.name in names]

    def cell(self, levels: FactorLevels) -> GameCell:
        """The one condition with these levels as a game; raises InsufficientEvidence."""
        (condition,) = self.chosen(levels)
        if condition.name not in self._cells:
            (run,) = (one for one in self.study.played if one.name == condition.name)
            self._cells[condition.name] = read_cell(run)
        return self._cells[condition.name]

    def labels(self, factor: str, levels: FactorLevels) -> list[object]:
        """The level of a factor that each replicate has; n of them."""
        return [
            one.factors[factor] for one in self.chosen(levels) for _ in range(one.setup.replicates)
        ]

    def chosen(self, levels: FactorLevels) -> list[Condition]:
        """The conditions with these levels; raises InsufficientEvidence if any is not finished."""
        chosen = [
            one
            for one in self.experiment.conditions
            if all(one.factors[factor] == level for factor, level in levels.items())
        ]
        if not chosen:
            raise InsufficientEvidence(f"{self.folder.name} has no condition with {dict(levels)}")
        finished = self._finished
        if missing := [one.name for one in chosen if one.name not in finished]:
            raise InsufficientEvidence(
                f"{len(missing)} of {len(chosen)} conditions of {self.folder.name} are not "
                f"finished ({missing[0]}); the same command goes on"
            )
        return chosen

    @cached_property
    def _finished(self) -> set[str]:
        if not self.begun:
            return set()
        return {run.name for run in self.study.played if run.status == "finished"}

    def _by_condition(self, frame: str, name: str) -> dict[str, Array]:
        """A column by the conditions whose blocks of rows it consists of."""
        if (frame, name) not in self._columns:
            table = getattr(self.study, frame)
            if name not in table:
                raise InsufficientEvidence(f"no run of {self.folder.name} has {name}{self._why}")
            played = self.study.played
            ends = np.cumsum(
                [
                    run.manifest.replicates * (run.rounds if frame == "rounds" else 1)
                    for run in played
                ]
            )
            blocks = np.split(table[name].to_numpy(), ends[:-1])
            names = [run.name for run in played]
            self._columns[frame, name] = dict(zip(names, blocks, strict=True))
        return self._columns[frame, name]

    @property
    def _why(self) -> str:
        return "".join(f": {note}" for note in dict.fromkeys(self.study.notes.values()))


class Evidence:
    """The results of all experiments of a reproduction, by name, for judges to read.

    Every method may raise InsufficientEvidence. n counts all replicates of the conditions that have
    these levels, condition after condition; so where random numbers are common and as many factors
    are open, two such arrays are pairs.
    """

    def __init__(self, results: Mapping[str, ExperimentResult]) -> None:
        self._results = results

    def of_reading(self, reading: Reading) -> Evidence:
        """Return the results of the trials that were played by a reading, by their bare names."""
        if not reading.name:
            return self
        ending = reading.trial("")
        results = self._results.items()
        return Evidence(
            {name.removesuffix(ending): one for name, one in results if name.endswith(ending)}
        )

    def _result(self, trial: str) -> ExperimentResult:
        if trial not in self._results:
            raise InsufficientEvidence(
                f"{trial} is not played, as there is nothing to play it with"
            )
        return self._results[trial]

    def has(self, trial: str) -> bool:
        """Tell whether an experiment is among those of this reproduction, and has begun."""
        return trial in self._results and self._results[trial].begun

    def study(self, trial: str) -> Study:
        """Return all runs of an experiment, finished or not, as a report reads them."""
        if not self.has(trial):
            raise InsufficientEvidence(f"no run of {trial} has begun")
        return self._results[trial].study

    def cross_play(self, trial: str) -> CrossPlay:
        """Return the games of an experiment, finished or not, as types met each other in them."""
        if not self.has(trial):
            raise InsufficientEvidence(f"no run of {trial} has begun")
        return self._results[trial].cross_play

    def levels(self, trial: str) -> Mapping[str, Sequence[object]]:
        """Return the levels of each factor of an experiment, in order."""
        return self._result(trial).experiment.levels

    def runs(self, trial: str, measure: str, levels: FactorLevels) -> Array:
        """Return a measure or finding of each replicate, (n,)."""
        return self._result(trial).runs(measure, levels)

    def rounds(self, trial: str, measure: str, levels: FactorLevels) -> Array:
        """Return a measure round by round, (n, T); NaN after the end."""
        return self._result(trial).rounds(measure, levels)

    def endings(self, trial: str, levels: FactorLevels) -> Sequence[str]:
        """Return why each replicate ended, as a clause, (n,); "" if it did not."""
        return self._result(trial).endings(levels)

    def played(self, trial: str, levels: FactorLevels) -> Sequence[ConditionRun]:
        """Return the conditions with these levels, whose run files can be opened."""
        return self._result(trial).played(levels)

    def type_scores(self, trial: str, metric: Metric, levels: FactorLevels) -> TypeScores:
        """Score the types that met each other in the one condition with these levels.

        mean: payoff over all match-ups. fitness: payoff against the population to which replicator
        dynamics leads; the average is weighted by it. Both are 0 in the equilibrium of the game and
        1 where all cooperate. rank: by deviation ratings, 1 is best. cooperation: share of moves;
        first_cooperation: of moves of the first round. delegation: share of moves left to a
        mediator.
        """
        return type_scores(self._result(trial).cell(levels), metric)

    def compared(self, pairs: Mapping[str, SamplePair]) -> list[Comparison]:
        """Compare pairs of samples: p by Holm, intervals by Bonferroni, over all of them.

        Pairs that cannot be tested do not count.
        """
        alone = [_of_pair(name, pair) for name, pair in pairs.items()]
        known = [one.p for one in alone if not one.untestable]
        if len(known) < 2:
            return alone
        adjusted = iter(correct_p_values(known).tolist())
        widened = [_of_pair(name, pair, 1 - ALPHA / len(known)) for name, pair in pairs.items()]
        return [one if one.untestable else one._replace(p=next(adjusted)) for one in widened]

    def paired(self, pairs: Mapping[str, ArrayPair]) -> list[Comparison]:
        """Compare pairs replicate by replicate, (n,) each, as `compared` does."""
        return self.compared({name: SamplePair(*pair) for name, pair in pairs.items()})

    def independent(self, pairs: Mapping[str, ArrayPair]) -> list[Comparison]:
        """Compare pairs by Welch's test, which takes runs as independent, as `compared` does."""
        return self.compared(
            {name: SamplePair(*pair, test="independent") for name, pair in pairs.items()}
        )

    def chances(self, runs: Mapping[str, Array], chance: float) -> list[Odds]:
        """Compare shares of runs, (n,) of bool, with chance (exact binomial); p corrected."""
        counts = {name: SuccessCount(int(some.sum()), len(some)) for name, some in runs.items()}
        level = 1 - ALPHA / max(sum(count.n > 0 for count in counts.values()), 1)
        odds = [_odds(name, count, chance, level) for name, count in counts.items()]
        adjusted = iter(correct_p_values([one.p for one in odds if not one.untestable]).tolist())
        return [one if one.untestable else one._replace(p=next(adjusted)) for one in odds]

    def estimates(self, samples: Sequence[Array]) -> list[MeanInterval]:
        """Estimate the mean of each sample, (n,); t intervals, and the widest for all together."""
        return [_estimate_mean(values, len(samples)) for values in samples]

    def counted(self, name: str, first: Array, second: Array) -> Comparison:
        """Compare two shares of runs, (n,) of bool each, by Fisher's exact test."""
        counts = [SuccessCount(int(some.sum()), len(some)) for some in (first, second)]
        if why := _too_few(*(count.n for count in counts)):
            return Comparison(name, untestable=why)
        try:
            found = fisher(*counts)
        except NotEstimable as reason:
            return Comparison(name, untestable=str(reason))
        interval = found.interval
        numbers = (found.shares, found.difference, interval.low, interval.high)
        runs = tuple(count.n for count in counts)
        return Comparison(name, *numbers, "Fisher", p=found.p, n=runs)

    def pooled(self, name: str, first: Array, second: Array) -> Comparison:
        """Compare one pair alone by Student's test."""
        return _compared(student, name, (first, second))

    def part_against_whole(self, name: str, part: Array, rest: Array) -> Comparison:
        """Compare a part with all, itself included, by Student's test: not valid, but in papers."""
        return _compared(part_against_whole, name, (part, rest))

    def variance(
        self, trial: str, measure: str, factors: Sequence[str], levels: FactorLevels
    ) -> dict[str, Effect]:
        """Analyse the variance over one or two factors: effects by factor and "one × other"."""
        result = self._result(trial)
        values = result.runs(measure, levels)
        labels = {name: result.labels(name, levels) for name in factors}
        cells = Counter(compress(zip(*labels.values(), strict=True), ~np.isnan(values)))
        if why := _too_few(*cells.values()):
            raise InsufficientEvidence(why)
        with _as_insufficient():
            table = anova(values, labels)
        return effects_by_name(table)

    def ranked(self, trial: str, measure: str, factor: str, levels: FactorLevels) -> Tukey:
        """Compare the levels of a factor by Tukey's test: means, the highest first, and letters."""
        result = self._result(trial)
        groups = {
            format_label(label): result.runs(measure, {**levels, factor: label})
            for label in result.experiment.levels[factor]
        }
        if why := _too_few(*(int((~np.isnan(group)).sum()) for group in groups.values())):
            raise InsufficientEvidence(why)
        with _as_insufficient():
            return tukey(groups)


def _of_pair(name: str, pair: SamplePair, level: float = 1 - ALPHA) -> Comparison:
    """One comparison, p as it is."""
    compare = _geometric if pair.logs else _compared
    return compare(_TESTS[pair.test], name, (pair.first, pair.second), level)


def _compared(tested: Tested, name: str, pair: ArrayPair, level: float = 1 - ALPHA) -> Comparison:
    """One comparison, p as it is; with a reason where it cannot be tested."""
    try:
        found = tested(*pair, level=level)
    except NotEstimable as reason:
        return Comparison(name, untestable=str(reason))
    counts = (found.n,) if isinstance(found.n, int) else found.n
    if why := _too_few(*counts):
        return Comparison(name, untestable=why)
    test = found.test if isinstance(found, Contrast) else "paired"
    return Comparison(
        name,
        found.means,
        found.difference,
        found.interval.low,
        found.interval.high,
        test,
        found.t,
        found.df,
        found.p,
        n=counts,
    )


def _geometric(tested: Tested, name: str, pair: ArrayPair, level: float) -> Comparison:
    """One comparison by logarithms.

    There is none of zero: where some run has nothing, the least that any other has is added to all
    (a started logarithm; Tukey 1977, Exploratory Data Analysis).
    """
    every = np.concatenate(pair)
    if (every < 0).any() or not (every > 0).any():
        why = "no run has anything" if not (every < 0).any() else "some run is below zero"
        return Comparison(name, untestable=f"{why}, of which there is no logarithm")
    start = float(every[every > 0].min()) if (every == 0).any() else 0.0
    first, other = np.log(pair[0] + start), np.log(pair[1] + start)
    words = f"{name} (some run has nothing: {start:.3g} is added to all)" if start else name
    found = _compared(tested, words, (first, other), level)
    if found.untestable:
        return found
    return found._replace(means=(math.exp(found.means[0]), math.exp(found.means[1])), logs=True)


def _odds(name: str, count: SuccessCount, chance: float, level: float) -> Odds:
    """One share of runs, p as it is; with a reason where there are too few."""
    if why := _too_few(count.n):
        return Odds(name, *count, chance, untestable=why)
    try:
        found = binomial(count, chance, level=level)
    except NotEstimable as reason:
        return Odds(name, *count, chance, untestable=str(reason))
    return Odds(name, *count, chance, found.interval.low, found.interval.high, found.p)


def _estimate_mean(values: Array, count: int) -> MeanInterval:
    """One mean of so many; runs that are all alike tell nothing of it.

    Where seven of ten runs come to one value and the others lie far off, three runs are alike in
    every third draw, and their value is not the mean.
    """
    there = values[~np.isnan(values)]
    average, n = float(there.mean()) if len(there) else np.nan, len(there)
    if why := _too_few(n):
        return MeanInterval(average, np.nan, np.nan, untestable=why, n=n)
    try:
        found, wide = mean(there, level=1 - ALPHA), mean(there, level=1 - ALPHA / count)
    except NotEstimable as reason:
        return MeanInterval(average, np.nan, np.nan, untestable=str(reason), n=n)
    widest = (float(wide.interval.low), float(wide.interval.high))
    return MeanInterval(found.mean, *found.interval[:2], widest, n=n)


def _too_few(*counts: int) -> str:
    """Say that a condition has too few runs, or nothing."""
    least = min(counts, default=0)
    return f"{least} runs of a condition; at least {FEWEST} are needed" if least < FEWEST else ""


@contextmanager
def _as_insufficient() -> Iterator[None]:
    """Turn NotEstimable into InsufficientEvidence."""
    try:
        yield
    except NotEstimable as reason:
        raise InsufficientEvidence(str(reason)) from None
