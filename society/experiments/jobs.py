"""The runs that a sweep is to play, and the status of each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from society.config.build import Society
from society.llm.providers.estimate import Forecast
from society.runs.design_runs import make_designs
from society.runs.play import earlier_runs
from society.runs.provenance import run_file_statuses
from society.runs.runfile import Level, Status

from .experiment import Experiment


class PlannedRun(NamedTuple):
    """A run to be played, of a condition or of a rater who codes norms.

    level: to be recorded, whatever the experiment says. earlier: files and societies of runs that
    are played before it.
    """

    name: str
    setup: Society
    file: Path
    level: Level | None = None
    earlier: tuple[tuple[Path, Society], ...] = ()

    @property
    def speaks(self) -> bool:
        """True if the run asks language models."""
        return bool(self.setup.models_named)

    @property
    def files(self) -> list[Path]:
        """The run's file, and those of the runs that are played before it."""
        return [self.file, *(file for file, _ in self.earlier)]


def planned_runs(experiment: Experiment, folder: Path) -> list[PlannedRun]:
    """Plan a run for each condition, in a file of its own."""
    return [
        PlannedRun(one.name, one.setup, file, earlier=tuple(earlier_runs(one.setup, file)))
        for one in experiment.conditions
        for file in (folder / one.file,)
    ]


def run_statuses(parts: Iterable[PlannedRun], *, overwrite: bool = False) -> dict[str, Status]:
    """Find the status of each planned run that was begun; raises RunFileError.

    Runs that were made otherwise than their parts say now are refused or removed, as
    society.runs.provenance.run_file_statuses says.
    """
    listed = list(parts)
    files = [pair for one in listed for pair in ((one.file, one.setup), *one.earlier)]
    found = run_file_statuses(files, overwrite=overwrite)
    return {one.name: found[one.file] for one in listed if one.file in found}


def forecasts(parts: Iterable[PlannedRun]) -> list[Forecast]:
    """Count what all runs would ask of each model, before anything is spent.

    The offline mind plays all of them, designs included.
    """
    by_model: dict[str, list[Forecast]] = {}
    for part in parts:
        for one in _counted(part) if part.speaks else ():
            by_model.setdefault(one.model, []).append(one)
    return [Forecast.summed(model, found) for model, found in sorted(by_model.items())]


def _counted(part: PlannedRun) -> list[Forecast]:
    minds = part.setup.counting()
    make_designs(part.setup, minds).gamemaster(minds=minds).play()
    return minds.forecasts()
