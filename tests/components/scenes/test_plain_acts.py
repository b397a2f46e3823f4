"""Acts in plain words: how they may be put, and what is not read from them."""

from __future__ import annotations

import doctest

import pytest

from society.components.scenes import plain_acts
from society.components.scenes.plain_acts import read_gifts, read_moves, read_takings

NAMES, ITEMS, PLACES = ("villager 1", "villager 2"), ("coins", "fish"), ("the Crown", "town hall")


def test_the_examples_are_true() -> None:
    assert doctest.testmod(plain_acts).failed == 0


@pytest.mark.parametrize(
    "text",
    [
        "I give 3 coins to villager 2.",
        "give 3 coins to 2",
        "I give 3 coins to fisher 2.",
        "I will give three coins to villager 2 now.",
        "I'll pay 3 coins to the villager 2, for the fish.".replace(",", ""),
        "Good morning! So I pay villager 2 3 coins.",
        "Agreed. I hand 3 coins to villager 2 because we agreed on that.",
        "I wait; then I give 3 coins to villager 2",
    ],
)
def test_a_gift_is_read_however_it_is_put(text: str) -> None:
    assert [tuple(gift) for gift in read_gifts(text, ITEMS, NAMES)] == [
        (3.0, "coins", "villager 2")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "I would give 3 coins to villager 2.",
        "If you bring the fish, I give 3 coins to villager 2.",
        "I do not give 3 coins to villager 2.",
        "I won't give 3 coins to villager 2.",
        "Shall I give 3 coins to villager 2?",
        "Maybe I give 3 coins to villager 2.",
        "I offer 3 coins to villager 2.",
        "I give 3 coins to villager 3.",
        "I give 3 gold to villager 2.",
        "I give coins to villager 2.",
        "villager 1 gives 3 coins to villager 2.",
        "I give 3 coins to villager 2 or villager 1.",
        "He says I give 3 coins to villager 2.",
        "",
    ],
)
def test_who_doubts_or_says_something_else_gives_nothing(text: str) -> None:
    assert read_gifts(text, ITEMS, NAMES) == ()


def test_several_acts_in_one_text() -> None:
    text = "I give 1 coin to villager 1 and give 2 fish to villager 2, then I go to the Crown."
    assert [tuple(gift) for gift in read_gifts(text, ITEMS, NAMES)] == [
        (1.0, "coins", "villager 1"),
        (2.0, "fish", "villager 2"),
    ]
    assert read_moves(text, PLACES) == ("the Crown",)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("I go to the Crown.", ("the Crown",)),
        ("walk to Crown", ("the Crown",)),
        ("I head back to the town hall with you.", ("town hall",)),
        ("I stay.", ()),
        ("Let us go to the Crown.", ()),
        ("You go to the Crown.", ()),
    ],
)
def test_a_move_is_read(text: str, place: tuple[str, ...]) -> None:
    assert read_moves(text, PLACES) == place


def test_what_is_taken_from_the_stock() -> None:
    assert [tuple(one) for one in read_takings("I catch five fish.", ITEMS)] == [(5.0, "fish", "")]
