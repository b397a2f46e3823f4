"""A sweep has its norms coded when all its conditions are finished."""

from __future__ import annotations

import csv
from pathlib import Path
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

import society
from society.cli.main import main

if TYPE_CHECKING:
    from tests.conftest import Provider, Typed, Written

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


@pytest.fixture(scope="session")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sweep whose texts wait to be coded by two people."""
    home = tmp_path_factory.mktemp("words")
    (home / "rubric.yaml").write_text(RUBRIC)
    (home / "words.yaml").write_text(WORDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(home)
        assert main(["sweep", "words.yaml", "--quiet"]) == 0
    return home


@pytest.fixture
def folder(swept: Path, typed: Typed) -> Path:
    """A copy of that sweep in the working directory; codes are kept by this process."""
    copytree(swept, Path.cwd(), dirs_exist_ok=True)
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
    assert not (folder / "coding-bob.run").exists()
    study = society.open_sweep(folder)
    assert study.notes == {"sweeps/words": "the coding of norms waits for bob"}
    assert not [name for name in study.runs if name.startswith("coded_")]


def test_a_sheet_without_a_code_is_waited_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code(folder / "texts.csv", "ann.csv", ["restraint"])
    code(folder / "texts.csv", "bob.csv", [""])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert "coding waits for bob.csv: no text has a code yet" in capsys.readouterr().err
    assert not (folder / "coding-bob.run").exists()


def test_how_many_texts_are_left_without_a_code_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bob codes two of three."""
    code(folder / "texts.csv", "ann.csv", ["restraint", "use"])
    texts = code(folder / "texts.csv", "bob.csv", ["restraint", "use", ""])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    told = capsys.readouterr().err
    assert f"bob.csv: {texts // 3} of {texts} texts without a code of demand" in told
    assert "ann.csv" not in told
    assert society.open_sweep(folder).notes == {}


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
    assert not list(folder.glob("coding*"))


