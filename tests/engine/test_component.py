"""Components: what they may know, draw and change; and the cohorts that are made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.engine.action_spaces import Choice, Fields, Neighbour, Real
from society.engine.agents import RunContext
from society.engine.calls import Address, Completion, Going, Message, ParseIssue, Request, Usage
from society.engine.cancellation import CancellationToken
from society.engine.component import (
    ANYTHING,
    Agent,
    AgentGroup,
    Column,
    Component,
    Inquiry,
    News,
    Question,
    per_agent,
)
from society.engine.environment import Environment, complete_graphs
from society.engine.game_master import GameMaster
from society.engine.gateway import ModelGateway
from society.engine.graph import NOBODY, Complete, Graph, from_networkx
from society.engine.population import Cohort, Population, fill_from_params
from society.engine.rng import Array
from society.engine.scenario import Params, Scenario
from society.engine.script import Ask, Inherit, Script, Tell, common, own, seen
from society.errors import CastError, PartError, Unparsed

if TYPE_CHECKING:
    from tests.conftest import Answering, Play, Played, Recorded


def bidding(**facts: Any) -> Any:
    """A script that asks for one bid, with these facts."""

    def auction(env: Environment) -> Script:
        yield Ask("bid", Real(0, 100), facts)

    return auction


class Purse(Component):
    """Keeps what its member has, at first 10 for each seat."""

    columns = (Column("coins", public=True),)
    notices = ("paid",)

    def begin(self, agents: AgentGroup) -> None:
        agents["coins"] = 10 * agents.audience.rows.seat

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["coins"] += tell.facts["wage"]


# Names


def test_the_title_of_a_component_is_its_class_in_words() -> None:
    class NormBelief(Component):
        pass

    class LLMPolicy2(Component):
        pass

    assert (Purse.title(), NormBelief.title()) == ("purse", "norm_belief")
    assert LLMPolicy2.title() == "llmpolicy2"


# Columns


def test_a_component_changes_its_columns_when_it_notices_something(play: Play) -> None:
    def payday(env: Environment) -> Script:
        yield Tell("paid", {"wage": own([[1, 2, 3]])})

    assert play(payday, Purse()).column("coins") == [1, 12, 23]


def test_columns_are_zero_until_begin_fills_them(play: Play) -> None:
    class Blank(Component):
        columns = (
            Column("number", int, public=True),
            Column("share", public=True),
            Column("rich", bool, public=True),
        )

    over = play(bidding(), Blank(), Asleep())
    assert over.column("number") == [0, 0, 0]
    assert over.column("share") == [0.0, 0.0, 0.0]
    assert over.column("rich") == [False, False, False]


class Asleep(Component):
    answers = ("bid",)

    def answer(self, ask: Question, agents: AgentGroup) -> object:
        return 0


def test_siblings_read_each_others_columns(play: Play, answering: Answering) -> None:
    miser = answering(lambda ask, me: me["coins"] / 2)
    assert play(bidding(), Purse(), miser).answers("bid")[0].tolist() == [[0, 5, 10]]


def test_a_column_that_nobody_keeps_is_refused_with_the_nearest_name(
    play: Play, answering: Answering
) -> None:
    miser = answering(lambda ask, me: me["coin"])
    with pytest.raises(PartError, match=r"oracle reads column 'coin'.*did you mean 'coins'\?"):
        play(bidding(), Purse(), miser)


def test_whether_a_column_is_there_can_be_asked(play: Play, answering: Answering) -> None:
    curious = answering(lambda ask, me: ("coins" in me) + ("stars" in me))
    assert play(bidding(), Purse(), curious).answers("bid")[0].tolist() == [[1, 1, 1]]


def test_answering_changes_no_column(play: Play, answering: Answering) -> None:
    def spend(ask: Question, agents: AgentGroup) -> object:
        agents["coins"] = 0
        return 0

    with pytest.raises(PartError, match="oracle sets 'coins' while answering"):
        play(bidding(), Purse(), answering(spend))


def test_answering_cannot_change_a_column_in_place_either(play: Play, answering: Answering) -> None:
    def spend(ask: Question, agents: AgentGroup) -> object:
        coins = agents["coins"]
        coins -= 1
        return 0

    with pytest.raises(ValueError, match="read-only"):
        play(bidding(), Purse(), answering(spend))


def test_only_the_own_columns_may_be_set(play: Play) -> None:
    class Thief(Component):
        def begin(self, agents: AgentGroup) -> None:
            agents["coins"] = 0

    with pytest.raises(PartError, match="thief sets column 'coins', which it has not declared"):
        play(bidding(), Purse(), Thief())


def test_a_column_of_the_wrong_length_is_refused_with_component_and_column(play: Play) -> None:
    class Careless(Component):
        columns = (Column("stars"),)

        def begin(self, agents: AgentGroup) -> None:
            agents["stars"] = np.zeros(len(agents) + 1)

    with pytest.raises(PartError, match="careless sets column 'stars' of float64 for 3 members"):
        play(bidding(), Careless())


def test_a_column_has_one_owner(play: Play) -> None:
    class Bank(Component):
        columns = (Column("coins"),)

    with pytest.raises(CastError, match="'everybody' has 'column coins' twice, in purse and bank"):
        play(bidding(), Purse(), Bank())


def test_a_component_that_answers_has_a_rule_for_it(play: Play) -> None:
    class Promise(Component):
        answers = ("bid",)

    with pytest.raises(CastError, match="promise in cohort 'everybody' answers bid but has neith"):
        play(bidding(), Promise())


def test_a_component_may_have_a_method_for_each_kind_of_question(play: Play) -> None:
    class Bidder(Component):
        def answer_bid(self, ask: Question, agents: AgentGroup) -> Array:
            return np.full(len(agents), 0.25)

    class Shopper(Bidder):
        def answer_pay(self, ask: Question, agents: AgentGroup) -> Array:
            return np.full(len(agents), 0.5)

    assert (Bidder.answers, Shopper.answers) == (("bid",), ("bid", "pay"))
    assert play(bidding(), Shopper()).answers("bid")[0].tolist() == [[0.25] * 3]


def test_a_kind_of_question_without_its_method_is_named(play: Play) -> None:
    class Shopper(Component):
        answers = ("bid", "pay")

        def answer_pay(self, ask: Question, agents: AgentGroup) -> Array:
            return np.full(len(agents), 0.5)

    with pytest.raises(PartError, match="shopper answers 'bid'; write the method answer_bid"):
        play(bidding(), Shopper())


def test_a_cohort_has_one_component_of_each_name(play: Play) -> None:
    with pytest.raises(CastError, match="'everybody' has 'asleep' twice"):
        play(bidding(), Asleep(), Asleep())


def test_columns_that_not_everybody_has_are_nan_or_zero_in_public(play: Play) -> None:
    class Rank(Component):
        columns = (Column("rank", int, public=True),)

        def begin(self, agents: AgentGroup) -> None:
            agents["rank"] = 7

    cast = [Cohort("rich", 2, (Purse(), Asleep())), Cohort("ranked", 1, (Rank(), Asleep()))]
    over = play(bidding(), cast=cast)
    assert np.isnan(over.column("coins")).tolist() == [False, False, True]
    assert over.column("rank") == [0, 0, 7]


def test_some_members_are_seen_with_their_own_columns_facts_and_draws(
    play: Play, answering: Answering
) -> None:
    def selective(ask: Question, agents: AgentGroup) -> object:
        few = agents.only(np.array([2, 0]))
        assert len(few) == 2
        assert few["coins"].tolist() == [20, 0]
        assert few.audience.rows.seat.tolist() == [2, 0]
        some, whole = few.draws.uniform("whim"), agents.draws.uniform("whim")
        assert some.tolist() == whole[[2, 0]].tolist()
        return 0

    play(bidding(), Purse(), answering(selective))


# Facts


def test_common_facts_are_the_same_for_all_and_own_facts_are_not(
    play: Play, answering: Answering
) -> None:
    sum_of_both = answering(lambda ask, me: ask.facts["tax"] + ask.facts["wage"])
    facts = {"tax": common([[10], [20]]), "wage": own([[1, 2], [3, 4]])}
    over = play(bidding(**facts), sum_of_both, agents=2, replicates=2)
    assert over.answers("bid")[0].tolist() == [[11, 12], [23, 24]]


def test_the_facts_of_a_line_can_be_listed(play: Play, answering: Answering) -> None:
    names: list[str] = []

    def listing(ask: Question, agents: AgentGroup) -> object:
        names.extend(ask.facts)
        return len(ask.facts)

    over = play(bidding(tax=common(1), wage=own(2)), answering(listing))
    assert names == ["tax", "wage"]
    assert over.answers("bid")[0].tolist() == [[2, 2, 2]]


def test_an_unknown_fact_is_refused_with_the_nearest_name(play: Play, answering: Answering) -> None:
    curious = answering(lambda ask, me: ask.facts["wages"])
    with pytest.raises(PartError, match=r"'bid' has no fact 'wages'; did you mean 'wage'\?"):
        play(bidding(wage=own(1)), curious)


def test_what_is_not_seen_on_a_graph_has_no_neighbours(play: Play, answering: Answering) -> None:
    curious = answering(lambda ask, me: ask.facts.seen("wage").mean())
    with pytest.raises(PartError, match="fact 'wage' of 'bid' is own, not seen on a graph"):
        play(bidding(wage=own(1)), curious)


LINE = nx.path_graph(3)  # 0 - 1 - 2


def test_a_fact_that_is_seen_shows_the_neighbours_entries(play: Play, answering: Answering) -> None:
    graphs = {"line": from_networkx([LINE], np.arange(3))}
    wage = seen("line", [[1.0, 2.0, 6.0]])

    def told(rule: Any) -> Any:
        return play(bidding(wage=wage), answering(rule), graphs=graphs).answers("bid")[0].tolist()

    assert told(lambda ask, me: ask.facts["wage"]) == [[1, 2, 6]]
    assert told(lambda ask, me: ask.facts.seen("wage").mean()) == [[2, 3.5, 2]]
    assert told(lambda ask, me: ask.facts.seen("wage").of(np.array([1, 2, 1]))) == [[2, 6, 2]]


def test_nobody_has_the_value_nan_whatever_the_type_of_the_fact(
    play: Play, answering: Answering
) -> None:
    """Or else the type that a component sees would depend on whether anybody is named."""
    for values in ([[1.0, 2.0, 6.0]], [[1, 2, 6]], [[True, False, True]]):
        for peers in ([1, 2, 1], [1, NOBODY, 1]):

            def lookup(ask: Question, agents: AgentGroup, peers: list[int] = peers) -> object:
                theirs = ask.facts.seen("wage").of(np.array(peers))
                assert theirs.dtype == float
                assert np.isnan(theirs).tolist() == [peer == NOBODY for peer in peers]
                return 0

            play(bidding(wage=seen("all", values)), answering(lookup))


def test_those_who_are_gone_are_not_seen(play: Play, answering: Answering) -> None:
    def after_a_death(env: Environment) -> Script:
        yield Tell("died", gone=np.array([[False, False, True]]))
        yield Ask("bid", Real(0, 100), {"wage": seen("all", [[1.0, 2.0, 6.0]])})

    def mean(ask: Question, agents: AgentGroup) -> Array:
        wages = ask.facts.seen("wage")
        assert wages.drawn(np.full(len(agents), 0.99))[:2].tolist() == [1, 0]
        return wages.mean()

    assert play(after_a_death, answering(mean)).answers("bid")[0].tolist() == [[2, 1, 0]]


def test_the_mean_over_nobody_is_nan(play: Play, answering: Answering) -> None:
    isolated = {"line": from_networkx([nx.empty_graph(3)], np.arange(3))}

    def lonely(ask: Question, agents: AgentGroup) -> object:
        assert np.isnan(ask.facts.seen("wage").mean()).all()
        assert ask.facts.seen("wage").drawn(np.full(len(agents), 0.5)).tolist() == [NOBODY] * 3
        return 0

    play(bidding(wage=seen("line", [[1, 2, 6]])), answering(lonely), graphs=isolated)


# One by one


class ByColumns(Component):
    """A rule with draws, facts of every scope, options and several answers."""

    answers = ("bid", "visit", "pick", "fill")

    def answer(self, ask: Question, agents: AgentGroup) -> Any:
        wages = ask.facts.seen("wage")
        luck = agents.draws.uniform("luck")
        if ask.kind == "visit":
            return wages.drawn(luck)
        price = ask.facts["tax"] + agents["coins"] * luck + 0 * agents.draws.normal("mood")
        if ask.kind == "fill":
            return {"price": price, "peer": wages.drawn(luck)}
        if ask.kind == "pick":
            assert ask.options is not None
            return np.argmax(ask.options[agents.replicate], axis=1)
        return price + np.nan_to_num(wages.of(wages.drawn(luck)))


class Alone(Component):
    """A component like the other one, written for a single agent."""

    answers = ByColumns.answers

    @classmethod
    def title(cls) -> str:
        return "by_columns"  # the same address of chance

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> Any:
        wages = ask.facts.seen("wage")
        luck = agent.draws.uniform("luck")
        peers = list(wages)
        peer = peers[int(luck * len(peers))] if peers else NOBODY
        if ask.kind == "visit":
            return peer
        price = ask.facts["tax"] + agent["coins"] * luck + 0 * agent.draws.normal("mood")
        if ask.kind == "fill":
            return {"price": price, "peer": peer}
        if ask.kind == "pick":
            assert ask.options is not None
            return int(np.argmax(ask.options))
        return price + wages.get(peer, 0)


@st.composite
def neighbourhoods(draw: st.DrawFn) -> tuple[Graph, list[int]]:
    seats = draw(st.integers(1, 5))
    ids = draw(st.permutations(range(seats)))
    if draw(st.booleans()):
        return Complete(2, np.array(ids)), list(ids)
    graphs = [nx.gnp_random_graph(seats, 0.5, seed=draw(st.integers(0, 9))) for _ in range(2)]
    return from_networkx(graphs, np.array(ids)), list(ids)


@given(neighbourhoods(), st.data())
def test_a_rule_for_one_agent_equals_its_columnar_twin(
    play: Play, neighbourhood: tuple[Graph, list[int]], data: st.DataObject
) -> None:
    graph, ids = neighbourhood
    flags = st.lists(st.booleans(), min_size=2 * len(ids), max_size=2 * len(ids))
    gone, who = (np.array(data.draw(flags)).reshape(2, -1) for _ in range(2))

    def day(env: Environment) -> Script:
        wage = np.arange(2.0 * len(ids)).reshape(2, -1)
        facts = {"tax": common([[1.0], [2.0]]), "wage": seen("town", wage)}
        yield Tell("left", gone=gone)
        yield Ask("bid", Real(0, 100), facts, who=who)
        yield Ask("visit", Neighbour("town"), facts, who=who)
        yield Ask("pick", Choice(options=np.array([[1.0, 3.0], [4.0, 2.0]])), facts, who=who)
        yield Ask("fill", Fields({"price": Real(0, 99), "peer": Neighbour("town")}), facts, who=who)

    def digest(part: Component) -> str:
        graphs = {"town": graph}
        over = play(day, Purse(), part, agents=len(ids), ids=ids, replicates=2, graphs=graphs)
        played: str = over.outcome.digest
        return played

    assert digest(Alone()) == digest(ByColumns())


def test_one_agent_knows_where_it_sits(play: Play) -> None:
    places: list[tuple[int, int, bool, bool]] = []

    class Tourist(Component):
        answers = ("bid",)

        @per_agent
        def answer(self, ask: Inquiry, agent: Agent) -> float:
            places.append((agent.replicate, agent.seat, "coins" in agent, "stars" in agent))
            return 0

    play(bidding(), Purse(), Tourist(), agents=2, replicates=2)
    assert places == [(k, seat, True, False) for k in range(2) for seat in range(2)]


# Cohorts


def test_cohorts_take_seats_in_order(play: Play, answering: Answering) -> None:
    low, high = answering(lambda ask, me: 1), answering(lambda ask, me: 9)
    cast = [Cohort("low", 2, (low,)), Cohort("high", 1, (high,))]
    assert play(bidding(), cast=cast).answers("bid")[0].tolist() == [[1, 1, 9]]


def test_a_cohort_may_sit_elsewhere_in_each_replicate(play: Play, answering: Answering) -> None:
    here = np.array([[True, False], [False, True]])
    low, high = answering(lambda ask, me: 1), answering(lambda ask, me: 9)
    cast = [Cohort("low", 1, (low,), here), Cohort("high", 1, (high,), ~here)]
    over = play(bidding(), cast=cast, agents=2, replicates=2)
    assert over.answers("bid")[0].tolist() == [[1, 9], [9, 1]]


def test_an_empty_cohort_does_no_harm(play: Play) -> None:
    cast = [Cohort("none", 0, (Purse(), ByColumns())), Cohort("all", 3, (Purse(), ByColumns()))]
    script = bidding(tax=common(1), wage=seen("all", [[1, 2, 6]]))
    split, whole = play(script, cast=cast), play(script, Purse(), ByColumns())
    assert split.outcome.digest == whole.outcome.digest


@pytest.mark.parametrize(
    ("counts", "complaint"),
    [
        ([], r"the cast has 0 agents \(0 none\), not 3; let the counts of its cohorts sum to 3$"),
        ([2], r"the cast has 2 agents \(2 cohort 2\), not 3; .* sum to 3, or set agents=2"),
    ],
    ids=str,
)
def test_seats_that_nobody_takes_are_refused(play: Play, counts: list[int], complaint: str) -> None:
    cast = [Cohort(f"cohort {n}", n, (Asleep(),)) for n in counts] or [Cohort("none", 0, ())]
    with pytest.raises(CastError, match=complaint):
        play(bidding(), cast=cast)


def test_a_seat_that_is_taken_twice_is_refused(play: Play) -> None:
    everywhere = np.ones(3, bool)
    cast = [Cohort("all", 3, (Asleep(),)), Cohort("again", 3, (Asleep(),), everywhere)]
    with pytest.raises(CastError, match="seat 0 of replicate 0 belongs to 2 cohorts"):
        play(bidding(), cast=cast)


@pytest.mark.parametrize("where", [np.ones(4, bool), np.ones((3, 3), bool), np.arange(3)], ids=str)
def test_a_cohort_that_sits_in_no_such_place_is_refused(play: Play, where: Array) -> None:
    with pytest.raises(CastError, match=r"cohort 'all' sits where .* expected bool, \(3,\)"):
        play(bidding(), cast=[Cohort("all", 3, (Asleep(),), where)])


def test_two_cohorts_of_one_name_are_refused(play: Play) -> None:
    cast = [Cohort("all", 1, (Asleep(),)), Cohort("all", 2, (Asleep(),))]
    with pytest.raises(CastError, match="two cohorts are called 'all'"):
        play(bidding(), cast=cast)


# Fitting components to parameters


class Market(Params):
    """Parameters of some scenario."""

    price: float = 3.0
    haste: float = 0.5


@dataclass(frozen=True)
class Trader(Component):
    """Takes its price from the scenario, unless told otherwise."""

    price: float = 1.0
    mood: Literal["calm", "wild"] = "calm"


def test_parameters_of_the_same_name_are_passed_on_to_components() -> None:
    assert fill_from_params(Trader, Market()) == Trader(price=3.0, mood="calm")
    assert fill_from_params(Trader, Market(), price=4, mood="wild") == Trader(
        price=4.0, mood="wild"
    )


def test_a_parameter_that_a_component_lacks_is_refused() -> None:
    with pytest.raises(CastError, match=r"trader.*no parameter 'prize'; did you mean 'price'\?"):
        fill_from_params(Trader, Market(), prize=4)


def test_a_value_that_a_component_does_not_take_is_refused() -> None:
    with pytest.raises(CastError, match=r"trader.*mood.*'angry'.*calm.*wild"):
        fill_from_params(Trader, Market(), mood="angry")


# Birth


def test_the_newly_born_may_mutate_and_nobody_else_does(play: Play) -> None:
    class Child(Component):
        columns = (Column("age", public=True),)

        def begin(self, agents: AgentGroup) -> None:
            agents["age"] = 40

        def born(self, agents: AgentGroup) -> None:
            agents["age"] = agents["age"] - 40 + agents.draws.uniform("months")

    def generation(env: Environment) -> Script:
        yield Inherit("bred", np.array([[1, NOBODY, NOBODY]]), ("age",))

    ages = play(generation, Child()).column("age")
    assert 0 <= ages[0] < 1
    assert ages[1:] == [40, 40]


# Order, bounds, sight and births


@dataclass(frozen=True)
class Wallet(Component):
    """Starts with as many coins as its temper says."""

    columns = (Column("coins", public=True),)

    def begin(self, agents: AgentGroup) -> None:
        agents["coins"] = 10 + agents["temper"]

    def born(self, agents: AgentGroup) -> None:
        agents["coins"] = agents["coins"] + 100


@dataclass(frozen=True)
class Temperament(Component):
    columns = (Column("temper", public=True),)

    def begin(self, agents: AgentGroup) -> None:
        agents["temper"] = [1.0, 2.0, 3.0]

    def born(self, agents: AgentGroup) -> None:
        agents["temper"] = -agents["temper"]


def silence(env: Environment) -> Script:
    for _ in env.rounds():
        yield Tell("passed")


def test_a_column_is_read_only_after_its_owner_has_begun(play: Play) -> None:
    assert play(silence, Temperament(), Wallet()).column("coins") == [11, 12, 13]
    with pytest.raises(
        CastError, match="wallet reads column 'temper' before temperament has begun"
    ):
        play(silence, Wallet(), Temperament())


def test_only_what_was_inherited_is_mutated(play: Play) -> None:
    def lesson(env: Environment) -> Script:
        yield Inherit("taught", np.array([[NOBODY, 0, NOBODY]]), ("temper",))

    over = play(lesson, Temperament(), Wallet())
    assert over.column("temper") == [1, -1, 3]
    assert over.column("coins") == [11, 12, 13]


def test_each_member_hears_its_own_bounds(play: Play, answering: Answering) -> None:
    high = np.array([[2.0, 4.0, 6.0], [8.0, 10.0, 12.0]])

    def half(ask: Question, agents: AgentGroup) -> Array:
        assert isinstance(ask.reply, Real)
        return np.asarray(ask.reply.high / 2)

    class Halving(Component):
        answers = ("bid",)

        async def consult(self, ask: Inquiry, agent: Agent) -> float:
            assert isinstance(ask.reply, Real)
            return float(ask.reply.high / 2)

    def auction(env: Environment) -> Script:
        yield Ask("bid", Real(0, high))

    for part in (answering(half), Halving()):
        over = play(auction, part, replicates=2)
        assert over.answers("bid")[0].tolist() == (high / 2).tolist()
        assert over.pages[0].steps[0].arrays["high", ""].tolist() == high.tolist()


def test_nobody_looks_at_whom_it_does_not_see(play: Play, answering: Answering) -> None:
    line = {"all": from_networkx([nx.path_graph(3)], np.arange(3))}  # 0 - 1 - 2

    def stare(ask: Question, agents: AgentGroup) -> Array:
        return ask.facts.seen("wage").of(np.array([1, 1, 0]))

    def market(env: Environment) -> Script:
        yield Ask("bid", Real(), {"wage": seen("all", np.array([[5.0, 6.0, 7.0]]))})

    with pytest.raises(PartError, match="seat 2 looks at seat 0, whom it does not see"):
        play(market, answering(stare), graphs=line)
    assert play(market, answering(stare)).answers("bid")[0].tolist() == [[6, 6, 5]]


# Every kind of line


class Chatter(Component):
    """Answers and notices whatever comes."""

    answers = ANYTHING
    notices = ANYTHING
    columns = (Column("heard", int, public=True),)

    def answer(self, ask: Question, agents: AgentGroup) -> object:
        return 7

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["heard"] += 1


def test_who_answers_anything_answers_what_nobody_before_it_answers(play: Play) -> None:
    def day(env: Environment) -> Script:
        yield Ask("bid", Real(0, 100))
        yield Ask("sing", Real(0, 100))
        yield Tell("passed")
        yield Tell("rained")

    for parts, bid in (((Asleep(), Chatter()), 0), ((Chatter(), Asleep()), 7)):
        over = play(day, *parts)
        assert over.answers("bid")[0].tolist() == [[bid] * 3]
        assert over.answers("sing")[0].tolist() == [[7, 7, 7]]
        assert over.column("heard") == [2, 2, 2]


# What one agent knows, tells and hears


def spied(play: Play, look: Any, *parts: Component, **at: Any) -> list[Any]:
    """List the facts that each agent in turn finds when it is asked for a bid in round 2."""
    found: list[Any] = []

    class Spy(Component):
        answers = ("bid",)

        @per_agent
        def answer(self, ask: Inquiry, agent: Agent) -> float:
            if agent.moment == 2:
                found.append(look(ask, agent))
            return 0

    def rounds(env: Environment) -> Script:
        for _ in env.rounds():
            yield Ask("bid", Real(0, 100), {"wage": own(np.arange(env.agents)[None, :])})

    play(rounds, Spy(), *parts, rounds=2, **at)
    return found


def test_an_agent_has_an_id_a_name_and_a_time(play: Play) -> None:
    found = spied(play, lambda ask, one: (one.seat, one.agent, one.name, one.moment), ids=[2, 0, 1])
    assert found == [(0, 2, "2", 2), (1, 0, "0", 2), (2, 1, "1", 2)]


def test_members_know_their_ids_the_time_and_the_parameters(
    play: Play, answering: Answering
) -> None:
    def look(ask: Question, agents: AgentGroup) -> object:
        assert agents.agent.tolist() == [2, 0, 1]
        assert (agents.moment, agents.params) == (0, Params())
        assert agents.env.agents == 3
        return 0

    play(bidding(), answering(look), ids=[2, 0, 1])


class Boast(Component):
    """Tells what its member has, if it has anything."""

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        return f"{ask.kind}: I have {agent['coins']:g}." if agent["coins"] else ""


def test_briefs_come_in_the_order_of_the_siblings_without_empty_ones(play: Play) -> None:
    class Worry(Component):
        def brief(self, ask: Inquiry, agent: Agent) -> str:
            return f"My wage is {ask.facts['wage']}."

    assert spied(play, lambda ask, one: one.briefs(ask), Purse(), Worry(), Boast()) == [
        ["My wage is 0."],
        ["My wage is 1.", "bid: I have 10."],
        ["My wage is 2.", "bid: I have 20."],
    ]


def test_neighbours_are_named_by_id_in_order_of_id_with_their_seats(play: Play) -> None:
    found = spied(play, lambda ask, one: list(one.neighbours("all").items()), ids=[2, 0, 1])
    assert found == [[("0", 1), ("1", 2)], [("1", 2), ("2", 0)], [("0", 1), ("2", 0)]]


def test_neighbours_who_are_gone_are_not_among_them(play: Play) -> None:
    seen_by: list[dict[str, int]] = []

    class Watch(Component):
        answers = ("bid",)

        @per_agent
        def answer(self, ask: Inquiry, agent: Agent) -> float:
            seen_by.append(agent.neighbours("all"))
            return 0

    def after_a_death(env: Environment) -> Script:
        yield Tell("died", gone=np.array([[False, True, False]]))
        yield Ask("bid", Real(0, 100))

    play(after_a_death, Watch())
    assert seen_by == [{"2": 2}, {"0": 0}]


class Lookout(Component):
    """Notes which three neighbours agent 0 sees."""

    answers = ("bid",)

    def __init__(self) -> None:
        self.saw: list[set[str]] = []

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> float:
        if agent.agent == 0:
            self.saw.append(set(agent.neighbours("all", 3)))
        return 0


def test_a_few_neighbours_are_drawn_by_chance_anew_in_each_round(play: Play) -> None:
    """Each of nine others is among the three in about a third of 200 rounds."""

    def days(env: Environment) -> Script:
        for _ in env.rounds():
            yield Ask("bid", Real(0, 100))

    lookout = Lookout()
    play(days, lookout, agents=10, rounds=200)
    counts = [sum(str(peer) in seen for seen in lookout.saw) for peer in range(10)]
    assert counts[0] == 0
    assert sum(counts) == 600
    # Binomial with n = 200 and p = 1/3: 66.7, and three standard deviations of 6.7.
    assert 46 < min(counts[1:]) <= max(counts) < 87


def test_when_one_who_is_seen_leaves_the_others_stay_in_sight_and_another_comes(play: Play) -> None:
    lookout = Lookout()

    def a_death(env: Environment) -> Script:
        yield Ask("bid", Real(0, 100))
        leaving = min(lookout.saw[0])
        yield Tell("died", gone=np.array([[str(seat) == leaving for seat in range(10)]]))
        yield Ask("bid", Real(0, 100))

    play(a_death, lookout, agents=10)
    before, after = lookout.saw
    assert len(before) == len(after) == 3
    assert before - after == {min(before)}


def test_whom_somebody_sees_is_found_once_in_a_round(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many questions there are; what a reader does to the answer stays with it."""
    looked: list[int] = []
    look = Environment.sight

    def noting(env: Environment, node: int, ids: Array) -> Array:
        looked.append(node)
        return look(env, node, ids)

    monkeypatch.setattr(Environment, "sight", noting)

    class Careless(Component):
        answers = ("bid",)

        @per_agent
        def answer(self, ask: Inquiry, agent: Agent) -> float:
            seen = agent.neighbours("all", 3)
            assert len(seen) == 3
            seen.clear()
            return 0

    def days(env: Environment) -> Script:
        for _ in env.rounds():
            yield Ask("bid", Real(0, 100))
            yield Ask("bid", Real(0, 100))

    play(days, Careless(), agents=10, rounds=2)
    assert sorted(looked) == sorted([*range(10)] * 2)


