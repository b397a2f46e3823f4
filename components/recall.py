"""Remembering what was told, and what of it comes to mind when a question is asked.

An episodic memory brings back the latest events, an associative one those that are near to the
question, recent or important. What happens for the n-th time (a tell of the same kind) has
importance 1 / n: the first harvest is news, the hundredth is not (ours; Park et al. 2023 let a
model rate each memory, which costs a call each).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from society.agent import ANYTHING, Column, Component, Inquiry, Members, News, One
from society.errors import CastError
from society.memory.associative import AssociativeMemory, Item
from society.memory.embedders import Embedder, MissingExtra, embedder
from society.memory.episodic import Episode, EpisodicLog
from society.prompts import sentence

Count = Annotated[int, Field(ge=1)]


@dataclass(frozen=True)
class Recall(Component):
    """A memory of everything told, of which the latest or the most fitting comes to mind.

    k: how many memories a question brings back. limit: how many are kept.
    embedder: what finds the fitting ones: hashing goes by wording, minilm by meaning.
    Keeps the column `memory`, a store for each, and in `heard` how often each kind was told.
    """

    kind: Literal["episodic", "associative"] = "episodic"
    k: Count = 5
    limit: Count = 200
    embedder: Literal["hashing", "minilm"] = "hashing"

    notices = ANYTHING
    columns = (Column("memory", object), Column("heard", object))

    def begin(self, me: Members) -> None:
        store = EpisodicLog if finder(self) is None else AssociativeMemory
        me["memory"] = [store(self.limit) for _ in range(len(me))]
        me["heard"] = [Counter[str]() for _ in range(len(me))]

    def notice(self, tell: News, me: Members) -> None:
        remember(tell, me, finder(self))

    def brief(self, ask: Inquiry, one: One) -> str:
        memory, by = one["memory"], finder(self)
        if by is None:
            return recounted(memory.latest(self.k))
        (query,) = one.embedded(by, [sentence(ask.kind, ask.facts)])
        return recounted(memory.recall(query, one.moment, self.k))


def finder(part: Recall) -> Embedder | None:
    """What finds fitting memories, if they are looked for; raises CastError if it is missing."""
    if part.kind == "episodic":
        return None
    try:
        return embedder(part.embedder)
    except MissingExtra as missing:
        raise CastError(str(missing)) from None


def remember(tell: News, me: Members, by: Embedder | None) -> None:
    """Everybody keeps what it was told; where the words are empty there is nothing to remember."""
    told = me.told(tell)
    vectors = None if by is None else me.embedded(by, told)
    for place, (memory, heard) in enumerate(zip(me["memory"], me["heard"], strict=True)):
        heard[tell.kind] += 1
        if not told[place]:
            continue
        if vectors is None:
            memory.add(me.moment, told[place])
        else:
            memory.add(me.moment, told[place], vectors[place], importance=1 / heard[tell.kind])


def recounted(memories: Sequence[Episode | Item]) -> str:
    """Memories as a list, each with its round; nothing if there are none."""
    in_order = sorted(memories, key=lambda memory: memory.moment)
    lines = [f"- Round {memory.moment}: {memory.text}" for memory in in_order]
    return "\n".join(["What you remember:", *lines]) if lines else ""
