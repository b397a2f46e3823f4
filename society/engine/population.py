"""Cohorts of agents that share components, and the population that they make in a run."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Awaitable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, compress, islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from pydantic import BaseModel

from society.errors import (
    ArgumentError,
    CastError,
    PartError,
    Unparsed,
    is_users_file,
    show_place,
)

from .action_spaces import ActionSpace, Choice, Illegal, Value, fields, restrict_bounds, silence
from .agents import Agent, AgentGroup, Occasion, Renderer, RunContext
from .component import Component, scatter_answers, single_asks
from .environment import Environment
from .graph import NOBODY, AgentRows
from .observations import Audience, Facts, Inquiry, News, Question, read_only
from .parameters import Issue, ValidationIssues, attribute_name, parameters_of, validate
from .rng import Array, DrawPlaces
from .script import HERITABLE, Ask, Inherit, Tell
from .state import CohortState, PromptHook

C = TypeVar("C", bound=Component)


@dataclass(frozen=True, eq=False)
class Cohort:
    """Agents with the same components.

    Cohorts take seats in order, `count` each; or `where`, (N,) or (R, N) of bool, names the rows.
    count: how many agents. Raises ArgumentError for components that are none.
    """

    name: str
    count: int
    components: tuple[Component, ...]
    where: Array | None = None

    def __post_init__(self) -> None:
        if isinstance(self.components, Component):
            title = type(self.components).__name__
            raise ArgumentError(
                f"the components of cohort {self.name!r} are a single {title}; write "
                f"({title}(...),), with the comma"
            )
        for part in self.components:
            if isinstance(part, type):
                raise ArgumentError(
                    f"cohort {self.name!r} has the class {part.__name__} among its components; "
                    f"write {part.__name__}(), with parentheses"
                )
            if not isinstance(part, Component):
                raise ArgumentError(
                    f"cohort {self.name!r} has {part!r:.60} among its components; give objects of "
                    "classes that are written `class Name(Component):`"
                )


Cast = Sequence[Cohort]


def fill_from_params(part: type[C], params: BaseModel, **given: Any) -> C:
    """A component whose fields are `given`, else the scenario's parameters of the same name.

    Raises CastError for a field that the component lacks or a value that it does not take.
    """
    try:
        return fill_from(part, params, given)
    except ValidationIssues as refused:
        raise CastError(f"{part.title()}: {refused}") from None


def fill_from(part: type[C], source: object, given: Mapping[str, Any]) -> C:
    """A component whose fields are `given`, else what `source` has under the same names.

    Raises ValidationIssues.
    """
    model = parameters_of(part)
    if not dataclasses.is_dataclass(part):
        _refuse_plain_class(part, given)
    attributes = {name: attribute_name(name) for name in model.model_fields}
    own = {name: getattr(source, at) for name, at in attributes.items() if hasattr(source, at)}
    checked = validate(model, {**own, **given})
    values = {attributes[name]: value for name, value in checked}
    try:
        return part(**values)
    except ValueError as error:  # from a __post_init__
        raise ValidationIssues(Issue((), str(error))) from None


def _class_place(part: type[Component]) -> str:
    """Return the place of a class in its file, " (wood.py:12)"; "" if it has no source."""
    with suppress(OSError, TypeError):
        return f" ({show_place(inspect.getfile(part), inspect.getsourcelines(part)[1])})"
    return ""


def _refuse_plain_class(part: type[Component], given: Mapping[str, Any]) -> None:
    """Raise ValidationIssues for parameters that are attributes of a class without @dataclass."""
    words = (
        f"{part.__name__} is no dataclass, so it takes no parameters; put "
        f"@dataclass(frozen=True) above `class {part.__name__}`{_class_place(part)}"
    )
    plain = [one for one in given if one in getattr(part, "__annotations__", {})]
    if plain:
        raise ValidationIssues(*(Issue((one,), words, True) for one in plain))


class Raw(NamedTuple):
    """Unsettled answers: by field, (R, N) or (R, N, K); and which of them could not be read."""

    values: dict[str, Array]
    unread: Array | None = None


class Consulted(NamedTuple):
    """Members of one cohort who are asked one by one."""

    question: Question
    part: Component
    audience: Audience
    entries: Array  # of the audience, those who were asked
    alone: list[tuple[Inquiry, Agent]]


class SeatedCohort(CohortState):
    """A cohort in play, with the components that are rules over its columns."""

    def __init__(
        self, cohort: Cohort, rows: AgentRows, places: DrawPlaces, context: RunContext
    ) -> None:
        self.components = parts = cohort.components
        self.everybody = read_only(np.ones(len(rows.node), bool))
        self.respondents: dict[str, tuple[Component, bool]] = {}
        super().__init__(
            cohort.name,
            {part.chance_id: part.title() for part in parts},
            {part.chance_id: part.columns for part in parts},
            rows,
            places,
            agents=context.env.agents,
            whole=len(rows.node) == context.env.present.size,
            briefs=[
                PromptHook(part.chance_id, part.brief, part.shortens)
                for part in parts
                if part.overrides("brief")
            ],
            ponders=[
                PromptHook(part.chance_id, part.ponder)
                for part in parts
                if part.overrides("ponder")
            ],
        )

    def respondent(self, kind: str) -> tuple[Component, bool]:
        """The component that answers a kind of question, and whether it answers for all at once."""
        part = respondent(self.cohorts[0].name, self.components, kind)
        return self.respondents.setdefault(kind, (part, part.overrides("answer")))

    @property
    def cohorts(self) -> Sequence[SeatedCohort]:
        """The cohorts that it stands for: itself."""
        return (self,)

    def separate(self) -> Sequence[SeatedCohort]:
        """Return the cohorts that it stands for, with their columns."""
        return self.cohorts


class PooledCohorts(SeatedCohort):
    """Cohorts of rules whose lives begin differently, and go on by the same rules.

    A round robin of sixty types would ask sixty times for what one pass over all seats can answer.
    Splitting a cohort changes nothing (its draws have the addresses of seats), so that joining
    cohorts does not, either.
    """

    def __init__(self, cohorts: Sequence[SeatedCohort], context: RunContext) -> None:
        node = np.sort(np.concatenate([one.rows.node for one in cohorts]))
        first = cohorts[0]
        title = f"{first.name} and {len(cohorts) - 1} more"
        joined = Cohort(title, len(node), first.components)
        super().__init__(joined, *_places_of(node, context.env), context)
        self._cohorts = cohorts
        self._entries = [np.searchsorted(node, one.rows.node) for one in cohorts]
        for name, values in self.values.items():
            whole = values.copy()
            for one, here in zip(cohorts, self._entries, strict=True):
                whole[here] = one.values[name]
            self.put(name, whole)

    @property
    def cohorts(self) -> Sequence[SeatedCohort]:
        """The cohorts that it stands for, with the components of each; their columns are old."""
        return self._cohorts

    def separate(self) -> Sequence[SeatedCohort]:
        """Give the cohorts their columns back, and return them."""
        for one, here in zip(self._cohorts, self._entries, strict=True):
            for name, values in self.values.items():
                one.put(name, values[here])
        return self._cohorts


class Population:
    """The live agents of one run."""

    def __init__(self, cast: Cast, context: RunContext | Environment) -> None:
        self.context = context if isinstance(context, RunContext) else RunContext(context)
        self.env, self.gateway = self.context.env, self.context.gateway
        self._audiences: dict[tuple[str, bool], tuple[Array | None, Audience]] = {}
        self.states = [
            _seat_cohort(cohort, nodes, self.context)
            for cohort, nodes in zip(cast, _seated(cast, self.env), strict=True)
        ]
        _agreed(self.states)
        self._order = {seated.name: place for place, seated in enumerate(self.states)}
        self.env.cohorts = self.env.cohorts or cohort_seats(cast, self.env)
        self.env.seats_with = self._seats_with

    def _seats_with(self, component: str, values: Mapping[str, object]) -> Array:
        """The seats of those who have a component with such parameters, (R, N) of bool."""
        seats = np.zeros(self.env.present.shape, bool)
        for seated in (one for state in self.states for one in state.cohorts):
            for part in seated.components:
                same = (getattr(part, name, None) == value for name, value in values.items())
                if part.chance_id == component and all(same):
                    seats |= _marked(seats.shape, seated.rows.node)
        return seats

    async def begin(self) -> None:
        """Let every component fill its columns."""
        await self._begin([(seated, self._audience(seated, None)) for seated in self.states], 0)
        self._pool()

    def _pool(self) -> None:
        """Join cohorts of rules that differ in nothing but how their lives begin."""
        pools: list[list[SeatedCohort]] = []
        for seated in self.states:
            pool = next((pool for pool in pools if _live_alike(pool[0], seated)), None)
            if pool is None:
                pools.append([seated])
            else:
                pool.append(seated)
        self.states = [
            pool[0] if len(pool) == 1 else PooledCohorts(pool, self.context) for pool in pools
        ]
        self._audiences.clear()

    def _unpool(self) -> None:
        """Give all cohorts their columns back, in the order of the cast."""
        cohorts = [one for state in self.states for one in state.separate()]
        self.states = sorted(cohorts, key=lambda one: self._order[one.name])

    async def recast(self, cast: Cast, words: Renderer | None) -> None:
        """Give the cohorts other components, between two rounds, and let new ones begin.

        cast: the same cohorts, in the same order. Columns of components that stay are kept, and so
        are components that are equal to the old ones; those with other parameters adapt.
        """
        if words is not None:
            self.context.words = words
        self._unpool()
        begun, changed = [], list[tuple[SeatedCohort, Component, Component]]()
        for place, (cohort, old) in enumerate(zip(cast, list(self.states), strict=True)):
            kept = {part.chance_id: part for part in old.components}
            parts = tuple(
                kept[part.chance_id] if _same_component(kept.get(part.chance_id), part) else part
                for part in cohort.components
            )
            cohort = dataclasses.replace(cohort, components=parts)
            seated = self.states[place] = _seat_cohort(cohort, old.rows.node, self.context)
            for name, values in seated.values.items():
                before = old.values.get(name)
                same = seated.owners[name] == old.owners.get(name)
                if same and before is not None and before.dtype == values.dtype:
                    seated.put(name, before)
            begun.append((seated, [part for part in parts if part.chance_id not in kept]))
            changed += [(seated, kept[part.chance_id], part) for part in parts
                        if kept.get(part.chance_id, part) is not part]  # fmt: skip
        _agreed(self.states)
        self._audiences.clear()
        self.env.answered_by_rule = partial(answered_by_rule, cast)
        await self._hear(
            self._beginnings(
                seated, self._audience(seated, self.env.present), self.env.births, parts
            )
            for seated, parts in begun
        )
        for seated, was, part in changed:
            if part.overrides("adapt"):
                occasion = Occasion(part.chance_id, "adapt", self.env.births)
                audience = self._audience(seated, self.env.present)
                part.adapt(was, AgentGroup(self.context, seated, occasion, audience))
        self._pool()

    async def _begin(self, members: Sequence[tuple[SeatedCohort, Audience]], use: int) -> None:
        await self._hear(
            self._beginnings(seated, here, use, one.components)
            for seated, audience in members
            for one, here in _each_cohort(seated, audience)
        )

    def _beginnings(
        self, seated: SeatedCohort, audience: Audience, use: int, parts: Sequence[Component]
    ) -> Iterator[Awaitable[None] | None]:
        """Begin components of a cohort in order; yields what is to be awaited before the next.

        A component may read what those before it have begun with.
        """
        seated.unbegun = {column.name for part in parts for column in part.columns}
        for part in parts:
            if part.overrides("begin"):
                occasion = Occasion(part.chance_id, "begin", use)
                yield part.begin(AgentGroup(self.context, seated, occasion, audience))
            seated.unbegun -= {column.name for column in part.columns}

    async def _hear(self, cohorts: Iterable[Iterator[Awaitable[None] | None]]) -> None:
        """Run the hooks of each cohort in order; those that ask models, of all at the same time."""
        asking: list[Coroutine[Any, Any, None]] = []
        for hooks in cohorts:
            for slow in hooks:
                if slow is not None:
                    asking.append(_one_after_another(slow, hooks))
                    break
        if asking:
            await self.gateway.together(asking)

    async def _reborn(self, newborn: Array) -> None:
        """Reset the columns of these rows, (R, N) of bool, and begin them again."""
        members = []
        for seated in self.states:
            here = _here(seated, newborn)
            if not here.any():
                continue
            for name, values in seated.values.items():
                anew = values.copy()
                anew[here] = np.zeros(1, values.dtype)[0]
                seated.put(name, anew)
            members.append((seated, self._audience(seated, newborn)))
        await self._begin(members, self.env.births)

    async def answer(self, ask: Ask, asked: Array | None, use: int) -> Raw:
        """Raw answers of those in `asked`, (R, N) of bool; None asks everybody."""
        shape, unread = self.env.present.shape, None
        values: dict[str, Array] = {}
        consulted: list[Consulted] = []
        for seated in self.states:
            here = seated.everybody if asked is None else _here(seated, asked)
            if not here.any():
                continue
            part, rule = seated.respondents.get(ask.kind) or seated.respondent(ask.kind)
            audience = self._audience(seated, None)
            occasion = Occasion(part.chance_id, f"answer {ask.kind}", use)
            agents = AgentGroup(self.context, seated, occasion, audience, pure=True)
            options = _options(ask.reply, shape) if isinstance(ask.reply, Choice) else None
            reply = ask.reply if ask.reply.alike else _bounded(ask.reply, audience)
            facts = Facts(ask.kind, ask.facts, audience)
            question = Question(ask.kind, facts, reply, here, options, ask.repairs, ask.text)
            if not (rule and audience.whole):
                values = values or silence(ask.reply, shape)
            if rule:
                said = part.answer(question, agents)
                _place(self.env, values, question, part, audience, said)
            else:
                alone = single_asks(question, agents)
                consulted.append(Consulted(question, part, audience, *alone))
        if consulted:
            unread = await self._consult(ask, values, consulted)
        before = self.context.asked.get(ask.kind, 0)
        self.context.asked[ask.kind] = before + (1 if asked is None else asked)
        return Raw(values or silence(ask.reply, shape), unread)

    async def _consult(
        self, ask: Ask, values: dict[str, Array], consulted: Sequence[Consulted]
    ) -> Array:
        """Ask members one by one, all at the same time, and place their answers by seat.

        Returns which answers cannot be read or are not legal, (R, N); they are counted.
        """
        unread = np.zeros(self.env.present.shape, bool)
        jobs = (
            self.gateway.answered(agent, partial(one.part.consult, inquiry, agent))
            for one in consulted
            for inquiry, agent in one.alone
        )
        answers = iter(await self.gateway.together(jobs))
        for one in consulted:
            self._read(values, unread, ask, one, list(islice(answers, len(one.alone))))
        return unread

    def _read(
        self,
        values: dict[str, Array],
        unread: Array,
        ask: Ask,
        consulted: Consulted,
        answers: Sequence[Any],
    ) -> None:
        """Place the answers of some members, and mark those that cannot be used as unread."""
        question, part, audience, entries, alone = consulted
        read = np.array([_readable(answer, ask.reply) for answer in answers], bool)
        nodes = audience.rows.node[entries]
        if read.any():
            asked = question.asked.copy()
            asked[entries[~read]] = False
            answered = question._replace(asked=asked)
            placed = scatter_answers(list(compress(answers, read)), answered)
            _place(self.env, values, answered, part, audience, placed)
            marked = _marked(unread.shape, nodes[read])
            for name, value in fields(ask.reply).items():
                try:
                    value.settle(values[name], marked, self.env.graphs, self.env.present)
                except Illegal as error:
                    read &= ~error.where.reshape(-1)[nodes]
        unread.reshape(-1)[nodes[~read]] = True
        for (_, agent), answer in compress(zip(alone, answers, strict=True), ~read):
            agent.fell_back(str(answer) if isinstance(answer, Unparsed) else f"got {answer!r:.80}")

    def author(self, kind: str, node: int) -> str:
        """The component that answers questions of a kind for one node, replicate * N + seat."""
        return self._author(kind, node).title()

    def author_place(self, kind: str, node: int) -> str:
        """Return the place of that component in its file, "wood.py:12: "; "" for those of ours."""
        return _answer_place(self._author(kind, node), kind)

    def _author(self, kind: str, node: int) -> Component:
        seated = next(seated for seated in self.states if node in seated.rows.node)
        return seated.respondent(kind)[0]

    async def notice(self, tell: Tell, active: Array | None, use: int) -> None:
        """Let those in `active` who care notice what happened."""
        await self._hear(self._noticing(seated, tell, active, use) for seated in self.states)

    def _noticing(
        self, seated: SeatedCohort, tell: Tell, active: Array | None, use: int
    ) -> Iterator[Awaitable[None] | None]:
        """Let a cohort's components notice an event, in order; yields what is to be awaited."""
        listeners = [part for part in seated.components if part.hears(tell.kind, part.notices)]
        if not listeners:
            return
        audience = self._audience(seated, active)
        news = News(tell.kind, Facts(tell.kind, tell.facts, audience), tell.text, tell.occurs)
        for part in listeners:
            occasion = Occasion(part.chance_id, f"notice {tell.kind}", use)
            yield part.notice(news, AgentGroup(self.context, seated, occasion, audience))

    async def inherit(self, line: Inherit, use: int) -> None:
        """Copy columns from parents to heirs, whatever their cohorts, then call `born`."""
        columns = self._heritable() if line.columns == HERITABLE else line.columns
        heir = line.parents != NOBODY
        to = np.flatnonzero(heir)
        source = to - to % self.env.agents + line.parents.reshape(-1)[to]
        # Taken before anything is changed: parents may be heirs, and make room for newborn agents.
        taken = {name: self._bequeathed(name, to, source) for name in columns}
        if line.newborn is not None:
            await self._reborn(line.newborn)
        inherited: dict[str, Array] = {}
        for name, (heirs, copies) in taken.items():
            inherited[name] = heir if len(heirs) == len(to) else _marked(heir.shape, heirs)
            after = self._everywhere(name)[0].copy()
            after[heirs] = copies
            for seated in self.states:
                if name in seated.values:
                    seated.put(name, after if seated.whole else after[seated.rows.node])
        for seated in self.states:
            for part in seated.components:
                own = [inherited[c.name] for c in part.columns if c.name in inherited]
                if own and part.overrides("born"):
                    mask = own[0] if len(own) == 1 else np.any(own, axis=0)
                    audience = self._audience(seated, mask)
                    occasion = Occasion(part.chance_id, f"born {line.kind}", use)
                    part.born(AgentGroup(self.context, seated, occasion, audience))

    def _bequeathed(self, name: str, to: Array, source: Array) -> tuple[Array, Array]:
        """Return the nodes in `to` that inherit a column from those in `source`, and the values."""
        if len(self.states) == 1 and name in self.states[0].values:
            return to, _copies(self.states[0].values[name][source])
        values, has = self._everywhere(name)
        both = has[to] & has[source]
        return to[both], _copies(values[source[both]])

    def _heritable(self) -> tuple[str, ...]:
        declared = [column for one in self.states for column in one.declared.values()]
        return tuple(dict.fromkeys(column.name for column in declared if column.heritable))

    def public(self) -> dict[str, Array]:
        """Every public column, (R, N); seats without it hold NaN, or the dtype's zero."""
        names = {
            name: None
            for seated in self.states
            for name, column in seated.declared.items()
            if column.public
        }
        shape = self.env.present.shape
        return {name: read_only(self._everywhere(name, np.nan)[0].reshape(shape)) for name in names}

    def _everywhere(self, name: str, missing: object = 0) -> tuple[Array, Array]:
        """A column over all cohorts, flat (R * N,), and who has it."""
        size = self.env.present.size
        having = [seated for seated in self.states if name in seated.values]
        if len(having) == 1 and having[0].whole:
            return having[0].values[name], np.ones(size, bool)
        dtype = having[0].values[name].dtype if having else np.dtype(float)
        fill = missing if dtype.kind == "f" else np.zeros(1, dtype)[0]
        each = having[0].values[name].shape[1:] if having else ()
        values, has = np.full((size, *each), fill, dtype), np.zeros(size, bool)
        for seated in having:
            values[seated.rows.node] = seated.values[name]
            has[seated.rows.node] = True
        return values, has

    def _audience(self, seated: SeatedCohort, mask: Array | None) -> Audience:
        """The members of a cohort that are in a mask, (R, N); None means all of them."""
        env, key = self.env, (seated.name, mask is None)
        known = self._audiences.get(key)
        if known is None or known[0] is not mask:
            rows, places, whole = seated.rows, seated.places, seated.whole
            audience = Audience(None, rows, places, whole, env.graphs, env.present)
            here = _here(seated, mask)
            if not here.all():
                audience = audience.only(np.flatnonzero(here))
        elif known[1].present is env.present:
            return known[1]
        else:
            audience = dataclasses.replace(known[1], present=env.present)
        self._audiences[key] = (mask, audience)
        return audience