def test_large_crowds_in_sight_are_not_remembered(play: Play) -> None:
    """All of all would take memory with the square of the number of agents."""
    kept: list[int] = []

    class Gazer(Component):
        answers = ("bid",)

        @per_agent
        def answer(self, ask: Inquiry, agent: Agent) -> float:
            assert len(agent.neighbours("all")) == 99
            kept.append(len(agent.context.sight._known))
            return 0

    def day(env: Environment) -> Script:
        yield Ask("bid", Real(0, 100))

    play(day, Gazer(), agents=100)
    assert set(kept) == {0}


def test_who_is_looked_at_before_whom_depends_on_nobody_else() -> None:
    """On a sparser graph, or when somebody has left, the others keep their order."""
    table = Environment(None, seed=1, ids=np.arange(10), replicate_ids=np.arange(1), horizon=1)
    everybody, some = np.arange(1, 10), np.array([9, 2, 7, 4])
    order = everybody[table.sight(0, everybody)].tolist()
    assert some[table.sight(0, some)].tolist() == [peer for peer in order if peer in some]
    assert order != everybody[table.sight(1, everybody)].tolist()


def test_the_same_few_are_seen_on_all_graphs_where_all_see_all(play: Play) -> None:
    def looks(ask: Inquiry, agent: Agent) -> bool:
        return agent.neighbours("all", 2) == agent.neighbours("work", 2)

    seats = np.arange(6)
    assert spied(play, looks, agents=6, graphs={"work": Complete(1, seats)}) == [True] * 6


