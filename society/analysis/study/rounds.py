"""Measures of some runs, round by round, in one pass through each run file.

A study of hundreds of runs has millions of rows, so that columns are made once, at full length, and
filled in place: each run is a block of them that is seen as (R replicates, T rounds).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from society.engine.calls import ParseIssue
from society.engine.rng import Array
from society.engine.scenario import Folded
from society.engine.script import UNREAD
from society.runs.runfile import RunFile

from .frames import Columns, FrameColumn, add_column, concatenate, nullable_flags, strings

if TYPE_CHECKING:
    from .condition import ConditionRun


@dataclass
class RunBlock:
    """One run, in views of the columns of all runs; rounds not yet played are no part.

    measures: (R, T) each, NaN where not measured. present: agents when a round was closed, (R, T).
    running: whether the replicate had not ended before the round, (R, T). cause: of its end, (R,).
    """

    measures: dict[str, Array]
    present: Array
    running: Array
    cause: Array
    troubles: list[tuple[int, ParseIssue]] = field(default_factory=list)

    def read(self, run: RunFile) -> None:
        """Fill the block from the run's file."""
        rounds = self.present.shape[1]
        running: Array = np.ones(len(self.cause), bool)
        for record in run.records(lines=False):
            page, place = record.page, record.page.number - 1
            if place >= rounds:  # played since the study was opened
                break
            self.troubles += [(page.number, trouble) for trouble in page.troubles]
            for kind, replicates in record.ends.items():
                self.cause[replicates] = kind
            if place >= 0:
                self.present[:, place] = page.present.sum(1)
                self.running[:, place] = running
                for name, values in page.measures.items():
                    self.measures[name][:, place] = values
            running = page.running[:, 0]

    def folded(self, run: ConditionRun) -> dict[str, Folded]:
        """Fold each measure over the rounds, as the game master does."""
        folds = {}
        for note in run.manifest.measures:
            fold = folds[note.name] = Folded(note.fold, note.unit, len(self.cause))
            for place, values in enumerate(self.measures[note.name].T):
                fold.add(place + 1, values, self.running[:, place])
            fold.strike(self.cause == UNREAD)
        return folds


class RoundHistory:
    """The columns of all runs, one row for each round of each replicate, and a block per run.

    replicates, counts: of each run, its replicates and its rows.
    """

    def __init__(self, runs: Sequence[ConditionRun]) -> None:
        self._runs = runs
        self.replicates = [run.manifest.replicates for run in runs]
        self.counts = [run.manifest.replicates * run.rounds for run in runs]
        rows = sum(self.counts)
        names = dict.fromkeys(note.name for run in runs for note in run.manifest.measures)
        self.measures = {name: np.full(rows, np.nan) for name in names}
        self.present, self.running = np.zeros(rows, np.int32), np.zeros(rows, bool)
        self.blocks = []
        ends = np.cumsum(self.counts, dtype=int).tolist()
        for run, count, end in zip(runs, self.counts, ends, strict=True):
            self.blocks.append(self._block(run, slice(end - count, end)))
            with run.opened() as file:
                self.blocks[-1].read(file)

    def _block(self, run: ConditionRun, rows: slice) -> RunBlock:
        shape = run.manifest.replicates, run.rounds
        return RunBlock(
            {name: values[rows].reshape(shape) for name, values in self.measures.items()},
            self.present[rows].reshape(shape),
            self.running[rows].reshape(shape),
            np.full(shape[0], "", object),
        )

    def rounds(self, units: Mapping[str, str]) -> Columns:
        """Return a row for each round of each replicate."""
        shapes = [block.running.shape for block in self.blocks]
        replicates = [np.repeat(np.arange(r, dtype=np.int32), t) for r, t in shapes]
        rounds = [np.tile(np.arange(1, t + 1, dtype=np.int32), r) for r, t in shapes]
        columns = {
            "replicate": FrameColumn(concatenate(replicates, np.int32), "id"),
            "round": FrameColumn(concatenate(rounds, np.int32), "number"),
            "running": FrameColumn(self.running, "at the beginning of the round"),
            "present": FrameColumn(self.present, "agents"),
        }
        for name, values in self.measures.items():
            add_column(columns, name, FrameColumn(values, units[name]))
        return columns

    def runs(self, units: Mapping[str, str]) -> Columns:
        """Return a row for each replicate: rounds lived, cause of the end, measures."""
        lived = [block.running.sum(1) for block in self.blocks]
        columns = {
            "replicate": FrameColumn(
                concatenate([np.arange(count) for count in self.replicates], int), "id"
            ),
            "rounds": FrameColumn(concatenate(lived, int), "rounds lived"),
            "cause": FrameColumn(
                concatenate([b.cause for b in self.blocks], object), "kind", lay_out=strings
            ),
        }
        folds = [block.folded(run) for block, run in zip(self.blocks, self._runs, strict=True)]
        values = [{name: fold.values() for name, fold in each.items()} for each in folds]
        censored = [
            {name: fold.censored() for name, fold in each.items() if fold.fold == "first"}
            for each in folds
        ]
        for name in self.measures:
            stacked = stack_blocks(values, name, self.replicates)
            add_column(columns, name, FrameColumn(stacked, units[name]))
            if any(name in each for each in censored):
                open_ended = FrameColumn(
                    stack_blocks(censored, name, self.replicates),
                    "had not come by the last round",
                    lay_out=nullable_flags,
                )
                add_column(columns, f"{name}_censored", open_ended)
            if any(name in each and each[name].earlier().any() for each in folds):
                rounds = [{name: fold[name].latest} if name in fold else {} for fold in folds]
                taken = FrameColumn(stack_blocks(rounds, name, self.replicates), "number")
                add_column(columns, f"{name}_round", taken)
        return columns


def stack_blocks(
    blocks: Sequence[Mapping[str, Array]],
    name: str,
    counts: Sequence[int],
) -> Array:
    """Join one column of blocks of so many rows each, NaN in those that lack it."""
    pairs = zip(blocks, counts, strict=True)
    return concatenate([block.get(name, np.full(count, np.nan)) for block, count in pairs])
