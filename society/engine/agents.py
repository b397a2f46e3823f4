"""Agents as a component sees them: the members of one cohort, together or one by one."""

from __future__ import annotations

import difflib
import operator
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

import numpy as np

from society.errors import CastError, PartError

from .action_spaces import ActionSpace, Legal
from .calls import Address, Again, Completion, Message, PromptPart, Request
from .environment import Environment
from .gateway import ModelGateway, TextEmbedder
from .graph import Complete, Graph
from .observations import Audience, Inquiry, News, OwnFacts
from .rng import Array, DrawPlaces, Draws
from .state import CohortState

T = TypeVar("T")

_FEW = 32  # neighbours whose names are remembered

# The peers shown on each graph: their seats by name, in order of id.
Sight = Mapping[str, Mapping[str, int]]

# A graph, a node, and how many of its neighbours it sees at most.
SightKey = tuple[Graph, int, int | None]

# The order in which agents that read are shown what they may choose from: one of its own for each
# agent and question, one for all agents of a replicate and question, or as the script gives it.
OptionOrder = Literal["agent", "round", "fixed"]


class Renderer(Protocol):
    """Puts questions and events into words, for agents that read."""

    def question(
        self,
        ask: Inquiry,
        agent: Agent,
        *,
        legal: Legal,
        sight: Sight,
        thinking: bool = False,
        system: str = "",
        page: str = "",
        more: Mapping[str, object] | None = None,
        faculties: Mapping[str, str] = ...,
        deferred: bool = False,
    ) -> str:
        """A question as one agent reads it.

        legal: what it may name in the answer. sight: the peers that it is shown. thinking: whether
        it shall think first. system: the message before it. page: a template of its own in place of
        the question's, with `more`. faculties: what it shall think about before it answers, in the
        same reply, by name. deferred: leave out how to answer.
        """
        ...

    def has_template(self, kind: str) -> bool:
        """Tell whether a question has words of its own, or else default words."""
        ...

    def system(self, ask: Inquiry, agent: Agent) -> str:
        """Return the system message that goes before a question; "" for none."""
        ...

    def told(self, tell: News, agent: Agent) -> str:
        """Return an event in words, as one agent reads it."""
        ...


class RememberedSight:
    """The neighbours whom agents see, as they were found before in the same round."""

    def __init__(self) -> None:
        self._when: tuple[int, ...] = ()
        self._state: tuple[Array, ...] = ()
        self._known: dict[SightKey, dict[str, int]] = {}

    def at(self, when: tuple[int, ...], *state: Array) -> dict[SightKey, dict[str, int]]:
        """Return seats by name, of those who were looked for before; others may be added.

        when, state: all on which they depend. Nothing is known after another moment, or once one of
        these arrays is another.
        """
        same = map(operator.is_, state, self._state)
        if when != self._when or not all(same):
            self._when, self._state, self._known = when, state, {}
        return self._known


@dataclass
class RunContext:
    """The context of all cohorts of a run: the environment, the gateway to models, and prompts.

    option_order: of what agents that read may choose from. asked: how often everybody has been
    asked a kind of question before, (R, N), or one number where all were always asked. sight: whom
    they see.
    """

    env: Environment
    gateway: ModelGateway = field(default_factory=ModelGateway)
    words: Renderer | None = None
    option_order: OptionOrder = "fixed"
    asked: dict[str, Array | int] = field(default_factory=dict)
    sight: RememberedSight = field(default_factory=RememberedSight)

    @property
    def prompts(self) -> Renderer:
        """The prompts of the run; raises PartError if there are none."""
        if self.words is None:
            raise PartError(
                "agents of this game ask models, but it has no prompts; "
                "give it some: Population(cast, RunContext(env, words=Prompts(SCENARIO)))"
            )
        return self.words


class Occasion(NamedTuple):
    """The moment at which a component is at work: its hook and the kind of line, "answer effort".

    use: how many lines of that kind came before."""

    component: str
    name: str
    use: int


def keep_newest(text: str, share: float) -> str:
    """Keep the last entries of a list below a heading; "" if none is left.

    >>> keep_newest("You remember:\\n- one\\n- two\\n- three\\n- four", 0.5)
    'You remember:\\n- three\\n- four'
    """
    heading, *entries = text.split("\n- ")
    last = entries[len(entries) - int(len(entries) * share) :]
    return "\n- ".join([heading, *last]) if last else ""


