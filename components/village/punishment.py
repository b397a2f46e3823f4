"""Punishment: look at one peer with chance m, and fine a violation with chance p.

Table 3 gives one number B = m p: here m ~ U(range of the persona) and p = 1. `punishers` settles
which of the paper's two statements holds: its table has the selfish fine more often, its text the
altruists. Source: Gupta et al. 2026, section 3.1.3 and Table 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from society.engine.component import AgentGroup, Column, Component, Question
from society.engine.graph import NOBODY
from society.engine.parameters import Positive
from society.engine.rng import Array

from .persona import Ranges, first_trait

_MONITORING: dict[str, Ranges] = {
    "table": ((0.0, 1.0), (0.0, 0.1), (0.4, 0.5)),
    "text": ((0.0, 1.0), (0.4, 0.5), (0.0, 0.1)),
}


@dataclass(frozen=True)
class Punishment(Component):
    """Watching one peer a round, and fining it for a catch above the cap.

    Answers `watch` (the chance m p), `inspect` (looks with chance m, where looking is a choice of
    its own) and `punish`; others may imitate `monitoring`.
    """

    punishers: Literal["table", "text"] = "table"
    effort_noise: Positive = 0.03  # sigma_B: one noise serves effort and monitoring

    chance_id = "punishment"
    at_birth = ("punishers",)
    columns = (
        Column("monitoring", public=True, heritable=True, text="Chance to look at a peer"),
        Column("punishing"),
    )

    def begin(self, agents: AgentGroup) -> None:
        agents["monitoring"] = first_trait(agents, _MONITORING[self.punishers])
        agents["punishing"] = 1.0

    def answer_watch(self, ask: Question, agents: AgentGroup) -> Array:
        return agents["monitoring"] * agents["punishing"]

    def answer_inspect(self, ask: Question, agents: AgentGroup) -> Array:
        looks = agents.draws.uniform("whether") < agents["monitoring"]
        return np.where(looks, "yes", "no")

    def answer_punish(self, ask: Question, agents: AgentGroup) -> Array:
        catches = ask.facts.seen("catch")
        peer = catches.drawn(agents.draws.uniform("whom"))
        # Who was asked before whether it looks has looked, and fines with chance p.
        looks = 1.0 if "inspected" in ask.facts else agents["monitoring"]
        fines = agents.draws.uniform("whether") < looks * agents["punishing"]
        return np.where(fines & (catches.of(peer) > ask.facts["cap"]), peer, NOBODY)

    def born(self, agents: AgentGroup) -> None:
        noise = self.effort_noise * agents.draws.normal("noise")
        agents["monitoring"] = np.clip(agents["monitoring"] + noise, 0, 1)
