"""Samples that claims name, taken from what was played.

Words in braces stand for variables. A text that is one variable and nothing else has its value, so
that numbers stay numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from string import Formatter
from typing import Any

import numpy as np

from society.claims.data import DesignData, Each, LevelsOf, Pair, Sample
from society.claims.types import Evidence, Untold, asked, called
from society.draws import Array

Variables = Mapping[str, Any]


def filled(value: Any, variables: Variables) -> Any:
    """Put values in place of the variables in a text, or in all texts of a list or mapping.

    >>> filled(["fine {fine}", "{fine}"], {"fine": 10})
    ['fine 10', 10]
    """
    if isinstance(value, str):
        if re.fullmatch(r"\{[\w\[\]]+\}", value):
            return Formatter().get_field(value[1:-1], (), variables)[0]
        return value.format_map(variables)
    if isinstance(value, Mapping):
        return {filled(key, variables): filled(one, variables) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [filled(one, variables) for one in value]
    return value


@dataclass(frozen=True)
class Samples:
    """What a claim can look at: the evidence, as its design names it.

    base: what every sample of the claim begins with.
    """

    evidence: Evidence
    design: DesignData
    base: Sample = field(default_factory=Sample)

    def model(self, trial: str, name: str) -> object:
        """The level of the factor `model` that the paper calls so; raises Untold."""
        for alias in (name, *self.design.aliases.get(name, ())):
            try:
                return asked(self.evidence, trial, alias)
            except Untold:
                continue
        raise Untold(f"{name} was not asked; name it under --model")

    def bindings(self, each: Each, variables: Variables) -> Iterator[Variables]:
        """Every combination of values of some variables, with those that are known."""
        values = [self._values_of(one, variables) for one in each.values()]
        for chosen in product(*values):
            yield {**variables, **dict(zip(each, chosen, strict=True))}

    def _values_of(self, source: tuple[Any, ...] | LevelsOf, variables: Variables) -> list[Any]:
        if not isinstance(source, LevelsOf):
            found: list[Any] = filled(source, variables)
            return found
        trial = filled(source.trial, variables)
        if source.or_all:
            levels = self.known(trial, source.asked)
        else:
            levels = [self.model(trial, name) for name in source.asked]
        levels = levels or list(self.evidence.levels(trial)[source.factor])
        if source.between is not None:
            low, high = source.between
            levels = [one for one in levels if isinstance(one, int | float) and low <= one <= high]
        if source.without:
            left_out = self.model(trial, source.without)
            levels = [one for one in levels if one != left_out]
        if not levels and source.if_none:
            raise Untold(source.if_none)
        places = {"first": slice(1), "last": slice(-1, None), "after first": slice(1, None)}
        middle = len(levels) // 2
        return (
            levels[places.get(source.at, slice(middle, middle + 1))]
            if source.at != "all"
            else levels
        )

    def known(self, trial: str, names: Sequence[str]) -> list[object]:
        """Those of some models that were asked, as the user calls them."""
        found = []
        for name in names:
            with suppress(Untold):
                found.append(self.model(trial, name))
        return found

    def values(self, sample: Sample, variables: Variables) -> Array:
        """One number a run, or a condition; raises Untold."""
        return self._values(self.begun(sample, variables), variables)

    def pair(self, pair: Pair, variables: Variables) -> tuple[Array, Array]:
        """Two samples beside each other; a constant is repeated as often as there are runs."""
        first, second = self.begun(pair.first, variables), self.begun(pair.second, variables)
        if pair.both_alive:
            both = [self._rounds(one, variables) for one in (first, second)]
            known = ~(np.isnan(both[0]) | np.isnan(both[1]))
            return mean_of_rounds(both[0], known), mean_of_rounds(both[1], known)
        if first.constant is not None:
            other = self._values(second, variables)
            return np.full_like(other, first.constant), other
        found = self._values(first, variables)
        if second.constant is not None:
            return found, np.full_like(found, second.constant)
        return found, self._values(second, variables)

    def mean(self, sample: Sample, variables: Variables) -> float:
        """The mean over all runs."""
        return float(self.values(sample, variables).mean())

    def trial(self, sample: Sample, variables: Variables) -> str:
        """Where a sample was played."""
        if sample.trial:
            return str(filled(sample.trial, variables))
        levels = filled(sample.levels, variables)
        for row in self.design.where:
            if all(levels.get(factor) in labels for factor, labels in row.levels.items()):
                return row.trial
        raise Untold(f"no experiment plays {levels}")

    def begun(self, sample: Sample, variables: Variables) -> Sample:
        """A sample with what it begins with."""
        like = str(filled(sample.like, variables))
        base = laid(self.base, self.design.samples[like]) if like else self.base
        return laid(base, sample)

    def _values(self, sample: Sample, variables: Variables) -> Array:
        if sample.needs:
            sample = self._with_all_needed(sample, variables)
        if sample.average:
            return np.mean(list(self._over("average", sample, variables)), axis=0)
        if sample.means:
            return np.array(
                [self._known_mean(*one) for one in self._bound("means", sample, variables)]
            )
        if sample.pool:
            return np.concatenate(list(self._over("pool", sample, variables)))
        if sample.minus or sample.ratio:
            first, second = (
                self.values(one, variables) for one in (sample.minus or sample.ratio or ())
            )
            return first - second if sample.minus else first / second
        if sample.middle:
            return np.sum([self.values(one, variables) for one in sample.middle], axis=0) / len(
                sample.middle
            )
        if sample.together:
            return np.concatenate([self.values(one, variables) for one in sample.together])
        if sample.spread:
            logs = np.log(self.values(sample.spread, variables))
            return np.abs(logs - np.median(logs))
        return self._played(sample, variables)

    def _with_all_needed(self, sample: Sample, variables: Variables) -> Sample:
        """The sample, once all conditions are there with the models that it needs."""
        bare = sample.model_copy(update={"needs": ()})
        one = bare.model_copy(update={"scores": "mean", "type": ""})
        self._values(one, variables)
        for key in ("average", "means", "pool"):
            if getattr(one, key):
                one, variables = next(self._bound(key, one, variables))
        trial, levels = self.trial(one, variables), self._levels(one, variables)
        there = self.evidence.fared(trial, "mean", levels).each
        for name in sample.needs:
            called(there, name)
        return bare

    def _bound(
        self, key: str, sample: Sample, variables: Variables
    ) -> Iterator[tuple[Sample, Variables]]:
        """A sample once for each combination of levels under a key."""
        each: Each = getattr(sample, key)
        levels = {factor: f"{{{factor}}}" for factor in each}
        levels = {**levels, **sample.levels, **levels}
        bare = sample.model_copy(update={key: {}, "levels": levels})
        for bound in self.bindings(each, variables):
            yield bare, bound

    def _over(self, key: str, sample: Sample, variables: Variables) -> Iterator[Array]:
        for bare, bound in self._bound(key, sample, variables):
            yield self._values(bare, bound)

    def _known_mean(self, sample: Sample, variables: Variables) -> float:
        values = self._values(sample, variables)
        known = values[~np.isnan(values)]
        if not known.size:
            raise Untold(filled(sample.if_none, variables) or "no run has a number")
        return float(known.mean())

    def _levels(self, sample: Sample, variables: Variables) -> dict[str, Any]:
        levels: dict[str, Any] = filled(sample.levels, variables)
        if sample.model:
            name = str(filled(sample.model, variables))
            levels["model"] = self.model(self.trial(sample, variables), name)
        return levels

    def _played(self, sample: Sample, variables: Variables) -> Array:
        trial, levels = self.trial(sample, variables), self._levels(sample, variables)
        if sample.scores is not None:
            found = self.evidence.fared(trial, sample.scores, levels)
            name = filled(sample.type, variables)
            return found.each[called(found.each, name)] if name else found.average
        if sample.rounds is not None:
            return mean_of_rounds(self._rounds(sample, variables))
        measure = str(filled(sample.measure, variables))
        if sample.round == "last":
            return last_round(self.evidence.courses(trial, measure, levels))
        if sample.generation is not None:
            course = by_generation(self.evidence, trial, measure, levels)
            if sample.generation == "mean":
                return mean_of_rounds(course)
            return course[:, 0 if sample.generation == "first" else -1]
        return self.evidence.runs(trial, measure, levels)

    def _rounds(self, sample: Sample, variables: Variables) -> Array:
        """A measure in some rounds, (n, T)."""
        trial, levels = self.trial(sample, variables), self._levels(sample, variables)
        first, last = filled(sample.rounds, variables)
        measure = str(filled(sample.measure, variables))
        return self.evidence.courses(trial, measure, levels)[:, first - 1 : last]


def laid(base: Sample, sample: Sample) -> Sample:
    """A sample with what another one says where it says nothing itself; levels are put together."""
    own = {name: getattr(sample, name) for name in sample.model_fields_set}
    return base.model_copy(update={**own, "levels": {**base.levels, **sample.levels}})


def by_generation(evidence: Evidence, trial: str, measure: str, levels: Mapping[str, Any]) -> Array:
    """The mean of a measure over the rounds of each generation, (n, G); NaN where none has any.

    Fitness is known in the last round of each generation alone, and so tells where one ends.
    """
    ended = ~np.isnan(evidence.courses(trial, "fitness", levels))
    values = evidence.courses(trial, measure, levels)
    ends = np.flatnonzero(ended.any(0)) + 1
    blocks = np.split(values, ends, axis=1)[: len(ends)]
    return np.stack([mean_of_rounds(block) for block in blocks], axis=1)


def mean_of_rounds(course: Array, known: Array | None = None) -> Array:
    """The mean over the rounds that are known, (n, T) -> (n,); NaN where there is none."""
    known = ~np.isnan(course) if known is None else known
    total, count = np.where(known, course, 0).sum(1), known.sum(1)
    mean: Array = np.divide(total, count, out=np.full(len(course), np.nan), where=count > 0)
    return mean


def last_round(course: Array) -> Array:
    """The last value that is known, (n, T) -> (n,); a run has one at least."""
    rounds = (~np.isnan(course)).sum(1)
    last: Array = course[np.arange(len(course)), rounds - 1]
    return last
