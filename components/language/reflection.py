"""Looking back: every few rounds a language model sums up what was remembered.

The summaries stay in mind when the memories have faded (Park et al. 2023 call them reflections).
When it happens depends on the round alone: at the first tell of every `every`-th round, about the
rounds that were over by then, each of them once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from society.engine.action_spaces import Legal, Text
from society.engine.component import ANYTHING, Column, Component, Inquiry, Members, News, One
from society.errors import CastError, Unparsed
from society.memory.episodic import EpisodicLog
from society.text import fenced

from .llm_policy import View, answered
from .recall import Count

_LONGEST = 600  # characters of a summary


@dataclass(frozen=True)
class Reflection(Component):
    """A summary, every few rounds, of what Recall has remembered since the last one.

    model: a name among the run's models. keep: how many summaries stay in mind.
    Keeps them in the column `insights`, and in `reflected` the round of the last attempt.
    """

    every: Count = 5
    model: str = "default"
    keep: Count = 3

    chance_id = "reflection"
    notices = ANYTHING
    columns = (Column("insights", object), Column("reflected", int))

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,)

    def begin(self, me: Members) -> None:
        if "memory" not in me:
            raise CastError("reflection looks back on what recall remembers; add recall before it")
        me["memory"]  # raises CastError if recall stands behind it and has not begun
        me["insights"] = [EpisodicLog(self.keep) for _ in range(len(me))]

    async def notice(self, tell: News, me: Members) -> None:
        if me.moment and me.moment % self.every == 0:
            await me.each(partial(reflect, tell, self.model, me))
            me["reflected"] = me.moment

    def brief(self, ask: Inquiry, one: One) -> str:
        thoughts = [f"- {fenced(thought.text, _LONGEST)}" for thought in one["insights"]]
        return "\n".join(["What you have learnt so far:", *thoughts]) if thoughts else ""


async def reflect(tell: News, model: str, me: Members, one: One) -> None:
    """Add a summary of the rounds since the last one to the insights of one member, once a round.

    A summary that cannot be read is left out and counted, and what was to be in it is lost.
    """
    since = one["reflected"]
    memories = [memory for memory in one["memory"] if since <= memory.moment < one.moment]
    if since == me.moment or not memories:
        return
    ask = Inquiry("reflect", one.own(tell), Text(_LONGEST))
    more = {"memories": memories, "insights": [thought.text for thought in one["insights"]]}
    try:
        thought = await answered(ask, one, model, View({}, Legal()), page="reflection", more=more)
    except Unparsed as unread:
        one.fell_back(str(unread))
    else:
        one["insights"].add(me.moment, thought[:_LONGEST])
