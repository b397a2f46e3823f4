"""A person in prose: for language minds, which read it before each question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry

USUAL = (
    "You have lived here all your life and know everybody by name.",
    "You moved here a few years ago and still find some customs strange.",
    "You came here as a child, left to see the world, and returned to stay.",
)


@dataclass(frozen=True)
class Backstory(Component):
    """A backstory: one of these texts, each as likely as the others, for life.

    Keeps its index in the column `story`.
    """

    texts: Annotated[tuple[str, ...], Field(min_length=1)] = USUAL

    chance_id = "backstory"
    columns = (Column("story", np.int16),)

    def begin(self, agents: AgentGroup) -> None:
        agents["story"] = agents.draws.integers("which", len(self.texts))

    def adapt(self, before: Backstory, agents: AgentGroup) -> None:
        """Keep a story that is still told, or else its place; of those that are gone draw anew."""
        drawn = agents.draws.integers("which", len(self.texts))
        agents["story"] = [
            self._place_of(before.texts[story], story, new)
            for story, new in zip(agents["story"].tolist(), drawn.tolist(), strict=True)
        ]

    def _place_of(self, text: str, place: int, drawn: int) -> int:
        if text in self.texts:
            return self.texts.index(text)
        return place if place < len(self.texts) else drawn

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        return self.texts[int(agent["story"])]
