"""Faculties that only add words: instructions, observations, and questions before an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.components.faculties.instructions import Instructions
from society.components.faculties.observation import Observation
from society.components.faculties.options import Options
from society.components.faculties.person_like_me import PersonLikeMe
from society.components.faculties.self_perception import SelfPerception
from society.components.faculties.situation import Situation
from society.components.language.llm_policy import LanguagePolicy
from society.engine.action_spaces import Real
from society.engine.calls import OVERFLOW, Completion, Request
from society.engine.component import Component
from society.engine.environment import Environment
from society.engine.script import Ask, Script, Tell, common, own

if TYPE_CHECKING:
    from tests.components.conftest import Talking


def market(env: Environment) -> Script:
    yield Tell("founded")
    for day in env.rounds():
        yield Tell("landed", {"catch": common(float(day))})
        yield Ask("bid", Real(0, 1), fallback=0.5)
        yield Tell("traded", {"price": own(np.arange(3.0)[None, : env.agents] + day)})
        yield Ask("vote", Real(0, 1), fallback=0.5)


def observed(prompt: str) -> list[str]:
    """The list of observations in a prompt."""
    block = prompt.partition("What you have observed lately:\n")[2].partition("\n\n")[0]
    return block.splitlines()


def test_instructions_stand_in_every_prompt(talk: Talking) -> None:
    held = talk(market, Instructions("Be yourself."), LanguagePolicy(), says="1", agents=1)
    assert [prompt.count("Be yourself.") for prompt in held.prompts] == [1, 1]


def test_one_observes_what_was_told_since_ones_last_round_the_newest_last(talk: Talking) -> None:
    held = talk(market, Observation(), LanguagePolicy(), says="1", agents=1, rounds=3)
    bids = [prompt for prompt in held.prompts if "decide: bid" in prompt]
    assert [observed(prompt) for prompt in bids] == [
        ["- Before the first round: founded", "- Round 1: landed: catch 1"],
        ["- Round 1: landed: catch 1", "- Round 1: traded: price 1", "- Round 2: landed: catch 2"],
        ["- Round 2: landed: catch 2", "- Round 2: traded: price 2", "- Round 3: landed: catch 3"],
    ]


def test_each_agent_observes_what_it_was_told_itself(talk: Talking) -> None:
    held = talk(market, Observation(), LanguagePolicy(), says="1", agents=3)
    votes = [prompt for prompt in held.prompts if "decide: vote" in prompt]
    assert [observed(prompt)[-1] for prompt in votes] == [
        f"- Round 1: traded: price {price}" for price in (1, 2, 3)
    ]


def test_observations_reach_back_as_many_rounds_as_one_likes_and_are_limited(
    talk: Talking,
) -> None:
    far = talk(market, Observation(rounds=3), LanguagePolicy(), says="1", agents=1, rounds=3)
    assert len(observed(far.prompts[-1])) == 7
    few = talk(market, Observation(limit=2), LanguagePolicy(), says="1", agents=1, rounds=3)
    assert observed(few.prompts[-1]) == ["- Round 3: landed: catch 3", "- Round 3: traded: price 3"]


def test_the_oldest_observations_go_where_a_prompt_is_too_long(talk: Talking) -> None:
    def says(request: Request) -> str | Completion:
        words = request.messages[-1].content
        return Completion("", finish=OVERFLOW) if "founded" in words else "1"

    held = talk(market, Observation(), LanguagePolicy(), says=says, agents=1)
    assert observed(held.prompts[1]) == ["- Round 1: landed: catch 1"]


@pytest.mark.parametrize("kind", [Situation, SelfPerception, PersonLikeMe, Options])
def test_a_question_comes_to_mind_before_all_or_some_questions(
    talk: Talking, kind: type[Component]
) -> None:
    for given, shown in (({}, [1, 1]), ({"before": ("vote",)}, [0, 1])):
        part = kind(question="Who are you?", **given)  # type: ignore[call-arg]
        held = talk(market, part, LanguagePolicy(), says="1", agents=1)
        asked = [f"- {kind.title()}: Who are you?" in prompt for prompt in held.prompts]
        assert asked == shown


def test_their_own_words_are_questions(talk: Talking) -> None:
    parts = (Situation(), SelfPerception(), PersonLikeMe(), Options())
    held = talk(market, *parts, LanguagePolicy(), says="1", agents=1)
    assert [part.component for part in held.requests[0].parts] == [
        "situation",
        "self_perception",
        "person_like_me",
        "options",
    ]
    assert "- options: What could you do here?" in held.prompts[0]
