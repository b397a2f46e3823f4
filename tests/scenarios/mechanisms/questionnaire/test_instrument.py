"""Instruments: what their files may say, and how answers become scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from society import index
from society.config.build import build
from society.config.run_config import load_config
from society.config.yaml_source import read_yaml
from society.errors import InputError, ScenarioError
from society.scenarios.mechanisms.questionnaire.instrument import Instrument, QuestionnaireItem
from tests.conftest import Written

NAN = np.nan

THREE = Instrument.model_validate(
    {
        "title": "Three",
        "items": [
            {"id": "a", "text": "A", "kind": "likert", "points": 5},
            {"id": "b", "text": "B", "kind": "likert", "points": 5, "reversed": True},
            {"id": "n", "text": "N", "kind": "number", "low": 10, "high": 20, "reversed": True},
        ],
        "scales": {
            "mean": {"items": ["a", "b"]},
            "sum": {"items": ["a", "b"], "score": "sum"},
            "far": {"items": ["n"]},
        },
    }
)


def test_reversed_items_are_turned_round_within_their_range() -> None:
    answers = {"a": np.array([1.0, 5]), "b": np.array([1.0, 4]), "n": np.array([12.0, 20])}
    scores = THREE.scores(answers)
    assert scores["mean"].tolist() == [(1 + 5) / 2, (5 + 2) / 2]
    assert scores["sum"].tolist() == [6, 7]
    assert scores["far"].tolist() == [18, 10]


def test_there_is_no_score_where_an_item_was_not_answered() -> None:
    answers = {"a": np.array([1.0, NAN]), "b": np.array([2.0, 2]), "n": np.array([NAN, 10])}
    np.testing.assert_equal(THREE.scores(answers)["sum"], [5, NAN])
    np.testing.assert_equal(THREE.scores(answers)["far"], [NAN, 20])


def item(**given: Any) -> QuestionnaireItem:
    return QuestionnaireItem.model_validate({"id": "x", "text": "X", **given})


@pytest.mark.parametrize(
    ("one", "form", "settled", "read"),
    [
        (item(kind="likert", points=3), "whole 1..3", [1, 3, 0], [1, 3, NAN]),
        (
            item(kind="likert", points=3, optional=True),
            "choice 1/2/3/no answer",
            [0, 3, -1],
            [1, NAN, NAN],
        ),
        (item(kind="choice", options=["p", "q"]), "choice p/q", [1, 0, -1], ["q", "p", None]),
        (
            item(kind="choice", options=["p", "q"], optional=True),
            "choice p/q/no answer",
            [1, 2, -1],
            ["q", None, None],
        ),
        (item(kind="number", low=0, high=9), "amount 0.0..9.0", [2.5, 0.0, NAN], [2.5, 0, NAN]),
        (
            item(kind="number", low=0, high=9, optional=True),
            "amount 0.0..9.0 or none",
            [2.5, NAN, NAN],
            [2.5, NAN, NAN],
        ),
        (
            item(kind="open", limit=9),
            "words up to 9",
            ["aye", "No answer.", ""],
            ["aye", None, None],
        ),
    ],
)
def test_answers_are_read_as_they_were_meant(
    one: QuestionnaireItem, form: str, settled: list[Any], read: list[Any]
) -> None:
    """The last of the three was not understood, and holds what stands for nothing."""
    given = np.array(settled, one.form().dtype)
    answered = np.array([True, True, False])
    assert one.form().form() == form
    np.testing.assert_equal(one.read(given, answered).tolist(), read)


def test_a_legend_that_all_share_is_said_once_and_one_of_its_own_with_the_item() -> None:
    labels = {1: "never", 5: "always"}
    items: list[Any] = [
        {"id": "a", "text": "A?", "kind": "likert", "points": 5, "labels": labels},
        {"id": "n", "text": "N?", "kind": "number", "low": 0, "high": 9, "unit": "years"},
        {"id": "o", "text": "O?", "kind": "open", "optional": True},
    ]
    alike = Instrument.model_validate({"title": "T", "items": items})
    assert alike.legend == "1 = never, 5 = always"
    assert [alike.wording(one, alone=False) for one in alike.items] == [
        "A?",
        "N? (years)",
        "O? (or: no answer)",
    ]
    assert alike.wording(alike.items[0], alone=True) == "A? (1 = never, 5 = always)"
    other = {"id": "b", "text": "B?", "kind": "likert", "points": 2, "labels": ["no", "yes"]}
    mixed = Instrument.model_validate({"title": "T", "items": [*items, other]})
    assert mixed.legend == ""
    assert mixed.wording(mixed.items[-1], alone=False) == "B? (1 = no, 2 = yes)"


@pytest.mark.parametrize("name", sorted(index.instruments()))
def test_instruments_of_ours_fit_together_and_say_that_they_are_not_validated(name: str) -> None:
    content, _ = read_yaml(index.instruments()[name])
    instrument = Instrument.model_validate(content)
    assert [*instrument.issues()] == []
    assert "has not been validated" in instrument.note


# Files of the user's


SCENARIO = """
scenario: fishing_village
mechanisms:
  - questionnaire: {instrument: own.yaml}
