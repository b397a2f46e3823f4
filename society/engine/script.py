"""The lines that a script says.

A script is a generator. It yields an Ask (and receives the settled answers), a Tell (what happened)
or an Inherit (columns copied between rows). Arrays run (R replicates, N agents).
"""

from __future__ import annotations

import warnings
from collections.abc import Generator, Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from society.errors import ArgumentError

from .action_spaces import ActionSpace, Fields, Value
from .rng import Array

Scope = Literal["common", "own", "seen"]

HERITABLE = ("*",)  # as the columns of an Inherit


class VoidReplicate:
    """The mark, in place of a `fallback`, that an unreadable answer ends its replicate."""

    def __repr__(self) -> str:
        return "VOID_REPLICATE"


VOID_REPLICATE = VoidReplicate()


class Unanswered:
    """The mark, in place of a `fallback`, that an unreadable answer counts as not given."""

    def __repr__(self) -> str:
        return "UNANSWERED"


UNANSWERED = Unanswered()
UNREAD = "unread"  # the cause that is kept of such a replicate, which counts in no measure


class Fact(NamedTuple):
    """Values and who may know them."""

    scope: Scope
    values: Array
    graph: str = ""


def common(values: object) -> Fact:
    """State a fact that all agents of a replicate know: a scalar, (R, 1), or (R, 1, K)."""
    return Fact("common", np.asarray(values))


def own(values: object) -> Fact:
    """State a fact of which each agent knows its own entry: (R, N), or (R, N, K)."""
    return Fact("own", np.asarray(values))


def seen(graph: str, values: object) -> Fact:
    """State a fact of which each agent knows its own entry and its neighbours', (R, N)."""
    return Fact("seen", np.asarray(values), graph)


@dataclass(frozen=True, eq=False)
class Ask:
    """A question to all who take part, or to those of them in `who` ((R, N) or (R, 1) of bool).

    The script receives (R, N) settled answers; seats that were not asked hold `reply.silent`.
    `fallback` settles an answer that could not be read: a value or an array like the answers, or a
    function without arguments that returns it, for one that is costly and seldom needed;
    VOID_REPLICATE ends its replicate; UNANSWERED leaves the answer out, and the record marks it.
    repairs: how often a language mind may mend a reply before that.
    text: the question as a sentence, for minds that read: "How many fish do you take?". It may hold
    facts of the question and parameters by name, "There are {stock} fish. How many ...", and is no
    part of the digest.
    aside: a question beside the history, as of a questionnaire: it is kept apart from other lines
    and is no part of the digest. It reaches all who are there, also in replicates that are over.
    Raises ArgumentError for a reply that is no action space, and for facts without names.
    """

    kind: str
    reply: ActionSpace
    facts: Mapping[str, Fact] = field(default_factory=dict)
    who: Array | None = None
    fallback: Any = None
    repairs: int = 1
    otherwise: InitVar[Any] = None  # the former name of `fallback`
    text: str = field(default="", kw_only=True)
    aside: bool = field(default=False, kw_only=True)

    def __post_init__(self, otherwise: Any) -> None:
        if otherwise is not None:
            warnings.warn(
                f"Ask({self.kind!r}, otherwise=...) is now Ask({self.kind!r}, fallback=...)",
                DeprecationWarning,
                stacklevel=3,
            )
            object.__setattr__(self, "fallback", otherwise)
        if not isinstance(self.reply, Value | Fields):
            raise ArgumentError(
                f"Ask({self.kind!r}, {self.reply!r:.40}) does not say how to answer; give an "
                "action space second, such as Real(0, 10) or Text(200)"
            )
        _refuse_bare_facts(self)
        if self.aside and self.fallback is VOID_REPLICATE:
            raise ArgumentError(
                f"Ask({self.kind!r}, aside=True) cannot end a replicate, since it is no part of "
                "the history; give another fallback, such as UNANSWERED"
            )


@dataclass(frozen=True, eq=False)
class Tell:
    """An event: agents notice it, the run file keeps it.

    gone: (R, N), agents who take no further part. back: (R, N), absent ones who take part again.
    ends: (R, 1), replicates that are over; `kind` is then the cause that is kept.
    joins, cuts: by graph, (R, N) of the peer to whom each agent's edge is added or cut, or NOBODY.
    restores: graphs that are again as they were at the start, before joins and cuts.
    groups: by graph, (R, N) of integers: from now on those with the same label see each other, and
    whoever has a negative label sees nobody. Nothing of size (N, N) is made of them.
    text: the event as a sentence, as in Ask.
    occurs: (R, 1) of bool, replicates in which an event without facts happens; agents are told of
    it in words nowhere else. None: where it ends a replicate, or somebody goes or comes; and
    everywhere, if it can do neither. An event with facts happens everywhere.
    Raises ArgumentError for facts without names.
    """

    kind: str
    facts: Mapping[str, Fact] = field(default_factory=dict)
    gone: Array | None = None
    ends: Array | None = None
    joins: Mapping[str, Array] = field(default_factory=dict)
    cuts: Mapping[str, Array] = field(default_factory=dict)
    back: Array | None = None
    restores: tuple[str, ...] = ()
    groups: Mapping[str, Array] = field(default_factory=dict)
    text: str = field(default="", kw_only=True)
    occurs: Array | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        _refuse_bare_facts(self)


def _refuse_bare_facts(line: Ask | Tell) -> None:
    """Raise ArgumentError for facts without names."""
    if not isinstance(line.facts, Mapping):
        raise ArgumentError(
            f"the facts of {type(line).__name__}({line.kind!r}) are a {type(line.facts).__name__}; "
            'give each its name: {"NAME": common(...)}'
        )


@dataclass(frozen=True, eq=False)
class Inherit:
    """Agents copy `columns` from the rows in `parents` ((R, N) of seats; NOBODY copies nothing).

    columns: by name, or HERITABLE: all that components declare to be so. A column that the parent
    or the heir does not have stays as it was. All copies are taken before any is written, and then
    `born` is called for the heirs.
    newborn: (R, N) of bool, rows in which a new life begins: their columns begin anew before
    anything is copied, and the environment counts their lives on.
    """

    kind: str
    parents: Array
    columns: tuple[str, ...]
    newborn: Array | None = None


Line = Ask | Tell | Inherit
Script = Generator[Line, Any, Any]
