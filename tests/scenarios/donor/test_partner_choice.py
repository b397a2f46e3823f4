"""Partners who may be refused."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np
import pytest

from society.engine.graph import NOBODY

if TYPE_CHECKING:
    from .conftest import Donors, Game, Net, Speaking


def but_seat_0(ask: Any, me: Any) -> Any:
    """Everybody accepts everybody but seat 0, whose life has the number 0 as well."""
    return ask.facts["recipient"] != 0


def links(over: Donors, relation: str = "meet") -> list[tuple[int, int]]:
    """Both ends of each edge of replicate 0 at the end of the last game."""
    graph = over.over.game.env.graph(relation)
    return [(i, int(j)) for i in range(graph.seats) for j in graph.neighbours(0, i) if i < j]


def asked_to_meet(over: Donors) -> list[Any]:
    """List the partners of agents in every round, before anybody refused: lives are seats here."""
    return over.facts("accept", "recipient")


def test_partners_are_not_asked_where_they_are_given(donors: Game) -> None:
    assert donors(accept=False).facts("accept", "recipient") == []
    assert donors(accept=False).mean("final_resources") == 30_720


def test_where_all_refuse_nobody_gives_and_nobody_sits_out(donors: Game) -> None:
    over = donors(partners="agreed", accept=False)
    assert over.mean("final_resources") == 10
    assert over.mean("refused") == 1
    assert over.mean("sat_out") == 0
    assert not np.any(over.facts("donate", ""))


def test_whom_all_refuse_neither_gives_nor_receives(donors: Game) -> None:
    """Seat 0 keeps its 10 units, and so do its partners of that round: 2 of 12 are apart."""
    over = donors(partners="agreed", accept=but_seat_0, games=1)
    assert [held[0, 0] for held in over.told("resources")] == [10] * 12
    assert all(partner[0, 0] == NOBODY for partner in over.told("partner"))
    assert all(partner[0, 1:].min() != 0 for partner in over.told("partner"))
    assert [apart.sum() for apart in over.told("refused")] == [2] * 12
    assert over.mean("refused") == pytest.approx(1 / 6)


def test_one_refusal_is_enough(donors: Game) -> None:
    over = donors(agents=2, rounds=2, partners="agreed", accept=[True, False])
    assert over.told("refused")[0].tolist() == [[True, True]]


def test_both_know_of_the_other_and_who_of_them_may_give(donors: Game) -> None:
    over = donors(partners="agreed", rounds=2, games=1)
    gives = over.facts("accept", "gives")
    assert [values.tolist() for values in gives] == [d.tolist() for d in over.told("donor")]
    (shares,) = over.facts("accept", "trace_share")[1:]
    recipients = ~gives[1][0]
    assert (shares[0, ~recipients, 0] == 1).all()  # donors read of those who gave in round 1
    assert np.isnan(shares[0, recipients, 0]).all()  # who gives now, has not given yet


def test_an_answer_that_cannot_be_read_accepts(speaking: Speaking) -> None:
    spoken = speaking(lambda request: "banana", partners="agreed")
    assert spoken.ledger("accept") == (4, 2, 2)
    assert not spoken.donors.told("refused")[0].any()


# Rewiring


def test_a_refusal_cuts_the_edge_and_makes_another_one(donors: Game, net: Net) -> None:
    """Two pairs that know only each other: who refuses seat 0 looks for somebody else."""
    pairs = net(nx.Graph([(0, 1), (2, 3)]))
    over = donors(
        agents=4,
        rounds=1,
        games=1,
        schedule="random",
        partners="rewired",
        accept=but_seat_0,
        at={"graphs": {"meet": pairs}},
    )
    assert over.facts("refused", "refuses")[0].tolist() == [[False, True, False, False]]
    assert (0, 1) not in links(over)
    assert (2, 3) in links(over)
    (new,) = {*links(over)} - {(2, 3)}
    assert 1 in new


def test_whom_all_refuse_loses_its_neighbours_one_by_one_and_then_meets_nobody(
    donors: Game,
) -> None:
    """On the complete graph of six: after five refusals, as the others know each other already."""
    over = donors(
        agents=6, rounds=60, games=1, schedule="random", partners="rewired", accept=but_seat_0
    )
    refused = [bool(apart[0, 0]) for apart in over.told("refused")]
    assert sum(refused) == 5
    assert links(over) == list(combinations(range(1, 6), 2))
    last = max(number for number, apart in enumerate(refused) if apart)
    assert all(recipient[0, 0] == NOBODY for recipient in asked_to_meet(over)[last + 1 :])


def test_the_next_game_begins_with_the_graph_of_the_first(donors: Game, net: Net) -> None:
    """Everybody refuses everybody: an edge is cut wherever two met, and is there again."""
    ring = net(nx.cycle_graph(8))
    over = donors(
        agents=8,
        rounds=6,
        games=2,
        schedule="random",
        partners="rewired",
        accept=False,
        at={"graphs": {"meet": ring}},
    )
    ring_edges = {frozenset(edge) for edge in nx.cycle_graph(8).edges}
    met = [
        {frozenset((i, int(j))) for i, j in enumerate(partner[0]) if j != NOBODY}
        for partner in asked_to_meet(over)
    ]
    assert met[0] <= ring_edges
    assert met[6] <= ring_edges
    assert not met[0] & met[1]
    assert any(not round_ <= ring_edges for round_ in met[1:6])


def test_edges_in_one_direction_are_cut_all_the_same(donors: Game, net: Net) -> None:
    arrow = net(nx.DiGraph([(0, 1)]))
    over = donors(
        agents=2,
        rounds=2,
        games=1,
        schedule="random",
        partners="rewired",
        accept=[True, False],
        at={"graphs": {"meet": arrow}},
    )
    assert [(partner == NOBODY).all() for partner in asked_to_meet(over)] == [False, True]
