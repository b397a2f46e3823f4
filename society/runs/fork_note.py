"""Notes of forks in a manifest, and the society that plays through them.

A fork plays its past again, as it was, and lives on with what the notes say. So its manifest has
the configuration of the last stage, like that of any run, and a note for each fork before it, with
the configuration up to there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from society.config.run_config import CohortConfig, RunConfig
from society.engine.environment import EnvironmentChange
from society.engine.intervention import Intervention
from society.engine.mechanism import as_play
from society.engine.rng import Array
from society.errors import RunFileError

if TYPE_CHECKING:
    from society.config.build import Society


class ForkNote(BaseModel):
    """A fork in the past of a run.

    parent: the file name of the run that was forked, and digest: of its rounds up to there. after:
    the number of the last round that both share; path: its place among nested rounds. spec: the
    configuration before. cohorts: entries of a scenario file with other components for cohorts.
    norm: that was imposed, in words. removed: ids of agents who were taken out. seed: of chance
    from then on; None: the same chance goes on. changes: all that was changed, in words.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    parent: str
    digest: str
    after: int
    path: tuple[int, ...] = ()
    spec: dict[str, Any]
    cohorts: tuple[dict[str, Any], ...] = ()
    norm: str | None = None
    removed: tuple[int, ...] = ()
    seed: int | None = None
    changes: tuple[str, ...] = ()

    @property
    def config(self) -> RunConfig:
        """The configuration before the fork; its names are not looked up again."""
        return RunConfig.model_validate(self.spec, context={"resolved": True})

    @property
    def words(self) -> str:
        """The fork in words: "lake.run after round 40: fine 10 -> 20"."""
        where = f"round {self.after}" if self.after else "no round"
        if len(self.path) > 1:
            where += f" ({'.'.join(map(str, self.path))})"
        said = "; ".join(self.changes) or "nothing changed"
        return f"{self.parent} after {where}: {said}"


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
    from society.config.build import PastStage, recast  # slow, and not needed to look at a run

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
