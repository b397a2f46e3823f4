"""The coding of a sweep's norms: a run for each rater, once all conditions are finished."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from society.errors import InputError, brief
from society.lab.experiment import Experiment
from society.lab.folder import TEXTS
from society.lab.naming import rated
from society.lab.parts import Part, parts, standing
from society.lab.sweep import Sweep
from society.runs.spending import total
from society.spec import prepared

from .people import sheet_of
from .scheme import CodingSpec, rubric_of, spec_of
from .texts import Texts, gathered, write


def coded(
    experiment: Experiment, path: Path, sweep: Sweep, *, overwrite: bool = False
) -> list[str]:
    """Have the texts of a sweep coded, as far as that is to be done; gives what is to be said.

    The texts are written for people in any case, but never over a sheet that somebody has filled
    in. Models do not wait for people. Raises InputError, KeyboardInterrupt.
    """
    wanted = parts(experiment, path)
    if experiment.coding is None:
        return []
    coding, blank = experiment.coding, path / TEXTS
    _refuse_sheet(coding, blank)
    if any(sweep.results[part.name].status != "finished" for part in wanted):
        return ["coding waits until all conditions are finished"]
    runs = {part.name: part.file for part in wanted}
    texts, rubric = gathered(runs, coding.quotes, coding.rounds), rubric_of(coding.rubric)
    if not texts:
        raise InputError("there is no text to be coded: nobody in these runs has said anything")
    written = write(blank, texts, rubric.criteria)
    notes = [] if written else [f"{brief(blank)} is kept as it is; for a blank one, move it away"]
    people = coding.people.items()
    sheets = {name: sheet_of(name, file, rubric, texts, blank) for name, file in people}
    ready = [name for name in coding.raters if name not in sheets or not sheets[name].waits]
    notes += _play(coding, path, sweep, ready, texts, [*runs.values()], overwrite=overwrite)
    for sheet in sheets.values():
        notes += filter(None, (sheet.waits, *sheet.notes))
    return notes


def _refuse_sheet(coding: CodingSpec, blank: Path) -> None:
    """Raises InputError if the codes of a person are to be in the sheet that is given to people."""
    for name, file in coding.people.items():
        if file == blank.resolve():
            raise InputError(
                f"coding.raters.{name}: {brief(blank)} is the blank sheet for all; name another "
                "file, and save it as that once it is filled in"
            )


def _play(
    coding: CodingSpec,
    path: Path,
    sweep: Sweep,
    raters: Iterable[str],
    texts: Texts,
    runs: list[Path],
    *,
    overwrite: bool,
) -> list[str]:
    """Play what is not finished of the runs of raters; gives what is to be said of people's.

    runs: of the conditions, for what they have used.
    """
    files = {name: path / file for name, file in coding.files.items()}
    # Codes are answers, which only the level full keeps, whoever gives them.
    wanted = [
        Part(rated(name), prepared(spec_of(coding, name, texts)), files[name], "full")
        for name in raters
    ]
    found = standing([part for part in wanted if part.speaks], overwrite=overwrite)
    people = [part for part in wanted if not part.speaks]
    begun = [part for part in people if part.file.exists()]
    # What a person has said stands in a table, so that it costs nothing to play it again.
    found |= standing(people, overwrite=True)
    sweep.skip([part for part in wanted if found.get(part.name) == "finished"])
    todo = [part for part in wanted if part.name not in sweep.results]
    asyncio.run(sweep.play(todo, total([*files.values(), *runs])))
    return [
        f"{brief(part.file)} is made anew, which costs nothing: the person's table, the texts, the "
        "rubric or the code have changed"
        for part in begun
        if part.name not in found
    ]
