"""Events of a round: questions, answers and facts, agent by agent.

Lines name values by facts, answers and public columns; an array of them concerns some agents only:
a question those who were asked, a tell those who then took part. Options are told by their labels,
a mixed strategy by the probability of each action, peers by their seats, flags as 0 and 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np

from society.engine.graph import NOBODY
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.terminal.round_view import answer_labels, forms_of, present_at_start

_ENTRY = re.compile(r"( \d+)+\Z")
_PEERS = ("join", "cut", "parents")
_MASKS = ("gone", "ends", "void")


class StatedValue(NamedTuple):
    """One value stated in a step, (R, N), or (R, 1) if it is common.

    scope: "common", "own", "seen GRAPH", "answer", "low" and "high" for bounds of answers, "gone",
    "ends", "void", "group", "join", "cut" or "parents". whom: those whom it concerns. Entries of a
    fact that has several are things of their own, "others 1", "others 2".
    """

    place: int  # of the step in the round, from 0
    step: Step
    scope: str
    name: str
    values: Array
    whom: Array

    @property
    def question(self) -> str:
        """The question that an answer, or a field of one, belongs to."""
        return f"{self.step.kind} {self.name}".rstrip()

    @property
    def of_replicates(self) -> bool:
        """True if it is about a whole replicate rather than each of its agents."""
        return self.scope in ("common", "ends", "void")

    @property
    def of_agents(self) -> bool:
        """True if it is a fact about each agent, told to it."""
        return self.step.sort == "tell" and self.scope.startswith(("own", "seen "))


class PageReading:
    """A page, read with the one before it, which says who was there; None before page 0.

    owners: who has each public column, (R, N), where not everybody has it.
    """

    def __init__(self, page: Page, before: Page | None, owners: Mapping[str, Array]) -> None:
        self.page, self._owners = page, owners
        self._present, self._running = present_at_start(page, before)

    @property
    def part(self) -> Array:
        """The agents who took part in the round, if only for some of it, (R, N).

        Who is gone before the first round was never there.
        """
        here = self._present | self.page.present if self.page.number else self.page.present
        return self._running & here

    def steps(self) -> Iterator[tuple[Step, Array, Array]]:
        """Return each step with those present, (R, N), and those running, (R, 1), as it came."""
        present, running = self._present, self._running
        for step in self.page.steps:
            present = present | step.arrays.get(("back", ""), np.False_)  # they hear it
            yield step, present, running
            present = present & ~step.arrays.get(("gone", ""), np.False_)
            for over in ("ends", "void"):
                running = running & ~step.arrays.get((over, ""), np.False_)

    @cached_property
    def statements(self) -> tuple[StatedValue, ...]:
        """Every value that was asked, answered or told, in order."""
        return tuple(self._statements())

    def _statements(self) -> Iterator[StatedValue]:
        for place, (step, present, running) in enumerate(self.steps()):
            active = asked_agents(step, present & running)
            for scope, name, values in _contents(step):
                whom: Array = active
                if values.shape != active.shape:  # it is common
                    whom = np.any(active, axis=1, keepdims=True)
                if scope in _MASKS:
                    whom = values & (present if scope == "gone" else running)
                elif scope in _PEERS:
                    whom = values != NOBODY
                yield StatedValue(place, step, scope, name, values, whom)

    def known(self) -> dict[str, tuple[Array, Array]]:
        """Return one number or text per agent by name, (R, N), and for whom it is known.

        Where several have one name: the fact as last told, else the public column, else the answer
        as last given.
        """
        answers: dict[str, tuple[Array, Array]] = {}
        facts: dict[str, tuple[Array, Array]] = {}
        for statement in self.statements:
            if statement.scope == "answer":
                answers[statement.question] = _merge(answers.get(statement.question), statement)
            elif statement.of_agents:
                facts[statement.name] = _merge(facts.get(statement.name), statement)
        return {**answers, **self._public(), **facts}

    def answers(self, question: str) -> list[tuple[Array, Array]]:
        """List the answers to a question, (R, N), each with those who gave it."""
        statements = self.statements
        is_fact = any(
            statement.of_agents and statement.name == question for statement in statements
        )
        if is_fact or question in self.page.public:
            return []
        given = (
            statement
            for statement in statements
            if statement.scope == "answer" and statement.question == question
        )
        return [(statement.values, statement.whom) for statement in given]

    def _public(self) -> dict[str, tuple[Array, Array]]:
        """Return the public columns, with those who have them; a text may be missing."""
        columns = {}
        for name, column in self.page.public.items():
            values, whom = _plain(column), self.part & self._owners.get(name, np.True_)
            if values.dtype.kind == "O":
                has = [isinstance(cell, str) for cell in values.reshape(-1).tolist()]
                whom = whom & np.array(has, bool).reshape(whom.shape)
            columns[name] = values, whom
        return columns

    def common(self) -> dict[str, tuple[Array, Array]]:
        """Return each common fact as it was last stated, (R, 1), and in which replicates."""
        facts: dict[str, tuple[Array, Array]] = {}
        for statement in self.statements:
            if statement.scope == "common":
                facts[statement.name] = _merge(facts.get(statement.name), statement)
        return facts


def asked_agents(step: Step, active: Array) -> Array:
    """Mark the active agents whom a step concerns, (R, N) of bool."""
    concerned: Array = active & step.arrays.get(("who", ""), np.True_)
    return concerned


def _merge(known: tuple[Array, Array] | None, statement: StatedValue) -> tuple[Array, Array]:
    """Merge a statement into earlier ones: the last word counts."""
    if known is None:
        return statement.values, statement.whom
    values, whom = known
    return np.where(statement.whom, statement.values, values), whom | statement.whom


def _contents(step: Step) -> Iterator[tuple[str, str, Array]]:
    """Return scope, name and values of all that a step says, whomever it is meant for."""
    forms = forms_of(step)
    for (role, name), values in step.arrays.items():
        if role == "answer":
            options = step.arrays.get(("options", name))
            for part, entry in _answer_parts(values, forms[name], options):
                yield role, f"{name} {part}".strip(), _plain(entry)
        elif role == "parents":
            yield role, step.form, values
        elif role not in ("who", "options"):
            yield from ((role, part, entry) for part, entry in _entries(name, _plain(values)))


def _entries(name: str, values: Array) -> Iterator[tuple[str, Array]]:
    """Split a fact of several entries, (R, N, K, ...), into parts numbered from 1."""
    if values.ndim == 2:
        yield name, values
        return
    for number, entry in enumerate(np.moveaxis(values, 2, 0), 1):
        yield from _entries(f"{name} {number}", entry)


def fact_of(name: str) -> str:
    """Return the fact that an entry belongs to: "others 2" is one of "others"."""
    return _ENTRY.sub("", name)


def _plain(values: Array) -> Array:
    """Return values with text as cells of objects, whatever its length."""
    return values.astype(object) if values.dtype.kind == "U" else values


def _answer_parts(values: Array, form: str, options: Array | None) -> Iterator[tuple[str, Array]]:
    """Return an answer as it was meant; a mixed strategy in parts that have names."""
    if form.startswith("mix over "):
        actions = form.removeprefix("mix over ").split("/")
        yield from ((action, values[..., k]) for k, action in enumerate(actions))
    elif form.startswith("choice"):
        yield "", answer_labels(values, form, options)
    elif form.startswith("peer "):
        yield "", np.where(values == NOBODY, np.nan, values)
    else:
        yield "", values
