"""A strategy in words, which its owner follows: made once, or learnt from those who did well.

Whoever asks for it (`devise`) is society.scenarios.mechanisms.generations.generations; the sentence
that came of it is told as `devised`. It stands in every other question to its owner, whoever
thought of it: the owner, or its parent, if the owner found no words that could be read.
Source: Vallinder and Hughes 2024, arXiv 2412.10270, section 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from society.engine.component import Agent, AgentGroup, Column, Component, Inquiry, News
from society.text import quote_text

_SHOWN = 1500  # characters: strategies grow over the generations, and none may be cut


@dataclass(frozen=True)
class Strategy(Component):
    """A sentence that says how one plays; newborn agents have their parent's until they devise one.

    strategy: the first one; none if it is empty. Keeps the column `strategy`.
    """

    strategy: str = ""

    chance_id = "strategy"
    notices = ("devised",)
    columns = (Column("strategy", object, public=True, heritable=True, text="Strategy in words"),)

    def begin(self, agents: AgentGroup) -> None:
        agents["strategy"] = np.full(len(agents), self.strategy, object)

    def notice(self, tell: News, agents: AgentGroup) -> None:
        told = tell.facts["strategy"]
        agents["strategy"] = np.where(told == "", agents["strategy"], told)

    def brief(self, ask: Inquiry, agent: Agent) -> str:
        text = agent["strategy"]
        return f"Your strategy: {quote_text(text, _SHOWN)}" if text and ask.kind != "devise" else ""