def _options(reply: Choice, shape: tuple[int, int]) -> Array:
    """Options of each replicate, (R, K)."""
    return np.broadcast_to(reply.options, (shape[0], reply.options.shape[1]))


def _bounded(reply: ActionSpace, audience: Audience) -> ActionSpace:
    """A reply with the bounds of each member."""
    shape = audience.present.shape

    def each(given: Array) -> Array:
        return audience.each(np.broadcast_to(given, (*shape, *given.shape[2:])))

    return restrict_bounds(reply, each)


async def _one_after_another(
    first: Awaitable[None], others: Iterator[Awaitable[None] | None]
) -> None:
    """Await the hooks of one cohort in order: a component may read what the one before noticed."""
    await first
    for slow in others:
        if slow is not None:
            await slow


def cohort_seats(cast: Cast, env: Environment) -> dict[str, Array]:
    """The seats of each cohort, (R, N) of bool."""
    nodes = _seated(cast, env)
    shape = env.present.shape
    return {one.name: _marked(shape, here) for one, here in zip(cast, nodes, strict=True)}


def _seated(cast: Cast, env: Environment) -> list[Array]:
    """The nodes, replicate * N + seat, of each cohort; raises CastError unless each has one."""
    shape = env.present.shape
    ends = list(accumulate(cohort.count for cohort in cast))
    seats = np.arange(env.agents)
    masks = [
        np.broadcast_to((seats >= end - cohort.count) & (seats < end), shape)
        if cohort.where is None
        else _mask(cohort, cohort.where, shape)
        for cohort, end in zip(cast, ends, strict=True)
    ]
    count = ends[-1] if ends else 0
    if all(cohort.where is None for cohort in cast) and count != env.agents:
        counts = " + ".join(f"{cohort.count} {cohort.name}" for cohort in cast) or "no cohort"
        raise CastError(
            f"the cast has {count} agents ({counts}), not {env.agents}; let the counts of its "
            f"cohorts sum to {env.agents}{f', or set agents={count}' if count else ''}"
        )
    times = np.sum(masks, axis=0) if masks else np.zeros(shape, int)
    if not (times == 1).all():
        replicate, seat = np.argwhere(times != 1)[0]
        raise CastError(
            f"seat {seat} of replicate {replicate} belongs to {times[replicate, seat]} cohorts; "
            f"the cohorts must fill {env.agents} seats, each once"
        )
    return [np.flatnonzero(mask) for mask in masks]