def test_at_most_so_many_neighbours_are_seen_the_same_at_every_look(play: Play) -> None:
    def looks(ask: Inquiry, agent: Agent) -> tuple[dict[str, int], ...]:
        return agent.neighbours("all", 2), agent.neighbours("all", 2), agent.neighbours("all", 9)

    for first, second, everybody in spied(play, looks, agents=9):
        assert list(first.items()) == list(second.items())
        assert [int(name) for name in first] == sorted(int(name) for name in first)
        assert len(first) == 2
        assert first.items() <= everybody.items()
        assert len(everybody) == 8


def test_what_happened_is_put_into_words_for_each_who_hears_it(play: Play) -> None:
    heard: list[list[str]] = []

    class Ear(Component):
        notices = ("paid",)

        def notice(self, tell: News, agents: AgentGroup) -> None:
            heard.append(agents.told(tell))

    def payday(env: Environment) -> Script:
        facts = {"wage": own([[1.0, 2.5, 3.0]]), "tax": common(4)}
        yield Tell("paid", facts, gone=np.array([[False, True, False]]))
        yield Tell("paid", facts)

    play(payday, Ear())
    assert heard == [
        ["paid: wage 1, tax 4", "paid: wage 2.5, tax 4", "paid: wage 3, tax 4"],
        ["paid: wage 1, tax 4", "paid: wage 3, tax 4"],
    ]


