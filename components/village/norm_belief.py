"""The norm of a villager: a personal cap on the own catch, g, in units of catch a round.

Source: Gupta et al. 2026, Table 3.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from society.engine.component import AgentGroup, Column, Component
from society.engine.parameters import Positive

from .persona import Ranges, first_trait


@dataclass(frozen=True)
class NormBelief(Component):
    """The catch that one thinks nobody ought to exceed.

    Keeps the column `belief`, which others may imitate.
    """

    belief_noise: Positive = 0.3  # sigma_g, of an imitated belief
    beliefs: Ranges = ((2.0, 8.0), (4.0, 8.0), (10.0, 14.0))

    chance_id = "norm_belief"
    at_birth = ("beliefs",)
    columns = (
        Column(
            "belief", public=True, heritable=True, unit="fish", text="Catch that it thinks right"
        ),
    )

    def begin(self, agents: AgentGroup) -> None:
        agents["belief"] = first_trait(agents, self.beliefs)

    def born(self, agents: AgentGroup) -> None:
        noise = self.belief_noise * agents.draws.normal("noise")
        agents["belief"] = np.maximum(agents["belief"] + noise, 0)
