"""A plan is made at the beginning, kept, and made anew when there is reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.components.faculties.instructions import Instructions
from society.components.faculties.plan import Plan
from society.components.language.llm_policy import LanguagePolicy
from society.engine.action_spaces import Real
from society.engine.calls import Request
from society.engine.environment import Environment
from society.engine.script import Ask, Script, Tell, common, own

if TYPE_CHECKING:
    from tests.components.conftest import Talk, Talking


def says(request: Request) -> str:
    """A plan with its number, or an answer."""
    return f"Plan {request.round}." if request.address.component == "plan" else "1"


def days(env: Environment) -> Script:
    """Agent 1 is fined in round 2; it rains in round 3."""
    for day in env.rounds():
        fined = np.array([[0.0, float(day == 2)]])[:, : env.agents]
        yield Tell("landed", {"catch": common(float(day))})
        yield Tell("punished", {"fined": own(fined)})
        yield Tell("paid", {"fined": own(fined)})
        yield Tell("rained" if day == 3 else "shone")
        yield Ask("bid", Real(0, 1), fallback=0.5)


def made(held: Talk) -> list[tuple[int, int, str]]:
    """Round, agent and occasion of each plan."""
    plans = [one for one in held.requests if one.address.component == "plan"]
    return [(one.round, one.address.agent, one.address.occasion) for one in plans]


def played(talk: Talking, plan: Plan, *, rounds: int = 4, says: Any = says, **more: Any) -> Talk:
    return talk(days, plan, LanguagePolicy(), says=says, agents=2, rounds=rounds, **more)


def test_a_plan_is_made_at_the_beginning_and_is_in_mind(talk: Talking) -> None:
    held = played(talk, Plan(every=9), rounds=1)
    assert made(held) == [(0, 0, "begin"), (0, 1, "begin")]
    assert held.over.column("plan") == ["Plan 0."] * 2
    assert ["Your plan: «Plan 0.»" in prompt for prompt in held.prompts[2:]] == [True] * 2


def test_it_is_made_anew_every_so_many_rounds_at_the_first_event(talk: Talking) -> None:
    held = played(talk, Plan(every=2, done_to_me=()))
    assert made(held)[2:] == [
        (number, agent, "notice landed") for number in (2, 4) for agent in (0, 1)
    ]
    assert held.over.column("plan") == ["Plan 4."] * 2


def test_somebody_to_whom_something_is_done_makes_another_once_a_round(talk: Talking) -> None:
    held = played(talk, Plan(every=9))
    assert made(held)[2:] == [(2, 1, "notice punished")]
    assert held.over.column("plan") == ["Plan 0.", "Plan 2."]


def test_after_another_reason_the_rounds_are_counted_anew(talk: Talking) -> None:
    held = played(talk, Plan(every=3))
    assert made(held)[2:] == [(2, 1, "notice punished"), (3, 0, "notice landed")]


def test_events_that_are_named_make_all_plan_again(talk: Talking) -> None:
    held = played(talk, Plan(every=9, when=("rained",), done_to_me=()))
    assert made(held)[2:] == [(3, 0, "notice rained"), (3, 1, "notice rained")]


def test_the_model_reads_who_one_is_the_plan_so_far_and_what_has_happened(talk: Talking) -> None:
    parts = (Instructions("Be yourself."), Plan(every=2, done_to_me=()), Instructed())
    held = talk(days, *parts, LanguagePolicy(), says=says, agents=1, rounds=2)
    first, second = (
        one.messages[-1].content for one in held.requests if one.address.component == "plan"
    )
    assert "Be yourself.\n\nMake a plan: " in first
    assert (
        "Be yourself.\n\nYour plan so far: «Plan 0.»\n\nThis has just happened: landed: " in second
    )
    assert "Look at your plan again" in second
    assert "later" not in first + second, "only what stands before the plan"


def test_a_plan_that_cannot_be_read_is_left_out_and_counted(talk: Talking) -> None:
    def mute(request: Request) -> str:
        silent = request.address.component == "plan" and request.round != 0
        return "" if silent else says(request)

    held = played(talk, Plan(every=2, done_to_me=()), says=mute, rounds=2)
    assert held.over.column("plan") == ["Plan 0."] * 2
    assert held.ledger["landed"] == (4, 2, 0, 2)
    never = played(talk, Plan(), says=lambda one: "1" if " bid" in one.address.occasion else "")
    assert never.over.column("plan") == [""] * 2
    assert not [prompt for prompt in never.prompts if "Your plan" in prompt]


def test_it_may_ask_a_model_of_its_own(talk: Talking) -> None:
    assert Plan(model="small").models == ("small",)
    assert played(talk, Plan(model="small"), rounds=1).requests[0].model == "small"


class Instructed(Instructions):
    """Words that stand behind the plan."""

    chance_id = "instructed"

    def __init__(self) -> None:
        super().__init__("It is later.")


def test_what_is_empty_or_unknown_is_nothing_that_was_done(talk: Talking) -> None:
    values = np.array([["", "by 0"]], object), np.array([[np.nan, 0.0]])

    def told(env: Environment) -> Script:
        for _ in env.rounds():
            yield Tell("hurt", {"fined": own(values[0])})
            yield Tell("missed", {"received": own(values[1])})

    held = talk(told, Plan(every=9), says=says, agents=2)
    assert made(held)[2:] == [(1, 1, "notice hurt")]


@pytest.mark.parametrize("facts", [np.zeros((1, 2, 3)), np.ones((1, 2, 3))])
def test_facts_of_several_values_count_if_any_does(talk: Talking, facts: Any) -> None:
    def told(env: Environment) -> Script:
        for _ in env.rounds():
            yield Tell("hurt", {"fined": own(facts)})

    held = talk(told, Plan(every=9), says=says, agents=2)
    assert len(made(held)) == 2 + 2 * bool(facts.any())
