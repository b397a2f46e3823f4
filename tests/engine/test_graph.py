"""Graphs over the seats of every replicate, with networkx as the oracle."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from society.engine.graph import (
    NOBODY,
    AgentRows,
    Complete,
    Graph,
    LabelGroups,
    Side,
    from_networkx,
)
from society.engine.rng import Array
from society.errors import GraphError


class World(NamedTuple):
    """A graph of ours, and the same one of networkx for each replicate; its nodes are seats."""

    graph: Graph
    oracles: list[nx.Graph[int]]
    present: Array

    def peers(self, replicate: int, seat: int, side: Side = "neighbours") -> list[int]:
        """The present neighbours or watchers of a seat, in the order of their ids."""
        oracle = self.oracles[replicate]
        if side == "watchers" and isinstance(oracle, nx.DiGraph):
            oracle = oracle.reverse()
        there = [peer for peer in oracle.neighbors(seat) if self.present[replicate, peer]]
        return sorted(there, key=lambda peer: int(self.graph.ids[peer]))

    def agents(self) -> Iterator[tuple[int, int]]:
        for replicate in range(self.graph.replicates):
            for seat in range(self.graph.seats):
                yield replicate, seat


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Up to 6 seats, 3 replicates with edges of their own, some seats isolated, some absent."""
    seats, replicates = draw(st.integers(1, 6)), draw(st.integers(1, 3))
    kind = draw(st.sampled_from([nx.Graph, nx.DiGraph]))
    pairs = [(i, j) for i in range(seats) for j in range(seats) if i != j]
    oracles = []
    for _ in range(replicates):
        oracle: nx.Graph[int] = kind()
        oracle.add_nodes_from(range(seats))
        oracle.add_edges_from(draw(st.lists(st.sampled_from(pairs))) if pairs else [])
        oracles.append(oracle)
    ids = np.array(draw(st.permutations(range(seats))))
    absent = draw(st.lists(st.booleans(), min_size=seats * replicates, max_size=seats * replicates))
    present = ~np.array(absent).reshape(replicates, seats)
    return World(from_networkx(oracles, ids), oracles, present)


@st.composite
def complete_worlds(draw: st.DrawFn) -> World:
    world = draw(worlds())
    complete = [nx.complete_graph(world.graph.seats) for _ in world.oracles]
    return World(Complete(len(complete), world.graph.ids), complete, world.present)


def in_groups(labels: Array, ids: Array, present: Array) -> World:
    """A world of groups: of networkx the edges within each, one label at a time."""
    oracles = []
    for row in labels.tolist():
        oracle: nx.Graph[int] = nx.Graph()
        oracle.add_nodes_from(range(len(row)))
        oracle.add_edges_from(
            (i, j) for i, one in enumerate(row) for j in range(i) if one == row[j] and one >= 0
        )
        oracles.append(oracle)
    return World(LabelGroups(ids, labels), oracles, present)


@st.composite
def grouped_worlds(draw: st.DrawFn) -> World:
    """Up to three groups, which need not be numbered from 0, and some who are in none."""
    world = draw(worlds())
    labels = draw(
        st.lists(
            st.sampled_from([-1, 0, 1, 7]),
            min_size=world.present.size,
            max_size=world.present.size,
        )
    )
    return in_groups(np.array(labels).reshape(world.present.shape), world.graph.ids, world.present)


EDITABLE_WORLD = st.one_of(worlds(), complete_worlds())
ANY_WORLD = st.one_of(worlds(), complete_worlds(), grouped_worlds())


def everybody(graph: Graph) -> AgentRows:
    node = np.arange(graph.replicates * graph.seats)
    return AgentRows(*np.divmod(node, graph.seats), node)


def drawn(world: World, uniform: Array) -> Array:
    """The peer that each agent draws from its uniform; (R, N) -> (R, N)."""
    peers = world.graph.drawn(uniform.reshape(-1), everybody(world.graph), world.present)
    return peers.reshape(uniform.shape)