class Contribution(NamedTuple):
    """Words that one component has given for a prompt."""

    component: str  # its title
    words: str


class AgentGroup:
    """Some members of one cohort as one of their components sees them.

    `agents["effort"]` is their column, (M,); only the own columns may be set, and only in `begin`,
    `notice` and `born`.
    """

    def __init__(
        self,
        context: RunContext,
        cohort: CohortState,
        occasion: Occasion,
        audience: Audience,
        *,
        pure: bool = False,
    ) -> None:
        self.context, self.env, self._cohort, self._pure = context, context.env, cohort, pure
        self._index = audience.index
        self._turns = Counter[int]()  # exchanges with outside minds, by node
        self.audience, self.occasion = audience, occasion

    @cached_property
    def draws(self) -> Draws:
        """The draws of these members on this occasion."""
        component, name, use = self.occasion
        return Draws(self.env.seed, f"{component}\0{name}", self.audience.places, use=use)

    @property
    def replicate(self) -> Array:
        """The replicate of each member, counted from 0 in this run, (M,)."""
        return self.audience.rows.replicate

    @property
    def agent(self) -> Array:
        """The id of each member, (M,)."""
        return self.env.ids[self.audience.rows.seat]

    @property
    def moment(self) -> int:
        """The number of the round, 0 before the first."""
        return self.env.moment

    @property
    def params(self) -> Any:
        """The scenario's parameters."""
        return self.env.params

    @property
    def rules(self) -> Any:
        """The public description of the game, given by the play; None if it gives none."""
        return self.env.rules

    def only(self, entries: Array) -> AgentGroup:
        """Return some of these members, read-only.

        entries: their places, (K,) of integers, or (M,) of bool.
        """
        return self._among(self.audience.only(entries))

    def single(self, entry: int) -> AgentGroup:
        """Return one of these members, read-only.

        entry: its place, from 0.
        """
        return self._among(self.audience.single(entry))

    def _among(self, audience: Audience) -> AgentGroup:
        some = AgentGroup(self.context, self._cohort, self.occasion, audience, pure=True)
        some._turns = self._turns
        return some

    async def each(self, function: Callable[[Agent], Coroutine[Any, Any, T]]) -> list[T]:
        """Call a function for every member, all at the same time; return the results in order."""
        return await self.context.gateway.together(
            function(Agent(self, entry)) for entry in range(len(self))
        )

    def told(self, tell: News) -> list[str]:
        """Return an event in words, as each member hears it; "" where it does not happen."""
        prompts, occurs = self.context.prompts, np.ones(len(self), bool)
        if tell.occurs is not None:
            occurs = tell.occurs[self.audience.rows.replicate, 0]
        return [
            prompts.told(tell, Agent(self, entry)) if occurs[entry] else ""
            for entry in range(len(self))
        ]

    def embedded(self, embedder: TextEmbedder, texts: Sequence[str]) -> Array:
        """Vectors of texts, (n, d) of float32."""
        return self.context.gateway.embedded(embedder, texts)

    @property
    def _title(self) -> str:
        """The title of the component that sees these members."""
        return self._cohort.titles[self.occasion.component]

    def __len__(self) -> int:
        return len(self.audience.rows.node)

    def __contains__(self, name: str) -> bool:
        return name in self._cohort.values

    def __getitem__(self, name: str) -> Array:
        try:
            values = self._cohort.values[name]
        except KeyError:
            near = difflib.get_close_matches(name, self._cohort.values, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "add the component that keeps it"
            raise PartError(
                f"{self._title} reads column {name!r}, which no component of cohort "
                f"{self._cohort.name!r} keeps; {hint}"
            ) from None
        if name in self._cohort.unbegun and self._cohort.owners[name] != self.occasion.component:
            owner = self._cohort.titles[self._cohort.owners[name]]
            raise CastError(
                f"{self._title} reads column {name!r} before {owner} has begun; "
                f"put {owner} before it in cohort {self._cohort.name!r}"
            )
        if self._index is not None:
            return values[self._index]
        return values if self._pure else values.copy()

    def __setitem__(self, name: str, values: object) -> None:
        if self._pure and name in self._cohort.owners:
            raise PartError(
                f"{self._title} sets {name!r} while answering; "
                "columns change in begin, notice and born only"
            )
        if self._cohort.owners.get(name) != self.occasion.component:
            raise PartError(
                f"{self._title} sets column {name!r}, which it has not declared; "
                f"add Column({name!r}) to its columns, and set it in begin, notice or born"
            )
        old = self._cohort.values[name]
        if old.ndim == 2 and np.asarray(values).ndim == 1:  # (M,), or one for each of N peers?
            raise PartError(
                f"{self._title} sets column {name!r}, which has an entry per peer, to an array of "
                f"one axis; write x[:, None] if each member has one value for all its peers"
            )
        new = np.empty_like(old) if self._index is None else old.copy()
        try:
            new[slice(None) if self._index is None else self._index] = values
        except (ValueError, TypeError) as error:
            raise PartError(
                f"{self._title} sets column {name!r} of {old.dtype} for {len(self)} "
                f"members: {error}; give one value for each, or one for all"
            ) from error
        self._cohort.put(name, new)


class Agent:
    """A single member: `agent["effort"]` is a scalar, and so is every draw.

    entry: its place among the members, from 0.
    """

    def __init__(self, agents: AgentGroup, entry: int) -> None:
        self._alone = agents.single(entry)
        self.context, self.env = agents.context, agents.env
        self.moment, self.params, self.rules = self.env.moment, self.env.params, self.env.rules
        self._drawn = agents, entry
        self.replicate, self.seat, self._node = [int(part[0]) for part in self._alone.audience.rows]
        self.agent = int(self.env.ids[self.seat])  # the id: the seat unless rows are relabelled
        self.name_of = self.env.name  # the short name of the one with a life, there or not
        self.name = self.name_at(self.seat)  # by which peers call this agent
        self.whole_name = self.env.whole_name(self.replicate, self.seat)  # "villager 2"
        self.memories = 1.0  # the share, of what memory adds to a prompt, that stands in it
        self.model = ""  # as the provider names the one that spoke last
        self.briefed: list[Contribution] = []  # what was added to the last prompt that was written

    @cached_property
    def draws(self) -> Draws:
        """The draws of this member on this occasion."""
        agents, entry = self._drawn
        return agents.draws.single(entry)

    def __contains__(self, name: str) -> bool:
        return name in self._alone

    def __getitem__(self, name: str) -> Any:
        return self._alone[name][0]

    def name_at(self, seat: int) -> str:
        """Return the name of the agent who has this seat now."""
        return self.name_of(int(self.env.lives[self.replicate, seat]))

    def times_asked(self, kind: str) -> int:
        """Count the questions of a kind that this seat has been asked before, in this run."""
        asked = self.context.asked.get(kind, 0)
        return int(asked if isinstance(asked, int) else asked[self.replicate, self.seat])

    def complete(self, graph: str) -> bool:
        """Tell if everybody sees everybody on a graph, as it was at the start."""
        env = self.env
        env.graph(graph)  # says so if there is none
        return isinstance(env.first_graphs[graph], Complete)

    @property
    def address(self) -> Address:
        """The address of its next exchange with a model."""
        return Address(*self._asked_at, self._alone._turns.get(self._node, 0))

    @cached_property
    def _asked_at(self) -> tuple[str, str, int, int, int]:
        """Its address but for the turn."""
        replicate = int(self.env.replicate_ids[self.replicate])
        return (*self._alone.occasion, replicate, self.agent)

    def own(self, tell: News) -> OwnFacts:
        """The facts of a line as this member knows them."""
        return OwnFacts(tell.kind, tell.facts.facts, self._alone.audience)

    def neighbours(self, graph: str, at_most: int | None = None) -> dict[str, int]:
        """Seats of the present neighbours whom it sees, by name, in order of id.

        graph: "" is everybody, whatever the graphs. at_most: so many of them: the first in an order
        that chance gives to all agents for a round, whatever the graph. When one of them leaves,
        the next one comes into sight.
        """
        audience, env = self._alone.audience, self.env
        if not graph:
            return self._find_neighbours(Complete(env.replicates, env.ids), at_most)
        around = audience.graphs[graph]
        when = env.moment, env.seed
        known = self.context.sight.at(when, env.replicate_ids, env.lives, audience.present)
        key = around, self._node, at_most
        found = known.get(key)
        if found is None:
            found = self._find_neighbours(around, at_most)
            if len(found) <= _FEW:  # all of all would fill the memory
                known[key] = found
        return found.copy()

    def _find_neighbours(self, around: Graph, at_most: int | None) -> dict[str, int]:
        env = self.env
        seats = around.neighbours(self.replicate, self.seat)
        seen = seats[self._alone.audience.present[self.replicate].take(seats)]
        if at_most is not None and len(seen) > at_most:
            seen = seen[env.sight(self._node, env.ids.take(seen))[:at_most]]
        seen = seen[np.argsort(env.ids.take(seen))]
        lives = env.lives[self.replicate].take(seen).tolist()
        return dict(zip(map(self.name_of, lives), seen.tolist(), strict=True))

    def shuffle(self, options: Array, kind: str) -> Array:
        """Return options, whole numbers from 0, in the order in which they are shown to this agent.

        kind: of the question. Chance ranks every number apart, so that the order of two of them
        depends on no other; ranks for all agents of a replicate are alike under `round`.
        options: (K,) -> (K,).
        """
        context, env = self.context, self.env
        if context.option_order == "fixed":
            return options
        alike = context.option_order == "round"
        place = env.replicate_ids[self.replicate] if alike else env.places[self._node]
        address = f"option order\0{context.option_order}\0{kind}\0{place}"
        use = self._alone.occasion.use
        rank = Draws(env.seed, address, DrawPlaces.at(options), use=use).uniform("rank")
        return options[np.argsort(rank, kind="stable")]

    def briefs(self, ask: Inquiry, *, before: str = "") -> list[str]:
        """List the texts that its components add to a prompt, in their order.

        Of those that shorten, only the share `memories` of the entries, the last ones. before: only
        those of components that stand before this one, by its chance_id.
        """
        cohort, self.briefed = self._alone._cohort, []
        order = [*cohort.titles]
        earlier = order[: order.index(before)] if before else order
        for component, brief, shortens in cohort.briefs:
            text = brief(ask, self) if component in earlier else ""
            if shortens and self.memories < 1:
                text = keep_newest(text, self.memories)
            if text:
                self.briefed.append(Contribution(cohort.titles[component], text))
        return [one.words for one in self.briefed]

    def ponders(self, ask: Inquiry) -> list[Contribution]:
        """List the questions that its components put to its mind before it answers."""
        cohort = self._alone._cohort
        asked = (
            Contribution(cohort.titles[component], question(ask, self))
            for component, question, _ in cohort.ponders
        )
        return [one for one in asked if one.words]

    def inquiry(self, kind: str, reply: ActionSpace, tell: News | None = None) -> Inquiry:
        """Return a question that one of its components asks, with the facts of an event, if any."""
        none = OwnFacts(kind, {}, self._alone.audience)
        return Inquiry(kind, none if tell is None else self.own(tell), reply)

    def prompt(self, ask: Inquiry, **more: Any) -> str:
        """A question in words."""
        return self.context.prompts.question(ask, self, **more)

    async def call(
        self,
        model: str,
        messages: Sequence[Message],
        *,
        room: int | None = None,
        again: Again = "",
        reason: str = "",
        schema: Mapping[str, Any] | None = None,
        question: Inquiry | None = None,
        peers: Iterable[str] = (),
        parts: Iterable[PromptPart] = (),
    ) -> Completion:
        """One exchange with a model, kept before it is used; raises Paused.

        room, again, reason, schema, question, peers, parts: see society.engine.calls.Request.
        """
        request = Request(
            self.address,
            model,
            tuple(messages),
            room,
            again,
            reason,
            schema,
            question,
            tuple(peers),
            self.whole_name,
            self.moment,
            tuple(parts),
        )
        self._alone._turns[self._node] += 1
        completion = await self.context.gateway.call(request)
        self.model = completion.model
        return completion

    def fell_back(self, reason: str) -> None:
        """Count an answer that could not be read, and for which something else stands."""
        address, gateway = self.address, self.context.gateway
        gateway.ledger.fall_back(address, self.model, reason)
        gateway.trouble(address, self.model, "fallback", reason)

    def embedded(self, embedder: TextEmbedder, texts: Sequence[str]) -> Array:
        """Vectors of texts, (n, d) of float32."""
        return self._alone.embedded(embedder, texts)
