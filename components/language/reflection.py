"""Looking back: every few rounds a language model sums up what was remembered.

The summaries stay in mind when the memories have faded (Park et al. 2023 call them reflections).
When it happens depends on the round alone: at the first tell of every `every`-th round, about the
rounds that were over by then, each of them once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace

from society.engine.action_spaces import Legal, Text
from society.engine.component import ANYTHING, Agent, AgentGroup, Column, Component, Inquiry, News
from society.errors import CastError, Unparsed
from society.memory.episodic import EpisodicLog
from society.text import quote_text

from .llm_policy import ShownFacts, ask_model
from .recall import MemoryCount

_LONGEST = 600  # characters of a summary


@dataclass(frozen=True)
class Reflection(Component):
    """A summary, every few rounds, of what Recall has remembered since the last one.

    model: a name among the run's models. keep: how many summaries stay in mind.
    Keeps them in the column `insights`, and in `reflected` the round of the last attempt.
    """

    every: MemoryCount = 5
    model: str = "default"
    keep: MemoryCount = 3

    shortens = True
    chance_id = "reflection"
    notices = ANYTHING
    columns = (Column("insights", object), Column("reflected", int))

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,)

    def begin(self, agents: AgentGroup) -> None:
        if "memory" not in agents:
            raise CastError("reflection looks back on what recall remembers; add recall before it")
        agents["memory"]  # raises CastError if recall stands behind it and has not begun
        agents["insights"] = [EpisodicLog(self.keep) for _ in range(len(agents))]

    async def notice(self, tell: News, agents: AgentGroup) -> None:
        if agents.moment and agents.moment % self.every == 0:
            await agents.each(partial(reflect, tell, self.model, agents))
            agents["reflected"] = agents.moment

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        thoughts = [f"- {quote_text(thought.text, _LONGEST)}" for thought in agent["insights"]]
        return "\n".join(["What you have learnt so far:", *thoughts]) if thoughts else ""


async def reflect(tell: News, model: str, agents: AgentGroup, agent: Agent) -> None:
    """Add a summary of the rounds since the last one to the insights of one member, once a round.

    A summary that cannot be read is left out and counted, and what was to be in it is lost.
    """
    since = agent["reflected"]
    memories = [memory for memory in agent["memory"] if since <= memory.moment < agent.moment]
    if since == agents.moment or not memories:
        return
    ask = Inquiry("reflect", agent.own(tell), Text(_LONGEST))
    lived = [
        SimpleNamespace(moment=one.moment, text=one.text, clock=agent.env.clocks[one.moment])
        for one in memories
    ]
    more = {"memories": lived, "insights": [thought.text for thought in agent["insights"]]}
    try:
        thought = await ask_model(
            ask, agent, model, ShownFacts({}, Legal()), page="reflection", more=more
        )
    except Unparsed as unread:
        agent.fell_back(str(unread))
    else:
        agent["insights"].add(agents.moment, thought[:_LONGEST])