def star(present: list[bool]) -> World:
    """Seat 0 knows everybody, the others know only seat 0."""
    graph: nx.Graph[int] = nx.star_graph(len(present) - 1)
    return World(from_networkx([graph], np.arange(len(graph))), [graph], np.array([present]))


def test_on_a_star_the_rays_see_only_the_centre() -> None:
    world = star([True, True, True, True])
    assert world.graph.degree(world.present).tolist() == [[3, 1, 1, 1]]
    assert sorted(world.graph.neighbours(0, 0).tolist()) == [1, 2, 3]
    assert world.graph.neighbours(0, 3).tolist() == [0]
    assert drawn(world, np.array([[0.5, 0.0, 0.5, 0.999]])).tolist() == [[2, 0, 0, 0]]


def test_without_its_centre_a_star_is_a_crowd_of_loners() -> None:
    world = star([False, True, True, True])
    assert world.graph.degree(world.present).tolist() == [[3, 0, 0, 0]]
    assert drawn(world, np.full((1, 4), 0.5))[0, 1:].tolist() == [NOBODY] * 3


def test_everybody_sees_everybody_else_on_the_complete_graph() -> None:
    graph = Complete(1, np.arange(4))
    here = np.ones((1, 4), bool)
    assert graph.degree(here).tolist() == [[3, 3, 3, 3]]
    assert graph.neighbours(0, 2).tolist() == [0, 1, 3]
    values = np.array([[1.0, 2.0, 3.0, 4.0]])
    assert graph.combined(np.add, values, here, "neighbours").tolist() == [[9, 8, 7, 6]]
    assert graph.combined(np.multiply, values, here, "watchers").tolist() == [[24, 12, 8, 6]]


@given(ANY_WORLD)
def test_connects_says_what_networkx_says(world: World) -> None:
    graph = world.graph
    for peer in range(graph.seats):
        nodes = np.arange(graph.replicates * graph.seats)
        connected = graph.connects(nodes, np.full(nodes.shape, peer))
        expected = [world.oracles[k].has_edge(seat, peer) for k, seat in world.agents()]
        assert connected.tolist() == expected


@given(ANY_WORLD)
def test_neighbours_come_in_the_order_of_their_ids(world: World) -> None:
    whole = world._replace(present=np.ones_like(world.present))
    for replicate, seat in world.agents():
        expected = whole.peers(replicate, seat)
        assert world.graph.neighbours(replicate, seat).tolist() == expected


@given(ANY_WORLD)
def test_degree_counts_present_neighbours(world: World) -> None:
    degree = world.graph.degree(world.present)
    assert degree.ravel().tolist() == [len(world.peers(*agent)) for agent in world.agents()]


@pytest.mark.parametrize("side", ["neighbours", "watchers"])
@given(world=ANY_WORLD, seed=st.integers(0, 99))
def test_combined_adds_and_multiplies_over_those_present(
    side: Side, world: World, seed: int
) -> None:
    """A sum over nobody is 0, a product over nobody is 1."""
    values = np.random.default_rng(seed).normal(size=world.present.shape)
    summed = world.graph.combined(np.add, values, world.present, side)
    multiplied = world.graph.combined(np.multiply, values, world.present, side)
    for replicate, seat in world.agents():
        theirs = [values[replicate, peer] for peer in world.peers(replicate, seat, side)]
        assert summed[replicate, seat] == pytest.approx(sum(theirs), abs=1e-12)
        assert multiplied[replicate, seat] == pytest.approx(math.prod(theirs), abs=1e-12)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply])
@pytest.mark.parametrize("kind", [float, np.int64, np.int8, bool])
def test_where_all_have_equally_many_neighbours_they_are_combined_as_reduceat_does(
    ufunc: np.ufunc, kind: type
) -> None:
    """Digests cover the last bit of a sum, and its dtype; run files of before have those."""
    values: Array = (3 * np.random.default_rng(1).random((1, 40))).astype(kind)
    everybody = np.ones((1, 40), bool)
    for ties in range(1, 10):
        following = [(one, (one + by) % 40) for one in range(40) for by in range(1, ties + 1)]
        graph = from_networkx([nx.DiGraph(following)], np.arange(40))
        assert (graph.degree(everybody) == ties).all()
        theirs = values.reshape(-1)[graph.target]
        by_hand = ufunc.reduceat(theirs, np.arange(0, 40 * ties, ties))
        combined = graph.combined(ufunc, values, everybody, "neighbours")
        assert (combined.dtype, combined.tobytes()) == (by_hand.dtype, by_hand.tobytes())


