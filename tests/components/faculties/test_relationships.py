"""A sentence about each of those with whom one deals, renewed now and then in one call."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from society.components.faculties.relationships import Relationships
from society.components.language.llm_policy import LanguagePolicy
from society.engine.action_spaces import Real
from society.engine.calls import Request
from society.engine.component import Agent, AgentGroup, Component, Question
from society.engine.environment import Environment
from society.engine.scenario import Scenario
from society.engine.script import Ask, Script, Tell
from society.errors import PartError

if TYPE_CHECKING:
    from tests.components.conftest import Talk, Talking
    from tests.conftest import Play


def days(env: Environment) -> Script:
    for _ in env.rounds():
        yield Tell("landed")
        yield Tell("traded")
        yield Ask("bid", Real(0, 1))


def says(request: Request) -> str:
    """A sentence about each peer, or an answer."""
    if request.address.component != "relationships":
        return "1"
    names = (request.schema or {})["required"]
    return json.dumps({name: f"{name} is kind in {request.round}." for name in names})


def thought(held: Talk) -> list[tuple[int, int, str]]:
    calls = [one for one in held.requests if one.address.component == "relationships"]
    return [(one.round, one.address.agent, one.address.occasion) for one in calls]


def test_one_call_gives_a_sentence_about_each_peer_every_so_many_rounds(talk: Talking) -> None:
    parts = (Relationships(every=2), LanguagePolicy())
    held = talk(days, *parts, says=says, agents=3, rounds=5)
    assert thought(held) == [
        (number, agent, "notice landed") for number in (2, 4) for agent in range(3)
    ]
    assert held.over.column("relationships")[0] == "1: 1 is kind in 4.\n2: 2 is kind in 4."
    assert (
        "How you stand with others:\n- agent 1: «1 is kind in 4.»\n- agent 2: «2 is kind in 4.»"
        in held.prompts[-3]
    )


def test_what_was_thought_before_is_read_again(talk: Talking) -> None:
    parts = (Relationships(every=1), LanguagePolicy())
    held = talk(days, *parts, says=says, agents=2, rounds=2)
    second = [one for one in held.requests if one.address.component == "relationships"][-1]
    assert (
        '- agent 0 ("0"), of whom you have thought: «0 is kind in 1.»'
        in second.messages[-1].content
    )


def test_only_so_many_peers_are_thought_of(talk: Talking) -> None:
    parts = (Relationships(every=1, most=2), LanguagePolicy())
    held = talk(days, *parts, says=says, agents=6)
    assert {len(cell.splitlines()) for cell in held.over.column("relationships")} == {2}


def test_whom_one_has_thought_of_stays_until_it_leaves(talk: Talking) -> None:
    """Five rounds among seven others: whoever was chosen by chance is chosen again."""

    def leaving(env: Environment) -> Script:
        for day in env.rounds():
            gone = (env.ids == first[0]) & (day == 3)
            yield Tell("landed", gone=np.broadcast_to(gone, env.present.shape))
            yield Tell("traded")

    def peers(rounds: int) -> list[int]:
        parts = (Relationships(every=1, most=3), LanguagePolicy())
        cell = talk(leaving, *parts, says=says, agents=8, rounds=rounds).over.column(
            "relationships"
        )[7]
        return [int(line.partition(":")[0]) for line in cell.splitlines()]

    first = [8]
    first = peers(1)
    assert peers(2) == first
    later = peers(5)
    assert (len(later), first[0] in later, set(first[1:]) <= set(later)) == (3, False, True)


def test_where_there_is_no_relation_one_thinks_of_everybody(play: Play) -> None:
    seen: list[dict[str, int]] = []

    class Seeing(Relationships):
        def begin(self, agents: AgentGroup) -> None:
            seen.append(Agent(agents, 0).neighbours(""))

    play(Scenario("bare", days, cast=lambda p, n: []), Seeing(), Bidder(), agents=3)
    assert seen == [{"1": 1, "2": 2}]


class Bidder(Component):
    answers = ("bid",)

    def answer(self, ask: Question, agents: AgentGroup) -> float:
        return 0.5


def test_who_is_alone_thinks_of_nobody(talk: Talking) -> None:
    held = talk(days, Relationships(every=1), LanguagePolicy(), says=says, agents=1)
    assert thought(held) == []


def test_sentences_that_cannot_be_read_leave_those_before_and_are_counted(talk: Talking) -> None:
    def mute(request: Request) -> str:
        silent = request.address.component == "relationships" and request.round == 2
        return '{"0": "Only this one"' if silent else says(request)

    parts = (Relationships(every=1), LanguagePolicy())
    held = talk(days, *parts, says=mute, agents=2, rounds=2)
    assert held.over.column("relationships")[1] == "0: 0 is kind in 1."
    assert held.ledger["landed"][3] == 2


def test_those_who_have_left_are_thought_of_no_more(talk: Talking) -> None:
    def leaving(env: Environment) -> Script:
        for day in env.rounds():
            yield Tell("landed", gone=np.array([[False, False, day == 1]]))

    held = talk(leaving, Relationships(every=2), says=says, agents=3, rounds=2)
    assert held.over.column("relationships")[:2] == ["1: 1 is kind in 2.", "0: 0 is kind in 2."]


def test_a_relation_that_is_not_there_is_named(talk: Talking) -> None:
    with pytest.raises(PartError, match="there is no graph 'al'; did you mean 'all'"):
        talk(days, Relationships(relation="al"), LanguagePolicy(), says=says)
