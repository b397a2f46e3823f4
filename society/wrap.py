"""Mechanisms wrap a play and are plays again; they are made of `overhear`.

A mechanism that needs something of the play looks for it when it is called with a table, before
its first line: society.spec.prepared calls it so, and nothing has been written then.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .draws import Array
from .errors import ScenarioError
from .replies import silence
from .table import Table, complete_graphs
from .talk import Ask, Line, Script, Tell

Play = Callable[[Table], Script]
Mechanism = Callable[..., Play]  # (play, *, parameters) -> play
M = TypeVar("M", bound=Mechanism)
P = TypeVar("P", bound=Play)
T = TypeVar("T")


class Declared(NamedTuple):
    """What a play asks for as its move, and how it tells what everybody got.

    move: the kind of the question. told: the kind of the tell. payoff: its fact; repeats: others in
    which it tells the same amounts again. players: how many make a match, from the parameters; None
    if all who are there play together. closed: why nothing can act on the play from outside, and
    what to do; "" where it can. The play takes what comes back from this tell, (R, N) or None, as
    what mechanisms add to everybody's payoff.
    """

    move: str
    told: str
    payoff: str = "payoff"
    players: Callable[[Any], int] | None = None
    repeats: tuple[str, ...] = ()
    closed: str = ""


def declares(declared: Declared) -> Callable[[P], P]:
    """Say what mechanisms may act on; stands above a play, below @scenario."""

    def marked(play: P) -> P:
        play.declared = declared  # type: ignore[attr-defined]
        return play

    return marked


def declared_by(play: Play, mechanism: str, *, acts: bool = True) -> Declared:
    """What mechanisms may act on; raises ScenarioError if the play does not say it, or is closed.

    acts: whether the mechanism changes what is asked or told, and does not only want to know.
    """
    declared = getattr(play, "declared", None)
    if not isinstance(declared, Declared):
        raise ScenarioError(
            f"{mechanism}: the play declares no move and no payoff to act on; wrap one that does, "
            "or put @declares(Declared(move=..., told=...)) above it"
        )
    if acts and declared.closed:
        raise ScenarioError(f"{mechanism}: {declared.closed}")
    return declared


def topped_up(said: Tell, declared: Declared, added: Array) -> Tell:
    """What is told of payoffs with so much more for everybody, (R, N), wherever it is repeated."""
    names = (declared.payoff, *declared.repeats)
    facts = {name: said.facts[name] for name in names if name in said.facts}
    more = {name: fact._replace(values=fact.values + added) for name, fact in facts.items()}
    return replace(said, facts={**said.facts, **more})


def mechanism(wrap: M) -> M:
    """Mark a function (play, *, parameters) -> play, so that scenario files can name it."""
    wrap.is_mechanism = True  # type: ignore[attr-defined]
    return wrap


def overhear(
    script: Script,
    *,
    line: Callable[[Line], Line | Script | None] = lambda said: said,
    answer: Callable[[Line, Any], Any] = lambda said, answered: answered,
) -> Script:
    """Drive `script`, changing each line on its way out and each answer on its way in.

    line: gives the line to yield in its place; None keeps it back (the script receives None); or a
    script of its own, whose result the inner script receives in place of an answer.
    answer: gives what the inner script receives, from its own line and what came back.
    """
    received: Any = None
    while True:
        try:
            said = script.send(received)
        except StopIteration as stop:
            return stop.value
        out = line(said)
        if isinstance(out, Generator):
            received = answer(said, (yield from out))
        else:
            received = answer(said, None if out is None else (yield out))


def questions(play: Play, table: Table) -> Iterator[Ask]:
    """What a play asks up to the horizon, without asking anybody."""
    return (said for said in rehearsed(play, table) if isinstance(said, Ask))


def rehearsed(play: Play, table: Table) -> Iterator[Line]:
    """What a play says up to the horizon, without anybody to hear it.

    It is rehearsed for one replicate at a table of its own, where every answer is silent and nobody
    leaves. Since lines do not depend on answers, these are all that can come.
    """
    return silent_lines(play, aside(table))


def silent_lines(play: Play, alone: Table) -> Iterator[Line]:
    """Play a script at a table that is there for this alone, and answer nothing."""
    script, received = play(alone), None
    while True:
        try:
            with np.errstate(all="ignore"):
                said = script.send(received)
        except StopIteration:
            return
        received = None
        yield said
        if isinstance(said, Ask):
            silent = silence(said.reply, (1, alone.agents))
            received = silent.get("", silent)


def survey(look: Callable[..., T], play: Play, table: Table, *given: Hashable) -> T:
    """What `look(lines, *given)` finds in a play's rehearsal, which is held once for each table.

    look: a function of a module, which should keep no more of the lines than it needs. Each
    mechanism rehearses what it stands around, and so all within that would do so again: the work
    would double with every mechanism, and begin anew in every game of a repeated one.
    """
    return table.dry_runs.find((look, play, given), lambda: look(rehearsed(play, table), *given))


def succeeds(play: Play, table: Table) -> bool:
    """Whether a play itself sees to it who lives on and who is born."""
    alone = aside(table)
    play(alone)  # says so before its first line
    return alone.succession is not None


def aside(table: Table, *, first_rounds_only: bool = False) -> Table:
    """A table like this one, of a single replicate in which everybody sees everybody."""
    alone = Table(
        table.params,
        seed=table.seed,
        ids=table.ids,
        replicate_ids=table.replicate_ids[:1],
        horizon=table.horizon,
        graphs=complete_graphs(tuple(table.graphs), 1, table.ids),
        first_rounds_only=first_rounds_only,
        dry_runs=table.dry_runs,
    )
    alone.cohorts = {name: seats[:1] for name, seats in table.cohorts.items()}
    return alone
