"""Lines as agents hear them: each agent knows its own entries, and those of its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from society.errors import PartError, suggest

from .action_spaces import ActionSpace
from .graph import NOBODY, AgentRows, Graph
from .rng import Array, DrawPlaces
from .script import Fact, Scope


def read_only(values: Array) -> Array:
    """The same array, read-only from now on."""
    values.flags.writeable = False
    return values


@dataclass(frozen=True, eq=False)
class Audience:
    """The members of a cohort who hear a line, with the graphs around them."""

    index: Array | None  # which members; None means all of them
    rows: AgentRows
    places: DrawPlaces
    whole: bool  # whether the rows are all of (R, N), in order
    graphs: Mapping[str, Graph]
    present: Array

    @cached_property
    def row_start(self) -> Array:
        """The node of seat 0 in each member's replicate, (M,)."""
        start: Array = self.rows.node - self.rows.seat
        return start

    def only(self, entries: Array) -> Audience:
        """Return some of these members."""
        index = entries if self.index is None else self.index[entries]
        rows = AgentRows(*(part[entries] for part in self.rows))
        places = self.places.among(entries)
        return Audience(index, rows, places, False, self.graphs, self.present)

    def single(self, entry: int) -> Audience:
        """Return one of these members."""
        place = slice(entry, entry + 1)
        index = np.array([entry]) if self.index is None else self.index[place]
        replicate, seat, node = self.rows
        rows = AgentRows(replicate[place], seat[place], node[place])
        return Audience(index, rows, self.places.single(entry), False, self.graphs, self.present)

    def each(self, values: Array, *, common: bool = False) -> Array:
        """Pick the members' values: (R, N, ...), or (R, 1, ...) if common, -> (M, ...)."""
        if common:
            shared = values[:, 0]
            if self.whole:
                return np.repeat(shared, self.present.shape[1], axis=0)
            return shared[self.rows.replicate]
        flat = values.reshape(values.shape[0] * values.shape[1], *values.shape[2:])
        return flat if self.whole else flat[self.rows.node]


class Seen:
    """A fact about the neighbours of each member on one graph.

    values: (R, N).
    """

    def __init__(self, values: Array, graph: Graph, audience: Audience) -> None:
        self._values, self._graph, self._audience = values, graph, audience
        self._drawn: Array | None = None

    def drawn(self, uniform: Array) -> Array:
        """One present neighbour each, equally likely, from uniforms; NOBODY where there is none.

        (M,) in [0, 1) -> (M,) of seats.
        """
        rows, present = self._audience.rows, self._audience.present
        self._drawn = read_only(self._graph.drawn(uniform, rows, present))
        return self._drawn

    def of(self, peers: Array) -> Array:
        """The values of these peers, numbers as floats; NaN for NOBODY.

        Raises PartError for a seat that is neither the member's own nor a neighbour's.
        (M,) of seats -> (M,).
        """
        rows = self._audience.rows
        if peers is not self._drawn and (hidden := self._graph.hides(rows, peers)).any():
            at = int(np.argmax(hidden))
            raise PartError(
                f"seat {rows.seat[at]} looks at seat {peers[at]}, whom it does not see; "
                "look at neighbours (`drawn` finds one), or at oneself"
            )
        taken: Array = self._values.reshape(-1).take(self._audience.row_start + peers)
        if taken.dtype.kind in "biu":
            taken = taken.astype(float)
        nobody = peers == NOBODY
        return np.where(nobody, np.nan, taken) if nobody.any() else taken

    def everyone(self) -> Array:
        """Return the value of every seat as each member sees it, (M, N); NaN where it does not see.

        Its own entry is NaN, too. Memory grows with the square of the number of agents.
        """
        rows, present = self._audience.rows, self._audience.present
        sees = self._graph.sights(rows) & present[rows.replicate]
        return np.where(sees, self._values[rows.replicate].astype(float), np.nan)

    def mean(self) -> Array:
        """The mean over each member's present neighbours; NaN if there is none.

        One for each member, (M,).
        """
        present = self._audience.present
        total = self._graph.combined(np.add, self._values.astype(float), present, "neighbours")
        count = self._graph.degree(present)
        mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        return self._audience.each(mean)


