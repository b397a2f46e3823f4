"""The game master asks, settles, tells and keeps; whoever answers, the script goes on the same."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from society.engine.action_spaces import Choice, Fields, Integer, Neighbour, Real, Text, Value
from society.engine.calls import Usage
from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry, News, Question
from society.engine.environment import Environment
from society.engine.garbage import garbage_sought_seldom
from society.engine.graph import NOBODY, Complete, Graph, from_networkx
from society.engine.population import Cohort
from society.engine.rng import Array
from society.engine.scenario import Measure
from society.engine.script import Ask, Inherit, Script, Tell, common, own, seen
from society.engine.tape import Tape
from society.errors import CastError, PartError, Unparsed

if TYPE_CHECKING:
    from tests.conftest import Answering, Play, Played


class Clerk(Component):
    """Answers `bid` one by one with its seat, and keeps a list of who was asked."""

    answers = ("bid",)

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        self.asked.append((agent.replicate, agent.seat))
        return agent.seat


class Ear(Component):
    """Counts what it hears."""

    notices = ("news",)
    columns = (Column("heard", int, public=True),)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["heard"] += 1


# Who is asked


def test_those_who_are_not_in_who_are_not_asked(play: Play) -> None:
    def auction(env: Environment) -> Script:
        yield Ask("bid", Real(), who=np.array([[True, False, True], [False, False, False]]))

    clerk = Clerk()
    over = play(auction, clerk, replicates=2)
    assert clerk.asked == [(0, 0), (0, 2)]
    assert over.answers("bid")[0].tolist() == [[0, 0, 2], [0, 0, 0]]


def test_garbage_is_looked_for_seldom_in_a_game_and_as_before_when_the_last_one_is_over(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    gc.unfreeze()
    usual, during = gc.get_threshold(), list[tuple[bool, int]]()

    def script(env: Environment) -> Script:
        with garbage_sought_seldom():  # of another game in the same process
            pass
        during.append((gc.get_freeze_count() > 0, gc.get_threshold()[0]))
        yield Tell("seen")

    play(script)
    assert during == [(True, 50_000)]
    assert (gc.get_freeze_count(), gc.get_threshold()) == (0, usual)


@pytest.mark.parametrize(("first", "within"), [(0, 0), (700, 50_000), (90_000, 90_000)])
def test_a_game_never_looks_for_garbage_more_often_than_its_program(
    first: int, within: int
) -> None:
    usual = gc.get_threshold()
    try:
        gc.set_threshold(first, 5, 6)
        with garbage_sought_seldom():
            assert gc.get_threshold() == (within, 5, 6)
        assert gc.get_threshold() == (first, 5, 6)
    finally:
        gc.set_threshold(*usual)


def test_who_may_name_whole_replicates(play: Play) -> None:
    def auction(env: Environment) -> Script:
        yield Ask("bid", Real(), who=np.array([[True], [False]]))

    clerk = Clerk()
    play(auction, clerk, agents=2, replicates=2)
    assert clerk.asked == [(0, 0), (0, 1)]


def test_who_is_gone_is_neither_asked_nor_told_again(play: Play) -> None:
    def plague(env: Environment) -> Script:
        yield Tell("news", gone=np.array([[False, True, False]]))
        yield Tell("news")
        yield Ask("bid", Real(), who=np.array([[True]]))

    clerk = Clerk()
    over = play(plague, clerk, Ear())
    assert clerk.asked == [(0, 0), (0, 2)]
    assert over.column("heard") == [2, 1, 2]  # the dying still hear of their death
    assert over.pages[-1].present.tolist() == [[True, False, True]]


def test_a_replicate_that_has_ended_is_never_asked_again(play: Play) -> None:
    def siege(env: Environment) -> Script:
        for _ in env.rounds():
            yield Ask("bid", Real())
            yield Tell("fallen", ends=np.array([[True], [False]]))

    clerk = Clerk()
    over = play(siege, clerk, agents=1, replicates=2, rounds=3)
    assert clerk.asked == [(0, 0), (1, 0), (1, 0), (1, 0)]
    assert over.outcome.ends == {"fallen": 1, "": 1}
    assert over.pages[-1].running.tolist() == [[False], [True]]


def test_the_first_end_is_the_cause_that_is_kept(play: Play) -> None:
    def siege(env: Environment) -> Script:
        for kind in ("starved", "stormed"):
            yield Tell(kind, ends=np.array([[True]]))

    assert play(siege).outcome.ends == {"starved": 1}


def test_rounds_stop_when_every_replicate_has_ended(play: Play) -> None:
    def siege(env: Environment) -> Script:
        for number in env.rounds():
            yield Tell("fallen", ends=np.array([[number >= 2], [number >= 4]]))

    assert play(siege, replicates=2, rounds=10).outcome.rounds == 4


def test_a_question_that_nobody_in_a_cohort_answers_is_refused(
    play: Play, answering: Answering
) -> None:
    def auction(env: Environment) -> Script:
        yield Ask("sing", Text())

    with pytest.raises(CastError, match="nobody in cohort 'everybody' answers 'sing'"):
        play(auction, answering(lambda ask, me: 0))


def test_the_first_component_that_can_answer_does(play: Play, answering: Answering) -> None:
    class Second(Clerk):
        pass

    def auction(env: Environment) -> Script:
        yield Ask("bid", Real())

    silent = Second()
    play(auction, answering(lambda ask, me: 7), silent)
    assert silent.asked == []


def test_a_script_that_yields_something_else_is_refused(play: Play) -> None:
    def babble(env: Environment) -> Iterator[Any]:
        yield "hello"

    with pytest.raises(PartError, match="parlour yields str; a script yields Ask, Tell or Inherit"):
        play(babble)


# Facts


@pytest.mark.parametrize(
    ("fact", "shape"),
    [
        (own(np.zeros((2, 4))), r"\(2, 4\) where \(2, 3\)"),
        (own(np.zeros((3, 2))), r"\(3, 2\) where \(2, 3\)"),
        (common(np.zeros((2, 3))), r"\(2, 3\) where \(2, 1\)"),
        (common(np.zeros((3, 1))), r"\(3, 1\) where \(2, 1\)"),
        (own(np.zeros((3, 2, 4))), r"\(3, 2, 4\) where \(2, 3, 4\)"),
    ],
    ids=["own", "own, transposed", "common, too wide", "common", "own, of several entries"],
)
def test_a_fact_of_the_wrong_shape_is_refused_with_scenario_line_and_fact(
    play: Play, fact: Any, shape: str
) -> None:
    def muddle(env: Environment) -> Script:
        yield Tell("paid", {"wage": fact})

    with pytest.raises(PartError, match=rf"parlour, 'paid': fact 'wage' has shape {shape}"):
        play(muddle, replicates=2)


def test_who_gone_and_ends_of_the_wrong_shape_are_refused(play: Play) -> None:
    wrong = np.zeros((1, 7), bool)
    for line in (Ask("bid", Real(), who=wrong), Tell("bid", gone=wrong), Tell("bid", ends=wrong)):

        def muddle(env: Environment, line: Any = line) -> Script:
            yield line

        with pytest.raises(PartError, match=r"parlour, 'bid': .*\(1, 7\) where \(1, "):
            play(muddle, Clerk())


def test_a_fact_seen_on_a_graph_that_does_not_exist_is_refused(play: Play) -> None:
    def muddle(env: Environment) -> Script:
        yield Tell("paid", {"wage": seen("every", np.zeros((1, 3)))})

    with pytest.raises(PartError, match="there is no graph 'every'"):
        play(muddle)


def test_facts_are_spread_over_all_whom_they_concern(play: Play) -> None:
    def payday(env: Environment) -> Script:
        yield Tell("paid", {"tax": common(3), "wage": own([[1], [2]]), "day": common([[5], [6]])})

    over = play(payday, replicates=2)
    assert over.told("tax")[0].tolist() == [[3], [3]]
    assert over.told("wage")[0].tolist() == [[1, 1, 1], [2, 2, 2]]
    assert over.told("day")[0].tolist() == [[5], [6]]


def test_what_was_told_stays_when_the_script_changes_its_array_later(play: Play) -> None:
    def payday(env: Environment) -> Script:
        wage = np.zeros((1, 3))
        for _ in range(3):
            wage += 1
            yield Tell("paid", {"wage": own(wage)})

    assert [wage.tolist() for wage in play(payday).told("wage")] == [
        [[1, 1, 1]],
        [[2, 2, 2]],
        [[3, 3, 3]],
    ]


def test_numbers_will_do_for_booleans_even_when_told_as_a_fact_before(play: Play) -> None:
    def plague(env: Environment) -> Script:
        ill = np.array([[0, 1, 0]])
        yield Tell("fell_ill", {"ill": own(ill)}, gone=ill)

    over = play(plague)
    assert over.told("ill")[0].dtype == np.int64
    assert over.pages[-1].present.tolist() == [[True, False, True]]
    assert over.pages[-1].present.dtype == bool


def test_settled_answers_will_do_for_booleans(play: Play, answering: Answering) -> None:
    def vote(env: Environment) -> Script:
        leaving = yield Ask("bid", Choice("stay", "leave"))
        yield Tell("left", gone=leaving)

    over = play(vote, answering(lambda ask, me: [0, 1, 0]))
    assert over.pages[-1].present.tolist() == [[True, False, True]]
    assert over.pages[-1].present.dtype == bool


def test_lists_will_do_for_arrays(play: Play) -> None:
    def plague(env: Environment) -> Script:
        who: Any = [[True, False, True]]
        gone: Any = [[False, False, True]]
        yield Ask("bid", Real(), who=who)
        yield Tell("died", gone=gone)

    over = play(plague, Clerk())
    assert over.answers("bid")[0].tolist() == [[0, 0, 2]]
    assert over.pages[-1].present.tolist() == [[True, True, False]]


def test_the_layout_of_an_array_in_memory_does_not_matter(play: Play) -> None:
    def telling(wage: Array) -> Any:
        def payday(env: Environment) -> Script:
            yield Tell("paid", {"wage": own(wage)})

        return payday

    plain = np.arange(6.0).reshape(2, 3)
    digests = {
        play(telling(wage), replicates=2).outcome.digest
        for wage in (plain, np.asfortranarray(plain), np.repeat(plain, 2, 1)[:, ::2])
    }
    assert len(digests) == 1


# Rounds and pages


def test_the_first_page_is_what_comes_before_the_first_round(play: Play) -> None:
    def day(env: Environment) -> Script:
        yield Tell("risen")
        for _ in env.rounds():
            yield Tell("worked")
            yield Tell("rested")

    over = play(day, rounds=2)
    assert [page.number for page in over.pages] == [0, 1, 2]
    assert [page.path for page in over.pages] == [(), (1,), (2,)]
    assert [[step.kind for step in page.steps] for page in over.pages] == [
        ["risen"],
        ["worked", "rested"],
        ["worked", "rested"],
    ]
    assert over.outcome.rounds == 2


def test_rounds_within_rounds_make_a_path(play: Play) -> None:
    def tournament(env: Environment) -> Script:
        for _ in env.rounds():
            yield Tell("paired")
            for _ in env.rounds(2):
                yield Tell("played")
            yield Tell("ranked")

    over = play(tournament, rounds=2)
    assert [(page.path, [step.kind for step in page.steps]) for page in over.pages] == [
        ((), []),
        ((1,), ["paired"]),
        ((1, 1), ["played"]),
        ((1, 2), ["played", "ranked"]),
        ((2,), ["paired"]),
        ((2, 1), ["played"]),
        ((2, 2), ["played", "ranked"]),
    ]
    assert [page.number for page in over.pages] == list(range(7))


def test_what_is_said_after_the_last_round_belongs_to_it(play: Play) -> None:
    def season(env: Environment) -> Script:
        for number in env.rounds():
            yield Tell("worked")
            if number == 2:
                break
        yield Tell("celebrated")

    over = play(season, rounds=5)
    assert [page.path for page in over.pages] == [(), (1,), (2,)]
    assert [step.kind for step in over.pages[-1].steps] == ["worked", "celebrated"]
    assert over.outcome.rounds == 2


def test_a_round_is_measured_only_if_its_facts_are_told(play: Play) -> None:
    """Also a round in which nothing is said counts as one."""

    def season(env: Environment) -> Script:
        for number in env.rounds():
            if number % 2 == 0:
                yield Tell("weighed", {"weight": common(float(number))})

    heavy = Measure("heavy", "round", lambda told, env: told["weight"] > 3, "first")
    mean = Measure("weight", "kg", lambda told, env: told["weight"])
    lost = Measure("wieght", "kg", lambda told, env: told["wieght"])
    over = play(season, rounds=6, measures=(heavy, mean, lost))
    assert over.outcome.rounds == 6
    assert over.outcome.measures["heavy"].mean == 4
    assert over.outcome.measures["weight"].mean == 4  # of 2, 4 and 6
    assert over.outcome.measures["wieght"].n == 0


def test_a_script_without_rounds_is_one_page(play: Play) -> None:
    def chat(env: Environment) -> Script:
        yield Tell("met")

    over = play(chat)
    assert [page.number for page in over.pages] == [0]
    assert over.outcome.rounds == 0


def test_a_page_is_handed_over_as_soon_as_its_round_is_over(play: Play) -> None:
    class Watching(Component):
        answers = ("bid",)

        def answer(self, ask: Question, agents: AgentGroup) -> object:
            return 0.0

    seen_so_far = []

    def day(env: Environment) -> Script:
        for _ in env.rounds():
            seen_so_far.append(env.path)
            yield Ask("bid", Real())

    over = play(day, Watching(), rounds=3)
    assert seen_so_far == [(1,), (2,), (3,)]
    assert [len(page.steps) for page in over.pages] == [0, 1, 1, 1]


# Measures


def fold(play: Play, kind: Any, values: list[list[float | None]]) -> Any:
    """Fold one list of values per round; None ends that replicate."""

    def season(env: Environment) -> Script:
        for number in env.rounds():
            row = np.array([[np.nan if v is None else v] for v in values[number - 1]])
            yield Tell("weighed", {"weight": common(row)}, ends=np.isnan(row))

    measure = Measure("weight", "kg", lambda told, env: told["weight"], kind)
    over = play(season, replicates=len(values[0]), rounds=len(values), measures=(measure,))
    return over.game.folded["weight"].values().tolist()


def test_measures_are_folded_over_the_rounds_that_a_replicate_lived(play: Play) -> None:
    rounds: list[list[float | None]] = [[1, 4], [2, None], [6, 9]]
    assert fold(play, "mean", rounds) == [3, 4]
    assert fold(play, "sum", rounds) == [9, 4]
    assert fold(play, "last", rounds) == [6, 4]


def test_the_first_round_in_which_something_is_true_is_censored_at_the_own_last_round(
    play: Play,
) -> None:
    """Replicate 1 leaves after round 2 without it: whatever the others do, 2 is all we know."""
    rounds: list[list[float | None]] = [[0, 0, 0], [0, 0, 1], [0, None, 1]]
    assert fold(play, "first", rounds) == [3, 2, 2]


def test_an_estimate_is_over_replicates_and_counts_the_censored(play: Play) -> None:
    def season(env: Environment) -> Script:
        for number in env.rounds():
            yield Tell(
                "looked", {"ripe": common(np.array([[number >= 2], [number >= 4], [False]]))}
            )

    measure = Measure("ripe", "rounds", lambda told, env: told["ripe"], "first")
    over = play(season, replicates=3, rounds=5, measures=(measure,))
    estimate = over.outcome.measures["ripe"]
    assert estimate.mean == pytest.approx((2 + 4 + 5) / 3)
    assert (estimate.n, estimate.censored) == (3, 1)
    assert estimate.se == pytest.approx(np.std([2, 4, 5], ddof=1) / np.sqrt(3))


def test_a_measure_that_never_was_taken_has_no_mean(play: Play) -> None:
    def season(env: Environment) -> Script:
        for _ in env.rounds():
            yield Tell("rested")

    measure = Measure("weight", "kg", lambda told, env: told["weight"])
    estimate = play(season, measures=(measure,)).outcome.measures["weight"]
    assert (estimate.mean, estimate.se, estimate.n) == (None, None, 0)


# Answers from outside


def lots(env: Environment) -> Script:
    """Three rounds of bids that depend on what was bid before."""
    price = np.zeros((env.replicates, 1))
    for _ in env.rounds():
        bid = yield Ask("bid", Real(0, 100), {"price": common(price)}, fallback=1.0)
        price = price + bid.mean(1, keepdims=True)
        yield Tell("sold", {"price": common(price)})


class Slow(Component):
    """Takes its time: the order in which answers arrive is set by `delay`."""

    answers = ("bid",)

    def __init__(self, delay: Any) -> None:
        self.delay = delay
        self.order: list[int] = []

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        await asyncio.sleep(self.delay(agent.seat) * 5e-3)
        self.order.append(agent.seat)
        return ask.facts["price"] + 10 * agent.draws.uniform("whim")


def test_answers_may_arrive_in_any_order(play: Play, answering: Answering) -> None:
    columnar = answering(lambda ask, me: ask.facts["price"] + 1)

    def bids(delay: Any) -> tuple[str, list[int]]:
        slow = Slow(delay)
        cast = [Cohort("slow", 4, (slow,)), Cohort("quick", 2, (columnar,))]
        over = play(lots, cast=cast, agents=6, rounds=2)
        return over.outcome.digest, slow.order

    forwards, backwards = bids(lambda seat: 4 * seat), bids(lambda seat: 16 - 4 * seat)
    assert forwards[1] == [0, 1, 2, 3] * 2
    assert backwards[1] == [3, 2, 1, 0] * 2
    assert forwards[0] == backwards[0]


class Mumbler(Component):
    """Seats in `mumbling` cannot be understood."""

    answers = ("bid",)

    def __init__(self, *mumbling: int, said: Any = 5) -> None:
        self.mumbling, self.said = mumbling, said

    async def consult(self, ask: Inquiry, agent: Agent) -> Any:
        if agent.seat in self.mumbling:
            raise Unparsed("mumble")
        return self.said


def once(reply: Any, fallback: Any) -> Any:
    def auction(env: Environment) -> Script:
        yield Ask("bid", reply, fallback=fallback)

    return auction


@pytest.mark.parametrize(
    ("reply", "said", "fallback", "answer"),
    [
        (Real(0, 9), 5, 2.0, [5, 2, 5]),
        (Real(0, 9), 5, np.array([[6.0, 7.0, 8.0]]), [5, 7, 5]),
        (Real(0, 9), 5, 99, [5, 9, 5]),
        (Integer(0, 9), 5, 2, [5, 2, 5]),
        (Neighbour("all"), NOBODY, np.array([[1, 2, 0]]), [NOBODY, 2, NOBODY]),
        (Choice("C", "D"), "C", "D", [0, 1, 0]),
        (Choice("C", "D"), "C", 1, [0, 1, 0]),
        (Text(), "aye", "nay", ["aye", "nay", "aye"]),
    ],
    ids=["amount", "array", "settled", "whole", "peer", "label", "index", "words"],
)
def test_what_could_not_be_read_is_settled_by_otherwise_and_counted(
    play: Play, reply: Any, said: Any, fallback: Any, answer: list[Any]
) -> None:
    over = play(once(reply, fallback), Mumbler(1, said=said))
    assert over.answers("bid")[0].tolist() == [answer]
    assert over.outcome.ledger == (Usage("mumbler", "bid", unasked=3, fallbacks=1),)


@pytest.mark.parametrize(
    ("mumbling", "answer", "times"), [((), [5, 5, 5], 0), ((1,), [5, 2, 5], 1)]
)
def test_a_fallback_that_is_a_function_is_computed_where_it_is_needed(
    play: Play, mumbling: tuple[int, ...], answer: list[int], times: int
) -> None:
    computed: list[float] = []

    def costly() -> float:
        computed.append(2.0)
        return 2.0

    over = play(once(Real(0, 9), costly), Mumbler(*mumbling, said=5))
    assert over.answers("bid")[0].tolist() == [answer]
    assert len(computed) == times


def test_a_form_falls_back_as_a_whole(play: Play) -> None:
    form = Fields({"price": Real(0, 9), "word": Text()})
    said, fallback = {"price": 5, "word": "aye"}, {"price": 1, "word": "pardon?"}
    over = play(once(form, fallback), Mumbler(0, said=said))
    assert over.answers("bid", "price")[0].tolist() == [[1, 5, 5]]
    assert over.answers("bid", "word")[0].tolist() == [["pardon?", "aye", "aye"]]


def test_nobody_may_be_understood(play: Play) -> None:
    over = play(once(Real(0, 9), 2.0), Mumbler(0, 1, 2))
    assert over.answers("bid")[0].tolist() == [[2, 2, 2]]
    assert over.outcome.ledger == (Usage("mumbler", "bid", unasked=3, fallbacks=3),)


def test_without_a_fallback_an_unread_answer_is_an_error(play: Play) -> None:
    with pytest.raises(
        PartError, match=r"mumbler, agent 1 of replicate 0, to 'bid' could not be read.*fallback="
    ):
        play(once(Real(0, 9), None), Mumbler(1))


def test_rules_cost_no_calls(play: Play, answering: Answering) -> None:
    over = play(once(Real(), None), answering(lambda ask, me: 1))
    assert not over.outcome.ledger


# Playing from anywhere


def test_a_game_can_be_played_from_a_running_event_loop(play: Play) -> None:
    """As in a notebook."""

    async def notebook() -> Played:
        over: Played = play(lots, Slow(lambda seat: 0), rounds=3)
        return over

    assert asyncio.run(notebook()).outcome == play(lots, Slow(lambda seat: 0), rounds=3).outcome


def test_an_error_in_a_running_event_loop_reaches_the_caller(play: Play) -> None:
    async def notebook() -> None:
        play(once(Real(0, 9), None), Mumbler(1))

    with pytest.raises(PartError, match="could not be read"):
        asyncio.run(notebook())


def test_an_error_of_a_script_comes_through_as_it_is(play: Play) -> None:
    def broken(env: Environment) -> Script:
        yield Tell("started")
        raise ZeroDivisionError("one over nothing")

    with pytest.raises(ZeroDivisionError, match="one over nothing"):
        play(broken)


# Inherit


class Gene(Component):
    """Keeps a gene, at first the own id, and marks the newly born."""

    columns = (Column("gene", int, public=True), Column("births", int, public=True))

    def begin(self, agents: AgentGroup) -> None:
        agents["gene"] = 10 * (agents.audience.rows.seat + 1)

    def born(self, agents: AgentGroup) -> None:
        agents["births"] += 1


class Scar(Component):
    """A column that not everybody has."""

    columns = (Column("scars", int, public=True),)

    def begin(self, agents: AgentGroup) -> None:
        agents["scars"] = 7


def inheriting(parents: list[list[int]], *columns: str) -> Any:
    def generation(env: Environment) -> Script:
        yield Inherit("bred", np.array(parents), columns)

    return generation


def test_heirs_copy_columns_and_only_they_are_born(play: Play) -> None:
    over = play(inheriting([[1, NOBODY, NOBODY]], "gene"), Gene())
    assert over.column("gene") == [20, 20, 30]
    assert over.column("births") == [1, 0, 0]


def test_swaps_are_simultaneous(play: Play) -> None:
    over = play(inheriting([[1, 2, 0]], "gene"), Gene())
    assert over.column("gene") == [20, 30, 10]


def test_each_replicate_inherits_within_itself(play: Play) -> None:
    over = play(inheriting([[1, NOBODY], [NOBODY, 0]], "gene"), Gene(), agents=2, replicates=2)
    assert over.pages[-1].public["gene"].tolist() == [[20, 20], [10, 10]]


def test_heirs_and_parents_may_be_of_different_cohorts(play: Play) -> None:
    """A column that the parent or the heir lacks stays as it was."""
    cast = [Cohort("plain", 2, (Gene(),)), Cohort("scarred", 1, (Gene(), Scar()))]
    over = play(inheriting([[2, NOBODY, 0]], "gene", "scars"), cast=cast)
    assert over.column("gene") == [30, 20, 10]
    assert over.column("scars") == [0, 0, 7]
    assert over.column("births") == [1, 0, 1]


def test_a_column_has_one_dtype_in_all_cohorts(play: Play) -> None:
    """Or else a copy between cohorts would silently cut fractions off."""

    class Exact(Component):
        columns = (Column("gene", float),)

    cast = [Cohort("plain", 2, (Gene(),)), Cohort("exact", 1, (Exact(),))]
    with pytest.raises(CastError, match=r"'gene' is int64 in .*'plain' and float64 in .*'exact'"):
        play(inheriting([[2, NOBODY, 0]], "gene"), cast=cast)


def test_a_parent_without_a_seat_is_refused(play: Play) -> None:
    for parent in (3, -2):
        with pytest.raises(PartError, match=rf"parlour, 'bred': seat {parent} as a parent of 3"):
            play(inheriting([[parent, NOBODY, NOBODY]], "gene"), Gene())


# Edges that come and go


def trace(graph: Graph) -> list[list[int]]:
    """The neighbours of each seat of replicate 0."""
    return [sorted(graph.neighbours(0, seat).tolist()) for seat in range(graph.seats)]


def rewired(play: Play, graph: Graph, joins: Any = None, cuts: Any = None) -> list[list[int]]:
    """The neighbours of each seat of `graph` after these edits, and the same when replayed."""

    def evening(env: Environment) -> Script:
        joined, parted = (
            {} if peers is None else {"friends": np.array(peers)} for peers in (joins, cuts)
        )
        yield Tell("rewired", joins=joined, cuts=parted)

    over = play(evening, graphs={"friends": graph})
    again = play(evening, answerer=Tape(over.steps), graphs={"friends": graph})
    assert again.outcome.digest == over.outcome.digest
    assert trace(again.game.env.graphs["friends"]) == trace(over.game.env.graphs["friends"])
    return trace(over.game.env.graphs["friends"])


LINE = nx.path_graph(3)  # 0 - 1 - 2


def test_an_edge_is_added_or_cut_in_both_directions(play: Play) -> None:
    line = from_networkx([LINE], np.arange(3))
    assert trace(line) == [[1], [0, 2], [1]]
    assert rewired(play, line, joins=[[2, NOBODY, NOBODY]]) == [[1, 2], [0, 2], [0, 1]]
    assert rewired(play, line, cuts=[[NOBODY, NOBODY, 1]]) == [[1], [0], []]


def test_in_a_directed_graph_an_edge_has_one_direction(play: Play) -> None:
    line = from_networkx([nx.path_graph(3, create_using=nx.DiGraph)], np.arange(3))
    assert trace(line) == [[1], [2], []]
    assert rewired(play, line, joins=[[2, NOBODY, NOBODY]]) == [[1, 2], [2], []]
    assert rewired(play, line, cuts=[[NOBODY, 0, NOBODY]]) == [[1], [2], []]


def test_a_complete_graph_is_written_out_when_it_is_first_cut(play: Play) -> None:
    complete = Complete(1, np.arange(3))
    assert rewired(play, complete, cuts=[[1, NOBODY, NOBODY]]) == [[2], [2], [0, 1]]


def test_cuts_come_before_joins(play: Play) -> None:
    line = from_networkx([LINE], np.arange(3))
    joins, cuts = [[1, NOBODY, NOBODY]], [[1, NOBODY, NOBODY]]
    assert rewired(play, line, joins=joins, cuts=cuts) == [[1], [0, 2], [1]]


def test_the_next_question_is_asked_on_the_changed_graph(play: Play, answering: Answering) -> None:
    def feud(env: Environment) -> Script:
        yield Tell("quarrelled", cuts={"all": np.array([[1, NOBODY, NOBODY]])})
        yield Ask("bid", Neighbour("all"))

    over = play(feud, answering(lambda ask, me: [2, 2, 0]))
    assert over.answers("bid")[0].tolist() == [[2, 2, 0]]
    with pytest.raises(PartError, match="agent 0 of replicate 0"):
        play(feud, answering(lambda ask, me: [1, 2, 0]))


@pytest.mark.parametrize("role", ["joins", "cuts"])
@pytest.mark.parametrize(
    ("peer", "complaint"), [(3, "seat 3"), (-2, "seat -2"), (0, "itself")], ids=str
)
def test_an_edge_to_no_seat_or_to_oneself_is_refused(
    play: Play, role: str, peer: int, complaint: str
) -> None:
    def muddle(env: Environment) -> Script:
        peers = {"all": np.array([[peer, NOBODY, NOBODY]])}
        yield Tell("met", joins=peers) if role == "joins" else Tell("met", cuts=peers)

    with pytest.raises(PartError, match=rf"parlour, 'met': .*{complaint}"):
        play(muddle)


def test_an_edge_on_a_graph_that_does_not_exist_is_refused(play: Play) -> None:
    def muddle(env: Environment) -> Script:
        yield Tell("met", joins={"friends": np.array([[1, NOBODY, NOBODY]])})

    with pytest.raises(PartError, match="there is no graph 'friends'"):
        play(muddle)


# The tape


def test_a_tape_plays_the_same_game_without_agents(play: Play) -> None:
    over = play(lots, Slow(lambda seat: 0), rounds=3)
    again = play(lots, answerer=Tape(over.steps), rounds=3)
    assert again.outcome.digest == over.outcome.digest
    assert not again.outcome.ledger


def test_a_tape_that_runs_out_is_an_error(play: Play) -> None:
    over = play(lots, Slow(lambda seat: 0), rounds=3)
    with pytest.raises(PartError, match=r"asks 'bid' .* where the record has nothing more"):
        play(lots, answerer=Tape(over.steps), rounds=4)


def test_a_tape_of_another_script_is_an_error(play: Play) -> None:
    over = play(lots, Slow(lambda seat: 0))
    with pytest.raises(PartError, match=r"asks 'bid' \(whole 0..9\) where the record has 'bid'"):
        play(once(Integer(0, 9), None), answerer=Tape(over.steps))


# The digest


def test_the_digest_covers_what_was_asked_answered_told_and_inherited(play: Play) -> None:
    def day(
        *, kind: str = "paid", wage: float = 1, scope: Any = own, gone: Any = None, top: int = 9
    ) -> str:
        def script(env: Environment) -> Script:
            yield Ask("bid", Real(0, top))
            yield Tell(kind, {"wage": scope(wage)}, gone=gone)

        digest: str = play(script, Clerk()).outcome.digest
        return digest

    others = [
        day(kind="fined"),
        day(wage=2),
        day(scope=common),
        day(gone=np.array([[True]])),
        day(top=8),
    ]
    assert day() == day()
    assert len({day(), *others}) == 6


# What an author may get wrong


@pytest.mark.parametrize(
    ("reply", "said", "settled"),
    [
        (Real(0, 9), "a lot", 4.0),
        (Real(0, 9), None, 4.0),
        (Real(0, 9), float("nan"), 4.0),
        (Neighbour("all"), 7, NOBODY),
        (Choice("C", "D"), "E", 1),
    ],
)
def test_an_illegal_answer_from_outside_falls_back_and_is_counted(
    play: Play, reply: Value, said: object, settled: float
) -> None:
    class Oracle(Component):
        answers = ("bid",)

        async def consult(self, ask: Inquiry, agent: Agent) -> object:
            return said

    fallback = {"Real": 4.0, "Neighbour": NOBODY, "Choice": 1}[type(reply).__name__]
    over = play(once(reply, fallback), Oracle())
    assert over.answers("bid")[0].tolist() == [[settled] * 3]
    assert over.outcome.ledger == (Usage("oracle", "bid", unasked=3, fallbacks=3),)


def test_a_game_is_played_once(play: Play) -> None:
    over = play(once(Real(), None), Clerk())
    with pytest.raises(PartError, match="this game has already been played"):
        over.game.play()


def test_a_bare_array_is_no_fact(play: Play) -> None:
    def careless(env: Environment) -> Script:
        yield Tell("weighed", {"weight": np.ones((1, 3))})  # type: ignore[dict-item]

    with pytest.raises(PartError, match="'weight' is a plain value; wrap it in"):
        play(careless)


def test_joins_leave_a_complete_graph_unwritten(play: Play) -> None:
    """All know each other already."""

    def idle(env: Environment) -> Script:
        before = env.graph("all")
        yield Tell("met", joins={"all": np.array([[1, 2, 0]])})
        assert env.graph("all") is before

    play(idle)


def test_a_replicate_is_matched_alike_in_a_batch_and_alone(play: Play) -> None:
    """Somebody is cut off in one replicate, nobody in the other."""

    def dances(env: Environment) -> Script:
        parted = (env.ids == 0) & (env.replicate_ids[:, None] == 0)
        for _ in env.rounds():
            yield Tell("quarrelled", cuts={"all": np.where(parted, 1, NOBODY)})
            number = env.draws("dance").uniform("number")
            partner = env.graph("all").matched(number, env.present)
            yield Tell("danced", {"partner": own(partner)})

    def of_the_second(**at: Any) -> list[list[int]]:
        return [partner[-1].tolist() for partner in play(dances, rounds=20, **at).told("partner")]

    alone = of_the_second(replicate_ids=[1], agents=6)
    assert alone == of_the_second(replicates=2, agents=6)