@given(ANY_WORLD, st.floats(0, 1, exclude_max=True))
def test_a_uniform_picks_one_of_the_present_neighbours_in_the_order_of_ids(
    world: World, uniform: float
) -> None:
    drawn_peers = drawn(world, np.full(world.present.shape, uniform))
    for replicate, seat in world.agents():
        if not world.present[replicate, seat]:
            continue  # nobody asks them
        peers = world.peers(replicate, seat)
        expected = peers[int(uniform * len(peers))] if peers else NOBODY
        assert drawn_peers[replicate, seat] == expected


@pytest.mark.parametrize("complete", [True, False])
def test_peers_are_drawn_equally_often(complete: bool) -> None:
    """Seat 2 has five present neighbours: chi-square with 4 degrees, above 23.5 with 1e-4."""
    n, ids = 5_000, np.arange(7)
    oracles = [nx.complete_graph(7)] * n
    graph = Complete(n, ids) if complete else from_networkx(oracles, ids)
    present = np.tile([True, True, True, False, True, True, True], (n, 1))
    world = World(graph, oracles, present)
    peers = drawn(world, np.random.default_rng(1).random((n, 7)))[:, 2]
    counts = np.bincount(peers, minlength=7)
    assert counts[[2, 3]].tolist() == [0, 0]
    assert ((counts[[0, 1, 4, 5, 6]] - n / 5) ** 2 / (n / 5)).sum() < 23.5


@given(complete_worlds(), st.integers(0, 99))
def test_a_complete_graph_written_out_is_the_same_graph(world: World, seed: int) -> None:
    written = world._replace(graph=world.graph.edited(None, None))
    chance = np.random.default_rng(seed)
    uniform, values = chance.random((2, *world.present.shape))
    here = world.present
    assert drawn(written, uniform)[here].tolist() == drawn(world, uniform)[here].tolist()
    assert written.graph.degree(here).tolist() == world.graph.degree(here).tolist()
    np.testing.assert_allclose(
        written.graph.combined(np.multiply, values, here, "watchers"),
        world.graph.combined(np.multiply, values, here, "watchers"),
        rtol=1e-12,
    )


@given(world=EDITABLE_WORLD, data=st.data())
def test_edges_are_added_and_cut_as_in_networkx(world: World, data: st.DataObject) -> None:
    """Cuts come first: an edge that is both cut and joined stands."""
    seats = world.graph.seats
    shape = world.present.shape
    # Seat i's k-th other seat, or NOBODY for k = -1.
    picks = st.lists(st.integers(-1, seats - 2), min_size=seats, max_size=seats)
    edits = []
    for _ in ("joins", "cuts"):
        others = np.array([data.draw(picks) for _ in range(shape[0])]).reshape(shape)
        edits.append(np.where(others < 0, NOBODY, others + (others >= np.arange(seats))))
    joins, cuts = edits
    oracles = [oracle.copy() for oracle in world.oracles]
    for replicate, seat in zip(*np.nonzero(cuts != NOBODY), strict=True):
        edge = int(seat), int(cuts[replicate, seat])
        if oracles[replicate].has_edge(*edge):
            oracles[replicate].remove_edge(*edge)
    for replicate, seat in zip(*np.nonzero(joins != NOBODY), strict=True):
        oracles[replicate].add_edge(int(seat), int(joins[replicate, seat]))
    edited = World(world.graph.edited(joins, cuts), oracles, world.present)
    for replicate, seat in world.agents():
        whole = edited._replace(present=np.ones_like(world.present))
        assert edited.graph.neighbours(replicate, seat).tolist() == whole.peers(replicate, seat)
    watchers = edited.graph.combined(np.add, np.ones(shape), world.present, "watchers")
    expected = [len(edited.peers(*agent, "watchers")) for agent in world.agents()]
    assert watchers.ravel().tolist() == expected


