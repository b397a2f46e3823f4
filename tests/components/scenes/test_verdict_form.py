"""Lists of rows: as sentences, and as a language model writes them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from society.components.scenes.verdict_form import ActorNames, Rows, Span, Story
from society.engine.action_spaces import Fields, Integer, Legal
from society.errors import CutOff, Unparsed
from society.llm.parsing.answers import parse, read_reply
from society.llm.parsing.schemas import on_grid, schema

NAMES = ActorNames(("villager 0", "villager 1", "villager 12"))
GIFTS = Rows(
    pattern="{from} gives {amount} {item} to {to}",
    parts={"from": NAMES, "to": NAMES, "amount": Span(), "item": ("coins", "fish")},
    plain=lambda facts: "",
)
FORM = Fields(
    {
        "transfers": GIFTS,
        "minutes": Integer(0, 60),
        "story": Story(80, plain=lambda facts: ""),
    }
)
LEGAL = Legal()


def read(transfers: Any, **more: Any) -> dict[str, Any]:
    said = {"transfers": transfers, "minutes": 5, "story": "So it is."} | more
    answer: dict[str, Any] = parse(FORM, f"I decide: {json.dumps(said)}", LEGAL)
    return answer


def gift(**changes: Any) -> dict[str, Any]:
    return {"from": "villager 0", "to": "villager 1", "amount": 3, "item": "coins"} | changes


def test_a_list_of_objects_becomes_sentences() -> None:
    rows = [gift(), gift(amount=1, to="villager 12")]
    assert read(rows)["transfers"] == (
        "villager 0 gives 3 coins to villager 1; villager 0 gives 1 coin to villager 12"
    )


@pytest.mark.parametrize("nothing", [[], None, "", "none", "nothing"])
def test_an_empty_list_is_an_answer(nothing: Any) -> None:
    assert read(nothing)["transfers"] == ""


def test_a_list_that_is_left_out_is_empty_and_so_is_a_story() -> None:
    assert parse(FORM, '{"minutes": 5}', LEGAL) == {"transfers": "", "minutes": 5, "story": ""}


@pytest.mark.parametrize(
    "change",
    [
        {"from": "0"},
        {"from": "Villager 0"},
        {"from": "fisher 0"},
        {"amount": "3"},
        {"item": "coin"},
        {"item": "the Coins"},
    ],
)
def test_names_and_things_may_be_put_in_other_ways(change: dict[str, Any]) -> None:
    assert read([gift(**change)])["transfers"] == "villager 0 gives 3 coins to villager 1"


@pytest.mark.parametrize(
    "change",
    [
        {"from": "nobody"},
        {"from": "villager 2"},
        {"from": "2"},
        {"to": "villager 0 and villager 1"},
        {"to": ["villager 0"]},
        {"amount": -1},
        {"amount": 2.5},
        {"amount": "a few"},
        {"amount": True},
        {"amount": None},
        {"item": "gold"},
        {"note": "a gift"},
    ],
)
def test_whoever_names_nobody_or_what_there_is_not_is_asked_again(change: dict[str, Any]) -> None:
    with pytest.raises(Unparsed, match="for 'transfers'; expected a list of objects"):
        read([gift(**change)])


def test_an_incomplete_row_is_not_read() -> None:
    row = gift()
    del row["to"]
    with pytest.raises(Unparsed, match="for 'transfers'"):
        read([row])


def test_what_breaks_off_is_cut_off() -> None:
    with pytest.raises(CutOff):
        read_reply(FORM, '{"transfers": [{"from": "villager 0", "to": "vil', LEGAL, "length")


def test_fields_that_a_referee_may_not_change_are_not_read() -> None:
    assert "gold" not in read([], gold=100)


def test_a_person_may_write_sentences() -> None:
    assert read("Villager 0 gives 2 fish to villager 1.")["transfers"] == (
        "villager 0 gives 2 fish to villager 1"
    )


def test_the_hint_says_what_a_row_holds() -> None:
    assert GIFTS.hint(LEGAL) == (
        'a list of objects {"from": "<word>", "to": "<word>", "amount": <number>, '
        '"item": "<word>"}, [] if there is none; from and to: one of villager 0, villager 1, '
        "villager 12; item: one of coins, fish"
    )


names, items = st.sampled_from(NAMES), st.sampled_from(("coins", "fish"))
amounts = st.integers(0, 10**6)
rows = st.lists(st.builds(lambda f, t, a, i: gift(**{"from": f, "to": t, "amount": a, "item": i}),
                          names, names, amounts, items), max_size=5)  # fmt: skip


@given(rows)
def test_rows_are_read_back_from_their_sentences(given_rows: list[dict[str, Any]]) -> None:
    assert GIFTS.read(GIFTS.write(given_rows)) == given_rows


@cache
def validators() -> list[Draft202012Validator]:
    """Validators of the form, and of the form with numbers on a grid."""
    form = schema(FORM, LEGAL)
    assert form is not None
    for one in (form, on_grid(form)):
        Draft202012Validator.check_schema(one)
    return [Draft202012Validator(form), Draft202012Validator(on_grid(form))]


@given(rows)
def test_what_satisfies_the_schema_is_read(given_rows: list[dict[str, Any]]) -> None:
    said = {"transfers": given_rows, "minutes": 5, "story": "x"}
    for one in validators():
        one.validate(said)
    assert GIFTS.read(parse(FORM, json.dumps(said), LEGAL)["transfers"]) == given_rows


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(max_size=9),
                    lambda inner: st.lists(inner, max_size=3)
                    | st.dictionaries(st.sampled_from(["from", "to", "amount", "item", "x"]),
                                      inner, max_size=4)))  # fmt: skip
def test_nonsense_is_turned_down_or_reads_as_rows(said: Any) -> None:
    taken = GIFTS.taken(said, LEGAL)
    assert taken is None or isinstance(GIFTS.read(taken), list)
