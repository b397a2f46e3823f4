"""What an agent is: a row of columns, and the components that are rules over them.

A component answers for all its members at once (`answer`) or one by one (`consult`); the script
cannot tell which. State changes only in `begin`, `notice` and `born`; answering only reads.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import DTypeLike

from .draws import Array, Draws, Places
from .errors import CastError, PartError, nearest
from .graph import NOBODY, Graph, Rows
from .replies import Reply, fields, heard
from .talk import Fact


@dataclass(frozen=True)
class Column:
    """State that a component keeps for each agent: one value of `dtype` each, zero at first.

    public: kept per round in the run file, for the theatre and for measures.
    """

    name: str
    dtype: DTypeLike = float
    public: bool = False


class Component:
    """One faculty of an agent. Every hook is optional; the fields of a dataclass are parameters."""

    answers: ClassVar[tuple[str, ...]] = ()
    notices: ClassVar[tuple[str, ...]] = ()
    columns: ClassVar[tuple[Column, ...]] = ()

    @classmethod
    def title(cls) -> str:
        """The name in scenario files and addresses of chance: NormBelief -> norm_belief."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    def begin(self, me: Members) -> None:
        """Fill the own columns before the script starts."""

    def answer(self, ask: Question, me: Members) -> Any:
        """One value per member, (M,), for the kinds in `answers`; pure.

        Rules answer for all members; the answers of those who were not asked are dropped.
        """
        raise NotImplementedError

    async def consult(self, ask: Inquiry, one: One) -> Any:
        """The same for a single member, possibly slowly; pure. Raises Unparsed."""
        raise NotImplementedError

    def notice(self, tell: News, me: Members) -> None:
        """Something happened, of a kind in `notices`."""

    def born(self, me: Members) -> None:
        """These members have just inherited some of this component's columns: mutate."""

    @classmethod
    def overrides(cls, hook: str) -> bool:
        """Whether this component does something of its own in `hook`."""
        return getattr(cls, hook) is not getattr(Component, hook)


def frozen(values: Array) -> Array:
    """The same array, read-only from now on."""
    values.flags.writeable = False
    return values


@dataclass(frozen=True, eq=False)
class Audience:
    """Who hears a line: some members of a company, and the world around them."""

    index: Array | None  # which members; None means all of them
    rows: Rows
    places: Places
    whole: bool  # whether the rows are all of (R, N), in order
    graphs: Mapping[str, Graph]
    present: Array

    def only(self, entries: Array) -> Audience:
        """Some of them."""
        index = entries if self.index is None else self.index[entries]
        rows = Rows(*(part[entries] for part in self.rows))
        places = self.places.among(entries)
        return Audience(index, rows, places, False, self.graphs, self.present)

    def each(self, values: Array) -> Array:
        """(R, N, ...) -> (M, ...)."""
        flat = values.reshape(-1, *values.shape[2:])
        return flat if self.whole else flat[self.rows.node]

    def shared(self, values: Array) -> Array:
        """(R, ...) -> (M, ...)."""
        if self.whole:
            return np.repeat(values, self.present.shape[1], axis=0)
        return values[self.rows.replicate]


class Seen:
    """A fact about the neighbours of each member on one graph."""

    def __init__(self, values: Array, graph: Graph, audience: Audience) -> None:
        self._values, self._graph, self._audience = values, graph, audience
        self._drawn: Array | None = None

    def drawn(self, uniform: Array) -> Array:
        """One present neighbour each, equally likely, from uniforms; NOBODY where there is none."""
        rows, present = self._audience.rows, self._audience.present
        self._drawn = frozen(self._graph.drawn(uniform, rows, present))
        return self._drawn

    def of(self, peers: Array) -> Array:
        """The values of these peers, numbers as floats; NaN for NOBODY.

        Raises PartError for a seat that is neither the member's own nor a neighbour's.
        """
        rows = self._audience.rows
        if peers is not self._drawn and (hidden := self._graph.hides(rows, peers)).any():
            at = int(np.argmax(hidden))
            raise PartError(
                f"seat {rows.seat[at]} looks at seat {peers[at]}, whom it does not see; "
                "look at neighbours (`drawn` finds one), or at oneself"
            )
        taken: Array = self._values.reshape(-1).take(rows.node - rows.seat + peers)
        if taken.dtype.kind in "biu":
            taken = taken.astype(float)
        nobody = peers == NOBODY
        return np.where(nobody, np.nan, taken) if nobody.any() else taken

    def mean(self) -> Array:
        """The mean over each member's present neighbours; NaN if there is none."""
        present = self._audience.present
        total = self._graph.combined(np.add, self._values.astype(float), present, "neighbours")
        count = self._graph.degree(present)
        mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        return self._audience.each(mean)