def _mask(cohort: Cohort, where: Array, shape: tuple[int, ...]) -> Array:
    if where.dtype != bool or where.shape not in (shape, shape[1:]):
        raise CastError(
            f"cohort {cohort.name!r} sits where an array of {where.dtype}, {where.shape}, says; "
            f"expected bool, {shape[1:]} or {shape}"
        )
    return np.broadcast_to(where, shape)


def _agreed(states: Sequence[SeatedCohort]) -> None:
    """Raise CastError unless cohorts have different names, and equal columns equal dtypes."""
    names = [seated.name for seated in states]
    for name in names:
        if names.count(name) > 1:
            raise CastError(f"two cohorts are called {name!r}; give each a name of its own")
    first: dict[str, SeatedCohort] = {}
    for seated in states:
        for name, values in seated.values.items():
            other = first.setdefault(name, seated)
            if other.values[name].dtype != values.dtype:
                raise CastError(
                    f"column {name!r} is {other.values[name].dtype} in cohort {other.name!r} and "
                    f"{values.dtype} in cohort {seated.name!r}; give it one dtype"
                )


def _seat_cohort(cohort: Cohort, node: Array, context: RunContext) -> SeatedCohort:
    owned: dict[str, str] = {}
    for part in cohort.components:
        columns = [f"column {column.name}" for column in part.columns]
        for name in [part.title(), f"chance_id {part.chance_id}", *columns]:
            if name in owned:
                raise CastError(
                    f"cohort {cohort.name!r} has {name!r} twice, "
                    f"in {owned[name]} and {part.title()}; leave one out"
                )
            owned[name] = part.title()
        if part.answers and not (part.overrides("answer") or part.overrides("consult")):
            raise CastError(
                f"{part.title()} in cohort {cohort.name!r} answers {', '.join(part.answers)} but "
                "has neither `answer` nor `consult`; write one of them"
            )
    return SeatedCohort(cohort, *_places_of(node, context.env), context)