def test_codes_become_measures_of_the_coded_runs(folder: Path) -> None:
    """Ann calls everything restraint, Bob calls it use: half of the codes each, in every run."""
    texts = code(folder / "texts.csv", "ann.csv", ["restraint"])
    code(folder / "texts.csv", "bob.csv", ["use"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    for file in ("coding-ann.run", "coding-bob.run"):
        assert society.open_run(folder / file).conditions["replicates"].tolist() == [texts]
    runs = society.open_sweep(folder).runs
    assert runs["coded_demand_restraint"].tolist() == [0.5] * 4
    assert runs["coded_demand_use"].tolist() == [0.5] * 4
    assert runs["coded_demand_neither"].tolist() == [0.0] * 4
    assert runs.attrs["units"]["coded_demand_use"] == "share of codes, demand"
    assert society.open_sweep(folder).notes == {}


def test_where_nobody_can_tell_how_far_raters_agree_there_is_a_note(folder: Path) -> None:
    """Ann codes every second text, and Bob the others."""
    code(folder / "texts.csv", "ann.csv", ["restraint", ""])
    code(folder / "texts.csv", "bob.csv", ["", "use"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    study = society.open_sweep(folder)
    assert study.runs["coded_demand_codes"].tolist() == [10.0] * 4, "a norm of each agent"
    ((where, note),) = study.notes.items()
    assert where == "sweeps/words"
    assert note.startswith("the agreement of raters on demand cannot be estimated: 0 of ")


def test_codes_that_a_person_corrects_are_taken_anew_and_others_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for person in ("ann.csv", "bob.csv"):
        code(folder / "texts.csv", person, ["use", "neither"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    ann, bob = ((folder / f"coding-{name}.run").read_bytes() for name in ("ann", "bob"))
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert (folder / "coding-bob.run").read_bytes() == bob
    assert "anew" not in capsys.readouterr().err
    code(folder / "texts.csv", "bob.csv", ["restraint"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert "sweeps/words/coding-bob.run is made anew, which costs" in capsys.readouterr().err
    assert (folder / "coding-ann.run").read_bytes() == ann
    assert society.open_sweep(folder).runs["coded_demand_restraint"].tolist() == [0.5] * 4


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


def test_without_texts_there_is_nothing_to_code(
    written: Written, typed: Typed, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are taken of every third round, and there are two."""
    written("rubric.yaml", RUBRIC)
    written("words.yaml", WORDS.replace("coding: {", "coding: {rounds: 3, "))
    assert main(["sweep", "words.yaml", "--quiet"]) == 2
    assert "there is no text to be coded: nobody in these runs" in capsys.readouterr().err


def test_a_rubric_that_cannot_be_read_is_told_before_anything_is_played(
    written: Written, capsys: pytest.CaptureFixture[str]
) -> None:
    written("rubric.yaml", RUBRIC.replace("question:", "qestion:"))
    written("words.yaml", WORDS)
    assert main(["sweep", "words.yaml", "--quiet"]) == 2
    told = capsys.readouterr().err
    assert "rubric.yaml:5:5 criteria[0].qestion: there is no key 'qestion'" in told
    assert not Path("sweeps").exists()


# A model and a person


@pytest.fixture
def judged(folder: Path, written: Written, provider: Provider) -> Path:
    """The same sweep, with a model that has judged and a person who is waited for."""
    judge = f"{{model: openai/judge, api_base: '{provider.url}'}}"
    written("words.yaml", WORDS.replace("ann: ann.csv", f"judge: {judge}"))
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    return folder


def asked(provider: Provider) -> int:
    count: int = provider.stats()["count"]
    return count


def used(folder: Path) -> list[float]:
    """Count how often "use" was given to the ten texts of each replicate."""
    runs = society.open_sweep(folder).runs
    counts: list[float] = (runs["coded_demand_use"] * runs["coded_demand_codes"]).tolist()
    return counts


@pytest.mark.xdist_group("provider")
def test_models_do_not_wait_for_people_and_are_asked_once_for_each_text(
    judged: Path, provider: Provider
) -> None:
    texts = code(judged / "texts.csv", "bob.csv", ["use"])
    assert asked(provider) == texts
    assert society.open_sweep(judged).notes == {"sweeps/words": "the coding of norms waits for bob"}
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert society.open_sweep(judged).notes == {}
    assert asked(provider) == texts


@pytest.mark.xdist_group("provider")
def test_a_code_that_a_person_corrects_costs_no_call(judged: Path, provider: Provider) -> None:
    texts = code(judged / "texts.csv", "bob.csv", ["use"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    before = used(judged)
    code(judged / "texts.csv", "bob.csv", ["neither"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert used(judged) == pytest.approx([count - 10 for count in before]), "those of Bob"
    assert main(["sweep", "words.yaml", "--quiet", "--overwrite"]) == 0
    assert asked(provider) == texts


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_a_model_is_asked_again_about_another_rubric_only_if_that_is_said(
    judged: Path, provider: Provider, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = code(judged / "texts.csv", "bob.csv", ["use"])
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    kept = {file.name: file.read_bytes() for file in judged.glob("coding-*.run")}
    Path("rubric.yaml").write_text(RUBRIC.replace("take all", "take what is there"))
    assert main(["sweep", "words.yaml", "--quiet"]) == 2
    assert "coding-judge.run was played from another experiment" in capsys.readouterr().err
    assert {file.name: file.read_bytes() for file in judged.glob("coding-*.run")} == kept
    assert asked(provider) == texts
    assert main(["sweep", "words.yaml", "--quiet", "--overwrite"]) == 0
    assert asked(provider) == 2 * texts
    assert society.open_sweep(judged).notes == {}


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_a_rater_who_was_interrupted_goes_on_where_it_was(
    folder: Path, written: Written, provider: Provider
) -> None:
    """Two raters share five calls; what was answered is not asked again."""
    rater = f"{{model: openai/judge, api_base: '{provider.url}'}}"
    raters = f"ann: {rater}, bob: {rater}"
    written("words.yaml", WORDS.replace("ann: ann.csv, bob: bob.csv", raters))
    limit = society.open_sweep(folder).conditions["calls"].sum() + 5
    assert main(["sweep", "words.yaml", "--quiet", "--max-calls", str(limit)]) == 3
    assert asked(provider) == 5
    assert society.open_sweep(folder).notes == {
        "sweeps/words": "the coding of norms waits for ann and bob"
    }
    assert main(["sweep", "words.yaml", "--quiet", "--max-calls", "none"]) == 0
    texts = code(folder / "texts.csv", "nobody.csv", [""])
    assert asked(provider) == 2 * texts
    assert society.open_sweep(folder).notes == {}


@pytest.mark.thorough
@pytest.mark.xdist_group("provider")
def test_the_report_tells_how_raters_agree_and_what_they_were_asked(
    judged: Path, provider: Provider
) -> None:
    texts = code(judged / "texts.csv", "bob.csv", ["use", "restraint"])
    assert main(["report", str(judged)]) == 0
    page = (judged / "report" / "report.html").read_text()
    assert "The coding of norms waits for bob; these are the codes so far." in page
    assert main(["sweep", "words.yaml", "--quiet"]) == 0
    assert main(["report", str(judged)]) == 0
    page = (judged / "report" / "report.html").read_text()
    assert "waits for" not in page
    assert "Agreement of 2 raters: judge, bob" in page
    with next((judged / "report").rglob("ledger.csv")).open(newline="") as table:
        asked = {row["question"]: row["calls"] for row in csv.DictReader(table)}
    assert asked["rate"] == str(texts)
