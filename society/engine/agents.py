"""Agents as a component sees them: the members of one cohort, together or one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from society.errors import CastError, PartError, suggest

from .action_spaces import Legal
from .calls import Address, Again, Completion, Message, Request
from .environment import Environment
from .gateway import ModelGateway, TextEmbedder
from .graph import Complete
from .observations import Audience, Inquiry, News, OwnFacts
from .rng import Array, Draws
from .state import CohortState

T = TypeVar("T")

# The peers shown on each graph: their seats by name, in order of id.
Sight = Mapping[str, Mapping[str, int]]


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
        page: str = "",
        more: Mapping[str, object] | None = None,
    ) -> str:
        """A question as one agent reads it.

        legal: what it may name in the answer. sight: the peers that it is shown. thinking: whether
        it shall think first. page: a template of its own in place of the question's, with `more`.
        """
        ...

    def told(self, tell: News, agent: Agent) -> str:
        """Return an event in words, as one agent reads it."""
        ...


@dataclass
class RunContext:
    """The context of all cohorts of a run: the environment, the gateway to models, and prompts.

    asked: how often everybody has been asked a kind of question before, (R, N).
    """

    env: Environment
    outside: ModelGateway = field(default_factory=ModelGateway)
    words: Renderer | None = None
    asked: dict[str, Array] = field(default_factory=dict)

    @property
    def prompts(self) -> Renderer:
        """Raises PartError where nobody has given any."""
        if self.words is None:
            raise PartError(
                "agents of this game ask models, but the game has no prompts; "
                "play it with Population(cast, RunContext(env, words=Prompts(SCENARIO)))"
            )
        return self.words


class Occasion(NamedTuple):
    """The moment at which a component is at work: its hook and the kind of line, "answer effort".

    use: how many lines of that kind came before."""

    component: str
    name: str
    use: int


class AgentGroup:
    """Some members of one cohort as one of their components sees them.

    `me["effort"]` is their column, (M,); only the own columns may be set, and only in `begin`,
    `notice` and `born`.
    """

    def __init__(
        self,
        world: RunContext,
        members: CohortState,
        occasion: Occasion,
        audience: Audience,
        draws: Draws | None = None,
        *,
        pure: bool = False,
    ) -> None:
        self.world, self._company, self._pure = world, members, pure
        self._index = audience.index
        self._turns = Counter[int]()  # exchanges with outside minds, by node
        self.audience, self.occasion = audience, occasion
        address = f"{occasion.component}\0{occasion.name}"
        self.draws = draws or Draws(world.env.seed, address, audience.places, use=occasion.use)

    @property
    def replicate(self) -> Array:
        """The replicate of each member, counted from 0 in this run, (M,)."""
        return self.audience.rows.replicate

    @property
    def agent(self) -> Array:
        """The id of each member, (M,)."""
        return self.world.env.ids[self.audience.rows.seat]

    @property
    def moment(self) -> int:
        """The number of the round, 0 before the first."""
        return self.world.env.moment

    @property
    def params(self) -> Any:
        """The scenario's parameters."""
        return self.world.env.params

    @property
    def rules(self) -> Any:
        """The public description of the game, given by the play; None if it gives none."""
        return self.world.env.rules

    def only(self, entries: Array) -> AgentGroup:
        """Return some of these members, read-only."""
        audience, draws = self.audience.only(entries), self.draws.among(entries)
        some = AgentGroup(self.world, self._company, self.occasion, audience, draws, pure=True)
        some._turns = self._turns
        return some

    async def each(self, function: Callable[[Agent], Coroutine[Any, Any, T]]) -> list[T]:
        """Call a function for every member, all at the same time; return the results in order."""
        return await self.world.outside.together(
            function(Agent(self, entry)) for entry in range(len(self))
        )

    def told(self, tell: News) -> list[str]:
        """A line in words, as each member hears it."""
        told = self.world.prompts.told
        return [told(tell, Agent(self, entry)) for entry in range(len(self))]

    def embedded(self, embedder: TextEmbedder, texts: Sequence[str]) -> Array:
        """Vectors of texts, (n, d) of float32."""
        return self.world.outside.embedded(embedder, texts)

    @property
    def _title(self) -> str:
        """The title of the component that sees these members."""
        return self._company.titles[self.occasion.component]

    def __len__(self) -> int:
        return len(self.audience.rows.node)

    def __contains__(self, name: str) -> bool:
        return name in self._company.values

    def __getitem__(self, name: str) -> Array:
        try:
            values = self._company.values[name]
        except KeyError:
            hint = suggest(name, self._company.values)
            raise PartError(
                f"{self._title} reads column {name!r}, which no component of cohort "
                f"{self._company.name!r} keeps; {hint}"
            ) from None
        if name in self._company.unbegun and self._company.owners[name] != self.occasion.component:
            owner = self._company.titles[self._company.owners[name]]
            raise CastError(
                f"{self._title} reads column {name!r} before {owner} has begun; "
                f"put {owner} before it in cohort {self._company.name!r}"
            )
        if self._index is not None:
            return values[self._index]
        return values if self._pure else values.copy()

    def __setitem__(self, name: str, values: object) -> None:
        if self._pure:
            raise PartError(
                f"{self._title} sets {name!r} while answering; "
                "columns change in begin, notice and born only"
            )
        if self._company.owners.get(name) != self.occasion.component:
            raise PartError(
                f"{self._title} sets column {name!r}, which it has not declared; "
                f"add Column({name!r}) to its columns"
            )
        old = self._company.values[name]
        new = np.empty_like(old) if self._index is None else old.copy()
        try:
            new[slice(None) if self._index is None else self._index] = values
        except (ValueError, TypeError) as error:
            raise PartError(
                f"{self._title} sets column {name!r} of {old.dtype} for {len(self)} "
                f"members: {error}; give one value for each, or one for all"
            ) from error
        self._company.put(name, new)


