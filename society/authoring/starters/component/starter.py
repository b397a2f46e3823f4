"""A component to start from: how a villager fishes.

society check starter.py                 finds mistakes, and plays it in a small village
society run starter.yaml                 puts it into a village beside others
society list fishing_village             lists what a village asks and tells
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from society import Column, Component


@dataclass(frozen=True)
class Starter(Component):
    """Fishes with a fixed effort, and with less for each time that it was fined."""

    effort: float = 0.5  # a parameter; a scenario file sets it: components: [starter: {effort: 0.6}]
    caution: float = 0.1  # by how much a fine lowers it

    answers = ("effort",)  # the questions that it answers
    notices = ("punished",)  # the events that it is told of
    # What it keeps of each agent. public: shown in replays and data frames.
    columns = (Column("fines", public=True, text="How often it was fined"),)

    def answer(self, ask: Any, agents: Any) -> Any:
        """Answer for all its agents at once: an array in, an array out; nothing changes here."""
        wanted = self.effort - self.caution * agents["fines"]
        return np.clip(wanted, ask.reply.low, ask.reply.high)

    def notice(self, tell: Any, agents: Any) -> None:
        """Change what it keeps, when something was told; `begin` does so before the first round."""
        agents["fines"] = agents["fines"] + tell.facts["fined"]

    def brief(self, ask: Any, agent: Any) -> str:
        """Add words to the prompts of an agent that has a language model; "" adds none."""
        return (
            f"You have been fined {agent['fines']:g} times." if agent["fines"] else ""
        )