def _places_of(node: Array, env: Environment) -> tuple[AgentRows, DrawPlaces]:
    """Return the rows of nodes, replicate * N + seat, and where their draws are."""
    return AgentRows(*np.divmod(node, env.agents), node), DrawPlaces.at(env.places[node])


def _live_alike(one: SeatedCohort, other: SeatedCohort) -> bool:
    """Tell whether two cohorts are rules that differ in nothing but how their lives begin."""
    pairs = zip(one.components, other.components, strict=False)
    return len(one.components) == len(other.components) and all(
        _same_rule(part, its) for part, its in pairs
    )


def _same_rule(part: Component, other: Component) -> bool:
    if "at_birth" not in vars(type(part)) or not dataclasses.is_dataclass(part):
        return False
    if part.models or any(part.overrides(hook) for hook in ("consult", "brief", "ponder")):
        return False
    if any(inspect.iscoroutinefunction(hook) for hook in (part.begin, part.notice)):
        return False
    return _same_component(part, other, but=part.at_birth)


def _same_component(part: object, other: object, but: Sequence[str] = ()) -> bool:
    """Tell whether two components are of one class and, as dataclasses, have the same fields."""
    if type(part) is not type(other) or not dataclasses.is_dataclass(part):
        return _same_value(part, other)
    names = (one.name for one in dataclasses.fields(part) if one.name not in but)
    return all(_same_value(getattr(part, name), getattr(other, name)) for name in names)


