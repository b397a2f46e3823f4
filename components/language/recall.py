"""Remembering what was told, and what of it comes to mind when a question is asked.

An episodic memory brings back the latest events, an associative one those that are near to the
question, recent or important. Near means near to its kind in words: its facts may be for rules
alone, and what is hidden from agents must not steer their thoughts. What happens for the n-th time
(a tell of the same kind) has importance 1 / n: the first harvest is news, the hundredth is not
(ours; Park et al. 2023 let a model rate each memory, which costs a call each).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, WithJsonSchema

from society.engine.component import ANYTHING, Agent, AgentGroup, Column, Component, Inquiry, News
from society.engine.environment import Environment
from society.engine.rng import Array
from society.errors import CastError, Paused
from society.memory.associative import AssociativeMemory, Item
from society.memory.embedders import (
    Embedder,
    ForeignWeights,
    Hashing,
    MissingExtra,
    NoEmbedder,
    embedder,
    known_embedder,
)
from society.memory.episodic import Episode, EpisodicLog

MemoryCount = Annotated[int, Field(ge=1)]
EmbedderName = Annotated[
    str,
    AfterValidator(known_embedder),
    WithJsonSchema({"anyOf": [{"enum": ["hashing", "minilm"]}, {"const": "FILE.py:function"}]}),
]


@dataclass(frozen=True)
class Recall(Component):
    """A memory of everything told, of which the latest or the most fitting comes to mind.

    k: how many memories a question brings back. limit: how many are kept.
    embedder: what finds the fitting ones: hashing goes by wording, minilm by meaning; or a function
    of the user's that gives any `Embeddings` of langchain-core; none: the run's, else hashing.
    Keeps the column `memory`, a store for each, and in `heard` how often each kind was told.
    """

    kind: Literal["episodic", "associative"] = "episodic"
    k: MemoryCount = 5
    limit: MemoryCount = 200
    embedder: EmbedderName | None = None

    shortens = True
    chance_id = "recall"
    notices = ANYTHING
    columns = (Column("memory", object), Column("heard", object))

    def begin(self, agents: AgentGroup) -> None:
        store = EpisodicLog if memory_finder(self, agents.env) is None else AssociativeMemory
        agents["memory"] = [store(self.limit) for _ in range(len(agents))]
        agents["heard"] = [Counter[str]() for _ in range(len(agents))]

    def adapt(self, before: Recall, agents: AgentGroup) -> None:
        """Move what is remembered into stores of the new kind, size and embedder.

        A log does not say how new its events were: there they count as the most usual one.
        """
        if (self.kind, self.limit, self.embedder) == (before.kind, before.limit, before.embedder):
            return
        by = memory_finder(self, agents.env)
        both = zip(agents["memory"], agents["heard"], strict=True)
        if by is None:
            agents["memory"] = [_as_log(memory, self.limit) for memory, _ in both]
            return
        agents["memory"] = [
            _as_associations(
                memory,
                self.limit,
                embed_texts(by, [one.text for one in memory], agents),
                1 / max(heard.values(), default=1),
            )
            for memory, heard in both
        ]

    def notice(self, tell: News, agents: AgentGroup) -> None:
        remember(tell, agents, memory_finder(self, agents.env))

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        memory, by = agent["memory"], memory_finder(self, agent.env)
        if by is None:
            return recount_memories(memory.latest(self.k), agent.env.clocks)
        (cue,) = embed_texts(by, [ask.kind.replace("_", " ")], agent)
        return recount_memories(memory.recall(cue, agent.moment, self.k), agent.env.clocks)


def _as_log(memory: Iterable[Episode | Item], limit: int) -> EpisodicLog:
    log = EpisodicLog(limit)
    for one in memory:  # in the order in which they were added
        log.add(one.moment, one.text)
    return log


def _as_associations(
    memory: Iterable[Episode | Item], limit: int, vectors: Array, importance: float
) -> AssociativeMemory:
    """Make a store of memories, with the vectors of their texts; importance: of those of a log."""
    store = AssociativeMemory(limit)
    for one, vector in zip(memory, vectors, strict=True):
        known = one.importance if isinstance(one, Item) else importance
        store.add(one.moment, one.text, vector, known)
    return store


def memory_finder(part: Recall, env: Environment) -> Embedder | None:
    """Return the embedder that finds fitting memories; raises CastError if there is none."""
    if part.kind == "episodic":
        return None
    try:
        return embedder(part.embedder or env.embedder or "hashing")
    except (MissingExtra, ForeignWeights, NoEmbedder) as missing:
        raise CastError(str(missing)) from None


def embed_texts(by: Embedder, texts: Sequence[str], me: AgentGroup | Agent) -> Array:
    """Embed each text, (n, d); raises Paused if an embedder of the user's fails."""
    if isinstance(by, Hashing):  # has the same bits everywhere, so that none need be kept
        return by.embed(texts)
    try:
        return me.embedded(by, texts)
    except NoEmbedder as error:
        raise Paused(f"nothing can be remembered: {error}; mend it, then resume") from error


def remember(tell: News, agents: AgentGroup, by: Embedder | None) -> None:
    """Keep what was told to each member; empty words leave nothing to remember."""
    told = agents.told(tell)
    agents.env.clocks[agents.moment] = agents.env.clock or "before the first round"
    places = None if by is None else embed_texts(by, told, agents)
    for row, (memory, heard) in enumerate(zip(agents["memory"], agents["heard"], strict=True)):
        if not told[row]:
            continue
        heard[tell.kind] += 1
        if places is None:
            memory.add(agents.moment, told[row])
        else:
            memory.add(agents.moment, told[row], places[row], importance=1 / heard[tell.kind])


def recount_memories(
    memories: Sequence[Episode | Item],
    clocks: Mapping[int, str],
    heading: str = "What you remember:",
) -> str:
    """Memories as a list, each with its round as agents are told of it; nothing if there are none.

    clocks: the words for a round, by moment.
    """
    in_order = sorted(memories, key=lambda memory: memory.moment)
    lines = [f"- {_heading(clocks, memory.moment)}: {memory.text}" for memory in in_order]
    return "\n".join([heading, *lines]) if lines else ""


def _heading(clocks: Mapping[int, str], moment: int) -> str:
    words = clocks[moment]
    return f"{words[0].upper()}{words[1:]}"
