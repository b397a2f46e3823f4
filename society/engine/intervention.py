"""Interventions: what an experimenter changes in a society between two of its rounds.

A society that is forked plays its past again, as it was, up to the end of a round. There the
intervention takes effect: after the last line of that round and before the script's first statement
of the next one. Whoever is not touched by it keeps its state and, as chance has an address, its
luck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .rng import Array

if TYPE_CHECKING:
    from .agents import Renderer
    from .environment import Environment
    from .population import Cohort

REMOVED = "removed"  # the kind of the event by which the experimenter takes agents out


@dataclass(frozen=True, eq=False)
class Intervention:
    """A change of a society at the end of round `after`; 0: before the first round.

    Everything is as it shall be from then on: params, rules (the public description of the game),
    horizon, seed, the cast and its prompts. gone: ids of agents who take no further part. imposed:
    values that the script takes by `env.imposed`, each made from the environment. replicate_ids:
    (R,), where replicates get luck of their own from then on.
    """

    after: int
    params: Any
    rules: Any
    horizon: int
    seed: int
    cast: Sequence[Cohort]
    words: Renderer | None = None
    gone: Array = field(default_factory=lambda: np.zeros(0, np.int64))
    imposed: Mapping[str, Callable[[Environment], Any]] = field(default_factory=dict)
    replicate_ids: Array | None = None
