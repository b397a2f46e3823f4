"""The conclusions of an experiment, and the effect of each perturbation on them.

A conclusion is the difference of the outcome between a level of a factor and the first level of it,
all else equal, with its test. Of each conclusion and perturbation there are

    the effect    under the perturbation and without it, mean over replicates, two-sided at 5 %
    the change    (effect under the perturbation) - (effect without it), replicate by replicate:
                  t test of its mean against 0, p by Holm over all changes of the audit
    flips         the share of sets of replicates in which the effect has another direction under
                  the perturbation than without it, with its Wilson interval

A conclusion is said to change where the adjusted p of the change is below 5 %; that is the chance
that an audit finds any change where there is none. Flips describe: directions of single sets differ
by chance alone. Where all n differences are the same number, t has no spread to work with: 0 is no
change at all, and any other number has p = 2^(1 - n), that of the sign test. Where samples are not
paired and neither has any spread, n is the size of the smaller one, and this p is larger than that
of a permutation test.
Sources: Holm 1979; Wilson 1927; Student 1908. The split into sets is ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from society.analysis.statistics.contrasts import welch
from society.analysis.statistics.means import ShareEstimate, share
from society.analysis.statistics.posthoc import correct_p_values
from society.analysis.statistics.quantiles import t_reach, t_tails
from society.analysis.statistics.samples import Interval, NotEstimable, has_spread
from society.engine.rng import Array
from society.terminal.labels import count_noun

ALPHA = 0.05
_SETS = 10  # of replicates, if there are as many as that
LEAST_REPLICATES = 2  # of a test, and of a set

Verdict = int  # 1: higher; -1: lower; 0: not told apart


class ConditionPair(NamedTuple):
    """The outcome in two conditions, one value per replicate, (R,) each."""

    first: Array
    second: Array


class EstimatedEffect(NamedTuple):
    """A mean difference; interval: of 95 %, None where there is no spread. p: two-sided."""

    mean: float
    interval: Interval | None
    p: float

    @property
    def verdict(self) -> Verdict:
        """The direction of the effect, 0 if it is not told apart from none."""
        return int(np.sign(self.mean)) if self.p < ALPHA else 0


@dataclass(frozen=True)
class PerturbedEffect:
    """An effect under a perturbation, and its change; p: of the change, adjusted by Holm."""

    perturbation: str
    effect: EstimatedEffect
    change: EstimatedEffect
    flips: ShareEstimate
    p: float

    @property
    def changed(self) -> bool:
        """True if the perturbation changes the effect by more than chance would."""
        return self.p < ALPHA


@dataclass(frozen=True)
class AuditedConclusion:
    """A conclusion without perturbations, and under each of them.

    first, second: the conditions; effects are the second's outcome less the first's.
    """

    first: str
    second: str
    effect: EstimatedEffect
    perturbed: tuple[PerturbedEffect, ...]

    @property
    def title(self) -> str:
        """The two conditions in words."""
        return name_pair(self.first, self.second)

    @property
    def holds(self) -> bool:
        """True if no perturbation is found to change the effect."""
        return not any(each.changed for each in self.perturbed)


def name_pair(first: str, second: str) -> str:
    """Name a conclusion by its two conditions."""
    return f"{second} against {first}"


def audit_conclusions(
    conclusions: Mapping[tuple[str, str], Mapping[str, ConditionPair]], *, paired: bool
) -> list[AuditedConclusion]:
    """Compare each conclusion under all perturbations with that without; raises NotEstimable.

    conclusions: by the names of two conditions, their outcomes by perturbation, the first of which
    is none. paired: whether replicate r has the same random numbers in both conditions; under all
    perturbations it has.
    """
    found = [
        _audited(names, [*by_arm.items()], paired=paired) for names, by_arm in conclusions.items()
    ]
    adjusted = iter(correct_p_values([one.p for each in found for one in each.perturbed]).tolist())
    return [
        replace(each, perturbed=tuple(replace(one, p=next(adjusted)) for one in each.perturbed))
        for each in found
    ]


def _audited(
    names: tuple[str, str], arms: Sequence[tuple[str, ConditionPair]], *, paired: bool
) -> AuditedConclusion:
    usual = arms[0][1]
    perturbed = []
    for name, pair in arms[1:]:
        change = estimate_change(usual, pair, paired=paired)
        effect = estimate_effect(pair, paired=paired)
        perturbed.append(PerturbedEffect(name, effect, change, count_flips(usual, pair), change.p))
    return AuditedConclusion(*names, estimate_effect(usual, paired=paired), tuple(perturbed))


def estimate_effect(pair: ConditionPair, *, paired: bool) -> EstimatedEffect:
    """Estimate the second outcome less the first; raises NotEstimable."""
    if paired:
        return _mean_difference(pair.second - pair.first)
    return _unpaired(pair.first, pair.second)


def estimate_change(
    usual: ConditionPair, perturbed: ConditionPair, *, paired: bool
) -> EstimatedEffect:
    """Estimate the effect under a perturbation less the effect without; raises NotEstimable."""
    first, second = perturbed.first - usual.first, perturbed.second - usual.second
    return _mean_difference(second - first) if paired else _unpaired(first, second)


def count_flips(usual: ConditionPair, perturbed: ConditionPair) -> ShareEstimate:
    """Count the sets of replicates in which the direction of the effect is another one.

    Replicates without a value in one of the four conditions are left out; raises NotEstimable if
    none is left.
    """
    there = np.flatnonzero(~np.isnan([*usual, *perturbed]).any(axis=0))
    if not len(there):
        raise NotEstimable("0 replicates with a value in all conditions that are compared")
    sets = np.array_split(there, max(1, min(_SETS, len(there) // LEAST_REPLICATES)))
    flipped = [_direction(usual, one) != _direction(perturbed, one) for one in sets]
    return share(sum(flipped), len(flipped))


def _direction(pair: ConditionPair, chosen: Array) -> float:
    return float(np.sign(pair.second[chosen].mean() - pair.first[chosen].mean()))


def _unpaired(first: Array, second: Array) -> EstimatedEffect:
    one, other = first[~np.isnan(first)], second[~np.isnan(second)]
    if len(one) and len(other) and not has_spread(one) and not has_spread(other):
        return _without_spread(float(other[0] - one[0]), min(len(one), len(other)))
    found = welch(second, first)
    return EstimatedEffect(found.difference, found.interval, found.p)


def _mean_difference(differences: Array) -> EstimatedEffect:
    """The mean with its t interval and test, (R,)."""
    there = differences[~np.isnan(differences)]
    n = len(there)
    if n < LEAST_REPLICATES:
        raise NotEstimable(
            f"{count_noun(n, 'pair')} of runs with a value; play at least {LEAST_REPLICATES} "
            "replicates"
        )
    if not has_spread(there):
        return _without_spread(float(there[0]), n)
    mean, se = float(there.mean()), float(there.std(ddof=1)) / math.sqrt(n)
    reach = float(t_reach(0.95, n - 1)) * se
    return EstimatedEffect(mean, Interval(mean - reach, mean + reach), t_tails(mean / se, n - 1))


def _without_spread(difference: float, n: int) -> EstimatedEffect:
    return EstimatedEffect(difference, None, 2.0 ** (1 - n) if difference else 1.0)
