"""What vectors of norms tell: similarity, alignment, closeness, edges, drift, clusters."""

from __future__ import annotations

import math
import sys
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from society.memory.embedders import MissingExtra, unit
from society.memory.norm_space import (
    Edges,
    alignment,
    along_edges,
    closeness,
    clusters,
    drift,
    similarity,
)

Rows = NDArray[np.float64]

EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
MUTE = [0.0, 0.0]

directions = st.integers(2, 12).flatmap(
    lambda agents: arrays(np.float64, (agents, 4), elements=st.floats(-1, 1).filter(bool))
)


def cosines(vectors: Rows) -> Rows:
    """All pairs, the long way; (N, N)."""
    norms = unit(vectors)
    product: Rows = norms @ norms.T
    return product


# Similarity and alignment


@pytest.mark.parametrize(
    ("norms", "similar", "aligned"),
    [
        ([EAST, EAST, EAST], 1, 1),
        ([EAST, NORTH], 0, math.sqrt(1 / 2)),
        ([EAST, WEST], -1, 0),
        ([EAST, EAST, NORTH], 1 / 3, math.sqrt(5) / 3),
    ],
)
def test_the_two_metrics_of_the_paper(
    norms: list[list[float]], similar: float, aligned: float
) -> None:
    assert similarity(norms) == pytest.approx(similar)
    assert alignment(norms) == pytest.approx(aligned)


@given(directions)
def test_similarity_is_the_mean_over_pairs(vectors: Rows) -> None:
    pairs = cosines(vectors)[np.triu_indices(len(vectors), 1)]
    assert similarity(vectors) == pytest.approx(pairs.mean(), abs=1e-12)


@given(directions)
def test_alignment_is_the_mean_cosine_with_the_mean_norm(vectors: Rows) -> None:
    norms = unit(vectors)
    mean = unit(norms.sum(0))
    assert alignment(vectors) == pytest.approx((norms @ mean).mean(), abs=1e-12)


@given(directions)
def test_the_two_metrics_are_one_number(vectors: Rows) -> None:
    agents = len(vectors)
    squared = (1 + (agents - 1) * similarity(vectors)) / agents
    assert alignment(vectors) ** 2 == pytest.approx(squared, abs=1e-12)


def test_few_agents_are_aligned_by_their_number_alone() -> None:
    """Unrelated norms, S_ind = 0: alignment is 1 / sqrt(N), so villages of two sizes differ."""
    assert similarity(np.eye(4)) == similarity(np.eye(100)) == 0
    assert [alignment(np.eye(4)), alignment(np.eye(100))] == pytest.approx([0.5, 0.1])


def test_an_agent_without_a_norm_is_left_out() -> None:
    assert similarity([EAST, MUTE, NORTH, EAST]) == pytest.approx(similarity([EAST, NORTH, EAST]))
    assert alignment([EAST, MUTE]) == 1


def test_too_few_norms_have_no_similarity() -> None:
    assert math.isnan(similarity([EAST, MUTE]))
    assert math.isnan(alignment([MUTE, MUTE]))
    assert math.isnan(similarity(np.empty((0, 2))))


# Closeness


def test_closeness_to_the_policy_in_force() -> None:
    assert closeness([EAST, NORTH, WEST], EAST).tolist() == [1, 0, -1]


def test_closeness_to_the_own_proposal() -> None:
    assert closeness([EAST, NORTH], [EAST, EAST]).tolist() == [1, 0]


def test_closeness_of_nothing_and_to_nothing_is_unknown() -> None:
    assert np.isnan(closeness([EAST, MUTE], EAST)).tolist() == [False, True]
    assert np.isnan(closeness([EAST, NORTH], MUTE)).all()


# Along edges


def test_edges_between_the_like_minded() -> None:
    """Pairs 0-1 and 2-3 agree; the other four pairs are at right angles."""
    assert along_edges([EAST, EAST, NORTH, NORTH], [(0, 1), (2, 3)]) == Edges(1, 0)


def test_direction_repetition_and_loops_do_not_matter() -> None:
    norms = [EAST, EAST, NORTH, WEST]
    once = along_edges(norms, [(0, 1), (2, 3)])
    assert once == pytest.approx((0.5, (0 - 1 + 0 - 1) / 4))
    assert along_edges(norms, [(1, 0), (0, 1), (3, 2), (2, 2)]) == once


def test_edges_to_those_without_a_norm_do_not_count() -> None:
    assert along_edges([EAST, MUTE, NORTH, EAST], [(0, 1), (0, 3)]) == Edges(1, 0)


