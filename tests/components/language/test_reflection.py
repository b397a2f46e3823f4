"""Every few rounds a model sums up what was remembered, and the summary stays in mind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.components.language.llm_policy import LanguagePolicy
from society.components.language.recall import Recall
from society.components.language.reflection import Reflection
from society.engine.action_spaces import Real
from society.engine.calls import Request
from society.engine.environment import Environment
from society.engine.script import Ask, Script, Tell, common
from society.errors import CastError

if TYPE_CHECKING:
    from tests.components.conftest import Talk, Talking


def days(env: Environment) -> Script:
    yield Tell("founded")
    for day in env.rounds():
        yield Tell("landed", {"catch": common(float(day))})
        yield Tell("traded", {"price": common(float(day))})
        yield Ask("bid", Real(0, 1))


def says(request: Request) -> str:
    """A summary that names its number, or an answer."""
    kind = request.address.occasion
    return f"Lesson {request.address.use}." if kind.startswith("notice") else "1"


def reflections(held: Talk) -> list[Request]:
    return [request for request in held.requests if request.address.component == "reflection"]


def test_at_the_first_tell_of_every_second_round_each_agent_reflects_once(talk: Talking) -> None:
    parts = (Recall(), Reflection(every=2), LanguagePolicy())
    held = talk(days, *parts, says=says, agents=2, rounds=5)
    addresses = [request.address for request in reflections(held)]
    assert {address.occasion for address in addresses} == {"notice landed"}
    assert [(address.use + 1, address.agent) for address in addresses] == [
        (2, 0),
        (2, 1),
        (4, 0),
        (4, 1),
    ]


def test_it_looks_back_on_what_was_remembered_since_the_last_time(talk: Talking) -> None:
    parts = (Recall(), Reflection(every=2), LanguagePolicy())
    held = talk(days, *parts, says=says, agents=1, rounds=4)
    first, second = (
        "\n\n".join(part.content for part in request.messages) for request in reflections(held)
    )
    assert [line for line in first.splitlines() if line.startswith("- ")] == [
        "- Before the first round: founded",
        "- Round 1: landed: catch 1",
        "- Round 1: traded: price 1",
    ]
    assert [line for line in second.splitlines() if line.startswith("- Round")] == [
        "- Round 2: landed: catch 2",
        "- Round 2: traded: price 2",
        "- Round 3: landed: catch 3",
        "- Round 3: traded: price 3",
    ]
    assert "- «Lesson 1.»" in second


def test_the_summaries_stay_in_mind_the_last_few_of_them(talk: Talking) -> None:
    parts = (Recall(), Reflection(every=1, keep=2), LanguagePolicy())
    prompts = talk(days, *parts, says=says, agents=1, rounds=4).prompts
    assert "What you have learnt so far:\n- «Lesson 2.»\n- «Lesson 3.»\n" in prompts[-1]


def test_it_may_ask_a_model_of_its_own(talk: Talking) -> None:
    thinker = Reflection(every=1, model="small")
    assert thinker.models == ("small",)
    held = talk(days, Recall(), thinker, LanguagePolicy(), says=says, agents=1)
    assert reflections(held)[0].model == "small"


def test_a_summary_that_cannot_be_read_is_left_out_and_counted(talk: Talking) -> None:
    parts = (Recall(), Reflection(every=1), LanguagePolicy())
    held = talk(days, *parts, says=["", "", "1"], agents=1)
    assert "learnt" not in held.prompts[-1]
    assert held.ledger["landed"] == (2, 1, 0, 1)
    assert {trouble.what for trouble in held.over.pages[-1].troubles} == {"repair", "fallback"}


def test_a_summary_that_cannot_be_read_is_not_tried_again_in_the_same_round(talk: Talking) -> None:
    parts = (Recall(), Reflection(every=1), LanguagePolicy())
    held = talk(days, *parts, says=["", "", "1"], agents=1)
    assert len(reflections(held)) == 2  # the question and its repair, at the first of two tells


def test_without_recall_there_is_nothing_to_reflect_on(talk: Talking) -> None:
    with pytest.raises(CastError, match="add recall before it"):
        talk(days, Reflection(), LanguagePolicy())


def test_recall_must_stand_before_it(talk: Talking) -> None:
    with pytest.raises(CastError, match="put recall before it"):
        talk(days, Reflection(), Recall(), LanguagePolicy())


def test_agents_who_have_left_do_not_reflect(talk: Talking) -> None:
    def leaving(env: Environment) -> Script:
        for _ in env.rounds():
            yield Tell("landed", gone=np.array([[False, True]]))

    held = talk(leaving, Recall(), Reflection(every=2), says=says, agents=2, rounds=3)
    assert [request.address.agent for request in reflections(held)] == [0]
