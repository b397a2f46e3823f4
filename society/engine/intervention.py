"""Interventions: what an experimenter changes in a society between two of its rounds.

A society that is forked plays its past again, as it was, up to the end of a round. There the
intervention takes effect: after the last line of that round and before the script's first statement
of the next one. Whoever is not touched by it keeps its state and, as chance has an address, its
luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .agents import Renderer
from .environment import EnvironmentChange
from .population import Cohort

REMOVED = "removed"  # the kind of the event by which the experimenter takes agents out


class Intervention(NamedTuple):
    """A change of a society at the end of round `after`; 0: before the first round.

    world: the environment from then on. cast: the same cohorts, in their order. words: the prompts,
    None where nobody reads.
    """

    after: int
    world: EnvironmentChange
    cast: Sequence[Cohort]
    words: Renderer | None = None
