"""Studies made from numbers: what stands in run files is given, and no file is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from society.analysis.study import ConditionRun, Study
from society.analysis.study.design import StudyDesign
from society.analysis.study.frames import FrameColumn
from society.engine.calls import Usage
from society.engine.rng import Array
from society.engine.scenario import DisplaySpec
from society.runs.manifest import Manifest
from society.runs.runfile import Status

LAKE = DisplaySpec(endings={"fished_out": "the lake was empty"}, noun="villager")
SURVIVAL = {"name": "survival_time", "unit": "rounds", "fold": "first"}
CATCH = {"name": "catch", "unit": "fish a round", "fold": "mean"}
COOPERATION = {"name": "cooperation", "unit": "share of moves", "fold": "mean"}
GAME = {"name": "trust", "actions": ["share", "keep"]}


def made_run(
    values: Mapping[str, Sequence[float]],
    *,
    name: str = "lake",
    measures: Sequence[Mapping[str, Any]] = (CATCH,),
    factors: Mapping[str, Any] | None = None,
    status: Status = "finished",
    ledger: tuple[Usage, ...] = (),
    stage: DisplaySpec = LAKE,
    horizon: int = 60,
    rounds: int | None = None,
    **more: Any,
) -> ConditionRun:
    """A condition with so many runs as its measures have values."""
    replicates = len(next(iter(values.values())))
    manifest = Manifest.model_validate(
        {
            "scenario": "lake",
            "spec": {"scenario": "fishing_village"},
            "params": {},
            "seed": 7,
            "agents": 3,
            "replicates": replicates,
            "horizon": horizon,
            "level": "full",
            "measures": list(measures),
            "stage": stage,
            "cohorts": [{"name": "villager", "seats": [0, 1, 2]}],
            "versions": {"society": "0.1.0"},
            "files": {},
            **more,
        }
    )
    played = horizon if rounds is None else rounds
    return ConditionRun(
        name, factors or {}, Path(f"{name}.run"), manifest, status, played, "", ledger, 0
    )


def made_study(
    *conditions: tuple[ConditionRun, Mapping[str, Sequence[float]]],
    causes: Sequence[Sequence[str]] = (),
    censored: Mapping[str, Sequence[bool]] | None = None,
    by_round: Mapping[str, Array] | None = None,
    **more: Any,
) -> StudyDesign:
    """A study of conditions with the values of their measures, by run.

    causes: what ended the runs of each condition. censored: flags of all runs, by measure.
    by_round: of all runs of one condition after the other, (R, T).
    """
    runs = tuple(run for run, _ in conditions)
    levels: dict[str, list[Any]] = {}
    for run in runs:
        for factor, level in run.factors.items():
            if level not in levels.setdefault(factor, []):
                levels[factor].append(level)
    study = Study("lakes", runs, levels, **more)
    counts = [run.manifest.replicates for run in runs]
    given = causes or [[""] * count for count in counts]
    columns: dict[str, Any] = {"condition": np.repeat([run.name for run in runs], counts)}
    columns["cause"] = np.array([cause for own in given for cause in own], object)
    for measure in dict.fromkeys(name for _, own in conditions for name in own):
        columns[measure] = np.concatenate(
            [
                np.array(own.get(measure, [np.nan] * count), float)
                for (_, own), count in zip(conditions, counts, strict=True)
            ]
        )
    for measure, flags in (censored or {}).items():
        columns[f"{measure}_censored"] = np.array(flags, float)
    units = {note.name: note.unit for run in runs for note in run.manifest.measures}
    study.__dict__.update(  # in place of what files would say
        run_columns={name: FrameColumn(own, units.get(name, "")) for name, own in columns.items()},
        round_columns={name: FrameColumn(each.ravel()) for name, each in (by_round or {}).items()},
    )
    return StudyDesign(study)


def lake(values: Mapping[str, Sequence[float]], **more: Any) -> StudyDesign:
    """A study of a single condition; more: of its run."""
    asked = {name: more.pop(name) for name in ("causes", "censored", "by_round") if name in more}
    return made_study((made_run(values, **more), values), **asked)
