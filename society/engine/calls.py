"""Requests to models and what comes back.

A call is one exchange: words out, words in. It has an address, as every draw has, so that a record
can answer it again: who was asked, on which occasion, and the how-manieth exchange of that occasion
it was. Everything that is paid for passes here and is kept before it is used.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast

import numpy as np
from xxhash import xxh3_128_hexdigest

from .cancellation import CancellationToken
from .observations import Inquiry
from .rng import Array

Again = Literal["", "repair", "cut", "shortened"]
PartRole = Literal["brief", "question", "thought"]
BARE = -1
COPIED = "copied"  # among the settings that a record keeps; no setting has this name
ASKED_ON = "asked_on"  # among them: the day on which a call went out, in UTC, "2026-11-28"
OVERFLOW = "context_overflow"  # why there is no reply: the prompt does not fit into the model


class Message(NamedTuple):
    """One part of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Address(NamedTuple):
    """The address of an exchange with a model. No two calls of a run have the same.

    component: its chance_id. occasion: the hook and the kind of line, "answer effort". use: the
    how-manieth line of that kind, from 0. replicate, agent: ids. turn: the how-manieth exchange.
    """

    component: str
    occasion: str
    use: int
    replicate: int
    agent: int
    turn: int

    @property
    def bare(self) -> bool:
        """True for an answer that a component found without a call through the gateway."""
        return self.turn == BARE

    @property
    def kind(self) -> str:
        """The question or the event: "effort"; "begin" before anything was said."""
        hook, _, kind = self.occasion.partition(" ")
        return kind or hook


class PromptPart(NamedTuple):
    """A stretch of the last message of a request that one component has given.

    component: its title. role: of what sort its words are. start, length: characters.
    """

    component: str
    role: PartRole
    start: int
    length: int


class Request(NamedTuple):
    """A request to one model.

    model: a name among the run's models, or a model as `--model` takes it. room: tokens that the
    reply may take, None for the model's own setting. again: why this is not the first exchange of
    its occasion: the reply could not be read, or was cut off, or the prompt was too long and has
    been shortened; reason: in words.
    schema: JSON schema that the reply should follow, None for free text; how it is enforced is up
    to whoever sends the request.
    question, and peers, the names that an answer may give, by id: for minds that read the question
    itself instead of its words; they are never sent. who: the agent's name, for messages. round:
    the number of the one that is being played, for the record. parts: which component has given
    what of the last message, in order, for the record.
    """

    address: Address
    model: str
    messages: tuple[Message, ...]
    room: int | None = None
    again: Again = ""
    reason: str = ""
    schema: Mapping[str, Any] | None = None
    question: Inquiry | None = None
    peers: tuple[str, ...] = ()
    who: str = ""
    round: int = 0
    parts: tuple[PromptPart, ...] = ()

    @property
    def agent(self) -> str:
        """The agent, for messages: "villager 2 of replicate 0"."""
        name = self.who or f"agent {self.address.agent}"
        return f"{name} of replicate {self.address.replicate}"

    @property
    def words(self) -> str:
        """The messages as JSON."""
        return json.dumps(self.messages)

    @property
    def fingerprint(self) -> str:
        """A hash of the words: the same prompt has the same one."""
        return fingerprint(self.model, self.words)


class Completion(NamedTuple):
    """The reply of a model.

    finish: why it ended, "stop" or "length" (cut off by the token limit), as the provider says;
    OVERFLOW if the prompt was refused as too long.
    Tokens and cost (US dollars) are None where nobody knows them, never 0. latency: seconds, with
    all retries. model: as the provider names it. sent: the settings that were really sent.
    cached_tokens: those of the prompt that the provider had in its cache, None if it does not say.
    """

    text: str
    finish: str = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    latency: float = 0.0
    retries: int = 0
    model: str = ""
    sent: Mapping[str, Any] = {}
    cached_tokens: int | None = None

    @property
    def copied(self) -> bool:
        """True for a copy of the reply to an identical question: nothing was sent."""
        return bool(self.sent.get(COPIED))

    def copy_of(self, sent: Mapping[str, Any]) -> Completion:
        """Copy a reply: it took no call, and so no tokens, money or time; sent: what is kept."""
        nothing: dict[str, Any] = {name: 0 for name in self._fields if name.endswith("_tokens")}
        marked = {**sent, COPIED: True}
        return self._replace(**nothing, cost=0.0, latency=0.0, retries=0, sent=marked)


