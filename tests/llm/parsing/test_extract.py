"""Where the answer stands in a reply, and when a reply has not come to its answer."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Integer,
    Legal,
    MixedStrategy,
    Neighbour,
    Real,
    Text,
)
from society.errors import CutOff, Unparsed
from society.llm.parsing.answers import parse, read_reply
from society.llm.parsing.extract import quote_excerpt

EFFORT = Real(0, 1)
MOVE = Choice("cooperate", "defect")
MIX = MixedStrategy("C", "D")
NORMS = Fields({"personal": Text(100), "community": Text(100), "cap": Real(0, 9, optional=True)})
LEGAL = Legal(peers={"3": 2, "5": 4, "12": 7})
THOUGHTS = "The lake holds 80 fish. With 0.2 we would be safe.\n\n"


def parsed(reply: ActionSpace, text: str) -> Any:
    return parse(reply, text, LEGAL)


def refused(reply: ActionSpace, text: str) -> Unparsed:
    with pytest.raises(Unparsed) as caught:
        parsed(reply, text)
    return caught.value


# The place of a single answer


@pytest.mark.parametrize(
    "text",
    [
        "0.4",
        " **0.4**. ",
        '{"answer": 0.4}',
        '```json\n{"answer": "0.4"}\n```',
        THOUGHTS + '{"answer": 0.9}\n\nNo, that is too much.\n\n{"answer": 0.4}',
        THOUGHTS + '{"answer": 0.4}\n\nThis keeps the lake alive.',
        THOUGHTS + "Answer: 0.4",
        THOUGHTS + "**Final answer:** 0.4 effort",
        THOUGHTS + "Final Answer:\n\n0.4",
        THOUGHTS + "Thus, my answer is 0.4.",
        THOUGHTS + r"\[ \boxed{0.4} \]",
        THOUGHTS + "0.4",
        "0.4\n\n" + THOUGHTS,
        "<think>0.9? No.</think>\n0.4",
        "Answer: 0.9\nAnswer: 0.4",
        '{"reason": "0.9 is too much", "answer": 0.4}',
        '{"effort": 0.4}',
    ],
)
def test_an_answer_is_found_where_models_put_it(text: str) -> None:
    assert parsed(EFFORT, text) == 0.4


@pytest.mark.parametrize(
    "text",
    [
        THOUGHTS,
        THOUGHTS + "So the net effect: 0.4",
        THOUGHTS + "- 0.4\n- 0.5",
        "0.4\n\nor\n\n0.5",
        '{"low": 0.4, "high": 0.5}',
        '{"answer": {"effort": 0.4}}',
        '{"answer": 0.4, "answer": 0.5}',
        "Answer: 0.4, or else 0.5",
    ],
)
def test_nothing_is_read_where_the_place_of_the_answer_is_in_doubt(text: str) -> None:
    assert "expected a number from 0 to 1" in str(refused(EFFORT, text))


def test_an_error_quotes_the_reply_shortly_and_says_what_was_expected() -> None:
    assert str(refused(EFFORT, "plenty")) == "got 'plenty'; expected a number from 0 to 1"
    assert str(refused(EFFORT, " ")) == "got an empty reply; expected a number from 0 to 1"
    told = str(refused(EFFORT, THOUGHTS * 5))
    assert told.startswith("got '...")
    assert "without a clear answer" in told
    assert len(told) < 150
    assert quote_excerpt("x" * 99) == repr("x" * 60 + "...")


# Mixes and forms


@pytest.mark.parametrize(
    "text",
    [
        '{"C": 40, "D": 60}',
        THOUGHTS + 'As JSON: {"C": 40, "D": 60}.',
        '{\n  "C": 40, // the safe one\n  "D": 60, /* the other */\n}',
        "{'c': '40%', 'd': '60%'}",
        "{C: +40, D: +60}",
        "{“C”: 40, “D”: 60}",
        r"\boxed{\{ \text{C}: 40\%, \text{D}: 60\% \}}",
        '{"answer": {"C": 40, "D": 60}}',
        '{"strategy": {"C": 40, "D": 60}}',
        THOUGHTS
        + '{"C": 90, "D": 10} is tempting.\n\n{"C": 40, "D": 60}\n\nThe payoffs: {"E": 3}.',
        "**C:** 40%\n**D:** 60%",
        THOUGHTS + "- C: 40%\n- D: 60%",
    ],
)
def test_a_mix_is_found_where_models_put_it(text: str) -> None:
    assert parsed(MIX, text) == [0.4, 0.6]


@pytest.mark.parametrize(
    "text",
    [
        '{"me": {"C": 40, "D": 60}, "you": {"C": 50, "D": 50}}',
        '{"C": 40, "C": 60, "D": 0}',
        '{"C": {"me": 40}, "D": {"me": 60}}',
        "C: 40%\nD: 60%\n\nNo, better:\n\nC: 50%\nD: 50%",
        THOUGHTS + "What if\nC: 40\nD: 60\n\nThat would be wrong.",
        "I cooperate in 40 of 100 cases.",
    ],
)
def test_a_mix_in_doubt_is_not_read(text: str) -> None:
    with pytest.raises(Unparsed):
        parsed(MIX, text)


@pytest.mark.parametrize(
    "text",
    [
        '{"personal": "Share.", "community": "Rest on Sundays.", "cap": 3}',
        '{"Cap": "3 fish", "Personal": "Share.", "COMMUNITY": "Rest on Sundays."}',
        "Personal: Share.\nCommunity: Rest on Sundays.\nCap: 3",
        "**Personal:** Share.\n\n**Community:** Rest on Sundays.\n\n**Cap:** 3\n\nI hope it helps.",
        THOUGHTS + "1. personal: Share.\n2. community: Rest on Sundays.\n3. cap: 3 fish",
    ],
)
def test_a_form_is_an_object_or_lines_with_names(text: str) -> None:
    norms = {"personal": "Share.", "community": "Rest on Sundays.", "cap": 3.0}
    assert parsed(NORMS, text) == norms


def test_a_field_that_is_left_out_or_illegible_is_named() -> None:
    left_out = refused(NORMS, '{"personal": "Share.", "cap": 3}')
    assert "no single 'community'; expected text of at most 100 characters" in str(left_out)
    illegible = refused(NORMS, "Personal: Share.\nCommunity: Rest.\nCap: 3 or 4")
    assert "got '3 or 4' for 'cap'; expected a number from 0 to 9, or none" in str(illegible)


# Replies that have not come to their end


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (EFFORT, '{"answer": 0.4'),
        (MIX, THOUGHTS + '```json\n{"C": 40, "D"'),
        (MIX, '{"C": 90, "D": 10}\n\nNo: {"C": 40,'),
        (Text(), '{"answer": "I would say that'),
        (EFFORT, THOUGHTS + "With 0.4 the others would be able to"),
        (EFFORT, THOUGHTS + "So my final answer: "),
        (EFFORT, "<think>With 0.4 the others"),
        (MIX, THOUGHTS + 'If I said {"C": 40, "D": 60}, they would leave.'),
        (MIX, THOUGHTS + '{"C": 40, "D": 60}\n\nBut then the others might'),
        (EFFORT, '{"answer": 0.4}\n\n' + THOUGHTS * 70),
        (MOVE, THOUGHTS * 250),
    ],
)
def test_a_reply_that_breaks_off_is_cut_off(reply: ActionSpace, text: str) -> None:
    assert isinstance(refused(reply, text), CutOff)


def test_a_short_or_finished_reply_without_an_answer_is_not_cut_off() -> None:
    for text in ("", "no idea", THOUGHTS * 2 + "I cannot decide."):
        assert not isinstance(refused(EFFORT, text), CutOff)


def test_what_ends_at_the_limit_of_tokens_is_cut_off_even_if_it_holds_an_answer() -> None:
    assert read_reply(EFFORT, '{"answer": 0.4}', LEGAL, "stop") == 0.4
    with pytest.raises(CutOff, match=r"limit of tokens; expected a number from 0 to 1"):
        read_reply(EFFORT, '{"answer": 0.4}', LEGAL, "length")


# Whatever comes

EVERY: tuple[ActionSpace, ...] = (EFFORT, Integer(0, 9), MOVE, Neighbour("all"), MIX, Text(), NORMS)

PIECES = st.sampled_from(
    [
        *(
            '{"answer": ',
            "{",
            "}",
            '"',
            "'",
            "[",
            "]",
            ":",
            ",",
            "\\boxed{",
            "\\text{",
            "```json\n",
        ),
        *(
            "answer: ",
            "C",
            "D",
            "3",
            "0.4",
            "40%",
            "1e999",
            "NaN",
            "null",
            "true",
            "none",
            "nobody",
        ),
        *(
            "cooperate",
            "personal: ",
            "cap: ",
            "//",
            "/*",
            "*/",
            "<think>",
            "</think>",
            "\n",
            "²",
            "٣",
        ),
    ]
)


@given(text=st.lists(PIECES | st.text(max_size=8), max_size=20).map("".join))
def test_every_text_gives_an_answer_of_the_right_form_or_is_refused(text: str) -> None:
    for reply in EVERY:
        try:
            answer = parsed(reply, text)
        except Unparsed:
            continue
        _in_form(answer, reply)


def _in_form(answer: Any, reply: ActionSpace) -> None:
    if isinstance(reply, Fields):
        assert answer.keys() == reply.fields.keys()
        assert answer["cap"] != answer["cap"] or 0 <= answer["cap"] <= 9
    elif isinstance(reply, MixedStrategy):
        assert math.fsum(answer) == pytest.approx(1, abs=1e-9)
    elif isinstance(reply, Text):
        assert answer == answer.strip() != ""
    elif isinstance(reply, Real | Integer):
        assert reply.low <= answer <= reply.high
        assert type(answer) is (float if isinstance(reply, Real) else int)
    else:
        assert type(answer) is int
        assert answer in (*LEGAL.peers.values(), -1, 0, 1)


@pytest.mark.parametrize(
    "bomb",
    [
        "{" * 20_000,
        '{"a":' * 20_000,
        '{"a":' * 20_000 + "1" + "}" * 20_000,
        '{"answer": ' + "[" * 20_000,
        "{}" * 10_000,
        '{"x":"}","C":' * 8_000,
        '{"answer": ' + "[" * 900 + "]" * 900 + "}",
        '{"C": ' + "[" * 900 + "]" * 900 + ', "D": 1, "cap": 1}',
        '{"answer": ' + "9" * 5_000 + "}",
        "{" + "/*" * 50_000 + "}",
        "\\boxed{" * 5_000,
        "answer:" * 5_000,
        " " * 20_000 + "{x",
    ],
    ids=lambda bomb: bomb[:12],
)
@pytest.mark.parametrize("reply", [EFFORT, MIX, NORMS, MOVE, Neighbour("all")], ids=type)
def test_a_reply_that_is_huge_or_nested_is_refused_in_few_words(
    bomb: str, reply: ActionSpace
) -> None:
    words = str(refused(reply, bomb))
    assert words.startswith(("got ", "no single "))
    assert len(words) < 300
