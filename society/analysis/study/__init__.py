"""Run files and folders of sweeps, opened to be analysed: in a notebook, or for a report.

    study = society.open_sweep("sweeps/fines")
    study.runs.groupby("fine").survival_time.mean()

See society.analysis.study.study for the tables of a study.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from society.engine.scenario import Scenario
from society.errors import InputError, RunFileError, short_path
from society.experiments.folder import open_folder
from society.runs.design_runs import is_drafting
from society.runs.provenance import config_hash
from society.runs.runfile import open_run_file as read_run

from .codings import open_codings
from .condition import ConditionRun
from .frames import CONDITION
from .study import Study

if TYPE_CHECKING:
    from society.experiments.analysis_plan import AnalysisPlan
    from society.experiments.experiment import RandomNumbers
    from society.experiments.factors import Label

__all__ = ["ConditionRun", "Study", "open_run", "open_study", "open_sweep"]

# Of the columns that identify a row, and that a setting may be called after.
_COLUMNS = ("replicate", "round", "rounds", "agent")


def open_run(path: Path | str) -> Study:
    """Open a run file as a study of one condition without factors; raises InputError."""
    path = _as_path(path, "open_run", "a run file")
    return Study(path.stem, (ConditionRun.read(path, path.stem, {}),))


def open_sweep(path: Path | str) -> Study:
    """Open the folder of a sweep, as far as it has been played.

    A factor that is called like a measure, or like a column that identifies rows, has `_level`
    behind its name; one called condition only if its levels are not the names of the conditions.
    Raises InputError if nothing was played, or a run file is damaged.
    """
    return _rename_clashes(_sweep(_as_path(path, "open_sweep", "the folder of a sweep")))


def open_study(paths: Sequence[Path | str]) -> Study:
    """Open run files and folders of sweeps as one study; raises InputError.

    Conditions of the same name have that of their folder in front. A condition lacks the factors
    that its own sweep does not have. A file that is named twice counts once, and one in which only
    designs were made does not count.
    """
    what = "a list of run files and folders"
    if isinstance(paths, str | Path) or not isinstance(paths, Iterable):
        raise InputError(_wrong_type(paths, "open_study", what))
    files = [_as_path(path, "open_study", what) for path in paths]
    if not files:
        raise InputError("nothing to study; name run files, or folders of sweeps")
    for path in files:
        if not path.exists():
            raise InputError(
                f"there is no {short_path(path)}; name run files, or folders of sweeps"
            )
    studies = [
        _sweep(path) if path.is_dir() else open_run(path)
        for path in files
        if path.is_dir() or not _drafts_only(path)
    ]
    if not studies:
        raise InputError("these runs have only made designs; name the runs that were played then")
    return _rename_clashes(studies[0] if len(studies) == 1 else _unite(studies))


def _as_path(given: object, function: str, what: str) -> Path:
    """Return a path as it was given; raises InputError for anything else."""
    if isinstance(given, str | Path):
        return Path(given)
    raise InputError(_wrong_type(given, function, what))


def _wrong_type(given: object, function: str, what: str) -> str:
    """Say what came in place of a path, what was expected, and what to do."""
    kind = type(given).__name__
    if isinstance(given, Scenario):
        return (
            f"{function} got the scenario {given.name}; expected {what}, as str or Path; "
            f"society.run({given.name}) plays a scenario, and its result has the same frames"
        )
    shown = repr(given).partition("\n")[0]
    words = f"{function} got {shown:.60} ({kind}); expected {what}, as str or Path"
    return f"{words}; give its .path" if isinstance(getattr(given, "path", None), Path) else words


def _drafts_only(path: Path) -> bool:
    """Tell whether a run has made designs for another one, and is no condition."""
    with read_run(path) as run:
        return is_drafting(run.manifest.spec.get("mechanisms", ()))


def _sweep(path: Path) -> Study:
    folder = open_folder(path)
    played, missing = list[ConditionRun](), list[str]()
    for condition in folder.conditions:
        file = folder.path / condition.file
        if file.exists():
            run = ConditionRun.read(file, condition.name, condition.factors)
            if config_hash(run.manifest.config) != condition.essence:
                raise RunFileError(
                    f"{short_path(file)} is not the run of {condition.name}; was it renamed? "
                    "`society sweep` lists the runs that differ"
                )
            played.append(run)
        else:
            missing.append(condition.name)
    if not played:
        raise InputError(
            f"no condition of {short_path(path)} has been played; go on with its sweep"
        )
    return Study(
        folder.name,
        tuple(played),
        folder.levels,
        folder.random_numbers,
        folder.analysis,
        folder.text,
        folder.failures,
        tuple(missing),
        open_codings(folder),
    )


def _unite(studies: Sequence[Study]) -> Study:
    runs: dict[Path, ConditionRun] = {}
    for run in (run for study in studies for run in study.played):
        known = runs.setdefault(run.path.resolve(), run)
        if run.factors and not known.factors:  # its sweep knows more of it than the file alone
            runs[run.path.resolve()] = run
    names = _distinct(runs)
    levels: dict[str, dict[Label, None]] = {}
    failures: dict[str, str] = {}
    for study in studies:
        for factor, labels in study.levels.items():
            levels.setdefault(factor, {}).update(dict.fromkeys(labels))
        renamed = {run.name: names[run.path.resolve()] for run in study.played}
        failures |= {renamed.get(name, name): words for name, words in study.failures.items()}
    return Study(
        " and ".join(dict.fromkeys(study.name for study in studies)),
        tuple(replace(run, name=names[path]) for path, run in runs.items()),
        {factor: list(labels) for factor, labels in levels.items()},
        _luck(list(runs.values())),
        text="\n---\n".join(study.text for study in studies if study.text),
        failures=failures,
        missing=tuple(name for study in studies for name in study.missing),
        codings=tuple(
            {
                coding.folder.resolve(): coding for study in studies for coding in study.codings
            }.values()
        ),
    )


def _distinct(runs: Mapping[Path, ConditionRun]) -> dict[Path, str]:
    """Name each run, with its folder below the common one where names would be the same."""
    times = Counter(run.name for run in runs.values())
    root = os.path.commonpath([path.parent for path in runs])
    names = {}
    for path, run in runs.items():
        folder = path.parent.relative_to(root).as_posix()
        apart = times[run.name] > 1 and folder != "."
        names[path] = f"{folder}/{run.name}" if apart else run.name
    return names


def _luck(runs: Sequence[ConditionRun]) -> RandomNumbers | None:
    """Tell which random numbers runs share that were not planned together.

    The place of a draw depends on the seats, and what it is for on the scenario.
    """
    given = [run.manifest for run in runs]
    seeds = {manifest.seed for manifest in given}
    shapes = {(manifest.scenario, manifest.replicates, manifest.agents) for manifest in given}
    if len(seeds) == len(shapes) == 1 < len(runs):
        return "common"
    return "independent" if len(seeds) == len(runs) > 1 else None


def _rename_clashes(study: Study) -> Study:
    """Return the study with factors renamed that are called like a column."""
    taken = {*_COLUMNS, *study.units}
    if any(run.factors.get(CONDITION, run.name) != run.name for run in study.played):
        taken.add(CONDITION)
    names = {name: f"{name}_level" if name in taken else name for name in study.levels}
    if all(name == old for old, name in names.items()):
        return study
    played = [
        replace(run, factors={names[name]: label for name, label in run.factors.items()})
        for run in study.played
    ]
    return replace(
        study,
        levels={names[name]: labels for name, labels in study.levels.items()},
        played=tuple(played),
        analysis=None if study.analysis is None else _rename_factors(study.analysis, names),
    )


def _rename_factors(analysis: AnalysisPlan, names: Mapping[str, str]) -> AnalysisPlan:
    settings = {"factors": analysis.factors, "by": analysis.by}
    changed = {key: old and [names[name] for name in old] for key, old in settings.items()}
    return analysis.model_copy(update=changed)
