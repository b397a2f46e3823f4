"""A personal norm in words, which its owner may rewrite.

The first norm is one of eight sentences of the own persona, each equally likely; later ones are
what the owner makes of it. A persona `general` draws from both lists.
Source: Gupta et al. 2026 (AAMAS), section 4.2: a bank of short templates for each type. The
sentences are ours; `altruistic` and `selfish` take others, such as the paper's own (Table 2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from society.components.village.persona import TEMPERS
from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry, News
from society.text import quote_text

Sentences = Annotated[tuple[str, ...], Field(min_length=1)]

_ALTRUISTIC = (
    "Catch what your household eats, and not a fish beyond that.",
    "Keep the lake alive for those who come after you.",
    "What the village has agreed on is to be followed to the letter.",
    "Fish with restraint, so that life in the lake stays in balance.",
    "A lake that lasts is worth more than a big catch today.",
    "Before you cast your net, think of what everybody in the village needs.",
    "Always leave fish in the water, for your neighbours and for those not yet born.",
    "Everyone in the village shall have a fair part of what the lake gives.",
)
_SELFISH = (
    "As long as there is plenty, land as much as you possibly can.",
    "Get to the fish before the others get to them.",
    "Your own people come first: bring them home every fish that you can.",
    "A lake is there to be used: claim the biggest part of it.",
    "Whoever wants to stay alive must fish hard and hold nothing back.",
    "Make every hour on the water pay as much as it can.",
    "See that you land more than anybody else does.",
    "What the lake yields you today is what counts.",
)


@dataclass(frozen=True)
class PersonalNorm(Component):
    """A personal norm in words, which its owner reads before every decision.

    Keeps the column `norm`, which others may imitate; notices `reconsidered`, where "" changes
    nothing.
    """

    altruistic: Sentences = _ALTRUISTIC
    selfish: Sentences = _SELFISH

    chance_id = "creed"
    notices = ("reconsidered",)
    columns = (Column("norm", object, public=True, heritable=True, text="Personal norm in words"),)

    def begin(self, agents: AgentGroup) -> None:
        both = (*self.altruistic, *self.selfish)
        banks = {"general": both, "altruist": self.altruistic, "selfish": self.selfish}
        lists = [banks[TEMPERS[persona]] for persona in agents["persona"]]
        places = agents.draws.integers("first", np.array([len(bank) for bank in lists]))
        agents["norm"] = np.array([bank[k] for bank, k in zip(lists, places, strict=True)], object)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        norm = tell.facts["norm"]
        agents["norm"] = np.where(norm == "", agents["norm"], norm)

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        return f"Your personal strategy: {quote_text(agent['norm'])}"
