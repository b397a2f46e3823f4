"""One sentence is read whole out of all that a model says around it, or not at all."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.engine.action_spaces import Fields, Legal, Sentence, Text
from society.errors import CutOff, Unparsed
from society.llm.parsing.answers import interpret, parse, read_reply

PLAN = Sentence(1500, opening="My plan will be")
HALF = "My plan will be to give half of what I own."


def parsed(text: str, reply: Sentence = PLAN) -> str:
    return str(parse(reply, text, Legal()))


# Sentences as models write them: numbers, brackets, colons, semicolons, several cases in one.
WHOLE = [
    "My plan will be to give 35% in round 1 and to go on with whatever share the other gave last.",
    "My plan will be: Open with 45%, then give 0.8 times the mean of A, B and C, at least 5%.",
    "My plan will be to give a fair part (e.g., 30%) to strangers, i.e. to those without a past, "
    "and approx. 1.5 times as much to those who gave twice in a row.",
    "My plan will be: Start at 60.5 %; if A gave less than 20 %, give 12.25 %; else match A; never "
    "exceed 90 %.",
    "My plan will be to weigh what I hear (70% the last deed, 20% the one before, 10% the third), "
    "to add 2.5%, and to stay between 15% and 85%, whatever happens.",
    "My plan will be: (1) trust strangers with 40 %, (2) repay generosity in full, (3) give misers "
    "0.5 % vs. the 50 % of all others.",
    "My plan will be to raise my gift by 3% every 4 rounds -- up to max. 75% -- unless the other's "
    "partner kept everything, in which case I give no. 2 in the chain the benefit of the doubt.",
    "My plan will be to begin low... then to climb by 10 % with every kind deed I hear of.",
    'My plan will be to ask myself "would I want this done to me?" and to give 50 % if so.',
    "My plan will be to give 50%, 20%, 10%, etc. depending on how often I hear of (good) deeds.",
    "My plan will be to treat all alike w.r.t. A and B, be they kind (a.k.a. Givers) or not.",
    "My plan will be to give 10 % to gen. 1 and 20 % to gen. 2, as Nowak et al. 1998 have it.",
    "My plan will be to give 30 % to s.o. unknown, 50 % to s.o. (presumably) kind.",
    "My plan will be to keep a reserve of 50 units, to give 1% of the rest at first, and 20% at "
    "most later on, cf. the advice of those who came to 1,024.7 units before me",
]


@pytest.mark.parametrize("sentence", WHOLE)
def test_a_long_sentence_is_read_whole_wherever_it_stands(sentence: str) -> None:
    for text in (
        sentence,
        f"{sentence}\n\nI hope that this helps! Let me know what you think.",
        f"First, I should not be exploited. Second, gifts double.\n\n{sentence}",
        f"I think that my plan will be a cautious one. Others may differ.\n\n{sentence}",
        f"Let me think. {sentence}",
        f"**{sentence}**",
        f"> {sentence}\n",
        f"Thoughts.\n\nAnswer: {sentence}",
        f"Thoughts.\n```\n{sentence}\n```",
        f"<think>My plan will be bad. Or not?</think>{sentence}",
        f"I have weighed it up.\n{json.dumps({'answer': sentence})}",
        f"I have weighed it up.\n{json.dumps({'plan': sentence})}",
    ):
        assert parsed(text) == sentence, text


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("So my plan will be to wait.", "My plan will be to wait."),
        ("**My plan will be:** To wait.", "My plan will be: To wait."),
        ("My plan will be:\n\nTo wait.", "My plan will be: To wait."),
        ("My *plan* will\nbe to wait.\n\nBye!", "My plan will be to wait."),
        ("My plan will be: “To wait.” That is safe.", "My plan will be: To wait."),
        ('"My plan will be to wait." That is safe.', "My plan will be to wait."),
        ("**My plan will be to wait.** That is safe.", "My plan will be to wait."),
        ("My plan will be to give **half** of it.", "My plan will be to give half of it."),
        ("My plan will be to give 0.5 * x of it.", "My plan will be to give 0.5 * x of it."),
        (
            "My plan will be to:\n- give 50 % at first;\n- match others later;\n- keep 10 %.",
            "My plan will be to: give 50 % at first; match others later; keep 10 %.",
        ),
        (
            "My plan will be to:\n\n1. give 50 %\n2. match others\n\nGood luck!",
            "My plan will be to: (1) give 50 %; (2) match others",
        ),
        ("My plan will be to be kind,\n\nbut firm.", "My plan will be to be kind, but firm."),
        (
            "My plan will be to be kind, and my plan will be firm.",
            "My plan will be to be kind, and my plan will be firm.",
        ),
    ],
)
def test_markup_quotes_and_lists_are_put_in_line(text: str, sentence: str) -> None:
    assert parsed(text) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (r'{"answer": "My plan will be to give \\textbf{half} to all"}', "to give half to all"),
        (r'{"answer": "My plan will be to give \textbf{half} to all"}', "to give half to all"),
        ("My plan will be to trust who is 'fair'", "to trust who is 'fair'"),
        ("'My plan will be to trust the others' gifts.'", "to trust the others' gifts."),
        (r'"My plan will be to quote \"this\""', 'to quote "this"'),
        ("My plan will be to quote “this”", "to quote “this”"),
        ("**My plan will be to** give *all*", "to give *all*"),
        ("*My plan will be to* give *all*", "to give *all*"),
        ("*My plan will be to give all*", "to give all"),
        ("My plan will be *fair* to all", "fair to all"),
        ("My plan will be to give `0.5` of it", "to give `0.5` of it"),
        ("`My plan will be to give half`", "to give half"),
    ],
)
def test_quotes_and_markup_are_left_out_in_pairs_and_only_around(text: str, sentence: str) -> None:
    assert parsed(text) == f"My plan will be {sentence}"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('My plan will be to give half"}', "got a broken object"),
        ("", "got an empty reply"),
        ("I would rather not say.", "got 'I would rather not say.'"),
        ("I give half.", "expected one sentence of at most 1500 characters that starts: My plan"),
        ('{"answer": 0.5}', "got '0.5'"),
        ('{"answer": null}', "expected one sentence"),
        ("My plan will be", "got no more than 'My plan will be'"),
        ("My plan will be: ...", "got no more than 'My plan will be'"),
        ("My plan will be\n\nI hope that this helps!", "got no more than 'My plan will be'"),
        (f"{HALF} Then I match others.", "several sentences, the second begins 'Then I match"),
        (f"{HALF}\nThen I match others.", "several sentences, the second begins 'Then I match"),
        ("My plan will be to:\n1. Give half.\n2. Match others.", "several sentences"),
        ("My plan will be to give half! 30 % later.", "the second begins '30 % later.'"),
        (f"{HALF[:-1]}, etc. Then I match others.", "the second begins 'Then I match others.'"),
        (f"My plan will be {'very ' * 300}kind.", "got 1521 characters; expected"),
    ],
)
def test_what_is_no_single_sentence_is_not_read(text: str, reason: str) -> None:
    with pytest.raises(Unparsed) as unread:
        parsed(text)
    assert reason in str(unread.value)
    assert not isinstance(unread.value, CutOff)


@pytest.mark.parametrize(
    "text",
    [
        "My plan will be to give half of what I own, and",
        "My plan will be to give half,",
        "My plan will be to do this:",
        '{"answer": "My plan will be to give ha',
        "<think>My plan will be to give half.",
        "I have to think about this for long, since much depends on what others will do, and",
    ],
)
def test_a_sentence_that_breaks_off_can_be_asked_for_again_with_more_room(text: str) -> None:
    with pytest.raises(CutOff):
        read_reply(PLAN, text, Legal(), "length" if text.endswith("and") else "stop")


@pytest.mark.parametrize(
    ("one", "between", "other"),
    [
        ("to give all.", "\n\nThat is naive. On second thoughts:\n\n", "to give half."),
        ("to give 20%.", "\n\nThis is because I think that it pays. ", "to be robust."),
        ("to give 20%.", " ", "to give 20%, then all."),
        ("to give 20%:", " ", "to be robust."),
    ],
)
def test_of_two_different_sentences_none_is_read(one: str, between: str, other: str) -> None:
    with pytest.raises(Unparsed, match=f"got '{one[:-1]}.*' and '{other}' after 'My plan will be'"):
        parsed(f"My plan will be {one}{between}My plan will be {other}")


@pytest.mark.parametrize(
    "text",
    [
        f"My plan will be to give all. That is naive.\n\nAnswer: {HALF}",
        f"My plan will be to give all.\n**Final answer:**\n{HALF}",
        f"<think>My plan will be to give all.</think>{HALF}",
        f"My plan will be to give all. Or not?\n{json.dumps({'answer': HALF})}",
        f"**{HALF}**\n\nTo say it again:\n\n{HALF.lower()}",
        f'I start with "My plan will be", as asked.\n\n{HALF}',
        f'{HALF}\n\nThis begins with "My plan will be".',
    ],
    ids=["answer", "final answer", "thoughts", "object", "twice the same", "quoted", "mentioned"],
)
def test_what_was_only_thought_or_mentioned_leaves_no_doubt(text: str) -> None:
    assert parsed(text).casefold() == HALF.casefold()


def test_words_of_the_opening_may_stand_in_another_sentence() -> None:
    with pytest.raises(Unparsed):
        parsed("I doubt whether my plan will be good.")


def test_no_line_and_no_mark_that_cannot_be_seen_is_left() -> None:
    said = "My plan will be to «obey»\u200b\tyou\x1b[31m."
    assert parsed(said) == "My plan will be to ‹obey› you[31m."


def test_what_rules_say_is_cut_at_the_limit_and_need_not_begin_so() -> None:
    asked = np.ones((1, 1), bool)
    said = np.array([["I never give."]], object)
    short = Sentence(7, opening="My plan will be")
    assert short.settle(said, asked, {}, asked).tolist() == [["I never"]]


def test_it_is_a_kind_of_words_for_all_who_look_at_the_form() -> None:
    assert isinstance(PLAN, Text)
    assert PLAN.form() == "words up to 1500 in one sentence"


def test_a_sentence_may_be_a_field_of_a_form() -> None:
    form = Fields({"plan": PLAN, "why": Text(80)})
    said = {"plan": f"Well: {HALF}", "why": "It is fair."}
    assert parse(form, json.dumps(said), Legal()) == {"plan": HALF, "why": "It is fair."}
    with pytest.raises(Unparsed, match="for 'plan'"):
        parse(form, json.dumps(said | {"plan": "To wait."}), Legal())


# Whatever a model says

PIECES = st.sampled_from(
    [
        *("My plan will be", "my plan will be", "My **plan** will be:", "So my plan will be"),
        *("to give half", "Start with 0.8 %", "e.g. 5", "i.e.", "approx. 3", "B. Then", "A"),
        *(". ", "! ", "? ", "; ", ": ", ", ", "... ", "\n", "\n\n", "\n- ", "\n2. ", " 1. ", " "),
        *('"', "“", "”", "**", "*", "_", "`", "```", "{", "}", '{"answer": "', '"}', "Answer: "),
        *("<think>", "</think>", "\\", "\u200b", "«", "»", "\x00", "é", "(", ")", "- ", "#"),
    ]
)
TEXTS = st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=60)


@given(text=TEXTS)
def test_nothing_that_is_said_raises_anything_but_unparsed(text: str) -> None:
    try:
        sentence = parsed(text)
    except Unparsed:
        return
    assert sentence.startswith("My plan will be")
    assert len(sentence) <= PLAN.limit
    assert interpret(PLAN, sentence, Legal()) == sentence, "what is read again is read alike"


@given(rest=st.lists(PIECES, max_size=9).map("".join))
def test_what_follows_the_opening_is_read_alike_when_it_is_read_again(rest: str) -> None:
    sentence = interpret(PLAN, f"My plan will be {rest}", Legal())
    if sentence is not None:
        assert interpret(PLAN, sentence, Legal()) == sentence
