"""Objects in a text: which of them are decoded, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

from society.llm.parsing.json_objects import DEPTH, MOST, KeyTwice, decode_objects, unclosed_brace


def found(text: str) -> list[dict[str, Any]]:
    return [one.value for one in decode_objects(text)]


def test_the_last_object_comes_first_and_says_where_it_stands() -> None:
    text = 'a {"x": 1} b {"y": {"z": 2}} c'
    assert found(text) == [{"y": {"z": 2}}, {"x": 1}]
    assert [text[one.start : one.end] for one in decode_objects(text)] == [
        '{"y": {"z": 2}}',
        '{"x": 1}',
    ]


def test_braces_that_hold_no_object_are_passed_over() -> None:
    assert found('the set {1, 2} and {A, B}, so \\boxed{ {"x": 1} }') == [{"x": 1}]
    assert found("no object") == found("}{") == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"x": 1,}', {"x": 1}),
        ("{'x': 'it\\'s'}", {"x": "it's"}),
        ("{x: yes, y: [1, 2,]}", {"x": "yes", "y": [1, 2]}),
        ("{x: +5, y: 40%, z: .5}", {"x": 5, "y": "40%", "z": ".5"}),
        ("{x: True, y: FALSE, z: None}", {"x": True, "y": False, "z": None}),
        ('{"x": 1 // one, {or} two\n}', {"x": 1}),
        ('{"x": "// no comment, {brace"}', {"x": "// no comment, {brace"}),
    ],
)
def test_what_people_write_in_place_of_json_is_mended(text: str, value: object) -> None:
    assert found(text) == [value]


@pytest.mark.parametrize(
    "text",
    ["{x: 1 2}", "{x: two words}", "{'x': 'don't'}", "{x 1}", "{x: /* 1}"],
)
def test_what_could_mean_two_things_is_no_object(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize("text", ['{"x": 1, "x": 2}', "{x: 1, 'x': 1}", '{"a": {"x": 1, "x": 2}}'])
def test_a_key_that_comes_twice_is_told(text: str) -> None:
    with pytest.raises(KeyTwice, match="got an object in which 'x' comes twice"):
        found(text)


def test_a_brace_left_open_is_told() -> None:
    assert unclosed_brace('{"x": 1}') == unclosed_brace("none") == -1
    assert unclosed_brace('{"x": 1} and {"y": ') == 13


def test_what_nests_too_deeply_or_stands_too_far_back_is_passed_over() -> None:
    deep = '{"x":' * (DEPTH + 2) + "1" + "}" * (DEPTH + 2)
    assert len(found(f"{{}} {deep}")) == 2
    assert len(found("{} " * (MOST + 5))) == MOST
