"""The coding of a sweep's norms: a run for each rater, once all conditions are finished.

A person who rates fills in a sheet; coding waits until it is there and has codes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from society.config.build import build
from society.engine.interrupts import run_interruptible
from society.errors import InputError, short_path
from society.experiments.coding_plan import (
    CodingPlan,
    HandCodes,
    rater_spec,
    read_hand_codes,
    read_rubric,
)
from society.experiments.experiment import Experiment
from society.experiments.factors import coding_name
from society.experiments.folder import TEXTS
from society.experiments.jobs import PlannedRun, planned_runs, run_statuses
from society.experiments.sweep import Sweep
from society.runs.session import use_in_files
from society.scenarios.coding.rubric import Rubric
from society.text import quote_text

from .texts import Texts, gather_texts, write_sheet


class Sheet(NamedTuple):
    """The state of a person's sheet. waits: what is missing, in words; "" if it can be read."""

    waits: str
    notes: tuple[str, ...] = ()


def read_sheet(
    rater: str, file: Path, rubric: Rubric, texts: Collection[str], blank: Path
) -> Sheet:
    """Read how far a person has coded some texts; raises FileError, ScenarioError.

    blank: the sheet that is to be filled in.
    """
    name = short_path(file)
    if not file.exists():
        return Sheet(f"coding waits for {name}: fill in {short_path(blank)} and save it as {name}")
    codes = read_hand_codes(file, rubric.criteria)
    notes = tuple(_strays(rater, codes, texts))
    if not any(text in texts for coded in codes.values() for text in coded):
        return Sheet(f"coding waits for {name}: no text has a code yet", notes)
    return Sheet("", (*notes, *_gaps(name, codes, texts)))


def _strays(rater: str, codes: HandCodes, texts: Collection[str]) -> Iterator[str]:
    """Note texts that a person has coded though no run holds them."""
    others = {text: None for coded in codes.values() for text in coded if text not in texts}
    if others:
        count = "a text that is" if len(others) == 1 else f"{len(others)} texts that are"
        yield f"{rater} has coded {count} in no run: {quote_text(next(iter(others)), 60)}"


def _gaps(name: str, codes: HandCodes, texts: Collection[str]) -> Iterator[str]:
    """Count the texts that a person has left uncoded, by criterion."""
    for criterion, coded in codes.items():
        lacking = sum(text not in coded for text in texts)
        if lacking:
            yield f"{name}: {lacking} of {len(texts)} texts without a code of {criterion}"


def play_coding(
    experiment: Experiment, path: Path, sweep: Sweep, *, overwrite: bool = False
) -> list[str]:
    """Code the texts of a sweep that have no codes yet; returns notes for the user.

    The texts are written for people in any case, but never over a sheet that somebody has filled
    in. Models do not wait for people. Raises InputError, KeyboardInterrupt.
    """
    wanted = planned_runs(experiment, path)
    if experiment.coding is None:
        return []
    coding, blank = experiment.coding, path / TEXTS
    _refuse_sheet(coding, blank)
    if any(sweep.results[part.name].status != "finished" for part in wanted):
        return ["coding waits until all conditions are finished"]
    runs = {part.name: part.file for part in wanted}
    texts, rubric = gather_texts(runs, coding.quotes, coding.rounds), read_rubric(coding.rubric)
    if not texts:
        raise InputError("there is no text to be coded: nobody in these runs has said anything")
    written = write_sheet(blank, texts, rubric.criteria)
    notes = (
        [] if written else [f"{short_path(blank)} is kept as it is; for a blank one, move it away"]
    )
    people = coding.people.items()
    sheets = {name: read_sheet(name, file, rubric, texts, blank) for name, file in people}
    ready = [name for name in coding.raters if name not in sheets or not sheets[name].waits]
    notes += _play(coding, path, sweep, ready, texts, [*runs.values()], overwrite=overwrite)
    for sheet in sheets.values():
        notes += filter(None, (sheet.waits, *sheet.notes))
    return notes


def _refuse_sheet(coding: CodingPlan, blank: Path) -> None:
    """Raise InputError if a person's codes are to stand in the blank sheet for people."""
    for name, file in coding.people.items():
        if file == blank.resolve():
            raise InputError(
                f"coding.raters.{name}: {short_path(blank)} is the blank sheet for all; name "
                "another file, and save it as that once it is filled in"
            )


def _play(
    coding: CodingPlan,
    path: Path,
    sweep: Sweep,
    raters: Iterable[str],
    texts: Texts,
    runs: list[Path],
    *,
    overwrite: bool,
) -> list[str]:
    """Play the unfinished runs of raters; returns notes on runs of people that are made anew.

    runs: of the conditions, for what they have used.
    """
    files = {name: path / file for name, file in coding.files.items()}
    # Codes are answers, which only the level full keeps, whoever gives them.
    wanted = [
        PlannedRun(coding_name(name), build(rater_spec(coding, name, texts)), files[name], "full")
        for name in raters
    ]
    statuses = run_statuses([part for part in wanted if part.speaks], overwrite=overwrite)
    people = [part for part in wanted if not part.speaks]
    begun = [part for part in people if part.file.exists()]
    # What a person has said stands in a table, so that it costs nothing to play it again.
    statuses |= run_statuses(people, overwrite=True)
    sweep.skip([part for part in wanted if statuses.get(part.name) == "finished"])
    todo = [part for part in wanted if part.name not in sweep.results]
    run_interruptible(sweep.play(todo, use_in_files([*files.values(), *runs])))
    return [
        f"{short_path(part.file)} is made anew, which costs nothing: the person's table, the "
        "texts, the rubric or the code have changed"
        for part in begun
        if part.name not in statuses
    ]
