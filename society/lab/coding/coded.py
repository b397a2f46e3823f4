"""The coding of a sweep's norms, played like a condition once all conditions are finished."""

from __future__ import annotations

import asyncio
from pathlib import Path

from society.errors import InputError, brief
from society.lab.experiment import Experiment
from society.lab.folder import TEXTS
from society.lab.naming import CODING
from society.lab.sweep import Part, Sweep, parts, standing, total
from society.lab.worker import Done
from society.spec import prepared

from .scheme import CodingSpec, rubric_of, spec_of, strays
from .texts import gathered, write

NAME = "coding"


def coded(
    experiment: Experiment, path: Path, sweep: Sweep, *, overwrite: bool = False
) -> list[str]:
    """Have the texts of a sweep coded, unless that is done; gives what is to be said about it.

    The texts are written for people in any case, but never over a sheet that somebody has filled
    in. Raises InputError, KeyboardInterrupt.
    """
    wanted = parts(experiment, path)
    if experiment.coding is None:
        return []
    coding, sheet = experiment.coding, path / TEXTS
    _refuse_sheet(coding, sheet)
    if any(sweep.results[part.name].status != "finished" for part in wanted):
        return ["coding waits until all conditions are finished"]
    runs = {part.name: part.file for part in wanted}
    texts = gathered(runs, coding.quotes, coding.rounds)
    blank = write(sheet, texts, rubric_of(coding.rubric).criteria)
    notes = [] if blank else [f"{brief(sheet)} is kept as it is; for a blank one, move it away"]
    missing = _missing(coding)
    if missing:
        files = " and ".join(missing)
        words = f"coding waits for {files}: fill in {brief(sheet)} and save it as {files}"
        return [*notes, words]
    # Codes are answers, which only the level full keeps, whoever gives them.
    part = Part(NAME, prepared(spec_of(coding, texts)), path / CODING, "full")
    if standing([part], overwrite=overwrite).get(NAME) == "finished":
        sweep.results[NAME] = Done("finished")
    else:
        used = total([part.file, *runs.values()])
        asyncio.run(sweep.play([part], used))
    return [*notes, *strays(coding, texts)]


def _refuse_sheet(coding: CodingSpec, sheet: Path) -> None:
    """Raises InputError if the codes of a person are to be in the sheet that is given to people."""
    for name, file in coding.people.items():
        if file == sheet.resolve():
            raise InputError(
                f"coding.raters.{name}: {brief(sheet)} is the blank sheet for all; name another "
                "file, and save it as that once it is filled in"
            )


def _missing(coding: CodingSpec) -> list[str]:
    """Files with the codes of people that are not there."""
    return [brief(file) for file in coding.people.values() if not file.exists()]
