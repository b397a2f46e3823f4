"""What can be played: a script, its parameters, default cast, measures and way of being shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from .cast import Cast
from .draws import Array
from .table import Table
from .talk import Script

Told = Mapping[str, Array]
Fold = Literal["mean", "sum", "last", "first"]


class Params(BaseModel):
    """Base of a scenario's parameters: typed, with ranges, immutable; unknown names are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Measure:
    """A number per replicate, computed each round from what was told in it.

    of: (facts told this round by name, table) -> (R,) or (R, 1), or None if not measured this time.
    fold: how rounds become one value: mean, sum or last over the rounds that a replicate lived, or
    `first`, the number of the first round in which the value is true (censored at the horizon).
    """

    name: str
    unit: str
    of: Callable[[Told, Table], Array | None]
    fold: Fold = "mean"


@dataclass(frozen=True)
class Stage:
    """How a scenario wants to be shown.

    gauge: a common fact, and the parameter that is full scale.
    columns: own facts or public columns worth a column each.
    limits: columns, and the common fact that they ought not to exceed: {"catch": "cap"}.
    links: peer answers worth a line, with the verb: {"punish": "fined"}.
    notes: common facts worth a word each round, with the questions that choose them and how; the
    last of these asked in a round counts: {"cap": {"propose": "the median of {n} proposals"}}.
    endings: what happened when a tell of this kind ended a replicate, as a clause.
    """

    gauge: tuple[str, str] | None = None
    columns: tuple[str, ...] = ()
    limits: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    notes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    endings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Scenario:
    """A script and all that it needs to be played."""

    name: str
    play: Callable[[Table], Script]
    params: type[Params]
    cast: Callable[[Any, int], Cast]
    measures: tuple[Measure, ...] = ()
    relations: tuple[str, ...] = ()
    agents: int = 10
    rounds: int = 100
    stage: Stage = Stage()

    @property
    def summary(self) -> str:
        """The first line of the script's docstring."""
        return (self.play.__doc__ or "").strip().partition("\n")[0]


def scenario(
    *,
    cast: Callable[[Any, int], Cast],
    params: type[Params] = Params,
    measures: tuple[Measure, ...] = (),
    relations: tuple[str, ...] = (),
    agents: int = 10,
    rounds: int = 100,
    stage: Stage = Stage(),
) -> Callable[[Callable[[Table], Script]], Scenario]:
    """Turn a script into a scenario of the same name."""

    def named(play: Callable[[Table], Script]) -> Scenario:
        return Scenario(
            play.__name__, play, params, cast, measures, relations, agents, rounds, stage
        )

    return named


@dataclass(frozen=True)
class Estimate:
    """A measure over replicates; se is None below two, mean is None where nothing was measured."""

    mean: float | None
    se: float | None
    n: int
    unit: str
    censored: int = 0


class Folded:
    """One measure while a run goes on: (R,) per round in, (R,) at any time out."""

    def __init__(self, fold: Fold, unit: str, replicates: int) -> None:
        self.fold, self.unit = fold, unit
        self.total = np.zeros(replicates)
        self.count = np.zeros(replicates, np.int64)

    def add(self, number: int, values: Array) -> None:
        """Take in round `number`; NaN where a replicate was not measured."""
        here = ~np.isnan(values)
        if self.fold == "first":
            here &= (values != 0) & (self.count == 0)
            self.total[here] = number
        elif self.fold == "last":
            self.total[here] = values[here]
        else:
            self.total[here] += values[here]
        self.count += here

    def values(self, played: int) -> Array:
        """(R,), NaN where nothing was measured; a `first` that has not come yet is `played`."""
        if self.fold == "first":
            return np.where(self.count > 0, self.total, played)
        share = self.total / np.maximum(self.count, 1) if self.fold == "mean" else self.total
        return np.where(self.count > 0, share, np.nan)

    def estimate(self, played: int) -> Estimate:
        """Over replicates; seeds are the unit of replication."""
        values = self.values(played)
        values = values[~np.isnan(values)]
        n = len(values)
        censored = int((self.count == 0).sum()) if self.fold == "first" else 0
        mean = float(values.mean()) if n else None
        se = float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else None
        return Estimate(mean, se, n, self.unit, censored)
