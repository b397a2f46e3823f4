"""Who plays: cohorts of agents that share components, and the troupe that they make in a run."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pydantic import BaseModel, TypeAdapter, ValidationError

from .agent import (
    Audience,
    Company,
    Component,
    Facts,
    Inquiry,
    Members,
    News,
    One,
    Question,
    entered,
    frozen,
    singly,
)
from .draws import Array, Draws, Places
from .errors import CastError, PartError, Unparsed, nearest
from .graph import Rows
from .replies import Choice, fields
from .table import Table
from .talk import NOBODY, Ask, Inherit, Tell

C = TypeVar("C", bound=Component)


@dataclass(frozen=True, eq=False)
class Cohort:
    """Agents with the same components.

    Cohorts take seats in order, `count` each; or `where`, (N,) or (R, N) of bool, names the rows.
    """

    name: str
    count: int
    components: tuple[Component, ...]
    where: Array | None = None


Cast = Sequence[Cohort]


def fitted(part: type[C], params: BaseModel, **given: Any) -> C:
    """A component whose fields are `given`, else the scenario's parameters of the same name.

    Raises CastError for a field that the component lacks or a value that it does not take.
    """
    own = [field.name for field in dataclasses.fields(part)]  # type: ignore[arg-type]
    for name in given:
        if name not in own:
            raise CastError(f"{part.title()} has no parameter {name!r}; {nearest(name, own)}")
    values = {name: getattr(params, name) for name in own if hasattr(params, name)} | given
    try:
        return TypeAdapter(part).validate_python(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise CastError(f"{part.title()}.{where}: {first['msg']}, not {first['input']!r}") from None


class Raw(NamedTuple):
    """Unsettled answers: by field, (R, N) or (R, N, K); and which of them could not be read."""

    values: dict[str, Array]
    unread: Array | None = None


@dataclass
class Ledger:
    """What outside minds cost: questions and fallbacks, by (component, kind)."""

    calls: Counter[tuple[str, str]]
    fallbacks: Counter[tuple[str, str]]


class Troupe:
    """The live agents of one run."""

    def __init__(self, cast: Cast, table: Table) -> None:
        self.table = table
        self.ledger = Ledger(Counter(), Counter())
        self._audiences: dict[str, tuple[Array | None, Audience]] = {}
        self.companies = [
            _company(cohort, nodes, table)
            for cohort, nodes in zip(cast, _seated(cast, table), strict=True)
        ]

    def begin(self) -> None:
        for company in self.companies:
            for part in company.components:
                if part.overrides("begin"):
                    audience = self._audience(company, None)
                    part.begin(self._members(company, part, "begin", 0, audience))

    async def answer(self, ask: Ask, asked: Array | None, use: int) -> Raw:
        """Raw answers of those in `asked`, (R, N) of bool; None asks everybody."""
        shape = self.table.present.shape
        world = {
            name: np.full(
                (*shape, value.width) if value.width else shape, value.silent, value.dtype
            )
            for name, value in fields(ask.reply).items()
        }
        unread = np.zeros(shape, bool)
        outside: list[Coroutine[Any, Any, None]] = []
        for company in self.companies:
            here = _here(company, asked)
            if not here.any():
                continue
            part = _respondent(company, ask.kind)
            audience = self._audience(company, None)
            me = self._members(company, part, f"answer {ask.kind}", use, audience, pure=True)
            question = self._question(ask, audience, here)
            if part.overrides("answer"):
                _place(world, question, part, audience, part.answer(question, me))
            else:
                outside.append(self._consulted(world, unread, question, part, me))
        if outside:
            await asyncio.gather(*outside)
        return Raw(world, unread if outside else None)

    async def _consulted(
        self,
        world: dict[str, Array],
        unread: Array,
        question: Question,
        part: Component,
        me: Members,
    ) -> None:
        """Ask members one by one, all at the same time, and place what they say by seat."""
        address = (part.title(), question.kind)
        entries, alone = singly(question, me)

        async def consulted(inquiry: Inquiry, one: One) -> Any:
            try:
                return await part.consult(inquiry, one)
            except Unparsed as unparsed:
                return unparsed

        self.ledger.calls[address] += len(alone)
        said = await asyncio.gather(*(consulted(*pair) for pair in alone))
        failed = np.array([isinstance(answer, Unparsed) for answer in said])
        self.ledger.fallbacks[address] += int(failed.sum())
        unread.reshape(-1)[me.audience.rows.node[entries[failed]]] = True
        read = [answer for answer in said if not isinstance(answer, Unparsed)]
        if read:
            answered = question._replace(asked=question.asked.copy())
            answered.asked[entries[failed]] = False
            _place(world, answered, part, me.audience, entered(read, answered))

    def notice(self, tell: Tell, active: Array | None, use: int) -> None:
        """Let those in `active` who care notice what happened."""
        for company in self.companies:
            listeners = [part for part in company.components if tell.kind in part.notices]
            if not listeners:
                continue
            audience = self._audience(company, active)
            news = News(tell.kind, Facts(tell.kind, tell.facts, audience))
            for part in listeners:
                occasion = f"notice {tell.kind}"
                part.notice(news, self._members(company, part, occasion, use, audience))

    def inherit(self, line: Inherit, use: int) -> None:
        """Copy columns from parents to heirs, whatever their cohorts, then call `born`."""
        heir = line.parents != NOBODY
        to = np.flatnonzero(heir)
        source = to - to % self.table.agents + line.parents.reshape(-1)[to]
        for name in line.columns:
            values, has = self._world(name)
            copied = has[to] & has[source]
            after = values.copy()
            after[to[copied]] = values[source[copied]]
            for company in self.companies:
                if name in company.values:
                    company.put(name, after if company.whole else after[company.rows.node])
        for company in self.companies:
            audience = self._audience(company, heir)
            for part in company.components:
                if part.overrides("born"):
                    part.born(self._members(company, part, f"born {line.kind}", use, audience))

    def public(self) -> dict[str, Array]:
        """Every public column, (R, N); seats without it hold NaN, or the dtype's zero."""
        names = {
            name: None
            for company in self.companies
            for name, column in company.declared.items()
            if column.public
        }
        shape = self.table.present.shape
        return {name: frozen(self._world(name, np.nan)[0].reshape(shape)) for name in names}

    def _world(self, name: str, missing: object = 0) -> tuple[Array, Array]:
        """A column over all cohorts, flat (R * N,), and who has it."""
        size = self.table.present.size
        having = [company for company in self.companies if name in company.values]
        if len(having) == 1 and having[0].whole:
            return having[0].values[name], np.ones(size, bool)
        dtype = having[0].values[name].dtype if having else np.dtype(float)
        fill = missing if dtype.kind == "f" else np.zeros(1, dtype)[0]
        values, has = np.full(size, fill, dtype), np.zeros(size, bool)
        for company in having:
            values[company.rows.node] = company.values[name]
            has[company.rows.node] = True
        return values, has

    def _audience(self, company: Company, mask: Array | None) -> Audience:
        """The members of a company that are in a mask, (R, N); None means all of them."""
        known = self._audiences.get(company.name)
        if known is None or known[0] is not mask:
            table = self.table
            rows, places, whole = company.rows, company.places, company.whole
            audience = Audience(None, rows, places, whole, table.graphs, table.present)
            here = _here(company, mask)
            if not here.all():
                audience = audience.only(np.flatnonzero(here))
            known = self._audiences[company.name] = (mask, audience)
        return dataclasses.replace(known[1], present=self.table.present)

    def _question(self, ask: Ask, audience: Audience, asked: Array) -> Question:
        options = None
        if isinstance(ask.reply, Choice):
            replicates = self.table.replicates
            options = audience.shared(
                np.broadcast_to(ask.reply.options, (replicates, ask.reply.options.shape[1]))
            )
        facts = Facts(ask.kind, ask.facts, audience)
        return Question(ask.kind, facts, ask.reply, asked, options)

    def _members(
        self,
        company: Company,
        part: Component,
        occasion: str,
        use: int,
        audience: Audience,
        *,
        pure: bool = False,
    ) -> Members:
        draws = Draws(self.table.seed, f"{part.title()}\0{occasion}", audience.places, use=use)
        return Members(company, part, draws, audience, pure=pure)


