"""The sheets of people who code: what they wait for, and what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from society.analysis.coding.rating_runs import Sheet, read_sheet
from society.errors import ScenarioError
from society.scenarios.coding.rubric import Criterion, Rubric

if TYPE_CHECKING:
    from tests.conftest import Written

RUBRIC = Rubric(
    name="norms",
    criteria=[
        Criterion(name="demand", question="What?", labels={"spare": "less", "use": "more"}),
        Criterion(name="force", question="How?", labels={"wish": "a hope", "law": "a rule"}),
    ],
)
TEXTS = ["Fish less.", "Fish more.", "Sing."]


def sheet(table: str, written: Written) -> Sheet:
    """The table that ann has saved."""
    written("ann.csv", f"text,demand,force\n{table}")
    return read_sheet("ann", Path("ann.csv"), RUBRIC, TEXTS, Path("texts.csv"))


def test_a_person_without_a_sheet_is_waited_for(written: Written) -> None:
    written("texts.csv", "")
    assert read_sheet("ann", Path("ann.csv"), RUBRIC, TEXTS, Path("texts.csv")) == Sheet(
        "coding waits for ann.csv: fill in texts.csv and save it as ann.csv"
    )


def test_a_sheet_without_a_code_of_any_of_the_texts_is_waited_for(written: Written) -> None:
    words = "coding waits for ann.csv: no text has a code yet"
    assert sheet("Fish less.,,\nFish more.,,\nSing.,,\n", written) == Sheet(words)
    stray = "ann has coded a text that is in no run: «Dance.»"
    assert sheet("Dance.,use,law\n", written) == Sheet(words, (stray,))


def test_texts_without_a_code_are_counted_by_criterion(written: Written) -> None:
    notes = (
        "ann.csv: 1 of 3 texts without a code of demand",
        "ann.csv: 3 of 3 texts without a code of force",
    )
    assert sheet("Fish less.,spare,\nFish more.,use,\nSing.,,\n", written) == Sheet("", notes)


def test_of_a_sheet_that_is_filled_in_there_is_nothing_to_say(written: Written) -> None:
    table = "".join(f"{text},use,law\n" for text in TEXTS)
    assert sheet(table, written) == Sheet("")


def test_codes_for_texts_of_no_run_are_noted(written: Written) -> None:
    table = "".join(f"{text},use,law\n" for text in (*TEXTS, "Dance.", "Swim."))
    note = "ann has coded 2 texts that are in no run: «Dance.»"
    assert sheet(table, written) == Sheet("", (note,))


def test_a_mistake_in_a_sheet_is_an_error(written: Written) -> None:
    with pytest.raises(ScenarioError, match=r"ann\.csv:2: demand has no label 'uses'"):
        sheet("Sing.,uses,law\n", written)