def test_without_edges_or_without_gaps_one_side_is_unknown() -> None:
    joined, apart = along_edges([EAST, NORTH], [])
    assert math.isnan(joined)
    assert apart == 0
    joined, apart = along_edges([EAST, NORTH], [(0, 1)])
    assert joined == 0
    assert math.isnan(apart)


@given(directions, st.data())
def test_edges_and_gaps_are_the_means_over_their_pairs(vectors: Rows, data: st.DataObject) -> None:
    seat = st.integers(0, len(vectors) - 1)
    edges = data.draw(st.lists(st.tuples(seat, seat)))
    pairs = {(i, j) for i in range(len(vectors)) for j in range(i)}
    joined = {pair for pair in pairs if pair in edges or pair[::-1] in edges}
    table = cosines(vectors)
    for found, among in zip(along_edges(vectors, edges), (joined, pairs - joined), strict=True):
        mean = np.mean([table[pair] for pair in among]) if among else math.nan
        assert found == pytest.approx(mean, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("edge", [(-1, 0), (0, 2)])
def test_an_edge_to_nobody_is_refused(edge: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="pairs of rows from 0 to 1"):
        along_edges([EAST, NORTH], [edge])


# Drift


def test_drift_is_how_far_each_has_turned() -> None:
    """The first turns by 90 degrees, the second stays."""
    assert drift([EAST, NORTH], [NORTH, NORTH]).tolist() == [1, 0]


def test_drift_from_nothing_is_unknown() -> None:
    assert np.isnan(drift([MUTE, EAST], [NORTH, EAST])).tolist() == [True, False]


# Clusters


@pytest.fixture(scope="module")
def grouped() -> Callable[..., list[int]]:
    """`clusters` as a list; skipped where scipy, which comes with the extra, is missing."""
    pytest.importorskip("scipy", reason="clusters need the embeddings extra")
    return lambda *given: clusters(*given).tolist()


def fan(*degrees: float) -> Rows:
    angles = np.radians(degrees)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_clusters_are_numbered_by_size(grouped: Callable[..., list[int]]) -> None:
    """cos 10 = 0.985, cos 80 = 0.17: two groups of norms within 25 degrees (0.9)."""
    assert grouped(fan(0, 90, 100, 10, 95), 0.9) == [1, 0, 0, 1, 0]


def test_of_equal_clusters_the_first_row_has_the_lower_number(
    grouped: Callable[..., list[int]],
) -> None:
    assert grouped(fan(90, 0, 91, 1), 0.9) == [0, 1, 0, 1]


def test_no_two_norms_of_a_cluster_are_further_apart_than_asked(
    grouped: Callable[..., list[int]],
) -> None:
    """A chain in steps of 20 degrees (0.94) does not hang together at 0.9, that is 25 degrees."""
    assert len(set(grouped(fan(0, 20, 40, 60), 0.9))) == 2


def test_the_same_norms_are_one_cluster(grouped: Callable[..., list[int]]) -> None:
    assert grouped([EAST, EAST, EAST], 1) == [0, 0, 0]


def test_those_without_a_norm_are_in_no_cluster(grouped: Callable[..., list[int]]) -> None:
    assert grouped([MUTE, EAST, NORTH, NORTH], 0.5) == [-1, 1, 0, 0]
    assert grouped([MUTE], 0.5) == [-1]
    assert grouped(np.empty((0, 2)), 0.5) == []


@given(vectors=directions, data=st.data())
def test_a_cluster_does_not_depend_on_the_seats(
    grouped: Callable[..., list[int]], vectors: Rows, data: st.DataObject
) -> None:
    order = np.array(data.draw(st.permutations(range(len(vectors)))))
    before, after = np.array(grouped(vectors, 0.5)), np.array(grouped(vectors[order], 0.5))
    together = before[order][:, None] == before[order]
    assert ((after[:, None] == after) == together).all()


def test_a_likeness_that_is_no_cosine_is_refused() -> None:
    with pytest.raises(ValueError, match="a likeness of 90"):
        clusters([EAST], 90)


def test_without_scipy_the_line_that_installs_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.cluster", None)
    with pytest.raises(MissingExtra, match=r"clusters needs .* pip install -e '.\[embeddings\]'"):
        clusters([EAST, NORTH], 0.5)


# Size


def test_ten_thousand_agents_take_memory_in_proportion() -> None:
    """A few copies of the (N, d) rows, against 800 MB for a table of all pairs."""
    norms = np.ones((10_000, 8))
    ring = np.stack([np.arange(10_000), np.roll(np.arange(10_000), 1)], axis=1)
    tracemalloc.start()
    try:
        found = similarity(norms), alignment(norms), *along_edges(norms, ring)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == pytest.approx((1, 1, 1, 1))
    assert peak < 10_000_000  # bytes