class Agent:
    """A single member: `one["effort"]` is a scalar, and so is every draw."""

    def __init__(self, agents: AgentGroup, entry: int) -> None:
        self._me = agents.only(np.array([entry]))
        self.draws = agents.draws.single(entry)
        self.replicate, self.seat, self._node = (int(part[0]) for part in self._me.audience.rows)
        self.model = ""  # as the provider names the one that spoke last

    def __contains__(self, name: str) -> bool:
        return name in self._me

    def __getitem__(self, name: str) -> Any:
        return self._me[name][0]

    @property
    def agent(self) -> int:
        """The id, which is the seat unless the rows are relabelled."""
        return int(self._me.world.env.ids[self.seat])

    @property
    def name(self) -> str:
        """The name by which peers call this agent."""
        return self.name_at(self.seat)

    def name_of(self, life: int) -> str:
        """Return the name of the agent with this life, whether it is still there or not."""
        return self._me.world.env.name(life)

    def name_at(self, seat: int) -> str:
        """Return the name of the agent who has this seat now."""
        return self.name_of(int(self._me.world.env.lives[self.replicate, seat]))

    @property
    def moment(self) -> int:
        """The number of the round, 0 before the first."""
        return self._me.moment

    @property
    def params(self) -> Any:
        """The scenario's parameters."""
        return self._me.params

    @property
    def rules(self) -> Any:
        """The public description of the game, given by the play; None if it gives none."""
        return self._me.rules

    def times_asked(self, kind: str) -> int:
        """Count the questions of a kind that this seat has been asked before, in this run."""
        asked = self._me.world.asked.get(kind)
        return 0 if asked is None else int(asked[self.replicate, self.seat])

    @property
    def succession(self) -> Any:
        """The rule of who lives on and who is born; None where nobody is born later."""
        return self._me.world.env.succession

    def complete(self, graph: str) -> bool:
        """Tell if everybody sees everybody on a graph, as it was at the start."""
        env = self._me.world.env
        env.graph(graph)  # says so if there is none
        return isinstance(env.first_graphs[graph], Complete)

    @property
    def address(self) -> Address:
        """The address of its next exchange with a model."""
        env, (component, name, use) = self._me.world.env, self._me.occasion
        replicate = int(env.replicate_ids[self.replicate])
        turn = self._me._turns[self._node]
        return Address(component, name, use, replicate, self.agent, turn)

    def own(self, tell: News) -> OwnFacts:
        """The facts of a line as this member knows them."""
        return OwnFacts(tell.kind, tell.facts.facts, self._me.audience)

    def neighbours(self, graph: str, at_most: int | None = None) -> dict[str, int]:
        """Seats of the present neighbours whom it sees, by name, in order of id.

        at_most: so many of them: the first in an order that chance gives to all agents for a round,
        whatever the graph. When one of them leaves, the next one comes into sight.
        """
        audience, env = self._me.audience, self._me.world.env
        seats = audience.graphs[graph].neighbours(self.replicate, self.seat)
        seen = seats[audience.present[self.replicate, seats]]
        if at_most is not None and len(seen) > at_most:
            seen = seen[env.sight(self._node, env.ids[seen])[:at_most]]
        seen = seen[np.argsort(env.ids[seen])]
        return {self.name_at(seat): seat for seat in seen.tolist()}

    def in_order(self, peers: Mapping[str, int]) -> list[str]:
        """Names in order of id, from seats by name."""
        return sorted(peers, key=lambda name: int(self._me.world.env.ids[peers[name]]))

    def briefs(self, ask: Inquiry) -> list[str]:
        """List the texts that its components add to a prompt, in their order."""
        said = (brief(ask, self) for brief in self._me._company.briefs)
        return [words for words in said if words]

    def prompt(self, ask: Inquiry, **more: Any) -> str:
        """A question in words."""
        return self._me.world.prompts.question(ask, self, **more)

    async def call(
        self,
        model: str,
        messages: Sequence[Message],
        *,
        room: int | None = None,
        again: Again = "",
        reason: str = "",
        question: Inquiry | None = None,
        peers: Iterable[str] = (),
    ) -> Completion:
        """One exchange with a model, kept before it is used; raises Paused.

        room, again, reason, question, peers: see society.engine.calls.Request.
        """
        request = Request(
            self.address, model, tuple(messages), room, again, reason, question, tuple(peers)
        )
        self._me._turns[self._node] += 1
        said = await self._me.world.outside.call(request)
        self.model = said.model
        return said

    def fell_back(self, reason: str) -> None:
        """Count an answer that could not be read, and for which something else stands."""
        address, outside = self.address, self._me.world.outside
        outside.ledger.fall_back(address, self.model)
        outside.trouble(address, self.model, "fallback", reason)

    def embedded(self, embedder: TextEmbedder, texts: Sequence[str]) -> Array:
        """Vectors of texts, (n, d) of float32."""
        return self._me.embedded(embedder, texts)
