"""The runs of a folder: conditions with their factors, how far they are, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from society.engine.rng import Array
from society.engine.scenario import Estimate
from society.errors import FileError, MissingLibraryError, RunFileError, SocietyError, short_path
from society.experiments.folder import NOTE, open_folder
from society.optional import require
from society.runs.runfile import open_run_file
from society.terminal.labels import describe_ending

_CODING = "coding-"  # how files of runs begin that are no conditions


class ConditionRow(NamedTuple):
    """A condition: its name, its level of each factor, its run file, and why it failed, or ""."""

    name: str
    factors: Mapping[str, str]
    path: Path
    failure: str = ""


class RunsFolder(NamedTuple):
    """A folder of runs: a sweep with its factors, or run files that lie together."""

    name: str
    path: Path
    factors: tuple[str, ...]
    rows: tuple[ConditionRow, ...]


class RunSummary(NamedTuple):
    """A run as it stands: its status in a word, rounds, and estimates of its measures.

    values: of each replicate by measure, (R,); lasted: (R,), rounds until its end; ends: how each
    replicate ended, "" for those that did not. trouble: why it cannot be read, or "".
    """

    status: str
    rounds: int = 0
    most: int = 0
    replicates: int = 0
    measures: Mapping[str, Estimate] = {}
    values: Mapping[str, Array] = {}
    lasted: Array = np.empty(0)
    ends: tuple[str, ...] = ()
    trouble: str = ""


def read_folder(path: Path) -> RunsFolder:
    """Read which runs a folder holds; raises FileError if there are none."""
    if (path / NOTE).exists():
        sweep = open_folder(path)
        rows = tuple(
            ConditionRow(
                one.name,
                {name: str(level) for name, level in one.factors.items()},
                path / one.file,
                sweep.failures.get(one.name, ""),
            )
            for one in sweep.conditions
        )
        return RunsFolder(sweep.name, path, tuple(sweep.levels), rows)
    files = [file for file in sorted(path.glob("*.run")) if not file.name.startswith(_CODING)]
    if not files:
        raise FileError(
            f"{short_path(path)} holds no runs; name a run file, or the folder of a sweep, which "
            "`society sweep EXPERIMENT.yaml` makes"
        )
    rows = tuple(ConditionRow(file.stem, {}, file) for file in files)
    return RunsFolder(path.resolve().name, path, (), rows)


def summarise(row: ConditionRow) -> RunSummary:
    """Read how a run stands; once, unless its file has changed."""
    if row.failure:
        return RunSummary("failed", trouble=row.failure)
    try:
        stamps = tuple(
            (side.stat().st_mtime_ns, side.stat().st_size)
            for side in (row.path, row.path.with_name(row.path.name + "-wal"))
            if side.exists()
        )
    except OSError as error:
        return RunSummary("unreadable", trouble=str(error))
    return _summary(row.path, stamps) if stamps else RunSummary("waiting")


@lru_cache(2_000)
def _summary(path: Path, stamps: tuple[tuple[int, int], ...]) -> RunSummary:
    try:
        with open_run_file(path) as run:
            manifest, outcome = run.manifest, run.outcome()
            lasted = np.full(manifest.replicates, run.rounds)
            ends = np.full(manifest.replicates, "", object)
            for record in run.records(lines=False):
                for kind, replicates in record.ends.items():
                    lasted[replicates] = record.page.number
                    ends[replicates] = describe_ending(manifest.stage, kind)
            return RunSummary(
                run.status,
                run.rounds,
                manifest.most,
                manifest.replicates,
                outcome.measures,
                outcome.values,
                lasted,
                tuple(ends.tolist()),
            )
    except (RunFileError, SocietyError) as error:
        return RunSummary("unreadable", trouble=str(error))


def knows_intervals() -> bool:
    """Tell whether intervals can be had, which need a library of the extra `lab`."""
    try:
        require("scipy.special")
    except MissingLibraryError:
        return False
    return True


def half_width(estimate: Estimate) -> float:
    """Half of the t interval of 95 % of a mean over replicates; NaN for none, or no spread."""
    if not estimate.se or estimate.n < 2 or not knows_intervals():
        return float("nan")
    return float(require("scipy.special").stdtrit(estimate.n - 1, 0.975)) * estimate.se
