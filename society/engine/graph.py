"""Interaction graphs over the seats of every replicate: who can see, fine or imitate whom.

`i -> j` means that i sees j: j is a neighbour of i, and i is a watcher of j. The complete graph is
implicit; all others keep their edges only, so that nothing is ever (N, N) in memory. A graph that
differs between replicates (random families, edges cut during a run) keeps one set of edges each.
Groups, such as those who are in the same place, are implicit as well: a label for each agent.
Neighbours are counted in the order of their ids, so that relabelling rows permutes results.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from society.errors import GraphError

from .rng import STRIDE, Array, mix_words

if TYPE_CHECKING:
    import networkx as nx

NOBODY = -1  # the seat of no one
Side = Literal["neighbours", "watchers"]
_MOST_EDGES = 20_000_000  # of a complete graph written out for its first edit: 160 MB
_FEW = 8  # edges, up to which numpy adds what they lead to one after the other
_TALL = 128  # replicates, from which on seats are looked at one after the other


class AgentRows(NamedTuple):
    """Some agents, flat: replicate, seat, and node = replicate * N + seat, each (M,)."""

    replicate: Array
    seat: Array
    node: Array


class Graph(ABC):
    """One relation among N seats in each of R replicates.

    replicates: R. ids: (N,), the agent on each seat.
    """

    def __init__(self, replicates: int, ids: Array) -> None:
        self.replicates = replicates
        self.seats = len(ids)
        self.ids = ids

    @abstractmethod
    def drawn(self, uniform: Array, rows: AgentRows, present: Array) -> Array:
        """A present neighbour for each row, all equally likely; (M,) in [0, 1) -> (M,) seats.

        NOBODY for a row without a present neighbour.
        """

    @abstractmethod
    def connects(self, nodes: Array, peers: Array) -> Array:
        """Tell if each node (replicate * N + seat) sees that seat of its replicate; (M,) of bool.

        `peers` lie in [0, N).
        """

    def hides(self, rows: AgentRows, peers: Array) -> Array:
        """Tell if a seat is neither NOBODY, nor the row's own, nor a neighbour's; (M,) of bool."""
        others: Array = (peers != NOBODY) & (peers != rows.seat)
        others[others] = ~self.connects(rows.node[others], peers[others])
        return others

    @abstractmethod
    def sights(self, rows: AgentRows) -> Array:
        """Return the seats that each row sees, (M, N) of bool: for small societies."""

    @abstractmethod
    def matched(self, uniform: Array, present: Array) -> Array:
        """A random matching of present neighbours that no pair could be added to, (R, N) of seats.

        uniform: (R, N), a number of each agent. NOBODY for those who stay alone; edges are taken
        as going both ways. It is maximal, and need not be the largest.
        """

    @abstractmethod
    def neighbours(self, replicate: int, seat: int) -> Array:
        """The seats that one agent sees, by id; (K,).

        replicate, seat: counted from 0.
        """

    @abstractmethod
    def combined(self, ufunc: np.ufunc, values: Array, present: Array, side: Side) -> Array:
        """`ufunc` over the values of each agent's present neighbours or watchers; (R, N).

        Where there are none: the ufunc's identity.
        """

    @abstractmethod
    def edited(self, joins: Array | None, cuts: Array | None) -> Graph:
        """Return a graph with the edges in `joins` added and those in `cuts` removed; (R, N) each.

        Which kind of graph that is depends on whether there are cuts, and not on whom they name:
        so that a replicate is matched alike, whatever happens in the others. Raises GraphError for
        a complete graph that is too large to be written out.
        """

    @abstractmethod
    def degree(self, present: Array) -> Array:
        """Count the present neighbours of each agent, (R, N)."""


def count_true(mask: Array) -> Array:
    """Count the entries of each row that are True, (R, N) -> (R,)."""
    if (
        mask.dtype == bool and mask.shape[1] < 256
    ):  # they fit into a byte, along which numpy adds four times as fast
        counted: Array = np.einsum("ij->i", np.ascontiguousarray(mask).view(np.uint8))
        return counted.astype(np.int64)
    return np.asarray(mask.sum(1))


class Complete(Graph):
    """A graph on which everybody sees everybody else."""

    _sorted: tuple[Array, Array, Array, Array] | None = None

    def drawn(self, uniform: Array, rows: AgentRows, present: Array) -> Array:
        if self.seats > 1 and self._in_order and present.all():
            others = (uniform * (self.seats - 1)).astype(np.int64)
            others += others >= rows.seat
            return others
        seats, first, rank = self._by_id(present)
        if not len(seats):
            return np.full(len(rows.node), NOBODY)
        start, others, rank = first[:-1], np.diff(first) - 1, rank.reshape(-1)
        if len(uniform) == present.size:
            start, others = (np.repeat(one, self.seats) for one in (start, others))
        else:
            start, others, rank = start[rows.replicate], others[rows.replicate], rank[rows.node]
        kth = (uniform * others).astype(np.int64)
        kth += kth >= rank
        kth += start
        # A lone agent asks for the 1st of 0 others: any entry will do, it is replaced.
        peer = seats.take(kth, mode="clip")
        alone = others < 1
        return np.where(alone, NOBODY, peer) if alone.any() else peer

    @cached_property
    def _in_order(self) -> bool:
        return bool((self.ids[1:] > self.ids[:-1]).all())

    def _by_id(self, present: Array) -> tuple[Array, Array, Array]:
        """Present seats by replicate and id; where each replicate starts; each seat's rank."""
        kept = self._sorted
        if kept is None or kept[0] is not present:
            by_id = np.argsort(self.ids)
            there = present if self._in_order else present[:, by_id]
            count = count_true(there)
            first = np.concatenate([[0], np.cumsum(count)])
            nodes = np.flatnonzero(there)
            seats = nodes - np.repeat(np.arange(self.replicates) * self.seats, count)
            rank = np.cumsum(there, axis=1) - 1
            if not self._in_order:
                seats, rank = by_id[seats], rank[:, np.argsort(by_id)]
            kept = self._sorted = present, seats, first, rank
        return kept[1:]

    def connects(self, nodes: Array, peers: Array) -> Array:
        others: Array = nodes % self.seats != peers
        return others

    def hides(self, rows: AgentRows, peers: Array) -> Array:
        outside: Array = (peers < NOBODY) | (peers >= self.seats)
        return outside

    def sights(self, rows: AgentRows) -> Array:
        others: Array = np.arange(self.seats) != rows.seat[:, None]
        return others

    def matched(self, uniform: Array, present: Array) -> Array:
        # The present in the order of their numbers, then two and two; the absent come last.
        order = np.argsort(np.where(present, uniform, np.inf), axis=1, kind="stable")
        even = order[:, : self.seats // 2 * 2].reshape(self.replicates, -1, 2)
        partner = np.full(present.shape, NOBODY)
        np.put_along_axis(partner, even[..., 0], even[..., 1], 1)
        np.put_along_axis(partner, even[..., 1], even[..., 0], 1)
        both = present & (partner != NOBODY)
        both &= np.take_along_axis(present, np.where(both, partner, 0), 1)
        return np.where(both, partner, NOBODY)

    @cached_property
    def _seats_by_id(self) -> Array:
        """All seats, in the order of their ids, (N,)."""
        return np.argsort(self.ids)

    def neighbours(self, replicate: int, seat: int) -> Array:
        others: Array = self._seats_by_id[self._seats_by_id != seat]
        return others

    def combined(self, ufunc: np.ufunc, values: Array, present: Array, side: Side) -> Array:
        kept = values if present.all() else np.where(present, values, ufunc.identity)
        if self.replicates >= _TALL:
            return self._combined_by_seat(ufunc, kept)
        before = np.full_like(kept, ufunc.identity)
        after = before.copy()
        ufunc.accumulate(kept[:, :-1], axis=1, out=before[:, 1:])
        ufunc.accumulate(kept[:, :0:-1], axis=1, out=after[:, -2::-1])
        combined: Array = ufunc(before, after)
        return combined

    def _combined_by_seat(self, ufunc: np.ufunc, values: Array) -> Array:
        """Combine the others of each agent seat by seat, for all replicates at once."""
        of_seat = np.ascontiguousarray(values.T)
        before, after = np.empty_like(of_seat), np.empty_like(of_seat)
        before[0] = after[-1] = ufunc.identity
        for seat in range(1, self.seats):
            ufunc(before[seat - 1], of_seat[seat - 1], out=before[seat])
            ufunc(after[-seat], of_seat[-seat], out=after[-seat - 1])
        return np.ascontiguousarray(ufunc(before, after, out=before).T)

    def degree(self, present: Array) -> Array:
        others: Array = count_true(present)[:, None] - present
        return others

    def edited(self, joins: Array | None, cuts: Array | None) -> Graph:
        if cuts is None:
            return self
        edges = self.replicates * self.seats * (self.seats - 1)
        if edges > _MOST_EDGES:
            raise GraphError(
                f"cutting edges of a complete graph would write out {edges:,} edges, and at most "
                f"{_MOST_EDGES:,} fit; start from a sparse graph, fewer agents or fewer replicates"
            )
        seat = np.arange(self.seats)
        source, target = np.nonzero(seat[:, None] != seat)
        starts = [np.column_stack([source, target])] * self.replicates
        return Sparse.stacked(starts, self.ids).edited(joins, cuts)


class LabelGroups(Graph):
    """A graph on which those with the same label see each other; one with a negative label, nobody.

    labels: (R, N) of integers, kept in place of edges.
    """

    def __init__(self, ids: Array, labels: Array) -> None:
        super().__init__(len(labels), ids)
        replicate = np.repeat(np.arange(len(labels)), self.seats)
        by_id, flat = np.tile(ids, len(labels)), labels.reshape(-1)
        # Nodes by replicate, label and id, so that members of a group stand next to each other.
        self._nodes = np.lexsort((by_id, flat, replicate))
        label = flat[self._nodes]
        first = np.diff(replicate[self._nodes], prepend=-1) != 0
        first |= (np.diff(label, prepend=-1) != 0) | (label < 0)  # who is in none is alone
        first[:1] = True
        of_sorted = np.cumsum(first) - 1
        self._group = np.empty(flat.size, np.int64)  # of each node
        self._group[self._nodes] = of_sorted
        self._first = np.append(np.flatnonzero(first), flat.size)  # where each group starts
        self._place = np.arange(flat.size) - self._first[of_sorted]  # within it, in that order

    def drawn(self, uniform: Array, rows: AgentRows, present: Array) -> Array:
        here = present.reshape(-1)
        met = np.concatenate([[0], np.cumsum(here[self._nodes])])
        there = self._nodes[here[self._nodes]]
        if not len(there):
            return np.full(len(rows.node), NOBODY)
        group, oneself = self._group[rows.node], here[rows.node]
        start = met[self._first[group]]
        others = met[self._first[group + 1]] - start - oneself
        rank = np.empty(here.size, np.int64)
        rank[self._nodes] = met[:-1]
        kth = start + (uniform * others).astype(np.int64)
        kth += oneself & (kth >= rank[rows.node])
        peer = there.take(kth, mode="clip") - (rows.node - rows.seat)
        return np.where(others > 0, peer, NOBODY)

    def connects(self, nodes: Array, peers: Array) -> Array:
        seats = nodes % self.seats
        same = self._group[nodes] == self._group[nodes - seats + peers]
        connected: Array = same & (seats != peers)
        return connected

    def sights(self, rows: AgentRows) -> Array:
        seat = np.arange(self.seats)
        same = self._group[(rows.node - rows.seat)[:, None] + seat] == self._group[rows.node, None]
        seen: Array = same & (seat != rows.seat[:, None])
        return seen

    def matched(self, uniform: Array, present: Array) -> Array:
        # In each group the present in the order of their numbers, then two and two.
        here = present.reshape(-1)
        order = np.lexsort((uniform.reshape(-1), ~here, self._group))
        place = np.arange(here.size) - self._first[self._group[order]]
        at = np.arange(here.size) + np.where(place % 2, -1, 1)
        other = order[np.minimum(at, here.size - 1)]
        both = here[order] & here[other] & (self._group[other] == self._group[order])
        both &= at < here.size
        partner = np.full(here.size, NOBODY)
        partner[order[both]] = other[both] % self.seats
        return partner.reshape(present.shape)

    def neighbours(self, replicate: int, seat: int) -> Array:
        node = replicate * self.seats + seat
        group = self._group[node]
        members = self._nodes[self._first[group] : self._first[group + 1]]
        peers: Array = members[members != node] % self.seats
        return peers

    def combined(self, ufunc: np.ufunc, values: Array, present: Array, side: Side) -> Array:
        kept = np.where(present, values, ufunc.identity).astype(values.dtype).reshape(-1)
        kept = kept[self._nodes]
        behind = np.diff(self._first)[self._group[self._nodes]] - 1 - self._place
        before = _before_in_group(ufunc, kept, self._place)
        after = _before_in_group(ufunc, kept[::-1], behind[::-1])[::-1]
        combined = np.empty_like(kept)
        combined[self._nodes] = ufunc(before, after)
        return combined.reshape(values.shape)

    def degree(self, present: Array) -> Array:
        return self.combined(np.add, present.astype(np.int64), present, "neighbours")

    def edited(self, joins: Array | None, cuts: Array | None) -> Graph:
        raise GraphError(
            "joins and cuts of a relation that is by groups; tell its groups anew, "
            "groups={RELATION: labels}, or use another relation"
        )


def _before_in_group(ufunc: np.ufunc, values: Array, place: Array) -> Array:
    """`ufunc` over the entries before each one in its group; its identity for the first.

    place: of each entry within its group, from 0. In steps of 1, 2, 4, ..., so that the result for
    a group depends on nothing outside of it.
    """
    total, step = values.copy(), 1
    while (further := place >= step).any():
        moved = np.concatenate([total[:step], total[:-step]])
        total = np.where(further, ufunc(moved, total), total)
        step *= 2
    before = np.concatenate([total[:1], total[:-1]])
    return np.where(place > 0, before, ufunc.identity).astype(values.dtype)


class Sparse(Graph):
    """Edges kept as one sorted array of keys (replicate * N + seat) * N + position of the peer.

    `by_id[position]` is the seat of the agent with the position-th smallest id.
    """

    def __init__(self, replicates: int, ids: Array, keys: Array, *, directed: bool) -> None:
        super().__init__(replicates, ids)
        self.directed = directed
        self.by_id = np.argsort(ids)
        self.position = np.argsort(self.by_id)
        self.keys = keys
        node, position = np.divmod(keys, self.seats)
        self.source = node  # replicate * N + seat, per edge
        self.target = node - node % self.seats + self.by_id[position]
        self.first = np.searchsorted(node, np.arange(replicates * self.seats + 1))
        self._there: tuple[Array, Array, Array] | None = None

    @classmethod
    def stacked(cls, edges: list[Array], ids: Array, *, directed: bool = False) -> Sparse:
        """Build a graph from one (E, 2) array of seats per replicate, listing both directions."""
        seats = len(ids)
        position = np.argsort(np.argsort(ids))
        keys = [
            (replicate * seats + pairs[:, 0]) * seats + position[pairs[:, 1]]
            for replicate, pairs in enumerate(edges)
        ]
        return cls(len(edges), ids, np.unique(np.concatenate(keys)), directed=directed)

    def drawn(self, uniform: Array, rows: AgentRows, present: Array) -> Array:
        if not len(self.target):
            return np.full(len(rows.node), NOBODY)
        first, seats = self._edges_to(present)
        whole = len(rows.node) == present.size
        before = first[:-1] if whole else first[rows.node]
        count = (first[1:] if whole else first[rows.node + 1]) - before
        kth = (uniform * count).astype(np.int64)
        kth += before
        seat = seats.take(kth, mode="clip") if len(seats) else kth
        alone = count < 1
        return np.where(alone, NOBODY, seat) if alone.any() else seat

    @cached_property
    def _target_seats(self) -> Array:
        """The seat at the end of each edge."""
        seats: Array = self.target % self.seats
        return seats

    def _edges_to(self, present: Array) -> tuple[Array, Array]:
        """Edges to those who are there: the first one of each node, and the seats they lead to."""
        if present.all():
            return self.first, self._target_seats
        kept = self._there  # looked at once: another thread may play with this graph, too
        if kept is None or kept[0] is not present:
            there = present.reshape(-1).take(self.target)
            before = np.concatenate([[0], np.cumsum(there)])  # edges before each edge
            kept = self._there = present, before.take(self.first), self._target_seats[there]
        return kept[1:]

    def connects(self, nodes: Array, peers: Array) -> Array:
        key = nodes * self.seats + self.position[peers]
        if not len(self.keys):
            return np.zeros(key.shape, bool)
        found: Array = self.keys.take(np.searchsorted(self.keys, key), mode="clip") == key
        return found

    def sights(self, rows: AgentRows) -> Array:
        sees = np.zeros(self.replicates * self.seats * self.seats, bool)
        sees[self.source * self.seats + self.target % self.seats] = True
        return sees.reshape(-1, self.seats)[rows.node]

    def matched(self, uniform: Array, present: Array) -> Array:
        """Edges are taken in random order, each if both its ends are still free.

        In parallel: an edge is taken as soon as it is the first one of both ends, so that a few
        rounds will do, also where everybody sees everybody.
        """
        free = present.reshape(-1).copy()
        partner = np.full(free.size, NOBODY)
        one, other = self._pairs
        rank = _edge_numbers(uniform.reshape(-1), one, other)
        while len(one := one[(open_ := free[one] & free[other])]):
            other, rank = other[open_], rank[open_]
            first = np.full(free.size, np.iinfo(np.uint64).max, np.uint64)
            np.minimum.at(first, one, rank)
            np.minimum.at(first, other, rank)
            best = (rank == first[one]) & (rank == first[other])
            partner[one[best]], partner[other[best]] = other[best], one[best]
            free[one[best]] = free[other[best]] = False
        seats: Array = np.where(partner == NOBODY, NOBODY, partner % self.seats)
        return seats.reshape(present.shape)

    @cached_property
    def _pairs(self) -> tuple[Array, Array]:
        """The nodes at both ends of each edge; of an edge in both directions, once."""
        once = self.directed | (self.source < self.target)
        return self.source[once], self.target[once]

    def neighbours(self, replicate: int, seat: int) -> Array:
        node = replicate * self.seats + seat
        peers: Array = self.target[self.first[node] : self.first[node + 1]] % self.seats
        return peers

    @cached_property
    def _reversed(self) -> Sparse:
        """The same edges looked at from their other end."""
        keys = self.target * self.seats + self.position[self.source % self.seats]
        return Sparse(self.replicates, self.ids, np.sort(keys), directed=self.directed)

    def combined(self, ufunc: np.ufunc, values: Array, present: Array, side: Side) -> Array:
        edges = self._reversed if side == "watchers" and self.directed else self
        kept = values if present.all() else np.where(present, values, ufunc.identity)
        taken = kept.reshape(-1).take(edges.target)
        if edges._few_each and taken.dtype in (np.float64, np.int64):
            return _reduce_few(ufunc, taken.reshape(values.size, -1).T).reshape(values.shape)
        # reduceat gives an empty segment its first element, so only filled ones are reduced.
        filled, starts = edges._filled
        if filled.size == values.size:
            return np.asarray(ufunc.reduceat(taken, starts)).reshape(values.shape)
        total = np.full(values.size, ufunc.identity, values.dtype)
        if filled.size:
            total[filled] = ufunc.reduceat(taken, starts)
        return total.reshape(values.shape)

    @cached_property
    def _few_each(self) -> bool:
        """Whether all nodes have equally many edges, and few, as on a ring."""
        count = np.diff(self.first)
        return bool(count.size) and 0 < count[0] < _FEW and bool((count == count[0]).all())

    @cached_property
    def _filled(self) -> tuple[Array, Array]:
        """Nodes that have edges, and the first edge of each."""
        filled = np.flatnonzero(np.diff(self.first))
        return filled, self.first[filled]

    def degree(self, present: Array) -> Array:
        return np.diff(self._edges_to(present)[0]).reshape(present.shape)

    def edited(self, joins: Array | None, cuts: Array | None) -> Sparse:
        keys = self.keys
        # Most edits name nobody, and the keys need not be sorted again.
        if cuts is not None and (cuts != NOBODY).any():
            keys = np.setdiff1d(keys, self._keys_to(cuts))
        if joins is not None and (joins != NOBODY).any():
            keys = np.union1d(keys, self._keys_to(joins))
        if keys is self.keys:
            return self
        return Sparse(self.replicates, self.ids, keys, directed=self.directed)

    def _keys_to(self, peers: Array) -> Array:
        replicate, seat = np.nonzero(peers != NOBODY)
        peer = peers[replicate, seat]
        there = (replicate * self.seats + seat) * self.seats + self.position[peer]
        if self.directed:
            return there
        back = (replicate * self.seats + peer) * self.seats + self.position[seat]
        return np.concatenate([there, back])


def _reduce_few(ufunc: np.ufunc, rows: Array) -> Array:
    """Reduce (K, n) to (n,) as `reduceat` does, to the last bit, in a third of its time.

    numpy adds the numbers after the first one, and that one at the end: a + ((b + c) + d).
    """
    first, *others = rows
    if ufunc is np.add and others:
        return np.asarray(first + reduce(np.add, others))
    return np.asarray(reduce(ufunc, others, first))


def _edge_numbers(uniform: Array, one: Array, other: Array) -> Array:
    """A number for each edge out of those of its ends, the same from either end; (E,) of uint64.

    Stirred, so that the numbers of edges with a common end are not alike.
    """
    bits = (uniform * 2.0**53).astype(np.uint64)
    low, high = np.minimum(bits[one], bits[other]), np.maximum(bits[one], bits[other])
    return mix_words(low * STRIDE + high)


def from_networkx(graphs: list[nx.Graph[Any]], ids: Array) -> Sparse:
    """One graph a replicate, nodes in the order of the seats.

    Raises GraphError for a wrong number of nodes or an edge from a node to itself.
    """
    different = {id(graph): graph for graph in graphs}
    edges = {key: _edges(graph, len(ids)) for key, graph in different.items()}
    directed = bool(graphs[0].is_directed())
    return Sparse.stacked([edges[id(graph)] for graph in graphs], ids, directed=directed)


def _edges(graph: nx.Graph[Any], seats: int) -> Array:
    """Pairs of seats, (E, 2); both directions of an edge that has none."""
    import networkx as nx

    if len(graph) != seats:
        raise GraphError(
            f"the graph has {len(graph)} nodes but there are {seats} agents; "
            f"give a graph of {seats} nodes or pass agents={len(graph)}"
        )
    loop = next(iter(nx.selfloop_edges(graph)), None)
    if loop is not None:
        raise GraphError(f"node {loop[0]!r} has an edge to itself; remove it")
    seat = {node: position for position, node in enumerate(graph.nodes)}
    pairs = [(seat[source], seat[target]) for source, target in graph.edges()]
    edges = np.array(pairs, np.int64).reshape(-1, 2)
    return edges if graph.is_directed() else np.concatenate([edges, edges[:, ::-1]])
