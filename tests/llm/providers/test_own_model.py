"""A function of the user's answers a question without reading our English."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Real
from society.engine.calls import Completion, Request
from society.engine.observations import Inquiry
from society.errors import InputError, PartError, Paused
from society.llm.providers.own_model import OwnQuestion
from society.llm.providers.settings import ModelSpec

if TYPE_CHECKING:
    from tests.llm.providers.conftest import Ask, Asked

SPEC = ModelSpec(model="mine.py:model", backoff=0.001, attempts=2)
SCHEMA = {"type": "object"}


def bid(ask: Ask, **more: Any) -> Request:
    facts: Any = {"price": 7.0}
    return ask(question=Inquiry("effort", facts, Real(0, 1)), schema=SCHEMA, **more)


def answered(asked: Asked, request: Request, answer: Any, **more: Any) -> Completion:
    [said] = asked(SPEC, request, own={SPEC.model: lambda: answer}, **more)
    return said


def test_it_gets_the_question_itself_beside_the_words(ask: Ask, asked: Asked) -> None:
    heard: list[OwnQuestion] = []

    async def answer(asked: OwnQuestion) -> object:
        heard.append(asked)
        return 0.25

    said = answered(asked, bid(ask, peers=("2", "4")), answer)
    assert (said.text, said.finish, said.model) == ('{"answer": 0.25}', "stop", "mine.py:model")
    [one] = heard
    assert (one.kind, one.facts["price"], one.peers) == ("effort", 7.0, ("2", "4"))
    assert one.schema == SCHEMA
    assert isinstance(one.reply, Real)
    assert one.messages[0].content == "a number from 0 to 1"
    assert (one.address.agent, one.room) == (0, 1024)


def test_its_seed_is_that_of_the_run_and_the_address(ask: Ask, asked: Asked) -> None:
    def answer(asked: OwnQuestion) -> object:
        return asked.seed

    texts = [
        answered(asked, bid(ask, agent=agent), answer, seed=seed).text
        for agent, seed in ((0, 1), (0, 1), (1, 1), (0, 2))
    ]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 3


def test_an_empty_answer_is_asked_for_again_with_another_seed(ask: Ask, asked: Asked) -> None:
    seeds: list[int] = []

    def answer(asked: OwnQuestion) -> object:
        seeds.append(asked.seed)
        return "" if len(seeds) == 1 else "0.5"

    assert answered(asked, bid(ask), answer).text == "0.5"
    assert len(set(seeds)) == 2


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("I give 0.25.", "I give 0.25."),
        (np.float64(0.25), '{"answer": 0.25}'),
        ({"give": 3, "say": "so"}, '{"give": 3, "say": "so"}'),
        (None, '{"answer": null}'),
    ],
)
def test_text_is_read_and_values_are_the_answer(
    ask: Ask, asked: Asked, said: object, text: str
) -> None:
    assert answered(asked, bid(ask), lambda asked: said).text == text


def test_what_json_cannot_say_and_what_fails_is_told_with_the_functions_name(
    ask: Ask, asked: Asked
) -> None:
    with pytest.raises(PartError, match=r"mine\.py:model answered with what JSON cannot say"):
        answered(asked, bid(ask), lambda asked: object())
    with pytest.raises(InputError, match=r"mine\.py:model: ZeroDivisionError"):
        answered(asked, bid(ask), lambda asked: 1 / 0)

    def lost(asked: OwnQuestion) -> object:
        raise ConnectionError("gone")

    with pytest.raises(Paused, match="ConnectionError: gone"):
        answered(asked, bid(ask), lost)


def test_a_village_is_played_by_a_function_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "def model():\n"
        "    async def answer(asked):\n"
        "        whose = f'We are {asked.address.agent}.'\n"
        "        norm = {'personal': 'Fish little.', 'community': whose}\n"
        "        vote = None if asked.options is None else asked.options[0]\n"
        "        answers = {'effort': 0.25, 'propose': norm, 'vote': vote}\n"
        "        return answers.get(asked.kind, 'nobody')\n"
        "    return answer\n"
    )
    settings = {"models": {"default": {"model": f"{file}:model"}}, "agents": 3, "rounds": 1}
    outcome = build(load_config("language_village", settings)).gamemaster().play()
    assert sum(entry.calls for entry in outcome.ledger) == 12
    assert sum(entry.fallbacks + entry.repairs for entry in outcome.ledger) == 0
