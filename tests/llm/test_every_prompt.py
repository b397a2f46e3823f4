"""Every prompt of ours as an agent reads it: one clock, one format, no order against another."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from tests.every_question import SOCIETIES, Heard, listen

pytestmark = pytest.mark.xdist_group("every prompt")

PAGES = ("harvested", "spoke")  # looking back, in the notice of these events: all of it is prose
OF_AUTHORS = ("describe", "implement")  # their answers are texts and programs, and no JSON
FORMS = (
    '{"answer": <',
    '{"answer": "<',
    "a JSON object with these fields:\n- ",
    'a JSON object {"',
)
NOW = r"(?:It is|This is) (?:round|day|game) (\d+)|^Day (\d+)"
PAST = r"^- (?:Round|Day|Game) (\d+)"
THINKING = sorted(
    name
    for name, society in SOCIETIES.items()
    if "cohorts" not in society and name not in ("raters", "authors", "authors of people")
)


@cache
def all_heard(society: str, *, thinking: bool = False) -> list[Heard]:
    """The questions of a society, which is played once."""
    given = {**SOCIETIES[society].get("parameters", {}), "thinking": True}
    said = listen(society, parameters=given) if thinking else listen(society)
    assert said
    return said


def heard(society: str, *, thinking: bool) -> list[Heard]:
    """The questions of a society, without those that look back."""
    said = [one for one in all_heard(society, thinking=thinking) if one.kind not in PAGES]
    assert said
    return said


def form_of(one: Heard) -> str:
    """The last words of a prompt: how the answer is written."""
    _, mark, form = one.words.rpartition("\nForm of the answer: ")
    assert mark, one.words
    return form


@pytest.mark.parametrize("society", SOCIETIES)
def test_an_answer_without_thoughts_has_one_form_and_nothing_beside_it(society: str) -> None:
    for one in heard(society, thinking=False):
        if one.kind not in OF_AUTHORS:
            assert form_of(one).startswith(FORMS), form_of(one)
            assert one.words.count("{") <= 1, "one form"
            assert "Give your answer only, without any explanation.\nForm of" in one.words
            assert not re.search(r"step by step|[Tt]hink about", one.words)


@pytest.mark.parametrize("society", THINKING)
def test_thoughts_are_asked_for_once_and_nothing_speaks_against_them(society: str) -> None:
    for one in heard(society, thinking=True):
        assert form_of(one).startswith(FORMS)
        assert one.words.count("step by step") == 1
        assert "Then close with your answer, on a line of its own.\nForm of" in one.words
        assert "without any explanation" not in one.words
        assert not re.search(r"[Bb]e very brief|[Cc]onsider briefly", one.words)


@pytest.mark.parametrize("society", SOCIETIES)
def test_what_is_remembered_lies_before_what_is_now_on_one_clock(society: str) -> None:
    for one in all_heard(society):
        past = [int(number) for number in re.findall(PAST, one.words, re.MULTILINE)]
        now = [int("".join(two)) for two in re.findall(NOW, one.words, re.MULTILINE)]
        assert len({*now}) <= 1
        assert not now or max(past, default=0) <= now[0]


def test_two_games_of_a_donor_have_one_clock() -> None:
    """In the second game of two rounds, questions and memories speak of rounds 1 and 2."""
    remembering = {"name": "donor", "count": 4, "components": ["recall", "language_policy"]}
    donors: dict[str, Any] = {"agents": 4, "rounds": 2, "mechanisms": []}
    said = listen("donors", parameters={"games": 2}, cohorts=[remembering], **donors)
    rounds = [re.findall(r"It is (.*?)\.", one.words) for one in said]
    assert {number for (number,) in rounds} == {"round 1", "round 2"}
    remembered = {line for one in said for line in re.findall(r"^- (Round \d+)", one.words, re.M)}
    assert remembered == {"Round 1", "Round 2"}


@pytest.mark.parametrize("society", SOCIETIES)
def test_no_prompt_has_two_empty_lines_or_words_without_a_referent(society: str) -> None:
    for one in all_heard(society):
        assert "\n\n\n" not in one.words
        assert "asked for below" not in one.words
        assert "What happened in them" not in one.words
        assert not re.search(r"}, with a (?:whole )?number from (\S+) to \1$", one.words)


def test_payoffs_of_villagers_are_fish() -> None:
    for one in heard("village", thinking=False):
        figures = re.findall(r"payoff (?:is |rose by |fell by )?-?\d+(?:\.\d+)?( fish)?", one.words)
        assert {*figures} <= {" fish"}
