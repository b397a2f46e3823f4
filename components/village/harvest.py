"""The effort of fishing: a trait, bent by the threat of a fine.

Effort e in [0, 1] lands alpha e R from a stock R. Under the rule `trait`, e is the trait. Under
`deterrence`, an agent that plans more than the cap G takes G instead if the gain is not worth the
expected fine: h - G <= beta rho, where rho is the chance that a violator is caught.
Source: Gupta et al. 2026, Table 3 for the traits; the deterrence rule is our addition, since
the paper leaves the effort rule open and with the bare trait a fine only hastens starvation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from society.engine.component import AgentGroup, Column, Component, Question
from society.engine.parameters import Positive
from society.engine.rng import Array

from .persona import Ranges, first_trait

_HAIR = 1 - 1e-12  # keeps rounding from turning exact compliance into a violation


@dataclass(frozen=True)
class Harvest(Component):
    """Effort in fishing: a habit, which may give way to the threat of a fine.

    Answers `effort`; keeps the trait `effort`, which others may imitate.
    """

    effort_rule: Literal["deterrence", "trait"] = "deterrence"
    effort_noise: Positive = 0.03  # sigma_e, of an imitated effort
    efforts: Ranges = ((0.0, 1.0), (0.2, 0.5), (0.7, 1.0))

    chance_id = "harvest"
    at_birth = ("efforts",)
    answers = ("effort",)
    columns = (Column("effort", public=True, heritable=True, text="Effort, from 0 to 1"),)

    def begin(self, agents: AgentGroup) -> None:
        agents["effort"] = first_trait(agents, self.efforts)

    def answer(self, ask: Question, agents: AgentGroup) -> Array:
        wish = agents["effort"]
        if self.effort_rule == "trait":
            return wish
        full, cap = ask.facts["full_catch"], ask.facts["cap"]
        gain = wish * full - cap
        with np.errstate(divide="ignore", invalid="ignore"):
            lawful = np.fmin(cap / full, 1.0) * _HAIR  # 1 where there is nothing to be caught
        deterred = (gain > 0) & (gain <= ask.facts["expected_fine"])
        return np.where(deterred, lawful, wish)

    def born(self, agents: AgentGroup) -> None:
        noise = self.effort_noise * agents.draws.normal("noise")
        agents["effort"] = np.clip(agents["effort"] + noise, 0, 1)
