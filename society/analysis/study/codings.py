"""The coding of a sweep's norms: a run for each rater, as they stood when they were opened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from society.analysis.coding.codes import (
    Codes,
    CodingResults,
    measure_codes,
    merge_codes,
    read_codes,
)

from .condition import ConditionRun

if TYPE_CHECKING:
    from collections.abc import Mapping

    from society.experiments.coding_plan import CodingPlan
    from society.experiments.folder import SweepFolder


@dataclass(frozen=True)
class SweepCoding:
    """The coding of a sweep's norms.

    folder: of the sweep. plan: of its experiment. raters: their runs, of those that have begun.
    """

    folder: Path
    plan: CodingPlan
    raters: tuple[ConditionRun, ...]

    @property
    def unfinished(self) -> list[str]:
        """The raters whose codes are not all there."""
        finished = {run.name for run in self.raters if run.status == "finished"}
        return [name for name in self.plan.raters if name not in finished]

    @property
    def note(self) -> str:
        """The raters that are awaited, in words; "" if none is."""
        awaited = " and ".join(self.unfinished)
        return f"the coding of norms waits for {awaited}" if awaited else ""

    @cached_property
    def codes(self) -> Codes:
        """The codes, as far as the raters have come; raises InputError."""
        apart = []
        for rater in self.raters:
            with rater.opened() as run:
                apart.append(read_codes(run))
        return merge_codes(apart)

    def measured(self, runs: Mapping[str, Path]) -> CodingResults:
        """Measure the coded runs by condition, once all raters have finished."""
        if self.unfinished:
            return CodingResults(note=self.note)
        return measure_codes(self.codes, self.plan, runs)


def open_codings(folder: SweepFolder) -> tuple[SweepCoding, ...]:
    """Open the coding of a sweep's norms, if it was begun; raises RunFileError."""
    if folder.coding is None:
        return ()
    files = {name: folder.path / file for name, file in folder.coding.files.items()}
    raters = [ConditionRun.read(file, name, {}) for name, file in files.items() if file.exists()]
    return (SweepCoding(folder.path, folder.coding, tuple(raters)),) if raters else ()
