"""Answers to questionnaires, and rows of the table that they make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import ValidationError

from society.engine.history import Page
from society.engine.rng import Array
from society.errors import RunFileError
from society.runs.agent_names import AgentNames
from society.runs.manifest import Manifest
from society.scenarios.mechanisms.questionnaire.answers import GivenAnswers, read_answers
from society.scenarios.mechanisms.questionnaire.instrument import Instrument, QuestionnaireItem

from .frames import NAMED, RowBlock

if TYPE_CHECKING:
    from .condition import ConditionRun

MECHANISM = "questionnaire"

ROWS: dict[str, type] = dict.fromkeys(("replicate", "round", "agent"), np.int32)
ROWS |= {"name": np.object_, "cohort": np.int64}
ROWS |= {"instrument": str, "occasion": str, "rounds_played": np.int32}


def item_column(item: QuestionnaireItem) -> str:
    """Return the column that holds the answers to an item, see frames.add_column."""
    return f"{item.id}_value" if item.id in ("condition", *ROWS) else item.id


def instruments_of(manifest: Manifest) -> dict[str, Instrument]:
    """Return the instruments that a run has given, by name; raises RunFileError if one is damaged.

    They stand in the configuration of the run: of a mechanism that was laid around a scenario in
    Python there is none.
    """
    found = {}
    for part in manifest.spec.get("mechanisms", ()):
        given = part.get(MECHANISM) if isinstance(part, dict) else None
        if not isinstance(given, dict) or not given.get("instrument"):
            continue
        try:
            instrument = Instrument.model_validate(given["instrument"])
        except ValidationError as error:
            raise RunFileError(
                f"the instrument in the run file cannot be read: {error.errors()[0]['msg']}; take "
                "a whole copy, or run again"
            ) from None
        found[instrument.name] = instrument
    return found


def answers_of(run: ConditionRun) -> Iterator[tuple[Page, GivenAnswers]]:
    """Yield all answers to the questionnaires of a run, each with its page."""
    instruments = instruments_of(run.manifest)
    if not instruments:
        return
    with run.opened() as file:
        for page in file.pages():
            for answers in read_answers(page, instruments):
                yield page, answers


def questionnaire_rows(run: ConditionRun, cohorts: list[str]) -> Iterator[RowBlock]:
    """Yield one row for each agent on each occasion; see Study.questionnaires."""
    instruments = instruments_of(run.manifest)
    if not instruments:
        return
    numbers = [cohorts.index(cohort.name) for cohort in run.manifest.cohorts]
    by_seat = np.array([*numbers, -1])[run.manifest.types]
    with run.opened() as file:
        names = AgentNames.of_run(file)
        for page in file.pages():
            names.meet(page)
            for given in read_answers(page, instruments):
                replicate, agent = np.nonzero(given.asked)
                if not len(agent):
                    continue
                columns: dict[str, Array] = {**given.answers, **given.scores}
                own: dict[str, Any] = {
                    NAMED + name: values[given.asked] for name, values in columns.items()
                }
                yield {
                    "replicate": replicate.astype(np.int32),
                    "round": np.full(len(agent), given.page, np.int32),
                    "agent": agent.astype(np.int32),
                    "name": names.of_seats(replicate, agent),
                    "cohort": by_seat[replicate % len(by_seat), agent],
                    "instrument": given.instrument.name,
                    "occasion": given.occasion.label,
                    "rounds_played": np.full(len(agent), given.occasion.played, np.int32),
                    **own,
                }
