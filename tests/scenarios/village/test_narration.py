"""Free text in, numbers out: agents speak, and a referee says what has come of it."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from society.config.build import build
from society.config.run_config import load_config
from society.engine.action_spaces import Choice, Real
from society.engine.calls import Completion, Going, Request
from society.engine.cancellation import CancellationToken
from society.engine.component import Agent, AgentGroup, Component, Inquiry, News, Question
from society.engine.environment import Environment
from society.engine.game_master import Outcome
from society.engine.graph import NOBODY, Complete, Graph, from_networkx
from society.engine.mechanism import as_play
from society.engine.population import Cohort
from society.engine.script import Script, Tell, own
from society.errors import Unparsed
from society.scenarios.village.narration import hold_speeches, judge_attempts
from society.scenarios.village.village_meeting import village_meeting

if TYPE_CHECKING:
    from tests.conftest import Play, Played

PROMISE = Real(0, np.inf, optional=True)
CROWD = np.ones((1, 3), bool)


class Gossip(Component):
    """Says its seat, and whom it has heard."""

    answers = ("speak",)
    notices = ("spoke",)

    def __init__(self) -> None:
        self.told: list[list[str]] = []

    async def consult(self, ask: Inquiry, agent: Agent) -> str:
        heard = [words for _, words in sorted(ask.facts.seen("words").items()) if words]
        return f"{agent.seat} after {len(heard)}"

    def notice(self, tell: News, agents: AgentGroup) -> None:
        self.told.append(tell.facts["words"].tolist())


class Arbiter(Component):
    """Reads the first number in each attempt."""

    answers = ("judge",)

    def answer(self, ask: Question, agents: AgentGroup) -> dict[str, Any]:
        return {
            name: [figure(text) for text in ask.facts[f"attempt_{name}"]]
            for name in ask.reply.fields  # type: ignore[union-attr]
        }


def figure(text: str) -> float:
    found = re.search(r"\d+", text)
    return float(found[0]) if found else np.nan


def hearing(agents: int = 3) -> dict[str, Graph]:
    return {"hear": Complete(1, np.arange(agents))}


# Speaking


def speaking(*, in_turn: bool, who: Any = CROWD) -> Callable[[Environment], Script]:
    def script(env: Environment) -> Script:
        yield from hold_speeches(env, in_turn=in_turn, who=who)

    return script


def words(over: Played) -> list[str]:
    said: list[str] = over.told("words")[-1][0].tolist()
    return said


def test_in_turn_each_has_heard_those_before_it(play: Play) -> None:
    over = play(speaking(in_turn=True), Gossip(), graphs=hearing())
    assert words(over) == ["0 after 0", "1 after 1", "2 after 2"]
    assert [step.kind for step in over.steps] == ["speak", "speak", "speak", "spoke"]


def test_the_turn_goes_by_id_and_not_by_seat(play: Play) -> None:
    graphs = {"hear": Complete(1, np.array([2, 0, 1]))}
    over = play(speaking(in_turn=True), Gossip(), graphs=graphs, ids=[2, 0, 1])
    assert words(over) == ["0 after 2", "1 after 0", "2 after 1"]


def test_all_at_once_nobody_has_heard_anything(play: Play) -> None:
    over = play(speaking(in_turn=False), Gossip(), graphs=hearing())
    assert words(over) == ["0 after 0", "1 after 0", "2 after 0"]
    assert [step.kind for step in over.steps] == ["speak", "spoke"]


@pytest.mark.parametrize("in_turn", [True, False])
def test_who_is_not_to_speak_is_silent_and_the_questions_are_the_same(
    play: Play, in_turn: bool
) -> None:
    some = np.array([[True, False, True]])
    over = play(speaking(in_turn=in_turn, who=some), Gossip(), graphs=hearing())
    assert words(over)[1] == ""
    assert len(over.steps) == (4 if in_turn else 2)


def test_words_carry_as_far_as_the_graph(play: Play) -> None:
    path = {"hear": from_networkx([nx.path_graph(3)], np.arange(3))}
    over = play(speaking(in_turn=True), Gossip(), graphs=path)
    assert words(over) == ["0 after 0", "1 after 1", "2 after 1"]


def test_what_was_said_is_told(play: Play) -> None:
    gossip = Gossip()
    play(speaking(in_turn=False), gossip, graphs=hearing())
    assert gossip.told == [["0 after 0", "1 after 0", "2 after 0"]]


# Judging


def judging(
    *attempts: str, verdict: Any = PROMISE, fallback: Any = np.nan, gone: Any = None
) -> Callable[[Environment], Script]:
    """A script in which the last of some agents judges the attempts of the others."""

    def script(env: Environment) -> Script:
        by = np.broadcast_to(env.ids == env.agents - 1, env.present.shape)
        yield Tell("left", gone=gone)
        texts = np.array([attempts], object)
        came = yield from judge_attempts(env, texts, verdict, whose=~by, by=by, fallback=fallback)
        yield Tell("settled", {"verdict": own(came)})

    return script


def verdicts(over: Played) -> list[float]:
    came: list[float] = over.told("verdict")[0][0].tolist()
    return came


def test_the_referee_turns_texts_into_numbers_and_is_asked_once_for_all(play: Play) -> None:
    over = play(judging("I take 3", "as I like", ""), Arbiter())
    assert verdicts(over) == pytest.approx([3, np.nan, np.nan], nan_ok=True)
    asks = [step for step in over.steps if step.sort == "ask"]
    assert [step.form for step in asks] == ["0: amount 0..inf or none; 1: amount 0..inf or none"]
    assert asks[0].arrays["who", ""].tolist() == [[False, False, True]]


def test_fields_are_named_by_id_wherever_the_agents_sit(play: Play) -> None:
    over = play(judging("I take 3", "", "I take 5"), Arbiter(), ids=[0, 2, 1])
    assert verdicts(over) == pytest.approx([3, np.nan, 5], nan_ok=True)


def test_verdicts_may_be_choices(play: Play) -> None:
    class Strict(Arbiter):
        def answer(self, ask: Question, agents: AgentGroup) -> dict[str, Any]:
            return {"0": "guilty", "1": "free"}

    over = play(judging("", "", "", verdict=Choice("free", "guilty"), fallback=0), Strict())
    assert verdicts(over) == [1, 0, NOBODY]


def test_a_referee_who_cannot_be_understood_leaves_the_fallback(play: Play) -> None:
    class Mumbler(Arbiter):
        answer = Component.answer

        async def consult(self, ask: Inquiry, agent: Agent) -> Any:
            raise Unparsed("got a mumble")

    mumbling = [Cohort("all", 3, (Mumbler(),))]
    over = play(judging("I take 3", "", "", fallback=7.0), cast=mumbling)
    assert verdicts(over) == pytest.approx([7, 7, np.nan], nan_ok=True)


def test_of_who_has_left_nothing_is_judged_and_the_form_stays(play: Play) -> None:
    gone = np.array([[True, False, False]])
    over = play(judging("I take 3", "I take 4", "", gone=gone), Arbiter())
    assert verdicts(over) == pytest.approx([np.nan, 4, np.nan], nan_ok=True)
    assert next(step.form for step in over.steps if step.sort == "ask").startswith("0: ")


def test_without_a_referee_nobody_is_judged(play: Play) -> None:
    gone = np.array([[False, False, True]])
    over = play(judging("I take 3", "I take 4", "", gone=gone), Arbiter())
    assert verdicts(over) == pytest.approx([np.nan] * 3, nan_ok=True)


# The meeting


class Players:
    """A model that plays all parts: villager n promises n fish from its own day on."""

    patience = 0.0

    def __init__(self, days: Sequence[int]) -> None:
        self.days, self.requests = days, list[Request]()

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        self.requests.append(request)
        return Completion(self._words(request), cost=0.0)

    async def close(self) -> None: ...

    def _words(self, request: Request) -> str:
        """The referee writes down the numbers that it reads."""
        agent, day = request.address.agent, request.address.use + 1
        prompt = "\n\n".join(part.content for part in request.messages)
        if request.address.kind == "propose":
            return f"I promise {agent} fish." if day >= self.days[agent] else "Not yet."
        if request.address.kind == "judge":
            promised = re.findall(r"- villager (\d+): «(?:I promise (\d+) fish|.)", prompt)
            return json.dumps({name: float(n) if n else None for name, n in promised})
        return f"Villager {agent} speaks."


Meeting = Callable[..., tuple[Outcome, list[Request]]]


@pytest.fixture
def meeting() -> Meeting:
    """`meeting(1, 2)`: two villagers and a referee; promises from day 1, and from day 2."""

    def held(*days: int, rounds: int = 4, **params: Any) -> tuple[Outcome, list[Request]]:
        said = {"agents": len(days) + 1, "rounds": rounds, "parameters": params}
        minds = Players(days)
        outcome = build(load_config("village_meeting", said)).gamemaster(minds=minds).play()
        return outcome, minds.requests

    return held


def test_the_meeting_ends_on_the_day_on_which_everybody_has_promised(meeting: Meeting) -> None:
    outcome, _ = meeting(1, 3)
    assert outcome.rounds == 3
    assert outcome.ends == {"settled": 1}
    assert {name: estimate.mean for name, estimate in outcome.measures.items()} == {
        "agreed_after": 3,
        "promising": 1,
        "promised": pytest.approx(1 / 12),
    }


def test_limits_that_the_lake_cannot_bear_do_not_end_it(meeting: Meeting) -> None:
    assert meeting(1, 1, bearable=0.5)[0].ends == {"": 1}
    assert meeting(1, 1, bearable=1)[0].ends == {"settled": 1}


def test_without_agreement_it_goes_on_to_the_last_day(meeting: Meeting) -> None:
    outcome, _ = meeting(1, 9, rounds=2)
    assert outcome.ends == {"": 1}
    assert outcome.measures["agreed_after"].censored == 1
    assert outcome.measures["promising"].mean == 0.5


def test_only_the_referee_judges_and_it_neither_speaks_nor_proposes(meeting: Meeting) -> None:
    _, requests = meeting(1, 1)
    roles = {(request.address.kind, request.address.agent) for request in requests}
    assert roles == {("speak", 0), ("speak", 1), ("propose", 0), ("propose", 1), ("judge", 2)}


def test_villagers_hear_each_other_and_the_referee_reads_what_they_declare(
    meeting: Meeting,
) -> None:
    _, requests = meeting(1, 1)
    prompts = {
        (r.address.kind, r.address.agent): "\n\n".join(part.content for part in r.messages)
        for r in requests
    }
    assert "said" not in prompts["speak", 0]
    assert "- villager 0: «Villager 0 speaks.»" in prompts["speak", 1]
    assert "- villager 1: «Villager 1 speaks.»" in prompts["propose", 0]
    assert "- villager 1: «I promise 1 fish.»" in prompts["judge", 2]


def test_all_at_once_the_first_words_are_spoken_into_silence(meeting: Meeting) -> None:
    _, requests = meeting(1, 1, in_turn=False)
    speeches = [
        "\n\n".join(part.content for part in r.messages)
        for r in requests
        if r.address.kind == "speak"
    ]
    assert not any("Villager 0 speaks" in prompt for prompt in speeches)


def test_promises_are_remembered(meeting: Meeting) -> None:
    _, requests = meeting(1, 2)
    second_day = [r for r in requests if r.address[1:3] == ("answer propose", 1)]
    limits = "- Day 1: limits that the referee wrote down: yours is"
    assert f"{limits} 0\n" in second_day[0].messages[0].content
    assert f"{limits} none; that of villager 0 is 0\n" in second_day[1].messages[0].content


def test_a_referee_alone_has_nobody_to_wait_for(meeting: Meeting) -> None:
    assert meeting()[0].rounds == 1


def test_the_script_of_the_meeting_has_at_most_forty_lines() -> None:
    source = inspect.getsource(as_play(village_meeting.play).origin)
    assert len(source.splitlines()) <= 40