"""
PLAIN = """
title: Ours
items:
  - {id: a, text: A, kind: likert, points: 5}
  - {id: b, text: B, kind: likert, points: 7}
  - {id: o, text: O, kind: open}
"""


def refusal(written: Written, content: str) -> list[str]:
    written("own.yaml", content)
    with pytest.raises(ScenarioError) as refused:
        build(load_config(written("s.yaml", SCENARIO)))
    return str(refused.value).replace("mechanisms[0].questionnaire.", "").splitlines()


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("id: a, kind: open", "own.yaml:7:10 instrument.items[3].id: two items have the id 'a'"),
        ("id: c, kind: likert, points: 1", "points: got 1; expected a whole number from 2 to 101"),
        ("id: c, kind: likert", "c is a likert item and has no points; add it"),
        ("id: c, kind: number, low: 3, high: 3", "from 3 to 3; let low be below high"),
        ("id: c, kind: open, reversed: true", "own.yaml:7:5 instrument.items[3]: c is reversed"),
        (
            "id: c, kind: choice, options: [p]",
            "got ['p']; expected a list with at least 2",
        ),
        ("id: c, kind: choice, options: [p, p]", "c has an option twice"),
        ("id: c, kind: choice, options: [Yes, yes.]", "c has an option twice"),
        ("id: c, kind: choice, options: [p, ' ']", "options[1]: got ' '; expected words"),
        ("id: c, kind: choice, options: [p, q/r]", "options hold no slash"),
        ("id: c, kind: open, points: 3", "has points, which belongs to likert items"),
        ("id: c, kind: likert, points: 3, labels: [p, q]", "c has 2 labels for 3 points"),
        ("id: c, kind: likert, points: 3, labels: {4: q}", "a label for point 4"),
        ("id: c, kind: scale", "kind: got 'scale'; expected one of likert, choice, number, open"),
        ("id: c d, kind: open", "id: got 'c d'; expected a letter, then at most 39 letters"),
        ("id: c, kind: open, colour: red", "own.yaml:7:25 instrument.items[3].colour: there is no"),
    ],
)
def test_items_that_are_wrong_are_refused_with_their_place(
    written: Written, item: str, words: str
) -> None:
    (line,) = refusal(written, f"{PLAIN}  - {{{item}, text: C}}\n")
    assert words in line


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        ("s: {items: [a, z]}", "own.yaml:8:18 instrument.scales.s.items[1]: there is no item 'z'"),
        ("s: {items: [a, a]}", "'a' stands twice in this scale"),
        ("s: {items: [o]}", "'o' is an item of kind open, which has no score"),
        ("s: {items: [a, b]}", "its items run from 1 to 5 and 1 to 7"),
        ("s: {items: []}", "items: got []; expected a list with at least one entry"),
        ("s: {items: [a], score: median}", "score: got 'median'; expected one of mean, sum"),
        ("a: {items: [a]}", "'a' is an item and a scale"),
        ("a b: {items: [a]}", "a scale is called 'a b'"),
    ],
)
def test_scales_that_are_wrong_are_refused_with_their_place(
    written: Written, scale: str, words: str
) -> None:
    (line,) = refusal(written, f"{PLAIN}scales:\n  {scale}\n")
    assert words in line


def test_a_blank_question_an_empty_file_and_a_single_wrong_item_are_each_one_complaint(
    written: Written,
) -> None:
    (line,) = refusal(written, "title: T\nitems: [{id: a, text: ' ', kind: open}]\n")
    assert line == "own.yaml:2:23 instrument.items[0].text: got ' '; expected words"
    (line,) = refusal(written, "")
    assert line.endswith("own.yaml is empty; begin with title: and items:")


def test_a_file_that_is_not_there_and_a_name_that_nobody_has_are_refused(
    written: Written, tmp_path: Path
) -> None:
    file = written("s.yaml", SCENARIO)
    with pytest.raises(InputError, match=r"s.yaml:4:33 .*there is no file own.yaml"):
        build(load_config(file))
    file = written("s.yaml", SCENARIO.replace("own.yaml", "social_trst"))
    with pytest.raises(InputError, match="no instrument 'social_trst'; did you mean"):
        build(load_config(file))
