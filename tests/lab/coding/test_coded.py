"""A sweep has its norms coded when all its conditions are finished."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import society
from society.cli import main

if TYPE_CHECKING:
    from tests.conftest import Written

RUBRIC = """
name: what a norm demands
criteria:
  - name: demand
    question: What does the sentence ask of those who fish?
    labels: {restraint: to take less, use: to take all, neither: anything else}
"""
WORDS = """
base: language_village
replicates: 2
rounds: 2
parameters: {norm_embedder: hashing}
factors: {population: [altruist, selfish]}
coding: {rubric: rubric.yaml, raters: {ann: ann.csv, bob: bob.csv}}
"""


@pytest.fixture
def folder(written: Written) -> Path:
    """Of a sweep whose texts wait to be coded by two people."""
    written("rubric.yaml", RUBRIC)
    written("words.yaml", WORDS)
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    return Path("sweeps/words")


def code(sheet: Path, person: Path | str, labels: list[str]) -> int:
    """Fill in a person's codes, in turn; gives how many texts there are."""
    with sheet.open(encoding="utf-8-sig", newline="") as source:
        rows = list(csv.reader(source))
    with Path(person).open("w", newline="") as target:
        coded = [[row[0], labels[place % len(labels)]] for place, row in enumerate(rows[1:])]
        csv.writer(target).writerows([rows[0], *coded])
    return len(coded)


def test_coding_waits_for_people_who_get_a_sheet_to_fill_in(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code(folder / "texts.csv", "ann.csv", ["restraint"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    told = capsys.readouterr().err
    assert "coding waits for bob.csv: fill in sweeps/words/texts.csv" in told
    assert not (folder / "coding.run").exists()


def test_a_sheet_that_was_filled_in_where_it_lies_is_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code(folder / "texts.csv", folder / "texts.csv", ["restraint"])
    filled = (folder / "texts.csv").read_bytes()
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert (folder / "texts.csv").read_bytes() == filled
    assert "sweeps/words/texts.csv is kept as it is; for a blank one" in capsys.readouterr().err


def test_the_blank_sheet_is_nobody_s_codes(
    folder: Path, written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    written("words.yaml", WORDS.replace("ann.csv", "sweeps/words/texts.csv"))
    assert main(["sweep", "words.yaml", "--quiet"]) == 2
    assert "coding.raters.ann: sweeps/words/texts.csv is the blank" in capsys.readouterr().err
    assert not (folder / "coding.run").exists()


def test_codes_become_measures_of_the_coded_runs(folder: Path) -> None:
    """Ann calls everything restraint, Bob calls it use: half of the codes each, in every run."""
    texts = code(folder / "texts.csv", "ann.csv", ["restraint"])
    code(folder / "texts.csv", "bob.csv", ["use"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert society.open_run(folder / "coding.run").conditions["replicates"].tolist() == [texts]
    runs = society.open_sweep(folder).runs
    assert runs["coded_demand_restraint"].tolist() == [0.5] * 4
    assert runs["coded_demand_use"].tolist() == [0.5] * 4
    assert runs["coded_demand_neither"].tolist() == [0.0] * 4
    assert runs.attrs["units"]["coded_demand_use"] == "share of codes, demand"
    assert society.open_sweep(folder).notes == {}


def test_codes_of_one_person_alone_are_measures_with_a_note(folder: Path) -> None:
    code(folder / "texts.csv", "ann.csv", ["restraint", "use"])
    code(folder / "texts.csv", "bob.csv", [""])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    study = society.open_sweep(folder)
    assert study.runs["coded_demand_codes"].tolist() == [10.0] * 4, "a norm of each agent"
    ((file, note),) = study.notes.items()
    assert file == "sweeps/words/coding.run"
    assert note.startswith("how far raters agree on demand cannot be told: 0 of ")


def test_a_coding_that_is_done_is_kept_and_replaced_only_if_that_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for person in ("ann.csv", "bob.csv"):
        code(folder / "texts.csv", person, ["use", "neither"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    before = (folder / "coding.run").read_bytes()
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert (folder / "coding.run").read_bytes() == before
    code(folder / "texts.csv", "bob.csv", ["restraint"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 2
    assert "coding.run was played from another experiment" in capsys.readouterr().err
    assert (folder / "coding.run").read_bytes() == before
    assert main(["sweep", "words.yaml", "--quiet", "--overwrite"]) == 0
    assert (folder / "coding.run").read_bytes() != before


def test_codes_of_texts_that_nobody_said_are_left_out_and_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for person in ("ann.csv", "bob.csv"):
        code(folder / "texts.csv", person, ["use"])
    with Path("ann.csv").open("a") as target:
        target.write("Fish are friends.,restraint\n")
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert "ann has coded a text that is in no run: «Fish are friends.»" in capsys.readouterr().err
    assert society.open_sweep(folder).runs["coded_demand_use"].tolist() == [1.0] * 4


def test_a_rubric_that_cannot_be_read_is_told_before_anything_is_played(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    written("rubric.yaml", RUBRIC.replace("question:", "qestion:"))
    written("words.yaml", WORDS)
    assert main(["sweep", "words.yaml", "--quiet"]) == 2
    told = capsys.readouterr().err
    assert "rubric.yaml:5:5 criteria[0].qestion: there is no key 'qestion'" in told
    assert not Path("sweeps").exists()
