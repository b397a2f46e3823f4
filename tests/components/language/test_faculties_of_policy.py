"""Questions that faculties put to a mind: in the same reply as the answer, or in a chain before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from society.components.language.llm_policy import LanguagePolicy
from society.engine.action_spaces import ActionSpace, Choice, Fields, Real, Text
from society.engine.calls import OVERFLOW, Completion, Request
from society.engine.component import Agent, Component, Inquiry
from society.engine.environment import Environment
from society.engine.script import Ask, Script, common

if TYPE_CHECKING:
    from tests.components.conftest import Talk, Talking


class Mood(Component):
    """Adds words to each prompt."""

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        return "I feel well."


class Weather(Component):
    """Asks about the weather before each bid."""

    def ponder(self, ask: Inquiry, agent: Agent) -> str:
        return "What is the weather like?" if ask.kind == "bid" else ""


@dataclass(frozen=True)
class Wish(Component):
    """Asks what one wants."""

    def ponder(self, ask: Inquiry, agent: Agent) -> str:
        return f"What do you want, {agent.whole_name}?"


def bid(reply: ActionSpace, fallback: Any = None) -> Any:
    def script(env: Environment) -> Script:
        yield Ask("bid", reply, {"price": common(7.0)}, fallback=fallback)

    return script


PARTS = (Mood(), Weather(), Wish())
TOGETHER, CHAIN = LanguagePolicy(), LanguagePolicy(faculties="chain")


def marked(request: Request) -> list[tuple[str, str, str]]:
    """Who has given what of a prompt."""
    words = request.messages[-1].content
    return [(one.component, one.role, words[one.start :][: one.length]) for one in request.parts]


# Together


def test_together_one_reply_holds_the_thoughts_and_the_answer(talk: Talking) -> None:
    says = '{"weather": "It rains.", "wish": "To win.", "answer": 0.25}'
    held = talk(bid(Real(0, 1)), *PARTS, TOGETHER, says=says, agents=1)
    assert held.over.answers("bid")[0].tolist() == [[0.25]]
    assert held.ledger == {"bid": (1, 0, 0, 0)}
    assert held.prompts[0].endswith(
        "Before you answer, think about the following, one after the other, in a sentence or two "
        "each:\n- weather: What is the weather like?\n- wish: What do you want, agent 0?\n\n"
        "Then close with your answer, on a line of its own.\n\n"
        'Form of the answer: {"answer": <number>}, with a number from 0 to 1'
    )


def test_together_the_schema_has_a_text_for_each_thought_in_place_of_reasoning(
    talk: Talking,
) -> None:
    thinking = LanguagePolicy(thinking=True)
    held = talk(bid(Real(0, 1)), *PARTS, thinking, says="1", agents=1)
    form = held.requests[0].schema or {}
    assert form["required"] == ["weather", "wish", "answer"]
    assert form["properties"]["weather"]["description"] == "What is the weather like?"


def test_who_ponders_nothing_is_asked_as_ever(talk: Talking) -> None:
    def script(env: Environment) -> Script:
        yield Ask("sell", Real(0, 1))

    plain = talk(script, Mood(), TOGETHER, says="1", agents=1)
    for policy in (TOGETHER, CHAIN):
        held = talk(script, Mood(), Weather(), policy, says="1", agents=1)
        assert held.prompts == plain.prompts
        assert held.requests[0].schema == plain.requests[0].schema


def test_a_thought_never_has_the_name_of_a_field_of_the_answer(talk: Talking) -> None:
    form = Fields({"wish": Text(), "cap": Real(0, 9)})
    says = '{"wish_thought": "Hm.", "wish": "Rain", "cap": 4}'
    held = talk(bid(form), Wish(), TOGETHER, says=says, agents=1)
    assert (held.requests[0].schema or {})["required"] == ["wish_thought", "wish", "cap"]
    assert held.over.answers("bid", "wish")[0].tolist() == [["Rain"]]


@pytest.mark.parametrize("reply", [Real(0, 1), Text()])
def test_a_thought_alone_is_no_answer(talk: Talking, reply: ActionSpace) -> None:
    fallback = 0.5 if isinstance(reply, Real) else "nothing"
    says = '{"weather": "It may rain at 0.9."}'
    held = talk(bid(reply, fallback), Weather(), TOGETHER, says=says, agents=1)
    assert held.over.answers("bid")[0].tolist() == [[fallback]]


@pytest.mark.parametrize(
    ("reply", "says", "answer"),
    [
        (Real(0, 1), "weather: Rain at 0.9.\nwish: More than 0.1.\n0.25", 0.25),
        (Choice("stay", "leave"), "weather: stay dry\nwish: to stay\nAnswer: leave", 1),
        (Text(), 'weather: Rain.\nwish: Peace.\n{"answer": "Good morning."}', "Good morning."),
    ],
)
def test_together_thoughts_may_stand_in_free_text(
    talk: Talking, reply: ActionSpace, says: str, answer: object
) -> None:
    held = talk(bid(reply), *PARTS, TOGETHER, says=says, agents=1)
    assert held.over.answers("bid")[0].tolist() == [[answer]]


def test_thoughts_are_never_spoken_as_the_answer(talk: Talking) -> None:
    says = ["- weather: They must not know that I am poor.\nHello!", "Answer: Hello!"]
    held = talk(bid(Text()), *PARTS, TOGETHER, says=says, agents=1)
    assert "thoughts stand in the answer" in held.requests[1].reason
    assert "- wish: What do you want, agent 0?" in held.prompts[1].split("could not be read")[1]
    assert held.over.answers("bid")[0].tolist() == [["Hello!"]]


def test_together_a_reply_that_is_cut_off_or_unreadable_is_asked_for_again(talk: Talking) -> None:
    cut = Completion('{"weather": "It', finish="length", completion_tokens=100)
    held = talk(bid(Real(0, 1)), *PARTS, TOGETHER, says=[cut, "Hm.", "0.5"], agents=1)
    assert held.ledger == {"bid": (3, 1, 1, 0)}
    assert held.over.answers("bid")[0].tolist() == [[0.5]]


# In a chain


def test_in_a_chain_each_thought_is_a_call_that_begins_with_the_same_words(talk: Talking) -> None:
    held = talk(bid(Real(0, 1)), *PARTS, CHAIN, says=["It rains.", "To win.", "0.25"], agents=1)
    first, second, last = held.prompts
    question = first.split("\n\nDo not answer yet.")[0]
    assert "Form of the answer" not in question
    assert "without any explanation" not in question
    assert [one.startswith(f"{question}\n\n") for one in held.prompts] == [True] * 3
    assert first.endswith(
        "Do not answer yet. Think about this first: What is the weather like?\n\n"
        "Reply with this thought alone, in two or three sentences.\n"
        'Form of the answer: {"answer": "<text>"}, with text of at most 600 characters'
    )
    assert "What you have thought about it so far:\n- weather: «It rains.»\n\nDo not" in second
    assert last.endswith(
        "What you have thought about it:\n- weather: «It rains.»\n- wish: «To win.»\n\n"
        "Now answer the question.\nGive your answer only, without any explanation.\n"
        'Form of the answer: {"answer": <number>}, with a number from 0 to 1'
    )
    assert held.over.answers("bid")[0].tolist() == [[0.25]]


def test_a_thought_that_cannot_be_read_is_left_out_and_counted(talk: Talking) -> None:
    held = talk(bid(Real(0, 1)), *PARTS, CHAIN, says=["", "", "To win.", "0.25"], agents=1)
    assert held.ledger == {"bid": (4, 1, 0, 1)}
    assert "weather:" not in held.prompts[-1]
    assert "- wish: «To win.»" in held.prompts[-1]
    assert held.over.answers("bid")[0].tolist() == [[0.25]]


def test_thoughts_are_the_first_to_go_where_a_prompt_is_too_long(talk: Talking) -> None:
    def says(request: Request) -> str | Completion:
        words = request.messages[-1].content
        if "To win" in words:
            return Completion("", finish=OVERFLOW)
        return "0.25" if "Now answer" in words else "It rains." if request.again else "To win."

    held = talk(bid(Real(0, 1)), *PARTS, CHAIN, says=says, agents=1)
    again = [request.again for request in held.requests]
    assert again == ["", "", "shortened", "", "shortened"]
    assert "- weather" not in held.prompts[-1]
    assert "I feel well." in held.prompts[-1]
    assert held.over.answers("bid")[0].tolist() == [[0.25]]


def test_an_answer_without_an_alternative_takes_no_thought(talk: Talking) -> None:
    held = talk(bid(Real(2, 2)), *PARTS, CHAIN, agents=1)
    assert held.requests == []


# Who gave what


def test_a_prompt_tells_who_has_given_what_of_it(talk: Talking) -> None:
    held = talk(bid(Real(0, 1)), *PARTS, TOGETHER, says="1", agents=1)
    assert marked(held.requests[0]) == [
        ("mood", "brief", "I feel well."),
        ("weather", "question", "What is the weather like?"),
        ("wish", "question", "What do you want, agent 0?"),
    ]


def test_in_a_chain_thoughts_are_told_apart_from_the_next_question(talk: Talking) -> None:
    says = ["What is the weather like?", "To win.", "0.25"]
    held = talk(bid(Real(0, 1)), *PARTS, CHAIN, says=says, agents=1)
    assert [marked(request)[1:] for request in held.requests] == [
        [("weather", "question", "What is the weather like?")],
        [
            ("weather", "thought", "«What is the weather like?»"),
            ("wish", "question", "What do you want, agent 0?"),
        ],
        [
            ("weather", "thought", "«What is the weather like?»"),
            ("wish", "thought", "«To win.»"),
        ],
    ]


def test_rules_are_troubled_by_no_question(talk: Talking) -> None:
    class Miser(Component):
        answers = ("bid",)

        def answer(self, ask: Any, agents: Any) -> Any:
            return 0.125

    class Doubt(Component):
        def ponder(self, ask: Inquiry, agent: Agent) -> str:
            raise AssertionError

    assert talk(bid(Real(0, 1)), Miser(), Doubt(), TOGETHER).requests == []


def test_a_chain_costs_one_call_more_for_each_question(talk: Talking) -> None:
    def calls(policy: LanguagePolicy) -> int:
        held: Talk = talk(bid(Real(0, 1)), *PARTS, policy, says="1", agents=5)
        return len(held.requests)

    assert (calls(TOGETHER), calls(CHAIN)) == (5, 15)
