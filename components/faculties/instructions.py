"""Instructions: words of the researcher's that stand in every prompt of an agent."""

from __future__ import annotations

from dataclasses import dataclass

from society.engine.component import Agent, Component, Inquiry
from society.engine.parameters import Words


@dataclass(frozen=True)
class Instructions(Component):
    """Constant words to an agent, before each question."""

    text: Words = (
        "Decide as the person whom you are would decide: from what this person knows, wants and "
        "remembers, with its habits and limits, and not as somebody who looks on from outside."
    )

    chance_id = "instructions"

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        return self.text
