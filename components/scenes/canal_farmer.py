"""A farmer at a canal who keeps to the quota, or does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry, per_agent
from society.engine.parameters import Share


@dataclass(frozen=True)
class CanalFarmer(Component):
    """Keeps to the quota, for life with chance `honest`; else it takes twice an equal share.

    As the warden it names an equal share. It elects the one it sees who had least water, as that
    one has most to gain from a quota. Keeps whether it is honest in the column `honest`.
    """

    honest: Share = 0.5

    chance_id = "canal_farmer"
    answers = ("act", "elect", "quota", "take")
    columns = (Column("honest", bool, public=True, text="Whether it keeps to the quota"),)

    def begin(self, agents: AgentGroup) -> None:
        agents["honest"] = agents.draws.uniform("honest") < self.honest

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> Any:
        if ask.kind == "act":
            return "I keep to the quota." if agent["honest"] else "I wait."
        if ask.kind == "elect":
            water, ids = ask.facts.seen("water"), agent.env.ids
            return min(water, key=lambda seat: (float(water[seat]), -int(ids[seat])), default=-1)
        share = float(np.asarray(agent.params.inflow) / agent.env.agents)
        if ask.kind == "quota":
            return share
        return float(ask.facts["quota"]) if agent["honest"] else 2 * share
