"""The offline mind answers every form of question, as it can be read, and always the same."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from society.agent import Inquiry
from society.calls import Address, Message, Request
from society.errors import InputError
from society.models.offline import Offline
from society.reading import Legal, read
from society.replies import Amount, Choice, Form, Mix, Peer, Reply, Whole, Words
from society.sentence import Sentence

NO_FACTS: Any = {}  # it reads the form of the question only


def request(reply: Reply, agent: int = 0, options: Any = None, use: int = 0) -> Request:
    address = Address("language", "answer effort", use, 0, agent, 0)
    question = Inquiry("effort", NO_FACTS, reply, options)
    words = (Message("user", "What now?"),)
    return Request(address, "default", words, question=question, peers=("1", "4"))


OPTIONS = np.array([2.5, None, 7.123456, "Take a share each."], object)
LEGAL = Legal({"2.5": 0, "7.123": 2, "Take a share each.": 3}, {"1": 1, "4": 4})


@pytest.mark.parametrize(
    "reply",
    [
        Amount(0, 1),
        Amount(0, np.inf),
        Amount(-np.inf, 0),
        Amount(-np.inf, np.inf),
        Amount(0, 0),
        Amount(0, 5, optional=True),
        Whole(0, 10),
        Whole(3, np.inf),
        Choice("cooperate", "defect"),
        Choice("yes", "no"),
        Choice(options=OPTIONS[None]),
        Peer("monitor"),
        Mix("a", "b", "c"),
        Mix("only"),
        Words(),
        Words(20),
        Sentence(1500, opening="My plan will be"),
        Form({"personal": Words(), "cap": Amount(0, np.inf), "vote": Choice("A", "B")}),
    ],
    ids=lambda reply: reply.form(),
)
def test_what_it_says_can_be_read_as_an_answer(reply: Reply) -> None:
    """By ten agents, each on three occasions."""
    options = OPTIONS if reply.form() == "choice" else None
    for agent in range(10):
        for use in range(3):
            said = Offline(1)(request(reply, agent, options, use))
            assert read(reply, said.text, LEGAL, said.finish) is not None


def efforts(agent: int, seed: int = 1) -> list[float]:
    """Its answers on five occasions."""
    replies = [Offline(seed)(request(Amount(0, 1), agent, use=use)) for use in range(5)]
    return [json.loads(said.text[said.text.index("{") :])["answer"] for said in replies]


def test_agents_differ_but_each_is_of_one_temper() -> None:
    """Answers of one agent differ by a fifth of the range at most."""
    everybody = [efforts(agent) for agent in range(20)]
    assert all(max(one) - min(one) <= 0.2 for one in everybody)
    means = [sum(one) / 5 for one in everybody]
    assert max(means) - min(means) > 0.25
    assert all(0.2 <= effort <= 0.8 for one in everybody for effort in one)


def test_the_same_question_gets_the_same_answer_and_another_seed_another() -> None:
    assert efforts(3) == efforts(3)
    assert efforts(3, seed=2) != efforts(3)


def test_it_mostly_accuses_nobody_and_never_somebody_it_does_not_see() -> None:
    texts = [Offline(1)(request(Peer("monitor"), agent)).text for agent in range(100)]
    named = [json.loads(text[text.index("{") :])["answer"] for text in texts]
    assert set(named) == {"nobody", "1", "4"}
    assert 50 < named.count("nobody") < 90


def test_it_costs_nothing_and_says_who_it_is() -> None:
    said = Offline(1)(request(Amount(0, 1)))
    assert (said.model, said.cost, said.prompt_tokens) == ("offline", 0.0, 2)
    assert said.completion_tokens == len(said.text) // 4


def test_without_a_question_it_has_nothing_to_read() -> None:
    bare = request(Amount(0, 1))._replace(question=None)
    with pytest.raises(InputError, match="no question to read; take a language model"):
        Offline(1)(bare)
