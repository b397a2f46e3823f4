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
from typing import Any, NamedTuple

import numpy as np

from society.claims.data import DesignData, Each, LevelsOf, MindKind, PairSpec, SampleSpec
from society.claims.types import InsufficientEvidence, find_model
from society.engine.rng import Array

from .evidence import Evidence

Variables = Mapping[str, Any]

_MISSING: Mapping[MindKind, str] = {
    "models": "{} was not asked; name it under --model",
    "strategies": "there are no strategies by {}; give a folder of them with --strategies",
}


def fill_variables(value: Any, variables: Variables) -> Any:
    """Put values in place of the variables in a text, or in all texts of a list or mapping.

    >>> fill_variables(["fine {fine}", "{fine}"], {"fine": 10})
    ['fine 10', 10]
    """
    if isinstance(value, str):
        if re.fullmatch(r"\{[\w\[\]]+\}", value):
            return Formatter().get_field(value[1:-1], (), variables)[0]
        return value.format_map(variables)
    if isinstance(value, Mapping):
        return {
            fill_variables(key, variables): fill_variables(one, variables)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [fill_variables(one, variables) for one in value]
    return value


class RunSelection(NamedTuple):
    """The runs of a trial whose conditions have these levels."""

    trial: str
    levels: Mapping[str, Any]


def share_runs(one: RunSelection, other: RunSelection) -> bool:
    """Tell whether two sources may have a run in common: no factor tells them apart.

    >>> five = RunSelection("lake", {"fine": 5})
    >>> share_runs(five, RunSelection("lake", {"fine": 5, "growth": 0.2}))
    True
    >>> share_runs(five, RunSelection("lake", {"fine": 9}))
    False
    """
    common = one.levels.keys() & other.levels.keys()
    alike = all(one.levels[factor] == other.levels[factor] for factor in common)
    return one.trial == other.trial and alike


@dataclass(frozen=True)
class Samples:
    """The evidence that a claim can look at, under the names of its design.

    base: what every sample of the claim begins with.
    """

    evidence: Evidence
    design: DesignData
    base: SampleSpec = field(default_factory=SampleSpec)

    def model(self, trial: str, name: str) -> object:
        """The level of the factor `model` that the paper calls so; raises InsufficientEvidence."""
        for alias in (name, *self.design.aliases.get(name, ())):
            try:
                return find_model(self.evidence.levels(trial)["model"], alias)
            except InsufficientEvidence:
                continue
        raise InsufficientEvidence(_MISSING[self.design.asks].format(name))

    def bindings(self, each: Each, variables: Variables) -> Iterator[Variables]:
        """Every combination of values of some variables, with those that are known."""
        values = [self._values_of(one, variables) for one in each.values()]
        for chosen in product(*values):
            yield {**variables, **dict(zip(each, chosen, strict=True))}

    def _values_of(self, source: tuple[Any, ...] | LevelsOf, variables: Variables) -> list[Any]:
        if not isinstance(source, LevelsOf):
            found: list[Any] = fill_variables(source, variables)
            return found
        trial = fill_variables(source.trial, variables)
        if source.or_all:
            levels = self.asked_models(trial, source.asked)
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
            raise InsufficientEvidence(source.if_none)
        places = {"first": slice(1), "last": slice(-1, None), "after first": slice(1, None)}
        middle = len(levels) // 2
        return (
            levels[places.get(source.at, slice(middle, middle + 1))]
            if source.at != "all"
            else levels
        )

    def asked_models(self, trial: str, names: Sequence[str]) -> list[object]:
        """List the models that were asked, by the names that the user gave them."""
        found = []
        for name in names:
            with suppress(InsufficientEvidence):
                found.append(self.model(trial, name))
        return found

    def values(self, sample: SampleSpec, variables: Variables) -> Array:
        """One number a run, or a condition; raises InsufficientEvidence."""
        return self._values(self.complete(sample, variables), variables)

    def pair(self, pair: PairSpec, variables: Variables) -> tuple[Array, Array]:
        """Two samples beside each other; a constant is repeated as often as there are runs."""
        first, second = self.complete(pair.first, variables), self.complete(pair.second, variables)
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

    def mean(self, sample: SampleSpec, variables: Variables) -> float:
        """The mean over all runs."""
        return float(self.values(sample, variables).mean())

    def trial(self, sample: SampleSpec, variables: Variables) -> str:
        """Name the trial in which a sample was played."""
        if sample.trial:
            return str(fill_variables(sample.trial, variables))
        levels = fill_variables(sample.levels, variables)
        for row in self.design.where:
            if all(levels.get(factor) in labels for factor, labels in row.levels.items()):
                return row.trial
        raise InsufficientEvidence(f"no experiment plays {levels}")

    def sources(self, sample: SampleSpec, variables: Variables) -> list[RunSelection]:
        """List where a sample was played, in the order of its values; nowhere if it is constant."""
        sample = self.complete(sample, variables)
        if sample.constant is not None:
            return []
        parts = [
            (one, variables)
            for one in (
                *(sample.minus or ()),
                *(sample.ratio or ()),
                *sample.middle,
                *sample.together,
                *filter(None, [sample.spread]),
            )
        ]
        for key in ("average", "means", "pool"):
            if getattr(sample, key):
                parts = list(self._bound(key, sample, variables))
                break
        if parts:
            return [source for one in parts for source in self.sources(*one)]
        return [RunSelection(self.trial(sample, variables), self._levels(sample, variables))]

    def complete(self, sample: SampleSpec, variables: Variables) -> SampleSpec:
        """A sample with what it begins with."""
        like = str(fill_variables(sample.like, variables))
        base = overlay_sample(self.base, self.design.samples[like]) if like else self.base
        return overlay_sample(base, sample)

    def _values(self, sample: SampleSpec, variables: Variables) -> Array:
        if sample.needs:
            sample = self._with_all_needed(sample, variables)
        found: Array
        if sample.average:
            found = np.mean(self._over("average", sample, variables), axis=0)
        elif sample.means:
            bound = self._bound("means", sample, variables)
            found = np.array([self._known_mean(*one) for one in bound])
        elif sample.pool:
            found = np.concatenate(self._over("pool", sample, variables))
        elif sample.minus:
            found = np.subtract(*self._each(sample.minus, variables))
        elif sample.ratio:
            found = np.divide(*self._each(sample.ratio, variables))
        elif sample.middle:
            found = np.mean(self._each(sample.middle, variables), axis=0)
        elif sample.together:
            found = np.concatenate(self._each(sample.together, variables))
        elif sample.spread:
            logs = np.log(self.values(sample.spread, variables))
            found = np.abs(logs - np.median(logs))
        else:
            found = self._played(sample, variables)
        return found

    def _each(self, samples: Sequence[SampleSpec], variables: Variables) -> list[Array]:
        return [self.values(one, variables) for one in samples]

    def _with_all_needed(self, sample: SampleSpec, variables: Variables) -> SampleSpec:
        """The sample, once all conditions are there with the models that it needs."""
        bare = sample.model_copy(update={"needs": ()})
        one = bare.model_copy(update={"scores": "mean", "type": ""})
        self._values(one, variables)
        for key in ("average", "means", "pool"):
            if getattr(one, key):
                one, variables = next(self._bound(key, one, variables))
        trial, levels = self.trial(one, variables), self._levels(one, variables)
        there = self.evidence.type_scores(trial, "mean", levels).each
        for name in sample.needs:
            find_model(there, name)
        return bare

    def _bound(
        self, key: str, sample: SampleSpec, variables: Variables
    ) -> Iterator[tuple[SampleSpec, Variables]]:
        """A sample once for each combination of levels under a key."""
        each: Each = getattr(sample, key)
        levels = {factor: f"{{{factor}}}" for factor in each}
        levels = {**levels, **sample.levels, **levels}
        bare = sample.model_copy(update={key: {}, "levels": levels})
        for bound in self.bindings(each, variables):
            yield bare, bound

    def _over(self, key: str, sample: SampleSpec, variables: Variables) -> list[Array]:
        return [self._values(*one) for one in self._bound(key, sample, variables)]

    def _known_mean(self, sample: SampleSpec, variables: Variables) -> float:
        values = self._values(sample, variables)
        known = values[~np.isnan(values)]
        if not known.size:
            raise InsufficientEvidence(
                fill_variables(sample.if_none, variables) or "no run has a number"
            )
        return float(known.mean())

    def _levels(self, sample: SampleSpec, variables: Variables) -> dict[str, Any]:
        levels: dict[str, Any] = fill_variables(sample.levels, variables)
        if sample.model:
            name = str(fill_variables(sample.model, variables))
            levels["model"] = self.model(self.trial(sample, variables), name)
        return levels

    def _played(self, sample: SampleSpec, variables: Variables) -> Array:
        trial, levels = self.trial(sample, variables), self._levels(sample, variables)
        if sample.scores is not None:
            found = self.evidence.type_scores(trial, sample.scores, levels)
            name = fill_variables(sample.type, variables)
            return found.each[find_model(found.each, name)] if name else found.average
        if sample.rounds is not None:
            return mean_of_rounds(self._rounds(sample, variables))
        measure = str(fill_variables(sample.measure, variables))
        if sample.at:
            return mean_at_places(self.evidence.rounds(trial, measure, levels), sample.at)
        if sample.round == "last":
            return last_round(self.evidence.rounds(trial, measure, levels))
        if sample.generation is not None:
            course = samples_by_generation(self.evidence, trial, measure, levels)
            if sample.generation == "mean":
                return mean_of_rounds(course)
            return course[:, 0 if sample.generation == "first" else -1]
        return self.evidence.runs(trial, measure, levels)

    def _rounds(self, sample: SampleSpec, variables: Variables) -> Array:
        """A measure in some rounds, (n, T)."""
        trial, levels = self.trial(sample, variables), self._levels(sample, variables)
        first, last = fill_variables(sample.rounds, variables)
        measure = str(fill_variables(sample.measure, variables))
        return self.evidence.rounds(trial, measure, levels)[:, first - 1 : last]


def overlay_sample(base: SampleSpec, sample: SampleSpec) -> SampleSpec:
    """A sample with what another one says where it says nothing itself; levels are put together."""
    own = {name: getattr(sample, name) for name in sample.model_fields_set}
    return base.model_copy(update={**own, "levels": {**base.levels, **sample.levels}})


def samples_by_generation(
    evidence: Evidence, trial: str, measure: str, levels: Mapping[str, Any]
) -> Array:
    """The mean of a measure over the rounds of each generation, (n, G); NaN where none has any.

    Fitness is known in the last round of each generation alone, and so tells where one ends.
    """
    ended = ~np.isnan(evidence.rounds(trial, "fitness", levels))
    values = evidence.rounds(trial, measure, levels)
    ends = np.flatnonzero(ended.any(0)) + 1
    blocks = np.split(values, ends, axis=1)[: len(ends)]
    return np.stack([mean_of_rounds(block) for block in blocks], axis=1)


def mean_of_rounds(course: Array, known: Array | None = None) -> Array:
    """The mean over the rounds that are known, (n, T) -> (n,); NaN where there is none."""
    known = ~np.isnan(course) if known is None else known
    total, count = np.where(known, course, 0).sum(1), known.sum(1)
    mean: Array = np.divide(total, count, out=np.full(len(course), np.nan), where=count > 0)
    return mean


def mean_at_places(course: Array, places: Sequence[float]) -> Array:
    """The mean at places from the first round, 0, to the last that is known, 1; (n, T) -> (n,).

    >>> mean_at_places(np.array([[1.0, 2, 4, 8, 16], [1, 2, 4, np.nan, np.nan]]), [0.5, 1]).tolist()
    [10.0, 3.0]
    """
    last = (~np.isnan(course)).sum(1) - 1
    rounds = np.rint(last[:, None] * np.array(places)).astype(int)
    mean: Array = np.take_along_axis(course, rounds, 1).mean(1)
    return mean


def last_round(course: Array) -> Array:
    """The last value that is known, (n, T) -> (n,); a run has one at least."""
    rounds = (~np.isnan(course)).sum(1)
    last: Array = course[np.arange(len(course)), rounds - 1]
    return last
