"""Institutions: what follows for the world from fines, imitation and votes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.engine.component import AgentGroup, Column, Component, Question
from society.engine.environment import Environment
from society.engine.graph import NOBODY, Graph, from_networkx
from society.engine.rng import Array
from society.engine.script import Script, Tell, own
from society.scenarios.village.institutions import (
    VoteRule,
    detection_chance,
    distinct_values,
    fine_neighbours,
    imitate_neighbours,
    median_voter,
    plurality_winner,
    propose_and_vote,
)

if TYPE_CHECKING:
    from tests.conftest import Play


class Citizen(Component):
    """Says what it was told to say, one answer for each seat; keeps a token to be copied."""

    answers = ("watch", "punish", "imitate", "propose", "vote")
    columns = (Column("token", int, public=True),)

    def __init__(self, said: Any, vote: Any = None) -> None:
        self.said, self.vote = said, vote

    def begin(self, agents: AgentGroup) -> None:
        agents["token"] = agents.audience.rows.seat

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        said = self.vote if ask.kind == "vote" else self.said
        return np.asarray(said)[agents.audience.rows.seat]


TRIANGLE = nx.complete_graph(3)
LINE = nx.path_graph(3)  # 0 - 1 - 2
ARROWS = nx.path_graph(3, create_using=nx.DiGraph)  # 0 -> 1 -> 2


# Watching


def on(graph: Any, *relations: str) -> dict[str, Graph]:
    """The same graph of networkx for each of these relations."""
    return dict.fromkeys(relations, from_networkx([graph], np.arange(len(graph))))


def risk(play: Play, watch: list[float], graph: Any) -> Any:
    def script(env: Environment) -> Script:
        yield Tell("estimated", {"risk": own((yield from detection_chance(env)))})

    over = play(script, Citizen(watch), graphs=on(graph, "monitor"))
    return over.told("risk")[0].tolist()[0]


def test_the_risk_of_a_violation_counts_all_who_may_look(play: Play) -> None:
    """rho_0 = 1 - (1 - .2/2)(1 - 0/2) = .1, and so on; nobody watches itself."""
    expected = [0.1, 1 - 0.75 * 1.0, 1 - 0.75 * 0.9]
    assert risk(play, [0.5, 0.2, 0.0], TRIANGLE) == pytest.approx(expected)


def test_on_a_graph_the_risk_counts_neighbours_and_their_degrees(play: Play) -> None:
    """Seat 1 spreads its attention over two, the ends look at nobody else."""
    assert risk(play, [0.5, 0.2, 0.0], LINE) == pytest.approx([0.1, 0.5, 0.1])


def test_on_a_directed_graph_the_risk_comes_from_those_who_see_one(play: Play) -> None:
    assert risk(play, [0.5, 0.2, 0.9], ARROWS) == pytest.approx([0, 0.5, 0.2])


def test_on_a_graph_without_edges_there_is_no_risk(play: Play) -> None:
    assert risk(play, [1.0, 1.0, 1.0], nx.empty_graph(3)) == [0, 0, 0]


# Fines and imitation


def test_a_fine_is_given_once_and_received_once(play: Play) -> None:
    """Seats 0 and 1 both fine seat 2."""

    def script(env: Environment) -> Script:
        fines = yield from fine_neighbours(env, np.ones((1, 3)), np.ones((1, 1)))
        yield Tell("counted", {"given": own(fines.given), "received": own(fines.received)})

    over = play(script, Citizen([2, 2, NOBODY]), graphs=on(TRIANGLE, "monitor"))
    assert over.told("given")[0].tolist() == [[True, True, False]]
    assert over.told("received")[0].tolist() == [[False, False, True]]


def test_whoever_imitates_takes_the_columns_of_its_model(play: Play) -> None:
    def script(env: Environment) -> Script:
        yield from imitate_neighbours(np.zeros((1, 3)), ("token",))

    over = play(script, Citizen([2, NOBODY, 1]), graphs=on(TRIANGLE, "learn"))
    assert over.column("token") == [2, 1, 1]


# Votes


def chosen(play: Play, rule: VoteRule, proposals: list[float], **at: Any) -> list[float]:
    """The cap that is adopted, in each replicate; the old one is 50."""

    def script(env: Environment) -> Script:
        if "gone" in at:
            yield Tell("left", gone=np.array(at["gone"]))
        old = np.full((env.replicates, 1), 50.0)
        cap = yield from propose_and_vote(env, rule, old)
        yield Tell("closed", {"chosen": own(cap)})

    over = play(
        script,
        Citizen(proposals, at.get("vote")),
        agents=len(proposals),
        replicates=at.get("replicates", 1),
    )
    caps: list[float] = over.told("chosen")[0][:, 0].tolist()
    return caps


def test_the_median_voter_decides(play: Play) -> None:
    assert chosen(play, "median", [9.0, 1.0, 2.0]) == [2]


def test_an_even_number_of_voters_meet_in_the_middle(play: Play) -> None:
    assert chosen(play, "median", [9.0, 1.0, 2.0, 3.0]) == [2.5]


def test_the_dead_do_not_vote(play: Play) -> None:
    gone = [[True, False, False]]
    assert chosen(play, "median", [9.0, 1.0, 2.0], gone=gone) == [1.5]
    assert chosen(play, "plurality", [9.0, 1.0, 1.0], vote=[0, 0, 0], gone=gone) == [1]


@pytest.mark.parametrize("rule", ["median", "plurality"])
def test_where_nobody_is_left_the_old_cap_stays(play: Play, rule: VoteRule) -> None:
    assert chosen(play, rule, [9.0, 1.0, 2.0], vote=[0, 0, 0], gone=[[True] * 3]) == [50]


def test_without_a_vote_the_old_cap_stays(play: Play) -> None:
    assert chosen(play, "none", [9.0, 1.0, 2.0]) == [50]


def test_the_plurality_decides(play: Play) -> None:
    """The options are the distinct proposals, ascending: 1, 2, 9."""
    assert chosen(play, "plurality", [9.0, 1.0, 2.0, 1.0], vote=[2, 0, 2, 1]) == [9]


def test_a_tie_is_broken_by_chance_equally_among_the_winners(play: Play) -> None:
    """Of 1, 2, 3, 4 the options 1, 2 and 4 have two votes each."""
    n = 3000
    caps = chosen(play, "plurality", [1.0, 2, 3, 4, 4, 4], vote=[0, 0, 1, 1, 3, 3], replicates=n)
    counts = np.bincount(np.array(caps, int), minlength=5)
    assert counts[3] == 0
    assert ((counts[[1, 2, 4]] - n / 3) ** 2 / (n / 3)).sum() < 18.4  # 2 degrees, chance 1e-4


def test_a_tie_is_broken_in_each_replicate_as_if_it_were_alone(play: Play) -> None:
    tie: Any = {"vote": [0, 1], "replicates": 40}
    batch = chosen(play, "plurality", [1.0, 2.0], **tie)
    assert chosen(play, "plurality", [1.0, 2.0], vote=[0, 1], replicates=10) == batch[:10]


VALUES = st.lists(st.tuples(st.sampled_from([0.0, 1.0, 2.5, 9.0]), st.booleans()), min_size=1)


@given(VALUES)
def test_the_median_is_the_middle_of_those_who_count(values: list[tuple[float, bool]]) -> None:
    numbers, counted = (np.array([column]) for column in zip(*values, strict=True))
    here = numbers[counted]
    expected = np.median(here) if here.size else 0
    assert median_voter(numbers, counted).tolist() == [[expected]]


@given(VALUES)
def test_options_are_the_distinct_values_of_those_who_count(
    values: list[tuple[float, bool]],
) -> None:
    numbers, counted = (np.array([column]) for column in zip(*values, strict=True))
    options = distinct_values(numbers, counted)
    assert options.shape == numbers.shape
    assert options[~np.isnan(options)].tolist() == sorted(set(numbers[counted].tolist()))


@given(
    votes=st.lists(st.integers(-1, 3), min_size=1, max_size=9),
    uniform=st.floats(0, 1, exclude_max=True),
)
def test_the_plurality_has_most_votes(votes: list[int], uniform: float) -> None:
    """-1 is an abstention; with abstentions only, all options tie."""
    options = np.array([[1.0, 2.0, 3.0, 4.0]])
    winner = plurality_winner(options, np.array([votes]), np.array([[uniform]])).item()
    tally = [votes.count(option) for option in range(4)]
    assert tally[int(winner) - 1] == max(tally)
