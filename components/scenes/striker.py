"""A worker who strikes when enough of the others do, and an owner who gives way to a standstill.

Source: thresholds of collective action, Granovetter 1978, American Journal of Sociology 83.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from society.components.scenes.plain_acts import clauses
from society.engine.component import (
    Agent,
    AgentGroup,
    Column,
    Component,
    Inquiry,
    Question,
    per_agent,
)
from society.engine.parameters import Share
from society.engine.rng import Array


@dataclass(frozen=True)
class Striker(Component):
    """Strikes if the wage is below `fair` and at least a share t of those it has heard strike.

    fair: as a share of the worth of a day's work. t is for life: 0 with chance `bold`, else drawn
    from [0, 1), and kept in the column `threshold`. It says "I strike." or "I work."
    """

    fair: Share = 0.5
    bold: Share = 0.2

    chance_id = "striker"
    answers = ("act",)
    columns = (Column("threshold", public=True, text="Share that must strike before it does"),)

    def begin(self, agents: AgentGroup) -> None:
        bold = agents.draws.uniform("bold") < self.bold
        agents["threshold"] = np.where(bold, 0.0, agents.draws.uniform("threshold"))

    @per_agent
    def answer(self, ask: Inquiry, agent: Agent) -> str:
        said = [clauses(text) for text in ask.facts.seen("deed").values() if text]
        striking = sum("I strike" in one for one in said) / len(said) if said else 0.0
        low = ask.facts["wage"] < self.fair * agent.params.worth
        return "I strike." if low and striking >= agent["threshold"] else "I work."


@dataclass(frozen=True)
class GivingOwner(Component):
    """Raises the wage by a step after a day at which the works stood still, and else lowers it.

    step: as a share of the worth of a day's work.
    """

    step: Share = 0.1

    chance_id = "giving_owner"
    answers = ("pay",)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        step = self.step * agents.params.worth
        wage = ask.facts["wage"] + (2 * ask.facts["standstill"] - 1) * step
        bounded: Array = wage.clip(0, agents.params.worth)
        return bounded
