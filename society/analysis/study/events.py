"""Events of a round: questions, answers and facts, agent by agent.

Lines name values by facts, answers and public columns; an array of them concerns some agents only:
a question those who were asked, a tell those who then took part. Options are told by their labels,
a mixed strategy by the probability of each action, peers by their seats, flags as 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from society.engine.graph import NOBODY
from society.engine.history import Page, Step
from society.engine.rng import Array
from society.terminal.round_view import answer_labels, forms_of, present_at_start

_PEERS = ("join", "cut", "parents")
_MASKS = ("gone", "ends", "void")


class Statement(NamedTuple):
    """One value stated in a step, (R, N), or (R, 1) if it is common.

    scope: "common", "own", "seen GRAPH", "answer", "low" and "high" for bounds of answers, "gone",
    "ends", "void", "join", "cut" or "parents". whom: those whom it concerns. Entries of a fact that
    has several are things of their own, "others 1", "others 2".
    """

    place: int  # of the step in the round, from 0
    step: Step
    scope: str
    name: str
    values: Array
    whom: Array

    @property
    def question(self) -> str:
        """Of an answer, or of a field of one."""
        return f"{self.step.kind} {self.name}".rstrip()

    @property
    def of_replicates(self) -> bool:
        """Whether it is about a whole replicate rather than each of its agents."""
        return self.scope in ("common", "ends", "void")

    @property
    def of_agents(self) -> bool:
        """Whether it is a fact about each agent, told to it."""
        return self.step.sort == "tell" and self.scope.startswith(("own", "seen "))


class PageReading:
    """A page, read with the one before it, which tells who was there; None before page 0.

    owners: who has each public column, (R, N), where not everybody has it.
    """

    def __init__(self, page: Page, before: Page | None, owners: Mapping[str, Array]) -> None:
        self.page, self._owners = page, owners
        self._present, self._running = present_at_start(page, before)

    @property
    def part(self) -> Array:
        """Who took part in the round, if only for some of it, (R, N)."""
        return self._running & (self._present | self.page.present)

    def steps(self) -> Iterator[tuple[Step, Array, Array]]:
        """Each step with who was present, (R, N), and what was running, (R, 1), as it came."""
        present, running = self._present, self._running
        for step in self.page.steps:
            present = present | step.arrays.get(("back", ""), np.False_)  # they hear it
            yield step, present, running
            present = present & ~step.arrays.get(("gone", ""), np.False_)
            for over in ("ends", "void"):
                running = running & ~step.arrays.get((over, ""), np.False_)

    def said(self) -> Iterator[Statement]:
        """Everything that was said, in order."""
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
                yield Statement(place, step, scope, name, values, whom)

    def known(self) -> dict[str, tuple[Array, Array]]:
        """One number or text per agent by name, (R, N), and for whom it is known.

        Where several have one name: the fact as last told, else the public column, else the answer
        as last given.
        """
        answers: dict[str, tuple[Array, Array]] = {}
        facts: dict[str, tuple[Array, Array]] = {}
        for said in self.said():
            if said.scope == "answer":
                answers[said.question] = _merged(answers.get(said.question), said)
            elif said.of_agents:
                facts[said.name] = _merged(facts.get(said.name), said)
        return {**answers, **self._public(), **facts}

    def answers(self, question: str) -> list[tuple[Array, Array]]:
        """What was answered each time, and by whom; none where a fact or column has that name."""
        every = list(self.said())
        told = any(said.of_agents and said.name == question for said in every)
        if told or question in self.page.public:
            return []
        given = (said for said in every if said.scope == "answer" and said.question == question)
        return [(said.values, said.whom) for said in given]

    def _public(self) -> dict[str, tuple[Array, Array]]:
        """The public columns, of those who have them; one of text may have none on some seats."""
        columns = {}
        for name, kept in self.page.public.items():
            values, whom = _plain(kept), self.part & self._owners.get(name, np.True_)
            if values.dtype.kind == "O":
                has = [isinstance(cell, str) for cell in values.reshape(-1).tolist()]
                whom = whom & np.array(has, bool).reshape(whom.shape)
            columns[name] = values, whom
        return columns

    def common(self) -> dict[str, tuple[Array, Array]]:
        """Each common fact as it was last stated, (R, 1), and in which replicates."""
        facts: dict[str, tuple[Array, Array]] = {}
        for said in self.said():
            if said.scope == "common":
                facts[said.name] = _merged(facts.get(said.name), said)
        return facts


def asked_agents(step: Step, active: Array) -> Array:
    """Mark the active agents whom a step concerns, (R, N) of bool."""
    concerned: Array = active & step.arrays.get(("who", ""), np.True_)
    return concerned


def _merged(known: tuple[Array, Array] | None, said: Statement) -> tuple[Array, Array]:
    """What is known once something more has been said: the last word counts."""
    if known is None:
        return said.values, said.whom
    values, whom = known
    return np.where(said.whom, said.values, values), whom | said.whom


def _contents(step: Step) -> Iterator[tuple[str, str, Array]]:
    """Scope, name and values of all that a step says, but for whom it is meant."""
    forms = forms_of(step)
    for (role, name), values in step.arrays.items():
        if role == "answer":
            options = step.arrays.get(("options", name))
            for part, one in _worded(values, forms[name], options):
                yield role, f"{name} {part}".strip(), _plain(one)
        elif role == "parents":
            yield role, step.form, values
        elif role not in ("who", "options"):
            yield from ((role, part, one) for part, one in _entries(name, _plain(values)))


def _entries(name: str, values: Array) -> Iterator[tuple[str, Array]]:
    """A fact; one of several entries, (R, N, K, ...), in as many parts, numbered from 1."""
    if values.ndim == 2:
        yield name, values
        return
    for number, entry in enumerate(np.moveaxis(values, 2, 0), 1):
        yield from _entries(f"{name} {number}", entry)


def _plain(values: Array) -> Array:
    """With text as cells of objects, whatever its length."""
    return values.astype(object) if values.dtype.kind == "U" else values


def _worded(values: Array, form: str, options: Array | None) -> Iterator[tuple[str, Array]]:
    """An answer as it was meant; a mixed strategy in parts that have names."""
    if form.startswith("mix over "):
        actions = form.removeprefix("mix over ").split("/")
        yield from ((action, values[..., k]) for k, action in enumerate(actions))
    elif form.startswith("choice"):
        yield "", answer_labels(values, form, options)
    elif form.startswith("peer "):
        yield "", np.where(values == NOBODY, np.nan, values)
    else:
        yield "", values
