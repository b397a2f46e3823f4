"""What a run was given: enough to set it up again, and to show it without its scenario."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict

from society.cast import Troupe
from society.gamemaster import GameMaster
from society.scenario import Fold, Stage
from society.tape import Answerer

if TYPE_CHECKING:
    from society.spec import Setup

Level = Literal["full", "summary"]

FORMAT = 2  # of run files; a file of another format is refused
_FULL_UP_TO = 1_000_000  # agent-rounds


class MeasureNote(BaseModel):
    """A measure as the run file knows it: without the function that computes it."""

    name: str
    unit: str
    fold: Fold


class CohortNote(BaseModel):
    """A cohort, and the seats that it takes in the first replicate."""

    name: str
    seats: tuple[int, ...]


class Manifest(BaseModel):
    """What a run was given.

    spec: the JSON of a Spec, from which the run can be set up again. horizon: rounds at most.
    files: the user's own files, path -> sha256. prompts: templates that it may use, likewise.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = FORMAT
    scenario: str
    spec: dict[str, Any]
    params: dict[str, Any]
    seed: int
    agents: int
    replicates: int
    horizon: int
    level: Level
    measures: tuple[MeasureNote, ...]
    stage: Stage
    cohorts: tuple[CohortNote, ...]
    versions: dict[str, str]
    files: dict[str, str]
    prompts: dict[str, str] = {}


def manifest_of(setup: Setup, game: GameMaster, level: Level | None = None) -> Manifest:
    """The manifest of a run; without a level: full up to a million agent-rounds."""
    table = game.table
    size = table.replicates * table.agents * table.horizon
    return Manifest(
        scenario=game.scenario.name,
        spec=setup.spec.model_dump(mode="json"),
        params=table.params.model_dump(mode="json"),
        seed=table.seed,
        agents=table.agents,
        replicates=table.replicates,
        horizon=table.horizon,
        level=level or ("full" if size <= _FULL_UP_TO else "summary"),
        measures=tuple(
            MeasureNote(name=measure.name, unit=measure.unit, fold=measure.fold)
            for measure in game.scenario.measures
        ),
        stage=game.scenario.stage,
        cohorts=_cohorts(game.answerer),
        versions=versions(),
        files=dict(setup.files),
        prompts=setup.words.hashes() if setup.models_named else {},
    )


def _cohorts(answerer: Answerer) -> tuple[CohortNote, ...]:
    """Of live agents; a tape has none."""
    if not isinstance(answerer, Troupe):
        return ()
    return tuple(
        CohortNote(name=company.name, seats=tuple(rows.seat[rows.replicate == 0].tolist()))
        for company in answerer.companies
        for rows in [company.rows]
    )


def versions() -> dict[str, str]:
    """What the last bits of a run's numbers may depend on."""
    try:
        society = metadata.version("society")
    except metadata.PackageNotFoundError:
        society = "not installed"
    return {
        "society": society,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "networkx": metadata.version("networkx"),
        "machine": platform.machine(),
    }
