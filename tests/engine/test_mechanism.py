"""Overhearing a script: change a line, hold it back, put a script in its place, change answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from society.engine.action_spaces import Fields, MixedStrategy, Neighbour, Real
from society.engine.component import Agent, Component, Inquiry
from society.engine.environment import Environment, PublicFacts
from society.engine.mechanism import (
    Declared,
    PlayFunction,
    declared_by,
    declares,
    intercept,
    public_facts,
    questions,
    survey,
)
from society.engine.mechanism import Play as WholePlay
from society.engine.scenario import mechanism
from society.engine.script import Ask, Line, Script, Tell, common
from society.errors import CastError, ScenarioError

if TYPE_CHECKING:
    from tests.conftest import Play, Played


class Clerk(Component):
    """Bids its seat."""

    answers = ("bid", "advise")

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        return agent.seat


def auction(env: Environment) -> Script:
    """Asks for bids, tells their sum, and gives it back."""
    bid = yield Ask("bid", Real(0, 100))
    total = np.zeros((1, 1)) if bid is None else bid.sum(1, keepdims=True)
    yield Tell("sold", {"total": common(total)})
    return total


def wrapped(play: Play, **changes: Any) -> Played:
    over: Played = play(lambda env: intercept(auction(env), **changes), Clerk())
    return over


def kinds(over: Played) -> list[str]:
    return [step.kind for step in over.steps]


def test_a_wrapper_that_changes_nothing_changes_nothing(play: Play) -> None:
    assert wrapped(play).outcome == play(auction, Clerk()).outcome
    assert wrapped(play).told("total")[0].tolist() == [[3]]


def test_a_line_may_be_changed_on_its_way_out(play: Play) -> None:
    def whispered(said: Line) -> Line:
        return Tell("whispered", said.facts) if isinstance(said, Tell) else said

    assert kinds(wrapped(play, line=whispered)) == ["bid", "whispered"]


def test_a_line_held_back_is_answered_with_nothing(play: Play) -> None:
    over = wrapped(play, line=lambda said: None if isinstance(said, Ask) else said)
    assert kinds(over) == ["sold"]
    assert over.told("total")[0].tolist() == [[0]]


def test_an_answer_may_be_changed_on_its_way_in(play: Play) -> None:
    def doubled(said: Line, answered: Any) -> Any:
        return 2 * answered if isinstance(said, Ask) else answered

    over = wrapped(play, answer=doubled)
    assert over.answers("bid")[0].tolist() == [[0, 1, 2]]  # what the agents said is kept
    assert over.told("total")[0].tolist() == [[6]]


def test_a_script_in_place_of_a_line_answers_for_it(play: Play) -> None:
    def advised(said: Line) -> Line | Script:
        return consultation(said) if isinstance(said, Ask) else said

    def consultation(said: Ask) -> Script:
        advice = yield Ask("advise", Real(0, 100))
        bid = yield said
        return bid + 10 * advice

    over = wrapped(play, line=advised)
    assert kinds(over) == ["advise", "bid", "sold"]
    assert over.told("total")[0].tolist() == [[33]]


def test_the_inner_answer_of_a_script_is_changed_too(play: Play) -> None:
    def quiet(said: Ask) -> Script:
        return np.full((1, 3), 5.0)
        yield said

    over = wrapped(
        play,
        line=lambda said: quiet(said) if isinstance(said, Ask) else said,
        answer=lambda said, answered: answered + 1 if isinstance(said, Ask) else answered,
    )
    assert over.told("total")[0].tolist() == [[18]]


def test_what_the_inner_script_gives_back_comes_through(play: Play) -> None:
    def twice(env: Environment) -> Script:
        first = yield from intercept(auction(env))
        second = yield from intercept(intercept(auction(env)))
        yield Tell("closed", {"both": common(first + second)})

    assert play(twice, Clerk()).told("both")[0].tolist() == [[6]]


def test_the_changed_line_is_not_what_answer_hears_of(play: Play) -> None:
    """`answer` sees the line as the inner script said it."""
    heard = []

    def listen(said: Line, answered: Any) -> Any:
        heard.append(said.kind)
        return answered

    wrapped(play, line=lambda said: Tell("mute") if isinstance(said, Tell) else said, answer=listen)
    assert heard == ["bid", "sold"]


def table(rounds: int) -> Environment:
    """An environment of two replicates."""
    return Environment(None, seed=1, ids=np.arange(3), replicate_ids=np.arange(2), horizon=rounds)


def asked(script: Callable[[Environment], Script], *, rounds: int = 3) -> list[str]:
    return [ask.kind for ask in questions(script, table(rounds))]


def test_the_questions_of_a_script_are_heard_without_anybody_to_answer() -> None:
    assert asked(auction) == ["bid"]
    assert asked(lambda env: intercept(auction(env))) == ["bid"]


def test_a_question_of_the_last_round_is_heard_though_the_game_may_end_before() -> None:
    def late(env: Environment) -> Script:
        for number in env.rounds():
            bid = yield Ask("bid" if number < 3 else "advise", Real(0, 1))
            yield Tell("bankrupt", gone=bid == 0, ends=(bid == 0).all(1, keepdims=True))

    assert asked(late) == ["bid", "bid", "advise"]


def test_in_a_rehearsal_every_answer_is_silent() -> None:
    heard = []

    def forms(env: Environment) -> Script:
        heard.append((yield Ask("bid", Real(2, 3))).tolist())
        both = yield Ask(
            "advise", Fields({"whom": Neighbour("all"), "how": MixedStrategy("a", "b")})
        )
        heard.append({name: values.shape for name, values in both.items()})
        heard.append(both["whom"].tolist())

    asked(forms)
    assert heard == [[[0, 0, 0]], {"whom": (1, 3), "how": (1, 3, 2)}, [[-1, -1, -1]]]


def test_a_rehearsal_leaves_the_table_as_it_was() -> None:
    here = table(3)

    def twilight(env: Environment) -> Script:
        for _ in env.rounds():
            yield Ask("bid", Real(0, 1))
            env.close(env.present, env.running)

    assert [ask.kind for ask in questions(twilight, here)] == ["bid"]
    assert here.present.all()
    assert not here.opened


def test_a_rehearsal_knows_the_cohorts_of_one_replicate() -> None:
    """So that a script may ask a referee by the seat that its cohort takes."""
    here = table(1)
    here.cohorts = {"referee": np.array([[False, False, True], [True, False, False]])}
    heard: list[Any] = []

    def refereed(env: Environment) -> Script:
        referee = env.cohort("referee")
        heard.append((yield Ask("judge", Real(0, 1), who=referee)).tolist())
        heard.append(referee.tolist())

    (judge,) = questions(refereed, here)
    assert judge.who is not None
    assert judge.who.tolist() == [[False, False, True]]
    assert heard == [[[0, 0, 0]], [[False, False, True]]]


def test_a_rehearsal_misses_a_cohort_that_nobody_made() -> None:
    here = table(1)
    here.cohorts = {"referees": np.ones((2, 3), bool)}

    def refereed(env: Environment) -> Script:
        yield Ask("judge", Real(0, 1), who=env.cohort("referee"))

    with pytest.raises(
        CastError, match=r"needs a cohort called 'referee'; did you mean 'referees'\?"
    ):
        list(questions(refereed, here))


def first(lines: Iterator[Line], kind: str) -> Line | None:
    """The first line of a kind."""
    return next((line for line in lines if line.kind == kind), None)


def test_a_play_is_rehearsed_once_for_all_who_look_for_the_same() -> None:
    """And those who look at a play within look at it once, however often they are rehearsed."""
    calls = []

    def counted(env: Environment) -> Script:
        calls.append(env)
        return auction(env)

    def outer(env: Environment) -> Script:
        survey(first, counted, env, "bid")
        return counted(env)

    here = table(1)
    for _ in range(3):
        survey(first, outer, here, "bid")
        survey(first, outer, here, "sold")
    assert len(calls) == 3  # two rehearsals of the outer play, in the first of which it looked


def test_what_a_play_is_known_by_travels_through_mechanisms() -> None:
    sold = Declared("bid", "sold", "total", players=lambda params: 2)

    @declares(sold, rules=lambda params: params)
    def sale(env: Environment) -> Script:
        return auction(env)

    @mechanism
    def plain(play: WholePlay) -> PlayFunction:
        return lambda env: play(env)

    around = plain(replace(sale, public={"heir": "the eldest"}))
    assert declared_by(around, "taxed") is sold
    assert public_facts(around, "fair") == PublicFacts("fair", {"heir": "the eldest"})
    assert public_facts(auction, "fair") == PublicFacts()


def test_a_mechanism_says_what_it_misses_of_a_play_that_declares_nothing() -> None:
    with pytest.raises(ScenarioError, match="taxed: the play declares no move and no payoff"):
        declared_by(auction, "taxed")