# Stores


class Store(list[str]):
    """A store in a cell."""

    def copy(self) -> Store:
        return Store(self)


def test_an_heir_gets_a_copy_of_a_store_and_immutable_cells_as_they_are(play: Play) -> None:
    class Diary(Component):
        columns = (Column("diary", object), Column("motto", object))
        notices = ("met",)

        def begin(self, agents: AgentGroup) -> None:
            agents["diary"] = [Store([f"born {name}"]) for name in agents.agent]
            agents["motto"] = ["mine", "yours", "ours"]

        def notice(self, tell: News, agents: AgentGroup) -> None:
            for agent, diary in zip(agents.agent, agents["diary"], strict=True):
                diary.append(f"met {agent}")

    def generation(env: Environment) -> Script:
        yield Inherit("bred", np.array([[NOBODY, 0, NOBODY]]), ("diary", "motto"))
        yield Tell("met")

    (members,) = play(generation, Diary()).population.states
    assert members.values["diary"].tolist() == [
        ["born 0", "met 0"],
        ["born 0", "met 1"],
        ["born 2", "met 2"],
    ]
    assert members.values["motto"].tolist() == ["mine", "mine", "ours"]


# Calls to outside minds


class Parrot:
    """A mind that says the last words it hears, and keeps what it was asked."""

    patience = 5.0

    def __init__(self) -> None:
        self.requests: list[Request] = []

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        await going()
        self.requests.append(request)
        return Completion(request.messages[-1].content, cost=0.0, model="parrot")

    async def close(self) -> None: ...