class _Known:
    """What an audience knows about a line."""

    def __init__(self, kind: str, facts: Mapping[str, Fact], audience: Audience) -> None:
        self._kind, self._facts, self._audience = kind, facts, audience

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def _fact(self, name: str) -> Fact:
        try:
            return self._facts[name]
        except KeyError:
            hint = nearest(name, self._facts)
            raise PartError(f"{self._kind!r} has no fact {name!r}; {hint}") from None

    def _flat(self, name: str) -> Array:
        fact = self._fact(name)
        if fact.scope == "common":
            return self._audience.shared(fact.values[:, 0])
        return self._audience.each(fact.values)

    def _seen(self, name: str) -> Fact:
        fact = self._fact(name)
        if fact.scope != "seen":
            raise PartError(f"fact {name!r} of {self._kind!r} is {fact.scope}, not seen on a graph")
        return fact


class Facts(_Known, Mapping[str, Array]):
    """`facts["stock"]`: one value per member, (M,); of a fact that is seen, the member's own."""

    def __getitem__(self, name: str) -> Array:
        return self._flat(name)

    def seen(self, name: str) -> Seen:
        """The entries of the neighbours."""
        fact = self._seen(name)
        return Seen(fact.values, self._audience.graphs[fact.graph], self._audience)


class OwnFacts(_Known, Mapping[str, Any]):
    """What a single member knows: `facts["stock"]` is a scalar."""

    def __getitem__(self, name: str) -> Any:
        return self._flat(name)[0]

    def seen(self, name: str) -> dict[int, Any]:
        """The entries of the present neighbours, by seat."""
        fact = self._seen(name)
        present, rows = self._audience.present, self._audience.rows
        replicate, seat = int(rows.replicate[0]), int(rows.seat[0])
        peers = self._audience.graphs[fact.graph].neighbours(replicate, seat)
        return {int(j): fact.values[replicate, j] for j in peers if present[replicate, j]}


class News(NamedTuple):
    """A Tell as members hear it."""

    kind: str
    facts: Facts


class Question(NamedTuple):
    """An Ask as members hear it.

    asked: who was asked, (M,) of bool. reply: its bounds are one per member, (M,), or one for all.
    options, of a Choice: (R, K), a row for each replicate (`me.replicate` says which is whose),
    None or NaN where an option is not open.
    """

    kind: str
    facts: Facts
    reply: Reply
    asked: Array
    options: Array | None = None


class Inquiry(NamedTuple):
    """An Ask as a single member hears it; `options`, of a Choice: (K,)."""

    kind: str
    facts: OwnFacts
    reply: Reply
    options: Array | None = None


class Company:
    """A cohort in play: which rows it has, and their columns, (M,) each."""

    def __init__(
        self,
        name: str,
        components: Sequence[Component],
        rows: Rows,
        places: Places,
        *,
        whole: bool,
    ) -> None:
        self.name, self.components = name, components
        self.rows, self.places, self.whole = rows, places, whole
        self.owners = {column.name: part for part in components for column in part.columns}
        self.declared = {column.name: column for part in components for column in part.columns}
        self.unbegun: set[str] = set()  # columns whose owner has not begun yet
        self.values = {
            name: frozen(np.zeros(len(rows.node), column.dtype))
            for name, column in self.declared.items()
        }

    def put(self, name: str, values: Array) -> None:
        """Replace a column."""
        self.values[name] = frozen(values)