class _Known:
    """The facts of a line as an audience knows them."""

    def __init__(self, kind: str, facts: Mapping[str, Fact], audience: Audience) -> None:
        self._kind, self.facts, self._audience = kind, facts, audience

    def __iter__(self) -> Iterator[str]:
        return iter(self.facts)

    def __len__(self) -> int:
        return len(self.facts)

    def __contains__(self, name: object) -> bool:
        return name in self.facts

    def _fact(self, name: str) -> Fact:
        try:
            return self.facts[name]
        except KeyError:
            hint = suggest(name, self.facts)
            raise PartError(f"{self._kind!r} has no fact {name!r}; {hint}") from None

    def _seen(self, name: str) -> Fact:
        fact = self._fact(name)
        if fact.scope != "seen":
            raise PartError(
                f"fact {name!r} of {self._kind!r} is {fact.scope}, not seen on a graph; read it as "
                f".facts[{name!r}], or let the script state it as seen(GRAPH, ...)"
            )
        return fact


class Facts(_Known, Mapping[str, Array]):
    """`facts["stock"]`: one value per member, (M,); of a fact that is seen, the member's own."""

    def __getitem__(self, name: str) -> Array:
        fact = self.facts.get(name) or self._fact(name)
        return self._audience.each(fact.values, common=fact.scope == "common")

    def seen(self, name: str) -> Seen:
        """The entries of the neighbours."""
        fact = self._seen(name)
        return Seen(fact.values, self._audience.graphs[fact.graph], self._audience)


class OwnFacts(_Known, Mapping[str, Any]):
    """The facts of a line as one member knows them: `facts["stock"]` is a scalar."""

    def __init__(self, kind: str, facts: Mapping[str, Fact], audience: Audience) -> None:
        super().__init__(kind, facts, audience)
        self._member = int(audience.rows.replicate[0]), int(audience.rows.seat[0])

    def __getitem__(self, name: str) -> Any:
        fact = self.facts.get(name) or self._fact(name)
        replicate, seat = self._member
        value = fact.values[replicate, 0 if fact.scope == "common" else seat]
        return value.copy() if isinstance(value, np.ndarray) else value

    def plain(self, name: str) -> Any:
        """Return a fact in Python's own types: a number, a flag, a text, or a list of these."""
        fact = self.facts.get(name) or self._fact(name)
        replicate, seat = self._member
        column = 0 if fact.scope == "common" else seat
        if fact.values.ndim == 2 and fact.values.dtype.kind != "O":
            return fact.values.item(replicate, column)
        value = fact.values[replicate, column]
        return value.tolist() if isinstance(value, np.generic | np.ndarray) else value

    @property
    def graphs(self) -> list[str]:
        """The graphs on which some of these facts are seen."""
        return list(dict.fromkeys(fact.graph for fact in self.facts.values() if fact.graph))

    def scope(self, name: str) -> Scope:
        """Return who else knows a fact: common, own or seen."""
        return self._fact(name).scope

    def seen(self, name: str) -> dict[int, Any]:
        """The entries of the present neighbours, by seat."""
        fact = self._seen(name)
        present, (replicate, seat) = self._audience.present, self._member
        peers = self._audience.graphs[fact.graph].neighbours(replicate, seat)
        return {int(j): fact.values[replicate, j] for j in peers if present[replicate, j]}


class News(NamedTuple):
    """A Tell as members hear it.

    occurs: replicates in which it happens, (R, 1) of bool; None: in all.
    """

    kind: str
    facts: Facts
    text: str = ""
    occurs: Array | None = None


class Question(NamedTuple):
    """An Ask as members hear it.

    asked: who was asked, (M,) of bool. reply: its bounds are one per member, (M,), or one for all.
    options, of a Choice: (R, K), a row for each replicate (`agents.replicate` says which is whose),
    None or NaN where an option is not open.
    """

    kind: str
    facts: Facts
    reply: ActionSpace
    asked: Array
    options: Array | None = None
    repairs: int = 1
    text: str = ""


class Inquiry(NamedTuple):
    """An Ask as a single member hears it; `options`, of a Choice: (K,)."""

    kind: str
    facts: OwnFacts
    reply: ActionSpace
    options: Array | None = None
    repairs: int = 1
    text: str = ""