def conversing(
    recorded: Recorded, script: Any, *parts: Component, agents: int = 2, ids: Any = None
) -> tuple[Played, list[Request]]:
    """A game with a parrot, and what it was asked, in order of addresses."""
    parrot, seats = Parrot(), np.arange(agents) if ids is None else np.array(ids)
    table = Environment(
        Params(),
        seed=1,
        ids=seats,
        replicate_ids=np.array([5]),
        horizon=1,
        graphs=complete_graphs(("all",), 1, seats),
    )
    world = RunContext(table, ModelGateway(lambda: parrot))
    parlour = Scenario("parlour", script, cast=lambda p, n: [])
    population = Population([Cohort("everybody", agents, parts)], world)
    over = recorded(GameMaster(parlour, table, population))
    return over, sorted(parrot.requests, key=lambda request: request.address)


async def spoken(agent: Agent, words: str) -> float:
    return float((await agent.call("default", [Message("user", words)])).text)


class Bargain(Component):
    """Asks twice before it bids, and once when it is paid."""

    answers = ("bid",)
    notices = ("paid",)
    columns = (Column("joy", public=True),)

    async def consult(self, ask: Inquiry, agent: Agent) -> float:
        return await spoken(agent, "3") + await spoken(agent, "4")

    async def notice(self, tell: News, agents: AgentGroup) -> None:
        agents["joy"] = await agents.each(lambda one: spoken(one, str(10 * one.agent)))


