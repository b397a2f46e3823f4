"""Named families of graphs, from networkx, files and functions, over the seats of a society."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from pydantic import ValidationError

from society.config.graph_families import FAMILIES, GraphSpec, draw_graph, scale_free
from society.engine.graph import Complete, Graph
from society.errors import FileError, GraphError, InputError

RANDOM = ["small_world", "scale_free", "random_regular"]


def graph(
    said: Any,
    agents: int = 10,
    *,
    replicate_ids: Sequence[int] = (0,),
    ids: Sequence[int] | None = None,
    relation: str = "learn",
    seed: int = 1,
) -> Graph:
    seats = np.arange(agents) if ids is None else np.array(ids)
    spec = GraphSpec.model_validate(said)
    return draw_graph(spec, relation, seed=seed, replicate_ids=np.array(replicate_ids), ids=seats)


def seen(found: Graph, replicate: int = 0) -> list[list[int]]:
    """List the seats that each seat sees, in ascending order."""
    return [sorted(found.neighbours(replicate, seat).tolist()) for seat in range(found.seats)]


def degrees(found: Graph) -> list[int]:
    return [len(peers) for peers in seen(found)]


def test_the_complete_graph_is_never_written_out() -> None:
    assert isinstance(graph("complete", 100_000), Complete)


def test_on_a_ring_everybody_sees_the_next_on_each_side() -> None:
    assert seen(graph("ring", 5)) == [[1, 4], [0, 2], [1, 3], [2, 4], [0, 3]]


def test_on_a_wider_ring_everybody_sees_two_on_each_side() -> None:
    assert seen(graph({"kind": "ring", "neighbours": 4}, 7))[0] == [1, 2, 5, 6]


def test_a_lattice_is_as_square_as_can_be() -> None:
    """Twelve agents make three rows of four; seat 5 is in the middle."""
    found = graph({"kind": "lattice", "periodic": False}, 12)
    assert seen(found)[5] == [1, 4, 6, 9]
    assert seen(found)[0] == [1, 4]


def test_the_sides_of_a_periodic_lattice_meet() -> None:
    assert seen(graph("lattice", 12))[0] == [1, 3, 4, 8]


def test_the_rows_of_a_lattice_may_be_said() -> None:
    assert seen(graph({"kind": "lattice", "rows": 2, "periodic": False}, 12))[0] == [1, 6]


def test_without_rewiring_a_small_world_is_a_ring() -> None:
    ring = graph({"kind": "ring", "neighbours": 4})
    assert seen(graph({"kind": "small_world", "rewiring": 0})) == seen(ring)


def test_a_rewired_small_world_has_as_many_ties_as_the_ring() -> None:
    found = graph({"kind": "small_world", "rewiring": 0.5}, 30)
    assert sum(degrees(found)) == 30 * 4
    assert len(set(degrees(found))) > 1


def test_in_a_scale_free_graph_every_newcomer_makes_its_links() -> None:
    """Barabasi and Albert: 2 ties for each of the 28 who come after the first two."""
    found = graph({"kind": "scale_free", "links": 2}, 30)
    assert sum(degrees(found)) == 2 * 2 * 28
    assert max(degrees(found)) > 8


@pytest.mark.parametrize(("agents", "links"), [(5, 1), (40, 2), (300, 7)])
def test_a_scale_free_graph_is_that_of_networkx_for_the_same_generator(
    agents: int, links: int
) -> None:
    ours = scale_free(agents, np.random.Generator(np.random.Philox(key=7)), links=links)
    chance = np.random.Generator(np.random.Philox(key=7))
    theirs = nx.barabasi_albert_graph(agents, links, seed=chance)
    assert sorted(ours.edges) == sorted(theirs.edges)


def test_in_a_cave_everybody_sees_everybody() -> None:
    found = graph({"kind": "caveman", "size": 3, "connected": False}, 6)
    assert seen(found) == [[1, 2], [0, 2], [0, 1], [4, 5], [3, 5], [3, 4]]


def test_connected_caves_turn_one_tie_to_the_cave_before() -> None:
    assert seen(graph({"kind": "caveman", "size": 3}, 6))[0] == [2, 5]


def test_in_a_random_regular_graph_everybody_sees_equally_many() -> None:
    assert degrees(graph({"kind": "random_regular", "degree": 3})) == [3] * 10


@pytest.mark.parametrize("kind", RANDOM)
def test_every_replicate_draws_a_random_graph_of_its_own(kind: str) -> None:
    found = graph(kind, 20, replicate_ids=range(3))
    assert seen(found, 0) != seen(found, 1) != seen(found, 2)


@pytest.mark.parametrize("kind", RANDOM)
def test_a_batch_draws_the_graphs_of_its_replicates_one_by_one(kind: str) -> None:
    batch = graph(kind, 20, replicate_ids=range(3))
    for replicate in range(3):
        alone = graph(kind, 20, replicate_ids=[replicate])
        assert seen(alone, 0) == seen(batch, replicate)


@pytest.mark.parametrize("kind", RANDOM)
def test_relations_and_seeds_draw_different_graphs(kind: str) -> None:
    found = graph(kind, 20)
    assert seen(found) == seen(graph(kind, 20))
    assert seen(found) != seen(graph(kind, 20, relation="monitor"))
    assert seen(found) != seen(graph(kind, 20, seed=2))


def test_families_that_draw_nothing_are_the_same_in_every_replicate() -> None:
    found = graph("caveman", replicate_ids=[7, 3])
    assert seen(found, 0) == seen(found, 1)


def test_ties_travel_with_the_ids_of_the_agents() -> None:
    """Agent 0 sits on seat 2; on a path of four it still sees agent 1 only, who sits on seat 0."""
    path = nx.path_graph(4)
    found = graph(lambda agents, rng: path, 4, ids=[1, 3, 0, 2])
    assert seen(found)[2] == [0]


def test_a_list_of_edges_may_name_somebody_without_ties(tmp_path: Path) -> None:
    file = tmp_path / "ties.csv"
    file.write_text("# who knows whom\nann,bob\n\nbob, eve  # since school\nzoe\n")
    assert seen(graph({"file": str(file)}, 4)) == [[1], [0, 2], [1], []]


def test_numbers_in_a_list_of_edges_are_put_in_order(tmp_path: Path) -> None:
    """From 1 on, as many programs count: 1 is the first seat, 10 the last."""
    file = tmp_path / "ties.txt"
    file.write_text("10 1\n" + "\n".join(map(str, range(2, 10))))
    assert seen(graph({"file": str(file)}, 10))[0] == [9]


def test_a_directed_edge_lets_only_its_source_see(tmp_path: Path) -> None:
    file = tmp_path / "ties.txt"
    file.write_text("a b\nb c 0.5\n")
    assert seen(graph({"file": str(file), "directed": True}, 3)) == [[1], [2], []]


def test_graphml_comes_with_its_isolated_nodes_and_directions(tmp_path: Path) -> None:
    net: nx.DiGraph[int] = nx.DiGraph([(2, 0)])
    net.add_node(1)
    nx.write_graphml(net, tmp_path / "net.graphml")
    assert seen(graph({"file": str(tmp_path / "net.graphml")}, 3)) == [[], [], [0]]


def test_a_function_draws_with_a_generator_of_each_replicate() -> None:
    def chain(agents: int, rng: np.random.Generator) -> nx.Graph[int]:
        order: list[int] = rng.permutation(agents).tolist()
        return nx.Graph(itertools.pairwise(order))

    batch = graph(chain, 8, replicate_ids=range(3))
    assert seen(batch, 0) != seen(batch, 1)
    assert seen(batch, 2) == seen(graph(chain, 8, replicate_ids=[2]))


def test_a_function_may_have_parameters_of_its_own_filled_in() -> None:
    def wheel(agents: int, rng: np.random.Generator, reach: int) -> nx.Graph[int]:
        net: nx.Graph[int] = nx.circulant_graph(agents, [reach])
        return net

    assert seen(graph(functools.partial(wheel, reach=2), 5))[0] == [2, 3]


def test_every_family_has_a_line_that_says_what_it_is() -> None:
    assert all((family.__doc__ or "").strip() for family in FAMILIES.values())


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["ring", "scale_free"])
def test_a_hundred_thousand_agents_find_their_neighbours(kind: str) -> None:
    assert graph(kind, 100_000).neighbours(0, 50_000).size >= 2


IMPOSSIBLE: list[tuple[Any, int, str]] = [
    ("ring", 2, "got 2, but each of 2 agents has only 1 others; lower it or take more"),
    ({"kind": "small_world", "neighbours": 10}, 10, "lower it or take more agents"),
    ({"kind": "scale_free", "links": 10}, 10, "lower it or take more agents"),
    ({"kind": "random_regular", "degree": 10}, 10, "lower it or take more agents"),
    ({"kind": "random_regular", "degree": 3}, 5, "take an even degree or an even number of agents"),
    ("lattice", 7, "7 agents fill no grid of two rows or more; take 6 or 8 agents"),
    ("lattice", 1, "take 4 agents"),
    ({"kind": "lattice", "rows": 3}, 10, "expected one of 2, 5"),
    ("caveman", 11, "take another size, or 10 or 15 agents"),
    ("caveman", 5, "take another size, or 10 or 15 agents"),
    ("rnig", 10, "there is no graph 'rnig'; did you mean 'ring'?"),
    ({"kind": "ring", "neighbuors": 4}, 10, "did you mean 'neighbours'?"),
    ({"kind": "ring", "neighbours": 3}, 10, "got 3; expected a whole number of at least 2 and"),
    ({"kind": "small_world", "rewiring": 2}, 10, "got 2; expected a number from 0 to 1"),
    ({"kind": "file"}, 10, "file: is missing"),
    (lambda agents, rng: nx.path_graph(3), 10, "3 nodes but there are 10 agents"),
    (lambda agents, rng: nx.Graph([(0, 0), (1, 2)]), 3, "node 0 has an edge to itself"),
    (lambda agents, rng: None, 10, "the function gave None; expected a networkx graph"),
    (lambda agents, rng: 1 / 0, 10, "ZeroDivisionError: division by zero"),
]


@pytest.mark.parametrize(("said", "agents", "words"), IMPOSSIBLE)
def test_what_cannot_be_drawn_is_refused_with_what_would_be_right(
    said: Any, agents: int, words: str
) -> None:
    with pytest.raises(GraphError) as refused:
        graph(said, agents)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("net.graphml", "no xml", "net.graphml cannot be read as a graph"),
        ("net.txt", "a b\n", "2 nodes but there are 10 agents"),
        ("net.txt", "", "0 nodes but there are 10 agents"),
        ("net.txt", None, "No such file"),
        ("net.graphml", None, "No such file"),
    ],
)
def test_a_file_that_holds_no_fitting_graph_is_refused(
    tmp_path: Path, name: str, content: str | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match=words) as refused:
        graph({"file": str(tmp_path / name)})
    assert isinstance(refused.value, FileError) == (content is None)


@pytest.mark.parametrize("said", [3, {"neighbours": 4}, ["ring"]])
def test_what_names_no_graph_is_refused(said: Any) -> None:
    with pytest.raises(ValidationError, match="kind"):
        GraphSpec.model_validate(said)


@pytest.mark.parametrize("said", ["ring", {"kind": "caveman", "size": 2}, {"file": "/net.txt"}])
def test_a_spec_survives_the_way_through_json(said: Any) -> None:
    spec = GraphSpec.model_validate(said)
    assert GraphSpec.model_validate_json(spec.model_dump_json()) == spec