@given(ANY_WORLD)
def test_sights_say_who_sees_whom(world: World) -> None:
    sees = world.graph.sights(everybody(world.graph))
    assert sees.dtype == bool
    for row, (replicate, seat) in zip(sees, world.agents(), strict=True):
        oracle = world.oracles[replicate]
        assert np.flatnonzero(row).tolist() == sorted(oracle.neighbors(seat))


def test_sights_of_some_are_their_rows() -> None:
    """Replicate 0 is a path of three, replicate 1 a triangle."""
    graph = from_networkx([nx.path_graph(3), nx.complete_graph(3)], np.arange(3))
    rows = AgentRows(np.array([0, 1]), np.array([2, 0]), np.array([2, 3]))
    assert graph.sights(rows).tolist() == [[False, True, False], [False, True, True]]


# Pairs


def matched(world: World, uniform: Array) -> list[dict[int, int]]:
    """Return the pairs of each replicate."""
    partner = world.graph.matched(uniform, world.present)
    return [{i: int(j) for i, j in enumerate(row) if j != NOBODY} for row in partner]


@given(ANY_WORLD, st.integers(0, 99))
def test_a_matching_pairs_present_neighbours_until_no_two_are_left(world: World, seed: int) -> None:
    """An edge in one direction will do."""
    uniform = np.random.default_rng(seed).random(world.present.shape)
    for replicate, pairs in enumerate(matched(world, uniform)):
        edges = {frozenset(edge) for edge in world.oracles[replicate].edges}
        here = set(np.flatnonzero(world.present[replicate]).tolist())
        assert all(pairs[j] == i for i, j in pairs.items())
        assert all(frozenset(pair) in edges for pair in pairs.items())
        assert set(pairs) <= here
        alone = here - set(pairs)
        assert not [edge for edge in edges if edge <= alone]


def test_on_a_star_the_centre_has_one_partner_and_all_others_none() -> None:
    (pairs,) = matched(star([True] * 4), np.array([[0.5, 0.1, 0.2, 0.3]]))
    ray = pairs[0]
    assert pairs == {0: ray, ray: 0}


def test_without_its_centre_a_star_has_no_pairs() -> None:
    assert matched(star([False, True, True, True]), np.full((1, 4), 0.5)) == [{}]


@pytest.mark.parametrize("complete", [True, False])
def test_of_an_odd_number_one_is_left_over_each_equally_often(complete: bool) -> None:
    """Five agents, 5,000 replicates: chi-square with 4 degrees, above 23.5 with chance 1e-4."""
    n, ids = 5_000, np.arange(5)
    oracles = [nx.complete_graph(5)] * n
    graph = Complete(n, ids) if complete else from_networkx(oracles, ids)
    partner = graph.matched(np.random.default_rng(1).random((n, 5)), np.ones((n, 5), bool))
    left = np.bincount(np.nonzero(partner == NOBODY)[1], minlength=5)
    assert left.sum() == n
    assert ((left - n / 5) ** 2 / (n / 5)).sum() < 23.5


def test_on_a_path_of_three_edges_the_middle_one_comes_as_often_as_chance_has_it() -> None:
    """It is the first of three with chance 1/3, and then the ends stay alone: s.d. 0.0067."""
    n = 5_000
    graph = from_networkx([nx.path_graph(4)] * n, np.arange(4))
    partner = graph.matched(np.random.default_rng(1).random((n, 4)), np.ones((n, 4), bool))
    assert (partner[:, 0] == NOBODY).mean() == pytest.approx(1 / 3, abs=4 * 0.0067)


