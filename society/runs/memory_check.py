"""Whether all replicates of a society of rules fit into the memory of this machine.

A society that is too large would fail in the middle of its first round, or be killed. A few
replicates are played for one round beforehand, and the memory that they take is counted.
"""

from __future__ import annotations

import tracemalloc
from contextlib import suppress

import numpy as np

from society.config.build import Society
from society.errors import InputError
from society.machine import available_memory

from .slice_processes import asks_outside

_LARGE = 2_000_000  # agents in all replicates, from which on memory is counted
_FEW = 2_000  # agents whose memory is counted
_GB = 1e9


def refuse_too_large(setup: Society) -> None:
    """Raise InputError if replicates of rules need more memory than is free; says how many fit."""
    many = setup.replicates * setup.agents >= _LARGE and setup.replicates > 1
    if not many or setup.past or any(map(asks_outside, setup.cast())):
        return
    free = available_memory()
    each = 0.0
    with suppress(Exception):  # of a script or a rule: the run itself meets it, and says where
        each = memory_of_replicate(setup)
    if free is None or each * setup.replicates <= free:
        return
    most = int(free / each)
    raise InputError(
        f"replicates: {setup.replicates:,} replicates of {setup.agents:,} agents need about "
        f"{each * setup.replicates / _GB:.1f} GB of memory, and {free / _GB:.1f} are free; about "
        f"{most:,} replicates fit: take no more than that, or play several runs with other seeds"
    )


def memory_of_replicate(setup: Society) -> float:
    """Return the bytes that one replicate more takes while a round is played."""
    few = min(max(_FEW // setup.agents, 1), setup.replicates - 1)
    more = min(3 * few, setup.replicates)
    return (_peak(setup, more) - _peak(setup, few)) / (more - few)


def _peak(setup: Society, replicates: int) -> int:
    """Play the first round of some replicates; return the most bytes that were taken at once."""
    tracing = tracemalloc.is_tracing()
    if not tracing:
        tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        env = setup.environment(np.arange(replicates))
        env.played_rounds = 1
        setup.gamemaster(env=env).play()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        if not tracing:
            tracemalloc.stop()
