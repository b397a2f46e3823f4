"""Observation: all that an agent was told lately, in order, and nothing of what came before.

Recall beside it brings back what is further away.
"""

from __future__ import annotations

from dataclasses import dataclass

from society.components.language.recall import MemoryCount, recount_memories
from society.engine.component import ANYTHING, Agent, AgentGroup, Column, Component, Inquiry, News
from society.memory.episodic import EpisodicLog


@dataclass(frozen=True)
class Observation(Component):
    """All that was told to an agent since its last round began, the newest last.

    rounds: since how many rounds before the present one. limit: how many events at most.
    Keeps them in the column `observed`, a store for each.
    """

    rounds: MemoryCount = 1
    limit: MemoryCount = 50

    shortens = True
    chance_id = "observation"
    notices = ANYTHING
    columns = (Column("observed", object),)

    def begin(self, agents: AgentGroup) -> None:
        agents["observed"] = [EpisodicLog(self.limit) for _ in range(len(agents))]

    def notice(self, tell: News, agents: AgentGroup) -> None:
        agents.env.clocks[agents.moment] = agents.env.clock or "before the first round"
        for log, text in zip(agents["observed"], agents.told(tell), strict=True):
            if text:
                log.add(agents.moment, text)

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        since = agent.moment - self.rounds
        lately = [one for one in agent["observed"] if one.moment >= since]
        return recount_memories(lately, agent.env.clocks, "What you have observed lately:")
