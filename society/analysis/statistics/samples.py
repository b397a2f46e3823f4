"""Samples: the values of one measure, one per replicate, and the word for what they cannot tell.

The unit of replication is a run, the whole history of one society; never its agents or rounds,
which depend on each other. NaN stands where a run has no value; it is left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from society.engine.rng import Array

_ROUNDING = 1e-12  # values that differ by less, relative to the largest, are the same number


class NotEstimable(ValueError):
    """A statistic that these values cannot give; the words say why, and stand for the number."""


class Interval(NamedTuple):
    """An interval of confidence `level`."""

    low: float
    high: float
    level: float = 0.95


@dataclass(frozen=True)
class Resampling:
    """Settings of the bootstrap; the same seed gives the same interval.

    level: of the interval, in (0, 1). resamples: how many samples are drawn anew; seed: of
    their chance.
    """

    level: float = 0.95
    resamples: int = 9_999
    seed: int = 0


RESAMPLING = Resampling()


class Sample(NamedTuple):
    """The values that there are, (n,), and how many replicates have none."""

    values: Array
    dropped: int


class MatchedPairs(NamedTuple):
    """Replicate r of two conditions, which share random numbers; (n,) each."""

    first: Array
    second: Array
    dropped: int  # pairs that miss a value


def sample(values: ArrayLike, *, at_least: int = 2, of: str = "this sample") -> Sample:
    """Take the values that there are; (R,) -> (n,) with n <= R.

    of: what is sampled, for the words of an error.
    Raises NotEstimable for fewer than `at_least`, and for an infinite one.
    """
    given = _row(values, of)
    there = given[~np.isnan(given)]
    _enough(len(there), len(given) - len(there), at_least, of)
    return Sample(there, len(given) - len(there))


def samples(groups: Mapping[str, ArrayLike], *, at_least: int = 2) -> dict[str, Sample]:
    """Take the sample of each group; raises NotEstimable for fewer than two, or a small one."""
    if len(groups) < 2:
        raise NotEstimable(f"{len(groups)} group to compare; at least 2 are needed")
    return {name: sample(values, at_least=at_least, of=name) for name, values in groups.items()}


def pairs(first: ArrayLike, second: ArrayLike, *, at_least: int = 2) -> MatchedPairs:
    """Pair the values of two conditions, replicate by replicate; (R,), (R,) -> (n,) each.

    Raises NotEstimable for conditions of different size, and for fewer pairs than `at_least`.
    """
    one, other = _row(first, "the first condition"), _row(second, "the second condition")
    if len(one) != len(other):
        raise NotEstimable(
            f"{len(one)} and {len(other)} replicates make no pairs; play as many of each condition"
        )
    there = ~(np.isnan(one) | np.isnan(other))
    missing = len(one) - int(there.sum())
    _enough(len(one) - missing, missing, at_least, "the pairs")
    return MatchedPairs(one[there], other[there], missing)


def blocks(conditions: Mapping[str, ArrayLike]) -> tuple[Array, int]:
    """Stack replicates that have a value in all conditions; (R,) each -> (conditions, n).

    Returns the number of incomplete ones beside them. Raises NotEstimable for conditions of
    different size, and if no replicate has a value in all.
    """
    rows = [_row(values, of=name) for name, values in conditions.items()]
    if len(sizes := {len(row) for row in rows}) > 1:
        raise NotEstimable(
            f"conditions of {min(sizes)} to {max(sizes)} replicates make no blocks; play as many "
            "of each"
        )
    table = np.stack(rows)
    there = ~np.isnan(table).any(0)
    missing = int((~there).sum())
    _enough(len(there) - missing, missing, 1, "replicates with a value in all conditions")
    return table[:, there], missing


def has_spread(values: Array, largest: float | None = None) -> bool:
    """Tell whether values differ by more than the rounding of their last bits.

    largest: the size of the numbers that they were computed from; their own if not given.
    """
    scale = np.abs(values).max() if largest is None else largest
    return bool(np.ptp(values) > _ROUNDING * scale)


def _row(values: ArrayLike, of: str) -> Array:
    given: Array = np.asarray(values, dtype=float)
    if given.ndim != 1:
        raise ValueError(f"{of} has the shape {given.shape}; give one value per replicate, (R,)")
    if np.isinf(given).any():
        raise NotEstimable(f"{of} has an infinite value, which has no mean and no spread")
    return given


def _enough(count: int, missing: int, at_least: int, of: str) -> None:
    if count < at_least:
        besides = f" ({missing} more are missing)" if missing else ""
        raise NotEstimable(f"{of}: {count} of at least {at_least} values{besides}")


def try_compute(question: Callable[..., Any], *given: Any) -> Any:
    """Compute a statistic, or give the reason why it cannot be estimated."""
    try:
        return question(*given)
    except NotEstimable as reason:
        return reason
