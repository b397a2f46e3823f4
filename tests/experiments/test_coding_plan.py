"""Norms coded by models and people: from an experiment's words to the run in which it is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from society.analysis.coding.texts import write_sheet
from society.config.build import build
from society.engine.parameters import ValidationIssues, validate
from society.errors import FileError, ScenarioError
from society.experiments.coding_plan import CodingPlan, rater_spec, read_rubric
from society.runs.provenance import config_hash

RUBRIC = """\
name: norms
criteria:
  - name: demand
    question: What is asked for?
    labels: {spare: to take less, use: to take what is there}
  - name: force
    question: How firmly?
    scale: ordinal
    labels:
      wish: as a hope
      law: without exception
"""
ANN = "text,demand,force\nFish less.,spare,wish\nDance.,use,\n"
TEXTS = ["Fish less.", "Fish more."]

Coding = Callable[..., CodingPlan]


@pytest.fixture
def coding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Coding:
    """`coding(...)` is what an experiment says in a folder with rubric.yaml and ann.csv."""
    (tmp_path / "rubric.yaml").write_text(RUBRIC)
    (tmp_path / "ann.csv").write_text(ANN)
    monkeypatch.chdir(tmp_path)

    def said(**given: Any) -> CodingPlan:
        usual = {"rubric": "rubric.yaml", "raters": {"ann": "ann.csv", "model": "offline"}}
        return validate(CodingPlan, usual | given, "key", {"folder": tmp_path})

    return said


# What an experiment says


def test_of_each_agent_the_last_of_the_first_quotes_is_coded_unless_it_is_said(
    coding: Coding,
) -> None:
    assert (coding().quotes, coding().rounds) == (None, "last")


def test_files_are_found_from_the_folder_of_the_experiment(
    coding: Coding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    assert coding().rubric == str(tmp_path / "rubric.yaml")
    raters = {"ann": "ann.csv", "bob": {"model": "bob.csv"}}
    assert coding(raters=raters).people == {
        "ann": tmp_path / "ann.csv",
        "bob": tmp_path / "bob.csv",
    }


def test_a_rater_may_have_settings_as_a_model_has(coding: Coding) -> None:
    raters = {"ann": "ann.csv", "cold": {"model": "offline", "temperature": 0.0}}
    assert coding(raters=raters).raters["cold"].temperature == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            {"raters": {"ann": "ann.csv"}},
            "raters: got 1; expected two raters or more, since nobody can tell how far one is to "
            "be trusted: models, or FILE.csv with the codes of a person",
        ),
        (
            {"raters": {"a": "offline", "b": {"model": "offline", "temperature": 5}}},
            "raters.b.temperature: got 5; expected a number from 0 to 2 or none",
        ),
        (
            {"raters": {"ann": "ann.csv", "Ann": "offline"}},
            "raters: two raters differ in capitals only, as names of files may not; rename one",
        ),
        ({"rounds": 0}, "rounds: got 0; expected one of last, all or a whole number of at least 1"),
        ({"quote": "norm"}, "quote: there is no key 'quote'; did you mean 'quotes'?"),
    ],
)
def test_what_cannot_be_meant_is_refused(coding: Coding, given: Any, words: str) -> None:
    with pytest.raises(ValidationIssues) as refusal:
        coding(**given)
    assert str(refusal.value) == words


# Rubrics


def test_a_rubric_is_read_from_its_file(coding: Coding) -> None:
    rubric = read_rubric(coding().rubric)
    assert rubric.name == "norms"
    assert [list(criterion.labels) for criterion in rubric.criteria] == [
        ["spare", "use"],
        ["wish", "law"],
    ]


@pytest.mark.parametrize(
    ("line", "other", "words"),
    [
        ("name: norms", "title: norms", "rubric.yaml:1:1 title: there is no key 'title'; choose"),
        ("scale: ordinal", "scale: ordered", "rubric.yaml:8:12 criteria[1].scale: got 'ordered'"),
        (
            "law:",
            "WISH:",
            "rubric.yaml:10:7 criteria[1].labels: two labels differ in",
        ),
        ("wish:", "a wish:", "rubric.yaml:10:15 criteria[1].labels.a wish: got 'a wish'; expected"),
    ],
)
def test_a_mistake_in_a_rubric_is_told_with_its_place(
    coding: Coding, line: str, other: str, words: str
) -> None:
    Path("rubric.yaml").write_text(RUBRIC.replace(line, other))
    with pytest.raises(ScenarioError) as refusal:
        read_rubric("rubric.yaml")
    assert any(said.startswith(words) for said in str(refusal.value).splitlines())


def test_an_empty_file_is_no_rubric(coding: Coding) -> None:
    Path("rubric.yaml").write_text("")
    with pytest.raises(ScenarioError, match=r"^rubric\.yaml: got no keys; begin"):
        read_rubric("rubric.yaml")


def test_a_rubric_that_is_not_there_is_an_error(coding: Coding) -> None:
    with pytest.raises(FileError, match=r"cannot read other\.yaml"):
        read_rubric("other.yaml")


# The run in which texts are coded


def minds(coding: CodingPlan, rater: str) -> object:
    """The components of one rater."""
    (cohort,) = rater_spec(coding, rater, TEXTS).cohorts or []
    return cohort.components


def test_each_text_is_a_replicate_each_criterion_a_round_and_the_rater_an_agent(
    coding: Coding,
) -> None:
    setup = build(rater_spec(coding(), "model", TEXTS))
    assert (setup.replicates, setup.rounds, setup.agents) == (2, 2, 1)
    assert setup.spec.parameters["texts"] == TEXTS
    assert [cohort.name for cohort in setup.cast()] == ["model"]
    assert setup.models_named == {"model"}


def test_a_person_asks_no_model(coding: Coding) -> None:
    assert build(rater_spec(coding(), "ann", TEXTS)).models_named == set()


def test_two_raters_of_one_model_share_no_luck(coding: Coding) -> None:
    said = coding(raters={"a": "offline", "b": "offline"})
    assert rater_spec(said, "a", TEXTS).seed != rater_spec(said, "b", TEXTS).seed


def test_labels_in_another_order_make_another_run(coding: Coding) -> None:
    before = rater_spec(coding(), "model", TEXTS)
    labels = "spare: to take less, use: to take what is there"
    turned = ", ".join(reversed(labels.split(", ")))
    Path("rubric.yaml").write_text(RUBRIC.replace(labels, turned))
    assert config_hash(rater_spec(coding(), "model", TEXTS)) != config_hash(before)


def test_each_rater_has_a_file_in_the_folder_whatever_it_is_called(coding: Coding) -> None:
    files = coding(raters={"ann": "ann.csv", "vendor/big model": "offline"}).files
    assert files == {
        "ann": "coding-ann.run",
        "vendor/big model": "coding-vendor-big-model-47ef1b54.run",
    }


def test_settings_of_a_rater_are_those_of_its_model(coding: Coding) -> None:
    raters = {"a": {"model": "offline", "temperature": 0.0}, "b": {"model": "offline"}}
    said = coding(raters=raters)
    models = [rater_spec(said, name, TEXTS).models for name in raters]
    assert [{name: one.temperature for name, one in own.items()} for own in models] == [
        {"a": 0},
        {"b": None},
    ]


def test_codes_of_people_stand_in_the_spec_without_texts_that_no_run_says(coding: Coding) -> None:
    codes = {"demand": {"Fish less.": "spare"}, "force": {"Fish less.": "wish"}}
    assert minds(coding(), "ann") == [{"human_coder": {"codes": codes}}]


def test_people_may_code_what_was_written_for_them(coding: Coding) -> None:
    criteria = read_rubric("rubric.yaml").criteria
    Path("ann.csv").unlink()
    write_sheet(Path("ann.csv"), TEXTS, criteria)
    filled = Path("ann.csv").read_text("utf-8").replace("more.»,", "more.»,use")
    Path("ann.csv").write_text(filled)
    codes = {"demand": {"Fish more.": "use"}, "force": {}}
    assert minds(coding(), "ann") == [{"human_coder": {"codes": codes}}]


def test_a_person_who_has_not_coded_yet_is_told_how(coding: Coding) -> None:
    Path("ann.csv").unlink()
    with pytest.raises(FileError, match=r"cannot read ann\.csv: .*the columns text,demand,force"):
        rater_spec(coding(), "ann", TEXTS)