def _same_value(one: Any, other: Any) -> bool:
    """Tell whether two values are the same, of one type; what cannot be compared is not."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(one, Mapping):
        return _same_value([*one.items()], [*other.items()])
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same_value, one, other))
    try:
        return bool(one == other)
    except Exception:  # a comparison of the user's, or of tables, cell by cell
        return False


def _each_cohort(
    seated: SeatedCohort, audience: Audience
) -> Iterator[tuple[SeatedCohort, Audience]]:
    """Yield the cohorts that a state stands for, with their members among those in an audience."""
    if len(seated.cohorts) == 1:
        yield seated, audience
        return
    for one in seated.cohorts:
        here = np.isin(audience.rows.node, one.rows.node, assume_unique=True)
        if here.any():
            yield one, audience.only(np.flatnonzero(here))


def _here(seated: SeatedCohort, mask: Array | None) -> Array:
    """Tell which members are in a mask, (R, N) or None for all of them; (M,) of bool."""
    if mask is None:
        return np.ones(len(seated.rows.node), bool)
    flat = mask.reshape(-1)
    return flat if seated.whole else flat[seated.rows.node]


class UnansweredQuestion(CastError):
    """A question that no component of a cohort answers."""


def respondent(cohort: str, components: Sequence[Component], kind: str) -> Component:
    """Find the component of a cohort that answers a question; raises UnansweredQuestion."""
    for part in components:
        if part.hears(kind, part.answers):
            return part
    raise UnansweredQuestion(
        f"nobody in cohort {cohort!r} answers {kind!r}; "
        "add a component that has it among its `answers`"
    )


def answered_by_rule(cast: Cast, kind: str) -> bool:
    """Tell whether in some cohort a rule answers a kind of question, for all members at once."""
    first = (
        next((part for part in cohort.components if part.hears(kind, part.answers)), None)
        for cohort in cast
    )
    return any(part is not None and part.overrides("answer") for part in first)


def _place(
    env: Environment,
    values: dict[str, Array],
    question: Question,
    part: Component,
    audience: Audience,
    said: Any,
) -> None:
    """Check the form of what a component said, and put it where its members sit."""
    for name, value in fields(question.reply).items():
        try:
            column = said[name] if name else said
            flat = value.flat(column, question.asked, audience.rows.replicate)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            said_by = _wrong_answer(env, said, name, value, question, audience) or (
                f" answered {question.kind!r} with {error}"
            )
            raise PartError(
                f"{_answer_place(part, question.kind)}{part.title()}{said_by}; expected "
                f"{value.expected()}, one per member ({len(question.asked)} members)"
            ) from error
        if audience.whole:
            values[name] = flat.reshape(*audience.present.shape, *flat.shape[1:])
        else:
            values[name].reshape(-1, *flat.shape[1:])[audience.rows.node] = flat


def _answer_place(part: Component, kind: str) -> str:
    """Return the place where a user's component answers a question, "wood.py:12: "; "" for ours."""
    method = getattr(type(part), f"answer_{kind}", None) or (
        type(part).answer if part.overrides("answer") else type(part).consult
    )
    code = inspect.unwrap(method).__code__
    if not is_users_file(code.co_filename):
        return ""
    return f"{show_place(code.co_filename, code.co_firstlineno)}: "


