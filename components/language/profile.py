"""A person from a table of people, which stands before every question, for language minds.

Persons have numbers, from 1 in the order of the table. Where they are dealt out in order, the agent
with id k has number k + 1, and after the last person the first one follows; where they are sampled,
the table is put into another order for each replicate (by weight without replacement, see
society.personas.table_draws), or each agent draws one of all persons. So nobody's person depends on
how many agents there are, or on other cohorts.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry, Question
from society.engine.rng import Array, DrawPlaces, Draws
from society.errors import CastError, short_path
from society.personas.people import DESCRIPTION, MOST_KEPT, NUMBER, PeopleTable, read_people
from society.personas.table_draws import weighted_order, weighted_rows
from society.text import quote_text

_SHORT = 60  # characters of a trait; longer texts are for prompts alone
_QUOTED = 4000
_TRAIT = "Trait of its person"


Newborns = Literal["draw", "inherit"]


def _column(name: str, dtype: type, newborns: Newborns, text: str) -> Column:
    return Column(name, dtype, public=True, heritable=newborns == "inherit", text=text)


def _numbers(newborns: Newborns) -> Column:
    return _column(NUMBER, np.int32, newborns, "Number of its person in the table")


@dataclass(frozen=True)
class Profile(Component):
    """A person from a table of people: its traits stand before every question.

    file: a CSV, one person a row; a relative path starts at the scenario file. shown: columns that
    prompts show; by default the column `description`, or all if there is none. wording: sentences
    with columns in braces instead, "You are {age} years old.". assign: in the order of the rows, or
    sampled, by a column `weight` if that is named. repeats: whether several agents may be the same
    person. newborns: draw a person of their own, or inherit that of their parent.
    Keeps the number of the person in the column `person`, and each short trait in one of its name.
    """

    file: str
    shown: tuple[str, ...] = ()
    wording: str = ""
    assign: Literal["in_order", "sampled"] = "in_order"
    weight: str = ""
    repeats: bool = False
    newborns: Newborns = "draw"

    chance_id = "profile"
    columns = (_numbers("draw"),)

    def __post_init__(self) -> None:
        if self.shown and self.wording:
            raise ValueError("shown and wording are two ways to show a person; give one of them")
        if self.weight and self.assign == "in_order":
            raise ValueError("weight is for people that are drawn; say assign: sampled, too")
        if NUMBER in self.people.columns:
            raise self.people.wrong(
                1, f"a column is called {NUMBER!r}, as the number of each person is; rename it"
            )
        _ = self.portraits, self.weights  # raises for columns that are not there
        traits = (
            _column(name, object if one.dtype == object else float, self.newborns, _TRAIT)
            for name, one in self.traits.items()
        )
        object.__setattr__(self, "columns", (_numbers(self.newborns), *traits))

    @property
    def kept_tables(self) -> Mapping[str, str]:
        return {self.file: self.people.text}

    @cached_property
    def people(self) -> PeopleTable:
        return read_people(self.file, MOST_KEPT)

    @cached_property
    def weights(self) -> Array:
        return self.people.weights(self.weight)

    @cached_property
    def traits(self) -> dict[str, Array]:
        """Short traits by name, (P,): numbers, or texts."""
        found = {}
        for name in self.people.columns:
            if name != self.weight and not self._is_long(name):
                numbers = self.people.numbers(name)
                texts = np.array(self.people.column(name), object)
                found[name] = texts if numbers is None else numbers
        return found

    def _is_long(self, name: str) -> bool:
        return name == DESCRIPTION or max(map(len, self.people.column(name))) > _SHORT

    @cached_property
    def portraits(self) -> list[str]:
        """Each person in words, (P,); raises FileError, ValueError for unknown columns."""
        if self.wording:
            return [self._worded(row) for row in range(len(self.people))]
        every = [name for name in self.people.columns if name != self.weight]
        usual = [DESCRIPTION] if DESCRIPTION in every else every
        columns = {name: self.people.column(name) for name in self.shown or usual}
        short = {name: cells for name, cells in columns.items() if not self._is_long(name)}
        long = [cells for name, cells in columns.items() if name not in short]
        return [
            " ".join([*_named(short, row), *(quote_text(cells[row], _QUOTED) for cells in long)])
            for row in range(len(self.people))
        ]

    def _worded(self, row: int) -> str:
        try:
            parts = list(string.Formatter().parse(self.wording))
        except ValueError as error:
            raise ValueError(f"wording: {error}; write columns in braces, as in {{age}}") from None
        if all(name is None for _, name, *_ in parts):
            raise ValueError(
                f"wording: got {self.wording!r:.60}, the same words for everybody; write columns "
                "in braces, as in {age}"
            )
        return "".join(f"{text}{self._cell(row, *more)}" for text, *more in parts)

    def _cell(self, row: int, name: str | None, form: str | None, conversion: str | None) -> str:
        if name is None:
            return ""
        if form or conversion:
            raise ValueError(f"wording: got {{{name}}} with a form of its own; write {{{name}}}")
        return self.people.cells[row][self.people.place(name)]

    def begin(self, agents: AgentGroup) -> None:
        self._refuse_foreign_heirs(agents)
        rows = self._rows(agents)
        if not self.repeats and not agents.env.births:
            self._refuse_twins(agents, rows)
        self._become(agents, rows)

    def born(self, agents: AgentGroup) -> None:
        """Stay, or become, the person of one's own life where other cohorts inherit theirs."""
        if self.newborns == "draw":
            self._become(agents, self._rows(agents))

    def _become(self, agents: AgentGroup, rows: Array) -> None:
        agents[NUMBER] = rows + 1
        for name, values in self.traits.items():
            agents[name] = values[rows]

    def _rows(self, agents: AgentGroup) -> Array:
        """Return the person of each member's life, as a row of the table, (M,)."""
        env = agents.env
        lives = env.lives[agents.replicate, agents.audience.rows.seat]
        if self.assign == "in_order":
            in_order: Array = lives % len(self.people)
            return in_order
        rows = np.zeros(len(agents), int)
        for replicate in np.unique(agents.replicate):
            here = agents.replicate == replicate
            address = f"{self.chance_id}\0people\0{env.replicate_ids[replicate]}"
            draw = self._drawn_again if self.repeats else self._drawn_once
            rows[here] = draw(env.seed, address, lives[here], env.agents)
        return rows

    def _drawn_once(self, seed: int, address: str, lives: Array, agents: int) -> Array:
        """The persons of some lives, as the table comes in an order of its own, (L,)."""
        order = weighted_order(Draws(seed, address, DrawPlaces(0, len(self.people))), self.weights)
        rows: Array = order[lives % len(order)]
        return rows

    def _drawn_again(self, seed: int, address: str, lives: Array, agents: int) -> Array:
        """The persons of some lives, each drawn from all, (L,)."""
        rows = np.zeros(len(lives), int)
        for birth in np.unique(lives // agents):
            born = lives // agents == birth
            draws = Draws(seed, address, DrawPlaces.at(lives[born] % agents), use=int(birth))
            rows[born] = weighted_rows(draws.uniform("person"), self.weights)
        return rows

    def _refuse_foreign_heirs(self, agents: AgentGroup) -> None:
        """Raise CastError where a person could be inherited from an agent of another table."""
        tables: dict[str, str] = agents.env.shared.setdefault("tables of people", {})
        tables[self.file] = max(self.newborns, tables.get(self.file, ""))
        if len(tables) > 1 and "inherit" in tables.values():
            raise CastError(
                f"people are inherited within one table, and there are "
                f"{' and '.join(map(short_path, tables))}; give all cohorts one table, or say "
                "newborns: draw"
            )

    def _refuse_twins(self, agents: AgentGroup, rows: Array) -> None:
        """Raise FileError where two agents of a replicate, of any cohorts, are the same person."""
        env, ids, nobody = agents.env, agents.agent, -1
        shape = env.replicates, len(self.people)
        of_person = env.shared.setdefault(f"people of {self.file}", np.full(shape, nobody))
        before = of_person[agents.replicate, rows]
        of_person[agents.replicate, rows] = ids
        twins = (of_person[agents.replicate, rows] != ids) | ((before != nobody) & (before != ids))
        if twins.any():
            first = int(np.flatnonzero(twins)[0])
            others = np.flatnonzero((rows == rows[first]) & (ids != ids[first]))
            other = ids[others[0]] if len(others) else before[first]
            low, high = sorted((int(ids[first]), int(other)))
            raise self.people.wrong(
                self.people.lines[int(rows[first])],
                f"agents {low} and {high} would both be this person, since the table has only "
                f"{np.count_nonzero(self.weights)}; add people, or say repeats: true",
            )

    def answer_introduce(self, ask: Question, agents: AgentGroup) -> Array:
        """The person of each member in words, (M,)."""
        portraits = np.array(self.portraits, object)
        introduced: Array = portraits[agents[NUMBER] - 1]
        return introduced

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        if ask.kind == "describe_person":  # whoever describes a person is somebody else
            return ""
        words = self.portraits[int(agent[NUMBER]) - 1]
        return words if self.wording else f"About you: {words}"


def _named(columns: Mapping[str, Sequence[str]], row: int) -> list[str]:
    """List one person's short traits by name, in a sentence; none without any."""
    words = [f"{name.replace('_', ' ')}: {cells[row]}" for name, cells in columns.items()]
    return [f"{'; '.join(words)}."] if words else []
