"""Memories of a life before the first round, of which ties are shared by two agents."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from society.components.faculties.formative_memories import FormativeMemories, deal_ties
from society.components.faculties.instructions import Instructions
from society.components.language.llm_policy import LanguagePolicy
from society.engine.action_spaces import Real
from society.engine.calls import Request
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.parameters import parameters_of
from society.engine.population import Cohort
from society.engine.scenario import Params
from society.engine.script import Ask, Inherit, Script

if TYPE_CHECKING:
    from tests.components.conftest import Talk, Talking
    from tests.conftest import Play

PLAIN = FormativeMemories(ages=(7, 20), ties=("sang together",), places=("in church",))


def says(request: Request) -> str:
    if request.address.component != "formative_memories":
        return "1"
    names = (request.schema or {})["required"]
    return json.dumps({name: f"I of {name}." for name in names})


def once(env: Environment) -> Script:
    for _ in env.rounds():
        yield Ask("bid", Real(0, 1), fallback=0.5)


def remembering(held: Talk) -> list[Request]:
    return [one for one in held.requests if one.address.component == "formative_memories"]


def test_one_call_tells_an_episode_of_each_age(talk: Talking) -> None:
    held = talk(once, PLAIN, LanguagePolicy(), says=says, agents=2)
    assert [one.address.occasion for one in remembering(held)] == ["begin", "begin"]
    assert (remembering(held)[0].schema or {})["required"] == ["age_7", "age_20"]
    told = "At the age of 7: I of age_7.\nAt the age of 20: I of age_20."
    assert held.over.column("formative_memories") == [told, told]
    assert (
        "What has made you the person whom you are:\n- At the age of 7: «I of age_7.»\n"
        "- At the age of 20: «I of age_20.»\n\nWhat you share with others:\n"
        "- You and agent 1 sang together, in church.\n" in held.prompts[2]
    )


def test_the_model_reads_places_ties_and_what_stands_before(talk: Talking) -> None:
    parts = (Instructions("Be yourself."), PLAIN, LanguagePolicy())
    held = talk(once, *parts, says=says, agents=2)
    prompt = remembering(held)[1].messages[-1].content
    assert "Places that everybody here knows:\n- in church\n" in prompt
    assert "You are agent 1.\n\nBe yourself.\n" in prompt
    assert "- You and agent 0 sang together, in church.\n" in prompt
    assert "each of these ages: 7, 20." in prompt


def test_memories_that_cannot_be_read_are_left_out_and_counted(talk: Talking) -> None:
    def mute(request: Request) -> str:
        return '{"age_7": "I"}' if request.address.agent == 1 else says(request)

    held = talk(once, PLAIN, LanguagePolicy(), says=mute, agents=2)
    assert held.over.column("formative_memories")[1] == ""
    assert held.over.column("shared_past")[1] == "You and agent 0 sang together, in church."
    assert held.ledger["begin"] == (3, 1, 0, 1)


def test_fixed_lives_ask_no_model(talk: Talking) -> None:
    fixed = FormativeMemories(texts=("You were born at sea.",), ties_each=0)
    assert fixed.models == ()
    held = talk(once, fixed, LanguagePolicy(), says=says, agents=2)
    assert remembering(held) == []
    assert held.over.column("formative_memories") == ["You were born at sea."] * 2
    assert "You were born at sea." in held.prompts[0]
    assert "share with others" not in held.prompts[0]


@pytest.mark.parametrize("wrong", [{"ages": ()}, {"ages": (-1,)}, {"places": ()}])
def test_a_life_has_ages_and_places(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        parameters_of(FormativeMemories)(**wrong)


# Ties


def partners(cells: list[str]) -> list[list[int]]:
    """With whom each agent shares something."""
    return [[int(one) for one in re.findall(r"agent (\d+)", cell)] for cell in cells]


@pytest.mark.parametrize("agents", [2, 5, 6])
def test_both_of_a_pair_are_told_of_the_same_tie_and_place(play: Play, agents: int) -> None:
    fixed = FormativeMemories(texts=("A life.",), ties_each=2)
    cells = play(once, fixed, Bidding(), agents=agents).column("shared_past")
    of = partners(cells)
    for agent, others in enumerate(of):
        for other in others:
            assert agent in of[other]
            (mine,) = (one for one in cells[agent].splitlines() if f"agent {other} " in one)
            (theirs,) = (one for one in cells[other].splitlines() if f"agent {agent} " in one)
            assert mine.replace(f"agent {other}", "") == theirs.replace(f"agent {agent}", "")
    assert sum(map(len, of)) >= agents - agents % 2


def test_ties_bind_agents_of_different_cohorts_and_none_without_a_past(play: Play) -> None:
    def people(count: int, *parts: Any) -> list[Cohort]:
        return [Cohort(f"c{n}", 1, (*parts, Bidding())) for n in range(count)]

    fixed = FormativeMemories(texts=("A life.",))
    both = [*people(2, fixed), Cohort("others", 2, (Bidding(),))]
    cells = play(once, cast=both, agents=4).column("shared_past")
    assert partners(cells[:2]) == [[1], [0]]
    apart = [
        Cohort("a", 1, (fixed, Bidding())),
        Cohort("b", 1, (FormativeMemories(texts=("A life.",), ties=("fought",)), Bidding())),
    ]
    assert play(once, cast=apart, agents=2).column("shared_past") == ["", ""]


def test_whoever_is_born_has_a_life_and_ties_of_its_own(talk: Talking) -> None:
    def births(env: Environment) -> Script:
        for _ in env.rounds():
            newborn = np.array([[True, True, False, False]])
            yield Inherit("bred", np.array([[2, 3, NOBODY, NOBODY]]), (), newborn=newborn)

    held = talk(births, PLAIN, LanguagePolicy(), says=says, agents=4)
    asked = [(one.address.use, one.address.agent) for one in remembering(held)]
    assert asked == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1)]
    after = held.over.column("shared_past")
    assert partners(after)[:2] == [[5], [4]], "those who were born together, by their lives"


@pytest.mark.thorough
@given(members=st.lists(st.booleans(), min_size=1, max_size=9), count=st.integers(0, 3))
def test_ties_are_mutual_within_the_group_and_nobody_has_two_with_the_same(
    members: list[bool], count: int
) -> None:
    group = np.array([members, members[::-1]])
    ids = np.arange(len(members))
    env = Environment(Params(), seed=3, ids=ids, replicate_ids=np.arange(2), horizon=1)
    dealt = deal_ties(env, group, count)
    assert len(dealt) == count
    if dealt:
        assert (dealt[0].other != NOBODY).sum(1).tolist() == [sum(members) // 2 * 2] * 2
    for replicate, agent in np.argwhere(group):
        others = [int(one.other[replicate, agent]) for one in dealt]
        known = [other for other in others if other != NOBODY]
        assert len(set(known)) == len(known)
        for one, other in zip(dealt, others, strict=True):
            if other != NOBODY:
                assert group[replicate, other]
                assert one.other[replicate, other] == agent
                assert one.sort[replicate, other] == one.sort[replicate, agent]
                assert one.place[replicate, other] == one.place[replicate, agent]
    for one in dealt:
        assert (one.other[~group] == NOBODY).all()


class Bidding(LanguagePolicy):
    """Bids without a model."""

    chance_id = "bidding"

    async def consult(self, ask: Any, agent: Any) -> float:
        return 0.5
