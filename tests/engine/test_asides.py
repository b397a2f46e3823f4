"""Questions beside the history: kept, replayed, and no part of what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.action_spaces import Choice, Fields, Integer, Real
from society.engine.component import Agent, Component, Inquiry, Question, per_agent
from society.engine.environment import Environment
from society.engine.rng import Array
from society.engine.script import UNANSWERED, VOID_REPLICATE, Ask, Script, Tell, own
from society.engine.tape import Tape
from society.errors import ArgumentError, Unparsed

if TYPE_CHECKING:
    from tests.conftest import Play


class Worker(Component):
    """Works by chance, and answers how it is."""

    answers = ("work", "mood")

    def answer(self, ask: Question, agents: Any) -> Any:
        if ask.kind == "work":
            return agents.draws.uniform("work")
        return {"mood": 1 + agents.agent, "why": np.full(len(agents), 1)}


MOOD = Fields({"mood": Integer(1, 5), "why": Choice("rain", "sun")})


def working(env: Environment) -> Script:
    """Work in each round; the second replicate is over after the first."""
    for number in env.rounds():
        worked = yield Ask("work", Real(0, 1))
        over = np.array([[False], [number == 1]])
        yield Tell("worked", {"worked": own(worked)}, ends=over)


def asked_aside(env: Environment) -> Script:
    """Work, and say at the end how it was."""
    yield from working(env)
    yield Ask("mood", MOOD, fallback=UNANSWERED, aside=True)


def test_the_history_and_its_digest_are_the_same_with_an_aside_and_without(play: Play) -> None:
    plain = play(working, Worker(), replicates=2, rounds=3)
    over = play(asked_aside, Worker(), replicates=2, rounds=3)
    assert over.outcome.digest == plain.outcome.digest
    assert [step.kind for step in over.steps] == [step.kind for step in plain.steps]
    assert [len(page.asides) for page in over.pages] == [0, 0, 0, 1]


def test_an_aside_reaches_replicates_that_are_over(play: Play) -> None:
    over = play(asked_aside, Worker(), replicates=2, rounds=3)
    (aside,) = over.pages[-1].asides
    assert aside.arrays["answer", "mood"].tolist() == [[1, 2, 3], [1, 2, 3]]
    assert aside.form == "mood: whole 1..5; why: choice rain/sun"


def test_a_tape_answers_asides_from_their_own_record(play: Play) -> None:
    over = play(asked_aside, Worker(), replicates=2, rounds=3)
    asides = [step for page in over.pages for step in page.asides]
    again = play(asked_aside, replicates=2, rounds=3, answerer=Tape(over.steps, asides))
    assert again.pages[-1].asides[0].arrays["answer", "mood"][1].tolist() == [1, 2, 3]
    assert again.outcome.digest == over.outcome.digest


class Mumbler(Component):
    """Says 3; seat 1 cannot be understood."""

    answers = ("age",)

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        if agent.seat == 1:
            raise Unparsed("mumble")
        return 3


@pytest.mark.parametrize(
    ("reply", "missing"), [(Real(0, 9), np.nan), (Integer(1, 9), 0), (Choice(*"abcd"), -1)]
)
def test_an_unread_answer_is_left_out_and_marked(play: Play, reply: Any, missing: float) -> None:
    def asking(env: Environment) -> Script:
        yield Ask("age", reply, fallback=UNANSWERED)

    (step,) = play(asking, Mumbler()).steps
    assert step.arrays["unread", ""].tolist() == [[False, True, False]]
    np.testing.assert_equal(step.arrays["answer", ""], np.array([[3, missing, 3]]))


def test_an_aside_cannot_end_a_replicate() -> None:
    with pytest.raises(ArgumentError, match=r"cannot end a replicate.*such as UNANSWERED"):
        Ask("mood", MOOD, fallback=VOID_REPLICATE, aside=True)


# The order of fields


class Reader(Component):
    """Notes in which order fields are shown: 1 for mood first, 2 for why first."""

    answers = ("mood",)

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> Any:
        assert isinstance(ask.reply, Fields)
        first = next(iter(ask.reply.fields))
        return {"mood": 1 if first == "mood" else 2, "why": 0}


def test_fields_are_shown_in_an_order_of_each_agents_own(play: Play) -> None:
    order: Array = np.array([[[0, 1], [1, 0], [0, 1]]])

    def asking(env: Environment) -> Script:
        yield Ask("mood", Fields(MOOD.fields, order))

    over = play(asking, Reader())
    assert over.answers("mood", "mood")[0].tolist() == [[1, 2, 1]]
    assert over.steps[0].form == "mood: whole 1..5; why: choice rain/sun"