def _wrong_answer(
    env: Environment, said: Any, name: str, value: Value, question: Question, audience: Audience
) -> str:
    """Name the agent that answered in the wrong form, and its answer; "" if no single one did."""
    field = f" in field {name!r}" if name else ""
    words = f" answered {question.kind!r}{field} with"
    if said is None:
        return f"{words} None (is a `return` missing?)"
    if name and not (isinstance(said, Mapping) and name in said):
        return f"{words} {said!r:.60}, which has no such field"
    cells = np.asarray(said[name] if name else said, object)
    if not cells.ndim:
        return f"{words} {cells[()]!r:.60}"
    if cells.shape != question.asked.shape:
        return ""
    for entry in np.flatnonzero(question.asked):
        replicate = audience.rows.replicate[[entry]]
        try:
            value.flat([cells[entry]], np.ones(1, bool), replicate)
        except (ValueError, TypeError):
            missing = " (is a `return` missing?)" if cells[entry] is None else ""
            who = env.describe_agent(int(replicate[0]), int(audience.rows.seat[entry]))
            return f", {who},{words} {cells[entry]!r:.60}{missing}"
    return ""


def _readable(answer: Any, reply: ActionSpace) -> bool:
    """Tell if an answer has the form that was asked for."""
    if isinstance(answer, Unparsed):
        return False
    alone = np.ones(1, bool), np.zeros(1, np.int64)
    try:
        for name, value in fields(reply).items():
            value.flat([answer[name] if name else answer], *alone)
    except (ValueError, TypeError, KeyError, IndexError):
        return False
    return True


def _copies(values: Array) -> Array:
    """Stores, which can be copied, are not shared by parent and heir."""
    if values.dtype.kind != "O":
        return values
    copied = np.empty_like(values)
    copied[:] = [cell.copy() if hasattr(cell, "copy") else cell for cell in values]
    return copied


def _marked(shape: tuple[int, ...], nodes: Array) -> Array:
    mask = np.zeros(shape, bool)
    mask.reshape(-1)[nodes] = True
    return mask
