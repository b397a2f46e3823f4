"""What words mean: numbers, options and peers, and when they are in doubt."""

from __future__ import annotations

import math

import pytest

from society.engine.graph import NOBODY
from society.llm.parsing.values import (
    match_option,
    match_peer,
    means_nothing,
    normalise_words,
    parse_number,
)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("0.4", 0.4),
        (".4 ", 0.4),
        ("-3", -3),
        ("−3", -3),
        ("4e-1", 0.4),
        ("1,000", 1000),
        ("12,345.5 fish", 12345.5),
        ("$5", 5),
        ("about 5.5 fish.", 5.5),
        ("I take 3, on the scale from 0 to 10", 3),
        ("3 (between 0 and 10)", 3),
        ("3, at most 5", 3),
        ("Villager 7 and I take 3", 3),
        ("Round 2: 3", 3),
        ("A0 gets 3", 3),
        (3, 3),
        (2.5, 2.5),
    ],
)
def test_a_number_is_read_among_words(said: object, value: float) -> None:
    assert parse_number(said) == value


@pytest.mark.parametrize(
    "said",
    [
        *("3 or 4", "3 to 4", "3-4", "3/4", "3 out of 4", "not 3", "3?", "if 3", "up to 3"),
        *("0,4", "5k", "40%", "three", "many", "", "Infinity", "1e999", "9" * 50, "2024-11-21"),
        *("The number 0 is one of the solutions to the problem", "It might be 3", "Perhaps 3"),
        *("Villager 3", "#3", math.nan, math.inf, 10**400, True, None, [3], {"x": 3}),
    ],
)
def test_a_number_in_doubt_is_not_read(said: object) -> None:
    assert parse_number(said) is None


def test_a_percentage_is_a_part_of_one_or_of_a_hundred() -> None:
    for said in ("40%", "40 %", "40 percent", "40 per cent of it"):
        assert [parse_number(said, whole) for whole in (1, 100, 10)] == [0.4, 40, None]


def test_no_value_is_null_or_a_word_for_it() -> None:
    assert all(means_nothing(said) for said in (None, math.nan, "none", "N/A", "null."))
    assert not any(means_nothing(said) for said in (0, "", "nothing much", False))


def test_plain_words_have_no_markup_and_no_case() -> None:
    assert normalise_words(" **'Stay_at home!'** ") == "stay at home"


MOVES = {"cooperate": 0, "defect": 1}
RULES = {"Nobody takes more than five fish a year.": 0, "Everybody takes what they like.": 1}


@pytest.mark.parametrize(
    ("options", "said", "index"),
    [
        (MOVES, "cooperate", 0),
        (MOVES, '"DEFECT".', 1),
        (MOVES, "I will defect this time.", 1),
        ({"yes": 0, "no": 1}, True, 0),
        ({"yes": 0, "no": 1}, "false", 1),
        ({"true": 0, "false": 1}, "No.", 1),
        (RULES, "everybody takes what they like", 1),
        (RULES, "2", 1),
        (RULES, 1, 0),
        (RULES, "Option 2.", 1),
        (RULES, "2. Everybody takes what they like.", 1),
        ({"help": 0, "help all": 1}, "I help all", 1),
        ({"5.0": 0, "2.5": 1}, 5, 0),
        ({"5.0": 0, "2.5": 1}, "2.50 fish", 1),
        ({"A": 0, "B": 1}, "Option A", 0),
        ({"A": 0, "B": 1}, "I choose B", 1),
    ],
)
def test_an_option_is_read_by_its_text_its_number_or_its_value(
    options: dict[str, int], said: object, index: int
) -> None:
    assert match_option(said, options) == index


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (MOVES, "cooperate or defect"),
        (MOVES, "I won't cooperate"),
        (MOVES, "Should I defect?"),
        (MOVES, "cooperation"),
        (MOVES, "1"),
        (MOVES, True),
        (MOVES, None),
        (MOVES, ["defect"]),
        (RULES, "3"),
        (RULES, "0"),
        (RULES, "Nobody takes more than five fish a year. Option 2"),
        (RULES, "1. Everybody takes what they like, perhaps."),
        ({"5.0": 0, "2.5": 1}, "4"),
        ({"A": 0, "B": 1}, "A good plan"),
        ({"A": 0, "B": 1}, "A, rather than B"),
        ({}, "anything"),
    ],
)
def test_an_option_in_doubt_is_not_read(options: dict[str, int], said: object) -> None:
    assert match_option(said, options) is None


PEERS = {"3": 2, "5": 4, "Ann": 7}


@pytest.mark.parametrize(
    ("said", "seat"),
    [
        ("3", 2),
        (5, 4),
        ("Villager 3", 2),
        ("#5", 4),
        ("ID 5.", 4),
        ("ann", 7),
        ("I fine villager 3, who took 5 fish.", 2),
        ("nobody", NOBODY),
        ("N/A", NOBODY),
        ("I fine no one.", NOBODY),
        (None, NOBODY),
    ],
)
def test_a_peer_is_read_by_its_name(said: object, seat: int) -> None:
    assert match_peer(said, PEERS) == seat


@pytest.mark.parametrize(
    "said",
    [
        *("4", "3 and 5", "villager 3 or 5", "not 3", "3, or nobody", "-1", "", "somebody"),
        *("villager 9 and villager 3", -1, 3.5, True, [3]),
    ],
)
def test_a_peer_in_doubt_or_out_of_sight_is_not_read(said: object) -> None:
    assert match_peer(said, PEERS) is None