def test_where_everybody_sees_everybody_a_few_rounds_pair_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A round makes one array; with one pair a round, 100 agents would take 50 of them."""
    rounds = []

    def counted(*given: Any, full: Any = np.full) -> Array:
        rounds.append(given)
        made: Array = full(*given)
        return made

    graph = from_networkx([nx.complete_graph(100)], np.arange(100))
    uniform, everybody = np.random.default_rng(1).random((1, 100)), np.ones((1, 100), bool)
    monkeypatch.setattr(np, "full", counted)
    partner = graph.matched(uniform, everybody)
    assert (partner != NOBODY).all()
    assert len(rounds) < 15


@pytest.mark.parametrize("complete", [True, False])
def test_a_replicate_is_matched_alike_whoever_is_cut_off_in_the_others(complete: bool) -> None:
    """Cuts write out a complete graph in all replicates, also where they name nobody."""
    ids, rng = np.arange(7), np.random.default_rng(3)
    uniform, present = rng.random((2, 7)), np.ones((2, 7), bool)
    cuts = np.full((2, 7), NOBODY)
    cuts[0, 0] = 1
    whole: Graph = Complete(2, ids)
    alone: Graph = Complete(1, ids)
    if not complete:
        whole, alone = (from_networkx([nx.cycle_graph(7)] * n, ids) for n in (2, 1))
    both = whole.edited(None, cuts).matched(uniform, present)
    one = alone.edited(None, cuts[1:]).matched(uniform[1:], present[1:])
    assert both[1].tolist() == one[0].tolist()


def test_edits_of_a_sparse_graph_that_name_nobody_leave_it_as_it_is() -> None:
    graph, nobody = from_networkx([nx.path_graph(3)], np.arange(3)), np.full((1, 3), NOBODY)
    assert graph.edited(nobody, nobody) is graph


@given(world=worlds(), seed=st.integers(0, 99), data=st.data())
def test_relabelled_agents_are_matched_alike(world: World, seed: int, data: st.DataObject) -> None:
    """Agents change seats, and their ids and numbers go with them."""
    uniform = np.random.default_rng(seed).random(world.present.shape)
    seat_of = data.draw(st.permutations(range(world.graph.seats)))
    back = np.argsort(seat_of)
    moved = []
    for oracle in world.oracles:
        graph: nx.Graph[int] = type(oracle)()
        graph.add_nodes_from(range(world.graph.seats))
        graph.add_edges_from((seat_of[i], seat_of[j]) for i, j in oracle.edges)
        moved.append(graph)
    other = World(from_networkx(moved, world.graph.ids[back]), moved, world.present[:, back])
    expected = [{seat_of[i]: seat_of[j] for i, j in p.items()} for p in matched(world, uniform)]
    assert matched(other, uniform[:, back]) == expected


def test_nodes_keep_their_order_whatever_they_are_called() -> None:
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(["zoe", "adam", "mia"])
    graph.add_edge("zoe", "mia")
    ours = from_networkx([graph], np.arange(3))
    assert ours.degree(np.ones((1, 3), bool)).tolist() == [[1, 0, 1]]


def test_a_single_agent_has_nobody_to_see() -> None:
    lone: nx.Graph[int] = nx.empty_graph(1)
    for graph in (Complete(2, np.arange(1)), from_networkx([lone, lone], np.arange(1))):
        here = np.ones((2, 1), bool)
        assert graph.degree(here).tolist() == [[0], [0]]
        assert graph.drawn(np.array([0.9, 0.0]), everybody(graph), here).tolist() == [NOBODY] * 2
        assert graph.combined(np.add, np.ones((2, 1)), here, "watchers").tolist() == [[0], [0]]


def test_a_graph_with_the_wrong_number_of_nodes_is_refused() -> None:
    with pytest.raises(GraphError, match="5 nodes but there are 4 agents"):
        from_networkx([nx.cycle_graph(5)], np.arange(4))


def test_an_edge_from_a_node_to_itself_is_refused() -> None:
    graph = nx.path_graph(3)
    graph.add_edge(1, 1)
    with pytest.raises(GraphError, match="node 1 has an edge to itself"):
        from_networkx([graph], np.arange(3))


def test_writing_out_a_huge_complete_graph_is_refused_before_it_fills_the_memory() -> None:
    with pytest.raises(GraphError, match="9,999,900,000 edges"):
        Complete(1, np.arange(100_000)).edited(None, np.ones((1, 100_000), np.int64))


# Groups


def test_those_with_the_same_label_see_each_other_and_a_negative_label_sees_nobody() -> None:
    graph = LabelGroups(np.arange(6), np.array([[4, 0, 4, -1, 4, -1]]))
    here = np.ones((1, 6), bool)
    assert [graph.neighbours(0, seat).tolist() for seat in range(6)] == [
        [2, 4],
        [],
        [0, 4],
        [],
        [0, 2],
        [],
    ]
    assert graph.degree(here).tolist() == [[2, 0, 2, 0, 2, 0]]
    values = np.array([[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]])
    assert graph.combined(np.add, values, here, "neighbours").tolist() == [[8, 0, 6, 0, 4, 0]]


@given(grouped_worlds(), st.integers(0, 99), st.data())
def test_groups_do_not_depend_on_who_sits_where(
    world: World, seed: int, data: st.DataObject
) -> None:
    graph = world.graph
    assert isinstance(graph, LabelGroups)
    seat_of = np.array(data.draw(st.permutations(range(graph.seats))))
    back = np.argsort(seat_of)
    labels = np.full(world.present.shape, -1)
    for replicate, seat in world.agents():
        group = [seat, *graph.neighbours(replicate, seat).tolist()]
        labels[replicate, seat] = min(group)
    other = in_groups(labels[:, back], graph.ids[back], world.present[:, back])
    uniform = np.random.default_rng(seed).random(world.present.shape)
    for one, another in (
        (matched(world, uniform), matched(other, uniform[:, back])),
        (_by_seat(drawn(world, uniform)), _by_seat(drawn(other, uniform[:, back]))),
    ):
        moved = [{int(seat_of[i]): int(seat_of[j]) for i, j in row.items()} for row in one]
        assert another == moved
    summed = graph.combined(np.add, uniform, world.present, "neighbours")
    again = other.graph.combined(np.add, uniform[:, back], world.present[:, back], "neighbours")
    assert summed[:, back].tolist() == again.tolist()  # in the order of ids, so to the last bit


def _by_seat(peers: Array) -> list[dict[int, int]]:
    return [{i: int(j) for i, j in enumerate(row) if j != NOBODY} for row in peers]


@given(grouped_worlds(), st.integers(0, 99))
def test_groups_of_a_batch_are_those_of_each_replicate_alone(world: World, seed: int) -> None:
    uniform = np.random.default_rng(seed).random(world.present.shape)
    for replicate in range(world.graph.replicates):
        labels = np.full(world.graph.seats, -1)
        for seat in range(world.graph.seats):
            labels[seat] = min([seat, *world.graph.neighbours(replicate, seat).tolist()])
        here, row = world.present[[replicate]], slice(replicate, replicate + 1)
        alone = in_groups(labels[None], world.graph.ids, here)
        assert drawn(alone, uniform[row]).tolist() == drawn(world, uniform)[row].tolist()
        assert matched(alone, uniform[row]) == matched(world, uniform)[row]
        summed = alone.graph.combined(np.add, uniform[row], here, "watchers")
        of_all = world.graph.combined(np.add, uniform, world.present, "watchers")
        assert summed.tolist() == of_all[row].tolist()


def test_a_million_agents_in_groups_of_ten_fit_into_the_memory() -> None:
    graph = LabelGroups(np.arange(1_000_000), (np.arange(1_000_000) // 10)[None])
    degree = graph.degree(np.ones((1, 1_000_000), bool))
    assert (degree == 9).all()


def test_groups_have_no_edges_to_add_or_cut() -> None:
    with pytest.raises(GraphError, match="a relation that is by groups; tell its groups anew"):
        LabelGroups(np.arange(2), np.zeros((1, 2), int)).edited(None, None)