class Members:
    """Some members of one company as one of their components sees them.

    `me["effort"]` is their column, (M,); only the own columns may be set, and only in `begin`,
    `notice` and `born`.
    """

    def __init__(
        self,
        company: Company,
        component: Component,
        draws: Draws,
        audience: Audience,
        *,
        pure: bool,
    ) -> None:
        self._company, self._component, self._pure = company, component, pure
        self._index = audience.index
        self.audience, self.draws = audience, draws

    @property
    def replicate(self) -> Array:
        """The replicate of each member, counted from 0 in this run, (M,)."""
        return self.audience.rows.replicate

    def only(self, entries: Array) -> Members:
        """Some of these members, to look at."""
        audience, draws = self.audience.only(entries), self.draws.among(entries)
        return Members(self._company, self._component, draws, audience, pure=True)

    def __len__(self) -> int:
        return len(self.audience.rows.node)

    def __contains__(self, name: str) -> bool:
        return name in self._company.values

    def __getitem__(self, name: str) -> Array:
        try:
            values = self._company.values[name]
        except KeyError:
            hint = nearest(name, self._company.values)
            raise PartError(
                f"{self._component.title()} reads column {name!r}, which no component of cohort "
                f"{self._company.name!r} keeps; {hint}"
            ) from None
        if name in self._company.unbegun and self._company.owners[name] is not self._component:
            owner = self._company.owners[name].title()
            raise CastError(
                f"{self._component.title()} reads column {name!r} before {owner} has begun; "
                f"put {owner} before it in cohort {self._company.name!r}"
            )
        if self._index is not None:
            return values[self._index]
        return values if self._pure else values.copy()

    def __setitem__(self, name: str, values: object) -> None:
        if self._pure:
            raise PartError(
                f"{self._component.title()} sets {name!r} while answering; "
                "columns change in begin, notice and born only"
            )
        if self._company.owners.get(name) is not self._component:
            raise PartError(
                f"{self._component.title()} sets column {name!r}, which it has not declared; "
                f"add Column({name!r}) to its columns"
            )
        old = self._company.values[name]
        new = np.empty_like(old) if self._index is None else old.copy()
        try:
            new[slice(None) if self._index is None else self._index] = values
        except (ValueError, TypeError) as error:
            raise PartError(
                f"{self._component.title()} sets column {name!r} of {old.dtype} for {len(self)} "
                f"members: {error}; give one value for each, or one for all"
            ) from error
        self._company.put(name, new)


class One:
    """A single member: `one["effort"]` is a scalar, and so is every draw."""

    def __init__(self, me: Members, entry: int) -> None:
        self._me = me.only(np.array([entry]))
        self.draws = me.draws.single(entry)
        self.replicate, self.seat, _ = (int(part[0]) for part in self._me.audience.rows)

    def __contains__(self, name: str) -> bool:
        return name in self._me

    def __getitem__(self, name: str) -> Any:
        return self._me[name][0]


C = TypeVar("C", bound=Component)


def per_agent(
    rule: Callable[[C, Inquiry, One], Any],
) -> Callable[[C, Question, Members], list[Any]]:
    """Turn a scalar `answer(self, ask, one)` into a rule over columns.

    The rule sees scalars everywhere: `ask.facts["stock"]`, `one["effort"]`, `one.draws`.
    """

    @functools.wraps(rule)
    def answer(self: C, ask: Question, me: Members) -> Any:
        return entered([rule(self, *pair) for pair in singly(ask, me)[1]], ask)

    return answer


def singly(ask: Question, me: Members) -> tuple[Array, list[tuple[Inquiry, One]]]:
    """Who was asked, as entries of `me`, and the question to each of them alone."""
    entries = np.flatnonzero(ask.asked)
    alone = []
    for entry in entries.tolist():
        one = One(me, entry)
        facts = OwnFacts(ask.kind, ask.facts._facts, one._me.audience)
        options = None if ask.options is None else ask.options[one.replicate]
        reply = heard(ask.reply, operator.itemgetter(entry))
        alone.append((Inquiry(ask.kind, facts, reply, options), one))
    return entries, alone


def entered(answers: Sequence[Any], ask: Question) -> Any:
    """One answer for each that was asked -> one per member, silent elsewhere; forms by field."""
    columns = {}
    for name, value in fields(ask.reply).items():
        silent = value.silent if value.width is None else [value.silent] * value.width
        column: list[Any] = [silent] * len(ask.asked)
        for entry, answer in zip(np.flatnonzero(ask.asked).tolist(), answers, strict=True):
            column[entry] = _field(answer, name) if name else answer
        columns[name] = column
    return columns.get("", columns)


def _field(answer: Any, name: str) -> Any:
    """None, which no reply takes, where a form lacks a field."""
    return answer.get(name) if isinstance(answer, Mapping) else None
