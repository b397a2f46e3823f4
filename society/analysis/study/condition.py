"""One condition of a study and its run file, as it stood when it was opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from society.engine.calls import Usage
from society.runs.manifest import Manifest
from society.runs.runfile import RunFile, Status, open_run_file

if TYPE_CHECKING:
    from society.experiments.factors import Label


@dataclass(frozen=True)
class ConditionRun:
    """One condition and its run file, as it stood when it was opened.

    factors: its level of each. rounds: played. ledger: what was asked of outside minds, of which
    `unanswered` calls never came back.
    """

    name: str
    factors: Mapping[str, Label]
    path: Path
    manifest: Manifest
    status: Status
    rounds: int
    digest: str
    ledger: tuple[Usage, ...]
    unanswered: int

    @classmethod
    def read(cls, path: Path, name: str, factors: Mapping[str, Label]) -> Self:
        """Read the state of a run file; raises RunFileError."""
        with open_run_file(path) as run:
            rounds = run.rounds
            last = next(run.records(rounds, lines=False), None)
            digest = last.chain if last else ""
            ledger, unanswered = run.ledger(), run.unanswered
            return cls(
                name, factors, path, run.manifest, run.status, rounds, digest, ledger, unanswered
            )

    def opened(self) -> RunFile:
        """Open the run file, to be closed again."""
        return open_run_file(self.path)
