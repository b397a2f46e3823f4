"""The society of a fork, which plays through all that it was before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from society.config.build import PastStage, Society, recast
from society.config.run_config import CohortConfig, RunConfig
from society.engine.environment import EnvironmentChange
from society.engine.intervention import Intervention
from society.engine.mechanism import as_play
from society.engine.rng import Array
from society.errors import RunFileError

from .fork_note import ForkNote


def with_past(
    setup: Society,
    notes: Sequence[ForkNote],
    make: Callable[[RunConfig], Society],
    replicate_ids: Array | None = None,
) -> Society:
    """Return a society that plays through its forks; raises InputError.

    make: builds the society of a configuration. replicate_ids: (R,), by which replicates get luck
    of their own after the last fork.
    """
    given: list[CohortConfig] = []
    stages = []
    for note in notes:
        stages.append(recast(make(note.config), given))
        given += [
            CohortConfig.model_validate(one, context={"resolved": True}) for one in note.cohorts
        ]
    stages.append(recast(setup, given))
    past, seed = [], setup.seed
    for place, note in enumerate(notes):
        seed = seed if note.seed is None else note.seed
        ids = replicate_ids if place == len(notes) - 1 else None
        change = _intervention(note, stages[place + 1], seed, ids)
        past.append(PastStage(stages[place], change))
    return replace(stages[-1], past=tuple(past))


def _intervention(
    note: ForkNote, after: Society, seed: int, replicate_ids: Array | None
) -> Intervention:
    imposed = {}
    if note.norm is not None:
        norm = after.scenario.interventions.norm
        if norm is None:
            raise RunFileError(f"{after.scenario.name} declares no norm that could be imposed")
        imposed["norm"] = partial(norm, note.norm)
    world = EnvironmentChange(
        after.params,
        as_play(after.scenario.play).rules_for(after.params),
        after.rounds,
        seed,
        note.removed,
        imposed,
        replicate_ids,
    )
    words = after.words if after.models_named else None
    return Intervention(note.after, world, after.cast(), words)
