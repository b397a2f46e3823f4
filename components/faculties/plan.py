"""A plan in words, which an agent makes for itself and keeps until there is reason for another.

It is made before the first round, and again
    every so many rounds                    at the first event of the round
    when something happens                  events of the kinds in `when`
    when somebody does something to it      an event with a fact in `done_to_me` that is not 0, or
                                            empty, for the agent
For the first and the last reason at most once a round. The model reads what the faculties add that
stand before the plan, the plan so far, and what has happened. A plan that cannot be read is left
out and counted, and the one before stays.
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from functools import partial

import numpy as np

from society.components.language.llm_policy import ShownFacts, ask_model
from society.components.language.recall import MemoryCount
from society.engine.action_spaces import Legal, Text
from society.engine.component import ANYTHING, Agent, AgentGroup, Column, Component, Inquiry, News
from society.engine.rng import Array
from society.errors import Unparsed
from society.text import clean_line, quote_text

_LONGEST = 600  # characters


@dataclass(frozen=True)
class Plan(Component):
    """A plan, which is in mind before each question and is made anew from time to time.

    every: rounds after which it is made anew. when: kinds of events after which it is. done_to_me:
    facts that tell that somebody has done something to the agent. model: a name among the run's.
    Keeps the column `plan`, and in `planned` the round in which it was made.
    """

    every: MemoryCount = 5
    when: tuple[str, ...] = ()
    done_to_me: tuple[str, ...] = ("fined", "fine_received", "received")
    model: str = "default"

    chance_id = "plan"
    notices = ANYTHING
    columns = (
        Column("plan", object, public=True, text="Plan in words"),
        Column("planned", np.int64),
    )

    @property
    def models(self) -> tuple[str, ...]:
        return (self.model,)

    async def begin(self, agents: AgentGroup) -> None:
        agents["plan"] = [""] * len(agents)
        agents["planned"] = agents.moment
        agents["plan"] = await agents.each(partial(make_plan, self.model, None))

    def notice(self, tell: News, agents: AgentGroup) -> Awaitable[None] | None:
        due = self._due(tell, agents)
        return self._remake(tell, agents, due) if due.any() else None

    def _due(self, tell: News, agents: AgentGroup) -> Array:
        """Tell who has reason to make another plan, (M,) of bool."""
        age = agents.moment - agents["planned"]
        due = age >= self.every
        for name in self.done_to_me:
            if name in tell.facts:
                due = due | (_matters(tell.facts[name]) & (age > 0))
        return due | (tell.kind in self.when)

    async def _remake(self, tell: News, agents: AgentGroup, due: Array) -> None:
        plans = agents["plan"]
        some = agents.only(np.flatnonzero(due))
        plans[due] = await some.each(partial(make_plan, self.model, tell))
        agents["plan"] = plans
        agents["planned"] = np.where(due, agents.moment, agents["planned"])

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        return f"Your plan: {quote_text(agent['plan'], _LONGEST)}" if agent["plan"] else ""


def _matters(values: Array) -> Array:
    """Tell which values of a fact are something: not 0, not empty, (M,) of bool."""
    something = values.astype(bool) & (values == values)
    matters: Array = something.any(axis=tuple(range(1, values.ndim)))
    return matters


async def make_plan(model: str, tell: News | None, agent: Agent) -> str:
    """A plan of one agent; the one that it has if the model's cannot be read.

    tell: what has just happened, None before anything has.
    """
    news = "" if tell is None else agent.context.prompts.told(tell, agent)
    ask = agent.inquiry("plan", Text(_LONGEST), tell)
    more = {"plan": agent["plan"], "news": news}
    try:
        said = await ask_model(ask, agent, model, ShownFacts({}, Legal()), page="plan", more=more)
    except Unparsed as unread:
        agent.fell_back(str(unread))
        return str(agent["plan"])
    return clean_line(said)[:_LONGEST]