def test_calls_have_the_address_of_their_agent_and_occasion_and_count_turns(
    recorded: Recorded,
) -> None:
    def twice(env: Environment) -> Script:
        yield Ask("bid", Real(0, 100))
        yield Ask("bid", Real(0, 100), who=np.array([[False, True]]))
        yield Tell("paid")

    over, requests = conversing(recorded, twice, Bargain(), ids=[1, 0])
    assert over.answers("bid")[0].tolist() == [[7, 7]]
    assert [request.address for request in requests] == [
        Address("bargain", "answer bid", 0, 5, 0, 0),
        Address("bargain", "answer bid", 0, 5, 0, 1),
        Address("bargain", "answer bid", 0, 5, 1, 0),
        Address("bargain", "answer bid", 0, 5, 1, 1),
        Address("bargain", "answer bid", 1, 5, 0, 0),
        Address("bargain", "answer bid", 1, 5, 0, 1),
        Address("bargain", "notice paid", 0, 5, 0, 0),
        Address("bargain", "notice paid", 0, 5, 1, 0),
    ]


def test_a_component_may_ask_outside_minds_when_it_notices_something(recorded: Recorded) -> None:
    def payday(env: Environment) -> Script:
        yield Tell("paid")

    over, _ = conversing(recorded, payday, Bargain(), ids=[1, 0])
    assert over.column("joy") == [10, 0]


