"""The offline mind answers every form of question, as it can be read, and always the same."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from society.engine.action_spaces import (
    ActionSpace,
    Choice,
    Fields,
    Integer,
    Legal,
    MixedStrategy,
    Neighbour,
    Real,
    Sentence,
    Text,
)
from society.engine.calls import Address, Message, Request
from society.engine.component import Inquiry
from society.errors import InputError
from society.llm.parsing.answers import read_reply
from society.llm.providers.offline import Offline

NO_FACTS: Any = {}  # it reads the form of the question only


def request(
    reply: ActionSpace, agent: int = 0, options: Any = None, use: int = 0, words: str = "What now?"
) -> Request:
    address = Address("language", "answer effort", use, 0, agent, 0)
    question = Inquiry("effort", NO_FACTS, reply, options)
    messages = (Message("user", words),)
    return Request(address, "default", messages, question=question, peers=("1", "4"))


OPTIONS = np.array([2.5, None, 7.123456, "Take a share each."], object)
LEGAL = Legal({"2.5": 0, "7.123": 2, "Take a share each.": 3}, {"1": 1, "4": 4})


@pytest.mark.parametrize(
    "reply",
    [
        Real(0, 1),
        Real(0, np.inf),
        Real(-np.inf, 0),
        Real(-np.inf, np.inf),
        Real(0, 0),
        Real(0, 5, optional=True),
        Integer(0, 10),
        Integer(3, np.inf),
        Choice("cooperate", "defect"),
        Choice("yes", "no"),
        Choice(options=OPTIONS[None]),
        Neighbour("monitor"),
        MixedStrategy("a", "b", "c"),
        MixedStrategy("only"),
        Text(),
        Text(20),
        Sentence(1500, opening="My plan will be"),
        Fields({"personal": Text(), "cap": Real(0, np.inf), "vote": Choice("A", "B")}),
    ],
    ids=lambda reply: reply.form(),
)
def test_what_it_says_can_be_read_as_an_answer(reply: ActionSpace) -> None:
    """By ten agents, each on three occasions."""
    options = OPTIONS if reply.form() == "choice" else None
    for agent in range(10):
        for use in range(3):
            said = Offline(1)(request(reply, agent, options, use))
            assert read_reply(reply, said.text, LEGAL, said.finish) is not None


def efforts(agent: int, seed: int = 1) -> list[float]:
    """Return the answers of the offline mind on five occasions."""
    replies = [Offline(seed)(request(Real(0, 1), agent, use=use)) for use in range(5)]
    return [json.loads(said.text[said.text.index("{") :])["answer"] for said in replies]


def test_agents_differ_but_each_is_of_one_temper() -> None:
    """Answers of one agent differ by a fifth of the range at most."""
    everybody = [efforts(agent) for agent in range(20)]
    assert all(max(one) - min(one) <= 0.2 for one in everybody)
    means = [sum(one) / 5 for one in everybody]
    assert max(means) - min(means) > 0.25
    assert all(0.2 <= effort <= 0.8 for one in everybody for effort in one)


PLAN = "«My plan will be to start with a little, about {} %, then to change my mind slowly, so.»"


def test_who_has_a_plan_of_its_making_follows_it_whatever_its_temper() -> None:
    """A tenth of the range more or less, by mood; two plans, or one in other words, are none."""

    def answer(words: str, agent: int) -> float:
        said = Offline(1)(request(Real(0, 20), agent, words=words)).text
        return float(json.loads(said[said.index("{") :])["answer"])

    for share in (0, 20, 60, 100):
        amounts = [answer(PLAN.format(share), agent) for agent in range(20)]
        assert all(abs(amount - share / 5) <= 2 for amount in amounts)
        assert len(set(amounts)) > 10 or share in (0, 100)
        assert all(0 <= amount <= 20 for amount in amounts)
    for none in (PLAN.format(0) + PLAN.format(0), "«My plan will be to give about 0 %.»"):
        assert all(answer(none, agent) >= 4 for agent in range(20))


def test_its_own_plans_can_be_followed() -> None:
    said = Offline(1)(request(Sentence(1500, opening="My plan will be"), 3)).text
    share = int(said.split(" %")[0].split()[-1])
    other = Offline(1)(request(Real(0, 100), 5, words=said)).text
    assert abs(json.loads(other[other.index("{") :])["answer"] - share) <= 10


def test_the_same_question_gets_the_same_answer_and_another_seed_another() -> None:
    assert efforts(3) == efforts(3)
    assert efforts(3, seed=2) != efforts(3)


def test_it_mostly_accuses_nobody_and_never_somebody_it_does_not_see() -> None:
    texts = [Offline(1)(request(Neighbour("monitor"), agent)).text for agent in range(100)]
    named = [json.loads(text[text.index("{") :])["answer"] for text in texts]
    assert set(named) == {"nobody", "1", "4"}
    assert 50 < named.count("nobody") < 90


def test_it_costs_nothing_and_says_who_it_is() -> None:
    said = Offline(1)(request(Real(0, 1)))
    assert (said.model, said.cost, said.prompt_tokens) == ("offline", 0.0, 2)
    assert said.completion_tokens == len(said.text) // 4


def test_without_a_question_it_has_nothing_to_read() -> None:
    bare = request(Real(0, 1))._replace(question=None)
    with pytest.raises(InputError, match="has no question for the offline model"):
        Offline(1)(bare)


class Rhyme(Text):
    """A form of answer with words of its own for the offline mind."""

    def improvise(self, facts: Any, rng: np.random.Generator) -> str:
        return f"A rhyme of {int(rng.integers(2, 9))} lines."


def test_a_form_of_answer_may_make_up_the_whole_reply() -> None:
    answers = [Offline(1)(request(Rhyme(), use=use)).text for use in range(20)]
    assert set(answers) == {f"A rhyme of {lines} lines." for lines in range(2, 9)}
    assert answers == [Offline(1)(request(Rhyme(), use=use)).text for use in range(20)]
