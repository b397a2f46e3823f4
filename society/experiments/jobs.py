"""The runs that a sweep is to play, and the status of each."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from society.config.build import Society, build
from society.config.run_config import RunConfig
from society.errors import RunFileError, short_path
from society.runs.design_runs import DesignRun, design_runs, with_designs
from society.runs.provenance import list_changes
from society.runs.runfile import Level, Status, open_run_file
from society.runs.schema import SIDES, Header, side_file

from .experiment import Experiment
from .folder import config_hash
from .worker import JobResult


class PlannedRun(NamedTuple):
    """A run to be played, of a condition or of a rater who codes norms.

    level: to be recorded, whatever the experiment says. designs: those that are made before it, if
    it has not begun.
    """

    name: str
    setup: Society
    file: Path
    level: Level | None = None
    designs: tuple[DesignRun, ...] = ()

    @property
    def speaks(self) -> bool:
        """Whether it asks models."""
        return bool(self.setup.models_named)

    @property
    def drafting(self) -> list[PlannedRun]:
        """Runs that make its designs; these are answers, which only the level full keeps."""
        return [
            PlannedRun(f"{self.name} ({one.mechanism})", one.setup, one.file(self.file), "full")
            for one in self.designs
        ]

    @property
    def files(self) -> list[Path]:
        """Its run, and those that make its designs."""
        return [self.file, *(one.file for one in self.drafting)]

    async def with_designs(
        self, ended: Callable[[PlannedRun], Awaitable[JobResult]]
    ) -> PlannedRun | JobResult:
        """The part whose designs are made, or how making one of them ended; ended: plays a run."""
        if not self.designs:
            return self
        if self.file.exists():  # it has them
            with open_run_file(self.file) as run:
                drafts = RunConfig.model_validate(run.manifest.spec).drafts
            spec = self.setup.spec.model_copy(update={"drafts": drafts})
            return self._replace(setup=build(spec))
        made = {}
        for one, making in zip(self.designs, self.drafting, strict=True):
            done = await ended(making)
            if done.status != "finished":
                return done._replace(words=f"{short_path(making.file)}: {done.words}")
            made[one.mechanism] = one.kept(making.file)
        return self._replace(setup=with_designs(self.setup, made))


def planned_runs(experiment: Experiment, folder: Path) -> list[PlannedRun]:
    """Plan a run for each condition, in a file of its own."""
    return [
        PlannedRun(one.name, one.setup, folder / one.file, designs=tuple(design_runs(one.setup)))
        for one in experiment.conditions
    ]


def run_statuses(parts: Iterable[PlannedRun], *, overwrite: bool = False) -> dict[str, Status]:
    """Find the status of each planned run that was begun; raises RunFileError.

    Runs that were made otherwise than their parts say now are refused, or removed by `overwrite`,
    and so are damaged ones; `overwrite` also removes what was made with other code.
    """
    found, others = dict[str, Status](), list[Path]()
    for part in (run for one in parts for run in (one, *one.drafting)):
        if part.file.exists():
            status = _status(part, overwrite)
            if status is None:
                others.append(part.file)
            else:
                found[part.name] = status
    if others and not overwrite:
        raise RunFileError(
            f"{name_runs([short_path(file) for file in others])} played from another experiment "
            "than the one given now; name another --out, or replace such runs by --overwrite"
        )
    for file in others:
        for suffix in ("", *SIDES):
            side_file(file, suffix).unlink(missing_ok=True)
    return found


def _status(part: PlannedRun, overwrite: bool) -> Status | None:
    """How its run stands; None if that is another one."""
    try:
        with open_run_file(part.file) as run:
            status, manifest = run.status, run.manifest
            deque(run.records(), 0)  # raises if it is damaged anywhere
    except RunFileError as error:
        if overwrite and Header.of(part.file).ours:
            return None
        raise RunFileError(f"{error}; --overwrite plays it again") from error
    if status == "running":
        raise RunFileError(
            f"{short_path(part.file)} is being written right now; wait for that sweep"
        )
    same = config_hash(RunConfig.model_validate(manifest.spec)) == config_hash(part.setup.spec)
    if overwrite and list_changes(manifest, part.setup):
        return None
    return status if same else None


def name_runs(names: Sequence[str]) -> str:
    """Name some runs as the subject of a sentence.

    >>> name_runs(["a"]), name_runs(["a", "b", "c"])
    ('a was', 'a and 2 more were')
    """
    return f"{names[0]} was" if len(names) == 1 else f"{names[0]} and {len(names) - 1} more were"