def test_a_repair_is_counted_with_its_reason_and_so_is_a_fallback(recorded: Recorded) -> None:
    class Mumbler(Component):
        answers = ("bid",)

        async def consult(self, ask: Inquiry, agent: Agent) -> float:
            words = [Message("user", "hm")]
            await agent.call("default", words)
            await agent.call("default", words, again="repair", reason="no number")
            raise Unparsed("still no number")

    def bid(env: Environment) -> Script:
        yield Ask("bid", Real(0, 100), fallback=9, who=np.array([[False, True]]))

    over, _ = conversing(recorded, bid, Mumbler())
    assert over.answers("bid")[0].tolist() == [[0, 9]]
    who = "mumbler", "bid", "parrot", 5, 1
    assert over.pages[0].troubles == (
        ParseIssue(*who, "fallback", "still no number"),
        ParseIssue(*who, "repair", "no number"),
    )
    (entry,) = over.outcome.ledger
    assert (entry.calls, entry.repairs, entry.fallbacks, entry.cost) == (2, 1, 1, 0.0)
    assert (entry.prompt_tokens, entry.completion_tokens) == (None, None)


def test_an_answer_of_the_wrong_form_is_a_fallback_of_the_mind_that_gave_it(
    recorded: Recorded,
) -> None:
    class Poet(Component):
        answers = ("bid",)

        async def consult(self, ask: Inquiry, agent: Agent) -> str:
            return "a summer's day" if agent.agent else "1"

    def bid(env: Environment) -> Script:
        yield Ask("bid", Choice("low", "high"), fallback=1)

    over, requests = conversing(recorded, bid, Poet())
    assert over.answers("bid")[0].tolist() == [[1, 1]]
    assert over.outcome.ledger == (Usage("poet", "bid", fallbacks=2, unasked=2),)
    reasons = [trouble.reason for trouble in over.pages[0].troubles]
    assert reasons == ["got '1'", 'got "a summer\'s day"']
    assert requests == []


def test_vectors_of_many_members_come_in_the_order_of_their_texts(play: Play) -> None:
    class Lengths:
        name = "lengths"

        def embed(self, texts: Any) -> Array:
            return np.array([[len(text)] for text in texts], np.float32)

    def look(ask: Inquiry, agent: Agent) -> list[list[float]]:
        vectors: list[list[float]] = agent.embedded(Lengths(), ["sea", "a", "sea"]).tolist()
        return vectors

    assert spied(play, look, agents=1) == [[[3], [1], [3]]]


def test_those_who_are_gone_have_no_texts_to_embed(play: Play) -> None:
    """As in a memory of a cohort of which nobody is left."""
    shapes: list[int] = []

    class Memory(Component):
        notices = ("passed",)

        def notice(self, tell: News, agents: AgentGroup) -> None:
            embedder: Any = type("Nothing", (), {"name": "none"})
            shapes.append(len(agents.embedded(embedder, agents.told(tell))))

    def extinction(env: Environment) -> Script:
        yield Tell("died", gone=np.array([[True, True, False]]))
        yield Tell("passed")

    cast = [Cohort("dying", 2, (Memory(),)), Cohort("other", 1, ())]
    play(extinction, cast=cast)
    assert shapes == [0]
