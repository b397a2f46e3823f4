"""What language minds choose from stands in the order of the run, and is read in that order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.language.llm_policy import LanguagePolicy
from society.engine.action_spaces import ActionSpace, Choice, Neighbour
from society.engine.agents import OptionOrder
from society.engine.environment import Environment
from society.engine.graph import NOBODY
from society.engine.script import Ask, Script, seen

if TYPE_CHECKING:
    from tests.components.conftest import Talk, Talking

POLICIES = np.array([["Fish less.", "Fish more.", "Rest now.", "Share it.", None]], object)
BALLOT = Choice(options=POLICIES)


def asking(reply: ActionSpace) -> Any:
    def script(env: Environment) -> Script:
        for _ in env.rounds():
            facts = {"wealth": seen("all", np.arange(float(env.agents))[None, :])}
            yield Ask("choose", reply, facts, fallback=NOBODY)

    return script


def listed(held: Talk, agent: int) -> list[list[str]]:
    """The numbered options in each question to one agent."""
    mine = [request for request in held.requests if request.address.agent == agent]
    texts = ["\n\n".join(part.content for part in request.messages) for request in mine]
    return [re.findall(r"^\d\. «(.*)»$", text, re.MULTILINE) for text in texts]


@pytest.fixture
def voted(talk: Talking) -> Any:
    def held(order: OptionOrder, **sizes: int) -> Talk:
        sizes = {"agents": 6, "rounds": 3} | sizes
        return talk(asking(BALLOT), LanguagePolicy(), says="1", option_order=order, **sizes)

    return held


def test_each_agent_has_an_order_of_its_own_that_changes_with_the_question(voted: Any) -> None:
    held = voted("agent")
    orders = [listed(held, agent) for agent in range(6)]
    assert {tuple(sorted(one)) for asked in orders for one in asked} == {tuple(POLICIES[0, :4])}
    for question in range(3):
        assert len({tuple(asked[question]) for asked in orders}) > 2
    assert len({tuple(one) for one in orders[0]}) > 1


def test_under_round_all_agents_have_one_order_that_changes_with_the_question(voted: Any) -> None:
    orders = [listed(voted("round", rounds=6), agent) for agent in range(6)]
    assert all(one == orders[0] for one in orders)
    assert len({tuple(one) for one in orders[0]}) > 2


def test_fixed_is_the_order_of_the_scenario(voted: Any) -> None:
    assert listed(voted("fixed"), 4) == [POLICIES[0, :4].tolist()] * 3


@pytest.mark.parametrize("order", ["agent", "round", "fixed"])
def test_an_answer_by_number_is_read_by_the_order_shown(voted: Any, order: OptionOrder) -> None:
    held = voted(order)
    for question in range(3):
        meant = [listed(held, agent)[question][0] for agent in range(6)]
        votes = held.over.answers("choose")[question][0]
        assert POLICIES[0, votes].tolist() == meant


def test_every_place_is_as_likely_for_every_option(voted: Any) -> None:
    """Of 400 orders each option comes first in about a quarter: 100, four standard errors 35."""
    held = voted("agent", agents=40, rounds=10)
    firsts = [one[0] for agent in range(40) for one in listed(held, agent)]
    for option in POLICIES[0, :4]:
        assert 65 <= firsts.count(option) <= 135


def test_an_order_does_not_depend_on_how_many_agents_there_are(voted: Any) -> None:
    assert listed(voted("agent", agents=3), 2) == listed(voted("agent", agents=6), 2)


def test_who_leaves_the_ballot_changes_no_order_of_the_others(talk: Talking) -> None:
    def order(options: Sequence[str | None]) -> list[str]:
        reply = Choice(options=np.array([options], object))
        held = talk(asking(reply), LanguagePolicy(), says="1", agents=1, option_order="agent")
        return listed(held, 0)[0]

    every = order(["Fish less.", "Fish more.", "Rest now.", "Share it."])
    assert order(["Fish less.", "Fish more.", None, "Share it."]) == [
        one for one in every if one != "Rest now."
    ]


def test_labels_are_shuffled_but_for_those_of_a_scale(talk: Talking) -> None:
    def orders(reply: ActionSpace) -> set[str]:
        held = talk(asking(reply), LanguagePolicy(), says="b", agents=9, option_order="agent")
        assert set(held.over.answers("choose")[0][0].tolist()) == {1}
        return {prompt.rpartition("one of these: ")[2] for prompt in held.prompts}

    assert len(orders(Choice("a", "b", "c"))) > 3
    assert orders(Choice("a", "b", "c", ordered=True)) == {"a, b, c"}


def test_peers_are_listed_and_named_in_the_same_order(talk: Talking) -> None:
    held = talk(
        asking(Neighbour("all")), LanguagePolicy(), says="3", option_order="agent", agents=6
    )
    orders = []
    for prompt in held.prompts:
        names = prompt.rpartition("one of these names: ")[2].split(", ")[:-1]
        listed = re.findall(r"^- Agent (\d)", prompt, re.MULTILINE)
        oneself = re.findall(r"You are agent (\d)", prompt)
        assert [name for name in listed if name not in oneself] == names
        orders.append(names)
    assert sorted(orders[2]) == ["0", "1", "3", "4", "5"]
    assert sum(names != sorted(names) for names in orders) > 3
    assert held.over.answers("choose")[0][0].tolist() == [3, 3, 3, NOBODY, 3, 3]


def test_an_order_draws_from_no_other_luck(talk: Talking) -> None:
    """The peers in sight are the same ones under every order."""

    def sights(order: OptionOrder) -> list[set[str]]:
        held = talk(
            asking(Neighbour("all")),
            LanguagePolicy(peers_seen=2),
            says="nobody",
            agents=6,
            option_order=order,
        )
        return [set(re.findall(r"^- Agent (\d)", one, re.MULTILINE)) for one in held.prompts]

    assert sights("agent") == sights("round") == sights("fixed")
