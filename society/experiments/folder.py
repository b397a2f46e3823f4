"""The folder of a sweep: its experiment, and a run file for each condition that has begun.

sweep.json     the experiment as it was written, its conditions, and what failed
NAME.run       one for each condition
coding-*.run   one for each rater of its norms, if they are coded
texts.csv      what was coded, for people who code

A run file belongs to a condition by the hash of its configuration. The hash leaves out how models
are reached, what may be spent, and designs made before the run, which follow from the rest.
"""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from society.errors import FileError, Paused, RunFileError, short_path
from society.runs.provenance import config_hash

from .analysis_plan import AnalysisPlan
from .coding_plan import CodingPlan
from .experiment import Experiment, RandomNumbers
from .factors import Label

NOTE, TEXTS = "sweep.json", "texts.csv"

_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True, ser_json_inf_nan="constants")


class ConditionFile(BaseModel):
    """A condition and its run file, which is there once the run has begun.

    essence: of its spec, by which its run is known.
    """

    model_config = _STRICT

    name: str
    factors: dict[str, Label]
    file: str
    essence: str


class SweepFolder(BaseModel):
    """The folder of a sweep, as its `sweep.json` describes it.

    failures: why the runs of some conditions failed, by condition. limits: what the command line
    has said of them, which holds for later sessions; None lifts one.
    """

    model_config = _STRICT

    format: Literal[1] = 1
    name: str
    text: str
    random_numbers: RandomNumbers
    levels: dict[str, list[Label]]
    analysis: AnalysisPlan
    coding: CodingPlan | None = None
    conditions: list[ConditionFile]
    failures: dict[str, str] = {}
    limits: dict[str, float | int | None] = {}

    _path: Path = Path()

    @property
    def path(self) -> Path:
        """The path of the folder."""
        return self._path

    @classmethod
    def of(
        cls, experiment: Experiment, path: Path, limits: Mapping[str, Any] | None = None
    ) -> Self:
        """Open the folder for an experiment that is to be played there."""
        self = cls(
            limits=dict(limits or {}),
            name=experiment.name,
            text=experiment.text,
            random_numbers=experiment.random_numbers,
            levels={name: list(labels) for name, labels in experiment.levels.items()},
            analysis=experiment.analysis,
            coding=experiment.coding,
            conditions=[
                ConditionFile(
                    name=name, factors=dict(factors), file=file, essence=config_hash(setup.spec)
                )
                for name, factors, setup, file in experiment.conditions
            ],
        )
        self._path = path
        return self

    def keep(self, failures: Mapping[str, str]) -> None:
        """Write it, all or nothing; raises FileError."""
        text = self.model_copy(update={"failures": dict(failures)}).model_dump_json(indent=1)
        draft = self.path / f".{NOTE}.{os.getpid()}"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            draft.write_text(f"{text}\n", "utf-8")
            draft.replace(self.path / NOTE)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            if error.errno == errno.ENOSPC:
                room = f"there is no space left on the disk of {short_path(self.path)}"
                raise Paused(f"{room}; free some, and repeat the command") from error
            reason = error.strerror or error
            raise FileError(
                f"cannot write {short_path(self.path)}: {reason}; name another folder with --out"
            ) from error


def _hint_at_runs(path: Path) -> str:
    """Name what shows the runs of a folder that no sweep has made; "" if it has none."""
    if not any(path.glob("*.run")):
        return ""
    shown = shlex.quote(short_path(path))
    return (
        f". A report of its runs together: `society report {shown}/*.run`; a page that lists "
        f"them: `society list runs {shown} --out PAGE.html`"
    )


def open_folder(path: Path | str) -> SweepFolder:
    """Open the folder of a sweep; raises FileError, RunFileError."""
    path = Path(path)
    try:
        folder = SweepFolder.model_validate_json((path / NOTE).read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise FileError(
            f"{short_path(path)} is not the folder of a sweep; `society sweep EXPERIMENT.yaml` "
            f"makes one{_hint_at_runs(path)}"
        ) from None
    except OSError as error:
        raise FileError(f"cannot read {short_path(path / NOTE)}: {error.strerror}") from error
    except (ValidationError, UnicodeDecodeError):
        raise RunFileError(
            f"{short_path(path / NOTE)} is damaged, or was not written by a sweep; repeat the "
            "command that made it with --overwrite, which writes it anew, keeps the runs whose "
            "settings are the same, and forgets limits that earlier command lines gave"
        ) from None
    folder._path = path
    return folder


def earlier_limits(path: Path, *, overwrite: bool = False) -> dict[str, float | int | None]:
    """Return the limits that command lines of earlier sessions gave; raises RunFileError.

    overwrite: a damaged `sweep.json` counts as none, since it is to be written anew.
    """
    if not (path / NOTE).exists():
        return {}
    try:
        return dict(open_folder(path).limits)
    except RunFileError:
        if not overwrite:
            raise
        return {}