def _seated(cast: Cast, table: Table) -> list[Array]:
    """The nodes, replicate * N + seat, of each cohort; raises CastError unless each has one."""
    shape = table.present.shape
    ends = list(itertools.accumulate(cohort.count for cohort in cast))
    seats = np.arange(table.agents)
    masks = [
        np.broadcast_to((seats >= end - cohort.count) & (seats < end), shape)
        if cohort.where is None
        else np.broadcast_to(cohort.where, shape)
        for cohort, end in zip(cast, ends, strict=True)
    ]
    times = np.sum(masks, axis=0) if masks else np.zeros(shape, int)
    if not (times == 1).all():
        replicate, seat = np.argwhere(times != 1)[0]
        raise CastError(
            f"seat {seat} of replicate {replicate} belongs to {times[replicate, seat]} cohorts; "
            f"the cohorts must fill {table.agents} seats, each once"
        )
    return [np.flatnonzero(mask) for mask in masks]


def _company(cohort: Cohort, node: Array, table: Table) -> Company:
    owned: dict[str, str] = {}
    for part in cohort.components:
        for name in [part.title(), *(f"column {column.name}" for column in part.columns)]:
            if name in owned:
                raise CastError(
                    f"cohort {cohort.name!r} has {name!r} twice, "
                    f"in {owned[name]} and {part.title()}; leave one out"
                )
            owned[name] = part.title()
    rows = Rows(*np.divmod(node, table.agents), node)
    whole = len(node) == table.present.size
    places = Places.at(table.places[node])
    return Company(cohort.name, cohort.components, rows, places, whole=whole)


def _here(company: Company, mask: Array | None) -> Array:
    """Which members are in a mask, (R, N); None means all of them; (M,) of bool."""
    if mask is None:
        return np.ones(len(company.rows.node), bool)
    flat = mask.reshape(-1)
    return flat if company.whole else flat[company.rows.node]


def _respondent(company: Company, kind: str) -> Component:
    for part in company.components:
        if kind in part.answers:
            return part
    raise CastError(
        f"nobody in cohort {company.name!r} answers {kind!r}; "
        "add a component that has it among its `answers`"
    )


def _place(
    world: dict[str, Array], question: Question, part: Component, audience: Audience, said: Any
) -> None:
    """Check the form of what a component said, and put it where its members sit."""
    for name, value in fields(question.reply).items():
        try:
            flat = value.flat(said[name] if name else said, len(question.asked), question.options)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise PartError(
                f"{part.title()} answered {question.kind!r} with {error}; "
                f"expected {value.form()}, one per member"
            ) from error
        if audience.whole:
            world[name] = flat.reshape(world[name].shape)
        else:
            world[name].reshape(-1, *flat.shape[1:])[audience.rows.node] = flat
