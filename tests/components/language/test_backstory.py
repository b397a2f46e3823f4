"""Everybody is somebody, for life, and language minds read who."""

from __future__ import annotations

from typing import TYPE_CHECKING

from society.components.language.backstory import Backstory
from society.components.language.llm_policy import LanguagePolicy
from society.engine.action_spaces import Real
from society.engine.environment import Environment
from society.engine.script import Ask, Script

if TYPE_CHECKING:
    from tests.components.conftest import Talking

STORIES = ("You are a baker.", "You are a smith.", "You are a judge.")


def twice(env: Environment) -> Script:
    for _ in env.rounds():
        yield Ask("bid", Real(0, 1))


def test_one_story_is_everybodys(talk: Talking) -> None:
    held = talk(twice, Backstory(("You are a baker.",)), LanguagePolicy(), says="1")
    assert all("You are a baker." in prompt for prompt in held.prompts)


def test_of_several_stories_everybody_has_one_that_stays(talk: Talking) -> None:
    held = talk(twice, Backstory(STORIES), LanguagePolicy(), says="1", agents=12, rounds=2)
    told = [[story for story in STORIES if story in prompt] for prompt in held.prompts]
    assert {len(stories) for stories in told} == {1}
    assert told[:12] == told[12:]
    assert {stories[0] for stories in told} == set(STORIES)


def test_nobody_needs_to_be_told_who_it_is(talk: Talking) -> None:
    assert "You " in talk(twice, Backstory(), LanguagePolicy(), says="1").prompts[0]


def test_stories_are_equally_likely(talk: Talking) -> None:
    """300 agents: 100 expected for each, standard deviation 8.2."""
    held = talk(twice, Backstory(STORIES), LanguagePolicy(), says="1", agents=300)
    counts = [sum(story in prompt for prompt in held.prompts) for story in STORIES]
    assert sum(counts) == 300
    assert all(67 <= count <= 133 for count in counts)
