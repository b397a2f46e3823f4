"""What a rubric may say."""

from __future__ import annotations

from typing import Any

import pytest

from society.engine.parameters import ValidationIssues, validate
from society.scenarios.coding.rubric import Criterion, Rubric

DEMAND = {
    "name": "demand",
    "question": "What is asked for?",
    "labels": {"spare": "to take less", "use": "to take what is there"},
}
FORCE = {
    "name": "force",
    "question": "How firmly?",
    "labels": {"wish": "as a hope", "duty": "as a demand", "law": "without exception"},
    "scale": "ordinal",
}


def rubric(*criteria: dict[str, Any]) -> Rubric:
    return validate(Rubric, {"name": "norms", "criteria": criteria}, "key")


def refused(*criteria: dict[str, Any]) -> str:
    with pytest.raises(ValidationIssues) as refusal:
        rubric(*criteria)
    return str(refusal.value)


def test_labels_stand_in_the_order_in_which_they_were_written() -> None:
    assert list(rubric(DEMAND, FORCE).criteria[1].labels) == ["wish", "duty", "law"]


def test_a_criterion_is_nominal_unless_it_says_otherwise() -> None:
    assert [criterion.scale for criterion in rubric(DEMAND, FORCE).criteria] == [
        "nominal",
        "ordinal",
    ]


def test_a_criterion_names_its_measures() -> None:
    force = Criterion.model_validate(FORCE)
    assert force.shares == ["coded_force_wish", "coded_force_duty", "coded_force_law"]
    assert (force.rank, force.count) == ("coded_force", "coded_force_codes")


def test_a_scale_of_whole_numbers_has_words_for_labels() -> None:
    scale = {1: "not at all", 2: "somewhat", 3: "very much"}
    assert list(rubric({**FORCE, "labels": scale}).criteria[0].labels) == ["1", "2", "3"]


@pytest.mark.parametrize("label", ["", "take less", "_", "UNCODED", "a" * 25, "spare!"])
def test_a_label_is_one_short_word(label: str) -> None:
    words = refused({**DEMAND, "labels": {label: "this", "use": "that"}})
    assert words == (
        f"criteria[0].labels.{label}: got {label!r}; expected one word of at most 24 letters, "
        "digits, - and _, and not 'uncoded'"
    )


def test_labels_differ_by_more_than_capitals() -> None:
    words = refused({**DEMAND, "labels": {"use": "this", "Use": "that"}})
    assert words == (
        "criteria[0].labels: two labels differ in capitals only; give each a word of its own"
    )


def test_one_label_is_no_choice() -> None:
    assert refused({**DEMAND, "labels": {"use": "this"}}).startswith("criteria[0].labels: got ")


@pytest.mark.parametrize(
    ("name", "labels", "twice"),
    [
        ("demand", {"a": "this", "b": "that"}, "coded_demand"),
        ("force", {"codes": "this", "b": "that"}, "coded_force_codes"),
        ("demand_use", {"a": "this", "b": "that"}, "coded_demand_use"),
    ],
)
def test_no_two_measures_have_one_name(name: str, labels: dict[str, str], twice: str) -> None:
    other = {"name": name, "question": "What else?", "labels": labels}
    assert refused(DEMAND, other) == (
        f"criteria: two measures would be called {twice!r}; rename a criterion or a label"
    )


def test_a_rubric_has_a_criterion() -> None:
    assert refused() == "criteria: got (); expected a list with at least one entry"