class Usage(NamedTuple):
    """Counts of what a run has asked of one model, by one component, about one kind of line.

    component: its chance_id, as in ParseIssue. calls: exchanges, with repairs (replies that could
    not be read) and re-asks of replies that were cut off. retries: attempts that failed on the way.
    fallbacks: answers that could not be read in the end and were settled by `fallback`. Tokens,
    cost: None where one of them is unknown. cached_tokens: of the prompts, as providers tell.
    shortened: prompts that did not fit into the model, and were asked again with fewer memories.
    copied: exchanges that cost nothing, since the reply to an identical question was taken.
    unasked: answers that the component found by itself, without an exchange.
    """

    component: str
    kind: str
    model: str = ""
    calls: int = 0
    retries: int = 0
    repairs: int = 0
    cut: int = 0
    fallbacks: int = 0
    prompt_tokens: int | None = 0
    completion_tokens: int | None = 0
    cost: float | None = 0.0
    cached_tokens: int | None = 0
    shortened: int = 0
    copied: int = 0
    unasked: int = 0


T = TypeVar("T", int, float)


def add_known(one: T | None, other: T | None) -> T | None:
    """The sum of two counts, tokens or costs; None if one of them is unknown."""
    return None if one is None or other is None else one + other


def sum_known(parts: Iterable[T | None]) -> T | None:
    """The sum of counts, tokens or costs; None if one of them is unknown."""
    known = list(parts)
    return None if None in known else sum(cast(list[T], known))


class ParseIssue(NamedTuple):
    """An answer that could not be used as it came: what was done, and why."""

    component: str
    kind: str
    model: str
    replicate: int  # as ids, like agent
    agent: int
    what: str  # "repair", "cut", "shortened" or "fallback"; "disqualified", of a program
    reason: str


class Spent(NamedTuple):
    """The calls, tokens and money that a run has used, as limits count them.

    calls: that went out, answered or not. tokens: where nobody told, the most that there can have
    been; of unanswered calls none. cost: US dollars, None where it is unknown.
    """

    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0


Going = Callable[[], Awaitable[None]]


class Minds(Protocol):
    """An interface to models: it sends requests and returns replies."""

    async def call(self, request: Request, going: Going, token: CancellationToken) -> Completion:
        """Ask; raises Paused if no answer can be had, and InputError if none ever will.

        going: awaited right before each attempt goes out, after any waiting for its turn; what it
        raises ends the call. token: of the run; once it is cancelled nobody may begin any more,
        and who waits for a turn, or to try again, ends with Paused.
        """
        ...

    @property
    def patience(self) -> float:
        """Seconds that a call under way may still take."""
        ...

    async def close(self) -> None:
        """Let go of connections; called in the event loop of the calls."""
        ...


class CallStore(Protocol):
    """A store of what came from outside."""

    def kept(self, request: Request) -> Completion | None:
        """Return the stored reply to a request, if any; raises InputError if its words differ."""
        ...

    async def sending(self, request: Request) -> None:
        """Note that a call is about to be made."""
        ...

    async def withdraw(self, request: Request) -> None:
        """Take back the note on a call that was refused and will not be answered."""
        ...

    async def keep(self, request: Request, said: Completion) -> None:
        """Returns once it would survive a power cut; raises Paused if it cannot be kept."""
        ...

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Return the stored embeddings of some texts, by text."""
        ...

    def keep_vectors(self, embedder: str, vectors: Mapping[str, Array]) -> None:
        """Keep them, by text."""
        ...


class NoCallStore:
    """A store that keeps nothing, for games that are played without a run file."""

    def kept(self, request: Request) -> Completion | None:
        """Return None: nothing is stored."""
        return None

    async def sending(self, request: Request) -> None:
        """Do nothing."""

    async def withdraw(self, request: Request) -> None:
        """Do nothing."""

    async def keep(self, request: Request, said: Completion) -> None:
        """Do nothing."""

    def vectors(self, embedder: str, texts: Sequence[str]) -> dict[str, Array]:
        """Return no embeddings."""
        return {}

    def keep_vectors(self, embedder: str, vectors: Mapping[str, Array]) -> None:
        """Do nothing."""


def fingerprint(model: str, words: str) -> str:
    """Return a hash of a request to a model; words: its messages as JSON."""
    return xxh3_128_hexdigest(f"{model}\0{words}".encode("utf-8", "surrogatepass"))


def stack_vectors(vectors: Mapping[str, Array], texts: Sequence[str]) -> Array:
    """Vectors in the order of the texts, (n, d)."""
    return np.stack([vectors[text] for text in texts]) if texts else np.empty((0, 0), np.float32)
